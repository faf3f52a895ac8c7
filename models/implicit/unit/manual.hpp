// The unit's reference pages, from its tables: registers, counters, faults, costs (MANUAL.md).
#pragma once

#include <string>

namespace rtvp::implicit::unit {

std::string manual();

}  // namespace rtvp::implicit::unit
