// Points that run elsewhere: lines, workers, scripts for other engines, and the collector.
#include <sqlite3.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "tests/platform/sweep/points_anywhere.hpp"

namespace rtvp::test {
namespace {

constexpr const char* kSpec =
    "sweep a.shk --size 6x6 --depth 1 --dsps 1,2,4 --set "
    "render.order=hilbert,scanline ";

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string line; std::getline(stream, line);) list.push_back(line);
  return list;
}

TEST_F(PointsAnywhere, AWorkersResultsAreThoseOfOneProcess) {
  const std::string csv = reference(kSpec);
  const Outcome r = shell(std::string("platform ") + kSpec +
                          "--emit jsonl > p.jsonl && platform --worker < p.jsonl > r.jsonl");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(lines(slurp(path("p.jsonl"))).size(), 6U);
  EXPECT_FALSE(std::filesystem::exists(path("a.sweep"))) << "--emit jsonl leaves no folder";
  const Outcome merged = run(std::string(kSpec) + "-q -o out --merge r.jsonl");
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_TRUE(contains(merged.out, "6 points, 6 merged now, 0 failed")) << merged.out;
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
  EXPECT_EQ(slurp(path("out/index.html")), slurp(path("alone/index.html")));
  // What is known is not emitted again, nor run.
  EXPECT_EQ(run(std::string(kSpec) + "-o out --emit jsonl").out, "");
  EXPECT_TRUE(contains(run(std::string(kSpec) + "-q -o out").out, "0 run now"));
  // Nothing stays behind.
  EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
}

TEST_F(PointsAnywhere, GnuParallelGivesTheSameTable) {
  if (!has("parallel")) GTEST_SKIP() << "GNU parallel is not installed (scripts/setup)";
  const std::string csv = reference(kSpec);
  const Outcome r =
      shell(std::string("platform ") + kSpec +
            "--emit jsonl | parallel --will-cite --pipe -N1 -j2 platform --worker > r.jsonl");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(run(std::string(kSpec) + "-q -o out --merge r.jsonl").status, 0);
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
}

TEST_F(PointsAnywhere, AnotherFolderWithTheSameContentsWillDo) {
  const std::string csv = reference(kSpec);
  std::filesystem::create_directories(path("there/data"));
  const Outcome r = shell(std::string("platform ") + kSpec +
                          "--emit jsonl > p.jsonl && cp a.shk there && "
                          "platform --worker --root there < p.jsonl > r.jsonl");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(run(std::string(kSpec) + "-q -o out --merge r.jsonl").status, 0);
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
  // Other contents under the same name are another scene.
  write("there/a.shk", std::string(kSmallScene) + "t 0 0 0 1 0 0 0 1 0\n");
  const Outcome other = shell("platform --worker --root there < p.jsonl");
  EXPECT_EQ(other.status, 0);
  ASSERT_EQ(lines(other.out).size(), 6U);
  EXPECT_TRUE(contains(lines(other.out)[5], "other contents")) << other.out;
  EXPECT_TRUE(contains(lines(other.out)[5], "\"point\":5")) << other.out;
  EXPECT_EQ(shell("platform --worker --root there --check < p.jsonl").status, 2);
  EXPECT_EQ(shell("platform --worker --check < p.jsonl").status, 0);
}

TEST_F(PointsAnywhere, OnePointByItsNumber) {
  const std::string csv = reference(kSpec);
  for (int i = 0; i < 6; ++i) {
    const Outcome r = run(std::string(kSpec) + "--point " + std::to_string(i));
    ASSERT_EQ(r.status, 0) << r.err;
    std::filesystem::create_directories(path("results"));
    write("results/" + std::to_string(i) + ".json", r.out);
  }
  EXPECT_EQ(run(std::string(kSpec) + "-q -o out --merge results").status, 0);
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
  const Outcome beyond = run(std::string(kSpec) + "--point 6");
  EXPECT_EQ(beyond.status, 2);
  EXPECT_TRUE(contains(beyond.err, "expected 0..5")) << beyond.err;
}

TEST_F(PointsAnywhere, MakeRunsWhatIsMissing) {
  const std::string csv = reference(kSpec);
  ASSERT_EQ(run(std::string(kSpec) + "-o out --emit make").status, 0);
  const Outcome made = shell("make -k -j2 -C out");
  ASSERT_EQ(made.status, 0) << made.err;
  const auto writtenAt = [&] {
    std::vector<std::filesystem::file_time_type> list;
    for (const auto& e : std::filesystem::directory_iterator(path("out/results"))) {
      list.push_back(e.last_write_time());
    }
    return list;
  };
  const auto before = writtenAt();
  EXPECT_EQ(before.size(), 6U);
  EXPECT_EQ(shell("make -C out").status, 0);
  EXPECT_EQ(writtenAt(), before) << "nothing is made again";
  EXPECT_EQ(run(std::string(kSpec) + "-q -o out --merge out/results").status, 0);
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
  // Files are checked before the first point runs.
  ASSERT_EQ(run(std::string(kSpec) + "-o new --emit make").status, 0);
  write("a.shk", "w 4\n");
  const Outcome changed = shell("make -C new");
  EXPECT_NE(changed.status, 0);
  EXPECT_TRUE(contains(changed.err, "other contents")) << changed.err;
  EXPECT_TRUE(std::filesystem::is_empty(path("new/results")));
}

// No scheduler here: the test starts the tasks of the array as Slurm would.
TEST_F(PointsAnywhere, ASlurmArrayRunsEveryPointOnce) {
  const std::string csv = reference(kSpec);
  ASSERT_EQ(run(std::string(kSpec) + "-o out --emit slurm").status, 0);
  ASSERT_EQ(shell("bash -n out/points.slurm").status, 0);
  EXPECT_TRUE(contains(slurp(path("out/points.slurm")), "#SBATCH --array=1-6\n"));
  write("sbatch",
        "#!/usr/bin/env bash\nset -e\n"
        "tasks=$(sed -n 's/^#SBATCH --array=1-//p' \"$1\")\ncp \"$1\" ../spooled\n"
        "for i in $(seq \"$tasks\"); do\n"
        "  SLURM_SUBMIT_DIR=$PWD SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$i bash ../spooled\n"
        "done\n");
  const Outcome r = shell("cd out && bash ../sbatch points.slurm");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(run(std::string(kSpec) + "-q -o out --merge out/results").status, 0);
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
  const Outcome outside = shell("bash out/points.slurm");
  EXPECT_NE(outside.status, 0);
  EXPECT_TRUE(contains(outside.err, "array job")) << outside.err;
}

TEST_F(PointsAnywhere, SnakemakeRunsEveryPoint) {
  ASSERT_EQ(run(std::string(kSpec) + "-o out --emit snakemake").status, 0);
  if (!has("snakemake")) GTEST_SKIP() << "snakemake is not installed";
  const std::string csv = reference(kSpec);
  const Outcome r = shell("cd out && snakemake -k -j2");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(run(std::string(kSpec) + "-q -o out --merge out/results").status, 0);
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
}

// Program, folder and files are wrong: nothing may have run when that is said. The program's
// stand-in keeps a list of what it was asked to do.
TEST_F(PointsAnywhere, EmittedScriptsCheckEverythingBeforeTheFirstPoint) {
  struct Engine {
    const char *name, *needs, *command;
  };
  write("spy", "#!/bin/sh\necho \"$@\" >> '" + path("asked.txt") + "'\nexec platform \"$@\"\n");
  std::filesystem::permissions(path("spy"), std::filesystem::perms::owner_all);
  const std::string spy = "PLATFORM='" + path("spy") + "' ";
  for (const Engine& e :
       {Engine{"make", "make", "make -k -j2 -C out"},
        Engine{"slurm", "bash", "cd out && SLURM_ARRAY_TASK_ID=1 bash points.slurm"},
        Engine{"snakemake", "snakemake", "cd out && snakemake -k -j2"}}) {
    if (!has(e.needs)) continue;
    const auto fails = [&](const std::string& what, const std::string& before,
                           const std::string& program, const std::string& why) {
      std::filesystem::remove_all(path("out"));
      write("asked.txt", "");
      write("a.shk", kSmallScene);
      ASSERT_EQ(run(std::string(kSpec) + "-q -o out --emit " + e.name).status, 0);
      const Outcome r = shell(before + "; " + std::string("export ") + program + "; " + e.command);
      EXPECT_NE(r.status, 0) << e.name << ": " << what;
      EXPECT_TRUE(contains(r.err + r.out, why)) << e.name << ": " << what << ": " << r.err;
      std::istringstream asked(slurp(path("asked.txt")));
      for (std::string line; std::getline(asked, line);) {
        EXPECT_TRUE(contains(line, "--check")) << e.name << ": " << what << ": ran " << line;
      }
      EXPECT_FALSE(contains(shell("cat out/results/*.json*").out, "\"status\"")) << e.name;
    };
    fails("no program", "true", "PLATFORM=/no/such/program", "/no/such/program");
    fails("no input", "rm a.shk", spy, "a.shk");
    fails("other contents", "echo >> a.shk", spy, "has other contents");
    fails("a folder that cannot be written", "echo > out/results", spy, "results");
  }
}

// A sweep that runs has its database to itself: a real second one and a merge are told.
TEST_F(PointsAnywhere, ASecondSweepInTheFolderIsToldWhileTheFirstRuns) {
  const std::string spec = "sweep a.shk --size 32x32 --dsps 1,2,...,64 -q -o out ";
  const pid_t first = fork();
  if (first == 0) {
    if (chdir(path("").c_str()) != 0 || freopen("first.txt", "w", stdout) == nullptr) _exit(126);
    execl("/bin/sh", "sh", "-c", ("exec " RTVP_BIN_DIR "/platform " + spec).c_str(), nullptr);
    _exit(127);
  }
  for (int i = 0; i < 6000 && !std::filesystem::exists(path("out/running")); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  write("r.jsonl", "");
  for (const char* const way : {"", "--merge r.jsonl", "--emit make"}) {
    const Outcome second = run(spec + way);
    EXPECT_EQ(second.status, 2) << way;
    EXPECT_TRUE(contains(second.err, "another sweep has this file")) << second.err;
  }
  int state = 0;
  waitpid(first, &state, 0);
  EXPECT_EQ(state, 0) << "the first one is not disturbed";
  EXPECT_EQ(slurp(path("out/sweep.csv")), reference("sweep a.shk --size 32x32 --dsps 1,2,...,64 "));
  EXPECT_FALSE(std::filesystem::exists(path("out/sweep.sqlite-wal"))) << "one file is left";
}

TEST_F(PointsAnywhere, TwoCollectorsExcludeEachOther) {
  (void)reference(kSpec);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path("alone/sweep.sqlite").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  write("r.jsonl", "");
  for (const char* way : {"--merge r.jsonl", "--emit make", ""}) {
    const Outcome r = run(std::string(kSpec) + "-q -o alone " + way);
    EXPECT_EQ(r.status, 2) << way;
    EXPECT_TRUE(contains(r.err, "another sweep has this file")) << r.err;
    EXPECT_TRUE(contains(r.err, "-o another folder")) << r.err;
  }
  sqlite3_close(database);
  EXPECT_EQ(run(std::string(kSpec) + "-q -o alone --merge r.jsonl").status, 0);
}

TEST_F(PointsAnywhere, WhatIsMissingIsSaidAndEmittedAgain) {
  const std::string csv = reference(kSpec);
  ASSERT_EQ(shell(std::string("platform ") + kSpec + "--emit jsonl > p.jsonl").status, 0);
  // A worker that was killed in the middle of its third answer.
  ASSERT_EQ(shell("head -n3 p.jsonl | platform --worker | head -c -900 > r.jsonl").status, 0);
  const Outcome part = run(std::string(kSpec) + "-q -o out --merge r.jsonl");
  EXPECT_EQ(part.status, 4) << part.err;
  EXPECT_TRUE(contains(part.out, "6 points, 2 merged now, 0 failed")) << part.out;
  EXPECT_TRUE(contains(part.out, "4 without a result")) << part.out;
  EXPECT_TRUE(contains(part.err, "r.jsonl:3: the last line is not complete")) << part.err;
  EXPECT_TRUE(contains(slurp(path("out/sweep.csv")), "no result yet"));
  ASSERT_EQ(shell(std::string("platform ") + kSpec +
                  "-o out --emit jsonl | platform --worker > rest.jsonl")
                .status,
            0);
  EXPECT_EQ(lines(slurp(path("rest.jsonl"))).size(), 4U);
  EXPECT_EQ(run(std::string(kSpec) + "-q -o out --merge rest.jsonl r.jsonl").status, 0);
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
  const Outcome strange = run("sweep a.shk --size 4x4 --dsps 1 -q -o x --merge rest.jsonl");
  EXPECT_EQ(strange.status, 4);
  EXPECT_TRUE(contains(strange.out, "4 results are no point's of this sweep")) << strange.out;
}

TEST_F(PointsAnywhere, TwentyKillsLoseNoPoint) {
  const std::string spec = "sweep a.shk --size 4x4 --depth 1 --set tigershark.dsps=1..8 ";
  const std::string csv = reference(spec);
  killWorkers(20, spec);
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
}

TEST_F(PointsAnywhere, ARequestByHandNeedsNoHashes) {
  const Outcome r = shell(
      "echo '{\"scene\":\"a.shk\",\"set\":{\"render.size\":\"4x4\",\"tigershark.dsps\":4,"
      "\"tigershark.vote\":false},\"figures\":{\"t\":\"simulated_time_ps/1e9\",\"n\":\"no.such\"}}'"
      " | platform --worker");
  ASSERT_EQ(r.status, 0) << r.err;
  const auto answer = boost::json::parse(r.out).as_object();
  EXPECT_EQ(answer.at("status").as_int64(), 0);
  ASSERT_EQ(run("a.shk --size 4x4 --dsps 4 --set tigershark.vote=off -q --stats s.json").status, 0);
  const double ps = json("s.json").at("simulated_time_ps").to_number<double>();
  EXPECT_DOUBLE_EQ(answer.at("figures").at("t").to_number<double>(), ps / 1e9);
  EXPECT_TRUE(answer.at("figures").at("n").is_null());
}

TEST_F(PointsAnywhere, WarningsOfAPointAreKeptAndShown) {
  const std::string spec = "sweep a.shk --size 4x4 --engine reference --set theia.cores=2 ";
  const std::string csv = reference(spec);
  EXPECT_TRUE(contains(csv, "warning: ")) << csv;
  EXPECT_TRUE(contains(csv, "theia.cores")) << csv;
  EXPECT_EQ(run(spec + "-q -o alone").status, 0);
  EXPECT_EQ(slurp(path("alone/sweep.csv")), csv) << "from the store";
}

TEST_F(PointsAnywhere, AValueThatIsRefusedFailsItsPoint) {
  const std::string spec = "sweep a.shk --size 4x4 --depth 1 --dsps 2,1024 -q ";
  const Outcome r = run(spec + "-o out");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.out, "2 points, 1 run now, 1 failed")) << r.out;
  EXPECT_TRUE(contains(r.err, "point 1 (tigershark.dsps=1024)")) << r.err;
  const auto csv = lines(slurp(path("out/sweep.csv")));
  ASSERT_EQ(csv.size(), 3U);
  EXPECT_EQ(csv[1].rfind("2,0,", 0), 0U) << csv[1];
  EXPECT_EQ(csv[2].rfind("1024,2,", 0), 0U) << csv[2];
  EXPECT_TRUE(contains(csv[2], "1..512")) << csv[2];
  EXPECT_EQ(lines(run(spec + "--emit jsonl").out).size(), 1U) << "it is not sent anywhere";
}

// Lines that are no points: each is answered, and the next one runs.
TEST_F(PointsAnywhere, ABadLineIsAnsweredAndTheNextIsRun) {
  write("secret.txt", "w 4\n");
  std::filesystem::create_directories(path("root"));
  write("root/a.shk", kSmallScene);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"x", "not JSON"},
      {"{", "not JSON"},
      {"{} {}", "not JSON"},
      {"[]", "expected a JSON object"},
      {"{}", "scene: expected a text"},
      {R"({"scene":3})", "scene: expected a text"},
      {R"({"scene":"none.shk"})", "found no file"},
      {R"({"scene":"../secret.txt"})", "--root"},
      {R"({"scene":"/etc/passwd"})", "--root"},
      {R"({"scene":"b/../../secret.txt"})", "--root"},
      {R"({"scene":"a.shk\u0000"})", "no name of a file"},
      {R"({"scene":"a.shk","extra":1})", "unknown member"},
      {R"({"scene":"a.shk","set":[]})", "set: expected an object"},
      {R"({"scene":"a.shk","set":{"tigershark.dsps":null}})", "set.tigershark.dsps"},
      {R"({"scene":"a.shk","set":{"tigershark.dspz":1}})", "tigershark.dsps"},
      {R"({"scene":"a.shk","set":{"tigershark.dsps":1024}})", "1..512"},
      {R"({"scene":"a.shk","set":{"tigershark.dsps":1,"scene":"b"}})", "given twice"},
      {R"({"scene":"a.shk","set":{"output.image":"/tmp/x.png"}})", "output.image"},
      {R"({"scene":"a.shk","set":{"tigershark.firmware":"../x"}})", "--root"},
      {R"({"scene":"a.shk","point":-1})", "point: expected"},
      {R"({"scene":"a.shk","point":"1"})", "point: expected"},
      {R"({"scene":"a.shk","build":"other"})", "same program"},
      {R"({"scene":"a.shk","identity":"0123","set":{"render.size":"2x2"}})", "identity: found"},
      {R"({"scene":"a.shk","inputs":[]})", "inputs, paths"},
      {R"({"scene":"a.shk","inputs":[{}],"paths":["a.shk"]})", "inputs, paths"},
      {R"({"scene":"a.shk","inputs":[{"role":"scene","sha256":"00","bytes":1}],"paths":["a.shk"]})",
       "other contents"},
      {R"({"scene":"a.shk","inputs":[{"role":"scene","sha256":"00","bytes":1}],"paths":["../x"]})",
       "--root"},
      {R"({"scene":"a.shk","figures":{"f":"1+"}})", "column"},
      {R"({"scene":"a.shk","figures":{"f":1}})", "figures.f"},
      {"{\"scene\":\"" + std::string(100000, '[') + "\"}", "found no file"},
      {std::string(100000, '['), "not JSON"},
      {std::string((std::size_t{1} << 24U) + 5, 'x'), "too long"}};
  std::string all;
  const std::string good = R"({"scene":"a.shk","set":{"render.size":"2x2","engine":"reference"}})";
  for (const auto& [line, expected] : cases)
    all += line + "\n" + (&line == &cases[0].first ? "\n" : "");
  write("all.jsonl", all + good + "\n" + good);
  const Outcome r = shell("platform --worker --root root < all.jsonl");
  EXPECT_EQ(r.status, 0) << r.err;
  const auto answers = lines(r.out);
  ASSERT_EQ(answers.size(), cases.size() + 2);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto answer = boost::json::parse(answers[i]).as_object();
    ASSERT_TRUE(answer.contains("error")) << answers[i].substr(0, 300);
    EXPECT_TRUE(contains(std::string(answer.at("error").as_string()), cases[i].second))
        << cases[i].first.substr(0, 100) << "\n"
        << answers[i].substr(0, 400);
  }
  for (std::size_t i = cases.size(); i < answers.size(); ++i) {
    EXPECT_EQ(boost::json::parse(answers[i]).at("status").as_int64(), 0) << answers[i];
  }
}

// Damaged lines of points and of results are read or refused, never anything else.
TEST_F(PointsAnywhere, DamagedLinesAreReadOrRefused) {
  const std::string spec = "sweep a.shk --size 2x2 --depth 1 --engine reference ";
  ASSERT_EQ(shell("platform " + spec +
                  "--emit jsonl > p.jsonl && platform --worker < p.jsonl > "
                  "r.jsonl")
                .status,
            0);
  constexpr unsigned kSeed = 1919;
  std::mt19937 random(kSeed);
  for (const char* name : {"p.jsonl", "r.jsonl"}) {
    const std::string good = slurp(path(name));
    std::string damaged;
    for (int i = 0; i < 60; ++i) {
      std::string text = good.substr(0, good.size() - 1);
      for (auto n = 1 + random() % 3; n > 0; --n) {
        text[random() % text.size()] = static_cast<char>(32 + random() % 95);
      }
      damaged += text + "\n";
    }
    write(std::string("damaged-") + name, damaged);
  }
  const Outcome worker = shell("platform --worker < damaged-p.jsonl");
  EXPECT_EQ(worker.status, 0) << worker.err;
  EXPECT_EQ(lines(worker.out).size(), 60U);
  const Outcome merge = shell("platform " + spec + "-q -o out --merge damaged-r.jsonl");
  EXPECT_TRUE(merge.status == 0 || merge.status == 4 || merge.status == 2) << merge.err;
}

// Databases that somebody else has written to.
TEST_F(PointsAnywhere, ADamagedDatabaseIsRefused) {
  const std::string spec = "sweep a.shk --size 2x2 --depth 1 --engine reference -q -o alone ";
  ASSERT_EQ(run(spec).status, 0);
  const auto sql = [&](const char* text) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path("alone/sweep.sqlite").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, text, nullptr, nullptr, nullptr), SQLITE_OK) << text;
    sqlite3_close(database);
  };
  for (const char* text :
       {"UPDATE point SET inputs = 'x'", "UPDATE point SET inputs = '[[],[]]', warnings = '[1]'",
        "UPDATE point SET inputs = '[[{\"role\":1}],[\"a\"]]'",
        "UPDATE meta SET value = '1' WHERE key = 'schema_version'"}) {
    sql(text);
    const Outcome r = run(spec);
    EXPECT_EQ(r.status, 2) << text << r.out;
    EXPECT_TRUE(contains(r.err, "sweep.sqlite")) << text << "\n" << r.err;
  }
  write("alone/sweep.sqlite", std::string(5000, 'x'));
  const Outcome none = run(spec);
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(contains(none.err, "sweep.sqlite")) << none.err;
}

TEST_F(PointsAnywhere, RefusesWhatItCannotDo) {
  write("dir.txt", "");
  std::filesystem::create_directories(path("empty"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"sweep a.shk --emit csv", "jsonl, make, slurm or snakemake"},
      {"sweep a.shk --emit jsonl --merge x", "expected one"},
      {"sweep a.shk --point x", "--point"},
      {"sweep a.shk --point 1.5", "--point"},
      {"sweep a.shk --merge none.jsonl", "none.jsonl"},
      {"sweep ../" + std::filesystem::path(path("a.shk")).parent_path().filename().string() +
           "/a.shk --emit jsonl --root empty",
       "--root"},
      {"--worker extra", "positional"},
      {"--worker --root none", "--root"},
      {"--worker --timeout -1", "--timeout"},
      {"--worker --timeout x", "timeout"}};
  for (const auto& [arguments, expected] : cases) {
    const Outcome r = run(arguments + " </dev/null");
    EXPECT_EQ(r.status, 2) << arguments << "\n" << r.err;
    EXPECT_TRUE(contains(r.err, expected)) << arguments << "\n" << r.err;
  }
  EXPECT_TRUE(contains(run("--worker --help").out, "--root FOLDER"));
  EXPECT_EQ(run("--worker </dev/null").out, "");
}

}  // namespace
}  // namespace rtvp::test
