// See allocator.hpp. Programs of some hundred clauses are shortened to some ten, thousands of times
// a picture, so the passes avoid branches that depend on the clause: what is a constant, what is
// decided and what is needed for the first time changes from one to the next. They also avoid
// waiting: what is needed is found breadth first, where a clause does not depend on what the one
// before it needs, so that the host works on many at a time; only then it is put in order.
#include "models/implicit/registers/allocator.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace rtvp::implicit::registers {
namespace {

constexpr unsigned kPlaceShift = 16;
constexpr std::size_t kConstantPlace = 0, kPointPlace = 1, kClausePlaces = 2;
constexpr std::uint32_t kBelow = (1U << kPlaceShift) - 1;
constexpr std::uint16_t kNoRow = 0xFFFF;

/// All ones where it is true: compilers would make a branch of a choice.
constexpr std::uint32_t maskOf(bool chosen) {
  return 0U - static_cast<std::uint32_t>(chosen);
}

/// Clauses of which often none is needed, as many as a word has bytes.
constexpr std::size_t kTogether = sizeof(std::uint64_t);
bool noneOf(const std::uint8_t* needed) {
  std::uint64_t all = 0;
  std::memcpy(&all, needed, sizeof all);
  return all == 0;
}

[[noreturn]] void tooManyRows() {
  throw ProgramError("found values that wait in more than " + std::to_string(kMaxRows) +
                     " registers, expected fewer");
}

}  // namespace

/// A link of none wraps around to the first place. Below it stands the component, which is 0 of a
/// constant, or a constant's index.
inline Allocator::Reference Allocator::referenceTo(const Source& source) {
  static_assert(static_cast<Place>(kNoLink + 1) == kConstantPlace);
  static_assert(kPointLink + 1 == kPointPlace && kMaxClauses + kClausePlaces <= 1U << kPlaceShift);
  const auto place = static_cast<Place>(source.link + 1);
  return (Reference{place} << kPlaceShift) + source.component +
         (source.index & maskOf(source.constant()));
}

/// What the clauses of a simple program read: the second one is a constant, if it is none.
class Allocator::Pairs {
 public:
  explicit Pairs(const std::vector<std::array<Reference, 2>>& pairs) : pairs_(pairs.data()) {}
  [[nodiscard]] static unsigned inputs(std::size_t /*clause*/) { return 2; }
  [[nodiscard]] Reference read(std::size_t clause, std::size_t input) const {
    return pairs_[clause][input];
  }

 private:
  const std::array<Reference, 2>* pairs_;
};

/// What the clauses of any program read.
class Allocator::Sources {
 public:
  explicit Sources(std::span<const Clause> clauses) : clauses_(clauses.data()) {}
  [[nodiscard]] unsigned inputs(std::size_t clause) const { return clauses_[clause].inputs; }
  [[nodiscard]] Reference read(std::size_t clause, std::size_t input) const {
    return referenceTo(clauses_[clause].source[input]);
  }

 private:
  const Clause* clauses_;
};

/// Rows of simple programs: a stack of which the rows that were never taken are
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

  /// The row of a value, which is a fresh one or has that already.
  std::uint16_t rowOf(std::size_t /*place*/, bool fresh, std::uint16_t row) {
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
  std::uint16_t rowOf(std::size_t place, bool fresh, std::uint16_t row) {
    if (!fresh) return row;
    const unsigned width = owner_.clauses_[place - kClausePlaces].width();
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

/// Tables for all clauses, as they are between runs.
void Allocator::reserve() {
  const std::size_t places = clauses_.size() + kClausePlaces, before = alias_.size();
  if (before >= places) return;
  alias_.resize(places);
  for (std::size_t place = before; place < places; ++place)
    alias_[place] = static_cast<Reference>(place << kPlaceShift);
  needed_.resize(places, 0);
  row_.resize(places, kNoRow);
  row_[kConstantPlace] = row_[kPointPlace] = 0;
  place_.resize(places);
  place_[kConstantPlace] = kConstantPlace;
  place_[kPointPlace] = kPointPlace;
  // One more is written behind the last, and not kept.
  ordered_.resize(places + 1);
  selections_.resize(places + 1);
}

/// After a run that came to no end.
void Allocator::forget() {
  alias_.clear();
  needed_.clear();
  row_.clear();
}

/// What a selection passes on lies before it, so its own alias is known.
template <class Reads>
void Allocator::pass(const Reads& reads, std::span<const Decision> decided) {
  Reference* const alias = alias_.data();
  for (const Decision& decision : decided) {
    const Reference read = reads.read(decision.clause, decision.input);
    alias[decision.clause + kClausePlaces] = alias[read >> kPlaceShift] + (read & kBelow);
  }
}
void Allocator::passOnNothing(std::span<const Decision> decided) {
  for (const Decision& decision : decided) {
    const std::size_t place = decision.clause + kClausePlaces;
    alias_[place] = static_cast<Reference>(place << kPlaceShift);
  }
}

/// Clauses that are needed, from the last to the first, and their new places; how many there are.
/// What a clause reads lies before it, so the marks that it makes are still to come.
template <class Reads>
std::size_t Allocator::findNeeded(const Reads& reads, const Source& result) {
  const Reference* const alias = alias_.data();
  std::uint8_t* const needed = needed_.data();
  Place* const ordered = ordered_.data();
  std::size_t count = 0;
  const auto need = [&](Reference read, std::uint8_t whether) {
    needed[alias[read >> kPlaceShift] >> kPlaceShift] |= whether;
  };
  need(referenceTo(result), 1);
  for (std::size_t to = clauses_.size(), from = 0; to > 0; to = from) {
    from = to - std::min(to, kTogether);
    if (to - from == kTogether && noneOf(needed + from + kClausePlaces)) continue;
    for (std::size_t clause = to; clause-- > from;) {
      const std::size_t place = clause + kClausePlaces;
      const std::uint8_t whether = needed[place];
      needed[place] = 0;
      ordered[count] = static_cast<Place>(place);
      count += whether;
      const unsigned inputs = reads.inputs(clause);
      for (unsigned input = 0; input < inputs; ++input) need(reads.read(clause, input), whether);
    }
  }
  for (std::size_t n = 0; n < count; ++n)
    place_[ordered[n]] = static_cast<Place>(count - 1 - n + kClausePlaces);
  return count;
}

/// From the last clause to the first: a value gets rows where it is read last, and gives them back
/// where it is made.
template <class Rows, class Reads>
void Allocator::emit(const Reads& reads, std::size_t count, Program& program) {
  constexpr bool kPairs = std::is_same_v<Reads, Pairs>;
  const Clause* const clauses = clauses_.data();
  const Reference* const alias = alias_.data();
  const Place *const new_place = place_.data(), *const ordered = ordered_.data();
  std::uint16_t *const row = row_.data(), *const selections = selections_.data();
  Rows rows(*this);
  // The source as it is read now. A constant vector's component is the entry behind its first.
  const auto place_source = [&](Reference read, Source& out) {
    const Reference meant = alias[read >> kPlaceShift] + (read & kBelow);
    const std::size_t place = meant >> kPlaceShift;
    const std::uint16_t before = row[place];
    const std::uint16_t first = rows.rowOf(place, before == kNoRow, before);
    row[place] = first;
    const Place now = new_place[place];
    out.link = static_cast<std::uint16_t>(now - 1);
    out.index = static_cast<std::uint16_t>(first + meant);
    out.component = static_cast<std::uint8_t>(meant & ~maskOf(place == kConstantPlace));
    return (Reference{now} << kPlaceShift) + (meant & kBelow);
  };
  place_source(referenceTo(program.result_), program.result_);
  program.clauses_.resize(count);
  program.pairs_.resize(kPairs ? count : 0);
  Clause* out = program.clauses_.data() + count;
  std::array<Reference, 2>* pair = program.pairs_.data() + program.pairs_.size();
  std::size_t decidable = count;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t place = ordered[n], at = place - kClausePlaces;
    const Clause& clause = clauses[at];
    *--out = clause;
    out->destination = row[place];
    row[place] = kNoRow;
    rows.free(clause, out->destination);
    if constexpr (kPairs) {
      const Reference first = place_source(reads.read(at, 0), out->source[0]);
      *--pair = {first, place_source(reads.read(at, 1), out->source[1])};
    } else {
      for (unsigned k = 0; k < clause.inputs; ++k) place_source(reads.read(at, k), out->source[k]);
    }
    rows.freeLate(clause, out->destination);
    selections[decidable - 1] = static_cast<std::uint16_t>(count - 1 - n);
    decidable -= clause.decidable ? 1U : 0U;
  }
  program.selections_.assign(selections + decidable, selections + count);
  program.rows_ = rows.finish(*this);
}

template <class Rows, class Reads>
void Allocator::run(const Reads& reads, const Source& result, std::span<const Decision> decided,
                    Program& program) {
  reserve();
  program.result_ = result;
  try {
    pass(reads, decided);
    emit<Rows>(reads, findNeeded(reads, result), program);
    passOnNothing(decided);
  } catch (...) {
    forget();
    throw;
  }
}

Program Allocator::compile(std::span<const Clause> clauses, const Source& result,
                           Program::Pool pool) {
  if (clauses.size() > kMaxClauses)
    throw ProgramError("found more than " + std::to_string(kMaxClauses) +
                       " clauses, expected fewer");
  Program program;
  program.pool_ = std::move(pool);
  clauses_ = clauses;
  run<MixedRows>(Sources(clauses), result, {}, program);
  describe(program);
  return program;
}

void Allocator::describe(Program& program) {
  program.simple_ = std::all_of(
      program.clauses_.begin(), program.clauses_.end(),
      [](const Clause& clause) { return clause.components == 1 && clause.inputs <= 2; });
  program.pairs_.clear();
  for (const Clause& clause : program.clauses())
    if (program.simple_)
      program.pairs_.push_back({referenceTo(clause.source[0]), referenceTo(clause.source[1])});
}

void Allocator::prune(const Program& program, std::span<const Decision> decided, Program& shorter) {
  clauses_ = program.clauses();
  if (shorter.pool_ != program.pool_) shorter.pool_ = program.pool_;
  shorter.simple_ = program.simple_;
  if (program.simple_) {
    run<NumberRows>(Pairs(program.pairs_), program.result(), decided, shorter);
  } else {
    run<MixedRows>(Sources(clauses_), program.result(), decided, shorter);
  }
}

}  // namespace rtvp::implicit::registers
