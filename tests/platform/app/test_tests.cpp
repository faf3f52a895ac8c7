// How many tests a run says it made, against counts by other means: closed forms, and the rays of
// the same picture tested one by one without any machine.
#include <algorithm>
#include <sstream>
#include <string>

#include "platform/raytree/ray_tree.hpp"
#include "platform/reference/reference_finder.hpp"
#include "platform/scene/load.hpp"
#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

/// Counts what brute force has to test: every element for a ray that wants the nearest, up to the
/// first that blocks for one that any will do. Elements in the scene's order.
class Counting : public host::HitFinder {
 public:
  explicit Counting(const scene::Scene& scene) : scene_(scene), finder_(scene) {}
  void trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) override {
    finder_.trace(rays, hits);
    for (const host::Ray& ray : rays)
      tests += ray.kind == host::Ray::Kind::Any ? before(ray) : all();
  }
  std::uint64_t tests = 0;

 private:
  [[nodiscard]] std::uint64_t all() const { return scene_.elements.size(); }
  [[nodiscard]] std::uint64_t before(const host::Ray& ray) const {
    std::uint64_t first = all();
    for (const host::Hit& hit : finder_.all(ray)) {
      first = std::min<std::uint64_t>(first, hit.element + 1);
    }
    return first;
  }
  const scene::Scene& scene_;
  reference::ReferenceFinder finder_;
};

class Tests : public PlatformTest {
 protected:
  [[nodiscard]] std::uint64_t figure(const std::string& file, const char* name) const {
    return json(file)
        .at("modules")
        .at("pc0")
        .at("board0")
        .at("array")
        .at(name)
        .to_number<std::uint64_t>();
  }
  void render(const std::string& arguments) const {
    const Outcome r = run(arguments + " -o x.ppm --stats s.json");
    ASSERT_EQ(r.status, 0) << r.err;
  }
};

/// Of the only row of a table with such a column; empty without one.
std::string lastCell(const std::string& file, const std::string& column) {
  std::istringstream lines(slurp(file));
  std::string head, row, name, cell, found;
  std::getline(lines, head);
  std::getline(lines, row);
  std::istringstream names(head), cells(row);
  while (std::getline(names, name, ',') && std::getline(cells, cell, ',')) {
    if (name == column) found = cell;
  }
  EXPECT_FALSE(found.empty()) << column << " is not in " << head;
  return found.empty() ? "0" : found;
}

// One triangle that fills the picture, no light: every eye ray tests it once. The array is larger
// than the last batch, whose other lanes test it with fillers, and each batch ends in a terminator:
// neither counts.
TEST_F(Tests, OneTriangleIsTestedOnceByEachRay) {
  write("one.shk", "w 7\nh 5\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nt -90 -90 0  90 -90 0  0 90 0\n");
  for (const char* const engine : {"scalar", "simt"}) {
    for (const char* const vote : {"on", "off"}) {
      render(std::string("one.shk --dsps 16 --set array.engine=") + engine +
             " --set tigershark.vote=" + vote);
      EXPECT_EQ(figure("s.json", "tests"), 35U) << engine << vote;
    }
  }
  const Outcome r = run("one.shk --dsps 16 -o x.ppm");
  EXPECT_TRUE(contains(r.out, "35 ray-primitive tests")) << r.out;
}

// A light behind the eye: a shadow ray for each hit, blocked by nothing: it tests the triangle,
// too.
TEST_F(Tests, ShadowRaysCountAsLongAsTheyAreOpen) {
  const std::string view = "w 8\nh 8\ne 0 0 10\nlo 0 0 0\nu 0 1 0\n";
  const std::string wall = "t -90 -90 0  90 -90 0  0 90 0\n";
  write("lit.shk", view + "li 0 0 20 1 1 1\n" + wall);
  render("lit.shk --depth 1 --dsps 4 --set tigershark.vote=off");
  EXPECT_EQ(figure("s.json", "tests"), 64U + 64U);
  EXPECT_EQ(figure("s.json", "box_tests"), 0U);
  // A blocker behind the eye, first in the file: shadow rays stop there, of two and of four
  // records.
  const std::string blocker = "t -90 -90 15  90 -90 15  0 90 15\n";
  write("dark.shk", view + "li 0 0 20 1 1 1\n" + blocker + wall);
  render("dark.shk --depth 1 --dsps 4 --set tigershark.vote=off");
  EXPECT_EQ(figure("s.json", "tests"), 64U * 2 + 64U);
  write("last.shk", view + "li 0 0 20 1 1 1\n" + wall + wall + wall + blocker);
  render("last.shk --depth 1 --dsps 4 --set tigershark.vote=off");
  EXPECT_EQ(figure("s.json", "tests"), 64U * 4 + 64U * 4);
}

// Boxes: one record each, tested by every open ray of a walk.
TEST_F(Tests, BoxTestsAreCountedApart) {
  write("one.shk", "w 8\nh 8\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nt -90 -90 0  90 -90 0  0 90 0\n");
  render("one.shk --dsps 4");
  const boost::json::value stats = json("s.json");
  const std::uint64_t votes = figure("s.json", "votes");
  EXPECT_EQ(figure("s.json", "box_tests"), votes * 4);  // 64 rays fill every walk of four
  EXPECT_EQ(figure("s.json", "tests"), 64U);
}

// The whole of cornell, 64x64, eye and shadow rays, against the rays of a renderer without
// machines.
TEST_F(Tests, CornellAgreesWithItsRaysOneByOne) {
  scene::Scene scene = scene::load(RTVP_SOURCE_DIR "/scenes/cornell.shk");
  scene.width = scene.height = 64;
  Counting counting(scene);
  host::RenderOptions options;
  options.depth = 1;
  options.crop = {0, 0, 64, 64};
  host::RayTree tree(scene, options);
  host::Framebuffer picture = tree.makeFramebuffer();
  tree.render(counting, picture);
  std::uint64_t known = 0;
  for (const char* const engine : {"scalar", "simt"}) {
    for (const char* const dsps : {"1", "16"}) {
      render("'" RTVP_SOURCE_DIR
             "/scenes/cornell.shk' --size 64x64 --depth 1 --set "
             "tigershark.vote=off --set array.engine=" +
             std::string(engine) + " --dsps " + dsps);
      const std::uint64_t tests = figure("s.json", "tests");
      // A ray through an edge may be decided otherwise in 24 bits.
      EXPECT_NEAR(static_cast<double>(tests), static_cast<double>(counting.tests),
                  2e-4 * static_cast<double>(counting.tests))
          << engine << dsps;
      if (known == 0) known = tests;
      EXPECT_EQ(tests, known) << engine << dsps;
    }
  }
}

// The figure that a sweep shows by itself: tests by the time of the batches.
TEST_F(Tests, ASweepsFigureIsTheRuns) {
  write("one.shk", "w 7\nh 5\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nt -90 -90 0  90 -90 0  0 90 0\n");
  const Outcome r = run("sweep one.shk --dsps 16 -o out -q --figure ps=driver.batches_ps");
  ASSERT_EQ(r.status, 0) << r.err;
  const double seconds = std::stod(lastCell(path("out/sweep.csv"), "ps")) * 1e-12;
  const Outcome s = run("sweep one.shk --dsps 16 -o out -q");
  ASSERT_EQ(s.status, 0) << s.err;
  const double rate = std::stod(lastCell(path("out/sweep.csv"), "tests [tests/s]"));
  EXPECT_NEAR(rate * seconds, 35, 1e-3);
}

TEST_F(Tests, OtherFirmwareIsNotGuessedAt) {
  // Ours, without its names: COFF without the label that the count needs.
  const std::filesystem::path source = RTVP_BINARY_DIR "/firmware/tigershark";
  for (const auto& entry : std::filesystem::directory_iterator(source)) {
    std::string text = slurp(entry.path());
    for (std::size_t at = 0; (at = text.find("best", at)) != std::string::npos; at += 4) {
      text.replace(at, 4, "goal");
    }
    write(entry.path().filename().string(), text);
  }
  ASSERT_EQ(runTool("c32-as", "-o f.coff tigershark.asm").status, 0);
  write("a.shk", kSmallScene);
  const Outcome r =
      run("a.shk --size 4x4 --dsps 4 --set tigershark.firmware=f.coff -o x.ppm --stats s.json");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "not counted: the firmware has no labels best and record")) << r.out;
  EXPECT_FALSE(contains(slurp(path("s.json")), "box_tests"));
}

}  // namespace
}  // namespace rtvp::test
