// See share_pool.hpp.
#include "platform/machines/share_pool.hpp"

#include <algorithm>

#include "platform/machines/sharing.hpp"

namespace rtvp::platform {

bool SharePool::Lot::done() const {
  return open() == 0 &&
         std::all_of(parts.begin(), parts.end(), [](const Batch& b) { return b.done; });
}

SharePool::SharePool(std::vector<std::unique_ptr<Agent>>& agents, std::uint64_t eyeRays,
                     host::HostBus& bus)
    : agents_(agents), bus_(bus), eyeRays_(eyeRays) {
  for (const auto& agent : agents_) {
    agent->whenFree([this] { feed(); });
  }
}

void SharePool::trace(RayClass rayClass, std::span<const host::Ray> rays,
                      std::span<host::Hit> hits) {
  seen_ += rays.size();
  if (rayClass == RayClass::Eye) eyeSeen_ += rays.size();
  const auto lot = lots_.insert(lots_.end(), Lot{rayClass, rays, hits});
  enlist(rayClass);
  feed();
  bus_.awaitTask([&] { return lot->done(); }, "machines to answer rays");
  lots_.erase(lot);
}

// ---- who is there

std::size_t SharePool::open() const {
  std::size_t rays = 0;
  for (const Lot& lot : lots_) rays += lot.open();
  return rays;
}

/// What this picture is likely to ask for: what is open, and what eye rays that are left bring.
double SharePool::raysToCome() const {
  const auto eye = static_cast<double>(std::max<std::uint64_t>(eyeSeen_, 1));
  const auto left = static_cast<double>(eyeRays_) - static_cast<double>(eyeSeen_);
  // Before anything is known: a shadow ray for each eye ray.
  const double each = std::max(2.0, static_cast<double>(seen_) / eye);
  return static_cast<double>(open()) + std::max(0.0, left) * each;
}

/// Puts machines to work that are worth it for what is to come, the fastest first: the processor
/// can only set up one at a time, and a fast machine must not wait for the copies of a slow one.
/// Its first rays must take little of the time that is left: guesses are no better than that.
void SharePool::enlist(RayClass rayClass) {
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
        workers.empty() || setUp + first < kLittle * (commonEnd(workers, raysToCome()) - now);
    if (!agent->started() && !worth) continue;
    setUp += own;
    agent->begin(priority--);
    workers.push_back({agent->expectedStart(), agent->secondsPerRay(rayClass), agent->grain()});
  }
}

// ---- rays to machines

/// Rays for each machine. One whose needs are still a guess, and that is far slower than the
/// fastest, gets few until it has shown what it needs.
std::vector<std::size_t> SharePool::deal(RayClass rayClass, std::size_t rays) const {
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

/// Gives rays to machines that are free. One that would end after the others gets none, and is
/// asked again when there are more rays or another has ended.
void SharePool::feed() {
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    if (agents_[i]->free()) feed(i);
  }
}

void SharePool::feed(std::size_t agent) {
  const auto lot =
      std::find_if(lots_.begin(), lots_.end(), [](const Lot& l) { return l.open() > 0; });
  if (lot == lots_.end()) return;
  const RayClass rayClass = lot->rayClass;
  const std::size_t share = deal(rayClass, open())[agent];
  if (share == 0) return;
  // What a batch takes beside its rays must be little.
  constexpr double kLittle = 1.0 / 8;
  Agent& machine = *agents_[agent];
  const double least =
      machine.secondsPerBatch(rayClass) / machine.secondsPerRay(rayClass) / kLittle;
  give(machine, *lot,
       raysAtATime({.share = share,
                    .open = open(),
                    .lot = lot->open(),
                    .grain = machine.grain(),
                    .least = static_cast<std::size_t>(std::min(least, 1e9))}));
}

void SharePool::give(Agent& agent, Lot& lot, std::size_t rays) {
  lot.parts.push_back(
      {lot.rayClass, lot.rays.subspan(lot.given, rays), {}, lot.hits.subspan(lot.given, rays)});
  lot.given += rays;
  agent.submit(lot.parts.back());
}

}  // namespace rtvp::platform
