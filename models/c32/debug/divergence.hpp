// Where processors that go in lockstep from barrier to barrier leave their common path, how often,
// and what it costs: from a log of what they executed.
#pragma once

#include <string>

#include "models/c32/debug/instruction_stream.hpp"

namespace rtvp::c32 {

/// A table of places and one of processors. Processors whose names differ behind the last point
/// only (board0.dsp0, board0.dsp1) go in lockstep. Throws as the stream.
///
/// An epoch ends with the access at which the board holds a processor (c32's XF1 low: it has
/// arrived); all of a board end it together. What a processor waits beyond the one that waits least
/// is the cost of the epoch, and is divided among the partings on the way there: a parting costs
/// what the processors that came to it wait, less what they would if each side had only itself to
/// wait for. What is left (the same path in another time) is its own row, so that rows add up to
/// all of it.
[[nodiscard]] std::string divergenceText(InstructionStream& log);

}  // namespace rtvp::c32
