// Every option of the boards' processors that a board leaves open, as parameters
// `tigershark.cpu.*`.
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

/// "tigershark.cpu.call_cond_cycles" of "call-cond-cycles".
struct CpuKey {
  std::array<char, 56> characters{};
  std::size_t length = 0;
  constexpr explicit CpuKey(std::string_view option) {
    for (const char c : std::string_view("tigershark.cpu.")) characters[length++] = c;
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

/// What the shipped firmware stands of an option. Found by rendering scenes/cornell.shk with every
/// option at each word and both ends (a test repeats it), and with 4 and 64 processors, two page
/// buffers, 7 wait states, a small memory and surface shaders at the ends. Beyond, its routines
/// miss what does not wait for them: words of the chain, the barrier's bus. A write's cycles come
/// on top of the wait states.
struct FirmwareLimit {
  std::string_view option;
  std::uint64_t most;
  std::string_view help;  ///< instead of the option's own; empty: that
};
inline constexpr std::array kFirmwareLimits{
    FirmwareLimit{"bcond-untaken-cycles", 10, {}},
    FirmwareLimit{"external-write-cycles", 7, {}},
    FirmwareLimit{"interrupt-entry-cycles", 20, {}},
    FirmwareLimit{"microprocessor-mode", 1,
                  "off: the boot ROM is at address 0, which waits for a loader that the boards do "
                  "not have (the run ends with a deadlock report)"},
    FirmwareLimit{"prgw-pin", 1,
                  "level at PRGW, ST bit 15; the firmware needs 32-bit program memory: high only "
                  "together with prgw_selects_16=off"},
    FirmwareLimit{"prgw-selects-16", 1,
                  "PRGW high (off: low) means 16-bit program memory; off only together with "
                  "prgw_pin=high"},
};

/// Its row for the boards' firmware.
constexpr c32::CpuOption limited(c32::CpuOption option) {
  for (const FirmwareLimit& limit : kFirmwareLimits) {
    if (limit.option != option.key) continue;
    option.most = std::min(option.most, limit.most);
    if (!limit.help.empty()) option.help = limit.help;
  }
  return option;
}

template <std::size_t kOption>
inline constexpr c32::CpuOption kCpuRow = limited(c32::kCpuOptions[kOption]);

template <std::size_t kOption>
constexpr common::Param cpuParam() {
  constexpr const c32::CpuOption& kRow = kCpuRow<kOption>;
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
