// The host's own work: how often each kind is done on scenes counted by hand, and what the profiles
// charge for it. Costs are worked out here from the operations and cycles of docs/processor.md.
#include "platform/raytree/host_work.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "platform/drivers/tigershark/database.hpp"
#include "platform/drivers/xphmg/bvh.hpp"
#include "platform/machines/processor.hpp"
#include "platform/options/built_in_options.hpp"
#include "platform/raytree/ray_tree.hpp"
#include "platform/reference/reference_finder.hpp"
#include "tests/platform/host/small_scenes.hpp"

namespace rtvp::host {
namespace {

class Tally : public WorkMeter {
 public:
  void work(Work kind, std::uint64_t count) override {
    counts_[static_cast<std::size_t>(kind)] += count;
  }
  std::uint64_t take(Work kind) {
    return std::exchange(counts_[static_cast<std::size_t>(kind)], 0);
  }
  /// Nothing is left but what take() has fetched.
  void expectNothingElse() const {
    for (std::size_t k = 0; k < kWorkKinds; ++k) EXPECT_EQ(counts_[k], 0U) << kWorkInfo[k].key;
  }

 private:
  std::array<std::uint64_t, kWorkKinds> counts_{};
};

Tally render(const scene::Scene& s, const RenderOptions& options = {}) {
  reference::ReferenceFinder finder(s);
  RayTree tree(s, options);
  Framebuffer picture = tree.makeFramebuffer();
  Tally tally;
  tree.render(finder, picture, {}, nullptr, nullptr, &tally);
  return tally;
}

TEST(HostWork, ALitPixel) {
  scene::Scene s = test::emptyScene(1, 1);
  s.lights = {{{0, 0, 5}, {1, 1, 1}}, {{0, 0, -5}, {1, 1, 1}}};  // the second is behind
  test::addSquare(s, 0, 20);
  for (const bool record : {false, true}) {
    RenderOptions options;
    options.recordHits = record;  // looks at hits again, but for nobody's picture
    Tally tally = render(s, options);
    EXPECT_EQ(tally.take(Work::EyeRay), 1U);
    EXPECT_EQ(tally.take(Work::OrderRay), 1U);
    EXPECT_EQ(tally.take(Work::Surface), 1U);
    EXPECT_EQ(tally.take(Work::Light), 2U);
    EXPECT_EQ(tally.take(Work::ShadowRay), 1U);
    EXPECT_EQ(tally.take(Work::MergeHit), 2U) << "the eye ray's and the shadow ray's";
    tally.expectNothingElse();
  }
}

TEST(HostWork, AMissIsMergedAndNothingMore) {
  Tally tally = render(test::emptyScene(3, 2));
  EXPECT_EQ(tally.take(Work::EyeRay), 6U);
  EXPECT_EQ(tally.take(Work::OrderRay), 6U);
  EXPECT_EQ(tally.take(Work::MergeHit), 6U);
  tally.expectNothingElse();
}

// Two mirrors face each other with the eye between them.
TEST(HostWork, ARayABounce) {
  scene::Scene s = test::emptyScene(1, 1);
  s.materials[0] = {{1, 1, 1}, 0, 0, 0.1, 5, 0, 0.5, 1};
  test::addSquare(s, 0, 20);
  test::addSquare(s, 20, 20, true);
  RenderOptions options;
  options.depth = 4;
  Tally tally = render(s, options);
  EXPECT_EQ(tally.take(Work::EyeRay), 1U);
  EXPECT_EQ(tally.take(Work::SecondaryRay), 3U);
  EXPECT_EQ(tally.take(Work::OrderRay), 4U);
  EXPECT_EQ(tally.take(Work::Surface), 4U);
  EXPECT_EQ(tally.take(Work::MergeHit), 4U);
  tally.expectNothingElse();
}

TEST(HostWork, CutsOfATreeOfTwoTriangles) {
  scene::Scene s = test::emptyScene(1, 1);
  test::addTriangle(s, {0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  DatabaseOptions options;
  options.pageWords = 1000;
  // One triangle: nothing to cut. Two: one node, each triangle in a bin of three axes.
  EXPECT_EQ(buildDatabases(s, options).at(0).statistics.cuts, 0U);
  test::addTriangle(s, {50, 0, 9}, {51, 0, 9}, {50, 1, 9});
  EXPECT_EQ(buildDatabases(s, options).at(0).statistics.cuts, 1U);
  EXPECT_EQ(buildDatabases(s, options).at(0).statistics.binned, 6U);
  options.vote = false;  // a flat list
  EXPECT_EQ(buildDatabases(s, options).at(0).statistics.binned, 0U);
  // Dealt to two boards by a tree of its own; then each board may have something to cut, but there
  // is nothing in two lists of one.
  options.vote = true;
  options.boards = 2;
  options.maxLeaf = 1;
  const std::vector<Database> two = buildDatabases(s, options);
  EXPECT_EQ(two.at(0).statistics.cuts, 1U);
  EXPECT_EQ(two.at(1).statistics.cuts, 0U);
  EXPECT_EQ(two.at(0).statistics.binned + two.at(1).statistics.binned, 6U);
}

TEST(HostWork, CutsOfATreeOfFourBoxes) {
  std::vector<XphmgBox> boxes;
  for (int i = 0; i < 4; ++i) {
    const auto x = static_cast<float>(100 * i);
    boxes.push_back({{x, 0, 0}, {x + 1, 1, 1}});
  }
  XphmgBvhOptions options;
  options.leafTriangles = 1;
  // 4 = 2 + 2 or 1 + 3 = 1 + (1 + 2): by the surface-area heuristic halves are cheapest.
  const XphmgBvh bvh = buildXphmgBvh(boxes, xphmg::Format::Fp32, options);
  EXPECT_EQ(bvh.cuts, 3U);
  EXPECT_EQ(bvh.binned, 3U * (4 + 2 + 2));
}

const platform::ProcessorProfile& profile(std::string_view name) {
  for (const platform::ProcessorProfile& p : platform::processorProfiles()) {
    if (p.name == name) return p;
  }
  throw std::logic_error("no such profile");
}

TEST(HostWork, CyclesOfTheProfiles) {
  for (std::size_t k = 0; k < kWorkKinds; ++k) {
    EXPECT_EQ(platform::cyclesOf(profile("none"), static_cast<Work>(k)), 0) << kWorkInfo[k].key;
    EXPECT_GT(platform::cyclesOf(profile("pentium133"), static_cast<Work>(k)), 0);
    EXPECT_GT(platform::cyclesOf(profile("modern"), static_cast<Work>(k)), 0);
  }
  const auto pentium = [](Work w) { return platform::cyclesOf(profile("pentium133"), w); };
  const auto modern = [](Work w) { return platform::cyclesOf(profile("modern"), w); };
  // 15 x 3 + 14 x 3 + 2 x 39 + 70 + 3 x 6 + 30 x 1.5 + 15
  EXPECT_DOUBLE_EQ(pentium(Work::EyeRay), 313);
  EXPECT_DOUBLE_EQ(modern(Work::EyeRay), 100.5);
  EXPECT_DOUBLE_EQ(pentium(Work::EncodeWord), 30.5);
  EXPECT_DOUBLE_EQ(modern(Work::EncodeWord), 13);
  EXPECT_DOUBLE_EQ(pentium(Work::TileTest), 26 * 3 + 6 * 3 + 9 * 39 + 21 + 8);
  EXPECT_DOUBLE_EQ(pentium(Work::CopyByte), 3.3);
  EXPECT_DOUBLE_EQ(pentium(Work::Interrupt), 1600);
  EXPECT_DOUBLE_EQ(modern(Work::Interrupt), 8000);
}

TEST(HostWork, CostsOfTheSettings) {
  const platform::OptionTable table = platform::builtInOptions();
  platform::Settings settings(table);
  const auto ps = [&](Work kind) {
    return platform::workCosts(settings).ps[static_cast<std::size_t>(kind)];
  };
  for (const std::uint64_t cost : platform::workCosts(settings).ps) EXPECT_EQ(cost, 0U);
  settings.set("processor.profile", "pentium133", "test");
  EXPECT_EQ(ps(Work::EncodeWord), 229'323U);  // 30.5 / 133 MHz
  EXPECT_EQ(platform::workCosts(settings).clockHz, 133e6);
  settings.set("processor.clock_hz", "266e6", "test");
  EXPECT_EQ(ps(Work::EncodeWord), 114'662U);
  settings.set("processor.encode_word_ns", "2.5", "test");
  EXPECT_EQ(ps(Work::EncodeWord), 2'500U);
  EXPECT_EQ(ps(Work::DecodeWord), 84'586U);  // 22.5 / 266 MHz
  settings.set("processor.encode_word_ns", "0", "test");
  EXPECT_EQ(ps(Work::EncodeWord), 0U);
}

}  // namespace
}  // namespace rtvp::host
