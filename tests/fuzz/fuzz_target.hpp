// A fuzz target: one entry point, as libFuzzer calls it, and inputs to start from. The same object
// file is linked with libFuzzer (RTVP_FUZZ, preset fuzz) and with a short deterministic test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace rtvp::fuzz {

/// Valid inputs of the target.
std::vector<std::string> seeds();

/// A property the target promises does not hold: ends the process with a message.
void require(bool condition, const char* what);

}  // namespace rtvp::fuzz
