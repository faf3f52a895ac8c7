// See unit.hpp.
#include "models/theia/debug/unit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <deque>
#include <utility>

namespace rtvp::theia {
namespace {

constexpr unsigned kLanes = 3;
constexpr std::array<char, kLanes> kLaneNames = {'x', 'y', 'z'};

/// Registers in the order of the debugger's numbers: rows of the core, rows of the other triangle
/// buffer, and what is no row.
struct Row {
  unsigned address = 0;
  bool shadow = false;
  std::string name;
};
enum Extra : std::uint8_t { kReturnAddress, kFlag, kPixel, kExtras };

std::string nameOf(unsigned address) {
  std::string name = registerName(address);
  return name.starts_with('#') ? "ROW" + std::to_string(address) : name;
}

struct Names {
  std::vector<Row> rows;
  std::deque<std::string> lanes;  ///< what the registers' names refer to
  std::vector<debug::Register> registers;

  Names() {
    for (unsigned address = 0; address < kRegisterRows; ++address)
      rows.push_back({address, false, nameOf(address)});
    for (unsigned address = 0; address < kRegisterRows; ++address) {
      if (bankOf(address) == Bank::Swap) rows.push_back({address, true, "NEXT_" + nameOf(address)});
    }
    for (const Row& row : rows) {
      for (const char lane : kLaneNames)
        registers.push_back({lanes.emplace_back(row.name + '.' + lane), 32, 32});
    }
    for (const char* const name : {"RETURN_ADDRESS", "FLAG", "PIXEL"})
      registers.push_back({lanes.emplace_back(name), 32, 32});
  }
};

const Names& names() {
  static const Names kNames;
  return kNames;
}

Word& laneOf(Vec& v, unsigned lane) {
  return lane == 0 ? v.x : lane == 1 ? v.y : v.z;
}

double asReal(Word word) {
  return static_cast<double>(static_cast<std::int32_t>(word)) / kOne;
}

Vec contentOf(const Core& core, const Row& row) {
  return row.shadow ? core.shadowRegister(row.address) : core.readRegister(row.address);
}

}  // namespace

DebugUnit::DebugUnit(std::string name, Core& core, std::span<Word> texture)
    : name_(std::move(name)), core_(core), texture_(texture) {}

std::span<const debug::Register> DebugUnit::registers() const {
  return names().registers;
}

std::uint64_t DebugUnit::value(unsigned reg) const {
  const std::vector<Row>& rows = names().rows;
  if (reg < kLanes * rows.size()) {
    Vec v = contentOf(core_, rows[reg / kLanes]);
    return laneOf(v, reg % kLanes);
  }
  switch (static_cast<Extra>(reg - kLanes * rows.size())) {
    case kReturnAddress:
      return core_.returnAddress();
    case kFlag:
      return core_.flag() ? 1 : 0;
    default:
      return core_.pixel();
  }
}

/// What is no row of the core in use stays as it is.
void DebugUnit::setValue(unsigned reg, std::uint64_t raw) {
  const std::vector<Row>& rows = names().rows;
  if (reg >= kLanes * rows.size() || rows[reg / kLanes].shadow) return;
  Vec v = contentOf(core_, rows[reg / kLanes]);
  laneOf(v, reg % kLanes) = static_cast<Word>(raw);
  core_.pokeRegister(rows[reg / kLanes].address, v);
}

std::string DebugUnit::registerText() const {
  std::string out;
  unsigned zero = 0;
  char text[160];
  for (const Row& row : names().rows) {
    if (row.shadow) continue;
    const Vec v = contentOf(core_, row);
    if ((v.x | v.y | v.z) == 0) {
      ++zero;
      continue;
    }
    std::snprintf(text, sizeof text, "%-31s %08x %08x %08x  %14.8g %14.8g %14.8g\n",
                  row.name.c_str(), v.x, v.y, v.z, asReal(v.x), asReal(v.y), asReal(v.z));
    out += text;
  }
  std::snprintf(
      text, sizeof text, "the other %u are 0\npc %04x   RET to %04x   pixel %llu   cycle %llu\n",
      zero, static_cast<unsigned>(pc()), core_.returnAddress(),
      static_cast<unsigned long long>(core_.pixel()), static_cast<unsigned long long>(cycle()));
  return out + text;
}

std::optional<std::uint64_t> DebugUnit::peek(std::uint64_t address) const {
  if (address < 0x1'0000) {
    const auto row = static_cast<std::uint16_t>(address);
    if (!core_.loaded(row)) return std::nullopt;
    return core_.instruction(row).word;
  }
  if (address >= kOutput && address - kOutput < core_.output().size())
    return std::as_const(core_).output()[address - kOutput];
  if (address >= kTexture && address - kTexture < texture_.size())
    return texture_[address - kTexture];
  return std::nullopt;
}

bool DebugUnit::poke(std::uint64_t address, std::uint64_t word) {
  if (address < 0x1'0000) {
    const auto row = static_cast<std::uint16_t>(address);
    return (row & kUserCode) != 0 && core_.loaded(row) &&
           core_.hostWriteInstruction(row & 0x7FFFU, Instruction{word});
  }
  if (!peek(address)) return false;
  (address >= kOutput ? core_.output()[address - kOutput] : texture_[address - kTexture]) =
      static_cast<Word>(word);
  return true;
}

double DebugUnit::real(std::uint64_t raw, unsigned /*bits*/) const {
  return asReal(static_cast<Word>(raw));
}

std::uint64_t DebugUnit::rawOf(double value, unsigned /*bits*/) const {
  constexpr double kMost = 2147483647.0;
  const double scaled = std::isnan(value) ? 0 : std::round(value * kOne);
  return static_cast<Word>(static_cast<std::int32_t>(std::clamp(scaled, -kMost - 1, kMost)));
}

/// The latest CALL's, if there was one.
std::vector<std::uint64_t> DebugUnit::callers() const {
  const std::uint16_t back = core_.returnAddress();
  const Instruction before = core_.instruction(static_cast<std::uint16_t>(back - 1));
  if (back == 0 || before.info() == nullptr || before.info()->op != Op::CALL) return {};
  return {back};
}

debug::Effects DebugUnit::next() const {
  debug::Effects effects;
  const Instruction in = core_.instruction(core_.pc());
  const OpInfo* const info = in.info();
  if (info == nullptr) return effects;
  effects.call = info->op == Op::CALL;
  effects.returns = info->op == Op::RET || info->op == Op::RETURN;
  if (info->op != Op::OMWRITE && info->op != Op::TMREAD) return effects;
  const bool write = info->op == Op::OMWRITE;
  const Vec a = core_.readRegister(in.source1());
  for (const Word word : {a.x, a.y, a.z})
    effects.accesses[effects.count++] = {(write ? kOutput : kTexture) + word, write, 1};
  return effects;
}

std::string DebugUnit::disassemble(std::uint64_t address) const {
  const auto row = static_cast<std::uint16_t>(address);
  if (address > 0xFFFF || !core_.loaded(row)) return "(nothing is loaded there)";
  return theia::disassemble(core_.instruction(row));
}

}  // namespace rtvp::theia
