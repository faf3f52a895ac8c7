// Random SL programs and inputs: every form, every special value, loops and divergence.
#pragma once

#include <bit>
#include <limits>
#include <random>

#include "models/sl/program.hpp"
#include "models/sl/registers.hpp"

namespace rtvp::sl::test {

class RandomPrograms {
 public:
  explicit RandomPrograms(std::uint32_t seed) : random_(seed) {}

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  /// Mostly ordinary numbers, sometimes what breaks careless code.
  float number() {
    constexpr float kSpecial[] = {0.0F,
                                  -0.0F,
                                  1.0F,
                                  -1.0F,
                                  0.5F,
                                  2.0F,
                                  3.0F,
                                  -2.0F,
                                  256.0F,
                                  255.0F,
                                  1e-40F,
                                  -1e-45F,
                                  1e38F,
                                  -1e38F,
                                  16777216.0F,
                                  8388607.5F,
                                  -0.25F,
                                  80.0F,
                                  1e10F,
                                  -1e10F,
                                  std::numeric_limits<float>::infinity(),
                                  -std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::quiet_NaN(),
                                  std::numeric_limits<float>::max(),
                                  std::numeric_limits<float>::min()};
    switch (below(12)) {
      case 0:
        return kSpecial[below(std::size(kSpecial))];
      case 1:
        return std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
      case 2:
        return static_cast<float>(static_cast<int>(below(17)) - 8);
      default:
        return (static_cast<float>(below(2'000'001)) - 1e6F) * 4e-6F;
    }
  }

  Registers registers() {
    Registers r;
    for (Vec3& v : r.vectors) v = {number(), number(), number()};
    for (float& s : r.scalars) s = number();
    return r;
  }

  Instruction instruction(std::uint32_t pc, std::uint32_t count) {
    Instruction in;
    in.form = static_cast<Form>(below(kForms));
    if (in.form == Form::Ret && below(4) != 0) in.form = Form::Blt;
    const FormInfo& info = in.info();
    if (info.has(Operand::Lane)) in.lane = static_cast<std::uint8_t>(below(3));
    if (info.has(Operand::VectorDestination))
      in.destination = static_cast<std::uint8_t>(reg::r0 + below(5));
    if (info.has(Operand::ScalarDestination))
      in.destination = static_cast<std::uint8_t>(reg::s0 + below(5));
    for (unsigned n = 0; n < info.sources(); ++n) (n == 0 ? in.a : in.b) = source(info.source(n));
    if (info.has(Operand::Literal)) in.immediate = std::bit_cast<std::uint32_t>(number());
    if (info.branches()) {
      // Mostly short ways forward; now and then back, which makes loops, some without end.
      const unsigned to = below(10) == 0 ? below(count + 1) : std::min(count, pc + 1 + below(6));
      in.immediate = to - pc - 1;
    }
    return in;
  }

  Program program(unsigned most = 40) {
    const std::uint32_t count = 1 + below(most);
    std::vector<std::uint64_t> words;
    for (std::uint32_t pc = 0; pc < count; ++pc) words.push_back(encode(instruction(pc, count)));
    return Program(words);
  }

 private:
  std::uint8_t source(Operand kind) {
    switch (kind) {
      case Operand::VectorSource:
        return static_cast<std::uint8_t>(below(3) == 0 ? below(kVectors) : reg::r0 + below(5));
      case Operand::Slot:
        return static_cast<std::uint8_t>(reg::t0 + below(kTextureSlots));
      default:
        return static_cast<std::uint8_t>(kFirstScalar + below(below(3) == 0 ? kScalars : 5));
    }
  }

  std::mt19937 random_;
};

}  // namespace rtvp::sl::test
