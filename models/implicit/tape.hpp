// A checked tape: instructions whose stacks are known to fit (sdf.md 3.1). Every other part takes
// tapes only in this form, so a malformed one is refused once, with position and reason.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/implicit/opcode.hpp"

namespace rtvp::implicit {

inline constexpr unsigned kSeedInstructions = 232;    ///< 29 lines of 8, a mask of 29 bytes (3.2)
inline constexpr unsigned kSeedDepth = 8;             ///< entries of each stack (3.1)
inline constexpr unsigned kWideInstructions = 65535;  ///< 16-bit links (3.4), 65535 = none
inline constexpr unsigned kWideDepth = 256;

/// What a tape may need. `seed` is the report's machine, `wide` the extension for long tapes.
struct Limits {
  unsigned instructions = kSeedInstructions;
  unsigned depth = kSeedDepth;

  static constexpr Limits seed() { return {}; }
  static constexpr Limits wide() { return {kWideInstructions, kWideDepth}; }
};

/// One instruction as written: `constant[n]` holds the numbers of input n if it is a constant.
struct Instruction {
  const OpcodeInfo* op = nullptr;
  std::array<std::optional<std::array<float, 16>>, 4> constant{};

  /// The 16-bit word (3.2).
  [[nodiscard]] std::uint16_t word() const;
};

/// What is wrong with a tape, for those who report it as a number.
enum class TapeReason : std::uint8_t {
  Opcode,           ///< unknown
  Underflow,        ///< or type error
  Overflow,         ///< of a stack
  Operand,          ///< a constant where none may be, or none where one must be
  Length,           ///< over-long
  Stop,             ///< no OPStop, or something behind it
  Materials,        ///< of no instruction, or not finite
  Ranges,           ///< binary: starts outside the tapes
  ConstantOverrun,  ///< binary: too few constants, or more than are read
  Cyclic,           ///< binary: a dependency that points back
  Dependency,       ///< binary: a dependency the stacks contradict
  Number,           ///< binary: a constant that is not finite
  Bounds,           ///< binary: reversed or not finite
};

/// A tape that cannot run: the instruction's position, from 0, and why.
class TapeError : public std::runtime_error {
 public:
  TapeError(std::size_t where, TapeReason kind, const std::string& text)
      : std::runtime_error(text), position(where), reason(kind) {}
  std::size_t position;
  TapeReason reason;
};

/// A box, or the bounds of an object, in object space.
struct Bounds {
  std::array<float, 3> min{};
  std::array<float, 3> max{};
  bool operator==(const Bounds&) const = default;
};

/// Material of an SDF instruction: 16 numbers of free layout (section 12).
using Material = std::array<float, 16>;

class Tape {
 public:
  /// Checks underflow, overflow, constants where none may or must be, OPInvalid, what follows
  /// OPStop, and length; a missing OPStop is accepted only at the length limit. Throws TapeError.
  explicit Tape(std::vector<Instruction> code, Limits limits = Limits::seed());

  [[nodiscard]] const std::vector<Instruction>& code() const { return code_; }
  [[nodiscard]] std::size_t size() const { return code_.size(); }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  /// Up to two positions that consume the instruction's outputs, in the order of popping (3.4).
  struct Consumers {
    std::array<std::uint16_t, 2> at{kNone, kNone};
    static constexpr std::uint16_t kNone = 0xFFFF;
    bool operator==(const Consumers&) const = default;
  };
  [[nodiscard]] const std::vector<Consumers>& consumers() const { return consumers_; }
  /// Whether it holds opcodes that copy from below the top, drop or swap: skipping instructions
  /// may then disturb the order of a stack and is checked each time.
  [[nodiscard]] bool reorders() const { return reorders_; }

  /// Throws TapeError if there are more materials than OPSDF instructions.
  void checkMaterials() const;

  std::optional<Bounds> bounds;     ///< .bounds
  std::vector<Material> materials;  ///< .material, by number of the OPSDF instruction

 private:
  void check();

  std::vector<Instruction> code_;
  Limits limits_;
  std::vector<Consumers> consumers_;
  bool reorders_ = false;
};

}  // namespace rtvp::implicit
