// Texts about a session: registers, memory, instructions, statistics, profile, coverage.
#pragma once

#include <cstdint>
#include <string>

#include "models/c32/debug/session.hpp"

namespace rtvp::c32 {

/// All registers, R0-R7 as exponent:mantissa, integer and float; flags by name.
std::string registerText(const Cpu& cpu);
/// `count` words from `address`, eight a line, or one a line as floats.
std::string memoryText(const Machine& machine, std::uint32_t address, std::uint32_t count,
                       bool asFloat);
std::string disassemblyText(const Session& session, std::uint32_t address, std::uint32_t count);
/// Instructions, and cycles by cause; they add up.
std::string statisticsText(const Cpu& cpu);

/// Cycles and instructions of each symbol's code, the most expensive first.
std::string profileBySymbol(const Session& session);
/// The same by source line, in the order of the text.
std::string profileByLine(const Session& session);
/// Share of instruction words executed, by file, and the lines never reached.
std::string coverageText(const Session& session);

}  // namespace rtvp::c32
