// Expressions of the assembler: 32-bit integers, floating constants, and addresses that are not
// placed yet.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "models/c32/asm/scanner.hpp"

namespace rtvp::c32 {

/// Which bits of an address an expression has picked (address >> 16, address & 0FFFFh) where the
/// linker will know the address.
enum class Part : std::uint8_t { Whole, Low16, High8 };

/// Result of an expression. Before sections are placed, and in relocatable output always, an
/// address is an offset in its section or from a symbol of another file.
struct Value {
  bool isFloat = false;
  std::int32_t integer = 0;
  double real = 0;
  int section = -1;   ///< -1: a plain number; otherwise integer is relative to the section's start
  int symbol = -1;    ///< number of an undefined symbol the value is relative to; -1: none
  bool load = false;  ///< relative to the load address (.label), not the run address
  int reg = -1;       ///< number of a register that the name stands for (FP .set AR3)
  Part part = Part::Whole;
  bool address = false;  ///< a label took part (LDP tells addresses from page numbers)

  static Value of(std::int32_t number) { return {.integer = number}; }
  /// True if only the linker (or placement) knows the number.
  bool relative() const { return section >= 0 || symbol >= 0; }
  double asReal() const { return isFloat ? real : static_cast<double>(integer); }
};

/// Gives the value of a name found at a position of the line; throws UndefinedSymbol. "$" is the
/// current address.
struct SymbolLookup {
  using Find = std::function<Value(const std::string& name, std::size_t position)>;
  template <typename Callable>
  // NOLINTNEXTLINE(google-explicit-constructor): a function is a lookup with the usual habits
  SymbolLookup(Callable function, bool octal = false)
      : find(std::move(function)), leadingZeroOctal(octal) {}
  Value operator()(const std::string& name, std::size_t position) const {
    return find(name, position);
  }

  Find find;
  /// Number of the register a symbol stands for, or -1; empty: none does.
  std::function<int(const std::string& name)> alias{};
  bool leadingZeroOctal = false;  ///< 017 is fifteen, as GNU as reads it; TI's reads seventeen
};

/// Operators and their precedence as in c32.md 10.1, left associative; below them &&, and in a
/// `condition`, where no parallel pair can follow, ||. Throws SourceError.
Value parseExpression(Scanner& scanner, const SymbolLookup& lookup, bool condition = false);

}  // namespace rtvp::c32
