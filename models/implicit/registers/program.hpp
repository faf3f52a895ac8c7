// A tape in register form (sdf.md sections 14, 15): what remains of a tape when stack traffic is
// gone. Opcodes, their semantics and their interval rules are those of the tape; f and its ranges
// are bit-equal to the plain interpreter's. Pruning emits a shorter program instead of a mask.
//
// Registers are rows: a row holds one number of a value, a value of width w takes w rows that
// follow each other. Rows 0 to 2 hold the query point and are never written. A source is a row or
// an entry of the constant pool; a vector's component is the row behind its first.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/implicit/evaluate.hpp"
#include "models/implicit/tape.hpp"

namespace rtvp::implicit::registers {

inline constexpr unsigned kMaxRows = 4096;
inline constexpr unsigned kMaxConstants = 8192;  ///< numbers of a pool
inline constexpr unsigned kMaxClauses = 65534;
inline constexpr unsigned kPointRows = 3;
inline constexpr std::uint16_t kPointLink = 0;
inline constexpr std::uint16_t kNoLink = 0xFFFF;

/// A program that cannot be: too long, too many constants or registers, or words that are none.
/// what() names clause and reason.
class ProgramError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where a value comes from. `link` says which clause made it: its number + 1, or kPointLink.
struct Source {
  std::uint16_t index = 0;       ///< row, or entry of the pool
  std::uint16_t link = kNoLink;  ///< kNoLink: a constant
  std::uint8_t component = 0;    ///< rows behind the linked value's first
  [[nodiscard]] bool constant() const { return link == kNoLink; }
  bool operator==(const Source&) const = default;
};

/// How many operands of numbers a clause takes component by component.
enum class Arity : std::uint8_t { One, Two, Three, Whole };  ///< Whole: not componentwise

struct Clause {
  Clause() = default;
  Clause(const OpcodeInfo& opcode, const std::array<Source, 4>& in, std::uint16_t shape_number);

  const OpcodeInfo* op = nullptr;
  std::uint16_t destination = 0;  ///< first row
  /// OPSDF opcodes: which of them, from 0 (materials, section 12). Others: where in the code.
  std::uint16_t shape = 0;
  std::array<Source, 4> source{};
  Function function = Function::Invalid;  ///< of the opcode
  Arity arity = Arity::Whole;
  std::uint8_t components = 0;  ///< rows of the result
  std::uint8_t inputs = 0;      ///< sources in use
  bool decidable = false;       ///< an interval run may decide it

  [[nodiscard]] unsigned width() const { return components; }
};

class Program {
 public:
  using Pool = std::shared_ptr<const std::vector<float>>;

  /// In order of execution.
  [[nodiscard]] std::span<const Clause> clauses() const { return clauses_; }
  /// Numbers of clauses that an interval run may decide, ascending.
  [[nodiscard]] std::span<const std::uint16_t> selections() const { return selections_; }
  /// Constants; programs pruned from one program share them.
  [[nodiscard]] const std::vector<float>& pool() const { return *pool_; }
  [[nodiscard]] unsigned rows() const { return rows_; }
  /// f: a row or a constant.
  [[nodiscard]] const Source& result() const { return result_; }

 private:
  friend class Allocator;
  friend class Decoder;
  std::vector<Clause> clauses_;
  std::vector<std::uint16_t> selections_;
  Pool pool_;
  unsigned rows_ = kPointRows;
  bool simple_ = false;  ///< all values are numbers, and no clause reads more than two
  /// Of simple ones, what each clause reads, in the allocator's form.
  std::vector<std::array<std::uint32_t, 2>> pairs_;
  Source result_;
};

/// Stack order goes; Dup, Drop, Swap2, PushP, PushConst, Extract and Nop leave no clause. Throws
/// ProgramError if constants or registers do not suffice, and MaskFault.
Program compile(const Tape& tape);
/// Only what the mask executes: a leaf's code.
Program compile(const Tape& tape, const Mask& mask);

float evaluate(const Program& program, const std::array<float, 3>& point);
/// As evaluate64 of a tape.
double evaluate64(const Program& program, const std::array<double, 3>& point);
Interval evaluate(const Program& program, const Bounds& box);

struct IntervalResult {
  Interval value;
  Program program;  ///< equals the whole one at every point of the box
};
/// Range of f over a box, and a program for the box: selections decided as in sdf.md 6.1 (constant
/// winners too), what no result needs left out, registers named anew.
IntervalResult prune(const Program& program, const Bounds& box);

/// The 64-bit words a memory holds (README: layout). Pool entries no clause reads are left out.
std::vector<std::uint64_t> encode(const Program& program);
/// Refuses what compile() or prune() could not have made unsafe to run: unknown opcodes, reads of
/// rows that nothing wrote, constants beyond the pool. Throws ProgramError.
Program decode(std::span<const std::uint64_t> words);

/// One line a clause: `r5 = OPAddFloatFloat r3 f(2)`, then `OPStop r5`.
std::string disassemble(const Program& program);

}  // namespace rtvp::implicit::registers
