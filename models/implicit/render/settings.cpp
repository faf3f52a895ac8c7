// See settings.hpp.
#include "models/implicit/render/settings.hpp"

#include <cmath>

namespace rtvp::implicit::render {

Settings Settings::seedSource() {
  Settings s;
  s.mode = Mode::Seed;
  s.eps = 1e-4F;
  s.near = 0.01;
  s.compact = false;
  s.step_scale = 0.9F;
  s.stepping = Stepping::Plain;
  s.smooth_prune = false;
  s.trim = false;
  s.early_depth = false;
  s.front_to_back = false;
  s.exact_exit = false;
  s.front_faces = false;
  s.near_patch = false;
  s.carry = false;
  s.slopes = false;
  s.last_step = false;
  s.best_candidate = false;
  s.materials = false;
  s.normals = Normals::Forward;
  return s;
}

Settings Settings::seedReport() {
  Settings s = seedSource();
  s.eps = 1e-3F;
  return s;
}

Settings Settings::improved() {
  return {};
}

Settings Settings::brute() {
  Settings s;
  s.mode = Mode::Brute;
  s.stepping = Stepping::Plain;
  s.carry = false;
  s.slopes = false;
  s.last_step = false;
  s.best_candidate = false;
  return s;
}

std::string_view Settings::fault() const {
  if (!(eps > 0) || !std::isfinite(eps)) return "eps is not a number above 0";
  if (!(cone_scale >= 0) || !std::isfinite(cone_scale)) return "cone_scale is below 0";
  if (step_limit == 0 || slope_steps == 0) return "a step limit of 0";
  if (!(step_scale > 0 && step_scale <= 1)) return "step_scale does not lie in (0, 1]";
  if (stepping == Stepping::Relaxed && !(relaxation >= 1 && relaxation < 2))
    return "relaxation does not lie in [1, 2)";
  if (stepping == Stepping::Planar && !(relaxation >= 0 && relaxation <= 1))
    return "relaxation of planar steps does not lie in [0, 1]";
  if (compact && (mode == Mode::Seed || !smooth_prune))
    return "compact programs: not for mode=seed, and smooth selections are decided";
  if (!(near > 0) || !std::isfinite(near)) return "the near plane does not lie before the eye";
  return {};
}

}  // namespace rtvp::implicit::render
