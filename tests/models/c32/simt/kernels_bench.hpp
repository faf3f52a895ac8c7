// What the tests of the vector kernels share: edge-biased inputs, lane sets, and every instruction
// set of this host held to the definitional oracle's answers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/c32/float40.hpp"
#include "models/c32/simt/kernels.hpp"
#include "models/c32/simt/rounding.hpp"
#include "tests/models/c32/oracle.hpp"

namespace rtvp::c32::simt {

inline constexpr std::uint64_t kSeed = 0x51'D7'1996;
inline constexpr unsigned kLanes = kMaxLanes;

/// Pairs per operation: one million, or RTVP_C32_PAIRS for a nightly run.
inline std::uint64_t blocks() {
  const char* wanted = std::getenv("RTVP_C32_PAIRS");
  return ((wanted == nullptr ? 1'000'000 : std::strtoull(wanted, nullptr, 10)) + kLanes - 1) /
         kLanes;
}

struct Rows {
  alignas(64) double a[kLanes];
  alignas(64) double b[kLanes];
  alignas(64) double d[kLanes];
  alignas(64) double flags[kLanes];
  alignas(64) std::uint32_t words[kLanes];
  alignas(64) std::int32_t exponents[kLanes];
  Float40 x[kLanes];
  Float40 y[kLanes];
};

class Inputs {
 public:
  explicit Inputs(std::uint64_t seed) : random_(seed) {}
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }
  /// Nothing near the ends of the range: whole rows that the kernels' quick forms finish.
  void setModerate(bool on) { moderate_ = on; }

  Float40 value() {
    static constexpr std::uint32_t kEdges[] = {
        0,          1,          0xFFFFFFFF, 2,          0xFFFFFFFE, 0x7FFFFFFF, 0x80000000,
        0x80000001, 0xFF,       0x100,      0x7F,       0x80,       0x7FFFFF80, 0x7FFFFF7F,
        0xFFFFFF80, 0xFFFFFF7F, 0x40000000, 0xC0000000, 0xBFFFFFFF, 0x800000FF, 0x80000100};
    Float40 v;
    switch (word() % 4) {
      case 0:
        v.mantissa = kEdges[word() % std::size(kEdges)];
        break;
      case 1:
        v.mantissa = word() & 0xFFFFFF00u;
        break;
      default:
        v.mantissa = word();
    }
    static constexpr int kRanges[][2] = {{-128, 256}, {-20, 41}, {-35, 71}, {-128, 6}, {122, 6}};
    static constexpr int kModerate[] = {-40, 81};
    const auto& range = moderate_ ? kModerate : kRanges[word() % std::size(kRanges)];
    v.exponent = static_cast<std::int8_t>(range[0] + static_cast<int>(word() % 1024u) % range[1]);
    return canonical(v);
  }
  /// A zero's mantissa cannot live in a double; the engine keeps such values elsewhere.
  static Float40 canonical(Float40 v) {
    if (v.isZero()) v.mantissa = 0;
    return v;
  }
  void pair(Float40& a, Float40& b) {
    a = value();
    b = value();
    switch (word() % 16) {
      case 0: {  // nearly equal or nearly opposite
        b = a;
        if (word() % 2 != 0) b.mantissa = 0u - b.mantissa;
        b.mantissa += word() % 5 - 2;
        const int e = b.exponent + static_cast<int>(word() % 3) - 1;
        if (e >= -128 && e <= 127) b.exponent = static_cast<std::int8_t>(e);
        break;
      }
      case 1: {  // 30 to 34 binades apart
        const int e = a.exponent - 30 - static_cast<int>(word() % 5);
        if (e >= -127) b.exponent = static_cast<std::int8_t>(e);
        break;
      }
      case 2:  // powers of two that cancel
        if (a.exponent < -126) break;
        a.mantissa = 0;
        b = {static_cast<std::int8_t>(a.exponent - 1), 0x80000000u};
        break;
      default:
        break;
    }
    b = canonical(b);
    if (word() % 2 != 0) std::swap(a, b);
  }

 private:
  std::mt19937_64 random_;
  bool moderate_ = false;
};

inline double toRow(Float40 x) {
  return toDouble(x);
}
inline bool sameBits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
inline oracle::Value toOracle(Float40 x) {
  return {x.exponent, x.mantissa};
}
inline double toRow(const oracle::Value& v) {
  return toRow(Float40{static_cast<std::int8_t>(v.exponent), v.exponent == -128 ? 0 : v.field});
}
inline bool flagN(double f) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &f, sizeof bits);
  return bits >> 63 != 0;
}

/// All instruction sets of this host get the same inputs, and one answer of the oracle.
class SimtKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Isa isa : kAllIsas) {
      if (isaUsable(isa)) {
        sets_.push_back(isa);
      } else {
        std::printf("this host lacks %s\n", std::string(isaName(isa)).c_str());
      }
    }
    std::printf("seed %llu, %llu blocks of %u lanes\n", static_cast<unsigned long long>(kSeed),
                static_cast<unsigned long long>(blocks()), kLanes);
  }

  void fill() {
    in_.setModerate(fills_++ % 4 >= 2);
    for (unsigned i = 0; i < kLanes; ++i) {
      in_.pair(r_->x[i], r_->y[i]);
      r_->a[i] = toRow(r_->x[i]);
      r_->b[i] = toRow(r_->y[i]);
    }
    clear();
  }
  /// Rows that results go to.
  void clear() {
    for (unsigned i = 0; i < kLanes; ++i) {
      r_->d[i] = 12345.0;
      r_->flags[i] = i % 3 == 0 ? 0.0 : 1.0;
    }
  }
  /// Runs `body` with each instruction set's kernels in k_.
  template <class Body>
  void forEachSet(Body body) {
    for (const Isa isa : sets_) {
      k_ = &kernels(isa);
      SCOPED_TRACE(std::string(isaName(isa)));
      body();
      if (HasFatalFailure()) return;
    }
  }

  /// All lanes every other time, a random set otherwise.
  LaneSet lanes(bool full) {
    choose(full);
    return chosen();
  }
  void choose(bool full) {
    mask_ = {};
    full_ = full;
    if (full) return;
    for (auto& w : mask_.w) {
      w = (std::uint64_t{in_.word()} << 32 | in_.word());
      if (in_.word() % 2 != 0) w &= w >> 1 & w << 3;
    }
  }
  /// The lanes chosen, as the kernels in k_ want to be told.
  LaneSet chosen() {
    if (full_) return {kLanes / k_->width, nullptr, nullptr};
    std::uint32_t count = 0;
    for (unsigned v = 0; v < kLanes / k_->width; ++v) {
      for (unsigned i = 0; i < k_->width; ++i) {
        if (mask_.test(v * k_->width + i)) {
          list_[count++] = static_cast<std::uint16_t>(v);
          break;
        }
      }
    }
    return {count, list_, &mask_};
  }
  [[nodiscard]] bool active(const LaneSet& s, unsigned lane) const {
    return s.list == nullptr || mask_.test(lane);
  }

  enum class Looks : std::uint8_t { Everything, NoFlags, NoResult };
  /// Runs `run` on blocks and holds every lane to `expected(lane)`. `prepare` changes the inputs.
  template <class Run, class Expected>
  void check(Looks looks, Run run, Expected expected, void (*prepare)(Rows&, unsigned) = nullptr,
             unsigned how = 0) {
    std::vector<oracle::FloatOut> wanted(kLanes);
    for (std::uint64_t block = 0; block < blocks(); ++block) {
      fill();
      if (prepare != nullptr) prepare(*r_, how);
      choose(block % 2 == 0);
      for (unsigned i = 0; i < kLanes; ++i) {
        if (full_ || mask_.test(i)) wanted[i] = expected(i);
      }
      forEachSet([&] {
        clear();
        const LaneSet set = chosen();
        Faults faults;
        {
          const RoundDown down;
          run(set, faults);
        }
        compare(looks, set, faults, wanted, block);
      });
      if (HasFatalFailure()) return;
    }
  }

  void compare(Looks looks, const LaneSet& set, const Faults& faults,
               const std::vector<oracle::FloatOut>& wanted, std::uint64_t block) {
    for (unsigned i = 0; i < kLanes; ++i) {
      const auto where = [&] {  // told on failure only
        return "block " + std::to_string(block) + " lane " + std::to_string(i);
      };
      if (!active(set, i)) {
        ASSERT_EQ(r_->d[i], 12345.0) << where() << ": not in the set";
        ASSERT_FALSE(faults.overflow.test(i) || faults.underflow.test(i)) << where();
        continue;
      }
      const oracle::FloatOut& want = wanted[i];
      if (looks == Looks::NoResult) {
        ASSERT_EQ(r_->d[i], 12345.0) << where() << ": a comparison has no result";
      } else {
        ASSERT_TRUE(sameBits(r_->d[i], toRow(want.value)))
            << where() << ": " << r_->d[i] << " instead of " << toRow(want.value) << ", operands "
            << r_->a[i] << " " << r_->b[i];
      }
      ASSERT_EQ(faults.overflow.test(i), want.flags.v) << where();
      ASSERT_EQ(faults.underflow.test(i), want.flags.uf) << where();
      if (looks == Looks::NoFlags) continue;
      ASSERT_EQ(flagN(r_->flags[i]), want.flags.n) << where();
      ASSERT_EQ(r_->flags[i] == 0.0, want.flags.z) << where();
    }
  }

  /// There and back, with every conversion.
  void conversions(const LaneSet& set) {
    clear();
    Faults faults;
    LaneMask raw;
    const RoundDown down;
    for (unsigned i = 0; i < kLanes; ++i) r_->words[i] = 77;
    k_->toWords(set, r_->words, r_->a);
    for (unsigned i = 0; i < kLanes; ++i) {
      ASSERT_EQ(r_->words[i], active(set, i)
                                  ? (r_->x[i].isZero() ? 0x80000000u : singleFromExtended(r_->x[i]))
                                  : 77u);
    }
    k_->cut(set, r_->d, {r_->a}, nullptr, faults);
    k_->fromWords(set, r_->b, r_->words, raw);
    for (unsigned i = 0; i < kLanes; ++i) {
      if (!active(set, i)) continue;
      ASSERT_TRUE(sameBits(r_->b[i], r_->d[i])) << r_->x[i].mantissa;
      ASSERT_TRUE(sameBits(r_->b[i], toRow(extendedFromSingle(r_->words[i]))));
    }
    k_->toMantissa(set, r_->words, r_->a);
    k_->toExponent(set, r_->exponents, r_->a);
    k_->fromExtended(set, r_->d, r_->words, r_->exponents, raw);
    for (unsigned i = 0; i < kLanes; ++i) {
      if (!active(set, i)) continue;
      ASSERT_EQ(r_->words[i], r_->x[i].mantissa);
      ASSERT_EQ(r_->exponents[i], r_->x[i].exponent);
      ASSERT_TRUE(sameBits(r_->d[i], r_->a[i]));
    }
    ASSERT_FALSE(raw.any());
  }

  std::vector<Isa> sets_;
  bool full_ = true;
  unsigned fills_ = 0;
  const Kernels* k_ = nullptr;
  Inputs in_{kSeed};
  std::unique_ptr<Rows> r_ = std::make_unique<Rows>();
  LaneMask mask_;
  std::uint16_t list_[kLanes];
};

}  // namespace rtvp::c32::simt
