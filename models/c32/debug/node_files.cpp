// The folder of a node: node.txt says where it sat and what came to it, memory.txt what lay in the
// shared memory, state.txt how the processor stood at the begin and at the end, program.coff what
// it ran. Lines of a keyword and values; # begins a comment.
#include <charconv>
#include <functional>
#include <map>
#include <sstream>
#include <system_error>

#include "models/c32/asm/coff.hpp"
#include "models/c32/cpu_options.hpp"
#include "models/c32/debug/node.hpp"
#include "models/common/core/file_io.hpp"
#include "models/common/core/record_file.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::string_view kFirstLine = "rtvp-node 1";
constexpr const char *kNode = "node.txt", *kMemory = "memory.txt", *kState = "state.txt",
                     *kProgram = "program.coff";
constexpr std::uint32_t kMostWords = 1u << 24;

/// Numbers of the place, by keyword.
struct PlaceNumber {
  std::string_view name;
  std::function<std::uint64_t(const NodeRecord&)> get;
  std::function<void(NodeRecord&, std::uint64_t)> set;
};

template <auto Member>
PlaceNumber placeNumber(std::string_view name) {
  return {name, [](const NodeRecord& r) { return static_cast<std::uint64_t>(r.place.*Member); },
          [](NodeRecord& r, std::uint64_t n) {
            using T = std::remove_reference_t<decltype(r.place.*Member)>;
            r.place.*Member = static_cast<T>(n);
          }};
}

const std::vector<PlaceNumber>& placeNumbers() {
  static const std::vector<PlaceNumber> kNumbers = {
      placeNumber<&NodePlace::master>("master"),
      placeNumber<&NodePlace::memoryWords>("memory-words"),
      placeNumber<&NodePlace::waitStates>("wait-states"),
      placeNumber<&NodePlace::syncCycles>("sync-cycles"),
      placeNumber<&NodePlace::riseCycles>("rise-cycles"),
      placeNumber<&NodePlace::releaseCycles>("release-cycles"),
      placeNumber<&NodePlace::holdCycles>("hold-cycles"),
      {"h1-hz", [](const NodeRecord& r) { return r.config.h1Hz; },
       [](NodeRecord& r, std::uint64_t n) { r.config.h1Hz = n; }}};
  return kNumbers;
}

std::string nodeText(const NodeRecord& r) {
  std::ostringstream out;
  out << kFirstLine << "\nunit " << r.place.unit << "\nmoment " << r.place.moment << "\n";
  for (const PlaceNumber& n : placeNumbers()) out << n.name << " " << n.get(r) << "\n";
  for (const CpuOption& o : cpuOptions())
    out << "cpu " << o.key << " " << cpuOptionText(o, r.config) << "\n";
  out << "# words that reach the node: cycle in which they are complete, word\n";
  for (const NodeWord& w : r.received)
    out << "received " << w.cycle << " " << common::hex(w.word, 8) << "\n";
  out << "# the barrier lets go\n";
  for (const Cycle c : r.releases) out << "release " << c << "\n";
  out << "# others hold the vote line low: from, to (not included)\n";
  for (const NodePull& p : r.pulls) out << "pull " << p.from << " " << p.to << "\n";
  out << "# what the node sent\n";
  for (const NodeWord& w : r.sent)
    out << "sent " << w.cycle << " " << common::hex(w.word, 8) << "\n";
  return out.str();
}

std::string memoryText(const std::vector<std::uint32_t>& words) {
  constexpr std::size_t kRow = 8;
  std::string text =
      std::string(kFirstLine) + "\n# words of the shared memory; 0 where none stand\n";
  for (std::size_t row = 0; row < words.size(); row += kRow) {
    const std::size_t end = std::min(row + kRow, words.size());
    if (std::all_of(words.begin() + static_cast<std::ptrdiff_t>(row),
                    words.begin() + static_cast<std::ptrdiff_t>(end),
                    [](std::uint32_t w) { return w == 0; }))
      continue;
    text += "memory " + common::hex(row, 6);
    for (std::size_t i = row; i < end; ++i) text += " " + common::hex(words[i], 8);
    text += "\n";
  }
  return text;
}

std::string stateText(const NodeRecord& r) {
  constexpr std::size_t kRow = 32;
  std::ostringstream out;
  out << kFirstLine << "\n# the processor at the begin, as bytes (models/c32/cpu_archive.cpp)\n";
  for (std::size_t row = 0; row < r.state.size(); row += kRow) {
    out << "state ";
    out << common::hexBytes(std::span(r.state).subspan(row, std::min(kRow, r.state.size() - row)));
    out << "\n";
  }
  out << "# and at the end\nend cycle " << r.end.cycle << "\nend pc " << common::hex(r.end.pc, 6)
      << "\n";
  for (const NodeFigure& f : nodeFigures())
    out << "figure " << f.name << " " << r.end.statistics.*f.member << "\n";
  for (std::size_t n = 0; n < r.end.registers.size(); ++n) {
    out << "register " << n << " " << common::hex(r.end.registers[n], 8);
    if (n < r.end.exponents.size()) out << " " << r.end.exponents[n];
    out << "  # " << registerName(static_cast<std::uint8_t>(n)) << "\n";
  }
  for (std::size_t n = 0; n < r.end.ram.size(); ++n)
    out << "ram " << n << " " << common::hex(r.end.ram[n], 8) << "\n";
  return out.str();
}

using Line = common::RecordLine;

int exponentOf(Line& line) {
  const std::string w = line.word("an exponent");
  int value = 0;
  const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value);
  if (error != std::errc() || end != w.data() + w.size() || value < -128 || value > 127)
    line.fail("found " + common::quotedAsIs(w) + ", expected an exponent of -128 to 127");
  return value;
}

using Reader = std::function<void(Line&, NodeRecord&)>;

void readPlaceNumber(Line& line, NodeRecord& r, const PlaceNumber& n) {
  const bool words = n.name == "memory-words";
  n.set(r, line.number(10, words ? kMostWords : 1'000'000'000));
  if (words) r.memory.resize(r.place.memoryWords);
}

void readCpu(Line& line, NodeRecord& r) {
  const std::string key = line.word("an option"), value = line.word("its value");
  if (const auto wrong = setCpuOption(r.config, key, value)) line.fail(key + ": " + *wrong);
}

void readMemory(Line& line, NodeRecord& r) {
  auto address = line.number(16, kMostWords);
  while (line.more()) {
    if (address >= r.memory.size())
      line.fail("found address " + common::hex(address, 6) + ", expected one below memory-words, " +
                std::to_string(r.memory.size()));
    r.memory[address++] = line.hexWord();
  }
}

void readState(Line& line, NodeRecord& r) {
  constexpr std::size_t kMost = 1u << 20;
  const std::vector<std::uint8_t> bytes = line.bytes(kMost);
  if (r.state.size() > kMost) line.fail("found more than a processor's state");
  r.state.insert(r.state.end(), bytes.begin(), bytes.end());
}

void readEnd(Line& line, NodeRecord& r) {
  const std::string what = line.word("cycle or pc");
  if (what == "cycle") {
    r.end.cycle = line.number();
  } else if (what == "pc") {
    r.end.pc = line.hexWord();
  } else {
    line.fail("found " + common::quotedAsIs(what) + ", expected cycle or pc");
  }
}

void readFigure(Line& line, NodeRecord& r) {
  const std::string name = line.word("a figure");
  for (const NodeFigure& f : nodeFigures()) {
    if (f.name == name) return void(r.end.statistics.*f.member = line.number());
  }
  line.fail("found " + common::quotedAsIs(name) + ", which is no figure of a processor");
}

void readRegister(Line& line, NodeRecord& r) {
  const auto n = line.number(10, reg::kCount - 1);
  r.end.registers.resize(reg::kCount);
  r.end.exponents.resize(8);
  r.end.registers[n] = line.hexWord();
  if (n < r.end.exponents.size()) r.end.exponents[n] = exponentOf(line);
}

void readRam(Line& line, NodeRecord& r) {
  const auto n = line.number(10, kRamWords - 1);
  r.end.ram.resize(kRamWords);
  r.end.ram[n] = line.hexWord();
}

const std::map<std::string, Reader, std::less<>>& readers() {
  static const std::map<std::string, Reader, std::less<>> kReaders = [] {
    std::map<std::string, Reader, std::less<>> all = {
        {"unit", [](Line& l, NodeRecord& r) { r.place.unit = l.rest(); }},
        {"moment", [](Line& l, NodeRecord& r) { r.place.moment = l.rest(); }},
        {"cpu", readCpu},
        {"received",
         [](Line& l, NodeRecord& r) {
           const Cycle cycle = l.number();
           r.received.push_back({cycle, l.hexWord()});
         }},
        {"sent",
         [](Line& l, NodeRecord& r) {
           const Cycle cycle = l.number();
           r.sent.push_back({cycle, l.hexWord()});
         }},
        {"release", [](Line& l, NodeRecord& r) { r.releases.push_back(l.number()); }},
        {"pull",
         [](Line& l, NodeRecord& r) {
           const Cycle from = l.number();
           r.pulls.push_back({from, l.number()});
         }},
        {"memory", readMemory},
        {"state", readState},
        {"end", readEnd},
        {"figure", readFigure},
        {"register", readRegister},
        {"ram", readRam}};
    for (const PlaceNumber& n : placeNumbers())
      all.emplace(std::string(n.name), [&n](Line& l, NodeRecord& r) { readPlaceNumber(l, r, n); });
    return all;
  }();
  return kReaders;
}

void readFile(const std::filesystem::path& file, NodeRecord& record) {
  common::RecordReaders all;
  for (const auto& [key, reader] : readers())
    all.emplace(key, [&record, &reader = reader](Line& line) { reader(line, record); });
  try {
    common::readRecord(file, kFirstLine, all);
  } catch (const common::RecordError& e) {
    throw NodeError(e.what());
  }
}

}  // namespace

std::span<const NodeFigure> nodeFigures() {
  using S = CpuStatistics;
  static constexpr NodeFigure kFigures[] = {{"instructions", &S::instructions},
                                            {"executing", &S::executing},
                                            {"bus-wait", &S::busWait},
                                            {"held", &S::held},
                                            {"idle", &S::idle},
                                            {"register-conflict", &S::registerConflict},
                                            {"ram-conflict", &S::ramConflict},
                                            {"interrupt-entry", &S::interruptEntry},
                                            {"interlock-wait", &S::interlockWait},
                                            {"low-power", &S::lowPower},
                                            {"reset", &S::reset},
                                            {"execute-only", &S::executeOnly},
                                            {"dma-conflict", &S::dmaConflict},
                                            {"external-fetches", &S::externalFetches},
                                            {"external-reads", &S::externalReads},
                                            {"external-writes", &S::externalWrites},
                                            {"interrupts", &S::interruptsTaken},
                                            {"late-words", &S::lateWords}};
  return kFigures;
}

void writeNode(const std::filesystem::path& folder, const NodeRecord& record,
               const Image& program) {
  std::filesystem::create_directories(folder);
  common::replaceFile(folder / kNode, nodeText(record));
  common::replaceFile(folder / kMemory, memoryText(record.memory));
  common::replaceFile(folder / kState, stateText(record));
  common::replaceFile(folder / kProgram, writeCoff(program));
}

NodeRecord readNode(const std::filesystem::path& folder) {
  NodeRecord record;
  for (const char* const file : {kNode, kMemory, kState}) readFile(folder / file, record);
  return record;
}

std::filesystem::path nodeProgram(const std::filesystem::path& folder) {
  return folder / kProgram;
}

}  // namespace rtvp::c32
