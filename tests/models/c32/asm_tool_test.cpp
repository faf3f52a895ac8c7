// c32-as and c32-objdump as a user runs them: options, files, exit statuses.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

class C32Tools : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        ("c32_tools_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "inc");
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

TEST_F(C32Tools, AssembleListAndDump) {
  write("inc/n.inc", "M .set 3\n");
  write("a.asm", "\t.include \"n.inc\"\n\t.org 100h\nstart:\tLDI N+M,R0\n\tBU start\n");
  ASSERT_EQ(run("c32-as", "-I inc -D N=0x10 -o a.coff -l a.lst a.asm"), 0) << read("err");
  EXPECT_EQ(read("err"), "");
  EXPECT_NE(read("a.lst").find("000100 08600013 1      3\tstart:\tLDI N+M,R0"), std::string::npos)
      << read("a.lst");
  ASSERT_EQ(run("c32-objdump", "--words .text a.coff"), 0) << read("err");
  EXPECT_EQ(read("out"), "08600013\n6a00fffe\n");
  ASSERT_EQ(run("c32-objdump", "-d -h -t a.coff"), 0);
  EXPECT_NE(read("out").find("000101  6a00fffe  BU 0000100h"), std::string::npos) << read("out");
  ASSERT_EQ(run("c32-as", "-I inc -D N=16 a.asm"), 0);
  EXPECT_EQ(read("a.out"), read("a.coff"));
}

TEST_F(C32Tools, ErrorsAndStatuses) {
  write("bad.asm", "\tLDI 1\n\tFOO\n");
  EXPECT_EQ(run("c32-as", "bad.asm"), 1);
  EXPECT_EQ(read("err"),
            "bad.asm:1:2: error: found 1 operands of LDI, expected 2\n"
            "bad.asm:2:2: error: found 'FOO', expected an instruction, a directive or a macro\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bad.out"));
  EXPECT_EQ(run("c32-as", "nowhere.asm"), 1);
  EXPECT_EQ(run("c32-as", ""), 2);
  EXPECT_EQ(run("c32-as", "--nonsense"), 2);
  EXPECT_EQ(run("c32-as", "-D 1=x=y bad.asm"), 2);
  EXPECT_EQ(run("c32-as", "--manual"), 0);
  EXPECT_NE(read("out").find("`ADDI3 src2,src1,dst`"), std::string::npos);
  EXPECT_EQ(run("c32-objdump", "-h bad.asm"), 1);
}

}  // namespace
