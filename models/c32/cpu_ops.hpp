// Pre-decoded instructions: what the scalar engine executes. A word is decoded once, shared by all
// processors of a board, and each processor keeps one number per word of its internal RAM.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/c32/isa.hpp"

namespace rtvp::c32 {

class Cpu;
class SequencePool;

/// How one operand field is read. Memory kinds come last.
enum class Access : std::uint8_t {
  None,
  Register,
  Constant,
  Relative,  ///< branch displacement, counted from this instruction's address
  Direct,    ///< page DP, offset
  Indirect,  ///< ARn with a displacement: address ARn + value, then ARn += step
  Indexed,   ///< IR0, IR1, circular, bit-reversed: by the mode field
};

[[nodiscard]] constexpr bool isMemory(Access a) {
  return a >= Access::Direct;
}

/// One operand field: bits 7-0 (or 15-0) are `low`, bits 15-8 are `high`.
struct OperandSpec {
  Access access = Access::None;
  std::uint8_t reg = 0;      ///< register number; for memory kinds the ARn (8-15)
  std::uint8_t mode = 0;     ///< Indexed: the 5-bit mode
  std::int8_t exponent = 0;  ///< Constant of a float instruction
  std::int32_t value = 0;    ///< displacement, constant, mantissa or branch target
  std::int32_t step = 0;     ///< Indirect: change of ARn
};

/// Address-generation groups of c32.md 7.4.
inline constexpr std::uint8_t kGroupAr = 1;  ///< AR0-AR7, IR0, IR1, BK
inline constexpr std::uint8_t kGroupDp = 2;
inline constexpr std::uint8_t kGroupSp = 4;

/// Things the run loop must look at before it executes.
inline constexpr std::uint8_t kReadsIof = 1;  ///< the XF pins must be sampled first
inline constexpr std::uint8_t kControl = 2;   ///< illegal in a delay slot
/// Looks at the processor's time or PC, or at the pins: a sequence (cpu_sequence.hpp) sees to it
/// that they are there.
inline constexpr std::uint8_t kStop = 4;
/// kStop, and changes the flow of control at once, or state that the run loop watches (ST, IE, IF,
/// RE): ends a sequence.
inline constexpr std::uint8_t kLeaves = 8;
inline constexpr std::uint8_t kDelayed = 16;  ///< a delayed branch
inline constexpr std::uint8_t kRare = 32;     ///< for the run loop only

struct alignas(64) MicroOp {
  using Handler = bool (*)(Cpu&, const MicroOp&);

  Handler execute = nullptr;
  Handler inner = nullptr;  ///< in a sequence: what a kStop does once everything is in place
  std::uint32_t word = 0;
  std::uint32_t pc = 0;  ///< in a sequence
  OperandSpec low;
  OperandSpec high;
  std::uint8_t reg = 0;   ///< destination, or register stored
  std::uint8_t reg2 = 0;  ///< second destination or register stored
  std::uint8_t reg3 = 0;  ///< register operand beside low and high; multiply/add: src1
  std::uint8_t reg4 = 0;  ///< multiply/add: src2
  std::uint8_t cond = 0;
  std::uint8_t uses = 0;       ///< groups that address generation needs
  std::uint8_t writes = 0;     ///< groups an E-stage write changes
  std::uint8_t reads = 0;      ///< groups read as data in E
  std::uint8_t special = 0;    ///< kReadsIof .. kRare
  std::uint8_t dataReads = 0;  ///< accesses of its memory operands
  std::uint8_t dataWrites = 0;
  std::uint16_t exec = 0;  ///< in a sequence: cycles from its begin to the E stage
};
static_assert(sizeof(MicroOp) == 64);

/// Builds the executable form of a word; undefined encodings get a handler that raises the fault.
[[nodiscard]] MicroOp makeMicroOp(std::uint32_t word);

/// Words decoded so far, numbered from 1. Bounded: beyond kMaxEntries distinct words (only a
/// program that rewrites itself gets there) the caller's scratch entry is used.
class DecodePool {
 public:
  using Number = std::uint16_t;
  static constexpr Number kNone = 0;
  static constexpr std::size_t kMaxEntries = 0xFFFF;

  DecodePool();

  /// The pool's entry for `word`, or `scratch` filled with it when the pool is full.
  const MicroOp* lookup(std::uint32_t word, MicroOp& scratch);
  /// Number of an entry that lookup() returned, kNone for a scratch entry.
  [[nodiscard]] Number numberOf(const MicroOp* op) const {
    const bool mine = op >= ops_.data() && op < ops_.data() + ops_.size();
    return mine ? static_cast<Number>(op - ops_.data()) : kNone;
  }
  /// By number; kNone has an entry that nobody executes.
  [[nodiscard]] const MicroOp* entries() const { return ops_.data(); }
  [[nodiscard]] SequencePool& sequences() { return *sequences_; }

 private:
  static constexpr std::size_t kRecent = 256;
  std::vector<MicroOp> ops_;  // all its memory is reserved: an entry never moves
  std::unordered_map<std::uint32_t, const MicroOp*> index_;
  const MicroOp* recent_[kRecent] = {};
  std::shared_ptr<SequencePool> sequences_;
};

}  // namespace rtvp::c32
