// theia-as and theia-run as a user meets them: output, messages and exit statuses.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tests/models/theia/frame_support.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::theia {
namespace {

using namespace test;
namespace fs = std::filesystem;

struct Outcome {
  int status = -1;
  std::string out;
};

Outcome shell(const std::string& command) {
  Outcome run;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    run.out.append(buffer, n);
  const int status = pclose(pipe);
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
}

const std::string kBin = std::string(RTVP_BIN_DIR) + "/";

/// A folder of its own, removed at the end.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("theia_tools_" + std::to_string(getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
  fs::path path;
};

TEST(TheiaTools, BatchAnswersEveryLine) {
  const Folder folder;
  const std::string input = folder.file(
      "in",
      "{\"op\":\"MUL\",\"d\":[\"0\",\"0\",\"0\"],\"s1\":[\"00020000\",\"00040000\",\"fffe0000\"],"
      "\"s2\":[\"00020000\",\"00010000\",\"00030000\"]}\n"
      "{\"op\":\"SETY\",\"d\":[\"1\",\"2\",\"3\"],\"imm\":\"ABCD\"}\n"
      "nonsense\n"
      "{\"op\":\"JEQX\",\"s1\":[\"fffffffd\",\"0\",\"0\"],\"s2\":[\"3\",\"0\",\"0\"]}\n"
      "{\"program\":\"SETX R1 32'h5\\nADD R2 R1 R1\\nRETURN RT_TRUE\",\"regs\":{\"R1\":[\"0\","
      "\"7\",\"0\"]},\"dump\":[\"R2\"]}\n"
      "{\"program\":\"ADD R1\"}\n"
      "{\"op\":\"INTP\"}\n"
      "{\"op\":\"MUL\",\"s1\":[1]}\n"
      "[]\n");
  const Outcome run = shell(kBin + "theia-run --batch < " + input);
  EXPECT_EQ(run.status, 0);
  std::vector<std::string> lines;
  std::istringstream in(run.out);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 9U) << run.out;
  EXPECT_EQ(lines[0], "{\"d\":[\"00020000\",\"00020000\",\"fffd0000\"],\"cycles\":3}");
  EXPECT_EQ(lines[1], "{\"d\":[\"00000001\",\"0000abcd\",\"00000003\"],\"cycles\":2}");
  EXPECT_EQ(lines[3], "{\"taken\":true,\"cycles\":2}");
  EXPECT_EQ(lines[4],
            "{\"regs\":{\"R2\":[\"0000000a\",\"0000000e\",\"00000000\"]},\"flag\":1,\"cycles\":8}");
  for (const unsigned bad : {2U, 5U, 6U, 7U, 8U})
    EXPECT_EQ(lines[bad].rfind("{\"error\":", 0), 0U) << lines[bad];
}

TEST(TheiaTools, FrameReplaysFromAFolderWithItsInputsOnly) {
  for (const std::string name : {"frame_tiny_4c", "frame_bary_4c"}) {
    const Folder folder;
    for (const char* const file :
         {"config.tsv", "triangles.tsv", "texture.tsv", "instructions.tsv"})
      fs::copy_file(kData + name + "/" + file, folder.path / file);
    const std::string output = (folder.path / "omem.tsv").string();
    const Outcome run =
        shell(kBin + "theia-run --frame " + folder.path.string() + " -o " + output + " --cycles");
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(slurp(output), unzip(kData + name + "/omem.tsv.gz"));
    const double clocks = std::stod(run.out), measured = name == "frame_tiny_4c" ? 11782 : 34698;
    EXPECT_NEAR(clocks, measured, 0.01 * measured);
    const Outcome plain =
        shell(kBin + "theia-run --plain --cycles --frame " + folder.path.string());
    EXPECT_EQ(plain.out, run.out);
  }
}

TEST(TheiaTools, BadFramesAreRefusedWithFileAndLine) {
  const std::string source = kData + "frame_tiny_4c/";
  const auto run = [&](const std::string& file, const std::string& from, const std::string& to) {
    const Folder folder;
    for (const char* const name :
         {"config.tsv", "triangles.tsv", "texture.tsv", "instructions.tsv"}) {
      std::string text = slurp(source + name);
      if (name == file) {
        const auto at = text.find(from);
        EXPECT_NE(at, text.npos);
        if (at != text.npos) text.replace(at, from.size(), to);
      }
      std::ofstream(folder.path / name) << text;
    }
    return shell(kBin + "theia-run --frame " + folder.path.string());
  };
  const Outcome number = run("triangles.tsv", "FFFA0000", "FFFA000G");
  EXPECT_EQ(number.status, 2);
  EXPECT_NE(number.out.find("triangles.tsv:2: found 'FFFA000G', expected 8 hex digits"),
            std::string::npos)
      << number.out;
  EXPECT_EQ(run("config.tsv", "core3", "core99").status, 2);
  EXPECT_EQ(run("config.tsv", "00100000\t00100000", "00100000\t00020000").status, 2);
  EXPECT_EQ(run("instructions.tsv", "13\t", "14\t").status, 2);
  EXPECT_EQ(run("texture.tsv", "1\t0\t", "16\t0\t").status, 2);
  // Protocol and firmware faults: status 3, core, PC and pixel named.
  const Outcome shares =
      run("config.tsv", "00100000\t00080000\t00000000", "00100000\t000A0000\t00000000");
  EXPECT_EQ(shares.status, 3);
  EXPECT_NE(shares.out.find("all cores must own the same number"), std::string::npos);
  const Outcome hang = run("instructions.tsv", "12\t00000000", "12\t00220000");
  EXPECT_EQ(hang.status, 3);
  EXPECT_NE(hang.out.find("core 0, PC 800Ch (user row 12), pixel 0"), std::string::npos)
      << hang.out;
  EXPECT_EQ(shell(kBin + "theia-run --frame /nonexistent").status, 2);
  EXPECT_EQ(shell(kBin + "theia-run").status, 2);
  EXPECT_EQ(shell(kBin + "theia-run --what").status, 2);
}

TEST(TheiaTools, TraceShowsEveryInstruction) {
  const Outcome run = shell(kBin + "theia-run --trace --frame " + kData + "frame_tiny_4c");
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("core3 00C4  DIV CREG_t CREG_H1 CREG_DELTA  = "), std::string::npos);
}

TEST(TheiaTools, AssemblerWritesWordsImageAndListing) {
  const Folder folder;
  const std::string shader = kData + "frame_bary_4c/shader.tasm";
  std::string expected;
  for (const auto& row : rows(slurp(kData + "frame_bary_4c/instructions.tsv"))) {
    for (const unsigned column : {1U, 2U}) {
      char line[16];
      std::snprintf(line, sizeof line, "%08x\n", word(row.at(column)));
      expected += line;
    }
  }
  const Outcome words = shell(kBin + "theia-as --words " + shader);
  EXPECT_EQ(words.status, 0);
  EXPECT_EQ(words.out, expected);
  const std::string image = (folder.path / "image").string();
  const std::string list = (folder.path / "list").string();
  EXPECT_EQ(shell(kBin + "theia-as -o " + image + " -l " + list + " " + shader).status, 0);
  EXPECT_EQ(slurp(image), "00000060\n" + expected);
  EXPECT_NE(slurp(list).find("12  00410040 00020000       SETX C1"), std::string::npos);
  const Outcome bad = shell(kBin + "theia-as " + folder.file("bad.tasm", "FOO\nADD R1\n"));
  EXPECT_EQ(bad.status, 1);
  EXPECT_NE(bad.out.find("bad.tasm:1:1: error: "), std::string::npos);
  EXPECT_NE(bad.out.find("bad.tasm:2:7: error: "), std::string::npos);
  const std::string rom = folder.file("rom.tasm", ".rom\n.org 300\nHERE:\n  RET R99 TRUE\n");
  const std::string user = folder.file("user.tasm", "  JMP HERE VOID VOID\n");
  EXPECT_EQ(shell(kBin + "theia-as --words " + user).status, 1);
  EXPECT_EQ(shell(kBin + "theia-as --words --symbols " + rom + " " + user).status, 0);
  EXPECT_EQ(shell(kBin + "theia-as --words --symbols none.tasm " + user).status, 1);
  EXPECT_EQ(shell(kBin + "theia-as").status, 2);
  EXPECT_EQ(shell(kBin + "theia-as --manual").status, 0);
}

}  // namespace
}  // namespace rtvp::theia
