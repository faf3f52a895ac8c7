// Input files in stats.json: `configuration.inputs` says what was read, `host.input_files` where it
// lay.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <span>
#include <vector>

#include "platform/inputs/input_files.hpp"

namespace rtvp::platform {

/// Role, SHA-256 and bytes of each: what a run's identity holds.
[[nodiscard]] boost::json::array contentsOf(std::span<const InputFile> files);
/// Their paths as they were named, in the same order; what is no UTF-8 in them is escaped
/// (models/common/core/utf8.hpp).
[[nodiscard]] boost::json::array pathsOf(std::span<const InputFile> files);

/// Both back, from the members of that name of a stats.json. Throws std::exception for anything
/// else.
[[nodiscard]] std::vector<InputFile> inputsFrom(const boost::json::array& contents,
                                                const boost::json::array& paths);

}  // namespace rtvp::platform
