// Numbers as the summary writes them.
#include "platform/report/figures.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/json/parse.hpp>
#include <sstream>
#include <string>

#include "platform/report/statistics.hpp"

namespace rtvp::report {
namespace {

TEST(SummaryNumbers, SharesArePerCentWithATenth) {
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(percent(0.25), "25.0 %");
  EXPECT_EQ(percent(1), "100.0 %");
  EXPECT_EQ(percent(0.0004), "0.0 %");
  EXPECT_EQ(percent(2.0 / 3), "66.7 %");
}

TEST(SummaryNumbers, PartsAreSharesOfTheWhole) {
  const auto sum = [](const char* figure) { return figure[0] == 'a' ? 300.0 : 100.0; };
  const std::array<Part, 2> parts{{{"a", "busy"}, {"b", "idle"}}};
  EXPECT_EQ(shares(sum, parts, 400).substr(0, 23), "busy 75.0 %, idle 25.0 ");
  EXPECT_EQ(shares(sum, parts, 0).substr(0, 22), "busy 0.0 %, idle 0.0 %");
}

// 30 of 48 eye rays are 62.5 %, 5000 rays in 2 s are 2500 a second.
TEST(Summary, SaysWhatTheStatisticsSay) {
  std::ostringstream out;
  printSummary(out,
               boost::json::parse(R"({"simulated_time_ps": 2000000000000,
                   "picture": {"rays": 5000, "crop_width": 8, "crop_height": 6, "eye_hits": 30,
                               "eye_rays": 48},
                   "scene": {"tessellated_spheres": 2, "sphere_triangles": 640},
                   "host": {"wall_s": 3, "image_file": "a.png"}})")
                   .as_object(),
               {{"machine", "does its work"}});
  const std::string text = out.str();
  EXPECT_NE(text.find("image       a.png, 8x6, 5 krays, 62.5 % of the eye rays hit\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("spheres     2 drawn as 640 triangles: not the picture of machines that have "
                      "spheres\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("rays        2.5 krays/s of simulated time\n"), std::string::npos) << text;
  EXPECT_NE(text.find("machine     does its work\n"), std::string::npos) << text;
}

// No eye ray at all, and no simulated machine: no share is divided by nothing.
TEST(Summary, OfARunWithoutRays) {
  std::ostringstream out;
  printSummary(out,
               boost::json::parse(R"({"simulated_time_ps": 0,
                   "picture": {"rays": 0, "crop_width": 1, "crop_height": 1, "eye_hits": 0,
                               "eye_rays": 0},
                   "scene": {}, "host": {"wall_s": 3, "image_file": "a.png"}})")
                   .as_object(),
               {});
  EXPECT_NE(out.str().find(" 0.0 % of the eye rays hit\n"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("(no simulated machine)\n"), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find("rays/s"), std::string::npos) << out.str();
}

}  // namespace
}  // namespace rtvp::report
