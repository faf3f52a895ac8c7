// The RT offload queue (xphmg.md 10): submission with tickets in FIFO order, completion, fence
// tokens. Plain C++. One job from descriptor to published ring indices is Job (job.hpp); time and
// the bus are the unit's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "models/xphmg/csr_file.hpp"
#include "models/xphmg/job.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::xphmg {

/// First is 1; 0 is "none".
using Ticket = std::uint64_t;

struct SubmittedJob {
  Ticket ticket = 0;
  std::uint64_t descriptor = 0;
  JobSnapshot snapshot;
  std::uint64_t at = 0;  ///< the owner's time stamp of the submission
};

/// Submissions of one queue, in order.
class JobQueue {
 public:
  explicit JobQueue(unsigned depth) : depth_(depth) {}

  /// A full queue takes the job as well: the owner has then held the submitting master until time
  /// stamp `at`, when a place is free.
  Ticket submit(std::uint64_t descriptor, const JobSnapshot& snapshot, std::uint64_t at);
  [[nodiscard]] bool full() const { return occupied() >= depth_; }
  /// Waiting or running.
  [[nodiscard]] unsigned occupied() const { return static_cast<unsigned>(last_ - done_); }
  [[nodiscard]] unsigned waiting() const { return static_cast<unsigned>(jobs_.size()); }
  [[nodiscard]] unsigned depth() const { return depth_; }
  [[nodiscard]] Ticket lastTicket() const { return last_; }
  [[nodiscard]] Ticket doneTicket() const { return done_; }

  /// The oldest waiting job leaves the queue's memory and keeps its place until complete().
  [[nodiscard]] bool ready() const { return !jobs_.empty(); }
  [[nodiscard]] const SubmittedJob& front() const { return jobs_.front(); }
  SubmittedJob take();
  /// FIFO: `ticket` must be the one after doneTicket().
  void complete(Ticket ticket);
  /// All jobs are forgotten, tickets start at 1.
  void reset();

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  unsigned depth_;
  std::deque<SubmittedJob> jobs_;
  Ticket last_ = 0, done_ = 0;
};

/// XFENCE.SIGNAL and XFENCE.WAIT with event tokens 1..4095 (section 10): counting, saturating at
/// 255. A signal takes effect when the jobs submitted before it have completed.
class FenceTokens {
 public:
  static constexpr unsigned kTokens = 4096;
  static constexpr unsigned kMost = 255;

  /// Posts `token` once ticket `after` has completed; `done` is the last completed one.
  void signal(unsigned token, Ticket after, Ticket done);
  /// Posts what waited for tickets up to `done`.
  void completed(Ticket done);
  /// Consumes one post. False: there is none yet, the waiter blocks.
  bool consume(unsigned token);
  [[nodiscard]] unsigned posts(unsigned token) const { return posts_[token % kTokens]; }
  void reset();

  /// Nothing waits for a job.
  [[nodiscard]] bool quiescent() const { return pending_.empty(); }
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  struct Pending {
    Ticket after;
    unsigned token;
  };
  void post(unsigned token);

  std::array<std::uint8_t, kTokens> posts_{};
  std::deque<Pending> pending_;
};

/// How a job ended (3.5), as it goes to the registers.
struct JobOutcome {
  Ticket ticket = 0;
  unsigned errorCode = kEcNone;
  std::uint32_t events = 0;        ///< CAP.XMEM.EVENTS to raise
  std::uint64_t faultAddress = 0;  ///< of what failed
  Stickies stickies;               ///< to OR into CAP.PREC.STAT and EXC.ST
  bool enabledFlag = false;        ///< an enabled FP flag was raised: IRQ_PEND bit 2, never a trap
  std::uint64_t rays = 0, hits = 0, misses = 0;
  std::uint64_t nodes = 0;  ///< BVHNode4 or BVHNode8 visits
  std::uint64_t tiles = 0, leaves = 0, triangles = 0;
  bool operator==(const JobOutcome&) const = default;
};
/// `unmapped`: a refused access met nothing; otherwise its target failed, which is DMA_ERR (3.5).
[[nodiscard]] JobOutcome outcomeOf(const SubmittedJob& job, const JobResult& result, bool node8,
                                   std::uint32_t policy_events, bool unmapped);

/// Applies what a completed job leaves in the registers: stickies, LAST_EC, events, counters.
void retire(CsrFile& csrs, const JobOutcome& outcome);

}  // namespace rtvp::xphmg
