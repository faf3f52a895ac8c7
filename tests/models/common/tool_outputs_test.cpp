// Outputs of the tools against inputs that only the work itself names: included sources, files of
// linker command files, the files of a translation; and files that belong together.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "models/common/tool/files.hpp"
#include "tests/support/paths.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = "\t.include \"part.inc\"\n\t.global start\nstart:\tLDI N,R0\n";
constexpr const char* kPart = "N\t.set 3\n";

class ToolOutputs : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("tool_outputs_") +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("a.asm", kSource);
    write("part.inc", kPart);
    fs::create_symlink("part.inc", folder_ / "link");
    fs::create_hard_link(folder_ / "part.inc", folder_ / "hard");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] bool there(const std::string& name) const { return fs::exists(folder_ / name); }
  int run(const std::string& line) const {
    const std::string command = "cd '" + folder_.string() +
                                "' && PATH='" RTVP_BIN_DIR ":'\"$PATH\" && { " + line +
                                " ; } >out 2>err </dev/null";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void expectRefused(const std::string& line) const {
    EXPECT_EQ(run(line), 2) << line;
    EXPECT_NE(read("err").find("expected a file of its own"), std::string::npos) << line << '\n'
                                                                                 << read("err");
  }
  fs::path folder_;
};

TEST_F(ToolOutputs, TheAssemblerKeepsIncludedSources) {
  for (const char* const output : {"part.inc", "./part.inc", "link", "hard"}) {
    expectRefused("c32-as -o " + std::string(output) + " a.asm");
    expectRefused("c32-as -o new -l " + std::string(output) + " a.asm");
    EXPECT_EQ(read("part.inc"), kPart);
    EXPECT_FALSE(there("new")) << "together or not at all";
  }
  EXPECT_EQ(run("c32-as -o new -l list a.asm"), 0) << read("err");
}

TEST_F(ToolOutputs, ListingAndObjectComeTogetherOrNotAtAll) {
  write("list", "old");
  write("object", "older");
  write("bad.asm", "\tFOO\n");
  EXPECT_EQ(run("c32-as -o object -l list bad.asm"), 1);
  EXPECT_EQ(read("list"), "old");
  EXPECT_EQ(read("object"), "older");
  ASSERT_EQ(run("c32-as -o object -l list a.asm"), 0) << read("err");
  EXPECT_NE(read("list"), "old");
  EXPECT_NE(read("object"), "older");
}

TEST_F(ToolOutputs, FilesOfASetStandOrFallTogether) {
  write("one", "old");
  fs::create_directories(folder_ / "folder");
  const std::string one = (folder_ / "one").string(), other = (folder_ / "folder").string();
  const rtvp::tool::Output outputs[] = {{one, "new"}, {other, "a folder is no file"}};
  EXPECT_THROW(rtvp::tool::writeOutputs(outputs), rtvp::tool::Failure);
  EXPECT_EQ(read("one"), "old");
  const rtvp::tool::Output good[] = {{one, "new"}, {"", "nowhere"}};
  rtvp::tool::writeOutputs(good);
  EXPECT_EQ(read("one"), "new");
}

TEST_F(ToolOutputs, TheLinkerKeepsWhatACommandFileNames) {
  ASSERT_EQ(run("c32-as -c -o a.obj a.asm"), 0) << read("err");
  const std::string object = read("a.obj");
  fs::create_symlink("a.obj", folder_ / "alias");
  for (const char* const commands : {"a.obj\n-o alias\n", "a.obj\n-o x.out\n-m a.obj\n",
                                     "a.obj\n-o x.out\n-m ./x.out\n", "a.obj\n-o own.cmd\n"}) {
    write("own.cmd", commands);
    expectRefused("c32-ld own.cmd");
    EXPECT_EQ(read("a.obj"), object) << commands;
    EXPECT_EQ(read("own.cmd"), commands);
    EXPECT_FALSE(there("x.out")) << commands;
  }
  // What the command line names is compared with what the command file names, too.
  write("own.cmd", "a.obj\n");
  expectRefused("c32-ld own.cmd -o alias");
  write("own.cmd", "a.obj\n-o x.out\n-m x.map\n");
  EXPECT_EQ(run("c32-ld own.cmd"), 0) << read("err");
  EXPECT_TRUE(there("x.out") && there("x.map"));
}

TEST_F(ToolOutputs, ATranslationKeepsItsSource) {
  const std::string shader = "sl 1.0\ndp3 s0, N, L\nmul v0, C0, s0\n";
  write("shader.sl", shader);
  fs::create_directories(folder_ / "to");
  ASSERT_EQ(run("sl-cc32 -o to shader.sl"), 0) << read("err");
  // Each of its files in turn is the source itself.
  for (const auto& entry : fs::directory_iterator(folder_ / "to")) {
    const std::string name = entry.path().filename().string();
    fs::create_directories(folder_ / ("at_" + name));
    fs::create_hard_link(folder_ / "shader.sl", folder_ / ("at_" + name) / name);
    expectRefused("sl-cc32 -o 'at_" + name + "' shader.sl");
    EXPECT_EQ(read("shader.sl"), shader) << name;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / ("at_" + name)), {}), 1) << name;
  }
}

}  // namespace
