// The array ahead of the kernel: while the host leaves a board alone, its engine runs on another
// thread of this computer, and on from barrier to barrier.
//
// Invariants. Nobody can tell from outside that this happens:
// 1. The kernel's time never passes the begin of an advance that is not over. What the advance
//    sends is complete later, so it is on the kernel's list in time; the outcome counts from the
//    time when that advance was due.
// 2. From barrier to barrier only where no word can come to the first node, and only up to the end
//    of the promise: a barrier at that time or later is the kernel's again.
// 3. Words for the chain may be taken before their time, so that the kernel collects the next ones
//    meanwhile. Lanes that sleep again before the next word comes do the same with them however
//    many come at once. Others show by a horizon, which nobody reaches asleep, or by a word that
//    comes behind a lane's own time: only firmware that has served a batch without either gets its
//    words so.
// 4. The job touches no object of SystemC: transactions it asks the kernel's thread for. Whoever
//    looks at the array from outside lands it first.
// Where the promise is not given, or somebody looks (a trace, a debugger, a recording), everything
// goes as in lockstep_array.cpp, which is the plain twin.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "models/tigershark/lockstep_array.hpp"

namespace rtvp::tigershark {
namespace {

/// Cycles that the job must have come on before the kernel goes on: some dozen barriers.
constexpr Cycle kStride = 2048;
/// With fewer DSPs another thread costs more than what words for the chain take.
constexpr int kLeadLanes = 8;
/// Part of the way through the chain, in tenths, that words are taken before their time. The more,
/// the fewer words at once, which costs; the less, the sooner the kernel waits.
constexpr Cycle kLeadTenths = 3;

}  // namespace

LockstepArray::~LockstepArray() {
  if (!ahead_ || !ahead_->active) return;
  ahead_->abandoned = true;
  try {
    land();
  } catch (...) {  // the run has ended for another reason
  }
}

/// Nobody takes part, nobody looks.
bool LockstepArray::alone() const {
  return ahead_ && aloneUntil_ > sc_core::sc_time_stamp() && config_.dmi && control_ == nullptr &&
         recorder_ == nullptr && pins_.recorder == nullptr && !trace_;
}

/// Words for the chain may be taken before the first of them could show at the far end.
bool LockstepArray::early() const {
  return alone() && inTime_ && !polls_ && config_.pool->threads() > 1 &&
         config_.array.lanes >= kLeadLanes;
}

/// So much earlier: the kernel collects the next words meanwhile.
Cycle LockstepArray::chainLead() const {
  return static_cast<Cycle>(config_.array.lanes - 1) * linkCycles_ * kLeadTenths / 10;
}

bool LockstepArray::beginsAhead() const {
  return aheadFrom_ != 0 || (alone() && listener_->inputOver());
}

void LockstepArray::stepAhead() {
  const std::uint64_t generation = resets_;
  chainPending_ = false;
  ahead_->begin = std::max(now(), aheadFrom_);
  aheadFrom_ = 0;
  ahead_->through = alone() && listener_->inputOver();
  ahead_->until = aloneUntil_;
  ahead_->active = true;
  config_.pool->begin(ahead_->job, ahead_->begin, [this] { runAhead(); });
  waitUntil(ahead_->begin);
  for (bool over = false; !over && generation == resets_;) {
    over = config_.pool->await(ahead_->job, now() + kStride);
    // First the place: what is sent from then on is due behind it.
    const Cycle place = ahead_->job.place();
    deliver();
    waitUntil(place);
  }
  land();
  ahead_->active = false;
  if (ahead_->through && ahead_->outcome.kind == ArrayOutcome::Kind::Quiescent) {
    inTime_ = engine_->counters(now()).lateWords == 0;
  }
  if (generation == resets_) {
    for (const auto& [word, arrival] : arrived_) chainInput(word, arrival);
  }
  arrived_.clear();
  if (generation == resets_) conclude(ahead_->outcome);
}

/// On any thread.
void LockstepArray::runAhead() {
  for (Cycle begin = ahead_->begin;;) {
    dropBurst();
    const ArrayOutcome outcome = engine_->advance(begin + config_.quantum);
    ahead_->outcome = outcome;
    const bool barrier = outcome.kind == ArrayOutcome::Kind::Barrier;
    if (!ahead_->through || (!barrier && outcome.kind != ArrayOutcome::Kind::Horizon)) return;
    if (clock_.timeOf(outcome.cycle) >= ahead_->until || ahead_->abandoned) return;
    begin = std::max(begin, outcome.cycle);
    if (barrier) release(outcome.cycle, begin);
    ahead_->job.reach(begin);
  }
}

/// What the last node has sent so far.
void LockstepArray::deliver() {
  {
    const std::lock_guard lock(ahead_->mutex);
    ahead_->delivered.swap(ahead_->sent);
  }
  for (const Ahead::Sent& sent : ahead_->delivered) {
    listener_->chainOutput(sent.word, sent.arrival);
  }
  ahead_->delivered.clear();
}

/// The engine stands where its advance has come to.
void LockstepArray::land() const {
  if (ahead_ && ahead_->active) config_.pool->finish(ahead_->job);
}

/// Somebody outside takes part.
void LockstepArray::touched(const char* what) {
  if (!ahead_ || !ahead_->active) return;
  ahead_->abandoned = true;
  land();
  throw std::logic_error(
      std::string(name()) + " was " + what + " at " + sc_core::sc_time_stamp().to_string() +
      ", although its driver had promised to leave it alone until " + ahead_->until.to_string());
}

}  // namespace rtvp::tigershark
