// Building blocks of the instruction handlers: operands, addresses, memory, results. Internal to
// the engine.
//
// Order inside a handler: addresses (which update ARn, undone on a block), reads, writes, then
// registers and flags. Nothing but the ARn update may happen before the last access has succeeded.
#pragma once

#include "models/c32/cpu.hpp"

namespace rtvp::c32 {

struct Execute {
  using Handler = MicroOp::Handler;

  // --- addresses (c32.md 6.2) ---

  struct Address {
    std::uint32_t address;
    std::uint32_t updated;  ///< ARn afterwards, if the access modifies it
  };

  /// The address units change bits 23-0 only.
  static std::uint32_t keepHigh(std::uint32_t ar, std::uint32_t value) {
    return (ar & ~kAddressMask) | (value & kAddressMask);
  }

  static Address indexed(const Cpu& cpu, const OperandSpec& spec);

  static Address addressOf(const Cpu& cpu, const OperandSpec& spec) {
    const std::uint32_t ar = cpu.reg_[spec.reg];
    const std::uint32_t moved = ar + static_cast<std::uint32_t>(spec.value);
    switch (spec.access) {
      case Access::Direct:
        return {((cpu.reg_[reg::DP] & 0xFFu) << 16) | static_cast<std::uint32_t>(spec.value), 0};
      case Access::Offset:
        return {moved & kAddressMask, 0};
      case Access::PreModify:
        return {moved & kAddressMask, keepHigh(ar, moved)};
      case Access::PostModify:
        return {ar & kAddressMask, keepHigh(ar, moved)};
      default:
        return indexed(cpu, spec);
    }
  }

  /// Changes a register in the decode stage: taken back if the instruction is abandoned.
  static void setEarly(Cpu& cpu, unsigned number, std::uint32_t value) {
    cpu.undo_[cpu.undoCount_++] = {static_cast<std::uint8_t>(number), cpu.reg_[number]};
    cpu.reg_[number] = value;
  }

  /// Address of the only memory operand, ARn updated.
  static std::uint32_t generate(Cpu& cpu, const OperandSpec& spec) {
    const Address a = addressOf(cpu, spec);
    if (modifies(spec.access)) setEarly(cpu, spec.reg, a.updated);
    return a.address;
  }

  /// Addresses of two operands, both from the old ARn; `last` has the final word on a shared one
  /// (c32.md 4.4.2, 4.4.6).
  static void generatePair(Cpu& cpu, const OperandSpec& first, const OperandSpec& last,
                           std::uint32_t& firstAddress, std::uint32_t& lastAddress) {
    const Address f = addressOf(cpu, first);
    const Address l = addressOf(cpu, last);
    firstAddress = f.address;
    lastAddress = l.address;
    if (modifies(first.access)) setEarly(cpu, first.reg, f.updated);
    if (modifies(last.access)) setEarly(cpu, last.reg, l.updated);
    // Two data accesses and the fetch in one block of two ports: one waits (c32.md 7.5).
    if (((f.address ^ l.address) & ~0xFFu) == 0 && (l.address & ~0xFFu) == (cpu.pc_ & ~0xFFu) &&
        l.address - kRamBase < kRamWords && !cpu.single_ && !cpu.config_.flatMemory) {
      ++cpu.end_;
      ++cpu.stats_.ramConflict;
    }
  }

  // --- memory ---

  template <bool Float>
  static bool load(Cpu& cpu, std::uint32_t address, std::uint32_t& word) {
    const std::uint32_t offset = address - kRamBase;
    if (offset < kRamWords && !cpu.config_.flatMemory) [[likely]] {
      word = cpu.ram_[offset];
      return true;
    }
    return cpu.slowRead(BusOp::Read, address, Float, word);
  }

  template <bool Float>
  static bool store(Cpu& cpu, std::uint32_t address, std::uint32_t word) {
    const std::uint32_t offset = address - kRamBase;
    if (offset < kRamWords && !cpu.config_.flatMemory) [[likely]] {
      cpu.ram_[offset] = word;
      cpu.decoded_[offset] = nullptr;
      return true;
    }
    return cpu.slowWrite(address, Float, word);
  }

  // --- registers ---

  static Float40 extended(const Cpu& cpu, unsigned number) {
    return {cpu.exponent_[number], cpu.reg_[number]};
  }
  static void setExtended(Cpu& cpu, unsigned number, const Float40& value) {
    cpu.exponent_[number] = value.exponent;
    cpu.reg_[number] = value.mantissa;
  }
  static constexpr std::uint32_t kSpecialRegisters =
      1u << reg::ST | 1u << reg::IE | 1u << reg::IF | 1u << reg::IOF | 1u << reg::RE;

  static void writeRegister(Cpu& cpu, unsigned number, std::uint32_t value) {
    if ((kSpecialRegisters >> number & 1u) != 0) [[unlikely]] {
      cpu.writeSpecial(number, value);
    } else {
      cpu.reg_[number] = value;
    }
  }
  static void setFlags(Cpu& cpu, std::uint32_t flags, std::uint32_t mask) {
    cpu.reg_[reg::ST] = applyFlags(cpu.reg_[reg::ST], flags, mask);
  }

  // --- operands by type ---

  template <bool Float>
  using Value = std::conditional_t<Float, Float40, std::uint32_t>;

  template <bool Float>
  static Value<Float> fromRegister(const Cpu& cpu, unsigned number) {
    if constexpr (Float) {
      return extended(cpu, number);
    } else {
      return cpu.reg_[number];
    }
  }
  template <bool Float>
  static Value<Float> fromWord(std::uint32_t word) {
    if constexpr (Float) {
      return extendedFromSingle(word);
    } else {
      return word;
    }
  }
  template <bool Float>
  static Value<Float> constant(const OperandSpec& spec) {
    if constexpr (Float) {
      return {spec.exponent, static_cast<std::uint32_t>(spec.value)};
    } else {
      return static_cast<std::uint32_t>(spec.value);
    }
  }

  // --- handler tables, one per source file ---

  /// Arithmetic, logic and loads (cpu_alu.cpp); null if `i` is none.
  static Handler arithmetic(const Instruction& i);
  /// Parallel pairs (cpu_parallel.cpp).
  static Handler parallel(const Instruction& i);
  /// Program control, stack, stores, interlocked (cpu_control.cpp).
  static Handler control(const Instruction& i);
};

}  // namespace rtvp::c32
