// Plain work on all cores of this computer. No thread outlives the call that made it, so whoever
// forks or looks at simulated state afterwards meets none; which thread does which part is nobody's
// to know, so parts write to places of their own and the outcome is that of one thread.
#pragma once

#include <cstddef>
#include <functional>

namespace rtvp::common {

/// Threads for `wanted` of them: 0 = as many as there are cores for this process, at least 1.
[[nodiscard]] unsigned hostThreads(unsigned wanted);

/// Calls part(begin, end) for pieces of at most `grain` (at least 1) that make up 0..count, on so
/// many threads, the caller's among them, and returns when all are done. Where parts throw, none is
/// begun any more, and what the first of them by position has thrown goes to the caller. One
/// thread, or one piece: in order, here.
void inParts(std::size_t count, std::size_t grain, unsigned threads,
             const std::function<void(std::size_t begin, std::size_t end)>& part);

/// Runs both, on two threads if `threads` is more than 1, and returns when both are done; if both
/// throw, with what the first has thrown.
void inTwo(unsigned threads, const std::function<void()>& first,
           const std::function<void()>& second);

}  // namespace rtvp::common
