// See ray_progress.hpp.
#include "platform/raytree/ray_progress.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/common/core/state.hpp"

namespace rtvp::host {
namespace {

// Of the rays of usual pictures: most of them show things and little background.
constexpr double kHits = 0.6;

}  // namespace

RayProgress::RayProgress(const scene::Scene& scene, int depth, std::uint64_t eyeRays,
                         ProgressFn sink)
    : sink_(std::move(sink)),
      eyeLeft_(static_cast<double>(eyeRays)),
      queued_(static_cast<std::size_t>(std::max(depth, 1)) + 1),
      flying_(queued_.size()) {
  shadows_.first = kHits * static_cast<double>(scene.lights.size());
  double next = 0;
  for (const scene::Element& element : scene.elements) {
    const scene::Material& material = scene.materials[element.material];
    next += (material.reflect != 0 ? 1 : 0) + (material.ktrans != 0 ? 1 : 0);
  }
  if (!scene.elements.empty()) {
    children_.first = kHits * next / static_cast<double>(scene.elements.size());
  }
}

void RayProgress::begin(std::size_t generation, std::uint64_t rays) {
  const auto count = static_cast<double>(rays);
  double& from = generation == 0 ? eyeLeft_ : queued_.at(generation);
  from = std::max(0.0, from - count);
  flying_.at(generation) += count;
}

void RayProgress::followed(std::size_t generation, std::uint64_t rays, std::uint64_t shadows,
                           std::uint64_t children) {
  const auto count = static_cast<double>(rays);
  flying_.at(generation) = std::max(0.0, flying_.at(generation) - count);
  shadowsDue_ += static_cast<double>(shadows);
  if (generation + 2 < queued_.size()) {
    queued_[generation + 1] += static_cast<double>(children);
    children_.seen += static_cast<double>(children);
    children_.of += count;
  }
  shadows_.seen += static_cast<double>(shadows);
  shadows_.of += count;
  answered_ += rays;
  ahead_ -= std::min(ahead_, rays);
  tell();
}

void RayProgress::unsent(std::uint64_t shadows) {
  const auto count = static_cast<double>(shadows);
  shadowsDue_ = std::max(0.0, shadowsDue_ - count);
  shadows_.seen = std::max(0.0, shadows_.seen - count);
}

void RayProgress::shadows(std::uint64_t rays) {
  shadowsDue_ = std::max(0.0, shadowsDue_ - static_cast<double>(rays));
  answered_ += rays;
  ahead_ -= std::min(ahead_, rays);
  tell();
}

void RayProgress::machine(std::uint64_t rays) {
  if (rays <= answered_) return;
  ahead_ = rays - answered_;
  tell();
}

std::vector<double> RayProgress::worth() const {
  std::vector<double> list(queued_.size());
  // The last generation has no children; the entry behind it is worth nothing.
  for (std::size_t g = list.size() - 1; g-- > 0;) {
    list[g] = 1 + shadows_.value() + (g + 2 < list.size() ? children_.value() * list[g + 1] : 0);
  }
  return list;
}

double RayProgress::toCome() const {
  const std::vector<double> each = worth();
  double rays = eyeLeft_ * each.front() + shadowsDue_;
  for (std::size_t g = 0; g < each.size(); ++g) rays += (queued_[g] + flying_[g]) * each[g];
  return rays;
}

std::uint64_t RayProgress::done() const {
  const auto left = static_cast<std::uint64_t>(std::max(0.0, std::floor(toCome())));
  return answered_ + std::min(ahead_, left);
}

std::uint64_t RayProgress::total() const {
  return answered_ + static_cast<std::uint64_t>(std::llround(toCome()));
}

void RayProgress::tell() const {
  if (sink_) sink_(done(), std::max(done(), total()));
}

void RayProgress::state(common::StateArchive& a) {
  for (Rate* const rate : {&shadows_, &children_}) a(rate->first, rate->seen, rate->of);
  a(eyeLeft_);
  a.sized(queued_);
  a.sized(flying_);
  a(shadowsDue_, answered_, ahead_);
}

}  // namespace rtvp::host
