// Why THEIA sees what it sees at a pixel: the ray and a primitive's pieces as the driver hands them
// to the unit, the intersection of firmware/theia/improved.tasm on the unit's own arithmetic, and
// the same in double precision from the scene. One JSON object a piece, for scripts/wrong-pixels.
//
//   theia-pixel SCENE WIDTHxHEIGHT X Y PRIMITIVE...
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>

#include "models/theia/isa.hpp"
#include "platform/drivers/theia/geometry.hpp"
#include "platform/scene/load.hpp"

namespace rtvp::experiments {
namespace {

using host::fromFixed;
using host::toFixed;
using scene::Vec3;
using theia::Op;
using theia::Vec;
using theia::Word;

Vec fixedVec(const Vec3& v) {
  return {toFixed(v.x), toFixed(v.y), toFixed(v.z)};
}
Vec operate(Op op, const Vec& a, const Vec& b) {
  return theia::compute(op, a, b, {});
}
Vec3 valueOf(const Vec& v) {
  return {fromFixed(v.x), fromFixed(v.y), fromFixed(v.z)};
}
long units(Word word) {
  return static_cast<std::int32_t>(word);
}

/// A triangle and a ray: DELTA, u DELTA, v DELTA and t DELTA of theia.md's intersection, and how
/// far the ray passes the triangle by.
struct Meeting {
  double delta, u, v, t;
};
Meeting meet(const Vec3& direction, const Vec3& origin, const std::array<Vec3, 3>& corner) {
  const Vec3 e1 = corner[1] - corner[0], e2 = corner[2] - corner[0];
  const Vec3 p = cross(direction, e2), toOrigin = origin - corner[0], q = cross(toOrigin, e1);
  return {dot(p, e1), dot(p, toOrigin), dot(q, direction), dot(q, e2)};
}

/// How far a ray passes the outline of a triangle by, at right angles to the ray: below 0 inside.
/// In the triangle's plane it is farther where the ray comes at a flat angle, and nobody can see
/// that.
double outside(const Vec3& origin, const Vec3& direction, const Meeting& m,
               const std::array<Vec3, 3>& corner) {
  const auto aside = [&](std::size_t i) {
    const Vec3 to = corner[i % 3] - origin;
    return to - direction * dot(to, direction);
  };
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 a = aside(i), along = aside(i + 1) - a;
    const double share = std::clamp(-dot(a, along) / dot(along, along), 0.0, 1.0);
    least = std::min(least, length(a + along * share));
  }
  const double u = m.u / m.delta, v = m.v / m.delta;
  return u >= 0 && v >= 0 && u + v <= 1 ? -least : least;
}

/// The microcode's test: what it rejects the piece for, and its words.
struct Machine {
  const char* verdict = "taken";
  long delta = 0, u = 0,
       v = 0;  ///< units in the last place, signs turned as the microcode turns them
  double t = 0;
};
Machine intersect(const Vec& ray, const std::array<Vec, 3>& corner, double k) {
  constexpr long kTolerance = -8;
  const Vec e2 = operate(Op::SUB, corner[2], corner[0]),
            e1 = operate(Op::SUB, corner[1], corner[0]);
  const Vec p = operate(Op::CROSS, ray, e2), t = operate(Op::SUB, Vec{}, corner[0]);
  Word delta = operate(Op::DOT, p, e1).x, h2 = operate(Op::DOT, p, t).x;
  Machine m;
  const bool behind = units(delta) < 0;
  if (behind) delta = 0U - delta;
  if (behind) h2 = 0U - h2;
  const Vec q = behind ? operate(Op::CROSS, e1, t) : operate(Op::CROSS, t, e1);
  const Word h3 = operate(Op::DOT, q, ray).x, h1 = operate(Op::DOT, q, e2).x;
  const Word most =
      theia::fixed::subtract(delta, theia::fixed::multiply(delta, toFixed(1 - 1 / k)));
  m.delta = units(delta);
  m.u = units(h2);
  m.v = units(h3);
  if (delta == 0) return m.verdict = "in its plane", m;
  if (m.u < kTolerance) return m.verdict = "u < 0", m;
  if (m.u > m.delta) return m.verdict = "u > 1", m;
  if (m.v < kTolerance) return m.verdict = "v < 0", m;
  if (units(theia::fixed::add(h2, h3)) > units(most)) return m.verdict = "u + v > 1", m;
  m.t = fromFixed(theia::fixed::divide(h1, delta));
  if (units(h1) <= 0) m.verdict = "behind";
  return m;
}

class Pixel {
 public:
  Pixel(const scene::Scene& scene, int x, int y)
      : scene_(scene),
        camera_(host::theiaCamera(scene)),
        view_(host::theiaEyeView(scene, camera_, host::TheiaCorners::Enlarged)),
        direction_(scene.camera.direction(x + 0.5, y + 0.5, scene.width, scene.height)) {
    // TheiaDriver::renderRect: the window's corner is rounded, steps are exact.
    const auto rounded = [](double value) { return fromFixed(toFixed(value)); };
    const Vec d = fixedVec({rounded((0.5 - camera_.centerX) * camera_.stepX) + x * camera_.stepX,
                            rounded((camera_.centerY - 0.5) * camera_.stepY) - y * camera_.stepY,
                            -camera_.distance});
    ray_ = operate(Op::DIV, d, operate(Op::MAG, d, {}));
  }

  void tell(const host::TheiaPiece& piece) const {
    const scene::Element& element = scene_.elements[piece.element];
    const auto& corner = scene_.triangles[element.index].v;
    const Meeting exact = meet(direction_, scene_.camera.eye, corner);
    const double t = exact.t / exact.delta;
    const double k = piece.enlarged;
    std::array<Vec, 3> words;
    std::array<Vec3, 3> rounded;
    for (std::size_t i = 0; i < 3; ++i) {
      words[i] = fixedVec(piece.v[0] + (piece.v[i] - piece.v[0]) * k);
      rounded[i] = valueOf(words[i]);
    }
    const Meeting wanted = meet(valueOf(ray_), {}, rounded);
    const Machine machine = intersect(ray_, words, k);
    const double sign = wanted.delta < 0 ? -1 : 1;
    const double one = theia::kOne;
    const double rayLength =
        length(Vec3{fromFixed(ray_.x), fromFixed(ray_.y) / camera_.stretchY, fromFixed(ray_.z)});
    std::printf(
        "{\"primitive\": %u, \"u\": %.9g, \"v\": %.9g, \"t\": %.9g, \"outside\": %.9g, "
        "\"step\": %.9g, \"enlarged\": %.0f, \"scale\": %.9g, \"delta\": %ld, \"u_delta\": %ld, "
        "\"v_delta\": %ld, \"wanted_delta\": %.9g, \"wanted_u_delta\": %.9g, \"wanted_v_delta\": "
        "%.9g, \"verdict\": \"%s\", \"machine_t\": %.9g}\n",
        element.primitive, exact.u / exact.delta, exact.v / exact.delta, t,
        outside(scene_.camera.eye, direction_, exact, corner), step(t), k, view_.scale,
        machine.delta, machine.u, machine.v, sign * wanted.delta * one, sign * wanted.u * one,
        sign * wanted.v * one, machine.verdict, machine.t * rayLength / view_.scale);
  }
  [[nodiscard]] const host::TheiaView& view() const { return view_; }

 private:
  /// What one unit in the last place of a corner and of the direction is worth, at the distance t,
  /// in the scene's units.
  [[nodiscard]] double step(double t) const {
    return (1 / view_.scale + std::abs(t)) / theia::kOne;
  }

  const scene::Scene& scene_;
  host::TheiaCamera camera_;
  host::TheiaView view_;
  Vec3 direction_;
  Vec ray_;
};

int run(int argc, char** argv) {
  int width = 0, height = 0;
  if (argc < 6 || std::sscanf(argv[2], "%dx%d", &width, &height) != 2) {
    std::fputs("usage: theia-pixel SCENE WIDTHxHEIGHT X Y PRIMITIVE...\n", stderr);
    return 2;
  }
  scene::LoadOptions options;
  options.tessellateAll = true;
  scene::Scene scene = scene::load(argv[1], options);
  scene.width = width;
  scene.height = height;
  const Pixel pixel(scene, std::atoi(argv[3]), std::atoi(argv[4]));
  for (int i = 5; i < argc; ++i) {
    const auto wanted = static_cast<std::uint32_t>(std::atoi(argv[i]));
    for (const host::TheiaPiece& piece : pixel.view().pieces) {
      if (scene.elements[piece.element].primitive == wanted) pixel.tell(piece);
    }
  }
  return 0;
}

}  // namespace
}  // namespace rtvp::experiments

int main(int argc, char** argv) {
  try {
    return rtvp::experiments::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "theia-pixel: %s\n", e.what());
    return 2;
  }
}
