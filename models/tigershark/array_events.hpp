// The bytes of an array's recording, which recorder and replay must agree about; and what both work
// out of an engine. Numbers are seven bits a byte, the lowest first; cycles are differences to the
// one before, even: later.
#pragma once

#include <cstdint>

#include "models/tigershark/array_engine.hpp"

namespace rtvp::tigershark::array_events {

/// First byte of an event.
enum class Event : std::uint8_t {
  State,     ///< bytes and their number: the lanes begin with it; cycles and addresses at 0 again
  Reset,     ///< cycle
  Word,      ///< word and cycle: into the chain
  Advance,   ///< horizon
  Outcome,   ///< kind and, but for Quiescent, cycle
  Release,   ///< cycle
  Window,    ///< instructions count from here on
  Register,  ///< lane, number (reg::kCount: the PC) and what a debugger has put there
  Poke,      ///< lane, address, word: likewise
  End,       ///< number of lanes, or 0, and of each where it stands: LaneEnd
};
// An access within an advance has kAccess in its first byte and what follows.
inline constexpr unsigned kAccess = 0x80;
inline constexpr unsigned kElsewhere = 1;   ///< its address; else: behind the one before
inline constexpr unsigned kWrite = 2;       ///< else four bytes: the word read
inline constexpr unsigned kError = 4;       ///< nothing answered
inline constexpr unsigned kWaitStates = 8;  ///< how many; else: as the one before

/// What a lane has come to at the end.
struct LaneEnd {
  Cycle cycle = 0;
  std::uint32_t pc = 0;
  std::uint64_t instructions = 0;
  std::uint32_t sum = 0;  ///< of its registers and its internal RAM
  friend bool operator==(const LaneEnd&, const LaneEnd&) = default;
};
[[nodiscard]] LaneEnd endOf(ArrayEngine& engine, int lane);

}  // namespace rtvp::tigershark::array_events
