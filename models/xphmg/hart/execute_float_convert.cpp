// F and D: conversions, moves and classification.
#include "models/xphmg/hart/execute_float.hpp"

namespace rtvp::rv64 {

template <fp::Precision kP, unsigned kWidth, bool kSigned>
void FloatExecute::toInteger(Hart& h, const Decoded& d) {
  fp::Rounding rm{};
  if (!Execute::floatOn(h, d) || !rounding(h, d, rm)) return;
  const fp::Result r = fp::toInteger(kP, get<kP>(h, d.rs1), kWidth, kSigned, rm);
  h.fflags_ |= r.flags;
  Execute::set(h, d.rd, r.bits);
}

template <fp::Precision kP, unsigned kWidth, bool kSigned>
void FloatExecute::fromInteger(Hart& h, const Decoded& d) {
  fp::Rounding rm{};
  if (!Execute::floatOn(h, d) || !rounding(h, d, rm)) return;
  std::uint64_t value = h.x_[d.rs1];
  if constexpr (kWidth == 32) {
    const auto low = static_cast<std::uint32_t>(value);
    value =
        kSigned ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(low)}) : low;
  }
  const bool fits = kSigned || (value >> 63U) == 0;
  if (onHost(rm) && fits) {
    put<kP>(h, d.rd, onHostUnit<kP>(rm, [&] {
              return fp::hostFromSigned(static_cast<std::int64_t>(value), Number<kP>{});
            }));
  } else {
    take<kP>(h, d.rd, fp::fromInteger(kP, value, kSigned, rm));
  }
}

template <fp::Precision kP>
void FloatExecute::classify(Hart& h, const Decoded& d) {
  if (!Execute::floatOn(h, d)) return;
  Execute::set(h, d.rd, fp::classify(kP, get<kP>(h, d.rs1)));
}

void FloatExecute::narrow(Hart& h, const Decoded& d) {
  constexpr auto kFrom = fp::Precision::Double;
  constexpr auto kTo = fp::Precision::Single;
  fp::Rounding rm{};
  if (!Execute::floatOn(h, d) || !rounding(h, d, rm)) return;
  const std::uint64_t a = get<kFrom>(h, d.rs1);
  if (onHost(rm)) {
    put<kTo>(h, d.rd, onHostUnit<kTo>(rm, [&] { return fp::hostNarrow(number<kFrom>(a)); }));
  } else {
    take<kTo>(h, d.rd, fp::convert(kFrom, kTo, a, rm));
  }
}

void FloatExecute::widen(Hart& h, const Decoded& d) {
  fp::Rounding rm{};
  if (!Execute::floatOn(h, d) || !rounding(h, d, rm)) return;
  take<fp::Precision::Double>(h, d.rd,
                              fp::convert(fp::Precision::Single, fp::Precision::Double,
                                          get<fp::Precision::Single>(h, d.rs1), rm));
}

Execute::Handler Execute::floatingConversion(Op op) {
  constexpr auto kS = fp::Precision::Single;
  constexpr auto kD = fp::Precision::Double;
  switch (op) {
    case Op::FCLASS_S:
      return &FloatExecute::classify<kS>;
    case Op::FCLASS_D:
      return &FloatExecute::classify<kD>;
    case Op::FCVT_W_S:
      return &FloatExecute::toInteger<kS, 32, true>;
    case Op::FCVT_WU_S:
      return &FloatExecute::toInteger<kS, 32, false>;
    case Op::FCVT_L_S:
      return &FloatExecute::toInteger<kS, 64, true>;
    case Op::FCVT_LU_S:
      return &FloatExecute::toInteger<kS, 64, false>;
    case Op::FCVT_W_D:
      return &FloatExecute::toInteger<kD, 32, true>;
    case Op::FCVT_WU_D:
      return &FloatExecute::toInteger<kD, 32, false>;
    case Op::FCVT_L_D:
      return &FloatExecute::toInteger<kD, 64, true>;
    case Op::FCVT_LU_D:
      return &FloatExecute::toInteger<kD, 64, false>;
    case Op::FCVT_S_W:
      return &FloatExecute::fromInteger<kS, 32, true>;
    case Op::FCVT_S_WU:
      return &FloatExecute::fromInteger<kS, 32, false>;
    case Op::FCVT_S_L:
      return &FloatExecute::fromInteger<kS, 64, true>;
    case Op::FCVT_S_LU:
      return &FloatExecute::fromInteger<kS, 64, false>;
    case Op::FCVT_D_W:
      return &FloatExecute::fromInteger<kD, 32, true>;
    case Op::FCVT_D_WU:
      return &FloatExecute::fromInteger<kD, 32, false>;
    case Op::FCVT_D_L:
      return &FloatExecute::fromInteger<kD, 64, true>;
    case Op::FCVT_D_LU:
      return &FloatExecute::fromInteger<kD, 64, false>;
    case Op::FCVT_S_D:
      return &FloatExecute::narrow;
    case Op::FCVT_D_S:
      return &FloatExecute::widen;
    case Op::FMV_X_W:
      return [](Hart& h, const Decoded& d) {
        if ((h.mstatus_ & kFloatState) == 0) return illegal(h, d);
        const auto low = static_cast<std::uint32_t>(h.f_[d.rs1]);
        set(h, d.rd, static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(low)}));
      };
    case Op::FMV_X_D:
      return [](Hart& h, const Decoded& d) {
        if ((h.mstatus_ & kFloatState) == 0) return illegal(h, d);
        set(h, d.rd, h.f_[d.rs1]);
      };
    case Op::FMV_W_X:
      return [](Hart& h, const Decoded& d) {
        if (floatOn(h, d)) h.f_[d.rd] = FloatExecute::kBox | (h.x_[d.rs1] & 0xFFFFFFFFU);
      };
    case Op::FMV_D_X:
      return [](Hart& h, const Decoded& d) {
        if (floatOn(h, d)) h.f_[d.rd] = h.x_[d.rs1];
      };
    default:
      return nullptr;
  }
}

}  // namespace rtvp::rv64
