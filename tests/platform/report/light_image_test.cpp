// JPEG in, OpenEXR and PFM out, tone mapping.
#include "platform/report/light_image.hpp"

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputFile.h>
#include <gtest/gtest.h>
#include <turbojpeg.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "platform/report/image.hpp"
#include "platform/report/tone_mapping.hpp"

namespace rtvp::report {
namespace {

const LightImage kLight{2, 2, {0, 0.5F, 1, 2, 3, 4, -1, 100, 1e-6F, 7, 8, 9}};

TEST(LightImage, PfmHasRowsFromTheBottom) {
  const std::vector<std::uint8_t> bytes = encodeLight("a.PFM", kLight);
  const std::string header = "PF\n2 2\n-1.0\n";
  ASSERT_EQ(bytes.size(), header.size() + 48);
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 12), header);
  std::array<float, 12> values{};
  std::memcpy(values.data(), bytes.data() + 12, 48);
  EXPECT_EQ(values[0], -1);
  EXPECT_EQ(values[6], 0);
  EXPECT_EQ(values[11], 4);
}

class Bytes final : public Imf::IStream {
 public:
  explicit Bytes(const std::vector<std::uint8_t>& bytes) : IStream("bytes"), bytes_(bytes) {}
  bool read(char to[], int n) override {
    std::memcpy(to, bytes_.data() + at_, static_cast<std::size_t>(n));
    at_ += static_cast<std::size_t>(n);
    return at_ < bytes_.size();
  }
  std::uint64_t tellg() override { return at_; }
  void seekg(std::uint64_t to) override { at_ = static_cast<std::size_t>(to); }

 private:
  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_ = 0;
};

TEST(LightImage, OpenExrHoldsTheSameNumbers) {
  const std::vector<std::uint8_t> bytes = encodeLight("a.exr", kLight);
  EXPECT_EQ(bytes, encodeLight("b.exr", kLight));
  Bytes stream(bytes);
  Imf::InputFile file(stream, 0);
  ASSERT_EQ(file.header().dataWindow().max.x, 1);
  std::array<float, 12> values{};
  Imf::FrameBuffer frame;
  std::size_t channel = 0;
  for (const char* const name : {"R", "G", "B"}) {
    EXPECT_EQ(file.header().channels()[name].type, Imf::FLOAT);
    frame.insert(
        name, Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(values.data() + channel++), 12, 24));
  }
  file.setFrameBuffer(frame);
  file.readPixels(0, 1);
  EXPECT_TRUE(std::equal(values.begin(), values.end(), kLight.rgb.begin()));
}

TEST(LightImage, NamesDecide) {
  EXPECT_TRUE(isLightName("a.EXR"));
  EXPECT_FALSE(isLightName("a.png"));
  EXPECT_THROW(static_cast<void>(encodeLight("a.png", kLight)), ImageError);
}

TEST(ToneMapping, Curves) {
  const std::array<double, 3> light{0, 1, 3};
  EXPECT_EQ(toneMapped(light, {}), light);
  EXPECT_EQ(toneMapped(light, {ToneCurve::Clamp, 1})[2], 6);
  EXPECT_EQ(toneMapped(light, {ToneCurve::Clamp, -2})[1], 0.25);
  const double luminance = 0.7152 + 3 * 0.0722;
  EXPECT_DOUBLE_EQ(toneMapped(light, {ToneCurve::Reinhard, 0})[2], 3 / (1 + luminance));
  // Narkowicz: 1 becomes 2.54 / 3.16.
  EXPECT_NEAR(toneMapped(light, {ToneCurve::Filmic, 0})[1], 2.54 / 3.16, 1e-12);
  EXPECT_EQ(toneMapped({-1, 0, 0}, {ToneCurve::Filmic, 0})[0], 0);
}

std::vector<std::uint8_t> jpegOf(int width, int height, std::array<std::uint8_t, 3> color) {
  std::vector<std::uint8_t> rgb;
  for (int k = 0; k < width * height; ++k) rgb.insert(rgb.end(), color.begin(), color.end());
  tjhandle writer = tjInitCompress();
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): the library's type
  tjCompress2(writer, rgb.data(), width, 0, height, TJPF_RGB, &bytes, &size, TJSAMP_444, 100, 0);
  std::vector<std::uint8_t> result(bytes, bytes + size);
  tjFree(bytes);
  tjDestroy(writer);
  return result;
}

TEST(Jpeg, IsReadByItsContents) {
  const RgbaImage image = decodeRgba(jpegOf(5, 3, {200, 100, 50}), "a.png", 16);
  EXPECT_EQ(image.width, 5);
  EXPECT_EQ(image.height, 3);
  ASSERT_EQ(image.rgba.size(), 60U);
  EXPECT_NEAR(image.rgba[56], 200, 2);
  EXPECT_NEAR(image.rgba[57], 100, 2);
  EXPECT_NEAR(image.rgba[58], 50, 2);
  EXPECT_EQ(image.rgba[59], 255);
}

// What the header promises is refused before it is allocated; a file that is cut is no picture.
TEST(Jpeg, BombsAndDamage) {
  std::vector<std::uint8_t> bomb = jpegOf(5, 3, {0, 0, 0});
  const std::array<std::uint8_t, 2> frame{0xFF, 0xC0};
  const auto at = std::search(bomb.begin(), bomb.end(), frame.begin(), frame.end());
  ASSERT_NE(at, bomb.end());
  for (const int k : {5, 7}) at[k] = 0xFF;  // high bytes of both sides
  try {
    static_cast<void>(decodeRgba(bomb, "b.jpg", 4096));
    FAIL();
  } catch (const ImageError& e) {
    EXPECT_STREQ(e.what(), "b.jpg: 65285 x 65283 pixels, at most 4096 a side are possible");
  }
  const std::vector<std::uint8_t> whole = jpegOf(64, 64, {9, 8, 7});
  for (std::size_t size = 3; size < whole.size() - 2; size += 7) {
    EXPECT_THROW(static_cast<void>(decodeRgba(std::span(whole).first(size), "c", 64)), ImageError)
        << size;
  }
}

}  // namespace
}  // namespace rtvp::report
