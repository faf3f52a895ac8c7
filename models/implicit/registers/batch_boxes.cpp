// See batch_evaluator.hpp: boxes.
#include <algorithm>

#include "models/implicit/registers/batch_evaluator.hpp"
#include "models/implicit/selection.hpp"

namespace rtvp::implicit::registers {
namespace {

constexpr unsigned kOperandRows = 4;

constexpr unsigned at(Function function) {
  return static_cast<unsigned>(function);
}

void put(batch::RangeRow& row, unsigned box, const Interval& value) {
  row.lo[box] = value.lo;
  row.hi[box] = value.hi;
  row.u[box] = value.undefined ? -1 : 0;
}

}  // namespace

void BatchEvaluator::boxes(const Program& program, std::span<const Bounds> boxes,
                           std::span<Interval> out, bool decide) {
  boxes_ = static_cast<unsigned>(boxes.size());
  lanes_ = (boxes_ + batch::kBoxLanes - 1) / batch::kBoxLanes * batch::kBoxLanes;
  box_rows_ = static_cast<batch::RangeRow*>(
      box_memory_.resize((program.rows() + kOperandRows) * sizeof(batch::RangeRow)));
  for (unsigned axis = 0; axis < kPointRows; ++axis) {
    for (unsigned box = 0; box < lanes_; ++box) {
      const Bounds& from = boxes[std::min(box, boxes_ - 1)];
      put(box_rows_[axis], box, {from.min[axis], from.max[axis], false});
    }
  }
  if (decide && winners_.size() < program.selections().size())
    winners_.resize(program.selections().size());
  Winners* winners = winners_.data();
  Winners unused{};
  for (const Clause& clause : program.clauses()) {
    if (clause.decidable) {
      Winners& mine = decide ? *winners++ : unused;
      if (boxSelection(program, clause, mine)) continue;
      if (decide) decideClause(program, clause, mine);
    }
    if (boxNumbers(program, clause)) continue;
    if (clause.arity == Arity::Whole) {
      boxLanes(program, clause);
    } else {
      boxComponents(program, clause);
    }
  }
  if (program.result().constant()) {
    std::fill_n(out.begin(), boxes_, operand(program, program.result(), 0, 0));
    return;
  }
  const batch::RangeRow& row = box_rows_[program.result().index];
  for (unsigned box = 0; box < boxes_; ++box)
    out[box] = {row.lo[box], row.hi[box], row.u[box] != 0};
}

/// Min and max of numbers, and who wins. False: it is another selection.
inline bool BatchEvaluator::boxSelection(const Program& program, const Clause& clause,
                                         Winners& winners) {
  if (clause.components != 1 || clause.arity != Arity::Two) return false;
  const batch::RangeRow& a = readBox(program, clause.source[0], 0, 0);
  const batch::RangeRow& b = readBox(program, clause.source[1], 0, 1);
  const auto select = clause.function == Function::Min ? kernels_.range_least : kernels_.range_most;
  select(box_rows_[clause.destination], a, b, winners.data(), lanes_);
  return true;
}

/// The usual case: numbers in rows, or the second one a finite constant, and a kernel. False: it is
/// another one.
inline bool BatchEvaluator::boxNumbers(const Program& program, const Clause& clause) {
  const Source &a = clause.source[0], &b = clause.source[1];
  if (clause.components != 1 || a.constant()) return false;
  batch::RangeRow& d = box_rows_[clause.destination];
  const batch::RangeRow& first = box_rows_[a.index];
  const unsigned function = at(clause.function);
  if (clause.arity == Arity::One && kernels_.range_unary[function] != nullptr) {
    kernels_.range_unary[function](d, first, lanes_);
    return true;
  }
  if (clause.arity != Arity::Two || kernels_.range_binary[function] == nullptr) return false;
  if (!b.constant()) {
    kernels_.range_binary[function](d, first, box_rows_[b.index], lanes_);
    return true;
  }
  const float constant = program.pool()[b.index];
  if (constant - constant != 0) return false;
  kernels_.range_constant[function](d, first, constant, lanes_);
  return true;
}

Interval BatchEvaluator::operand(const Program& program, const Source& source, unsigned component,
                                 unsigned box) const {
  if (source.constant()) return Interval::of(program.pool()[source.index + component]);
  const batch::RangeRow& row = box_rows_[source.index + component];
  return {row.lo[box], row.hi[box], row.u[box] != 0};
}

const batch::RangeRow& BatchEvaluator::readBox(const Program& program, const Source& source,
                                               unsigned component, unsigned input) {
  if (!source.constant()) return box_rows_[source.index + component];
  batch::RangeRow& row = box_rows_[program.rows() + input];
  kernels_.range_fill(row, program.pool()[source.index + component], lanes_);
  return row;
}

void BatchEvaluator::boxComponents(const Program& program, const Clause& clause) {
  const unsigned function = at(clause.function);
  if (clause.arity == Arity::Three ||
      (clause.arity == Arity::One && kernels_.range_unary[function] == nullptr) ||
      (clause.arity == Arity::Two && kernels_.range_binary[function] == nullptr))
    return boxLanes(program, clause);
  for (unsigned k = 0; k < clause.components; ++k) {
    batch::RangeRow& d = box_rows_[clause.destination + k];
    const Source& first = clause.source[0];
    const unsigned at_first = widthOf(clause.op->in[0]) == 1 ? 0 : k;
    if (clause.arity == Arity::One) {
      kernels_.range_unary[function](d, readBox(program, first, at_first, 0), lanes_);
      continue;
    }
    const Source& second = clause.source[1];
    const unsigned at_second = widthOf(clause.op->in[1]) == 1 ? 0 : k;
    const batch::RangeRow& a = readBox(program, first, at_first, 0);
    const float constant = second.constant() ? program.pool()[second.index + at_second] : 0.0F;
    if (second.constant() && constant - constant == 0) {
      kernels_.range_constant[function](d, a, constant, lanes_);
    } else {
      kernels_.range_binary[function](d, a, readBox(program, second, at_second, 1), lanes_);
    }
  }
}

/// What has no kernel: one box after the other.
void BatchEvaluator::boxLanes(const Program& program, const Clause& clause) {
  for (unsigned box = 0; box < lanes_; ++box) {
    std::array<std::array<Interval, 16>, 4> operands;
    interval::Operands in{};
    for (unsigned input = 0; input < clause.op->in.size(); ++input) {
      for (unsigned k = 0; k < widthOf(clause.op->in[input]); ++k)
        operands[input][k] = operand(program, clause.source[input], k, box);
      in[input] = operands[input].data();
    }
    std::array<Interval, 4> out;
    interval::apply(*clause.op, in, out.data());
    for (unsigned k = 0; k < clause.components; ++k)
      put(box_rows_[clause.destination + k], box, out[k]);
  }
}

void BatchEvaluator::decideClause(const Program& program, const Clause& clause, Winners& winners) {
  winners = {};
  for (unsigned box = 0; box < boxes_; ++box) {
    std::array<std::array<Interval, 4>, 4> operands;
    interval::Operands in{};
    for (unsigned input = 0; input < clause.op->in.size(); ++input) {
      for (unsigned k = 0; k < widthOf(clause.op->in[input]); ++k)
        operands[input][k] = operand(program, clause.source[input], k, box);
      in[input] = operands[input].data();
    }
    const auto number = static_cast<unsigned>(winnerOf(*clause.op, in) + 1);
    for (unsigned digit = 0; digit < winners.size(); ++digit)
      winners[digit] |= std::uint64_t{number >> digit & 1U} << box;
  }
}

std::size_t BatchEvaluator::decide(const Program& program, unsigned box) {
  const std::span<const std::uint16_t> selections = program.selections();
  if (decided_.size() <= selections.size()) decided_.resize(selections.size() + 1);
  Decision* const decided = decided_.data();
  std::size_t count = 0;
  for (std::size_t n = 0; n < selections.size(); ++n) {
    // Written in any case, and kept by the step.
    const Winners& winners = winners_[n];
    const auto number = static_cast<unsigned>(winners[0] >> box & 1U) |
                        static_cast<unsigned>(winners[1] >> box & 1U) << 1U;
    decided[count] = {selections[n], static_cast<std::uint16_t>(number - 1)};
    count += number != 0 ? 1U : 0U;
  }
  decisions_ = count;
  return count;
}

void BatchEvaluator::prune(const Program& program, Program& shorter) {
  allocator_.prune(program, std::span(decided_).first(decisions_), shorter);
}

Program BatchEvaluator::prune(const Program& program, unsigned box) {
  decide(program, box);
  Program shorter;
  prune(program, shorter);
  return shorter;
}

}  // namespace rtvp::implicit::registers
