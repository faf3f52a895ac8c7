// See hart_trace.hpp.
#include "models/xphmg/debug/hart_trace.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "models/xphmg/debug/hart_unit.hpp"

namespace rtvp::xphmg {
namespace {

using rv64::Op;

/// The vendor's instructions, as HartExtension::disassemble() calls them.
constexpr std::array<std::string_view, 7> kCustom{
    "none", "rt.bbox", "rt.tri", "xsubmit.rt", "xfence.wait", "xfence.signal", "xfence.pipe"};

std::size_t customOf(const HartModule& module, const rv64::Decoded& d) {
  if (d.op != Op::CUSTOM_0 && d.op != Op::CUSTOM_3) return 0;
  const std::string text = module.extension().disassemble(d.word);
  const std::string_view name = std::string_view(text).substr(0, text.find(' '));
  const auto* const found = std::find(kCustom.begin(), kCustom.end(), name);
  // Predicates and replication: behind all of those.
  return static_cast<std::size_t>(found - kCustom.begin());
}

/// Names without blanks, each once.
std::vector<std::string> functionNames(const debug::Program& program) {
  std::vector<std::string> names{"(none)"};
  for (const auto& [address, label] : program.labels) {
    std::string name = label;
    std::replace(name.begin(), name.end(), ' ', '_');
    if (std::find(names.begin(), names.end(), name) != names.end())
      name += "@" + std::to_string(address);
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> customNames() {
  std::vector<std::string> names(kCustom.begin(), kCustom.end());
  names.emplace_back("other");
  return names;
}

}  // namespace

HartTrace::HartTrace(const HartModule& module, const rv64::ElfImage& image,
                     const common::TraceScope& scope)
    : module_(module) {
  rv64::addSymbols(image, places_);
  pc_ = scope.word("pc", 64, "address of the instruction that is executed", image.entry);
  function_ =
      scope.state("function", functionNames(places_), "the symbol that the instruction belongs to");
  state_ = scope.state("state", {"running", "trap", "wfi", "queue", "device", "inline_rt"},
                       "running, in a trap's handler, or what it waits for");
  custom_ = scope.state("custom", customNames(), "the vendor's instruction that is executed");
}

void HartTrace::show(const common::TraceSignal& signal, std::uint64_t cycle,
                     std::uint64_t value) const {
  signal.set(module_.period().value() * cycle, value);
}

void HartTrace::showState(std::uint64_t cycle, State state) {
  if (std::exchange(shown_, state) != state) show(state_, cycle, static_cast<std::uint64_t>(state));
}

/// Its number among functionNames().
std::size_t HartTrace::functionAt(std::uint64_t pc) const {
  const auto* const label = places_.labelAt(pc);
  if (label == nullptr) return 0;
  const auto place = places_.labels.find(label->first);
  return 1 + static_cast<std::size_t>(std::distance(places_.labels.begin(), place));
}

bool HartTrace::before(const rv64::Hart& hart, const rv64::Decoded& instruction) {
  const std::uint64_t cycle = hart.cycle();
  if (next_ && *next_ != hart.pc()) inTrap_ = true;
  show(pc_, cycle, hart.pc());
  if (const std::size_t now = functionAt(hart.pc()); std::exchange(inFunction_, now) != now)
    show(function_, cycle, now);
  if (const std::size_t now = customOf(module_, instruction); std::exchange(inCustom_, now) != now)
    show(custom_, cycle, now);
  showState(cycle, inTrap_ ? State::Trap : State::Running);
  return true;
}

void HartTrace::after(const rv64::Hart& hart, const rv64::Decoded& instruction, bool retired) {
  next_ = hart.pc();
  if (hart.trapping()) {
    inTrap_ = true;
    next_.reset();
  } else if (!retired) {
    showState(hart.cycle(), State::Queue);
  } else if (instruction.op == Op::MRET) {
    inTrap_ = false;
  } else if (instruction.op == Op::WFI) {
    showState(hart.cycle(), State::Wfi);
  }
}

void HartTrace::stalled(rv64::Spent cause, std::uint64_t cycles) {
  const std::uint64_t since = module_.hart().cycle() - cycles;
  switch (cause) {
    case rv64::Spent::Idle:
      return showState(since, State::Wfi);
    case rv64::Spent::Blocked:
      return showState(since, State::Queue);
    case rv64::Spent::Device:
      return showState(since, State::Device);
    case rv64::Spent::InlineRt:
      return showState(since, State::InlineRt);
    default:
      return;
  }
}

}  // namespace rtvp::xphmg
