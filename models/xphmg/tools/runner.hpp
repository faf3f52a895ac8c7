// The parts of xphmg-run.
#pragma once

#include <iosfwd>

namespace rtvp::xphmg {

/// Answers one JSON object a line until the end of input; never stops at a bad line.
void runBatch(std::istream& in, std::ostream& out);

}  // namespace rtvp::xphmg
