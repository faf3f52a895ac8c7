// What a user may set of the SL shading unit.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "models/common/param_time.hpp"
#include "models/sl/unit/sl_unit.hpp"

namespace rtvp::sl::unit {

inline constexpr std::array kUnitParams{
    common::param<&SlUnitConfig::core, &CoreConfig::pipelines>(
        "sl.pipelines", "pipelines", {1, 64},
        "programs that run at the same time in the shading unit"),
    common::clockParam<&SlUnitConfig::period>("sl.clock_hz", {1e3, 1e10},
                                              "clock of the shading unit"),
    common::param<&SlUnitConfig::core, &CoreConfig::programWords>(
        "sl.program_words", "instructions", {1, 8192}, "program store of the shading unit"),
    common::param<&SlUnitConfig::core, &CoreConfig::cacheLines>(
        "sl.cache_lines", "lines of 8 texels", {0, 65536},
        "texture cache of the shading unit; 0 = every texel is a bus transfer"),
    common::param<&SlUnitConfig::wordClocks>("sl.word_clocks", "clocks", {0, 1000},
                                             "each word of such a transfer"),
};

namespace detail {

/// "sl.cycles.add_Vvv": the form's mnemonic and operands.
struct CycleKey {
  std::array<char, 24> characters{};
  std::size_t length = 0;
  constexpr void append(std::string_view text) {
    for (const char c : text) characters[length++] = c;
  }
};
inline constexpr std::array<CycleKey, kForms> kCycleKeys = [] {
  std::array<CycleKey, kForms> keys{};
  for (std::size_t i = 0; i < kForms; ++i) {
    keys[i].append("sl.cycles.");
    keys[i].append(kInstructions[i].mnemonic);
    if (!kInstructions[i].operands.empty()) keys[i].append("_");
    keys[i].append(kInstructions[i].operands);
  }
  return keys;
}();

template <std::size_t kForm>
constexpr common::Param cycleParam() {
  const CycleKey& key = kCycleKeys[kForm];
  return common::param<&SlUnitConfig::core, &CoreConfig::cycles, common::Element<kForm>{}>(
      {key.characters.data(), key.length}, "clocks", {0, 100'000},
      "clocks of this instruction in the shading unit (V S destination, v s source)");
}

}  // namespace detail

/// The clocks of each instruction form.
inline constexpr std::array<common::Param, kForms> kCycleParams =
    []<std::size_t... kForm>(std::index_sequence<kForm...>) {
  return std::array{detail::cycleParam<kForm>()...};
}
(std::make_index_sequence<kForms>());

}  // namespace rtvp::sl::unit
