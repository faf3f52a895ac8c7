// Rays as an XPHMG_RT unit reads them from a ring.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "platform/drivers/xphmg/scene.hpp"
#include "platform/raytree/hit_finder.hpp"

namespace rtvp::host {

/// Length of a direction as the unit gets it, rounded to its format: its t counts in these.
[[nodiscard]] inline double xphmgLength(const XphmgSpace& space, const scene::Vec3& direction) {
  const auto rounded = [&](double x) { return space.value(space.word(x)); };
  return length(scene::Vec3{rounded(direction.x), rounded(direction.y), rounded(direction.z)});
}

/// Ray entries of `rays` with user tags from `firstTag` on, kRayEntryBytes each. Invariant: in FP32
/// a cast rounds as the general conversion does, so the bytes are encodeXphmgRay()'s, the plain
/// twin.
void encodeXphmgRays(const XphmgSpace& space, std::span<const Ray> rays, std::uint64_t firstTag,
                     std::uint8_t* entries);

/// One of them in any format, word by word: the plain twin of what encodeXphmgRays() does in FP32.
void encodeXphmgRay(const XphmgSpace& space, const Ray& ray, std::uint64_t tag,
                    std::uint8_t* entry);

}  // namespace rtvp::host
