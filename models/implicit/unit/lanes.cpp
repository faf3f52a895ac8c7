// See lanes.hpp.
#include "models/implicit/unit/lanes.hpp"

#include <algorithm>

namespace rtvp::implicit::unit {

void addRuns(Warp& warp, const std::vector<LaneWork>& lanes, const Timing& timing,
             std::uint32_t extra) {
  struct Group {
    const LaneWork* work = nullptr;
    std::uint32_t most = 0;
    std::uint64_t sum = 0;
  };
  std::vector<Group> groups;  // in the order of the first lane that wants them
  for (const LaneWork& lane : lanes) {
    if (lane.evaluations == 0) continue;
    const auto same = [&](const Group& g) {
      return g.work->object == lane.object && g.work->code == lane.code &&
             g.work->flavour == lane.flavour;
    };
    auto it = std::find_if(groups.begin(), groups.end(), same);
    if (it == groups.end()) it = groups.insert(groups.end(), {&lane, 0, 0});
    it->most = std::max(it->most, lane.evaluations);
    it->sum += lane.evaluations;
  }
  for (const Group& g : groups) {
    warp.runs.push_back(
        {&g.work->object->plan(g.work->code, g.work->flavour, timing), g.most, extra});
    warp.idle_lanes += std::uint64_t{g.most} * timing.lanes - g.sum;
  }
}

void SetupReads::add(const LoadedObject& object, std::uint32_t leaf, std::uint32_t code) {
  const render::Hull& hull = object.hull();
  const render::Leaf& here = hull.leaves.at(leaf);
  const Region* region = nullptr;
  if (code == here.code) {
    region = object.leafRegion(here.number);
  } else if (hull.codes.at(code).mask && !hull.tasks.empty() &&
             hull.tasks.at(here.task).code == code) {
    const render::TaskCell& task = hull.tasks[here.task];
    region = object.taskRegion(task.group * render::kGroup + task.lane);
  }
  if (region != nullptr) regions_.insert({region->first, region});
}

void SetupReads::addSlope(const LoadedObject& object, std::uint32_t leaf) {
  const Region* const region = object.slopeRegion(object.hull().leaves.at(leaf).number);
  if (region != nullptr) regions_.insert({region->first, region});
}

void SetupReads::moveInto(Warp& warp) {
  for (const auto& [address, region] : regions_)
    warp.setup.push_back(
        {CacheKind::Leaves, region, address, static_cast<std::uint32_t>(region->copy.size()), 0});
  regions_.clear();
}

std::vector<PixelRange> rangesOf(std::vector<std::uint32_t>& targets, std::uint32_t width) {
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  std::vector<PixelRange> out;
  for (const std::uint32_t target : targets) {
    const bool follows =
        !out.empty() && target == out.back().first + out.back().count && target % width != 0;
    if (follows) {
      ++out.back().count;
    } else {
      out.push_back({target, 1});
    }
  }
  targets.clear();
  return out;
}

}  // namespace rtvp::implicit::unit
