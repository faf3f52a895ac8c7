// See point.hpp.
#include "models/implicit/point.hpp"

#include <cmath>
#include <limits>

namespace rtvp::implicit::point {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Sign of b, exact but for the one rounding of r + b.
float mod(float a, float b) {
  const float r = std::fmod(a, b);
  return r != 0 && std::signbit(r) != std::signbit(b) ? r + b : r;
}

float pow(float a, float b) {
  if (std::isnan(b)) return kNaN;
  if (a > 0) return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  return a == 0 && b > 0 ? 0.0F : kNaN;
}

float sign(float a) {
  if (a > 0) return 1;
  return a < 0 ? -1 : a;
}

/// h^2 / (4k) of 4.4, in an order in which nothing overflows or vanishes early.
float blend(float k, float a, float b) {
  const float h = max(k - std::abs(a - b), 0.0F);
  return 0.25F * (h * (h / k));
}

float smoothMin(float k, float a, float b) {
  const float hard = min(a, b);
  if (k <= 0) return hard;
  const float drop = blend(k, a, b);
  return drop == 0 ? hard : hard - drop;
}

float smoothMax(float k, float a, float b) {
  const float hard = max(a, b);
  if (k <= 0) return hard;
  const float rise = blend(k, a, b);
  return rise == 0 ? hard : hard + rise;
}

float dot(const float* a, const float* b, unsigned width) {
  float sum = a[0] * b[0];
  for (unsigned n = 1; n < width; ++n) sum += a[n] * b[n];
  return sum;
}

float length(const float* a, unsigned width) {
  return std::sqrt(dot(a, a, width));
}

float distance(const float* a, const float* b, unsigned width) {
  std::array<float, 4> d{};
  for (unsigned n = 0; n < width; ++n) d[n] = a[n] - b[n];
  return length(d.data(), width);
}

void cross(const float* a, const float* b, float* out) {
  for (unsigned n = 0; n < 3; ++n) {
    const unsigned i = (n + 1) % 3, j = (n + 2) % 3;
    out[n] = a[i] * b[j] - a[j] * b[i];
  }
}

float box(const float* half, const float* p) {
  std::array<float, 3> q{}, outside{};
  for (unsigned n = 0; n < 3; ++n) {
    q[n] = std::abs(p[n]) - half[n];
    outside[n] = max(q[n], 0.0F);
  }
  return length(outside.data(), 3) + min(max(max(q[0], q[1]), q[2]), 0.0F);
}

float torus(const float* radii, const float* p) {
  const std::array<float, 2> flat{p[0], p[2]};
  const std::array<float, 2> ring{length(flat.data(), 2) - radii[0], p[1]};
  return length(ring.data(), 2) - radii[1];
}

void multiply(const float* m, const float* v, unsigned width, float* out) {
  for (unsigned row = 0; row < width; ++row) {
    float sum = m[row] * v[0];
    for (unsigned n = 1; n < width; ++n) sum += m[n * width + row] * v[n];
    out[row] = sum;
  }
}

void promote(const OpcodeInfo& op, const Operands& in, float* out) {
  for (unsigned n = 0; n < op.in.size(); ++n)
    for (unsigned k = 0; k < widthOf(op.in[n]); ++k) *out++ = in[n][k];
}

void reduce(const OpcodeInfo& op, const Operands& in, float* out) {
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
    case Function::Normalize: {
      const float l = length(in[0], width);
      for (unsigned n = 0; n < width; ++n) out[n] = in[0][n] / l;
      return;
    }
    case Function::Promote:
      return promote(op, in, out);
    case Function::SDFSphere:
      *out = length(in[1], 3) - *in[0];
      return;
    case Function::SDFBox:
      *out = box(in[0], in[1]);
      return;
    case Function::SDFTorus:
      *out = torus(in[0], in[1]);
      return;
    case Function::MulMat:
      return multiply(in[0], in[1], widthOf(op.in[1]), out);
    case Function::MulMatPoint: {
      const std::array<float, 4> homogeneous{in[1][0], in[1][1], in[1][2], 1.0F};
      std::array<float, 4> product{};
      multiply(in[0], homogeneous.data(), 4, product.data());
      for (unsigned n = 0; n < 3; ++n) out[n] = product[n];
      return;
    }
    default:  // Extract: the tape's check keeps the component in range
      *out = in[0][static_cast<unsigned>(in[1][0])];
  }
}

}  // namespace

float unary(Function function, float a) {
  const auto d = static_cast<double>(a);
  switch (function) {
    case Function::Abs:
      return std::abs(a);
    case Function::Sign:
      return sign(a);
    case Function::Floor:
      return std::floor(a);
    case Function::Ceil:
      return std::ceil(a);
    case Function::Fract:
      return a - std::floor(a);
    case Function::Sqrt:
      return std::sqrt(a);
    case Function::InverseSqrt:
      return 1.0F / std::abs(std::sqrt(a));  // of -0 too the root is +0: +inf, not -inf
    case Function::Exp:
      return static_cast<float>(std::exp(d));
    case Function::Exp2:
      return static_cast<float>(std::exp2(d));
    case Function::Log:
      return static_cast<float>(std::log(d));
    case Function::Log2:
      return static_cast<float>(std::log2(d));
    case Function::Sin:
      return static_cast<float>(std::sin(d));
    case Function::Cos:
      return static_cast<float>(std::cos(d));
    case Function::Tan:
      return static_cast<float>(std::tan(d));
    case Function::Asin:
      return static_cast<float>(std::asin(d));
    case Function::Acos:
      return static_cast<float>(std::acos(d));
    case Function::Atan:
      return static_cast<float>(std::atan(d));
    case Function::Acosh:
      return static_cast<float>(std::acosh(d));
    case Function::Asinh:
      return static_cast<float>(std::asinh(d));
    case Function::Atanh:
      return static_cast<float>(std::atanh(d));
    case Function::Cosh:
      return static_cast<float>(std::cosh(d));
    case Function::Sinh:
      return static_cast<float>(std::sinh(d));
    case Function::Tanh:
      return static_cast<float>(std::tanh(d));
    case Function::Round:
      return std::round(a);
    case Function::Trunc:
      return std::trunc(a);
    case Function::Square:
      return a * a;
    case Function::Cube:
      return a * a * a;
    default:
      return kNaN;
  }
}

float binary(Function function, float a, float b) {
  switch (function) {
    case Function::Add:
      return a + b;
    case Function::Sub:
      return a - b;
    case Function::Mul:
      return a * b;
    case Function::Div:
      return a / b;
    case Function::Mod:
      return mod(a, b);
    case Function::Pow:
      return pow(a, b);
    case Function::Min:
      return min(a, b);
    case Function::Max:
      return max(a, b);
    default:
      return kNaN;
  }
}

float ternary(Function function, float a, float b, float c) {
  switch (function) {
    case Function::SmoothMin:
      return smoothMin(a, b, c);
    case Function::SmoothMax:
      return smoothMax(a, b, c);
    case Function::Fma:
      return std::fma(a, b, c);
    case Function::Clamp:
      return min(max(a, b), c);
    case Function::Mix:
      return a * (1.0F - c) + b * c;
    default:
      return kNaN;
  }
}

void apply(const OpcodeInfo& op, const Operands& in, float* out) {
  if (op.info().reduces) return reduce(op, in, out);
  const auto at = [&](unsigned input, unsigned n) {
    return in[input][widthOf(op.in[input]) == 1 ? 0 : n];
  };
  for (unsigned n = 0; n < widthOf(op.out[0]); ++n) {
    switch (op.in.size()) {
      case 1:
        out[n] = unary(op.function, at(0, n));
        break;
      case 2:
        out[n] = binary(op.function, at(0, n), at(1, n));
        break;
      default:
        out[n] = ternary(op.function, at(0, n), at(1, n), at(2, n));
    }
  }
}

}  // namespace rtvp::implicit::point
