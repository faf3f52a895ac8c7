// See batch_evaluator.hpp: points.
#include "models/implicit/registers/batch_evaluator.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "models/implicit/opcode_rules.hpp"
#include "models/implicit/point.hpp"

namespace rtvp::implicit::registers {

namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kRowBytes = std::size_t{96} << 10U;  ///< registers that shall fit a cache
constexpr std::size_t kMostPoints = 512;                   ///< of a block
constexpr unsigned kOperandRows = 4;
constexpr unsigned kTemporaries = 64;  ///< more than the longest opcode takes

constexpr unsigned at(Function function) {
  return static_cast<unsigned>(function);
}
constexpr unsigned at(batch::Form form) {
  return static_cast<unsigned>(form);
}

std::size_t wholeGroups(std::size_t count) {
  return (count + batch::kLanes - 1) / batch::kLanes * batch::kLanes;
}

}  // namespace

void AlignedRows::Free::operator()(void* p) const {
  ::operator delete(p, kAlignment);
}

void* AlignedRows::resize(std::size_t bytes) {
  if (bytes > size_) {
    memory_.reset();
    memory_.reset(::operator new(bytes, kAlignment));
    size_ = bytes;
  }
  return memory_.get();
}

/// The opcodes' rules over rows: each step fills a fresh row.
class PointRows {
 public:
  using Value = const float*;

  explicit PointRows(BatchEvaluator& evaluator)
      : evaluator_(evaluator), next_(evaluator.scratch_) {}

  const float* unary(Function function, const float* a) {
    float* const d = fresh();
    if (const auto kernel = evaluator_.kernels_.unary[at(function)]) {
      kernel(d, a, count());
    } else {
      for (unsigned n = 0; n < count(); ++n) d[n] = point::unary(function, a[n]);
    }
    return d;
  }
  const float* binary(Function function, const float* a, const float* b) {
    float* const d = fresh();
    if (const auto kernel = evaluator_.kernels_.binary[at(function)][at(batch::Form::Rows)]) {
      kernel(d, a, b, count());
    } else {
      for (unsigned n = 0; n < count(); ++n) d[n] = point::binary(function, a[n], b[n]);
    }
    return d;
  }
  const float* ternary(Function function, const float* a, const float* b, const float* c) {
    float* const d = fresh();
    if (const auto kernel = evaluator_.kernels_.ternary[at(function)]) {
      kernel(d, a, b, c, count());
    } else {
      for (unsigned n = 0; n < count(); ++n) d[n] = point::ternary(function, a[n], b[n], c[n]);
    }
    return d;
  }
  const float* constant(float value) {
    float* const d = fresh();
    evaluator_.kernels_.fill(d, value, count());
    return d;
  }
  static unsigned index(const float* a) { return static_cast<unsigned>(*a); }
  void normalize(const Value* a, unsigned width, Value* out) {
    OpcodeRules<PointRows>(*this).normalize(a, width, out);
  }
  Value box(const Value* q) { return OpcodeRules<PointRows>(*this).box(q); }

 private:
  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(evaluator_.stride_); }
  float* fresh() { return evaluator_.rows_ + next_++ * evaluator_.stride_; }

  BatchEvaluator& evaluator_;
  std::size_t next_;
};

BatchEvaluator::BatchEvaluator(common::Isa isa) : kernels_(batch::kernels(isa)) {
  if (!common::isaUsable(isa))
    throw std::invalid_argument("this host has no " + std::string(common::isaName(isa)));
}

void BatchEvaluator::points(const Program& program, std::span<const float> x,
                            std::span<const float> y, std::span<const float> z,
                            std::span<float> out) {
  const std::size_t most = mostPoints(program);
  for (std::size_t first = 0; first < out.size(); first += most) {
    const std::size_t count = std::min(most, out.size() - first);
    const std::array<float*, kPointRows> rows = place(program, count);
    const std::array<std::span<const float>, kPointRows> in{x, y, z};
    for (unsigned axis = 0; axis < kPointRows; ++axis)
      std::memcpy(rows[axis], in[axis].data() + first, count * sizeof(float));
    std::memcpy(out.data() + first, evaluate(program), count * sizeof(float));
  }
}

std::size_t BatchEvaluator::mostPoints(const Program& program) {
  const std::size_t rows = program.rows() + kOperandRows;
  const std::size_t fitting = kRowBytes / sizeof(float) / rows / batch::kLanes * batch::kLanes;
  return std::clamp<std::size_t>(fitting, std::size_t{4} * batch::kLanes, kMostPoints);
}

std::array<float*, 3> BatchEvaluator::place(const Program& program, std::size_t count) {
  placed_ = count;
  stride_ = wholeGroups(count);
  scratch_ = program.rows() + kOperandRows;
  rows_ = static_cast<float*>(
      point_memory_.resize((scratch_ + kTemporaries) * stride_ * sizeof(float)));
  return {rows_, rows_ + stride_, rows_ + 2 * stride_};
}

const float* BatchEvaluator::evaluate(const Program& program) {
  for (unsigned axis = 0; axis < kPointRows; ++axis) {
    float* const row = rows_ + axis * stride_;
    std::fill(row + placed_, row + stride_, row[0]);
  }
  block(program);
  return read(program, program.result(), 0, 0);
}

void BatchEvaluator::block(const Program& program) {
  const auto n = static_cast<unsigned>(stride_);
  const float* const pool = program.pool().data();
  for (const Clause& clause : program.clauses()) {
    // The usual case: numbers, and a kernel.
    if (clause.components == 1 && clause.arity == Arity::Two) {
      const Source &a = clause.source[0], &b = clause.source[1];
      const auto& kernels = kernels_.binary[at(clause.function)];
      if (kernels[0] != nullptr && !(a.constant() && b.constant())) {
        const batch::Form form = a.constant()   ? batch::Form::FirstConstant
                                 : b.constant() ? batch::Form::SecondConstant
                                                : batch::Form::Rows;
        kernels[at(form)](rows_ + clause.destination * stride_,
                          a.constant() ? pool + a.index : rows_ + a.index * stride_,
                          b.constant() ? pool + b.index : rows_ + b.index * stride_, n);
        continue;
      }
    }
    if (clause.components == 1 && clause.arity == Arity::One) {
      const auto kernel = kernels_.unary[at(clause.function)];
      if (kernel != nullptr && !clause.source[0].constant()) {
        kernel(rows_ + clause.destination * stride_, rows_ + clause.source[0].index * stride_, n);
        continue;
      }
    }
    if (clause.arity == Arity::Whole) {
      whole(program, clause);
    } else {
      componentwise(program, clause);
    }
  }
}

/// The row of a component; a constant fills the input's own row.
const float* BatchEvaluator::read(const Program& program, const Source& source, unsigned component,
                                  unsigned input) {
  if (!source.constant()) return rows_ + (source.index + component) * stride_;
  float* const row = rows_ + (program.rows() + input) * stride_;
  kernels_.fill(row, program.pool()[source.index + component], static_cast<unsigned>(stride_));
  return row;
}

void BatchEvaluator::componentwise(const Program& program, const Clause& clause) {
  const auto n = static_cast<unsigned>(stride_);
  for (unsigned k = 0; k < clause.components; ++k) {
    std::array<const float*, 3> in{};
    for (unsigned input = 0; input < clause.op->in.size(); ++input)
      in[input] =
          read(program, clause.source[input], widthOf(clause.op->in[input]) == 1 ? 0 : k, input);
    float* const d = rows_ + (clause.destination + k) * stride_;
    PointRows rows(*this);
    const float* result = nullptr;
    if (clause.arity == Arity::One) {
      if (const auto kernel = kernels_.unary[at(clause.function)]) {
        kernel(d, in[0], n);
        continue;
      }
      result = rows.unary(clause.function, in[0]);
    } else if (clause.arity == Arity::Two) {
      result = rows.binary(clause.function, in[0], in[1]);
    } else {
      result = rows.ternary(clause.function, in[0], in[1], in[2]);
    }
    std::memcpy(d, result, n * sizeof(float));
  }
}

/// An opcode that is not componentwise, in steps over temporary rows.
void BatchEvaluator::whole(const Program& program, const Clause& clause) {
  PointRows rows(*this);
  std::array<std::array<const float*, 16>, 4> operands{};
  std::array<const PointRows::Value*, 4> in{};
  for (unsigned input = 0; input < clause.op->in.size(); ++input) {
    const Source& source = clause.source[input];
    for (unsigned k = 0; k < widthOf(clause.op->in[input]); ++k)
      operands[input][k] = source.constant() ? rows.constant(program.pool()[source.index + k])
                                             : rows_ + (source.index + k) * stride_;
    in[input] = operands[input].data();
  }
  std::array<const float*, 4> out{};
  OpcodeRules<PointRows>(rows).apply(*clause.op, in, out.data());
  for (unsigned k = 0; k < clause.components; ++k)
    std::memcpy(rows_ + (clause.destination + k) * stride_, out[k], stride_ * sizeof(float));
}

}  // namespace rtvp::implicit::registers
