// What sources say of the code that THEIA cores run: symbols and lines for the debugger.
#pragma once

#include <cstdint>
#include <span>

#include "models/debug/program.hpp"
#include "models/theia/assembler.hpp"

namespace rtvp::theia {

/// `sources`: what lies in the memories, the first of those with the same label gives it its name;
/// in all of them it is FILE_LABEL, without ENTRYPOINT_ADRR_. `table`: addresses of the entry
/// points, which are symbols by their short names (MAIN); empty: not known. TEXTURE and OUTPUT are
/// where those memories begin (unit.hpp).
[[nodiscard]] debug::Program debugProgram(std::span<const CodeSource> sources,
                                          std::span<const std::uint16_t> table);

}  // namespace rtvp::theia
