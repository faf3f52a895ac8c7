// State of memories and buses as bytes, and back.
#include "models/common/contention.hpp"
#include "models/common/core/state.hpp"
#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/common/pci_bus.hpp"

namespace rtvp::common {

void Memory::state(StateArchive& a) {
  a.mark("memory");
  a.memory(bytes());
  a(reads_, writes_, read_bytes_, written_bytes_, errors_);
}

void Interconnect::state(StateArchive& a) {
  a.mark("interconnect");
  for (Range& range : ranges_) a(range.transactions, range.bytes);
  a(errors_);
}

void PciBus::state(StateArchive& a) {
  a.mark("pci");
  a(free_at_, last_master_, last_device_, last_space_, last_write_, last_end_, last_next_,
    last_words_, totals_);
  a.sized(masters_);
}

void Contention::state(StateArchive& a) {
  queue_.state(a);
}

}  // namespace rtvp::common
