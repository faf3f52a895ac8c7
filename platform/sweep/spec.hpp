// What to sweep: parameters and their values, figures to compute, plots to draw. Read from a JSON
// file or put together from command-line options.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/inputs/input_files.hpp"
#include "platform/options/settings.hpp"

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

struct SweepSpec {
  std::string name;
  std::string note;  ///< a sentence for the page
  std::vector<Axis> axes;
  std::vector<Figure> figures;
  std::vector<Plot> plots;

  /// Sets an axis, replacing an earlier one of the same key.
  void set(std::string key, std::vector<std::string> values);
  [[nodiscard]] const Axis* axis(std::string_view key) const;
  /// Axes with more than one value.
  [[nodiscard]] std::vector<const Axis*> varying() const;
};

/// One run of the cross product; the last axis varies fastest.
struct Point {
  explicit Point(const platform::OptionTable& table) : settings(table) {}

  std::vector<std::string> values;  ///< parallel to SweepSpec::axes
  std::string scene;
  platform::Settings settings;
  std::vector<platform::InputFile> inputs;  ///< what it would read now
  std::string problem;                      ///< why that is not known: the run will report it
  /// As it was asked for, with the names of its files: who was run before for the same question.
  std::string asked;
  /// Equal for equal parameters, contents of files and program, wherever the files lie.
  std::string identity;
};

/// Reads a JSON file; scenes in it are found beside it. Throws InputError "file:line: ..." or
/// "file: member: ...".
[[nodiscard]] SweepSpec loadSpec(const std::filesystem::path& file);

/// Adds what a spec leaves open: figures, plots, the name.
void complete(SweepSpec& spec, const Subject& subject);

/// Every point, all values checked against the subject, which must outlive them. Throws InputError
/// on unknown keys, values out of range, missing scenes, unknown axes or figures in plots, formulas
/// that do not parse, too many points.
[[nodiscard]] std::vector<Point> expand(const SweepSpec& spec, const Subject& subject);

}  // namespace rtvp::sweep
