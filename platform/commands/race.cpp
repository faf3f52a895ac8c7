// See race.hpp.
#include "platform/commands/race.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace rtvp::platform {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> kCauses = {"outline", "tie", "primitive", "distance"};
constexpr std::array<std::array<std::uint8_t, 3>, 4> kColors = {
    {{64, 96, 255}, {64, 224, 64}, {255, 32, 32}, {255, 224, 32}}};

std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string hitText(const report::HitRow& row) {
  if (row.prim == report::kMiss) return "-1,";
  return std::to_string(row.prim) + "," + shortest(row.t);
}

/// The dump of one racer from all host computers; 0 is the first machine.
report::HitDump joined(const std::vector<PartResult>& parts, std::size_t racer) {
  report::HitDump all;
  for (const PartResult& part : parts) {
    const report::HitDump& dump = racer == 0 ? part.race.first : part.race.dumps.at(racer - 1);
    all.insert(all.end(), dump.begin(), dump.end());
  }
  return all;
}

const MachineKind& kindOf(const LineUp& lineUp, const std::string& name) {
  const auto& members = lineUp.members();
  return *std::find_if(members.begin(), members.end(), [&](const LineUp::Member& m) {
            return m.name == name;
          })->kind;
}

reference::HitTolerance toleranceOf(const LineUp& lineUp, const MachineKind& a,
                                    const MachineKind& b) {
  reference::HitTolerance tolerance;
  tolerance.distance = std::max(a.distanceTolerance(), b.distanceTolerance());
  tolerance.functions = 0;
  for (const LineUp::Member& member : lineUp.members()) {
    tolerance.functions = std::max(tolerance.functions, member.kind->slack(*member.settings));
  }
  return tolerance;
}

}  // namespace

RaceReport judgeRace(const LineUp& lineUp, const std::vector<PartResult>& parts,
                     const scene::Scene& scene) {
  RaceReport result;
  if (lineUp.policy().kind != Policy::Kind::Race || parts.front().race.dumps.empty()) return result;
  const std::vector<std::string> names = lineUp.finders();
  const std::vector<std::size_t>& racers = lineUp.policy().racers;
  result.first = names[racers.front()];
  const report::HitDump first = joined(parts, 0);
  for (std::size_t i = 1; i < racers.size(); ++i) {
    const std::string& name = names[racers[i]];
    const reference::HitTolerance tolerance =
        toleranceOf(lineUp, kindOf(lineUp, result.first), kindOf(lineUp, name));
    const auto listen = [&](reference::HitVerdict verdict, const report::HitRow& a,
                            const report::HitRow& b) {
      result.pixels.push_back({verdict, i - 1, a, b});
    };
    result.racers.push_back(
        {name, reference::compareHits(first, joined(parts, i), scene, tolerance, listen)});
  }
  return result;
}

json::object RaceReport::json() const {
  json::object all{{"first", first}};
  for (const Racer& racer : racers) {
    const reference::HitComparison& c = racer.hits;
    all[racer.name] = json::object{{"pixels", c.compared},
                                   {"equal", c.equal},
                                   {"excused_outline", c.excusedOutline},
                                   {"excused_tie", c.excusedTie},
                                   {"wrong_primitive", c.wrong},
                                   {"wrong_distance", c.wrongDistance},
                                   {"largest_relative_t", c.maxRelativeT}};
  }
  return all;
}

std::vector<report::SummaryLine> RaceReport::summary() const {
  std::vector<report::SummaryLine> lines;
  for (const Racer& racer : racers) {
    const reference::HitComparison& c = racer.hits;
    lines.push_back({"race", racer.name + " against " + first + ": " + std::to_string(c.equal) +
                                 " of " + std::to_string(c.compared) + " pixels alike, " +
                                 std::to_string(c.excused()) + " excused, " +
                                 std::to_string(c.wrong + c.wrongDistance) + " unexplained"});
  }
  return lines;
}

std::string RaceReport::csv() const {
  std::string text = "x,y,cause,first,first_prim,first_t,other,other_prim,other_t\n";
  for (const Disagreement& d : pixels) {
    text += std::to_string(d.first.x) + "," + std::to_string(d.first.y) + "," +
            std::string(kCauses[static_cast<std::size_t>(d.verdict)]) + "," + first + "," +
            hitText(d.first) + "," + racers[d.racer].name + "," + hitText(d.other) + "\n";
  }
  return text;
}

report::Image RaceReport::draw(const report::Image& picture, const host::Crop& crop) const {
  report::Image image = picture;
  for (std::uint8_t& value : image.rgb) value = static_cast<std::uint8_t>(value / 3);
  for (const Disagreement& d : pixels) {
    const auto at =
        3 * (static_cast<std::size_t>(d.first.y - crop.y) * static_cast<std::size_t>(image.width) +
             static_cast<std::size_t>(d.first.x - crop.x));
    const auto& color = kColors[static_cast<std::size_t>(d.verdict)];
    std::copy(color.begin(), color.end(), image.rgb.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return image;
}

}  // namespace rtvp::platform
