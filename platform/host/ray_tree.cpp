// Growth of the ray tree, batch by batch.
#include "platform/host/ray_tree.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "platform/host/sampling.hpp"
#include "platform/host/surface.hpp"

namespace rtvp::host {
namespace {

using scene::Vec3;

constexpr std::size_t kMaxBatch = std::size_t{1} << 24;

/// Whom a ray works for.
struct Path {
  std::uint32_t pixel = 0;  ///< y * width + x within the crop
  bool refracted = false;
  std::uint16_t sample = 0;  ///< of the pixel; eye rays only
  Vec3 weight{1, 1, 1};
};

/// Rays of one depth, oldest first.
struct Queue {
  std::vector<Ray> rays;
  std::vector<Path> paths;

  [[nodiscard]] std::size_t size() const { return rays.size(); }
  void push(const Ray& ray, const Path& path) {
    rays.push_back(ray);
    paths.push_back(path);
  }
  /// Moves the oldest `limit` rays, or all, into `batch`.
  void take(std::size_t limit, Queue& batch) {
    const auto count = static_cast<std::ptrdiff_t>(std::min(limit, size()));
    batch.rays.assign(rays.begin(), rays.begin() + count);
    batch.paths.assign(paths.begin(), paths.begin() + count);
    rays.erase(rays.begin(), rays.begin() + count);
    paths.erase(paths.begin(), paths.begin() + count);
  }
};

/// A hit of the batch that light may reach.
struct Lit {
  std::size_t ray;  ///< index in the batch
  Surface surface;
};

/// Light that a pixel is owed unless the shadow ray of the same index is blocked.
struct Due {
  std::uint32_t pixel;
  Vec3 light;
};

/// A hit must be one that this scene and this ray can have; anything else is a fault of the machine
/// behind the finder.
void check(const scene::Scene& scene, const Ray& ray, const Hit& hit, std::size_t index) {
  if (hit.element == scene::kNoElement) return;
  const bool distanceMatters = ray.kind == Ray::Kind::Nearest;
  if (hit.element < scene.elements.size() &&
      (!distanceMatters || (std::isfinite(hit.t) && hit.t >= 0))) {
    return;
  }
  throw HitFault("ray " + std::to_string(index) + " of a batch: the finder returned element " +
                 std::to_string(hit.element) + " of " + std::to_string(scene.elements.size()) +
                 " at t = " + std::to_string(hit.t));
}

/// One render() call.
class Growth {
 public:
  Growth(const scene::Scene& scene, const RenderOptions& options, const Crop& crop,
         HitFinder& finder, Framebuffer& framebuffer, RayCounts& counts, report::HitDump& dump)
      : scene_(scene),
        options_(options),
        crop_(crop),
        finder_(finder),
        framebuffer_(framebuffer),
        counts_(counts),
        dump_(dump),
        offset_(options.seedCompat ? 0 : options.rayOffset * scene.bounds().diagonal()),
        sequence_(pixelSequence(options.order, crop.width, crop.height)),
        positions_(samplePositions(options.samples)),
        queues_(static_cast<std::size_t>(options.depth)) {
    counts_.generations.assign(queues_.size(), {});
  }

  void run(const ProgressFn& progress);

 private:
  [[nodiscard]] std::uint64_t eyeRayCount() const { return sequence_.size() * positions_.size(); }
  [[nodiscard]] std::optional<std::size_t> nextGeneration() const;
  void makeEyeRays();
  void traceEyeRays();
  void traceBatch(std::size_t generation);
  void shade(GenerationCounts& counts);
  void castShadows(GenerationCounts& counts);
  void traceShadows(GenerationCounts& counts);
  void spawnReflected(Queue& children);
  void spawnRefracted(Queue& children, GenerationCounts& counts);
  void record(std::size_t index);
  [[nodiscard]] const scene::Material& materialAt(const Lit& lit) const {
    return scene_.materials[scene_.elements[hits_[lit.ray].element].material];
  }
  /// Start of a ray that leaves `surface` in direction `towards`.
  [[nodiscard]] Vec3 leave(const Surface& surface, const Vec3& towards) const {
    const double side = dot(surface.geometric, towards) < 0 ? -offset_ : offset_;
    return surface.point + surface.geometric * side;
  }

  const scene::Scene& scene_;
  const RenderOptions& options_;
  const Crop& crop_;
  HitFinder& finder_;
  Framebuffer& framebuffer_;
  RayCounts& counts_;
  report::HitDump& dump_;
  const double offset_;  ///< scene units
  const std::vector<std::uint32_t> sequence_;
  const std::vector<SamplePosition> positions_;

  std::vector<Queue> queues_;  ///< rays waiting, by depth - 1
  std::uint64_t eyeRays_ = 0;  ///< made so far
  Queue batch_;
  std::vector<Hit> hits_;
  std::vector<Lit> lit_;
  std::vector<Ray> shadowRays_;
  std::vector<Due> due_;
};

void Growth::run(const ProgressFn& progress) {
  const std::uint64_t total = eyeRayCount();
  for (;;) {
    const std::optional<std::size_t> generation = nextGeneration();
    if (!generation) {
      if (eyeRays_ == total) break;
      makeEyeRays();
      continue;
    }
    traceBatch(*generation);
    if (progress) progress(eyeRays_, total);
  }
}

/// The deepest queue that fills a batch; while eye rays are left, nothing smaller is worth the
/// machine's time; at the end the shallowest, because it still feeds the others. No queue grows
/// beyond three batches.
std::optional<std::size_t> Growth::nextGeneration() const {
  for (std::size_t i = queues_.size(); i-- > 0;) {
    if (queues_[i].size() >= options_.batch) return i;
  }
  if (eyeRays_ < eyeRayCount()) return std::nullopt;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (queues_[i].size() > 0) return i;
  }
  return std::nullopt;
}

void Growth::makeEyeRays() {
  Queue& eye = queues_.front();
  const scene::Camera& camera = scene_.camera;
  const std::uint64_t total = eyeRayCount();
  const auto width = static_cast<std::uint32_t>(crop_.width);
  for (; eyeRays_ < total && eye.size() < options_.batch; ++eyeRays_) {
    const std::uint32_t pixel = sequence_[eyeRays_ / positions_.size()];
    const SamplePosition& sample = positions_[eyeRays_ % positions_.size()];
    const std::uint32_t row = pixel / width;
    // Whole pixels first: the sum then rounds alike in every crop.
    const double px = static_cast<double>(crop_.x) + (pixel - row * width) + sample.x;
    const double py = static_cast<double>(crop_.y) + row + sample.y;
    eye.push({camera.eye, camera.direction(px, py, scene_.width, scene_.height), kInfinity,
              Ray::Kind::Nearest},
             {pixel, false, static_cast<std::uint16_t>(eyeRays_ % positions_.size()), {1, 1, 1}});
  }
}

void Growth::traceEyeRays() {
  std::vector<EyePosition> through;
  through.reserve(batch_.size());
  for (const Path& path : batch_.paths) {
    const auto pixel = static_cast<int>(path.pixel);
    const SamplePosition& sample = positions_[path.sample];
    through.push_back(
        {crop_.x + pixel % crop_.width, crop_.y + pixel / crop_.width, sample.x, sample.y});
  }
  finder_.traceEye(batch_.rays, through, hits_);
}

void Growth::traceBatch(std::size_t generation) {
  GenerationCounts& counts = counts_.generations[generation];
  queues_[generation].take(options_.batch, batch_);
  hits_.assign(batch_.size(), Hit{});
  if (generation == 0) {
    traceEyeRays();
  } else {
    finder_.trace(batch_.rays, hits_);
  }
  counts.rays += batch_.size();
  if (generation > 0) {
    const auto refractedRays = static_cast<std::uint64_t>(std::count_if(
        batch_.paths.begin(), batch_.paths.end(), [](const Path& path) { return path.refracted; }));
    counts.refracted += refractedRays;
    counts.reflected += batch_.size() - refractedRays;
  }
  shade(counts);
  if (generation == 0 && options_.recordHits) {
    for (std::size_t i = 0; i < batch_.size(); ++i) record(i);
  }
  castShadows(counts);
  if (generation + 1 < queues_.size()) {
    // All mirror rays, then all refracted ones: neighbours in a batch stay alike.
    spawnReflected(queues_[generation + 1]);
    spawnRefracted(queues_[generation + 1], counts);
  }
}

/// Background and ambient light; fills lit_.
void Growth::shade(GenerationCounts& counts) {
  lit_.clear();
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    check(scene_, batch_.rays[i], hits_[i], i);
    const Path& path = batch_.paths[i];
    if (hits_[i].element == scene::kNoElement) {
      framebuffer_.add(path.pixel, path.weight * scene_.background);
      continue;
    }
    ++counts.hits;
    lit_.push_back({i, surfaceAt(scene_, batch_.rays[i], hits_[i])});
    const scene::Material& material = materialAt(lit_.back());
    framebuffer_.add(path.pixel, path.weight * lit_.back().surface.color * material.kamb);
  }
}

/// Light by light, not hit by hit: rays towards one light from neighbouring points are alike.
void Growth::castShadows(GenerationCounts& counts) {
  for (const scene::Light& light : scene_.lights) {
    for (const Lit& lit : lit_) {
      const Surface& surface = lit.surface;
      const Vec3 toLight = unit(light.position - surface.point);
      const Vec3 origin = leave(surface, toLight);
      const Vec3 path = light.position - origin;
      const double distance = length(path);
      if (!(dot(surface.normal, toLight) > 0) || !(distance > 0)) {
        ++counts.unlit;
        continue;
      }
      const Vec3 share = phong(materialAt(lit), surface.color, surface.normal, toLight,
                               -batch_.rays[lit.ray].direction);
      const Path& owner = batch_.paths[lit.ray];
      shadowRays_.push_back({origin, path * (1 / distance), distance, Ray::Kind::Any});
      due_.push_back({owner.pixel, owner.weight * light.color * share});
    }
    if (shadowRays_.size() >= options_.batch) traceShadows(counts);
  }
  traceShadows(counts);
}

void Growth::traceShadows(GenerationCounts& counts) {
  for (std::size_t start = 0; start < shadowRays_.size(); start += options_.batch) {
    const std::size_t count = std::min(options_.batch, shadowRays_.size() - start);
    const std::span<const Ray> rays = std::span(shadowRays_).subspan(start, count);
    std::vector<Hit> blockers(count);
    finder_.trace(rays, blockers);
    counts.shadow += count;
    for (std::size_t i = 0; i < count; ++i) {
      check(scene_, rays[i], blockers[i], i);
      if (blockers[i].element == scene::kNoElement) {
        framebuffer_.add(due_[start + i].pixel, due_[start + i].light);
      } else {
        ++counts.blocked;
      }
    }
  }
  shadowRays_.clear();
  due_.clear();
}

void Growth::spawnReflected(Queue& children) {
  for (const Lit& lit : lit_) {
    const double share = materialAt(lit).reflect;
    if (share == 0) continue;
    const Vec3 direction = reflected(batch_.rays[lit.ray].direction, lit.surface.normal);
    const Path& parent = batch_.paths[lit.ray];
    children.push({leave(lit.surface, direction), direction, kInfinity, Ray::Kind::Nearest},
                  {parent.pixel, false, 0, parent.weight * share});
  }
}

void Growth::spawnRefracted(Queue& children, GenerationCounts& counts) {
  for (const Lit& lit : lit_) {
    const scene::Material& material = materialAt(lit);
    if (material.ktrans == 0) continue;
    const std::optional<Vec3> direction =
        refracted(batch_.rays[lit.ray].direction, lit.surface.normal, material.refindex,
                  lit.surface.entering);
    if (!direction) {
      ++counts.totalInternal;
      continue;
    }
    const Path& parent = batch_.paths[lit.ray];
    children.push({leave(lit.surface, *direction), *direction, kInfinity, Ray::Kind::Nearest},
                  {parent.pixel, true, 0, parent.weight * material.ktrans});
  }
}

void Growth::record(std::size_t index) {
  const Hit& hit = hits_[index];
  if (hit.element == scene::kNoElement) return;
  const Barycentric uv = surfaceAt(scene_, batch_.rays[index], hit).uv;
  report::HitRow& row = dump_[batch_.paths[index].pixel];
  row.prim = scene_.elements[hit.element].primitive;
  row.t = hit.t;
  row.u = uv.u;
  row.v = uv.v;
}

Crop wholePicture(const scene::Scene& scene, const Crop& crop) {
  const Crop whole = crop.width == 0 && crop.height == 0 && crop.x == 0 && crop.y == 0
                         ? Crop{0, 0, scene.width, scene.height}
                         : crop;
  if (whole.x < 0 || whole.y < 0 || whole.width <= 0 || whole.height <= 0 ||
      whole.width > scene.width - whole.x || whole.height > scene.height - whole.y) {
    throw std::invalid_argument("crop " + std::to_string(crop.x) + "," + std::to_string(crop.y) +
                                "," + std::to_string(crop.width) + "," +
                                std::to_string(crop.height) + " is not inside the picture of " +
                                std::to_string(scene.width) + " x " + std::to_string(scene.height) +
                                " pixels");
  }
  return whole;
}

void checkOptions(const RenderOptions& options) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
  if (options.depth < 1 || options.depth > kMaxDepth) {
    refuse("depth " + std::to_string(options.depth) + ", expected 1 to " +
           std::to_string(kMaxDepth));
  }
  if (options.samples < 1 || options.samples > kMaxSamples) {
    refuse(std::to_string(options.samples) + " samples a pixel, expected 1 to " +
           std::to_string(kMaxSamples));
  }
  if (options.batch < 1 || options.batch > kMaxBatch) {
    refuse("a batch of " + std::to_string(options.batch) + " rays, expected 1 to " +
           std::to_string(kMaxBatch));
  }
  if (!(options.rayOffset >= 0 && options.rayOffset <= 1)) {
    refuse("ray offset " + std::to_string(options.rayOffset) + ", expected 0 to 1");
  }
  if (options.recordHits && options.samples != 1) {
    refuse("primary hits are those of pixel centres: one sample a pixel, not " +
           std::to_string(options.samples));
  }
}

}  // namespace

GenerationCounts RayCounts::total() const {
  GenerationCounts sum;
  for (const GenerationCounts& g : generations) {
    sum.rays += g.rays;
    sum.reflected += g.reflected;
    sum.refracted += g.refracted;
    sum.hits += g.hits;
    sum.shadow += g.shadow;
    sum.blocked += g.blocked;
    sum.unlit += g.unlit;
    sum.totalInternal += g.totalInternal;
  }
  return sum;
}

std::uint64_t RayCounts::traced() const {
  const GenerationCounts sum = total();
  return sum.rays + sum.shadow;
}

void RayCounts::describe(common::StatGroup& group) const {
  const auto describeOne = [](common::StatGroup& to, const GenerationCounts& g) {
    to.count("rays", "rays", "Eye, mirror and refracted rays traced.", g.rays);
    to.count("reflected", "rays", "Mirror rays among them.", g.reflected);
    to.count("refracted", "rays", "Refracted rays among them.", g.refracted);
    to.count("hits", "rays", "Rays among them that met an element.", g.hits);
    to.count("shadow", "rays", "Shadow rays traced from these hits.", g.shadow);
    to.count("blocked", "rays", "Shadow rays that met an element before the light.", g.blocked);
    to.count("unlit", "rays", "Shadow rays not sent: the light is behind the surface.", g.unlit);
    to.count("total_internal", "rays", "Refracted rays not sent: total internal reflection.",
             g.totalInternal);
  };
  describeOne(group, total());
  for (std::size_t i = 0; i < generations.size(); ++i) {
    describeOne(group.group("depth" + std::to_string(i + 1),
                            i == 0 ? "Eye rays and their shadow rays."
                                   : "Secondary rays of this depth and their shadow rays."),
                generations[i]);
  }
}

RayTree::RayTree(const scene::Scene& scene, const RenderOptions& options)
    : scene_(scene), options_(options), crop_(wholePicture(scene, options.crop)) {
  checkOptions(options);
}

Framebuffer RayTree::makeFramebuffer() const {
  return {crop_.width, crop_.height, options_.samples};
}

void RayTree::render(HitFinder& finder, Framebuffer& framebuffer, const ProgressFn& progress) {
  if (framebuffer.width() != crop_.width || framebuffer.height() != crop_.height ||
      framebuffer.samples() != options_.samples) {
    throw std::invalid_argument("the framebuffer does not match the picture to render");
  }
  primaryHits_.clear();
  if (options_.recordHits) {
    primaryHits_.reserve(static_cast<std::size_t>(crop_.width) *
                         static_cast<std::size_t>(crop_.height));
    for (int y = crop_.y; y < crop_.y + crop_.height; ++y) {
      for (int x = crop_.x; x < crop_.x + crop_.width; ++x) {
        primaryHits_.push_back({x, y, report::kMiss, 0, 0, 0});
      }
    }
  }
  Growth(scene_, options_, crop_, finder, framebuffer, counts_, primaryHits_).run(progress);
}

}  // namespace rtvp::host
