// See history.hpp.
#include "models/debug/history.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "models/common/core/text.hpp"

namespace rtvp::debug {
namespace {

constexpr std::size_t kLongest = 16;  // steps of an answer

}  // namespace

void History::before(const Unit& unit) {
  pc_ = unit.pc();
  cycle_ = unit.cycle();
  flows_ = unit.flows().value_or(Flows{});
}

void History::after(const Unit& unit, const Effects* entry) {
  if (entry != nullptr) {
    flows_ = {};
    for (unsigned n = 0; n < entry->count; ++n) {
      if (entry->accesses[n].write)
        flows_.add({.kind = Flow::To::Memory, .to = entry->accesses[n].address});
    }
  }
  Instruction made{pc_, cycle_, {}};
  for (unsigned n = 0; n < flows_.count; ++n) {
    const Flow& flow = flows_.all[n];
    if (flow.kind == Flow::To::Nothing) continue;
    const bool memory = flow.kind == Flow::To::Memory;
    // A device's register need not hold what was stored: what was stored is meant.
    const std::uint64_t stored = flow.registers;
    std::uint64_t value = 0;
    if (!memory) {
      value = unit.value(static_cast<unsigned>(flow.to));
    } else if (stored != 0) {
      value = unit.value(static_cast<unsigned>(std::countr_zero(stored)));
    } else {
      value = unit.peek(flow.to).value_or(0);
    }
    made.results.push_back({flow, value & 0xFFFFFFFFU});
  }
  kept_.push_back(std::move(made));
  if (kept_.size() > kMost) {
    kept_.pop_front();
    cut_ = true;
  }
}

/// Follows data backwards.
class History::Slice {
 public:
  explicit Slice(const History& history) : history_(history) {}

  void open(bool memory, std::uint64_t where) { open_.insert({memory, where}); }
  void openAll(std::uint64_t registers) {
    for (; registers != 0; registers &= registers - 1)
      open(false, static_cast<std::uint64_t>(std::countr_zero(registers)));
  }
  /// The address of whoever makes this is of interest, too.
  void wantsAddressOf(std::uint64_t address) { addressed_ = address; }

  void follow(std::size_t end) {
    for (std::size_t n = end; n-- > 0 && !open_.empty();) look(history_.kept_[n]);
    for (const Place& p : open_) answer.rest.push_back({p.first, p.second});
  }
  /// `result` of instruction `n` is the root.
  void begin(std::size_t n, const Result& result) {
    tell(history_.kept_[n], result.flow);
    take(result.flow);
  }

  Answer answer;

 private:
  void look(const Instruction& i) {
    // All of an instruction reads before any of it writes.
    std::vector<const Flow*> made;
    for (const Result& r : i.results) {
      const bool memory = r.flow.kind == Flow::To::Memory;
      if (open_.contains({memory, r.flow.to})) made.push_back(&r.flow);
    }
    for (const Flow* flow : made) {
      if (!flow->step) open_.erase({flow->kind == Flow::To::Memory, flow->to});
    }
    for (const Flow* flow : made) {
      if (flow->step) {
        moved(i, *flow);
        openAll(flow->registers);
        continue;
      }
      tell(i, *flow);
      take(*flow);
      if (flow->kind == Flow::To::Memory && addressed_ == flow->to) {
        openAll(flow->via);
        addressed_.reset();
      }
    }
  }
  void take(const Flow& flow) {
    openAll(flow.registers);
    for (unsigned n = 0; n < flow.count; ++n) open(true, flow.words[n]);
  }
  void moved(const Instruction& i, const Flow& flow) {
    const auto same = [&flow](const Step& s) { return s.made == flow.to; };
    const auto it = std::find_if(answer.moved.begin(), answer.moved.end(), same);
    if (it != answer.moved.end()) {
      ++it->times;
    } else {
      answer.moved.push_back({i.pc, i.cycle, false, flow.to});
    }
  }
  void tell(const Instruction& i, const Flow& flow) {
    answer.found = true;
    if (!told_.insert(i.pc).second) return;
    answer.steps.push_back({i.pc, i.cycle, flow.kind == Flow::To::Memory, flow.to});
  }

  const History& history_;
  std::set<Place> open_;
  std::set<std::uint64_t> told_;
  std::optional<std::uint64_t> addressed_;
};

History::Answer History::ask(const Question& question, const Unit& unit) const {
  using Kind = Question::Kind;
  if (question.kind == Kind::Way) return way(question.number, unit.pc(), unit);
  Slice slice(*this);
  std::size_t end = kept_.size();
  if (question.kind == Kind::Registers) slice.openAll(question.number);
  if (question.kind == Kind::Memory) {
    slice.open(true, question.number);
    slice.wantsAddressOf(question.number);
  }
  if (question.kind == Kind::Value) {
    const auto is = [&](const Result& r) { return r.value == question.number && !r.flow.step; };
    const auto holds = [&](const Instruction& i) {
      return std::any_of(i.results.begin(), i.results.end(), is);
    };
    const auto last = std::find_if(kept_.rbegin(), kept_.rend(), holds);
    end = static_cast<std::size_t>(kept_.rend() - last);
    if (end > 0) {
      --end;
      const auto& results = kept_[end].results;
      slice.begin(end, *std::find_if(results.begin(), results.end(), is));
    }
  }
  slice.follow(end);
  Answer answer = std::move(slice.answer);
  answer.since = kept_.empty() ? unit.cycle() : kept_.front().cycle;
  const bool open =
      std::any_of(answer.rest.begin(), answer.rest.end(), [](const Rest& r) { return !r.memory; });
  const bool asked = question.kind == Kind::Memory || question.kind == Kind::Value;
  answer.older = !cut_ && (open || (asked && !answer.found));
  return answer;
}

/// Jumps: an instruction that does not stand behind the one before it.
History::Answer History::way(std::uint64_t most, std::uint64_t here, const Unit& unit) const {
  std::map<std::pair<std::uint64_t, std::uint64_t>, Step> jumps;
  for (std::size_t n = 0; n < kept_.size(); ++n) {
    const std::uint64_t from = kept_[n].pc;
    const std::uint64_t to = n + 1 < kept_.size() ? kept_[n + 1].pc : here;
    if (to == from + unit.length(from)) continue;
    Step& step = jumps[{from, to}];
    step.times = step.pc == 0 && step.cycle == 0 ? 1 : step.times + 1;
    step.pc = from;
    step.to = to;
    step.cycle = kept_[n].cycle;
  }
  Answer answer;
  answer.found = true;
  for (auto& [ends, step] : jumps) answer.steps.push_back(step);
  std::sort(answer.steps.begin(), answer.steps.end(),
            [](const Step& a, const Step& b) { return a.cycle < b.cycle; });
  answer.older = !cut_ && answer.steps.size() < most;
  if (answer.steps.size() > most)
    answer.steps.erase(answer.steps.begin(),
                       answer.steps.end() - static_cast<std::ptrdiff_t>(most));
  return answer;
}

namespace {

std::string wayText(const History::Answer& answer, const Unit& unit, const Places& places) {
  std::string text = "the way of " + unit.name() + ", each jump once, the latest last:\n";
  for (const History::Step& s : answer.steps) {
    text += "  " + places.place(s.pc) + " -> " + places.place(s.to);
    text += s.times > 1 ? ", " + std::to_string(s.times) + " times\n" : "\n";
  }
  return text;
}

std::string names(std::uint64_t registers, const Unit& unit) {
  std::string text;
  for (std::size_t n = 0; n < unit.registers().size(); ++n) {
    if ((registers >> n & 1U) != 0)
      text += (text.empty() ? "" : ", ") + std::string(unit.registers()[n].name);
  }
  return text;
}

/// What was asked for, in words.
std::string subject(const Question& question, const Unit& unit) {
  using Kind = Question::Kind;
  const std::string value = common::hex(question.number, 8) + "h";
  switch (question.kind) {
    case Kind::Registers:
      return names(question.number, unit);
    case Kind::Memory:
      return "[" + common::hex(question.number, unit.addressDigits()) + "h]";
    case Kind::Value:
      return "the word " + value;
    default:
      return {};
  }
}

}  // namespace

std::uint64_t pointersOf(const Unit& unit) {
  const Flows next = unit.flows().value_or(Flows{});
  std::uint64_t all = 0;
  for (unsigned n = 0; n < next.count; ++n) all |= next.all[n].via;
  return all;
}

std::string answerText(const Question& question, const History::Answer& answer, const Unit& unit,
                       const Places& places) {
  if (question.kind == Question::Kind::Way) return wayText(answer, unit, places);
  std::string text = unit.name() + ": " + subject(question, unit) + " comes from\n";
  const std::size_t shown = std::min(answer.steps.size(), kLongest);
  for (std::size_t n = 0; n < shown; ++n) {
    const History::Step& s = answer.steps[n];
    // A word that the program has a name for is said by it.
    const std::string made =
        s.memory ? "[" + places.place(s.made) + "]" : std::string(unit.registers()[s.made].name);
    text += "  " + made + " by " + places.place(s.pc) + ", cycle " + std::to_string(s.cycle) +
            "\n" + places.lineAt(s.pc) + "\n";
  }
  if (shown < answer.steps.size())
    text += "  and " + std::to_string(answer.steps.size() - shown) + " before\n";
  for (const History::Step& s : answer.moved) {
    text += "  " + std::string(unit.registers()[s.made].name) + " moved on, " +
            std::to_string(s.times) + (s.times == 1 ? " time, by " : " times, the latest by ") +
            places.place(s.pc) + ", cycle " + std::to_string(s.cycle) + "\n";
  }
  for (const History::Rest& r : answer.rest) {
    const std::string what =
        r.memory ? "[" + places.place(r.where) + "]" : std::string(unit.registers()[r.where].name);
    text += "  " + what + (r.memory ? ", not written" : ", not made") + " since cycle " +
            std::to_string(answer.since) + "\n";
  }
  if (!answer.found && answer.rest.empty())
    text += "  nothing since cycle " + std::to_string(answer.since) + "\n";
  return text;
}

}  // namespace rtvp::debug
