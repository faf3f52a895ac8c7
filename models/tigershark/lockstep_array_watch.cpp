// Who looks at the array, and when: the recorder of what comes into it, the trace and others at the
// lanes' pins. Each costs speed, so none is in place outside its window.
#include "models/tigershark/lockstep_array.hpp"

namespace rtvp::tigershark {

/// The recording's window begins or ends; the cycle when that has to be asked again.
Cycle LockstepArray::recordedUntil(Cycle begin) {
  if (recorder_ == nullptr) return c32::kNever;
  const Cycle limit = recorder_->proceed(begin);
  if (recorder_->over()) recorder_ = nullptr;
  return limit;
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
