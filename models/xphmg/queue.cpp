// See queue.hpp.
#include "models/xphmg/queue.hpp"

namespace rtvp::xphmg {

static_assert(events::kInvMiss == event::kInvMiss && events::kDmaErr == event::kDmaErr);

// ---- submissions

Ticket JobQueue::submit(std::uint64_t descriptor, const JobSnapshot& snapshot, std::uint64_t at) {
  jobs_.push_back({++last_, descriptor, snapshot, at});
  return last_;
}

SubmittedJob JobQueue::take() {
  const SubmittedJob job = jobs_.front();
  jobs_.pop_front();
  return job;
}

void JobQueue::complete(Ticket ticket) {
  done_ = ticket;
}

void JobQueue::reset() {
  jobs_.clear();
  last_ = done_ = 0;
}

// ---- fences

void FenceTokens::post(unsigned token) {
  std::uint8_t& count = posts_[token % kTokens];
  if (count < kMost) ++count;
}

void FenceTokens::signal(unsigned token, Ticket after, Ticket done) {
  if (after <= done) {
    post(token);
  } else {
    pending_.push_back({after, token});
  }
}

void FenceTokens::completed(Ticket done) {
  // Signals come with growing tickets: the oldest waits for the smallest.
  while (!pending_.empty() && pending_.front().after <= done) {
    post(pending_.front().token);
    pending_.pop_front();
  }
}

bool FenceTokens::consume(unsigned token) {
  std::uint8_t& count = posts_[token % kTokens];
  if (count == 0) return false;
  --count;
  return true;
}

void FenceTokens::reset() {
  posts_.fill(0);
  pending_.clear();
}

// ---- completion

JobOutcome outcomeOf(const SubmittedJob& job, const JobResult& result, bool node8,
                     std::uint32_t policy_events, bool unmapped) {
  JobOutcome o;
  o.ticket = job.ticket;
  o.errorCode = result.errorCode;
  o.events = result.events | policy_events;
  if (!unmapped && (result.events & event::kInvMiss) != 0)
    o.events = (o.events & ~event::kInvMiss) | event::kDmaErr;
  o.faultAddress = result.faultAddress;
  o.stickies = job.snapshot.stickies;
  o.stickies.add(result.stickies);
  o.enabledFlag =
      !job.snapshot.state.precision.sae && (o.stickies.exc & job.snapshot.excEnable) != 0;
  o.rays = result.rays;
  o.hits = result.hits;
  o.misses = result.misses;
  o.tiles = result.tiles;
  o.nodes = node8 ? result.tiles / 2 : result.tiles;
  o.leaves = result.leaves;
  o.triangles = result.triangles;
  return o;
}

void retire(CsrFile& csrs, const JobOutcome& outcome) {
  csrs.precision().retire(outcome.stickies);
  csrs.setLastEc(outcome.errorCode);
  csrs.raiseEvents(outcome.events);
  csrs.countIssued(outcome.nodes, outcome.triangles);
}

}  // namespace rtvp::xphmg
