// See comparison.hpp: the tables of a terminal.
#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "platform/report/comparison.hpp"
#include "platform/report/figures.hpp"

namespace rtvp::report {
namespace {

using Row = std::vector<std::string>;

std::size_t widthOf(const std::vector<Row>& rows, std::size_t column) {
  std::size_t width = 0;
  for (const Row& row : rows) {
    if (column < row.size()) width = std::max(width, row[column].size());
  }
  return width;
}

/// The first `left` columns are words, the others numbers.
std::string table(const std::vector<Row>& rows, std::size_t left) {
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widthOf(rows, i) - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < left ? row[i] + gap : gap + row[i]);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  return out + "\n";
}

std::string number(const std::optional<double>& value) {
  if (!value) return "-";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), *value >= 1000 ? "%.0f" : "%.4g", *value);
  return text.data();
}

std::string compact(const std::optional<double>& value) {
  std::string text = value ? scaled(*value, "") : "-";
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string picture(const ComparedRun& run) {
  if (!run.psnr) return "equal";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f dB", *run.psnr);
  return text.data();
}

std::string bytes(const ComparedRun& run) {
  return number(run.bytesPerRay());
}

std::vector<Row> speedRows(const Comparison& all, bool host) {
  std::vector<Row> rows{
      {"machine", "setting", "simulated", "rays/s", "cycles", "PSNR", "wrong px", "excused"}};
  if (host) rows.front().emplace_back("host s");
  for (const ComparedRun& run : all.runs) {
    if (run.state != ComparedRun::State::Done) continue;
    rows.push_back({run.machine, run.setting, duration(run.simulatedSeconds),
                    compact(run.raysPerSecond()), compact(run.cycles()), picture(run),
                    std::to_string(run.wrongPixels), std::to_string(run.excusedPixels)});
    if (host) rows.back().push_back(number(run.hostSeconds));
  }
  return rows;
}

std::vector<Row> workRows(const Comparison& all) {
  std::vector<Row> rows{
      {"a ray", "setting", "tests", "box tests", "node visits", "bytes moved", "paths"}};
  for (const ComparedRun& run : all.runs) {
    if (run.state != ComparedRun::State::Done || run.members.empty()) continue;
    std::string paths;
    for (const Traffic& t : run.members.front().figures.traffic) {
      paths += (paths.empty() ? "" : ", ") + t.path + " " +
               number(run.rays > 0 ? t.bytes / run.rays : 0) + (t.inner ? " (inner)" : "");
    }
    rows.push_back({run.machine, run.setting, number(run.perRay(&MachineFigures::tests)),
                    number(run.perRay(&MachineFigures::boxTests)),
                    number(run.perRay(&MachineFigures::nodeVisits)), bytes(run), "  " + paths});
  }
  return rows;
}

void printLimits(std::ostream& out, const Comparison& all) {
  out << "What limits it: the part that most of the simulated time is spent at or waited for\n";
  for (const ComparedRun& run : all.runs) {
    if (run.state != ComparedRun::State::Done) continue;
    out << run.label() << ": " << (run.limit.empty() ? "-" : run.limit) << " "
        << percent(run.limitShare) << "\n";
    for (const MemberFigures& member : run.members) {
      if (member.figures.resources.empty()) continue;
      std::string line = "   ";
      if (run.members.size() > 1) line += " [" + member.machine + "]";
      for (const Resource& r : member.figures.resources) {
        line += " " + r.name + " " + percent(r.share) + ";";
      }
      line.pop_back();
      if (member.figures.idle) line += "; idle " + percent(*member.figures.idle);
      out << line << "\n";
    }
  }
  out << "\n";
}

/// What the settings rest on, their guesses among it.
void printNotes(std::ostream& out, const Comparison& all) {
  std::string lines;
  for (const ComparedRun& run : all.runs) {
    if (run.state != ComparedRun::State::Done || run.note.empty()) continue;
    lines += run.label() + ": " + run.note + "\n";
  }
  if (lines.empty()) return;
  out << "What the settings rest on; who is faster moves with clocks and latencies that are "
         "guesses\n"
      << lines << "\n";
}

std::optional<double> total(const ComparedRun& run, std::optional<double> ListedPart::*figure) {
  std::optional<double> sum;
  for (const ListedPart& p : run.parts) {
    if (p.*figure) sum = sum.value_or(0) + *(p.*figure);
  }
  return sum;
}

void printParts(std::ostream& out, const Comparison& all) {
  std::vector<Row> rows{
      {"parts", "setting", "list (? = a guess)", "multipliers", "memory, bytes", "dollars"}};
  for (const ComparedRun& run : all.runs) {
    if (run.state != ComparedRun::State::Done || run.parts.empty()) continue;
    std::string list;
    for (const ListedPart& p : run.parts) {
      list += (list.empty() ? "" : ", ") + number(p.count) + " " + p.name + (p.guess ? "?" : "");
    }
    rows.push_back({run.machine, run.setting, list, number(total(run, &ListedPart::multipliers)),
                    compact(total(run, &ListedPart::memoryBytes)),
                    number(total(run, &ListedPart::dollars))});
  }
  if (rows.size() > 1) out << table(rows, 3);
}

}  // namespace

std::string comparisonText(const Comparison& all, bool host) {
  std::ostringstream out;
  out << all.scene << ", " << all.width << "x" << all.height << ": " << all.triangles
      << " triangles, " << all.spheres << " spheres, " << all.functions << " implicit surfaces\n";
  for (const auto& [key, value] : all.said) out << key << "=" << value << "\n";
  out << "\n" << table(speedRows(all, host), 2) << table(workRows(all), 2);
  printLimits(out, all);
  printParts(out, all);
  printNotes(out, all);
  for (const ComparedRun& run : all.runs) {
    if (run.state == ComparedRun::State::Done) continue;
    out << run.label() << ": "
        << (run.state == ComparedRun::State::Refused ? "does not take this scene: " : "FAILED: ")
        << run.reason << "\n";
  }
  return out.str();
}

}  // namespace rtvp::report
