// What the machines of a race disagree about.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "platform/commands/part.hpp"
#include "platform/machines/line_up.hpp"
#include "platform/reference/compare_hits.hpp"
#include "platform/report/figures.hpp"
#include "platform/report/image.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

/// Pixels where a racer's primary hit differs from the first machine's.
struct Disagreement {
  reference::HitVerdict verdict;
  std::size_t racer;  ///< into RaceReport::racers
  report::HitRow first, other;
};

struct RaceReport {
  struct Racer {
    std::string name;
    reference::HitComparison hits;
  };
  std::string first;
  std::vector<Racer> racers;  ///< the others
  std::vector<Disagreement> pixels;

  /// For stats.json: the counts of each racer.
  [[nodiscard]] boost::json::object json() const;
  [[nodiscard]] std::vector<report::SummaryLine> summary() const;
  /// CSV, one row a pixel and racer: x,y,cause,first,first_prim,first_t,other,other_prim,other_t.
  [[nodiscard]] std::string csv() const;
  /// The picture, darkened, with the pixels of each cause in a colour: outline blue, tie green,
  /// primitive red, distance yellow.
  [[nodiscard]] report::Image draw(const report::Image& picture, const host::Crop& crop) const;
};

/// By the acceptance rule of `platform compare`. Empty (no racers) unless the machines of `parts`
/// raced with one sample a pixel.
[[nodiscard]] RaceReport judgeRace(const LineUp& lineUp, const std::vector<PartResult>& parts,
                                   const scene::Scene& scene);

}  // namespace rtvp::platform
