// Runs a program over registers of any kind of value, clause by clause: numbers, ranges, numbers
// with derivatives. Private to the register form.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "models/implicit/registers/program.hpp"
#include "models/implicit/watch.hpp"

namespace rtvp::implicit::registers {

/// An Arithmetic supplies `Value` and the static functions unary, binary, ternary (Function, ...),
/// apply(op, operands, out) and constant(float).
template <class Arithmetic>
class Machine {
 public:
  using Value = typename Arithmetic::Value;
  using Operands = std::array<const Value*, 4>;

  Machine(const Program& program, const std::array<Value, 3>& point) : program_(program) {
    if (program.rows() > few_.size()) {
      many_.resize(program.rows());
      rows_ = many_.data();
    }
    std::copy(point.begin(), point.end(), rows_);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// `observe(clause number, operands)` sees each clause before it runs, `stop(number of clauses)`
  /// the rows before the result is taken.
  template <class Observer, class Stop>
  Value run(Observer&& observe, Stop&& stop) {
    const std::span<const Clause> clauses = program_.clauses();
    for (std::size_t n = 0; n < clauses.size(); ++n) {
      const Clause& clause = clauses[n];
      Operands in{};
      for (unsigned k = 0; k < clause.inputs; ++k)
        in[k] = read(clause.source[k], widthOf(clause.op->in[k]), constants_[k].data());
      observe(n, in);
      if (clause.components == 1 && clause.arity != Arity::Whole) {
        rows_[clause.destination] = compute(clause, in);
      } else {
        std::array<Value, 4> out{};
        Arithmetic::apply(*clause.op, in, out.data());
        std::copy_n(out.begin(), clause.width(), rows_ + clause.destination);
      }
    }
    stop(clauses.size());
    return *read(program_.result(), 1, constants_[0].data());
  }
  template <class Observer>
  Value run(Observer&& observe) {
    return run(observe, [](std::size_t) {});
  }
  Value run() {
    return run([](std::size_t, const Operands&) {});
  }

  [[nodiscard]] std::span<Value> rows() { return {rows_, program_.rows()}; }

 private:
  const Value* read(const Source& source, unsigned width, Value* space) const {
    if (!source.constant()) return rows_ + source.index;
    const float* const numbers = program_.pool().data() + source.index;
    for (unsigned n = 0; n < width; ++n) space[n] = Arithmetic::constant(numbers[n]);
    return space;
  }

  /// What a componentwise opcode makes of values of one component.
  static Value compute(const Clause& clause, const Operands& in) {
    switch (clause.arity) {
      case Arity::One:
        return Arithmetic::unary(clause.function, *in[0]);
      case Arity::Two:
        return Arithmetic::binary(clause.function, *in[0], *in[1]);
      default:
        return Arithmetic::ternary(clause.function, *in[0], *in[1], *in[2]);
    }
  }

  const Program& program_;
  std::array<Value, 64> few_{};  ///< registers of most programs
  std::vector<Value> many_;
  Value* rows_ = few_.data();
  std::array<std::array<Value, 16>, 4> constants_{};
};

/// The rows of a run, for whoever watches it. An Arithmetic then supplies seen(Value) and
/// change(Value&, SeenNumber), too.
template <class Arithmetic>
class RowValues final : public RunValues {
 public:
  explicit RowValues(std::span<typename Arithmetic::Value> rows) : rows_(rows) {}
  [[nodiscard]] std::size_t count(Type type) const override {
    return type == Type::F ? rows_.size() : 0;
  }
  [[nodiscard]] SeenNumber number(Type /*type*/, std::size_t entry,
                                  unsigned /*component*/) const override {
    return Arithmetic::seen(rows_[entry]);
  }
  void change(Type /*type*/, std::size_t entry, unsigned /*component*/,
              const SeenNumber& to) override {
    Arithmetic::change(rows_[entry], to);
  }

 private:
  std::span<typename Arithmetic::Value> rows_;
};

/// A run that is watched, and whose clauses `observe` sees.
template <class Arithmetic, class Observer>
typename Arithmetic::Value watched(const Program& program,
                                   const std::array<typename Arithmetic::Value, 3>& point,
                                   RunWatch& watch, Observer&& observe) {
  Machine<Arithmetic> machine(program, point);
  RowValues<Arithmetic> values(machine.rows());
  return machine.run(
      [&](std::size_t n, const typename Machine<Arithmetic>::Operands& in) {
        watch.before(n, values);
        observe(n, in);
      },
      [&](std::size_t n) { watch.before(n, values); });
}
template <class Arithmetic>
typename Arithmetic::Value watched(const Program& program,
                                   const std::array<typename Arithmetic::Value, 3>& point,
                                   RunWatch& watch) {
  return watched<Arithmetic>(program, point, watch, [](std::size_t, const auto&) {});
}

}  // namespace rtvp::implicit::registers
