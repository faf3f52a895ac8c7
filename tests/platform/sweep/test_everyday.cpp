// What a person at a terminal sees: the progress of runs and sweeps, Ctrl-C, the table at the end.
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <thread>

#include "tests/platform/sweep/points_anywhere.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

using Clock = std::chrono::steady_clock;

/// A text that stood on the terminal, and when, in seconds from the program's start.
struct Seen {
  double at;
  std::string text;
};

class Everyday : public PointsAnywhere {
 protected:
  /// Runs the program on a terminal of so many columns; lines end where the next one begins.
  std::vector<Seen> watch(const std::vector<std::string>& words, unsigned short columns) {
    winsize size{24, columns, 0, 0};
    int terminal = -1;
    const std::string program = RTVP_BIN_DIR "/platform";
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
      std::vector<char*> raw{const_cast<char*>(program.c_str())};
      for (const std::string& w : words) raw.push_back(const_cast<char*>(w.c_str()));
      raw.push_back(nullptr);
      if (chdir(path("").c_str()) != 0) _exit(126);
      execv(raw[0], raw.data());
      _exit(127);
    }
    const auto begin = Clock::now();
    std::vector<Seen> seen;
    std::string line;
    char buffer[4096];
    for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;) {
      const double at = std::chrono::duration<double>(Clock::now() - begin).count();
      for (ssize_t i = 0; i < n; ++i) {
        if (buffer[i] != '\r' && buffer[i] != '\n') {
          line += buffer[i];
          continue;
        }
        if (!line.empty()) seen.push_back({at, line});
        line.clear();
      }
      if (!line.empty()) seen.push_back({at, line});
    }
    close(terminal);
    int state = 0;
    waitpid(child, &state, 0);
    seconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
    status_ = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    return seen;
  }
  double seconds_ = 0;
  int status_ = -1;
};

/// Without the sequence that clears the line.
std::string plain(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[K"), "");
}

// The share that is shown and the share of the time that has passed: this far apart at most, for
// each machine on a scene of its own size. Simulation is not the same speed for every ray, and what
// shadow rays there will be is known when the eye rays are done: not exact, but no lie either.
TEST_F(Everyday, ProgressGoesWithTime) {
  constexpr double kApart = 0.4;
  const std::string scenes = RTVP_SOURCE_DIR "/scenes/";
  struct Case {
    std::string engine, scene, size;
  };
  for (const Case& c :
       {Case{"tigershark", "bunny.shk", "128x128"}, Case{"theia", "spd_tetra_4.nff", "96x96"},
        Case{"xphmg", "bunny.shk", "1024x1024"}, Case{"reference", "bunny.shk", "768x768"}}) {
    const auto seen =
        watch({scenes + c.scene, "--engine", c.engine, "--size", c.size, "-o", "x.ppm"}, 80);
    ASSERT_EQ(status_, 0) << c.engine;
    double worst = 0, last = 0, full = seconds_;
    int lines = 0;
    for (const Seen& s : seen) {
      std::smatch found;
      const std::string text = plain(s.text);
      if (!std::regex_search(text, found, std::regex("^(\\d+) %  \\d+ rays"))) continue;
      const double share = std::stod(found[1].str()) / 100;
      EXPECT_GE(share, last) << c.engine;
      last = share;
      ++lines;
      if (share >= 0.99) full = std::min(full, s.at);
      worst = std::max(worst, std::abs(share - s.at / seconds_));
    }
    RecordProperty(c.engine + "_apart", std::to_string(worst));
    EXPECT_GT(lines, 0) << c.engine;
    // How fast a busy computer is says nothing of the code: only who asks is told.
    if (std::getenv("RTVP_TIMED") == nullptr) continue;
    EXPECT_LE(worst, kApart) << c.engine << ", " << lines << " lines in " << seconds_ << " s";
    EXPECT_LE(1 - full / seconds_, 0.33) << c.engine << " sits at 99 %";
  }
}

TEST_F(Everyday, LinesFitTheTerminal) {
  constexpr unsigned short kColumns = 34;
  const auto seen =
      watch({"sweep", "a.shk", "--size", "64x64", "--dsps", "1,2,4,8", "-o", "out"}, kColumns);
  EXPECT_EQ(status_, 0);
  int states = 0;
  for (const Seen& s : seen) {
    const std::string text = plain(s.text);
    if (text.find("/4 points") == std::string::npos) continue;
    ++states;
    EXPECT_LT(text.size(), std::size_t{kColumns}) << text;
  }
  EXPECT_GT(states, 0);
  // On a terminal the result is a table in columns, not the file's commas.
  const bool table = std::any_of(seen.begin(), seen.end(), [](const Seen& s) {
    return s.text.find("tigershark.dsps  time [ms]") != std::string::npos;
  });
  EXPECT_TRUE(table);
}

TEST_F(Everyday, ASweepThatGoesOnCountsWhatWasKnown) {
  ASSERT_EQ(run("sweep a.shk --size 32x32 --dsps 1,2 -q -o out").status, 0);
  const auto seen =
      watch({"sweep", "a.shk", "--size", "32x32", "--dsps", "1,2,4,8", "-o", "out"}, 120);
  EXPECT_EQ(status_, 0);
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [](const Seen& s) {
    return s.text.find("2/4 points (2 known)") != std::string::npos;
  }));
}

TEST_F(Everyday, CtrlCKeepsWhatHasRunAndSaysHowToGoOn) {
  const std::string words = "sweep a.shk --size 64x64 --dsps 1,2,...,40 -q -o out";
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(path("").c_str()) != 0 || freopen("said.txt", "w", stdout) == nullptr) _exit(126);
    execl("/bin/sh", "sh", "-c", ("exec " RTVP_BIN_DIR "/platform " + words).c_str(), nullptr);
    _exit(127);
  }
  // It has begun: then some points may have ended, hardly all.
  for (int i = 0; i < 6000 && !std::filesystem::exists(path("out/running")); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(child, SIGINT);
  int state = 0;
  waitpid(child, &state, 0);
  ASSERT_TRUE(WIFEXITED(state)) << "it ends by itself, tables and all";
  const std::string csv = slurp(path("out/sweep.csv"));
  const std::string said = slurp(path("said.txt"));
  if (WEXITSTATUS(state) == 0) GTEST_SKIP() << "all points ended before the signal";
  EXPECT_EQ(WEXITSTATUS(state), 130);
  EXPECT_TRUE(contains(said, "the same command goes on")) << said;
  EXPECT_TRUE(contains(csv, "no result yet")) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 41);
  EXPECT_TRUE(contains(slurp(path("out/index.html")), "</html>"));
  EXPECT_FALSE(std::filesystem::exists(path("out/running")));
  const Outcome rest = run(words);
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_TRUE(contains(rest.out, "40 points")) << rest.out;
  EXPECT_EQ(slurp(path("out/sweep.csv")), reference("sweep a.shk --size 64x64 --dsps 1,2,...,40 "));
}

// All tiles of a picture are the picture: counts of rays come out exactly, and nothing is unsure.
TEST_F(Everyday, ASampleOfEverythingIsThePicture) {
  const std::string spec =
      "sweep a.shk --size 32x32 --engine xphmg --figure rays=picture.rays "
      "--figure ms='simulated_time_ps/1e9' -q ";
  ASSERT_EQ(run(spec + "--sample 16:8 -o part").status, 0);
  ASSERT_EQ(run(spec + "-o whole").status, 0);
  const std::string part = slurp(path("part/sweep.csv"));
  const std::string whole = slurp(path("whole/sweep.csv"));
  EXPECT_TRUE(contains(part, "rays,rays_ci95,ms,ms_ci95")) << part;
  const auto rays = [](const std::string& csv) {
    const std::string row = csv.substr(csv.find('\n') + 1);
    const std::size_t from = row.find(',') + 1;
    return row.substr(from, row.find(',', from) - from);
  };
  EXPECT_EQ(rays(part), rays(whole));
  // What it needs is kept: nothing runs again.
  EXPECT_TRUE(contains(run(spec + "--sample 16:8 -o part").out, " 0 run now"));
}

TEST_F(Everyday, SamplesRefuseWhatTheyCannotDo) {
  const auto refused = [&](const std::string& more, const std::string& why) {
    const Outcome r = run("sweep a.shk --size 32x32 --sample 16:8 -o out " + more);
    EXPECT_EQ(r.status, 2) << more;
    EXPECT_TRUE(contains(r.err, why)) << r.err;
  };
  refused("--emit jsonl", "--sample: found --emit beside it");
  refused("--keep", "--sample: found --keep beside it");
  refused("--hosts 2", "--sample: found 2 host computers, expected 1");
  refused("--crop 0,0,8,8", "--sample: found a render.crop");
  refused("--sample 64:8", "expected fewer or smaller crops, or a larger picture");
  refused("--sample 2", "--sample: found '2', expected N or N:EDGE");
}

TEST_F(Everyday, TooSmallAPictureForTheMachineIsSaid) {
  const Outcome r = run("sweep a.shk --size 16x16 --engine xphmg --set xphmg.units=8 -o out");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "rates say little of xphmg: 7 of 8 units had no job")) << r.out;
}

}  // namespace
}  // namespace rtvp::test
