// c32-run backwards: states come back as they were. These run the program as a user does, because
// an earlier state is a process of its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.hpp"

namespace rtvp::c32 {
namespace {

namespace fs = std::filesystem;

// Counts 40 up by calls of work.
constexpr const char* kProgram = R"(
        .text
_start: LDP   @pointer
        LDI   @stackp,SP
        LDI   @pointer,AR0
        LDI   20,R1
loop:   CALL  work
        SUBI  1,R1
        BNZ   loop
        LDI   @exit,AR7
        LDI   0,R0
        STI   R0,*AR7
        BU    $
work:   PUSH  R1
        LDI   *AR0,R2
        ADDI  1,R2
        STI   R2,*AR0
        POP   R1
        RETS
        .data
pointer: .word counter
stackp: .word stack-1
exit:   .word 82FFF2h
counter: .word 40
stack   .usect "stack",8
)";

class C32Reverse : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              ("c32_reverse_" + std::string(test->name()) + std::to_string(getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "p.asm") << kProgram;
    ASSERT_EQ(tool("c32-as -W none p.asm -o p.out"), 0) << text("err");
  }
  void TearDown() override { fs::remove_all(folder_); }

  int tool(const std::string& command) const {
    const std::string whole =
        "cd '" + folder_.string() + "' && '" RTVP_BIN_DIR "'/" + command + " >out 2>err </dev/null";
    const int raw = std::system(whole.c_str());
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
  }
  std::string text(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// What the commands print.
  std::string said(const std::string& commands, int status = 0) const {
    std::ofstream(folder_ / "c") << commands;
    EXPECT_EQ(tool("c32-run p.out --wait 0 --commands c"), status) << text("err") << text("out");
    return text("out");
  }
  fs::path folder_;
};

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int n = 0; n < times; ++n) all += text;
  return all;
}

std::vector<std::string> statesOf(const std::string& text) {
  std::vector<std::string> states;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line == "STATE") states.emplace_back();
    const bool stop = line.starts_with("at ") || line.find('\t') != std::string::npos;
    if (!states.empty() && !stop) states.back() += line + "\n";
  }
  return states;
}

TEST_F(C32Reverse, HundredStepsBackRestoreEveryState) {
  constexpr std::size_t kSteps = 100;
  const std::string state = "echo STATE\nregs\nmemory counter 10\nprint cycle\n";
  const auto states =
      statesOf(said("break work once\nrun\n" + state + repeated("step\n" + state, kSteps) +
                    repeated("reverse-step\n" + state, kSteps)));
  ASSERT_EQ(states.size(), 2 * kSteps + 1);
  for (std::size_t n = 0; n <= kSteps; ++n)
    ASSERT_EQ(states[kSteps + n], states[kSteps - n]) << n << " steps back";
  EXPECT_NE(states[0], states[kSteps]);
}

TEST_F(C32Reverse, ManyStepsAtOnce) {
  const auto states =
      statesOf(said("break work once\nrun\necho STATE\nregs\nstep 50\n"
                    "reverse-step 50\necho STATE\nregs\n"));
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0], states[1]);
}

TEST_F(C32Reverse, ContinueFindsWhoWroteLast) {
  // counter is 60 in the end; the latest write made it so, the one before 59.
  const std::string out = said(
      "run\nwatch counter\nreverse-continue\nprint [counter]\n"
      "reverse-continue\nprint [counter]\nrun\nprint [counter]\n");
  EXPECT_NE(out.find("was 0000003b, now 0000003c"), std::string::npos) << out;
  EXPECT_NE(out.find("was 0000003a, now 0000003b"), std::string::npos) << out;
  EXPECT_NE(out.find("0000003c  60\n"), std::string::npos) << out;
}

TEST_F(C32Reverse, TheBeginningIsTheEndOfTheWayBack) {
  const std::string out = said(
      "step 5\nbreak work\nreverse-continue\nprint PC - _start\n"
      "reverse-step\n",
      2);
  EXPECT_NE(out.find("no stop before: the beginning"), std::string::npos) << out;
  EXPECT_NE(out.find("this is the beginning"), std::string::npos) << out;
}

TEST_F(C32Reverse, ChangesByHandArePartOfHistory) {
  const std::string out = said(
      "break work once\nrun\nset R5 = 77\nstep 3\nreverse-step 2\nprint R5\n"
      "set [counter] = 1000\nstep 4\nreverse-step\nprint [counter]\n");
  EXPECT_NE(out.find("0000004d  77\n"), std::string::npos) << out;
  EXPECT_NE(out.find("000003e9  1001\n"), std::string::npos) << out;
}

TEST_F(C32Reverse, StopsFocusAndLogGoAlong) {
  const std::string out = said(
      "log session.txt\nbreak work if R1 < 15\nwatch counter group g\ndisable g\n"
      "display R1\nrun\nreverse-step 3\ninfo\nlog off\necho end\n");
  EXPECT_NE(out.find("1 break at"), std::string::npos) << out;
  EXPECT_NE(out.find("if R1 < 15, hit 1 time"), std::string::npos) << out;
  EXPECT_NE(out.find("group g, hit 0 times, disabled"), std::string::npos) << out;
  const std::string log = text("session.txt");
  EXPECT_NE(log.find("hit 1 time"), std::string::npos) << log;
  EXPECT_EQ(log.find("end\n"), std::string::npos) << log;
}

}  // namespace
}  // namespace rtvp::c32
