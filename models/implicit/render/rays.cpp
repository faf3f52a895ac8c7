// See frame.hpp: rays of a list, one at a time.
#include <algorithm>

#include "models/implicit/render/frame.hpp"
#include "models/implicit/render/ray_pass.hpp"

namespace rtvp::implicit::render {
namespace {

/// To its end.
void trace(Tracer& tracer, Evaluation what, const Settings& settings, EvaluationWatch* watch) {
  const registers::Program& program = *what.code->program;
  if (watch == nullptr) {
    while (!tracer.done()) tracer.take(registers::evaluate(program, tracer.point()));
    return;
  }
  const bool apart = watch->apart(what, std::max(settings.step_limit, settings.slope_steps));
  for (; !tracer.done(); ++what.sample)
    tracer.take(apart ? valueAt(watch, what, tracer.point())
                      : registers::evaluate(program, tracer.point()));
  if (!apart) watch->passed(what, what.sample);
}

std::array<float, 4> corners(const NormalStencil& stencil, Evaluation what,
                             EvaluationWatch* watch) {
  std::array<float, 4> f{};
  for (unsigned n = 0; n < stencil.evaluations(); ++n) {
    what.sample = n;
    f[n] = valueAt(watch, what, singleOf(stencil.point[n]));
  }
  return f;
}

}  // namespace

HitRecord traceRay(std::span<const Placed> objects, const WorldRay& ray, const Settings& settings,
                   Counters& counters, Observer& observer, std::uint32_t number) {
  requireValid(settings);
  ++counters.rays;
  EvaluationWatch* const watch = observer.watch();
  RayPass pass(objects, settings, counters, observer, ray, number);
  pass.start();
  for (;;) {
    switch (pass.due()) {
      case RayPass::Due::Side:
        pass.takeSide(valueAt(watch, pass.evaluation(), pass.point()));
        break;
      case RayPass::Due::Trace:
        trace(pass.tracer(), pass.evaluation(), settings, watch);
        pass.traced();
        break;
      case RayPass::Due::Gradient:
        pass.takeGradient(gradientAt(watch, pass.evaluation(), pass.point()));
        break;
      case RayPass::Due::Normal:
        pass.takeNormal(corners(pass.stencil(), pass.evaluation(), watch));
        break;
      case RayPass::Due::Nothing:
        return pass.record();
    }
  }
}

HitRecord traceRay(std::span<const Placed> objects, const WorldRay& ray, const Settings& settings,
                   Counters& counters) {
  Observer silent;
  return traceRay(objects, ray, settings, counters, silent);
}

}  // namespace rtvp::implicit::render
