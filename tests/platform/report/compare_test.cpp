// Picture difference against hand-computed values.
#include "platform/report/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rtvp::report {
namespace {

TEST(CompareImages, EqualPictures) {
  const Image a(4, 3);
  const ImageDifference d = compareImages(a, a);
  EXPECT_EQ(d.pixels, 12U);
  EXPECT_EQ(d.differing, 0U);
  EXPECT_EQ(d.maxDifference, 0);
  EXPECT_TRUE(std::isinf(d.psnr));
}

TEST(CompareImages, CountsPixelsNotChannels) {
  const Image a(2, 2);
  Image b = a;
  b.rgb[3] = 10;  // one pixel, two channels
  b.rgb[5] = 4;
  b.rgb[11] = 255;
  const ImageDifference d = compareImages(a, b);
  EXPECT_EQ(d.differing, 2U);
  EXPECT_EQ(d.maxDifference, 255);
  EXPECT_NEAR(d.psnr, 10 * std::log10(255.0 * 255.0 * 12 / (100 + 16 + 65025)), 1e-12);
}

TEST(CompareImages, BlackAgainstWhiteIsZeroDecibel) {
  const Image a(5, 5);
  Image b = a;
  for (std::uint8_t& c : b.rgb) c = 255;
  EXPECT_EQ(compareImages(a, b).psnr, 0);
}

TEST(CompareImages, SizesMustAgree) {
  EXPECT_THROW((void)compareImages(Image(2, 3), Image(3, 2)), ImageError);
}

}  // namespace
}  // namespace rtvp::report
