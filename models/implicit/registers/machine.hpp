// Runs a program over registers of any kind of value, clause by clause: numbers, ranges, numbers
// with derivatives. Private to the register form.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "models/implicit/registers/program.hpp"

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

  /// `observe(clause number, operands)` sees each clause before it runs.
  template <class Observer>
  Value run(Observer&& observe) {
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
    return *read(program_.result(), 1, constants_[0].data());
  }
  Value run() {
    return run([](std::size_t, const Operands&) {});
  }

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

}  // namespace rtvp::implicit::registers
