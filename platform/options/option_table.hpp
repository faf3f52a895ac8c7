// The one table of everything a user can set. It drives `--help`, `platform params`, `--set`,
// `--config`, the command-line options and the effective configuration in stats.json (style.md
// S22).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "models/sl/isa.hpp"

namespace rtvp::platform {

enum class OptionType : std::uint8_t {
  Integer,
  Number,
  Flag,    ///< on | off (true | false)
  Choice,  ///< one word of `choices`
  Path,    ///< file name; empty = none
  Size,    ///< WxH; "scene" = what the scene file says
  Crop,    ///< x,y,w,h; "all" = the whole picture
  Names,   ///< names separated by commas; "all" = every one
};

struct OptionSpec {
  std::string_view key = {};  ///< dotted name
  OptionType type = OptionType::Integer;
  std::string_view unit = {};      ///< "" for a pure number
  std::string_view fallback = {};  ///< default, as a user would write it
  double lo = 0;  ///< accepted range of Integer and Number, both ends included; Size: of each side
  double hi = 0;
  std::string_view choices = {};  ///< Choice: words separated by |
  std::string_view help = {};     ///< one line
  std::string_view flag = {};     ///< long command-line option; "" = only --set and --config
  char letter = 0;                ///< short command-line option
  std::string_view flagValue =
      {};             ///< not empty: the command-line option takes no argument and means this value
  bool host = false;  ///< output, speed or host setting: never changes a result and is not hashed
  std::string_view flag2 = {};       ///< second command-line option without argument
  std::string_view flag2Value = {};  ///< its value
};

/// In the order of the help.
[[nodiscard]] std::span<const OptionSpec> optionTable();

/// Null if there is no such key.
[[nodiscard]] const OptionSpec* findOption(std::string_view key);

/// The option that holds an instruction form's clocks in the shading unit.
[[nodiscard]] std::string_view slCycleKey(sl::Form form);

/// The key nearest to `word` by edit distance.
[[nodiscard]] std::string_view nearestKey(std::string_view word);

/// The word of `words` nearest to `word` by edit distance; `words` must not be empty.
[[nodiscard]] std::string_view nearestWord(std::string_view word,
                                           std::span<const std::string_view> words);

/// What the option accepts, for messages and lists: "4..512", "on | off", "WxH, ...".
[[nodiscard]] std::string acceptedValues(const OptionSpec& option);

[[nodiscard]] std::string_view typeName(OptionType type);

}  // namespace rtvp::platform
