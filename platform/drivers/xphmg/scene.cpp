// See xphmg_scene.hpp.
#include "platform/drivers/xphmg/scene.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "models/common/core/host_threads.hpp"
#include "models/xphmg/layout.hpp"

namespace rtvp::host {
namespace {

using scene::Vec3;
using xphmg::Format;

constexpr double kFp16Reach = 2048;  // of coordinates

double largest(const Vec3& v) {
  return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
}
xphmg::Precision precisionOf(Format format, xphmg::Rounding rounding = xphmg::Rounding::Rne) {
  xphmg::Precision p;
  p.format = format;
  p.rounding = rounding;
  return p;
}

}  // namespace

std::uint32_t XphmgSpace::encoded(double value) const {
  xphmg::Stickies none;
  return xphmg::encode(precisionOf(format), format, value, none);
}

double XphmgSpace::decoded(std::uint32_t word) const {
  xphmg::Stickies none;
  return static_cast<double>(xphmg::decode(precisionOf(format), word, none));
}

std::uint32_t XphmgSpace::wordBelow(double value) const {
  if (format == Format::Fp32 && value > 0) {
    const std::uint32_t near = word(value);  // of the words above 0 the next one is one more
    return near != 0 && this->value(near) >= value ? near - 1 : near;
  }
  xphmg::Stickies none;
  const std::uint32_t down =
      xphmg::encode(precisionOf(format, xphmg::Rounding::Rdn), format, value, none);
  return down != 0 && this->value(down) >= value ? down - 1 : down;
}

XphmgSpace xphmgSpace(const scene::Scene& scene, Format format) {
  XphmgSpace space;
  space.format = format;
  const scene::Bounds bounds = scene.bounds();
  space.centre = (bounds.lo + bounds.hi) * 0.5;
  const double reach =
      std::max(largest((bounds.hi - bounds.lo) * 0.5), largest(scene.camera.eye - space.centre));
  if (format == Format::Fp16 && reach > 0)
    space.scale = std::exp2(std::floor(std::log2(kFp16Reach / reach)));
  return space;
}

double xphmgLeastOffset(const scene::Scene& scene, const XphmgSpace& space) {
  const scene::Bounds bounds = scene.bounds();
  const double diagonal = bounds.diagonal();
  if (!(diagonal > 0)) return 0;
  const xphmg::FormatInfo& format = xphmg::formatInfo(space.format);
  const double coordinate = largest((bounds.hi - bounds.lo) * (0.5 * space.scale));
  const double ulp = std::exp2(std::floor(std::log2(coordinate)) - format.mantissaBits);
  return 4 * ulp / (space.scale * diagonal);
}

namespace {

/// Writes a triangle's corners as the unit reads them; returns their bounds, exact in its format.
XphmgBox pack(const scene::Scene& scene, const scene::Element& element, const XphmgSpace& space,
              unsigned bytes, std::uint8_t* at) {
  if (element.kind != scene::Element::Kind::Triangle) {
    throw std::invalid_argument("XPHMG_RT knows triangles only: load the scene tessellated");
  }
  XphmgBox box{{3.4e38F, 3.4e38F, 3.4e38F}, {-3.4e38F, -3.4e38F, -3.4e38F}};
  for (const Vec3& vertex : scene.triangles[element.index].v) {
    const Vec3 p = space.toUnit(vertex);
    XphmgBox point;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t word = space.word(p[static_cast<int>(k)]);
      xphmg::storeElement(at, bytes, word);
      at += bytes;
      point.lo[k] = point.hi[k] = static_cast<float>(space.value(word));
    }
    box.include(point);
  }
  return box;
}

}  // namespace

XphmgDatabase xphmgDatabase(const scene::Scene& scene, const XphmgSpace& space,
                            const XphmgBvhOptions& options) {
  const unsigned bytes = xphmg::formatInfo(space.format).bytes;
  const std::size_t stride = xphmg::triangleBytes(bytes);
  std::vector<std::uint8_t> packed(scene.elements.size() * stride);
  std::vector<XphmgBox> boxes(scene.elements.size());
  constexpr std::size_t kPiece = 4096;
  common::inParts(
      scene.elements.size(), kPiece, options.threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t e = begin; e < end; ++e) {
          boxes[e] = pack(scene, scene.elements[e], space, bytes, packed.data() + e * stride);
        }
      });
  XphmgDatabase database;
  database.bvh = buildXphmgBvh(boxes, space.format, options);
  database.elements = database.bvh.order;
  database.triangles.reserve(packed.size());
  for (const std::uint32_t e : database.elements) {
    const auto from = packed.begin() + static_cast<std::ptrdiff_t>(e * stride);
    database.triangles.insert(database.triangles.end(), from,
                              from + static_cast<std::ptrdiff_t>(stride));
  }
  return database;
}

}  // namespace rtvp::host
