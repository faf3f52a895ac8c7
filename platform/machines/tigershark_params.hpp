// What a user may set of the boards' computer beside what models/tigershark/params.hpp has.
#pragma once

#include <array>
#include <string>

#include "models/common/param.hpp"
#include "platform/drivers/tigershark/database.hpp"

namespace rtvp::platform {

struct TigersharkOptions {
  std::string firmware;  ///< a COFF file; empty = the one built with the platform
};

/// Rows of TigersharkOptions and host::DatabaseOptions.
inline constexpr std::array kTigersharkParams{
    common::param<&host::DatabaseOptions::boards>(
        "tigershark.boards", {}, {1, 16}, "boards in a host; the database is split among them")
        .onCommandLine("boards")
        .listedAfter("tigershark.dsps"),
    common::param<&host::DatabaseOptions::vote>(
        "tigershark.vote", "boxes and the vote line; off = every ray tests every primitive")
        .listedAfter("tigershark.fifo_depth"),
    common::param<&TigersharkOptions::firmware>(
        "tigershark.firmware", "COFF file to load instead of the firmware built with the platform")
        .listedAfter("tigershark.hold_cycles"),
};

}  // namespace rtvp::platform
