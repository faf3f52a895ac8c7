// The usual case of an instruction, resolved when it is decoded: handlers by operand kinds, with
// kernels, register numbers and displacements at hand. A handler does the whole instruction or
// nothing: whatever is not usual (a value that a double cannot hold, a row not loaded yet, a
// register with two values, a bus that is not free for the taking) is left to Machine::step(),
// which knows everything. Internal to the machine.
//
// Invariants: a handler has looked at all that it depends on before it changes anything, and leaves
// registers, flags, faults, cycles and counters as step() would, which is the plain twin and does
// whatever a handler declines.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>

#include "models/c32/flags.hpp"
#include "models/c32/simt/machine.hpp"

namespace rtvp::c32::simt {

struct Machine::Fast {
  /// Instead of the next program counter: step() must do the instruction.
  static constexpr std::uint32_t kGeneral = ~0u;
  /// The bus answered with an error.
  static constexpr std::uint32_t kBack = ~0u - 1;

  enum class Mode : std::uint8_t { Register, Indirect, Direct, Constant };
  static constexpr bool isMemory(Mode m) { return m == Mode::Indirect || m == Mode::Direct; }

  /// A float operand.
  struct Operand {
    Operand() {}  // NOLINT: load() fills it
    Source s{nullptr, 0};
    bool isShort;
    bool bus = false;
    std::uint32_t address;  ///< of a memory operand
  };

  // ---- decoding
  static void decode(const VectorOp& v, FastOp& op);
  static FastOp::Run floatHandler(const VectorOp& v, FastOp& op);
  static FastOp::Run otherHandler(const VectorOp& v, FastOp& op);
  static bool modeOf(const OperandSpec& spec, Mode& mode);
  /// A later instruction that replaces the flags without looking at them.
  static bool replacesFlags(const VectorOp* next) {
    return next != nullptr && next->setsFlags && next->kind != Kind::Other;
  }

  // ---- pieces of handlers
  template <Mode M>
  [[gnu::always_inline]] static std::uint32_t addressOf(const Group& g, unsigned reg,
                                                        std::int32_t disp) {
    if constexpr (M == Mode::Direct) {
      return ((g.rest.x[reg] & 0xFFu) << 16) | static_cast<std::uint32_t>(disp);
    } else {
      return (g.rest.x[reg] + static_cast<std::uint32_t>(disp)) & kAddressMask;
    }
  }
  /// Shared accesses are free: all processors together, in one cycle, nobody at the barrier.
  [[gnu::always_inline]] static bool onBus(const Machine& m, std::uint32_t address) {
    return m.busOpen_ && address - m.busFirst_ < m.busCount_;
  }
  /// False: the general path must look.
  template <Mode M>
  [[gnu::always_inline]] static bool load(Machine& m, Group& g, const FastOp& op, unsigned reg,
                                          std::int32_t disp, Operand& o) {
    if constexpr (M == Mode::Constant) {
      o.s = {op.op->constant, 0};
      o.isShort = op.shortConstant;
      return true;
    } else if constexpr (M == Mode::Register) {
      Row& row = *m.registers_[reg];
      o.s = row.readF(g.active);
      o.isShort = row.shortF();
      return o.s.p != nullptr;
    } else {
      o.address = addressOf<M>(g, reg, disp);
      o.isShort = true;
      const std::uint32_t offset = o.address - kRamBase;
      if (offset < kRamWords) {
        Row* row = m.loaded_[offset];
        if (row == nullptr) return false;
        o.s = row->readF(g.active);
        return o.s.p != nullptr;
      }
      o.bus = true;
      return onBus(m, o.address);
    }
  }
  static bool read(Machine& m, const Group& g, std::uint32_t address, Cycle exec, Cycle& end,
                   std::uint32_t& word);
  static std::uint32_t general(Machine&, Group&, const FastOp&, Cycle) { return kGeneral; }
  /// Reads the bus for an operand.
  [[gnu::always_inline]] static bool fetch(Machine& m, const Group& g, Cycle exec, Cycle& end,
                                           Operand& o) {
    std::uint32_t word = 0;
    if (!read(m, g, o.address, exec, end, word)) return false;
    std::fill_n(m.block_[0], kBlock, singleToDouble(word));
    o.s = {m.block_[0], 0};
    return true;
  }
  /// As Machine::pairConflict: one cycle more, or none.
  [[gnu::always_inline]] static Cycle conflict(Group& g, std::uint32_t a, std::uint32_t b) {
    if ((((a ^ b) | (b ^ g.pc)) & ~0xFFu) != 0) return 0;
    ++g.ramConflict;
    return 1;
  }
  [[gnu::always_inline]] static std::uint32_t stepped(std::uint32_t ar, std::int32_t step) {
    return (ar & ~kAddressMask) | ((ar + static_cast<std::uint32_t>(step)) & kAddressMask);
  }
  /// Both updates come from the old values; the second one stays.
  template <Mode A, Mode B>
  [[gnu::always_inline]] static void update(Group& g, const FastOp& op) {
    const std::uint32_t a = A == Mode::Indirect ? g.rest.x[op.aReg] : 0;
    const std::uint32_t b = B == Mode::Indirect ? g.rest.x[op.bReg] : 0;
    if (A == Mode::Indirect && op.aStep != 0) g.rest.x[op.aReg] = stepped(a, op.aStep);
    if (B == Mode::Indirect && op.bStep != 0) g.rest.x[op.bReg] = stepped(b, op.bStep);
  }
  [[gnu::always_inline]] static bool live(const Group& g, const FastOp& op) {
    return op.live || g.delaySlots == 1;
  }
  [[gnu::always_inline]] static std::uint32_t done(Group& g, Cycle end) {
    g.cycle = end;
    return g.pc + 1;
  }
  static void compute(Machine& m, Group& g, const Kernels::Binary* kernels, unsigned destination,
                      const Operand& b, const Operand& a, bool flags);
  static void computeOnce(Machine& m, Group& g, Kernels::Binary kernel, unsigned destination,
                          Source b, Source a, bool flags);
  static double unaryOnce(Machine& m, Group& g, Kernels::Unary kernel, Source a, bool flags);
  static bool mayStore(const Machine& m, std::uint32_t offset) {
    return offset < kRamWords && m.fast_[offset].op == nullptr && m.loaded_[offset] != nullptr;
  }
  /// The same for a handler that gets its row from rowToFill() in time.
  [[gnu::always_inline]] static bool mayFill(const Machine& m, const Group& g,
                                             std::uint32_t offset) {
    return offset < kRamWords && m.fast_[offset].op == nullptr &&
           (m.loaded_[offset] != nullptr || g.active.full);
  }
  /// A row that is written now. Where all lanes are, what it holds need not be known before.
  [[gnu::always_inline]] static Row& rowToFill(Machine& m, std::uint32_t offset) {
    Row* const row = m.loaded_[offset];
    if (row != nullptr) [[likely]]
      return *row;
    return m.newRow(offset);
  }
};

}  // namespace rtvp::c32::simt
