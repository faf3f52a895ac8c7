// See batch_evaluator.hpp: points with derivatives.
#include <algorithm>
#include <cstring>

#include "models/implicit/opcode_rules.hpp"
#include "models/implicit/registers/batch_evaluator.hpp"
#include "models/implicit/registers/duals.hpp"

namespace rtvp::implicit::registers {
namespace {

constexpr std::size_t kRowBytes = std::size_t{96} << 10U;  ///< registers that shall fit a cache
constexpr std::size_t kMostPoints = 256;                   ///< of a block
constexpr unsigned kParts = 4;                             ///< of a number: f, and its slopes
constexpr unsigned kOperands = 4 * 16;  ///< constants that the longest opcode takes
constexpr unsigned kTemporaries = 64;   ///< more than the longest opcode takes

constexpr unsigned at(Function function) {
  return static_cast<unsigned>(function);
}
constexpr unsigned at(batch::Form form) {
  return static_cast<unsigned>(form);
}

}  // namespace

/// The rules of Duals over rows: each number is four rows, its value and its derivatives. What has
/// no kernels is computed by Duals, point by point. The order of operations is that of Duals, so
/// that the bits are, too.
class GradientRows {
 public:
  using Value = const float*;

  /// `free`: rows for what the steps make, `spare` two single rows.
  GradientRows(const batch::Kernels& kernels, float* free, float* spare, unsigned count)
      : kernels_(kernels), next_(free), first_(spare), second_(spare + count), n_(count) {}

  const float* unary(Function function, const float* a) {
    const auto kernel = kernels_.unary[at(function)];
    if (kernel == nullptr)
      return lanes([&](unsigned n) { return Duals::unary(function, number(a, n)); });
    float* const d = fresh();
    kernel(d, a, n_);
    if (!derivative(function, a, d))
      return lanes([&](unsigned n) { return Duals::unary(function, number(a, n)); });
    kernels_.slope_scale(slopes(d), first_, slopes(a), n_);
    return d;
  }

  const float* binary(Function function, const float* a, const float* b) {
    switch (function) {
      case Function::Add:
      case Function::Sub: {
        float* const d = fresh();
        compute(function, d, a, b, kParts * n_);
        return d;
      }
      case Function::Mul: {
        float* const d = fresh();
        compute(function, d, a, b, n_);
        kernels_.slope_sum(slopes(d), b, slopes(a), a, slopes(b), n_);
        return d;
      }
      case Function::Div: {
        float* const d = fresh();
        compute(function, d, a, b, n_);
        with(1, Function::Div, b, first_);
        compute(function, second_, d, b, n_);
        with(-1, Function::Mul, second_, second_);
        kernels_.slope_sum(slopes(d), first_, slopes(a), second_, slopes(b), n_);
        return d;
      }
      case Function::Min:
        return lesser(b, a, b, a);
      case Function::Max:
        return lesser(a, b, b, a);
      default:
        return lanes(
            [&](unsigned n) { return Duals::binary(function, number(a, n), number(b, n)); });
    }
  }

  const float* ternary(Function function, const float* a, const float* b, const float* c) {
    if (function == Function::Clamp) return binary(Function::Min, binary(Function::Max, a, b), c);
    return lanes([&](unsigned n) {
      return Duals::ternary(function, number(a, n), number(b, n), number(c, n));
    });
  }

  const float* constant(float value) {
    float* const d = fresh();
    kernels_.fill(d, value, n_);
    kernels_.fill(slopes(d), 0, (kParts - 1) * n_);
    return d;
  }
  static unsigned index(const float* a) { return static_cast<unsigned>(*a); }
  void normalize(const Value* a, unsigned width, Value* out) {
    OpcodeRules<GradientRows>(*this).normalize(a, width, out);
  }
  Value box(const Value* q) {
    return lanes([&](unsigned n) {
      const std::array<Gradient, 3> in{number(q[0], n), number(q[1], n), number(q[2], n)};
      return Duals().box(in.data());
    });
  }

  [[nodiscard]] Gradient number(const float* a, unsigned n) const {
    return {a[n], {a[n_ + n], a[2 * n_ + n], a[3 * n_ + n]}};
  }

 private:
  float* fresh() {
    float* const d = next_;
    next_ += std::size_t{kParts} * n_;
    return d;
  }
  [[nodiscard]] float* slopes(float* a) const { return a + n_; }
  [[nodiscard]] const float* slopes(const float* a) const { return a + n_; }

  void compute(Function function, float* d, const float* a, const float* b, unsigned count) {
    kernels_.binary[at(function)][at(batch::Form::Rows)](d, a, b, count);
  }
  /// d = a op b
  void with(float a, Function function, const float* b, float* d) {
    kernels_.binary[at(function)][at(batch::Form::FirstConstant)](d, &a, b, n_);
  }
  /// `first` where x < y, else `second`: all four rows.
  const float* lesser(const float* x, const float* y, const float* first, const float* second) {
    float* const d = fresh();
    kernels_.choose(d, x, y, first, second, n_);
    return d;
  }

  template <class Rule>
  const float* lanes(Rule&& rule) {
    float* const d = fresh();
    for (unsigned n = 0; n < n_; ++n) {
      const Gradient g = rule(n);
      d[n] = g.value;
      for (unsigned axis = 0; axis < 3; ++axis) d[(axis + 1) * n_ + n] = g.slope[axis];
    }
    return d;
  }

  /// first_ = the derivative at `a`, where the function is `y`; false: it has no kernels.
  bool derivative(Function function, const float* a, const float* y) {
    switch (function) {
      case Function::Abs:
        kernels_.unary[at(Function::Sign)](first_, a, n_);
        return true;
      case Function::Sqrt:
        with(0.5F, Function::Div, y, first_);
        return true;
      case Function::InverseSqrt:
        with(-0.5F, Function::Mul, y, first_);
        compute(Function::Div, first_, first_, a, n_);
        return true;
      case Function::Square:
        with(2, Function::Mul, a, first_);
        return true;
      case Function::Exp:
        std::memcpy(first_, y, n_ * sizeof(float));
        return true;
      case Function::Log:
        with(1, Function::Div, a, first_);
        return true;
      case Function::Sin:
        kernels_.unary[at(Function::Cos)](first_, a, n_);
        return true;
      case Function::Cos:
        kernels_.unary[at(Function::Sin)](first_, a, n_);
        with(-1, Function::Mul, first_, first_);
        return true;
      default:
        return false;
    }
  }

  const batch::Kernels& kernels_;
  float* next_;
  float *first_, *second_;
  unsigned n_;
};

/// A block of `stride_` points, whose rows stand at rows_.
class GradientBlock {
 public:
  GradientBlock(const batch::Kernels& kernels, const Program& program, float* rows, unsigned count)
      : kernels_(kernels), program_(program), rows_(rows), n_(count) {}

  /// Rows that a program needs.
  static std::size_t rows(const Program& program) {
    return kParts * (program.rows() + kOperands + kTemporaries) + 2;
  }

  const float* run() {
    for (const Clause& clause : program_.clauses())
      clause.arity == Arity::Whole ? whole(clause) : componentwise(clause);
    return read(program_.result(), 0, 0);
  }
  [[nodiscard]] float* row(std::size_t number) const { return rows_ + number * kParts * n_; }

 private:
  GradientRows steps() {
    float* const spare = row(program_.rows() + kOperands + kTemporaries);
    return {kernels_, row(program_.rows() + kOperands), spare, n_};
  }

  /// The rows of a component; a constant fills rows of its own.
  const float* read(const Source& source, unsigned component, unsigned operand) {
    if (!source.constant()) return row(source.index + component);
    float* const d = row(program_.rows() + operand);
    kernels_.fill(d, program_.pool()[source.index + component], n_);
    kernels_.fill(d + n_, 0, (kParts - 1) * n_);
    return d;
  }
  void store(unsigned destination, const float* from) {
    std::memcpy(row(destination), from, std::size_t{kParts} * n_ * sizeof(float));
  }

  void componentwise(const Clause& clause) {
    for (unsigned k = 0; k < clause.components; ++k) {
      std::array<const float*, 3> in{};
      for (unsigned input = 0; input < clause.inputs; ++input)
        in[input] = read(clause.source[input], widthOf(clause.op->in[input]) == 1 ? 0 : k, input);
      GradientRows to = steps();
      store(clause.destination + k, clause.arity == Arity::One ? to.unary(clause.function, in[0])
                                    : clause.arity == Arity::Two
                                        ? to.binary(clause.function, in[0], in[1])
                                        : to.ternary(clause.function, in[0], in[1], in[2]));
    }
  }

  void whole(const Clause& clause) {
    std::array<std::array<const float*, 16>, 4> operands{};
    std::array<const GradientRows::Value*, 4> in{};
    for (unsigned input = 0; input < clause.inputs; ++input) {
      for (unsigned k = 0; k < widthOf(clause.op->in[input]); ++k)
        operands[input][k] = read(clause.source[input], k, 16 * input + k);
      in[input] = operands[input].data();
    }
    GradientRows to = steps();
    std::array<const float*, 4> out{};
    OpcodeRules<GradientRows>(to).apply(*clause.op, in, out.data());
    for (unsigned k = 0; k < clause.components; ++k) store(clause.destination + k, out[k]);
  }

  const batch::Kernels& kernels_;
  const Program& program_;
  float* rows_;
  unsigned n_;
};

void BatchEvaluator::gradients(const Program& program, std::span<const float> x,
                               std::span<const float> y, std::span<const float> z,
                               std::span<Gradient> out) {
  const std::size_t rows = GradientBlock::rows(program);
  const std::size_t fitting =
      kRowBytes / sizeof(float) / kParts / program.rows() / batch::kLanes * batch::kLanes;
  const std::size_t most = std::clamp<std::size_t>(fitting, batch::kLanes, kMostPoints);
  const std::array<std::span<const float>, kPointRows> in{x, y, z};
  for (std::size_t first = 0; first < out.size(); first += most) {
    const std::size_t count = std::min(most, out.size() - first);
    const auto stride =
        static_cast<unsigned>((count + batch::kLanes - 1) / batch::kLanes * batch::kLanes);
    auto* const memory = static_cast<float*>(point_memory_.resize(rows * stride * sizeof(float)));
    GradientBlock block(kernels_, program, memory, stride);
    for (unsigned axis = 0; axis < kPointRows; ++axis) {
      float* const row = block.row(axis);
      std::memcpy(row, in[axis].data() + first, count * sizeof(float));
      std::fill(row + count, row + stride, row[0]);
      for (unsigned part = 1; part < kParts; ++part)
        kernels_.fill(row + std::size_t{part} * stride, part == axis + 1 ? 1 : 0, stride);
    }
    const float* const result = block.run();
    const GradientRows numbers(kernels_, nullptr, nullptr, stride);
    for (unsigned n = 0; n < count; ++n) out[first + n] = numbers.number(result, n);
  }
}

}  // namespace rtvp::implicit::registers
