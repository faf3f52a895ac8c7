// Files, macros, loops and substitution symbols of the assembler's preprocessor.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "models/c32/asm/preprocessor.hpp"
#include "models/c32/link/archive.hpp"
#include "models/common/core/file_io.hpp"

namespace rtvp::c32 {
namespace {

std::optional<std::string> readFromDisk(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  return common::readFile(path);
}

/// The file of this path whose name differs in the case of letters only, the first in the order of
/// names; empty if there is none.
std::string otherCase(const std::string& path) {
  const std::filesystem::path wanted(path);
  const std::string name = toUpper(wanted.filename().string());
  std::filesystem::path folder = wanted.parent_path();
  if (folder.empty()) folder = ".";
  std::error_code error;
  std::vector<std::string> found;
  if (path.find('\0') != std::string::npos) return {};
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (toUpper(entry.path().filename().string()) == name) found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found.empty() ? std::string{} : found.front();
}

/// A macro library may be an archive of sources: their texts one behind the other.
std::string libraryText(const std::string& file, std::size_t at) {
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(file.data()),
                                            file.size());
  if (!isArchive(bytes)) return file;
  std::string text;
  try {
    for (const ArchiveMember& m : readArchive(bytes)) {
      text.append(m.bytes.begin(), m.bytes.end());
      text += '\n';
    }
  } catch (const ArchiveError& error) {
    throw SourceError(at, error.what());
  }
  return text;
}

/// Blanks out /* ... */ outside strings and ; comments, keeping line breaks and columns.
std::string withoutBlockComments(const std::string& source) {
  std::string out = source;
  char quote = '\0';
  bool comment = false, line = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char c = out[i];
    if (c == '\n') {
      quote = '\0';
      line = false;
    } else if (comment) {
      if (c == '*' && i + 1 < out.size() && out[i + 1] == '/') {
        comment = false;
        out[i + 1] = ' ';
      }
      out[i] = ' ';
    } else if (line) {
      continue;
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ';' || (c == '*' && (i == 0 || out[i - 1] == '\n'))) {
      line = true;
    } else if (c == '/' && i + 1 < out.size() && out[i + 1] == '*') {
      comment = true;
      out[i] = out[i + 1] = ' ';
      ++i;
    }
  }
  return out;
}

}  // namespace

std::shared_ptr<const std::vector<SourceText>> Preprocessor::load(const std::string& name,
                                                                  const std::string& source) {
  auto lines = std::make_shared<std::vector<SourceText>>();
  auto known = std::find(files_.begin(), files_.end(), name);
  const auto file = static_cast<std::uint32_t>(known - files_.begin());
  if (known == files_.end()) files_.push_back(name);
  if (source.size() > kMaxFileSize) {
    report_({.text = {}, .where = {file, 1}, .context = {}},
            SourceError(0, "found a file of " + std::to_string(source.size()) +
                               " bytes, expected at most " + std::to_string(kMaxFileSize)));
    return lines;
  }
  const std::string text = withoutBlockComments(source.substr(0, source.find('\x1A')));  // ^Z
  std::size_t start = 0;
  std::uint32_t number = 0;
  while (start < text.size()) {
    std::size_t end = text.find('\n', start);
    if (end == std::string::npos) end = text.size();
    ++number;
    std::string line = text.substr(start, end - start);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    start = end + 1;
    if (line.size() > kMaxLineLength) {
      report_({.text = {}, .where = {file, number}, .context = {}},
              SourceError(kMaxLineLength, "found a line of " + std::to_string(line.size()) +
                                              " characters, expected at most " +
                                              std::to_string(kMaxLineLength)));
      continue;
    }
    if (number > kMaxLines) break;  // more than ever can be delivered: fetch() reports it
    lines->push_back({std::move(line), {file, number}});
  }
  return lines;
}

Context Preprocessor::contextOf(const Line& line, const std::string& what) const {
  constexpr std::size_t kMaxContext = 2000;
  std::string text =
      files_[line.where.file] + ":" + std::to_string(line.where.line) + ": note: in " + what;
  if (line.context && line.context->size() < kMaxContext) text += "\n" + *line.context;
  return std::make_shared<const std::string>(std::move(text));
}

void Preprocessor::push(Frame frame, const Line& line, std::size_t position) {
  if (frames_.size() >= kMaxDepth) {
    // Everything that led here is left. Otherwise a macro that calls itself twice would try again
    // from each level, in number exponential.
    conditionals_.resize(std::min(conditionals_.size(), frames_[1].conditionals));
    frames_.erase(frames_.begin() + 1, frames_.end());
    throw SourceError(position, "found macros, loops or files nested more than " +
                                    std::to_string(kMaxDepth) +
                                    " deep, expected an end of the recursion");
  }
  frame.conditionals = conditionals_.size();
  if (!frame.context) frame.context = line.context;
  frames_.push_back(std::move(frame));
}

/// Blocks and symbols of the preprocessor; false for a line that belongs to the assembler.
bool Preprocessor::handleBlock(const Line& line, const LineParts& parts) {
  const std::string& op = parts.operation;
  if (op.empty() || parts.parallel) return false;
  if (op == ".MACRO") {
    defineMacro(line, parts);
  } else if (op == ".LOOP") {
    startLoop(line, parts);
  } else if (op == ".BREAK") {
    breakLoop(line, parts);
  } else if (op == ".MEXIT") {
    leaveMacro();
  } else if (op == ".ENDM" || op == ".ENDLOOP") {
    throw SourceError(parts.operationAt, "found " + op + ", expected its beginning before it");
  } else if (op == ".INCLUDE" || op == ".COPY" || op == ".MLIB") {
    include(line, parts);
  } else if (op == ".ASG" || op == ".EVAL") {
    assign(line, parts);
  } else if (op == ".VAR") {
    declareLocal(line, parts);
  } else if (op == ".UNASG") {
    forget(line, parts);
  } else if (isMacro(op)) {
    expandMacro(line, parts);
  } else {
    return false;
  }
  return true;
}

/// Lines up to the matching `close`, which is consumed.
std::vector<SourceText> Preprocessor::collect(const char* open, const char* close, std::size_t at) {
  std::vector<SourceText> body;
  Frame& top = frames_.back();
  int depth = 1;
  while (top.position < top.lines->size()) {
    const SourceText& source = (*top.lines)[top.position++];
    ++delivered_;
    std::string operation;
    try {
      operation = splitLine(source.text, isOperation_).operation;
    } catch (const SourceError&) {
      operation.clear();  // reported when the body is assembled
    }
    if (operation == open) ++depth;
    if (operation == close && --depth == 0) return body;
    body.push_back(source);
  }
  throw SourceError(at, std::string("found ") + open + " without " + close + ", expected " + close);
}

void Preprocessor::defineMacro(const Line& line, const LineParts& parts) {
  Macro macro;
  Scanner s(line.text, parts.operandsAt);
  while (!s.atEnd()) {
    const std::string parameter = s.name();
    if (parameter.empty()) s.fail("a parameter name");
    macro.parameters.push_back(parameter);
    if (!s.accept(',')) break;
    s.skipBlanks();
  }
  const bool clean = s.atEnd();
  macro.body = std::make_shared<const std::vector<SourceText>>(
      collect(".MACRO", ".ENDM", parts.operationAt));
  if (!clean) s.fail("',' or end of line");
  if (parts.label.empty())
    throw SourceError(parts.operationAt, "found .macro without a name, expected NAME .macro");
  macros_[toUpper(parts.label)] = std::move(macro);
}

void Preprocessor::startLoop(const Line& line, const LineParts& parts) {
  constexpr std::int32_t kDefaultCount = 1024;  // of the vendor's assembler
  Frame frame;
  frame.kind = Frame::Kind::Loop;
  frame.lines = std::make_shared<const std::vector<SourceText>>(
      collect(".LOOP", ".ENDLOOP", parts.operationAt));
  Scanner s(line.text, parts.operandsAt);
  const std::int32_t count = s.atEnd() ? kDefaultCount : constant(line, parts.operandsAt);
  if (count <= 0) return;
  frame.iterations = count - 1;
  push(std::move(frame), line, parts.operationAt);
}

void Preprocessor::breakLoop(const Line& line, const LineParts& parts) {
  Scanner s(line.text, parts.operandsAt);
  if (!s.atEnd() && constant(line, parts.operandsAt, true) == 0) return;
  if (frames_.empty() || frames_.back().kind != Frame::Kind::Loop) {
    throw SourceError(parts.operationAt,
                      "found .break outside a loop, expected it between .loop and .endloop");
  }
  conditionals_.resize(frames_.back().conditionals);
  frames_.pop_back();
}

void Preprocessor::leaveMacro() {
  while (!frames_.empty() && frames_.back().kind != Frame::Kind::File) {
    const bool macro = frames_.back().kind == Frame::Kind::Macro;
    conditionals_.resize(frames_.back().conditionals);
    frames_.pop_back();
    if (macro) return;
  }
}

/// Name and text of an included file: beside the including one, then in the folders of -I; there
/// also with the letters of another case and with DOS's separators, as on the machine it comes
/// from.
std::optional<std::pair<std::string, std::string>> Preprocessor::findFile(const std::string& name,
                                                                          const Line& line) const {
  const auto& read = options_.readFile ? options_.readFile : readFromDisk;
  std::string slashed = name;
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  std::vector<std::filesystem::path> folders = {
      std::filesystem::path(files_[line.where.file]).parent_path()};
  folders.insert(folders.end(), options_.includeDirectories.begin(),
                 options_.includeDirectories.end());
  for (const std::filesystem::path& folder : folders) {
    for (const std::string& spelling : {name, slashed}) {
      const std::string candidate = (folder / spelling).string();
      if (candidate.find('\0') != std::string::npos) continue;
      if (auto source = read(candidate)) return std::pair{candidate, std::move(*source)};
    }
    if (options_.readFile) continue;
    const std::string other = otherCase((folder / slashed).string());
    if (other.empty()) continue;
    if (auto source = read(other)) return std::pair{other, std::move(*source)};
  }
  return std::nullopt;
}

void Preprocessor::include(const Line& line, const LineParts& parts) {
  Scanner s(line.text, parts.operandsAt);
  std::string name;
  if (s.peek() == '"') {
    name = s.quoted();
  } else {
    while (!s.atEnd()) name += s.next();
  }
  if (!s.atEnd()) s.fail("end of line");
  if (name.empty()) s.fail("a file name");
  if (const auto found = findFile(name, line)) {
    Frame frame;
    frame.context = contextOf(line, "file included from here");
    if (frames_.size() >= kMaxDepth) push({}, line, parts.operationAt);
    frame.lines = load(found->first, libraryText(found->second, parts.operationAt));
    push(std::move(frame), line, parts.operationAt);
    return;
  }
  throw SourceError(
      parts.operandsAt,
      "found no file \"" + name + "\", expected one beside the source or in an include folder");
}

void Preprocessor::assign(const Line& line, const LineParts& parts) {
  const std::size_t comma = [&] {
    char quote = '\0';
    std::size_t last = std::string::npos;
    for (std::size_t i = parts.operandsAt; i < line.text.size(); ++i) {
      const char c = line.text[i];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == ';') {
        break;
      } else if (c == ',') {
        last = i;
      }
    }
    return last;
  }();
  if (comma == std::string::npos)
    throw SourceError(parts.operandsAt, parts.operation + " needs a value, a comma and a name");
  Scanner s(line.text, comma + 1);
  s.skipBlanks();
  const std::string name = s.name();
  if (name.empty() || !s.atEnd()) s.fail("the name of a substitution symbol");
  Line value = line;
  value.text = substitute(line.text.substr(0, comma));
  if (parts.operation == ".EVAL") {
    const std::string number =
        std::to_string(constant(value, splitLine(value.text, isOperation_).operandsAt, true));
    std::string* const known = substitution(name);
    (known != nullptr ? *known : substitutions_[name]) = number;
    return;
  }
  Scanner text(value.text, parts.operandsAt);
  std::string replacement;
  if (text.peek() == '"') {
    replacement = text.quoted();
    if (!text.atEnd()) text.fail("','");
  } else {
    replacement = value.text.substr(parts.operandsAt);
    while (!replacement.empty() && isBlank(replacement.back())) replacement.pop_back();
  }
  std::string* const known = substitution(name);  // a parameter or .var keeps its scope
  (known != nullptr ? *known : substitutions_[name]) = replacement;
}

/// .var: substitution symbols of this expansion only, empty at first.
void Preprocessor::declareLocal(const Line& line, const LineParts& parts) {
  Frame* const macro = macroFrame();
  if (macro == nullptr)
    throw SourceError(parts.operationAt, "found .var outside a macro, expected it in one");
  Scanner s(line.text, parts.operandsAt);
  do {
    s.skipBlanks();
    const std::string name = s.name();
    if (name.empty()) s.fail("the name of a substitution symbol");
    macro->arguments[name];
  } while (s.accept(','));
  if (!s.atEnd()) s.fail("',' or end of line");
}

void Preprocessor::forget(const Line& line, const LineParts& parts) {
  Scanner s(line.text, parts.operandsAt);
  const std::string name = s.name();
  if (name.empty() || !s.atEnd()) s.fail("the name of a substitution symbol");
  substitutions_.erase(name);
}

/// Splits a call's operands at top-level commas; surplus ones stay in the last argument.
std::vector<std::string> Preprocessor::macroArguments(const std::string& line, std::size_t position,
                                                      std::size_t count) const {
  std::vector<std::string> arguments;
  std::string current;
  char quote = '\0';
  int parentheses = 0;
  const auto finish = [&] {
    while (!current.empty() && isBlank(current.back())) current.pop_back();
    const std::size_t first = current.find_first_not_of(" \t");
    current.erase(0, first == std::string::npos ? 0 : first);
    const std::size_t n = current.size();
    if (n >= 2 && current.front() == '"' && current.back() == '"' &&
        current.find('"', 1) == n - 1) {
      current = current.substr(1, n - 2);
    }
    arguments.push_back(current);
    current.clear();
  };
  for (std::size_t i = position; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ';') {
      break;
    } else if (c == '(') {
      ++parentheses;
    } else if (c == ')') {
      --parentheses;
    } else if (c == ',' && parentheses <= 0 && arguments.size() + 1 < count) {
      finish();
      continue;
    }
    current += c;
  }
  finish();
  return arguments;
}

void Preprocessor::expandMacro(const Line& line, const LineParts& parts) {
  const Macro& macro = macros_.find(parts.operation)->second;
  Frame frame;
  frame.kind = Frame::Kind::Macro;
  frame.lines = macro.body;
  frame.context = contextOf(line, "macro " + parts.operation + " called from here");
  frame.instance = "$" + std::to_string(++instances_) + "$";
  const std::vector<std::string> arguments =
      macroArguments(line.text, parts.operandsAt, macro.parameters.size());
  if (macro.parameters.empty() && !arguments.front().empty()) {
    throw SourceError(parts.operandsAt, foundExpected(line.text, parts.operandsAt, "no argument"));
  }
  for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
    frame.arguments[macro.parameters[i]] = i < arguments.size() ? arguments[i] : std::string{};
  }
  push(std::move(frame), line, parts.operationAt);
}

}  // namespace rtvp::c32
