// examples/sweeps as a user runs them.
#include <cstdio>

#include "tests/platform/sweep/points_anywhere.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

constexpr const char* kExamples = RTVP_SOURCE_DIR "/examples/sweeps/";

class SweepExamples : public PointsAnywhere {
 protected:
  void runs(const std::string& engine) const {
    const std::string spec = std::string(kExamples) + "boards.json";
    ASSERT_EQ(run("sweep '" + spec + "' -q -o alone").status, 0);
    const Outcome r =
        shell("bash '" + std::string(kExamples) + "run' " + engine + " '" + spec + "' out");
    if (r.status == 77) GTEST_SKIP() << r.err;
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(slurp(path("out/sweep.csv")), slurp(path("alone/sweep.csv")));
  }
};

TEST_F(SweepExamples, Parallel) {
  runs("parallel");
}
TEST_F(SweepExamples, Make) {
  runs("make");
}
TEST_F(SweepExamples, Snakemake) {
  runs("snakemake");
}
// A stand-in for Slurm: the tasks of the array one after the other.
TEST_F(SweepExamples, Slurm) {
  std::filesystem::create_directories(path("slurm"));
  write("slurm/sbatch",
        "#!/usr/bin/env bash\nset -e\nscript=${@: -1}\n"
        "tasks=$(sed -n 's/^#SBATCH --array=1-//p' \"$script\")\n"
        "for i in $(seq \"$tasks\"); do\n"
        "  SLURM_SUBMIT_DIR=$PWD SLURM_ARRAY_JOB_ID=1 SLURM_ARRAY_TASK_ID=$i bash \"$script\"\n"
        "done\n");
  std::filesystem::permissions(path("slurm/sbatch"), std::filesystem::perms::owner_all);
  const std::string before = std::getenv("PATH");
  setenv("PATH", (path("slurm") + ":" + before).c_str(), 1);
  runs("slurm");
}

TEST_F(SweepExamples, OptunaFindsTheBestOf64In24Trials) {
  std::string python;
  for (const char* name : {"python3", "/usr/bin/python3"}) {
    const std::string probe = std::string(name) + " -c 'import optuna' >/dev/null 2>&1";
    if (python.empty() && std::system(probe.c_str()) == 0) python = name;
  }
  if (python.empty()) GTEST_SKIP() << "no Python here has optuna (Debian: python3-optuna)";
  const std::string loop = python + " '" + kExamples + "optuna_loop.py' ";
  const Outcome all = shell(loop + "--all");
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_TRUE(contains(all.out, "64 points run")) << all.out;
  const Outcome few = shell(loop + "--trials 24");
  ASSERT_EQ(few.status, 0) << few.err;
  const auto best = [](const std::string& text) { return text.substr(0, text.find(" dollars")); };
  EXPECT_EQ(best(few.out), best(all.out));
  EXPECT_EQ(shell(loop + "--trials 24").out, few.out) << "seeded: the same every time";
}

}  // namespace
}  // namespace rtvp::test
