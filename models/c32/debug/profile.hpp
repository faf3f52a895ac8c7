// What processors' accounts say (cycle_account.hpp), with their program's symbols and lines.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/c32/cycle_account.hpp"
#include "models/debug/profile.hpp"

namespace rtvp::c32 {

/// Processors by name that ran `image`.
[[nodiscard]] debug::Profile profileOf(
    std::string machine, const Image& image,
    const std::vector<std::pair<std::string, PlaceCosts>>& processors);

/// Instructions of the program that control can come to from `begins` on: by falling through and by
/// branches and calls to fixed addresses.
[[nodiscard]] std::set<std::uint32_t> reachableCode(const Image& image,
                                                    const std::set<std::uint32_t>& begins);

}  // namespace rtvp::c32
