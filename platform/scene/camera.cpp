// Fitted and wished cameras, see camera.hpp.
#include "platform/scene/camera.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "platform/scene/load.hpp"
#include "platform/scene/text.hpp"

namespace rtvp::scene {

namespace {

constexpr Vec3 kUsualSide{0.62, 0.42, 1.02};
constexpr double kUsualTangent = 0.5;  // of half the `.shk` angle
constexpr double kLookFromDegrees = 40;
constexpr double kMargin = 0.95;  // of the half picture that --look-from fills

double radians(double degrees) {
  return degrees * (std::numbers::pi / 180);
}

// How far from the centre an eye must be so that everything lies inside a picture of these half
// sides at distance 1.
class Fit {
 public:
  Fit(const Vec3& center, const Vec3& side, const Vec3& up, double tanX, double tanY)
      : center_(center), side_(side), tanX_(tanX), tanY_(tanY) {
    right_ = unit(cross(up, side));
    up_ = cross(side, right_);
  }

  void include(const Vec3& p, double radius = 0) {
    const Vec3 q = p - center_;
    const double z = dot(q, side_);
    distance_ = std::max({distance_, z + reach(dot(q, right_), radius, tanX_),
                          z + reach(dot(q, up_), radius, tanY_), z + radius});
  }

  [[nodiscard]] double distance() const { return distance_; }

 private:
  // A ball touches the picture's edge: its centre is a radius off the plane through eye and edge.
  static double reach(double across, double radius, double tangent) {
    return (std::abs(across) + radius * std::sqrt(1 + tangent * tangent)) / tangent;
  }

  Vec3 center_;
  Vec3 side_;
  Vec3 right_;
  Vec3 up_;
  double tanX_;
  double tanY_;
  double distance_ = 0;
};

void includeAll(Fit& fit, const Scene& scene) {
  for (const Element& e : scene.elements) {
    if (e.kind == Element::Kind::Triangle) {
      for (const Vec3& v : scene.triangles[e.index].v) fit.include(v);
    } else if (e.kind == Element::Kind::Sphere) {
      fit.include(scene.spheres[e.index].center, scene.spheres[e.index].radius);
    } else {
      const Bounds box = scene.bounds(e);
      for (unsigned corner = 0; corner < 8; ++corner) {
        fit.include({(corner & 1U) != 0 ? box.hi.x : box.lo.x,
                     (corner & 2U) != 0 ? box.hi.y : box.lo.y,
                     (corner & 4U) != 0 ? box.hi.z : box.lo.z});
      }
    }
  }
}

// Any direction that is not along `side`, `wished` if it can be.
Vec3 upFor(const Vec3& side, const Vec3& wished) {
  constexpr double kColinear = 1e-9;
  if (length(cross(unit(wished), side)) > kColinear) return unit(wished);
  return std::abs(side.y) > std::abs(side.z) ? Vec3{0, 0, -1} : Vec3{0, 1, 0};
}

struct Frame {
  Vec3 center;
  double longest = 0;
};

Frame frameOf(const Scene& scene) {
  const Bounds box = scene.bounds();
  const Vec3 size = box.hi - box.lo;
  return {(box.lo + box.hi) * 0.5, std::max({size.x, size.y, size.z})};
}

// Half sides of a picture with square pixels at distance 1, for an angle along its shorter side
// between the centres of the outer pixels, as Camera::Projection::Nff has it.
struct Halves {
  double x = 0;
  double y = 0;
};

Halves halvesFor(const Scene& scene, double tangent) {
  const double w = std::max(scene.width - 1, 1);
  const double h = std::max(scene.height - 1, 1);
  return w < h ? Halves{tangent, tangent * h / w} : Halves{tangent * w / h, tangent};
}

// The parts of a wish between its colons, each a list of numbers.
class WishText {
 public:
  WishText(std::string_view key, std::string_view text, std::string_view form)
      : file_(std::string(key), {}), text_(text), form_(form), left_(text) {}

  [[nodiscard]] bool more() const { return !done_; }

  double number() {
    const std::string part(take(':'));
    return one(part);
  }

  Vec3 vector() {
    std::string_view part = take(':');
    Vec3 result;
    for (int axis = 0; axis < 3; ++axis) {
      const std::size_t comma = part.find(',');
      if ((comma == std::string_view::npos) != (axis == 2)) fail();
      result[axis] = one(part.substr(0, comma));
      part.remove_prefix(axis == 2 ? part.size() : comma + 1);
    }
    return result;
  }

  void end() {
    if (more()) fail();
  }

  [[noreturn]] void fail() const { file_.fail({}, inQuotes(text_), form_); }

 private:
  std::string_view take(char separator) {
    if (done_) fail();
    const std::size_t end = left_.find(separator);
    const std::string_view part = left_.substr(0, end);
    done_ = end == std::string_view::npos;
    left_.remove_prefix(done_ ? left_.size() : end + 1);
    return part;
  }

  double one(std::string_view digits) const {
    const TextFile number(file_.name(), std::string(digits));
    Words words(number, number.text(), {}, false);
    try {
      const double value = words.number("a number");
      if (words.atEnd()) return value;
    } catch (const SceneError&) {  // said below, with the whole text
    }
    fail();
  }

  TextFile file_;
  std::string_view text_;
  std::string_view form_;
  std::string_view left_;
  bool done_ = false;
};

void look(Scene& scene, std::string_view text) {
  WishText wish("render.camera", text,
                "EYE:TARGET:FOV[:UP], places as x,y,z, FOV more than 0 and less than 180 degrees, "
                "the eye not at the target and UP not along the view (1,2,3:0,0,0:40)");
  Camera camera;
  camera.projection = Camera::Projection::Nff;
  camera.eye = wish.vector();
  camera.lookAt = wish.vector();
  camera.angle = wish.number();
  const Vec3 view = unit(camera.lookAt - camera.eye);
  const bool given = wish.more();
  camera.up = given ? wish.vector() : upFor(view, {0, 1, 0});
  wish.end();
  if (view == Vec3{} || !(camera.angle > 0 && camera.angle < 180)) wish.fail();
  if (given && length(cross(view, unit(camera.up))) < 1e-9) wish.fail();
  scene.camera = camera;
}

void lookFrom(Scene& scene, std::string_view text) {
  WishText wish("render.look_from", text,
                "DIRECTION[:UP] as x,y,z, not zero and not along each other (1,0.5,2)");
  const Vec3 side = unit(wish.vector());
  const bool given = wish.more();
  const Vec3 up = given ? unit(wish.vector()) : upFor(side, {0, 1, 0});
  wish.end();
  if (side == Vec3{} || length(cross(side, up)) < 1e-9) wish.fail();
  const auto [center, longest] = frameOf(scene);
  const double tangent = std::tan(radians(kLookFromDegrees) / 2);
  const Halves halves = halvesFor(scene, tangent);
  Fit fit(center, side, up, halves.x * kMargin, halves.y * kMargin);
  includeAll(fit, scene);
  scene.camera = Camera{};
  scene.camera.projection = Camera::Projection::Nff;
  scene.camera.angle = 2 * std::atan(halves.y) * (180 / std::numbers::pi);
  // A scene on the line of sight alone would have the eye in it.
  scene.camera.eye = center + side * std::max(fit.distance(), 0.6 * longest);
  scene.camera.lookAt = center;
  scene.camera.up = up;
}

}  // namespace

void fitView(Scene& scene) {
  const auto [center, longest] = frameOf(scene);
  const bool square = scene.width == scene.height;
  const Halves halves =
      square ? Halves{kUsualTangent, kUsualTangent} : halvesFor(scene, kUsualTangent);
  const Vec3 side = unit(kUsualSide);
  Fit fit(center, side, {0, 1, 0}, halves.x, halves.y);
  includeAll(fit, scene);
  scene.camera = Camera{};
  scene.camera.eye = center + kUsualSide * longest;
  if (fit.distance() > length(kUsualSide) * longest) {
    scene.camera.eye = center + side * fit.distance();
  }
  scene.camera.lookAt = center;
  scene.camera.up = {0, 1, 0};
  if (!square) {
    scene.camera.projection = Camera::Projection::Nff;
    scene.camera.angle = 2 * std::atan(halves.y) * (180 / std::numbers::pi);
  }
  scene.fittedCamera = true;
}

void fitCamera(Scene& scene) {
  scene.width = 512;
  scene.height = 512;
  fitView(scene);
}

void fitLights(Scene& scene) {
  const auto [center, longest] = frameOf(scene);
  scene.lights = {{center + Vec3{1.5, 2, 1.5} * longest, {0.8, 0.8, 0.8}},
                  {center + Vec3{-2, 1, 1} * longest, {0.35, 0.35, 0.4}}};
}

void placeCamera(Scene& scene, const ViewWish& wish) {
  if (!wish.camera.empty() && !wish.lookFrom.empty()) {
    throw SceneError("render.look_from: found it together with render.camera, expected one");
  }
  if (!wish.camera.empty()) {
    look(scene, wish.camera);
  } else if (!wish.lookFrom.empty()) {
    lookFrom(scene, wish.lookFrom);
  } else if (scene.fittedCamera) {
    fitView(scene);
  }
}

}  // namespace rtvp::scene
