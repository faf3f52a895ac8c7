#include "platform/sweep/spec.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <cstdlib>
#include <exception>
#include <set>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "platform/exit_status.hpp"
#include "platform/inputs/input_json.hpp"
#include "platform/sweep/formula.hpp"
#include "platform/sweep/values.hpp"

namespace rtvp::sweep {
namespace {

namespace json = boost::json;
using platform::InputError;

// Reads the members of one JSON object, by name, and complains about any other.
class Members {
 public:
  Members(const json::value& value, std::string where) : where_(std::move(where)) {
    if (!value.is_object()) refuse("", "an object");
    object_ = &value.get_object();
  }
  ~Members() = default;
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  const json::value* find(const char* name) {
    known_.insert(name);
    return object_->if_contains(name);
  }
  std::string text(const char* name, std::string fallback) {
    const json::value* value = find(name);
    if (value == nullptr) return fallback;
    if (!value->is_string()) refuse(name, "a text");
    return std::string(value->get_string());
  }
  std::string text(const char* name) {
    if (object_->if_contains(name) == nullptr) refuse(name, "a text");
    return text(name, "");
  }
  bool flag(const char* name) {
    const json::value* value = find(name);
    if (value == nullptr) return false;
    if (!value->is_bool()) refuse(name, "true or false");
    return value->get_bool();
  }
  void end() const {
    for (const auto& member : *object_) {
      if (known_.count(std::string(member.key())) != 0) continue;
      std::string names;
      for (const std::string& k : known_) names += (names.empty() ? "" : ", ") + k;
      throw InputError(where_ + ": unknown member '" + std::string(member.key()) + "', expected " +
                       names);
    }
  }
  [[noreturn]] void refuse(const std::string& member, const std::string& expected) const {
    throw InputError(where_ + (member.empty() ? "" : ": " + member) + ": expected " + expected);
  }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  std::string where_;
  const json::object* object_ = nullptr;
  std::set<std::string> known_;
};

std::string scalarText(const json::value& value, const std::string& where) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_bool()) return value.get_bool() ? "on" : "off";
  if (value.is_number()) return numberText(value.to_number<double>());
  throw InputError(where + ": expected a text, a number, true or false");
}

// A list written as one text ("4,8,...,512") or as an array, whose texts are taken as they stand.
std::vector<std::string> values(const json::value& value, const std::string& where) {
  if (value.is_string()) return expandValues(std::string_view(value.get_string()), where);
  if (!value.is_array()) return {scalarText(value, where)};
  std::vector<std::string> list;
  for (const json::value& item : value.get_array()) list.push_back(scalarText(item, where));
  if (list.empty()) throw InputError(where + ": expected at least one value");
  return list;
}

std::vector<Figure> readFigures(const json::value& value, const std::string& where) {
  if (!value.is_object()) throw InputError(where + ": expected an object: name and formula");
  std::vector<Figure> figures;
  for (const auto& member : value.get_object()) {
    Figure figure;
    figure.name = std::string(member.key());
    const std::string here = where + "." + figure.name;
    if (member.value().is_string()) {
      figure.formula = std::string(member.value().get_string());
    } else {
      Members m(member.value(), here);
      figure.formula = m.text("formula");
      figure.unit = m.text("unit", "");
      m.end();
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::vector<Plot> readPlots(const json::value& value, const std::string& where) {
  if (!value.is_array()) throw InputError(where + ": expected an array of objects");
  std::vector<Plot> plots;
  for (const json::value& item : value.get_array()) {
    Members m(item, where + "[" + std::to_string(plots.size()) + "]");
    Plot plot;
    plot.title = m.text("title", "");
    plot.x = m.text("x");
    if (const json::value* y = m.find("y")) plot.y = values(*y, m.where() + ": y");
    if (plot.y.empty()) m.refuse("y", "figures");
    plot.series = m.text("series", "");
    plot.logX = m.flag("log_x");
    plot.logY = m.flag("log_y");
    m.end();
    plots.push_back(std::move(plot));
  }
  return plots;
}

std::string besideSpec(const std::string& scene, const std::filesystem::path& spec) {
  const std::filesystem::path path(scene);
  return path.is_absolute() ? scene : (spec.parent_path() / path).lexically_normal().string();
}

std::string readText(const std::filesystem::path& file) {
  constexpr std::uint64_t kLargest = 1U << 20U;  // a spec is a page
  try {
    const auto bytes = common::readBytes(file, kLargest);
    return {bytes.begin(), bytes.end()};
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
}

std::size_t lineOf(const std::string& text, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::count(
                 text.begin(),
                 text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size())), '\n'));
}

json::value parseJson(const std::string& text, const std::string& name) {
  json::stream_parser parser;
  json::error_code ec;
  const std::size_t used = parser.write_some(text, ec);
  if (!ec && text.find_first_not_of(" \t\r\n", used) != std::string::npos) {
    ec = json::error::extra_data;
  }
  if (!ec) parser.finish(ec);
  if (ec) {
    throw InputError(name + ":" + std::to_string(lineOf(text, used)) +
                     ": not JSON: " + ec.message());
  }
  return parser.release();
}

// ---- checks

// Set by the sweep itself, or of no use in it.
bool isReserved(std::string_view key) {
  return key.substr(0, 7) == "output." || key == "host.progress" || key == "host.output";
}

void checkAxes(const SweepSpec& spec) {
  std::size_t points = 1;
  std::set<std::string> seen;
  for (const Axis& axis : spec.axes) {
    if (isReserved(axis.key)) {
      throw InputError(axis.key + ": a sweep sets this itself, expected another parameter");
    }
    if (!seen.insert(axis.key).second) throw InputError(axis.key + ": given twice");
    if (axis.values.empty()) throw InputError(axis.key + ": expected at least one value");
    std::set<std::string> values;
    for (const std::string& v : axis.values) {
      if (!values.insert(v).second)
        throw InputError(axis.key + ": the value '" + v + "' is given twice");
    }
    points *= axis.values.size();
    if (points > kMaxPoints) {
      throw InputError("the sweep has more than " + std::to_string(kMaxPoints) + " points");
    }
  }
  if (spec.axis(kSceneKey) == nullptr) throw InputError("expected a scene");
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ", ") + w;
  return text.empty() ? "nothing" : text;
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

// Host settings the user has set: they change the host's figures, so such a point is another one.
json::object hostSettings(const SweepSpec& spec, const platform::Settings& settings) {
  json::object chosen;
  const json::object all = settings.effective(true);
  for (const Axis& axis : spec.axes) {
    if (const json::value* v = all.if_contains(axis.key)) chosen[axis.key] = *v;
  }
  return chosen;
}

// What it would read, with what goes wrong on the way left to the run itself.
void findInputs(Point& point, const Subject& subject) {
  std::error_code ec;
  if (!std::filesystem::is_regular_file(point.scene, ec)) {
    throw InputError(point.scene + ": found no such file, expected a scene");
  }
  try {
    point.inputs = subject.inputs(point.settings, point.scene);
  } catch (const std::exception& e) {
    point.problem = e.what();
  }
}

void identify(Point& point, const SweepSpec& spec, const Subject& subject) {
  const json::object parameters = point.settings.effective(false);
  const json::object host = hostSettings(spec, point.settings);
  json::array paths;
  for (const platform::OptionSpec& option : subject.table.all()) {
    if (option.type != platform::OptionType::Path || option.host) continue;
    paths.push_back(json::string(point.settings.text(option.key)));
  }
  point.asked = json::serialize(json::array{point.scene, paths, parameters, host});
  point.identity = platform::sha256(json::serialize(json::array{
      subject.build, parameters, host, platform::contentsOf(point.inputs), point.problem}));
}

// ---- what a spec leaves open

// Settings that decide which machines there are.
constexpr std::array<std::string_view, 3> kMachineKeys = {"engine", "computer.machines",
                                                          "computer.file"};

// The machines' own figures, each name once: of every machine that some point has.
std::vector<Figure> defaultFigures(const SweepSpec& spec, const Subject& subject) {
  std::vector<platform::Settings> variants{platform::Settings(subject.table)};
  for (const std::string_view key : kMachineKeys) {
    const Axis* const axis = spec.axis(key);
    if (axis == nullptr) continue;
    std::vector<platform::Settings> more;
    for (const platform::Settings& base : variants) {
      for (const std::string& value : axis->values) {
        more.push_back(base);
        more.back().set(key, value, "sweep");
      }
    }
    variants = std::move(more);
  }
  std::vector<Figure> figures{{"time", "ms", "simulated_time_ps / 1e9"}};
  const auto add = [&](const Figure& figure) {
    const bool known = std::any_of(figures.begin(), figures.end(),
                                   [&](const Figure& f) { return f.name == figure.name; });
    if (!known) figures.push_back(figure);
  };
  for (const platform::Settings& settings : variants) {
    for (const Figure& figure : subject.figures(settings)) add(figure);
  }
  add({"rays", "rays/s", "picture.rays / simulated_time_ps * 1e12"});
  return figures;
}

// Shares of the time in one plot, anything else in one of its own.
std::vector<Plot> defaultPlots(const SweepSpec& spec, const std::string& x) {
  std::vector<Plot> plots;
  Plot shares{"Where time goes", x, {}, "", false, false};
  for (const Figure& figure : spec.figures) {
    if (figure.unit.starts_with("share")) {
      shares.y.push_back(figure.name);
    } else {
      plots.push_back({figure.name, x, {figure.name}, "", false, true});
    }
  }
  if (!shares.y.empty()) plots.push_back(std::move(shares));
  return plots;
}

}  // namespace

void SweepSpec::set(std::string key, std::vector<std::string> list) {
  for (Axis& a : axes) {
    if (a.key == key) {
      a.values = std::move(list);
      return;
    }
  }
  axes.push_back({std::move(key), std::move(list)});
}

const Axis* SweepSpec::axis(std::string_view key) const {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.key == key; });
  return found == axes.end() ? nullptr : &*found;
}

std::vector<const Axis*> SweepSpec::varying() const {
  std::vector<const Axis*> list;
  for (const Axis& a : axes) {
    if (a.values.size() > 1) list.push_back(&a);
  }
  return list;
}

SweepSpec loadSpec(const std::filesystem::path& file) {
  const std::string name = file.string();
  const json::value root = parseJson(readText(file), name);
  Members m(root, name);
  SweepSpec spec;
  spec.name = m.text("name", file.stem().string());
  spec.note = m.text("note", "");
  if (const json::value* scene = m.find("scene")) {
    std::vector<std::string> scenes = values(*scene, name + ": scene");
    for (std::string& s : scenes) s = besideSpec(s, file);
    spec.set(std::string(kSceneKey), std::move(scenes));
  }
  if (const json::value* set = m.find("set")) {
    if (!set->is_object()) m.refuse("set", "an object: parameter and values");
    for (const auto& member : set->get_object()) {
      const std::string key(member.key());
      spec.set(key, values(member.value(), name + ": set." + key));
    }
  }
  if (const json::value* f = m.find("figures")) spec.figures = readFigures(*f, name + ": figures");
  if (const json::value* p = m.find("plots")) spec.plots = readPlots(*p, name + ": plots");
  m.end();
  return spec;
}

void complete(SweepSpec& spec, const Subject& subject) {
  if (spec.name.empty()) {
    const Axis* const scene = spec.axis(kSceneKey);
    spec.name = scene != nullptr && scene->values.size() == 1
                    ? std::filesystem::path(scene->values.front()).stem().string()
                    : "sweep";
  }
  const bool own = !spec.figures.empty();
  if (!own) spec.figures = defaultFigures(spec, subject);
  if (!spec.plots.empty()) return;
  const std::vector<const Axis*> axes = spec.varying();
  if (axes.empty()) return;
  const Axis* const x = *std::max_element(
      axes.begin(), axes.end(),
      [](const Axis* a, const Axis* b) { return a->values.size() < b->values.size(); });
  if (own) {
    for (const Figure& f : spec.figures)
      spec.plots.push_back({f.name, x->key, {f.name}, "", false, false});
  } else {
    spec.plots = defaultPlots(spec, x->key);
  }
  const auto number = [](const std::string& v) { return std::strtod(v.c_str(), nullptr); };
  const double low = number(x->values.front());
  for (Plot& p : spec.plots) p.logX = low > 0 && number(x->values.back()) / low >= 16;
}

std::vector<Point> expand(const SweepSpec& spec, const Subject& subject) {
  checkAxes(spec);
  checkFigures(spec);
  std::vector<Point> points;
  std::vector<std::size_t> digits(spec.axes.size(), 0);
  for (;;) {
    Point point(subject.table);
    for (std::size_t i = 0; i < spec.axes.size(); ++i) {
      const Axis& axis = spec.axes[i];
      point.values.push_back(axis.values[digits[i]]);
      if (axis.key == kSceneKey) {
        point.scene = point.values.back();
      } else {
        point.settings.set(axis.key, point.values.back(), "sweep");
      }
    }
    findInputs(point, subject);
    identify(point, spec, subject);
    points.push_back(std::move(point));
    std::size_t digit = digits.size();
    while (digit > 0 && ++digits[digit - 1] == spec.axes[digit - 1].values.size()) {
      digits[--digit] = 0;
    }
    if (digit == 0) return points;
  }
}

}  // namespace rtvp::sweep
