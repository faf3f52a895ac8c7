// What the tests of models/implicit share: tapes from text, and random operands.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
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

/// Equal bits, or both not-a-number.
inline bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

inline Bounds randomBox(std::mt19937& random) {
  std::uniform_real_distribution<float> centre(-1.5F, 1.5F), exponent(-6, 0);
  Bounds box;
  for (unsigned n = 0; n < 3; ++n) {
    box.min[n] = centre(random);
    box.max[n] = box.min[n] + std::exp2(exponent(random));
  }
  return box;
}

inline std::array<float, 3> pointIn(const Bounds& box, std::mt19937& random) {
  std::array<float, 3> p{};
  for (unsigned n = 0; n < 3; ++n) {
    const float t = static_cast<float>(random() % 1025) / 1024;
    p[n] = std::clamp(box.min[n] + t * (box.max[n] - box.min[n]), box.min[n], box.max[n]);
  }
  return p;
}

/// A random tape: any opcode whose operands wait, then everything is folded into one Float.
inline std::string randomTape(std::mt19937& random) {
  std::array<unsigned, kStackTypes> depth{0, 0, 1, 0};
  std::string text;
  const auto constant = [&](Type type) {
    std::string c = type == Type::F ? "f(" : "v" + std::to_string(widthOf(type)) + "(";
    for (unsigned n = 0; n < widthOf(type); ++n)
      c += (n > 0 ? "," : "") + std::to_string(static_cast<int>(random() % 401) - 200) + "e-2";
    return c + ")";
  };
  const auto emit = [&](const OpcodeInfo& op) {
    std::string line(op.name);
    auto left = depth;
    const unsigned peek = op.peekDepth();
    if (peek > 0 && left[static_cast<std::size_t>(op.in[0])] < peek) return;
    for (unsigned n = 0; n < op.in.size(); ++n) {
      if (op.in[n] > Type::V4 || op.function == Function::Extract) return;
      unsigned& waiting = left[static_cast<std::size_t>(op.in[n])];
      const bool wants = !op.mustBeConstant(n) && (random() % 4 != 0 || !op.mayBeConstant(n));
      if (wants && waiting > 0) {
        if (peek == 0) --waiting;
        line += " var";
      } else if (op.mayBeConstant(n)) {
        line += " " + constant(op.in[n]);
      } else {
        return;
      }
    }
    for (unsigned n = peek > 0 ? 1 : 0; n < op.out.size(); ++n)
      if (++left[static_cast<std::size_t>(op.out[n])] > 8) return;
    depth = left;
    text += line + "\n";
  };
  const auto all = opcodes();
  for (unsigned n = 0; n < 60; ++n) {
    // Selections and copies more often than their number.
    static constexpr std::array<unsigned, 14> kOften{71,  72,  73,  74,  79,  80,  123,
                                                     125, 126, 217, 219, 256, 261, 43};
    const OpcodeInfo& op = random() % 2 == 0 ? *findOpcode(kOften[random() % kOften.size()])
                                             : all[random() % all.size()];
    if (op.function != Function::Stop && op.function != Function::Invalid) emit(op);
  }
  if (depth[0] == 0) return text + "OPStop f(1)\n";
  for (unsigned n = 1; n < depth[0]; ++n)
    text += random() % 2 == 0 ? "OPMinFloat var var\n" : "OPMaxFloat var var\n";
  return text + "OPStop var\n";
}

}  // namespace rtvp::implicit::test
