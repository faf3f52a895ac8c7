// What to sweep: parameters and their values, figures to compute, plots to draw. Read from a JSON
// file or put together from command-line options.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/inputs/input_files.hpp"
#include "platform/options/settings.hpp"
#include "platform/sweep/stats.hpp"

namespace rtvp::sweep {

struct Figure {
  std::string name;
  std::string unit;     ///< "" for a pure number
  std::string formula;  ///< see formula.hpp
};

/// The program whose runs a sweep makes.
struct Subject {
  const platform::OptionTable& table;  ///< what can be set
  /// The files that a run would read. Throws what such a run would report.
  std::function<std::vector<platform::InputFile>(const platform::Settings& settings,
                                                 const std::string& scene)>
      inputs;
  /// What its machines think worth reporting of every run.
  std::function<std::vector<Figure>(const platform::Settings& settings)> figures;
  std::string build;  ///< version and source revision
  /// Width and height of the picture that such a run renders. Throws what the run would report.
  std::function<std::pair<int, int>(const platform::Settings& settings, const std::string& scene)>
      picture = {};
  /// What a finished run's statistics say in the same words for all machines: `use.`, `each_ray.`.
  std::function<Stats(const platform::Settings& settings, const std::string& scene,
                      const boost::json::object& statistics)>
      common = {};
  /// What is to be said of such a run beside that: a machine that had too little to do.
  std::function<std::vector<std::string>(const platform::Settings& settings,
                                         const std::string& scene,
                                         const boost::json::object& statistics)>
      remarks = {};
  /// What its machines are made of, by a table (a file; "" = the built-in one): `parts.`.
  std::function<Stats(const platform::Settings& settings, const std::string& scene,
                      const Stats& stats, const std::string& table)>
      parts = {};
  /// Command line of the reference's run of the same picture.
  std::function<std::vector<std::string>(const platform::Settings& settings,
                                         const std::string& scene)>
      reference = {};
  /// Compares hits.csv (if both have one) and image.ppm of two folders: `quality.`.
  std::function<Stats(const platform::Settings& settings, const std::string& scene,
                      const std::filesystem::path& run, const std::filesystem::path& reference)>
      judge = {};
};

/// Pseudo-parameter: the scene file.
inline constexpr std::string_view kSceneKey = "scene";

/// One parameter and its values; one value = the same at every point.
struct Axis {
  std::string key;  ///< an option's dotted name, or kSceneKey
  std::vector<std::string> values;
};

struct Plot {
  std::string title;
  std::string x;               ///< an axis or a figure
  std::vector<std::string> y;  ///< figures
  std::string series;          ///< an axis: one line a value; "" = one line for every combination
  bool logX = false;
  bool logY = false;
};

/// How points are chosen from the values (docs/sweeps.md).
enum class SpaceKind : std::uint8_t {
  Grid,            ///< every combination; the last axis varies fastest
  Random,          ///< some of them, each as likely as any other
  LatinHypercube,  ///< some, of each axis every value as often as every other
  OneAtATime,      ///< the first values, then every other value alone
  Refine,          ///< a Latin hypercube, then neighbours of the front of its goals
};

struct SpaceChoice {
  SpaceKind kind = SpaceKind::Grid;
  std::size_t points = 0;  ///< Random, LatinHypercube: how many; Refine: at most
  std::uint64_t seed = 1;
  std::vector<std::string> goals;  ///< Refine: figures; with "max:" in front larger is better
};

struct SweepSpec {
  std::string name;
  std::string note;  ///< a sentence for the page
  std::vector<Axis> axes;
  std::vector<Figure> figures;
  std::vector<Plot> plots;
  SpaceChoice space;
  bool quality = false;                         ///< compare every picture with the reference's
  std::vector<std::string> where;               ///< conditions that all points meet
  std::vector<std::vector<std::string>> links;  ///< axes whose values go together

  /// Sets an axis, replacing an earlier one of the same key.
  void set(std::string key, std::vector<std::string> values);
  [[nodiscard]] const Axis* axis(std::string_view key) const;
  /// Axes with more than one value.
  [[nodiscard]] std::vector<const Axis*> varying() const;
};

/// One run.
struct Point {
  explicit Point(const platform::OptionTable& table) : settings(table) {}

  std::vector<std::string> values;  ///< parallel to SweepSpec::axes
  std::string scene;
  platform::Settings settings;
  std::vector<platform::InputFile> inputs;  ///< what it would read now
  std::string problem;                      ///< why that is not known: the run will report it
  std::string refused;                      ///< why it cannot be run: a value is not accepted
  /// Not the whole picture but this crop of it (render.crop), one of a sample; empty: the whole.
  std::string crop;
  /// SHA-256 of what was asked for, with the names of its files: who was run before for the same
  /// question.
  std::string asked;
  /// Equal for equal parameters, contents of files and program, wherever the files lie.
  std::string identity;
};

/// Reads a JSON file; scenes in it are found beside it. Throws InputError "file:line: ..." or
/// "file: member: ...".
[[nodiscard]] SweepSpec loadSpec(const std::filesystem::path& file);

/// Points differ in their machines.
[[nodiscard]] bool hasSeveralMachines(const SweepSpec& spec);

/// Adds what a spec leaves open: figures, plots, the name.
void complete(SweepSpec& spec, const Subject& subject);

/// Every point to begin with (all, unless the space is refined), all values checked against the
/// subject, which must outlive them: a point with a value that its parameter does not accept says
/// so in Point::refused. Throws InputError on unknown keys, parameters that accept none of their
/// values, missing scenes, unknown axes or figures in plots, formulas that do not parse, too many
/// points.
[[nodiscard]] std::vector<Point> expand(const SweepSpec& spec, const Subject& subject);

}  // namespace rtvp::sweep
