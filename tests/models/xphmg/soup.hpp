// Random triangles, rays that are aimed at them, and a port that remembers what was read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <type_traits>
#include <vector>

#include "models/xphmg/intersect.hpp"
#include "models/xphmg/memory_port.hpp"
#include "tests/models/xphmg/tile_builder.hpp"

namespace rtvp::xphmg::test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) { std::cout << "seed " << seed << '\n'; }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11U) * 0x1p-53;
  }
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  std::uint64_t word() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

inline Precision precisionOf(Format format) {
  Precision p;
  p.format = format;
  if (formatInfo(format).integer) p.scaleShift = format == Format::Int8 ? -4 : -8;
  return p;
}

/// Small triangles in [-4, 4]; some share corners, some are doubled, so that ties occur.
inline std::vector<TriangleWords> soup(const Precision& p, unsigned count, Random& random) {
  Stickies ignored;
  std::vector<TriangleWords> out;
  for (unsigned n = 0; n < count; ++n) {
    TriangleWords w{};
    if (n != 0 && random.below(8) == 0) {
      w = out[random.below(n)];
    } else {
      double centre[3];
      for (double& c : centre) c = random.uniform(-4, 4);
      for (unsigned i = 0; i < 9; ++i)
        w[i] = encode(p, p.format, centre[i % 3] + random.uniform(-1, 1), ignored);
      if (n != 0 && random.below(3) == 0) {
        const TriangleWords& other = out[random.below(n)];
        std::copy(other.begin(), other.begin() + 3, w.begin());
      }
    }
    out.push_back(w);
  }
  return out;
}

inline Ray aim(const Precision& p, const std::vector<TriangleWords>& triangles, Random& random) {
  Stickies ignored;
  const auto rounded = [&](double x) {
    return decode(p, encode(p, p.format, x, ignored), ignored);
  };
  const TriangleWords& t = triangles[random.below(triangles.size())];
  const std::uint64_t corner = random.below(3);
  Ray ray;
  for (unsigned k = 0; k < 3; ++k) {
    ray.o[k] = rounded(random.uniform(-7, 7));
    double target = 0;
    if (random.below(2) == 0) {
      target = decode(p, t[3 * corner + k], ignored);  // at a vertex
    } else {
      for (unsigned c = 0; c < 3; ++c) target += decode(p, t[3 * c + k], ignored) / 3.0;
    }
    ray.d[k] = rounded(target - ray.o[k]);
    if (random.below(12) == 0) ray.d[k] = random.below(2) == 0 ? 0.0F : -0.0F;
  }
  ray.tmin = random.below(4) == 0 ? -INFINITY : 0.0F;
  ray.tmax = random.below(4) == 0 ? rounded(random.uniform(0, 2)) : INFINITY;
  return ray;
}

/// Digests each access in its order.
class RecordingPort final : public MemoryPort {
 public:
  explicit RecordingPort(BlockMemory& memory) : memory_(memory) {}
  const std::uint8_t* read(AccessKind kind, std::uint64_t address, unsigned size) override {
    hash = (hash ^ (address * 16 + static_cast<std::uint64_t>(kind)) ^ std::uint64_t{size} << 56U) *
           0x100000001B3U;
    return memory_.read(kind, address, size);
  }
  bool write(AccessKind kind, std::uint64_t address, const std::uint8_t* bytes,
             unsigned size) override {
    return memory_.write(kind, address, bytes, size);
  }
  std::uint64_t hash = 0xCBF29CE484222325U;

 private:
  BlockMemory& memory_;
};
// Two that stand for one memory would each keep a count of its own.
static_assert(!std::is_copy_constructible_v<RecordingPort>);

}  // namespace rtvp::xphmg::test
