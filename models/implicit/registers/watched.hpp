// Runs of programs that are watched (watch.hpp): the results of program.hpp, gradient.hpp and
// slope.hpp, bit by bit. What a clause is called by, and where it comes from.
#pragma once

#include <array>
#include <string>

#include "models/implicit/registers/gradient.hpp"
#include "models/implicit/registers/program.hpp"
#include "models/implicit/registers/slope.hpp"
#include "models/implicit/watch.hpp"

namespace rtvp::implicit::registers {

float evaluate(const Program& program, const std::array<float, 3>& point, RunWatch& watch);
Interval evaluate(const Program& program, const Bounds& box, RunWatch& watch);
IntervalResult prune(const Program& program, const Bounds& box, RunWatch& watch);
Gradient gradient(const Program& program, const std::array<float, 3>& point, RunWatch& watch);
/// Of each register the range of its value is seen.
SlopeBound slopeBound(const Program& program, const Bounds& box, RunWatch& watch);

/// The line of disassemble() about one clause; the number behind the last is OPStop.
std::string disassemble(const Program& program, std::size_t clause);

}  // namespace rtvp::implicit::registers
