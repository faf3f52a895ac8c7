// Runs the platform executable as a user does, and reads the files it leaves.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/paths.hpp"

namespace rtvp::test {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

inline std::string slurp(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A folder of its own for each test, removed at its end.
class PlatformTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(info->test_suite_name()) + "." + info->name();
    for (char& c : name) c = c == '/' ? '_' : c;
    folder_ = std::filesystem::path(testing::TempDir()) / (name + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  [[nodiscard]] Outcome runTool(const std::string& tool, const std::string& arguments) const {
    const std::string command = "cd '" + folder_.string() + "' && '" RTVP_BIN_DIR "/" + tool +
                                "' " + arguments + " >stdout.txt 2>stderr.txt";
    const int raw = std::system(command.c_str());
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, slurp(path("stdout.txt")),
            slurp(path("stderr.txt"))};
  }
  [[nodiscard]] Outcome run(const std::string& arguments) const {
    return runTool("platform", arguments);
  }

  [[nodiscard]] boost::json::value json(const std::string& name) const {
    return boost::json::parse(slurp(path(name)));
  }
  /// Statistics without the part that may differ between equal runs.
  [[nodiscard]] std::string comparableStats(const std::string& name) const {
    boost::json::value stats = json(name);
    stats.as_object().erase("host");
    return boost::json::serialize(stats);
  }

 private:
  std::filesystem::path folder_;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A small scene with all that matters: triangles, light from one side, a mirror, glass; 12 x 10.
inline constexpr const char* kSmallScene =
    "w 12\nh 10\nb 0.1 0.2 0.3\ne 0 1.5 6\nlo 0 0.5 0\nu 0 1 0\nli 5 8 6 1 1 1\nli -5 4 3 .3 .3 "
    ".4\n"
    "m .8 .7 .6 .8 .2 .2 5 0 0 1\n"
    "t -4 0 -4  -4 0 4  4 0 4\nt -4 0 -4  4 0 4  4 0 -4\n"
    "m .9 .2 .2 .6 .3 .2 9 0 .5 1\n"
    "t -1.5 0 0  -.2 0 0  -.8 1.8 .3\nt -.2 0 0  -.4 .2 -1.2  -.8 1.8 .3\n"
    "t -.4 .2 -1.2  -1.5 0 0  -.8 1.8 .3\n"
    "m .2 .8 .3 .5 .5 .2 20 .6 0 1.4\n"
    "t .3 0 .5  1.7 0 .4  1.0 1.6 -.1\nt 1.7 0 .4  1.1 .1 -1  1.0 1.6 -.1\n"
    "t 1.1 .1 -1  .3 0 .5  1.0 1.6 -.1\n";

}  // namespace rtvp::test
