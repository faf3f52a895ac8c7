// See lanes.hpp.
#include "models/implicit/unit/lanes.hpp"

#include <algorithm>

namespace rtvp::implicit::unit {

void addRuns(Warp& warp, std::span<const LaneWork> lanes, const Timing& timing,
             std::uint32_t extra) {
  // Groups are runs that the warp gets, in the order of the first lane that wants them. Invariant:
  // lanes of one object, code and flavour have one plan, so a lane like the one before needs no
  // look at its plan and belongs to the same run.
  const std::size_t first = warp.runs.size();
  std::uint64_t sum = 0;
  const LaneWork* before = nullptr;  // the lane before, whose group is `run`
  std::size_t run = first;
  for (const LaneWork& lane : lanes) {
    if (lane.evaluations == 0) continue;
    sum += lane.evaluations;
    if (before == nullptr || before->object != lane.object || before->code != lane.code ||
        before->flavour != lane.flavour) {
      const Plan* const plan = &lane.object->plan(lane.code, lane.flavour, timing);
      for (run = first; run < warp.runs.size() && warp.runs[run].plan != plan;) ++run;
      if (run == warp.runs.size()) warp.runs.push_back({plan, 0, extra});
      before = &lane;
    }
    warp.runs[run].evaluations = std::max(warp.runs[run].evaluations, lane.evaluations);
  }
  std::uint64_t most = 0;
  for (std::size_t n = first; n < warp.runs.size(); ++n) most += warp.runs[n].evaluations;
  warp.idle_lanes += most * timing.lanes - sum;
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
  insert(region);
}

void SetupReads::addSlope(const LoadedObject& object, std::uint32_t leaf) {
  insert(object.slopeRegion(object.hull().leaves.at(leaf).number));
}

void SetupReads::insert(const Region* region) {
  if (region == nullptr) return;
  const Region*& seen = seen_[(region->first / 8) % seen_.size()];
  if (seen == region) return;
  seen = region;
  regions_.emplace_back(region->first, region);
}

void SetupReads::moveInto(Warp& warp) {
  std::sort(regions_.begin(), regions_.end());
  regions_.erase(std::unique(regions_.begin(), regions_.end()), regions_.end());
  for (const auto& [address, region] : regions_) {
    seen_[(address / 8) % seen_.size()] = nullptr;
    warp.setup.push_back(
        {CacheKind::Leaves, region, address, static_cast<std::uint32_t>(region->copy.size()), 0});
  }
  regions_.clear();
}

std::span<const PixelRange> PixelRanges::take() {
  const auto before = [](const PixelRange& a, const PixelRange& b) { return a.first < b.first; };
  if (!std::is_sorted(ranges_.begin(), ranges_.end(), before))
    std::sort(ranges_.begin(), ranges_.end(), before);
  out_.clear();
  std::uint32_t end = 0;  // of the last one
  for (const PixelRange& range : ranges_) {
    const std::uint32_t range_end = range.first + range.count;
    const bool within = !out_.empty() && range.first < end;
    const bool follows = !out_.empty() && range.first == end && range.first % width_ != 0;
    if (within || follows) {
      end = std::max(end, range_end);
      out_.back().count = end - out_.back().first;
    } else {
      out_.push_back(range);
      end = range_end;
    }
  }
  ranges_.clear();
  return out_;
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
