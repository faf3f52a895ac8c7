// What a sweep leaves for people: table, charts, page.
#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>

#include "models/common/core/text.hpp"
#include "models/common/core/utf8.hpp"
#include "platform/sweep/page_files.hpp"
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

// What a point has to say beside its figures, on one line.
std::string remark(const PointResult& result) {
  std::string text = result.message;
  for (const std::string& w : result.warnings)
    text += (text.empty() ? "" : "; ") + ("warning: " + w);
  return text;
}

// A text in JSON, also inside an HTML script element.
std::string quotedJson(const std::string& text) {
  std::string out;
  for (const char c : boost::json::serialize(boost::json::string(common::escapedUtf8(text)))) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string listOf(std::size_t count, const std::function<std::string(std::size_t)>& item) {
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + item(i);
  return out + "]";
}

std::string columnOf(const char* kind, const std::string& name, const Figure* figure,
                     const std::string& values) {
  std::string out = std::string(R"({"kind":")") + kind + R"(","name":)" + quotedJson(name);
  if (figure != nullptr) {
    out +=
        R"(,"unit":)" + quotedJson(figure->unit) + R"(,"formula":)" + quotedJson(figure->formula);
  }
  return out + R"(,"values":)" + values + "}";
}

// The files that a point reads, for people.
std::string inputsOf(const Point& point) {
  return listOf(point.inputs.size(), [&](std::size_t i) {
    const platform::InputFile& f = point.inputs[i];
    return quotedJson(f.role + " " + f.path.string() + ", " + std::to_string(f.bytes) +
                      " bytes, SHA-256 " + f.sha256);
  });
}

// Everything that the page's program shows.
std::string pageData(const SweepResult& sweep) {
  const SweepSpec& spec = sweep.spec;
  const std::size_t points = sweep.points.size();
  std::string constants, columns;
  for (std::size_t a = 0; a < spec.axes.size(); ++a) {
    const Axis& axis = spec.axes[a];
    if (axis.values.size() == 1) {
      constants += (constants.empty() ? "" : ",") + ("[" + quotedJson(axis.key)) + "," +
                   quotedJson(axis.values[0]) + "]";
      continue;
    }
    columns +=
        columnOf(
            "axis", axis.key, nullptr,
            listOf(points, [&](std::size_t i) { return quotedJson(sweep.points[i].values[a]); })) +
        ",\n";
  }
  for (std::size_t f = 0; f < spec.figures.size(); ++f) {
    columns += columnOf("figure", spec.figures[f].name, &spec.figures[f],
                        listOf(points,
                               [&](std::size_t i) {
                                 const auto& value = sweep.figures[i][f];
                                 return value ? numberText(*value) : std::string("null");
                               })) +
               ",\n";
  }
  if (!sweep.limits.empty()) {
    columns +=
        columnOf("word", "limited by", nullptr,
                 listOf(points, [&](std::size_t i) { return quotedJson(sweep.limits[i]); })) +
        ",\n";
  }
  columns +=
      columnOf(
          "status", "status", nullptr,
          listOf(points, [&](std::size_t i) { return std::to_string(sweep.results[i].status); })) +
      ",\n" +
      columnOf("remark", "it says", nullptr,
               listOf(points, [&](std::size_t i) { return quotedJson(remark(sweep.results[i])); }));
  // Most points read the same files.
  std::map<std::string, std::size_t> known;
  std::vector<std::string> inputs;
  const std::string input = listOf(points, [&](std::size_t i) {
    const std::string text = inputsOf(sweep.points[i]);
    const auto [at, fresh] = known.emplace(text, inputs.size());
    if (fresh) inputs.push_back(text);
    return std::to_string(at->second);
  });
  return "{\"points\":" + std::to_string(points) + ",\"constants\":[" + constants +
         "],\n\"columns\":[" + columns + "],\n\"input\":" + input +
         ",\n\"inputs\":" + listOf(inputs.size(), [&](std::size_t i) { return inputs[i]; }) + "}";
}

constexpr std::string_view kInteractive =
    R"html(<noscript><p>The table and the charts below need JavaScript; sweep.csv has the same points.</p></noscript>
<div id="interactive" hidden>
<h2>Explore</h2>
<div id="tabs"><button data-chart="scatter">Scatter</button><button data-chart="heat">Heat map</button><button data-chart="tornado">Sensitivities</button><button data-chart="parallel">Parallel coordinates</button><button data-chart="multiples">Small multiples</button></div>
<div id="chart"></div>
<h2>Every point</h2>
<p><span id="count"></span> <label><input type="checkbox" id="relative"> figures relative to the baseline</label></p>
<div id="rows"><table><thead id="head"></thead><tbody id="body"></tbody></table></div>
<div id="detail"><p>Click a point for its command, inputs and remarks, or to pin it as the baseline.</p></div>
</div>
)html";

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
  std::vector<std::string> words;  // of an axis that is linked a value may come twice
  if (!numeric) {
    for (const std::string& v : spec.axes[xAxis].values) {
      if (std::find(words.begin(), words.end(), v) != words.end()) continue;
      words.push_back(v);
      chart.categories.push_back(shown(plot.x, v));
    }
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
        x = static_cast<double>(
            std::find(words.begin(), words.end(), sweep.points[i].values[xAxis]) - words.begin());
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
  if (!sweep.limits.empty()) out += ",limited by";
  out += ",message\n";
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    for (std::size_t a = 0; a < spec.axes.size(); ++a) {
      if (spec.axes[a].values.size() > 1) out += csvField(sweep.points[i].values[a]) + ",";
    }
    out += std::to_string(sweep.results[i].status);
    for (const auto& v : sweep.figures[i]) out += "," + (v ? numberText(*v) : std::string());
    if (!sweep.limits.empty()) out += "," + csvField(sweep.limits[i]);
    out += "," + csvField(remark(sweep.results[i])) + "\n";
  }
  return out;
}

// A sweep that goes on writes its page again now and then.
constexpr const char* kReload = "<meta http-equiv=\"refresh\" content=\"5\">";

std::string htmlOf(const SweepResult& sweep) {
  const SweepSpec& spec = sweep.spec;
  const std::map<std::string, std::string>& parts = builtInPageFiles();
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">" +
                    std::string(sweep.running ? kReload : "") + "<title>" +
                    common::markup(spec.name) + "</title>\n<style>" + parts.at("page.css") +
                    "</style></head>\n<body>\n<h1>" + common::markup(spec.name) + "</h1>\n";
  if (!spec.note.empty()) out += "<p>" + common::markup(spec.note) + "</p>\n";
  if (sweep.running) {
    out += "<p><strong>The sweep goes on: " + std::to_string(sweep.missing) +
           " points have no result yet.</strong> This page loads itself again.</p>\n";
  }
  const bool all = !sweep.running && sweep.interrupted == 0;
  out += "<p>" + std::to_string(sweep.points.size()) + " points, " +
         std::to_string(sweep.failed - (all ? 0 : sweep.missing)) +
         " failed. The same at every point:";
  for (const Axis& axis : spec.axes) {
    if (axis.values.size() == 1) {
      out +=
          " <code>" + common::markup(axis.key + "=" + shown(axis.key, axis.values[0])) + "</code>";
    }
  }
  out += "</p>\n<div class=\"exact\">\n";
  for (const Plot& plot : spec.plots) out += svgOf(chartOf(sweep, plot));
  out +=
      "</div>\n" + std::string(kInteractive) + "<h2>How the figures are computed</h2>\n<table>\n";
  for (const Figure& f : spec.figures) {
    out += "<tr><td>" + common::markup(withUnit(f)) + "</td><td><code>" +
           common::markup(f.formula) + "</code></td></tr>\n";
  }
  return out +
         "</table>\n<p>A name is the end of a figure's path in stats.json "
         "(<code>platform --stats-help</code>).</p>\n"
         "<script type=\"application/json\" id=\"data\">" +
         pageData(sweep) + "</script>\n<script>\n" + parts.at("page.js") +
         "</script>\n</body></html>\n";
}

}  // namespace rtvp::sweep
