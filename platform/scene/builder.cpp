// Implementation of the scene builder, see builder.hpp.
#include "platform/scene/builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "platform/scene/triangulate.hpp"

namespace rtvp::scene {

namespace {

constexpr std::size_t kMaxWarnings = 100;
constexpr std::size_t kMaxSpaces = 100'000;

// A triangle whose doubled area is within a few roundings of zero has no usable normal.
bool hasArea(const Corners& v) {
  const Vec3 a = v[1] - v[0];
  const Vec3 b = v[2] - v[1];
  const double area = length(cross(a, b));
  return area > 8 * std::numeric_limits<double>::epsilon() * length(a) * length(b);
}

// Numbers of the file are within kMaxNumber; an object space may carry them beyond.
void checkRange(const Vec3& p, double radius, const Where& where) {
  if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z), radius}) <= kMaxNumber) return;
  where.fail("a place outside +-1e12 after the move into the world", "one inside");
}

// The sphere's parametrisation (parameters.hpp) at three directions. Round the seam u goes beyond
// 1, so that no piece runs back through the whole texture; a pole takes the u of the piece's other
// corners.
TextureCorners sphereCoordinates(const Corners& directions) {
  constexpr double kTurn = 2 * std::numbers::pi;
  constexpr double kPole = 1e-9;
  std::array<double, 3> u{};
  std::array<bool, 3> pole{};
  TextureCorners st;
  double sum = 0;
  int known = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3& d = directions[k];
    st[k].v = static_cast<float>(1 - std::acos(std::clamp(d.y, -1.0, 1.0)) / std::numbers::pi);
    pole[k] = d.x * d.x + d.z * d.z < kPole;
    if (pole[k]) continue;
    u[k] = std::atan2(-d.z, d.x) / kTurn;
    if (known > 0) u[k] -= std::round(u[k] - sum / known);
    sum += u[k];
    ++known;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    st[k].u = static_cast<float>(pole[k] && known > 0 ? sum / known : u[k]);
  }
  return st;
}

struct Ring {
  Vec3 u;
  Vec3 v;
};

// Two unit vectors that make a right-handed system with the unit vector `axis`.
Ring perpendicular(const Vec3& axis) {
  int smallest = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(axis[k]) < std::abs(axis[smallest])) smallest = k;
  }
  Vec3 other;
  other[smallest] = 1;
  const Vec3 u = unit(cross(axis, other));
  return {u, cross(axis, u)};
}

// The corners of a regular icosahedron and its faces, counter-clockwise seen from outside.
constexpr std::array<std::array<int, 3>, 20> kIcosahedron{{
    {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1},
}};

std::array<Vec3, 12> icosahedronCorners() {
  const double g = std::numbers::phi;
  return {{{-1, g, 0},
           {1, g, 0},
           {-1, -g, 0},
           {1, -g, 0},
           {0, -1, g},
           {0, 1, g},
           {0, -1, -g},
           {0, 1, -g},
           {g, 0, -1},
           {g, 0, 1},
           {-g, 0, -1},
           {-g, 0, 1}}};
}

// An edge of the icosahedron spans 63.4 degrees: so many edges make a full turn.
constexpr double kEdgesAround = 5.675;

}  // namespace

// Numbers one primitive while it is in scope and notices when none of its pieces could be hit.
class Builder::Primitive {
 public:
  Primitive(Builder& builder, std::uint32_t& kind, const Where& where)
      : scene_(builder.scene_), before_(scene_.elements.size()) {
    if (scene_.primitiveCount >= builder.options_.maxElements) {
      where.fail("one primitive more", "at most " + std::to_string(builder.options_.maxElements));
    }
    ++kind;
    builder.enterMaterial();
  }
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;
  ~Primitive() {
    ++scene_.primitiveCount;
    if (scene_.elements.size() == before_) ++scene_.counts.dropped;
  }

 private:
  Scene& scene_;
  std::size_t before_;
};

Builder::Builder(Scene& scene, const LoadOptions& options) : scene_(scene), options_(options) {}

void Builder::setMaterial(const Material& material) {
  material_ = material;
  materialPending_ = true;
}

void Builder::enterMaterial() {
  if (!materialPending_) return;
  material_.space = space_;
  const Material& m = material_;
  const auto [entry, added] =
      materials_.try_emplace({m.color.x, m.color.y, m.color.z, m.kdiff, m.kspec, m.kamb, m.ns,
                              m.ktrans, m.reflect, m.refindex, static_cast<double>(m.texture),
                              static_cast<double>(m.surface), static_cast<double>(m.space)},
                             static_cast<std::uint32_t>(scene_.materials.size()));
  if (added) scene_.materials.push_back(m);
  materialIndex_ = entry->second;
  materialPending_ = false;
}

void Builder::setSpace(const Space& space, const Where& where) {
  const auto found = std::find(scene_.spaces.begin(), scene_.spaces.end(), space);
  space_ = static_cast<std::uint32_t>(found - scene_.spaces.begin());
  materialPending_ = true;
  if (found != scene_.spaces.end()) return;
  if (scene_.spaces.size() >= kMaxSpaces) {
    where.fail("one object space more", "at most " + std::to_string(kMaxSpaces));
  }
  scene_.spaces.push_back(space);
}

void Builder::checkTexture(int width, int height, int faces, const Where& where) const {
  if (scene_.textures.size() >= kMaxTextures) {
    where.fail("one texture more", "at most " + std::to_string(kMaxTextures));
  }
  const auto texels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                      static_cast<std::size_t>(faces);
  if (texels > kMaxTexels - texels_) {
    where.fail("a texture of " + std::to_string(texels) + " texels",
               "at most " + std::to_string(kMaxTexels) + " texels in a scene");
  }
}

std::uint32_t Builder::addTexture(Texture texture, const Where& where) {
  checkTexture(texture.width, texture.height, texture.faces(), where);
  texels_ += texture.rgba.size() / 4;
  scene_.textures.push_back(std::move(texture));
  return static_cast<std::uint32_t>(scene_.textures.size() - 1);
}

void Builder::setCamera(const Camera& camera, int width, int height) {
  scene_.camera = camera;
  scene_.width = width;
  scene_.height = height;
  hasCamera_ = true;
}

std::uint32_t Builder::addSurface(SurfaceShader surface) {
  scene_.surfaces.push_back(std::move(surface));
  return static_cast<std::uint32_t>(scene_.surfaces.size() - 1);
}

void Builder::addLight(const Light& light, const Where& where) {
  if (scene_.lights.size() >= kMaxLights) {
    where.fail("one light more", "at most " + std::to_string(kMaxLights));
  }
  scene_.lights.push_back(light);
}

void Builder::warn(const Where& where, const std::string& text) {
  if (scene_.warnings.size() < kMaxWarnings) scene_.warnings.push_back(where.prefix() + text);
}

void Builder::push(Element::Kind kind, std::size_t index, const Where& where) {
  if (scene_.elements.size() >= options_.maxElements) {
    where.fail("one triangle, sphere or implicit surface more",
               "at most " + std::to_string(options_.maxElements) + " (fewer segments make fewer)");
  }
  Element e;
  e.kind = kind;
  e.index = static_cast<std::uint32_t>(index);
  e.primitive = scene_.primitiveCount;
  e.material = materialIndex_;
  scene_.elements.push_back(e);
}

// The one place where corners leave object space. Pieces of cones and spheres take no texture
// coordinates: those belong to triangles.
void Builder::piece(const Corners& object, const Corners* n, const Where& where) {
  const Space& space = scene_.spaces[space_];
  Corners v = object;
  if (space_ != 0) {
    for (Vec3& corner : v) {
      corner = space.toWorld(corner);
      checkRange(corner, 0, where);
    }
  }
  if (!hasArea(v)) return;
  push(Element::Kind::Triangle, scene_.triangles.size(), where);
  Triangle t;
  t.v = v;
  if (n != nullptr) {
    t.smooth = true;
    for (std::size_t k = 0; k < 3; ++k) {
      t.n[k] = unit(space_ != 0 ? space.directionToWorld((*n)[k]) : (*n)[k]);
      if (t.n[k] == Vec3{}) t.n[k] = unit(cross(v[1] - v[0], v[2] - v[1]));
    }
  }
  scene_.triangles.push_back(t);
}

void Builder::wholeTriangle(const Corners& v, const Corners* n, const Where& where) {
  const Primitive primitive(*this, scene_.counts.triangles, where);
  const std::size_t before = scene_.triangles.size();
  piece(v, n, where);
  if (textureCorners_ && scene_.triangles.size() > before) {
    scene_.triangles.back().st = *textureCorners_;
    scene_.triangles.back().textured = true;
  }
  textureCorners_.reset();
}

void Builder::addTriangle(const Corners& v, const Where& where) {
  wholeTriangle(v, nullptr, where);
}

void Builder::addTriangle(const Corners& v, const Corners& n, const Where& where) {
  wholeTriangle(v, &n, where);
}

void Builder::addPolygon(std::span<const Vec3> corners, std::span<const Vec3> normals,
                         const Where& where) {
  PrimitiveCounts& counts = scene_.counts;
  std::uint32_t& kind = !normals.empty()      ? counts.patches
                        : corners.size() == 3 ? counts.triangles
                                              : counts.polygons;
  const Primitive primitive(*this, kind, where);
  for (const auto& [a, b, c] : triangulate(corners)) {
    const Corners v{corners[a], corners[b], corners[c]};
    if (normals.empty()) {
      piece(v, nullptr, where);
    } else {
      const Corners n{normals[a], normals[b], normals[c]};
      piece(v, &n, where);
    }
  }
}

void Builder::addSphere(const Vec3& center, double radius, const Where& where) {
  const Primitive primitive(*this, scene_.counts.spheres, where);
  if (!(radius > 0)) return;
  const Space& space = scene_.spaces[space_];
  checkRange(space.toWorld(center), radius * space.scale, where);
  if (options_.tessellateAll) {
    const std::size_t before = scene_.triangles.size();
    tessellateSphere(center, radius, where);
    ++scene_.counts.tessellatedSpheres;
    scene_.counts.sphereTriangles += scene_.triangles.size() - before;
    return;
  }
  push(Element::Kind::Sphere, scene_.spheres.size(), where);
  scene_.spheres.push_back({space.toWorld(center), radius * space.scale});
}

void Builder::addImplicit(Implicit object, const Where& where) {
  const Primitive primitive(*this, scene_.counts.implicits, where);
  push(Element::Kind::Implicit, scene_.implicits.size(), where);
  scene_.implicits.push_back(std::move(object));
  const Bounds box = scene_.bounds(scene_.elements.back());
  checkRange(box.lo, 0, where);
  checkRange(box.hi, 0, where);
}

// A geodesic sphere: each face of an icosahedron is divided into n x n triangles. It needs 40 %
// fewer triangles than circles of latitude for the same length of edges.
void Builder::tessellateSphere(const Vec3& center, double radius, const Where& where) {
  const std::array<Vec3, 12> corners = icosahedronCorners();
  for (const auto& [a, b, c] : kIcosahedron) {
    sphereFace({corners[static_cast<std::size_t>(a)], corners[static_cast<std::size_t>(b)],
                corners[static_cast<std::size_t>(c)]},
               center, radius, where);
  }
}

void Builder::sphereFace(const Corners& face, const Vec3& center, double radius,
                         const Where& where) {
  const int n = std::max(1, static_cast<int>(std::lround(options_.segments / kEdgesAround)));
  // Grid point (i, j) of the face. On an edge one term is zero and the sum of the other two does
  // not depend on their order, so neighbouring faces get the same point to the last bit.
  const auto direction = [&](int i, int j) {
    return unit(face[0] * (n - i - j) + face[1] * i + face[2] * j);
  };
  const auto add = [&](const Corners& d) {
    const std::size_t before = scene_.triangles.size();
    piece({center + d[0] * radius, center + d[1] * radius, center + d[2] * radius}, &d, where);
    if (scene_.triangles.size() == before) return;
    scene_.triangles.back().st = sphereCoordinates(d);
    scene_.triangles.back().textured = true;
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; i + j < n; ++j) {
      add({direction(i, j), direction(i + 1, j), direction(i, j + 1)});
      if (i + j + 1 < n) add({direction(i + 1, j), direction(i + 1, j + 1), direction(i, j + 1)});
    }
  }
}

void Builder::addCone(const Vec3& base, double baseRadius, const Vec3& apex, double apexRadius,
                      const Where& where) {
  PrimitiveCounts& counts = scene_.counts;
  const Primitive primitive(*this, baseRadius == apexRadius ? counts.cylinders : counts.cones,
                            where);
  const double height = length(apex - base);
  if (!(height > 0)) return;
  const Vec3 axis = (apex - base) * (1 / height);
  const Ring ring = perpendicular(axis);
  const int sides = options_.segments;
  // The last point is the first one exactly, so the surface closes.
  const auto radial = [&](double side) {
    const double turn = side >= sides ? side - sides : side;
    const double angle = 2 * std::numbers::pi * turn / sides;
    return ring.u * std::cos(angle) + ring.v * std::sin(angle);
  };
  // The normal leans towards the thinner end by the slope of the side.
  const auto normal = [&](double side) {
    return unit(radial(side) * height + axis * (baseRadius - apexRadius));
  };
  for (int k = 0; k < sides; ++k) {
    const Vec3 b0 = base + radial(k) * baseRadius;
    const Vec3 b1 = base + radial(k + 1) * baseRadius;
    const Vec3 a0 = apex + radial(k) * apexRadius;
    const Vec3 a1 = apex + radial(k + 1) * apexRadius;
    const Vec3 n0 = normal(k);
    const Vec3 n1 = normal(k + 1);
    // At a pointed end one side's two normals meet in a point: it takes the one between them.
    const Vec3 middle = normal(k + 0.5);
    const Corners lower{n0, n1, apexRadius > 0 ? n1 : middle};
    const Corners upper{baseRadius > 0 ? n0 : middle, n1, n0};
    piece({b0, b1, a1}, &lower, where);
    piece({b0, a1, a0}, &upper, where);
  }
}

}  // namespace rtvp::scene
