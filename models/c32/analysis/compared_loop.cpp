// See compared_loop.hpp.
#include "models/c32/analysis/compared_loop.hpp"

#include <algorithm>
#include <set>

#include "models/c32/isa_table.hpp"

namespace rtvp::c32::analysis {
namespace {

using Kind = AbstractValue::Kind;
constexpr std::uint64_t kMostRuns = 10'000'000;

bool setsFlags(const Instruction& i) {
  const OpInfo& row = info(i.op);
  if (row.flags == Flags::NONE) return false;
  return row.flagsAlways || row.first != Op::kCount || i.reg <= reg::R7;
}

/// `result` is what the flags tell of: x - n as a wide number, and whether x is lower as unsigned.
bool holds(Cond cond, std::int64_t result, bool lower) {
  switch (cond) {
    case Cond::EQ:
      return result == 0;
    case Cond::NE:
      return result != 0;
    case Cond::LT:
      return result < 0;
    case Cond::LE:
      return result <= 0;
    case Cond::GT:
      return result > 0;
    case Cond::GE:
      return result >= 0;
    case Cond::LO:
      return lower;
    case Cond::LS:
      return lower || result == 0;
    case Cond::HI:
      return !lower && result != 0;
    default:
      return !lower;  // HS
  }
}
bool isKnown(Cond cond, bool compare) {
  const bool sign = cond >= Cond::EQ && cond <= Cond::GE;
  return sign || (compare && cond >= Cond::LO && cond <= Cond::HS);
}

class Loop {
 public:
  explicit Loop(const LoopShape& shape)
      : shape_(shape), members_(shape.part.begin(), shape.part.end()) {}

  std::optional<std::uint64_t> runs() {
    const std::vector<int> way = straightWay();
    // The branch: the last node, or the delayed one whose last slot that is.
    std::size_t at = 0;
    while (at < way.size() && info(node(way[at]).instruction.op).format != Format::Branch) ++at;
    if (at >= way.size() || (at != 0 && at != 3)) return std::nullopt;
    const Instruction& branch = node(way[at]).instruction;
    if (branch.a.kind != Operand::Kind::Relative) return std::nullopt;
    const std::size_t from = at + 1;
    std::size_t setter = from;
    while (setter < way.size() && !setsFlags(node(way[setter]).instruction)) ++setter;
    if (setter >= way.size() || node(way[setter]).called) return std::nullopt;
    return countFrom(way, setter, branch.cond);
  }

 private:
  const Node& node(int n) const { return shape_.routine.nodes[static_cast<std::size_t>(n)]; }

  /// From the last node back as long as one way alone leads there, calls not among them.
  std::vector<int> straightWay() const {
    std::vector<int> way{shape_.last};
    while (way.back() != shape_.head) {
      int only = -1;
      for (const int p : shape_.before[static_cast<std::size_t>(way.back())]) {
        if (members_.contains(p)) only = only < 0 ? p : -2;
        if (only == -2) return way;
      }
      if (only < 0 || node(only).called || way.size() > shape_.part.size()) return way;
      way.push_back(only);
    }
    return way;
  }

  /// The constant that an instruction adds to its register.
  std::optional<std::int64_t> stepOf(const Node& n, unsigned number) const {
    const Instruction& i = n.instruction;
    const bool adds = i.op == Op::ADDI || i.op == Op::SUBI;
    if (!adds || i.reg != number || i.a.kind != Operand::Kind::Immediate) return std::nullopt;
    const auto value = static_cast<std::int32_t>(i.a.value);
    return i.op == Op::ADDI ? std::int64_t{value} : -std::int64_t{value};
  }

  std::optional<std::uint64_t> countFrom(const std::vector<int>& way, std::size_t setter,
                                         Cond cond) const {
    const Instruction& test = node(way[setter]).instruction;
    const bool compare = test.op == Op::CMPI;
    if (!isKnown(cond, compare)) return std::nullopt;
    const unsigned number = test.reg;
    std::size_t change = setter;
    if (compare) {
      if (test.a.kind != Operand::Kind::Immediate) return std::nullopt;
      ++change;
      while (change < way.size() && !stepOf(node(way[change]), number)) ++change;
    }
    if (change >= way.size() || way[change] == shape_.last) return std::nullopt;
    const std::optional<std::int64_t> step = stepOf(node(way[change]), number);
    if (!step || changedElsewhere(way[change], number)) return std::nullopt;
    const AbstractValue first = shape_.entered(number);
    if (!first.is(Kind::Constant)) return std::nullopt;
    const std::int64_t limit = compare ? static_cast<std::int32_t>(test.a.value) : 0;
    std::int64_t x = first.n;
    for (std::uint64_t n = 1; n <= kMostRuns; ++n) {
      x += *step;
      // Beyond these the flags tell of a wrapped difference.
      const std::int64_t apart = x - limit;
      if (x < INT32_MIN || x > INT32_MAX || apart < INT32_MIN || apart > INT32_MAX)
        return std::nullopt;
      const bool lower = static_cast<std::uint32_t>(x) < static_cast<std::uint32_t>(limit);
      if (!holds(cond, apart, lower)) return n;
    }
    return std::nullopt;
  }

  bool changedElsewhere(int here, unsigned number) const {
    return std::any_of(shape_.part.begin(), shape_.part.end(), [&](int m) {
      const Node& n = node(m);
      if (n.called && (shape_.changedBy(*n.called) >> number & 1u) != 0) return true;
      return m != here && (writtenRegisters(n.instruction) >> number & 1u) != 0 &&
             !info(n.instruction.op).flagsAlways;
    });
  }

  const LoopShape& shape_;
  std::set<int> members_;
};

}  // namespace

std::optional<std::uint64_t> comparedRuns(const LoopShape& shape) {
  return Loop(shape).runs();
}

}  // namespace rtvp::c32::analysis
