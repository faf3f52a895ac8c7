// See allocator.hpp. Programs of some thousand clauses are shortened to some ten, thousands of
// times a picture, so the passes avoid branches that depend on the clause: what is a constant, what
// is decided and what is needed for the first time changes from one to the next.
#include "models/implicit/registers/allocator.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace rtvp::implicit::registers {
namespace {

constexpr unsigned kWordBits = 64;
constexpr unsigned kLinkShift = 16;

/// All ones where it is true: compilers would make a branch of a choice.
constexpr std::uint32_t maskOf(bool chosen) {
  return 0U - static_cast<std::uint32_t>(chosen);
}

[[noreturn]] void tooManyRows() {
  throw ProgramError("found values that wait in more than " + std::to_string(kMaxRows) +
                     " registers, expected fewer");
}

}  // namespace

/// The component, which is 0 of a constant, or a constant's index.
inline Allocator::Reference Allocator::below(const Source& source) {
  return source.component + (source.index & maskOf(source.constant()));
}

/// Rows of programs whose values are numbers: a stack of which the rows that were never taken are
/// the lower part, the first on top, and those that were freed lie above.
class Allocator::NumberRows {
 public:
  explicit NumberRows(Allocator& owner) {
    std::vector<std::uint16_t>& stack = owner.stack_;
    const std::size_t most = owner.clauses_.size() + 1;
    if (stack.size() <= most) {
      stack.resize(most + 1);  // one is read, and not used, above a stack that is full
      owner.stacked_ = most;
    }
    std::uint16_t* const end = stack.data() + stack.size() - 1;
    for (std::size_t n = 0; n < owner.stacked_; ++n)
      *(end - 1 - n) = static_cast<std::uint16_t>(kPointRows + n);
    top_ = lowest_ = end_ = end;
  }

  /// The row of a link, which is a fresh one or has that already.
  std::uint16_t rowOf(std::size_t /*link*/, bool fresh, std::uint16_t row) {
    top_ -= static_cast<std::ptrdiff_t>(fresh);
    lowest_ = std::min(lowest_, top_);
    return static_cast<std::uint16_t>(row ^ ((row ^ *top_) & maskOf(fresh)));
  }
  void free(const Clause& /*clause*/, std::uint16_t row) { *top_++ = row; }
  static void freeLate(const Clause& /*clause*/, std::uint16_t /*row*/) {}
  /// How many there are; the stack is in order but for the last ones.
  unsigned finish(Allocator& owner) const {
    owner.stacked_ = static_cast<std::size_t>(end_ - lowest_);
    if (owner.stacked_ + kPointRows > kMaxRows) tooManyRows();
    return kPointRows + static_cast<unsigned>(owner.stacked_);
  }

 private:
  std::uint16_t *top_, *lowest_, *end_;
};

/// Rows of any program: a list of free ones for each width.
class Allocator::MixedRows {
 public:
  explicit MixedRows(Allocator& owner) : owner_(owner) {
    for (std::vector<std::uint16_t>& list : owner.free_) list.clear();
  }
  std::uint16_t rowOf(std::size_t link, bool fresh, std::uint16_t row) {
    if (!fresh) return row;
    const unsigned width = owner_.clauses_[link - 1].width();
    std::vector<std::uint16_t>& list = owner_.free_[width];
    if (!list.empty()) {
      const std::uint16_t first = list.back();
      list.pop_back();
      return first;
    }
    if (rows_ + width > kMaxRows) tooManyRows();
    const auto first = static_cast<std::uint16_t>(rows_);
    rows_ += width;
    return first;
  }
  /// Opcodes that mix components write the first before they read the last: their destination must
  /// be no source. Others may write where they read, component by component.
  static bool apart(const Clause& clause) {
    return clause.width() > 1 && clause.arity == Arity::Whole;
  }
  void free(const Clause& clause, std::uint16_t row) {
    if (!apart(clause)) owner_.free_[clause.width()].push_back(row);
  }
  void freeLate(const Clause& clause, std::uint16_t row) {
    if (apart(clause)) owner_.free_[clause.width()].push_back(row);
  }
  [[nodiscard]] unsigned finish(Allocator& /*owner*/) const { return rows_; }

 private:
  Allocator& owner_;
  unsigned rows_ = kPointRows;
};

/// The place of kNoLink: the first of a word of bits behind all links.
std::size_t Allocator::constantPlace() const {
  return (clauses_.size() / kWordBits + 1) * kWordBits;
}

void Allocator::reserve() {
  const std::size_t places = constantPlace() + 1;
  needed_.assign(places / kWordBits + 1, 0);
  if (row_.size() >= places) return;
  row_.resize(places);
  alias_.resize(places);
  order_.resize(places);
  emitted_.resize(places);
}

/// What a selection passes on lies before it, so its own alias is known.
void Allocator::findAliases(std::span<const std::uint16_t> selections,
                            std::span<const std::int8_t> decided) {
  const std::size_t constant = constantPlace();
  Reference* const alias = alias_.data();
  for (std::size_t link = 0; link < constant; ++link)
    alias[link] = static_cast<Reference>(link << kLinkShift);
  alias[constant] = Reference{kNoLink} << kLinkShift;
  if (decided_.size() <= decided.size()) decided_.resize(decided.size() + 1);
  std::uint16_t* const list = decided_.data();
  std::size_t count = 0;
  for (std::size_t n = 0; n < decided.size(); ++n) {
    list[count] = static_cast<std::uint16_t>(n);
    count += decided[n] >= 0 ? 1U : 0U;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t clause = selections[list[k]];
    const Source& passed = clauses_[clause].source[static_cast<std::size_t>(decided[list[k]])];
    alias[clause + 1] = alias[std::min<std::size_t>(passed.link, constant)] + below(passed);
  }
}

/// From the last clause to the first. What a clause reads lies before it, so the bits that it sets
/// are still to come. Of a long program most clauses are not needed.
template <class Rows>
void Allocator::emitNeeded(Source& result) {
  const std::size_t constant = constantPlace();
  const Clause* const clauses = clauses_.data();
  const Reference* const alias = alias_.data();
  std::uint64_t* const needed = needed_.data();
  std::uint16_t *const row = row_.data(), *const order = order_.data();
  Rows rows(*this);
  // The source as it is read now; its value gets rows if it has none yet. A constant vector's
  // component is the entry behind its first.
  const auto need = [&](const Source& source, Source& out) {
    const Reference meant = alias[std::min<std::size_t>(source.link, constant)] + below(source);
    out.link = static_cast<std::uint16_t>(meant >> kLinkShift);
    const std::size_t link = std::min<std::size_t>(meant >> kLinkShift, constant);
    const std::uint64_t word = needed[link / kWordBits];
    needed[link / kWordBits] = word | std::uint64_t{1} << link % kWordBits;
    const bool fresh = (~word >> link % kWordBits & 1U) != 0;
    const std::uint16_t first = rows.rowOf(link, fresh, row[link]);
    row[link] = first;
    out.index = static_cast<std::uint16_t>(first + meant);
    out.component = static_cast<std::uint8_t>(meant & ~maskOf(link == constant));
  };
  // Query point and constants are there without a clause.
  row[kPointLink] = row[constant] = 0;
  needed[kPointLink] = needed[constant / kWordBits] = 1;
  need(result, result);
  Clause* first = emitted_.data() + emitted_.size();
  std::uint16_t count = 0;
  for (std::size_t at = constant / kWordBits; at-- > 0;) {
    for (std::uint64_t word = 0; (word = needed[at]) != 0;) {
      const auto bit = static_cast<unsigned>(std::bit_width(word)) - 1;
      const std::size_t link = at * kWordBits + bit;
      if (link == kPointLink) break;
      needed[at] = word ^ std::uint64_t{1} << bit;
      order[link] = count++;
      const Clause& clause = clauses[link - 1];
      Clause& out = *--first;
      out = clause;
      out.destination = row[link];
      rows.free(clause, out.destination);
      need(clause.source[0], out.source[0]);
      need(clause.source[1], out.source[1]);  // a constant, if it is none
      for (unsigned n = 2; n < clause.inputs; ++n) need(clause.source[n], out.source[n]);
      rows.freeLate(clause, out.destination);
    }
  }
  rows_ = rows.finish(*this);
  first_ = emitted_.size() - count;
}

/// Copies what was emitted, with its new links.
void Allocator::finish(Program& program) {
  const std::size_t count = emitted_.size() - first_, constant = constantPlace();
  order_[kPointLink] = static_cast<std::uint16_t>(count - kPointLink);
  order_[constant] = static_cast<std::uint16_t>(count - kNoLink);
  const std::uint16_t* const order = order_.data();
  const auto renamed = [&](Source& source) {
    const std::size_t place = std::min<std::size_t>(source.link, constant);
    source.link = static_cast<std::uint16_t>(count - order[place]);
  };
  program.clauses_.assign(emitted_.end() - static_cast<std::ptrdiff_t>(count), emitted_.end());
  if (decided_.size() <= count) decided_.resize(count + 1);
  std::uint16_t* const selections = decided_.data();
  std::size_t decidable = 0;
  Clause* clause = program.clauses_.data();
  for (std::size_t n = 0; n < count; ++n, ++clause) {
    renamed(clause->source[0]);
    renamed(clause->source[1]);
    for (unsigned k = 2; k < clause->inputs; ++k) renamed(clause->source[k]);
    selections[decidable] = static_cast<std::uint16_t>(n);
    decidable += clause->decidable ? 1U : 0U;
  }
  program.selections_.assign(selections, selections + decidable);
  renamed(program.result_);
}

void Allocator::run(const Source& result, Program& program) {
  program.result_ = result;
  program.numbers_ ? emitNeeded<NumberRows>(program.result_)
                   : emitNeeded<MixedRows>(program.result_);
  program.rows_ = rows_;
  finish(program);
}

Program Allocator::compile(std::span<const Clause> clauses, const Source& result,
                           Program::Pool pool) {
  if (clauses.size() > kMaxClauses)
    throw ProgramError("found more than " + std::to_string(kMaxClauses) +
                       " clauses, expected fewer");
  Program program;
  program.pool_ = std::move(pool);
  program.numbers_ = std::all_of(clauses.begin(), clauses.end(),
                                 [](const Clause& clause) { return clause.components == 1; });
  clauses_ = clauses;
  reserve();
  findAliases({}, {});
  run(result, program);
  return program;
}

void Allocator::prune(const Program& program, std::span<const std::int8_t> decided,
                      Program& shorter) {
  clauses_ = program.clauses();
  reserve();
  findAliases(program.selections(), decided);
  if (shorter.pool_ != program.pool_) shorter.pool_ = program.pool_;
  shorter.numbers_ = program.numbers_;
  run(program.result(), shorter);
}

}  // namespace rtvp::implicit::registers
