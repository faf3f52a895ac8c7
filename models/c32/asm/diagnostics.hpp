// Located messages of the assembler, in the form compilers print.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/common/core/diagnostics.hpp"

namespace rtvp::c32 {

using common::Diagnostic;
using common::formatDiagnostics;

/// Thrown while one source line is worked on; the assembler turns it into a Diagnostic and goes on
/// with the next line.
class SourceError : public std::runtime_error {
 public:
  SourceError(std::size_t position, const std::string& message)
      : std::runtime_error(message), position_(position) {}
  /// 0-based offset in the line.
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

/// A name without a value (yet): the only error pass 1 may put off.
class UndefinedSymbol : public SourceError {
 public:
  using SourceError::SourceError;
};

/// An address of 24 bits, in hexadecimal.
std::string addressText(std::uint32_t address);

/// "found 'X', expected Y" for the text at `position` of `line`.
std::string foundExpected(const std::string& line, std::size_t position,
                          const std::string& expected);

}  // namespace rtvp::c32
