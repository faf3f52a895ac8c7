// The machines that ship, for the registry.
#pragma once

#include "platform/machines/machine.hpp"

namespace rtvp::platform {

[[nodiscard]] const MachineKind& tigersharkKind();
[[nodiscard]] const MachineKind& theiaKind();
[[nodiscard]] const MachineKind& xphmgKind();
[[nodiscard]] const MachineKind& implicitKind();
[[nodiscard]] const MachineKind& slKind();
[[nodiscard]] const MachineKind& referenceKind();

}  // namespace rtvp::platform
