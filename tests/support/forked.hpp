// SystemC elaborates once per process, so every bench scenario runs in a forked child (style.md
// S34).
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>

namespace rtvp::test {

/// Runs `body` in a child process; a GoogleTest failure, an exception or a signal in it fails the
/// calling test.
inline void inChild(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0) << "fork failed";
  if (child == 0) {
    int code = 0;
    try {
      body();
      if (testing::Test::HasFailure()) code = 1;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "exception in child: %s\n", e.what());
      code = 2;
    }
    std::fflush(nullptr);
    _exit(code);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "child died of signal " << WTERMSIG(status);
  if (WIFEXITED(status)) {
    EXPECT_EQ(WEXITSTATUS(status), 0) << "see the child's output above";
  }
}

}  // namespace rtvp::test
