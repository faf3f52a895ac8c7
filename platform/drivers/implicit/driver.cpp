// See implicit_driver.hpp.
#include "platform/drivers/implicit/driver.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "models/common/core/state.hpp"
#include "models/common/report_ids.hpp"
#include "models/implicit/unit/faults.hpp"
#include "models/implicit/unit/layout.hpp"
#include "models/implicit/unit/registers.hpp"

namespace rtvp::host {
namespace {

namespace iu = implicit::unit;
using scene::Vec3;

constexpr std::uint64_t kAlign = 64;
constexpr std::size_t kLeastPixels = 4096;
constexpr std::uint64_t kLeastLeafBytes = 1U << 20U;
constexpr std::uint32_t kLeafBytes = 40;  // of a leaf: mask or entry, extents, share of task masks
constexpr std::size_t kMostPixels = std::size_t{1} << 20U;  // of the buffers

/// The largest record: with a material.
constexpr std::uint64_t kPixelBytes =
    iu::hit::kMaterialBytes + std::max(iu::kDepthBytes, iu::ray::kBytes);

std::uint64_t leafTableBytes(const ImplicitDatabase& database) {
  const std::uint64_t bytes = kLeafBytes + (database.slopes ? iu::leaf::kSlopeBytes : 0);
  return (std::uint64_t{database.count} * iu::leaf::kLeaves * bytes + kAlign - 1) / kAlign * kAlign;
}

float number(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

}  // namespace

/// Where the objects lie; buffers and leaves' programs share what is behind them.
struct ImplicitDriver::Layout {
  Layout(std::uint64_t base, const ImplicitDatabase& database)
      : arena(base, kAlign),
        ring(arena.take(std::uint64_t{kRingEntries} * iu::job::kBytes)),
        objects(arena.take(database.objects.size())),
        descriptions(arena.take(database.tapes.descriptions.size())) {
    for (const auto& tape : database.tapes.tapes) tapes.push_back(arena.take(tape.size()));
    programs = arena.take(database.programs.size());
    clauses = arena.take(8 * database.clauses.size());
    leaves = arena.take(leafTableBytes(database));
  }
  Arena arena;
  std::uint64_t ring, objects, descriptions;
  std::vector<std::uint64_t> tapes;
  std::uint64_t programs = 0, clauses = 0, leaves = 0;
};

ImplicitDriver::ImplicitDriver(HostBus& bus, const scene::Scene& scene,
                               const ImplicitDatabase& database, ImplicitDriverConfig config)
    : Device(bus, config.instance, "implicit-surface unit"),
      scene_(scene),
      database_(database),
      config_(std::move(config)),
      unit_(bus, config_.unitBase),
      objectOf_(scene.elements.size(), iu::kNone) {
  if (memoryNeeded(database) > config_.memorySize) {
    throw std::invalid_argument(
        "the implicit surfaces need " + std::to_string(memoryNeeded(database)) +
        " bytes of the unit's memory, there are " + std::to_string(config_.memorySize));
  }
  for (std::uint32_t i = 0; i < database.count; ++i) objectOf_[database.elements[i]] = i;
  Layout layout(config_.memoryBase, database);
  ring_ = layout.ring;
  objects_ = layout.objects;
  descriptions_ = layout.descriptions;
  tapes_ = std::move(layout.tapes);
  programs_ = layout.programs;
  clauses_ = layout.clauses;
  leaves_ = layout.leaves;
  const std::uint64_t left = config_.memorySize - layout.arena.used();
  capacity_ = std::clamp<std::size_t>(left / 2 / kPixelBytes, kLeastPixels, kMostPixels);
  buffers_ = layout.arena.take(capacity_ * kPixelBytes);
  leafPrograms_ = layout.arena.next();
  leafWords_ = static_cast<std::uint32_t>(
      std::min<std::uint64_t>((config_.memorySize - layout.arena.used()) / 8, 0x7FFF'FFFFU));
}

std::uint64_t ImplicitDriver::memoryNeeded(const ImplicitDatabase& database) {
  return Layout(0, database).arena.used() + kLeastLeafBytes + kLeastPixels * kPixelBytes;
}

std::uint64_t ImplicitDriver::recordBytes() const {
  return config_.materials ? iu::hit::kMaterialBytes : iu::hit::kBytes;
}

// ---- bring-up

void ImplicitDriver::start() {
  if (unit_.read("ID") != iu::kIdValue) fail("no unit answers at its address");
  unit_.write("CONTROL", iu::control::kReset);
  for (const auto& [offset, value] : config_.registers) {
    bus_.write32(unit_.base() + offset, value);
  }
  unit_.writePair("RING_LOW", ring_);
  unit_.write("RING_ENTRIES", kRingEntries);
  unit_.write("INTERRUPT_ENABLE", iu::interrupt::kDone | iu::interrupt::kFault);
  loadObjects();
  buildHulls();
}

void ImplicitDriver::loadObjects() {
  struct Area {
    iu::Reg low, count;
    std::uint64_t elementBytes;
  };
  static constexpr std::array<Area, implicit::kTapeKinds> kAreas{{
      {"OPCODES_LOW", "OPCODES", 16},
      {"FLOATS_LOW", "FLOATS", 4},
      {"VEC2S_LOW", "VEC2S", 8},
      {"VEC4S_LOW", "VEC4S", 16},
      {"MAT2S_LOW", "MAT2S", 16},
      {"MAT3S_LOW", "MAT3S", 48},
      {"MAT4S_LOW", "MAT4S", 64},
      {"MATERIALS_LOW", "MATERIALS", 64},
      {"DEPENDENCIES_LOW", "DEPENDENCIES", 2},
  }};
  const implicit::EncodedTapes& tapes = database_.tapes;
  chargeEncoding();
  uploadBytes(objects_, database_.objects);
  unit_.writePair("OBJECTS_LOW", objects_);
  unit_.write("OBJECTS", database_.count);
  uploadBytes(descriptions_, tapes.descriptions);
  unit_.writePair("DESCRIPTIONS_LOW", descriptions_);
  unit_.write("DESCRIPTIONS",
              static_cast<std::uint32_t>(tapes.descriptions.size() / implicit::kDescriptionBytes));
  for (std::size_t kind = 0; kind < kAreas.size(); ++kind) {
    const Area& area = kAreas[kind];
    const bool pairs = area.count.name() == "DEPENDENCIES" && tapes.wide;
    uploadBytes(tapes_[kind], tapes.tapes[kind]);
    unit_.writePair(area.low, tapes_[kind]);
    unit_.write(area.count, static_cast<std::uint32_t>(tapes.tapes[kind].size() /
                                                       (pairs ? 4 : area.elementBytes)));
  }
  uploadBytes(programs_, database_.programs);
  unit_.writePair("PROGRAMS_LOW", programs_);
  unit_.write("PROGRAMS",
              static_cast<std::uint32_t>(database_.programs.size() / iu::program::kBytes));
  bus_.upload(clauses_, halves(database_.clauses));
  unit_.writePair("CLAUSES_LOW", clauses_);
  unit_.write("CLAUSES", static_cast<std::uint32_t>(database_.clauses.size()));
  unit_.writePair("LEAVES_LOW", leaves_);
  unit_.write("LEAVES", static_cast<std::uint32_t>(leafTableBytes(database_)));
  unit_.writePair("LEAF_PROGRAMS_LOW", leafPrograms_);
  unit_.write("LEAF_PROGRAMS", leafWords_);
}

/// The objects were encoded before the simulation, but by this computer.
void ImplicitDriver::chargeEncoding() {
  std::size_t bytes = database_.objects.size() + database_.tapes.descriptions.size() +
                      database_.programs.size() + 8 * database_.clauses.size();
  for (const auto& tape : database_.tapes.tapes) bytes += tape.size();
  bus_.work(Work::EncodeWord, bytes / 4);
}

void ImplicitDriver::buildHulls() {
  Words job(iu::job::kBytes / 4);
  job[iu::job::kKind / 4] = iu::job::kHull;
  job[iu::job::kObjects / 4] = database_.count;
  queue(job);
  const std::uint64_t address = ring_;
  finish("the hulls");
  counters_.leaves = bus_.read32(address + iu::job::kCount);
  if (config_.log) {
    config_.log("implicit surfaces: " + std::to_string(database_.count) + ", " +
                std::to_string(counters_.leaves) + " leaves");
  }
}

// ---- jobs

void ImplicitDriver::queue(const Words& job) {
  bus_.writeBlock(ring_ + std::uint64_t{iu::job::kBytes} * (tail_ % kRingEntries), job);
  ++tail_;
  ++counters_.jobs;
}

bool ImplicitDriver::ringIsEmpty() {
  const std::uint32_t causes = unit_.read("INTERRUPT");
  if (causes == 0) return false;
  ++counters_.interrupts;
  unit_.write("INTERRUPT", causes);
  const std::uint32_t status = unit_.read("STATUS");
  if ((status & iu::status::kHalted) != 0) fail("the job ring failed, the unit has halted");
  return (status & iu::status::kBusy) == 0;
}

void ImplicitDriver::finish(const char* what) {
  bus_.work(Work::Submit, 1);
  const sc_core::sc_time begin = bus_.now();
  unit_.write("RING_TAIL", tail_);
  bool empty = false;
  await(
      {&config_.interruptLine, 1}, config_.patience,
      std::string("the implicit-surface unit: ") + what, [&] { return empty; },
      [&] { empty = ringIsEmpty(); });
  counters_.waiting += bus_.now() - begin;
  for (; seen_ != tail_; ++seen_) {
    std::array<std::uint32_t, 4> result{};
    bus_.readBlock(
        ring_ + std::uint64_t{iu::job::kBytes} * (seen_ % kRingEntries) + iu::job::kResult, result);
    if ((result[0] & 0xFFU) != iu::job::kDone) reportFault(result);
  }
}

/// The scene's line, the object's file, the position in its tape, the reason.
void ImplicitDriver::reportFault(std::span<const std::uint32_t> result) {
  const std::uint32_t code = result[0] >> 8U & 0xFFU;
  const std::uint32_t object = result[1];
  const std::uint32_t position = result[2];
  std::string text;
  if (object < scene_.implicits.size()) {
    const scene::Implicit& it = scene_.implicits[object];
    text = it.where + "object " + std::to_string(object) + " (" +
           it.model->file.filename().string() + ")";
  } else {
    text = "job " + std::to_string(seen_);
  }
  if (position != iu::kNone) text += ", position " + std::to_string(position);
  text += ": ";
  text += code < iu::kFaults ? iu::kFaultInfo[code].text : "an unknown fault";
  text += " (fault " + std::to_string(code) + ")";
  if (code == static_cast<std::uint32_t>(iu::Fault::Storage)) text += ", see implicit.memory_mib";
  end(report_ids::kImplicitFault, text);
}

// ---- hits

void ImplicitDriver::take(std::span<const std::uint32_t> record, Hit& hit) {
  const Hit known = std::exchange(hit, {});
  const std::uint32_t status = record[iu::hit::kStatus / 4];
  counters_.capped += (status & iu::hit::kCapped) != 0 ? 1U : 0U;
  counters_.undefined += (status & iu::hit::kNan) != 0 ? 1U : 0U;
  if ((status & iu::hit::kHit) == 0) return;
  const std::uint32_t element = record[iu::hit::kObject / 4];
  if (element >= objectOf_.size() || objectOf_[element] == iu::kNone) {
    fail("a hit on object " + std::to_string(element) + ", which no record names");
  }
  Hit found;
  found.element = element;
  found.t = double{number(record[iu::hit::kT / 4])};
  if (!isNearer(found, known)) {
    ++counters_.hidden;
    return;
  }
  ++counters_.hits;
  hit = found;
  const scene::Implicit& object = scene_.implicits[objectOf_[element]];
  const auto vector = [&record](unsigned offset) {
    return Vec3{double{number(record[offset / 4])}, double{number(record[offset / 4 + 1])},
                double{number(record[offset / 4 + 2])}};
  };
  hit.normal = scene::unit(vector(iu::hit::kNormal));
  hit.hasNormal = !(hit.normal == Vec3{});
  const bool own =
      config_.materials && object.model->tape != nullptr && !object.model->tape->materials.empty();
  hit.hasColor = true;
  hit.color =
      own ? vector(iu::hit::kMaterial) : scene_.materials[scene_.elements[element].material].color;
  hit.slack = 2 * config_.eps * object.placement.largestScale();
}

// ---- statistics

void ImplicitDriver::Counters::report(common::StatGroup& stats) const {
  stats.count("jobs", "jobs", "jobs given to the unit", jobs);
  stats.count("frames", "jobs", "of these, rectangles of eye rays", frames);
  stats.count("pixels", "rays", "eye rays in these", pixels);
  stats.count("rays", "rays", "rays of lists", rays);
  stats.count("any_rays", "rays", "of these, shadow rays", anyRays);
  stats.count("spared", "rays", "shadow rays that another machine found blocked", spared);
  stats.count("leaves", "leaves", "cuboids of all hulls", leaves);
  stats.count("hits", "rays", "rays whose nearest hit is an implicit surface", hits);
  stats.count("hidden", "rays", "rays that the unit says hit, behind another machine's hit",
              hidden);
  stats.count("capped", "rays", "rays that did not converge within the step limit somewhere",
              capped);
  stats.count("undefined", "rays", "rays on whose way f had no value; no hit there", undefined);
  stats.count("interrupts", "1", "interrupts taken", interrupts);
  stats.count("waiting_ps", "ps", "simulated time asleep, waiting for jobs to end",
              waiting.value());
}

void ImplicitDriver::state(common::StateArchive& a) {
  a.mark("implicit driver");
  a(tail_, seen_);
  Counters& c = counters_;
  a(c.jobs, c.frames, c.pixels, c.rays, c.anyRays, c.spared, c.leaves, c.hits, c.hidden, c.capped,
    c.undefined, c.interrupts, c.waiting);
}

}  // namespace rtvp::host
