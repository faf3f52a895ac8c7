// Crops that stand for a picture: where they lie, what follows from them, and how sure it is.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "platform/exit_status.hpp"
#include "platform/sweep/sample.hpp"

namespace rtvp::sweep {
namespace {

TEST(Sample, ChoicesAreReadOrRefused) {
  EXPECT_EQ(sampleChoice("16").crops, 16);
  EXPECT_EQ(sampleChoice("16").edge, 0);
  EXPECT_EQ(sampleChoice("4:32").edge, 32);
  for (const char* const bad :
       {"", "3", "1025", "8:", "8:0", "8:4097", "8:-1", "x", "8x32", "8:3 "}) {
    EXPECT_THROW((void)sampleChoice(bad), platform::InputError) << bad;
  }
}

TEST(Sample, CropsAreDistinctTilesSpreadOverThePicture) {
  const std::vector<SampleCrop> crops = sampleCrops(256, 128, {16, 16}, 1);
  ASSERT_EQ(crops.size(), 16U);
  std::set<std::string> seen;
  int left = 0, upper = 0;
  for (const SampleCrop& c : crops) {
    EXPECT_TRUE(seen.insert(c.text()).second) << c.text();
    EXPECT_EQ(c.x % 16 + c.y % 16, 0) << c.text();
    EXPECT_LE(c.x + c.width, 256);
    EXPECT_LE(c.y + c.height, 128);
    left += c.x < 128 ? 1 : 0;
    upper += c.y < 64 ? 1 : 0;
  }
  // One of each sixteenth of the Hilbert order: every quarter of the picture has its share.
  EXPECT_NEAR(left, 8, 2);
  EXPECT_NEAR(upper, 8, 2);
  const std::vector<SampleCrop> again = sampleCrops(256, 128, {16, 16}, 1);
  const std::vector<SampleCrop> other = sampleCrops(256, 128, {16, 16}, 2);
  EXPECT_EQ(again[3].text() + again[9].text(), crops[3].text() + crops[9].text());
  std::string a, b;
  for (std::size_t i = 0; i < crops.size(); ++i) {
    a += crops[i].text() + " ";
    b += other[i].text() + " ";
  }
  EXPECT_NE(a, b);
}

TEST(Sample, TooSmallAPictureIsRefused) {
  EXPECT_EQ(sampleCrops(32, 32, {16, 8}, 1).size(), 16U);
  EXPECT_THROW((void)sampleCrops(31, 32, {16, 8}, 1), platform::InputError);
  EXPECT_THROW((void)sampleCrops(8, 8, {4, 16}, 1), platform::InputError);
}

Stats crop(double rays, double time, double words) {
  Stats s;
  s["picture.eye_rays"] = {256, "rays"};
  s["picture.crop_width"] = {16, "pixels"};
  s["picture.crop_height"] = {16, "pixels"};
  s["picture.rays"] = {rays, "rays"};
  s["simulated_time_ps"] = {time, "ps"};
  s["setup.simulated_time_ps"] = {100, "ps"};
  s["modules.pc0.driver.words"] = {words, "words"};
  s["setup.modules.pc0.driver.words"] = {40, "words"};
  s["modules.pc0.array.lanes"] = {16, "DSPs"};
  s["setup.modules.pc0.array.lanes"] = {16, "DSPs"};
  s["modules.pc0.fifo.fifo_high_water"] = {words / 10, "words"};
  s["configuration.tigershark.dsps"] = {16, ""};
  return s;
}

TEST(Sample, CountsGrowTheSetUpDoesNot) {
  const std::vector<Stats> crops{crop(300, 1100, 140), crop(500, 3100, 240)};
  // 2048 pixels are four times the 512 of the crops.
  const Stats whole = wholeOf(crops, 2048);
  EXPECT_DOUBLE_EQ(whole.at("picture.rays").value, 3200);
  EXPECT_DOUBLE_EQ(whole.at("simulated_time_ps").value, 100 + 4 * (1000 + 3000));
  EXPECT_DOUBLE_EQ(whole.at("modules.pc0.driver.words").value, 40 + 4 * (100 + 200));
  EXPECT_DOUBLE_EQ(whole.at("modules.pc0.array.lanes").value, 16);
  EXPECT_DOUBLE_EQ(whole.at("modules.pc0.fifo.fifo_high_water").value, 24);
  EXPECT_DOUBLE_EQ(whole.at("configuration.tigershark.dsps").value, 16);
  EXPECT_EQ(whole.count("setup.simulated_time_ps"), 0U);
  const Stats second = wholeOf(crops, 2048, 0);
  EXPECT_DOUBLE_EQ(second.at("simulated_time_ps").value, 100 + 8 * 3000);
}

TEST(Sample, ARatioIsWeightedByTimeWithTheSetUpOnce) {
  std::vector<Stats> crops{crop(300, 1100, 140), crop(500, 3100, 240)};
  const double shares[] = {0.5, 0.9};
  for (std::size_t i = 0; i < crops.size(); ++i) {
    crops[i]["modules.pc0.pci.utilisation"] = {shares[i], "1"};
    crops[i]["setup.modules.pc0.pci.utilisation"] = {1, "1"};
  }
  // Busy: 100 of the set-up, then 450 of 1000 and 2690 of 3000, four times.
  const double busy = 100 + 4 * (0.5 * 1100 - 100 + 0.9 * 3100 - 100);
  EXPECT_NEAR(wholeOf(crops, 2048).at("modules.pc0.pci.utilisation").value, busy / 16100, 1e-12);
}

// For a plain mean the jackknife is the textbook's interval of the mean.
TEST(Sample, TheIntervalOfAMeanIsTheTextbooks) {
  const std::vector<double> values{3, 5, 4, 8, 6, 7, 2, 5};
  const auto n = static_cast<double>(values.size());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  std::vector<std::optional<double>> without;
  double squares = 0;
  for (const double v : values) {
    without.emplace_back((sum - v) / (n - 1));
    squares += (v - sum / n) * (v - sum / n);
  }
  constexpr double kStudent7 = 2.365;  // 97.5 %, seven degrees of freedom
  EXPECT_NEAR(*halfWidth(without), kStudent7 * std::sqrt(squares / (n - 1) / n), 1e-9);
  without[2].reset();
  EXPECT_FALSE(halfWidth(without).has_value());
}

// Of normal values 95 in 100 intervals hold the mean that they were drawn around.
TEST(Sample, IntervalsCoverAsOftenAsTheySay) {
  constexpr int kTrials = 4000;
  constexpr int kCrops = 40;  // beyond the table of Student's t
  std::mt19937_64 random(19);
  std::normal_distribution<double> normal(10, 3);
  int covered = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(kCrops);
    for (double& v : values) v = normal(random);
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    std::vector<std::optional<double>> without;
    for (const double v : values) without.emplace_back((sum - v) / (kCrops - 1));
    covered += std::abs(sum / kCrops - 10) <= *halfWidth(without) ? 1 : 0;
  }
  EXPECT_NEAR(covered / double{kTrials}, 0.95, 0.015);
}

}  // namespace
}  // namespace rtvp::sweep
