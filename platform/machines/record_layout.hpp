// The file behind tigershark.records: record types and result words for firmware of the user's own
// (docs/records.md has the form).
#pragma once

#include <string>

#include "platform/drivers/tigershark/records.hpp"

namespace rtvp::platform {

/// Reads the layout `text`; `file` is its name in messages. Throws InputError "file:line: found
/// ..., expected ..." for anything that the form does not allow.
[[nodiscard]] host::RecordLayout readRecordLayout(const std::string& file, const std::string& text);

}  // namespace rtvp::platform
