// The scene every engine renders: primitives in file order, materials, lights and a camera.
//
// A *primitive* is what the scene file calls one (design.md section 6): a triangle, a sphere, or a
// polygon, cone, cylinder or implicit surface. An *element* is a piece an engine can intersect: a
// triangle, a sphere or an implicit surface. Elements are numbered in file order, so a smaller
// element number never belongs to a larger primitive number; engines break ties of equal t by the
// smaller element number, which is the rule "nearest is the smaller (t, primitive) pair".
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "platform/scene/implicit.hpp"
#include "platform/scene/texture.hpp"
#include "platform/scene/vec3.hpp"

namespace rtvp::scene {

/// "None" where something is named by its number.
inline constexpr std::uint32_t kNoIndex = 0xFFFFFFFFU;

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
  /// Diffuse texture that `color` is multiplied by (Color or Cube, the latter by the direction from
  /// the centre of object space); into Scene::textures, or kNoIndex.
  std::uint32_t texture = kNoIndex;
  /// Surface shader that replaces all of the above; into Scene::surfaces, or kNoIndex. `color` has
  /// become its C0.
  std::uint32_t surface = kNoIndex;
  std::uint32_t space = 0;  ///< object space of these primitives, into Scene::spaces

  bool operator==(const Material&) const = default;
};

/// Object space: world = origin + scale * rotation * object. Lengths scale alike in all directions,
/// so directions only rotate and normals stay normal.
struct Space {
  Vec3 origin;
  double scale = 1;
  std::array<Vec3, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< object x, y, z in the world

  [[nodiscard]] Vec3 directionToWorld(const Vec3& d) const {
    return axes[0] * d.x + axes[1] * d.y + axes[2] * d.z;
  }
  [[nodiscard]] Vec3 directionToObject(const Vec3& d) const {
    return {dot(axes[0], d), dot(axes[1], d), dot(axes[2], d)};
  }
  [[nodiscard]] Vec3 toWorld(const Vec3& p) const { return origin + directionToWorld(p) * scale; }
  [[nodiscard]] Vec3 toObject(const Vec3& p) const {
    return directionToObject(p - origin) * (1 / scale);
  }
  bool operator==(const Space&) const = default;
};

inline constexpr std::size_t kTextureSlots = 8;

/// A `surface` statement: an SL shader with its tokens (sl.md section 5). Defaults are those of
/// sl.md section 1.
struct SurfaceShader {
  std::string name;            ///< as the scene names it
  std::filesystem::path file;  ///< NAME.slc or NAME.sl
  /// What stands in it; surfaces that name the same file share it.
  std::shared_ptr<const std::vector<std::uint8_t>> program;
  std::string where;  ///< "file:line:column: " of the shader's name, for later errors
  Vec3 c0{1, 1, 1};   ///< the current material's colour unless a token C0 says otherwise
  Vec3 c1{1, 1, 1};
  double kd = 0.5;
  double ks = 0.5;
  double roughness = 0.1;  ///< S = 8 / roughness
  double kr = 0;
  double kt = 0;
  double ka = 0;
  double index = 1;  ///< index of refraction inside, relative to outside
  std::array<Vec3, 4> r{};
  std::array<double, 4> s{};
  std::array<std::uint32_t, kTextureSlots> textures{kNoIndex, kNoIndex, kNoIndex, kNoIndex,
                                                    kNoIndex, kNoIndex, kNoIndex, kNoIndex};
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

  /// The same before it is made unit: corner + column px + row py, for machines that make eye rays.
  struct Plane {
    Vec3 corner;
    Vec3 column;
    Vec3 row;
  };
  [[nodiscard]] Plane plane(int width, int height) const;
};

/// Texture coordinates of a vertex.
struct TexturePoint {
  float u = 0;
  float v = 0;
  bool operator==(const TexturePoint&) const = default;
};

struct Triangle {
  std::array<Vec3, 3> v;
  std::array<Vec3, 3> n;  ///< unit vertex normals; meaningful if `smooth`
  bool smooth = false;
  bool textured = false;
  std::array<TexturePoint, 3> st{};  ///< meaningful if `textured`
};

struct Sphere {
  Vec3 center;
  double radius = 0;
};

struct Element {
  enum class Kind : std::uint8_t { Triangle, Sphere, Implicit };
  Kind kind = Kind::Triangle;
  std::uint32_t index = 0;      ///< into Scene::triangles, spheres or implicits
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
  std::uint32_t implicits = 0;  ///< `.shk` implicit, or a tape file as the scene
  std::uint32_t dropped = 0;    ///< of all these, primitives without area: numbered, but no element
  std::size_t tessellatedSpheres = 0;  ///< of the spheres, drawn as triangles
  std::size_t sphereTriangles = 0;     ///< these triangles
};

struct Scene {
  std::string name;  ///< file name without folder and extension
  int width = 640;
  int height = 480;
  Vec3 background{0, 0.5, 1};
  Camera camera;
  bool fittedCamera = false;  ///< the file brings none: the camera was fitted to the picture
  std::vector<Light> lights;
  std::vector<Material> materials;
  std::vector<Texture> textures;
  std::vector<SurfaceShader> surfaces;
  std::vector<Space> spaces{Space{}};  ///< [0] is the world
  std::vector<Triangle> triangles;
  std::vector<Sphere> spheres;
  std::vector<Implicit> implicits;
  std::vector<Element> elements;
  /// Where rays may start although no element of this scene is there: what bounds() covers besides
  /// the elements. For the part of a scene that one of several machines holds.
  Bounds elsewhere;
  std::uint32_t primitiveCount = 0;
  PrimitiveCounts counts;
  std::vector<std::string>
      warnings;  ///< "file:line:column: ..." for input that was read but ignored

  [[nodiscard]] Bounds bounds(const Element& e) const;
  [[nodiscard]] Bounds bounds() const;
  /// Geometric unit normal of element `e` at `p` (outward on a sphere and an implicit surface;
  /// (v2-v1) x (v3-v2) on a triangle).
  [[nodiscard]] Vec3 geometricNormal(std::uint32_t element, const Vec3& p) const;
};

}  // namespace rtvp::scene
