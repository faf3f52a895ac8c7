// Surfaces f = 0 for a machine of triangles and spheres whose firmware the user has taught them.
#pragma once

#include <span>

#include "platform/machines/line_up.hpp"

namespace rtvp::platform {

/// A member takes all surfaces f = 0, beside the triangles and spheres it knows: its parameter
/// MachineInfo::functionsParameter (tigershark.records) names a layout for them. Throws InputError
/// if another machine of the run finds hits, too: who finds what would be anybody's guess.
[[nodiscard]] bool surfacesDeclared(std::span<const LineUp::Member> members);

}  // namespace rtvp::platform
