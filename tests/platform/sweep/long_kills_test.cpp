// Done-when: killing workers at random a hundred times loses no point.
#include "tests/platform/sweep/points_anywhere.hpp"

namespace rtvp::test {
namespace {

TEST_F(PointsAnywhere, AHundredKillsLoseNoPoint) {
  const std::string spec = "sweep a.shk --size 6x6 --depth 1 --set tigershark.dsps=1..64 ";
  const std::string csv = reference(spec);
  killWorkers(100, spec);
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
}

}  // namespace
}  // namespace rtvp::test
