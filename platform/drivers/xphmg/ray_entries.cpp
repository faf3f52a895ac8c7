// See ray_entries.hpp.
#include "platform/drivers/xphmg/ray_entries.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "models/xphmg/layout.hpp"

namespace rtvp::host {
namespace {

using scene::Vec3;

/// The largest t that counts, in the unit's lengths. It takes t = tmax too, where a shadow ray's
/// light must not block itself.
std::uint32_t tmaxWord(const XphmgSpace& space, const Ray& ray, double lengthInUnit) {
  const double tmax = ray.tmax >= kInfinity ? INFINITY : ray.tmax * space.scale / lengthInUnit;
  return ray.kind == Ray::Kind::Any ? space.wordBelow(tmax) : space.word(tmax);
}

/// t > 0 is wanted and the unit takes t >= tmin: the smallest number above 0.
constexpr std::uint32_t kTmin = 1;

/// Of any direction without NaN, what xphmgLength() makes in FP32.
double lengthOfSingles(const Vec3& d) {
  const auto rounded = [](double x) { return double{static_cast<float>(x)}; };
  return length(Vec3{rounded(d.x), rounded(d.y), rounded(d.z)});
}

/// encodeXphmgRay() in FP32, where a word is what a cast makes of a number.
void encodeSingles(const XphmgSpace& space, const Ray& ray, std::uint64_t tag,
                   std::uint8_t* entry) {
  const auto put = [entry](unsigned element, auto value) {
    static_assert(sizeof value == 4);
    std::memcpy(entry + std::size_t{element} * 4, &value, sizeof value);
  };
  const Vec3 o = space.toUnit(ray.origin);
  const Vec3& d = ray.direction;
  put(0, static_cast<float>(o.x));
  put(1, static_cast<float>(o.y));
  put(2, static_cast<float>(o.z));
  put(3, static_cast<float>(d.x));
  put(4, static_cast<float>(d.y));
  put(5, static_cast<float>(d.z));
  put(6, kTmin);
  if (ray.kind == Ray::Kind::Nearest && ray.tmax >= kInfinity) {
    put(7, std::bit_cast<std::uint32_t>(INFINITY));
  } else {
    const double plain = lengthOfSingles(d);
    put(7, tmaxWord(space, ray, std::isnan(plain) ? xphmgLength(space, d) : plain));
  }
  xphmg::storeU64(entry + xphmg::kRayTagOffset, tag);
  constexpr std::size_t kEnd = xphmg::kRayTagOffset + sizeof tag;
  std::memset(entry + kEnd, 0, xphmg::kRayEntryBytes - kEnd);
}

}  // namespace

void encodeXphmgRays(const XphmgSpace& space, std::span<const Ray> rays, std::uint64_t firstTag,
                     std::uint8_t* entries) {
  const bool singles =
      space.format == xphmg::Format::Fp32 && std::endian::native == std::endian::little;
  for (const Ray& ray : rays) {
    if (singles) {
      encodeSingles(space, ray, firstTag++, entries);
    } else {
      encodeXphmgRay(space, ray, firstTag++, entries);
    }
    entries += xphmg::kRayEntryBytes;
  }
}

void encodeXphmgRay(const XphmgSpace& space, const Ray& ray, std::uint64_t tag,
                    std::uint8_t* entry) {
  const unsigned bytes = xphmg::formatInfo(space.format).bytes;
  std::memset(entry, 0, xphmg::kRayEntryBytes);
  const Vec3 o = space.toUnit(ray.origin);
  const Vec3& d = ray.direction;
  const std::array<std::uint32_t, xphmg::kRayElements> words{
      space.word(o.x), space.word(o.y),
      space.word(o.z), space.word(d.x),
      space.word(d.y), space.word(d.z),
      kTmin,           tmaxWord(space, ray, xphmgLength(space, d))};
  for (unsigned k = 0; k < words.size(); ++k)
    xphmg::storeElement(entry + std::size_t{k} * bytes, bytes, words[k]);
  xphmg::storeU64(entry + xphmg::kRayTagOffset, tag);
}

}  // namespace rtvp::host
