// Opcodes written once over any kind of value (numbers, ranges, rows of numbers): which components
// go where, and what the opcodes that are not componentwise do, in sums of products. An Arithmetic
// supplies `Value`, unary/binary/ternary(Function, ...), constant(float), and normalize and box,
// whose rule for ranges is not the composition of the parts.
#pragma once

#include <array>

#include "models/implicit/opcode.hpp"

namespace rtvp::implicit {

template <class Arithmetic>
class OpcodeRules {
 public:
  using Value = typename Arithmetic::Value;
  using Operands = std::array<const Value*, 4>;

  explicit OpcodeRules(Arithmetic& arithmetic) : arithmetic_(arithmetic) {}

  /// Computes the outputs of an opcode that computes (not Stop, Dup, Drop, Swap2, PushP, ...).
  void apply(const OpcodeInfo& op, const Operands& in, Value* out) {
    if (op.info().reduces) return reduce(op, in, out);
    const auto at = [&](unsigned input, unsigned n) -> const Value& {
      return in[input][widthOf(op.in[input]) == 1 ? 0 : n];
    };
    for (unsigned n = 0; n < widthOf(op.out[0]); ++n) {
      switch (op.in.size()) {
        case 1:
          out[n] = arithmetic_.unary(op.function, at(0, n));
          break;
        case 2:
          out[n] = arithmetic_.binary(op.function, at(0, n), at(1, n));
          break;
        default:
          out[n] = arithmetic_.ternary(op.function, at(0, n), at(1, n), at(2, n));
      }
    }
  }

  Value add(const Value& a, const Value& b) { return arithmetic_.binary(Function::Add, a, b); }
  Value sub(const Value& a, const Value& b) { return arithmetic_.binary(Function::Sub, a, b); }
  Value mul(const Value& a, const Value& b) { return arithmetic_.binary(Function::Mul, a, b); }
  Value max(const Value& a, const Value& b) { return arithmetic_.binary(Function::Max, a, b); }
  Value min(const Value& a, const Value& b) { return arithmetic_.binary(Function::Min, a, b); }
  Value square(const Value& a) { return arithmetic_.unary(Function::Square, a); }

  Value dot(const Value* a, const Value* b, unsigned width) {
    Value sum = mul(a[0], b[0]);
    for (unsigned n = 1; n < width; ++n) sum = add(sum, mul(a[n], b[n]));
    return sum;
  }
  /// The squares know that both factors are one number.
  Value length(const Value* a, unsigned width) {
    Value sum = square(a[0]);
    for (unsigned n = 1; n < width; ++n) sum = add(sum, square(a[n]));
    return arithmetic_.unary(Function::Sqrt, sum);
  }
  /// a / length(a) by components.
  void normalize(const Value* a, unsigned width, Value* out) {
    const Value l = length(a, width);
    for (unsigned n = 0; n < width; ++n) out[n] = arithmetic_.binary(Function::Div, a[n], l);
  }
  /// sdf.md 4.3 from q = abs(p) - half.
  Value box(const Value* q) {
    const Value zero = arithmetic_.constant(0);
    const std::array<Value, 3> outside{max(q[0], zero), max(q[1], zero), max(q[2], zero)};
    return add(length(outside.data(), 3), min(max(max(q[0], q[1]), q[2]), zero));
  }

 private:
  Value distance(const Value* a, const Value* b, unsigned width) {
    std::array<Value, 4> d{};
    for (unsigned n = 0; n < width; ++n) d[n] = sub(a[n], b[n]);
    return length(d.data(), width);
  }

  void cross(const Value* a, const Value* b, Value* out) {
    for (unsigned n = 0; n < 3; ++n) {
      const unsigned i = (n + 1) % 3, j = (n + 2) % 3;
      out[n] = sub(mul(a[i], b[j]), mul(a[j], b[i]));
    }
  }

  Value torus(const Value* radii, const Value* p) {
    const std::array<Value, 2> flat{p[0], p[2]};
    const std::array<Value, 2> ring{sub(length(flat.data(), 2), radii[0]), p[1]};
    return sub(length(ring.data(), 2), radii[1]);
  }

  void multiply(const Value* m, const Value* v, unsigned width, unsigned rows, Value* out) {
    for (unsigned row = 0; row < rows; ++row) {
      Value sum = mul(m[row], v[0]);
      for (unsigned n = 1; n < width; ++n) sum = add(sum, mul(m[n * width + row], v[n]));
      out[row] = sum;
    }
  }

  void reduce(const OpcodeInfo& op, const Operands& in, Value* out) {
    const unsigned width = widthOf(op.in[0]);
    switch (op.function) {
      case Function::Cross:
        return cross(in[0], in[1], out);
      case Function::Dot:
        *out = dot(in[0], in[1], width);
        return;
      case Function::Length:
        *out = length(in[0], width);
        return;
      case Function::Distance:
        *out = distance(in[0], in[1], width);
        return;
      case Function::Normalize:
        return arithmetic_.normalize(in[0], width, out);
      case Function::Promote:
        for (unsigned n = 0; n < op.in.size(); ++n)
          for (unsigned k = 0; k < widthOf(op.in[n]); ++k) *out++ = in[n][k];
        return;
      case Function::SDFSphere:
        *out = sub(length(in[1], 3), *in[0]);
        return;
      case Function::SDFBox: {
        std::array<Value, 3> q{};
        for (unsigned n = 0; n < 3; ++n)
          q[n] = sub(arithmetic_.unary(Function::Abs, in[1][n]), in[0][n]);
        *out = arithmetic_.box(q.data());
        return;
      }
      case Function::SDFTorus:
        *out = torus(in[0], in[1]);
        return;
      case Function::MulMat:
        return multiply(in[0], in[1], widthOf(op.in[1]), widthOf(op.in[1]), out);
      case Function::MulMatPoint: {
        const std::array<Value, 4> homogeneous{in[1][0], in[1][1], in[1][2],
                                               arithmetic_.constant(1)};
        return multiply(in[0], homogeneous.data(), 4, 3, out);
      }
      default:  // Extract: the tape's check keeps the component in range
        *out = in[0][arithmetic_.index(in[1][0])];
    }
  }

  Arithmetic& arithmetic_;
};

}  // namespace rtvp::implicit
