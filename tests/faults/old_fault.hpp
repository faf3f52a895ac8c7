// Put in front of every file that an old fault is put back into (scripts/faults): which one is on.
#pragma once

#include <cstdlib>
#include <string_view>

namespace rtvp_old_fault {

inline std::string_view active() {
  static const char* const name = std::getenv("RTVP_OLD_FAULT");
  return name == nullptr ? std::string_view() : std::string_view(name);
}

}  // namespace rtvp_old_fault

/// True while the fault of that name is on; asked of the environment once a place.
#define OLD_FAULT(name)                                          \
  ([] {                                                          \
    static const bool on = ::rtvp_old_fault::active() == (name); \
    return on;                                                   \
  }())
