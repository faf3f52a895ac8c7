// The folder of an object: unit.txt has the unit's timing and the object's hull; hull and traced
// the two jobs, each in job.txt (registers, state and what came of it) and memory.txt (what it
// read, and what it wrote).
#include <algorithm>
#include <span>
#include <stdexcept>

#include "models/common/core/file_io.hpp"
#include "models/common/core/text.hpp"
#include "models/implicit/unit/object_record.hpp"
#include "models/implicit/unit/registers.hpp"

namespace rtvp::implicit::unit {
namespace {

using common::RecordLine;
using common::recordNumber;

constexpr std::string_view kFirstLine = "rtvp-object 1";
constexpr const char *kUnit = "unit.txt", *kJob = "job.txt", *kMemory = "memory.txt";
constexpr const char *kHull = "hull", *kTraced = "traced";
constexpr std::uint64_t kAny = ~std::uint64_t{0};
constexpr std::uint64_t kMostCost = 1'000'000;
constexpr std::size_t kMostState = std::size_t{16} << 20U;

using R = ObjectRecording;
using T = Timing;
using C = CacheConfig;
constexpr std::array kSetUp{
    recordNumber<R, &R::object>("object", object::kMost - 1),
    recordNumber<R, &R::readLatency>("read-latency", kMostCost),
    recordNumber<R, &R::writeLatency>("write-latency", kMostCost),
    recordNumber<R, &R::timing, &T::slope_passes>("slope-passes", kMostCost),
    recordNumber<R, &R::timing, &T::decode>("decode", kMostCost),
    recordNumber<R, &R::timing, &T::skipped>("skipped", kMostCost),
    recordNumber<R, &R::timing, &T::constant_advance>("constant-advance", kMostCost),
    recordNumber<R, &R::timing, &T::prune>("prune", kMostCost),
    recordNumber<R, &R::timing, &T::warp_start>("warp-start", kMostCost),
    recordNumber<R, &R::timing, &T::step>("step", kMostCost),
    recordNumber<R, &R::timing, &T::resolve>("resolve", kMostCost),
    recordNumber<R, &R::timing, &T::face_setup>("face-setup", kMostCost),
    recordNumber<R, &R::timing, &T::raster_rate>("raster-rate", kMostCost),
    recordNumber<R, &R::timing, &T::job_start>("job-start", kMostCost),
    recordNumber<R, &R::timing, &T::port_bytes>("port-bytes", kMostCost),
    recordNumber<R, &R::timing, &T::cores>("cores", 64),
    recordNumber<R, &R::timing, &T::lanes>("lanes", 32)};

/// Arrays of the timing, a line each.
template <typename Timings>
auto costsOf(Timings& t) {
  return std::array{std::pair{"point-costs", std::span(t.cycles)},
                    std::pair{"interval-factors", std::span(t.interval)},
                    std::pair{"gradient-factors", std::span(t.gradient)}};
}
template <typename Timings>
auto cachesOf(Timings& t) {
  return std::array{std::pair{"opcode-cache", &t.opcodes},
                    std::pair{"constant-cache", &t.constants}, std::pair{"leaf-cache", &t.leaves}};
}
constexpr std::array kCache{recordNumber<C, &C::lines>("lines", 65536),
                            recordNumber<C, &C::ways>("ways", 65536),
                            recordNumber<C, &C::line_bytes>("line-bytes", 64),
                            recordNumber<C, &C::hit_cycles>("hit-clocks", kMostCost)};

using N = render::Counters;
using L = render::CellCounters;
constexpr std::array kCounters{
    recordNumber<N, &N::task, &L::tested>("task-tested", kAny),
    recordNumber<N, &N::task, &L::outside>("task-outside", kAny),
    recordNumber<N, &N::task, &L::inside>("task-inside", kAny),
    recordNumber<N, &N::task, &L::ambiguous>("task-ambiguous", kAny),
    recordNumber<N, &N::task, &L::undefined>("task-undefined", kAny),
    recordNumber<N, &N::task, &L::executed>("task-executed", kAny),
    recordNumber<N, &N::task, &L::skipped>("task-skipped", kAny),
    recordNumber<N, &N::task, &L::decided>("task-decided", kAny),
    recordNumber<N, &N::mesh, &L::tested>("mesh-tested", kAny),
    recordNumber<N, &N::mesh, &L::outside>("mesh-outside", kAny),
    recordNumber<N, &N::mesh, &L::inside>("mesh-inside", kAny),
    recordNumber<N, &N::mesh, &L::ambiguous>("mesh-ambiguous", kAny),
    recordNumber<N, &N::mesh, &L::undefined>("mesh-undefined", kAny),
    recordNumber<N, &N::mesh, &L::executed>("mesh-executed", kAny),
    recordNumber<N, &N::mesh, &L::skipped>("mesh-skipped", kAny),
    recordNumber<N, &N::mesh, &L::decided>("mesh-decided", kAny),
    recordNumber<N, &N::trim, &L::tested>("trim-tested", kAny),
    recordNumber<N, &N::trim, &L::outside>("trim-outside", kAny),
    recordNumber<N, &N::trim, &L::inside>("trim-inside", kAny),
    recordNumber<N, &N::trim, &L::ambiguous>("trim-ambiguous", kAny),
    recordNumber<N, &N::trim, &L::undefined>("trim-undefined", kAny),
    recordNumber<N, &N::trim, &L::executed>("trim-executed", kAny),
    recordNumber<N, &N::trim, &L::skipped>("trim-skipped", kAny),
    recordNumber<N, &N::trim, &L::decided>("trim-decided", kAny),
    recordNumber<N, &N::slope_tested>("slope-tested", kAny),
    recordNumber<N, &N::slope_unbounded>("slope-unbounded", kAny),
    recordNumber<N, &N::slope_executed>("slope-executed", kAny),
    recordNumber<N, &N::programs>("programs", kAny),
    recordNumber<N, &N::mask_bytes>("mask-bytes", kAny),
    recordNumber<N, &N::program_bytes>("program-bytes", kAny),
    recordNumber<N, &N::faces>("faces", kAny),
    recordNumber<N, &N::fragments>("fragments", kAny),
    recordNumber<N, &N::early_rejects>("early-rejects", kAny),
    recordNumber<N, &N::carried>("carried", kAny),
    recordNumber<N, &N::rays>("rays", kAny),
    recordNumber<N, &N::ray_leaves>("ray-leaves", kAny),
    recordNumber<N, &N::traces>("traces", kAny),
    recordNumber<N, &N::hits>("hits", kAny),
    recordNumber<N, &N::misses>("misses", kAny),
    recordNumber<N, &N::capped>("capped", kAny),
    recordNumber<N, &N::undefined>("undefined", kAny),
    recordNumber<N, &N::overshoots>("overshoots", kAny),
    recordNumber<N, &N::depth_rejects>("depth-rejects", kAny),
    recordNumber<N, &N::covered>("covered", kAny),
    recordNumber<N, &N::trace_evaluations>("trace-evaluations", kAny),
    recordNumber<N, &N::normal_evaluations>("normal-evaluations", kAny),
    recordNumber<N, &N::gradient_evaluations>("gradient-evaluations", kAny),
    recordNumber<N, &N::gradient_fallbacks>("gradient-fallbacks", kAny),
    recordNumber<N, &N::material_evaluations>("material-evaluations", kAny),
    recordNumber<N, &N::side_evaluations>("side-evaluations", kAny),
    recordNumber<N, &N::executed>("executed", kAny),
    recordNumber<N, &N::trace_executed>("trace-executed", kAny),
    recordNumber<N, &N::gradient_executed>("gradient-executed", kAny),
    recordNumber<N, &N::skipped>("skipped", kAny)};

using J = RecordedJob;
constexpr std::array kJobNumbers{
    recordNumber<J, &J::address>("descriptor", kAny), recordNumber<J, &J::at>("at", kAny >> 1U),
    recordNumber<J, &J::kind>("kind", job::kRays),    recordNumber<J, &J::fault>("fault", 255),
    recordNumber<J, &J::count>("count", 0xFFFFFFFF),  recordNumber<J, &J::clocks>("clocks", kAny)};

using O = CoreCounters;
constexpr std::array kCore{recordNumber<O, &O::busy>("busy", kAny),
                           recordNumber<O, &O::fetch>("fetch", kAny),
                           recordNumber<O, &O::constant>("constant", kAny),
                           recordNumber<O, &O::leaf>("leaf", kAny),
                           recordNumber<O, &O::data>("data", kAny),
                           recordNumber<O, &O::port>("port", kAny),
                           recordNumber<O, &O::warps>("warps", kAny),
                           recordNumber<O, &O::idle_lanes>("idle-lanes", kAny)};

template <typename Table, typename Record>
std::string row(const std::string& name, const Table& table, const Record& record) {
  std::string text = name;
  for (const auto& n : table) text += " " + std::to_string(n.get(record));
  return text + "\n";
}
template <typename Table, typename Record>
void readRow(RecordLine& line, const Table& table, Record& record) {
  for (const auto& n : table) n.set(record, line.number(10, n.most));
}

std::string unitText(const ObjectRecording& r) {
  std::string text = std::string(kFirstLine) + "\nunit " + r.unit + "\nmoment " + r.moment + "\n" +
                     common::numbersText<R>(kSetUp, r);
  for (const auto& [name, costs] : costsOf(r.timing)) {
    text += name;
    for (const std::uint32_t cost : costs) text += " " + std::to_string(cost);
    text += "\n";
  }
  text += "# caches: lines, ways, bytes of a line, clocks of a hit\n";
  for (const auto& [name, cache] : cachesOf(r.timing)) text += row(name, kCache, *cache);
  text += "# the object's hull: kept cells of 16 x 16 x 8, and the code that decides f in each\n";
  for (const RecordedLeaf& leaf : r.leaves)
    text += "leaf " + std::to_string(leaf.at[0]) + " " + std::to_string(leaf.at[1]) + " " +
            std::to_string(leaf.at[2]) + " " + std::to_string(leaf.code) + "\n";
  return text;
}

std::string jobText(const RecordedJob& j) {
  std::string text = std::string(kFirstLine) + "\n" + common::numbersText<J>(kJobNumbers, j);
  for (const auto& [number, value] : j.registers)
    text +=
        "register " + std::string(kRegisterTable[number].name) + " " + common::hex(value, 8) + "\n";
  text += "# what it counted\n" + common::numbersText<N>(kCounters, j.counters) + "steps";
  for (const std::uint64_t steps : j.counters.steps) text += " " + std::to_string(steps);
  text += "\n# cores: clocks busy, at opcodes, constants, leaves, data, port; warps, idle lanes\n";
  for (const CoreCounters& core : j.cores) text += row("core", kCore, core);
  text += "# transfers and bytes by what they carry\n";
  for (const TrafficTotals& t : j.traffic)
    text += "traffic " + std::to_string(t.transfers) + " " + std::to_string(t.bytes) + "\n";
  text += "# the unit at its begin, as bytes (unit_archive.cpp)\n";
  constexpr std::size_t kRow = 32;
  for (std::size_t at = 0; at < j.state.size(); at += kRow)
    text += "state " +
            common::hexBytes(std::span(j.state).subspan(at, std::min(kRow, j.state.size() - at))) +
            "\n";
  return text;
}

void writeRecordedJob(const std::filesystem::path& folder, const RecordedJob& j) {
  std::filesystem::create_directories(folder);
  common::replaceFile(folder / kJob, jobText(j));
  common::replaceFile(folder / kMemory, std::string(kFirstLine) + "\n" + j.read.text("read") +
                                            j.written.text("written"));
}

void readRegister(RecordLine& line, RecordedJob& j) {
  const std::string name = line.word("a register");
  for (std::size_t n = 0; n < kConfigurationRows.size(); ++n) {
    if (kRegisterTable[n].name != name) continue;
    if (j.registers.size() >= kConfigurationRows.size())
      line.fail("found more registers than there are");
    return void(j.registers.emplace_back(n, line.hexWord()));
  }
  line.fail("found " + common::quotedAsIs(name) + ", which is no register");
}

void readRecordedJob(const std::filesystem::path& folder, RecordedJob& j) {
  std::size_t traffic = 0;
  common::RecordReaders readers{{"register", [&](RecordLine& l) { readRegister(l, j); }},
                                {"steps",
                                 [&](RecordLine& l) {
                                   for (std::uint64_t& steps : j.counters.steps) steps = l.number();
                                 }},
                                {"core",
                                 [&](RecordLine& l) {
                                   if (j.cores.size() >= 64) l.fail("found more than 64 cores");
                                   readRow(l, kCore, j.cores.emplace_back());
                                 }},
                                {"traffic",
                                 [&](RecordLine& l) {
                                   if (traffic >= kTraffics)
                                     l.fail("found more kinds of transfers than there are");
                                   j.traffic[traffic].transfers = l.number();
                                   j.traffic[traffic++].bytes = l.number();
                                 }},
                                {"state", [&](RecordLine& l) {
                                   const std::vector<std::uint8_t> bytes =
                                       l.bytes(common::ByteImage::kLine);
                                   if (j.state.size() + bytes.size() > kMostState)
                                     l.fail("found more than a unit's state");
                                   j.state.insert(j.state.end(), bytes.begin(), bytes.end());
                                 }}};
  common::readNumbers<J>(kJobNumbers, j, readers);
  common::readNumbers<N>(kCounters, j.counters, readers);
  common::readRecord(folder / kJob, kFirstLine, readers);
  common::readRecord(folder / kMemory, kFirstLine,
                     {{"read", [&](RecordLine& l) { j.read.read(l, kMostObjectMemory); }},
                      {"written", [&](RecordLine& l) { j.written.read(l, kMostObjectMemory); }}});
}

void readLeaf(RecordLine& line, ObjectRecording& r) {
  if (r.leaves.size() >= render::kLeaves) line.fail("found more leaves than a hull has");
  RecordedLeaf& leaf = r.leaves.emplace_back();
  for (unsigned axis = 0; axis < 3; ++axis)
    leaf.at[axis] = static_cast<std::uint8_t>(line.number(10, render::kLeafGrid[axis] - 1));
  leaf.code = static_cast<std::uint32_t>(line.number(10, 0xFFFFFFFF));
}

common::RecordReaders timingReaders(Timing& timing) {
  common::RecordReaders readers;
  for (const auto& [name, costs] : costsOf(timing))
    readers.emplace(name, [costs = costs](RecordLine& l) {
      for (std::uint32_t& cost : costs) cost = static_cast<std::uint32_t>(l.number(10, kMostCost));
    });
  for (const auto& [name, cache] : cachesOf(timing))
    readers.emplace(name, [cache = cache](RecordLine& l) { readRow(l, kCache, *cache); });
  return readers;
}

void compareJobs(const std::string& name, const RecordedJob& a, const RecordedJob& b,
                 common::RecordDifferences& d) {
  for (const auto& n : kJobNumbers) d.compare(name + std::string(n.name), n.get(a), n.get(b));
  for (const auto& n : kCounters)
    d.compare(name + std::string(n.name), n.get(a.counters), n.get(b.counters));
  if (!(a.counters.steps == b.counters.steps)) d.add(name + "steps of traces differ");
  d.compare(name + "cores", a.cores.size(), b.cores.size());
  for (std::size_t c = 0; c < std::min(a.cores.size(), b.cores.size()); ++c)
    for (const auto& n : kCore)
      d.compare(name + "core " + std::to_string(c) + ": " + std::string(n.name), n.get(a.cores[c]),
                n.get(b.cores[c]));
  for (unsigned t = 0; t < kTraffics; ++t) {
    const std::string kind = name + "traffic " + std::to_string(t) + ": ";
    d.compare(kind + "transfers", a.traffic[t].transfers, b.traffic[t].transfers);
    d.compare(kind + "bytes", a.traffic[t].bytes, b.traffic[t].bytes);
  }
  const std::string found = a.written.text("written"), then = b.written.text("written");
  if (found == then) return;
  const auto place = static_cast<std::ptrdiff_t>(std::min(found.size(), then.size()));
  const auto at = std::mismatch(found.begin(), found.begin() + place, then.begin()).first;
  const auto line = static_cast<std::size_t>(at - found.begin());
  const auto lineOf = [line](const std::string& text) {
    if (line >= text.size()) return std::string("nothing");
    const std::size_t begin = text.rfind('\n', line) + 1;
    return text.substr(begin, text.find('\n', line) - begin);
  };
  d.add(name + lineOf(found) + ", recorded " + lineOf(then));
}

}  // namespace

void writeObject(const std::filesystem::path& folder, const ObjectRecording& recording) {
  std::filesystem::create_directories(folder);
  common::replaceFile(folder / kUnit, unitText(recording));
  writeRecordedJob(folder / kHull, recording.hull);
  writeRecordedJob(folder / kTraced, recording.traced);
}

ObjectRecording readObject(const std::filesystem::path& folder) {
  ObjectRecording r;
  common::RecordReaders readers = timingReaders(r.timing);
  readers.emplace("unit", [&](RecordLine& l) { r.unit = l.rest(); });
  readers.emplace("moment", [&](RecordLine& l) { r.moment = l.rest(); });
  readers.emplace("leaf", [&](RecordLine& l) { readLeaf(l, r); });
  common::readNumbers<R>(kSetUp, r, readers);
  common::readRecord(folder / kUnit, kFirstLine, readers);
  try {
    r.timing.check();
  } catch (const std::invalid_argument& e) {
    throw common::RecordError((folder / kUnit).string() + ": " + e.what());
  }
  readRecordedJob(folder / kHull, r.hull);
  readRecordedJob(folder / kTraced, r.traced);
  return r;
}

common::RecordDifferences differences(const ObjectRecording& found,
                                      const ObjectRecording& recorded) {
  common::RecordDifferences d;
  d.compare("leaves", found.leaves.size(), recorded.leaves.size());
  for (std::size_t n = 0; n < std::min(found.leaves.size(), recorded.leaves.size()); ++n) {
    const auto text = [](const RecordedLeaf& leaf) {
      return std::to_string(leaf.at[0]) + " " + std::to_string(leaf.at[1]) + " " +
             std::to_string(leaf.at[2]) + " code " + std::to_string(leaf.code);
    };
    const RecordedLeaf &a = found.leaves[n], &b = recorded.leaves[n];
    if (!(a == b)) d.add("leaf " + std::to_string(n) + ": " + text(a) + ", recorded " + text(b));
  }
  compareJobs("hull: ", found.hull, recorded.hull, d);
  compareJobs("traced: ", found.traced, recorded.traced, d);
  return d;
}

}  // namespace rtvp::implicit::unit
