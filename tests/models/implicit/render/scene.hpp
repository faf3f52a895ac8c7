// What the tests of models/implicit/render share: objects, hulls, rays in closed form.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "models/implicit/render/far_query.hpp"
#include "models/implicit/render/frame.hpp"
#include "tests/models/implicit/support.hpp"

namespace rtvp::implicit::render::test {

using implicit::test::assembled;
using implicit::test::kDefaultObject;
using implicit::test::kSelections;
using implicit::test::kSmoothBlend;

/// Bounds of the default object as the report's formula gives them.
inline Bounds seedBounds(const Tape& tape) {
  const FarBounds far = seedFarQuery(tape);
  Bounds box;
  for (unsigned n = 0; n < 3; ++n) {
    box.min[n] = static_cast<float>(far.min[n]);
    box.max[n] = static_cast<float>(far.max[n]);
  }
  return box;
}

inline Object objectOf(const std::string& text, const Bounds& bounds, const Affine& world = {},
                       std::uint32_t id = 0) {
  return {assembled(text), bounds, world, 1, id};
}

/// An object with the hull that the settings ask for.
struct Model {
  Object object;
  Hull hull;
  Counters counters;  ///< of building the hull

  Model(Object placed, const Settings& settings) : object(std::move(placed)) {
    hull = settings.mode == Mode::Brute ? wholeBox(object, settings)
                                        : buildHull(object, settings, counters);
  }
  [[nodiscard]] Placed placed() const { return {&object, &hull}; }
};

struct Picture {
  Frame frame;
  Counters counters;

  [[nodiscard]] const HitRecord& at(unsigned x, unsigned y) const {
    return frame.hits[x + frame.rectangle.width * std::size_t{y}];
  }
};

inline Picture pictureOf(std::span<const Placed> objects, const Camera& camera,
                         const Settings& settings, unsigned width, unsigned height) {
  Picture out{Frame({0, 0, width, height}), {}};
  renderFrame(objects, camera, settings, out.frame, out.counters);
  return out;
}
inline Picture pictureOf(const Model& model, const Camera& camera, const Settings& settings,
                         unsigned width, unsigned height) {
  const Placed placed = model.placed();
  return pictureOf({&placed, 1}, camera, settings, width, height);
}

inline Vec randomDirection(std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  for (;;) {
    const Vec v{number(random), number(random), number(random)};
    const double l = length(v);
    if (l > 0.1 && l <= 1) return scaled(v, 1 / l);
  }
}

}  // namespace rtvp::implicit::render::test
