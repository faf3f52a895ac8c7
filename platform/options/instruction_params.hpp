// What a user may set of the log of instructions.
#pragma once

#include <array>
#include <string>

#include "models/common/param.hpp"
#include "platform/options/settings.hpp"

namespace rtvp::platform {

struct InstructionOptions {
  std::string file;  ///< empty = none
};

inline constexpr std::array kInstructionParams{
    common::param<&InstructionOptions::file>(
        "output.instructions",
        "what the DSPs in trace.modules execute between trace.from_us and trace.to_us, instruction "
        "by instruction: .txt, or .bin for `platform instructions`")
        .ofHost()
        .onCommandLine("instructions"),
};

}  // namespace rtvp::platform
