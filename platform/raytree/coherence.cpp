// Pixel orders.
#include "platform/raytree/coherence.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace rtvp::host {
namespace {

/// A side of a rectangle of pixels: from one pixel to the next their numbers differ by `step`.
struct Side {
  std::int32_t step;
  std::int32_t length;
  /// Where its n-th pixel lies, seen from the first.
  [[nodiscard]] std::int32_t to(std::int32_t n) const { return n * step; }
};

/// Hilbert's curve over any rectangle, after J. Cerveny's generalisation: the rectangle is cut in
/// two along its major axis if it is long, otherwise in three as Hilbert did, with even cuts
/// wherever possible so that the pieces join.
///
/// Invariant: a side is a step between numbers of pixels and a length, which says the same as two
/// coordinates, for no side leaves the rectangle. The curve as it was published is the plain twin,
/// in the tests.
class HilbertWalk {
 public:
  /// Writes the numbers of the pixels from `out` on.
  explicit HilbertWalk(std::uint32_t* out) : out_(out) {}

  /// Covers the rectangle with a corner at pixel `at` and the sides `major` and `minor`; starts
  /// there and ends at the far end of `major`.
  void cover(std::int32_t at, Side major, Side minor) {
    if (major.length == 2 && minor.length == 2) return square(at, major.step, minor.step);
    if (minor.length == 1) return line(at, major);
    if (major.length == 1) return line(at, minor);
    std::int32_t halfMajor = major.length / 2;
    std::int32_t halfMinor = minor.length / 2;
    if (2 * std::int64_t{major.length} > 3 * std::int64_t{minor.length}) {
      if (halfMajor % 2 != 0 && major.length > 2) ++halfMajor;
      cover(at, {major.step, halfMajor}, minor);
      cover(at + major.to(halfMajor), {major.step, major.length - halfMajor}, minor);
      return;
    }
    if (halfMinor % 2 != 0 && minor.length > 2) ++halfMinor;
    cover(at, {minor.step, halfMinor}, {major.step, halfMajor});
    cover(at + minor.to(halfMinor), major, {minor.step, minor.length - halfMinor});
    cover(at + major.to(major.length - 1) + minor.to(halfMinor - 1), {-minor.step, halfMinor},
          {-major.step, major.length - halfMajor});
  }

 private:
  void put(std::int32_t pixel) { *out_++ = static_cast<std::uint32_t>(pixel); }
  /// Two by two pixels, as the three cuts above and lines of one and two would go.
  void square(std::int32_t at, std::int32_t along, std::int32_t across) {
    put(at);
    put(at + across);
    put(at + across + along);
    put(at + along);
  }
  void line(std::int32_t at, Side side) {
    for (std::int32_t i = 0; i < side.length; ++i, at += side.step) put(at);
  }

  std::uint32_t* out_;
};

void scan(int width, int x0, int y0, int x1, int y1, std::vector<std::uint32_t>& out) {
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) {
      out.push_back(static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(width) +
                    static_cast<std::uint32_t>(x));
    }
  }
}

}  // namespace

std::optional<PixelOrder> pixelOrderFromName(std::string_view name) {
  if (name == "hilbert") return PixelOrder::Hilbert;
  if (name == "scanline") return PixelOrder::Scanline;
  if (name == "tiles") return PixelOrder::Tiles;
  return std::nullopt;
}

std::vector<std::uint32_t> pixelSequence(PixelOrder order, int width, int height) {
  if (width <= 0 || height <= 0 || width > std::numeric_limits<std::int32_t>::max() / height) {
    throw std::invalid_argument("no pixel order for " + std::to_string(width) + " x " +
                                std::to_string(height) + " pixels");
  }
  const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  std::vector<std::uint32_t> sequence;
  sequence.reserve(pixels);
  switch (order) {
    case PixelOrder::Hilbert: {
      const Side row{1, width};
      const Side column{width, height};
      sequence.resize(pixels);
      HilbertWalk walk(sequence.data());
      if (width >= height) {
        walk.cover(0, row, column);
      } else {
        walk.cover(0, column, row);
      }
      break;
    }
    case PixelOrder::Scanline:
      scan(width, 0, 0, width, height, sequence);
      break;
    case PixelOrder::Tiles:
      for (int y = 0; y < height; y += kTileSide) {
        for (int x = 0; x < width; x += kTileSide) {
          scan(width, x, y, std::min(x + kTileSide, width), std::min(y + kTileSide, height),
               sequence);
        }
      }
      break;
  }
  return sequence;
}

}  // namespace rtvp::host
