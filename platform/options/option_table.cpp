#include "platform/options/option_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "models/common/core/nearest_word.hpp"

namespace rtvp::platform {
namespace {

using enum common::ParamType;

bool hasFlag(std::span<const OptionSpec> rows, std::string_view flag) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const OptionSpec& o) { return o.flag == flag || o.flag2 == flag; });
}

std::string plain(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

// Shortest text that reads back as the same number, as people write it: 30000000, 1e9, 1e-05.
std::string numberText(double value) {
  std::string text = plain(value);
  if (text.find("e+") == std::string::npos) return text;
  if (std::abs(value) < 1e9) {
    std::array<char, 32> fixed{};
    const auto end =
        std::to_chars(fixed.data(), fixed.data() + fixed.size(), value, std::chars_format::fixed)
            .ptr;
    return {fixed.data(), end};
  }
  for (const char* const padding : {"e+0", "e+"}) {
    const std::size_t at = text.find(padding);
    if (at != std::string::npos) text.replace(at, std::string_view(padding).size(), "e");
  }
  return text;
}

}  // namespace

std::string sizeText(const common::PictureSize& v) {
  if (v == common::PictureSize{}) return "scene";
  return std::to_string(v.width) + "x" + std::to_string(v.height);
}

std::string cropText(const common::CropBox& v) {
  if (v == common::CropBox{}) return "all";
  return std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.width) + "," +
         std::to_string(v.height);
}

std::string valueText(const common::ParamValue& value) {
  struct ToText {
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return numberText(v); }
    std::string operator()(bool v) const { return v ? "on" : "off"; }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(const common::PictureSize& v) const { return sizeText(v); }
    std::string operator()(const common::CropBox& v) const { return cropText(v); }
  };
  return std::visit(ToText{}, value);
}

std::string_view OptionTable::own(std::string_view text) {
  return text.empty() ? text : std::string_view(texts_.emplace_back(text));
}

OptionSpec OptionTable::rowOf(const common::Param& param) {
  std::string choices;
  for (const std::string_view word : param.words) {
    choices += choices.empty() ? "" : "|";
    choices += word;
  }
  return {.key = own(param.key),
          .type = param.type,
          .unit = own(param.unit),
          .fallback = own(valueText(param.fallback())),
          .lo = param.range.lo,
          .hi = param.range.hi,
          .choices = own(choices),
          .oldWord = own(param.oldWord),
          .newWord = own(param.newWord),
          .help = own(param.help),
          .flag = own(param.option),
          .letter = param.letter,
          .flagValue = own(param.optionValue),
          .host = param.host,
          .flag2 = own(param.option2),
          .flag2Value = own(param.option2Value)};
}

void OptionTable::add(std::span<const common::Param> group) {
  std::size_t at = rows_.size();
  for (const common::Param& param : group) {
    for (const std::string_view flag : {param.option, param.option2}) {
      if (!flag.empty() && hasFlag(rows_, flag)) {
        throw std::logic_error("two options --" + std::string(flag));
      }
    }
    if (find(param.key) != nullptr) {
      throw std::logic_error("two options '" + std::string(param.key) + "'");
    }
    if (!param.neighbour.empty()) {
      const OptionSpec* const neighbour = find(param.neighbour);
      if (neighbour == nullptr) {
        throw std::logic_error("no option '" + std::string(param.neighbour) + "'");
      }
      at = static_cast<std::size_t>(neighbour - rows_.data()) + (param.before ? 0 : 1);
    }
    rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(at), rowOf(param));
    for (std::size_t i = at; i < rows_.size(); ++i) places_[rows_[i].key] = i;
    ++at;
  }
}

void OptionTable::setChoices(std::string_view key, std::span<const std::string_view> words) {
  const auto place = places_.find(key);
  if (place == places_.end() || rows_[place->second].type != Choice) {
    throw std::logic_error("no choice '" + std::string(key) + "'");
  }
  OptionSpec& row = rows_[place->second];
  std::string choices;
  for (const std::string_view word : words) {
    if (word.empty() || word.find('|') != std::string_view::npos) {
      throw std::logic_error(std::string(key) + ": '" + std::string(word) + "' is no word");
    }
    choices += choices.empty() ? "" : "|";
    choices += word;
  }
  if (std::find(words.begin(), words.end(), row.fallback) == words.end()) {
    throw std::logic_error(std::string(key) + ": the default '" + std::string(row.fallback) +
                           "' is none of " + choices);
  }
  row.choices = own(choices);
}

const OptionSpec* OptionTable::find(std::string_view key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? nullptr : &rows_[found->second];
}

std::string_view OptionTable::nearest(std::string_view word) const {
  // A user who forgets the prefix ("dsps") means the key whose last part is nearest.
  const bool dotted = word.find('.') != std::string_view::npos;
  std::size_t best = ~std::size_t{0};
  std::string_view nearest;
  for (const OptionSpec& o : rows_) {
    const std::string_view candidate = dotted ? o.key : o.key.substr(o.key.find_last_of('.') + 1);
    const std::size_t distance = common::editDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = o.key;
    }
  }
  return nearest;
}

std::string acceptedValues(const OptionSpec& option) {
  switch (option.type) {
    case Integer:
      return "a whole number " + plain(option.lo) + ".." + plain(option.hi);
    case Number:
      return "a number " + plain(option.lo) + ".." + plain(option.hi);
    case Flag:
      return "on or off";
    case Choice: {
      std::string text = "one of ";
      for (const char c : option.choices) text += c == '|' ? std::string(", ") : std::string(1, c);
      return text;
    }
    case Path:
      return "a file name";
    case Text:
      return "a text";
    case Size:
      return "WxH, each " + plain(option.lo) + ".." + plain(option.hi) + ", or scene";
    case Crop:
      return "x,y,w,h inside the picture, or all";
    case Names:
      return "names separated by commas, or all";
  }
  return {};
}

std::string_view typeName(OptionType type) {
  switch (type) {
    case Integer:
      return "int";
    case Number:
      return "float";
    case Flag:
      return "bool";
    case Choice:
      return "enum";
    case Path:
      return "path";
    case Text:
      return "text";
    case Size:
      return "size";
    case Crop:
      return "crop";
    case Names:
      return "names";
  }
  return {};
}

}  // namespace rtvp::platform
