// Programs for the XPHMG hart as the RISC-V compiler built them with this build, for programs that
// need no file at run time.
#pragma once

#include <cstdint>
#include <span>

namespace rtvp {

/// ELF of firmware/xphmg/queue_driver.c; empty: the build found no RISC-V compiler.
[[nodiscard]] std::span<const std::uint8_t> xphmgQueueDriver();

}  // namespace rtvp
