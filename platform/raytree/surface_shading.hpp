// The seam between the ray tree and whatever runs surface shaders: the shading unit, or another
// machine's firmware. The ray tree finds hits and light, the machine runs a program at each point
// and light, and may ask for rays in between.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "models/common/statistics.hpp"
#include "models/sl/registers.hpp"
#include "models/sl/vm.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::host {

/// One run of a surface's program: a hit and one light (sl.md section 5).
struct ShadingPoint {
  std::uint32_t surface = 0;  ///< into Scene::surfaces
  /// Start values of all registers but t0..t7; those of the surface (C0, C1, r, s, Kd ...)
  /// included.
  sl::Registers registers;
  float s = 0;  ///< texture coordinates that t0..t7 are sampled at
  float t = 0;
  scene::Space space;      ///< object space of the hit, for trace and cube maps
  std::uint32_t seed = 1;  ///< of rnd, never 0
  bool traceLive = false;  ///< otherwise trace gives (0,0,0): not the first light, or too deep
  std::uint32_t pixel = 0xFFFF'FFFF;  ///< Ray::pixel of the ray that came here
};

/// A ray that a program asks for.
struct ShaderRay {
  std::size_t point = 0;  ///< of the ShadingPoint
  sl::Vec3 origin;        ///< world space
  sl::Vec3 direction;     ///< object space, not zero, finite
};
/// Colours along rays, in the rays' order. May trace and shade in turn, also with the same machine.
using ShaderRays =
    std::function<void(std::span<const ShaderRay> rays, std::span<sl::Vec3> colours)>;

class SurfaceShading {
 public:
  virtual ~SurfaceShading() = default;
  /// Writes the result v0 of points[i] to colours[i], raw: lanes may be infinite or not a number;
  /// runs over the budget give 0. Reentrant: `rays` may call it again.
  virtual void shade(std::span<const ShadingPoint> points, const ShaderRays& rays,
                     std::span<sl::Vec3> colours) = 0;
};

/// The constants of a surface as registers: C0, C1, r, s, Kd, Ks, S, Kr, Kt, Ka.
[[nodiscard]] sl::Registers surfaceRegisters(const scene::SurfaceShader& surface);

/// Figures of the integrator around the programs.
struct ShaderCounts {
  std::uint64_t hits = 0;       ///< hits on surfaces with a shader
  std::uint64_t runs = 0;       ///< programs run, one a hit and light
  std::uint64_t shadow = 0;     ///< shadow rays traced for them
  std::uint64_t rays = 0;       ///< rays the programs asked for
  std::uint64_t nonFinite = 0;  ///< lanes of results replaced by 0
  void describe(common::StatGroup& group) const;
};

}  // namespace rtvp::host
