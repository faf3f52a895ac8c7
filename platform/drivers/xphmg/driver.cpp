// See xphmg_driver.hpp.
#include "platform/drivers/xphmg/driver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "models/common/core/state.hpp"
#include "models/xphmg/cap.hpp"
#include "models/xphmg/layout.hpp"
#include "platform/drivers/xphmg/ray_entries.hpp"

namespace rtvp::host {
namespace {

using scene::Vec3;
using xphmg::Csr;
using xphmg::Queue;
using xphmg::RtDesc;

// A slot: descriptor, headers, rings; each on its own lines.
constexpr std::uint64_t kHeaders = 128;
constexpr std::uint64_t kHeaderStride = 64;
constexpr std::uint64_t kRings = kHeaders + 3 * kHeaderStride;
constexpr std::uint64_t kAlign = 64;
constexpr std::uint64_t kHitWords = 4;         // of a hit entry: t, u, v, prim_id
constexpr std::uint64_t kParameterBytes = 64;  // of the hart's program
constexpr std::uint64_t kOffload = 1U << 5U;   // RTCAP.DESCQ

/// Bytes of a ring of `cap` entries: rays, hits, misses.
Arena ringsOf(unsigned cap, unsigned count) {
  constexpr std::array kEntryBytes{xphmg::kRayEntryBytes, xphmg::kHitEntryBytes,
                                   xphmg::kMissEntryBytes};
  Arena rings(kRings, kAlign);
  for (unsigned ring = 0; ring < count; ++ring) {
    rings.take(std::uint64_t{cap} * kEntryBytes[ring]);
  }
  return rings;
}
std::uint64_t ringBase(std::uint64_t slot, unsigned ring, unsigned cap) {
  return slot + ringsOf(cap, ring).next();
}
constexpr std::uint64_t kDomain = 2;  // CAP.XMEM.DOM: RT
constexpr std::uint64_t kEnable = 1;  // RTCFG.EN
/// CAP.XMEM.SPROF1: how rays come.
std::uint64_t streaming(const XphmgDriverConfig& config) {
  return xphmg::kRayEntryBytes | std::uint64_t{config.prefetchDepth} << 16U;
}
/// CAP.PREC.MODE with APPLY (4.2).
std::uint64_t modeOf(xphmg::Format format) {
  const std::uint64_t ew = xphmg::formatInfo(format).bytes == 4 ? 2 : 1;
  return std::uint64_t{1} << 31U | std::uint64_t{2} << 22U |
         static_cast<std::uint64_t>(format) << 19U | ew << 17U;
}

}  // namespace

/// Where everything lies: the scene, then the slots, dealt out among the units.
struct XphmgDriver::Layout {
  Layout(std::uint64_t base, const XphmgDatabase& database, const XphmgDriverConfig& config)
      : arena(base, kAlign),
        heap(arena.take(database.bvh.heap.size())),
        triangles(arena.take(database.triangles.size())) {
    for (unsigned job = 0; job < config.jobsInFlight; ++job) {
      for (std::size_t unit = 0; unit < config.pages.size(); ++unit) {
        slots.push_back({arena.take(ringsOf(config.jobRays + 1, 3).next()), unit, 0, 0, 0});
      }
    }
    parameters = arena.take(config.mailbox ? kParameterBytes : 0);
  }
  Arena arena;
  std::uint64_t heap, triangles;
  std::uint64_t parameters = 0;
  std::vector<Slot> slots;
};

XphmgDriver::XphmgDriver(HostBus& bus, const XphmgDatabase& database, const XphmgSpace& space,
                         XphmgDriverConfig config)
    : Device(bus, config.instance, "XPHMG_RT"),
      database_(database),
      space_(space),
      config_(std::move(config)) {
  Layout layout(config_.memoryBase, database, config_);
  if (layout.arena.used() > config_.memorySize) {
    throw std::invalid_argument("XPHMG_RT: the scene and its rings need " +
                                std::to_string(layout.arena.used()) + " bytes, there are " +
                                std::to_string(config_.memorySize));
  }
  heap_ = layout.heap;
  triangles_ = layout.triangles;
  parameters_ = layout.parameters;
  slots_ = std::move(layout.slots);
  for (const std::uint64_t page : config_.pages) units_.emplace_back(bus, page);
  if (config_.mailbox) mailbox_.emplace(bus, *config_.mailbox);
}

std::uint64_t XphmgDriver::memoryNeeded(const XphmgDatabase& database,
                                        const XphmgDriverConfig& config) {
  return Layout(0, database, config).arena.used();
}

std::string XphmgDriver::condition() {
  return "XPHMG_RT: " + std::to_string(busy_) + " jobs are with the units";
}

/// Hands a job to its unit, or to the hart that drives it.
void XphmgDriver::ring(Slot& slot) {
  bus_.work(Work::Submit, 1);
  if (config_.mailbox) {
    post(slot.base);
    slot.ticket = counters_.jobs + 1;  // the hart keeps the unit's own to itself
    return;
  }
  writeRegister(slot.unit, Csr::DOORBELL, slot.base);
  slot.ticket = readRegister(slot.unit, Csr::TICKET_LAST);
}

void XphmgDriver::post(std::uint64_t address) {
  mailbox_->writeWide("POST_LO", address);
}

std::optional<std::uint64_t> XphmgDriver::collectReport() {
  const std::uint64_t address = mailbox_->readWide("COLLECT_LO");
  if (const std::uint32_t status = mailbox_->read("STATUS");
      (status & (xphmg::mailbox::kPostLost | xphmg::mailbox::kReportLost)) != 0) {
    fail("the mailbox has lost a post or a report, STATUS " + std::to_string(status));
  }
  if (address == 0) return std::nullopt;
  const std::uint32_t code = mailbox_->read("COLLECT_CODE");
  if (code != 0) {
    fail("the hart: the job of descriptor " + std::to_string(address) + " failed, LAST_EC " +
         std::to_string(code) + ", EVENTS " + std::to_string(readRegister(0, Csr::XMEM_EVENTS)));
  }
  return address;
}

// ---- bring-up

void XphmgDriver::checkUnit(std::size_t unit) {
  constexpr std::uint64_t kId = 0x50484D47;
  const std::string who = "unit " + std::to_string(unit) + ": ";
  if (readRegister(unit, Csr::CAP_ID) != kId) fail(who + "CAP.ID is not that of an XPHMG part");
  if ((readRegister(unit, Csr::RTCAP) & kOffload) == 0) fail(who + "RTCAP has no offload queue");
  const std::uint64_t depth = readRegister(unit, Csr::QUEUE) & 0xFFFFU;
  // A full queue would hold this processor at the doorbell: never ask for more than there is.
  std::uint64_t mine = 0;
  for (Slot& slot : slots_) {
    if (slot.unit == unit && ++mine > depth) slot.unit = config_.pages.size();
  }
}

void XphmgDriver::setUp(std::size_t unit) {
  writeRegister(unit, Csr::CONTROL, 1);
  checkUnit(unit);
  writeRegister(unit, Csr::PREC_MODE, modeOf(space_.format));
  if (const std::uint64_t pet = readRegister(unit, Csr::PREC_STAT) >> 28U;
      pet != static_cast<std::uint64_t>(space_.format)) {
    fail("unit " + std::to_string(unit) + ": the number format is not the one asked for");
  }
  writeRegister(unit, Csr::XMEM_DOM, kDomain);
  writeRegister(unit, Csr::XMEM_SPROF1, streaming(config_));
  writeRegister(unit, Csr::RTCFG, kEnable);
  writeRegister(unit, Csr::IRQ_EN, xphmg::irq::kJobEnd);
}

/// The unit's registers are the hart's business: they are looked at, and its program is told what
/// to write (firmware/xphmg/queue_driver.c).
void XphmgDriver::setUpByHart() {
  checkUnit(0);
  std::array<std::uint8_t, kParameterBytes> block{};
  const std::array<std::uint64_t, 4> asked{modeOf(space_.format), kDomain, streaming(config_),
                                           kEnable};
  for (std::size_t i = 0; i < asked.size(); ++i) xphmg::storeU64(block.data() + 8 * i, asked[i]);
  writeBytes(parameters_, block);
  post(parameters_);
  sleep("the hart to set up the unit");
  if (collectReport() != parameters_) fail("the hart's first report is not about its parameters");
  readBytes(parameters_, block);
  if (xphmg::loadU64(block.data() + 8 * asked.size()) >> 28U !=
      static_cast<std::uint64_t>(space_.format)) {
    fail("the hart: the number format is not the one asked for");
  }
}

void XphmgDriver::start() {
  if (config_.mailbox) {
    setUpByHart();
  } else {
    for (std::size_t unit = 0; unit < config_.pages.size(); ++unit) setUp(unit);
  }
  std::erase_if(slots_, [this](const Slot& s) { return s.unit == config_.pages.size(); });
  // Built before the simulation, but by this computer.
  bus_.work(Work::ProjectTriangle, database_.elements.size());
  bus_.work(Work::BinTriangle, database_.bvh.binned);
  bus_.work(Work::TreeNode, database_.bvh.cuts);
  bus_.work(Work::EncodeWord, (database_.bvh.heap.size() + database_.triangles.size()) / 4);
  uploadBytes(heap_, database_.bvh.heap);
  uploadBytes(triangles_, database_.triangles);
  if (config_.log) {
    config_.log("XPHMG_RT: " + std::to_string(database_.elements.size()) + " triangles, " +
                std::to_string(database_.bvh.tiles) + " tiles, " +
                std::to_string(database_.bvh.leaves) + " leaves");
  }
}

// ---- rays

void XphmgDriver::trace(std::span<const Ray> rays, std::span<Hit> hits) {
  rays_ = rays;
  std::size_t next = 0;
  while (next < rays.size() || busy_ > 0) {
    bool submitted = false;
    for (Slot& slot : slots_) {
      if (slot.ticket != 0 || next == rays.size()) continue;
      // A job is of one kind: ANY_HIT holds for all its rays.
      std::size_t count = 1;
      while (count < config_.jobRays && next + count < rays.size() &&
             rays[next + count].kind == rays[next].kind)
        ++count;
      submit(slot, rays, next, count);
      next += count;
      submitted = true;
    }
    if (!submitted || next == rays.size()) awaitSome(rays, hits);
  }
  rays_ = {};
}

/// So many bytes of the buffer, which only grows: whoever asks writes them all.
std::span<std::uint32_t> XphmgDriver::words(std::size_t bytes) {
  const std::size_t count = bytes / sizeof buffer_[0];
  if (buffer_.size() < count) buffer_.resize(count);
  return std::span(buffer_).first(count);
}

void XphmgDriver::submit(Slot& slot, std::span<const Ray> rays, std::size_t first,
                         std::size_t count) {
  const std::span<std::uint32_t> entries = words(count * xphmg::kRayEntryBytes);
  auto* const bytes = reinterpret_cast<std::uint8_t*>(entries.data());
  encodeXphmgRays(space_, rays.subspan(first, count), first, bytes);
  bus_.work(Work::EncodeWord, count * xphmg::kRayElements);
  bus_.writeBlock(ringBase(slot.base, 0, ringCap()), entries);

  std::array<std::uint8_t, kRings> head{};
  RtDesc desc;
  desc.bvhBase = heap_;
  desc.rayQueue = slot.base + kHeaders;
  desc.hitQueue = desc.rayQueue + kHeaderStride;
  desc.missQueue = desc.hitQueue + kHeaderStride;
  desc.triBuf = triangles_;
  const bool any = rays[first].kind == Ray::Kind::Any;
  desc.opts = (any ? xphmg::opts::kAnyHit : 0U) | (config_.packHint ? xphmg::opts::kPackHint : 0U);
  desc.memctl.dom = 2;  // RT
  desc.memctl.mclass = static_cast<std::uint8_t>(config_.memoryClass);
  desc.memctl.sprofId = 1;
  desc.memctl.lineSize = 64;
  xphmg::encodeDesc(desc, head.data());
  for (unsigned ring = 0; ring < 3; ++ring) {
    Queue queue;
    queue.cap = ringCap();
    queue.tail = ring == 0 ? static_cast<std::uint32_t>(count) : 0U;
    queue.base = ringBase(slot.base, ring, ringCap());
    xphmg::encodeQueue(queue, head.data() + kHeaders + ring * kHeaderStride);
  }
  writeBytes(slot.base, head);
  ring(slot);
  slot.first = first;
  slot.count = count;
  ++busy_;
  ++counters_.jobs;
  counters_.rays += count;
  if (any) counters_.anyRays += count;
}

// ---- completions

/// Until a unit, or the mailbox, asks for attention.
void XphmgDriver::sleep(const char* what) {
  const sc_core::sc_time since = bus_.now();
  await(config_.lines, config_.patience, what);
  counters_.waiting += bus_.now() - since;
}

void XphmgDriver::awaitSome(std::span<const Ray> rays, std::span<Hit> hits) {
  sleep("the end of an XPHMG_RT job");
  if (config_.mailbox) {
    takeFromHart(rays, hits);
  } else {
    takeFromUnits(rays, hits);
  }
}

void XphmgDriver::takeFromUnits(std::span<const Ray> rays, std::span<Hit> hits) {
  for (std::size_t unit = 0; unit < config_.pages.size(); ++unit) {
    if (!bus_.interrupt(config_.lines[unit])) continue;
    ++counters_.interrupts;
    writeRegister(unit, Csr::IRQ_PEND, readRegister(unit, Csr::IRQ_PEND));
    const std::uint64_t done = readRegister(unit, Csr::TICKET_DONE);
    if (const std::uint64_t failed = readRegister(unit, Csr::ERR_TICKET); failed != 0) {
      fail("unit " + std::to_string(unit) + ": job " + std::to_string(failed) +
           " failed, LAST_EC " + std::to_string((readRegister(unit, Csr::RTSTAT) >> 2U) & 0x3FU) +
           ", EVENTS " + std::to_string(readRegister(unit, Csr::XMEM_EVENTS)));
    }
    for (Slot& slot : slots_) {
      if (slot.unit == unit && slot.ticket != 0 && slot.ticket <= done) collect(slot, rays, hits);
    }
  }
}

void XphmgDriver::takeFromHart(std::span<const Ray> rays, std::span<Hit> hits) {
  if (!bus_.interrupt(config_.lines[0])) return;
  ++counters_.interrupts;
  while (const std::optional<std::uint64_t> descriptor = collectReport()) {
    const auto slot = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) {
      return s.base == *descriptor && s.ticket != 0;
    });
    if (slot == slots_.end()) {
      fail("the hart reports descriptor " + std::to_string(*descriptor) +
           ", which it was not given");
    }
    collect(*slot, rays, hits);
  }
}

void XphmgDriver::collect(Slot& slot, std::span<const Ray> rays, std::span<Hit> hits) {
  std::array<std::uint8_t, 2 * kHeaderStride> heads{};
  readBytes(slot.base + kHeaders + kHeaderStride, heads);
  const std::uint32_t found = xphmg::decodeQueue(heads.data()).tail;
  const std::uint32_t missed = xphmg::decodeQueue(heads.data() + kHeaderStride).tail;
  if (std::uint64_t{found} + missed != slot.count) {
    fail("job " + std::to_string(slot.ticket) + " of " + std::to_string(slot.count) +
         " rays returned " + std::to_string(found) + " hits and " + std::to_string(missed) +
         " misses");
  }
  const std::span<std::uint32_t> entries = words(std::size_t{found} * xphmg::kHitEntryBytes);
  if (found > 0) bus_.readBlock(ringBase(slot.base, 1, ringCap()), entries);
  bus_.work(Work::DecodeWord, std::uint64_t{found} * kHitWords);
  // What no entry speaks of has been missed.
  for (Hit& hit : hits.subspan(slot.first, slot.count)) hit.element = scene::kNoElement;
  for (std::uint32_t i = 0; i < found; ++i) {
    const std::uint8_t* const entry = reinterpret_cast<const std::uint8_t*>(entries.data()) +
                                      std::size_t{i} * xphmg::kHitEntryBytes;
    const std::uint64_t tag = xphmg::loadU64(entry);
    if (tag < slot.first || tag - slot.first >= slot.count) {
      fail("a hit carries user_tag " + std::to_string(tag) + ", which no ray of its job had");
    }
    decode(entry, rays[tag], hits[tag]);
  }
  counters_.hits += found;
  counters_.misses += missed;
  slot.ticket = 0;
  --busy_;
}

void XphmgDriver::decode(const std::uint8_t* entry, const Ray& ray, Hit& hit) {
  const xphmg::HitEntry found = xphmg::decodeHit(entry);
  if (found.primId >= database_.elements.size()) {
    fail("a hit names triangle " + std::to_string(found.primId) + " of " +
         std::to_string(database_.elements.size()));
  }
  hit = {};
  hit.element = database_.elements[found.primId];
  hit.t = space_.value(found.t) * xphmgLength(space_, ray.direction) / space_.scale;
  hit.hasUv = true;
  hit.u = space_.value(found.u);
  hit.v = space_.value(found.v);
}

void XphmgDriver::state(common::StateArchive& a) {
  a.mark("xphmg driver");
  a(counters_.jobs, counters_.rays, counters_.anyRays, counters_.hits, counters_.misses,
    counters_.interrupts, counters_.waiting);
}

void XphmgDriver::Counters::report(common::StatGroup& stats) const {
  stats.count("jobs", "jobs", "descriptors submitted", jobs);
  stats.count("rays", "rays", "rays put into rings", rays);
  stats.count("any_hit_rays", "rays", "of these, shadow rays (ANY_HIT)", anyRays);
  stats.count("hits", "rays", "hit entries taken", hits);
  stats.count("misses", "rays", "miss entries taken", misses);
  stats.count("interrupts", "interrupts", "interrupts served", interrupts);
  stats.count("waiting_ps", "ps", "simulated time asleep, waiting for jobs to end",
              waiting.value());
}

}  // namespace rtvp::host
