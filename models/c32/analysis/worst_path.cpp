// See worst_path.hpp. Loops are strongly connected parts of the flow; a part that is entered at one
// place runs, from there back to there, as often as what counts it says, and inside it the same is
// true of the parts that are left when the ways back are cut.
#include "models/c32/analysis/worst_path.hpp"

#include <algorithm>
#include <set>

#include "models/c32/address_groups.hpp"
#include "models/c32/analysis/compared_loop.hpp"
#include "models/c32/analysis/components.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32::analysis {
namespace {

using Kind = AbstractValue::Kind;
constexpr Cycles kMost = Cycles{1} << 60;
constexpr int kDeepest = 64;

Cycles plus(Cycles a, Cycles b) {
  return std::min(kMost, a + b);
}
Cycles times(Cycles a, std::uint64_t n) {
  return n != 0 && a > kMost / n ? kMost : a * n;
}

class Search {
 public:
  Search(const Routine& routine, const PathCosts& costs)
      : routine_(routine), costs_(costs), cost_(routine.nodes.size()), cut_(routine.nodes.size()) {}

  WorstPath run() {
    for (const Problem& p : routine_.problems) problems_.insert(p);
    if (routine_.nodes.empty()) return finished({});
    findPredecessors();
    for (std::size_t n = 0; n < routine_.nodes.size(); ++n) cost_[n] = costOf(n);
    std::vector<int> all(routine_.nodes.size());
    for (std::size_t n = 0; n < all.size(); ++n) all[n] = static_cast<int>(n);
    const Distances d = longest(all, 0, 0);
    std::optional<Cycles> worst;
    for (std::size_t n = 0; n < routine_.nodes.size(); ++n) {
      const Node& node = routine_.nodes[n];
      if (!d[n] || (!node.returns && !node.stops && node.tails.empty())) continue;
      Cycles tail = 0;
      for (const std::uint32_t t : node.tails) tail = std::max(tail, costs_.routine(t).value_or(0));
      worst = std::max(worst.value_or(0), plus(*d[n], tail));
    }
    if (!worst && problems_.empty()) problem(routine_.start, "it never returns");
    return finished(worst);
  }

 private:
  using Distances = std::vector<std::optional<Cycles>>;

  WorstPath finished(std::optional<Cycles> worst) {
    WorstPath result;
    result.problems.assign(problems_.begin(), problems_.end());
    if (problems_.empty()) result.cycles = worst;
    return result;
  }
  void problem(std::uint32_t at, const std::string& text) { problems_.insert({at, text}); }
  const Node& node(int n) const { return routine_.nodes[static_cast<std::size_t>(n)]; }

  void findPredecessors() {
    before_.resize(routine_.nodes.size());
    for (std::size_t n = 0; n < routine_.nodes.size(); ++n) {
      for (const Edge& e : routine_.nodes[n].next)
        before_[static_cast<std::size_t>(e.to)].push_back(static_cast<int>(n));
    }
  }

  /// Fixed cycles of an instruction, its longest wait for an address register, and what it calls.
  Cycles costOf(std::size_t n) const {
    const Node& self = routine_.nodes[n];
    Cycles cost = info(self.instruction.op).cycles + stall(n);
    if (self.called) cost = plus(cost, costs_.routine(*self.called).value_or(0));
    return cost;
  }

  static unsigned wait(const Instruction& writer, const Instruction& user) {
    const GroupUse w = groupsOf(writer, info(writer.op)), u = groupsOf(user, info(user.op));
    if ((w.writes & u.addresses) != 0) return kWriteLatency;
    return (w.reads & u.addresses) != 0 ? kReadLatency : 0;
  }

  /// c32.md 7.4, over one or two instructions in front. Waits of those are not taken off.
  unsigned stall(std::size_t n) const {
    unsigned most = 0;
    const Instruction& user = routine_.nodes[n].instruction;
    for (const int p : before_[n]) {
      const unsigned costP = info(node(p).instruction.op).cycles;
      const unsigned waitP = wait(node(p).instruction, user);
      if (waitP > costP) most = std::max(most, waitP - costP);
      for (const int q : before_[static_cast<std::size_t>(p)]) {
        const unsigned gone = costP + info(node(q).instruction.op).cycles;
        const unsigned waitQ = wait(node(q).instruction, user);
        if (waitQ > gone) most = std::max(most, waitQ - gone);
      }
    }
    return most;
  }

  /// Strongly connected parts of `members`, in an order in which ways lead only to later ones.
  std::vector<std::vector<int>> parts(const std::vector<int>& members) const {
    auto found = components(members, routine_.nodes.size(), [this](int n) {
      std::vector<int> next;
      for (std::size_t e = 0; e < node(n).next.size(); ++e) {
        if (!cut_[static_cast<std::size_t>(n)].contains(e)) next.push_back(node(n).next[e].to);
      }
      return next;
    });
    std::reverse(found.begin(), found.end());
    return found;
  }

  /// Cycles from the begin of `entry` to the end of each member.
  Distances longest(const std::vector<int>& members, int entry, int depth) {
    Distances in(routine_.nodes.size()), done(routine_.nodes.size());
    in[static_cast<std::size_t>(entry)] = 0;
    if (depth > kDeepest) {
      problem(node(entry).key.address, "its loops are nested too deep to be followed");
      return done;
    }
    const auto groups = parts(members);
    std::vector<int> groupOf(routine_.nodes.size(), -1);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const int m : groups[g]) groupOf[static_cast<std::size_t>(m)] = static_cast<int>(g);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      finishPart(groups[g], static_cast<int>(g), groupOf, in, done, depth);
      for (const int m : groups[g]) {
        const auto n = static_cast<std::size_t>(m);
        if (!done[n]) continue;
        for (std::size_t e = 0; e < node(m).next.size(); ++e) {
          const auto to = static_cast<std::size_t>(node(m).next[e].to);
          if (groupOf[to] < 0 || groupOf[to] == static_cast<int>(g) || cut_[n].contains(e))
            continue;
          in[to] = std::max(in[to].value_or(0), *done[n]);
        }
      }
    }
    return done;
  }

  void finishPart(const std::vector<int>& part, int g, const std::vector<int>& groupOf,
                  const Distances& in, Distances& done, int depth) {
    int head = -1;
    Cycles start = 0;
    for (const int m : part) {
      const auto& reached = in[static_cast<std::size_t>(m)];
      if (!reached) continue;
      if (head >= 0 && head != m)
        problem(node(m).key.address, "a loop is entered at more than one place");
      if (head < 0 || *reached > start) start = *reached;
      if (head < 0) head = m;
    }
    if (head < 0) return;
    std::vector<std::pair<int, std::size_t>> back;
    for (const int m : part) {
      const auto n = static_cast<std::size_t>(m);
      for (std::size_t e = 0; e < node(m).next.size(); ++e) {
        if (node(m).next[e].to == head && !cut_[n].contains(e) && groupOf[n] == g)
          back.emplace_back(m, e);
      }
    }
    if (back.empty()) {
      done[static_cast<std::size_t>(head)] = plus(start, cost_[static_cast<std::size_t>(head)]);
      return;
    }
    const std::uint64_t runs = boundOf(part, head, back);
    for (const auto& [m, e] : back) cut_[static_cast<std::size_t>(m)].insert(e);
    const Distances inner = longest(part, head, depth + 1);
    Cycles round = 0;
    for (const auto& [m, e] : back)
      round = std::max(round, inner[static_cast<std::size_t>(m)].value_or(0));
    for (const auto& [m, e] : back) cut_[static_cast<std::size_t>(m)].erase(e);
    const Cycles rounds = times(round, runs - 1);
    for (const int m : part) {
      const auto n = static_cast<std::size_t>(m);
      if (inner[n]) done[n] = plus(plus(start, rounds), *inner[n]);
    }
  }

  /// How often the loop's first instruction runs; 1 with a problem if nothing says so.
  std::uint64_t boundOf(const std::vector<int>& part, int head,
                        const std::vector<std::pair<int, std::size_t>>& back) {
    const std::uint32_t at = node(head).key.address;
    if (const auto given = costs_.bound(at)) return std::max<std::uint64_t>(*given, 1);
    int by = node(back.front().first).next[back.front().second].by;
    for (const auto& [m, e] : back) {
      if (node(m).next[e].by != by) by = -1;
    }
    if (by < 0) {
      if (back.size() == 1) {
        const LoopShape shape{routine_,
                              part,
                              before_,
                              head,
                              back.front().first,
                              costs_.changedBy,
                              [&](unsigned number) { return enteredWith(part, head, number); }};
        if (const auto runs = comparedRuns(shape)) return *runs;
      }
      problem(at, endless(part) ? "a loop without end" : "a loop whose end no constant tells");
      return 1;
    }
    const Node& counter = node(by);
    if (const auto given = costs_.bound(counter.key.address))
      return std::max<std::uint64_t>(*given, 1);
    if (info(counter.instruction.op).format == Format::DecBranch)
      return countedRuns(part, head, counter);
    const AbstractValue count = counter.instruction.op == Op::RPTS
                                    ? valueOf(counter.in, counter.instruction.a)
                                    : counter.in.registers[reg::RC];
    return runsOf(count, counter, "a repeat whose count is not known");
  }

  std::uint64_t runsOf(const AbstractValue& count, const Node& counter, const std::string& text) {
    if (count.is(Kind::Constant)) return count.n < 0 ? 1 : static_cast<std::uint64_t>(count.n) + 1;
    problem(counter.key.address,
            text + (count.is(Kind::Initial)
                        ? " (" + std::string(registerName(static_cast<std::uint8_t>(count.n))) +
                              " of its caller)"
                        : ""));
    return 1;
  }

  /// No way leads out of the part.
  bool endless(const std::vector<int>& part) const {
    const std::set<int> members(part.begin(), part.end());
    return std::all_of(part.begin(), part.end(), [&](int m) {
      const Node& n = node(m);
      if (n.returns || n.stops || !n.tails.empty()) return false;
      return std::all_of(n.next.begin(), n.next.end(),
                         [&](const Edge& e) { return members.contains(e.to); });
    });
  }

  /// DBcond: the register's value where the loop is entered, if nothing else in it changes that.
  std::uint64_t countedRuns(const std::vector<int>& part, int head, const Node& counter) {
    const unsigned number = counter.instruction.reg;
    bool changed = false;
    for (const int m : part) {
      const Node& n = node(m);
      if (&n != &counter && (writtenRegisters(n.instruction) >> number & 1u) != 0) changed = true;
      if (n.called && (costs_.changedBy(*n.called) >> number & 1u) != 0) changed = true;
    }
    const std::string name(registerName(static_cast<std::uint8_t>(number)));
    if (changed) {
      problem(counter.key.address, "a loop that changes its counter " + name);
      return 1;
    }
    return runsOf(enteredWith(part, head, number), counter,
                  "a loop whose count in " + name + " is not known");
  }

  /// What a register holds where a loop is entered.
  AbstractValue enteredWith(const std::vector<int>& part, int head, unsigned number) const {
    const std::set<int> members(part.begin(), part.end());
    std::optional<AbstractValue> entered;
    for (const int p : before_[static_cast<std::size_t>(head)]) {
      if (members.contains(p)) continue;
      const AbstractValue v = behind(node(p), number);
      if (entered && !(*entered == v)) entered = AbstractValue{};
      if (!entered) entered = v;
    }
    if (head == 0 && !entered) entered = State::initial().registers[number];
    return entered.value_or(AbstractValue{});
  }

  /// A register's value behind an instruction.
  AbstractValue behind(const Node& n, unsigned number) const {
    if (n.called && (costs_.changedBy(*n.called) >> number & 1u) != 0) return {};
    State s = n.in;
    execute(s, n.instruction, costs_.constant);
    return s.registers[number];
  }

  const Routine& routine_;
  const PathCosts& costs_;
  std::vector<Cycles> cost_;
  std::vector<std::set<std::size_t>> cut_;  ///< edges back to the heads of loops around
  std::vector<std::vector<int>> before_;
  std::set<Problem> problems_;
};

}  // namespace

WorstPath worstPath(const Routine& routine, const PathCosts& costs) {
  return Search(routine, costs).run();
}

}  // namespace rtvp::c32::analysis
