// Line charts as SVG text: enough for a sweep's plots, without a plotting program.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rtvp::sweep {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< drawn in this order
};

struct Chart {
  std::string title;
  std::string xLabel;
  std::string yLabel;
  std::vector<std::string> categories;  ///< not empty: x counts these from 0
  bool logX = false;                    ///< values that are not positive are left out
  bool logY = false;
  std::vector<Series> series;
};

/// A complete SVG document; the same chart gives the same bytes. Not finite points are left out.
[[nodiscard]] std::string svgOf(const Chart& chart);

}  // namespace rtvp::sweep
