// What an instruction makes of what: registers and words of memory that go into each result, worked
// out before it executes. Whoever asks where a value comes from follows these.
#pragma once

#include "models/c32/cpu.hpp"
#include "models/c32/isa.hpp"
#include "models/debug/unit.hpp"

namespace rtvp::c32 {

/// Results of `i` with the registers as they are: c32.md 4.4. Left out: flags (ST) as sources and
/// as results, the repeat registers of a loop that goes on, DP of a direct address.
debug::Flows flowsOf(const Instruction& i, const Cpu& cpu);

}  // namespace rtvp::c32
