// See engine.hpp: RAYS jobs.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "models/implicit/render/ray_batch.hpp"
#include "models/implicit/unit/engine_job.hpp"
#include "models/implicit/unit/ray_stage.hpp"

namespace rtvp::implicit::unit {
namespace {

render::WorldRay rayOf(const std::uint8_t* record, float cone, std::uint32_t number) {
  render::WorldRay out;
  out.origin = vectorAt(record, ray::kOrigin);
  out.direction = vectorAt(record, ray::kDirection);
  out.tmax = floatAt(record, ray::kTmax);
  out.cone = static_cast<double>(cone);
  const std::uint32_t flags = wordAt(record, ray::kFlags);
  out.any = (flags & ray::kAny) != 0;
  const double length = render::length(out.direction);
  bool usable = (flags & ~ray::kAny) == 0 && out.tmax > 0 && length > 0 && std::isfinite(length);
  for (const double x : out.origin) usable = usable && std::isfinite(x);
  if (!usable)
    refuse("ray " + std::to_string(number) +
               " has no finite origin, no direction, no tmax above 0 or unknown flags",
           number);
  out.direction = render::unit(out.direction);
  return out;
}

bool overlap(std::uint64_t a, std::uint64_t bytes_a, std::uint64_t b, std::uint64_t bytes_b) {
  return a < b + bytes_b && b < a + bytes_a;
}

}  // namespace

/// The rays of a warp.
struct Engine::RayGroup {
  std::uint32_t first = 0;  ///< of the list
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
  std::vector<render::WorldRay> rays;  ///< up to the first that cannot be
  std::optional<JobFault> fault;       ///< why it cannot
  render::Counters counters;
};

/// The next warps of a list, whose rays are traced side by side: on this thread when it is their
/// turn (the plain twin: `Ahead::pool` null, run.threads=1), or before, on one of the pool, while
/// the warps in front of them are handed out. Invariants: tracing reads objects, hulls and
/// settings, which stay as they are during a job, and writes into the part only; what it has
/// counted counts when its warps are handed out, also where a warp before faults or the job is
/// lost; rays are looked at in the same order and at the same time on any number of threads; one
/// part is under way at a time, and none when the job ends.
class Engine::RayPart {
 public:
  RayPart(std::vector<RayGroup> groups, std::span<const render::Placed> objects,
          const render::Settings& settings)
      : groups_(std::move(groups)), batch_(objects, settings, raysOf(groups_)) {}
  RayPart(const RayPart&) = delete;
  RayPart& operator=(const RayPart&) = delete;
  ~RayPart() {
    try {
      finish();
    } catch (...) {  // of rays that nobody wants any more
    }
  }

  /// Another thread shall trace it; `job` is this part's until finish().
  void begin(common::WorkPool& pool, common::WorkPool::Job& job) {
    pool_ = &pool;
    job_ = &job;
    pool.begin(job, 0, [this] { run(); });
  }
  /// Nobody else traces it any more.
  void finish() {
    if (common::WorkPool* const pool = std::exchange(pool_, nullptr)) pool->finish(*job_);
  }
  /// Traces it, if nobody has; behind finish().
  void trace() {
    if (!traced_) run();
  }
  [[nodiscard]] const std::vector<RayGroup>& groups() const { return groups_; }
  /// Of its `n`th ray.
  render::HitRecord tell(std::size_t n, render::Observer& observer) const {
    return batch_.tell(n, observer);
  }

 private:
  static std::size_t raysOf(const std::vector<RayGroup>& groups) {
    std::size_t rays = 0;
    for (const RayGroup& group : groups) rays += group.rays.size();
    return rays;
  }
  void run() {
    traced_ = true;
    for (RayGroup& group : groups_)
      for (std::uint32_t n = 0; n < group.rays.size(); ++n)
        batch_.add(group.rays[n], group.counters, group.first + n);
    batch_.run();
  }

  std::vector<RayGroup> groups_;
  render::RayBatch batch_;
  bool traced_ = false;
  common::WorkPool* pool_ = nullptr;  ///< that traces it
  common::WorkPool::Job* job_ = nullptr;
};

void Engine::rays(Job& job) {
  const std::uint8_t* const d = job.descriptor.data();
  const std::uint32_t count = wordAt(d, job::kRayCount);
  if (count > job::kMostRays) refuse("more than 4194304 rays");
  const render::Settings& settings = job.configuration.settings;
  const unsigned pitch = settings.materials ? hit::kMaterialBytes : hit::kBytes;
  const std::uint64_t list = wideAt(d, job::kRayList), hits = wideAt(d, job::kHits);
  requireRoom(list, std::uint64_t{count} * ray::kBytes);
  requireRoom(hits, std::uint64_t{count} * pitch);
  const std::vector<LoadedObject*> objects = placed(job);
  const std::vector<render::Placed> targets = placedOf(objects);
  cores_.idleUntil(job.clock);
  RayStage stage(objects, timing_, cores_, job.clock);
  stage.setWatch(watch_);
  // Records that are written over rays to come change them: those are then read when it is their
  // turn. Who watches wants to see one ray after the other.
  const bool apart = watch_ != nullptr || overlap(list, std::uint64_t{count} * ray::kBytes, hits,
                                                  std::uint64_t{count} * pitch);
  const std::uint32_t most =
      apart ? timing_.lanes : std::max(ahead_.rays / timing_.lanes, 1U) * timing_.lanes;
  const auto part = [&](std::uint32_t first, Look look) -> std::unique_ptr<RayPart> {
    std::vector<RayGroup> groups = rayGroups(job, first, std::min(most, count - first), look);
    if (groups.empty()) return nullptr;
    return std::make_unique<RayPart>(std::move(groups), targets, settings);
  };
  std::unique_ptr<RayPart> here, next;
  for (std::uint32_t first = 0; first < count; here = std::exchange(next, nullptr)) {
    if (here == nullptr) here = part(first, Look::AtItsTime);
    first = here->groups().back().first + timing_.lanes;
    // Looked at on any number of threads, so that all find the same in memory.
    if (first < count && !apart) next = part(first, Look::Ahead);
    here->finish();
    if (next != nullptr && ahead_.pool != nullptr) next->begin(*ahead_.pool, ahead_job_);
    handOut(job, stage, targets, *here);
  }
}

/// The next warps of a list: as many as can be looked at ahead of their time; at least one, which
/// is read, if it is their time.
std::vector<Engine::RayGroup> Engine::rayGroups(Job& job, std::uint32_t first, std::uint32_t count,
                                                Look look) {
  const std::uint64_t list = wideAt(job.descriptor.data(), job::kRayList);
  const float cone = coneOf(job.descriptor.data());
  std::vector<RayGroup> groups;
  for (std::uint32_t at = 0; at < count; at += timing_.lanes) {
    const std::uint32_t rays = std::min(timing_.lanes, count - at);
    RayGroup group;
    group.first = first + at;
    group.address = list + std::uint64_t{group.first} * ray::kBytes;
    group.bytes.resize(std::size_t{rays} * ray::kBytes);
    if (!port_.memory().look(group.address, group.bytes)) {
      if (look == Look::Ahead || !groups.empty()) break;
      Loader loader(port_, job.configuration, job.clock);
      group.bytes = loader.bytes(Traffic::Rays, group.address, group.bytes.size());
      count = rays;
    }
    try {
      for (std::uint32_t n = 0; n < rays; ++n)
        group.rays.push_back(
            rayOf(group.bytes.data() + std::size_t{n} * ray::kBytes, cone, group.first + n));
    } catch (const JobFault& fault) {
      group.fault = fault;
      count = at;
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

/// The warps of a part one after the other, as if each had been traced when it was its turn.
void Engine::handOut(Job& job, RayStage& stage, std::span<const render::Placed> objects,
                     RayPart& part) {
  const render::Settings& settings = job.configuration.settings;
  const std::uint64_t hits = wideAt(job.descriptor.data(), job::kHits);
  const unsigned pitch = settings.materials ? hit::kMaterialBytes : hit::kBytes;
  if (watch_ == nullptr) part.trace();
  std::size_t traced = 0;
  for (const RayGroup& group : part.groups()) {
    stage.begin(group.address, group.bytes);
    counters_ += group.counters;
    for (std::uint32_t n = 0; n < group.rays.size(); ++n) {
      const std::uint32_t number = group.first + n;
      stage.ray();
      const render::HitRecord hit =
          watch_ == nullptr
              ? part.tell(traced++, stage)
              : render::traceRay(objects, group.rays[n], settings, counters_, stage, number);
      job.result.count += hit.hit() ? 1U : 0U;
      stage.record(hits + std::uint64_t{number} * pitch, recordOf(hit, settings.materials));
    }
    if (group.fault) throw JobFault(*group.fault);
    stage.finish();
  }
}

}  // namespace rtvp::implicit::unit
