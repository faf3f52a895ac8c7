// The part of the assembler that decides which lines are assembled: files and includes, macros,
// loops, conditionals and substitution symbols. Delivers one line after the other; everything that
// can grow is bounded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/expression.hpp"

namespace rtvp::c32 {

struct Location {
  std::uint32_t file = 0;  ///< index into Preprocessor::files()
  std::uint32_t line = 0;
};

struct SourceText {
  std::string text;
  Location where;
};

/// Where a line was called or included from, for diagnostics; shared by all lines of an expansion.
using Context = std::shared_ptr<const std::string>;

/// A line ready for the assembler: substitution symbols replaced, comment still there.
struct Line {
  std::string text;
  Location where;
  Context context;
  bool expanded = false;  ///< came out of a macro or loop
};

/// Pieces of a line: where the label, the operation and the operands start.
struct LineParts {
  std::string label;
  std::size_t labelAt = 0;
  bool labelColon = false;
  std::string operation;  ///< upper case; empty if none
  std::size_t operationAt = 0;
  std::size_t operandsAt = 0;
  bool parallel = false;  ///< the line starts with ||
};

/// Splits a line; throws SourceError for text that is neither. `isOperation` tells a mnemonic or
/// macro name in column 1 from a label.
LineParts splitLine(const std::string& line,
                    const std::function<bool(const std::string&)>& isOperation);

class Preprocessor {
 public:
  static constexpr std::size_t kMaxDepth = 32;       ///< nested macros, loops and files
  static constexpr std::size_t kMaxLines = 200'000;  ///< delivered and skipped lines of one run
  static constexpr std::size_t kMaxLineLength = 4096;
  static constexpr std::size_t kMaxFileSize = 16u << 20;

  Preprocessor(const AssemblerOptions& options, SymbolLookup lookup,
               std::function<bool(const std::string&)> isOperation,
               std::function<void(const Line&, const SourceError&)> report);

  void open(const std::string& fileName, const std::string& source);
  /// The next line for the assembler: conditionals resolved, macro calls expanded. Empty at the end
  /// of the program.
  std::optional<Line> next();
  /// `.end`: nothing more is delivered.
  void stop();
  const std::vector<std::string>& files() const { return files_; }
  /// True for a name that is a macro.
  bool isMacro(const std::string& upperName) const { return macros_.count(upperName) != 0; }

 private:
  struct Frame {
    enum class Kind : std::uint8_t { File, Macro, Loop };
    Kind kind = Kind::File;
    std::shared_ptr<const std::vector<SourceText>> lines;
    std::size_t position = 0;
    std::map<std::string, std::string, std::less<>> arguments;
    std::string instance;          ///< replaces the ? of macro-unique labels
    std::size_t conditionals = 0;  ///< open .if when the frame was entered
    std::int32_t iterations = 0;   ///< Loop: still to do after this one
    Context context;
  };
  struct Conditional {
    bool active = false;  ///< lines are delivered
    bool taken = false;   ///< one branch was already delivered
    bool parent = true;
    bool seenElse = false;
    Location where;
  };
  struct Macro {
    std::vector<std::string> parameters;
    std::shared_ptr<const std::vector<SourceText>> body;
  };

  bool active() const { return conditionals_.empty() || conditionals_.back().active; }
  std::optional<Line> fetch();
  void popFrame();
  void push(Frame frame, const Line& line, std::size_t position);
  bool handle(Line& line);
  bool handleConditional(const Line& line, const LineParts& parts);
  bool handleBlock(const Line& line, const LineParts& parts);
  void defineMacro(const Line& line, const LineParts& parts);
  void startLoop(const Line& line, const LineParts& parts);
  void breakLoop(const Line& line, const LineParts& parts);
  void leaveMacro();
  void include(const Line& line, const LineParts& parts);
  void assign(const Line& line, const LineParts& parts);
  void expandMacro(const Line& line, const LineParts& parts);
  std::vector<SourceText> collect(const char* open, const char* close, std::size_t at);
  std::vector<std::string> macroArguments(const std::string& line, std::size_t position,
                                          std::size_t count) const;
  // substitution.cpp
  std::string substitute(const std::string& text);
  void append(std::string& out, const std::string& text, int depth, bool arguments);
  std::size_t appendCall(std::string& out, const std::string& text, std::size_t at);
  std::int32_t callString(std::string_view name, const std::vector<std::string>& arguments);
  std::int32_t takeMember(const std::vector<std::string>& arguments);
  std::string stringArgument(const std::string& text);
  std::optional<std::string> subscript(const std::string& value, const std::string& text,
                                       std::size_t& at);
  /// Text of a parameter, a .var or a global substitution symbol; null if there is none.
  std::string* substitution(std::string_view name);
  std::int32_t constant(const Line& line, std::size_t position, bool condition = false);
  std::shared_ptr<const std::vector<SourceText>> load(const std::string& name,
                                                      const std::string& source);
  Context contextOf(const Line& line, const std::string& what) const;
  Frame* macroFrame();
  void declareLocal(const Line& line, const LineParts& parts);
  void forget(const Line& line, const LineParts& parts);
  std::optional<std::pair<std::string, std::string>> findFile(const std::string& name,
                                                              const Line& line) const;

  const AssemblerOptions& options_;
  SymbolLookup lookup_;
  std::function<bool(const std::string&)> isOperation_;
  std::function<void(const Line&, const SourceError&)> report_;
  std::vector<Frame> frames_;
  std::vector<Conditional> conditionals_;
  std::map<std::string, Macro, std::less<>> macros_;
  std::map<std::string, std::string, std::less<>> substitutions_;
  std::vector<std::string> files_;
  std::size_t delivered_ = 0;
  std::size_t bytes_ = 0;
  std::uint32_t instances_ = 0;
  bool stopped_ = false;
  std::optional<Line>
      pending_;  ///< label of a line handled here, delivered before what it expands to
};

}  // namespace rtvp::c32
