// `platform sweep` as a user runs it: results, resumption, failures, bad input.
#include <sqlite3.h>

#include <algorithm>
#include <sstream>

#include "tests/platform/app/run_platform.hpp"

namespace rtvp::test {
namespace {

class Sweep : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    write("a.shk", kSmallScene);
  }
  [[nodiscard]] std::vector<std::string> query(const std::string& sql) const {
    sqlite3* database = nullptr;
    EXPECT_EQ(
        sqlite3_open_v2(path("out/sweep.sqlite").c_str(), &database, SQLITE_OPEN_READONLY, nullptr),
        SQLITE_OK);
    std::vector<std::string> rows;
    const auto take = [](void* list, int columns, char** values, char** /*names*/) {
      std::string row;
      for (int i = 0; i < columns; ++i) {
        row += (i == 0 ? "" : "|") + std::string(values[i] == nullptr ? "" : values[i]);
      }
      static_cast<std::vector<std::string>*>(list)->push_back(row);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), take, &rows, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
    return rows;
  }
};

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string line; std::getline(stream, line);) list.push_back(line);
  return list;
}

constexpr const char* kBoards = "sweep a.shk --size 6x6 --depth 1 --dsps 1,2,4 -o out ";

TEST_F(Sweep, LeavesTableDatabasePlotsAndPage) {
  const Outcome r = run(std::string(kBoards) +
                        "--set render.order=hilbert,scanline -j 2 "
                        "--figure 'time[ms]=simulated_time_ps/1e9' "
                        "--figure 'speedup=first(simulated_time_ps)/simulated_time_ps' "
                        "--figure n=tigershark.dsps --plot speedup:tigershark.dsps:render.order "
                        "--plot 'time,n:speedup' --log-x");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "");
  const std::vector<std::string> csv = lines(slurp(path("out/sweep.csv")));
  ASSERT_EQ(csv.size(), 7U);
  EXPECT_EQ(csv[0], "tigershark.dsps,render.order,status,time [ms],speedup,n,message");
  EXPECT_EQ(csv[1].rfind("1,hilbert,0,", 0), 0U) << csv[1];
  EXPECT_TRUE(contains(csv[1], ",1,1,")) << csv[1];
  EXPECT_EQ(csv[6].rfind("4,scanline,0,", 0), 0U) << csv[6];
  EXPECT_TRUE(contains(r.out, csv[3])) << r.out;

  // The figure is the run's own.
  ASSERT_EQ(run("a.shk --size 6x6 --depth 1 --dsps 2 -q --stats s.json").status, 0);
  const double ms = json("s.json").at("simulated_time_ps").to_number<double>() / 1e9;
  EXPECT_DOUBLE_EQ(
      std::stod(query("SELECT value FROM figure WHERE position = 2 AND name = 'time'").at(0)), ms);
  EXPECT_EQ(query("SELECT count(*) FROM result").at(0), "6");
  EXPECT_EQ(query("SELECT status, message FROM point GROUP BY 1, 2").at(0), "0|");
  EXPECT_EQ(query("SELECT key, value FROM setting WHERE position = 5 AND key LIKE '%.order'").at(0),
            "render.order|scanline");
  EXPECT_EQ(query("SELECT count(DISTINCT point) FROM stat WHERE path LIKE '%.array.instructions' "
                  "AND unit = 'instructions'")
                .at(0),
            "6");

  const std::string page = slurp(path("out/index.html"));
  for (const char* part : {"<svg", "tigershark.dsps", "scanline", "first(simulated_time_ps)"}) {
    EXPECT_TRUE(contains(page, part)) << part;
  }
  for (const char* part : {"<link", "<img", "src=", "href=", "url(", "@import", "fetch("}) {
    EXPECT_FALSE(contains(page, part)) << part << ": the page needs another file";
  }
  std::size_t svgs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("out"))) {
    svgs += entry.path().extension() == ".svg" ? 1U : 0U;
  }
  EXPECT_EQ(svgs, 2U);
  EXPECT_FALSE(std::filesystem::exists(path("out/running")));
}

TEST_F(Sweep, GoesOnWhereItStopped) {
  ASSERT_EQ(run(std::string(kBoards)).status, 0);
  const std::string csv = slurp(path("out/sweep.csv"));
  const std::string page = slurp(path("out/index.html"));
  const Outcome again = run(std::string(kBoards) + "-q");
  EXPECT_TRUE(contains(again.out, "3 points, 0 run now, 0 failed")) << again.out;
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
  EXPECT_EQ(slurp(path("out/index.html")), page);
  const Outcome more = run(std::string(kBoards) + "-q --dsps 1,2,4,8");
  EXPECT_TRUE(contains(more.out, "4 points, 1 run now")) << more.out;
  // Other figures need no run.
  const Outcome figures = run(std::string(kBoards) + "-q --figure t=simulated_time_ps");
  EXPECT_TRUE(contains(figures.out, "0 run now")) << figures.out;
  const Outcome fresh = run(std::string(kBoards) + "-q --fresh");
  EXPECT_TRUE(contains(fresh.out, "3 run now")) << fresh.out;
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
  // Another scene under the same name is another sweep.
  write("a.shk", std::string(kSmallScene) + "t 0 0 0 1 0 0 0 1 0\n");
  EXPECT_TRUE(contains(run(std::string(kBoards) + "-q").out, "3 run now"));
}

TEST_F(Sweep, FailedPointsKeepStatusAndMessageAndAreTriedAgain) {
  const std::string limits = std::string(kBoards) + "--set run.limit_ms=0,1 -q ";
  const Outcome r = run(limits);
  EXPECT_EQ(r.status, 4) << r.err;
  EXPECT_TRUE(contains(r.out, "6 points, 6 run now, 3 failed")) << r.out;
  const std::vector<std::string> csv = lines(slurp(path("out/sweep.csv")));
  ASSERT_EQ(csv.size(), 7U);
  EXPECT_TRUE(contains(csv[2], "1,1,4,,")) << csv[2];
  EXPECT_TRUE(contains(csv[2], "run.limit_ms")) << csv[2];
  EXPECT_EQ(
      query("SELECT count(*) FROM point WHERE status = 4 AND message LIKE '%run.limit_ms%'").at(0),
      "3");
  EXPECT_TRUE(
      contains(slurp(path("out/index.html")), "\"name\":\"status\",\"values\":[0,4,0,4,0,4]"));
  const Outcome again = run(limits);
  EXPECT_EQ(again.status, 4);
  EXPECT_TRUE(contains(again.out, "6 points, 3 run now, 3 failed")) << again.out;
}

TEST_F(Sweep, AnInputErrorOfAPointIsItsOwn) {
  write("bad.shk", "w 10\nt 1 2\n");
  const Outcome r = run("sweep --set scene=a.shk,bad.shk --engine reference -o out -q");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.out, "2 points, 2 run now, 1 failed")) << r.out;
  EXPECT_TRUE(contains(slurp(path("out/sweep.csv")), "bad.shk:2:")) << slurp(path("out/sweep.csv"));
}

TEST_F(Sweep, APointThatTakesTooLongIsEnded) {
  const Outcome r = run("sweep a.shk --size 2000x2000 --dsps 4 -o out -q --timeout 0.3");
  EXPECT_EQ(r.status, 4) << r.err;
  EXPECT_TRUE(contains(slurp(path("out/sweep.csv")), "wall time"));
}

TEST_F(Sweep, ASpecFileWorksFromAnywhere) {
  std::filesystem::create_directories(path("specs"));
  write("specs/b.shk", kSmallScene);
  write("specs/s.json",
        R"({"name": "x <y>", "note": "n & m", "scene": "b.shk",
            "set": {"engine": "reference", "render.size": "4x4", "render.depth": "1..3"},
            "figures": {"rays": {"formula": "picture.rays", "unit": "rays"}}})");
  const Outcome r = run("sweep specs/s.json -o out --set render.depth=1,2");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "2 points, 2 run now, 0 failed")) << r.out;
  EXPECT_TRUE(contains(slurp(path("out/index.html")), "x &lt;y&gt;"));
}

// A triangle that fills 8x4 pixels and is lit: an eye ray and a shadow ray each.
TEST_F(Sweep, RaysASecondAreThePicturesRaysByItsTime) {
  write("one.shk",
        "w 8\nh 4\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nli 0 0 20 1 1 1\nt -90 -90 0  90 -90 0  0 90 0\n");
  const Outcome r = run("sweep one.shk --engine theia --depth 1 --set theia.cores=2,4 -o out -q");
  ASSERT_EQ(r.status, 0) << r.err;
  std::istringstream csv(slurp(path("out/sweep.csv")));
  std::string line;
  std::getline(csv, line);
  EXPECT_TRUE(contains(line, "time [ms],rays [rays/s]")) << line;
  const auto column = [&](const char* name) {
    return std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(line.find(name)),
                      ',');
  };
  const auto time = column("time [ms]"), rays = column("rays [rays/s]");
  int points = 0;
  while (std::getline(csv, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    const auto number = [&](std::ptrdiff_t n) {
      return std::stod(cells.at(static_cast<std::size_t>(n)));
    };
    EXPECT_NEAR(number(rays) * number(time) / 1000, 64, 0.01) << line;
    ++points;
  }
  EXPECT_EQ(points, 2);
}

TEST_F(Sweep, UnknownFiguresAreAWarning) {
  const Outcome r = run("sweep a.shk --engine reference -o out -q --figure f=array.wheels");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(contains(r.err, "figures.f: no path in stats.json ends with 'array.wheels'"))
      << r.err;
}

TEST_F(Sweep, TeachesAndRefuses) {
  const Outcome help = run("sweep --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_TRUE(contains(help.out, "--jobs N"));
  EXPECT_EQ(run("sweep").out, help.out);
  const Outcome list = run("sweep a.shk --dsps 4,8 --list");
  EXPECT_EQ(list.out, "scene=a.shk tigershark.dsps=4\nscene=a.shk tigershark.dsps=8\n");
  write("out", "a file, no folder");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"none.json", "none.json"},
      {"a.shk --dspz 4", "dspz"},
      {"a.shk --dsps 4,1024", "1..512"},
      {"a.shk --set dsps", "key=VALUES"},
      {"a.shk --set tigershark.dpss=4", "'tigershark.dsps'"},
      {"a.shk b.shk", "one SPEC.json or SCENE"},
      {"a.shk --jobs 0", "--jobs"},
      {"a.shk --jobs x", "--jobs"},
      {"a.shk --timeout -1", "--timeout"},
      {"a.shk --figure f", "NAME=FORMULA"},
      {"a.shk --figure f=1+", "figures.f"},
      {"a.shk --plot time", "Y,...:X"},
      {"a.shk --plot time:tigershark.dsps:scene:scene", "Y,...:X:SERIES"},
      {"a.shk --plot nothing:scene", "found 'nothing'"},
      {"a.shk --FIGURE f=1", "FIGURE"},
      {"a.shk --figur f=1", "figur"},
      {"--dsps 4", "expected a scene"},
      {"a.shk --dsps 4 -o out", "out"}};
  for (const auto& [arguments, expected] : cases) {
    const Outcome r = run("sweep " + arguments);
    EXPECT_EQ(r.status, 2) << arguments << "\n" << r.err;
    EXPECT_TRUE(contains(r.err, expected)) << arguments << "\n" << r.err;
  }
}

// What docs/results says of one DSP is what the firmware does: cycles of one record more.
TEST_F(Sweep, TS_060_ARecordCostsWhatTheResultsSay) {
  const auto cycles = [&](const std::string& name, const auto& line) {
    for (const int count : {200, 1200}) {
      std::string text = "w 1\nh 1\ne 0 0 10\nlo 0 0 0\nu 0 1 0\n";
      for (int i = 0; i < count; ++i) text += line(i, count);
      write(name + std::to_string(count) + ".shk", text);
    }
    const Outcome r =
        run("sweep --set scene=" + name + "200.shk," + name +
            "1200.shk --dsps 1 --depth 1 --set tigershark.vote=off -o out -q --figure "
            "walk=array.walk_cycles");
    EXPECT_EQ(r.status, 0) << r.err;
    const auto walk = [&](int position) {
      return std::stod(query("SELECT value FROM figure WHERE name = 'walk' AND position = " +
                             std::to_string(position))
                           .at(0));
    };
    return (walk(1) - walk(0)) / 1000;
  };
  EXPECT_EQ(cycles("miss", [](int, int) { return "t 17 -3 0  23 -3 0  20 3 0\n"; }), 60);
  EXPECT_EQ(cycles("hit",
                   [](int i, int count) {
                     const std::string z = std::to_string(-50 + 50.0 * i / count);
                     return "t -3 -3 " + z + "  3 -3 " + z + "  0 3 " + z + "\n";
                   }),
            101);
}

}  // namespace
}  // namespace rtvp::test
