// A UnitPort by itself, without a simulation: a memory that grants all of itself, and what two
// ports must have in common when they have done the same.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "models/xphmg/unit_port.hpp"

namespace rtvp::xphmg::test {

inline constexpr std::uint64_t kPortBase = 0x80000000;

/// `bytes` at kPortBase; elsewhere is nothing.
inline common::BusMaster::Calls grantedMemory(std::vector<std::uint8_t>& bytes) {
  common::BusMaster::Calls calls;
  calls.transport = [&bytes](tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t at = payload.get_address() - kPortBase;
    const unsigned size = payload.get_data_length();
    if (at > bytes.size() || size > bytes.size() - at)
      return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (payload.is_write()) {
      std::memcpy(bytes.data() + at, payload.get_data_ptr(), size);
    } else {
      std::memcpy(payload.get_data_ptr(), bytes.data() + at, size);
    }
    delay += sc_core::sc_time(payload.is_write() ? 5 : 3, sc_core::SC_NS);
    payload.set_dmi_allowed(true);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  };
  calls.pointer = [&bytes](tlm::tlm_generic_payload& /*payload*/, tlm::tlm_dmi& dmi) {
    dmi.set_start_address(kPortBase);
    dmi.set_end_address(kPortBase + bytes.size() - 1);
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_read_latency(sc_core::sc_time(3, sc_core::SC_NS));
    dmi.set_write_latency(sc_core::sc_time(5, sc_core::SC_NS));
    dmi.allow_read_write();
    return true;
  };
  calls.debug = [](tlm::tlm_generic_payload& /*payload*/) { return 0U; };
  return calls;
}

inline void expectSame(const UnitPort& a, const UnitPort& b) {
  ASSERT_EQ(a.now(), b.now());
  ASSERT_EQ(a.lmemHits(), b.lmemHits());
  ASSERT_EQ(a.lmemMisses(), b.lmemMisses());
  ASSERT_EQ(a.classBytes(), b.classBytes());
  ASSERT_EQ(a.dmiAccesses(), b.dmiAccesses());
  ASSERT_EQ(a.transportAccesses(), b.transportAccesses());
  ASSERT_EQ(a.rayTag(), b.rayTag());
  ASSERT_EQ(a.unmapped(), b.unmapped());
  for (const auto part : {&UnitCycles::box, &UnitCycles::triangle, &UnitCycles::lmem,
                          &UnitCycles::memory, &UnitCycles::queue, &UnitCycles::descriptor}) {
    ASSERT_EQ(a.cycles().*part, b.cycles().*part);
  }
  for (unsigned kind = 0; kind < kAccessKinds; ++kind) {
    const KindTotals &x = a.totals(static_cast<AccessKind>(kind)),
                     &y = b.totals(static_cast<AccessKind>(kind));
    ASSERT_EQ(x.accesses, y.accesses) << kind;
    ASSERT_EQ(x.bytes, y.bytes) << kind;
    ASSERT_EQ(x.transactions, y.transactions) << kind;
    ASSERT_EQ(x.busBytes, y.busBytes) << kind;
  }
}

inline UnitPort::Config randomConfig(std::mt19937_64& random) {
  UnitPort::Config config;
  config.period = sc_core::sc_time(1, sc_core::SC_NS);
  const unsigned kib[] = {0, 1, 2, 64};
  config.lmemKib = kib[random() % 4];
  config.timing.memoryIsT2 = random() % 3 == 0;
  config.timing.t1 = static_cast<unsigned>(random() % 8);
  config.timing.triIssue = static_cast<unsigned>(random() % 3 == 0 ? random() % 40 : 1);
  config.timing.triCycles = static_cast<unsigned>(random() % 20);
  if (random() % 4 == 0) config.lds.base = kPortBase + 0x8000;  // some of it is LDS
  return config;
}

}  // namespace rtvp::xphmg::test
