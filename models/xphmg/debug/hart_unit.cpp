// See hart_unit.hpp. Calls and returns as the ABI's hints tell them (RISC-V unprivileged
// ISA, 2.5.1).
#include "models/xphmg/debug/hart_unit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <utility>

#include "models/common/core/text.hpp"
#include "models/xphmg/hart/line_table.hpp"

namespace rtvp::rv64 {
namespace {

constexpr unsigned kRa = 1, kSp = 2, kAlternate = 5;

bool isLink(unsigned reg) {
  return reg == kRa || reg == kAlternate;
}

bool calls(const Decoded& d) {
  return (d.op == Op::JAL || d.op == Op::JALR) && isLink(d.rd);
}

/// Bytes that a load, store or atomic moves; 0: it moves none.
unsigned bytesMoved(const Decoded& d) {
  if (d.op == Op::Illegal) return 0;
  const InstructionRow& r = row(d.op);
  std::string_view name = r.mnemonic;
  char size = 0;
  switch (r.format) {
    case Format::FLoad:
    case Format::FStore:
      name.remove_prefix(1);
      [[fallthrough]];
    case Format::Load:
    case Format::Store:
      size = name.size() > 1 ? name[1] : '\0';
      break;
    case Format::Lr:
    case Format::Amo:
      size = name.find(".d") != std::string_view::npos ? 'd' : 'w';
      break;
    default:
      return 0;
  }
  return size == 'b' ? 1 : size == 'h' ? 2 : size == 'w' ? 4 : 8;
}

}  // namespace

namespace {

/// Bytes that the instruction there takes; 0: the program has none there.
unsigned lengthAt(const ElfImage& image, std::uint64_t address) {
  for (const ElfSegment& segment : image.segments) {
    const std::uint64_t offset = address - segment.address;
    if (offset >= segment.bytes.size()) continue;
    return (segment.bytes[static_cast<std::size_t>(offset)] & 3U) == 3 ? 4 : 2;
  }
  return 0;
}

/// A line for each instruction. Code that the linker has thrown away keeps a table at addresses
/// where nothing lies.
void addLines(const ElfImage& image, debug::Program& program) {
  LineTable table = readLines(image);
  program.files = std::move(table.files);
  std::stable_sort(
      table.sequences.begin(), table.sequences.end(),
      [](const auto& a, const auto& b) { return a.rows.front().address < b.rows.front().address; });
  std::uint64_t done = 0;  // up to here; pieces that lie on others are not shown twice
  for (const LineTable::Sequence& sequence : table.sequences) {
    for (std::size_t n = 0; n < sequence.rows.size(); ++n) {
      const LineTable::Row& row = sequence.rows[n];
      const std::uint64_t end =
          n + 1 < sequence.rows.size() ? sequence.rows[n + 1].address : sequence.end;
      std::uint64_t at = std::max(row.address, done);
      for (unsigned length = 0; at < end; at += length) {
        length = lengthAt(image, at);
        if (length == 0) break;
        if (row.line != 0) program.lines.push_back({at, row.file, row.line});
      }
      done = std::max(done, at);
    }
  }
}

}  // namespace

void addSymbols(const ElfImage& image, debug::Program& program) {
  program.addressDigits = 8;
  for (const ElfSymbol& s : image.symbols) {
    if (s.name.starts_with('$')) continue;
    program.symbols.emplace(s.name, s.value);
    const auto [it, added] = program.labels.try_emplace(s.value, s.name);
    if (!added && s.function) it->second = s.name;
    if (s.function && s.size != 0) program.code.push_back({s.value, s.value + s.size - 1});
  }
  std::vector<debug::Program::Range> sections;
  for (const ElfSection& s : image.sections)
    sections.push_back({s.address, s.address + s.size - 1});
  program.setSections(std::move(sections));
}

debug::Program debugProgram(const ElfImage& image) {
  debug::Program program;
  addLines(image, program);
  addSymbols(image, program);
  return program;
}

std::span<const DebugUnit::NamedCsr> DebugUnit::csrs() {
  static constexpr std::array<NamedCsr, 9> kNames = {{{"fcsr", 0x003},
                                                      {"mstatus", 0x300},
                                                      {"mie", 0x304},
                                                      {"mtvec", 0x305},
                                                      {"mscratch", 0x340},
                                                      {"mepc", 0x341},
                                                      {"mcause", 0x342},
                                                      {"mtval", 0x343},
                                                      {"mip", 0x344}}};
  return kNames;
}

DebugUnit::DebugUnit(std::string name, Hart& hart, std::function<std::string(std::uint32_t)> vendor)
    : name_(std::move(name)), hart_(hart), vendor_(std::move(vendor)) {
  for (unsigned n = 0; n < 32; ++n) registers_.push_back({integerRegisterName(n), 64, 64, false});
  for (unsigned n = 0; n < 32; ++n) registers_.push_back({floatRegisterName(n), 64, 64, true});
  for (const NamedCsr& csr : csrs()) registers_.push_back({csr.name, 64, 64, false});
}

std::uint64_t DebugUnit::value(unsigned reg) const {
  if (reg < kFloats) return hart_.x(reg);
  if (reg < kCsrs) return hart_.f(reg - kFloats);
  return hart_.readCsr(csrs()[reg - kCsrs].number).value_or(0);
}

void DebugUnit::setValue(unsigned reg, std::uint64_t raw) {
  if (reg < kFloats) {
    hart_.setX(reg, raw);
  } else if (reg < kCsrs) {
    hart_.setF(reg - kFloats, raw);
  } else {
    (void)hart_.writeCsr(csrs()[reg - kCsrs].number, raw);
  }
}

std::string DebugUnit::registerText() const {
  std::string out;
  char text[96];
  for (unsigned n = 0; n < registers_.size(); ++n) {
    const std::string name(registers_[n].name);
    if (registers_[n].real) {
      std::snprintf(text, sizeof text, "%-8s %016llx  %-14.8g", name.c_str(),
                    static_cast<unsigned long long>(value(n)), real(value(n), 64));
    } else {
      std::snprintf(text, sizeof text, "%-8s %016llx", name.c_str(),
                    static_cast<unsigned long long>(value(n)));
    }
    out += text;
    out += n % 2 == 1 || n + 1 == registers_.size() ? "\n" : "   ";
  }
  std::snprintf(text, sizeof text, "pc       %016llx   cycle %llu\n",
                static_cast<unsigned long long>(pc()), static_cast<unsigned long long>(cycle()));
  return out + text;
}

std::optional<std::uint64_t> DebugUnit::peek(std::uint64_t address) const {
  std::array<std::uint8_t, 1> byte{};
  if (!hart_.peek(address, byte)) return std::nullopt;
  return byte[0];
}

bool DebugUnit::poke(std::uint64_t address, std::uint64_t word) {
  const std::array<std::uint8_t, 1> byte{static_cast<std::uint8_t>(word)};
  return hart_.poke(address, byte);
}

/// A single in a double's register has ones above it (F extension, NaN boxing).
double DebugUnit::real(std::uint64_t raw, unsigned bits) const {
  if (bits < 64) return static_cast<double>(raw);
  if (raw >> 32U == 0xFFFFFFFFU)
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
  return std::bit_cast<double>(raw);
}

std::uint64_t DebugUnit::rawOf(double value, unsigned bits) const {
  return bits < 64 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                   : std::bit_cast<std::uint64_t>(value);
}

Decoded DebugUnit::at(std::uint64_t address) const {
  std::array<std::uint8_t, 4> bytes{};
  const auto whole = std::span(bytes);
  if (!hart_.peek(address, whole) && !hart_.peek(address, whole.first(2))) return {};
  return decode(static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8U |
                static_cast<std::uint32_t>(bytes[2]) << 16U |
                static_cast<std::uint32_t>(bytes[3]) << 24U);
}

bool DebugUnit::behindCall(std::uint64_t address) const {
  const Decoded four = at(address - 4), two = at(address - 2);
  return (four.length == 4 && calls(four)) || (two.length == 2 && calls(two));
}

/// The link register, then words of the stack that a call could have left.
std::vector<std::uint64_t> DebugUnit::callers() const {
  constexpr unsigned kWords = 256, kMost = 32;
  std::vector<std::uint64_t> found;
  if (behindCall(hart_.x(kRa))) found.push_back(hart_.x(kRa));
  for (unsigned n = 0; n < kWords && found.size() < kMost; ++n) {
    std::array<std::uint8_t, 8> bytes{};
    if (!hart_.peek(hart_.x(kSp) + std::uint64_t{8} * n, bytes)) break;
    const auto word = std::bit_cast<std::uint64_t>(bytes);
    if (word == 0 || word % 2 != 0 || !behindCall(word)) continue;
    if (found.empty() || found.back() != word) found.push_back(word);
  }
  return found;
}

debug::Effects DebugUnit::next() const {
  debug::Effects effects;
  const Decoded d = at(hart_.pc());
  effects.call = calls(d);
  effects.returns = d.op == Op::JALR && d.rd == 0 && isLink(d.rs1);
  const unsigned size = bytesMoved(d);
  if (size == 0) return effects;
  const Format format = row(d.op).format;
  const bool offset = format != Format::Lr && format != Format::Amo;
  const std::uint64_t address =
      hart_.x(d.rs1) + (offset ? static_cast<std::uint64_t>(std::int64_t{d.imm}) : 0);
  const bool writes = format == Format::Store || format == Format::FStore || format == Format::Amo;
  const bool reads = !writes || format == Format::Amo;
  if (reads) effects.accesses[effects.count++] = {address, false, size};
  if (writes) effects.accesses[effects.count++] = {address, true, size};
  return effects;
}

unsigned DebugUnit::length(std::uint64_t address) const {
  return at(address).length;
}

std::string DebugUnit::disassemble(std::uint64_t address) const {
  const Decoded d = at(address);
  const bool custom = d.op == Op::CUSTOM_0 || d.op == Op::CUSTOM_3;
  const std::string name = custom && vendor_ ? vendor_(d.word) : std::string();
  return name.empty() ? rv64::disassemble(d, address) : name;
}

}  // namespace rtvp::rv64
