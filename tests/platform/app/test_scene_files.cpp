// Scene files of other programs through the platform: the same hits of the same mesh in every
// format, cameras, pictures of light.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "platform/report/image.hpp"
#include "tests/platform/app/run_platform.hpp"
#include "tests/platform/scene/gltf_text.hpp"

namespace rtvp::test {
namespace {

using SceneFiles = PlatformTest;

TEST_F(SceneFiles, TheSameMeshGivesTheSameHitsInEveryFormat) {
  std::vector<std::pair<std::string, std::string>> files = scene::test::meshFiles();
  files.emplace_back("embedded.gltf", scene::test::embeddedGltf());
  files.emplace_back("beside.gltf", scene::test::gltfJson("mesh.bin"));
  files.emplace_back("a.glb",
                     scene::test::glbText(scene::test::gltfJson(""), scene::test::gltfBuffer()));
  write("mesh.bin", scene::test::gltfBuffer());
  std::string first;
  for (const auto& [name, text] : files) {
    write(name, text);
    const Outcome r = run(name + " --engine reference --size 64x64 -q --hits h.csv -o a.png");
    ASSERT_EQ(r.status, 0) << name << r.err;
    const std::string hits = slurp(path("h.csv"));
    if (first.empty()) first = hits;
    EXPECT_EQ(hits, first) << name;
  }
  EXPECT_GT(std::count(first.begin(), first.end(), '.'), 1000) << "most of the picture is hit";
}

TEST_F(SceneFiles, ABufferOfAGltfIsAnInputOfTheRun) {
  write("mesh.bin", scene::test::gltfBuffer());
  write("a.gltf", scene::test::gltfJson("mesh.bin"));
  ASSERT_EQ(run("a.gltf --engine reference --size 8x8 -q --stats s.json").status, 0);
  EXPECT_TRUE(contains(slurp(path("s.json")), "\"buffer\""));
}

TEST_F(SceneFiles, CamerasFromTheCommandLine) {
  write("a.shk", kSmallScene);
  EXPECT_EQ(run("a.shk --engine reference -q --camera 0,0,9:0,0,0:40 -o a.png").status, 0);
  EXPECT_EQ(run("a.shk --engine reference -q --camera 0,0,9:0,0,0:40:1,1,0 -o b.png").status, 0);
  EXPECT_NE(slurp(path("a.png")), slurp(path("b.png")));
  EXPECT_EQ(run("a.shk --engine reference -q --look-from 1,2,3 -o c.png").status, 0);
  EXPECT_NE(slurp(path("a.png")), slurp(path("c.png")));
  for (const char* bad : {"--camera 0,0,9:0,0,0", "--camera 0,0,9:0,0,9:40", "--camera 1:2:3",
                          "--camera 0,0,9:0,0,0:180", "--camera 0,0,9:0,0,0:40:0,0,1",
                          "--camera 0,0,9:0,0,0:40:0,1,0:1", "--camera 0,0,x:0,0,0:40",
                          "--look-from 0,0,0", "--look-from 1,2", "--look-from 0,0,1:0,0,1",
                          "--look-from 1,0,0 --camera 0,0,9:0,0,0:40"}) {
    const Outcome r = run(std::string("a.shk --engine reference ") + bad);
    EXPECT_EQ(r.status, 2) << bad;
    EXPECT_TRUE(contains(r.err, "expected")) << r.err;
  }
}

TEST_F(SceneFiles, PicturesOfLight) {
  write("a.shk", kSmallScene);
  ASSERT_EQ(run("a.shk --engine reference -q -o a.pfm").status, 0);
  ASSERT_EQ(run("a.shk --engine reference -q -o a.exr").status, 0);
  ASSERT_EQ(run("a.shk --engine reference -q -o a.ppm").status, 0);
  const std::string pfm = slurp(path("a.pfm"));
  ASSERT_EQ(pfm.substr(0, 14), "PF\n12 10\n-1.0\n");
  ASSERT_EQ(pfm.size(), 14U + 12 * 10 * 12);
  EXPECT_EQ(slurp(path("a.exr")).substr(0, 4), "\x76\x2f\x31\x01");
  // The light, cut at 1 and rounded to 255 levels, is the picture.
  const report::Image image = report::readImage(path("a.ppm"));
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 12; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        float light = 0;
        std::memcpy(
            &light,
            pfm.data() + 14 + (static_cast<std::size_t>((9 - y) * 12 + x) * 3 + c) * sizeof(float),
            sizeof(float));
        EXPECT_EQ(report::quantize(double{light}), image.pixel(x, y)[c]) << x << ' ' << y;
      }
    }
  }
}

TEST_F(SceneFiles, ToneMappingChangesTheLevelsOnly) {
  write("a.shk", kSmallScene);
  ASSERT_EQ(run("a.shk --engine reference -q -o a.ppm --hits a.csv").status, 0);
  ASSERT_EQ(run("a.shk --engine reference -q --tone-map reinhard -o b.ppm --hits b.csv").status, 0);
  ASSERT_EQ(run("a.shk --engine reference -q --exposure -1 -o c.ppm").status, 0);
  EXPECT_NE(slurp(path("a.ppm")), slurp(path("b.ppm")));
  EXPECT_EQ(slurp(path("a.csv")), slurp(path("b.csv")));
  const report::Image a = report::readImage(path("a.ppm"));
  const report::Image c = report::readImage(path("c.ppm"));
  // Half the light: half the level where it was not cut.
  const auto before = a.pixel(0, 0);
  const auto after = c.pixel(0, 0);
  for (std::size_t k = 0; k < 3; ++k) {
    if (before[k] == 255) continue;
    EXPECT_NEAR(after[k], before[k] / 2.0, 1);
  }
}

}  // namespace
}  // namespace rtvp::test
