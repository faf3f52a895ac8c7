// See shader_points.hpp and surface_shading.hpp.
#include "platform/raytree/shader_points.hpp"

#include <array>

#include "models/sl/math.hpp"
#include "platform/scene/parameters.hpp"

namespace rtvp::host {

using scene::Vec3;
namespace reg = sl::reg;

namespace {

sl::Vec3 single(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

}  // namespace

sl::Registers surfaceRegisters(const scene::SurfaceShader& surface) {
  sl::Registers r;
  r.vector(reg::C0) = single(surface.c0);
  r.vector(reg::C1) = single(surface.c1);
  for (unsigned n = 0; n < 4; ++n) {
    r.vector(reg::r0 + n) = single(surface.r[n]);
    r.scalar(reg::s0 + n) = static_cast<float>(surface.s[n]);
  }
  constexpr double kExponent = 8;  // S = 8 / roughness
  r.scalar(reg::Kd) = static_cast<float>(surface.kd);
  r.scalar(reg::Ks) = static_cast<float>(surface.ks);
  r.scalar(reg::S) = static_cast<float>(kExponent / surface.roughness);
  r.scalar(reg::Kr) = static_cast<float>(surface.kr);
  r.scalar(reg::Kt) = static_cast<float>(surface.kt);
  r.scalar(reg::Ka) = static_cast<float>(surface.ka);
  return r;
}

void ShaderCounts::describe(common::StatGroup& group) const {
  group.count("hits", "hits", "Hits on surfaces with a shader.", hits);
  group.count("runs", "runs", "Shader runs, one a hit and light.", runs);
  group.count("shadow", "rays", "Shadow rays traced for these hits.", shadow);
  group.count("rays", "rays", "Rays that shaders asked for.", rays);
  group.count("non_finite", "1", "Lanes of results that were not finite; they count as 0.",
              nonFinite);
}

ShadingPoint shadingPoint(const scene::Scene& scene, const Ray& ray, const Hit& hit,
                          const Surface& surface) {
  const scene::Material& material = scene.materials[scene.elements[hit.element].material];
  const scene::SurfaceShader& shader = scene.surfaces[material.surface];
  ShadingPoint point;
  point.surface = material.surface;
  point.space = scene.spaces[material.space];
  point.registers = surfaceRegisters(shader);
  const scene::Space& space = point.space;
  const scene::Parameters at = scene::parametersAt(scene, hit.element, surface.point);
  const scene::TangentFrame frame = scene::tangentFrame(at, surface.normal);
  const auto turned = [&](const Vec3& d) { return single(space.directionToObject(d)); };
  sl::Registers& r = point.registers;
  r.vector(reg::V) = turned(-ray.direction);
  r.vector(reg::Pw) = single(surface.point);
  r.vector(reg::xy) = single(space.toObject(surface.point));
  r.vector(reg::ds) = turned(frame.ds);
  r.vector(reg::dt) = turned(frame.dt);
  r.vector(reg::du) = turned(at.du * (1 / space.scale));
  r.vector(reg::dv) = turned(at.dv * (1 / space.scale));
  r.vector(reg::uv) = single({at.u, at.v, 0});
  r.vector(reg::N) = turned(surface.normal);
  r.vector(reg::L) = r.vector(reg::N);
  r.scalar(reg::I) = static_cast<float>(surface.entering ? 1 / shader.index : shader.index);
  point.s = static_cast<float>(at.u);
  point.t = static_cast<float>(at.v);
  return point;
}

void setLight(ShadingPoint& point, const Vec3& toLight, const Vec3& color, const SeedPlace& place,
              std::uint32_t light) {
  point.registers.vector(reg::L) = single(point.space.directionToObject(toLight));
  point.registers.vector(reg::dE) = single(color);
  point.seed = sl::randomSeed(place.pixel, place.sample, light, place.depth);
}

Ray shaderRay(const scene::Space& space, const ShaderRay& ray, double offset) {
  const Vec3 direction = unit(space.directionToWorld(
      {double{ray.direction.x}, double{ray.direction.y}, double{ray.direction.z}}));
  const Vec3 origin{double{ray.origin.x}, double{ray.origin.y}, double{ray.origin.z}};
  return {origin + direction * offset, direction, kInfinity, Ray::Kind::Nearest};
}

}  // namespace rtvp::host
