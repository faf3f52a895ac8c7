// The parts of xphmg-run.
#pragma once

#include <iosfwd>
#include <string>

namespace rtvp::xphmg {

/// Answers one JSON object a line until the end of input; never stops at a bad line.
void runBatch(std::istream& in, std::ostream& out);

/// Replays a job that `platform --dump-node` has recorded. Exit status: 1 if something differs.
/// Throws common::RecordError.
int replayJob(const std::string& folder);

}  // namespace rtvp::xphmg
