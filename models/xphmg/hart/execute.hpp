// Which function executes an operation. Internal to the hart.
#pragma once

#include "models/xphmg/hart/hart.hpp"

namespace rtvp::rv64 {

/// mstatus.FS, bits 14:13.
inline constexpr std::uint64_t kFloatState = 0x6000;

/// The executor's functions; a struct so that the hart can befriend them all.
struct Execute {
  using Handler = Hart::Handler;

  /// Never null: operations that nothing executes get the one that traps.
  static Handler find(Op op);
  static void illegal(Hart& h, const Decoded& d);

  // One function for each group of rows; null if the operation is not in the group.
  static Handler integer(Op op);
  static Handler multiply(Op op);
  static Handler memory(Op op);
  static Handler atomic(Op op);
  static Handler floating(Op op);
  static Handler floatingConversion(Op op);
  static Handler system(Op op);

  // What they are made of.
  template <auto kOperation>
  static void registers(Hart& h, const Decoded& d) {
    set(h, d.rd, kOperation(h.x_[d.rs1], h.x_[d.rs2]));
  }
  template <auto kOperation>
  static void immediate(Hart& h, const Decoded& d) {
    set(h, d.rd,
        kOperation(h.x_[d.rs1], static_cast<std::uint64_t>(static_cast<std::int64_t>(d.imm))));
  }
  template <auto kCondition>
  static void branch(Hart& h, const Decoded& d) {
    if (kCondition(h.x_[d.rs1], h.x_[d.rs2])) h.next_ = h.pc_ + offset(d);
  }
  template <typename T>
  static void load(Hart& h, const Decoded& d);
  template <typename T>
  static void store(Hart& h, const Decoded& d);
  template <typename T>
  static void loadReserved(Hart& h, const Decoded& d);
  template <typename T>
  static void storeConditional(Hart& h, const Decoded& d);
  template <typename T, auto kOperation>
  static void readModifyWrite(Hart& h, const Decoded& d);
  template <unsigned kKind, bool kImmediate>
  static void csr(Hart& h, const Decoded& d);
  static void vendor(Hart& h, const Decoded& d);
  template <typename T>
  static void loadFloat(Hart& h, const Decoded& d);
  template <typename T>
  static void storeFloat(Hart& h, const Decoded& d);

  static void set(Hart& h, unsigned rd, std::uint64_t value) {
    h.x_[rd] = value;
    h.x_[0] = 0;
  }
  static std::uint64_t offset(const Decoded& d) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(d.imm));
  }
  /// Traps unless the floating-point unit is on; marks its state dirty.
  static bool floatOn(Hart& h, const Decoded& d) {
    if ((h.mstatus_ & kFloatState) == 0) {
      illegal(h, d);
      return false;
    }
    h.mstatus_ |= kFloatState;
    return true;
  }
};

/// The CSRs of the base set; the extension's are not here.
struct CsrFile {
  static std::optional<std::uint64_t> read(Hart& h, unsigned number);
  static bool write(Hart& h, unsigned number, std::uint64_t value);
  static std::uint64_t misa(const Hart& h);

 private:
  static std::optional<std::uint64_t> readCounter(const Hart& h, unsigned number);
  static void writeCounter(Hart& h, unsigned number, std::uint64_t value);
};

template <typename T>
bool Hart::loadValue(std::uint64_t address, T& value) {
  const std::uint64_t offset = address - ram_.base;
  if (offset < ram_.limit && ram_.limit - offset >= sizeof(T)) {
    std::memcpy(&value, ram_.data + offset, sizeof(T));
    return true;
  }
  std::array<std::uint8_t, sizeof(T)> bytes{};
  if (!loadSlow(address, bytes)) return false;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return true;
}

template <typename T>
bool Hart::storeValue(std::uint64_t address, T value) {
  const std::uint64_t offset = address - ram_.base;
  if (offset < ram_.limit && ram_.limit - offset >= sizeof(T)) {
    std::memcpy(ram_.data + offset, &value, sizeof(T));
    if (ram_.flags[offset >> kLineBits] != 0) stored(regions_.front(), offset, sizeof(T));
    return true;
  }
  std::array<std::uint8_t, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(T));
  return storeSlow(address, bytes);
}

}  // namespace rtvp::rv64
