// See node.hpp.
#include "models/c32/debug/node.hpp"

#include <algorithm>
#include <utility>

#include "models/common/core/state.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32 {

NodeEnd endOf(const Cpu& cpu) {
  NodeEnd end;
  end.cycle = cpu.cycle();
  end.pc = cpu.pc();
  end.statistics = cpu.statistics();
  for (unsigned n = 0; n < reg::kCount; ++n) end.registers.push_back(cpu.registerValue(n));
  for (unsigned n = 0; n < 8; ++n) end.exponents.push_back(cpu.extended(n).exponent);
  end.ram.assign(cpu.internalRam().begin(), cpu.internalRam().end());
  return end;
}

std::vector<std::uint8_t> stateOf(Cpu& cpu) {
  common::StateArchive archive;
  cpu.state(archive);
  return archive.bytes();
}

void NodeBoard::start(Cpu& cpu) {
  common::StateArchive archive(record_.state);
  try {
    cpu.state(archive);
  } catch (const common::StateError& error) {
    throw NodeError(std::string("state: ") + error.what());
  }
  if (!archive.atEnd()) throw NodeError("state: found more than one processor's");
  for (const NodeWord& w : record_.received) cpu.deliverSerial(w.word, w.cycle);
}

void NodeBoard::pinsDriven(Drive xf0, Drive xf1, Cycle cycle) {
  if (xf0 != xf0_) {
    if (xf0 == Drive::Low) own_.push_back({cycle + 1, kNever});
    if (xf0_ == Drive::Low && !own_.empty()) own_.back().to = cycle + 1 + record_.place.riseCycles;
    xf0_ = xf0;
  }
  if (xf1 == xf1_) return;
  arrived_ = xf1 == Drive::Low;
  if (arrived_) arrival_ = cycle;
  xf1_ = xf1;
}

PinReply NodeBoard::pinsSampled(Cycle cycle) const {
  const Cycle late = record_.place.syncCycles;
  const Cycle seen = cycle > late ? cycle - late : 0;
  const auto pulls = [seen](const NodePull& p) { return seen >= p.from && seen < p.to; };
  const bool low = std::any_of(own_.rbegin(), own_.rend(), pulls) ||
                   std::any_of(record_.pulls.begin(), record_.pulls.end(), pulls);
  return {.ready = true, .xf0 = !low, .xf1 = xf1_ != Drive::Low};
}

/// The n-th arrival meets the n-th release of the record, or a later one of its own if it is late.
std::optional<Cycle> NodeBoard::begin(Cycle cycle) {
  if (arrived_) {
    if (nextRelease_ == record_.releases.size()) return std::nullopt;
    heldUntil_ = std::max(record_.releases[nextRelease_++], arrival_ + record_.place.releaseCycles);
    arrived_ = false;
    own_.erase(own_.begin(),
               own_.size() > kOwnKept ? own_.end() - std::ptrdiff_t{kOwnKept} : own_.begin());
  }
  return std::max(cycle, heldUntil_);
}

namespace {

/// What of two lists of words differs first; empty: nothing.
std::string wordsDiffer(const std::vector<NodeWord>& now, const std::vector<NodeWord>& then) {
  for (std::size_t i = 0; i < std::min(now.size(), then.size()); ++i) {
    if (now[i] == then[i]) continue;
    return "word " + std::to_string(i + 1) + " sent: " + common::hex(now[i].word, 8) +
           " in cycle " + std::to_string(now[i].cycle) + ", recorded " +
           common::hex(then[i].word, 8) + " in cycle " + std::to_string(then[i].cycle);
  }
  if (now.size() == then.size()) return {};
  return "sent " + std::to_string(now.size()) + " words, recorded " + std::to_string(then.size());
}

void compare(std::vector<std::string>& lines, const std::string& what, std::uint64_t now,
             std::uint64_t then) {
  if (now != then)
    lines.push_back(what + ": " + std::to_string(now) + ", recorded " + std::to_string(then));
}

}  // namespace

std::vector<std::string> NodeBoard::differences(const Cpu& cpu) const {
  std::vector<std::string> lines;
  const NodeEnd now = endOf(cpu);
  const NodeEnd& then = record_.end;
  if (const std::string words = wordsDiffer(sent_, record_.sent); !words.empty())
    lines.push_back(words);
  compare(lines, "cycle", now.cycle, then.cycle);
  for (const NodeFigure& f : nodeFigures())
    compare(lines, std::string(f.name), now.statistics.*f.member, then.statistics.*f.member);
  if (now.pc != then.pc)
    lines.push_back("PC: " + common::hex(now.pc, 6) + ", recorded " + common::hex(then.pc, 6));
  for (std::size_t n = 0; n < std::min(now.registers.size(), then.registers.size()); ++n) {
    const bool exponents = n >= now.exponents.size() || n >= then.exponents.size() ||
                           now.exponents[n] == then.exponents[n];
    if (now.registers[n] == then.registers[n] && exponents) continue;
    lines.push_back("register " + std::string(registerName(static_cast<std::uint8_t>(n))) + ": " +
                    common::hex(now.registers[n], 8) + ", recorded " +
                    common::hex(then.registers[n], 8) + (exponents ? "" : " (exponents differ)"));
  }
  for (std::size_t n = 0; n < std::min(now.ram.size(), then.ram.size()); ++n) {
    if (now.ram[n] == then.ram[n]) continue;
    lines.push_back("word " + common::hex(kRamBase + n, 6) + ": " + common::hex(now.ram[n], 8) +
                    ", recorded " + common::hex(then.ram[n], 8));
  }
  return lines;
}

}  // namespace rtvp::c32
