// SVG charts: well-formed, inside their frame, the same bytes for the same chart.
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <limits>
#include <sstream>

#include "platform/sweep/chart.hpp"

namespace rtvp::sweep {
namespace {

using boost::property_tree::ptree;

ptree parsed(const std::string& svg) {
  std::istringstream stream(svg);
  ptree tree;
  read_xml(stream, tree);
  return tree.get_child("svg");
}

std::size_t countOf(const ptree& tree, const std::string& tag) {
  std::size_t n = 0;
  for (const auto& [name, child] : tree) n += name == tag ? 1U : 0U;
  return n;
}

Chart sample() {
  Chart chart;
  chart.title = "A & B <\"c\">";
  chart.xLabel = "DSPs";
  chart.yLabel = "tests/s";
  chart.logX = true;
  chart.logY = true;
  chart.series = {{"one", {{1, 10}, {2, 21}, {4, 39}}}, {"two", {{1, 5}, {2, 0}, {4, -1}}}};
  return chart;
}

TEST(SweepChart, IsXmlWithOneCurveASeries) {
  const ptree svg = parsed(svgOf(sample()));
  EXPECT_EQ(countOf(svg, "polyline"), 2U);
  EXPECT_EQ(countOf(svg, "circle"), 4U) << "values that have no logarithm are left out";
  EXPECT_EQ(svg.get<std::string>("title"), "A & B <\"c\">");
  EXPECT_EQ(svgOf(sample()), svgOf(sample()));
}

TEST(SweepChart, PointsLieInTheFrame) {
  for (const bool logarithmic : {false, true}) {
    Chart chart = sample();
    chart.logX = chart.logY = logarithmic;
    chart.series = {{"s", {{1e-3, 1e9}, {3, 2}, {1e6, 77}, {12, 0.004}}}};
    for (const auto& [name, child] : parsed(svgOf(chart))) {
      if (name != "circle") continue;
      const double x = std::stod(child.get<std::string>("<xmlattr>.cx"));
      const double y = std::stod(child.get<std::string>("<xmlattr>.cy"));
      EXPECT_TRUE(x >= 70 && x <= 720) << x;
      EXPECT_TRUE(y >= 39 && y <= 380) << y;
    }
  }
}

TEST(SweepChart, OddChartsAreDrawnToo) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  Chart chart;
  EXPECT_EQ(countOf(parsed(svgOf(chart)), "polyline"), 0U);
  chart.series = {{"s", {{nan, 1}, {1, inf}}}};
  EXPECT_EQ(countOf(parsed(svgOf(chart)), "circle"), 0U);
  chart.series = {{"s", {{5, 0}}}};
  EXPECT_EQ(countOf(parsed(svgOf(chart)), "circle"), 1U);
  chart.series = {{"s", {{5, 5}, {5, 5}}}};
  chart.logX = chart.logY = true;
  const std::string svg = svgOf(chart);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  chart.categories = {"bunny", "<dragon>"};
  chart.series = {{"s", {{0, 5}, {1, 6}}}};
  EXPECT_EQ(countOf(parsed(svgOf(chart)), "circle"), 2U);
  chart.series.assign(30, {"s", {{0, 5}, {1, 6}}});
  EXPECT_EQ(countOf(parsed(svgOf(chart)), "polyline"), 30U);
}

}  // namespace
}  // namespace rtvp::sweep
