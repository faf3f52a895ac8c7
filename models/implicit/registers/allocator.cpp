// See allocator.hpp.
#include "models/implicit/registers/allocator.hpp"

#include <cstring>

namespace rtvp::implicit::registers {

/// What a source means once decided selections are gone. A constant vector's component is the pool
/// entry behind its first.
inline Source Allocator::resolved(Source source) {
  if (source.constant() || passes_[source.link] == kStays) return source;
  const std::uint16_t first = source.link;
  if (passes_[first] != kKnown) {
    Source target{0, first, 0, 1};
    while (!target.constant() && passes_[target.link] != kStays)
      target = behind(passes_[target.link] == kKnown
                          ? alias_[target.link]
                          : clauses_[target.link - 1U].source[passes_[target.link] - 1U],
                      target.component);
    alias_[first] = target;
    passes_[first] = kKnown;
  }
  return behind(alias_[first], source.component);
}

inline Source Allocator::behind(Source source, unsigned component) {
  if (source.constant()) {
    source.index = static_cast<std::uint16_t>(source.index + component);
  } else {
    source.component = static_cast<std::uint8_t>(source.component + component);
  }
  return source;
}

/// Which clauses pass an input on; what that is, is looked up when it is needed.
void Allocator::findPasses(std::span<const std::uint16_t> selections,
                           std::span<const std::int8_t> decided) {
  passes_.assign(clauses_.size() + 1, kStays);
  if (decided.empty()) return;
  if (alias_.size() <= clauses_.size()) alias_.resize(clauses_.size() + 1);
  for (std::size_t n = 0; n < selections.size(); ++n)
    passes_[selections[n] + 1U] = static_cast<std::uint8_t>(decided[n] + 1);
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

/// Nothing needs the clause of the link, or one of the three before it.
inline bool Allocator::unused(std::size_t link) const {
  std::uint64_t rows = 0;
  std::memcpy(&rows, row_.data() + link - (kStride - 1), sizeof rows);
  return rows == ~std::uint64_t{0};
}

inline void Allocator::emit(const Clause& clause, std::uint16_t link) {
  const unsigned width = clause.width();
  const std::uint16_t row = row_[link];
  // Opcodes that mix components write the first before they read the last: their destination must
  // be no source. Others may write where they read, component by component.
  const bool apart = width > 1 && clause.arity == Arity::Whole;
  if (!apart) free_[width].push_back(row);
  order_[link] = static_cast<std::uint16_t>(emitted_.size() - first_);
  Clause& out = emitted_[--first_];
  out = clause;
  out.destination = row;
  for (unsigned n = 0; n < clause.inputs; ++n) need(out.source[n]);
  if (apart) free_[width].push_back(row);
}

Program Allocator::finish(const Source& result, const Program::Pool& pool) {
  Program program;
  program.pool_ = pool;
  program.rows_ = rows_;
  program.result_ = result;
  const std::size_t count = emitted_.size() - first_;
  program.clauses_.assign(emitted_.end() - static_cast<std::ptrdiff_t>(count), emitted_.end());
  const auto renamed = [&](Source& source) {
    if (!source.constant() && source.link != kPointLink)
      source.link = static_cast<std::uint16_t>(count - order_[source.link]);
  };
  for (std::size_t n = 0; n < count; ++n) {
    Clause& clause = program.clauses_[n];
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
  clauses_ = clauses;
  findPasses(selections, decided);
  row_.assign(clauses.size() + 1, kUnused);
  if (order_.size() <= clauses.size()) order_.resize(clauses.size() + 1);
  if (emitted_.size() < clauses.size()) emitted_.resize(clauses.size());
  first_ = emitted_.size();
  for (std::vector<std::uint16_t>& list : free_) list.clear();
  rows_ = kPointRows;
  Source root = result;
  need(root);
  for (std::size_t link = clauses.size(); link > 0; --link) {
    // Most clauses of a long program are not needed: four at once.
    while (link >= kStride && unused(link)) link -= kStride;
    if (link > 0 && row_[link] != kUnused)
      emit(clauses[link - 1], static_cast<std::uint16_t>(link));
    if (link == 0) break;
  }
  return finish(root, pool);
}

}  // namespace rtvp::implicit::registers
