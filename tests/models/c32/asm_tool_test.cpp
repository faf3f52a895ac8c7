// c32-as and c32-objdump as a user runs them: options, files, exit statuses.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/tool_folder.hpp"

namespace {

class C32Tools : public rtvp::test::ToolFolder {
 protected:
  void SetUp() override {
    ToolFolder::SetUp();
    std::filesystem::create_directories(folder_ / "inc");
  }
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

TEST_F(C32Tools, SourceBetweenTheWords) {
  write("inc/a.c", "int f(void)\n{\n  return 5;\n}\n");
  write(
      "a.asm",
      "\t.file \"C:\\\\old\\\\a.c\"\n\t.global _f\n\t.sym _f,_f,36,2,0\n\t.func 1\n_f:\n\t.line 3\n"
      "\tLDI 5,R0\n\t.line 4\n\tRETS\n\t.endfunc 4,0,0\ng:\tNOP\n");
  ASSERT_EQ(run("c32-as", "-o a.out a.asm"), 0) << read("err");
  ASSERT_EQ(run("c32-objdump", "-S -I inc a.out"), 0) << read("err");
  const std::string out = read("out");
  EXPECT_NE(out.find("a.c:3    return 5;\n000000  08600005  LDI 5,R0\n"), std::string::npos) << out;
  EXPECT_NE(out.find("a.c:4  }\n000001"), std::string::npos) << out;
  EXPECT_NE(out.find("a.asm:11  g:\tNOP\n000002"), std::string::npos) << out;
  ASSERT_EQ(run("c32-objdump", "-g --calls --dot a.out"), 0) << read("err");
  EXPECT_NE(read("out").find("int f()"), std::string::npos) << read("out");
  EXPECT_NE(read("out").find("000000h         2       0             5  _f"), std::string::npos)
      << read("out");
  EXPECT_NE(read("out").find("digraph calls {"), std::string::npos);
  EXPECT_EQ(run("c32-objdump", "--calls --bound nowhere a.out"), 2);
  EXPECT_EQ(run("c32-objdump", "--calls --bound f=0 a.out"), 2);
  ASSERT_EQ(run("c32-as", "-c -o a.obj a.asm"), 0);
  EXPECT_EQ(run("c32-objdump", "--calls a.obj"), 1);
}

TEST_F(C32Tools, TheChipDecidesThePredefinedSymbols) {
  write("a.asm", "\t.word .C30,.C31,.C32,.TMS320C3X\n");
  const auto words = [this](const std::string& options) {
    EXPECT_EQ(run("c32-as", options + " -o a.out a.asm"), 0) << read("err");
    EXPECT_EQ(run("c32-objdump", "--words .text a.out"), 0) << read("err");
    std::string digits;
    for (std::istringstream lines(read("out")); !lines.eof();) {
      std::string line;
      if (std::getline(lines, line)) digits += line.back();
    }
    return digits;
  };
  EXPECT_EQ(words(""), "0011");
  EXPECT_EQ(words("--chip c30"), "1001");
  EXPECT_EQ(words("--chip c31"), "0101");
  EXPECT_EQ(words("--chip c32"), "0011");
  EXPECT_EQ(run("c32-as", "--chip c40 a.asm"), 2);
}

/// Sizes of sections are words of a space of 2^24.
TEST_F(C32Tools, LinkerRefusesStacksBeyondTheAddressSpace) {
  write("a.asm", "\t.text\ns:\tNOP\n\t.end s\n");
  ASSERT_EQ(run("c32-as", "-c -o a.obj a.asm"), 0) << read("err");
  for (const char* const option : {"--stack", "--heap"}) {
    EXPECT_EQ(run("c32-ld", std::string(option) + " 0x1000001 -o a.out a.obj"), 2);
    EXPECT_NE(read("err").find("found '0x1000001', expected a number of words"), std::string::npos)
        << read("err");
    EXPECT_EQ(run("c32-ld", std::string(option) + " 0x1000000 -o a.out a.obj"), 0) << read("err");
  }
}

}  // namespace
