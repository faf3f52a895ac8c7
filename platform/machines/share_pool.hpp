// `--assign share`: open rays, and machines that fetch some of them whenever they are free. A
// machine gets no more at a time than half of what it should do of all that is open, so that what
// is found out meanwhile still counts and all machines end together.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "platform/drivers/host_process.hpp"
#include "platform/machines/agent.hpp"
#include "platform/machines/policy.hpp"
#include "platform/raytree/hit_finder.hpp"

namespace rtvp::platform {

class SharePool {
 public:
  /// Keeps references; the agents outlive the pool. `eyeRays`: of the picture.
  SharePool(std::vector<std::unique_ptr<Agent>>& agents, std::uint64_t eyeRays, host::HostBus& bus);

  /// Returns when machines have answered all `rays`; other tasks can come with theirs meanwhile.
  void trace(RayClass rayClass, std::span<const host::Ray> rays, std::span<host::Hit> hits);
  /// For checkpoints, with no rays open.
  void state(common::StateArchive& a);

 private:
  /// Rays of one call.
  struct Lot {
    RayClass rayClass;
    std::span<const host::Ray> rays;
    std::span<host::Hit> hits;
    std::size_t given = 0;
    std::deque<Batch> parts = {};  ///< agents keep addresses
    [[nodiscard]] std::size_t open() const { return rays.size() - given; }
    [[nodiscard]] bool done() const;
  };

  void feed();
  void feed(std::size_t agent);
  void give(Agent& agent, Lot& lot, std::size_t rays);
  void enlist(RayClass rayClass);
  [[nodiscard]] std::vector<std::size_t> deal(RayClass rayClass, std::size_t rays) const;
  [[nodiscard]] std::size_t open() const;
  [[nodiscard]] double raysToCome() const;

  std::vector<std::unique_ptr<Agent>>& agents_;
  host::HostBus& bus_;
  const std::uint64_t eyeRays_;
  std::uint64_t seen_ = 0, eyeSeen_ = 0;
  std::list<Lot> lots_;  ///< oldest first
};

}  // namespace rtvp::platform
