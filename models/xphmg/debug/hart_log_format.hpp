// The bytes of a hart's log that its writer and its reader must agree about: a head (program,
// digits of an address, the unit's name) and records.
#pragma once

#include <string_view>

namespace rtvp::rv64::hart_log {

inline constexpr std::string_view kMagic = "rtvp hart instructions 1\n";

// First byte of a record: which parts follow, in this order.
inline constexpr unsigned kPc = 1;          ///< else: behind the instruction before
inline constexpr unsigned kWord = 2;        ///< length, word and text; else: as the last time here
inline constexpr unsigned kStart = 4;       ///< cycles since the end of the one before; else 0
inline constexpr unsigned kCycles = 8;      ///< else 1
inline constexpr unsigned kStalls = 16;     ///< a bit a cause, then the cycles of each
inline constexpr unsigned kRegisters = 32;  ///< how many, then number and value of each
inline constexpr unsigned kAccesses = 64;   ///< how many, then address x 2 + write, size, value
inline constexpr unsigned kEntry = 128;     ///< one more than the interrupt taken in front of it,
                                            ///< and 1 if the instruction trapped

}  // namespace rtvp::rv64::hart_log
