// Reads of the shared bus that the board has answered already: what a lockstep array knows before a
// slave processor comes to them. The processor takes them from here as long as it reads exactly
// what is next, and asks its port for everything else. A speed device: the port would answer the
// same.
#pragma once

#include <cstdint>

#include "models/c32/port.hpp"

namespace rtvp::c32 {

struct BusTape {
  /// Address of an entry that the port must deal with: a write, a fetch, an error.
  static constexpr std::uint32_t kAskPort = ~0u;

  struct Entry {
    Cycle cycle = 0;                   ///< in which the access starts
    std::uint32_t address = kAskPort;  ///< of a 32-bit data read by STRB0
    std::uint32_t data = 0;
    std::uint32_t waitStates = 0;  ///< that the memory asks for through RDY
  };

  const Entry* next = nullptr;  ///< advanced by the processor
  const Entry* end = nullptr;
};

}  // namespace rtvp::c32
