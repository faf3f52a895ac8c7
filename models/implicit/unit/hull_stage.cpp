// See hull_stage.hpp.
#include "models/implicit/unit/hull_stage.hpp"

#include <algorithm>

#include "models/implicit/unit/words.hpp"

namespace rtvp::implicit::unit {
namespace {

/// Cells as they come; they become warps when the hull is known.
class Collector final : public render::Observer {
 public:
  void cell(const render::CellEvent& event) override { cells.push_back(event); }
  std::vector<render::CellEvent> cells;
};

std::vector<std::uint8_t> wordsOf(const render::Code& code) {
  const std::vector<std::uint64_t> words = registers::encode(*code.program);
  std::vector<std::uint8_t> bytes(words.size() * 8);
  for (std::size_t n = 0; n < words.size(); ++n)
    boost::endian::store_little_u64(bytes.data() + 8 * n, words[n]);
  return bytes;
}

std::vector<std::uint8_t> maskBytes(const Mask& mask) {
  std::vector<std::uint8_t> bytes = mask.bytes();
  bytes.resize(leaf::kMaskBytes);
  return bytes;
}

}  // namespace

HullStage::HullStage(const Configuration& configuration, const Timing& timing, Port& port,
                     Cores& cores, ObjectStore& store, Clock& clock)
    : configuration_(configuration),
      timing_(timing),
      port_(port),
      cores_(cores),
      store_(store),
      clock_(clock) {}

void HullStage::run(LoadedObject& object, std::uint32_t number, render::Counters& counters) {
  const render::Settings& settings = configuration_.settings;
  number_ = number;
  slopes_ = 0;
  if (!settings.compact && object.code().tape && object.code().tape->size() > kSeedInstructions)
    throw JobFault(Fault::Length, "a mask holds 232 instructions", number, kSeedInstructions);
  Collector collector;
  collector.setWatch(watch_);
  try {
    if (settings.mode == render::Mode::Brute) {
      object.setHull(render::wholeBox(object.object(), settings));
    } else {
      object.setHull(render::buildHull(object.object(), settings, counters, collector, number));
    }
  } catch (const render::ObjectError& e) {
    throw JobFault(Fault::Mode, e.what(), number);
  }
  firstCode(object);
  cores_.idleUntil(clock_);
  warps(object, number, collector.cells);
  clock_ = std::max(clock_, cores_.drain());
}

/// The front end translates a tape to register form (section 15) and stores it; a program stays
/// where it is.
void HullStage::firstCode(LoadedObject& object) {
  if (object.hull().codes.at(0).mask) return;
  if (object.code().program) {
    const Region& words = object.code().clauses;
    object.storeProgram(0, words.first, words.copy, words);
    return;
  }
  Warp warp;
  storeProgram(object, 0, warp);
  for (const Move& move : warp.after)
    clock_ = port_
                 .write(move.traffic, move.address,
                        std::span(warp.bytes).subspan(move.offset, move.bytes), clock_)
                 .end;
}

void HullStage::warps(LoadedObject& object, std::uint32_t number,
                      const std::vector<render::CellEvent>& events) {
  std::size_t first = 0;
  for (std::size_t at = 0; at < events.size(); ++at) {
    const render::CellEvent& cell = events[at];
    const bool last = at + 1 == events.size() || events[at + 1].stage != cell.stage ||
                      events[at + 1].ran != cell.ran || at + 1 - first == timing_.lanes ||
                      events[at + 1].number % render::kGroup == 0;
    if (!last) continue;
    group(object, number, std::span(events).subspan(first, at + 1 - first));
    first = at + 1;
    // A stage starts when the one before it is done.
    if (at + 1 < events.size() && events[at + 1].stage != cell.stage) {
      clock_ = std::max(clock_, cores_.drain());
      cores_.idleUntil(clock_);
    }
  }
}

/// Lanes that run the same code side by side.
void HullStage::group(LoadedObject& object, std::uint32_t number,
                      std::span<const render::CellEvent> cells) {
  Warp warp;
  warp.ready = clock_;
  warp.start = timing_.warp_start;
  const Flavour flavour = cells[0].stage == render::Stage::Trim    ? Flavour::Range
                          : cells[0].stage == render::Stage::Slope ? Flavour::Slope
                                                                   : Flavour::Interval;
  warp.runs.push_back({&object.plan(cells[0].ran, flavour, timing_), 1, 0});
  warp.idle_lanes = timing_.lanes - cells.size();
  if (cells[0].stage == render::Stage::Trim) {
    writeExtents(object, number, cells, warp);
  } else if (cells[0].stage == render::Stage::Slope) {
    for (const render::CellEvent& cell : cells) writeSlope(object, number, cell, warp);
  } else {
    for (const render::CellEvent& cell : cells)
      if (cell.verdict == render::Verdict::Ambiguous) writeCell(object, number, cell, warp);
  }
  cores_.push(std::move(warp));
}

/// The parts of a leaf follow each other; the warp with the last of them writes what was found.
void HullStage::writeExtents(LoadedObject& object, std::uint32_t number,
                             std::span<const render::CellEvent> cells, Warp& warp) {
  const std::uint64_t first =
      leaf::extentsOffset(configuration_.map.objects.count, configuration_.settings.compact) +
      std::uint64_t{number} * leaf::kLeaves;
  const Region area = leafArea(number, first, leaf::kLeaves);
  if (object.extents() == nullptr) object.storeExtents(area.base + first, area);
  for (const render::CellEvent& cell : cells) {
    const std::uint32_t leaf = cell.number / render::kTrimCells;
    const std::uint32_t part = cell.number % render::kTrimCells;
    std::uint8_t& extent = object.extent(leaf);
    if (part == 0) extent = 0;
    if (cell.verdict == render::Verdict::Ambiguous)
      extent |= static_cast<std::uint8_t>(1U << part % 2 | 4U << part / 2 % 2 | 16U << part / 4);
    if (part + 1 == render::kTrimCells)
      warp.move(warp.after, Traffic::LeavesWritten, true, area.base + first + leaf,
                std::span(&extent, 1));
  }
}

void HullStage::writeSlope(LoadedObject& object, std::uint32_t number,
                           const render::CellEvent& cell, Warp& warp) {
  const std::uint64_t offset =
      leaf::slopesOffset(configuration_.map.objects.count, configuration_.settings.compact) +
      (std::uint64_t{number} * leaf::kLeaves + cell.number) * leaf::kSlopeBytes;
  const render::Hull& hull = object.hull();
  const Region area = leafArea(number, offset, leaf::kSlopeBytes);
  const registers::SlopeBound& bound = hull.leaves.at(slopes_++).slope;
  std::vector<std::uint8_t> bytes(leaf::kSlopeBytes);
  for (unsigned n = 0; n < 3; ++n) {
    putFloat(bytes.data(), 4 * n, bound.lo[n]);
    putFloat(bytes.data(), 12 + 4 * n, bound.hi[n]);
  }
  putFloat(bytes.data(), 24, bound.norm);
  warp.move(warp.after, Traffic::LeavesWritten, true, area.base + offset, bytes);
  object.storeSlope(cell.number, area.base + offset, std::move(bytes), area);
}

void HullStage::writeCell(LoadedObject& object, std::uint32_t number, const render::CellEvent& cell,
                          Warp& warp) {
  if (cell.stage == render::Stage::Trim) return;  // eight bits beside the leaf's faces, on chip
  if (object.hull().codes.at(cell.kept_code).mask) {
    writeMask(object, number, cell, warp);
    return;
  }
  if (!object.stored(cell.kept_code)) storeProgram(object, cell.kept_code, warp);
  if (cell.stage == render::Stage::Task) return;
  const Region& words = *object.programRegion(cell.kept_code);
  const std::uint64_t offset =
      (std::uint64_t{number} * leaf::kLeaves + cell.number) * leaf::kEntryBytes;
  const Region area = leafArea(number, offset, leaf::kEntryBytes);
  std::vector<std::uint8_t> entry(leaf::kEntryBytes);
  const bool whole = words.traffic == Traffic::Records;
  const std::uint64_t base =
      (whole ? configuration_.map.clauses : configuration_.map.leaf_programs).address;
  putWord(entry.data(), 0, static_cast<std::uint32_t>((words.first - base) / 8));
  putWord(entry.data(), 4,
          static_cast<std::uint32_t>(words.copy.size() / 8) | (whole ? leaf::kWholeProgram : 0U));
  warp.move(warp.after, Traffic::LeavesWritten, true, area.base + offset, entry);
  object.storeLeaf(cell.number, area.base + offset, std::move(entry), area);
}

void HullStage::writeMask(LoadedObject& object, std::uint32_t number, const render::CellEvent& cell,
                          Warp& warp) {
  const bool task = cell.stage == render::Stage::Task;
  const std::uint64_t leaves = std::uint64_t{configuration_.map.objects.count} * leaf::kLeaves;
  const std::uint64_t index = task ? leaves + std::uint64_t{number} * leaf::kTaskCells + cell.number
                                   : std::uint64_t{number} * leaf::kLeaves + cell.number;
  const std::uint64_t offset = index * leaf::kMaskBytes;
  const Region area = leafArea(number, offset, leaf::kMaskBytes);
  std::vector<std::uint8_t> bytes = maskBytes(*object.hull().codes.at(cell.kept_code).mask);
  warp.move(warp.after, Traffic::LeavesWritten, true, area.base + offset, bytes);
  if (task) {
    object.storeTask(cell.number, area.base + offset, std::move(bytes), area);
  } else {
    object.storeLeaf(cell.number, area.base + offset, std::move(bytes), area);
  }
}

void HullStage::storeProgram(LoadedObject& object, std::uint32_t code, Warp& warp) {
  std::vector<std::uint8_t> bytes = wordsOf(object.hull().codes.at(code));
  const Area& memory = configuration_.map.leaf_programs;
  const std::uint64_t words = bytes.size() / 8;
  if (store_.words_used + words > memory.count)
    throw JobFault(Fault::Storage,
                   "leaf programs need more than " + std::to_string(memory.count) + " words",
                   number_);
  Region area;
  area.object = number_;
  area.traffic = Traffic::LeavesRead;
  area.base = memory.address;
  area.bytes = std::uint64_t{memory.count} * 8;
  if (area.base + area.bytes < area.base)
    throw JobFault(Fault::Bus, "an address beyond 64 bits", number_, kNone, area.base);
  const std::uint64_t address = memory.address + store_.words_used * 8;
  store_.words_used += words;
  warp.move(warp.after, Traffic::LeavesWritten, true, address, bytes);
  object.storeProgram(code, address, std::move(bytes), area);
}

Region HullStage::leafArea(std::uint32_t number, std::uint64_t offset, std::uint64_t bytes) const {
  const Area& leaves = configuration_.map.leaves;
  if (offset + bytes > leaves.count)
    throw JobFault(
        Fault::Storage,
        "masks or leaf entries need more than " + std::to_string(leaves.count) + " bytes", number);
  if (leaves.address + leaves.count < leaves.address)
    throw JobFault(Fault::Bus, "an address beyond 64 bits", number, kNone, leaves.address);
  Region area;
  area.traffic = Traffic::LeavesRead;
  area.base = leaves.address;
  area.bytes = leaves.count;
  area.object = number;
  return area;
}

}  // namespace rtvp::implicit::unit
