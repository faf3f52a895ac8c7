// Host computers as processes: none outlives the run, and a dead one ends it at once.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>

#include "platform/commands/part.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::platform {
namespace {

using Clock = std::chrono::steady_clock;
constexpr host::Crop kPicture{0, 0, 4, 4};
constexpr unsigned kLong = 60;  // seconds

std::string failureOf(const PartRenderer& render, int hosts) {
  try {
    (void)renderParts(kPicture, hosts, render);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

TEST(Parts, ADeadProcessEndsTheRunAtOnceAndIsNamed) {
  const auto start = Clock::now();
  const std::string failure = failureOf(
      [](const host::Crop&, std::size_t number) {
        signal(SIGSEGV, SIG_DFL);  // sanitizers have a word to say, and another end
        if (number == 2) raise(SIGSEGV);
        sleep(kLong);
        return PartResult{};
      },
      4);
  EXPECT_EQ(failure, "host 2: its process died of SIGSEGV (Segmentation fault)");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(kLong / 2));
}

TEST(Parts, ProcessesDieWithTheirParent) {
  std::array<int, 2> line{};
  ASSERT_EQ(pipe(line.data()), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    close(line[0]);
    (void)failureOf(
        [&](const host::Crop&, std::size_t) {
          if (write(line[1], "x", 1) != 1) _exit(1);
          sleep(kLong);
          return PartResult{};
        },
        3);
    _exit(0);
  }
  close(line[1]);
  char c = 0;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(read(line[0], &c, 1), 1);
  const auto start = Clock::now();
  ASSERT_EQ(kill(parent, SIGKILL), 0);
  EXPECT_EQ(read(line[0], &c, 1), 0) << "the end that they hold is closed";
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(kLong / 2));
  close(line[0]);
  ASSERT_EQ(waitpid(parent, nullptr, 0), parent);
}

TEST(Parts, TemporaryFilesHonourTmpdir) {
  test::inChild([] {
    const std::string folder = testing::TempDir();
    setenv("TMPDIR", "/nowhere", 1);
    EXPECT_NE(
        failureOf([](const host::Crop&, std::size_t) { return PartResult{}; }, 2).find("/nowhere"),
        std::string::npos);
    setenv("TMPDIR", folder.c_str(), 1);
    EXPECT_EQ(failureOf([](const host::Crop&, std::size_t) { return PartResult{}; }, 2), "");
  });
}

TEST(Parts, TheFirstFailureIsTheLowestHosts) {
  const std::string failure = failureOf(
      [](const host::Crop&, std::size_t number) -> PartResult {
        if (number == 1) usleep(200000);
        if (number != 0) throw InputError("number " + std::to_string(number));
        return {};
      },
      3);
  EXPECT_EQ(failure, "host 1: number 1");
}

}  // namespace
}  // namespace rtvp::platform
