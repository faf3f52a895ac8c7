// See ray_stage.hpp.
#include "models/implicit/unit/ray_stage.hpp"

#include <algorithm>
#include <utility>

namespace rtvp::implicit::unit {

void RayStage::begin(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
  warp_ = {};
  warp_.ready = clock_;
  warp_.start = timing_.warp_start;
  warp_.move(warp_.before, Traffic::Rays, false, address, bytes);
}

void RayStage::ray() {
  begins_.push_back(lanes_.size());
}

void RayStage::trace(const render::TraceEvent& event) {
  LoadedObject& object = *objects_[event.object];
  lanes_.push_back({&object, event.code, Flavour::Point, event.evaluations});
  reads_.add(object, event.leaf, event.code);
  reads_.addSlope(object, event.leaf);
  if (event.nearest) leaf_ = event.leaf;
}

void RayStage::side(std::uint32_t object, std::uint32_t) {
  lanes_.push_back({objects_[object], 0, Flavour::Point, 1});
}

void RayStage::shade(const render::ShadeEvent& event) {
  LoadedObject& object = *objects_[event.object];
  if (event.gradient_evaluations != 0) {
    reads_.add(object, leaf_, event.gradient_code);
    gradients_.push_back(
        {&object, event.gradient_code, Flavour::Gradient, event.gradient_evaluations});
  }
  if (event.normal_evaluations != 0) {
    reads_.add(object, leaf_, event.normal_code);
    normals_.push_back({&object, event.normal_code, Flavour::Point, event.normal_evaluations});
  }
  if (event.material_evaluations != 0)
    materials_.push_back(
        {&object, event.material_code, Flavour::Material, event.material_evaluations});
}

void RayStage::record(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  warp_.move(warp_.after, Traffic::Hits, true, address, bytes);
}

void RayStage::finish() {
  begins_.push_back(lanes_.size());
  std::size_t steps = 0;
  for (std::size_t n = 1; n < begins_.size(); ++n)
    steps = std::max(steps, begins_[n] - begins_[n - 1]);
  for (std::size_t step = 0; step < steps; ++step) {
    step_.clear();
    for (std::size_t n = 1; n < begins_.size(); ++n)
      if (begins_[n - 1] + step < begins_[n]) step_.push_back(lanes_[begins_[n - 1] + step]);
    addRuns(warp_, step_, timing_, timing_.step);
  }
  addRuns(warp_, gradients_, timing_, 0);
  addRuns(warp_, normals_, timing_, 0);
  addRuns(warp_, materials_, timing_, 0);
  reads_.moveInto(warp_);
  lanes_.clear();
  begins_.clear();
  gradients_.clear();
  normals_.clear();
  materials_.clear();
  cores_.push(std::exchange(warp_, {}));
}

}  // namespace rtvp::implicit::unit
