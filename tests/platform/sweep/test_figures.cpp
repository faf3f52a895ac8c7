// Figures of sweeps beyond stats.json: quality, parts, what limits; pictures that are kept.
#include <cmath>
#include <regex>
#include <sstream>

#include "tests/platform/sweep/points_anywhere.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> list;
  std::istringstream row(line + ",");
  for (std::string cell; std::getline(row, cell, ',');) list.push_back(cell);
  return list;
}

std::vector<std::vector<std::string>> table(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream stream(csv);
  for (std::string line; std::getline(stream, line);) rows.push_back(cells(line));
  return rows;
}

class SweepFigures : public PointsAnywhere {
 protected:
  [[nodiscard]] double cell(const std::string& csv, std::size_t row,
                            const std::string& name) const {
    const auto rows = table(csv);
    for (std::size_t c = 0; c < rows.at(0).size(); ++c) {
      if (rows[0][c] == name) return std::stod(rows.at(row).at(c));
    }
    ADD_FAILURE() << "no column " << name << " in\n" << csv;
    return 0;
  }
};

TEST_F(SweepFigures, SeveralMachinesLeaveNoColumnBlank) {
  const Outcome r =
      run("sweep a.shk --size 8x8 --depth 1 --engine tigershark,theia,xphmg -q -o out");
  ASSERT_EQ(r.status, 0) << r.err;
  const auto rows = table(slurp(path("out/sweep.csv")));
  ASSERT_EQ(rows.size(), 4U);
  const auto& names = rows[0];
  for (const char* name : {"time [ms]", "rays [rays/s]", "limit [of time]", "tests a ray",
                           "bytes a ray [bytes]", "multipliers", "memory [bytes]", "limited by"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), names.size());
    for (std::size_t c = 0; c + 1 < names.size(); ++c) {
      EXPECT_FALSE(rows[i][c].empty()) << names[c] << " of " << rows[i][0];
    }
    EXPECT_EQ(rows[i][names.size() - 2].rfind(rows[i][0] + ".", 0), 0U)
        << rows[i][names.size() - 2];
  }
  const std::string csv = slurp(path("out/sweep.csv"));
  // 16 DSPs with a multiplier each; 4 bytes a word of 128K words, and 2048 in each DSP.
  EXPECT_EQ(cell(csv, 1, "multipliers"), 16);
  EXPECT_EQ(cell(csv, 1, "memory [bytes]"), 4 * 131072 + 16 * 2048);
  EXPECT_GT(cell(csv, 1, "limit [of time]"), 0);
  EXPECT_LE(cell(csv, 1, "limit [of time]"), 1);
}

// The reference has no time: only its own cells stay empty.
TEST_F(SweepFigures, TheReferenceBesideMachinesCostsNoColumn) {
  ASSERT_EQ(run("sweep a.shk --size 4x4 --depth 1 --engine xphmg,theia,reference -q -o out").status,
            0);
  const auto rows = table(slurp(path("out/sweep.csv")));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_NE(std::find(rows[0].begin(), rows[0].end(), "rays [rays/s]"), rows[0].end());
  for (std::size_t c = 0; c + 1 < rows[0].size(); ++c) {
    EXPECT_FALSE(rows[1][c].empty() || rows[2][c].empty()) << rows[0][c];
  }
}

TEST_F(SweepFigures, QualityIsWhatCompareSays) {
  const std::string spec =
      "sweep a.shk --size 24x20 --depth 1 --engine reference,xphmg --quality --keep "
      "--figure psnr=quality.psnr_db --figure wrong=quality.wrong_pixels -q ";
  const Outcome r = run(spec + "-o out");
  ASSERT_EQ(r.status, 0) << r.err;
  const std::string csv = slurp(path("out/sweep.csv"));
  EXPECT_EQ(cell(csv, 1, "psnr"), 200) << "equal";
  EXPECT_EQ(cell(csv, 1, "wrong"), 0);
  EXPECT_EQ(cell(csv, 2, "wrong"), 0);
  const std::string common = "a.shk --size 24x20 --depth 1 -q --engine ";
  ASSERT_EQ(run(common + "reference -o a.png").status, 0);
  ASSERT_EQ(run(common + "xphmg -o b.png").status, 0);
  const std::string said = run("compare a.png b.png").out;
  std::smatch found;
  if (std::regex_search(said, found, std::regex("([0-9.]+) dB"))) {
    EXPECT_NEAR(cell(csv, 2, "psnr"), std::stod(found[1]), 0.01) << said;
  } else {
    EXPECT_EQ(cell(csv, 2, "psnr"), 200) << said;
  }
  // Kept pictures are the runs' own.
  std::size_t equal = 0, kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("out/pictures"))) {
    ++kept;
    for (const char* name : {"a.png", "b.png"}) {
      equal += run("compare '" + entry.path().string() + "' " + name).status == 0 ? 1U : 0U;
    }
  }
  EXPECT_EQ(kept, 2U);
  EXPECT_GE(equal, 2U);
  EXPECT_TRUE(contains(run(spec + "-o out").out, "0 run now"));
}

TEST_F(SweepFigures, QualityElsewhereIsTheSame) {
  const std::string spec =
      "sweep a.shk --size 8x8 --depth 1 --dsps 2,4 --quality --figure psnr=quality.psnr_db "
      "--figure wrong=quality.wrong_pixels --figure t=simulated_time_ps -q ";
  const std::string csv = reference(spec);
  ASSERT_EQ(shell("platform " + spec + "--emit jsonl | platform --worker > r.jsonl").status, 0);
  ASSERT_EQ(run(spec + "-o out --merge r.jsonl").status, 0);
  EXPECT_EQ(slurp(path("out/sweep.csv")), csv);
}

TEST_F(SweepFigures, QualityAskedForLaterIsMeasuredThen) {
  const std::string spec = "sweep a.shk --size 8x8 --depth 1 --dsps 2 -q -o out ";
  ASSERT_EQ(run(spec).status, 0);
  const Outcome r = run(spec + "--quality --figure psnr=quality.psnr_db");
  EXPECT_TRUE(contains(r.out, "1 run now")) << r.out;
  EXPECT_TRUE(contains(r.out, "more is asked of them")) << r.out;
  EXPECT_GT(cell(slurp(path("out/sweep.csv")), 1, "psnr"), 20);
}

TEST_F(SweepFigures, PricesAreThoseOfTheTable) {
  const std::string spec =
      "sweep a.shk --size 4x4 --depth 1 --dsps 2,8 --figure price=parts.dollars -q -o out ";
  ASSERT_EQ(run(spec).status, 0);
  const std::string csv = slurp(path("out/sweep.csv"));
  // 10 dollars a DSP (TS-002).
  EXPECT_EQ(cell(csv, 2, "price") - cell(csv, 1, "price"), 60);
  std::string parts = slurp(RTVP_SOURCE_DIR "/docs/machines/parts.json");
  const std::string ten = "\"dollars\": 10,";
  ASSERT_NE(parts.find(ten), std::string::npos);
  parts.replace(parts.find(ten), ten.size(), "\"dollars\": 7,");
  write("parts.json", parts);
  const Outcome r = run(spec + "--parts parts.json");
  EXPECT_TRUE(contains(r.out, "0 run now")) << "prices need no run: " << r.out;
  const std::string other = slurp(path("out/sweep.csv"));
  EXPECT_EQ(cell(other, 2, "price") - cell(other, 1, "price"), 42);
  write("parts.json", "{\n\"parts\": 3}");
  const Outcome bad = run(spec + "--parts parts.json");
  EXPECT_EQ(bad.status, 2);
  EXPECT_TRUE(contains(bad.err, "parts.json:")) << bad.err;
}

}  // namespace
}  // namespace rtvp::test
