// Pictures: quantisation, round trips, and readers that survive any bytes.
#include "platform/report/image.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "tests/platform/report/scratch_folder.hpp"

namespace rtvp::report {
namespace {

Image noise(int width, int height, std::uint32_t seed) {
  Image image(width, height);
  std::mt19937 random(seed);
  for (std::uint8_t& c : image.rgb) c = static_cast<std::uint8_t>(random() & 0xFF);
  return image;
}

std::vector<std::uint8_t> bytesOf(const std::string& text) {
  return {text.begin(), text.end()};
}

TEST(Image, QuantizesByRoundingAndClamps) {
  EXPECT_EQ(quantize(0), 0);
  EXPECT_EQ(quantize(1), 255);
  EXPECT_EQ(quantize(0.5), 128);
  EXPECT_EQ(quantize(0.499 / 255), 0);
  EXPECT_EQ(quantize(0.5 / 255), 1);
  EXPECT_EQ(quantize(-3), 0);
  EXPECT_EQ(quantize(1e300), 255);
  EXPECT_EQ(quantize(std::numeric_limits<double>::infinity()), 255);
  EXPECT_EQ(quantize(std::nan("")), 0);
}

TEST(Image, RefusesImpossibleSizes) {
  EXPECT_THROW(Image(0, 1), std::invalid_argument);
  EXPECT_THROW(Image(1, -1), std::invalid_argument);
  EXPECT_THROW(Image(1 << 20, 1 << 20), std::invalid_argument);
}

TEST(Image, RoundTripsThroughBothFormats) {
  const test::ScratchFolder folder;
  for (const auto& [width, height] : {std::pair{1, 1}, {7, 3}, {64, 33}}) {
    const Image image = noise(width, height, 5);
    for (const char* name : {"a.png", "a.PPM"}) {
      writeImage(folder / name, image);
      EXPECT_EQ(readImage(folder / name), image) << name << ' ' << width << 'x' << height;
    }
  }
}

TEST(Image, TheSamePictureGivesTheSameBytes) {
  EXPECT_EQ(encodePng(noise(40, 30, 1)), encodePng(noise(40, 30, 1)));
  EXPECT_EQ(encodePpm(noise(40, 30, 1)), encodePpm(noise(40, 30, 1)));
}

TEST(Image, PpmIsTheFormatOf1996) {
  Image image(2, 1);
  image.rgb = {1, 2, 3, 4, 5, 6};
  const std::vector<std::uint8_t> bytes = encodePpm(image);
  EXPECT_EQ(bytes, bytesOf("P6\n2 1\n255\n\1\2\3\4\5\6"));
  EXPECT_EQ(decodeImage(bytesOf("P6 # a comment\n2\n#another\n1 255\n\1\2\3\4\5\6"), "x"), image);
}

TEST(Image, NamesDecideTheFormat) {
  const test::ScratchFolder folder;
  EXPECT_TRUE(isImageName("a.png"));
  EXPECT_TRUE(isImageName("a.b.Ppm"));
  EXPECT_FALSE(isImageName("png"));
  EXPECT_FALSE(isImageName("a.jpg"));
  EXPECT_THROW(writeImage(folder / "a.gif", noise(1, 1, 1)), ImageError);
  EXPECT_THROW((void)readImage(folder / "none.png"), std::system_error);
}

TEST(Image, EveryTruncationIsRefused) {
  const Image image = noise(9, 5, 3);
  for (const auto& whole : {encodePng(image), encodePpm(image)}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_THROW((void)decodeImage(std::span(whole).first(size), "cut"), ImageError) << size;
    }
    EXPECT_EQ(decodeImage(whole, "whole"), image);
  }
}

// Any outcome but a picture or an ImageError is a fault; the sanitizers watch.
void mustNotCrash(std::span<const std::uint8_t> bytes) {
  try {
    const Image image = decodeImage(bytes, "damaged");
    EXPECT_EQ(image.rgb.size(), static_cast<std::size_t>(image.width * image.height * 3));
  } catch (const ImageError&) {
  }
}

TEST(Image, DamagedFilesDoNoHarm) {
  std::mt19937 random(20240601);
  SCOPED_TRACE("seed 20240601");
  const Image image = noise(9, 5, 3);
  for (const auto& whole : {encodePng(image), encodePpm(image)}) {
    for (int round = 0; round < 3000; ++round) {
      std::vector<std::uint8_t> bytes = whole;
      for (auto n = 1 + random() % 4; n > 0; --n) {
        bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random() & 0xFF);
      }
      mustNotCrash(bytes);
    }
  }
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint8_t> bytes(random() % 200);
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random() & 0xFF);
    if (bytes.size() > 2 && round % 2 == 0) bytes[0] = 'P', bytes[1] = '6';
    mustNotCrash(bytes);
  }
}

TEST(Image, AHeaderThatPromisesTooMuchIsRefusedBeforeAllocation) {
  EXPECT_THROW((void)decodeImage(bytesOf("P6 268435456 268435456 255\n"), "x"), ImageError);
  EXPECT_THROW((void)decodeImage(bytesOf("P6 99999999999999999999 1 255\n"), "x"), ImageError);
  EXPECT_THROW((void)decodeImage(bytesOf("P6 16000 16000 255\nabc"), "x"), ImageError);
  EXPECT_THROW((void)decodeImage(bytesOf("P6 1 1 65535\nabcdef"), "x"), ImageError);
  EXPECT_THROW((void)decodeImage(bytesOf("P6 1 1 255\nabcd"), "x"), ImageError);
  EXPECT_THROW((void)decodeImage(bytesOf("P5 1 1 255\na"), "x"), ImageError);
  EXPECT_THROW((void)decodeImage({}, "x"), ImageError);
}

}  // namespace
}  // namespace rtvp::report
