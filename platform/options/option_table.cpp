#include "platform/options/option_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <stdexcept>

namespace rtvp::platform {
namespace {

using enum OptionType;

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substitute});
    }
  }
  return row.back();
}

bool hasFlag(std::span<const OptionSpec> rows, std::string_view flag) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const OptionSpec& o) { return o.flag == flag || o.flag2 == flag; });
}

std::string plain(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace

std::string_view OptionTable::own(std::string_view text) {
  return text.empty() ? text : std::string_view(texts_.emplace_back(text));
}

void OptionTable::add(std::span<const OptionSpec> group) {
  for (OptionSpec row : group) {
    for (const std::string_view flag : {row.flag, row.flag2}) {
      if (!flag.empty() && hasFlag(rows_, flag)) {
        throw std::logic_error("two options --" + std::string(flag));
      }
    }
    for (std::string_view* const text :
         {&row.key, &row.unit, &row.fallback, &row.choices, &row.help, &row.flag, &row.flagValue,
          &row.flag2, &row.flag2Value}) {
      *text = own(*text);
    }
    if (!places_.emplace(row.key, rows_.size()).second) {
      throw std::logic_error("two options '" + std::string(row.key) + "'");
    }
    rows_.push_back(row);
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

std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words) {
  return *std::min_element(words.begin(), words.end(), [&](std::string_view a, std::string_view b) {
    return editDistance(word, a) < editDistance(word, b);
  });
}

std::string_view OptionTable::nearest(std::string_view word) const {
  // A user who forgets the prefix ("dsps") means the key whose last part is nearest.
  const bool dotted = word.find('.') != std::string_view::npos;
  std::size_t best = ~std::size_t{0};
  std::string_view nearest;
  for (const OptionSpec& o : rows_) {
    const std::string_view candidate = dotted ? o.key : o.key.substr(o.key.find_last_of('.') + 1);
    const std::size_t distance = editDistance(word, candidate);
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
