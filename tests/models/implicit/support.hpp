// What the tests of models/implicit share: tapes from text, and random operands.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "models/implicit/assembler.hpp"
#include "models/implicit/evaluate.hpp"

namespace rtvp::implicit::test {

inline Tape assembled(const std::string& text, Limits limits = Limits::seed()) {
  AssemblyResult result = assemble("t.sdf", text, limits);
  if (!result.tape) throw std::runtime_error(result.report());
  return std::move(*result.tape);
}

/// The default object of sdf.md 3.2.
inline constexpr const char* kDefaultObject =
    "OPMulVec3Float var f(0.9)\nOPDupVec3 var\nOPAddVec3Vec3 var v3(-0.7,-1.2,-0.7)\n"
    "OPSDFSphere f(0.5) var\nOPSDFTorus v2(0.7,0.4) var\nOPMinFloat var var\n"
    "OPDivFloatFloat var f(0.9)\nOPStop var\n";

/// Four primitives blended, with abs, a component and a mirrored copy.
inline constexpr const char* kSmoothBlend =
    "OPDupVec3 var\nOPSDFSphere f(0.6) var\nOPDupVec3 var\n"
    "OPAddVec3Vec3 var v3(-0.6,0,0)\nOPSDFBox v3(0.3,0.4,0.3) var\n"
    "OPSmoothMinFloat f(0.2) var var\nOPDupVec3 var\nOPAbsVec3 var\n"
    "OPAddVec3Vec3 var v3(0,-0.6,0)\nOPSDFTorus v2(0.4,0.1) var\n"
    "OPSmoothMinFloat f(0.1) var var\nOPSubVec3Vec3 var v3(0,0.2,0.7)\n"
    "OPSDFSphere f(0.3) var\nOPSmoothMaxMaterialFloat f(0.05) var var\nOPStop var\n";

/// A ball without bores whose operands are selected by constants, vectors and clamps.
inline constexpr const char* kSelections =
    "OPDupVec3 var\nOPDupVec3 var\nOPMinVec3 var v3(0.3,0.2,0.1)\nOPSwap2Vec3 var var\n"
    "OPClampVec3Vec3 var v3(-0.5,-0.5,-0.5) v3(0.5,0.5,0.5)\nOPMaxVec3 var var\n"
    "OPSDFSphere f(0.4) var\nOPSDFSphere f(0.8) var\nOPMaxFloat var f(-0.3)\n"
    "OPDup2Float var\nOPMulFloatFloat var f(-1)\nOPMaxFloat var var\nOPMinFloat var var\n"
    "OPPushP\nOPSDFTorus v2(0.9,0.2) var\nOPMinFloat var var\nOPDupFloat var\n"
    "OPAddFloatFloat var f(0.1)\nOPDropFloat var\nOPStop var\n";

}  // namespace rtvp::implicit::test
