// The results' database and the figures in it.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <fstream>

#include "platform/exit_status.hpp"
#include "platform/options/built_in_options.hpp"
#include "platform/sweep/store.hpp"
#include "platform/sweep/sweep.hpp"
#include "tests/platform/report/scratch_folder.hpp"

namespace rtvp::sweep {
namespace {

TEST(SweepStats, AreFlatAndFoundByTheEndOfTheirPath) {
  const Stats stats =
      flatten(boost::json::parse(
                  R"({"simulated_time_ps": 7, "configuration": {"tigershark.dsps": 4, "vote": true},
              "modules": {"pc0": {"board0": {"array": {"idle": 3, "units": {"idle": "cycles"}},
                                             "dsps": {"dsp0": {"idle": 1}}},
                                  "board1": {"array": {"idle": 5, "mode": "x"}}}}})")
                  .as_object());
  EXPECT_EQ(stats.size(), 5U);
  EXPECT_EQ(stats.at("modules.pc0.board0.array.idle").unit, "cycles");
  const auto value = [&](const char* name) { return meaningOf(stats, name).value; };
  EXPECT_EQ(value("array.idle"), 8);
  EXPECT_EQ(value("board1.array.idle"), 5);
  EXPECT_EQ(value("tigershark.dsps"), 4);
  EXPECT_EQ(value("vote"), 1);
  EXPECT_EQ(value("simulated_time_ps"), 7);
  EXPECT_EQ(value("dle"), std::nullopt);
  EXPECT_EQ(value("time_ps"), std::nullopt);
}

TEST(SweepStats, ANameOfSeveralStatisticsHasNoValue) {
  const Stats stats{{"modules.pc0.board0.array.words", {1, ""}},
                    {"modules.pc0.board1.array.words", {2, ""}},
                    {"modules.pc1.board0.array.words", {4, ""}},
                    {"modules.pc0.sram.words", {8, ""}},
                    {"words", {16, ""}}};
  const Meaning many = meaningOf(stats, "words");
  EXPECT_EQ(many.value, std::nullopt);
  EXPECT_EQ(many.candidates, (std::vector<std::string>{"modules.pc#.board#.array.words",
                                                       "modules.pc#.sram.words", "words"}));
  EXPECT_EQ(meaningOf(stats, "array.words").value, 7);
  EXPECT_EQ(meaningOf(stats, "board0.array.words").value, 5);
  EXPECT_EQ(meaningOf(stats, "sram.words").value, 8);
}

Point pointOf(const platform::OptionTable& table, const std::string& identity) {
  Point point(table);
  point.identity = identity;
  point.asked = "the same";
  return point;
}

TEST(SweepStore, KeepsResultsAcrossOpenings) {
  const platform::OptionTable table = platform::builtInOptions();
  const test::ScratchFolder folder;
  {
    Store store(folder / "s.sqlite");
    EXPECT_FALSE(store.find("a").has_value());
    store.save(
        pointOf(table, "a"), "one",
        {0, "", 1.5, {{"x.y", {0.1, "ms"}}, {"z", {-3, ""}}}, {{"scene", "a.shk", "12", 3}}});
    store.save(pointOf(table, "b"), "two", {3, "it's \"broken\"", 0.5, {}, {}, {}});
  }
  Store store(folder / "s.sqlite");
  const auto a = store.find("a");
  ASSERT_TRUE(a.has_value());
  EXPECT_TRUE(a->ok());
  EXPECT_EQ(a->wallSeconds, 1.5);
  EXPECT_EQ(a->stats.at("x.y").value, 0.1);
  EXPECT_EQ(a->stats.at("x.y").unit, "ms");
  EXPECT_EQ(a->stats.size(), 2U);
  EXPECT_EQ(store.find("b")->message, "it's \"broken\"");
  const auto earlier = store.lastFor("the same");
  ASSERT_TRUE(earlier.has_value());  // the one that succeeded
  EXPECT_EQ(earlier->build, "one");
  ASSERT_EQ(earlier->inputs.size(), 1U);
  EXPECT_EQ(earlier->inputs[0].path, "a.shk");
  EXPECT_EQ(a->inputs[0].sha256, "12");
  EXPECT_FALSE(store.lastFor("another").has_value());
  store.save(pointOf(table, "b"), "two", {0, "", 1, {{"z", {1, ""}}}, {}});
  EXPECT_EQ(store.lastFor("the same")->build, "two");
  EXPECT_TRUE(store.find("b")->ok());
  EXPECT_EQ(store.find("b")->stats.size(), 1U);
  store.clear();
  EXPECT_FALSE(store.find("a").has_value());
}

TEST(SweepStore, RefusesForeignFilesAndCompany) {
  const test::ScratchFolder folder;
  std::ofstream(folder / "text") << "this is no database, however long one reads in it. "
                                 << std::string(5000, 'x');
  EXPECT_THROW(Store(folder / "text"), platform::InputError);
  EXPECT_THROW(Store(folder / "no/such/folder"), platform::InputError);
  const Store store(folder / "s.sqlite");
  try {
    const Store second(folder / "s.sqlite");
    ADD_FAILURE() << "two sweeps in one file";
  } catch (const platform::InputError& e) {
    EXPECT_NE(std::string(e.what()).find("another sweep"), std::string::npos) << e.what();
  }
}

std::size_t openFiles() {
  return static_cast<std::size_t>(std::distance(
      std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator()));
}

// A fuzzer's find: the header promises what the pages do not hold, which SQLite notices when the
// first transaction ends. Whoever refuses a file lets go of it.
TEST(SweepStore, AFileThatIsRefusedIsClosed) {
  const test::ScratchFolder folder;
  const std::filesystem::path file = folder / "s.sqlite";
  { const Store store(file); }
  constexpr char kFree[] = "\x00\x00\x00\xff\xff\xff\x0a\x00", kRoot[] = "\xfb\xff\xff\xff";
  constexpr std::streamoff kFreeAt = 32, kRootAt = 52;  // the list of free pages, the largest root
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(kFreeAt).write(kFree, 8);
  bytes.seekp(kRootAt).write(kRoot, 4);
  bytes.close();
  const std::size_t before = openFiles();
  EXPECT_THROW(Store{file}, platform::InputError);
  EXPECT_EQ(openFiles(), before);
}

TEST(SweepResults, AFigureOfAnAxisThatIsNoneIsNothing) {
  SweepResult result;
  result.spec.axes.push_back({.key = "scene", .values = {"a", "b"}});
  result.spec.figures.push_back({"f", "", "1"});
  const platform::OptionTable table = platform::builtInOptions();
  for (const char* const scene : {"a", "b"}) {
    result.points.emplace_back(table);
    result.points.back().values = {scene};
  }
  result.figures = {{1.5}, {2.5}};
  EXPECT_EQ(result.at({{"scene", "b"}}, "f"), 2.5);
  EXPECT_FALSE(result.at({{"scene", "c"}}, "f"));
  EXPECT_FALSE(result.at({{"no.such", "b"}}, "f"));
  EXPECT_FALSE(result.at({{"scene", "a"}, {"no.such", "a"}}, "f"));
  EXPECT_FALSE(result.at({}, "f")) << "two points";
  EXPECT_FALSE(result.at({{"scene", "a"}}, "g"));
}

}  // namespace
}  // namespace rtvp::sweep
