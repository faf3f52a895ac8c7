#include "platform/reference_part.hpp"

#include "platform/reference/reference_finder.hpp"
#include "platform/reference/seed_finder.hpp"
#include "platform/report/statistics.hpp"

namespace rtvp::platform {

PartResult renderWith(host::HitFinder& finder, const scene::Scene& scene,
                      const host::RenderOptions& options, const host::ProgressFn& progress,
                      host::SurfaceShading* shading) {
  host::RayTree tree(scene, options);
  host::Framebuffer framebuffer = tree.makeFramebuffer();
  tree.render(finder, framebuffer, progress, shading);

  PartResult part;
  part.crop = tree.crop();
  part.sums.assign(framebuffer.sums().begin(), framebuffer.sums().end());
  part.hits = tree.primaryHits();
  const host::RayCounts& counts = tree.counts();
  part.eyeHits = counts.generations.empty() ? 0 : counts.generations.front().hits;
  part.raysTraced = counts.traced();
  common::StatGroup rays("ray_tree", "rays of this host's part of the picture");
  counts.describe(rays);
  part.modules["ray_tree"] = report::statisticsJson(rays);
  if (shading != nullptr) {
    common::StatGroup shaders("shaders", "surface shaders of this host's part of the picture");
    tree.shaderCounts().describe(shaders);
    part.modules["shaders"] = report::statisticsJson(shaders);
  }
  return part;
}

PartResult renderReference(const scene::Scene& scene, const host::RenderOptions& options,
                           const host::ProgressFn& progress) {
  if (options.seedCompat) {
    reference::SeedFinder finder(scene);
    return renderWith(finder, scene, options, progress);
  }
  reference::ReferenceFinder finder(scene);
  return renderWith(finder, scene, options, progress);
}

}  // namespace rtvp::platform
