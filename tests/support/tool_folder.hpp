// A folder of a test's own, in which tools of the build run as a user starts them.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/paths.hpp"

namespace rtvp::test {

/// The folder is empty when a test begins, and gone when it ends.
class ToolFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string(test->test_suite_name()) + "_" + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  /// Exit status; output goes to the files out and err.
  int run(const std::string& tool, const std::string& arguments) const {
    const std::string command = "cd '" + folder_.string() + "' && '" RTVP_BIN_DIR "/" + tool +
                                "' " + arguments + " >out 2>err";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::filesystem::path folder_;
};

}  // namespace rtvp::test
