// The scene every engine renders: primitives in file order, materials, lights and a camera.
//
// A *primitive* is what the scene file calls one (design.md section 6): a triangle, a sphere, or a
// polygon, cone or cylinder. An *element* is a piece an engine can intersect: a triangle or a
// sphere. Elements are numbered in file order, so a smaller element number never belongs to a
// larger primitive number; engines break ties of equal t by the smaller element number, which is
// the rule "nearest is the smaller (t, primitive) pair".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/scene/vec3.hpp"

namespace rtvp::scene {

/// Surface constants of a `.shk` `m` line (board.md 5.1); defaults are the 1996 program's.
struct Material {
  Vec3 color{1, 1, 1};
  double kdiff = 0.8;
  double kspec = 0.2;
  double kamb = 0.2;
  double ns = 5;        ///< Phong exponent
  double ktrans = 0;    ///< weight of the refracted ray
  double reflect = 0;   ///< weight of the reflected ray
  double refindex = 1;  ///< index of refraction inside, relative to outside
};

struct Light {
  Vec3 position;
  Vec3 color{1, 1, 1};
};

/// A pinhole camera. Two projections exist because `.shk` cannot express an angle (board.md 5.3).
struct Camera {
  enum class Projection {
    Shk,  ///< 2 atan 0.5 in both axes over the whole picture, whatever its aspect
    Nff,  ///< `angle` spans the outer pixel centres vertically, pixels are square
  };
  Projection projection = Projection::Shk;
  Vec3 eye{1, 0, 0};
  Vec3 lookAt{0, 0, 0};
  Vec3 up{0, 1, 0};
  double angle = 53.13010235415598;  ///< degrees, Nff only

  /// Unit direction of the eye ray through picture position (px, py), pixels from the top left
  /// corner; the centre of pixel (i, j) is (i + 0.5, j + 0.5). `width` and `height` are the
  /// picture's.
  [[nodiscard]] Vec3 direction(double px, double py, int width, int height) const;
};

struct Triangle {
  std::array<Vec3, 3> v;
  std::array<Vec3, 3> n;  ///< unit vertex normals; meaningful if `smooth`
  bool smooth = false;
};

struct Sphere {
  Vec3 center;
  double radius = 0;
};

struct Element {
  enum class Kind : std::uint8_t { Triangle, Sphere };
  Kind kind = Kind::Triangle;
  std::uint32_t index = 0;      ///< into Scene::triangles or Scene::spheres
  std::uint32_t primitive = 0;  ///< primitive number, 0-based file order
  std::uint32_t material = 0;   ///< into Scene::materials
};

struct Bounds {
  Vec3 lo{1e300, 1e300, 1e300};
  Vec3 hi{-1e300, -1e300, -1e300};
  void include(const Vec3& p);
  void include(const Bounds& b);
  [[nodiscard]] bool empty() const { return lo.x > hi.x; }
  [[nodiscard]] double diagonal() const { return empty() ? 0 : length(hi - lo); }
};

/// Element number that means "no hit".
inline constexpr std::uint32_t kNoElement = 0xFFFFFFFFU;

/// How many primitives of each kind the file held.
struct PrimitiveCounts {
  std::uint32_t triangles = 0;  ///< `.shk` t and n, NFF p with three corners, OBJ
  std::uint32_t spheres = 0;
  std::uint32_t polygons = 0;   ///< NFF p with more than three corners
  std::uint32_t patches = 0;    ///< NFF pp
  std::uint32_t cones = 0;      ///< NFF c with two different radii
  std::uint32_t cylinders = 0;  ///< NFF c with equal radii
  std::uint32_t dropped = 0;    ///< of all these, primitives without area: numbered, but no element
};

struct Scene {
  std::string name;  ///< file name without folder and extension
  int width = 640;
  int height = 480;
  Vec3 background{0, 0.5, 1};
  Camera camera;
  std::vector<Light> lights;
  std::vector<Material> materials;
  std::vector<Triangle> triangles;
  std::vector<Sphere> spheres;
  std::vector<Element> elements;
  std::uint32_t primitiveCount = 0;
  PrimitiveCounts counts;
  std::vector<std::string>
      warnings;  ///< "file:line:column: ..." for input that was read but ignored

  [[nodiscard]] Bounds bounds(const Element& e) const;
  [[nodiscard]] Bounds bounds() const;
  /// Geometric unit normal of element `e` at `p` (outward on a sphere; (v2-v1) x (v3-v2) on a
  /// triangle).
  [[nodiscard]] Vec3 geometricNormal(std::uint32_t element, const Vec3& p) const;
};

}  // namespace rtvp::scene
