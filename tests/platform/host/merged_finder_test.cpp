// Hits on different surfaces: the smaller (t, element), whoever finds it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "platform/raytree/hit_finder.hpp"

namespace rtvp::host {
namespace {

Hit at(std::uint32_t element, double t) {
  Hit hit;
  hit.element = element;
  hit.t = t;
  return hit;
}

/// Answers what it was made with, and keeps what it was told.
class Fixed final : public HitFinder {
 public:
  explicit Fixed(std::vector<Hit> answers) : answers_(std::move(answers)) {}
  void trace(std::span<const Ray> /*rays*/, std::span<Hit> hits) override {
    told.assign(hits.begin(), hits.end());
    std::copy(answers_.begin(), answers_.end(), hits.begin());
  }
  std::vector<Hit> told;

 private:
  std::vector<Hit> answers_;
};

TEST(MergedFinder, TheSmallerDistanceThenTheSmallerElementCounts) {
  const Hit none;
  Fixed first({at(3, 2.0), at(3, 2.0), at(3, 2.0), at(3, 2.0), none, none});
  Fixed second({at(7, 1.0), at(7, 2.5), at(2, 2.0), none, at(7, 4.0), none});
  MergedFinder merged(first, second);
  const std::array<Ray, 6> rays{};
  std::array<Hit, 6> hits{};
  merged.trace(rays, hits);
  const std::array<std::uint32_t, 6> expected{7, 3, 2, 3, 7, scene::kNoElement};
  for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(hits[i].element, expected[i]) << i;
  EXPECT_EQ(hits[0].t, 1.0);
  EXPECT_EQ(hits[4].t, 4.0);
}

TEST(MergedFinder, TheSecondIsToldWhatTheFirstHasFoundForEyeRaysToo) {
  Fixed first({at(3, 2.0), Hit{}});
  Fixed second({Hit{}, Hit{}});
  MergedFinder merged(first, second);
  const std::array<Ray, 2> rays{};
  const std::array<EyePosition, 2> positions{};
  std::array<Hit, 2> hits{};
  merged.traceEye(rays, positions, hits);
  ASSERT_EQ(second.told.size(), 2U);
  EXPECT_EQ(second.told[0].element, 3U);
  EXPECT_EQ(second.told[0].t, 2.0);
  EXPECT_EQ(second.told[1].element, scene::kNoElement);
  EXPECT_EQ(hits[0].element, 3U);
}

}  // namespace
}  // namespace rtvp::host
