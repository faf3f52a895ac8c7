// Pixel orders.
#include "platform/raytree/coherence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

namespace rtvp::host {
namespace {

bool isPermutation(std::vector<std::uint32_t> sequence, int width, int height) {
  if (sequence.size() != static_cast<std::size_t>(width * height)) return false;
  std::sort(sequence.begin(), sequence.end());
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    if (sequence[i] != i) return false;
  }
  return true;
}

TEST(Coherence, TS_025_HilbertOrderStepsToNeighbours) {
  for (int width = 1; width <= 40; ++width) {
    for (int height = 1; height <= 40; ++height) {
      const auto sequence = pixelSequence(PixelOrder::Hilbert, width, height);
      ASSERT_TRUE(isPermutation(sequence, width, height)) << width << 'x' << height;
      int diagonals = 0;
      for (std::size_t i = 1; i < sequence.size(); ++i) {
        const int dx = std::abs(static_cast<int>(sequence[i]) % width -
                                static_cast<int>(sequence[i - 1]) % width);
        const int dy = std::abs(static_cast<int>(sequence[i]) / width -
                                static_cast<int>(sequence[i - 1]) / width);
        ASSERT_LE(std::max(dx, dy), 1) << width << 'x' << height << " step " << i;
        diagonals += dx + dy == 2 ? 1 : 0;
      }
      // A long odd and a short even side cannot be joined without one diagonal step.
      ASSERT_LE(diagonals, 1) << width << 'x' << height;
    }
  }
}

/// The curve as it was published, by coordinates: (x, y) is a corner, (ax, ay) the major and
/// (bx, by) the minor side. The plain twin of what works with numbers of pixels.
void plainHilbert(int x, int y, int ax, int ay, int bx, int by, int width,
                  std::vector<std::uint32_t>& out) {
  const auto sign = [](int v) { return (v > 0) - (v < 0); };
  const int w = std::abs(ax + ay), h = std::abs(bx + by);
  const int dax = sign(ax), day = sign(ay), dbx = sign(bx), dby = sign(by);
  if (h == 1 || w == 1) {
    for (int i = 0; i < std::max(w, h); ++i) {
      out.push_back(static_cast<std::uint32_t>(y * width + x));
      x += h == 1 ? dax : dbx;
      y += h == 1 ? day : dby;
    }
    return;
  }
  int ax2 = ax / 2, ay2 = ay / 2, bx2 = bx / 2, by2 = by / 2;
  if (2 * w > 3 * h) {
    if (std::abs(ax2 + ay2) % 2 != 0 && w > 2) ax2 += dax, ay2 += day;
    plainHilbert(x, y, ax2, ay2, bx, by, width, out);
    plainHilbert(x + ax2, y + ay2, ax - ax2, ay - ay2, bx, by, width, out);
    return;
  }
  if (std::abs(bx2 + by2) % 2 != 0 && h > 2) bx2 += dbx, by2 += dby;
  plainHilbert(x, y, bx2, by2, ax2, ay2, width, out);
  plainHilbert(x + bx2, y + by2, ax, ay, bx - bx2, by - by2, width, out);
  plainHilbert(x + (ax - dax) + (bx2 - dbx), y + (ay - day) + (by2 - dby), -bx2, -by2, ax2 - ax,
               ay2 - ay, width, out);
}

TEST(Coherence, HilbertOrderIsTheCurveAsPublished) {
  std::vector<std::pair<int, int>> sizes{{256, 256}, {640, 480}, {123, 457}, {1000, 3}};
  for (int width = 1; width <= 40; ++width)
    for (int height = 1; height <= 40; ++height) sizes.emplace_back(width, height);
  for (const auto& [width, height] : sizes) {
    std::vector<std::uint32_t> plain;
    if (width >= height) {
      plainHilbert(0, 0, width, 0, 0, height, width, plain);
    } else {
      plainHilbert(0, 0, 0, height, width, 0, width, plain);
    }
    ASSERT_EQ(pixelSequence(PixelOrder::Hilbert, width, height), plain) << width << 'x' << height;
  }
}

// 512 neighbours in the order should be a compact patch of the picture, not a line across it.
TEST(Coherence, TS_025_HilbertGroupsAreCompact) {
  const int side = 256;
  const auto sequence = pixelSequence(PixelOrder::Hilbert, side, side);
  for (std::size_t start = 0; start < sequence.size(); start += 512) {
    int x0 = side, x1 = 0, y0 = side, y1 = 0;
    for (std::size_t i = start; i < start + 512; ++i) {
      const int x = static_cast<int>(sequence[i]) % side;
      const int y = static_cast<int>(sequence[i]) / side;
      x0 = std::min(x0, x), x1 = std::max(x1, x), y0 = std::min(y0, y), y1 = std::max(y1, y);
    }
    EXPECT_LE(std::max(x1 - x0, y1 - y0), 40) << start;
  }
}

TEST(Coherence, ScanlineAndTiles) {
  EXPECT_EQ(pixelSequence(PixelOrder::Scanline, 3, 2),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  const auto tiles = pixelSequence(PixelOrder::Tiles, 10, 9);
  EXPECT_TRUE(isPermutation(tiles, 10, 9));
  EXPECT_EQ(tiles[3], 3U);
  EXPECT_EQ(tiles[4], 10U);  // second row of the first tile
  EXPECT_EQ(tiles[16], 4U);  // second tile
  EXPECT_EQ(tiles[32], 8U);  // third tile, two columns wide
  EXPECT_EQ(tiles[34], 18U);
}

TEST(Coherence, NamesAndLimits) {
  EXPECT_EQ(pixelOrderFromName("hilbert"), PixelOrder::Hilbert);
  EXPECT_EQ(pixelOrderFromName("scanline"), PixelOrder::Scanline);
  EXPECT_EQ(pixelOrderFromName("tiles"), PixelOrder::Tiles);
  EXPECT_FALSE(pixelOrderFromName("Hilbert"));
  EXPECT_THROW((void)pixelSequence(PixelOrder::Hilbert, 0, 4), std::invalid_argument);
  EXPECT_THROW((void)pixelSequence(PixelOrder::Tiles, 1 << 30, 1 << 30), std::invalid_argument);
  EXPECT_EQ(pixelSequence(PixelOrder::Hilbert, 100000, 1).size(), 100000U);
}

}  // namespace
}  // namespace rtvp::host
