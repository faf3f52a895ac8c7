// The bytes of an instruction log that its writer and its reader must agree about.
#pragma once

#include <string_view>

namespace rtvp::c32::instruction_log {

inline constexpr std::string_view kMagic = "rtvp C32 instructions 1\n";

// First byte of a record: which parts follow, in this order.
inline constexpr unsigned kPc = 1;       ///< else: behind the instruction before
inline constexpr unsigned kWord = 2;     ///< else: as the last time at this address
inline constexpr unsigned kStart = 4;    ///< cycles since the end of the one before; else 0
inline constexpr unsigned kCycles = 8;   ///< else 1
inline constexpr unsigned kStalls = 16;  ///< a bit a cause, then the cycles of each
inline constexpr unsigned kRegisters = 32;
inline constexpr unsigned kAccesses = 64;
inline constexpr unsigned kInterrupt = 128;  ///< alone: an interrupt was entered

}  // namespace rtvp::c32::instruction_log
