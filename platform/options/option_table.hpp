// The table of everything a user can set, put together when the program starts. It drives
// `--help`, `platform params`, `--set`, `--config`, the command-line options and the effective
// configuration in stats.json (style.md S22).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/param.hpp"

namespace rtvp::platform {

using OptionType = common::ParamType;

/// A row of the table, as a user sees it.
struct OptionSpec {
  std::string_view key = {};  ///< dotted name
  OptionType type = OptionType::Integer;
  std::string_view unit = {};      ///< "" for a pure number
  std::string_view fallback = {};  ///< default, as a user would write it
  double lo = 0;  ///< accepted range of Integer and Number, both ends included; Size: of each side
  double hi = 0;
  std::string_view choices = {};  ///< Choice: words separated by |
  /// Choice: a word of earlier versions and what it is called now; empty: there is none.
  std::string_view oldWord = {}, newWord = {};
  std::string_view help = {};  ///< one line
  std::string_view flag = {};  ///< long command-line option; "" = only --set and --config
  char letter = 0;             ///< short command-line option
  std::string_view flagValue =
      {};             ///< not empty: the command-line option takes no argument and means this value
  bool host = false;  ///< output, speed or host setting: never changes a result and is not hashed
  std::string_view flag2 = {};       ///< second command-line option without argument
  std::string_view flag2Value = {};  ///< its value
};

/// Parameters of everything that can run, in the order of the help. It owns every text of its rows.
/// Settings refer to it: it is complete, and stays, while there are any.
class OptionTable {
 public:
  OptionTable() = default;
  ~OptionTable() = default;
  OptionTable(OptionTable&&) = default;
  OptionTable& operator=(OptionTable&&) = default;
  OptionTable(const OptionTable&) = delete;
  OptionTable& operator=(const OptionTable&) = delete;

  /// Adds a row for each parameter, with the default that a fresh struct has. Throws
  /// std::logic_error for a key or a command-line option that is there already, or an unknown
  /// neighbour.
  void add(std::span<const common::Param> group);

  /// Says which words the Choice option `key` accepts. Throws std::logic_error if it is no Choice,
  /// a word is empty or has a '|', or its default is not among them.
  void setChoices(std::string_view key, std::span<const std::string_view> words);

  [[nodiscard]] std::span<const OptionSpec> all() const { return rows_; }

  /// Null if there is no such key.
  [[nodiscard]] const OptionSpec* find(std::string_view key) const;

  /// The key nearest to `word` by edit distance; the table must not be empty.
  [[nodiscard]] std::string_view nearest(std::string_view word) const;

 private:
  std::string_view own(std::string_view text);
  OptionSpec rowOf(const common::Param& param);

  std::vector<OptionSpec> rows_;
  std::map<std::string_view, std::size_t> places_;  // key -> index in rows_
  std::deque<std::string> texts_;                   // what rows_ and places_ point into
};

/// What the option accepts, for messages and lists: "4..512", "on | off", "WxH, ...".
[[nodiscard]] std::string acceptedValues(const OptionSpec& option);

/// A value as --set takes it.
[[nodiscard]] std::string valueText(const common::ParamValue& value);
[[nodiscard]] std::string sizeText(const common::PictureSize& size);
[[nodiscard]] std::string cropText(const common::CropBox& crop);

[[nodiscard]] std::string_view typeName(OptionType type);

}  // namespace rtvp::platform
