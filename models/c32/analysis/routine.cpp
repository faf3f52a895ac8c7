// See routine.hpp.
#include "models/c32/analysis/routine.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32::analysis {
namespace {

using Kind = AbstractValue::Kind;
constexpr std::size_t kMostNodes = 100000, kMostVisits = 2000000;

bool isIdle(Op op) {
  return op == Op::IDLE || op == Op::IDLE2;
}
bool isCall(Op op) {
  return op == Op::CALL || op == Op::CALLcond;
}

class Trace {
 public:
  Trace(std::uint32_t start, const Tracer& tracer) : tracer_(tracer) { routine_.start = start; }

  Routine run() {
    reach({routine_.start, 0, 0}, State::initial());
    for (std::size_t visits = 0; !work_.empty(); ++visits) {
      if (visits > kMostVisits || routine_.nodes.size() > kMostNodes) {
        problem(routine_.start, "it has too much code to be followed");
        break;
      }
      const int n = work_.front();
      work_.pop_front();
      waiting_.erase(n);
      visit(n);
    }
    finish();
    return std::move(routine_);
  }

 private:
  struct Target {
    enum class Kind : std::uint8_t { None, Address, Return, Unknown } kind = Kind::None;
    std::uint32_t address = 0;
  };

  void problem(std::uint32_t at, const std::string& text) { problems_.insert({at, text}); }
  void stackProblem(std::uint32_t at, const std::string& text) {
    stackProblems_.insert({at, text});
  }

  /// The node of a place, to be visited (again) if the state says less than before. -1 if there is
  /// no instruction.
  int reach(const NodeKey& key, const State& state) {
    const auto known = numbers_.find(key);
    if (known != numbers_.end()) {
      Node& node = routine_.nodes[static_cast<std::size_t>(known->second)];
      const AbstractValue sp = node.in.sp();
      if (node.in.merge(state)) enqueue(known->second);
      if (!(node.in.sp() == sp))
        stackProblem(key.address, "SP differs by the way that leads there");
      return known->second;
    }
    const auto word = tracer_.word(key.address);
    const auto i = word ? decode(*word) : std::nullopt;
    if (!i) {
      problem(key.address, word ? "it runs into a word that is no instruction"
                                : "it runs into memory the file does not fill");
      return -1;
    }
    const int n = static_cast<int>(routine_.nodes.size());
    Node node;
    node.key = key;
    node.instruction = *i;
    node.in = state;
    routine_.nodes.push_back(std::move(node));
    numbers_[key] = n;
    enqueue(n);
    return n;
  }
  void enqueue(int n) {
    if (waiting_.insert(n).second) work_.push_back(n);
  }

  void connect(int from, const NodeKey& to, const State& state, int by = -1) {
    const int n = reach(to, state);
    if (n < 0) return;
    std::vector<Edge>& next = routine_.nodes[static_cast<std::size_t>(from)].next;
    const Edge edge{n, by};
    if (std::find(next.begin(), next.end(), edge) == next.end()) next.push_back(edge);
  }

  /// To an address outside any delay slot: another routine's begin ends this one.
  void flowTo(int from, std::uint32_t address, const State& state, int by = -1) {
    address &= kAddressMask;
    if (address != routine_.start && tracer_.isStart(address)) {
      routine_.nodes[static_cast<std::size_t>(from)].tails.insert(address);
      return;
    }
    connect(from, {address, 0, 0}, state, by);
  }

  Target registerTarget(const AbstractValue& v) const {
    if (v.is(Kind::Return)) return {Target::Kind::Return, 0};
    if (v.is(Kind::Constant))
      return {Target::Kind::Address, static_cast<std::uint32_t>(v.n) & kAddressMask};
    return {Target::Kind::Unknown, 0};
  }

  Target targetOf(const Node& branch) const {
    const Instruction& i = branch.instruction;
    if (const auto fixed = branchTarget(i, branch.key.address))
      return {Target::Kind::Address, *fixed};
    return registerTarget(valueOf(branch.in, i.a));
  }

  void visit(int n) {
    // Copies: reaching other nodes moves them.
    Node node = routine_.nodes[static_cast<std::size_t>(n)];
    const std::uint32_t at = node.key.address;
    const OpInfo& row = info(node.instruction.op);
    State out = node.in;
    execute(out, node.instruction, tracer_.constant);
    noteStack(node, out);
    if (row.control && node.key.slot != 0 && !isIdle(node.instruction.op)) {
      problem(at, "a control operation stands in a delay slot or behind RPTS");
      return;
    }
    if (node.key.slot == NodeKey::kRepeated) return visitRepeated(n, at, out);
    if (node.key.slot != 0) return visitSlot(n, node, out);
    if (row.delayed) return connect(n, {at + 1, at, 1}, out);
    if (!row.control || isIdle(node.instruction.op)) return visitPlain(n, node, out);
    visitControl(n, node, out);
  }

  /// Most words SP stands above its begin.
  void noteStack(const Node& node, const State& out) {
    if (out.sp().is(Kind::Stack)) routine_.ownStack = std::max(routine_.ownStack, out.sp().n);
    if (node.in.sp().is(Kind::Unknown)) stackProblem(node.key.address, "SP is not known");
  }

  void visitPlain(int n, const Node& node, State out) {
    const std::uint32_t at = node.key.address;
    if (isIdle(node.instruction.op)) problem(at, "it waits for an interrupt in IDLE");
    // A new stack: words count from where SP is set.
    if (node.in.sp().is(Kind::Stack) && !out.sp().is(Kind::Stack)) {
      out.registers[reg::SP] = {Kind::Stack, 0};
      out.stack.clear();
      routine_.ownBase = true;
    }
    repeatBack(n, at, out);
    flowTo(n, at + 1, out);
  }

  void visitRepeated(int n, std::uint32_t at, const State& out) {
    const int owner = numbers_[{routine_.nodes[static_cast<std::size_t>(n)].key.owner, 0, 0}];
    connect(n, routine_.nodes[static_cast<std::size_t>(n)].key, out, owner);
    repeatBack(n, at, out);
    flowTo(n, at + 1, out);
  }

  /// The last word of a block that RPTB repeats.
  void repeatBack(int n, std::uint32_t at, const State& out) {
    const auto range = blocks_.equal_range(at);
    for (auto it = range.first; it != range.second; ++it) {
      const std::uint32_t begin =
          routine_.nodes[static_cast<std::size_t>(it->second)].key.address + 1;
      connect(n, {begin, 0, 0}, out, it->second);
    }
  }

  void visitSlot(int n, const Node& node, const State& out) {
    const std::uint32_t at = node.key.address;
    if (node.key.slot < 3)
      return connect(n, {at + 1, node.key.owner, static_cast<std::uint8_t>(node.key.slot + 1)},
                     out);
    const int owner = numbers_[{node.key.owner, 0, 0}];
    branch(n, owner, at + 1, out);
  }

  /// The ways on from a branch that decides now: `from` is it or its last delay slot.
  void branch(int from, int owner, std::uint32_t behind, const State& out) {
    const Node branch = routine_.nodes[static_cast<std::size_t>(owner)];
    const Instruction& i = branch.instruction;
    const bool counts = info(i.op).format == Format::DecBranch;
    const bool conditional = info(i.op).conditional && (i.cond != Cond::U || counts);
    const Target target = targetOf(branch);
    switch (target.kind) {
      case Target::Kind::Address:
        flowTo(from, target.address, out, counts ? owner : -1);
        break;
      case Target::Kind::Return:
        leave(from, out);
        break;
      default:
        problem(branch.key.address, "it jumps to an address in " +
                                        std::string(registerName(i.a.number)) +
                                        " that is not known");
        stop(from);
    }
    if (conditional) flowTo(from, behind, out);
  }

  void leave(int n, const State& out) {
    routine_.nodes[static_cast<std::size_t>(n)].returns = true;
    std::uint32_t kept = 0;
    for (unsigned r = 0; r < reg::kCount; ++r) {
      const AbstractValue& v = out.registers[r];
      if (v.is(Kind::Initial) && v.n == static_cast<std::int32_t>(r)) kept |= 1u << r;
    }
    routine_.summary.kept = returned_ ? routine_.summary.kept & kept : kept;
    returned_ = true;
  }
  void stop(int n) { routine_.nodes[static_cast<std::size_t>(n)].stops = true; }

  void visitControl(int n, const Node& node, State& out) {
    const Instruction& i = node.instruction;
    const std::uint32_t at = node.key.address;
    if (isCall(i.op)) return visitCall(n, node, out);
    switch (info(i.op).format) {
      case Format::Return:
        visitReturn(n, node, out);
        if (i.cond != Cond::U) flowTo(n, at + 1, node.in);
        return;
      case Format::Trap:
        problem(at, "it calls a trap, whose handler is not known");
        return flowTo(n, at + 1, out);
      default:
        break;
    }
    if (i.op == Op::RPTS) return connect(n, {at + 1, at, NodeKey::kRepeated}, out);
    if (i.op == Op::RPTB) return visitBlock(n, node, out);
    if (i.op == Op::SWI) return stop(n);
    if (info(i.op).format == Format::Absolute || info(i.op).format == Format::Branch ||
        info(i.op).format == Format::DecBranch)
      return branch(n, n, at + 1, out);
    flowTo(n, at + 1, out);
  }

  void visitBlock(int n, const Node& node, const State& out) {
    const std::uint32_t end = node.instruction.a.value & kAddressMask;
    const auto range = blocks_.equal_range(end);
    const bool known =
        std::any_of(range.first, range.second, [&](const auto& b) { return b.second == n; });
    if (!known) {
      blocks_.emplace(end, n);
      // The block's last word may have been visited by another way.
      for (const auto& [key, number] : numbers_) {
        if (key.address == end) enqueue(number);
      }
    }
    flowTo(n, node.key.address + 1, out);
  }

  /// By what lies on the stack where SP points.
  void visitReturn(int n, const Node& node, const State& out) {
    AbstractValue value;
    const AbstractValue& sp = node.in.sp();
    if (sp.is(Kind::Stack)) {
      const auto it = node.in.stack.find(sp.n);
      if (it != node.in.stack.end()) value = it->second;
    }
    if (value.is(Kind::Constant))
      return flowTo(n, static_cast<std::uint32_t>(value.n) & kAddressMask, out);
    if (!value.is(Kind::Return))
      stackProblem(node.key.address, "it returns by a word that need not be its return address");
    leave(n, out);
  }

  void visitCall(int n, const Node& node, State& out) {
    const Target target = targetOf(node);
    Summary summary;
    if (target.kind == Target::Kind::Address) {
      routine_.nodes[static_cast<std::size_t>(n)].called = target.address;
      summary = tracer_.summaryOf(target.address);
    } else {
      problem(node.key.address, "it calls an address in " +
                                    std::string(registerName(node.instruction.a.number)) +
                                    " that is not known");
    }
    for (unsigned r = 0; r < reg::kCount; ++r) {
      if (r != reg::SP && (summary.kept >> r & 1u) == 0) out.registers[r] = {};
    }
    if (out.sp().is(Kind::Stack)) {
      routine_.ownStack = std::max(routine_.ownStack, out.sp().n + 1);
      out.stack.erase(out.stack.upper_bound(out.sp().n), out.stack.end());
    }
    flowTo(n, node.key.address + 1, out);
  }

  void finish() {
    routine_.problems.assign(problems_.begin(), problems_.end());
    routine_.stackProblems.assign(stackProblems_.begin(), stackProblems_.end());
    if (!returned_) routine_.summary.kept = 0;
  }

  const Tracer& tracer_;
  Routine routine_;
  std::map<NodeKey, int> numbers_;
  std::multimap<std::uint32_t, int> blocks_;  ///< last word of a repeat block -> its RPTB
  std::deque<int> work_;
  std::set<int> waiting_;
  std::set<Problem> problems_, stackProblems_;
  bool returned_ = false;
};

}  // namespace

Routine traceRoutine(std::uint32_t start, const Tracer& tracer) {
  return Trace(start, tracer).run();
}

}  // namespace rtvp::c32::analysis
