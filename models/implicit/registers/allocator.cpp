// See allocator.hpp.
#include "models/implicit/registers/allocator.hpp"

#include <algorithm>

namespace rtvp::implicit::registers {

/// What a source means once decided selections are gone. A constant vector's component is the pool
/// entry behind its first.
inline Source Allocator::resolved(const Source& source) const {
  if (source.constant() || passes_[source.link] == 0) return source;
  Source target = alias_[source.link];
  if (target.constant()) {
    target.index = static_cast<std::uint16_t>(target.index + source.component);
  } else {
    target.component = static_cast<std::uint8_t>(target.component + source.component);
  }
  return target;
}

void Allocator::findAliases(std::span<const Clause> clauses,
                            std::span<const std::uint16_t> selections,
                            std::span<const std::int8_t> decided) {
  passes_.assign(clauses.size() + 1, 0);
  if (decided.empty()) return;
  alias_.resize(clauses.size() + 1);
  for (std::size_t n = 0; n < selections.size(); ++n) {
    if (decided[n] < 0) continue;
    const std::size_t clause = selections[n];
    alias_[clause + 1] = resolved(clauses[clause].source[static_cast<std::size_t>(decided[n])]);
    passes_[clause + 1] = 1;
  }
}

inline std::uint16_t Allocator::take(unsigned width) {
  std::vector<std::uint16_t>& free = free_[width];
  if (!free.empty()) {
    const std::uint16_t row = free.back();
    free.pop_back();
    return row;
  }
  if (rows_ + width > kMaxRows)
    throw ProgramError("found values that wait in more than " + std::to_string(kMaxRows) +
                       " registers, expected fewer");
  const auto row = static_cast<std::uint16_t>(rows_);
  rows_ += width;
  return row;
}

/// The source as it is read now; its value gets registers if it has none yet.
inline void Allocator::need(Source& source) {
  source = resolved(source);
  if (source.constant()) return;
  if (source.link == kPointLink) {
    source.index = source.component;
    return;
  }
  std::uint16_t& row = row_[source.link];
  if (row == kUnused) row = take(source.width);
  source.index = static_cast<std::uint16_t>(row + source.component);
}

inline void Allocator::emit(const Clause& clause, std::uint16_t link) {
  const unsigned width = clause.width();
  const std::uint16_t row = row_[link];
  // Opcodes that mix components write the first before they read the last: their destination must
  // be no source. Others may write where they read, component by component.
  const bool apart = width > 1 && clause.arity == Arity::Whole;
  if (!apart) free_[width].push_back(row);
  order_[link] = static_cast<std::uint16_t>(emitted_.size());
  Clause& out = emitted_.emplace_back(clause);
  out.destination = row;
  for (unsigned n = 0; n < clause.inputs; ++n) need(out.source[n]);
  if (apart) free_[width].push_back(row);
}

Program Allocator::finish(const Source& result, const Program::Pool& pool) {
  Program program;
  program.pool_ = pool;
  program.rows_ = rows_;
  program.result_ = result;
  const std::size_t count = emitted_.size();
  program.clauses_.reserve(count);
  const auto renamed = [&](Source& source) {
    if (!source.constant() && source.link != kPointLink)
      source.link = static_cast<std::uint16_t>(count - order_[source.link]);
  };
  for (std::size_t n = 0; n < count; ++n) {
    Clause& clause = program.clauses_.emplace_back(emitted_[count - 1 - n]);
    for (unsigned k = 0; k < clause.inputs; ++k) renamed(clause.source[k]);
    if (clause.decidable) program.selections_.push_back(static_cast<std::uint16_t>(n));
  }
  renamed(program.result_);
  return program;
}

Program Allocator::run(std::span<const Clause> clauses, std::span<const std::uint16_t> selections,
                       std::span<const std::int8_t> decided, const Source& result,
                       const Program::Pool& pool) {
  if (clauses.size() > kMaxClauses)
    throw ProgramError("found more than " + std::to_string(kMaxClauses) +
                       " clauses, expected fewer");
  findAliases(clauses, selections, decided);
  row_.assign(clauses.size() + 1, kUnused);
  order_.resize(clauses.size() + 1);
  emitted_.clear();
  for (std::vector<std::uint16_t>& list : free_) list.clear();
  rows_ = kPointRows;
  Source root = result;
  need(root);
  for (std::size_t n = clauses.size(); n-- > 0;) {
    const auto link = static_cast<std::uint16_t>(n + 1);
    if (row_[link] != kUnused) emit(clauses[n], link);
  }
  return finish(root, pool);
}

}  // namespace rtvp::implicit::registers
