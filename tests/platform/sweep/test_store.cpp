// The results' database and the figures in it.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <fstream>

#include "platform/exit_status.hpp"
#include "platform/sweep/store.hpp"
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
  EXPECT_EQ(sumOf(stats, "array.idle"), 8);
  EXPECT_EQ(sumOf(stats, "board1.array.idle"), 5);
  EXPECT_EQ(sumOf(stats, "tigershark.dsps"), 4);
  EXPECT_EQ(sumOf(stats, "vote"), 1);
  EXPECT_EQ(sumOf(stats, "simulated_time_ps"), 7);
  EXPECT_EQ(sumOf(stats, "dle"), std::nullopt);
  EXPECT_EQ(sumOf(stats, "time_ps"), std::nullopt);
}

TEST(SweepStore, KeepsResultsAcrossOpenings) {
  const test::ScratchFolder folder;
  {
    Store store(folder / "s.sqlite");
    EXPECT_FALSE(store.find("a").has_value());
    store.save("a", {0, "", 1.5, {{"x.y", {0.1, "ms"}}, {"z", {-3, ""}}}});
    store.save("b", {3, "it's \"broken\"", 0.5, {}});
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
  store.save("b", {0, "", 1, {{"z", {1, ""}}}});
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

}  // namespace
}  // namespace rtvp::sweep
