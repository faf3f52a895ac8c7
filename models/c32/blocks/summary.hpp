// What a processor does from a wake-up to its next IDLE, worked out once: a summary.
//
// It is made by executing the blocks of one such turn with values that are known or not
// (summarise()). What is known - addresses of peripherals, the stack, flags, the port's state - is
// folded; what is left is a short list of operations on the words and registers that change from
// turn to turn, and of guards.
//
// Invariants, which the tests hold against the plain engines:
//  1. A summary is applied only to a processor in IDLE that a flag of the serial port wakes, with
//     the flags, enables and port state (Key) and the registers (pins) it was made with.
//  2. Everything else that decided anything when it was made is asked again by a guard: conditions
//     and return addresses; and that the port's events fall between the same two looks at the port.
//  3. A guard that fails leaves no trace: stores are taken back, words not yet sent, registers and
//     port are copies. The blocks, or the processor, then do the turn.
//  4. Nothing but the serial port can happen in between: Engine::quiet() holds at its begin, and a
//     turn that would touch anything else has no summary.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "models/c32/blocks/block.hpp"
#include "models/c32/blocks/edge_clock.hpp"
#include "models/c32/blocks/quick_serial.hpp"
#include "models/c32/integer_ops.hpp"

namespace rtvp::c32::blocks {

/// State of a serial port that is a plain channel (QuickSerial::usable), with times that are kNever
/// where nothing is under way.
struct Wire {
  Cycle transfer = kNever;  ///< DXR moves to the shift register
  Cycle empty = kNever;     ///< the shift register has sent its last bit
  Edge last;                ///< edge at which it is free again
  std::uint32_t drr = 0;
  std::uint32_t rsr = 0;
  std::uint32_t dxr = 0;
  bool drrFull = false;  ///< RRDY
  bool rsrFull = false;
  bool sent = false;        ///< a word, since somebody looked
  std::uint32_t flags = 0;  ///< IF
  std::uint64_t received = 0;
  std::uint64_t written = 0;

  [[nodiscard]] Cycle next(Cycle arrival) const {
    return std::min(std::min(transfer, empty), arrival);
  }
};

/// When a wake-up looks the same to the program.
struct Key {
  std::uint32_t pc = 0;      ///< behind the IDLE
  std::uint32_t enable = 0;  ///< IE
  std::uint32_t flags = 0;   ///< IF
  std::uint32_t port = 0;    ///< portState()

  friend bool operator==(const Key&, const Key&) = default;
};
[[nodiscard]] inline std::uint32_t portState(const Wire& w) {
  return (w.drrFull ? 1u : 0u) | (w.rsrFull ? 2u : 0u) | (w.transfer != kNever ? 4u : 0u) |
         (w.empty != kNever ? 8u : 0u);
}

/// One operation. Operands are numbers of values: registers as they were at the wake-up, then what
/// operations before have left.
struct Operation {
  enum class Code : std::uint8_t {
    // As the blocks' steps: to = a op b, flags by `mask`.
    Add,
    Subtract,
    Multiply,
    And,
    AndNot,
    Or,
    Xor,
    Not,  ///< of b
    ShiftLogical,
    ShiftArithmetic,
    Copy,  ///< b
    // ST
    Status,      ///< to = ST
    MaskStatus,  ///< ST = (ST and mask) or word
    Condition,   ///< guard: condition `a` holds, or not (`b` = 0)
    // Other guards.
    Equal,       ///< b == word
    EqualInRam,  ///< address in RAM word `offset` == word
    Bit,         ///< bit `b` of a == word
    // Memory.
    Load,      ///< to = internal RAM at address a + word; guard: it lies there
    LoadAt,    ///< to = RAM word `offset`
    Store,     ///< b to internal RAM at address a + word; guard: it lies there, and is no program
    StoreAt,   ///< b to RAM word `offset`
    Step,      ///< to = a with its address part moved by `word`
    Circular,  ///< likewise in a circular buffer of `offset` words
    // The port; `at`: cycles since the interrupt's entry.
    Quiet,     ///< guard: nothing happens up to then
    Empty,     ///< guard and effect: up to then the shift register empties next
    Transfer,  ///< likewise: DXR moves to it
    Arrive,    ///< likewise: a word arrives, in DRR, or in RSR (`a` = 1)
    ReadWord,  ///< to = DRR; `a` = 1: RSR moves up
    Write,     ///< b to DXR
    End,
  };
  Code code = Code::End;
  std::uint8_t to = 0;
  std::uint8_t a = 0;
  std::uint8_t b = 0;
  std::uint16_t at = 0;
  std::uint16_t offset = 0;
  std::uint32_t word = 0;  ///< a constant; the operand numbered kConstant
  std::uint32_t mask = 0;  ///< ST bits replaced; 0: flags are not asked for
};
inline constexpr std::uint8_t kConstant = 255;  ///< number of an operand that is `word`
inline constexpr unsigned kFirstTemporary = 32;

struct Summary {
  Key key;
  struct Pin {
    std::uint8_t reg;
    std::uint32_t value;
  };
  /// When what was under way at the wake-up happens, in cycles since the interrupt's entry: the
  /// guards demand it, and asking first saves the way to them.
  struct Window {
    Cycle after = kNever;  ///< a look that has not seen it; kNever: there was none
    Cycle by = kNever;     ///< the look that has; kNever: none has

    [[nodiscard]] bool holds(Cycle when, Cycle base) const {
      return (after == kNever || when > base + after) && (by == kNever || when <= base + by);
    }
  };
  Window empty;
  Window transfer;
  Window arrival;
  std::vector<Pin> pins;              ///< registers that must have these values
  std::vector<std::uint16_t> stores;  ///< RAM words written at known addresses: no program
  std::vector<Operation> operations;  ///< the last one is End
  struct Result {
    std::uint16_t to;    ///< register or RAM word
    std::uint8_t value;  ///< number of a value, or kConstant
    std::uint32_t word;
  };
  std::vector<Result> registers;
  std::vector<Result> ram;
  std::uint32_t statusKept = ~0u;  ///< at last: ST = (ST and this) or statusSet
  std::uint32_t statusSet = 0;
  std::uint32_t flags = 0;   ///< IF at the end
  std::uint32_t enable = 0;  ///< IE at the end
  bool drrFull = false;      ///< the port at the end
  bool rsrFull = false;
  bool transferring = false;
  bool emptying = false;
  std::uint32_t flagsKept = ~0u;    ///< IF as the program wrote it, all times together
  std::uint16_t interruptSlot = 0;  ///< RAM word where the interrupt puts the return address
  // All in cycles since the interrupt's entry.
  std::uint16_t most = 0;
  std::uint16_t readyMost = 0;  ///< no address generation is under way after
  Exit exit;                    ///< pc: behind the IDLE
  unsigned steps = 0;
  struct Cost {
    std::uint32_t pc;
    std::uint16_t cycles;
    std::uint16_t conflict;  ///< of them
  };
  std::vector<Cost> costs;                ///< of each instruction executed, in their order
  std::array<bool, reg::kCount> known{};  ///< registers that have a known value at the end
  std::array<std::uint32_t, reg::kCount> value{};
};

/// A processor that has just been woken; or, where `turns` is not 0, one that has just gone to
/// sleep: `base` is the cycle, and the summary is to take it through so many turns, with the times
/// of this run (lap.hpp).
struct Woken {
  Key key;
  const std::uint32_t* reg = nullptr;
  const std::uint32_t* ram = nullptr;
  Wire wire;
  std::vector<Inbox::Word> arrivals;  ///< the next ones
  bool moreArrivals = false;
  Cycle base = 0;            ///< the interrupt has been entered
  std::uint32_t global = 0;  ///< the port's global control without what Wire holds
  IntegerMode mode;
  unsigned turns = 0;
  Cycle entry = 1;  ///< cycles of an interrupt's entry
};

/// What summarise() is to know of the machine.
struct Surroundings {
  const EdgeClock& clock;
  std::function<const Block*(std::uint32_t pc, const Residue& residue)> find;
};

/// The summary of the turn that begins there; null if it holds something that has none.
[[nodiscard]] std::unique_ptr<Summary> summarise(const Woken& woken, const Surroundings& around);

/// Address part of a register moved by `step`.
[[nodiscard]] inline std::uint32_t stepAddress(std::uint32_t ar, std::uint32_t step) {
  return (ar & ~kAddressMask) | ((ar + step) & kAddressMask);
}
/// Likewise in a circular buffer of `bk` words (c32.md 6.3).
[[nodiscard]] std::uint32_t stepCircular(std::uint32_t ar, std::int32_t distance, std::uint32_t bk);

}  // namespace rtvp::c32::blocks
