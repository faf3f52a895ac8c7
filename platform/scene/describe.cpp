// Implementation of scene descriptions, see describe.hpp.
#include "platform/scene/describe.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>

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
      << "; without area " << c.dropped << '\n'
      << "elements: " << d.triangles + d.spheres << '\n'
      << "  triangles " << d.triangles << " (" << d.smoothTriangles << " smooth), spheres "
      << d.spheres << '\n';
  out << "bounds: " << d.bounds.lo << " to " << d.bounds.hi << ", diagonal " << d.diagonal << '\n'
      << "camera: eye " << d.camera.eye << ", look at " << d.camera.lookAt << ", up " << d.camera.up
      << ", angle " << d.verticalAngle
      << (d.camera.projection == Camera::Projection::Nff ? " (between outer pixel centres)"
                                                         : " (both axes)")
      << '\n';
  listLights(out, d.lights);
  listMaterials(out, d);
  return out.str();
}

}  // namespace rtvp::scene
