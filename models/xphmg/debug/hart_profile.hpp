// Where a hart's cycles went, in the form of all profiles.
#pragma once

#include <string>

#include "models/debug/profile.hpp"
#include "models/xphmg/hart/account.hpp"
#include "models/xphmg/hart/elf.hpp"

namespace rtvp::rv64 {

/// Executions are those of instructions that began: of the sum of all, those that retired are
/// "executing" and those that trapped are "trap". Throws ElfError for line tables that are wrong.
[[nodiscard]] debug::Profile profileOf(std::string machine, std::string unit, const ElfImage& image,
                                       const Account& account);

/// Why a profile has no coverage by source line; empty: it has.
[[nodiscard]] std::string noCoverage(const ElfImage& image);

}  // namespace rtvp::rv64
