// Who looks at the lanes, and when: observers of their instructions, the trace and others at their
// pins. Each costs speed, so none is in place outside its window.
#include <algorithm>

#include "models/tigershark/lockstep_array.hpp"

namespace rtvp::tigershark {

void LockstepArray::observe(std::vector<c32::CpuObserver*> observers, Cycle from, Cycle to) {
  observers_ = std::move(observers);
  observeFrom_ = from;
  observeTo_ = to;
}

/// Puts observers into place or takes them away; the cycle when that has to be asked again.
Cycle LockstepArray::observedUntil(Cycle begin) {
  if (observers_.empty()) return c32::kNever;
  const bool inside = begin >= observeFrom_ && begin < observeTo_;
  if (inside != observed_) {
    observed_ = inside;
    for (std::size_t lane = 0; lane < observers_.size(); ++lane)
      engine_->processor(static_cast<int>(lane)).setObserver(inside ? observers_[lane] : nullptr);
  }
  return begin < observeFrom_ ? observeFrom_ : inside ? observeTo_ : c32::kNever;
}

void LockstepArray::record(ArrayProbe* probe) {
  pins_.recorder = probe;
  updateProbe();
}

/// Shows the engine who looks at the pins now.
void LockstepArray::updateProbe() {
  const bool shown = trace_ && trace_->phase() == ArrayTrace::Phase::Inside;
  pins_.trace = shown ? trace_.get() : nullptr;
  const bool watched = control_ != nullptr && control_->stepping() && pins_.watcher != nullptr;
  const bool several = watched || pins_.recorder != nullptr;
  engine_->setProbe(several ? static_cast<ArrayProbe*>(&pins_) : pins_.trace);
}

/// The trace's window begins or ends; the cycle when that has to be asked again.
Cycle LockstepArray::tracedUntil(Cycle begin) {
  if (!trace_) return c32::kNever;
  const ArrayTrace::Phase before = trace_->phase();
  const bool more = trace_->proceed(*engine_, begin);
  const Cycle limit = trace_->limit();
  const bool changed = trace_->phase() != before;
  if (!more) trace_.reset();
  if (changed || !more) updateProbe();
  return limit;
}

void LockstepArray::trace(const common::TraceScope& board) {
  auto trace = std::make_unique<ArrayTrace>(board, clock_, config_.array, config_.locate);
  if (!trace->wanted()) return;
  trace_ = std::move(trace);
  updateProbe();
  board.atEnd([this] {
    if (trace_) trace_->finish(*engine_);
  });
}

}  // namespace rtvp::tigershark
