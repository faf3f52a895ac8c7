// Imported lights, see imported_lights.hpp.
#include "platform/scene/imported_lights.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "platform/scene/mesh.hpp"

namespace rtvp::scene {

namespace {

double largest(const Vec3& v) {
  return std::max({v.x, v.y, v.z});
}

}  // namespace

void ImportedLights::addPoint(const Vec3& position, const Vec3& strength) {
  if (lights_.size() < kMaxLights) lights_.push_back({position, strength, false});
}

void ImportedLights::addDistant(const Vec3& direction, const Vec3& strength) {
  if (lights_.size() < kMaxLights) lights_.push_back({unit(direction), strength, true});
}

void ImportedLights::place(Builder& builder, const TextFile& file) {
  const Bounds box = builder.scene().bounds();
  if (lights_.empty() || box.empty()) return;
  const Vec3 centre = (box.lo + box.hi) * 0.5;
  const double size = std::max(box.diagonal(), 1e-9);
  for (Imported& light : lights_) {
    if (light.distant) {
      light.place = centre + light.place * (10 * size);
    } else {
      const double distance = std::max(length(light.place - centre), size * 1e-3);
      light.strength = light.strength * (1 / (distance * distance));
    }
  }
  std::stable_sort(lights_.begin(), lights_.end(), [](const Imported& a, const Imported& b) {
    return largest(a.strength) > largest(b.strength);
  });
  const Where where{&file, {}};
  std::string kept =
      "lights do not fall off here: their strengths are scaled to the scene's centre";
  if (lights_.size() > kMost) {
    kept += "; the " + std::to_string(kMost) + " strongest of " + std::to_string(lights_.size()) +
            " are kept";
    lights_.resize(kMost);
  }
  double sum = 0;
  for (const Imported& light : lights_) sum += largest(light.strength);
  if (!(sum > 0) || !std::isfinite(sum)) return;
  constexpr double kTogether = 1.2;
  for (const Imported& light : lights_) {
    for (int axis = 0; axis < 3; ++axis) checkedNumber(light.place[axis], "a light", where);
    builder.addLight({light.place, light.strength * (kTogether / sum)}, where);
  }
  builder.warn(where, kept);
}

}  // namespace rtvp::scene
