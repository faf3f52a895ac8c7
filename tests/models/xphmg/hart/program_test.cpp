// The programs of firmware/xphmg through xphmg-run, as a user runs them. They need Debian's RISC-V
// compiler at build time and are skipped with a message where they were not built.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/paths.hpp"

namespace {

struct Ended {
  int status = -1;
  std::string output;  ///< standard output and error
};

Ended runTool(const std::string& arguments) {
  const std::string command = std::string(RTVP_BIN_DIR) + "/xphmg-run " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  Ended ended;
  std::array<char, 4096> chunk{};
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
    ended.output.append(chunk.data(), n);
  }
  const int raw = pclose(pipe);
  ended.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
  return ended;
}

std::string programFile(const std::string& name) {
  return std::string(RTVP_BINARY_DIR) + "/firmware/xphmg/" + name + ".elf";
}

#define REQUIRE_PROGRAM(name)                      \
  if (!std::filesystem::exists(programFile(name))) \
  FAIL() << programFile(name) << " was not built (Debian package gcc-riscv64-unknown-elf)"

TEST(XphmgRun, DriverSeesTheSameHitsThroughQueueAndInstructions) {
  REQUIRE_PROGRAM("driver");
  const Ended ended = runTool(programFile("driver"));
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.output,
            "3 hits, 1 misses\n"
            "ray 0: triangle 0 at t = 1.000\n"
            "ray 1: triangle 0 at t = 1.000\n"
            "ray 2: triangle 2 at t = 3.000\n"
            "ray 3: miss\n"
            "queue and instructions agree\n");
}

TEST(XphmgRun, LoopsCountEveryInstruction) {
  REQUIRE_PROGRAM("loops");
  const Ended ended = runTool(programFile("loops"));
  EXPECT_EQ(ended.status, 0) << ended.output;
}

TEST(XphmgRun, TraceNamesInstructionsSymbolsAndRegisters) {
  REQUIRE_PROGRAM("driver");
  const Ended ended = runTool(programFile("driver") + " --trace -");
  EXPECT_NE(ended.output.find("xsubmit.rt"), std::string::npos);
  EXPECT_NE(ended.output.find("rt.tri a0, ("), std::string::npos);
  EXPECT_NE(ended.output.find("; main+"), std::string::npos);
}

TEST(XphmgRun, StatisticsAddUp) {
  REQUIRE_PROGRAM("driver");
  const Ended ended = runTool(programFile("driver") + " --stats -");
  EXPECT_NE(ended.output.find("rt0.rays 4"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("hart.cycles_blocked"), std::string::npos);
}

TEST(XphmgRun, LimitStopsWithStatus4) {
  REQUIRE_PROGRAM("loops");
  const Ended ended = runTool(programFile("loops") + " --max-instructions 1000");
  EXPECT_EQ(ended.status, 4);
  EXPECT_NE(ended.output.find("1000 instructions"), std::string::npos) << ended.output;
}

TEST(XphmgRun, BadFilesAndOptionsEndWithStatus2) {
  const Ended missing = runTool("/nowhere/none.elf");
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.output.find("found no such file"), std::string::npos);
  const Ended not_elf = runTool(std::string(RTVP_SOURCE_DIR) + "/README.md");
  EXPECT_EQ(not_elf.status, 2);
  EXPECT_NE(not_elf.output.find("not an ELF file"), std::string::npos);
  EXPECT_EQ(runTool("").status, 2);
  EXPECT_EQ(runTool("--ram 0 x.elf").status, 2);
  EXPECT_EQ(runTool("--nonsense").status, 2);
}

}  // namespace
