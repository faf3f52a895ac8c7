// What a run is known by: the contents of every file that it reads. stats.json says which they are,
// `--config stats.json` makes the run again, and sweeps run again what reads another file.
#include <array>
#include <cstdio>

#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

namespace fs = std::filesystem;

/// SHA-256 as coreutils see it.
std::string sha256sum(const fs::path& file) {
  const std::string command = "sha256sum '" + file.string() + "'";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "no pipe";
  std::array<char, 65> digest{};
  const std::size_t read = std::fread(digest.data(), 1, 64, pipe);
  pclose(pipe);
  return {digest.data(), read};
}

/// A scene that reads one file of every kind.
class Inputs : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    makeScene("one");
  }
  void makeScene(const std::string& folder) const {
    fs::create_directories(path(folder));
    const fs::path scenes = RTVP_SOURCE_DIR "/scenes";
    fs::copy_file(scenes / "implicit/ball.sdf", path(folder + "/ball.sdf"));
    fs::copy_file(scenes / "shaders/cosine.sl", path(folder + "/own.sl"));
    fs::copy_file(scenes / "textures/sky_ny.png", path(folder + "/t.png"));
    fs::copy_file(scenes / "textures/sky_nx.png", path(folder + "/u.png"));
    write(folder + "/a.shk", std::string(kSmallScene) +
                                 "include b.shk\ntexture sky t.png\n"
                                 "implicit ball.sdf at 2 1 0 scale .3\n");
    write(folder + "/b.shk", "obj m.obj\nsurface own\nt -1 1 1  1 1 1  0 2 1\nsurface none\n");
    write(folder + "/m.obj",
          "mtllib m.mtl\nusemtl x\nv 2 0 1\nv 3 0 1\nv 2 1 1\nvt 0 0\nvt 1 0\nvt 0 1\n"
          "f 1/1 2/2 3/3\n");
    write(folder + "/m.mtl", "newmtl x\nKd 1 0 0\nmap_Kd u.png\n");
  }
  [[nodiscard]] boost::json::array inputsOf(const std::string& stats) const {
    return json(stats).at("configuration").at("inputs").as_array();
  }
  /// Roles in order.
  [[nodiscard]] std::string roles(const std::string& stats) const {
    std::string text;
    for (const auto& input : inputsOf(stats)) {
      text += (text.empty() ? "" : " ") + std::string(input.at("role").as_string());
    }
    return text;
  }
  [[nodiscard]] std::string hash(const std::string& stats) const {
    return std::string(json(stats).at("configuration_hash").as_string());
  }
  void append(const std::string& file, const std::string& text) const {
    std::ofstream(path(file), std::ios::binary | std::ios::app) << text;
  }
  void expectRun(const std::string& arguments) const {
    const Outcome r = run(arguments);
    EXPECT_EQ(r.status, 0) << arguments << "\n" << r.err;
  }
};

constexpr const char* kTiny = " --size 4x4 --depth 1 --dsps 4 -q ";

TEST_F(Inputs, EveryFileIsRecordedByRoleContentAndSize) {
  expectRun(std::string("one/a.shk") + kTiny + "--stats s.json -o x.ppm");
  EXPECT_EQ(roles("s.json"), "scene include obj mtl texture shader texture implicit");
  const boost::json::array paths = json("s.json").at("host").at("input_files").as_array();
  const boost::json::array inputs = inputsOf("s.json");
  ASSERT_EQ(paths.size(), inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const fs::path file = path(std::string(paths[i].as_string()));
    EXPECT_EQ(inputs[i].at("sha256").as_string(), sha256sum(file)) << file;
    EXPECT_EQ(inputs[i].at("bytes").to_number<std::uint64_t>(), fs::file_size(file)) << file;
  }
  const boost::json::value build = json("s.json").at("host").at("build");
  EXPECT_FALSE(build.at("version").as_string().empty());
  EXPECT_FALSE(build.at("revision").as_string().empty());
}

TEST_F(Inputs, TheIdentityIsContentNotPlace) {
  expectRun(std::string("one/a.shk") + kTiny + "--stats s.json -o x.ppm");
  fs::copy(path("one"), path("two"));
  expectRun(std::string("two/a.shk") + kTiny + "--stats t.json -o y.ppm");
  EXPECT_EQ(comparableStats("s.json"), comparableStats("t.json"));
  // Each file counts, whatever it is.
  for (const char* file : {"a.shk", "b.shk", "m.obj", "m.mtl"}) {
    append(std::string("two/") + file, "\n# a comment\n");
  }
  std::string known = hash("s.json");
  for (const char* file : {"a.shk", "b.shk", "m.obj", "m.mtl", "own.sl", "ball.sdf"}) {
    append(std::string("two/") + file, "\n");
    expectRun(std::string("two/a.shk") + kTiny + "--stats t.json -o y.ppm");
    EXPECT_NE(hash("t.json"), known) << file;
    known = hash("t.json");
  }
  // Another picture under the same name.
  fs::copy_file(path("two/u.png"), path("two/t.png"), fs::copy_options::overwrite_existing);
  expectRun(std::string("two/a.shk") + kTiny + "--stats t.json -o y.ppm");
  EXPECT_NE(hash("t.json"), known);
}

TEST_F(Inputs, WhatMachinesReadIsCalledAfterItsParameter) {
  const std::string firmware = RTVP_BINARY_DIR "/firmware/tigershark.coff";
  expectRun(std::string("one/b.shk") + kTiny + "--set tigershark.firmware=" + firmware +
            " --hosts 2 --stats s.json -o x.ppm");
  EXPECT_EQ(roles("s.json"), "scene obj mtl texture shader tigershark.firmware");
  EXPECT_EQ(inputsOf("s.json").back().at("sha256").as_string(), sha256sum(firmware));
  EXPECT_FALSE(json("s.json").at("configuration").as_object().contains("tigershark.firmware"));

  write("u.tasm", "ENTRYPOINT_ADRR_PIXELSHADER:\n    RET R99 TRUE\n");
  write("c.shk", kSmallScene);
  const Outcome r =
      run("c.shk --size 4x4 --depth 1 --engine theia -q --stats t.json -o x.ppm --set "
          "theia.user_code=u.tasm");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(roles("t.json"), "scene theia.user_code");

  write("two.json",
        R"({"schema_version": 1, "devices": [{"machine": "tigershark", "count": 2}],
            "assign": "share", "set": {"tigershark.dsps": 4}})");
  const Outcome two =
      run("c.shk --size 4x4 --depth 1 -q --computer two.json --stats u.json -o x.ppm");
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(roles("u.json"), "computer.file scene");
}

TEST_F(Inputs, AHartProgramIsOne) {
  const fs::path program = RTVP_BINARY_DIR "/firmware/xphmg/queue_driver.elf";
  ASSERT_TRUE(fs::exists(program)) << "no RISC-V compiler: scripts/setup installs one";
  write("c.shk", kSmallScene);
  expectRun(
      "c.shk --size 4x4 --depth 1 --engine xphmg -q --set xphmg.driver=hart --set "
      "xphmg.hart_elf='" +
      program.string() + "' --stats s.json -o x.ppm");
  EXPECT_EQ(roles("s.json"), "scene xphmg.hart_elf");
}

// ---- a run made again

TEST_F(Inputs, StatisticsMakeTheirRunAgain) {
  const std::string firmware = RTVP_BINARY_DIR "/firmware/tigershark.coff";
  fs::copy_file(firmware, path("f.coff"));
  expectRun(
      std::string("one/a.shk") + kTiny +
      "--set tigershark.firmware=f.coff --set render.ray_offset=0.0003 --hosts 2 --stats s.json "
      "--hits h.csv -o x.ppm");
  expectRun("one/a.shk --config s.json -q --stats t.json --hits i.csv -o y.ppm");
  EXPECT_EQ(comparableStats("s.json"), comparableStats("t.json"));
  EXPECT_EQ(slurp(path("h.csv")), slurp(path("i.csv")));
  EXPECT_EQ(slurp(path("x.ppm")), slurp(path("y.ppm")));
  // The scene's name is in it, too.
  expectRun("--config t.json -q --stats u.json -o z.ppm");
  EXPECT_EQ(comparableStats("s.json"), comparableStats("u.json"));

  append("one/m.mtl", "# a comment\n");
  append("f.coff", "x");
  const Outcome other = run("--config s.json -q --stats v.json -o w.ppm");
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "s.json: this would be another run")) << other.err;
  EXPECT_TRUE(contains(other.err, "mtl 'one/m.mtl' has changed")) << other.err;
  EXPECT_TRUE(contains(other.err, "tigershark.firmware 'f.coff' has changed")) << other.err;
  EXPECT_FALSE(contains(other.err, "m.obj")) << other.err;
  EXPECT_FALSE(fs::exists(path("w.ppm")));
}

TEST_F(Inputs, ARunOfSeveralMachinesIsMadeAgainToo) {
  write("c.shk", kSmallScene);
  write("two.json",
        R"({"schema_version": 1, "devices": [
              {"machine": "tigershark", "count": 2, "set": {"tigershark.dsps": 4}},
              {"machine": "xphmg"}],
            "assign": "share", "set": {"bus.width": 8}})");
  expectRun(
      "c.shk --size 8x8 --depth 2 -q --computer two.json --set tigershark1.wait_states=1 "
      "--stats s.json -o x.ppm");
  expectRun("--config s.json -q --stats t.json -o y.ppm");
  EXPECT_EQ(comparableStats("s.json"), comparableStats("t.json"));
  EXPECT_EQ(slurp(path("x.ppm")), slurp(path("y.ppm")));
}

TEST_F(Inputs, StatisticsOfAnotherKindAreRefused) {
  write("s.json", R"({"schema_version": 1, "configuration": {}, "host": {"scene_file": "a.shk"}})");
  const Outcome r = run("--config s.json -q -o x.ppm");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "s.json: found statistics that do not say what was run")) << r.err;
}

// ---- sweeps

TEST_F(Inputs, ASweepSaysWhatItRunsAgainAndWhy) {
  const std::string command =
      "sweep one/a.shk --size 4x4 --depth 1 --dsps 2,4 -o out -q --set tigershark.firmware=f.coff";
  fs::copy_file(RTVP_BINARY_DIR "/firmware/tigershark.coff", path("f.coff"));
  const auto expect = [&](const std::string& ran, const std::string& reason) {
    const Outcome r = run(command);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_TRUE(contains(r.out, "2 points, " + ran + " run now, 0 failed")) << reason << r.out;
    if (reason.empty()) {
      EXPECT_FALSE(contains(r.out, "again")) << r.out;
    } else {
      EXPECT_TRUE(contains(r.out, ran + " run again: " + reason)) << r.out;
    }
  };
  expect("2", "");
  expect("0", "");
  for (const char* const file :
       {"scene one/a.shk", "include one/b.shk", "obj one/m.obj", "mtl one/m.mtl",
        "shader one/own.sl", "implicit one/ball.sdf", "tigershark.firmware f.coff"}) {
    const std::string text = file;
    const std::size_t blank = text.find(' ');
    const std::string name = text.substr(blank + 1);
    append(name, "\n");
    expect("2", text.substr(0, blank) + " '" + name + "' has changed");
  }
  fs::copy_file(path("one/u.png"), path("one/t.png"), fs::copy_options::overwrite_existing);
  expect("2", "texture 'one/t.png' has changed");
  expect("0", "");
  append("one/m.mtl", "#\n");
  append("one/m.obj", "#\n");
  expect("2", "mtl 'one/m.mtl' has changed (and 1 more)");
}

// What the scenes of ASweepSaysWhatItRunsAgainAndWhy do not read.
TEST_F(Inputs, ASweepKnowsTheFilesOfOtherFormatsAndMachines) {
  write("mesh.pbrt",
        "LookAt 0 0 5  0 0 0  0 1 0\nCamera \"perspective\" \"float fov\" 60\nWorldBegin\n"
        "Shape \"plymesh\" \"string filename\" \"m.ply\"\n");
  write("m.ply",
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
        "end_header\n-1 -1 0\n1 -1 0\n0 1 0\n3 0 1 2\n");
  write("mesh.gltf", R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
      "nodes": [{"mesh": 0}],
      "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
      "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                     "min": [0, 0, 0], "max": [1, 1, 0]}],
      "bufferViews": [{"buffer": 0, "byteLength": 36}],
      "buffers": [{"uri": "m.bin", "byteLength": 36}]})");
  const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  write("m.bin", std::string(reinterpret_cast<const char*>(corners), sizeof corners));
  write("c.shk", kSmallScene);
  write("u.tasm", "ENTRYPOINT_ADRR_PIXELSHADER:\n    RET R99 TRUE\n");
  write("two.json", R"({"schema_version": 1, "devices": [{"machine": "tigershark", "count": 2}],
                        "assign": "share", "set": {"tigershark.dsps": 4}})");
  const fs::path program = RTVP_BINARY_DIR "/firmware/xphmg/queue_driver.elf";
  ASSERT_TRUE(fs::exists(program)) << "no RISC-V compiler: scripts/setup installs one";
  fs::copy_file(program, path("q.elf"));
  struct Case {
    const char* arguments;
    const char* role;
    const char* file;
  };
  const Case cases[] = {
      {"mesh.pbrt --engine reference", "mesh", "m.ply"},
      {"mesh.gltf --engine reference", "buffer", "m.bin"},
      {"c.shk --engine theia --set theia.user_code=u.tasm", "theia.user_code", "u.tasm"},
      {"c.shk --engine xphmg --set xphmg.driver=hart --set xphmg.hart_elf=q.elf", "xphmg.hart_elf",
       "q.elf"},
      {"c.shk --set computer.file=two.json", "computer.file", "two.json"},
  };
  for (const Case& c : cases) {
    const std::string command =
        "sweep " + std::string(c.arguments) + " --size 4x4 --depth 1 -q -o out";
    ASSERT_EQ(run(command + " --fresh").status, 0) << c.role << slurp(path("stderr.txt"));
    const Outcome same = run(command);
    EXPECT_TRUE(contains(same.out, "1 points, 0 run now, 0 failed")) << c.role << same.out;
    append(c.file, "\n");
    const Outcome again = run(command);
    EXPECT_TRUE(contains(again.out, "1 points, 1 run now, 0 failed")) << c.role << again.out;
    EXPECT_TRUE(contains(again.out,
                         "1 run again: " + std::string(c.role) + " '" + c.file + "' has changed"))
        << again.out << again.err;
  }
}

// Another link of the same sources, or a strip, is the same program.
TEST_F(Inputs, TheProgramsBytesAreNoPartOfIt) {
  write("c.shk", kSmallScene);
  const std::string arguments = " sweep c.shk --size 4x4 --depth 1 --dsps 4 -q -o out";
  ASSERT_EQ(run(arguments).status, 0);
  fs::copy_file(RTVP_BIN_DIR "/platform", path("other"));
  append("other", "bytes behind the end");
  const std::string command = "cd '" + path("") + "' && ./other" + arguments + " >stdout.txt 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0)  // NOLINT(cert-env33-c): a line of this file
      << slurp(path("stdout.txt"));
  EXPECT_TRUE(contains(slurp(path("stdout.txt")), "1 points, 0 run now, 0 failed"))
      << slurp(path("stdout.txt"));
}

TEST_F(Inputs, ACopyElsewhereIsTheSameSweep) {
  const auto sweep = [&](const std::string& folder) {
    return run("sweep " + folder + "/a.shk --size 4x4 --depth 1 --dsps 2,4 -q -o " + folder +
               "/out");
  };
  ASSERT_EQ(sweep("one").status, 0);
  fs::copy(path("one"), path("two"), fs::copy_options::recursive);
  fs::remove_all(path("one"));
  const Outcome r = sweep("two");
  EXPECT_TRUE(contains(r.out, "2 points, 0 run now, 0 failed")) << r.out << r.err;
}

TEST_F(Inputs, AFigureMeansOneStatistic) {
  write("c.shk", kSmallScene);
  const std::string command =
      "sweep c.shk --size 4x4 --depth 1 --set tigershark.boards=2 -o out -q ";
  const Outcome r = run(command + "--figure f=rays");
  EXPECT_EQ(r.status, 2) << r.out;
  EXPECT_TRUE(contains(r.err, "figures.f: found 'rays', which ends several statistics' paths"))
      << r.err;
  for (const char* path : {"picture.rays", "modules.pc#.ray_tree.rays"}) {
    EXPECT_TRUE(contains(r.err, path)) << path << r.err;
  }
  // Known points are asked, too.
  EXPECT_EQ(run(command + "--figure g=rays").status, 2);
  // Boards are instances of one statistic.
  const Outcome sum = run(command + "--figure n=array.lanes --figure m=board1.array.lanes");
  ASSERT_EQ(sum.status, 0) << sum.err;
  EXPECT_TRUE(contains(slurp(path("out/sweep.csv")), "0,32,16,")) << slurp(path("out/sweep.csv"));
}

TEST_F(Inputs, MachinesSayWhatASweepReports) {
  write("c.shk", kSmallScene);
  const Outcome r =
      run("sweep c.shk --size 4x4 --depth 1 --engine tigershark,xphmg,theia -o out -q");
  ASSERT_EQ(r.status, 0) << r.err;
  const std::string csv = slurp(path("out/sweep.csv"));
  EXPECT_TRUE(contains(csv, "time [ms],rays [rays/s],")) << csv;
  // What every machine has stands first; nothing of one machine leaves holes in the others' rows.
  EXPECT_TRUE(contains(csv, "limited by")) << csv;
  EXPECT_FALSE(contains(csv, "barrier [share of DSP time]")) << csv;
  ASSERT_EQ(run("sweep c.shk --size 4x4 --depth 1 --engine tigershark -o alone -q").status, 0);
  const std::string alone = slurp(path("alone/sweep.csv"));
  EXPECT_TRUE(contains(alone, "barrier [share of DSP time]")) << alone;
}

}  // namespace
}  // namespace rtvp::test
