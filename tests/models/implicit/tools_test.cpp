// sdf-tape as a user starts it: files, errors and the batch mode.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/support/paths.hpp"

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

class SdfTape : public ::testing::Test {
 protected:
  SdfTape() : folder_(fs::temp_directory_path() / ("rtvp_sdf_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~SdfTape() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  /// Output of both streams; exit status in status_.
  std::string run(const std::string& arguments) {
    const std::string line =
        "cd '" + folder_.string() + "' && '" RTVP_BIN_DIR "/sdf-tape' " + arguments + " 2>&1";
    FILE* const pipe = popen(line.c_str(), "r");
    std::string text;
    std::array<char, 4096> chunk{};
    for (std::size_t n; (n = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;)
      text.append(chunk.data(), n);
    status_ = WEXITSTATUS(pclose(pipe));
    return text;
  }

  int status_ = 0;

 private:
  fs::path folder_;
};

TEST_F(SdfTape, FilesThereAndBack) {
  const std::string text = "OPSDFSphere f(0.5) var\nOPStop var\n";
  write("a.sdf", text);
  EXPECT_EQ(run("a.sdf a.sdf -o two.sdft"), "");
  EXPECT_EQ(status_, 0);
  EXPECT_EQ(run("two.sdft -d"), "; object 0\n" + text + "; object 1\n" + text);
  EXPECT_EQ(run("a.sdf --words"), "80d9\n0001\n");
  EXPECT_EQ(run("a.sdf --point 0,3,4"), "4.5\n");
  EXPECT_EQ(run("a.sdf --box=-1,0,0,1,0,0"), "[-0.5, 0.5] mask 3: 2 of 2 instructions\n");
  write("bad.sdf", "OPStop var\nOPFoo\n");
  EXPECT_NE(run("bad.sdf").find("bad.sdf:2:1: error: unknown opcode"), std::string::npos);
  EXPECT_EQ(status_, 1);
  EXPECT_NE(run("none.sdf").find("none.sdf: error: found no such file"), std::string::npos);
  EXPECT_EQ(status_, 1);
  write("bad.sdft", "SDFT....");
  run("bad.sdft");
  EXPECT_EQ(status_, 1);
  run("a.sdf --point 1,2");
  EXPECT_EQ(status_, 2);
  run("");
  EXPECT_EQ(status_, 2);
  EXPECT_NE(run("--manual").find("| 217 | 0x0d9 | OPSDFSphere | F V3 | F |"), std::string::npos);
}

TEST_F(SdfTape, ExpressionFiles) {
  const std::string path = "'" RTVP_SOURCE_DIR "/scenes/implicit/";
  const std::string quarter = path + "quarter.vm' ";
  EXPECT_EQ(run(quarter), "");
  EXPECT_EQ(status_, 0);
  EXPECT_EQ(run(quarter + "--point=-0.5,-0.25,0"), "-0.1875\n");
  EXPECT_EQ(run(quarter + "--point=-1,-0.5,0 --scale 2"), "-0.1875\n");
  EXPECT_EQ(run(quarter + "--registers --box=-1,-1,0,-0.5,-0.5,0 --prune"),
            "r3 = OPMaxFloat r0 r1\nr5 = OPSquareFloat r1\nr4 = OPSquareFloat r0\n"
            "r4 = OPAddFloatFloat r4 r5\nr4 = OPSubFloatFloat r4 f(0.5)\n"
            "r3 = OPMaxFloat r3 r4\nOPStop r3\n[0, 1.5]: 4 of 6 clauses\n"
            "r4 = OPSquareFloat r1\nr3 = OPSquareFloat r0\nr3 = OPAddFloatFloat r3 r4\n"
            "r3 = OPSubFloatFloat r3 f(0.5)\nOPStop r3\n");
  // As a tape it goes through the binary form like any other.
  EXPECT_EQ(run(quarter + "-o q.sdft && '" RTVP_BIN_DIR "/sdf-tape' q.sdft --point=-0.5,-0.25,0"),
            "-0.1875\n");
  EXPECT_EQ(run(path + "prospero.vm' --box=-1,-1,0,-0.9,-0.9,0").substr(0, 1), "[");
  EXPECT_NE(run(path + "prospero.vm' --words").find("without a stack order"), std::string::npos);
  EXPECT_EQ(status_, 1);
  EXPECT_NE(run(quarter + "--scale 0").find("expected --scale"), std::string::npos);
  EXPECT_EQ(status_, 2);
  write("bad.vm", "x var-x\ny sqrt z\n");
  EXPECT_EQ(run("bad.vm"), "bad.vm:2:8: error: found 'z', expected the name of a clause above\n");
  EXPECT_EQ(status_, 1);
}

TEST_F(SdfTape, Batch) {
  const std::string tape =
      R"("tape":"OPDupVec3 var\nOPSDFSphere f(0.5) var\nOPDotVec3 var v3(1,0,0)\nOPMinFloat var var\nOPStop var")";
  write("in", "{" + tape + R"(,"points":[[3,0,4],[0,0,0]],"boxes":[[3,0,0,4,0,0],[0,9,0,1,9,0]]})" +
                  "\n\nnonsense\n{}\n{" + tape + R"(,"points":[[1,2]]})" + "\n{" + tape +
                  R"(,"boxes":[[1,0,0,0,0,0]]})" + "\n{" + tape + R"(,"extra":1})" +
                  "\n{\"tape\":\"OPFoo\"}\n{\"tape\":\"OPLogFloat f(0)\\nOPStop var\",\"points\":"
                  "[[0,0,0]]}\n{\"tape\":\"OPSqrtFloat f(-1)\\nOPStop var\",\"points\":[[0,0,0]],"
                  "\"boxes\":[[0,0,0,1,1,1]]}\n{" +
                  tape + R"(,"points":[[1e39,0,0]]})" +
                  "\n{\"vm\":\"x var-x\\ny var-y\\nr min x y\",\"view\":[2,0,0],"
                  "\"points\":[[4,2,0]],\"boxes\":[[0,4,0,1,6,0],[0,0,0,2,2,0]]}\n"
                  "{\"vm\":\"x frob\"}\n");
  const std::string out = run("--batch < in");
  EXPECT_EQ(status_, 0);
  std::vector<json::value> lines;
  for (std::size_t at = 0; at < out.size(); at = out.find('\n', at) + 1)
    lines.push_back(json::parse(out.substr(at, out.find('\n', at) - at)));
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_EQ(lines[0], json::parse(R"({"values":[3.0,-0.5],
    "intervals":[[2.5,3.5,"1f"],[0.0,1.0,"14"]]})"))
      << json::serialize(lines[0]);
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 6U, 9U, 11U})
    EXPECT_TRUE(lines[n].as_object().contains("error")) << n;
  EXPECT_NE(std::string(lines[6].at("error").as_string()).find("tape:1:1: error: unknown opcode"),
            std::string::npos);
  EXPECT_EQ(lines[7], json::parse(R"({"values":["-inf"]})"));
  EXPECT_EQ(
      lines[8],
      json::parse(R"({"values":["nan"],"intervals":[["-inf","inf","3"]],"undefined":[true]})"));
  // Expression files are programs: the last member is how many clauses are left.
  EXPECT_EQ(lines[10].at("values"), json::parse("[1.0]"));
  EXPECT_EQ(lines[10].at("intervals"), json::parse("[[0.0,0.5,1],[0.0,1.0,3]]"))
      << json::serialize(lines[10]);
}

}  // namespace
