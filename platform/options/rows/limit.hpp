// Rows of the option table: limits of a run.
#pragma once

#include <array>

#include "platform/options/option_table.hpp"

namespace rtvp::platform::rows {

using enum OptionType;

inline constexpr std::array kLimitOptions = {
    OptionSpec{.key = "run.limit_ms",
               .type = Number,
               .unit = "ms",
               .fallback = "0",
               .lo = 0,
               .hi = 1e9,
               .help = "end with status 4 after so much simulated time; 0 = no limit"},
};

}  // namespace rtvp::platform::rows
