// See report.hpp.
#include "models/c32/debug/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>

#include "models/c32/decode.hpp"
#include "models/c32/disasm.hpp"
#include "models/c32/flags.hpp"
#include "models/common/core/print.hpp"

namespace rtvp::c32 {
namespace {

using common::print;

using Big = unsigned long long;

bool inText(const Image& image, std::uint32_t address) {
  return std::any_of(image.sections.begin(), image.sections.end(), [&](const Section& s) {
    return s.kind == Section::Kind::Text && address >= s.runAddress &&
           address - s.runAddress < s.size;
  });
}

}  // namespace

std::string registerText(const Cpu& cpu) {
  std::string out;
  for (unsigned n = 0; n < 8; ++n) {
    const Float40 x = cpu.extended(n);
    print(out, "R%u   %02x:%08x  %11d  %.10g\n", n, static_cast<unsigned>(x.exponent) & 0xFFu,
          x.mantissa, static_cast<std::int32_t>(cpu.registerValue(n)), toDouble(x));
  }
  for (unsigned n = 8; n < reg::kCount; ++n) {
    print(out, "%-4s %08x%s", std::string(registerName(static_cast<std::uint8_t>(n))).c_str(),
          cpu.registerValue(n), n % 4 == 3 ? "\n" : "   ");
  }
  print(out, "PC   %06x     cycle %llu   flags", cpu.pc(), static_cast<Big>(cpu.cycle()));
  constexpr std::array<const char*, 9> kNames = {"C",  "V",   "Z",   "N", "UF",
                                                 "LV", "LUF", "OVM", "RM"};
  for (unsigned bit = 0; bit < kNames.size(); ++bit) {
    if ((cpu.registerValue(reg::ST) >> bit & 1u) != 0) out += std::string(" ") + kNames[bit];
  }
  if ((cpu.registerValue(reg::ST) & kGIE) != 0) out += " GIE";
  return out + "\n";
}

std::string memoryText(const Machine& machine, std::uint32_t address, std::uint32_t count,
                       bool asFloat) {
  std::string out;
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::uint32_t at = (address + n) & kAddressMask, word = machine.peek(at);
    if (asFloat) {
      print(out, "%06x  %08x  %.9g\n", at, word, doubleFromSingle(word));
      continue;
    }
    if (n % 8 == 0) print(out, "%06x ", at);
    print(out, " %08x%s", word, n % 8 == 7 || n + 1 == count ? "\n" : "");
  }
  return out;
}

std::string disassemblyText(const Session& session, std::uint32_t address, std::uint32_t count) {
  std::string out;
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::uint32_t at = (address + n) & kAddressMask, word = session.machine().peek(at);
    print(out, "%06x  %08x  %-40s", at, word, disassemble(word, at).c_str());
    out += "  " + session.symbolic(at) + "\n";
  }
  return out;
}

std::string statisticsText(const Cpu& cpu) {
  const CpuStatistics& s = cpu.statistics();
  std::string out;
  print(out, "instructions        %llu\ncycles              %llu\n",
        static_cast<Big>(s.instructions), static_cast<Big>(s.totalCycles()));
  print(out, "  %-18s%llu\n", "executing", static_cast<Big>(s.executing));
  const StallCycles stalls = s.stalls();
  for (unsigned n = 0; n < kStallCauses; ++n) {
    const std::string name(stallName(static_cast<StallCause>(n)));
    if (stalls[n] != 0) print(out, "  %-18s%llu\n", name.c_str(), static_cast<Big>(stalls[n]));
  }
  print(out, "external fetches    %llu\nexternal reads      %llu\nexternal writes     %llu\n",
        static_cast<Big>(s.externalFetches), static_cast<Big>(s.externalReads),
        static_cast<Big>(s.externalWrites));
  return out;
}

std::string profileBySymbol(const Session& session) {
  std::map<std::string, Counts> bySymbol;
  Counts all;
  for (const auto& [address, counts] : session.counts()) {
    if (counts.instructions == 0) continue;
    std::string name = session.symbolic(address);
    name = name.substr(0, name.find('+'));
    bySymbol[name].instructions += counts.instructions;
    bySymbol[name].cycles += counts.cycles;
    all.instructions += counts.instructions;
    all.cycles += counts.cycles;
  }
  std::vector<std::pair<std::string, Counts>> order(bySymbol.begin(), bySymbol.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.cycles > b.second.cycles; });
  std::string out = "      cycles      %  instructions   CPI  symbol\n";
  for (const auto& [name, c] : order) {
    print(out, "%12llu %6.2f  %12llu %5.2f  ", static_cast<Big>(c.cycles),
          100.0 * static_cast<double>(c.cycles) / static_cast<double>(std::max<Big>(all.cycles, 1)),
          static_cast<Big>(c.instructions),
          static_cast<double>(c.cycles) / static_cast<double>(std::max<Big>(c.instructions, 1)));
    out += name + "\n";
  }
  return out;
}

std::string profileByLine(const Session& session) {
  const Image& image = session.image();
  std::map<std::pair<std::uint32_t, std::uint32_t>, Counts> byLine;
  for (const LineEntry& e : image.lines) {
    const auto it = session.counts().find(e.address);
    if (it == session.counts().end() || it->second.instructions == 0) continue;
    Counts& c = byLine[{e.file, e.line}];
    c.instructions += it->second.instructions;
    c.cycles += it->second.cycles;
  }
  std::string out = "      cycles  instructions  line\n";
  for (const auto& [where, c] : byLine) {
    print(out, "%12llu  %12llu  ", static_cast<Big>(c.cycles), static_cast<Big>(c.instructions));
    out += image.files[where.first] + ":" + std::to_string(where.second) + "\n";
  }
  return out;
}

std::string coverageText(const Session& session) {
  const Image& image = session.image();
  struct File {
    std::size_t words = 0, executed = 0;
    std::set<std::uint32_t> missed, reached;
  };
  std::map<std::uint32_t, File> files;
  for (const LineEntry& e : image.lines) {
    if (!inText(image, e.address)) continue;
    File& f = files[e.file];
    ++f.words;
    const auto counted = session.counts().find(e.address);
    const bool executed = counted != session.counts().end() && counted->second.instructions != 0;
    if (!executed && counted != session.counts().end() && counted->second.data) {
      --f.words;
      continue;
    }
    f.executed += executed ? 1 : 0;
    (executed ? f.reached : f.missed).insert(e.line);
  }
  std::string out;
  for (const auto& [file, f] : files) {
    out += image.files[file];
    print(out, ": %zu of %zu words executed (%.1f %%)\n", f.executed, f.words,
          100.0 * static_cast<double>(f.executed) /
              static_cast<double>(std::max<std::size_t>(f.words, 1)));
    for (const std::uint32_t line : f.missed) {
      if (f.reached.count(line) == 0)
        out += "  never reached: " + image.files[file] + ":" + std::to_string(line) + "\n";
    }
  }
  return out;
}

}  // namespace rtvp::c32
