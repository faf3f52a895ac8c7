// See shk_implicit.hpp.
#include "platform/scene/shk_implicit.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace rtvp::scene {

namespace fs = std::filesystem;

namespace {

constexpr double kMaxScale = 1e6;
constexpr std::size_t kMaxModels = 1000;
constexpr std::string_view kKeywords =
    "at, turn, scale, bounds, lipschitz, object, extrude, clip, view or the end of the line";

double positive(Words& words, std::string_view what) {
  const Where where = words.where();
  const double value = words.number(what);
  if (!(value >= 1 / kMaxScale && value <= kMaxScale)) {
    where.fail(std::string(what) + " out of range", "1e-6 to 1e6");
  }
  return value;
}

struct Box {
  Vec3 lo;
  Vec3 hi;
};

// The keywords of one statement.
struct Wishes {
  Vec3 at;
  Vec3 turn;
  Vec3 scale{1, 1, 1};
  std::optional<Box> bounds;
  std::optional<double> lipschitz;
  ImplicitReading reading;
  std::optional<Placement> view;

  void readScale(Words& words) {
    scale.x = positive(words, "a scale");
    scale.y = scale.z = scale.x;
    if (!words.numberFollows()) return;
    scale.y = positive(words, "a scale along y");
    scale.z = positive(words, "a scale along z");
  }
  static Box readBox(Words& words) {
    Box box;
    box.lo = words.vector("the smallest corner of the bounds");
    for (int axis = 0; axis < 3; ++axis) {
      const Where where = words.where();
      box.hi[axis] = words.number("the largest corner of the bounds");
      if (!(box.hi[axis] > box.lo[axis])) {
        where.fail("bounds whose largest corner is not above the smallest", "the opposite");
      }
    }
    return box;
  }
  void readClip(Words& words) {
    const Box box = readBox(words);
    const std::array<Vec3, 2> around = closeBy(reading, {box.lo, box.hi});
    if (!bounds) bounds = Box{around[0], around[1]};
  }
  void readView(Words& words) {
    const double zoom = positive(words, "a view's scale");
    const double pitch = words.number("a view's pitch in degrees");
    const double roll = words.number("a view's roll in degrees");
    const Placement tilt({}, {-pitch, 0, 0}, {zoom, zoom, zoom});
    std::array<Vec3, 3> columns = Placement({}, {0, 0, -roll}, {1, 1, 1}).columns();
    for (Vec3& column : columns) column = tilt.directionToWorld(column);
    view.emplace(Vec3{}, columns);
  }
  /// An expression file of which nothing is known: what its box cuts is closed by f itself.
  void close() {
    if (reading.clip) return;
    const std::array<Vec3, 2> box = bounds ? std::array<Vec3, 2>{bounds->lo, bounds->hi}
                                           : expressionBox(view.value_or(Placement()));
    const std::array<Vec3, 2> around = closeBy(reading, box);
    bounds = Box{around[0], around[1]};
  }
  /// False if `keyword` is none.
  bool read(std::string_view keyword, Words& words) {
    if (keyword == "at") {
      at = words.vector("where the origin goes, three numbers");
    } else if (keyword == "turn") {
      turn = words.vector("three angles in degrees");
    } else if (keyword == "scale") {
      readScale(words);
    } else if (keyword == "bounds") {
      bounds = readBox(words);
    } else if (keyword == "clip") {
      readClip(words);
    } else if (keyword == "lipschitz") {
      lipschitz = positive(words, "a Lipschitz constant");
    } else if (keyword == "object") {
      reading.object = static_cast<unsigned>(words.integer("the number of an object", 0, 65535));
    } else if (keyword == "extrude") {
      reading.extrude = positive(words, "half a thickness");
    } else if (keyword == "view") {
      readView(words);
    } else {
      return false;
    }
    return true;
  }
};

Placement compose(const Space& space, const Placement& placement,
                  const std::optional<Placement>& view) {
  std::array<Vec3, 3> columns = view ? view->columns() : Placement().columns();
  for (Vec3& column : columns) {
    column = space.directionToWorld(placement.directionToWorld(column)) * space.scale;
  }
  return {space.toWorld(placement.origin()), columns};
}

}  // namespace

std::shared_ptr<const ImplicitModel> ShkImplicit::model(const fs::path& file,
                                                        const ImplicitReading& reading,
                                                        const Where& where) {
  std::error_code error;
  const fs::path canonical = fs::canonical(file, error);
  const auto same = std::find_if(known_.begin(), known_.end(), [&](const Known& k) {
    return k.canonical == canonical && k.reading == reading;
  });
  if (same != known_.end()) return same->model;
  if (known_.size() >= kMaxModels) {
    where.fail("one implicit surface's file more", "at most " + std::to_string(kMaxModels));
  }
  known_.push_back({canonical, reading, readImplicit(file, reading, builder_.reader("implicit"))});
  return known_.back().model;
}

void ShkImplicit::implicit(Words& words, const fs::path& file, const Where& where) {
  Wishes wishes;
  std::vector<std::string> seen;
  while (!words.atEnd()) {
    const Where keywordAt = words.where();
    const std::string keyword = lowered(words.word(kKeywords));
    if (std::find(seen.begin(), seen.end(), keyword) != seen.end()) {
      keywordAt.fail(inQuotes(keyword) + " again", "each keyword once");
    }
    if (!wishes.read(keyword, words)) keywordAt.fail(inQuotes(keyword), kKeywords);
    seen.push_back(keyword);
  }
  if (isExpressionFile(file) && !wishes.lipschitz) wishes.close();
  Implicit object;
  object.model = model(file, wishes.reading, where);
  object.where = where.prefix();
  object.placement =
      compose(builder_.space(), Placement(wishes.at, wishes.turn, wishes.scale), wishes.view);
  object.lipschitz = wishes.lipschitz ? wishes.lipschitz : declaredSlope(*object.model);
  if (wishes.bounds) {
    object.lo = wishes.bounds->lo;
    object.hi = wishes.bounds->hi;
  } else {
    boundImplicit(object, wishes.view.value_or(Placement()));
  }
  builder_.addImplicit(std::move(object), where);
}

}  // namespace rtvp::scene
