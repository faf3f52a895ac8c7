// Text input shared by the scene parsers: bounded files, words with positions, checked numbers,
// located errors.
//
// Every scene format is blank-separated words; they differ only in whether a record ends with its
// line. One reader of words therefore serves all of them, over a whole file (NFF) or over one line
// of it (.shk, OBJ, MTL).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "platform/inputs/input_files.hpp"
#include "platform/scene/vec3.hpp"

namespace rtvp::scene {

/// 1-based position in a text; line 0 means the file as a whole. In a binary file: a byte.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  /// `line` of a place in a binary file; `column` is then the byte's offset.
  static constexpr std::uint32_t kByte = 0xFFFFFFFFU;
  [[nodiscard]] static Place atByte(std::size_t offset) {
    return {kByte, static_cast<std::uint32_t>(offset)};
  }
};

/// A text file held in memory, with the name that messages show.
class TextFile {
 public:
  TextFile(std::string name, std::string text);

  /// Reads a regular file of at most kMaxFileBytes and refuses one that holds control characters
  /// other than white space. Throws SceneError.
  [[nodiscard]] static TextFile read(const std::filesystem::path& file,
                                     const platform::InputReader& reader);
  /// The same for a file that may hold any bytes.
  [[nodiscard]] static TextFile readBinary(const std::filesystem::path& file,
                                           const platform::InputReader& reader);
  /// Fails if it holds control characters other than white space.
  void refuseBinary() const;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view text() const { return text_; }

  /// Throws SceneError "name:line:column: found FOUND, expected EXPECTED".
  [[noreturn]] void fail(Place place, std::string_view found, std::string_view expected) const;

 private:
  std::string name_;
  std::string text_;
};

/// Where a record of a file begins: what an error about the record as a whole points at.
struct Where {
  const TextFile* file = nullptr;
  Place place;
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    file->fail(place, found, expected);
  }
  /// "name:line:column: ", "name: byte N: " or "name: ", for warnings.
  [[nodiscard]] std::string prefix() const;
};

/// `word` in single quotes, shortened to `most` characters, unprintable bytes as hexadecimal
/// escapes. Names of files are of no use shortened: std::string_view::npos.
[[nodiscard]] std::string inQuotes(std::string_view word, std::size_t most = 32);

/// `text` with A-Z as a-z, whatever the locale.
[[nodiscard]] std::string lowered(std::string_view text);

/// What isspace() accepts in the C locale, as the 1996 parser's sscanf did.
[[nodiscard]] constexpr bool isBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// The blank-separated words of a text, in order.
class Words {
 public:
  /// Reads `part` of `file`, whose first character stands at `start`. With `comments`, a word that
  /// begins with '#' hides the rest of its line.
  Words(const TextFile& file, std::string_view part, Place start, bool comments);

  [[nodiscard]] bool atEnd() { return peek().empty(); }
  /// The next word without taking it; empty at the end.
  [[nodiscard]] std::string_view peek();
  /// Where the next word begins.
  [[nodiscard]] Place place();
  [[nodiscard]] Where where() { return {file_, place()}; }
  /// Right behind the word that was taken last.
  [[nodiscard]] Place lastPlace() const { return last_; }

  /// Takes the next word; `expected` is for the message when there is none.
  std::string_view word(std::string_view expected);
  /// Takes a finite number of magnitude at most kMaxNumber.
  double number(std::string_view expected);
  Vec3 vector(std::string_view expected);
  int integer(std::string_view expected, int low, int high);
  /// How many characters are left.
  [[nodiscard]] std::size_t left() const { return part_.size() - at_; }
  /// True if the next word is a whole number or fraction (a sign, digit or point begins it).
  [[nodiscard]] bool numberFollows();
  /// Takes all that is left, without surrounding blanks (file names).
  std::string_view rest();
  /// Fails unless nothing is left.
  void expectEnd();

  /// Throws SceneError at the next word.
  [[noreturn]] void fail(std::string_view expected);

 private:
  void skip();
  /// The next word is so long.
  void take(std::size_t length);
  bool takePlainNumber(double& value);
  double takeNumber(std::string_view expected);

  const TextFile* file_;
  std::string_view part_;
  std::size_t at_ = 0;
  std::size_t length_ = 0;  // of the word at at_, once `found_`
  bool found_ = false;
  bool comments_;
  Place place_;
  Place last_;
};

/// Calls `line(text without its newline, 1-based number)` for each line of `file`.
template <typename F>
void forEachLine(const TextFile& file, F&& line) {
  std::string_view rest = file.text();
  std::uint32_t number = 0;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    line(rest.substr(0, end), ++number);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace rtvp::scene
