// A block: instructions of internal RAM that follow each other, decoded, with the cycle in which
// each executes worked out beforehand. Integer work, loads and stores, calls and branches; what a
// block does not hold (floats, delayed branches, repeats, pins) ends it, and the processor itself
// executes that.
//
// A path: several blocks in the order in which the program likes to run them, joined into one. Each
// branch on the way is a question: if it goes the other way, the path is left there.
//
// Times can be known beforehand because nothing in a block waits for anybody: conflicts of address
// generation (c32.md 7.4) depend on the instructions and on what is still under way at the block's
// entry, and that is part of a block's key.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/c32/cpu_ops.hpp"
#include "models/c32/timing.hpp"

namespace rtvp::c32::blocks {

enum class Kind : std::uint8_t {
  Load,
  Add,
  Subtract,
  SubtractReverse,
  Multiply,
  And,
  AndNot,
  Or,
  Xor,
  Not,
  ShiftLogical,
  ShiftArithmetic,
  Compare,
  Test,
  LoadIf,  ///< LDIcond
  Store,
  Nop,
  Push,
  Pop,
  LoadTestBranch,  ///< LDI, TSTB or CMPI of the same register with a constant, Bcond: three steps
  // Ends of a block.
  Branch,     ///< BR, Bcond
  Decrement,  ///< DBcond
  Call,
  Return,  ///< RETSU
  Idle,
  Cut,  ///< the next instruction belongs to another block, or to none
};

/// Address generation groups still under way, in cycles from now (c32.md 7.4).
struct Residue {
  std::uint32_t packed = 0;  ///< eight bits a group

  [[nodiscard]] unsigned of(unsigned group) const { return packed >> (8 * group) & 0xFFu; }
  void set(unsigned group, Cycle cycles) {
    packed |= static_cast<std::uint32_t>(cycles) << (8 * group);
  }
  friend bool operator==(const Residue&, const Residue&) = default;
};

struct Block;

/// One instruction.
struct Step {
  Kind kind = Kind::Cut;
  std::uint8_t destination = 0;  ///< register; Store, Push: the register stored
  std::uint8_t cond = 0;
  bool looksAtFlags = false;   ///< IF is a source or the destination
  std::uint32_t flagMask = 0;  ///< ST bits it replaces
  OperandSpec source;          ///< also the store's address and the branch's target
  // Ends only: where it goes on, in Block::exits. On a path `on` tells which way stays on it.
  enum class On : std::uint8_t { Nowhere, Taken, Fallen } on = On::Nowhere;
  std::uint8_t taken = 0;
  std::uint8_t fallen = 0;
  std::uint32_t expected = 0;  ///< Return on a path: the address that stays on it

  // What has happened since the block's entry when this instruction is the next.
  std::uint32_t pc = 0;
  std::uint16_t start = 0;               ///< cycles
  std::uint16_t exec = 0;                ///< E stage, beyond `start` by its own conflict
  std::uint16_t extra = 0;               ///< fixed costs beyond one cycle an instruction
  std::uint16_t conflict = 0;            ///< cycles lost to address generation
  std::array<std::uint16_t, 3> ready{};  ///< groups are free from here on; 0: as before
};

/// How a block is left, and what is next.
struct Exit {
  std::uint16_t cycles = 0;
  std::uint16_t extra = 0;
  std::uint16_t conflict = 0;
  std::array<std::uint16_t, 3> ready{};
  Residue residue{};
  std::uint32_t pc = 0;                 ///< Return: the stack knows
  mutable const Block* next = nullptr;  ///< as far as it is known already
  mutable std::uint32_t nextPc = ~0u;   ///< where `next` begins
};

struct Block {
  std::vector<Step> steps;  ///< the last one is an end
  std::vector<Exit> exits;
  std::uint16_t most = 0;  ///< cycles it takes at most
  bool path = false;
  mutable unsigned heat = 0;              ///< times entered, while that matters
  mutable const Block* better = nullptr;  ///< a path that begins like this block
};

/// Instruction at an offset into internal RAM, null behind its end.
using Fetch = std::function<const MicroOp*(std::uint32_t offset)>;

/// Builds the block at RAM `offset`. Its first step is a Cut if the first instruction is none of a
/// block's.
[[nodiscard]] Block buildBlock(std::uint32_t offset, const Residue& residue,
                               const CpuConfig& config, const Fetch& fetch);

/// A block that has been executed and how it was left: an index into its exits, and the address
/// where it went on.
struct Leg {
  const Block* block = nullptr;
  std::uint8_t exit = 0;
  std::uint32_t pc = 0;
};
/// Joins blocks that followed each other into a path.
[[nodiscard]] Block joinBlocks(const std::vector<Leg>& legs);

/// Instructions in a block and on a path at most.
inline constexpr std::size_t kMostSteps = 64;
inline constexpr std::size_t kMostOnPath = 192;

}  // namespace rtvp::c32::blocks
