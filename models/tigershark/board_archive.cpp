// State of a board that waits for rays as bytes, and back.
#include "models/common/core/state.hpp"
#include "models/tigershark/board.hpp"

namespace rtvp::tigershark {

using common::StateArchive;

void Sram::state(StateArchive& a) {
  a.mark("sram");
  a.sized(words_);
  const unsigned bank = arrayBank_;
  a(arrayBank_, arrayReads_, arrayWrites_, hostReads_, hostWrites_);
  if (a.reading() && arrayBank_ != bank) {
    const unsigned wanted = std::exchange(arrayBank_, bank) & 1U;
    selectArrayBank(wanted);  // who holds a pointer is told
  }
}

bool Pld::quiescent() const {
  return incoming_.empty() && hostOwnsBus() == false;
}

void Pld::state(StateArchive& a) {
  a.mark("pld");
  a(registers_, nextBit_, wordsIn_, wordsOut_, overruns_, holds_, refused_);
}

bool LockstepArray::quiescent() const {
  return waiting_ && !inReset_ && !holdRequested_ && !holdGranted_ && running_ == resets_ &&
         !chainPending_ && !advancing_ && !(ahead_ && ahead_->active) && arrived_.empty() &&
         !unsettled_ && engine_->asleep();
}

void LockstepArray::state(StateArchive& a) {
  a.mark("lockstep array");
  dropBurst();
  engine_->state(a);
  a(lastAddress_, inRow_, uncounted_, resetAt_, past_);
  std::uint64_t lanes = pastLanes_.size();
  a(lanes);
  if (lanes != 0 && lanes != static_cast<std::uint64_t>(config_.array.lanes)) {
    throw common::StateError("the state is of an array of another size");
  }
  pastLanes_.resize(lanes);
  for (c32::CpuStatistics& s : pastLanes_) a(s);
  a(holdSince_, lastShared_, heldForHost_, released_, walking_, counting_, open_, votesAtRelease_,
    tests_, boxTests_, walkCycles_, chainDue_);
}

bool Board::quiescent() const {
  return s5933_->quiescent() && pld_->quiescent() && array_->quiescent();
}

void Board::state(StateArchive& a) {
  a(*sram_, *array_, *pld_, *s5933_);
}

}  // namespace rtvp::tigershark
