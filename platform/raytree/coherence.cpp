// Pixel orders.
#include "platform/raytree/coherence.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

namespace rtvp::host {
namespace {

struct Step {
  int x;
  int y;
  [[nodiscard]] int span() const { return std::abs(x + y); }  // one of the two is zero
  [[nodiscard]] Step half() const { return {x / 2, y / 2}; }
  /// One pixel in this direction.
  [[nodiscard]] Step sign() const { return {(x > 0) - (x < 0), (y > 0) - (y < 0)}; }
};

Step operator+(Step a, Step b) {
  return {a.x + b.x, a.y + b.y};
}
Step operator-(Step a, Step b) {
  return {a.x - b.x, a.y - b.y};
}
Step operator-(Step a) {
  return {-a.x, -a.y};
}

/// Hilbert's curve over any rectangle, after J. Cerveny's generalisation: the rectangle is cut in
/// two along its major axis if it is long, otherwise in three as Hilbert did, with even cuts
/// wherever possible so that the pieces join.
class HilbertWalk {
 public:
  HilbertWalk(int width, std::vector<std::uint32_t>& out) : width_(width), out_(out) {}

  /// Covers the rectangle with a corner at `at` and the sides `major` and `minor`; starts there and
  /// ends at the far end of `major`.
  void cover(Step at, Step major, Step minor) {
    const Step along = major.sign();
    const Step across = minor.sign();
    if (minor.span() == 1) return line(at, along, major.span());
    if (major.span() == 1) return line(at, across, minor.span());

    Step halfMajor = major.half();
    Step halfMinor = minor.half();
    if (2 * major.span() > 3 * minor.span()) {
      if (halfMajor.span() % 2 != 0 && major.span() > 2) halfMajor = halfMajor + along;
      cover(at, halfMajor, minor);
      cover(at + halfMajor, major - halfMajor, minor);
      return;
    }
    if (halfMinor.span() % 2 != 0 && minor.span() > 2) halfMinor = halfMinor + across;
    cover(at, halfMinor, halfMajor);
    cover(at + halfMinor, major, minor - halfMinor);
    cover(at + (major - along) + (halfMinor - across), -halfMinor, -(major - halfMajor));
  }

 private:
  void line(Step at, Step step, int count) {
    for (int i = 0; i < count; ++i, at = at + step) {
      out_.push_back(static_cast<std::uint32_t>(at.y) * static_cast<std::uint32_t>(width_) +
                     static_cast<std::uint32_t>(at.x));
    }
  }

  int width_;
  std::vector<std::uint32_t>& out_;
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
  std::vector<std::uint32_t> sequence;
  sequence.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  switch (order) {
    case PixelOrder::Hilbert:
      if (width >= height) {
        HilbertWalk(width, sequence).cover({0, 0}, {width, 0}, {0, height});
      } else {
        HilbertWalk(width, sequence).cover({0, 0}, {0, height}, {width, 0});
      }
      break;
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
