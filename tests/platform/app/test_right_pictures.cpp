// Pictures with the defaults that were wrong once, against the reference by the acceptance rule.
// scripts/right-pictures compares all shipped scenes at full size.
#include <string>

#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

class RightPictures : public PlatformTest {};

// Small triangles on a large floor, which sets THEIA's scale: the driver draws them enlarged, and
// the improved microcode knows.
TEST_F(RightPictures, TheiaSmallTrianglesBesideLargeOnes) {
  const std::string scene = "'" RTVP_SOURCE_DIR "/scenes/marble_teapot.shk'";
  const std::string common = " --size 128x128 --crop 30,36,64,20 --depth 1 -q -o x.png --hits ";
  ASSERT_EQ(run(scene + common + "right.csv --engine reference").status, 0);
  ASSERT_EQ(run(scene + common + "theia.csv --engine theia").status, 0);
  const Outcome r =
      run("compare right.csv theia.csv --scene " + scene + " --size 128x128 --t-tolerance 5e-4");
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_TRUE(contains(r.out, "wrong primitive 0, wrong distance 0")) << r.out;
}

}  // namespace
}  // namespace rtvp::test
