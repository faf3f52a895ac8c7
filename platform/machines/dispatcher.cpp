// See dispatcher.hpp.
#include "platform/machines/dispatcher.hpp"

#include <algorithm>

#include "platform/machines/sharing.hpp"
#include "platform/raytree/surface.hpp"

namespace rtvp::platform {
namespace {

RayClass classOf(const host::Ray& ray) {
  return ray.kind == host::Ray::Kind::Any ? RayClass::Shadow : RayClass::Secondary;
}

report::HitDump emptyDump(const host::Crop& crop) {
  report::HitDump dump;
  for (int y = crop.y; y < crop.y + crop.height; ++y) {
    for (int x = crop.x; x < crop.x + crop.width; ++x) {
      dump.push_back({x, y, report::kMiss, 0, 0, 0});
    }
  }
  return dump;
}

}  // namespace

Dispatcher::Dispatcher(const scene::Scene& scene, const Picture& picture, Policy policy,
                       std::vector<std::unique_ptr<Agent>>& agents, host::HostBus& bus)
    : scene_(scene), picture_(picture), policy_(std::move(policy)), agents_(agents), bus_(bus) {
  if (policy_.kind != Policy::Kind::Race || picture_.samples != 1) return;
  race_.first = emptyDump(picture_.crop);
  race_.dumps.assign(policy_.racers.size() - 1, race_.first);
}

void Dispatcher::await(std::span<Batch> batches) {
  bus_.awaitTask(
      [&] {
        return std::all_of(batches.begin(), batches.end(), [](const Batch& b) { return b.done; });
      },
      "batches of rays");
}

void Dispatcher::trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) {
  if (rays.empty()) return;
  const RayClass rayClass = classOf(rays.front());
  seen_ += rays.size();
  ++batches_;
  switch (policy_.kind) {
    case Policy::Kind::Classes:
      give(policy_.classes[static_cast<std::size_t>(rayClass)], rayClass, rays, {}, hits);
      break;
    case Policy::Kind::Share:
      share(rayClass, rays, hits);
      break;
    case Policy::Kind::Race:
      raceAll(rayClass, rays, {}, hits);
      break;
  }
}

void Dispatcher::traceEye(std::span<const host::Ray> rays,
                          std::span<const host::EyePosition> positions, std::span<host::Hit> hits) {
  if (rays.empty()) return;
  seen_ += rays.size();
  eyeSeen_ += rays.size();
  ++batches_;
  switch (policy_.kind) {
    case Policy::Kind::Classes:
      give(policy_.classes[static_cast<std::size_t>(RayClass::Eye)], RayClass::Eye, rays, positions,
           hits);
      break;
    case Policy::Kind::Share:
      // A part of a batch is no picture: no machine makes these rays itself.
      share(RayClass::Eye, rays, hits);
      break;
    case Policy::Kind::Race:
      raceAll(RayClass::Eye, rays, positions, hits);
      break;
  }
}

void Dispatcher::give(std::size_t agent, RayClass rayClass, std::span<const host::Ray> rays,
                      std::span<const host::EyePosition> positions, std::span<host::Hit> hits) {
  Batch batch{rayClass, rays, positions, hits};
  agents_[agent]->submit(batch);
  await({&batch, 1});
}

// ---- sharing

/// What this picture is likely to ask for after the `now` rays at hand.
double Dispatcher::raysToCome(std::size_t now) const {
  const auto eye = static_cast<double>(std::max<std::uint64_t>(eyeSeen_, 1));
  const auto left = static_cast<double>(picture_.eyeRays()) - static_cast<double>(eyeSeen_);
  // Before anything is known: a shadow ray for each eye ray.
  const double each = std::max(2.0, static_cast<double>(seen_) / eye);
  return static_cast<double>(now) + std::max(0.0, left) * each;
}

/// Puts machines to work that are worth it for what is to come, the fastest first: the processor
/// can only set up one at a time, and a fast machine must not wait for the copies of a slow one.
/// Its first rays must take little of the time that is left: guesses are no better than that.
void Dispatcher::enlist(RayClass rayClass, std::size_t rays) {
  constexpr double kLittle = 1.0 / 20;
  std::vector<Agent*> order;
  for (const auto& agent : agents_) order.push_back(agent.get());
  std::stable_sort(order.begin(), order.end(), [rayClass](const Agent* a, const Agent* b) {
    return a->secondsPerRay(rayClass) < b->secondsPerRay(rayClass);
  });
  std::vector<Worker> workers;
  const double now = bus_.now().to_seconds();
  int priority = static_cast<int>(order.size());
  double setUp = 0;
  for (Agent* const agent : order) {
    const double own = agent->started() ? 0 : agent->secondsToSetUp();
    const double first = own + agent->secondsPerBatch(rayClass) +
                         static_cast<double>(agent->grain()) * agent->secondsPerRay(rayClass);
    const bool worth =
        workers.empty() || setUp + first < kLittle * (commonEnd(workers, raysToCome(rays)) - now);
    if (!agent->started() && !worth) continue;
    setUp += own;
    agent->begin(priority--);
    workers.push_back({agent->expectedStart(), agent->secondsPerRay(rayClass), agent->grain()});
  }
}

/// Rays for each machine. One whose needs are still a guess, and that is far slower than the
/// fastest, gets few until it has shown what it needs.
std::vector<std::size_t> Dispatcher::deal(RayClass rayClass, std::size_t rays) const {
  constexpr double kNever = 1e30;
  std::vector<Worker> workers;
  for (const auto& agent : agents_) {
    const double start =
        agent->started() ? agent->expectedStart() + agent->secondsPerBatch(rayClass) : kNever;
    workers.push_back({start, agent->secondsPerRay(rayClass), agent->grain()});
  }
  std::vector<std::size_t> shares = dealRays(workers, rays);
  const auto fastest =
      static_cast<std::size_t>(std::min_element(workers.begin(), workers.end(),
                                                [](const Worker& a, const Worker& b) {
                                                  return a.start + a.perRay < b.start + b.perRay;
                                                }) -
                               workers.begin());
  constexpr double kFar = 10;
  constexpr std::size_t kFewGrains = 4;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::size_t few = kFewGrains * workers[i].grain;
    const bool guess =
        !agents_[i]->measured() && workers[i].perRay > kFar * workers[fastest].perRay;
    if (i == fastest || !guess || shares[i] <= few) continue;
    shares[fastest] += shares[i] - few;
    shares[i] = few;
  }
  return shares;
}

void Dispatcher::share(RayClass rayClass, std::span<const host::Ray> rays,
                       std::span<host::Hit> hits) {
  enlist(rayClass, rays.size());
  const std::vector<std::size_t> shares = deal(rayClass, rays.size());
  std::vector<Batch> batches;
  batches.reserve(agents_.size());  // agents keep addresses
  std::size_t at = 0;
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    if (shares[i] == 0) continue;
    batches.push_back({rayClass, rays.subspan(at, shares[i]), {}, hits.subspan(at, shares[i])});
    agents_[i]->submit(batches.back());
    at += shares[i];
  }
  await(batches);
}

// ---- races

void Dispatcher::raceAll(RayClass rayClass, std::span<const host::Ray> rays,
                         std::span<const host::EyePosition> positions, std::span<host::Hit> hits) {
  std::vector<std::vector<host::Hit>> answers(policy_.racers.size(),
                                              std::vector<host::Hit>(rays.size()));
  std::vector<Batch> batches;
  batches.reserve(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    batches.push_back({rayClass, rays, positions, answers[i]});
    agents_[policy_.racers[i]]->submit(batches.back());
  }
  await(batches);
  compare(rays, positions, answers);
  std::copy(answers.front().begin(), answers.front().end(), hits.begin());
}

void Dispatcher::compare(std::span<const host::Ray> rays,
                         std::span<const host::EyePosition> positions,
                         const std::vector<std::vector<host::Hit>>& answers) {
  race_.rays += rays.size();
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const host::Hit& first = answers.front()[i];
    for (std::size_t racer = 1; racer < answers.size(); ++racer) {
      const host::Hit& other = answers[racer][i];
      const bool any = rays[i].kind == host::Ray::Kind::Any;
      const bool differs =
          any ? (first.element == scene::kNoElement) != (other.element == scene::kNoElement)
              : first.element != other.element;
      race_.different += differs ? 1U : 0U;
      if (positions.empty() || race_.dumps.empty()) continue;
      if (racer == 1) record(race_.first, rays[i], positions[i], first);
      record(race_.dumps[racer - 1], rays[i], positions[i], other);
    }
  }
}

void Dispatcher::record(report::HitDump& dump, const host::Ray& ray, const host::EyePosition& at,
                        const host::Hit& hit) const {
  if (hit.element == scene::kNoElement) return;
  const host::Crop& crop = picture_.crop;
  const auto place =
      static_cast<std::size_t>(at.row - crop.y) * static_cast<std::size_t>(crop.width) +
      static_cast<std::size_t>(at.column - crop.x);
  report::HitRow& row = dump[place];
  const host::Barycentric uv = host::surfaceAt(scene_, ray, hit).uv;
  row.prim = scene_.elements[hit.element].primitive;
  row.t = hit.t;
  row.u = uv.u;
  row.v = uv.v;
}

void Dispatcher::report(common::StatGroup& stats) const {
  stats.count("batches", "batches", "batches of the ray tree", batches_);
  stats.count("rays", "rays", "rays in these", seen_);
  if (policy_.kind == Policy::Kind::Race) {
    stats.count("race_rays", "rays", "rays that every racing machine answered", race_.rays);
    stats.count("race_different", "rays",
                "answers that name another element than the first machine's, or block another ray",
                race_.different);
  }
  for (const auto& agent : agents_) {
    agent->report(stats.group(agent->machine().name(), "what this machine was given"));
  }
}

}  // namespace rtvp::platform
