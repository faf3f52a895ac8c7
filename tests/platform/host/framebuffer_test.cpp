// Accumulation and sample positions.
#include "platform/raytree/framebuffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "platform/raytree/sampling.hpp"

namespace rtvp::host {
namespace {

TEST(Framebuffer, SumsAndAverages) {
  Framebuffer fb(2, 2, 4);
  fb.add(3, {1, 2, 0.5});
  fb.add(3, {1, -1, 0});
  EXPECT_EQ(fb.color(1, 1), (scene::Vec3{0.5, 0.25, 0.125}));
  EXPECT_EQ(fb.color(0, 0), scene::Vec3{});
  const report::Image image = fb.image();
  EXPECT_EQ(image.pixel(1, 1)[0], 128);
  EXPECT_EQ(image.pixel(1, 1)[1], 64);
  EXPECT_EQ(image.pixel(1, 1)[2], 32);
}

TEST(Framebuffer, TheOrderOfArrivalDoesNotMatter) {
  std::mt19937 random(11);
  SCOPED_TRACE("seed 11");
  std::vector<scene::Vec3> light;
  std::exponential_distribution<double> strength(3);
  for (int i = 0; i < 5000; ++i) light.push_back({strength(random), strength(random), 1e-9});
  Framebuffer forward(1, 1);
  for (const auto& l : light) forward.add(0, l);
  std::shuffle(light.begin(), light.end(), random);
  Framebuffer shuffled(1, 1);
  for (const auto& l : light) shuffled.add(0, l);
  EXPECT_EQ(forward.color(0, 0), shuffled.color(0, 0));
  EXPECT_NEAR(forward.color(0, 0).z, 5e-6, 5000 * Framebuffer::kQuantum);
}

TEST(Framebuffer, RoundsToTheNearestQuantumHalvesAwayFromZero) {
  std::mt19937_64 random(12);
  SCOPED_TRACE("seed 12");
  std::vector<double> quanta = {0, 0.5, 1.5, 0.49999999999999994, 2.5, 4503599627370496.5, 0x1p53};
  for (int i = 0; i < 1000; ++i)
    quanta.push_back(static_cast<double>(random() >> (11 + random() % 40)) / 4);
  for (const double value : quanta) {
    for (const double sign : {1.0, -1.0}) {
      Framebuffer fb(1, 1);
      fb.add(0, {sign * value * Framebuffer::kQuantum, 0, 0});
      EXPECT_EQ(fb.sums()[0], std::llround(sign * value)) << value;
    }
  }
}

TEST(Framebuffer, AbsurdLightDoesNoHarm) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Framebuffer fb(1, 1);
  for (int i = 0; i < 1000; ++i) fb.add(0, {kInf, -kInf, std::nan("")});
  EXPECT_GT(fb.color(0, 0).x, 1);
  EXPECT_LT(fb.color(0, 0).y, -1);
  EXPECT_EQ(fb.color(0, 0).z, 0);
  EXPECT_EQ(fb.image().rgb, (std::vector<std::uint8_t>{255, 0, 0}));
}

TEST(Framebuffer, PartsMergeWhereTheyBelong) {
  Framebuffer whole(4, 3);
  Framebuffer part(2, 2);
  part.add(0, {0.25, 0, 0});
  part.add(3, {0, 0.5, 0});
  whole.merge(part, 2, 1);
  EXPECT_EQ(whole.color(2, 1).x, 0.25);
  EXPECT_EQ(whole.color(3, 2).y, 0.5);
  EXPECT_EQ(whole.color(0, 0), scene::Vec3{});
  EXPECT_THROW(whole.merge(part, 3, 1), std::invalid_argument);
  EXPECT_THROW(whole.merge(part, -1, 0), std::invalid_argument);
  EXPECT_THROW(whole.merge(Framebuffer(1, 1, 2), 0, 0), std::invalid_argument);
}

TEST(Framebuffer, SumsGoFromOneToAnother) {
  Framebuffer first(2, 1, 4);
  first.add(1, {1, 2, 3});
  const std::vector<std::int64_t> sums(first.sums().begin(), first.sums().end());
  const Framebuffer second(2, 1, 4, std::move(first).takeSums());
  EXPECT_TRUE(std::ranges::equal(second.sums(), sums));
  EXPECT_EQ(second.color(1, 0), (scene::Vec3{0.25, 0.5, 0.75}));
  EXPECT_THROW(Framebuffer(1, 2, 1, std::vector<std::int64_t>(5)), std::invalid_argument);
  EXPECT_THROW(Framebuffer(0, 2, 1, {}), std::invalid_argument);
}

TEST(Framebuffer, LightBroughtIntoItsFormOnceIsTheSameLight) {
  Framebuffer one(1, 1);
  Framebuffer other(1, 1);
  const scene::Vec3 light{0.1, -7.3e-5, 1e9};
  for (int i = 0; i < 3; ++i) one.add(0, light);
  const Framebuffer::Quanta quanta = Framebuffer::quanta(light);
  for (int i = 0; i < 3; ++i) other.addQuanta(0, quanta);
  EXPECT_TRUE(std::ranges::equal(one.sums(), other.sums()));
}

TEST(Framebuffer, RefusesImpossibleSizes) {
  EXPECT_THROW(Framebuffer(0, 1), std::invalid_argument);
  EXPECT_THROW(Framebuffer(1, 1, 0), std::invalid_argument);
  EXPECT_THROW(Framebuffer(1 << 30, 1 << 30), std::invalid_argument);
}

TEST(Sampling, OneSampleIsThePixelsCentre) {
  EXPECT_EQ(samplePositions(1), (std::vector<SamplePosition>{{0.5, 0.5}}));
}

TEST(Sampling, EveryColumnAndRowHasItsSample) {
  for (const int count : {2, 4, 8, 16, 64}) {
    std::set<int> columns;
    std::set<int> rows;
    for (const SamplePosition& p : samplePositions(count)) {
      columns.insert(static_cast<int>(p.x * count));
      rows.insert(static_cast<int>(p.y * count));
    }
    EXPECT_EQ(columns.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(rows.size(), static_cast<std::size_t>(count));
  }
}

TEST(Sampling, PositionsLieInThePixelAndCentreOnIt) {
  for (int count = 1; count <= 300; ++count) {
    double x = 0;
    for (const SamplePosition& p : samplePositions(count)) {
      ASSERT_TRUE(p.x > 0 && p.x < 1 && p.y > 0 && p.y < 1) << count;
      x += p.x;
    }
    EXPECT_NEAR(x / count, 0.5, 1e-12);
  }
  EXPECT_THROW((void)samplePositions(0), std::invalid_argument);
  EXPECT_THROW((void)samplePositions(kMaxSamples + 1), std::invalid_argument);
}

}  // namespace
}  // namespace rtvp::host
