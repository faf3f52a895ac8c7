// How a run of a program ended, in words: for error messages of tools and the platform.
#pragma once

#include <cstdint>
#include <string>

#include "models/xphmg/hart/elf.hpp"
#include "models/xphmg/hart/hart.hpp"
#include "models/xphmg/hart/machine.hpp"

namespace rtvp::rv64 {

/// An address and the symbol that covers it: 0x80000010 (main+0x8).
[[nodiscard]] std::string place(const ElfImage& image, std::uint64_t address);

/// Cause, value and place of the last trap; empty: there was none.
[[nodiscard]] std::string lastTrap(const Hart& hart, const ElfImage& image);

/// One line; `hart` is as the run left it.
[[nodiscard]] std::string describe(const Outcome& outcome, const Hart& hart, const ElfImage& image);

}  // namespace rtvp::rv64
