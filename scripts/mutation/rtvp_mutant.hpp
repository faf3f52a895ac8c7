// Put in front of every mutated file by scripts/mutate: which mutant is on, and who was asked.
// RTVP_MUTANT=17 switches mutant 17 on; RTVP_MUTANT_LOG=FILE appends the number of each mutant that
// is reached, once a process.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

// What is told of the mutants' own types is no fault of the source.
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wnarrowing"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace rtvp_mutant {

inline constinit int active = -2;  // not read yet
inline constinit unsigned char seen[8192] = {};

inline void first(int number) {
  if (active == -2) {
    const char* const chosen = std::getenv("RTVP_MUTANT");
    active = chosen == nullptr ? -1 : std::atoi(chosen);
  }
  seen[number] = 1;
  const char* const log = std::getenv("RTVP_MUTANT_LOG");
  if (log == nullptr) return;
  char line[16];
  const int length = std::snprintf(line, sizeof line, "%d\n", number);
  const int file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  if (write(file, line, static_cast<std::size_t>(length)) < 0) std::abort();
  close(file);
}

inline bool on(int number) {
  if (seen[number] == 0) [[unlikely]]
    first(number);
  return active == number;
}

// `a < Swap<17, LtLe>{} < b` groups as `a < b` does, so that no operand need be found.
template <int N, class Pair>
struct Swap {};
template <class L, int N, class Pair>
struct Left {
  L value;
};

#define RTVP_MUTANT_PAIR(name, old, young)                \
  struct name {                                           \
    template <class L, class R>                           \
    static auto before(L&& l, R&& r) {                    \
      return std::forward<L>(l) old std::forward<R>(r);   \
    }                                                     \
    template <class L, class R>                           \
    static auto after(L&& l, R&& r) {                     \
      return std::forward<L>(l) young std::forward<R>(r); \
    }                                                     \
  };
RTVP_MUTANT_PAIR(LtLe, <, <=)
RTVP_MUTANT_PAIR(LeLt, <=, <)
RTVP_MUTANT_PAIR(GtGe, >, >=)
RTVP_MUTANT_PAIR(GeGt, >=, >)
RTVP_MUTANT_PAIR(EqNe, ==, !=)
RTVP_MUTANT_PAIR(NeEq, !=, ==)
RTVP_MUTANT_PAIR(AddSub, +, -)
RTVP_MUTANT_PAIR(SubAdd, -, +)
RTVP_MUTANT_PAIR(MulDiv, *, /)
RTVP_MUTANT_PAIR(DivMul, /, *)
RTVP_MUTANT_PAIR(ModMul, %, *)
RTVP_MUTANT_PAIR(AndOr, &, |)
RTVP_MUTANT_PAIR(OrAnd, |, &)
RTVP_MUTANT_PAIR(XorOr, ^, |)
RTVP_MUTANT_PAIR(ShlShr, <<, >>)
RTVP_MUTANT_PAIR(ShrShl, >>, <<)
#undef RTVP_MUTANT_PAIR

#define RTVP_MUTANT_OPERATOR(symbol)                                           \
  template <class L, int N, class Pair>                                        \
  Left<L, N, Pair> operator symbol(L&& l, Swap<N, Pair>) {                     \
    return {std::forward<L>(l)};                                               \
  }                                                                            \
  template <class L, int N, class Pair, class R>                               \
  auto operator symbol(Left<L, N, Pair>&& l, R&& r) {                          \
    return on(N) ? Pair::after(std::forward<L>(l.value), std::forward<R>(r))   \
                 : Pair::before(std::forward<L>(l.value), std::forward<R>(r)); \
  }
RTVP_MUTANT_OPERATOR(<)
RTVP_MUTANT_OPERATOR(<=)
RTVP_MUTANT_OPERATOR(>)
RTVP_MUTANT_OPERATOR(>=)
RTVP_MUTANT_OPERATOR(==)
RTVP_MUTANT_OPERATOR(!=)
RTVP_MUTANT_OPERATOR(+)
RTVP_MUTANT_OPERATOR(-)
RTVP_MUTANT_OPERATOR(*)
RTVP_MUTANT_OPERATOR(/)
RTVP_MUTANT_OPERATOR(%)
RTVP_MUTANT_OPERATOR(&)
RTVP_MUTANT_OPERATOR(|)
RTVP_MUTANT_OPERATOR(^)
RTVP_MUTANT_OPERATOR(<<)
RTVP_MUTANT_OPERATOR(>>)
#undef RTVP_MUTANT_OPERATOR

}  // namespace rtvp_mutant
