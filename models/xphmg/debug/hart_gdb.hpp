// The hart's registers as GDB's description of RISC-V has them ("Debugging with GDB", G.5.11).
#pragma once

#include "models/debug/remote/gdb.hpp"

namespace rtvp::rv64 {

/// For rv64::DebugUnit.
[[nodiscard]] debug::GdbTarget gdbTarget();

}  // namespace rtvp::rv64
