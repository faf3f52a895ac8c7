// See points.hpp.
#include "platform/sweep/points.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <exception>
#include <set>
#include <system_error>

#include "platform/exit_status.hpp"
#include "platform/inputs/input_json.hpp"
#include "platform/sweep/formula.hpp"
#include "platform/sweep/space.hpp"
#include "platform/sweep/values.hpp"

namespace rtvp::sweep {
namespace {

namespace json = boost::json;
using platform::InputError;

// Set by the sweep itself, or of no use in it.
bool isReserved(std::string_view key) {
  return key.substr(0, 7) == "output." || key == "host.progress" || key == "host.output";
}

bool isLinked(const SweepSpec& spec, const std::string& key) {
  return std::any_of(spec.links.begin(), spec.links.end(), [&](const auto& keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  });
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ", ") + w;
  return text.empty() ? "nothing" : text;
}

// Host settings the user has set: they change the host's figures, so such a point is another one.
// Not where files lie.
json::object hostSettings(const SweepSpec& spec, const platform::Settings& settings) {
  json::object chosen;
  json::object all = settings.effective(true);
  for (const Axis& axis : spec.axes) {
    const platform::OptionSpec* const option = settings.table().find(axis.key);
    if (option != nullptr && option->type == platform::OptionType::Path && !option->host) continue;
    if (json::value* v = all.if_contains(axis.key)) chosen[axis.key] = std::move(*v);
  }
  return chosen;
}

// What it would read, with what goes wrong on the way left to the run itself.
void findInputs(Point& point, const Subject& subject) {
  try {
    point.inputs = subject.inputs(point.settings, point.scene);
  } catch (const std::exception& e) {
    point.problem = e.what();
  }
}

void identify(Point& point, const SweepSpec& spec, const Subject& subject) {
  json::array paths;
  for (const platform::OptionSpec& option : subject.table.all()) {
    if (option.type != platform::OptionType::Path || option.host) continue;
    paths.push_back(json::string(point.settings.text(option.key)));
  }
  point.asked = platform::sha256(json::serialize(json::array{
      point.scene, paths, point.settings.effective(false), hostSettings(spec, point.settings)}));
  point.identity = identityOf(spec, point, subject, point.inputs, point.problem);
}

// A point that cannot be run because a parameter does not accept its value: known by what was
// asked for.
Point refusedPoint(const SweepSpec& spec, std::vector<std::string> values, const Subject& subject,
                   const std::string& why) {
  Point point(subject.table);
  json::array words{subject.build};
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    if (spec.axes[i].key == kSceneKey) point.scene = values[i];
    words.push_back(json::string(spec.axes[i].key + "=" + values[i]));
  }
  point.values = std::move(values);
  point.refused = why;
  point.asked = platform::sha256(json::serialize(words));
  point.identity = point.asked;
  return point;
}

// A name that no parameter has, or values that it never accepts, are mistakes in the sweep and not
// in its points.
void checkValues(const SweepSpec& spec, const Subject& subject) {
  for (const Axis& axis : spec.axes) {
    if (axis.key == kSceneKey) continue;
    std::string why;
    const bool any = std::any_of(axis.values.begin(), axis.values.end(), [&](const auto& value) {
      try {
        platform::Settings(subject.table).set(axis.key, value, "sweep");
        return true;
      } catch (const InputError& e) {
        if (why.empty()) why = e.what();
        return false;
      }
    });
    if (!any) throw InputError(why);
  }
}

// A kind of space needs what it needs, and nothing else is said.
void checkSpace(const SweepSpec& spec) {
  const SpaceChoice& space = spec.space;
  const bool counted = space.kind == SpaceKind::Random || space.kind == SpaceKind::LatinHypercube ||
                       space.kind == SpaceKind::Refine;
  if (counted && (space.points < 1 || space.points > kMaxPoints)) {
    throw InputError("space: expected a number of points, 1.." + std::to_string(kMaxPoints));
  }
  if ((space.kind == SpaceKind::Refine) == space.goals.empty()) {
    throw InputError(space.goals.empty() ? "space: refine needs goals: figures"
                                         : "space: goals: only refine has some");
  }
  for (const std::string& goal : space.goals) {
    const std::string name = goal.starts_with("max:") ? goal.substr(4) : goal;
    const bool known = std::any_of(spec.figures.begin(), spec.figures.end(),
                                   [&](const Figure& f) { return f.name == name; });
    if (known) continue;
    std::vector<std::string> names;
    for (const Figure& f : spec.figures) names.push_back(f.name);
    throw InputError("space: goals: found '" + name + "', expected one of " + joined(names));
  }
}

void checkScenes(const SweepSpec& spec) {
  for (const std::string& scene : spec.axis(kSceneKey)->values) {
    std::error_code ec;
    if (!std::filesystem::is_regular_file(scene, ec)) {
      throw InputError(scene + ": found no such file, expected a scene file");
    }
  }
}

}  // namespace

void checkAxes(const SweepSpec& spec) {
  std::set<std::string> seen;
  for (const Axis& axis : spec.axes) {
    if (isReserved(axis.key)) {
      throw InputError(axis.key + ": a sweep sets this itself, expected another parameter");
    }
    if (!seen.insert(axis.key).second) throw InputError(axis.key + ": given twice");
    if (axis.values.empty()) throw InputError(axis.key + ": expected at least one value");
    if (isLinked(spec, axis.key)) continue;  // of two that go together one may stand still
    std::set<std::string> values;
    for (const std::string& v : axis.values) {
      if (!values.insert(v).second)
        throw InputError(axis.key + ": the value '" + v + "' is given twice");
    }
  }
  if (spec.axis(kSceneKey) == nullptr) throw InputError("expected a scene");
}

void checkFigures(const SweepSpec& spec) {
  std::vector<std::string> figures;
  for (const Figure& f : spec.figures) {
    if (f.name.empty()) throw InputError("figures: found an empty name");
    if (std::find(figures.begin(), figures.end(), f.name) != figures.end()) {
      throw InputError("figures." + f.name + ": given twice");
    }
    (void)Formula(f.formula, "figures." + f.name);
    figures.push_back(f.name);
  }
  std::vector<std::string> axes;
  for (const Axis& a : spec.axes) axes.push_back(a.key);
  const auto has = [](const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  for (const Plot& p : spec.plots) {
    if (!has(axes, p.x) && !has(figures, p.x)) {
      throw InputError("plots: x: found '" + p.x + "', expected one of " + joined(axes) + ", " +
                       joined(figures));
    }
    for (const std::string& y : p.y) {
      if (!has(figures, y)) {
        throw InputError("plots: y: found '" + y + "', expected one of " + joined(figures));
      }
    }
    if (!p.series.empty() && !has(axes, p.series)) {
      throw InputError("plots: series: found '" + p.series + "', expected one of " + joined(axes));
    }
  }
}

std::string describe(const SweepSpec& spec, const Point& point) {
  std::string text;
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    if (spec.axes[i].values.size() == 1) continue;
    text += (text.empty() ? "" : " ") + spec.axes[i].key + "=" + point.values[i];
  }
  return text.empty() ? point.scene : text;
}

std::string identityOf(const SweepSpec& spec, const Point& point, const Subject& subject,
                       std::span<const platform::InputFile> inputs, const std::string& problem) {
  return platform::sha256(json::serialize(
      json::array{subject.build, point.settings.effective(false),
                  hostSettings(spec, point.settings), platform::contentsOf(inputs), problem}));
}

Point pointOf(const SweepSpec& spec, std::vector<std::string> values, const Subject& subject) {
  Point point(subject.table);
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    if (spec.axes[i].key == kSceneKey) {
      point.scene = values[i];
    } else {
      point.settings.set(spec.axes[i].key, values[i], "sweep");
    }
  }
  point.values = std::move(values);
  return point;
}

Point cropOf(const Point& point, const SweepSpec& spec, const Subject& subject,
             const std::string& crop) {
  Point part = point;
  part.crop = crop;
  part.settings.set("render.crop", crop, "--sample");
  identify(part, spec, subject);
  return part;
}

void checkSpec(const SweepSpec& spec, const Subject& subject) {
  checkAxes(spec);
  checkFigures(spec);
  checkValues(spec, subject);
  checkScenes(spec);
  checkSpace(spec);
}

std::vector<Point> pointsOf(const SweepSpec& spec, std::vector<Row> rows, const Subject& subject) {
  std::vector<Point> points;
  points.reserve(rows.size());
  for (Row& row : rows) {
    try {
      Point point = pointOf(spec, row, subject);
      findInputs(point, subject);
      identify(point, spec, subject);
      points.push_back(std::move(point));
    } catch (const InputError& e) {
      points.push_back(refusedPoint(spec, std::move(row), subject, e.what()));
    }
  }
  return points;
}

std::vector<Point> expand(const SweepSpec& spec, const Subject& subject) {
  checkSpec(spec, subject);
  return pointsOf(spec, firstRows(spec, subject.table), subject);
}

}  // namespace rtvp::sweep
