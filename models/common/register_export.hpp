// Register tables in the forms that other tools read: SystemRDL 2.0 and CMSIS-SVD 1.3. Everything
// comes from the tables (register_table.hpp); what the forms have no word for is in descriptions.
//
// | table             | SystemRDL                          | CMSIS-SVD                          |
// |-------------------|------------------------------------|------------------------------------|
// | Access::Ro        | sw = r; hw = rw                    | read-only                          |
// | Access::Wo        | sw = w, register external, wuser   | write-only                         |
// | Access::Rw        | sw = rw; hw = rw if side effects,  | read-write                         |
// |                   | else r                             |                                    |
// | Access::W1c       | sw = rw; onwrite = woclr           | read-write, oneToClear             |
// | ReadEffect::Takes | register external, onread = ruser  | readAction modify                  |
// | ReadEffect::Others| register external, onread = ruser  | readAction modifyExternal          |
// | rows NAMEn, NAMEm | NAME[count]                        | NAME%s with dim, dimIndex          |
//
// A reset value is given for what software writes, for reserved bits, and for read-only fields
// that the table says to begin as something else than 0; a read-only field of 0 is one that the
// machine computes, and what a FIFO gives first is not known.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/register_table.hpp"

namespace rtvp::common {

/// A block of registers with its place.
struct RegisterPage {
  std::string name;         ///< an identifier
  std::string description;  ///< one line
  std::uint64_t base = 0;   ///< byte address, in the document's address space
  std::uint64_t bytes = 0;  ///< at least up to the last register's end
  std::span<const RegisterDescriptor> table;
};

/// Rows that are the same but for a number at the end of their names, which counts up by one, and
/// for equal steps of their offsets; or one row.
struct RegisterRun {
  std::size_t first = 0;  ///< row
  std::size_t count = 1;
  std::string stem;              ///< of the names; the name if there is one row
  unsigned number = 0;           ///< of the first row, if there are several
  std::uint32_t stride = 0;      ///< bytes
  std::uint64_t resetKnown = 0;  ///< bits whose reset value the table knows, see above
};
[[nodiscard]] std::vector<RegisterRun> runsOf(std::span<const RegisterDescriptor> table);

/// Letters, digits and underscores: what both forms take as a name.
[[nodiscard]] std::string identifierOf(std::string_view name);

/// One addrmap for each page and, if `together`, one called `name` that has them at their bases,
/// which must then not overlap.
[[nodiscard]] std::string systemRdl(std::string_view name, std::string_view description,
                                    std::span<const RegisterPage> pages, bool together);

/// One device of these peripherals. `version`: of the description.
[[nodiscard]] std::string cmsisSvd(std::string_view name, std::string_view description,
                                   std::string_view version, std::span<const RegisterPage> pages);

}  // namespace rtvp::common
