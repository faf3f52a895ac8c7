// What those on the way of an access count, for initiators whose bytes move by pointer: it rides on
// the payload of get_direct_mem_ptr(), whoever counts accesses adds its counters, and an initiator
// that wants its accesses in them counts there itself (BusMaster::countDirect()).
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

namespace rtvp::common {

struct AccessCounts : tlm::tlm_extension<AccessCounts> {
  struct Counter {
    std::uint64_t* accesses;
    std::uint64_t* bytes;
  };
  std::vector<Counter> reads, writes;  ///< each outlives the grant

  tlm::tlm_extension_base* clone() const override { return new AccessCounts(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    const auto& from = static_cast<const AccessCounts&>(other);
    reads = from.reads;
    writes = from.writes;
  }
};

}  // namespace rtvp::common
