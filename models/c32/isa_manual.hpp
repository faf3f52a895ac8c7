// The instruction manual, generated from the instruction table.
#pragma once

#include <string>

namespace rtvp::c32 {

/// Markdown: every instruction with forms, encoding, operation, flags and cycles; conditions;
/// indirect modes.
std::string instructionManual();

}  // namespace rtvp::c32
