// F and D: arithmetic, comparisons, sign injection, loads and stores. Conversions are in
// execute_float_convert.cpp.
#include "models/xphmg/hart/execute_float.hpp"

namespace rtvp::rv64 {

/// One operation of two operands; kHost on numbers, kSoft on bits.
template <fp::Precision kP, auto kHost, auto kSoft>
void FloatExecute::arithmetic(Hart& h, const Decoded& d) {
  fp::Rounding rm{};
  if (!Execute::floatOn(h, d) || !rounding(h, d, rm)) return;
  const std::uint64_t a = get<kP>(h, d.rs1);
  const std::uint64_t b = get<kP>(h, d.rs2);
  if (onHost(rm)) {
    put<kP>(h, d.rd, onHostUnit<kP>(rm, [&] { return kHost(number<kP>(a), number<kP>(b)); }));
  } else {
    take<kP>(h, d.rd, kSoft(kP, a, b, rm));
  }
}

template <fp::Precision kP>
void FloatExecute::squareRoot(Hart& h, const Decoded& d) {
  fp::Rounding rm{};
  if (!Execute::floatOn(h, d) || !rounding(h, d, rm)) return;
  const std::uint64_t a = get<kP>(h, d.rs1);
  if (onHost(rm)) {
    put<kP>(h, d.rd, onHostUnit<kP>(rm, [&] { return fp::hostSqrt(number<kP>(a)); }));
  } else {
    take<kP>(h, d.rd, fp::sqrt(kP, a, rm));
  }
}

/// The four fused operations: the signs of the product and of the addend may be turned. Operands
/// that are not finite go to soft_float: the host does not signal infinity times zero plus NaN.
template <fp::Precision kP, bool kNegateProduct, bool kNegateAddend>
void FloatExecute::fused(Hart& h, const Decoded& d) {
  fp::Rounding rm{};
  if (!Execute::floatOn(h, d) || !rounding(h, d, rm)) return;
  constexpr std::uint64_t kSign = kP == fp::Precision::Double ? std::uint64_t{1} << 63U : 1U << 31U;
  const std::uint64_t a = get<kP>(h, d.rs1) ^ (kNegateProduct ? kSign : 0);
  const std::uint64_t b = get<kP>(h, d.rs2);
  const std::uint64_t c = get<kP>(h, d.rs3) ^ (kNegateAddend ? kSign : 0);
  if (onHost(rm) && h.host_fma_ && finite<kP>(a) && finite<kP>(b) && finite<kP>(c)) {
    put<kP>(h, d.rd, onHostUnit<kP>(rm, [&] {
              return fp::hostFma(number<kP>(a), number<kP>(b), number<kP>(c));
            }));
  } else {
    take<kP>(h, d.rd, fp::fma(kP, a, b, c, rm));
  }
}

/// Operations on bits: comparisons (result in an integer register), minimum and maximum.
template <fp::Precision kP, auto kSoft>
void FloatExecute::comparison(Hart& h, const Decoded& d) {
  if (!Execute::floatOn(h, d)) return;
  const fp::Result r = kSoft(kP, get<kP>(h, d.rs1), get<kP>(h, d.rs2));
  h.fflags_ |= r.flags;
  Execute::set(h, d.rd, r.bits);
}

template <fp::Precision kP, auto kSoft>
void FloatExecute::selection(Hart& h, const Decoded& d) {
  if (!Execute::floatOn(h, d)) return;
  take<kP>(h, d.rd, kSoft(kP, get<kP>(h, d.rs1), get<kP>(h, d.rs2)));
}

/// kSign makes the result's sign bit from the operands'.
template <fp::Precision kP, auto kSign>
void FloatExecute::signInjection(Hart& h, const Decoded& d) {
  if (!Execute::floatOn(h, d)) return;
  constexpr std::uint64_t kBit = kP == fp::Precision::Double ? std::uint64_t{1} << 63U : 1U << 31U;
  const std::uint64_t a = get<kP>(h, d.rs1);
  put<kP>(h, d.rd, (a & ~kBit) | (kSign(a, get<kP>(h, d.rs2)) & kBit));
}

/// Rows of one precision, as offsets from its first: FLW, FSW, FMADD ... FCLASS.
template <fp::Precision kP>
Execute::Handler FloatExecute::ofPrecision(Op op, Op first) {
  using U = std::uint64_t;
  switch (static_cast<int>(op) - static_cast<int>(first)) {
    case 0:
      return &FloatExecute::load<kP>;
    case 1:
      return &FloatExecute::store<kP>;
    case 2:
      return &FloatExecute::fused<kP, false, false>;
    case 3:
      return &FloatExecute::fused<kP, false, true>;
    case 4:
      return &FloatExecute::fused<kP, true, false>;
    case 5:
      return &FloatExecute::fused<kP, true, true>;
    case 6:
      return &arithmetic<kP, [](auto a, auto b) { return fp::hostAdd(a, b); }, fp::add>;
    case 7:
      return &arithmetic<kP, [](auto a, auto b) { return fp::hostSub(a, b); }, fp::sub>;
    case 8:
      return &arithmetic<kP, [](auto a, auto b) { return fp::hostMul(a, b); }, fp::mul>;
    case 9:
      return &arithmetic<kP, [](auto a, auto b) { return fp::hostDiv(a, b); }, fp::div>;
    case 10:
      return &squareRoot<kP>;
    case 11:
      return &signInjection<kP, [](U, U b) { return b; }>;
    case 12:
      return &signInjection<kP, [](U, U b) { return ~b; }>;
    case 13:
      return &signInjection<kP, [](U a, U b) { return a ^ b; }>;
    case 14:
      return &selection<kP, fp::min>;
    case 15:
      return &selection<kP, fp::max>;
    case 16:
      return &comparison<kP, fp::equal>;
    case 17:
      return &comparison<kP, fp::less>;
    case 18:
      return &comparison<kP, fp::lessOrEqual>;
    default:
      return nullptr;
  }
}
// The arithmetic above counts on the order of the table's rows.
static_assert(static_cast<int>(Op::FLE_S) - static_cast<int>(Op::FLW) == 18);
static_assert(static_cast<int>(Op::FLE_D) - static_cast<int>(Op::FLD) == 18);
static_assert(static_cast<int>(Op::FNMADD_D) - static_cast<int>(Op::FLD) == 5);
static_assert(static_cast<int>(Op::FSQRT_S) - static_cast<int>(Op::FLW) == 10);

template <fp::Precision kP>
void FloatExecute::load(Hart& h, const Decoded& d) {
  if (!Execute::floatOn(h, d)) return;
  std::conditional_t<kP == fp::Precision::Double, std::uint64_t, std::uint32_t> value{};
  if (h.loadValue(h.x_[d.rs1] + Execute::offset(d), value)) put<kP>(h, d.rd, value);
}

/// Stores the low bits as they are, boxed or not.
template <fp::Precision kP>
void FloatExecute::store(Hart& h, const Decoded& d) {
  if ((h.mstatus_ & kFloatState) == 0) return Execute::illegal(h, d);
  using Bits = std::conditional_t<kP == fp::Precision::Double, std::uint64_t, std::uint32_t>;
  h.storeValue(h.x_[d.rs1] + Execute::offset(d), static_cast<Bits>(h.f_[d.rs2]));
}

Execute::Handler Execute::floating(Op op) {
  if (op >= Op::FLW && op <= Op::FLE_S) {
    return FloatExecute::ofPrecision<fp::Precision::Single>(op, Op::FLW);
  }
  if (op >= Op::FLD && op <= Op::FLE_D) {
    return FloatExecute::ofPrecision<fp::Precision::Double>(op, Op::FLD);
  }
  return nullptr;
}

}  // namespace rtvp::rv64
