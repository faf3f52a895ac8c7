#include "platform/sweep/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "models/common/core/text.hpp"

namespace rtvp::sweep {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 420;
constexpr double kLeft = 78;
constexpr double kTop = 40;
constexpr double kBottom = 54;
constexpr double kLegend = 190;  // width of the column with the series' names
// Okabe and Ito's palette: told apart by colour-blind readers too.
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                 "#56b4e9", "#e69f00", "#000000", "#8a6d00"};

std::string format(const char* pattern, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

std::string at(double v) {
  return format("%.1f", v);
}

// A tick's text: 250, 1.5k, 20M, 0.25, 1e-06.
std::string tickText(double v) {
  const double size = std::abs(v);
  if (size >= 1e9 || (size > 0 && size < 1e-3)) return format("%g", v);
  if (size >= 1e6) return format("%.4gM", v / 1e6);
  if (size >= 1e4) return format("%.4gk", v / 1e3);
  return format("%.6g", v);
}

// One axis: from values to places, and where its ticks are.
class Scale {
 public:
  Scale(std::vector<double> values, bool logarithmic, bool fromZero) : log_(logarithmic) {
    if (values.empty()) values = {log_ ? 1.0 : 0.0};
    lo_ = *std::min_element(values.begin(), values.end());
    hi_ = *std::max_element(values.begin(), values.end());
    if (log_) {
      logTicks(std::move(values));
    } else {
      if (fromZero && lo_ > 0) lo_ = 0;
      linearTicks();
    }
  }
  [[nodiscard]] double share(double v) const {
    return log_ ? std::log(v / lo_) / std::log(hi_ / lo_) : (v - lo_) / (hi_ - lo_);
  }
  [[nodiscard]] const std::vector<double>& ticks() const { return ticks_; }

 private:
  void linearTicks() {
    if (hi_ <= lo_) hi_ = lo_ + (lo_ == 0 ? 1 : std::abs(lo_));
    const double raw = (hi_ - lo_) / 6;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    double step = power * 10;
    for (const double m : {1.0, 2.0, 5.0}) {
      if (power * m >= raw) {
        step = power * m;
        break;
      }
    }
    lo_ = std::floor(lo_ / step + 1e-9) * step;
    hi_ = std::ceil(hi_ / step - 1e-9) * step;
    const auto count = static_cast<int>(std::llround((hi_ - lo_) / step));
    for (int i = 0; i <= count; ++i) {
      const double v = lo_ + i * step;
      ticks_.push_back(std::abs(v) < step * 1e-9 ? 0 : v);
    }
  }
  void logTicks(std::vector<double> values) {
    // Few different values, as of a swept parameter, are its ticks; otherwise powers of ten.
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() >= 2 && values.size() <= 12 && values.back() / values.front() >= 2 &&
        std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v); })) {
      ticks_ = std::move(values);
      return;
    }
    lo_ = std::pow(10, std::floor(std::log10(lo_) + 1e-9));
    hi_ = std::pow(10, std::ceil(std::log10(hi_) - 1e-9));
    if (hi_ <= lo_) hi_ = lo_ * 10;
    double tick = lo_;
    while (tick <= hi_ * 1.001) {
      ticks_.push_back(tick);
      tick *= 10;
    }
  }

  bool log_;
  double lo_ = 0;
  double hi_ = 1;
  std::vector<double> ticks_;
};

std::vector<Series> drawable(const Chart& chart) {
  std::vector<Series> list = chart.series;
  for (Series& s : list) {
    s.points.erase(
        std::remove_if(s.points.begin(), s.points.end(),
                       [&](const auto& p) {
                         return !std::isfinite(p.first) || !std::isfinite(p.second) ||
                                (chart.logX && chart.categories.empty() && p.first <= 0) ||
                                (chart.logY && p.second <= 0);
                       }),
        s.points.end());
  }
  return list;
}

std::string text(double x, double y, const char* more, const std::string& words) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" " + more + ">" + common::markup(words) +
         "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const char* colour) {
  return "<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) +
         "\" stroke=\"" + colour + "\"/>\n";
}

struct Frame {
  Scale x;
  Scale y;
  double right;
  [[nodiscard]] double placeX(double v) const { return kLeft + x.share(v) * (right - kLeft); }
  [[nodiscard]] double placeY(double v) const {
    return kHeight - kBottom - y.share(v) * (kHeight - kBottom - kTop);
  }
};

std::string grid(const Chart& chart, const Frame& frame) {
  const double bottom = kHeight - kBottom;
  std::string out;
  for (const double v : frame.y.ticks()) {
    const double y = frame.placeY(v);
    out += line(kLeft, y, frame.right, y, "#dddddd");
    out += text(kLeft - 8, y + 4, "text-anchor=\"end\"", tickText(v));
  }
  const std::size_t skip = 1 + chart.categories.size() / 12;
  for (std::size_t i = 0; i < chart.categories.size(); i += skip) {
    out += text(frame.placeX(static_cast<double>(i)), bottom + 18, "text-anchor=\"middle\"",
                chart.categories[i]);
  }
  if (chart.categories.empty()) {
    for (const double v : frame.x.ticks()) {
      const double x = frame.placeX(v);
      out += line(x, kTop, x, bottom, "#eeeeee");
      out += text(x, bottom + 18, "text-anchor=\"middle\"", tickText(v));
    }
  }
  out += line(kLeft, bottom, frame.right, bottom, "#333333");
  out += line(kLeft, kTop, kLeft, bottom, "#333333");
  out += text((kLeft + frame.right) / 2, kHeight - 14, "text-anchor=\"middle\"", chart.xLabel);
  const std::string turned =
      "text-anchor=\"middle\" transform=\"rotate(-90 18 " + at((kTop + bottom) / 2) + ")\"";
  out += text(18, (kTop + bottom) / 2, turned.c_str(), chart.yLabel);
  return out;
}

// Line style of the i-th series: colours first, then the same again in dashes.
std::string stroke(std::size_t i) {
  return "stroke=\"" + std::string(kColours[i % kColours.size()]) + "\" stroke-width=\"2\"" +
         (i / kColours.size() % 2 == 1 ? " stroke-dasharray=\"6 4\"" : "");
}

std::string curve(const Series& series, std::size_t index, const Frame& frame) {
  const char* const colour = kColours[index % kColours.size()];
  std::string path;
  std::string dots;
  for (const auto& [vx, vy] : series.points) {
    const std::string x = at(frame.placeX(vx));
    const std::string y = at(frame.placeY(vy));
    path += (path.empty() ? "" : " ") + x + "," + y;
    dots += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"3\" fill=\"" + colour + "\"><title>" +
            common::markup(series.name + ": " + format("%.6g", vx) + ", " + format("%.6g", vy)) +
            "</title></circle>\n";
  }
  if (path.empty()) return {};
  return "<polyline fill=\"none\" " + stroke(index) + " points=\"" + path + "\"/>\n" + dots;
}

}  // namespace

std::string svgOf(const Chart& chart) {
  const std::vector<Series> series = drawable(chart);
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Series& s : series) {
    for (const auto& [x, y] : s.points) {
      xs.push_back(x);
      ys.push_back(y);
    }
  }
  if (!chart.categories.empty()) xs = {0, static_cast<double>(chart.categories.size()) - 1};
  const Frame frame{Scale(std::move(xs), chart.logX && chart.categories.empty(), false),
                    Scale(std::move(ys), chart.logY, true),
                    series.size() > 1 ? kWidth - kLegend : kWidth - 24};
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + format("%.0f", kWidth) + " " +
      format("%.0f", kHeight) + "\" width=\"" + format("%.0f", kWidth) + "\" height=\"" +
      format("%.0f", kHeight) +
      "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\" role=\"img\">\n<title>" +
      common::markup(chart.title) +
      "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  out += text(kLeft, 22, "font-size=\"15\" font-weight=\"bold\"", chart.title);
  out += grid(chart, frame);
  for (std::size_t i = 0; i < series.size(); ++i) {
    out += curve(series[i], i, frame);
    if (series.size() == 1) continue;
    const double y = kTop + 10 + static_cast<double>(i) * 18;
    out += "<path d=\"M" + at(frame.right + 12) + " " + at(y - 4) + "h20\" " + stroke(i) + "/>\n";
    out += text(frame.right + 38, y, "", series[i].name);
  }
  return out + "</svg>\n";
}

}  // namespace rtvp::sweep
