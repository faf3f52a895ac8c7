// What every command-line tool does alike: --version and --help, "-" for standard input and output,
// exit statuses, standard output that cannot be written, outputs replaced in one step.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/paths.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* kAssembly = "\t.text\nstart:\tLDI 19,R0\n\tBU start\n";
constexpr const char* kAssemblyWords = "08600013\n6a00fffe\n";
constexpr const char* kShader = "sl 1.0\ndp3 s0, N, L\nmul v0, C0, s0\n";
constexpr const char* kShaderWords = "3010161000000000\n2c8c810000000000\n";
constexpr const char* kTape = "OPSDFSphere f(0.5) var\nOPStop var\n";
constexpr const char* kTapeWords = "80d9\n0001\n";

class Tools : public testing::Test {
 protected:
  Tools() {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(name, '/', '_');
    folder_ = fs::path(testing::TempDir()) / ("tools_" + name);
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Tools() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Exit status of a shell line that finds the tools first; output goes to the files out and err.
  int run(const std::string& line) const {
    const std::string command = "cd '" + folder_.string() +
                                "' && PATH='" RTVP_BIN_DIR ":'\"$PATH\" && { " + line +
                                " ; } >out 2>err </dev/null";
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): lines of this file
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  fs::path folder_;
};

class EveryTool : public Tools, public testing::WithParamInterface<const char*> {
 protected:
  std::string name_ = GetParam();
};

TEST_P(EveryTool, TellsVersionAndHelp) {
  EXPECT_EQ(run(name_ + " --version"), 0);
  EXPECT_EQ(read("out"), name_ + " " RTVP_PROJECT_VERSION "\n");
  EXPECT_EQ(read("err"), "");
  EXPECT_EQ(run(name_ + " --help"), 0);
  EXPECT_NE(read("out").find(name_), std::string::npos);
  EXPECT_NE(read("out").find("--version"), std::string::npos);
  const std::string help = read("out");
  const int status = run(name_ + " -h");
  if (name_ == "c32-objdump") {  // its -h lists sections, as other objdumps' does
    EXPECT_EQ(status, 2);
  } else {
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read("out"), help);
  }
}

/// The manual page has every option of --help: the tables are the same.
TEST_P(EveryTool, WritesItsManualPage) {
  EXPECT_EQ(run(name_ + " --help"), 0);
  const std::string help = read("out");
  EXPECT_EQ(run(name_ + " --man"), 0);
  const std::string page = read("out");
  EXPECT_EQ(page.rfind(".TH ", 0), 0U) << page;
  unsigned options = 0;
  for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 2)) {
    const std::size_t line = help.rfind('\n', at) + 1;
    // An option's own line begins with blanks, perhaps a short name, and then its long one.
    if (help.substr(line, at - line).find_first_not_of(" [-abcdefghijklmnopqrstuvwxyzIDSOTWNM") !=
            std::string::npos ||
        at - line > 12 || line == at)
      continue;
    std::string name;
    for (std::size_t i = at + 2; i < help.size() && (std::isalnum(help[i]) != 0 || help[i] == '-');
         ++i)
      name += help[i] == '-' ? std::string("\\-") : std::string(1, help[i]);
    ++options;
    EXPECT_NE(page.find("\\-\\-" + name), std::string::npos) << name << "\n" << page;
  }
  EXPECT_GE(options, 2) << help;
}

TEST_P(EveryTool, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(run(name_ + " --nonsense"), 2);
  EXPECT_EQ(read("out"), "");
  EXPECT_EQ(read("err").rfind(name_ + ": error: ", 0), 0U) << read("err");
}

TEST_P(EveryTool, SaysThatStandardOutputIsFull) {
  ASSERT_TRUE(fs::exists("/dev/full"));
  EXPECT_EQ(run(name_ + " --help >/dev/full"), 70);
  EXPECT_EQ(read("err").rfind(name_ + ": error: standard output cannot be written", 0), 0U)
      << read("err");
}

TEST_P(EveryTool, SaysThatAPipeIsClosed) {
  // The tool starts when its reader is gone.
  run("({ sleep 0.3; " + name_ + " --help; echo $? >status; } | true)");
  EXPECT_EQ(read("status"), "70\n");
  EXPECT_EQ(read("err").rfind(name_ + ": error: standard output cannot be written", 0), 0U)
      << read("err");
}

TEST_P(EveryTool, TakesNoFileForStandardOutputThatIsClosed) {
  EXPECT_EQ(run(name_ + " --help >&-"), 70);
}

INSTANTIATE_TEST_SUITE_P(All, EveryTool,
                         testing::Values("c32-as", "c32-ld", "c32-ar", "c32-objdump", "c32-run",
                                         "theia-as", "theia-run", "xphmg-run", "sdf-tape", "sl-as",
                                         "sl-run", "sl-cc32", "implicit-counts"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_F(Tools, C32RunShowsMemoryEightWordsALine) {
  write("w.asm", "\t.text\nstart:\t.word 1,2,3,4,5,6,7,8,9,10\n");
  ASSERT_EQ(run("c32-as -o w.coff w.asm"), 0) << read("err");
  ASSERT_EQ(run("c32-run --steps 1 --dump .text w.coff"), 4) << read("err");  // the limit
  EXPECT_EQ(read("out"),
            "000000  00000001 00000002 00000003 00000004 00000005 00000006 00000007 00000008\n"
            "000008  00000009 0000000a\n");
}

TEST_F(Tools, C32SourcesAndObjectsThroughPipes) {
  write("a.asm", kAssembly);
  ASSERT_EQ(run("c32-as -o - - <a.asm | c32-objdump --words .text -"), 0);
  EXPECT_EQ(read("out"), kAssemblyWords) << read("err");
  ASSERT_EQ(run("c32-as -c -o a.obj a.asm && c32-ld -o - - <a.obj | c32-objdump --words .text -"),
            0);
  EXPECT_EQ(read("out"), kAssemblyWords) << read("err");
  ASSERT_EQ(run("c32-as -o a.coff -l - a.asm"), 0);
  EXPECT_NE(read("out").find("08600013"), std::string::npos);
  ASSERT_EQ(run("c32-run --steps 1 --regs - <a.coff"), 4);  // the limit
  EXPECT_NE(read("out").find("19"), std::string::npos);
  ASSERT_EQ(run("echo 'step; regs' | c32-run --commands - a.coff"), 0) << read("err");
  EXPECT_NE(read("out").find("19"), std::string::npos);
}

TEST_F(Tools, C32MessagesNameStandardInput) {
  EXPECT_EQ(run("printf '\\tFOO\\n' | c32-as -o a.coff -"), 1);
  EXPECT_EQ(read("err").rfind("<stdin>:1:2: error: found 'FOO'", 0), 0U) << read("err");
  EXPECT_FALSE(fs::exists(folder_ / "a.coff"));
  EXPECT_EQ(run("c32-as - </dev/null"), 2);
  EXPECT_EQ(run("echo nonsense | c32-objdump -t -"), 1);
  EXPECT_EQ(run("c32-ld - </dev/null"), 1);
  EXPECT_EQ(
      read("err"),
      "<stdin>: error: found nothing in it, expected an object file, an archive or a script\n");
}

TEST_F(Tools, OneReaderAndOneWriterOfAStream) {
  write("a.asm", kAssembly);
  EXPECT_EQ(run("c32-as -o - -l - a.asm"), 2);
  EXPECT_EQ(read("out"), "");
  EXPECT_EQ(read("err"),
            "c32-as: error: found - more than once, expected one file only on standard output\n");
  EXPECT_EQ(run("c32-ld -o a.out - -"), 2);
  EXPECT_EQ(run("c32-run --commands - - <a.asm"), 2);
  EXPECT_EQ(run("sl-run --inputs - -"), 2);
  EXPECT_EQ(run("sdf-tape - -"), 2);
}

TEST_F(Tools, TheiaSourceFromAPipe) {
  write("a.tasm", "start:\n  NOP\n  RETURN RT_TRUE\n");
  const int status = run("theia-as --words a.tasm");
  const std::string words = read("out"), messages = read("err");
  EXPECT_EQ(run("theia-as --words - <a.tasm"), status);
  EXPECT_EQ(read("out"), words);
  EXPECT_EQ(run("theia-as -o - -l a.lst a.tasm"), status);
  EXPECT_EQ(run("printf 'FOO R1\\n' | theia-as -"), 1);
  EXPECT_EQ(read("err").rfind("<stdin>:1:1: error: ", 0), 0U) << read("err");
}

TEST_F(Tools, ShadersThroughPipes) {
  write("a.sl", kShader);
  ASSERT_EQ(run("sl-as --words - <a.sl"), 0) << read("err");
  EXPECT_EQ(read("out"), kShaderWords);
  ASSERT_EQ(run("sl-as -o - - <a.sl | sl-as -d -"), 0);
  EXPECT_EQ(read("out"), kShader);
  EXPECT_EQ(run("sl-as - <a.sl"), 2);
  const std::string set = " --set N=0,0,1 --set L=0,0,1 --set C0=1,2,3 ";
  ASSERT_EQ(run("sl-run" + set + "- <a.sl"), 0) << read("err");
  EXPECT_NE(read("out").find("v0  (1, 2, 3)"), std::string::npos) << read("out");
  ASSERT_EQ(
      run(R"(echo '{"set":{"N":[0,0,1],"L":[0,0,1],"C0":[4,5,6]}}' | sl-run --inputs - a.sl)"), 0)
      << read("err");
  EXPECT_NE(read("out").find("v0  (4, 5, 6)"), std::string::npos) << read("out");
  ASSERT_EQ(run("sl-cc32 - <a.sl"), 0) << read("err");
  EXPECT_EQ(run("printf 'sl 1.0\\nfoo\\n' | sl-cc32 -"), 1);
  EXPECT_EQ(read("err").rfind("<stdin>:2:1: error: ", 0), 0U) << read("err");
}

TEST_F(Tools, TapesThroughPipes) {
  write("a.sdf", kTape);
  ASSERT_EQ(run("sdf-tape --words - <a.sdf"), 0) << read("err");
  EXPECT_EQ(read("out"), kTapeWords);
  ASSERT_EQ(run("sdf-tape -o - - <a.sdf | sdf-tape --words -"), 0) << read("err");
  EXPECT_EQ(read("out"), kTapeWords);
  EXPECT_EQ(run("echo nonsense | sdf-tape -"), 1);
  EXPECT_EQ(read("err").rfind("<stdin>:1:1: error: ", 0), 0U) << read("err");
}

TEST_F(Tools, HartProgramFromAPipe) {
  EXPECT_EQ(run("echo nonsense | xphmg-run -"), 2);
  EXPECT_EQ(read("err").rfind("xphmg-run: <stdin>: ", 0), 0U) << read("err");
}

TEST_F(Tools, AFileIsReplacedInOneStepOrNotAtAll) {
  write("good.asm", kAssembly);
  write("bad.asm", "\tFOO\n");
  write("target", "old");
  fs::permissions(folder_ / "target", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("target", folder_ / "link");
  EXPECT_EQ(run("c32-as -o link bad.asm"), 1);
  EXPECT_EQ(read("target"), "old");
  EXPECT_EQ(run("c32-as -o link good.asm"), 0);
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(fs::status(folder_ / "target").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(run("c32-objdump --words .text target"), 0);
  EXPECT_EQ(read("out"), kAssemblyWords);
  EXPECT_EQ(run("c32-as -o nowhere/a.coff good.asm"), 2);
  EXPECT_EQ(read("err"),
            "nowhere/a.coff:1:1: error: found a file that cannot be written, expected a writable "
            "one\n");
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
}

TEST_F(Tools, AnOutputIsNeitherAnInputNorAnotherOutput) {
  write("a.asm", kAssembly);
  fs::create_symlink("a.asm", folder_ / "link");
  fs::create_hard_link(folder_ / "a.asm", folder_ / "hard");
  fs::create_symlink("new", folder_ / "dangling");
  fs::copy_file(folder_ / "a.asm", folder_ / "b.out");
  for (const char* const line :
       {"c32-as -o a.asm a.asm", "c32-as -o ./link a.asm", "c32-as -o hard a.asm",
        "c32-as -o x -l link a.asm", "c32-as -o new -l dangling a.asm", "c32-as b.out",
        "c32-ld -o hard a.asm", "c32-ld -T a.asm -m link none", "theia-as -o link a.asm",
        "sl-as -l hard a.asm", "sdf-tape -o link none a.asm", "xphmg-run --trace hard a.asm",
        "c32-run --trace link a.asm", "c32-run --trace t --serial-out ./t a.asm"}) {
    EXPECT_EQ(run(line), 2) << line;
    EXPECT_NE(read("err").find("expected a file of its own"), std::string::npos) << line << "\n"
                                                                                 << read("err");
    EXPECT_EQ(read("a.asm"), kAssembly) << line;
    EXPECT_EQ(read("b.out"), kAssembly) << line;
    EXPECT_EQ(read("out"), "") << line;
  }
  EXPECT_EQ(run("c32-as -o /dev/null -l /dev/null a.asm"), 0) << read("err");
}

TEST_F(Tools, WorkEndsWhereNobodyReads) {
  // Without an end of its own: 100 million instructions, each a line.
  write("loop.asm", "\t.text\nstart:\tBU start\n");
  ASSERT_EQ(run("c32-as -o loop.out loop.asm"), 0) << read("err");
  run("{ timeout 30 c32-run --trace - loop.out; echo $? >status; } | head -n 1");
  EXPECT_EQ(read("status"), "70\n");
}

TEST_F(Tools, FoldersAndMissingFilesAreNoInput) {
  fs::create_directory(folder_ / "sub");
  // One error, one wording, whatever tool.
  for (const char* const tool :
       {"c32-as", "c32-ld", "c32-ar -t", "c32-objdump -t", "c32-run", "theia-as", "sl-as", "sl-run",
        "sl-cc32", "sdf-tape", "xphmg-run"}) {
    for (const auto& [path, found] : {std::pair("sub", "a folder"), {"missing", "no such file"}}) {
      EXPECT_GT(run(std::string(tool) + " " + path), 0);
      const std::string start = std::string(path) + ": error: found " + found + ", expected ";
      EXPECT_EQ(read("err").rfind(start, 0), 0U) << tool << ": " << read("err");
    }
  }
}

TEST_F(Tools, BatchStopsWhenNobodyReads) {
  ASSERT_TRUE(fs::exists("/dev/full"));
  for (const char* const tool : {"c32-run", "theia-run", "xphmg-run", "sdf-tape", "sl-run"}) {
    EXPECT_EQ(run("yes '{}' | " + std::string(tool) + " --batch >/dev/full"), 70) << tool;
  }
}

}  // namespace
