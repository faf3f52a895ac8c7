#include "platform/sweep/spec.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/stream_parser.hpp>
#include <cstdlib>
#include <set>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "models/common/core/unreadable.hpp"
#include "platform/exit_status.hpp"
#include "platform/sweep/space.hpp"
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
  std::uint64_t number(const char* name, std::uint64_t fallback) {
    const json::value* value = find(name);
    if (value == nullptr) return fallback;
    json::error_code ec;
    const auto number = value->to_number<std::uint64_t>(ec);
    if (ec) refuse(name, "a whole number");
    return number;
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

SpaceChoice readSpace(const json::value& value, const std::string& where) {
  Members m(value, where);
  SpaceChoice space;
  try {
    space.kind = spaceKind(m.text("kind"));
  } catch (const InputError& e) {
    throw InputError(where + ": kind: " + e.what());
  }
  space.points = m.number("points", 0);
  space.seed = m.number("seed", 1);
  if (const json::value* goals = m.find("goals")) space.goals = values(*goals, where + ": goals");
  m.end();
  return space;
}

// Points one by one: axes that go together.
void readPoints(SweepSpec& spec, const json::value& value, const std::string& where) {
  if (!value.is_array() || value.get_array().empty()) {
    throw InputError(where + ": expected an array of objects: parameter and value");
  }
  std::vector<std::string> keys;
  for (const json::value& item : value.get_array()) {
    const std::string here = where + "[" + std::to_string(&item - value.get_array().data()) + "]";
    if (!item.is_object()) throw InputError(here + ": expected an object: parameter and value");
    const bool first = keys.empty();
    for (const auto& member : item.get_object()) {
      const std::string key(member.key());
      if (first) {
        if (spec.axis(key) != nullptr) throw InputError(here + ": " + key + ": is set already");
        keys.push_back(key);
        spec.axes.push_back({key, {}});
      }
      const auto axis = std::find_if(spec.axes.begin(), spec.axes.end(),
                                     [&](const Axis& a) { return a.key == key; });
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        throw InputError(here + ": found " + key + ", which the first point does not have");
      }
      axis->values.push_back(scalarText(member.value(), here + ": " + key));
    }
    if (item.get_object().size() != keys.size() || keys.empty()) {
      throw InputError(here + ": expected the parameters of the first point, and some");
    }
  }
  spec.links.push_back(std::move(keys));
}

std::vector<std::string> readTexts(const json::value& value, const std::string& where) {
  if (value.is_string()) return {std::string(value.get_string())};
  if (!value.is_array()) throw InputError(where + ": expected a text or an array of texts");
  std::vector<std::string> texts;
  for (const json::value& item : value.get_array()) {
    if (!item.is_string()) throw InputError(where + ": expected an array of texts");
    texts.emplace_back(item.get_string());
  }
  return texts;
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
    if (e.code() == std::errc::file_too_large) throw InputError(e.what());
    throw InputError(file.string() + ": " + common::unreadable(file, "a sweep's description"));
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

// ---- what a spec leaves open

// Settings that decide which machines there are.
constexpr std::array<std::string_view, 3> kMachineKeys = {"engine", "computer.machines",
                                                          "computer.file"};

// What can be said of every machine.
const std::array<Figure, 9> kOfAllMachines = {{{"limit", "of time", "use.limit_share"},
                                               {"tests a ray", "", "each_ray.tests_per_ray"},
                                               {"bytes a ray", "bytes", "each_ray.bytes_per_ray"},
                                               {"multipliers", "", "parts.multipliers"},
                                               {"memory", "bytes", "parts.memory_bytes"},
                                               {"price", "dollars", "parts.dollars"},
                                               {"power", "W", "parts.watts"},
                                               {"energy", "J", "parts.joules"},
                                               {"area", "mm2", "parts.area_mm2"}}};

// The machines' own figures, each name once: of every machine that some point has.
std::vector<Figure> defaultFigures(const SweepSpec& spec, const Subject& subject) {
  std::vector<platform::Settings> variants{platform::Settings(subject.table)};
  for (const std::string_view key : kMachineKeys) {
    const Axis* const axis = spec.axis(key);
    if (axis == nullptr) continue;
    std::vector<platform::Settings> more;
    for (const platform::Settings& base : variants) {
      for (const std::string& value : axis->values) {
        platform::Settings with = base;
        try {
          with.set(key, value, "sweep");
        } catch (const InputError&) {
          continue;  // its points will say so
        }
        more.push_back(std::move(with));
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
  const Figure rays{"rays", "rays/s", "picture.rays / simulated_time_ps * 1e12"};
  // What all machines have comes first, under its own meaning.
  if (hasSeveralMachines(spec)) {
    add(rays);
    for (const Figure& figure : kOfAllMachines) add(figure);
  }
  for (const platform::Settings& settings : variants) {
    for (const Figure& figure : subject.figures(settings)) add(figure);
  }
  add(rays);
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

bool hasSeveralMachines(const SweepSpec& spec) {
  return std::any_of(kMachineKeys.begin(), kMachineKeys.end(), [&](std::string_view key) {
    const Axis* const axis = spec.axis(key);
    return axis != nullptr && axis->values.size() > 1;
  });
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
  if (const json::value* p = m.find("points")) readPoints(spec, *p, name + ": points");
  if (const json::value* links = m.find("link")) {
    if (!links->is_array()) m.refuse("link", "an array of arrays of parameters");
    for (const json::value& l : links->get_array()) {
      spec.links.push_back(readTexts(l, name + ": link"));
    }
  }
  if (const json::value* w = m.find("where")) spec.where = readTexts(*w, name + ": where");
  if (const json::value* s = m.find("space")) spec.space = readSpace(*s, name + ": space");
  spec.quality = m.flag("quality");
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

}  // namespace rtvp::sweep
