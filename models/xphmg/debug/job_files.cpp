// The folder of a job: job.txt says how the unit was set up, memory.txt what its descriptor
// reaches, results.txt what came of it.
#include <algorithm>
#include <span>

#include "models/common/core/file_io.hpp"
#include "models/common/core/text.hpp"
#include "models/xphmg/csr_table.hpp"
#include "models/xphmg/debug/job_record.hpp"

namespace rtvp::xphmg {
namespace {

using common::RecordLine;
using common::recordNumber;
using common::RecordNumber;

constexpr std::string_view kFirstLine = "rtvp-job 1";
constexpr const char *kJob = "job.txt", *kMemory = "memory.txt", *kResults = "results.txt";
constexpr std::uint64_t kAny = ~std::uint64_t{0};
constexpr std::uint64_t kMostCycles = 10'000;  // of one step, as the parameters have it
constexpr std::uint64_t kMostRays = 65'535;    // a ring has no more

using R = JobRecord;
using C = UnitConfig;
using T = UnitTiming;
constexpr std::array kSetUp{
    RecordNumber<R>{"period-ps",
                    [](const R& r) -> std::uint64_t { return r.config.period.value(); },
                    [](R& r, std::uint64_t n) {
                      r.config.period = sc_core::sc_time::from_value(std::max<std::uint64_t>(n, 1));
                    },
                    1'000'000'000},
    recordNumber<R, &R::config, &C::lmemKib>("lmem-kib", 4096),
    recordNumber<R, &R::config, &C::timing, &T::memoryIsT2>("memory-is-t2", 1),
    recordNumber<R, &R::config, &C::timing, &T::bboxCycles>("bbox-cycles", kMostCycles),
    recordNumber<R, &R::config, &C::timing, &T::bboxIssue>("bbox-issue", kMostCycles),
    recordNumber<R, &R::config, &C::timing, &T::triCycles>("tri-cycles", kMostCycles),
    recordNumber<R, &R::config, &C::timing, &T::triIssue>("tri-issue", kMostCycles),
    recordNumber<R, &R::config, &C::timing, &T::t0>("t0-cycles", kMostCycles),
    recordNumber<R, &R::config, &C::timing, &T::t1>("t1-cycles", kMostCycles),
    recordNumber<R, &R::config, &C::timing, &T::t2>("t2-cycles", kMostCycles),
    recordNumber<R, &R::config, &C::timing, &T::t3>("t3-cycles", kMostCycles),
    recordNumber<R, &R::config, &C::timing, &T::descriptor>("descriptor-cycles", kMostCycles),
    recordNumber<R, &R::config, &C::lds, &LdsAperture::base>("lds-base", kAny),
    recordNumber<R, &R::config, &C::lds, &LdsAperture::size>("lds-bytes", kAny),
    recordNumber<R, &R::config, &C::features, &UnitFeatures::triangleFault>("triangle-fault", 1),
    recordNumber<R, &R::readCycles>("bus-read-cycles", kMostCycles),
    recordNumber<R, &R::writeCycles>("bus-write-cycles", kMostCycles)};

using E = JobEnd;
using O = JobOutcome;
constexpr std::array kFigures{
    recordNumber<E, &E::cycles>("cycles", kAny),
    recordNumber<E, &E::causes, &UnitCycles::box>("cycles-box", kAny),
    recordNumber<E, &E::causes, &UnitCycles::triangle>("cycles-triangle", kAny),
    recordNumber<E, &E::causes, &UnitCycles::lmem>("cycles-lmem", kAny),
    recordNumber<E, &E::causes, &UnitCycles::memory>("cycles-memory", kAny),
    recordNumber<E, &E::causes, &UnitCycles::queue>("cycles-queue", kAny),
    recordNumber<E, &E::causes, &UnitCycles::descriptor>("cycles-descriptor", kAny),
    recordNumber<E, &E::lmemHits>("lmem-hits", kAny),
    recordNumber<E, &E::lmemMisses>("lmem-misses", kAny),
    recordNumber<E, &E::outcome, &O::errorCode>("error-code", 63),
    recordNumber<E, &E::outcome, &O::events>("events", 0xFFFFFFFF),
    recordNumber<E, &E::outcome, &O::faultAddress>("fault-address", kAny),
    recordNumber<E, &E::outcome, &O::stickies, &Stickies::stat>("stat", 0xFFFFFFFF),
    recordNumber<E, &E::outcome, &O::stickies, &Stickies::exc>("exc", 0xFFFFFFFF),
    recordNumber<E, &E::outcome, &O::enabledFlag>("enabled-flag", 1),
    recordNumber<E, &E::outcome, &O::rays>("rays", kAny),
    recordNumber<E, &E::outcome, &O::hits>("hits", kAny),
    recordNumber<E, &E::outcome, &O::misses>("misses", kAny),
    recordNumber<E, &E::outcome, &O::nodes>("nodes", kAny),
    recordNumber<E, &E::outcome, &O::tiles>("tiles", kAny),
    recordNumber<E, &E::outcome, &O::leaves>("leaves", kAny),
    recordNumber<E, &E::outcome, &O::triangles>("triangles", kAny)};

constexpr std::array<std::string_view, kAccessKinds> kKindNames{
    "tile",       "tri-range",    "triangle", "ray",  "lane-table",
    "descriptor", "queue-header", "hit",      "miss", "queue-index"};
using K = KindTotals;
constexpr std::array kKindFigures{recordNumber<K, &K::accesses>("accesses", kAny),
                                  recordNumber<K, &K::bytes>("bytes", kAny),
                                  recordNumber<K, &K::transactions>("transactions", kAny),
                                  recordNumber<K, &K::busBytes>("bus-bytes", kAny)};

using Y = RayReport;
constexpr std::array kRayFigures{recordNumber<Y, &Y::tag>("tag", kAny),
                                 recordNumber<Y, &Y::hit>("hit", 1),
                                 recordNumber<Y, &Y::nodes>("nodes", 0xFFFFFFFF),
                                 recordNumber<Y, &Y::triangles>("triangles", 0xFFFFFFFF),
                                 recordNumber<Y, &Y::cycles>("cycles", kAny),
                                 recordNumber<Y, &Y::bytes>("bytes", kAny)};

std::string jobText(const JobRecord& r) {
  std::string text = std::string(kFirstLine) + "\nunit " + r.unit + "\nmoment " + r.moment + "\n" +
                     common::numbersText<R>(kSetUp, r) + "descriptor " +
                     common::hex(r.descriptor, 8) +
                     "\n# registers that the job captured when it was submitted\n";
  for (const auto& [csr, value] : r.registers)
    text += "register " + std::string(descriptor(csr).name) + " " + common::hex(value) + "\n";
  return text;
}

std::string resultsText(const JobEnd& end) {
  std::string text = std::string(kFirstLine) + "\n" + common::numbersText<E>(kFigures, end);
  const auto row = [&text](auto table, const auto& record) {
    for (const auto& n : table) text += " " + std::to_string(n.get(record));
    text += "\n";
  };
  text += "# accesses: kind, accesses, bytes asked for, transactions on the bus, bytes in these\n";
  for (unsigned kind = 0; kind < kAccessKinds; ++kind) {
    text += "accesses " + std::string(kKindNames[kind]);
    row(kKindFigures, end.accesses[kind]);
  }
  text += "class-bytes";
  for (const std::uint64_t bytes : end.classBytes) text += " " + std::to_string(bytes);
  text += "\n# rays: user_tag, hit, nodes, triangles, cycles, bytes on the bus\n";
  for (const RayReport& ray : end.rays) {
    text += "ray";
    row(kRayFigures, ray);
  }
  text += "# what the job wrote, in its order\n";
  for (const JobWrite& w : end.writes)
    text += "write " + common::hex(w.address, 8) + " " + common::hexBytes(w.bytes) + "\n";
  return text;
}

template <typename Table, typename Record>
void readRow(RecordLine& line, const Table& table, Record& record) {
  for (const auto& n : table) n.set(record, line.number(10, n.most));
}

void readRegister(RecordLine& line, JobRecord& r) {
  const std::string name = line.word("a register");
  const auto rows = csrTable();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const CsrDescriptor& c) { return c.name == name; });
  if (row == rows.end()) line.fail("found " + common::quotedAsIs(name) + ", which is no register");
  if (r.registers.size() >= kCsrs) line.fail("found more registers than there are");
  r.registers.emplace_back(static_cast<Csr>(row - rows.begin()), line.hexLong());
}

void readAccesses(RecordLine& line, JobEnd& end) {
  const std::string name = line.word("a kind of access");
  const auto* const kind = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (kind == kKindNames.end())
    line.fail("found " + common::quotedAsIs(name) + ", which is no kind of access");
  readRow(line, kKindFigures, end.accesses[static_cast<std::size_t>(kind - kKindNames.begin())]);
}

}  // namespace

void writeJob(const std::filesystem::path& folder, const JobRecord& record) {
  std::filesystem::create_directories(folder);
  common::replaceFile(folder / kJob, jobText(record));
  common::replaceFile(folder / kMemory,
                      std::string(kFirstLine) + "\n" + record.memory.text("memory"));
  common::replaceFile(folder / kResults, resultsText(record.end));
}

JobRecord readJob(const std::filesystem::path& folder) {
  JobRecord r;
  JobEnd& end = r.end;
  common::RecordReaders job{{"unit", [&](RecordLine& l) { r.unit = l.rest(); }},
                            {"moment", [&](RecordLine& l) { r.moment = l.rest(); }},
                            {"descriptor", [&](RecordLine& l) { r.descriptor = l.hexLong(); }},
                            {"register", [&](RecordLine& l) { readRegister(l, r); }}};
  common::readNumbers<R>(kSetUp, r, job);
  common::readRecord(folder / kJob, kFirstLine, job);
  const unsigned kib = r.config.lmemKib;
  if ((kib & (kib - 1)) != 0)
    throw common::RecordError((folder / kJob).string() + ": found lmem-kib " + std::to_string(kib) +
                              ", expected 0 or a power of two");
  common::readRecord(folder / kMemory, kFirstLine,
                     {{"memory", [&](RecordLine& l) { r.memory.read(l, kMostJobMemory); }}});
  common::RecordReaders results{
      {"accesses", [&](RecordLine& l) { readAccesses(l, end); }},
      {"class-bytes",
       [&](RecordLine& l) {
         for (std::uint64_t& bytes : end.classBytes) bytes = l.number();
       }},
      {"ray",
       [&](RecordLine& l) {
         if (end.rays.size() >= kMostRays) l.fail("found more rays than a ring holds");
         readRow(l, kRayFigures, end.rays.emplace_back());
       }},
      {"write", [&](RecordLine& l) {
         const std::uint64_t address = l.hexLong();
         end.writes.push_back({address, l.bytes(common::ByteImage::kLine)});
       }}};
  common::readNumbers<E>(kFigures, end, results);
  common::readRecord(folder / kResults, kFirstLine, results);
  return r;
}

common::RecordDifferences differences(const JobEnd& found, const JobEnd& recorded) {
  common::RecordDifferences d;
  for (const auto& n : kFigures) d.compare(std::string(n.name), n.get(found), n.get(recorded));
  d.compare("rays reported", found.rays.size(), recorded.rays.size());
  for (std::size_t i = 0; i < std::min(found.rays.size(), recorded.rays.size()); ++i)
    for (const auto& n : kRayFigures)
      d.compare("ray " + std::to_string(i) + ": " + std::string(n.name), n.get(found.rays[i]),
                n.get(recorded.rays[i]));
  d.compare("writes", found.writes.size(), recorded.writes.size());
  for (std::size_t i = 0; i < std::min(found.writes.size(), recorded.writes.size()); ++i) {
    const auto text = [](const JobWrite& w) {
      return common::hexBytes(w.bytes) + " to " + common::hex(w.address, 8);
    };
    if (!(found.writes[i] == recorded.writes[i]))
      d.add("write " + std::to_string(i) + ": " + text(found.writes[i]) + ", recorded " +
            text(recorded.writes[i]));
  }
  for (unsigned kind = 0; kind < kAccessKinds; ++kind)
    for (const auto& n : kKindFigures)
      d.compare("accesses " + std::string(kKindNames[kind]) + ": " + std::string(n.name),
                n.get(found.accesses[kind]), n.get(recorded.accesses[kind]));
  for (unsigned c = 0; c < found.classBytes.size(); ++c)
    d.compare("class " + std::to_string(c) + ": bytes", found.classBytes[c],
              recorded.classBytes[c]);
  return d;
}

}  // namespace rtvp::xphmg
