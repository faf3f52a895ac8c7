// What a user may set of the boards' computer beside what models/tigershark/params.hpp has.
#pragma once

#include <array>
#include <string>

#include "models/common/param.hpp"
#include "platform/drivers/tigershark/database.hpp"

namespace rtvp::platform {

struct TigersharkOptions {
  std::string firmware;  ///< a COFF file; empty = the one built with the platform
  std::string records;   ///< a layout of records (docs/records.md); empty = none but the firmware's
  std::string sramDump;  ///< output: what is in SRAM before the first batch; empty = none
  std::string resultLog;  ///< output: every result; empty = none
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
    common::param<&TigersharkOptions::records>(
        "tigershark.records",
        "JSON file: records and result words that the firmware has of its own (docs/records.md)")
        .listedAfter("tigershark.firmware"),
    common::param<&TigersharkOptions::sramDump>(
        "tigershark.sram_dump",
        "file: every board's SRAM before the first batch, with symbols and records")
        .ofHost()
        .listedAfter("tigershark.records"),
    common::param<&TigersharkOptions::resultLog>(
        "tigershark.result_log",
        "CSV file: every result that a DSP sends, with the words that tigershark.records adds: the "
        "firmware's way to talk to its programmer")
        .ofHost()
        .listedAfter("tigershark.sram_dump"),
};

}  // namespace rtvp::platform
