// Every option of the boards' processors that a board leaves open, as parameters `c32.*`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "models/c32/cpu_option_table.hpp"
#include "models/common/param.hpp"
#include "models/tigershark/board.hpp"

namespace rtvp::tigershark {
namespace detail {

/// "c32.call_cond_cycles" of "call-cond-cycles".
struct CpuKey {
  std::array<char, 40> characters{};
  std::size_t length = 0;
  constexpr explicit CpuKey(std::string_view option) {
    for (const char c : std::string_view("c32.")) characters[length++] = c;
    for (const char c : option) characters[length++] = c == '-' ? '_' : c;
  }
};

template <std::size_t kOption>
inline constexpr CpuKey kCpuKey{c32::kCpuOptions[kOption].key};

template <std::size_t kOption>
inline constexpr auto kCpuWords = [] {
  constexpr std::string_view kChoices = c32::kCpuOptions[kOption].choices;
  constexpr auto kBars =
      static_cast<std::size_t>(std::count(kChoices.begin(), kChoices.end(), '|'));
  std::array<std::string_view, kBars + 1> words{};
  std::string_view left = kChoices;
  for (std::string_view& word : words) {
    word = left.substr(0, left.find('|'));
    left.remove_prefix(std::min(left.size(), word.size() + 1));
  }
  return words;
}();

constexpr bool isFlag(const c32::CpuOption& option) {
  return option.choices == c32::detail::kOffOn;
}

template <std::size_t kOption>
constexpr common::Param cpuParam() {
  constexpr const c32::CpuOption& kRow = c32::kCpuOptions[kOption];
  common::Param p{.key = {kCpuKey<kOption>.characters.data(), kCpuKey<kOption>.length},
                  .unit = kRow.unit,
                  .help = kRow.help};
  p.root = common::rootOf<BoardConfig>;
  if constexpr (isFlag(kRow)) {
    p.type = common::ParamType::Flag;
    p.fallback = [] { return common::ParamValue(kRow.get(BoardConfig{}.cpu) != 0); };
    p.assign = [](void* config, const common::ParamValue& value) {
      kRow.set(static_cast<BoardConfig*>(config)->cpu, std::get<bool>(value) ? 1 : 0);
    };
  } else if constexpr (!kRow.choices.empty()) {
    p.type = common::ParamType::Choice;
    p.words = kCpuWords<kOption>;
    p.fallback = [] {
      return common::ParamValue(std::string(kCpuWords<kOption>[kRow.get(BoardConfig{}.cpu)]));
    };
    p.assign = [](void* config, const common::ParamValue& value) {
      const auto& words = kCpuWords<kOption>;
      const auto at = std::find(words.begin(), words.end(), std::get<std::string>(value));
      kRow.set(static_cast<BoardConfig*>(config)->cpu,
               static_cast<std::uint64_t>(at - words.begin()));
    };
  } else {
    p.type = common::ParamType::Integer;
    p.range = {static_cast<double>(kRow.least), static_cast<double>(kRow.most)};
    p.fallback = [] {
      return common::ParamValue(static_cast<std::int64_t>(kRow.get(BoardConfig{}.cpu)));
    };
    p.assign = [](void* config, const common::ParamValue& value) {
      kRow.set(static_cast<BoardConfig*>(config)->cpu,
               static_cast<std::uint64_t>(std::get<std::int64_t>(value)));
    };
  }
  return p;
}

/// The board decides these: the chain's bit clock, the barrier's hold (tigershark.*).
constexpr bool isTheBoards(std::string_view key) {
  return key == "serial-clock" || key == "hold-cycles";
}

inline constexpr std::size_t kCpuParamCount = static_cast<std::size_t>(
    std::count_if(c32::kCpuOptions.begin(), c32::kCpuOptions.end(),
                  [](const c32::CpuOption& o) { return !isTheBoards(o.key); }));

}  // namespace detail

inline constexpr std::array<common::Param, detail::kCpuParamCount> kCpuParams =
    []<std::size_t... kOption>(std::index_sequence<kOption...>) {
  std::array<common::Param, detail::kCpuParamCount> params{};
  std::size_t count = 0;
  ((detail::isTheBoards(c32::kCpuOptions[kOption].key)
        ? void()
        : void(params[count++] = detail::cpuParam<kOption>())),
   ...);
  return params;
}
(std::make_index_sequence<c32::kCpuOptions.size()>());

}  // namespace rtvp::tigershark
