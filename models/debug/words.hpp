// Reading a command's operands, with errors that know their column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/debug/expression.hpp"

namespace rtvp::debug {

class Words {
 public:
  /// `focus`: whose registers names mean. `here`: address of `:LINE`'s file.
  Words(std::string_view text, std::size_t at, const Scope& scope, std::size_t focus)
      : text_(text), at_(at), scope_(scope), focus_(focus) {}

  [[nodiscard]] bool end();
  [[nodiscard]] std::size_t column();
  /// The next word, up to a blank; fails as `expected` says if there is none.
  std::string word(std::string_view expected);
  /// The next word if it is this one.
  bool accept(std::string_view keyword);
  /// The next word if it is one of these; its index.
  std::optional<std::size_t> oneOf(const std::vector<std::string_view>& keywords);
  /// Looks at the next word and leaves it there.
  [[nodiscard]] std::string_view peek();
  [[nodiscard]] bool number();  ///< the next character is a digit

  Expression expression();
  Expression target();
  /// An expression of constants and what registers hold now, as an integer of at least `least`.
  std::int64_t integer(std::int64_t least, std::int64_t most);
  std::uint64_t address();
  /// Symbol, expression, FILE:LINE or :LINE.
  std::uint64_t place();
  std::size_t unit();
  /// `{ ... }`, what is between.
  std::string block();
  /// `"..."`, what is between.
  std::string quotedText();
  /// All that is left.
  std::string rest();
  void finish();

  /// Whose registers names mean from here on.
  void setFocus(std::size_t unit) { focus_ = unit; }
  [[nodiscard]] std::size_t focus() const { return focus_; }

  [[noreturn]] void fail(std::string_view expected);
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  void skip();
  std::optional<std::uint64_t> fileAndLine();

  std::string_view text_;
  std::size_t at_;
  const Scope& scope_;
  std::size_t focus_;
};

/// A line without its remark: `#` at the begin or behind a blank, outside quotes, and what follows.
std::string_view withoutRemark(std::string_view line);

/// The commands of a line: `;` separates them outside braces and quotes.
std::vector<std::string> splitCommands(std::string_view line);
/// More `{` than `}`: the command goes on in the next line.
bool unfinished(std::string_view text);

}  // namespace rtvp::debug
