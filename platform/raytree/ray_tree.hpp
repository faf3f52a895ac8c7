// The ray tree every engine shares: eye rays, Whitted shading, shadow, mirror and refracted rays
// (board.md 5.5). It grows breadth first, in batches, because the machines behind HitFinder want
// many alike rays at a time; it finds no hit itself.
//
// Each ray carries its pixel and an RGB weight, the product of all surface weights on its way. What
// it contributes is added to the pixel at once, so no ray waits for its children: the 1996
// program's pending-child faults (board.md 5.6, items 1 to 3) have no place to happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "models/common/statistics.hpp"
#include "platform/raytree/coherence.hpp"
#include "platform/raytree/framebuffer.hpp"
#include "platform/raytree/hit_finder.hpp"
#include "platform/raytree/host_work.hpp"
#include "platform/raytree/ray_progress.hpp"
#include "platform/raytree/surface_shading.hpp"
#include "platform/raytree/tree_pause.hpp"
#include "platform/report/hits.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::host {

inline constexpr int kMaxDepth = 64;

struct RenderOptions {
  Crop crop;
  int samples = 1;  ///< eye rays a pixel
  int depth = 5;    ///< longest path; 1 = eye rays and their shadow rays
  PixelOrder order = PixelOrder::Hilbert;
  std::size_t batch = 65536;  ///< rays handed to the finder at once; bounds memory, not the picture
  double rayOffset = 1e-5;    ///< how far secondary origins leave the surface, in scene diagonals
  /// As in 1996: origins stay on the surface and the finder must refuse t <= 0.1 (board.md 5.4).
  bool seedCompat = false;
  bool recordHits = false;  ///< keep primary hits for primaryHits(); needs samples = 1
};

/// Rays traced at one depth of the tree.
struct GenerationCounts {
  std::uint64_t rays = 0;           ///< eye rays, or mirror and refracted rays
  std::uint64_t reflected = 0;      ///< of these, mirror rays
  std::uint64_t refracted = 0;      ///< of these, refracted rays
  std::uint64_t hits = 0;           ///< of these, those that met an element
  std::uint64_t shadow = 0;         ///< shadow rays from these hits
  std::uint64_t blocked = 0;        ///< of these, those that met an element before the light
  std::uint64_t unlit = 0;          ///< shadow rays not sent, the light being behind the surface
  std::uint64_t totalInternal = 0;  ///< refracted rays not sent for total internal reflection
};

struct RayCounts {
  std::vector<GenerationCounts> generations;  ///< [0]: eye rays
  [[nodiscard]] GenerationCounts total() const;
  /// Rays of every kind that went to the finder.
  [[nodiscard]] std::uint64_t traced() const;
  void describe(common::StatGroup& group) const;
};

/// Grows parts of a ray tree side by side, so that several machines have rays at once.
class Strands {
 public:
  virtual ~Strands() = default;
  [[nodiscard]] virtual std::size_t count() const = 0;
  /// Runs count() parts, each on a stack of its own, and returns when all are done.
  virtual void run(const std::function<void(std::size_t strand)>& part) = 0;
};

class RayTree {
 public:
  /// Keeps a reference to the scene. Throws std::invalid_argument on options out of range or a crop
  /// outside the picture.
  RayTree(const scene::Scene& scene, const RenderOptions& options);

  /// A black framebuffer of the right size for render().
  [[nodiscard]] Framebuffer makeFramebuffer() const;
  /// Renders the crop. Adds to `framebuffer`, which must be as makeFramebuffer() makes it. What the
  /// finder throws passes through; a hit that cannot be is a HitFault. Surfaces with a shader are
  /// shaded by `shading`, or like any other by their material if it is null. With `strands` every
  /// so-manieth batch of eye rays, and what follows from it, is one strand's: a batch is made of
  /// the same rays whoever comes first. `meter` is told of every piece of work that belongs to the
  /// picture (not of primaryHits()); null: nobody is. `progress`: of this tree, or null. `pause`:
  /// told between two batches, or null; not with strands.
  void render(HitFinder& finder, Framebuffer& framebuffer, RayProgress* progress = nullptr,
              SurfaceShading* shading = nullptr, Strands* strands = nullptr,
              WorkMeter* meter = nullptr, TreePause* pause = nullptr);

  /// The crop with its defaults filled in.
  [[nodiscard]] const Crop& crop() const { return crop_; }
  [[nodiscard]] const RayCounts& counts() const { return counts_; }
  [[nodiscard]] const ShaderCounts& shaderCounts() const { return shaderCounts_; }
  /// Primary hits of the last render(), by rows; empty unless recordHits. Coordinates are those of
  /// the whole picture.
  [[nodiscard]] const report::HitDump& primaryHits() const { return primaryHits_; }

 private:
  const scene::Scene& scene_;
  RenderOptions options_;
  Crop crop_;
  RayCounts counts_;
  ShaderCounts shaderCounts_;
  report::HitDump primaryHits_;
};

}  // namespace rtvp::host
