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

void PointBatch::trace(const Code& code, std::span<Tracer> tracers) {
  active_.clear();
  for (std::size_t n = 0; n < tracers.size(); ++n)
    if (!tracers[n].done()) active_.push_back(n);
  while (!active_.empty()) {
    clear();
    for (const std::size_t n : active_) add(tracers[n].point());
    const std::span<const float> f = run(code);
    std::size_t left = 0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const std::size_t n = active_[k];
      tracers[n].take(f[k]);
      if (!tracers[n].done()) active_[left++] = n;
    }
    active_.resize(left);
  }
}

std::vector<Vec> PointBatch::normals(const Hull& hull, std::span<const NormalStencil> stencils) {
  std::vector<Vec> out(stencils.size());
  for (std::size_t n = 0; n < stencils.size(); ++n) out[n] = stencils[n].found;
  std::vector<std::uint32_t> codes;
  for (const NormalStencil& stencil : stencils)
    if (stencil.due && std::find(codes.begin(), codes.end(), stencil.code) == codes.end())
      codes.push_back(stencil.code);
  for (const std::uint32_t code : codes) {
    clear();
    for (const NormalStencil& stencil : stencils)
      if (stencil.due && stencil.code == code)
        for (const Vec& p : stencil.point) add(singleOf(p));
    const std::span<const float> f = run(hull.codes[code]);
    std::size_t at = 0;
    for (std::size_t n = 0; n < stencils.size(); ++n) {
      if (!stencils[n].due || stencils[n].code != code) continue;
      out[n] = stencils[n].normal({f[at], f[at + 1], f[at + 2], f[at + 3]});
      at += 4;
    }
  }
  return out;
}

}  // namespace rtvp::implicit::render
