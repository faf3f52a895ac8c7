// The folder of a run: run.txt has the unit, the surface and the requests with what came of each,
// textures.txt the texels of the surface's textures, program.slc its program.
#include <bit>
#include <span>

#include "models/common/core/file_io.hpp"
#include "models/common/core/text.hpp"
#include "models/sl/number.hpp"
#include "models/sl/unit/run_record.hpp"
#include "models/sl/unit/unit_registers.hpp"

namespace rtvp::sl::unit {
namespace {

using common::RecordLine;
using common::recordNumber;

constexpr std::string_view kFirstLine = "rtvp-run 1";
constexpr const char *kRun = "run.txt", *kTextures = "textures.txt", *kProgram = "program.slc";
constexpr std::uint64_t kAny = ~std::uint64_t{0};
constexpr std::uint64_t kWord = 0xFFFFFFFF;
constexpr std::uint64_t kMostClocks = 1'000'000'000'000;
constexpr std::size_t kMostSegments = std::size_t{1} << 17U;  // one a ray; kBudget instructions
constexpr std::size_t kMostTexels = std::size_t{1} << 19U;

using R = RunRecord;
using A = CoreAddresses;
constexpr std::array kSetUp{recordNumber<R, &R::programWords>("program-words", kMaxProgramWords),
                            recordNumber<R, &R::at, &A::surfaces>("surfaces", kAny),
                            recordNumber<R, &R::at, &A::surfaceCount>("surface-count", kWord),
                            recordNumber<R, &R::at, &A::slots>("slots", kAny),
                            recordNumber<R, &R::at, &A::requests>("requests", kAny),
                            recordNumber<R, &R::at, &A::results>("results", kAny),
                            recordNumber<R, &R::at, &A::entries>("entries", kWord),
                            recordNumber<R, &R::slot>("slot", kWord),
                            recordNumber<R, &R::surface>("surface", kWord),
                            recordNumber<R, &R::instructions>("instructions", kWord)};

using P = PipelineCounters;
constexpr std::array kSpent{recordNumber<P, &P::busy>("busy", kMostClocks),
                            recordNumber<P, &P::stallRequest>("request", kMostClocks),
                            recordNumber<P, &P::stallTexture>("texture", kMostClocks),
                            recordNumber<P, &P::stallResult>("result", kMostClocks),
                            recordNumber<P, &P::stallPort>("port", kMostClocks),
                            recordNumber<P, &P::instructions>("instructions", kMostClocks)};

std::string wordsText(std::span<const std::uint32_t> words) {
  std::string text;
  for (const std::uint32_t w : words) text += " " + common::hex(w, 8);
  return text;
}

std::string floats(std::span<const std::uint32_t> words, std::size_t at, unsigned count) {
  std::string text;
  for (unsigned n = 0; n < count && at + n < words.size(); ++n)
    text += " " + shortest(std::bit_cast<float>(words[at + n]));
  return text;
}

/// What the words of a new run are, for who reads the file.
std::string slotComment(std::span<const std::uint32_t> words) {
  std::string text = "# seed, flags, I" + floats(words, slot::kIndex, 1) + ", s, t" +
                     floats(words, slot::kS, 2) + "\n";
  for (std::size_t n = 0; n < slot::kVectorOrder.size(); ++n) {
    const std::size_t at = slot::kVectors + 3 * n;
    if (at + 3 > words.size()) break;
    text +=
        "# " + std::string(findRegister(slot::kVectorOrder[n])->name) + floats(words, at, 3) + "\n";
  }
  return text;
}

std::string surfaceComment(std::span<const std::uint32_t> words) {
  std::string text = "# C0" + floats(words, surface::kC0, 3) + "; C1" +
                     floats(words, surface::kC1, 3) + "; Kd Ks S Kr Kt Ka" +
                     floats(words, surface::kScalars, 6) + "\n";
  for (unsigned n = 0; n < 4; ++n)
    text += "# r" + std::to_string(n) + floats(words, surface::kR + 3 * n, 3) + "; s" +
            std::to_string(n) + floats(words, surface::kS + n, 1) + "\n";
  return text;
}

std::string segmentText(const RunSegment& s, bool first) {
  std::string text = "request " + std::to_string(s.requestTook) + "\n";
  for (const RunMove& move : s.reads) {
    if (first && move.words.size() != surface::kWords) text += slotComment(move.words);
    if (!first && move.words.size() == 3) text += "# answer" + floats(move.words, 0, 3) + "\n";
    text += "read " + std::to_string(move.took) + " " + common::hex(move.address, 8) +
            wordsText(move.words) + "\n";
  }
  for (const RunTexel& t : s.texels)
    text += "texel " + std::to_string(t.took) + " " + common::hex(t.address, 8) + "\n";
  for (const Clock took : s.writes) text += "write " + std::to_string(took) + "\n";
  const bool asks = s.end.result[result::kKind] == result::kTrace;
  text += std::string(asks ? "# asks for a ray: origin, direction" : "# colour") +
          floats(s.end.result, result::kVector, asks ? 6 : 3) + "\nresult" +
          wordsText(std::span(s.end.result).subspan(1)) + "\nspent";
  for (const auto& n : kSpent) text += " " + std::to_string(n.get(s.end.spent));
  return text + "\n";
}

std::string runText(const RunRecord& r) {
  std::string text = std::string(kFirstLine) + "\nunit " + r.unit + "\nmoment " + r.moment + "\n" +
                     common::numbersText<R>(kSetUp, r);
  for (unsigned n = 0; n < kForms; ++n)
    text += "form-clocks " + std::to_string(n) + " " + std::to_string(r.cycles[n]) + "  # " +
            std::string(kInstructions[n].mnemonic) + " " + std::string(kInstructions[n].operands) +
            "\n";
  text += surfaceComment(r.surfaceWords) + "surface-words" + wordsText(r.surfaceWords) +
          "\n# requests: clocks to read the request; reads and texels: clocks, address; spent: "
          "clocks executing, for the request, texels, the result, at the port; instructions\n";
  for (std::size_t n = 0; n < r.segments.size(); ++n) text += segmentText(r.segments[n], n == 0);
  text += "# registers at the end\n";
  for (const RegisterInfo& row : kRegisters) {
    text += "register " + std::string(row.name);
    if (isScalar(row.id)) {
      text += " " + common::hex(std::bit_cast<std::uint32_t>(r.registers.scalar(row.id)), 8);
    } else {
      const Vec3& v = r.registers.vector(row.id);
      for (unsigned lane = 0; lane < 3; ++lane)
        text += " " + common::hex(std::bit_cast<std::uint32_t>(v[lane]), 8);
    }
    text += "\n";
  }
  return text;
}

void readRegister(RecordLine& line, RunRecord& r) {
  const std::string name = line.word("a register");
  const RegisterInfo* const row = findRegister(name);
  if (row == nullptr) line.fail("found " + common::quotedAsIs(name) + ", which is no register");
  if (isScalar(row->id)) {
    r.registers.scalar(row->id) = std::bit_cast<float>(line.hexWord());
    return;
  }
  for (unsigned lane = 0; lane < 3; ++lane)
    r.registers.vector(row->id)[lane] = std::bit_cast<float>(line.hexWord());
}

void readForm(RecordLine& line, RunRecord& r) {
  const auto form = line.number(10, kForms - 1);
  r.cycles[form] = static_cast<std::uint32_t>(line.number(10, 100'000));
}

/// Lines that belong to the request before them.
class SegmentReader {
 public:
  explicit SegmentReader(RunRecord& record) : record_(record) {}

  void addTo(common::RecordReaders& readers) {
    readers.emplace("request", [this](RecordLine& l) {
      if (record_.segments.size() >= kMostSegments)
        l.fail("found more requests than a run can make");
      record_.segments.emplace_back().requestTook = l.number(10, kMostClocks);
    });
    readers.emplace("read", [this](RecordLine& l) { read(l); });
    readers.emplace("texel", [this](RecordLine& l) {
      if (++texels_ > kMostTexels) l.fail("found more texels than a run can read");
      const Clock took = l.number(10, kMostClocks);
      at(l).texels.push_back({l.hexLong(), took});
    });
    readers.emplace("write",
                    [this](RecordLine& l) { at(l).writes.push_back(l.number(10, kMostClocks)); });
    readers.emplace("result", [this](RecordLine& l) {
      RunSegment& segment = at(l);
      for (unsigned n = 1; n < result::kWords; ++n) segment.end.result[n] = l.hexWord();
    });
    readers.emplace("spent", [this](RecordLine& l) {
      RunSegment& segment = at(l);
      for (const auto& n : kSpent) n.set(segment.end.spent, l.number(10, n.most));
    });
  }

 private:
  RunSegment& at(RecordLine& line) {
    if (record_.segments.empty()) line.fail("found it before any request, expected it behind one");
    return record_.segments.back();
  }
  void read(RecordLine& line) {
    RunMove move;
    move.took = line.number(10, kMostClocks);
    move.address = line.hexLong();
    while (line.more()) {
      if (move.words.size() >= slot::kWords) line.fail("found more words than a slot has");
      move.words.push_back(line.hexWord());
    }
    at(line).reads.push_back(std::move(move));
  }
  RunRecord& record_;
  std::size_t texels_ = 0;
};

}  // namespace

void writeRun(const std::filesystem::path& folder, const RunRecord& record) {
  std::filesystem::create_directories(folder);
  common::replaceFile(folder / kRun, runText(record));
  common::replaceFile(folder / kTextures,
                      std::string(kFirstLine) + "\n" + record.textures.text("texels"));
  if (record.program) common::replaceFile(folder / kProgram, writeSlc(*record.program));
}

RunRecord readRun(const std::filesystem::path& folder) {
  RunRecord r;
  SegmentReader segments(r);
  common::RecordReaders run{{"unit", [&](RecordLine& l) { r.unit = l.rest(); }},
                            {"moment", [&](RecordLine& l) { r.moment = l.rest(); }},
                            {"form-clocks", [&](RecordLine& l) { readForm(l, r); }},
                            {"register", [&](RecordLine& l) { readRegister(l, r); }},
                            {"surface-words", [&](RecordLine& l) {
                               for (std::uint32_t& word : r.surfaceWords) word = l.hexWord();
                             }}};
  common::readNumbers<R>(kSetUp, r, run);
  segments.addTo(run);
  common::readRecord(folder / kRun, kFirstLine, run);
  if (r.segments.empty())
    throw common::RecordError((folder / kRun).string() +
                              ": found no request, expected one or more");
  common::readRecord(folder / kTextures, kFirstLine,
                     {{"texels", [&](RecordLine& l) { r.textures.read(l, kMostTextureBytes); }}});
  constexpr std::uint64_t kMostFile = std::uint64_t{8} * kMaxProgramWords + kHeaderBytes;
  const std::filesystem::path program = folder / kProgram;
  try {
    r.program.emplace(readSlc(common::readBytes(program, kMostFile)));
  } catch (const LoadError& e) {
    throw common::RecordError(program.string() + ": " + e.what());
  } catch (const std::system_error& e) {
    throw common::RecordError(std::string(e.what()) + ", expected a file of --dump-node");
  }
  return r;
}

}  // namespace rtvp::sl::unit
