// What a debugger sees of one processor, whatever it is: registers, memory, the instruction that
// stands next. Reading changes nothing of the machine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::debug {

/// A register of a unit; its value is up to 64 raw bits.
struct Register {
  std::string_view name;
  unsigned bits = 32;         ///< width of the raw value
  unsigned integerBits = 32;  ///< low part that integer instructions use, signed
  bool real = false;          ///< the whole is a floating-point number of the unit's format
  bool shared = false;        ///< of the machine around the unit
  bool number = false;        ///< real, and read as that unless a view says otherwise
};

struct Access {
  std::uint64_t address = 0;
  bool write = false;
  std::uint64_t size = 1;  ///< addresses, at most eight of a byte each
};

/// What an instruction does beyond its registers.
struct Effects {
  std::array<Access, 4> accesses{};  ///< data accesses, in no particular order
  unsigned count = 0;
  bool call = false;     ///< goes into a subroutine that will come back behind it
  bool returns = false;  ///< comes back from one
};

/// Where a value of an instruction comes from and goes to. Flags and conditions are not followed.
struct Flow {
  enum class To : std::uint8_t {
    Nothing,   ///< it is compared, or decides something
    Register,  ///< number `to`
    Memory,    ///< address `to`
  };
  To kind = To::Nothing;
  std::uint64_t to = 0;
  std::uint64_t registers = 0;  ///< bit n: register n goes into the value
  std::uint64_t via = 0;        ///< bit n: register n is part of an address that it goes by
  std::array<std::uint64_t, 2> words{};  ///< addresses of memory that goes into the value
  unsigned count = 0;                    ///< of `words`
  bool step = false;  ///< the register's own value, moved on: a pointer, a counter
};

struct Flows {
  std::array<Flow, 8> all{};
  unsigned count = 0;
  void add(const Flow& flow) {
    if (count < all.size()) all[count++] = flow;
  }
};

class Unit {
 public:
  virtual ~Unit() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;

  [[nodiscard]] virtual std::span<const Register> registers() const = 0;
  [[nodiscard]] virtual std::uint64_t value(unsigned reg) const = 0;
  virtual void setValue(unsigned reg, std::uint64_t raw) = 0;
  /// All registers as the unit's programmers read them.
  [[nodiscard]] virtual std::string registerText() const = 0;

  [[nodiscard]] virtual std::uint64_t addressMask() const = 0;
  [[nodiscard]] virtual unsigned addressDigits() const = 0;
  [[nodiscard]] virtual unsigned wordBits() const = 0;
  /// Empty if nothing is there.
  [[nodiscard]] virtual std::optional<std::uint64_t> peek(std::uint64_t address) const = 0;
  /// False if the word cannot be changed.
  virtual bool poke(std::uint64_t address, std::uint64_t word) = 0;
  /// Raw bits of this width in the unit's floating-point format, and back (rounded).
  [[nodiscard]] virtual double real(std::uint64_t raw, unsigned bits) const = 0;
  [[nodiscard]] virtual std::uint64_t rawOf(double value, unsigned bits) const = 0;

  [[nodiscard]] virtual std::uint64_t pc() const = 0;
  virtual void setPc(std::uint64_t pc) = 0;
  [[nodiscard]] virtual std::uint64_t cycle() const = 0;
  [[nodiscard]] virtual std::uint64_t instructions() const = 0;
  /// Of the stack: tells calls of a recursive routine apart.
  [[nodiscard]] virtual std::uint64_t stackPointer() const = 0;
  /// Stack pointer `now` belongs to the frame of `then`, or to one further out.
  [[nodiscard]] virtual bool outside(std::uint64_t now, std::uint64_t then) const = 0;
  /// Return addresses, the innermost first, as far as they can be told.
  [[nodiscard]] virtual std::vector<std::uint64_t> callers() const = 0;
  /// The instruction at the PC, about to execute.
  [[nodiscard]] virtual Effects next() const = 0;
  /// What it makes of what, with the registers as they are; empty: not known of this processor.
  [[nodiscard]] virtual std::optional<Flows> flows() const { return std::nullopt; }
  /// Addresses that the instruction there takes; of the shortest one.
  [[nodiscard]] virtual unsigned length(std::uint64_t /*address*/) const { return 1; }
  [[nodiscard]] virtual unsigned shortest() const { return 1; }
  /// Text of a word as an instruction.
  [[nodiscard]] virtual std::string disassemble(std::uint64_t address) const = 0;
};

}  // namespace rtvp::debug
