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

// An expression file as a user has one, without `lipschitz`: f falls up to three times as fast as a
// distance, and jumps in its slope where the two balls meet.
TEST_F(RightPictures, AFunctionThatIsNoDistance) {
  write("f.vm",
        "x var-x\ny var-y\nz var-z\na square x\nb square y\nc square z\nd add a b\ne add d c\n"
        "r const 0.5\ng sub e r\nk const 3\nh mul g k\nm sin x\nn mul m k\no min h n\n");
  write("s.shk", "w 48\nh 48\ne 0.4 0.7 3\nlo 0 0 0\nu 0 1 0\nimplicit f.vm\n");
  const std::string common = "s.shk --depth 1 -q -o x.png --hits ";
  ASSERT_EQ(run(common + "right.csv --engine reference").status, 0);
  ASSERT_EQ(run(common + "unit.csv --engine implicit").status, 0);
  const Outcome r = run("compare right.csv unit.csv --scene s.shk --size 48x48");
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_TRUE(contains(r.out, "wrong primitive 0, wrong distance 0")) << r.out;
}

}  // namespace
}  // namespace rtvp::test
