#include "platform/options/option_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <vector>

#include "platform/options/rows/implicit.hpp"
#include "platform/options/rows/limit.hpp"
#include "platform/options/rows/output.hpp"
#include "platform/options/rows/pci.hpp"
#include "platform/options/rows/run.hpp"
#include "platform/options/rows/sl.hpp"
#include "platform/options/rows/speed.hpp"
#include "platform/options/rows/theia.hpp"
#include "platform/options/rows/tigershark.hpp"
#include "platform/options/rows/xphmg.hpp"

namespace rtvp::platform {
namespace {

using enum OptionType;

template <std::size_t... kSizes>
constexpr auto joined(const std::array<OptionSpec, kSizes>&... groups) {
  std::array<OptionSpec, (kSizes + ...)> all{};
  auto place = all.begin();
  ((place = std::copy(groups.begin(), groups.end(), place)), ...);
  return all;
}

/// One table: help, `params` and effective configuration follow this order.
constexpr std::array kTable =
    joined(rows::kRunOptions, rows::kTigersharkOptions, rows::kTheiaOptions, rows::kXphmgOptions,
           rows::kPciOptions, rows::kLimitOptions, rows::kSpeedOptions, rows::kSlOptions,
           rows::kImplicitOptions, rows::kOutputOptions);

// ---- one option an instruction form of the shading unit, from its table

struct Text {
  std::array<char, 24> characters{};
  std::size_t length = 0;
  constexpr void append(std::string_view text) {
    for (const char c : text) characters[length++] = c;
  }
  [[nodiscard]] constexpr std::string_view view() const { return {characters.data(), length}; }
};

constexpr Text cycleKey(const sl::FormInfo& form) {
  Text key;
  key.append("sl.cycles.");
  key.append(form.mnemonic);
  if (!form.operands.empty()) key.append("_");
  key.append(form.operands);
  return key;
}
constexpr Text cycleDefault(const sl::FormInfo& form) {
  Text digits;
  for (unsigned unit = 100; unit > 0; unit /= 10) {
    if (form.cycles < unit && unit > 1) continue;
    digits.characters[digits.length++] = static_cast<char>('0' + form.cycles / unit % 10);
  }
  return digits;
}

struct CycleTexts {
  std::array<Text, sl::kForms> keys;
  std::array<Text, sl::kForms> defaults;
};
constexpr CycleTexts kCycleTexts = [] {
  CycleTexts texts;
  for (std::size_t i = 0; i < sl::kForms; ++i) {
    texts.keys[i] = cycleKey(sl::kInstructions[i]);
    texts.defaults[i] = cycleDefault(sl::kInstructions[i]);
  }
  return texts;
}();

constexpr auto kAll = [] {
  std::array<OptionSpec, kTable.size() + sl::kForms> all{};
  std::copy(kTable.begin(), kTable.end(), all.begin());
  for (std::size_t i = 0; i < sl::kForms; ++i) {
    all[kTable.size() + i] = OptionSpec{
        .key = kCycleTexts.keys[i].view(),
        .type = Integer,
        .unit = "clocks",
        .fallback = kCycleTexts.defaults[i].view(),
        .lo = 0,
        .hi = 100'000,
        .help = "clocks of this instruction in the shading unit (V S destination, v s source)"};
  }
  return all;
}();

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

std::string plain(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace

std::span<const OptionSpec> optionTable() {
  return kAll;
}

std::string_view slCycleKey(sl::Form form) {
  return kCycleTexts.keys[static_cast<std::size_t>(form)].view();
}

const OptionSpec* findOption(std::string_view key) {
  const auto found =
      std::find_if(kAll.begin(), kAll.end(), [&](const OptionSpec& o) { return o.key == key; });
  return found == kAll.end() ? nullptr : &*found;
}

std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words) {
  return *std::min_element(words.begin(), words.end(), [&](std::string_view a, std::string_view b) {
    return editDistance(word, a) < editDistance(word, b);
  });
}

std::string_view nearestKey(std::string_view word) {
  // A user who forgets the prefix ("dsps") means the key whose last part is nearest.
  const bool dotted = word.find('.') != std::string_view::npos;
  std::size_t best = ~std::size_t{0};
  std::string_view nearest;
  for (const OptionSpec& o : kAll) {
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
