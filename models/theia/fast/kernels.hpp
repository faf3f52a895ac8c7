// The loop of the fast executor over decoded rows, compiled once per instruction set of the host.
// Results, counts and clocks are those of the plain executor (core.cpp), which tests hold it to.
//
// Invariants:
//  * A row that the loop executes can neither stop the core nor change what a later row of the same
//    straight run means, so a run is counted and charged as a whole where it is entered: `count` of
//    its first row, `run` instructions, `runClocks`. A run ends with the jump behind it.
//  * Every other row (Code::Step and above) belongs to the caller; the loop stands in front of it.
//  * Arithmetic outside the range in which the multiplier is exact, or in which the divider's
//    quotient follows from a division of doubles, is Loop::rare's.
//  * Operands are byte offsets into the register array, of a lane for conditional jumps; the
//    fourth lane of a register is nobody's and holds anything.
#pragma once

#include <cstdint>

#include "models/common/host_isa.hpp"

namespace rtvp::theia::fast {

/// Lanes x, y, z and one that pads to 16 bytes.
struct alignas(16) Lanes {
  std::uint32_t lane[4];
};

/// Registers in the array: as the core addresses them, the second copy of the swap bank, and a
/// sink.
inline constexpr unsigned kPlaces = 161;
inline constexpr unsigned kSink = kPlaces - 1;  ///< where dropped writes go

/// What the loop does with a row.
enum class Code : std::uint8_t {
  Nop,
  Add,
  Sub,
  Div,
  Mul,
  Copy,
  Inc,
  Dec,
  IncX,
  IncY,
  IncZ,
  Zero,
  Cross,
  Dot,
  Mod,
  Frac,
  Neg,
  ExchangeX,
  ExchangeY,
  ExchangeZ,
  Unscale,
  Rescale,
  Load,
  SetX,
  SetY,
  SetZ,
  SwizzleX,
  SwizzleY,
  SwizzleZ,
  SwizzleYXZ,
  Rare,  ///< arithmetic that Loop::rare does
  // they end a run
  JumpG,
  JumpL,
  JumpEq,
  JumpNe,
  JumpGe,
  JumpLe,
  Jump,
  Call,
  Ret,
  // the caller's
  Step,  ///< whatever is rare, or followed by a row that may see a forwarded result
  Return,
  OutputWrite,
  TextureRead,
  Halt,  ///< a debugger stops in front of it
};

struct Row {
  Code code = Code::Step;
  std::uint8_t opcode = 0;
  std::uint16_t d = 0, a = 0, b = 0;  ///< bytes from the first register
  std::uint32_t immediate = 0;        ///< of type II
  std::int32_t jump = 0;              ///< rows to the target; of RETURN: its destination field
  std::uint64_t count = 0;            ///< how often a run was entered here
  std::uint32_t runClocks = 0;        ///< of the run from here to its end
  std::uint16_t run = 0;              ///< instructions of the run
  std::uint8_t period = 0;
};
static_assert(sizeof(Row) == 32);

struct Loop {
  Lanes* places;
  Row* row;   ///< where to begin; afterwards a row of the caller's, or any when above the limit
  Row* back;  ///< where RET goes
  std::uint64_t executed;
  std::uint64_t clocks;
  std::uint64_t dividerClocks;
  std::uint64_t limit;  ///< of `executed`: no run is entered above it
  bool inside;          ///< `row` lies within a run that is counted already
  void (*rare)(const Row& row, Lanes* places);
};

/// A triangle's seven registers, three words each.
inline constexpr unsigned kTriangleRows = 7;

struct Kernels {
  void (*run)(Loop&);
  /// Copies a triangle to seven registers from each of `count` places on.
  void (*spread)(const std::uint32_t* triangle, Lanes* const* to, unsigned count);
};

/// The table; the instruction set must be usable.
const Kernels& kernels(common::Isa isa);

}  // namespace rtvp::theia::fast
