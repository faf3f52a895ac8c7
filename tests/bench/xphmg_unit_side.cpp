// See xphmg_unit_side.hpp.
#include "tests/bench/xphmg_unit_side.hpp"

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <systemc>
#include <vector>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/xphmg/unit.hpp"

namespace rtvp::bench {
namespace {

using namespace xphmg;  // NOLINT(google-build-using-namespace): a program about this namespace

constexpr std::uint64_t kSize = 64U << 20U;
// Behind the scene: descriptor, ring headers, rings.
constexpr std::uint64_t kDesc = UnitSide::kHeap + (48U << 20U);
constexpr std::uint64_t kRings = kDesc + 128, kRays = kDesc + 4096;
constexpr std::uint32_t kCap = UnitSide::kMostRays + 1;
constexpr std::uint64_t kHits = kRays + std::uint64_t{kCap} * kRayEntryBytes;
constexpr std::uint64_t kMisses = kHits + std::uint64_t{kCap} * kHitEntryBytes;

UnitConfig config(bool dmi) {
  UnitConfig c;
  c.dmi = dmi;
  if (!dmi) c.lmemKib = 0;  // nothing stays inside: each access is a transaction
  return c;
}

}  // namespace

struct UnitSide::Machine : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Machine, 32> fast_isock, slow_isock;
  common::Interconnect bus;
  common::Memory memory;
  RtUnit fast, slow;
  std::uint64_t triangles = 0;
  std::vector<std::uint32_t> order;  ///< index into Scene::triangles of a primitive
  std::uint64_t base[2] = {0, 0};

  explicit Machine(sc_core::sc_module_name name)
      : sc_module(name),
        fast_isock("fast_isock"),
        slow_isock("slow_isock"),
        bus("bus"),
        memory("memory", {kSize, {}, {}, true}),
        fast("fast", config(true)),
        slow("slow", config(false)) {
    fast_isock.bind(fast.host_tsock);
    slow_isock.bind(slow.host_tsock);
    bus.attach(memory.bus_tsock, "memory", kHeap, kSize);
    fast.bus_isock.bind(bus.bus_tsock);
    slow.bus_isock.bind(bus.bus_tsock);
  }
  RtUnit& unit(bool dmi) { return dmi ? fast : slow; }
  std::uint8_t* at(std::uint64_t address) { return memory.bytes().data() + (address - kHeap); }
  void write(bool dmi, Csr csr, std::uint64_t value) {
    std::array<std::uint8_t, 8> bytes{};
    storeU64(bytes.data(), value);
    tlm::tlm_generic_payload payload;
    payload.set_write();
    payload.set_address(descriptor(csr).offset);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    sc_core::sc_time delay;
    (dmi ? fast_isock : slow_isock)->b_transport(payload, delay);
  }
  void ring(unsigned n, std::uint32_t tail, std::uint64_t at_base) {
    encodeQueue({0, tail, kCap, at_base}, at(kRings + std::uint64_t{64} * n));
  }
};

UnitSide::UnitSide() : machine_(std::make_unique<Machine>("machine")) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (const bool dmi : {false, true}) {
    machine_->write(dmi, Csr::PREC_MODE, cap::kModeFp32);
    machine_->write(dmi, Csr::XMEM_SPROF1, 64U | 7U << 16U);
  }
}

UnitSide::~UnitSide() = default;

void UnitSide::load(const test::TileImage& image) {
  if (image.bytes.size() > kDesc - kHeap) throw std::runtime_error("the scene is too large");
  std::copy(image.bytes.begin(), image.bytes.end(), machine_->at(kHeap));
  machine_->triangles = image.triangles;
  machine_->order = image.order;
  for (const bool dmi : {false, true}) {
    const UnitPort& port = machine_->unit(dmi).port();
    machine_->base[dmi ? 1 : 0] = 0;
    for (unsigned k = 0; k < kAccessKinds; ++k)
      machine_->base[dmi ? 1 : 0] += port.totals(static_cast<AccessKind>(k)).accesses;
  }
}

void UnitSide::trace(bool dmi, std::span<const Ray> rays, Hit* hits) {
  Machine& m = *machine_;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    std::uint8_t* const e = m.at(kRays + i * kRayEntryBytes);
    static_assert(std::endian::native == std::endian::little);  // as in the ring
    std::memcpy(e, &rays[i], 8 * sizeof(float));  // origin, direction, t_min, t_max in a row
    storeU64(e + kRayTagOffset, i);
  }
  m.ring(0, static_cast<std::uint32_t>(rays.size()), kRays);
  m.ring(1, 0, kHits);
  m.ring(2, 0, kMisses);
  RtDesc desc;
  desc.bvhBase = kHeap;
  desc.rayQueue = kRings;
  desc.hitQueue = kRings + 64;
  desc.missQueue = kRings + 128;
  desc.triBuf = m.triangles;
  desc.memctl.sprofId = 1;
  encodeDesc(desc, m.at(kDesc));
  RtUnit& unit = m.unit(dmi);
  const Ticket ticket = unit.ticketLast() + 1;
  m.write(dmi, Csr::DOORBELL, kDesc);
  while (unit.ticketDone() < ticket) sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  std::fill_n(hits, rays.size(), Hit{});
  const std::uint32_t found = decodeQueue(m.at(kRings + 64)).tail;
  if (found + decodeQueue(m.at(kRings + 128)).tail != rays.size())
    throw std::runtime_error("the unit did not finish its rays");
  for (std::uint32_t i = 0; i < found; ++i) {
    const HitEntry h = decodeHit(m.at(kHits + std::uint64_t{i} * kHitEntryBytes));
    hits[h.tag] = {m.order[h.primId], std::bit_cast<float>(h.t)};
  }
}

std::uint64_t UnitSide::accesses(bool dmi) const {
  std::uint64_t sum = 0;
  for (unsigned k = 0; k < kAccessKinds; ++k)
    sum += machine_->unit(dmi).port().totals(static_cast<AccessKind>(k)).accesses;
  return sum - machine_->base[dmi ? 1 : 0];
}

}  // namespace rtvp::bench
