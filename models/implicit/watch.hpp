// A run of a tape or a program seen from within: whoever watches is called in front of each
// instruction, and may look at the values that the run holds, and change them.
#pragma once

#include <array>
#include <cstddef>

#include "models/implicit/interval.hpp"
#include "models/implicit/opcode.hpp"

namespace rtvp::implicit {

/// A number as a run holds it: at a point both ends are the same; with derivatives, those by x, y
/// and z.
struct SeenNumber {
  float low = 0, high = 0;
  bool undefined = false;
  std::array<float, 3> slope{};

  static SeenNumber of(float a) { return {a, a, false, {}}; }
  static SeenNumber of(const Interval& a) { return {a.lo, a.hi, a.undefined, {}}; }
  void into(float& a) const { a = low; }
  void into(Interval& a) const { a = {low, high, undefined}; }
};

/// Values between two instructions.
class RunValues {
 public:
  RunValues() = default;
  RunValues(const RunValues&) = delete;
  RunValues& operator=(const RunValues&) = delete;
  virtual ~RunValues() = default;
  /// Values on the stack of a type, counted from the bottom; of a program, which has none, its
  /// rows, all of them Type::F.
  [[nodiscard]] virtual std::size_t count(Type type) const = 0;
  [[nodiscard]] virtual SeenNumber number(Type type, std::size_t entry,
                                          unsigned component) const = 0;
  virtual void change(Type type, std::size_t entry, unsigned component, const SeenNumber& to) = 0;
};

class RunWatch {
 public:
  RunWatch() = default;
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  virtual ~RunWatch() = default;
  /// In front of the instruction or clause `at`, which is executed next. The last is OPStop; that
  /// of a program stands behind its clauses. `values` live until the next call.
  virtual void before(std::size_t at, RunValues& values) = 0;
};

}  // namespace rtvp::implicit
