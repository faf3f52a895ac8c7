// See batch.hpp.
#include "models/implicit/render/batch.hpp"

#include <algorithm>

namespace rtvp::implicit::render {

void PointBatch::clear() {
  x_.clear();
  y_.clear();
  z_.clear();
}

void PointBatch::add(const std::array<float, 3>& point) {
  x_.push_back(point[0]);
  y_.push_back(point[1]);
  z_.push_back(point[2]);
}

std::span<const float> PointBatch::run(const Code& code) {
  f_.resize(x_.size());
  evaluator_.points(*code.program, x_, y_, z_, f_);
  return f_;
}

std::span<const registers::Gradient> PointBatch::runGradients(const Code& code) {
  gradients_.resize(x_.size());
  evaluator_.gradients(*code.program, x_, y_, z_, gradients_);
  return gradients_;
}

void PointBatch::trace(const Code& code, std::vector<Tracer*>& tracers, std::size_t fewest) {
  std::erase_if(tracers, [](const Tracer* tracer) { return tracer->done(); });
  if (tracers.empty()) return;
  if (!tracers.front()->sloped()) return lanes_.run(evaluator_, *code.program, tracers, fewest);
  while (!tracers.empty()) {
    clear();
    for (const Tracer* const tracer : tracers) add(tracer->point());
    const std::span<const float> f = run(code);
    for (std::size_t n = 0; n < tracers.size(); ++n) tracers[n]->take(f[n]);
    std::erase_if(tracers, [](const Tracer* tracer) { return tracer->done(); });
    if (tracers.size() < fewest) return;
  }
}

void PointBatch::trace(const Evaluation& what, std::span<Tracer> tracers,
                       std::span<const std::uint32_t> targets) {
  if (watch_ == nullptr) {
    pointers_.clear();
    for (Tracer& tracer : tracers) pointers_.push_back(&tracer);
    return trace(*what.code, pointers_);
  }
  active_.clear();
  for (std::size_t n = 0; n < tracers.size(); ++n)
    if (!tracers[n].done()) active_.push_back(n);
  while (!active_.empty()) {
    clear();
    for (const std::size_t n : active_) add(tracers[n].point());
    const bool apart = watch_->apart(what, active_.size());
    if (!apart) watch_->passed(what, active_.size());
    const std::span<const float> f = apart ? runApart(what, tracers, targets) : run(*what.code);
    std::size_t left = 0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const std::size_t n = active_[k];
      tracers[n].take(f[k]);
      if (!tracers[n].done()) active_[left++] = n;
    }
    active_.resize(left);
  }
}

/// f at the samples of active_, one after the other.
std::span<const float> PointBatch::runApart(const Evaluation& what, std::span<Tracer> tracers,
                                            std::span<const std::uint32_t> targets) {
  f_.resize(x_.size());
  Evaluation each = what;
  for (std::size_t k = 0; k < active_.size(); ++k) {
    each.target = targets[active_[k]];
    each.sample = tracers[active_[k]].result().evaluations;
    f_[k] = valueAt(watch_, each, {x_[k], y_[k], z_[k]});
  }
  return f_;
}

std::vector<NormalStencil> PointBatch::stencils(const Hull& hull, std::uint32_t leaf,
                                                std::span<const Vec> hits, const Settings& settings,
                                                const Evaluation& what,
                                                std::span<const std::uint32_t> targets) {
  std::vector<NormalStencil> out;
  if (settings.normals != Normals::Derivative) {
    for (const Vec& hit : hits) out.push_back(stencilAt(hull, leaf, hit, settings));
    return out;
  }
  Evaluation each = what;
  each.phase = Phase::Gradient;
  clear();
  for (const Vec& hit : hits) add(singleOf(hit));
  const std::span<const registers::Gradient> found =
      watch_ == nullptr ? runGradients(*what.code) : std::span<const registers::Gradient>();
  for (std::size_t n = 0; n < hits.size(); ++n) {
    each.target = targets[n];
    const registers::Gradient here =
        watch_ == nullptr ? found[n] : gradientAt(watch_, each, singleOf(hits[n]));
    out.push_back(stencilAt(hull, leaf, hits[n], settings, &here));
  }
  return out;
}

std::vector<Vec> PointBatch::normals(const Hull& hull, const Evaluation& what,
                                     std::span<const NormalStencil> stencils,
                                     std::span<const std::uint32_t> targets) {
  std::vector<Vec> out(stencils.size());
  for (std::size_t n = 0; n < stencils.size(); ++n) out[n] = stencils[n].found;
  std::vector<std::uint32_t> codes;
  for (const NormalStencil& stencil : stencils)
    if (stencil.due && std::find(codes.begin(), codes.end(), stencil.code) == codes.end())
      codes.push_back(stencil.code);
  for (const std::uint32_t code : codes) {
    Evaluation here = what;
    here.phase = Phase::Normal;
    here.number = code;
    here.code = &hull.codes[code];
    const std::span<const float> f = corners(here, stencils, targets);
    std::size_t at = 0;
    for (std::size_t n = 0; n < stencils.size(); ++n) {
      if (!stencils[n].due || stencils[n].code != code) continue;
      out[n] = stencils[n].normal({f[at], f[at + 1], f[at + 2], f[at + 3]});
      at += 4;
    }
  }
  return out;
}

/// f at the corners of the stencils with that code.
std::span<const float> PointBatch::corners(const Evaluation& what,
                                           std::span<const NormalStencil> stencils,
                                           std::span<const std::uint32_t> targets) {
  clear();
  active_.clear();
  for (std::size_t n = 0; n < stencils.size(); ++n) {
    if (!stencils[n].due || stencils[n].code != what.number) continue;
    for (const Vec& p : stencils[n].point) add(singleOf(p));
    active_.push_back(n);
  }
  if (watch_ == nullptr) return run(*what.code);
  if (!watch_->apart(what, x_.size())) {
    watch_->passed(what, x_.size());
    return run(*what.code);
  }
  f_.resize(x_.size());
  Evaluation each = what;
  for (std::size_t n = 0; n < x_.size(); ++n) {
    each.target = targets[active_[n / 4]];
    each.sample = static_cast<std::uint32_t>(n % 4);
    f_[n] = valueAt(watch_, each, {x_[n], y_[n], z_[n]});
  }
  return f_;
}

}  // namespace rtvp::implicit::render
