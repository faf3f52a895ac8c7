// What machines do for each pixel (`--cost-map`, docs/costs.md): the measures, what a kind of
// machine says of them, and the sums of one host computer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/raytree/hit_finder.hpp"

namespace rtvp::platform {

/// What is counted; rows of kMeasures.
enum class Measure : std::uint8_t {
  Cycles,
  Tests,
  BoxTests,
  NodeVisits,
  Evaluations,
  Instructions,
  Bytes,
};

struct MeasureInfo {
  std::string_view name;   ///< in options and files
  std::string_view title;  ///< in text
  std::string_view meaning;
};

inline constexpr std::array<MeasureInfo, 7> kMeasures{{
    {"cycles", "cycles", "clock cycles of the machine, or of its cores"},
    {"tests", "tests", "of a ray against a triangle, a sphere or a surface"},
    {"box_tests", "box tests", "of a ray against a box"},
    {"node_visits", "node visits", "nodes of a tree that a ray was led to"},
    {"evaluations", "evaluations", "of the function f of a surface f = 0"},
    {"instructions", "instructions", "executed for a pixel alone"},
    {"bytes", "bytes", "moved between machine and memory"},
}};

[[nodiscard]] constexpr const MeasureInfo& infoOf(Measure measure) {
  return kMeasures[static_cast<std::size_t>(measure)];
}

/// The measures that `text` names, "all" or some separated by commas, in the order of kMeasures.
/// Throws InputError that begins with `what`.
[[nodiscard]] std::vector<Measure> parseMeasures(const std::string& text, const std::string& what);

/// A measure that a kind of machine charges to pixels.
struct Cost {
  Measure measure;
  /// What all pixels and what no pixel is charged with come to, rounded down: a formula over the
  /// statistics and the configuration (platform/sweep/formula.hpp), where `unit` in a name is
  /// unit0, unit1 and so on together. Empty: they have no such figure.
  std::string_view figure;
  std::string_view words;  ///< what counts, and how what several rays share is divided
};

/// What one machine of one host computer did: for transport between processes, too.
struct CostSums {
  std::string machine;                 ///< its name in the run
  std::uint64_t clockPs = 0;           ///< period of what `cycles` counts; 0: unknown
  std::vector<Measure> measures;       ///< in the order of kMeasures
  std::vector<std::uint64_t> pixels;   ///< by rows of the part, one number a measure
  std::vector<std::uint64_t> outside;  ///< by measure: no pixel's
  std::string missing;                 ///< why a measure of the kind is not in this run
};

/// A part of a picture whose pixels have the numbers of Ray::pixel.
struct CostArea {
  host::Crop crop;
  int pictureWidth = 0;
};

/// Where one machine charges what it does. Pixels are those of Ray::pixel; what belongs to none
/// (host::kNoPixel) is kept apart. Charges of a measure that is not kept are no error.
class CostAccount {
 public:
  CostAccount(const CostArea& area, std::string machine, std::span<const Cost> costs);

  void charge(std::uint32_t pixel, Measure measure, std::uint64_t amount);
  /// Equal parts; what does not divide goes to the first ones, one each. Without pixels: no
  /// pixel's.
  void share(std::span<const std::uint32_t> pixels, Measure measure, std::uint64_t amount);
  /// Parts in proportion to the weights, rounded so that they add up; equal ones if all are 0.
  void share(std::span<const std::uint32_t> pixels, std::span<const std::uint64_t> weights,
             Measure measure, std::uint64_t amount);
  /// All of `total` that has not been charged is no pixel's.
  void settle(Measure measure, std::uint64_t total);

  void setClock(std::uint64_t picoseconds) { sums_.clockPs = picoseconds; }
  /// This run cannot count it, for the reason given (a sentence).
  void withdraw(Measure measure, const std::string& why);

  [[nodiscard]] const CostSums& sums() const { return sums_; }

 private:
  [[nodiscard]] std::size_t indexOf(Measure measure) const {
    return index_[static_cast<std::size_t>(measure)];
  }
  static constexpr std::size_t kNone = ~std::size_t{0};

  CostArea area_;
  CostSums sums_;
  std::array<std::size_t, kMeasures.size()> index_{};
};

/// The accounts of one host computer's machines.
class CostMap {
 public:
  explicit CostMap(const CostArea& area) : area_(area) {}
  /// Null for a machine that counts nothing. Accounts stay where they are.
  [[nodiscard]] CostAccount* open(const std::string& machine, std::span<const Cost> costs);
  [[nodiscard]] std::vector<CostSums> sums() const;

 private:
  CostArea area_;
  std::vector<std::unique_ptr<CostAccount>> accounts_;
};

}  // namespace rtvp::platform
