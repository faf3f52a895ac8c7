// Implementation of scene descriptions, see describe.hpp.
#include "platform/scene/describe.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>

#include "models/common/core/utf8.hpp"

namespace rtvp::scene {

namespace {

constexpr std::size_t kMaxListed = 16;

std::ostream& operator<<(std::ostream& out, const Vec3& v) {
  return out << v.x << ' ' << v.y << ' ' << v.z;
}

void listLights(std::ostream& out, const std::vector<Light>& lights) {
  out << "lights: " << lights.size() << '\n';
  for (std::size_t k = 0; k < std::min(lights.size(), kMaxListed); ++k) {
    out << "  at " << lights[k].position << " colour " << lights[k].color << '\n';
  }
  if (lights.size() > kMaxListed) out << "  and " << lights.size() - kMaxListed << " more\n";
}

void listMaterials(std::ostream& out, const Description& d) {
  out << "materials: " << d.materials.size() << '\n';
  for (std::size_t k = 0; k < std::min(d.materials.size(), kMaxListed); ++k) {
    const Material& m = d.materials[k];
    out << "  colour " << m.color << " kdiff " << m.kdiff << " kspec " << m.kspec << " kamb "
        << m.kamb << " ns " << m.ns << " ktrans " << m.ktrans << " reflect " << m.reflect
        << " refindex " << m.refindex << " (elements: " << d.materialUse[k] << ")\n";
  }
  if (d.materials.size() > kMaxListed) {
    out << "  and " << d.materials.size() - kMaxListed << " more\n";
  }
}

std::string kindOf(Texture::Kind kind) {
  return kind == Texture::Kind::Bump ? "bump" : kind == Texture::Kind::Cube ? "cube" : "colour";
}

void listImplicits(std::ostream& out, const Description& d) {
  if (d.implicits.empty()) return;
  out << "implicit surfaces: " << d.implicits.size() << '\n';
  for (std::size_t k = 0; k < std::min(d.implicits.size(), kMaxListed); ++k) {
    const Description::ImplicitInfo& object = d.implicits[k];
    out << "  " << object.file << ": " << object.instructions << " instructions, bounds "
        << object.lo << " to " << object.hi << '\n';
  }
  if (d.implicits.size() > kMaxListed) {
    out << "  and " << d.implicits.size() - kMaxListed << " more\n";
  }
}

// Scenes without any of these keep the short report.
void listShading(std::ostream& out, const Description& d) {
  if (d.texturedTriangles > 0) {
    out << "triangles with texture coordinates: " << d.texturedTriangles << '\n';
  }
  if (d.spaces > 0) out << "object spaces: " << d.spaces << '\n';
  if (!d.textures.empty()) out << "textures: " << d.textures.size() << '\n';
  for (std::size_t k = 0; k < std::min(d.textures.size(), kMaxListed); ++k) {
    const Description::TextureInfo& t = d.textures[k];
    out << "  " << t.name << ": " << kindOf(t.kind) << ", " << t.width << " x " << t.height << '\n';
  }
  if (d.textures.size() > kMaxListed)
    out << "  and " << d.textures.size() - kMaxListed << " more\n";
  if (!d.surfaces.empty()) out << "surface shaders: " << d.surfaces.size() << '\n';
  for (std::size_t k = 0; k < std::min(d.surfaces.size(), kMaxListed); ++k) {
    out << "  " << d.surfaces[k].name << " (elements: " << d.surfaceUse[k] << ")\n";
  }
  if (d.surfaces.size() > kMaxListed)
    out << "  and " << d.surfaces.size() - kMaxListed << " more\n";
}

}  // namespace

Description describe(const Scene& scene) {
  Description d;
  d.name = scene.name;
  d.primitives = scene.primitiveCount;
  d.counts = scene.counts;
  d.triangles = static_cast<std::uint32_t>(scene.triangles.size());
  d.smoothTriangles = static_cast<std::uint32_t>(std::count_if(
      scene.triangles.begin(), scene.triangles.end(), [](const Triangle& t) { return t.smooth; }));
  d.spheres = static_cast<std::uint32_t>(scene.spheres.size());
  for (const Implicit& object : scene.implicits) {
    d.implicits.push_back({object.model->file.filename().string(), object.model->instructions(),
                           object.lo, object.hi});
  }
  d.bounds = scene.bounds();
  d.diagonal = d.bounds.diagonal();
  d.width = scene.width;
  d.height = scene.height;
  d.background = scene.background;
  d.camera = scene.camera;
  d.verticalAngle =
      scene.camera.projection == Camera::Projection::Nff ? scene.camera.angle : Camera{}.angle;
  d.lights = scene.lights;
  d.materials = scene.materials;
  d.materialUse.assign(scene.materials.size(), 0);
  for (const Element& e : scene.elements) ++d.materialUse[e.material];
  d.texturedTriangles =
      static_cast<std::uint32_t>(std::count_if(scene.triangles.begin(), scene.triangles.end(),
                                               [](const Triangle& t) { return t.textured; }));
  for (const Texture& t : scene.textures) d.textures.push_back({t.kind, t.name, t.width, t.height});
  d.surfaces = scene.surfaces;
  d.surfaceUse.assign(scene.surfaces.size(), 0);
  for (std::size_t k = 0; k < scene.materials.size(); ++k) {
    const std::uint32_t surface = scene.materials[k].surface;
    if (surface != kNoIndex) d.surfaceUse[surface] += d.materialUse[k];
  }
  d.spaces = scene.spaces.size() - 1;
  return d;
}

std::string toText(const Description& d) {
  std::ostringstream out;
  out << "scene: " << d.name << '\n'
      << "picture: " << d.width << " x " << d.height << ", background " << d.background << '\n'
      << "primitives: " << d.primitives << '\n';
  const PrimitiveCounts& c = d.counts;
  out << "  triangles " << c.triangles << ", spheres " << c.spheres << ", polygons " << c.polygons
      << ", patches " << c.patches << ", cones " << c.cones << ", cylinders " << c.cylinders
      << (c.implicits > 0 ? ", implicit surfaces " + std::to_string(c.implicits) : "")
      << "; without area " << c.dropped << '\n'
      << "elements: " << d.triangles + d.spheres + d.implicits.size() << '\n'
      << "  triangles " << d.triangles << " (" << d.smoothTriangles << " smooth), spheres "
      << d.spheres
      << (d.implicits.empty() ? "" : ", implicit surfaces " + std::to_string(d.implicits.size()))
      << '\n';
  out << "bounds: " << d.bounds.lo << " to " << d.bounds.hi << ", diagonal " << d.diagonal << '\n'
      << "camera: eye " << d.camera.eye << ", look at " << d.camera.lookAt << ", up " << d.camera.up
      << ", angle " << d.verticalAngle
      << (d.camera.projection == Camera::Projection::Nff ? " (between outer pixel centres)"
                                                         : " (both axes)")
      << '\n';
  listImplicits(out, d);
  listLights(out, d.lights);
  listMaterials(out, d);
  listShading(out, d);
  return out.str();
}

boost::json::object statistics(const Scene& scene) {
  boost::json::object out{{"name", common::escapedUtf8(scene.name)},
                          {"primitives", scene.primitiveCount},
                          {"elements", std::uint64_t{scene.elements.size()}},
                          {"triangles", std::uint64_t{scene.triangles.size()}},
                          {"spheres", std::uint64_t{scene.spheres.size()}},
                          {"implicits", std::uint64_t{scene.implicits.size()}},
                          {"lights", std::uint64_t{scene.lights.size()}},
                          {"diagonal", scene.bounds().diagonal()},
                          {"units", boost::json::object{{"diagonal", "scene units"}}}};
  // What the host draws otherwise than the scene has it, for machines without spheres.
  if (scene.counts.tessellatedSpheres > 0) {
    out["tessellated_spheres"] = std::uint64_t{scene.counts.tessellatedSpheres};
    out["sphere_triangles"] = std::uint64_t{scene.counts.sphereTriangles};
  }
  return out;
}

}  // namespace rtvp::scene
