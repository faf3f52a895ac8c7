// Scenes built in code, small enough to compute by hand.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "platform/raytree/hit_finder.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::test {

using scene::Vec3;

/// Scene with an empty camera view down -z from (0, 0, 10) and one default material.
inline scene::Scene emptyScene(int width, int height) {
  scene::Scene s;
  s.name = "test";
  s.width = width;
  s.height = height;
  s.background = {0.1, 0.2, 0.4};
  s.camera.eye = {0, 0, 10};
  s.camera.lookAt = {0, 0, 0};
  s.camera.up = {0, 1, 0};
  s.materials.emplace_back();
  return s;
}

/// Adds a piece of primitive `primitive`, or of a new one if that is not the last.
inline std::uint32_t addElement(scene::Scene& s, scene::Element::Kind kind, std::size_t index,
                                std::uint32_t primitive) {
  s.elements.push_back({kind, static_cast<std::uint32_t>(index), primitive,
                        static_cast<std::uint32_t>(s.materials.size() - 1)});
  s.primitiveCount = primitive + 1;
  return static_cast<std::uint32_t>(s.elements.size() - 1);
}

/// Triangle of the last material; returns its element number.
inline std::uint32_t addTriangle(scene::Scene& s, const Vec3& a, const Vec3& b, const Vec3& c) {
  s.triangles.push_back({{a, b, c}, {}, false});
  return addElement(s, scene::Element::Kind::Triangle, s.triangles.size() - 1, s.primitiveCount);
}

inline std::uint32_t addSphere(scene::Scene& s, const Vec3& center, double radius) {
  s.spheres.push_back({center, radius});
  return addElement(s, scene::Element::Kind::Sphere, s.spheres.size() - 1, s.primitiveCount);
}

/// One primitive of two triangles, a-b-c and a-c-d.
inline void addQuad(scene::Scene& s, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  addTriangle(s, a, b, c);
  s.triangles.push_back({{a, c, d}, {}, false});
  addElement(s, scene::Element::Kind::Triangle, s.triangles.size() - 1, s.primitiveCount - 1);
}

/// Square of half side `half` in the plane z = `z`, facing +z or, turned, -z.
inline void addSquare(scene::Scene& s, double z, double half, bool turned = false) {
  const Vec3 a{-half, -half, z};
  const Vec3 b{half, -half, z};
  const Vec3 c{half, half, z};
  const Vec3 d{-half, half, z};
  turned ? addQuad(s, d, c, b, a) : addQuad(s, a, b, c, d);
}

inline host::Ray rayTo(const Vec3& from, const Vec3& to) {
  return {from, unit(to - from), host::kInfinity, host::Ray::Kind::Nearest};
}

}  // namespace rtvp::test
