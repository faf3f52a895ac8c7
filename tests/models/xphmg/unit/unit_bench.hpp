// A unit on a bus with a megabyte of memory, a master that plays the host, and a monitor between
// unit and bus that may be switched on: it refuses DMI and keeps every tag.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/xphmg/unit.hpp"
#include "tests/models/xphmg/job_scene.hpp"

namespace rtvp::xphmg::test {

using sc_core::sc_time;

struct Seen {
  XmemExtension tags;
  std::uint64_t address;
  unsigned size;
  bool write;
};

/// Forwards everything, grants no DMI, keeps what it saw.
class Monitor : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Monitor, 32> from_tsock;
  tlm_utils::simple_initiator_socket<Monitor, 32> to_isock;
  explicit Monitor(sc_core::sc_module_name name)
      : sc_module(name), from_tsock("from_tsock"), to_isock("to_isock") {
    from_tsock.register_b_transport(this, &Monitor::transport);
    from_tsock.register_transport_dbg(this, &Monitor::debug);
  }
  std::vector<Seen> seen;
  std::uint64_t untagged = 0;
  /// Accesses at or above this answer a generic error: a failing target.
  std::uint64_t failFrom = ~std::uint64_t{0};

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    const XmemExtension* const tags = payload.get_extension<XmemExtension>();
    if (tags == nullptr) {
      ++untagged;
    } else {
      seen.push_back({*tags, payload.get_address(), payload.get_data_length(), payload.is_write()});
    }
    if (payload.get_address() >= failFrom)
      return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    to_isock->b_transport(payload, delay);
    payload.set_dmi_allowed(false);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) { return to_isock->transport_dbg(payload); }
};

class UnitBench : public sc_core::sc_module {
 public:
  static constexpr std::uint64_t kMemory = 0x80000000, kMemorySize = 1U << 20U;
  static constexpr std::uint64_t kLds = 0x10000000, kLdsSize = 256U << 10U;

  tlm_utils::simple_initiator_socket<UnitBench, 32> host_isock;
  common::Interconnect bus;
  common::Memory memory, lds;
  RtUnit unit;
  std::unique_ptr<Monitor> monitor;
  sc_core::sc_signal<bool> irq;

  UnitBench(sc_core::sc_module_name name, const UnitConfig& config, bool with_monitor,
            std::function<void(UnitBench&)> program)
      : sc_module(name),
        host_isock("host_isock"),
        bus("bus"),
        memory("memory", {kMemorySize, {}, {}, true}),
        lds("lds", {kLdsSize, {}, {}, true}),
        unit("unit", config),
        irq("irq"),
        program_(std::move(program)) {
    bus.attach(memory.bus_tsock, "memory", kMemory, kMemorySize);
    bus.attach(lds.bus_tsock, "lds", kLds, kLdsSize);
    host_isock.bind(unit.host_tsock);
    unit.irq_o.bind(irq);
    if (with_monitor) {
      monitor = std::make_unique<Monitor>("monitor");
      unit.bus_isock.bind(monitor->from_tsock);
      monitor->to_isock.bind(bus.bus_tsock);
    } else {
      unit.bus_isock.bind(bus.bus_tsock);
    }
    SC_HAS_PROCESS(UnitBench);
    SC_THREAD(run);
  }

  // ---- registers, as a bus master: each access waits for its delay
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset,
                                  std::uint8_t* data, unsigned size) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(data);
    payload.set_data_length(size);
    payload.set_streaming_width(size);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_time delay = sc_core::SC_ZERO_TIME;
    host_isock->b_transport(payload, delay);
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    return payload.get_response_status();
  }
  std::uint64_t readAt(std::uint64_t offset) {
    std::array<std::uint8_t, 8> bytes{};
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, offset, bytes.data(), 8), tlm::TLM_OK_RESPONSE);
    return loadU64(bytes.data());
  }
  void writeAt(std::uint64_t offset, std::uint64_t value) {
    std::array<std::uint8_t, 8> bytes{};
    storeU64(bytes.data(), value);
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, offset, bytes.data(), 8), tlm::TLM_OK_RESPONSE);
  }
  std::uint64_t read(Csr csr) { return readAt(descriptor(csr).offset); }
  void write(Csr csr, std::uint64_t value) { writeAt(descriptor(csr).offset, value); }
  void useFp32() { write(Csr::PREC_MODE, cap::kModeFp32); }
  [[nodiscard]] unsigned lastEc() { return (read(Csr::RTSTAT) >> 2U) & 0x3FU; }

  // ---- jobs
  std::uint8_t* at(std::uint64_t address) {
    return address >= kMemory ? memory.bytes().data() + (address - kMemory)
                              : lds.bytes().data() + (address - kLds);
  }
  void load(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
    std::copy(bytes.begin(), bytes.end(), at(address));
  }
  /// Section 12 at its addresses.
  void load(JobScene& scene) {
    encodeDesc(scene.desc, scene.at(JobScene::kDesc));
    load(JobScene::kBase, scene.memory.bytes());
  }
  std::uint64_t submit(std::uint64_t desc) {
    write(Csr::DOORBELL, desc);
    return read(Csr::TICKET_LAST);
  }
  /// Sleeps until the ticket is done; false after a simulated second.
  bool await(std::uint64_t ticket) {
    const sc_time limit = sc_core::sc_time_stamp() + sc_time(1, sc_core::SC_SEC);
    while (unit.ticketDone() < ticket) {
      if (sc_core::sc_time_stamp() >= limit) return false;
      wait(sc_time(1, sc_core::SC_MS), unit.doneEvent());
    }
    return true;
  }
  /// Submits and waits.
  bool runJob(std::uint64_t desc) { return await(submit(desc)); }
  Queue queue(std::uint64_t address) { return decodeQueue(at(address)); }

  bool finished = false;

 private:
  void run() {
    program_(*this);
    finished = true;
    sc_core::sc_stop();
  }
  std::function<void(UnitBench&)> program_;
};

/// Builds the bench in this process and runs the program to its end.
inline void onBench(const UnitConfig& config, bool with_monitor,
                    const std::function<void(UnitBench&)>& program) {
  UnitBench bench("bench", config, with_monitor, program);
  sc_core::sc_start();
  EXPECT_TRUE(bench.finished) << "the program never came to its end";
}

/// Random triangles and rays in FP32 in the bench's memory, one job over all rays.
struct RandomScene {
  static constexpr std::uint64_t kHeap = 0x80010000, kDesc = 0x80000100, kRings = 0x80000200;
  static constexpr std::uint64_t kRays = 0x800A0000, kHits = 0x800C0000, kMisses = 0x800D0000;
  static constexpr std::uint32_t kCap = 1024;

  explicit RandomScene(unsigned seed, unsigned triangles = 500, unsigned rays = 400)
      : rayCount(rays) {
    std::uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
    const auto next = [&state] {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<float>(static_cast<double>(state >> 40U) * 0x1p-23 - 1);
    };
    const auto word = [](float f) { return std::bit_cast<std::uint32_t>(f); };
    std::vector<TriangleWords> list(triangles);
    for (TriangleWords& t : list) {
      const float centre[3] = {4 * next(), 4 * next(), 4 * next()};
      for (unsigned i = 0; i < 9; ++i) t[i] = word(centre[i % 3] + 0.5F * next());
    }
    Precision p;
    p.format = Format::Fp32;
    image = TileBuilder(p, list, 3).build(kHeap);
    entries.resize(std::size_t{rays} * kRayEntryBytes);
    for (unsigned r = 0; r < rays; ++r) {
      std::uint8_t* const e = entries.data() + std::size_t{r} * kRayEntryBytes;
      for (unsigned k = 0; k < 6; ++k) storeU32(e + 4 * k, word(k < 3 ? 6 * next() : next()));
      storeU32(e + 24, 0);
      storeU32(e + 28, word(100));
      storeU64(e + kRayTagOffset, 0x1000 + r);
    }
  }
  void load(UnitBench& b, std::uint32_t options = 0) const {
    b.load(kHeap, image.bytes);
    b.load(kRays, entries);
    ring(b, 0, rayCount, kRays);
    ring(b, 1, 0, kHits);
    ring(b, 2, 0, kMisses);
    RtDesc desc;
    desc.bvhBase = kHeap;
    desc.rayQueue = kRings;
    desc.hitQueue = kRings + 64;
    desc.missQueue = kRings + 128;
    desc.triBuf = image.triangles;
    desc.opts = options;
    desc.memctl.sprofId = 1;
    encodeDesc(desc, b.at(kDesc));
  }
  static void ring(UnitBench& b, unsigned n, std::uint32_t tail, std::uint64_t base) {
    Queue q;
    q.cap = kCap;
    q.tail = tail;
    q.base = base;
    encodeQueue(q, b.at(kRings + std::uint64_t{64} * n));
  }

  TileImage image;
  std::vector<std::uint8_t> entries;
  unsigned rayCount;
};

}  // namespace rtvp::xphmg::test
