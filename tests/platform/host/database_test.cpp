// The TigerSHARK database builder against an independent walker: layout, skip links, bounds,
// paging, boards.
#include "platform/drivers/tigershark/database.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "models/c32/float40.hpp"
#include "models/tigershark/protocol.hpp"
#include "platform/scene/load.hpp"

namespace rtvp::host {
namespace {

using scene::Scene;
using scene::Vec3;
namespace ts = tigershark;

void addTriangle(Scene& scene, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto number = static_cast<std::uint32_t>(scene.elements.size());
  scene.elements.push_back({scene::Element::Kind::Triangle,
                            static_cast<std::uint32_t>(scene.triangles.size()), number, 0});
  scene.triangles.push_back({{a, b, c}, {}, false});
  ++scene.primitiveCount;
}

void addSphere(Scene& scene, const Vec3& center, double radius) {
  const auto number = static_cast<std::uint32_t>(scene.elements.size());
  scene.elements.push_back(
      {scene::Element::Kind::Sphere, static_cast<std::uint32_t>(scene.spheres.size()), number, 0});
  scene.spheres.push_back({center, radius});
  ++scene.primitiveCount;
}

Scene randomScene(unsigned seed, int triangles, int spheres, double size = 100) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-size / 2, size / 2);
  std::uniform_real_distribution<double> edge(-size / 20, size / 20);
  Scene scene;
  scene.materials.emplace_back();
  for (int i = 0; i < triangles; ++i) {
    const Vec3 v{place(random), place(random), place(random)};
    const auto near = [&] { return v + Vec3{edge(random), edge(random), edge(random)}; };
    const Vec3 b = near();
    addTriangle(scene, v, b, near());
  }
  for (int i = 0; i < spheres; ++i) {
    const Vec3 c{place(random), place(random), place(random)};
    addSphere(scene, c, size / 100 * (1 + i % 5));
  }
  return scene;
}

DatabaseOptions options(std::uint32_t words = 100'000, std::uint32_t base = 0x400) {
  DatabaseOptions o;
  o.baseAddress = base;
  o.pageWords = words;
  return o;
}

/// Every element of the scene exactly once over all boards and pages, and every page valid.
void expectComplete(const Scene& scene, const std::vector<Database>& databases,
                    std::uint32_t base) {
  std::vector<std::uint32_t> found;
  for (const Database& database : databases) {
    ASSERT_FALSE(database.pages.empty());
    const PageCheck check = validatePages(database.pages, base);
    ASSERT_EQ(check.error, "");
    EXPECT_EQ(check.triangles, database.statistics.triangles);
    EXPECT_EQ(check.spheres, database.statistics.spheres);
    EXPECT_EQ(check.boxes, database.statistics.boxes);
    found.insert(found.end(), check.elements.begin(), check.elements.end());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::uint32_t> expected(scene.elements.size());
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(found, expected);
}

TEST(TigersharkDatabase, TS_066_RecordsHaveTheWordsOfTheProtocol) {
  Scene scene;
  addTriangle(scene, {1, 2, 3}, {2, 2, 3}, {1, 2, 5});
  addSphere(scene, {4, 5, 6}, 3);
  DatabaseOptions o = options();
  o.vote = false;
  const auto databases = buildDatabases(scene, o);
  ASSERT_EQ(databases.size(), 1U);
  ASSERT_EQ(databases[0].pages.size(), 1U);
  const auto f = [](double x) { return c32::singleFromDouble(x); };
  const std::vector<std::uint32_t> expected{0x00000000, f(1), f(2), f(3),      f(1),       f(0),
                                            f(0),       f(0), f(0), f(2),      0x40000001, f(4),
                                            f(5),       f(6), f(9), 0xC0000000};
  EXPECT_EQ(databases[0].pages[0].words, expected);
}

TEST(TigersharkDatabase, RootBoxEnclosesEverythingWidenedByTheStatedFraction) {
  Scene scene;
  addTriangle(scene, {0, 0, 0}, {100, 0, 0}, {0, 100, 100});
  const auto databases = buildDatabases(scene, options(1000, 0x400));
  const auto& words = databases[0].pages[0].words;
  ASSERT_EQ(words.size(), ts::kBoxWords + ts::kTriangleWords + ts::kEndWords);
  EXPECT_EQ(words[0], 0x80000000U);
  EXPECT_EQ(words[7], 0x400U + ts::kBoxWords + ts::kTriangleWords);
  const double widening = std::sqrt(30000.0) / 65536;
  EXPECT_NEAR(c32::doubleFromSingle(words[1]), -widening, 1e-9);
  EXPECT_LE(c32::doubleFromSingle(words[1]), -widening);
  EXPECT_NEAR(c32::doubleFromSingle(words[2]), 100 + widening, 1e-4);
  EXPECT_GE(c32::doubleFromSingle(words[2]), 100 + widening);
}

TEST(TigersharkDatabase, RandomScenesAreCompleteAndDeterministic) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scene scene = randomScene(seed, 700, 90);
    const auto databases = buildDatabases(scene, options());
    expectComplete(scene, databases, 0x400);
    EXPECT_EQ(databases[0].pages.size(), 1U);
    EXPECT_GT(databases[0].statistics.boxes, 100U);
    EXPECT_EQ(databases[0].pages[0].words, buildDatabases(scene, options())[0].pages[0].words);
  }
}

TEST(TigersharkDatabase, TS_046_LargeScenesBecomePagesOfNeighbouringSubtrees) {
  const Scene scene = randomScene(7, 2000, 0);
  const auto o = options(1500, 0x123);
  const auto databases = buildDatabases(scene, o);
  expectComplete(scene, databases, 0x123);
  const auto& pages = databases[0].pages;
  EXPECT_GE(pages.size(), 2000U * ts::kTriangleWords / 1500);
  std::uint64_t words = 0;
  for (const auto& page : pages) {
    EXPECT_LT(page.words.size(), 1500U);  // the word behind the terminator belongs to the area
    EXPECT_EQ(page.words.front() >> ts::kRecordTypeShift, 2U);  // root box
    words += page.words.size();
  }
  EXPECT_EQ(words, databases[0].statistics.words);
  EXPECT_GT(words, pages.size() * 1500 / 2);  // pages are more than half full
}

TEST(TigersharkDatabase, TS_051_BoardsShareTheElementsEvenly) {
  const Scene scene = randomScene(9, 900, 100);
  auto o = options();
  o.boards = 3;
  const auto databases = buildDatabases(scene, o);
  ASSERT_EQ(databases.size(), 3U);
  expectComplete(scene, databases, 0x400);
  for (const auto& d : databases)
    EXPECT_NEAR(d.statistics.triangles + d.statistics.spheres, 333, 60);
  o.boards = 2000;  // more boards than elements: the rest get a terminator
  const auto many = buildDatabases(scene, o);
  ASSERT_EQ(many.size(), 2000U);
  expectComplete(scene, many, 0x400);
  EXPECT_EQ(many.back().pages.at(0).words, std::vector<std::uint32_t>{0xC0000000});
}

TEST(TigersharkDatabase, TS_030_WithoutVoteThereIsNoBox) {
  const Scene scene = randomScene(11, 300, 30);
  auto o = options(1000);
  o.vote = false;
  o.boards = 2;
  const auto databases = buildDatabases(scene, o);
  expectComplete(scene, databases, 0x400);
  for (const auto& d : databases) {
    EXPECT_EQ(d.statistics.boxes, 0U);
    EXPECT_GT(d.pages.size(), 1U);
  }
}

TEST(TigersharkDatabase, CoincidentElementsAndExtremeSizesBuild) {
  Scene scene;
  for (int i = 0; i < 500; ++i) addTriangle(scene, {1, 1, 1}, {2, 1, 1}, {1, 2, 1});
  for (int i = 0; i < 40; ++i)
    addSphere(scene, {0, 0, 0}, std::ldexp(1e-3, i));   // nested, 12 decades
  addTriangle(scene, {5, 5, 5}, {5, 5, 5}, {5, 5, 5});  // a point
  expectComplete(scene, buildDatabases(scene, options()), 0x400);
  expectComplete(scene, buildDatabases(scene, options(98)), 0x400);  // smallest legal page
}

TEST(TigersharkDatabase, TwentyThousandTrianglesFillAFewPages) {
  const Scene scene = randomScene(21, 20'000, 0);
  const auto databases = buildDatabases(scene, options(128 * 1024));
  expectComplete(scene, databases, 0x400);
  EXPECT_LE(databases[0].pages.size(), 5U);
  EXPECT_LE(databases[0].statistics.words, 20'000U * 20);
}

TEST(TigersharkDatabase, BadOptionsAreRefused) {
  const Scene scene = randomScene(1, 10, 0);
  const auto refused = [&](auto change) {
    DatabaseOptions o = options();
    change(o);
    EXPECT_THROW((void)buildDatabases(scene, o), std::invalid_argument);
  };
  refused([](DatabaseOptions& o) { o.pageWords = 97; });
  refused([](DatabaseOptions& o) { o.boards = 0; });
  refused([](DatabaseOptions& o) { o.maxLeaf = 0; });
  refused([](DatabaseOptions& o) { o.maxLeaf = 257; });
  refused([](DatabaseOptions& o) { o.boxCycles = std::nan(""); });
  refused([](DatabaseOptions& o) { o.beam = -1; });
  refused([](DatabaseOptions& o) { o.baseAddress = 0xFFFFF0; });
}

TEST(TigersharkDatabase, TheWalkerSeesDamage) {
  const Scene scene = randomScene(5, 60, 10);
  const auto good = buildDatabases(scene, options())[0].pages;
  const auto broken = [&](auto change) {
    auto pages = good;
    change(pages[0].words);
    return validatePages(pages, 0x400).error;
  };
  ASSERT_EQ(broken([](auto&) {}), "");
  EXPECT_NE(broken([](auto& w) { w.pop_back(); }), "");
  EXPECT_NE(broken([](auto& w) { w.push_back(0); }), "");
  EXPECT_NE(broken([](auto& w) { w[7] += 1; }), "");
  EXPECT_NE(broken([](auto& w) { w[7] = 0; }), "");
  EXPECT_NE(broken([](auto& w) { w[7] = 0xFFFFFF; }), "");
  EXPECT_NE(broken([](auto& w) { w[2] = c32::singleFromDouble(-40); }), "");
  EXPECT_NE(broken([](auto& w) { w.clear(); }), "");
  // No damage may take the walker out of a page: every word replaced by patterns, seed 3.
  std::mt19937 random(3);
  for (std::size_t i = 0; i < good[0].words.size(); ++i) {
    (void)broken([&](auto& w) { w[i] = static_cast<std::uint32_t>(random()); });
    (void)broken([&](auto& w) { w.resize(i); });
  }
}

/// One leaf: its box and every element in it, at the costs of the options.
TEST(TigersharkDatabase, ExpectedCyclesOfALeafAreItsElementsAndItsBox) {
  Scene scene;
  scene.materials.emplace_back();
  addTriangle(scene, {0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  addTriangle(scene, {0, 0, 1}, {1, 0, 1}, {0, 1, 1});
  addSphere(scene, {0.5, 0.5, 0.5}, 0.25);
  DatabaseOptions o = options();
  o.boxCycles = 1000;
  o.triangleCycles = 10;
  o.sphereCycles = 7;
  EXPECT_DOUBLE_EQ(buildDatabases(scene, o).at(0).statistics.expectedCycles, 1027);
  o.vote = false;
  EXPECT_DOUBLE_EQ(buildDatabases(scene, o).at(0).statistics.expectedCycles, 27);
}

/// Two small clusters far apart: the first cut goes between them, and no node below it holds both.
/// A ray through the scene meets the root's box, is asked for the two others, and hardly ever goes
/// on; with a mixed node (six and six of three and nine) six triangles more are met by each.
TEST(TigersharkDatabase, CutsGoBetweenClusters) {
  Scene scene;
  scene.materials.emplace_back();
  for (int n = 0; n < 12; ++n) {
    const double x = (n < 3 ? -100.0 : 100.0) + 0.1 * n;
    addTriangle(scene, {x, 0, 0}, {x + 0.1, 0, 0.5}, {x, 0.1 * n, 0.5});
  }
  const DatabaseOptions o = options();
  EXPECT_LT(buildDatabases(scene, o).at(0).statistics.expectedCycles,
            3 * o.boxCycles + o.triangleCycles);
}

// ---- records of the user's own

scene::Implicit egg(const Vec3& at, const Vec3& scale) {
  static const auto kBall = [] {
    auto model = std::make_shared<scene::ImplicitModel>();
    model->file = "shapes/ball.sdf";
    return model;
  }();
  scene::Implicit surface;
  surface.model = kBall;
  surface.placement = scene::Placement(at, {}, scale);
  surface.lo = {-1, -1, -1};
  surface.hi = {1, 1, 1};
  return surface;
}

void addEgg(Scene& scene, const Vec3& at, const Vec3& scale) {
  const auto number = static_cast<std::uint32_t>(scene.elements.size());
  scene.elements.push_back({scene::Element::Kind::Implicit,
                            static_cast<std::uint32_t>(scene.implicits.size()), number, 0});
  scene.implicits.push_back(egg(at, scale));
  ++scene.primitiveCount;
}

RecordLayout eggs(double margin = 0) {
  std::string wrong;
  const auto word = [&](const char* name, WordFormat format, const char* value) {
    return RecordWord{name, format, *WordValue::parse(value, {}, wrong)};
  };
  RecordLayout layout;
  layout.types.push_back(
      {"egg",
       3,
       "ball.sdf",
       150,
       margin,
       {word("x", WordFormat::Single, "origin.x"), word("m", WordFormat::Single, "inverse.yy"),
        word("behind", WordFormat::Address, "next")}});
  return layout;
}

TEST(TigersharkDatabase, DeclaredRecordsHaveTheWordsOfTheirLayout) {
  Scene scene;
  addSphere(scene, {4, 5, 6}, 3);
  addEgg(scene, {2, 0, 0}, {1, 4, 1});
  const RecordLayout layout = eggs();
  DatabaseOptions o = options();
  o.vote = false;
  o.records = &layout;
  const auto databases = buildDatabases(scene, o);
  const auto f = [](double x) { return c32::singleFromDouble(x); };
  const std::vector<std::uint32_t> expected{0x40000000, f(4), f(5),    f(6),  f(9),
                                            0x43000001, f(2), f(0.25), 0x409, 0xC0000000};
  EXPECT_EQ(databases[0].pages[0].words, expected);
  EXPECT_EQ(databases[0].statistics.declared, 1U);
}

TEST(TigersharkDatabase, DeclaredRecordsGoIntoBoxesPagesAndBoardsAsAnyOther) {
  Scene scene = randomScene(7, 150, 50);
  for (int i = 0; i < 200; ++i) addEgg(scene, {1.0 * i - 100, 3, 0}, {1, 2, 0.5});
  const RecordLayout layout = eggs();
  DatabaseOptions o = options(600);
  o.boards = 3;
  o.records = &layout;
  const auto databases = buildDatabases(scene, o);
  std::vector<std::uint32_t> found;
  std::uint32_t declared = 0;
  for (const Database& database : databases) {
    EXPECT_GT(database.pages.size(), 1U);
    const PageCheck check = validatePages(database.pages, o.baseAddress, &layout);
    ASSERT_EQ(check.error, "");
    EXPECT_EQ(check.declared, database.statistics.declared);
    declared += check.declared;
    found.insert(found.end(), check.elements.begin(), check.elements.end());
  }
  EXPECT_EQ(declared, 200U);
  std::sort(found.begin(), found.end());
  std::vector<std::uint32_t> expected(scene.elements.size());
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(found, expected);
}

TEST(TigersharkDatabase, AMarginWidensADeclaredRecordsBox) {
  Scene scene;
  addEgg(scene, {0, 0, 0}, {1, 1, 1});
  const RecordLayout layout = eggs(0.5);
  DatabaseOptions o = options();
  o.records = &layout;
  const auto databases = buildDatabases(scene, o);
  EXPECT_NEAR(c32::doubleFromSingle(databases[0].pages[0].words[1]), -1.5, 1e-3);
  EXPECT_NEAR(c32::doubleFromSingle(databases[0].pages[0].words[2]), 1.5, 1e-3);
}

TEST(TigersharkDatabase, ASurfaceWithoutADeclaredRecordIsRefused) {
  Scene scene;
  addEgg(scene, {0, 0, 0}, {1, 1, 1});
  EXPECT_THROW((void)buildDatabases(scene, options()), std::invalid_argument);
  RecordLayout layout = eggs();
  layout.types[0].surface = "cube.sdf";
  DatabaseOptions o = options();
  o.records = &layout;
  EXPECT_THROW((void)buildDatabases(scene, o), std::invalid_argument);
}

TEST(TigersharkDatabase, TheWalkerRefusesCodesThatAreNotDeclaredAndRecordsThatAreCutOff) {
  const RecordLayout layout = eggs();
  const auto error = [&](std::vector<std::uint32_t> words) {
    const std::vector<Database::Page> pages{{std::move(words), 1, 0}};
    return validatePages(pages, 0x400, &layout).error;
  };
  EXPECT_EQ(error({0x43000000, 0, 0, 0, 0xC0000000}), "");
  EXPECT_NE(error({0x44000000, 0, 0, 0, 0xC0000000}).find("not declared"), std::string::npos);
  EXPECT_NE(error({0x43000000, 0, 0}).find("cut off"), std::string::npos);
}

}  // namespace
}  // namespace rtvp::host
