// See text_table.hpp.
#include "platform/sweep/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "platform/report/terminal_line.hpp"

namespace rtvp::sweep {
namespace {

constexpr std::size_t kWidest = 60;  // of a message

struct Column {
  std::string title;
  bool number = false;
  std::vector<std::string> cells;
};

std::size_t lengthOf(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// Four digits are what people compare; the table beside it has all.
std::string shortNumber(double value) {
  std::array<char, 32> text{};
  const double size = std::abs(value);
  const bool whole = value == std::floor(value) && size < 1e6;
  if (whole || (size >= 1e3 && size < 1e6)) {
    std::snprintf(text.data(), text.size(), "%.0f", value);
  } else {
    std::snprintf(text.data(), text.size(), "%.4g", value);
  }
  return text.data();
}

std::vector<std::size_t> shownRows(std::size_t points, std::size_t rows) {
  std::vector<std::size_t> list;
  const std::size_t head = points <= rows ? points : rows - rows / 4;
  for (std::size_t i = 0; i < head; ++i) list.push_back(i);
  if (points > rows) {
    for (std::size_t i = points - rows / 4; i < points; ++i) list.push_back(i);
  }
  return list;
}

std::vector<Column> columnsOf(const SweepResult& sweep, const std::vector<std::size_t>& rows) {
  std::vector<Column> columns;
  const auto add = [&](const std::string& title, bool number, const auto& cell) {
    Column column{title, number, {}};
    for (const std::size_t i : rows) column.cells.push_back(cell(i));
    columns.push_back(std::move(column));
  };
  for (std::size_t a = 0; a < sweep.spec.axes.size(); ++a) {
    if (sweep.spec.axes[a].values.size() < 2) continue;
    add(sweep.spec.axes[a].key, false, [&](std::size_t i) { return sweep.points[i].values[a]; });
  }
  for (std::size_t f = 0; f < sweep.spec.figures.size(); ++f) {
    const Figure& figure = sweep.spec.figures[f];
    add(figure.name + (figure.unit.empty() ? "" : " [" + figure.unit + "]"), true,
        [&](std::size_t i) {
          return sweep.figures[i][f] ? shortNumber(*sweep.figures[i][f]) : std::string("-");
        });
  }
  if (!sweep.limits.empty()) {
    add("limited by", false, [&](std::size_t i) { return sweep.limits[i]; });
  }
  const bool messages =
      std::any_of(rows.begin(), rows.end(), [&](std::size_t i) { return !sweep.results[i].ok(); });
  if (messages) {
    add("message", false,
        [&](std::size_t i) { return report::fitted(sweep.results[i].message, kWidest); });
  }
  return columns;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, lengthOf(text)), ' ');
  return right ? space + text : text + space;
}

std::string lineOf(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                   const auto& cell) {
  std::string line;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    line += (c == 0 ? "" : "  ") + padded(cell(columns[c]), widths[c], columns[c].number);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

}  // namespace

std::string textTableOf(const SweepResult& sweep, std::size_t rows) {
  const std::vector<std::size_t> shown = shownRows(sweep.points.size(), rows);
  const std::vector<Column> columns = columnsOf(sweep, shown);
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    std::size_t width = lengthOf(column.title);
    for (const std::string& cell : column.cells) width = std::max(width, lengthOf(cell));
    widths.push_back(width);
  }
  std::string text = lineOf(columns, widths, [](const Column& c) { return c.title; });
  for (std::size_t r = 0; r < shown.size(); ++r) {
    if (r > 0 && shown[r] != shown[r - 1] + 1) {
      text += "... " + std::to_string(shown[r] - shown[r - 1] - 1) + " more: sweep.csv\n";
    }
    text += lineOf(columns, widths, [r](const Column& c) { return c.cells[r]; });
  }
  return text;
}

std::string stateLine(const SweepState& state, const std::string& what) {
  std::string text = std::to_string(state.done) + "/" + std::to_string(state.total) + " points";
  if (state.known != 0) text += " (" + std::to_string(state.known) + " known)";
  if (state.failed != 0) text += ", " + std::to_string(state.failed) + " failed";
  const std::size_t ran = state.done - state.known;
  const std::size_t left = state.total - state.done;
  if (ran != 0 && left != 0) {
    // By what a point takes, not by how many ended lately: a few may end together.
    const double each = state.spent / static_cast<double>(ran);
    const auto jobs = static_cast<double>(std::min(std::max<std::size_t>(state.jobs, 1), left));
    const double all = each * static_cast<double>(state.total - state.known) / jobs;
    text += ", " +
            report::timeText(std::max(all - state.seconds, each / 2 * static_cast<double>(left) /
                                                               static_cast<double>(state.total))) +
            " left";
  }
  return text + (what.empty() ? "" : ": " + what);
}

}  // namespace rtvp::sweep
