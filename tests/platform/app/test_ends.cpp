// Where a run meets the system: its outputs, full disks, closed streams, odd names.
#include <sys/stat.h>

#include <vector>

#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

namespace fs = std::filesystem;

class Ends : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    write("s.shk", kSmallScene);
  }
  /// A shell line in the test's folder, with $P for the platform; its status.
  [[nodiscard]] int shell(const std::string& line) const {
    const std::string command = "cd '" + path("") + "' && P='" RTVP_BIN_DIR "/platform' && { " +
                                line + " ; } >stdout.txt 2>stderr.txt";
    const int raw = std::system(command.c_str());  // NOLINT(cert-env33-c): lines of this file
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
  }
  [[nodiscard]] std::string err() const { return slurp(path("stderr.txt")); }
  [[nodiscard]] bool there(const std::string& name) const { return fs::exists(path(name)); }
};

TEST_F(Ends, AnOutputIsNeitherAnInputNorAnotherOutput) {
  write("c.json", "{}");
  write("f.coff", "x");
  write("kept.png", "x");
  fs::create_hard_link(path("s.shk"), path("hard.csv"));
  fs::create_symlink("s.shk", path("soft.json"));
  fs::create_symlink("new.png", path("dangling.csv"));
  fs::create_hard_link(path("kept.png"), path("kept2.png"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--hits hard.csv", "the scene 's.shk'"},
      {"--stats soft.json", "the scene 's.shk'"},
      {"--stats ./c.json --config c.json", "the configuration 'c.json'"},
      {"-o new.png --hits dangling.csv", "two outputs"},
      {"-o kept.png --stats kept2.png", "two outputs"},
      {"--trace t.json --stats ./t.json", "two outputs"},
  };
  for (const auto& [options, expected] : cases) {
    const Outcome r = run("s.shk " + options);
    EXPECT_EQ(r.status, 2) << options << "\n" << r.err;
    EXPECT_TRUE(contains(r.err, expected)) << options << "\n" << r.err;
    EXPECT_EQ(slurp(path("s.shk")), kSmallScene) << options;
    EXPECT_FALSE(there("s.png")) << options;
  }
  EXPECT_EQ(run("s.shk -q --stats /dev/null --hits /dev/null").status, 0);
  ASSERT_EQ(run("s.shk -q --stats run.json").status, 0);
  EXPECT_EQ(run("--config run.json --stats run.json").status, 2);
}

TEST_F(Ends, OutputsAreOpenedBeforeTheWork) {
  // A run of hours; a folder that takes no file ends it at once.
  fs::create_directory(path("out.json"));
  EXPECT_EQ(shell("timeout 60 $P s.shk --size 2000x2000 --stats out.json"), 2) << err();
  EXPECT_TRUE(contains(err(), "out.json")) << err();
}

TEST_F(Ends, ResultsAppearTogetherOrNotAtAll) {
  // The statistics are larger than the limit, picture and hits are not.
  write("o.png", "old");
  EXPECT_EQ(shell("ulimit -f 16; $P s.shk -o o.png --hits o.csv --stats o.json"), 70);
  EXPECT_TRUE(contains(err(), "o.json: cannot write: File too large")) << err();
  EXPECT_FALSE(there("o.json"));
  EXPECT_EQ(slurp(path("o.png")), "old");
  EXPECT_FALSE(there("o.csv"));
  EXPECT_EQ(shell("$P s.shk -o o.png --hits o.csv --stats /dev/full"), 70);
  EXPECT_EQ(slurp(path("o.png")), "old");
  EXPECT_FALSE(there("o.csv"));
  for (const auto& entry : fs::directory_iterator(path("")))
    EXPECT_EQ(entry.path().extension().string().find("part"), std::string::npos) << entry.path();
}

TEST_F(Ends, AFullDiskCostsTheTraceAndNothingElse) {
  ASSERT_EQ(run("s.shk -q -o a.png --stats a.json --trace a.vcd").status, 0);
  ASSERT_GT(fs::file_size(path("a.vcd")), 200U * 1024U);
  ASSERT_LT(fs::file_size(path("a.json")), 100U * 1024U);
  EXPECT_EQ(shell("ulimit -f 100; $P s.shk -o b.png --stats b.json --trace b.vcd"), 70) << err();
  EXPECT_TRUE(contains(err(), "output.trace: no 'b.vcd', all other outputs are there")) << err();
  EXPECT_TRUE(contains(err(), "File too large")) << err();
  EXPECT_EQ(slurp(path("b.png")), slurp(path("a.png")));
  EXPECT_EQ(comparableStats("b.json"), comparableStats("a.json"));
  EXPECT_TRUE(contains(slurp(path("stdout.txt")), "image"));
  EXPECT_FALSE(there("b.vcd"));
  EXPECT_EQ(shell("$P s.shk -o b.png --trace c.json; ln -s /dev/full d.vcd; "
                  "$P s.shk -o d.png --trace d.vcd"),
            70);
  EXPECT_EQ(slurp(path("d.png")), slurp(path("a.png")));
}

TEST_F(Ends, AFullDiskCostsTheBoardsLogsAndNothingElse) {
  ASSERT_EQ(run("s.shk -q -o a.png --stats a.json").status, 0);
  for (const std::string& key : {std::string("result_log"), std::string("sram_dump")}) {
    const std::string other = key == "result_log" ? "sram_dump" : "result_log";
    fs::remove(path("other.txt"));
    EXPECT_EQ(shell("$P s.shk -o b.png --stats b.json --set tigershark." + key +
                    "=/dev/full --set tigershark." + other + "=other.txt"),
              70)
        << err();
    EXPECT_TRUE(contains(err(), "platform: error: tigershark." + key +
                                    ": no '/dev/full', all other outputs are there: /dev/full: "
                                    "cannot write: No space left on device"))
        << err();
    EXPECT_EQ(slurp(path("b.png")), slurp(path("a.png"))) << key;
    EXPECT_EQ(comparableStats("b.json"), comparableStats("a.json")) << key;
    EXPECT_GT(fs::file_size(path("other.txt")), 100U) << other;
  }
  // 9 KB of log, of which 4 have room.
  EXPECT_EQ(shell("ulimit -f 8; $P s.shk -o c.png --set tigershark.result_log=c.csv"), 70) << err();
  EXPECT_TRUE(contains(err(), "c.csv: cannot write: File too large")) << err();
  EXPECT_TRUE(there("c.png"));
  EXPECT_FALSE(there("c.csv"));
}

TEST_F(Ends, ALostDiagnosticCostsNoOther) {
  EXPECT_EQ(shell("ln -s /dev/full p.txt; $P s.shk -o a.png --profile p.txt --instructions i.txt "
                  "--set trace.to_us=1200 --set tigershark.result_log=/dev/full"),
            70);
  EXPECT_TRUE(contains(err(), "output.profile: no 'p.txt': p.txt: cannot write")) << err();
  EXPECT_TRUE(contains(err(), "tigershark.result_log: no '/dev/full': /dev/full: cannot")) << err();
  EXPECT_TRUE(contains(err(), "all other outputs are there")) << err();
  EXPECT_TRUE(there("i.txt"));
  EXPECT_TRUE(there("a.png"));
}

TEST_F(Ends, TheReportOfAFailureNamesTheBoardsLogs) {
  const Outcome r =
      run("s.shk -o f.png --set run.limit_ms=0.1 --set tigershark.result_log=f.csv --set "
          "tigershark.sram_dump=/dev/full");
  EXPECT_EQ(r.status, 4);
  EXPECT_TRUE(contains(r.err, "the tigershark.result_log until then: f.csv")) << r.err;
  EXPECT_TRUE(contains(slurp(path("f.csv")), "time_ps,board,dsp,batch,pixel")) << r.err;
  EXPECT_FALSE(there("f.png"));
  // One that is refused has none.
  EXPECT_EQ(run("s.shk -o g.png --profile g.txt --set trace.modules=nobody "
                "--set tigershark.result_log=g.csv")
                .status,
            2);
  EXPECT_FALSE(there("g.csv"));
}

TEST_F(Ends, TheReportOfAFailureNamesTheTrace) {
  for (const std::string& hosts : {std::string("1"), std::string("2")}) {
    const Outcome r =
        run("s.shk -o f.png --stats f.json --trace f.vcd --set run.limit_ms=0.1 "
            "--hosts " +
            hosts);
    EXPECT_EQ(r.status, 4);
    EXPECT_TRUE(contains(r.err, "the trace until then: f.vcd")) << r.err;
    EXPECT_TRUE(there("f.vcd"));
    EXPECT_FALSE(there("f.png"));
    EXPECT_FALSE(there("f.json"));
    fs::remove(path("f.vcd"));
  }
}

TEST_F(Ends, StandardOutputThatTakesNotAllIsAnError) {
  EXPECT_EQ(shell("$P s.shk -o a.png >/dev/full"), 70);
  EXPECT_TRUE(contains(err(), "platform: error: standard output cannot be written")) << err();
  EXPECT_TRUE(there("a.png"));
  EXPECT_EQ(shell("$P s.shk -o b.png >&-"), 70);
  EXPECT_EQ(slurp(path("a.png")), slurp(path("b.png")));
  for (const std::string& command :
       std::vector<std::string>{"params", "--help", "map", "scene-info s.shk"}) {
    (void)shell("{ sleep 0.3; $P " + command + "; echo $? >status; } | true");
    EXPECT_EQ(slurp(path("status")), "70\n") << command;
    EXPECT_TRUE(contains(err(), "platform: error: standard output cannot be written")) << command;
  }
}

TEST_F(Ends, NamesThatAreNoUtf8) {
  const std::string name = "caf\xE9";
  fs::copy_file(path("s.shk"), path(name + ".shk"));
  ASSERT_EQ(run("'" + name + ".shk' -q --stats a.json").status, 0);
  EXPECT_TRUE(there(name + ".png"));
  const boost::json::value stats = json("a.json");  // refuses what is no UTF-8
  const std::string escaped("caf\0e9.shk", 10);
  EXPECT_EQ(std::string(stats.at("host").at("scene_file").as_string()), escaped);
  EXPECT_EQ(std::string(stats.at("host").at("input_files").as_array().at(0).as_string()), escaped);
  EXPECT_TRUE(contains(slurp(path("a.json")), "caf\\u0000e9.shk"));
  const Outcome again = run("--config a.json -q -o b.png --stats b.json");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(comparableStats("a.json"), comparableStats("b.json"));
  // A user's configuration may name such a file in the same way.
  write("c.json", R"({"output": {"stats": "caf\u0000e9.json"}})");
  ASSERT_EQ(run("s.shk -q --config c.json").status, 0);
  EXPECT_TRUE(there(name + ".json"));
  write("c.json", R"({"output": {"stats": "caf\u0000.json"}})");
  const Outcome wrong = run("s.shk -q --config c.json");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.err, "c.json:1: ")) << wrong.err;
}

TEST_F(Ends, SettingsOfMachinesThatAreNotThereAreNamed) {
  const Outcome r =
      run("s.shk --set theia.cores=2 --set tigershark.dsps=4 --set implicit.eps=0.01 "
          "--set xphmg.hart_elf=x --set sl.shader_path=.");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.err,
                       "warning: --set: theia.cores: no such machine is in this run "
                       "(tigershark)"))
      << r.err;
  EXPECT_TRUE(contains(r.err, "--set: implicit.eps: ")) << r.err;
  EXPECT_TRUE(contains(r.err, "--set: xphmg.hart_elf: ")) << r.err;
  EXPECT_FALSE(contains(r.err, "tigershark.dsps")) << r.err;
  EXPECT_FALSE(contains(r.err, "sl.shader_path")) << r.err;
  EXPECT_EQ(run("s.shk -q --set theia.cores=2").err, "");
  ASSERT_EQ(run("s.shk -q --stats a.json").status, 0);
  EXPECT_EQ(run("--config a.json").err, "") << "a record holds every machine's parameters";
}

}  // namespace
}  // namespace rtvp::test
