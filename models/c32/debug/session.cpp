// See session.hpp.
#include "models/c32/debug/session.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "models/c32/debug/unit.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/disasm.hpp"
#include "models/c32/isa_table.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32 {
namespace {

constexpr Cycle kWaitStep = 64, kWaitMost = 1'000'000;

}  // namespace

/// State in front of an instruction, as far as somebody looks at it.
struct Session::Before {
  std::uint32_t pc = 0;
  std::uint32_t word = 0;
  Cycle cycle = 0;
  std::uint64_t instructions = 0;
  Effects effects;
  CpuStatistics statistics;
  std::array<std::uint64_t, reg::kCount> registers{};
};

Session::Session(Machine& machine, const Image& image, const SessionOptions& options)
    : machine_(machine), image_(image), options_(options), places_(debugProgram(image)) {
  inText_.resize(kAddressMask + 1);
  for (const Section& s : image.sections) {
    for (std::uint32_t n = 0; n < s.size && s.kind == Section::Kind::Text; ++n)
      inText_[(s.runAddress + n) & kAddressMask] = true;
  }
}

int Session::addBreakpoint(std::uint32_t address, std::uint64_t skip, bool once) {
  breakpoints_.push_back({nextId_, address & kAddressMask, 0, skip, once});
  return nextId_++;
}

std::string Session::symbolic(std::uint32_t address) const {
  return places_.symbolic(address);
}

std::string Session::placeOf(std::uint32_t address) const {
  std::string text = common::hex(address, 6) + " " + symbolic(address);
  if (const std::string line = image_.sourceLine(address); !line.empty()) text += " (" + line + ")";
  return text;
}

bool Session::observed() const {
  return trace || counting || options_.checkNeverWritten || options_.stack || !breakpoints_.empty();
}

const std::optional<Instruction>& Session::decoded(std::uint32_t word) {
  constexpr std::size_t kMost = 1u << 16;  // a program that makes words up shall not fill memory
  if (decoded_.size() > kMost) decoded_.clear();
  const auto [it, added] = decoded_.try_emplace(word);
  if (added) it->second = decode(word);
  return it->second;
}

StopReport Session::ended(StopReason why) {
  const Cpu& cpu = machine_.cpu();
  if (const std::string& other = machine_.neighbourFault(); !other.empty())
    return {Stopped::Fault, other + " at " + placeOf(machine_.neighbourFaultPc())};
  if (machine_.exitStatus())
    return {Stopped::Exit, "exit status " + std::to_string(*machine_.exitStatus())};
  switch (why) {
    case StopReason::Idle:
      return {Stopped::Idle, "idle at " + placeOf(cpu.pc()) + ": nothing will wake the processor"};
    case StopReason::Fault:
      return {Stopped::Fault, cpu.fault().text + " at " + placeOf(cpu.fault().pc)};
    case StopReason::Blocked:
      if (machine_.node() != nullptr)
        return {Stopped::Deadlock, "held at the barrier at " + placeOf(cpu.pc()) +
                                       ": in the record it is not released again"};
      [[fallthrough]];
    case StopReason::Horizon:
      return {Stopped::Limit,
              "limit of " + std::to_string(options_.maxCycles) + " cycles at " + placeOf(cpu.pc())};
    default:
      return {Stopped::Limit, "limit of " + std::to_string(options_.maxInstructions) +
                                  " instructions at " + placeOf(cpu.pc())};
  }
}

StopReport Session::deadlock() {
  if (!machine_.neighbourFault().empty()) return ended(StopReason::Fault);
  return {Stopped::Deadlock, "an interlocked access at " + placeOf(machine_.cpu().pc()) +
                                 " waits for XF1, which stays high"};
}

StopReport Session::run(std::uint64_t instructions) {
  if (machine_.exitStatus()) return ended(StopReason::Fault);
  if (!observed()) return runFast(instructions);
  for (std::uint64_t n = 0; n < instructions; ++n) {
    if (const auto stop = stepOne()) return *stop;
  }
  return {Stopped::Steps, "at " + placeOf(machine_.cpu().pc())};
}

/// Nobody looks: whole slices at the engine's own speed.
StopReport Session::runFast(std::uint64_t instructions) {
  Cpu& cpu = machine_.cpu();
  while (instructions != 0) {
    const std::uint64_t done = cpu.statistics().instructions;
    if (done >= options_.maxInstructions) return ended(StopReason::Steps);
    if (cpu.cycle() >= options_.maxCycles) return ended(StopReason::Horizon);
    const std::uint64_t slice = std::min(instructions, options_.maxInstructions - done);
    const Cycle start = cpu.cycle();
    Cycle horizon = options_.maxCycles - start > kWaitMost ? start + kWaitMost : options_.maxCycles;
    if (cpu.idle() && cpu.nextEvent() != kNever)
      horizon = std::min(std::max(horizon, cpu.nextEvent() + 1), options_.maxCycles);
    const StopReason why = cpu.run(horizon, slice);
    const std::uint64_t now = cpu.statistics().instructions;
    instructions -= now - done;
    if (why == StopReason::Idle || why == StopReason::Fault) return ended(why);
    if (why == StopReason::Blocked) return ended(why);
    if (now == done && why == StopReason::Horizon && !cpu.idle() && horizon != options_.maxCycles)
      return deadlock();
  }
  return {Stopped::Steps, "at " + placeOf(cpu.pc())};
}

std::optional<StopReport> Session::hitBreakpoint() {
  const std::uint32_t pc = machine_.cpu().pc();
  for (std::size_t n = 0; n < breakpoints_.size(); ++n) {
    Breakpoint& b = breakpoints_[n];
    if (b.address != pc) continue;
    ++b.hits;
    if (b.skip != 0) {
      --b.skip;
      continue;
    }
    const std::string text =
        (b.once ? std::string("at ") : "breakpoint " + std::to_string(b.id) + " at ") + placeOf(pc);
    if (b.once) breakpoints_.erase(breakpoints_.begin() + static_cast<std::ptrdiff_t>(n));
    skipBreakpoint_ = true;
    return StopReport{Stopped::Breakpoint, text};
  }
  return std::nullopt;
}

std::optional<StopReport> Session::checkMemory(const Effects& effects, std::uint32_t pc) {
  for (unsigned n = 0; n < effects.count; ++n) {
    const MemoryEffect& access = effects.accesses[n];
    if (access.write || !machine_.isPlainMemory(access.address) || machine_.known(access.address))
      continue;
    return StopReport{Stopped::Fault, "read of never-written memory " +
                                          common::hex(access.address, 6) + " at " + placeOf(pc)};
  }
  return std::nullopt;
}

/// After run(cycle + 1, 1) did not execute an instruction: an interrupt was entered, or time
/// passes.
std::optional<StopReport> Session::wait(StopReason why, const Before& before) {
  Cpu& cpu = machine_.cpu();
  if (why == StopReason::Idle || why == StopReason::Fault) return ended(why);
  Cycle passed = 0;
  while (cpu.statistics().instructions == before.instructions) {
    if (cpu.statistics().interruptsTaken != before.statistics.interruptsTaken) return std::nullopt;
    if (cpu.cycle() >= options_.maxCycles) return ended(StopReason::Horizon);
    Cycle horizon = cpu.cycle() + kWaitStep;
    if (cpu.idle() && cpu.nextEvent() != kNever) horizon = cpu.nextEvent() + 1;
    horizon = std::min(horizon, options_.maxCycles);
    const Cycle start = cpu.cycle();
    why = cpu.run(horizon, 1);
    if (why == StopReason::Idle || why == StopReason::Fault || why == StopReason::Blocked)
      return ended(why);
    passed += std::max<Cycle>(cpu.cycle() - start, 1);
    if (passed > kWaitMost && !cpu.idle()) return deadlock();
  }
  return std::nullopt;
}

std::optional<StopReport> Session::step() {
  if (machine_.exitStatus()) return ended(StopReason::Fault);
  return stepOne();
}

/// One instruction (or one interrupt entry); empty: go on.
std::optional<StopReport> Session::stepOne() {
  Cpu& cpu = machine_.cpu();
  if (!skipBreakpoint_ && !breakpoints_.empty()) {
    if (auto stop = hitBreakpoint()) return stop;
  }
  skipBreakpoint_ = false;
  Before before;
  before.statistics = cpu.statistics();
  before.instructions = before.statistics.instructions;
  before.cycle = cpu.cycle();
  before.pc = cpu.pc();
  if (before.instructions >= options_.maxInstructions) return ended(StopReason::Steps);
  if (before.cycle >= options_.maxCycles) return ended(StopReason::Horizon);
  before.word = machine_.peek(before.pc);
  if (const auto& i = decoded(before.word)) before.effects = effectsOf(*i, cpu);
  if (trace) {
    for (unsigned n = 0; n < reg::kCount; ++n) {
      before.registers[n] = cpu.registerValue(n);
      if (n < 8)
        before.registers[n] |= std::uint64_t{static_cast<std::uint8_t>(cpu.extended(n).exponent)}
                               << 32;
    }
  }
  if (options_.checkNeverWritten) {
    if (auto stop = checkMemory(before.effects, before.pc)) return stop;
  }
  const StopReason why = cpu.run(cpu.cycle() + 1, 1);
  if (cpu.statistics().instructions == before.instructions) {
    if (auto stop = wait(why, before)) return stop;
    if (cpu.statistics().instructions == before.instructions) {  // an interrupt was entered
      machine_.markKnown(cpu.registerValue(reg::SP) & kAddressMask);
      traceLine(before);
      return std::nullopt;
    }
  }
  return retire(before);
}

std::optional<StopReport> Session::retire(const Before& before) {
  const Cpu& cpu = machine_.cpu();
  if (counting) {
    Counts& c = counts_[before.pc];
    ++c.instructions;
    c.cycles += cpu.cycle() - before.cycle;
    for (unsigned n = 0; n < before.effects.count; ++n) {
      const std::uint32_t address = before.effects.accesses[n].address;
      if (inText_[address]) counts_[address].data = true;
    }
  }
  for (unsigned n = 0; n < before.effects.count; ++n) {
    const MemoryEffect& access = before.effects.accesses[n];
    if (access.write && options_.checkNeverWritten) machine_.markKnown(access.address);
  }
  traceLine(before);
  if (machine_.exitStatus()) return ended(StopReason::Fault);
  if (options_.stack) {
    const std::uint32_t sp = cpu.registerValue(reg::SP) & kAddressMask;
    const AddressRange& range = *options_.stack;
    const bool inside = range.contains(sp) || sp + 1 == range.first;
    if (!inside && stackSeen_)
      return StopReport{Stopped::Fault, "stack pointer " + common::hex(sp, 6) + " outside " +
                                            common::hex(range.first, 6) + " to " +
                                            common::hex(range.last, 6) + " at " +
                                            placeOf(before.pc)};
    stackSeen_ = stackSeen_ || inside;  // before that the program has not set SP up
  }
  return std::nullopt;
}

std::string Session::traceHeader() {
  return "     cycle    pc     word cyc  stalls                  instruction";
}

void Session::traceLine(const Before& before) {
  if (!trace) return;
  const Cpu& cpu = machine_.cpu();
  const CpuStatistics& now = cpu.statistics();
  std::string stalls;
  const StallCycles after = now.stalls(), earlier = before.statistics.stalls();
  for (unsigned n = 0; n < kStallCauses; ++n) {
    if (after[n] == earlier[n]) continue;
    stalls += (stalls.empty() ? "" : ",") + std::string(stallName(static_cast<StallCause>(n))) +
              ":" + std::to_string(after[n] - earlier[n]);
  }
  const bool executed = now.instructions != before.instructions;
  char head[64];
  std::snprintf(head, sizeof head, "%10llu %06x %08x %3llu  ",
                static_cast<unsigned long long>(before.cycle), before.pc, before.word,
                static_cast<unsigned long long>(cpu.cycle() - before.cycle));
  std::string line = head + stalls;
  line.resize(std::max<std::size_t>(line.size() + 1, 54), ' ');
  line += executed ? disassemble(before.word, before.pc) : "(interrupt)";
  line.resize(std::max<std::size_t>(line.size() + 1, 92), ' ');
  for (unsigned n = 0; n < reg::kCount; ++n) {
    std::uint64_t value = cpu.registerValue(n);
    if (n < 8) value |= std::uint64_t{static_cast<std::uint8_t>(cpu.extended(n).exponent)} << 32;
    if (value == before.registers[n]) continue;
    line += " " + std::string(registerName(static_cast<std::uint8_t>(n))) + "=" +
            common::hex(value, n < 8 ? 10 : 8);
  }
  for (unsigned n = 0; n < before.effects.count && executed; ++n) {
    const MemoryEffect& access = before.effects.accesses[n];
    if (access.write)
      line += " [" + common::hex(access.address, 6) +
              "]=" + common::hex(machine_.peek(access.address), 8);
  }
  line.resize(std::max<std::size_t>(line.size() + 1, 120), ' ');
  if (const std::string source = image_.sourceLine(before.pc); !source.empty())
    line += "; " + source;
  while (line.back() == ' ') line.pop_back();
  trace(line);
}

}  // namespace rtvp::c32
