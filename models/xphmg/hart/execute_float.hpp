// What the floating-point instructions share: NaN boxing, the rounding mode, and the choice between
// the host's unit and soft_float. Internal to the hart.
#pragma once

#include <bit>
#include <type_traits>

#include "models/xphmg/hart/execute.hpp"

namespace rtvp::rv64 {

struct FloatExecute {
  template <fp::Precision kP>
  using Number = std::conditional_t<kP == fp::Precision::Double, double, float>;
  template <fp::Precision kP>
  using Bits = std::conditional_t<kP == fp::Precision::Double, std::uint64_t, std::uint32_t>;

  static constexpr std::uint64_t kBox = 0xFFFFFFFF00000000U;

  /// A single that is not boxed properly reads as the canonical NaN.
  template <fp::Precision kP>
  static std::uint64_t get(const Hart& h, unsigned n) {
    if constexpr (kP == fp::Precision::Double) {
      return h.f_[n];
    } else {
      return h.f_[n] >= kBox ? h.f_[n] & 0xFFFFFFFFU : 0x7FC00000U;
    }
  }
  template <fp::Precision kP>
  static void put(Hart& h, unsigned n, std::uint64_t bits) {
    h.f_[n] = kP == fp::Precision::Double ? bits : bits | kBox;
  }
  template <fp::Precision kP>
  static void take(Hart& h, unsigned n, const fp::Result& result) {
    h.fflags_ |= result.flags;
    put<kP>(h, n, result.bits);
  }
  template <fp::Precision kP>
  static Number<kP> number(std::uint64_t bits) {
    return std::bit_cast<Number<kP>>(static_cast<Bits<kP>>(bits));
  }
  template <fp::Precision kP>
  static bool finite(std::uint64_t bits) {
    constexpr std::uint64_t kExponent =
        kP == fp::Precision::Double ? 0x7FF0000000000000U : 0x7F800000U;
    return (bits & kExponent) != kExponent;
  }

  /// The rounding mode of an instruction; a reserved one traps.
  static bool rounding(Hart& h, const Decoded& d, fp::Rounding& rm) {
    const unsigned mode = d.rm == 7 ? h.frm_ : d.rm;
    if (mode > 4) {
      Execute::illegal(h, d);
      return false;
    }
    rm = static_cast<fp::Rounding>(mode);
    return true;
  }
  static bool onHost(fp::Rounding rm) {
    return fp::HostUnit::kAvailable && rm != fp::Rounding::RMM;
  }
  /// Bits of operation(), computed in rounding mode rm; NaN becomes the canonical one.
  template <fp::Precision kP, typename F>
  static std::uint64_t onHostUnit(fp::Rounding rm, F operation) {
    Number<kP> value{};
    if (rm == fp::Rounding::RNE) {
      value = operation();
    } else {
      fp::HostUnit::setRounding(rm);
      value = operation();
      fp::HostUnit::setRounding(fp::Rounding::RNE);
    }
    const std::uint64_t bits = std::bit_cast<Bits<kP>>(value);
    constexpr std::uint64_t kSign =
        kP == fp::Precision::Double ? std::uint64_t{1} << 63U : 1U << 31U;
    constexpr std::uint64_t kInfinity =
        kP == fp::Precision::Double ? 0x7FF0000000000000U : 0x7F800000U;
    return (bits & ~kSign) > kInfinity ? fp::canonicalNan(kP) : bits;
  }

  template <fp::Precision kP, auto kHost, auto kSoft>
  static void arithmetic(Hart& h, const Decoded& d);
  template <fp::Precision kP>
  static void squareRoot(Hart& h, const Decoded& d);
  template <fp::Precision kP, bool kNegateProduct, bool kNegateAddend>
  static void fused(Hart& h, const Decoded& d);
  template <fp::Precision kP, auto kSoft>
  static void comparison(Hart& h, const Decoded& d);
  template <fp::Precision kP, auto kSoft>
  static void selection(Hart& h, const Decoded& d);
  template <fp::Precision kP, auto kSign>
  static void signInjection(Hart& h, const Decoded& d);
  template <fp::Precision kP>
  static void load(Hart& h, const Decoded& d);
  template <fp::Precision kP>
  static void store(Hart& h, const Decoded& d);
  template <fp::Precision kP>
  static Execute::Handler ofPrecision(Op op, Op first);

  template <fp::Precision kP, unsigned kWidth, bool kSigned>
  static void toInteger(Hart& h, const Decoded& d);
  template <fp::Precision kP, unsigned kWidth, bool kSigned>
  static void fromInteger(Hart& h, const Decoded& d);
  template <fp::Precision kP>
  static void classify(Hart& h, const Decoded& d);
  static void narrow(Hart& h, const Decoded& d);
  static void widen(Hart& h, const Decoded& d);
};

}  // namespace rtvp::rv64
