// Points of sweeps in other processes: shared by the quick and the long tests.
#pragma once

#include <csignal>
#include <random>
#include <thread>

#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {

class PointsAnywhere : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    write("a.shk", kSmallScene);
    std::filesystem::create_directories(path("tmp"));
    if (const char* const before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", path("tmp").c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty()) {
      unsetenv("TMPDIR");
    } else {
      setenv("TMPDIR", before_.c_str(), 1);
    }
    PlatformTest::TearDown();
  }
  [[nodiscard]] Outcome shell(const std::string& command) const {
    const int raw = std::system(("cd '" + path("") + "' && PATH=\"" RTVP_BIN_DIR ":$PATH\" && { " +
                                 command + "; } >stdout.txt 2>stderr.txt")
                                    .c_str());
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, slurp(path("stdout.txt")),
            slurp(path("stderr.txt"))};
  }
  /// The table that one process leaves.
  [[nodiscard]] std::string reference(const std::string& spec) const {
    const Outcome r = run(spec + "-j1 -q -o alone");
    EXPECT_EQ(r.status, 0) << r.err;
    return slurp(path("alone/sweep.csv"));
  }
  [[nodiscard]] static bool has(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
  }

  /// Whoever removes what is in the folder may take a moment.
  [[nodiscard]] static bool emptiesItself(const std::string& folder) {
    for (int i = 0; i < 1000; ++i) {
      if (std::filesystem::is_empty(folder)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  // Workers that die at any moment: emit, run, kill, merge, until nothing is missing.
  void killWorkers(int kills, const std::string& spec) const {
    constexpr unsigned kSeed = 19;
    std::mt19937 random(kSeed);
    int killed = 0;
    int round = 0;
    for (bool missing = true; missing; ++round) {
      ASSERT_LT(round, 40 * kills) << "the sweep does not come to its end";
      ASSERT_EQ(shell("platform " + spec + "-o out --emit jsonl > p.jsonl").status, 0);
      missing = !slurp(path("p.jsonl")).empty();
      // One that is killed before it has begun leaves an empty file, as a shell's `>` does.
      write("r" + std::to_string(round) + ".jsonl", "");
      const pid_t worker = fork();
      if (worker == 0) {
        if (freopen(path("p.jsonl").c_str(), "r", stdin) == nullptr ||
            freopen(path("r" + std::to_string(round) + ".jsonl").c_str(), "w", stdout) == nullptr ||
            chdir(path("").c_str()) != 0) {
          _exit(1);
        }
        execl(RTVP_BIN_DIR "/platform", "platform", "--worker", nullptr);
        _exit(127);
      }
      if (killed < kills) {
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 120));
        ++killed;
        kill(worker, SIGKILL);
      }
      int status = 0;
      waitpid(worker, &status, 0);
      const Outcome merged =
          shell("platform " + spec + "-q -o out --merge r" + std::to_string(round) + ".jsonl");
      ASSERT_TRUE(merged.status == 0 || merged.status == 4) << merged.err;
      // All kills happen, also when there is nothing left to lose.
      missing = missing || killed < kills;
    }
    EXPECT_EQ(killed, kills);
    EXPECT_TRUE(emptiesItself(path("tmp")))
        << "killed workers leave files: " << shell("ls -laR tmp").out;
  }

 private:
  std::string before_;
};

}  // namespace rtvp::test
