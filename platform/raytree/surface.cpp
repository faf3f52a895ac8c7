// Surface reconstruction, Phong lighting, mirror and Snell directions.
#include "platform/raytree/surface.hpp"

#include <algorithm>
#include <cmath>

namespace rtvp::host {

using scene::Vec3;

namespace {

Vec3 textured(const scene::Scene& scene, std::uint32_t element, const Vec3& point,
              const Vec3& color) {
  const scene::Material& material = scene.materials[scene.elements[element].material];
  if (material.texture == scene::kNoIndex) return color;
  const scene::Texture& texture = scene.textures[material.texture];
  if (texture.kind == scene::Texture::Kind::Cube) {
    return color * scene::sampleCube(texture, scene.spaces[material.space].toObject(point));
  }
  const scene::Parameters at = scene::parametersAt(scene, element, point);
  return color * scene::sample(texture, at.u, at.v);
}

}  // namespace

Surface surfaceAt(const scene::Scene& scene, const Ray& ray, const Hit& hit) {
  const scene::Element& element = scene.elements[hit.element];
  Surface surface;
  surface.point = ray.origin + ray.direction * hit.t;
  surface.geometric =
      hit.hasNormal ? hit.normal : scene.geometricNormal(hit.element, surface.point);
  surface.slack = hit.slack;
  surface.normal = surface.geometric;
  if (element.kind == scene::Element::Kind::Triangle) {
    const scene::Triangle& triangle = scene.triangles[element.index];
    if (hit.hasUv) {
      surface.uv = {hit.u, hit.v};
      surface.point =
          triangle.v[0] * (1 - hit.u - hit.v) + triangle.v[1] * hit.u + triangle.v[2] * hit.v;
    } else {
      surface.uv = barycentric(triangle, surface.point);
    }
    if (triangle.smooth) {
      const auto [u, v] = surface.uv;
      const Vec3 mixed = unit(triangle.n[0] * (1 - u - v) + triangle.n[1] * u + triangle.n[2] * v);
      // Opposite vertex normals can cancel; then the plane's normal is all there is.
      if (dot(mixed, mixed) > 0.5) surface.normal = mixed;
    }
  }
  Vec3 base = hit.hasColor ? hit.color : scene.materials[element.material].color;
  if (!hit.hasColor && element.kind == scene::Element::Kind::Implicit) {
    base = scene.implicits[element.index].color(surface.point).value_or(base);
  }
  surface.color = textured(scene, hit.element, surface.point, base);
  surface.entering = dot(surface.geometric, ray.direction) <= 0;
  if (!surface.entering) surface.geometric = -surface.geometric;
  if (dot(surface.normal, ray.direction) > 0) surface.normal = -surface.normal;
  return surface;
}

Vec3 phong(const scene::Material& material, const Vec3& color, const Vec3& normal,
           const Vec3& toLight, const Vec3& toEye) {
  const double facing = dot(normal, toLight);
  if (!(facing > 0)) return {};
  const Vec3 diffuse = color * (material.kdiff * facing);
  const double mirrored = dot(normal * (2 * facing) - toLight, toEye);
  if (!(mirrored > 0)) return diffuse;
  // Rounding may lift the cosine above one, which a large exponent would amplify.
  const double specular = material.kspec * std::pow(std::min(mirrored, 1.0), material.ns);
  return diffuse + Vec3{specular, specular, specular};
}

Vec3 reflected(const Vec3& direction, const Vec3& normal) {
  return unit(direction - normal * (2 * dot(direction, normal)));
}

std::optional<Vec3> refracted(const Vec3& direction, const Vec3& normal, double refindex,
                              bool entering) {
  if (!(refindex > 0)) return std::nullopt;
  const double ratio = entering ? 1 / refindex : refindex;
  const double cosine = -dot(direction, normal);
  const double square = 1 - ratio * ratio * (1 - cosine * cosine);
  if (!(square >= 0)) return std::nullopt;
  return unit(direction * ratio + normal * (ratio * cosine - std::sqrt(square)));
}

}  // namespace rtvp::host
