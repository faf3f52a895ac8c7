// run.threads: the files of a run are the same on any number of threads of this computer.
#include <gtest/gtest.h>

#include <string>

#include "tests/platform/app/run_platform.hpp"

namespace rtvp {
namespace {

using test::Outcome;

class RunThreads : public test::PlatformTest {
 protected:
  /// Compares all files with those of one thread; `costMap`: what its name ends in, empty: none.
  void expectSameFiles(const std::string& arguments, const std::string& costMap = {}) {
    render("one", arguments + " --set run.threads=1", costMap);
    for (const char* threads : {"2", "3", "64", "0"}) {
      SCOPED_TRACE(std::string(threads) + " threads: " + arguments);
      render("other", arguments + " --set run.threads=" + threads, costMap);
      EXPECT_TRUE(test::slurp(path("one.ppm")) == test::slurp(path("other.ppm")));
      EXPECT_TRUE(test::slurp(path("one.csv")) == test::slurp(path("other.csv")));
      EXPECT_EQ(comparableStats("one.json"), comparableStats("other.json"));
      if (!costMap.empty()) {
        EXPECT_TRUE(test::slurp(path("one" + costMap)) == test::slurp(path("other" + costMap)));
      }
    }
  }

 private:
  void render(const std::string& name, const std::string& arguments, const std::string& costMap) {
    const Outcome r = run(std::string(RTVP_SOURCE_DIR "/scenes/") + arguments + " -q -o " + name +
                          ".ppm --hits " + name + ".csv --stats " + name + ".json" +
                          (costMap.empty() ? "" : " --cost-map " + name + costMap));
    ASSERT_EQ(r.status, 0) << r.err;
  }
};

// 3,674 triangles: trees are built in parts from 2,048 on, rays are found in parts of 256.
TEST_F(RunThreads, ChangeNoByteOfTheReference) {
  expectSameFiles("bunny.shk --engine reference --size 64x64 --depth 2");
}

TEST_F(RunThreads, ChangeNoPixelsCosts) {
  expectSameFiles("bunny.shk --engine reference --size 48x48 --depth 2", ".costs.csv");
}

TEST_F(RunThreads, ChangeNoByteOfXphmgsRun) {
  expectSameFiles("bunny.shk --engine xphmg --size 32x32 --depth 1");
}

// Two boards are simulated side by side; words for the chain are taken before their time.
TEST_F(RunThreads, ChangeNoByteOfBoardsRun) {
  expectSameFiles("bunny.shk --engine tigershark --boards 2 --dsps 16 --size 24x24 --depth 2");
  expectSameFiles("cornell.shk --engine tigershark --boards 3 --dsps 64 --size 24x24 --depth 1");
}

TEST_F(RunThreads, ChangeNoByteOfBoardsThatShade) {
  expectSameFiles(
      "marble_teapot.shk --engine tigershark --boards 2 --dsps 16 --shade tigershark --size 12x12");
}

TEST_F(RunThreads, ChangeNoByteOfBoardsWithPages) {
  expectSameFiles(
      "bunny.shk --engine tigershark --boards 2 --dsps 16 --size 12x12 --depth 1 --set "
      "tigershark.sram_words=24576 --set tigershark.double_buffer=on");
}

// A limit of simulated time keeps the kernel in step with the boards: the plain twin.
TEST_F(RunThreads, BoardsAheadOfTheKernelAreWhatTheyAreInStep) {
  const std::string all = "bunny.shk --engine tigershark --boards 2 --dsps 16 --size 24x24";
  const auto modules = [this](const std::string& name) {
    const boost::json::value stats = json(name);
    return boost::json::serialize(stats.as_object().at("modules"));
  };
  expectSameFiles(all);
  const Outcome r = run(std::string(RTVP_SOURCE_DIR "/scenes/") + all +
                        " --set run.limit_ms=1000000 -q -o step.ppm --hits step.csv --stats "
                        "step.json");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(test::slurp(path("one.ppm")) == test::slurp(path("step.ppm")));
  EXPECT_TRUE(test::slurp(path("one.csv")) == test::slurp(path("step.csv")));
  EXPECT_EQ(modules("one.json"), modules("step.json"));
}

TEST_F(RunThreads, ChangeNoByteOfSurfacesOrSpheres) {
  expectSameFiles("implicit_mixed.shk --engine reference --size 32x32 --depth 2");
}

// Lists of 16,384 rays, in parts of which the next is traced while one is handed out.
TEST_F(RunThreads, ChangeNoByteOfImplicitSurfaces) {
  expectSameFiles("implicit_tanglecube.shk --engine implicit --size 96x96");
  expectSameFiles("implicit_mixed.shk --engine xphmg --size 32x32 --depth 2");
}

TEST_F(RunThreads, AreEachHosts) {
  expectSameFiles("bunny.shk --engine reference --size 32x32 --depth 1 --hosts 2");
}

TEST_F(RunThreads, AreCountedFromNoneTo64) {
  const Outcome r =
      run(RTVP_SOURCE_DIR "/scenes/cornell.shk --engine reference --set run.threads=65");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(test::contains(r.err, "run.threads: found '65', expected a whole number 0..64"))
      << r.err;
}

}  // namespace
}  // namespace rtvp
