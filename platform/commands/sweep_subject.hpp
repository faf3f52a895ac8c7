// What a sweep has to know of this program.
#pragma once

#include "platform/machines/machine.hpp"
#include "platform/sweep/spec.hpp"

namespace rtvp::platform {

/// Keeps references to both.
[[nodiscard]] sweep::Subject sweepSubject(const OptionTable& table, const Registry& registry);

}  // namespace rtvp::platform
