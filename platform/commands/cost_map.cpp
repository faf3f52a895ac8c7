// See cost_map.hpp.
#include "platform/commands/cost_map.hpp"

#include <algorithm>
#include <array>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "platform/exit_status.hpp"
#include "platform/options/run_params.hpp"
#include "platform/report/statistics.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;

constexpr int kSchema = 1;  // of the .json
constexpr int kGap = 4;     // pixels between panels

/// Black, blue, red, yellow, white, linear between.
std::array<double, 3> heat(double x) {
  constexpr std::array<std::array<double, 3>, 5> kStops{
      {{0, 0, 0}, {0, 0, 0.8}, {0.9, 0.1, 0.1}, {1, 0.9, 0}, {1, 1, 1}}};
  const double at = std::clamp(x, 0.0, 1.0) * (kStops.size() - 1);
  const std::size_t low = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double share = at - static_cast<double>(low);
  std::array<double, 3> color{};
  for (std::size_t k = 0; k < 3; ++k)
    color[k] = kStops[low][k] + (kStops[low + 1][k] - kStops[low][k]) * share;
  return color;
}

/// One pixel in 500 costs more, those that met cold memory for instance.
std::uint64_t whiteOf(std::vector<std::uint64_t> values) {
  constexpr std::size_t kOneIn = 500;
  if (values.empty()) return 0;
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() - 1 - values.size() / kOneIn);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void finish(CostPanel& panel) {
  panel.total = 0;
  for (const std::uint64_t n : panel.pixels) panel.total += n;
  panel.white = whiteOf(panel.pixels);
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

json::object panelJson(const CostPanel& panel) {
  return {{"measure", infoOf(panel.measure).name},
          {"machines", json::array(panel.machines.begin(), panel.machines.end())},
          {"total", panel.total},
          {"outside", panel.outside},
          {"white", panel.white}};
}

}  // namespace

bool CostSheet::isFileName(const std::string& file) {
  return report::isImageName(file) || boost::algorithm::iends_with(file, ".json") ||
         boost::algorithm::iends_with(file, ".csv");
}

CostSheet::CostSheet(const LineUp& lineUp, const std::vector<PartResult>& parts,
                     const host::Crop& whole)
    : whole_(whole) {
  const OutputOptions output = outputOptions(lineUp.settings());
  const auto wanted = parseMeasures(output.costMeasure, "output.cost_measure");
  gather(lineUp, parts, wanted);
  for (const Measure measure : wanted) combine(measure);
  if (!panels_.empty()) return;
  std::string why;
  for (const Machine& m : machines_) why += "; " + m.name + ": " + m.uncounted;
  throw InputError("output.cost_measure: found '" + output.costMeasure +
                   "', which no machine of this run counted" + why);
}

/// The parts of each machine side by side.
void CostSheet::gather(const LineUp& lineUp, const std::vector<PartResult>& parts,
                       const std::vector<Measure>& wanted) {
  const auto width = static_cast<std::size_t>(whole_.width);
  for (const LineUp::Member& member : lineUp.members()) {
    if (member.idle) continue;
    Machine machine{
        member.name, &member.kind->info(), 0, {}, std::string(member.kind->info().uncounted)};
    for (const PartResult& part : parts) {
      const auto sums = std::find_if(part.costs.begin(), part.costs.end(),
                                     [&](const CostSums& s) { return s.machine == member.name; });
      if (sums == part.costs.end()) continue;
      machine.clockPs = sums->clockPs;
      if (&part == &parts.front() && !sums->missing.empty()) {
        machine.uncounted += "; in this run " + sums->missing;
      }
      for (std::size_t m = 0; m < sums->measures.size(); ++m) {
        const Measure measure = sums->measures[m];
        if (std::find(wanted.begin(), wanted.end(), measure) == wanted.end()) continue;
        auto panel = std::find_if(machine.panels.begin(), machine.panels.end(),
                                  [&](const CostPanel& p) { return p.measure == measure; });
        if (panel == machine.panels.end()) {
          panel = machine.panels.insert(panel, CostPanel{measure, {member.name}, {}, {}});
          panel->name = member.name + "." + std::string(infoOf(measure).name);
          panel->pixels.resize(width * static_cast<std::size_t>(whole_.height));
        }
        panel->outside += sums->outside[m];
        const auto columns = static_cast<std::size_t>(part.crop.width);
        for (std::size_t i = 0; i * sums->measures.size() < sums->pixels.size(); ++i) {
          const std::size_t x = static_cast<std::size_t>(part.crop.x - whole_.x) + i % columns;
          const std::size_t y = static_cast<std::size_t>(part.crop.y - whole_.y) + i / columns;
          panel->pixels[y * width + x] += sums->pixels[i * sums->measures.size() + m];
        }
      }
    }
    for (CostPanel& panel : machine.panels) finish(panel);
    machines_.push_back(std::move(machine));
  }
}

/// One panel for all machines that count the measure; cycles of different clocks are not added.
void CostSheet::combine(Measure measure) {
  std::vector<const Machine*> who;
  std::vector<const CostPanel*> own;
  for (const Machine& machine : machines_) {
    for (const CostPanel& panel : machine.panels) {
      if (panel.measure != measure) continue;
      who.push_back(&machine);
      own.push_back(&panel);
    }
  }
  if (own.empty()) return;
  const bool agree =
      measure != Measure::Cycles || std::all_of(who.begin(), who.end(), [&](const Machine* m) {
        return m->clockPs == who.front()->clockPs;
      });
  if (!agree) {
    std::vector<std::string> clocks;
    for (std::size_t i = 0; i < own.size(); ++i) {
      panels_.push_back(*own[i]);
      clocks.push_back(who[i]->name + " " + std::to_string(who[i]->clockPs) + " ps");
    }
    notes_.push_back("cycles of different clocks are not added, each machine has a panel: " +
                     joined(clocks, ", "));
    return;
  }
  CostPanel sum = *own.front();
  sum.name = infoOf(measure).name;
  for (std::size_t i = 1; i < own.size(); ++i) {
    sum.machines.push_back(own[i]->machines.front());
    sum.outside += own[i]->outside;
    for (std::size_t p = 0; p < sum.pixels.size(); ++p) sum.pixels[p] += own[i]->pixels[p];
  }
  finish(sum);
  panels_.push_back(std::move(sum));
}

// ---- forms

std::vector<std::uint8_t> CostSheet::contents(const std::string& file) const {
  if (file == "-") return report::encodeImage("-.png", image());
  if (report::isImageName(file)) return report::encodeImage(file, image());
  const std::string text =
      boost::algorithm::iends_with(file, ".csv") ? csv() : json::serialize(json()) + "\n";
  return {text.begin(), text.end()};
}

report::Image CostSheet::image() const {
  const int count = static_cast<int>(panels_.size());
  report::Image image(count * whole_.width + (count - 1) * kGap, whole_.height);
  for (int p = 0; p < count; ++p) {
    const CostPanel& panel = panels_[static_cast<std::size_t>(p)];
    const auto white = static_cast<double>(std::max<std::uint64_t>(1, panel.white));
    for (std::size_t i = 0; i < panel.pixels.size(); ++i) {
      const auto width = static_cast<std::size_t>(whole_.width);
      const std::size_t x =
          i % width + static_cast<std::size_t>(p) * static_cast<std::size_t>(whole_.width + kGap);
      const auto color = heat(static_cast<double>(panel.pixels[i]) / white);
      const std::size_t at = 3 * (i / width * static_cast<std::size_t>(image.width) + x);
      for (std::size_t k = 0; k < 3; ++k) image.rgb[at + k] = report::quantize(color[k]);
    }
  }
  return image;
}

std::string CostSheet::csv() const {
  std::vector<const CostPanel*> columns;
  for (const CostPanel& panel : panels_) columns.push_back(&panel);
  for (const Machine& machine : machines_) {
    if (machines_.size() == 1) break;
    for (const CostPanel& panel : machine.panels) {
      const auto there = [&](const CostPanel& p) { return p.name == panel.name; };
      if (std::none_of(panels_.begin(), panels_.end(), there)) columns.push_back(&panel);
    }
  }
  std::string text = "x,y";
  for (const CostPanel* const column : columns) text += "," + column->name;
  text += "\n";
  for (std::size_t i = 0; i < columns.front()->pixels.size(); ++i) {
    const auto width = static_cast<std::size_t>(whole_.width);
    text += std::to_string(static_cast<std::size_t>(whole_.x) + i % width) + "," +
            std::to_string(static_cast<std::size_t>(whole_.y) + i / width);
    for (const CostPanel* const column : columns) text += "," + std::to_string(column->pixels[i]);
    text += "\n";
  }
  return text;
}

json::object CostSheet::json() const {
  const auto withPixels = [](const CostPanel& panel) {
    json::object object = panelJson(panel);
    object["pixels"] = json::array(panel.pixels.begin(), panel.pixels.end());
    return object;
  };
  json::array panels, machines;
  for (const CostPanel& panel : panels_) panels.push_back(withPixels(panel));
  for (const Machine& machine : machines_) {
    json::array own;
    for (const CostPanel& panel : machine.panels) {
      own.push_back(machines_.size() == 1 ? panelJson(panel) : withPixels(panel));
    }
    machines.push_back(json::object{{"machine", machine.name},
                                    {"clock_ps", machine.clockPs},
                                    {"uncounted", machine.uncounted},
                                    {"measures", std::move(own)}});
  }
  return {{"schema_version", kSchema},
          {"x", whole_.x},
          {"y", whole_.y},
          {"width", whole_.width},
          {"height", whole_.height},
          {"panels", std::move(panels)},
          {"machines", std::move(machines)},
          {"notes", json::array(notes_.begin(), notes_.end())}};
}

json::object CostSheet::statistics() const {
  json::array panels;
  for (const CostPanel& panel : panels_) {
    panels.push_back(panelJson(panel));
    panels.back().as_object()["name"] = panel.name;
  }
  json::object all;
  for (const Machine& machine : machines_) {
    json::object own;
    for (const CostPanel& panel : machine.panels) {
      const auto cost = std::find_if(machine.info->costs.begin(), machine.info->costs.end(),
                                     [&](const Cost& c) { return c.measure == panel.measure; });
      own[infoOf(panel.measure).name] = json::object{{"pixels", panel.total},
                                                     {"outside", panel.outside},
                                                     {"figure", cost->figure},
                                                     {"meaning", cost->words}};
    }
    own["uncounted"] = machine.uncounted;
    all[machine.name] = std::move(own);
  }
  return {{"panels", std::move(panels)}, {"machines", std::move(all)}};
}

report::Image panelOf(const report::Image& picture, std::size_t count, std::size_t index) {
  const int width = (picture.width + kGap) / static_cast<int>(count) - kGap;
  report::Image panel(width, picture.height);
  for (int y = 0; y < panel.height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto from = picture.pixel(x + static_cast<int>(index) * (width + kGap), y);
      std::ranges::copy(from, panel.rgb.begin() + 3 * (std::ptrdiff_t{y} * width + x));
    }
  }
  return panel;
}

std::vector<report::SummaryLine> CostSheet::summary() const {
  std::vector<report::SummaryLine> lines;
  std::vector<std::string> shown;
  for (const CostPanel& panel : panels_) {
    const bool separate = panel.machines.size() == 1 && machines_.size() > 1;
    shown.push_back((separate ? panel.machines.front() + "'s " : "") +
                    std::string(infoOf(panel.measure).title) +
                    " (white: " + std::to_string(panel.white) + ")");
  }
  lines.push_back({"cost map", joined(shown, ", ")});
  for (const std::string& note : notes_) lines.push_back({"", note});
  for (const Machine& machine : machines_) {
    lines.push_back({"", "not of " + machine.name + ": " + machine.uncounted});
  }
  return lines;
}

}  // namespace rtvp::platform
