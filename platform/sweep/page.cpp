// What a sweep leaves for people: table, charts, page.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "models/common/core/text.hpp"
#include "platform/sweep/sweep.hpp"
#include "platform/sweep/values.hpp"

namespace rtvp::sweep {
namespace {

std::size_t axisIndex(const SweepSpec& spec, const std::string& key) {
  const auto found =
      std::find_if(spec.axes.begin(), spec.axes.end(), [&](const Axis& a) { return a.key == key; });
  return static_cast<std::size_t>(found - spec.axes.begin());
}

std::size_t figureIndex(const SweepSpec& spec, const std::string& name) {
  const auto found = std::find_if(spec.figures.begin(), spec.figures.end(),
                                  [&](const Figure& f) { return f.name == name; });
  return static_cast<std::size_t>(found - spec.figures.begin());
}

bool isNumeric(const std::vector<std::string>& values) {
  return std::all_of(values.begin(), values.end(), [](const std::string& v) {
    char* end = nullptr;
    (void)std::strtod(v.c_str(), &end);
    return !v.empty() && end == v.c_str() + v.size();
  });
}

// Scenes are shown by their last part.
std::string shown(const std::string& key, const std::string& value) {
  return key == kSceneKey ? std::filesystem::path(value).filename().string() : value;
}

std::string withUnit(const Figure& f) {
  return f.unit.empty() ? f.name : f.name + ", " + f.unit;
}

std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// Name of the line a point belongs to, for one of a plot's figures.
std::string lineName(const SweepResult& sweep, const Plot& plot, const std::string& figure,
                     std::size_t point) {
  std::string name;
  for (std::size_t a = 0; a < sweep.spec.axes.size(); ++a) {
    const Axis& axis = sweep.spec.axes[a];
    const bool chosen = plot.series.empty() ? axis.values.size() > 1 && axis.key != plot.x
                                            : axis.key == plot.series;
    if (!chosen) continue;
    name += (name.empty() ? "" : ", ") + shown(axis.key, sweep.points[point].values[a]);
  }
  if (plot.y.size() == 1) return name.empty() ? figure : name;
  return name.empty() ? figure : figure + ", " + name;
}

Series& seriesOf(Chart& chart, const std::string& name) {
  for (Series& s : chart.series) {
    if (s.name == name) return s;
  }
  return chart.series.emplace_back(Series{name, {}});
}

std::string figureCell(const std::optional<double>& value) {
  if (!value) return "<td></td>";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", *value);
  return "<td class=\"n\">" + std::string(text.data()) + "</td>";
}

std::string tableOf(const SweepResult& sweep) {
  const SweepSpec& spec = sweep.spec;
  std::string out = "<table>\n<tr>";
  for (const Axis* axis : spec.varying()) out += "<th>" + common::markup(axis->key) + "</th>";
  for (const Figure& f : spec.figures) {
    out += "<th title=\"" + common::markup(f.formula) + "\">" + common::markup(f.name) +
           (f.unit.empty() ? "" : "<br><small>" + common::markup(f.unit) + "</small>") + "</th>";
  }
  out += "<th>status</th></tr>\n";
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const PointResult& r = sweep.results[i];
    out += r.ok() ? "<tr>" : "<tr class=\"failed\">";
    for (std::size_t a = 0; a < spec.axes.size(); ++a) {
      if (spec.axes[a].values.size() == 1) continue;
      out += "<td>" + common::markup(shown(spec.axes[a].key, sweep.points[i].values[a])) + "</td>";
    }
    for (const auto& v : sweep.figures[i]) out += figureCell(v);
    out += "<td>" + std::to_string(r.status) +
           (r.message.empty() ? "" : ": " + common::markup(r.message)) + "</td></tr>\n";
  }
  return out + "</table>\n";
}

}  // namespace

Chart chartOf(const SweepResult& sweep, const Plot& plot) {
  const SweepSpec& spec = sweep.spec;
  Chart chart;
  chart.title = plot.title;
  chart.logX = plot.logX;
  chart.logY = plot.logY;
  const std::size_t xAxis = axisIndex(spec, plot.x);
  const std::size_t xFigure = figureIndex(spec, plot.x);
  const bool byAxis = xAxis < spec.axes.size();
  chart.xLabel = byAxis ? plot.x : withUnit(spec.figures[xFigure]);
  const bool numeric = !byAxis || isNumeric(spec.axes[xAxis].values);
  if (!numeric) {
    for (const std::string& v : spec.axes[xAxis].values)
      chart.categories.push_back(shown(plot.x, v));
  }
  for (const std::string& name : plot.y) {
    const std::size_t y = figureIndex(spec, name);
    const std::string& unit = spec.figures[y].unit;
    if (plot.y.size() == 1) {
      chart.yLabel = withUnit(spec.figures[y]);
    } else if (name == plot.y.front()) {
      chart.yLabel = unit;
    } else if (chart.yLabel != unit) {
      chart.yLabel.clear();
    }
    if (chart.title.empty()) chart.title = name;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
      if (!sweep.figures[i][y] || (!byAxis && !sweep.figures[i][xFigure])) continue;
      double x = 0;
      if (!byAxis) {
        x = *sweep.figures[i][xFigure];
      } else if (numeric) {
        x = std::strtod(sweep.points[i].values[xAxis].c_str(), nullptr);
      } else {
        const auto& values = spec.axes[xAxis].values;
        x = static_cast<double>(
            std::find(values.begin(), values.end(), sweep.points[i].values[xAxis]) -
            values.begin());
      }
      seriesOf(chart, lineName(sweep, plot, name, i)).points.emplace_back(x, *sweep.figures[i][y]);
    }
  }
  return chart;
}

std::string csvOf(const SweepResult& sweep) {
  const SweepSpec& spec = sweep.spec;
  std::string out;
  for (const Axis& axis : spec.axes) {
    if (axis.values.size() > 1) out += csvField(axis.key) + ",";
  }
  out += "status";
  for (const Figure& f : spec.figures) {
    out += "," + csvField(f.unit.empty() ? f.name : f.name + " [" + f.unit + "]");
  }
  out += ",message\n";
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    for (std::size_t a = 0; a < spec.axes.size(); ++a) {
      if (spec.axes[a].values.size() > 1) out += csvField(sweep.points[i].values[a]) + ",";
    }
    out += std::to_string(sweep.results[i].status);
    for (const auto& v : sweep.figures[i]) out += "," + (v ? numberText(*v) : std::string());
    out += "," + csvField(sweep.results[i].message) + "\n";
  }
  return out;
}

std::string htmlOf(const SweepResult& sweep) {
  const SweepSpec& spec = sweep.spec;
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
      common::markup(spec.name) +
      "</title>\n<style>body{font:15px sans-serif;margin:2em auto;max-width:75em;color:#222}"
      "table{border-collapse:collapse;font-size:13px}th,td{border:1px solid #ccc;padding:3px 8px;"
      "text-align:left;vertical-align:top}th{background:#f3f3f3}.n{text-align:right;"
      "font-variant-numeric:tabular-nums}.failed{background:#fde7e0}svg{margin:8px;border:1px "
      "solid #eee;max-width:100%;height:auto}</style></head>\n<body>\n<h1>" +
      common::markup(spec.name) + "</h1>\n";
  if (!spec.note.empty()) out += "<p>" + common::markup(spec.note) + "</p>\n";
  out += "<p>" + std::to_string(sweep.points.size()) + " points, " + std::to_string(sweep.failed) +
         " failed. The same at every point:";
  for (const Axis& axis : spec.axes) {
    if (axis.values.size() == 1) {
      out +=
          " <code>" + common::markup(axis.key + "=" + shown(axis.key, axis.values[0])) + "</code>";
    }
  }
  out += "</p>\n";
  for (const Plot& plot : spec.plots) out += svgOf(chartOf(sweep, plot));
  out += "<h2>Every point</h2>\n" + tableOf(sweep) +
         "<h2>How the figures are computed</h2>\n<table>\n";
  for (const Figure& f : spec.figures) {
    out += "<tr><td>" + common::markup(withUnit(f)) + "</td><td><code>" +
           common::markup(f.formula) + "</code></td></tr>\n";
  }
  return out +
         "</table>\n<p>A name is the end of a figure's path in stats.json "
         "(<code>platform --stats-help</code>).</p>\n</body></html>\n";
}

}  // namespace rtvp::sweep
