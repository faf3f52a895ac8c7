// Loads, stores and atomic operations.
#include <type_traits>

#include "models/xphmg/hart/execute.hpp"

namespace rtvp::rv64 {
namespace {

template <typename T>
std::uint64_t extend(T value) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  } else {
    return std::uint64_t{value};
  }
}

}  // namespace

template <typename T>
void Execute::load(Hart& h, const Decoded& d) {
  T value{};
  if (h.loadValue(h.x_[d.rs1] + offset(d), value)) set(h, d.rd, extend(value));
}

template <typename T>
void Execute::store(Hart& h, const Decoded& d) {
  h.storeValue(h.x_[d.rs1] + offset(d), static_cast<T>(h.x_[d.rs2]));
}

Execute::Handler Execute::memory(Op op) {
  switch (op) {
    case Op::LB:
      return &load<std::int8_t>;
    case Op::LH:
      return &load<std::int16_t>;
    case Op::LW:
      return &load<std::int32_t>;
    case Op::LD:
      return &load<std::int64_t>;
    case Op::LBU:
      return &load<std::uint8_t>;
    case Op::LHU:
      return &load<std::uint16_t>;
    case Op::LWU:
      return &load<std::uint32_t>;
    case Op::SB:
      return &store<std::uint8_t>;
    case Op::SH:
      return &store<std::uint16_t>;
    case Op::SW:
      return &store<std::uint32_t>;
    case Op::SD:
      return &store<std::uint64_t>;
    default:
      return nullptr;
  }
}

/// LR, SC and AMO must be aligned (xphmg.md 16.2).
template <typename T>
void Execute::loadReserved(Hart& h, const Decoded& d) {
  const std::uint64_t address = h.x_[d.rs1];
  if (address % sizeof(T) != 0) return h.trap(Cause::LoadMisaligned, address);
  T value{};
  if (!h.loadValue(address, value)) return;
  h.reserved_ = true;
  h.reservation_ = address;
  set(h, d.rd, extend(value));
}

template <typename T>
void Execute::storeConditional(Hart& h, const Decoded& d) {
  const std::uint64_t address = h.x_[d.rs1];
  const unsigned rd = d.rd;
  if (address % sizeof(T) != 0) return h.trap(Cause::StoreMisaligned, address);
  const bool holds = h.reserved_ && h.reservation_ == address;
  h.reserved_ = false;
  if (holds && !h.storeValue(address, static_cast<T>(h.x_[d.rs2]))) return;
  set(h, rd, holds ? 0 : 1);
}

template <typename T, auto kOperation>
void Execute::readModifyWrite(Hart& h, const Decoded& d) {
  const std::uint64_t address = h.x_[d.rs1];
  const unsigned rd = d.rd;
  if (address % sizeof(T) != 0) return h.trap(Cause::StoreMisaligned, address);
  T old{};
  if (!h.loadValue(address, old)) {
    h.pending_trap_->cause = static_cast<std::uint64_t>(Cause::StoreAccess);
    return;
  }
  if (!h.storeValue(address, static_cast<T>(kOperation(old, static_cast<T>(h.x_[d.rs2]))))) return;
  set(h, rd, extend(old));
}

namespace {

/// The arithmetic of the AMO rows on values of type T.
template <typename T>
struct AtomicOperation {
  using Unsigned = std::make_unsigned_t<T>;
  static constexpr Unsigned u(T value) { return static_cast<Unsigned>(value); }
  static constexpr T swap(T, T b) { return b; }
  static constexpr T add(T a, T b) { return static_cast<T>(u(a) + u(b)); }
  static constexpr T exclusiveOr(T a, T b) { return a ^ b; }
  static constexpr T conjunction(T a, T b) { return a & b; }
  static constexpr T disjunction(T a, T b) { return a | b; }
  static constexpr T minimum(T a, T b) { return a < b ? a : b; }
  static constexpr T maximum(T a, T b) { return a < b ? b : a; }
  static constexpr T minimumUnsigned(T a, T b) { return u(a) < u(b) ? a : b; }
  static constexpr T maximumUnsigned(T a, T b) { return u(a) < u(b) ? b : a; }
};

template <typename T>
Execute::Handler atomicOf(Op op, Op first) {
  using Operation = AtomicOperation<T>;
  switch (static_cast<int>(op) - static_cast<int>(first)) {
    case 0:
      return &Execute::loadReserved<T>;
    case 1:
      return &Execute::storeConditional<T>;
    case 2:
      return &Execute::readModifyWrite<T, &Operation::swap>;
    case 3:
      return &Execute::readModifyWrite<T, &Operation::add>;
    case 4:
      return &Execute::readModifyWrite<T, &Operation::exclusiveOr>;
    case 5:
      return &Execute::readModifyWrite<T, &Operation::conjunction>;
    case 6:
      return &Execute::readModifyWrite<T, &Operation::disjunction>;
    case 7:
      return &Execute::readModifyWrite<T, &Operation::minimum>;
    case 8:
      return &Execute::readModifyWrite<T, &Operation::maximum>;
    case 9:
      return &Execute::readModifyWrite<T, &Operation::minimumUnsigned>;
    case 10:
      return &Execute::readModifyWrite<T, &Operation::maximumUnsigned>;
    default:
      return nullptr;
  }
}
// The arithmetic above counts on the order of the table's rows.
static_assert(static_cast<int>(Op::AMOMAXU_W) - static_cast<int>(Op::LR_W) == 10);
static_assert(static_cast<int>(Op::AMOMAXU_D) - static_cast<int>(Op::LR_D) == 10);

}  // namespace

Execute::Handler Execute::atomic(Op op) {
  if (op >= Op::LR_W && op <= Op::AMOMAXU_W) return atomicOf<std::int32_t>(op, Op::LR_W);
  if (op >= Op::LR_D && op <= Op::AMOMAXU_D) return atomicOf<std::int64_t>(op, Op::LR_D);
  return nullptr;
}

}  // namespace rtvp::rv64
