// State of the PCI controller without a transfer as bytes, and back.
#include "models/common/core/state.hpp"
#include "models/tigershark/s5933.hpp"

namespace rtvp::tigershark {

using common::StateArchive;

namespace s5933 {

/// Found by its argument, which no unnamed namespace is looked through for.
static void stateOf(StateArchive& a, BaseAddress& base) {
  a(base.enabled, base.io, base.size, base.bus_width);
}

void Fifo::state(StateArchive& a) {
  a.sized(ring_);
  a(stale_, head_, size_, last_, high_water_, words_);
  if (head_ >= ring_.size() || size_ > ring_.size()) {
    throw common::StateError("the state of a FIFO holds more words than it has places");
  }
}

void S5933Core::state(StateArchive& a) {
  a.mark("s5933");
  a.sized(nv_);
  a(config_regs_, pci_, addon_, bases_, counts_on_pci_);
  for (Mailboxes& boxes : boxes_) a(boxes.data, boxes.flags);
  a(p2a_, a2p_, p2a_reserved_, a2p_locked_, p2a_epoch_, a2p_epoch_, piece_epoch_, p2a_pair_,
    a2p_pair_, p2a_stage_, a2p_stage_, pin_enable_, hung_, last_direction_, target_reads_,
    read_mastered_, nv_port_.address, nv_port_.command, nv_port_.data, changes_.p2a_filled,
    changes_.a2p_drained, totals_);
}

}  // namespace s5933

bool S5933::quiescent() const {
  return idle_ && !pending_.valid && !core_.request() && core_.p2aEmpty() && core_.a2p().empty();
}

void S5933::state(StateArchive& a) {
  a(core_, totals_.register_reads, totals_.register_writes, totals_.passthru_words,
    totals_.passthru_waits, totals_.bursts, totals_.longest, totals_.retries, totals_.disconnects,
    totals_.inta, totals_.irq, inta_level_, irq_level_, reset_level_);
  // What the pins are to be, should they not be it yet.
  if (a.reading()) pins_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace rtvp::tigershark
