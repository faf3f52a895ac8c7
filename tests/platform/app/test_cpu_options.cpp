// Every option of the boards' processors that can be set (`tigershark.cpu.*`), at each of its words
// and at both ends of its range: the shipped firmware draws the same picture.
#include <set>

#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

class CpuOptions : public PlatformTest {
 protected:
  [[nodiscard]] int picture(const std::string& name, const std::string& more) const {
    return run(RTVP_SOURCE_DIR "/scenes/cornell.shk --size 8x8 -q --set run.limit_ms=2000 -o " +
               name + " " + more)
        .status;
  }
};

/// Words and ends of a row of `params --json`.
std::vector<std::string> valuesOf(const boost::json::object& row) {
  const std::string type(row.at("type").as_string());
  if (type == "bool") return {"off", "on"};
  if (type == "int") {
    return {std::to_string(row.at("min").to_number<std::int64_t>()),
            std::to_string(row.at("max").to_number<std::int64_t>())};
  }
  std::vector<std::string> words;
  std::string range(row.at("range").as_string());
  range.erase(0, std::string("one of ").size());
  while (!range.empty()) {
    const std::size_t comma = std::min(range.find(", "), range.size());
    words.push_back(range.substr(0, comma));
    range.erase(0, comma + 2);
  }
  return words;
}

TEST_F(CpuOptions, EveryLegalValueDrawsThePicture) {
  ASSERT_EQ(picture("usual.ppm", ""), 0);
  const std::string usual = slurp(path("usual.ppm"));
  const boost::json::value rows = boost::json::parse(run("params --json").out);
  // Values whose help says that the firmware does not run, or only with another option.
  const std::set<std::string> excepted{"microprocessor_mode=off", "prgw_pin=high",
                                       "prgw_selects_16=off"};
  const std::string prefix = "tigershark.cpu.";
  std::size_t options = 0;
  for (const boost::json::value& row : rows.as_array()) {
    const std::string key(row.as_object().at("key").as_string());
    if (!key.starts_with(prefix)) continue;
    ++options;
    for (const std::string& value : valuesOf(row.as_object())) {
      const std::string setting = key + "=" + value;
      if (excepted.contains(setting.substr(prefix.size()))) continue;
      EXPECT_EQ(picture("picture.ppm", "--set " + setting), 0) << setting;
      EXPECT_EQ(slurp(path("picture.ppm")), usual) << setting;
    }
  }
  EXPECT_GE(options, 30U);
}

TEST_F(CpuOptions, WhatCannotRunSaysSo) {
  ASSERT_EQ(picture("usual.ppm", ""), 0);
  EXPECT_EQ(picture("a.ppm", "--set tigershark.cpu.microprocessor_mode=off"), 4);
  EXPECT_EQ(picture("a.ppm", "--set tigershark.cpu.prgw_pin=high"), 3);
  EXPECT_EQ(picture("a.ppm",
                    "--set tigershark.cpu.prgw_pin=high --set "
                    "tigershark.cpu.prgw_selects_16=off"),
            0);
  EXPECT_EQ(slurp(path("a.ppm")), slurp(path("usual.ppm")));
  EXPECT_EQ(picture("a.ppm", "--set tigershark.cpu.bcond_untaken_cycles=11"), 2);
}

TEST_F(CpuOptions, FaultsOfThePciControllerAreFound) {
  EXPECT_EQ(picture("a.ppm", "--set tigershark.s5933.fifo_strobe_broken=on"), 3);
  EXPECT_EQ(picture("a.ppm", "--set tigershark.s5933.target_read_hang=2"), 3);
  EXPECT_EQ(picture("a.ppm", "--set tigershark.s5933.master_read_hang=2"), 4);
}

}  // namespace
}  // namespace rtvp::test
