// Growth of the ray tree, batch by batch.
#include "platform/raytree/ray_tree.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "models/common/core/text.hpp"
#include "platform/raytree/render_options.hpp"
#include "platform/raytree/sampling.hpp"
#include "platform/raytree/shader_points.hpp"
#include "platform/raytree/surface.hpp"
#include "platform/scene/camera_rays.hpp"

namespace rtvp::host {
namespace {

using scene::Vec3;

constexpr std::size_t kMaxRuns = 16384;  // shader runs at once; bounds memory, not the picture
constexpr double kTraceOffset = 1e-4;    // of a shader's ray, in scene diagonals (sl.md section 2)

/// Whom a ray works for.
struct Path {
  std::uint32_t pixel =
      0;  ///< y * width + x within the crop; of the accumulator in a nested growth
  bool refracted = false;
  std::uint16_t sample = 0;  ///< of the pixel
  Vec3 weight{1, 1, 1};
  std::uint32_t picture = 0;  ///< y * width + x of the whole picture, for random numbers
};

void stateOf(common::StateArchive& a, Path& path) {
  a(path.pixel, path.refracted, path.sample, path.weight, path.picture);
}

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
    if (limit >= size()) {
      std::swap(*this, batch);
      rays.clear();
      paths.clear();
      return;
    }
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

[[noreturn]] void refuse(const scene::Scene& scene, const Hit& hit, std::size_t index) {
  throw HitFault("ray " + std::to_string(index) + " of a batch: the finder returned element " +
                 std::to_string(hit.element) + " (" + common::hex(hit.element, 8) + "h) of " +
                 std::to_string(scene.elements.size()) + " at t = " + std::to_string(hit.t));
}

/// A hit must be one that this scene and this ray can have; anything else is a fault of the machine
/// behind the finder.
inline void check(const scene::Scene& scene, const Ray& ray, const Hit& hit, std::size_t index) {
  if (hit.element == scene::kNoElement) return;
  const bool distanceMatters = ray.kind == Ray::Kind::Nearest;
  if (hit.element < scene.elements.size() &&
      (!distanceMatters || (std::isfinite(hit.t) && hit.t >= 0))) {
    return;
  }
  refuse(scene, hit, index);
}

/// What a render() works with and keeps.
struct Context {
  const scene::Scene& scene;
  const RenderOptions& options;
  const Crop& crop;
  HitFinder& finder;
  SurfaceShading* shading;  ///< null: surfaces with a shader are shaded by their material
  WorkMeter* meter;         ///< may be null
  RayCounts& counts;
  ShaderCounts& shaderCounts;
  report::HitDump& dump;
  double diagonal;        ///< of the scene
  RayProgress* progress;  ///< who wants to know how far it is; may be null
  TreePause* pause;       ///< who may stop it between two batches; may be null
};

/// One render() call, or the rays that shaders ask for in one of their batches: these grow a tree
/// of their own, whose pixels are the rays' colours.
class Growth {
 public:
  Growth(const Context& context, Framebuffer& framebuffer, bool nested, std::size_t strand = 0,
         std::size_t strands = 1)
      : context_(context),
        scene_(context.scene),
        options_(context.options),
        crop_(context.crop),
        finder_(context.finder),
        framebuffer_(framebuffer),
        counts_(context.counts),
        dump_(context.dump),
        offset_(options_.seedCompat ? 0 : options_.rayOffset * context.diagonal),
        sequence_(nested ? std::vector<std::uint32_t>{}
                         : pixelSequence(options_.order, crop_.width, crop_.height)),
        positions_(nested ? std::vector<SamplePosition>{} : samplePositions(options_.samples)),
        progress_(nested ? nullptr : context.progress),
        pause_(nested ? nullptr : context.pause),
        strand_(strand),
        strands_(strands),
        queues_(static_cast<std::size_t>(options_.depth)) {}

  void run();
  /// All of it between two batches.
  void state(common::StateArchive& a);
  /// A ray to begin with, of depth generation + 1.
  void plant(const Ray& ray, const Path& path, std::size_t generation) {
    queues_[generation].push(ray, path);
  }

 private:
  void work(Work kind, std::size_t count) const {
    if (context_.meter != nullptr && count > 0) context_.meter->work(kind, count);
  }
  [[nodiscard]] std::uint64_t eyeRayCount() const { return sequence_.size() * positions_.size(); }
  /// This strand has made all its eye rays.
  [[nodiscard]] bool eyeRaysDone() const { return nextEyeRay() >= eyeRayCount(); }
  /// The number among all eye rays of the next one that this strand makes.
  [[nodiscard]] std::uint64_t nextEyeRay() const {
    return (eyeRays_ / options_.batch * strands_ + strand_) * options_.batch +
           eyeRays_ % options_.batch;
  }
  [[nodiscard]] std::optional<std::size_t> nextGeneration() const;
  void makeEyeRays();
  void makeEyeRays(const scene::CameraRays& camera, std::uint64_t first, std::size_t count);
  void traceEyeRays();
  void traceBatch(std::size_t generation);
  void shade(GenerationCounts& counts);
  void foresee(std::size_t generation) const;
  void castShadows(GenerationCounts& counts);
  void traceShadows(GenerationCounts& counts);
  void spawnReflected(Queue& children);
  void spawnRefracted(Queue& children, GenerationCounts& counts);
  void record(std::size_t index);
  void runShaders(std::size_t generation);
  void runShaders(std::span<const Lit> hits, std::size_t generation);
  [[nodiscard]] std::vector<bool> blockedLights(std::span<const Lit> hits,
                                                GenerationCounts& counts);
  void traceForShaders(std::span<const ShaderRay> rays, std::span<const Lit> hits,
                       std::span<const ShadingPoint> points, std::size_t generation,
                       std::span<sl::Vec3> colours);
  [[nodiscard]] bool hasShader(std::size_t ray) const {
    const scene::Element& element = scene_.elements[hits_[ray].element];
    return context_.shading != nullptr &&
           scene_.materials[element.material].surface != scene::kNoIndex;
  }
  [[nodiscard]] const scene::Material& materialAt(const Lit& lit) const {
    return scene_.materials[scene_.elements[hits_[lit.ray].element].material];
  }
  /// Place in the whole picture of a pixel of the crop.
  [[nodiscard]] std::uint32_t pictureIndex(std::uint32_t column, std::uint32_t row) const {
    return (static_cast<std::uint32_t>(crop_.y) + row) * static_cast<std::uint32_t>(scene_.width) +
           static_cast<std::uint32_t>(crop_.x) + column;
  }
  /// Start of a ray that leaves `surface` in direction `towards`.
  [[nodiscard]] Vec3 leave(const Surface& surface, const Vec3& towards) const {
    const double distance = options_.seedCompat ? 0 : std::max(offset_, surface.slack);
    return surface.point +
           surface.geometric * (dot(surface.geometric, towards) < 0 ? -distance : distance);
  }

  const Context& context_;
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
  RayProgress* const progress_;  ///< null: nobody wants to know, or it is a part of another growth
  TreePause* const pause_;       ///< null: nobody stops it
  const std::size_t strand_, strands_;  ///< batches strand_, strand_ + strands_ ... are its own

  std::vector<Queue> queues_;  ///< rays waiting, by depth - 1
  std::uint64_t eyeRays_ = 0;  ///< made so far
  Queue batch_;
  std::vector<Hit> hits_;
  std::vector<Lit> lit_;     ///< shaded here
  std::vector<Lit> shaded_;  ///< shaded by a program
  std::vector<Ray> shadowRays_;
  std::vector<Due> due_;
};

void Growth::run() {
  for (;;) {
    if (pause_ != nullptr) {
      pause_->between([this](common::StateArchive& a) { state(a); });
    }
    const std::optional<std::size_t> generation = nextGeneration();
    if (!generation) {
      if (eyeRaysDone()) break;
      makeEyeRays();
      continue;
    }
    traceBatch(*generation);
  }
}

/// Picture, hits and counts so far, and the rays that wait.
void Growth::state(common::StateArchive& a) {
  a.mark("ray tree");
  a(eyeRays_);
  const std::size_t pixels = framebuffer_.sums().size() / 3;
  for (std::int64_t& sum : framebuffer_.sums()) a(sum);
  for (Queue& queue : queues_) {
    a(queue.rays, queue.paths);
    bool good = queue.rays.size() == queue.paths.size();
    for (const Path& path : queue.paths) {
      good = good && path.pixel < pixels && path.sample < positions_.size();
    }
    if (!good) throw common::StateError("the state has rays of pixels that the picture lacks");
  }
  a.sized(counts_.generations);
  ShaderCounts& shaders = context_.shaderCounts;
  a(shaders.hits, shaders.runs, shaders.shadow, shaders.rays, shaders.nonFinite);
  std::uint64_t rows = dump_.size();
  a(rows);
  if (rows != dump_.size()) throw common::StateError("the state has other primary hits");
  for (report::HitRow& row : dump_) a(row.prim, row.t, row.u, row.v);
  bool followed = progress_ != nullptr;
  a(followed);
  if (followed && progress_ != nullptr) a(*progress_);
}

/// The deepest queue that fills a batch; while eye rays are left, nothing smaller is worth the
/// machine's time; at the end the shallowest, because it still feeds the others. No queue grows
/// beyond three batches.
std::optional<std::size_t> Growth::nextGeneration() const {
  for (std::size_t i = queues_.size(); i-- > 0;) {
    if (queues_[i].size() >= options_.batch) return i;
  }
  if (!eyeRaysDone()) return std::nullopt;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (queues_[i].size() > 0) return i;
  }
  return std::nullopt;
}

void Growth::makeEyeRays() {
  const Queue& eye = queues_.front();
  const scene::CameraRays camera(scene_.camera, scene_.width, scene_.height);
  const std::uint64_t total = eyeRayCount();
  const std::uint64_t first = eyeRays_;
  while (nextEyeRay() < total && eye.size() < options_.batch) {
    // To the end of a batch of this strand their numbers follow one another.
    const std::uint64_t count =
        std::min({options_.batch - eyeRays_ % options_.batch, total - nextEyeRay(),
                  std::uint64_t{options_.batch - eye.size()}});
    makeEyeRays(camera, nextEyeRay(), count);
    eyeRays_ += count;
  }
  work(Work::EyeRay, eyeRays_ - first);
}

/// Eye ray number `first` and those behind it.
void Growth::makeEyeRays(const scene::CameraRays& camera, std::uint64_t first, std::size_t count) {
  Queue& eye = queues_.front();
  const std::size_t before = eye.size();
  eye.rays.resize(before + count);
  eye.paths.resize(before + count);
  const Crop crop = crop_;
  const auto width = static_cast<std::uint32_t>(crop.width);
  const Vec3 from = scene_.camera.eye;
  const std::uint32_t* pixelAt = sequence_.data() + first / positions_.size();
  std::size_t sample = first % positions_.size();
  for (std::size_t i = before; i < before + count; ++i) {
    const std::uint32_t pixel = *pixelAt;
    const SamplePosition& position = positions_[sample];
    const std::uint32_t row = pixel / width;
    const std::uint32_t column = pixel - row * width;
    // Whole pixels first: the sum then rounds alike in every crop.
    const double px = static_cast<double>(crop.x) + column + position.x;
    const double py = static_cast<double>(crop.y) + row + position.y;
    const std::uint32_t picture = pictureIndex(column, row);
    Ray& ray = eye.rays[i];
    ray.origin = from;
    ray.direction = camera.direction(px, py);
    ray.tmax = kInfinity;
    ray.pixel = picture;
    Path& path = eye.paths[i];
    path.pixel = pixel;
    path.sample = static_cast<std::uint16_t>(sample);
    path.picture = picture;
    if (++sample == positions_.size()) {
      sample = 0;
      ++pixelAt;
    }
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
  work(Work::OrderRay, batch_.size());
  if (progress_ != nullptr) progress_->begin(generation, batch_.size());
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
  foresee(generation);
  if (generation == 0 && options_.recordHits) {
    for (std::size_t i = 0; i < batch_.size(); ++i) record(i);
  }
  castShadows(counts);
  if (generation + 1 < queues_.size()) {
    // All mirror rays, then all refracted ones: neighbours in a batch stay alike.
    spawnReflected(queues_[generation + 1]);
    spawnRefracted(queues_[generation + 1], counts);
  }
  runShaders(generation);
}

/// What comes of the batch, before it comes.
void Growth::foresee(std::size_t generation) const {
  if (progress_ == nullptr) return;
  std::uint64_t children = 0;
  for (const Lit& lit : lit_) {
    const scene::Material& material = materialAt(lit);
    children += (material.reflect != 0 ? 1U : 0U) + (material.ktrans != 0 ? 1U : 0U);
  }
  const std::uint64_t hits = lit_.size() + shaded_.size();
  progress_->followed(generation, batch_.size(), hits * scene_.lights.size(),
                      generation + 1 < queues_.size() ? children : 0);
}

/// Background and ambient light; fills lit_ and shaded_.
void Growth::shade(GenerationCounts& counts) {
  lit_.clear();
  lit_.reserve(batch_.size());
  shaded_.clear();
  // The background as eye rays add it: nothing has weakened it.
  const Framebuffer::Quanta background = Framebuffer::quanta(scene_.background);
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    check(scene_, batch_.rays[i], hits_[i], i);
    const Path& path = batch_.paths[i];
    if (hits_[i].element == scene::kNoElement) {
      framebuffer_.addQuanta(path.pixel,
                             path.weight == Vec3{1, 1, 1}
                                 ? background
                                 : Framebuffer::quanta(path.weight * scene_.background));
      continue;
    }
    ++counts.hits;
    if (hasShader(i)) {
      shaded_.push_back({i, surfaceAt(scene_, batch_.rays[i], hits_[i])});
      continue;
    }
    lit_.push_back({i, surfaceAt(scene_, batch_.rays[i], hits_[i])});
    const scene::Material& material = materialAt(lit_.back());
    framebuffer_.add(path.pixel, path.weight * lit_.back().surface.color * material.kamb);
  }
  work(Work::MergeHit, batch_.size());
  work(Work::Surface, lit_.size() + shaded_.size());
}

/// Light by light, not hit by hit: rays towards one light from neighbouring points are alike.
void Growth::castShadows(GenerationCounts& counts) {
  for (const scene::Light& light : scene_.lights) {
    const std::size_t before = shadowRays_.size();
    shadowRays_.reserve(before + lit_.size());
    due_.reserve(before + lit_.size());
    const std::uint64_t unlit = counts.unlit;
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
      shadowRays_.push_back(
          {origin, path * (1 / distance), distance, Ray::Kind::Any, owner.picture});
      due_.push_back({owner.pixel, owner.weight * light.color * share});
    }
    if (progress_ != nullptr) progress_->unsent(counts.unlit - unlit);
    work(Work::Light, lit_.size());
    work(Work::ShadowRay, shadowRays_.size() - before);
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
    if (progress_ != nullptr) progress_->shadows(count);
    work(Work::MergeHit, count);
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
  const std::size_t before = children.size();
  for (const Lit& lit : lit_) {
    const double share = materialAt(lit).reflect;
    if (share == 0) continue;
    const Vec3 direction = reflected(batch_.rays[lit.ray].direction, lit.surface.normal);
    const Path& parent = batch_.paths[lit.ray];
    children.push(
        {leave(lit.surface, direction), direction, kInfinity, Ray::Kind::Nearest, parent.picture},
        {parent.pixel, false, parent.sample, parent.weight * share, parent.picture});
  }
  work(Work::SecondaryRay, children.size() - before);
}

void Growth::spawnRefracted(Queue& children, GenerationCounts& counts) {
  const std::size_t before = children.size();
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
    children.push(
        {leave(lit.surface, *direction), *direction, kInfinity, Ray::Kind::Nearest, parent.picture},
        {parent.pixel, true, parent.sample, parent.weight * material.ktrans, parent.picture});
  }
  work(Work::SecondaryRay, children.size() - before);
}

// ---- surfaces with a program

void Growth::runShaders(std::size_t generation) {
  // Nested growths use the batch's members of their own; hits and paths of this one stay.
  const std::span<const Lit> all = shaded_;
  const std::size_t lights = std::max<std::size_t>(scene_.lights.size(), 1);
  const std::size_t most = std::max<std::size_t>(std::min(options_.batch, kMaxRuns) / lights, 1);
  for (std::size_t at = 0; at < all.size(); at += most) {
    runShaders(all.subspan(at, std::min(most, all.size() - at)), generation);
  }
}

/// Runs every hit's program once a light, light by light.
void Growth::runShaders(std::span<const Lit> hits, std::size_t generation) {
  const std::vector<bool> blocked = blockedLights(hits, counts_.generations[generation]);
  const bool deeper = generation + 1 < queues_.size();
  const std::size_t lights = std::max<std::size_t>(scene_.lights.size(), 1);
  std::vector<ShadingPoint> points;
  points.reserve(hits.size() * lights);
  for (std::size_t light = 0; light < lights; ++light) {
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const Lit& lit = hits[i];
      const Path& path = batch_.paths[lit.ray];
      const SeedPlace place{path.picture, path.sample, static_cast<std::uint32_t>(generation)};
      ShadingPoint point =
          light == 0 ? shadingPoint(scene_, batch_.rays[lit.ray], hits_[lit.ray], lit.surface)
                     : points[i];
      point.traceLive = light == 0 && deeper;
      point.pixel = path.picture;
      const bool dark = scene_.lights.empty();
      const Vec3 toLight =
          dark ? lit.surface.normal : unit(scene_.lights[light].position - lit.surface.point);
      const Vec3 color =
          dark || blocked[light * hits.size() + i] ? Vec3{} : scene_.lights[light].color;
      setLight(point, toLight, color, place, static_cast<std::uint32_t>(light));
      points.push_back(point);
    }
  }
  work(Work::ShadingPoint, points.size());
  std::vector<sl::Vec3> colours(points.size());
  context_.shading->shade(
      points,
      [&](std::span<const ShaderRay> rays, std::span<sl::Vec3> answers) {
        traceForShaders(rays, hits, points, generation, answers);
      },
      colours);
  sl::Counters counters;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const sl::Vec3 v0 = sl::finiteColour(colours[i], counters);
    const Path& path = batch_.paths[hits[i % hits.size()].ray];
    framebuffer_.add(path.pixel, path.weight * Vec3{double{v0.x}, double{v0.y}, double{v0.z}});
  }
  work(Work::MergeHit, points.size());
  ShaderCounts& total = context_.shaderCounts;
  total.hits += hits.size();
  total.runs += points.size();
  total.nonFinite += counters.non_finite_lanes;
}

/// For each light and hit, light by light: does something stand between them?
std::vector<bool> Growth::blockedLights(std::span<const Lit> hits, GenerationCounts& counts) {
  std::vector<Ray> rays;
  rays.reserve(hits.size() * scene_.lights.size());
  for (const scene::Light& light : scene_.lights) {
    for (const Lit& lit : hits) {
      const Vec3 origin = leave(lit.surface, light.position - lit.surface.point);
      const Vec3 path = light.position - origin;
      const double distance = length(path);
      rays.push_back({origin, distance > 0 ? path * (1 / distance) : lit.surface.normal, distance,
                      Ray::Kind::Any, batch_.paths[lit.ray].picture});
    }
  }
  work(Work::Light, rays.size());
  std::vector<Hit> blockers(rays.size());
  if (!rays.empty()) finder_.trace(rays, blockers);
  work(Work::MergeHit, rays.size());
  std::vector<bool> blocked(rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    check(scene_, rays[i], blockers[i], i);
    blocked[i] = blockers[i].element != scene::kNoElement;
    counts.blocked += blocked[i] ? 1U : 0U;
  }
  counts.shadow += rays.size();
  if (progress_ != nullptr) progress_->shadows(rays.size());
  context_.shaderCounts.shadow += rays.size();
  return blocked;
}

void Growth::traceForShaders(std::span<const ShaderRay> rays, std::span<const Lit> hits,
                             std::span<const ShadingPoint> points, std::size_t generation,
                             std::span<sl::Vec3> colours) {
  context_.shaderCounts.rays += rays.size();
  Framebuffer answers(static_cast<int>(rays.size()), 1);
  Growth nested(context_, answers, true);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const Lit& lit = hits[rays[i].point % hits.size()];
    const Path& asker = batch_.paths[lit.ray];
    Ray ray = shaderRay(points[rays[i].point].space, rays[i],
                        std::max(kTraceOffset * context_.diagonal, lit.surface.slack));
    ray.pixel = asker.picture;
    nested.plant(ray,
                 {static_cast<std::uint32_t>(i), false, asker.sample, {1, 1, 1}, asker.picture},
                 generation + 1);
  }
  work(Work::SecondaryRay, rays.size());
  nested.run();
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const Vec3 c = answers.color(static_cast<int>(i), 0);
    colours[i] = {static_cast<float>(c.x), static_cast<float>(c.y), static_cast<float>(c.z)};
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

}  // namespace

RayTree::RayTree(const scene::Scene& scene, const RenderOptions& options)
    : scene_(scene), options_(options), crop_(wholePicture(scene, options.crop)) {
  checkOptions(options);
}

Framebuffer RayTree::makeFramebuffer() const {
  return {crop_.width, crop_.height, options_.samples};
}

void RayTree::render(HitFinder& finder, Framebuffer& framebuffer, RayProgress* progress,
                     SurfaceShading* shading, Strands* strands, WorkMeter* meter,
                     TreePause* pause) {
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
  counts_.generations.assign(static_cast<std::size_t>(options_.depth), {});
  shaderCounts_ = {};
  const Context context{scene_,       options_,
                        crop_,        finder,
                        shading,      meter,
                        counts_,      shaderCounts_,
                        primaryHits_, scene_.bounds().diagonal(),
                        progress,     strands == nullptr ? pause : nullptr};
  if (strands == nullptr) {
    Growth(context, framebuffer, false).run();
    return;
  }
  strands->run([&](std::size_t strand) {
    Growth(context, framebuffer, false, strand, strands->count()).run();
  });
}

}  // namespace rtvp::host
