// State of registers and of grants as bytes, and back.
#include "models/common/core/state.hpp"
#include "models/common/grant_queue.hpp"
#include "models/common/register_table.hpp"

namespace rtvp::common {

void RegisterFile::state(StateArchive& a) {
  a.sized(values_);
}

void GrantQueue::state(StateArchive& a) {
  a.mark("grants");
  for (Link& link : links_) {
    a(link.free);
    std::uint64_t count = link.granted.size();
    a(count);
    if (a.reading()) link.granted.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      if (a.reading()) link.granted.emplace_back();
      Transfer& t = link.granted[i];
      a(t.begin, t.end, t.leaves, t.master);
    }
  }
  a.sized(linkTotals_);
  for (MasterTotals& m : totals_) {
    a(m.requests, m.bytes, m.delayed, m.waited, m.longest);
    a.sized(m.waitedFor);
  }
  a(last_);
}

}  // namespace rtvp::common
