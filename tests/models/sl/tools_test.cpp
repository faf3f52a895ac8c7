// sl-as, sl-run and sl-cc32 as a user starts them.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "models/sl/tools/request.hpp"
#include "tests/models/sl/support.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::sl::test {
namespace {

namespace fs = std::filesystem;

class Tools : public ::testing::Test {
 protected:
  Tools() : folder_(fs::temp_directory_path() / ("rtvp_sl_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Tools() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  /// Runs `line` in the folder; output of both streams, status in `status`.
  std::string run(const std::string& line) {
    const std::string command =
        "cd " + folder_.string() + " && " + RTVP_BIN_DIR + "/" + line + " 2>&1";
    // The command is built from constants of this file and the build's own paths.
    FILE* const pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c)
    std::string out;
    std::array<char, 4096> part;
    while (const std::size_t n = fread(part.data(), 1, part.size(), pipe))
      out.append(part.data(), n);
    status = WEXITSTATUS(pclose(pipe));
    return out;
  }

  int status = 0;
  fs::path folder_;
};

TEST_F(Tools, AssemblerWritesFilesAndWords) {
  write("a.sl", "sl 1.0\ndp3 s0, N, L\nmul v0, C0, s0\n");
  EXPECT_EQ(run("sl-as a.sl"), "");
  EXPECT_EQ(status, 0);
  const std::string file = read("a.slc");
  EXPECT_EQ(file.size(), 48U);
  EXPECT_EQ(run("sl-as --words a.sl"), "3010161000000000\n2c8c810000000000\n");
  EXPECT_EQ(run("sl-as --words -o b.slc -l b.lst a.sl"), "3010161000000000\n2c8c810000000000\n");
  EXPECT_EQ(read("b.slc"), file);
  EXPECT_NE(read("b.lst").find("3010161000000000"), std::string::npos);
  EXPECT_EQ(run("sl-as -d b.slc"), "sl 1.0\ndp3 s0, N, L\nmul v0, C0, s0\n");
  EXPECT_NE(run("sl-as --manual").find("`blt s, s, j`"), std::string::npos);
}

TEST_F(Tools, AssemblerRefusesWithoutLeavingAFile) {
  write("bad.sl", "sl 1.0\nmul x,y,z\nmov N, L\n");
  EXPECT_EQ(run("sl-as bad.sl"),
            "bad.sl:2:7: error: found 'y', expected one blank after the comma\n"
            "bad.sl:3:5: error: 'N' is read-only, expected r0 to r3 or v0\n");
  EXPECT_EQ(status, 1);
  EXPECT_FALSE(fs::exists(folder_ / "bad.slc"));
  write("loose.sl", "# c\nsl 1.0\n  nop \n");
  run("sl-as loose.sl");
  EXPECT_EQ(status, 1);
  run("sl-as --lenient loose.sl");
  EXPECT_EQ(status, 0);
  EXPECT_NE(run("sl-as nowhere.sl").find("nowhere.sl: error: found no such file"),
            std::string::npos);
  EXPECT_EQ(status, 1);
  run("sl-as");
  EXPECT_EQ(status, 2);
  write("cut.slc", std::string(20, 'x'));
  EXPECT_NE(run("sl-as -d cut.slc").find("cut.slc:1:1: error: "), std::string::npos);
  EXPECT_NE(run("sl-run cut.slc").find("cut.slc:1:1: error: "), std::string::npos);
  EXPECT_EQ(status, 2);
}

TEST_F(Tools, RunnerShowsEveryStep) {
  write("a.sl", "sl 1.0\nblt Kd, Ks, 1\nli s0, 2\nmul v0, C0, s0\n");
  const std::string out = run("sl-run --trace --set C0=1,.5,-2 --set Ks=0.25 a.sl");
  EXPECT_EQ(status, 0);
  EXPECT_NE(out.find("blt Kd, Ks, 1           -> 2\n"), std::string::npos) << out;
  EXPECT_NE(out.find("mul v0, C0, s0          v0 = (0, 0, -0)\n"), std::string::npos) << out;
  EXPECT_NE(out.find("2 instructions\n"), std::string::npos) << out;
  EXPECT_NE(run("sl-run --defaults --json a.sl").find("\"ops\":3"), std::string::npos);
  EXPECT_NE(run("sl-run --set v0=1,2,3 a.sl").find("'v0' starts at 0"), std::string::npos);
  EXPECT_EQ(status, 2);
  EXPECT_NE(run("sl-run --set Q=1 a.sl").find("unknown register 'Q'"), std::string::npos);
  write("in.json", R"({"set":{"C0":[3,3,3]},"seed":5})");
  EXPECT_NE(run("sl-run --inputs in.json --set Ks=-1 a.sl").find("v0  (6, 6, 6)"),
            std::string::npos);
}

TEST_F(Tools, BatchServesEveryLine) {
  write("in", "{\"program\":\"sl 1.0\\nmov v1, Kd\\n\",\"set\":{\"Kd\":0.1}}\nnonsense\n\n{}\n");
  const std::string out = run("sl-run --batch < in");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3);
  EXPECT_NE(out.find("\"v1\":0.1,"), std::string::npos);
  EXPECT_NE(out.find("{\"error\":\"column 1: not JSON"), std::string::npos) << out;
}

TEST_F(Tools, TranslatorWritesWhatTheFirmwareIncludes) {
  write("a.sl", sourceOf("marble"));
  EXPECT_EQ(run("sl-cc32 -o . a.sl"), "");
  EXPECT_EQ(status, 0);
  EXPECT_NE(read("shader_code.inc").find("CALL    noise3"), std::string::npos);
  write("t.sl", "sl 1.0\ntrace v0, Pw, N\n");
  EXPECT_NE(run("sl-cc32 t.sl").find("t.sl:1:1: error: instruction 0"), std::string::npos);
  EXPECT_EQ(status, 1);
}

// ---- the batch contract, line by line

std::string reply(const std::string& line) {
  try {
    return answer(line);
  } catch (const std::exception& e) {
    return std::string("error: ") + e.what();
  }
}

TEST(Request, WorkedExamplesOfTheContract) {
  EXPECT_EQ(reply(R"({"program":"sl 1.0\ndp3 s0, N, L\nmul v0, C0, s0\n","set":{"N":[0,0,1],)"
                  R"("L":[0.36,0.48,0.8],"C0":[0.8,0.6,0.2]}})"),
            R"({"v0":[0.64000005,0.48000002,0.16000001],"v1":0,"regs":{"r0":[0,0,0],"r1":[0,0,0],)"
            R"("r2":[0,0,0],"r3":[0,0,0],"v0":[0.64000005,0.48000002,0.16000001],"s0":0.8,"s1":0,)"
            R"("s2":0,"s3":0,"v1":0},"ops":2})");
  const std::string second = reply(
      R"({"program":"sl 1.0\nrnd s0\nrnd s1\ntrace r0, Pw, N\nlc y r0, s0\ndiv v1, s1, Kd\nblt v1, )"
      R"(s1, 1\nmov v0, r0\n","set":{"N":[0,0,1]},"seed":1,"trace":[0.25,0.5,0.75]})");
  EXPECT_EQ(second.find(R"({"v0":[0.25,6.2942505e-05,0.75],"v1":"inf",)"), 0U) << second;
  EXPECT_NE(second.find(R"("s1":0.015747428,)"), std::string::npos);
  const std::string third = reply(
      R"({"program":"sl 1.0\nlookup v0, t0, uv\nmovc x s0, v0\nturb s1, s0\nli s2, 2.2\npow v1, s0, )"
      R"(s2\n","set":{"uv":[0.1,0.3,0]},"textures":{"t0":{"w":3,"h":2,"texels":[[1,0,0],[0,1,0],)"
      R"([0,0,1],[0.5,0.25,0.125],[0.2,0.4,0.6],[1,1,1]]}}})");
  EXPECT_EQ(third.find(R"({"v0":[0.625,0.3125,0.53125],"v1":0.35557893,)"), 0U) << third;
  EXPECT_NE(third.find(R"("s1":-0.24258614,)"), std::string::npos);
}

TEST(Request, BudgetAndCode) {
  EXPECT_EQ(reply(R"({"program":"sl 1.0\nliv x v0, 3\njmp -1\n"})"),
            R"({"v0":[0,0,0],"v1":0,"regs":{"r0":[0,0,0],"r1":[0,0,0],"r2":[0,0,0],"r3":[0,0,0],)"
            R"("v0":[0,0,0],"s0":0,"s1":0,"s2":0,"s3":0,"v1":0},"ops":65536,"budget":true})");
  EXPECT_NE(reply(R"({"code":["3010161000000000"],"set":{"N":["nan",0,1],"L":["inf",0,1]}})")
                .find(R"("s0":"nan")"),
            std::string::npos);
}

TEST(Request, NumbersAreRoundedOnce) {
  const auto kd = [](const std::string& number) {
    const std::string out =
        reply(R"({"program":"sl 1.0\nmov v1, Kd\n","set":{"Kd":)" + number + "}}");
    const std::size_t at = out.find("\"v1\":");
    return out.substr(at + 5, out.find(',', at) - at - 5);
  };
  EXPECT_EQ(kd("0.1"), "0.1");
  EXPECT_EQ(kd("1.00000005960464477540"), "1.0000001");  // through double: 1
  EXPECT_EQ(kd("16777217"), "16777216");
  EXPECT_EQ(kd("1e-46"), "0");
  EXPECT_EQ(kd("3.4028235e38"), "3.4028235e+38");
  EXPECT_EQ(kd("\"-inf\""), "\"-inf\"");
}

TEST(Request, WhatIsWrongIsSaid) {
  const std::string p = R"({"program":"sl 1.0\nnop\n",)";
  const std::pair<std::string, const char*> wrong[] = {
      {"", "not JSON"},
      {"[]", "expected an object"},
      {"{}", "expected \"program\" or \"code\""},
      {p + R"("code":["0000000000000000"]})", "found both"},
      {p + R"("what":1})", "unknown field 'what'"},
      {p + R"("set":{"Q":1}})", "unknown register 'Q'"},
      {p + R"("set":{"v0":[1,2,3]}})", "'v0' starts at 0"},
      {p + R"("set":{"v1":1}})", "'v1' starts at 0"},
      {p + R"("set":{"N":1}})", "set.N: expected an array of three numbers"},
      {p + R"("set":{"N":[1,2]}})", "set.N: expected an array of three numbers"},
      {p + R"("set":{"N":[1,2,"x"]}})", "set.N: expected an array of three numbers"},
      {p + R"("set":{"Kd":[1,2,3]}})", "set.Kd: expected a number"},
      {p + R"("set":{"Kd":1e39}})", "beyond the largest"},
      {p + R"("set":{"N":[1,2,1e39]}})", "beyond the largest"},
      {p + R"("seed":0})", "seed: expected a whole number from 1"},
      {p + R"("seed":4294967296})", "seed: expected"},
      {p + R"("seed":1.5})", "seed: expected"},
      {p + R"("trace":1})", "trace: expected"},
      {p + R"("textures":{"t8":{}}})", "expected t0 to t7"},
      {p + R"("textures":{"t0":{"w":1,"h":1}}})", "expected w, h and texels"},
      {p + R"("textures":{"t0":{"w":2,"h":1,"texels":[[1,2,3]]}}})", "found 1, expected w*h = 2"},
      {p + R"("textures":{"t0":{"w":4097,"h":1,"texels":[]}}})", "t0.w: expected"},
      {p + R"("textures":{"t0":{"w":0,"h":1,"texels":[]}}})", "t0.w: expected"},
      {p + R"("seed":1,"seed":2})", "'seed' is given twice"},
      {p + R"("seed":1}x)", "not JSON"},
      {R"({"program":"nop\n"})", "program:1:1: error: "},
      {R"({"program":7})", "program: expected"},
      {R"({"code":["xyz"]})", "16 hexadecimal digits"},
      {R"({"code":[]})", "code: found no instruction"},
      {R"({"code":["3010161000000001"]})", "does not use"},
  };
  for (const auto& [line, text] : wrong) {
    const std::string out = reply(line);
    EXPECT_EQ(out.find("error: "), 0U) << line << ": " << out;
    EXPECT_NE(out.find(text), std::string::npos) << line << ": " << out;
  }
}

}  // namespace
}  // namespace rtvp::sl::test
