// See timing.hpp.
#include "models/implicit/unit/timing.hpp"

#include <bit>
#include <stdexcept>
#include <string>

namespace rtvp::implicit::unit {
namespace {

constexpr Micro micro(unsigned simple, unsigned mul = 0, unsigned fma = 0, unsigned div = 0,
                      unsigned root = 0, unsigned transcendental = 0) {
  const auto byte = [](unsigned n) { return static_cast<std::uint8_t>(n); };
  return {byte(simple), byte(mul), byte(fma), byte(div), byte(root), byte(transcendental)};
}

/// Of one component; opcodes that are not componentwise count as a whole, `width` is that of their
/// first input.
Micro perComponent(Function function, unsigned width) {
  using enum Function;
  const unsigned rest = width - 1;
  switch (function) {
    case Nop:
    case Invalid:
    case Drop:
      return micro(0);
    case Mul:
    case Square:
      return micro(0, 1);
    case Cube:
      return micro(0, 2);
    case Div:
      return micro(0, 0, 0, 1);
    case Mod:
      return micro(1, 0, 1, 1);
    case Pow:
      return micro(1, 1, 0, 0, 0, 2);
    case Cross:
      return micro(0, 3, 3);
    case Dot:
      return micro(0, 1, rest);
    case Length:
      return micro(0, 1, rest, 0, 1);
    case Distance:
      return micro(width, 1, rest, 0, 1);
    case Normalize:
      return micro(0, 1, rest, width, 1);
    case Fract:
    case Clamp:
      return micro(2);
    case Sqrt:
      return micro(0, 0, 0, 0, 1);
    case InverseSqrt:
      return micro(0, 0, 0, 1, 1);
    case Exp:
    case Log:
      return micro(0, 1, 0, 0, 0, 1);
    case Exp2:
    case Log2:
    case Sin:
    case Cos:
    case Asin:
    case Acos:
    case Atan:
      return micro(0, 0, 0, 0, 0, 1);
    case Tan:
      return micro(0, 0, 0, 1, 0, 2);
    case SmoothMin:
    case SmoothMax:
      return micro(5, 2, 0, 1);
    case Acosh:
    case Asinh:
      return micro(1, 0, 1, 0, 1, 1);
    case Atanh:
      return micro(2, 1, 0, 1, 0, 1);
    case Cosh:
    case Sinh:
      return micro(1, 2, 0, 1, 0, 1);
    case Tanh:
      return micro(2, 1, 0, 1, 0, 1);
    case Fma:
      return micro(0, 0, 1);
    case Mix:
      return micro(1, 1, 1);
    // abs(b) - a; max with 0, length; the inner part
    case SDFBox:
      return micro(6 + 3 + 3 + 1, 1, 2, 0, 1);
    case SDFSphere:
      return micro(1, 1, 2, 0, 1);
    case SDFTorus:
      return micro(2, 2, 2, 0, 2);
    case MulMat:
      return micro(0, width, width * rest);
    case MulMatPoint:
      return micro(3, 0, 9);
    default:  // adds, compares, roundings, copies
      return micro(1);
  }
}

bool isWhole(Function function) {
  using enum Function;
  switch (function) {
    case Cross:
    case Dot:
    case Length:
    case Distance:
    case Normalize:
    case SDFBox:
    case SDFSphere:
    case SDFTorus:
    case MulMat:
    case MulMatPoint:
    case Stop:
    case Extract:
      return true;
    default:
      return false;
  }
}

void checkCache(const CacheConfig& c, const std::string& name) {
  if (c.lines == 0) return;
  if (!std::has_single_bit(c.lines) || !std::has_single_bit(c.ways) || c.ways > c.lines ||
      c.lines > 65536)
    throw std::invalid_argument(name + ": lines and ways must be powers of two, ways <= lines");
}

}  // namespace

Micro microOf(const OpcodeInfo& op) {
  const bool square = op.function == Function::MulMat;  // the matrix comes first
  const unsigned width = op.in.size() > 0 ? widthOf(op.in[square ? 1 : 0]) : 1;
  Micro out = perComponent(op.function, width);
  if (isWhole(op.function)) return out;
  unsigned components = 0;
  for (unsigned n = 0; n < op.out.size(); ++n) components += widthOf(op.out[n]);
  for (std::uint8_t& n : out) n = static_cast<std::uint8_t>(n * components);
  return out;
}

Clock Timing::pointCost(const Micro& m) const {
  Clock sum = 0;
  for (unsigned n = 0; n < kClasses; ++n) sum += Clock{m[n]} * cycles[n];
  return sum;
}

Clock Timing::intervalCost(const Micro& m) const {
  Clock sum = 0;
  for (unsigned n = 0; n < kClasses; ++n) sum += Clock{m[n]} * cycles[n] * interval[n];
  return sum;
}

Clock Timing::gradientCost(const Micro& m) const {
  Clock sum = 0;
  for (unsigned n = 0; n < kClasses; ++n) sum += Clock{m[n]} * cycles[n] * gradient[n];
  return sum;
}

void Timing::check() const {
  const auto require = [](bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(std::string("implicit unit: ") + what);
  };
  require(cores >= 1 && cores <= 64, "cores must be 1 to 64");
  require(lanes >= 1 && lanes <= 32, "lanes must be 1 to 32");
  for (const CacheConfig* c : {&opcodes, &constants, &leaves})
    require(std::has_single_bit(c->line_bytes) && c->line_bytes >= 16 && c->line_bytes <= 256,
            "a cache line must be 16 to 256 bytes, a power of two");
  checkCache(opcodes, "implicit unit: opcode cache");
  checkCache(constants, "implicit unit: constant cache");
  checkCache(leaves, "implicit unit: leaf cache");
  constexpr std::uint32_t kMost = 1'000'000;
  for (const std::uint32_t n : {slope_passes, decode, skipped, constant_advance, prune, warp_start,
                                step, resolve, face_setup, job_start})
    require(n <= kMost, "a cost must be at most 1000000 cycles");
  for (unsigned n = 0; n < kClasses; ++n)
    require(cycles[n] <= kMost && interval[n] <= 1000 && gradient[n] <= 1000,
            "the cost of a class is too large");
}

}  // namespace rtvp::implicit::unit
