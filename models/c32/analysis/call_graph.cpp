// See call_graph.hpp.
#include "models/c32/analysis/call_graph.hpp"

#include <algorithm>
#include <set>

#include "models/c32/analysis/components.hpp"
#include "models/c32/decode.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32::analysis {
namespace {

constexpr std::size_t kMostRoutines = 20000;
constexpr int kDeepestCalls = 400;
constexpr std::uint32_t kAll = (1u << reg::kCount) - 1;

/// The words of a program by run address.
class Memory {
 public:
  explicit Memory(const Image& image) {
    for (const Section& s : image.sections) {
      if (!s.words.empty()) sections_.push_back(&s);
    }
  }
  std::optional<std::uint32_t> word(std::uint32_t address) const {
    const Section* const s = find(address);
    if (s == nullptr) return std::nullopt;
    return s->words[address - s->runAddress];
  }
  std::optional<std::uint32_t> constant(std::uint32_t address) const {
    const Section* const s = find(address);
    if (s == nullptr || s->kind != Section::Kind::Text) return std::nullopt;
    return s->words[address - s->runAddress];
  }

 private:
  const Section* find(std::uint32_t address) const {
    for (const Section* s : sections_) {
      if (address - s->runAddress < s->words.size()) return s;
    }
    return nullptr;
  }
  std::vector<const Section*> sections_;
};

class Builder {
 public:
  Builder(const Image& image, const CallGraphOptions& options)
      : image_(image), options_(options), memory_(image) {
    tracer_.word = [this](std::uint32_t a) { return memory_.word(a); };
    tracer_.constant = [this](std::uint32_t a) { return memory_.constant(a); };
    tracer_.isStart = [this](std::uint32_t a) { return starts_.contains(a); };
    tracer_.summaryOf = [this](std::uint32_t a) { return summaryOf(a); };
  }

  CallGraph run() {
    findStarts();
    traceAll();
    report();
    std::map<std::uint32_t, std::string> names;
    for (const RoutineReport& r : graph_.routines) names[r.start] = r.name;
    graph_.names = std::move(names);
    return std::move(graph_);
  }

 private:
  void findStarts() {
    if (memory_.word(image_.entry)) starts_.insert(image_.entry);
    const auto isText = [this](int section) {
      return section >= 0 &&
             image_.sections[static_cast<std::size_t>(section)].kind == Section::Kind::Text;
    };
    for (const auto& [name, symbol] : image_.symbols) {
      if (symbol.external && isText(symbol.section) && memory_.word(symbol.value))
        offered_.insert(symbol.value);
    }
    for (const DebugEntry& e : image_.debug.entries) {
      if (e.isFunction() && e.isSymbol() && isText(e.section) && memory_.word(e.value))
        offered_.insert(e.value);
    }
    // External symbols may name tables: what cannot be code is no routine.
    for (const std::uint32_t a : offered_) {
      if (decode(*memory_.word(a))) starts_.insert(a);
    }
  }

  /// Until no call leads to a place that was not known as a routine's begin.
  void traceAll() {
    for (bool more = true; more;) {
      more = false;
      routines_.clear();
      const std::set<std::uint32_t> starts = starts_;
      for (const std::uint32_t a : starts) summaryOf(a);
      for (const auto& [start, routine] : routines_) {
        for (const Node& n : routine.nodes) {
          if (n.called && starts_.size() < kMostRoutines && starts_.insert(*n.called).second)
            more = true;
        }
      }
    }
  }

  Summary summaryOf(std::uint32_t start) {
    const auto known = routines_.find(start);
    if (known != routines_.end()) return known->second.summary;
    // One that is being traced calls itself: nothing is known of what it keeps.
    if (depth_ >= kDeepestCalls || !open_.insert(start).second) return {};
    ++depth_;
    Routine routine = traceRoutine(start, tracer_);
    --depth_;
    open_.erase(start);
    const Summary summary = routine.summary;
    routines_.emplace(start, std::move(routine));
    return summary;
  }

  std::string nameOf(std::uint32_t address) const {
    std::string best;
    for (const auto& [name, symbol] : image_.symbols) {
      if (symbol.section < 0 || symbol.value != address) continue;
      if (symbol.external) return name;
      if (best.empty()) best = name;
    }
    return best.empty() ? "at_" + common::hexH(address, 6) : best;
  }

  void report() {
    std::vector<std::uint32_t> order;
    for (const auto& [start, routine] : routines_) {
      number_[start] = static_cast<int>(order.size());
      order.push_back(start);
    }
    std::vector<int> all(order.size());
    for (std::size_t n = 0; n < all.size(); ++n) all[n] = static_cast<int>(n);
    for (const std::uint32_t start : order) graph_.routines.push_back(shape(routines_.at(start)));
    // Callees come first.
    for (const auto& part : components(all, all.size(), [&](int n) { return callees(n); })) {
      const bool circle = part.size() > 1 || callsItself(part.front());
      for (const int n : part) {
        if (circle) graph_.routines[static_cast<std::size_t>(n)].circle = circleOf(n, part);
      }
      for (const int n : part) measure(graph_.routines[static_cast<std::size_t>(n)]);
    }
  }

  RoutineReport shape(const Routine& routine) const {
    RoutineReport r;
    r.start = routine.start;
    r.name = nameOf(routine.start);
    r.ownStack = routine.ownBase;
    std::set<std::uint32_t> words;
    for (const Node& n : routine.nodes) {
      words.insert(n.key.address);
      if (n.called) r.calls[*n.called].push_back(n.key.address);
      for (const std::uint32_t t : n.tails) r.jumps[t].push_back(n.key.address);
    }
    r.words = static_cast<std::uint32_t>(words.size());
    return r;
  }

  std::vector<int> callees(int n) const {
    std::vector<int> next;
    const RoutineReport& r = graph_.routines[static_cast<std::size_t>(n)];
    for (const auto* edges : {&r.calls, &r.jumps}) {
      for (const auto& [target, places] : *edges) {
        const auto it = number_.find(target);
        if (it != number_.end()) next.push_back(it->second);
      }
    }
    return next;
  }
  bool callsItself(int n) const {
    const std::vector<int> next = callees(n);
    return std::find(next.begin(), next.end(), n) != next.end();
  }

  /// The shortest way from a routine to itself, inside its component.
  std::string circleOf(int from, const std::vector<int>& part) const {
    const std::set<int> members(part.begin(), part.end());
    std::map<int, int> by;
    std::vector<int> queue{from};
    for (std::size_t k = 0; k < queue.size(); ++k) {
      for (const int to : callees(queue[k])) {
        if (!members.contains(to)) continue;
        if (to == from) {
          std::string text = graph_.routines[static_cast<std::size_t>(from)].name;
          for (int n = queue[k]; n != from; n = by.at(n))
            text = graph_.routines[static_cast<std::size_t>(n)].name + " -> " + text;
          return graph_.routines[static_cast<std::size_t>(from)].name + " -> " + text;
        }
        if (by.emplace(to, queue[k]).second) queue.push_back(to);
      }
    }
    return {};
  }

  const RoutineReport* find(std::uint32_t start) const {
    const auto it = number_.find(start);
    return it == number_.end() ? nullptr : &graph_.routines[static_cast<std::size_t>(it->second)];
  }

  void measure(RoutineReport& r) {
    const Routine& routine = routines_.at(r.start);
    PathCosts costs;
    costs.constant = tracer_.constant;
    costs.routine = [this](std::uint32_t t) {
      const RoutineReport* const callee = find(t);
      return callee == nullptr ? std::nullopt : callee->cycles;
    };
    costs.bound = [this](std::uint32_t a) -> std::optional<std::uint64_t> {
      const auto it = options_.bounds.find(a);
      if (it == options_.bounds.end()) return std::nullopt;
      return it->second;
    };
    costs.changedBy = [this](std::uint32_t t) {
      const auto it = routines_.find(t);
      return it == routines_.end() ? kAll : kAll & ~it->second.summary.kept;
    };
    WorstPath path = worstPath(routine, costs);
    r.problems = std::move(path.problems);
    r.stackProblems = routine.stackProblems;
    std::uint32_t deepest = static_cast<std::uint32_t>(std::max(routine.ownStack, 0));
    if (!r.circle.empty()) {
      r.problems.push_back({r.start, "it comes to itself again: " + r.circle});
      r.stackProblems.push_back({r.start, "it comes to itself again: " + r.circle});
    }
    addCallees(r, routine, deepest);
    if (r.problems.empty()) r.cycles = path.cycles;
    if (r.stackProblems.empty()) r.stack = deepest;
  }

  /// What calls and jumps add to the stack, and what is not known of the routines they lead to.
  void addCallees(RoutineReport& r, const Routine& routine, std::uint32_t& deepest) const {
    std::set<std::uint32_t> told;
    for (const Node& n : routine.nodes) {
      std::set<std::uint32_t> targets = n.tails;
      if (n.called) targets.insert(*n.called);
      for (const std::uint32_t t : targets) {
        const RoutineReport* const callee = find(t);
        const std::string name = callee == nullptr ? common::hexH(t, 6) : callee->name;
        const bool own = callee != nullptr && !r.circle.empty() && !callee->circle.empty();
        const bool first = !own && told.insert(t).second;
        if (first && (callee == nullptr || !callee->cycles))
          r.problems.push_back({n.key.address, "it needs " + name + ", which is not bounded"});
        if (callee == nullptr || !callee->stack) {
          if (first)
            r.stackProblems.push_back(
                {n.key.address, "it needs " + name + ", which is not bounded"});
          continue;
        }
        const AbstractValue& sp = n.in.sp();
        if (!sp.is(AbstractValue::Kind::Stack)) continue;
        const bool called = n.called && *n.called == t;
        const std::int64_t here = std::int64_t{sp.n} + (called ? 1 : 0);
        if (callee->ownStack) continue;
        deepest = static_cast<std::uint32_t>(
            std::max<std::int64_t>(deepest, here + std::int64_t{*callee->stack}));
      }
    }
  }

  const Image& image_;
  const CallGraphOptions& options_;
  Memory memory_;
  Tracer tracer_;
  std::set<std::uint32_t> starts_, offered_, open_;
  int depth_ = 0;
  std::map<std::uint32_t, Routine> routines_;
  std::map<std::uint32_t, int> number_;
  CallGraph graph_;
};

}  // namespace

CallGraph makeCallGraph(const Image& image, const CallGraphOptions& options) {
  return Builder(image, options).run();
}

}  // namespace rtvp::c32::analysis
