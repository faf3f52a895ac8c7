// What a machine may say of itself in the one-screen summary: the figures that were written to
// stats.json, and the words to say them with.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rtvp::report {

/// One line; a label of its own or, empty, a continuation.
struct SummaryLine {
  std::string label, text;
};

/// The statistics of one machine in all host computers of a run: `modules` has a member a host.
class RunFigures {
 public:
  /// `scene`: the counts of the scene in stats.json, if a machine is to know them.
  RunFigures(boost::json::object modules, double simulatedSeconds, double wallSeconds,
             boost::json::object scene = {})
      : modules_(std::move(modules)),
        scene_(std::move(scene)),
        simulated_(simulatedSeconds),
        wall_(wallSeconds) {}

  [[nodiscard]] double simulatedSeconds() const { return simulated_; }
  [[nodiscard]] double wallSeconds() const { return wall_; }
  /// Sum of `figure` over all groups called `group`, at any depth.
  [[nodiscard]] double sum(std::string_view group, std::string_view figure) const;
  /// The same, as a mean; 0 if there are none.
  [[nodiscard]] double mean(std::string_view group, std::string_view figure) const;
  /// How many groups called `group` have the figure.
  [[nodiscard]] int count(std::string_view group, std::string_view figure) const;
  /// Sum of `figure` over the groups PREFIX0, PREFIX1 ... of the group `group` (any, if empty).
  [[nodiscard]] double sumOfNumbered(std::string_view group, std::string_view prefix,
                                     std::string_view figure) const;

  /// A count of the scene ("triangles"); 0 if there is none.
  [[nodiscard]] double scene(std::string_view figure) const;
  [[nodiscard]] const boost::json::object& modules() const { return modules_; }

 private:
  boost::json::object modules_, scene_;
  double simulated_, wall_;
};

/// A JSON number of any kind; 0 for what is none.
[[nodiscard]] double numberOf(const boost::json::value& value);
/// "12.3 M" + unit.
[[nodiscard]] std::string scaled(double value, const char* unit);
[[nodiscard]] std::string percent(double share);
/// Seconds as s, ms or us.
[[nodiscard]] std::string duration(double seconds);
/// "executing 12.0 %, idle 88.0 % of 3 M": shares of `whole`.
struct Part {
  const char* figure;
  const char* word;
};
template <typename Sum>
[[nodiscard]] std::string shares(const Sum& sum, const auto& parts, double whole) {
  std::string text;
  for (const Part& part : parts) {
    if (!text.empty()) text += ", ";
    text += std::string(part.word) + " " + percent(whole > 0 ? sum(part.figure) / whole : 0);
  }
  return text + " of " + scaled(whole, "");
}

}  // namespace rtvp::report
