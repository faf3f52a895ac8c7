// See unit.hpp. The stack grows upwards, SP points at its top word (c32.md 4.5).
#include "models/c32/debug/unit.hpp"

#include <map>
#include <set>

#include "models/c32/debug/effects.hpp"
#include "models/c32/debug/flows.hpp"
#include "models/c32/debug/report.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/disasm.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {
namespace {

constexpr unsigned kExtended = 8;  // R0-R7
constexpr unsigned kExtendedBits = 40;

/// Where the sections' words are, both before and after a program has moved them.
std::vector<debug::Program::Range> placesOf(const Image& image) {
  std::vector<debug::Program::Range> places;
  for (const Section& s : image.sections) {
    for (const std::uint32_t first : {s.runAddress, s.loadAddress})
      if (s.size != 0) places.push_back({first, std::uint64_t{first} + s.size - 1});
  }
  return places;
}

/// What places are called: of the symbols at an address the first, one of the program's own before
/// one that may be a linker's (external, at a section's begin or end: RUN_START and its like).
std::map<std::uint64_t, std::string> placeNames(const Image& image) {
  std::set<std::uint64_t> edges;  // where a linker's symbols stand
  for (const Section& s : image.sections) edges.insert({s.runAddress, s.runAddress + s.size});
  std::map<std::uint64_t, std::string> names, outer;
  for (const auto& [name, symbol] : image.symbols) {
    if (symbol.section < 0) continue;
    const bool edge = symbol.external && edges.contains(symbol.value);
    (edge ? outer : names).try_emplace(symbol.value & kAddressMask, name);
  }
  names.merge(outer);
  return names;
}

bool calls(std::uint32_t word) {
  const auto i = decode(word);
  if (!i) return false;
  const OpInfo& row = info(i->op);
  return row.format == Format::Trap || row.mnemonic.substr(0, 4) == "CALL";
}

}  // namespace

debug::Program debugProgram(const Image& image) {
  debug::Program program;
  for (const auto& [name, symbol] : image.symbols) program.symbols.emplace(name, symbol.value);
  program.labels = placeNames(image);
  program.files = image.files;
  for (const LineEntry& e : image.lines) program.lines.push_back({e.address, e.file, e.line});
  for (const Section& s : image.sections) {
    if (s.kind == Section::Kind::Text && s.size != 0)
      program.code.push_back({s.runAddress, s.runAddress + s.size - 1});
  }
  program.setSections(placesOf(image));
  return program;
}

DebugUnit::DebugUnit(std::string name, DebugTarget& target)
    : name_(std::move(name)), target_(target) {
  for (unsigned n = 0; n < reg::kCount; ++n) {
    const bool extended = n < kExtended;
    registers_.push_back(
        {registerName(static_cast<std::uint8_t>(n)), extended ? kExtendedBits : 32U, 32, extended});
  }
}

std::uint64_t DebugUnit::value(unsigned reg) const {
  const Cpu& cpu = target_.cpu();
  if (reg >= kExtended) return cpu.registerValue(reg);
  const Float40 x = cpu.extended(reg);
  return std::uint64_t{static_cast<std::uint8_t>(x.exponent)} << 32U | x.mantissa;
}

void DebugUnit::setValue(unsigned reg, std::uint64_t raw) {
  const auto low = static_cast<std::uint32_t>(raw);
  if (reg < kExtended) {
    target_.cpu().setExtended(
        reg, {static_cast<std::int8_t>(static_cast<std::uint8_t>(raw >> 32U)), low});
  } else {
    target_.cpu().setRegister(reg, low);
  }
}

std::string DebugUnit::registerText() const {
  return c32::registerText(target_.cpu());
}

std::optional<std::uint64_t> DebugUnit::peek(std::uint64_t address) const {
  return target_.peek(static_cast<std::uint32_t>(address));
}

bool DebugUnit::poke(std::uint64_t address, std::uint64_t word) {
  return target_.poke(static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(word));
}

double DebugUnit::real(std::uint64_t raw, unsigned bits) const {
  const auto low = static_cast<std::uint32_t>(raw);
  if (bits != kExtendedBits) return doubleFromSingle(low);
  return toDouble({static_cast<std::int8_t>(static_cast<std::uint8_t>(raw >> 32U)), low});
}

std::uint64_t DebugUnit::rawOf(double value, unsigned bits) const {
  if (bits != kExtendedBits) return singleFromDouble(value);
  const Float40 x = extendedFromDouble(value);
  return std::uint64_t{static_cast<std::uint8_t>(x.exponent)} << 32U | x.mantissa;
}

void DebugUnit::setPc(std::uint64_t pc) {
  target_.cpu().setPc(static_cast<std::uint32_t>(pc));
}

std::uint64_t DebugUnit::instructions() const {
  return target_.cpu().statistics().instructions;
}

std::uint64_t DebugUnit::stackPointer() const {
  return target_.cpu().registerValue(reg::SP) & kAddressMask;
}

bool DebugUnit::outside(std::uint64_t now, std::uint64_t then) const {
  return now <= then;
}

std::vector<std::uint64_t> DebugUnit::callers() const {
  constexpr unsigned kWords = 256, kMost = 32;
  std::vector<std::uint64_t> found;
  const auto sp = static_cast<std::uint32_t>(stackPointer());
  for (unsigned n = 0; n < kWords && n <= sp && found.size() < kMost; ++n) {
    const std::uint32_t address = sp - n;
    if (!target_.isMemory(address)) break;
    const std::uint32_t back = target_.peek(address).value_or(0);
    if (back == 0 || back > kAddressMask || !target_.isMemory(back - 1)) continue;
    if (calls(target_.peek(back - 1).value_or(0))) found.push_back(back);
  }
  return found;
}

debug::Effects DebugUnit::next() const {
  debug::Effects result;
  const auto i = decode(target_.peek(target_.cpu().pc()).value_or(0));
  if (!i) return result;
  const Effects effects = effectsOf(*i, target_.cpu());
  for (unsigned n = 0; n < effects.count; ++n)
    result.accesses[n] = {effects.accesses[n].address, effects.accesses[n].write};
  result.count = effects.count;
  result.call = effects.call;
  result.returns = effects.returns;
  return result;
}

std::optional<debug::Flows> DebugUnit::flows() const {
  const auto i = decode(target_.peek(target_.cpu().pc()).value_or(0));
  return i ? flowsOf(*i, target_.cpu()) : debug::Flows{};
}

std::string DebugUnit::disassemble(std::uint64_t address) const {
  const auto at = static_cast<std::uint32_t>(address);
  return c32::disassemble(target_.peek(at).value_or(0), at);
}

}  // namespace rtvp::c32
