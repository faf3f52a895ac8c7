// What the tests of the SL machine share.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "models/sl/assembler.hpp"
#include "models/sl/vm.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::sl::test {

inline std::string sourceOf(const std::string& name) {
  std::ifstream in(std::string(RTVP_SOURCE_DIR) + "/tests/data/sl/" + name + ".sl",
                   std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Assembles text that must be right.
inline Program programOf(const std::string& source, OffsetBase base = OffsetBase::Next) {
  AssemblerOptions options;
  options.base = base;
  AssemblyResult result = assemble("test.sl", source, options);
  if (!result.program) throw std::runtime_error(result.report());
  return *result.program;
}
/// The same without the header line.
inline Program codeOf(const std::string& lines) {
  return programOf("sl 1.0\n" + lines);
}

/// Answers without memory: constant colours, and what a test put in.
class FixedWorld : public Environment {
 public:
  Vec3 trace(std::size_t /*point*/, const Vec3& /*origin*/, const Vec3& /*direction*/) override {
    ++traces;
    return traced;
  }
  Vec3 lookup(std::size_t /*point*/, unsigned slot, float s, float t) override {
    ++lookups;
    return {static_cast<float>(slot), s, t};
  }
  Vec3 traced{};
  int traces = 0;
  int lookups = 0;
};

/// Inputs A and B of sl.md section 7. Registers not named are 0.
inline Registers inputsA() {
  Registers r;
  r.vector(reg::C0) = {.8F, .6F, .2F};
  r.vector(reg::C1) = {.1F, .2F, .4F};
  r.vector(reg::L) = {.36F, .48F, .8F};
  r.vector(reg::V) = {0, .6F, .8F};
  r.vector(reg::Pw) = {1.5F, 2.25F, .5F};
  r.vector(reg::xy) = {.3F, .7F, .2F};
  r.vector(reg::ds) = {1, 0, 0};
  r.vector(reg::dt) = {0, 1, 0};
  r.vector(reg::uv) = {.3F, .6F, 0};
  r.vector(reg::N) = {0, 0, 1};
  r.vector(reg::dE) = {1, 1, 1};
  r.vector(reg::t1) = {.1F, -.2F, .9746794F};
  r.scalar(reg::Kd) = .5F;
  r.scalar(reg::Ks) = .5F;
  r.scalar(reg::S) = 80;
  r.scalar(reg::Kr) = .25F;
  return r;
}
inline Registers inputsB() {
  Registers r = inputsA();
  r.vector(reg::L) = {.48F, .64F, .6F};
  r.vector(reg::V) = {.6F, 0, .8F};
  r.vector(reg::xy) = {-1.25F, .4F, 3.1F};
  r.vector(reg::uv) = {.9F, .05F, 0};
  r.vector(reg::dE) = {.5F, .25F, 1};
  return r;
}

}  // namespace rtvp::sl::test
