// See dispatcher.hpp.
#include "platform/machines/dispatcher.hpp"

#include <algorithm>

#include "platform/raytree/surface.hpp"

namespace rtvp::platform {
namespace {

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
  if (policy_.kind == Policy::Kind::Share) {
    pool_ = std::make_unique<SharePool>(agents, picture.eyeRays(), bus);
  }
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
      pool_->trace(rayClass, rays, hits);
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
  ++batches_;
  switch (policy_.kind) {
    case Policy::Kind::Classes:
      give(policy_.classes[static_cast<std::size_t>(RayClass::Eye)], RayClass::Eye, rays, positions,
           hits);
      break;
    case Policy::Kind::Share:
      // A part of a batch is no picture: no machine makes these rays itself.
      pool_->trace(RayClass::Eye, rays, hits);
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
