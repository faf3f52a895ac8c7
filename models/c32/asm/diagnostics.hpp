// Located messages of the assembler, in the form compilers print.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace rtvp::c32 {

struct Diagnostic {
  enum class Severity : std::uint8_t { Error, Warning };
  std::string file;
  std::uint32_t line = 0;    ///< 1-based
  std::uint32_t column = 0;  ///< 1-based
  Severity severity = Severity::Error;
  std::string message;
  std::string context;  ///< where the macro or file was called from; may be empty
};

/// `file:line:column: error: message`, one a line, each followed by its context as a note.
std::string formatDiagnostics(const std::vector<Diagnostic>& diagnostics);

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

/// "found 'X', expected Y" for the text at `position` of `line`.
std::string foundExpected(const std::string& line, std::size_t position,
                          const std::string& expected);

}  // namespace rtvp::c32
