// Host computers as ranks of mpirun.
#include <boost/json/parse.hpp>

#include "tests/platform/sweep/points_anywhere.hpp"

namespace rtvp::test {
namespace {

class Ranks : public PointsAnywhere {
 protected:
  static constexpr const char* kRun =
      "platform a.shk --engine xphmg --size 40x30 --hosts 3 -q --no-progress ";
  static std::string outputs(const std::string& name) {
    return "-o " + name + ".ppm --hits " + name + ".csv --stats " + name + ".json ";
  }
  /// Pictures, hits and all statistics but the host's.
  void expectEqual(const std::string& a, const std::string& b) const {
    EXPECT_FALSE(slurp(path(a + ".ppm")).empty());
    EXPECT_EQ(slurp(path(a + ".ppm")), slurp(path(b + ".ppm")));
    EXPECT_EQ(slurp(path(a + ".csv")), slurp(path(b + ".csv")));
    const auto stats = [&](const std::string& name) {
      auto all = boost::json::parse(slurp(path(name + ".json"))).as_object();
      all.erase("host");
      return all;
    };
    EXPECT_EQ(stats(a), stats(b));
  }
  /// What a rank of a job sees of Open MPI.
  static std::string rank(int number, int count) {
    return "OMPI_COMM_WORLD_SIZE=" + std::to_string(count) +
           " OMPI_COMM_WORLD_RANK=" + std::to_string(number) + " PMIX_NAMESPACE=job@1 ";
  }
};

TEST_F(Ranks, GiveThePictureOfOneProcess) {
  ASSERT_EQ(shell(kRun + outputs("one")).status, 0);
  // The first one may come last.
  const Outcome r =
      shell(rank(2, 3) + kRun + outputs("ranks") + "&& { " + rank(0, 3) + kRun + outputs("ranks") +
            "& " + rank(1, 3) + kRun + outputs("ranks") + "; wait $!; }");
  ASSERT_EQ(r.status, 0) << r.err;
  expectEqual("one", "ranks");
  for (const auto& entry : std::filesystem::directory_iterator(path(""))) {
    EXPECT_FALSE(contains(entry.path().string(), "ranks-")) << entry.path();
  }
}

TEST_F(Ranks, MpirunIsALauncher) {
  if (!has("mpirun")) GTEST_SKIP() << "mpirun is not installed (scripts/setup: openmpi-bin)";
  ASSERT_EQ(shell(kRun + outputs("one")).status, 0);
  const std::string launcher = "mpirun --allow-run-as-root --oversubscribe ";
  const Outcome r = shell(launcher + "-n 3 " + kRun + outputs("ranks"));
  ASSERT_EQ(r.status, 0) << r.err;
  expectEqual("one", "ranks");
  // A rank that fails takes the others with it.
  const Outcome bad = shell(launcher + "-n 3 " + kRun + "--set run.limit_ms=0.000001 -o bad.ppm");
  EXPECT_NE(bad.status, 0);
  EXPECT_FALSE(std::filesystem::exists(path("bad.ppm")));
}

TEST_F(Ranks, AreAsManyAsHostComputers) {
  const Outcome r = shell(rank(0, 2) + kRun + outputs("x"));
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err,
                       "found 3 host computers and 2 ranks of mpirun, expected as many: "
                       "mpirun -n 3"))
      << r.err;
  const Outcome half = shell("OMPI_COMM_WORLD_SIZE=3 " + std::string(kRun) + outputs("x"));
  EXPECT_EQ(half.status, 2);
  EXPECT_TRUE(contains(half.err, "expected OMPI_COMM_WORLD_RANK and PMIX_NAMESPACE")) << half.err;
  const Outcome word = shell("OMPI_COMM_WORLD_SIZE=x " + std::string(kRun) + outputs("x"));
  EXPECT_EQ(word.status, 2);
  EXPECT_TRUE(contains(word.err, "OMPI_COMM_WORLD_SIZE: found 'x'")) << word.err;
}

}  // namespace
}  // namespace rtvp::test
