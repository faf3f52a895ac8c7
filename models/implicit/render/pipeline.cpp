// See pipeline.hpp.
#include "models/implicit/render/pipeline.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace rtvp::implicit::render {

void requireValid(const Settings& settings) {
  if (const auto fault = settings.fault(); !fault.empty())
    throw std::invalid_argument(std::string(fault));
}

void Pipeline::count(const Code& code, std::uint64_t evaluations) {
  counters_.executed += evaluations * code.executed;
  counters_.skipped += evaluations * code.skipped;
}

bool Pipeline::account(const Placed& placed, std::uint32_t leaf, const Trace& result,
                       TraceEvent& event, HitRecord& record) {
  const Leaf& here = placed.hull->leaves[leaf];
  event.outcome = result.outcome;
  event.evaluations = result.evaluations;
  event.code = here.code;
  record.evaluations += result.evaluations;
  record.capped |= result.outcome == Outcome::Capped;
  record.undefined |= result.outcome == Outcome::Undefined;
  const Code& code = placed.hull->codes[here.code];
  ++counters_.traces;
  counters_.trace_evaluations += result.evaluations;
  counters_.trace_executed += std::uint64_t{result.evaluations} * code.executed;
  count(code, result.evaluations);
  counters_.overshoots += result.overshoot ? 1U : 0U;
  ++counters_.steps[std::min(result.evaluations, kSteps - 1)];
  switch (result.outcome) {
    case Outcome::Miss:
      ++counters_.misses;
      break;
    case Outcome::Hit:
      ++counters_.hits;
      break;
    case Outcome::Capped:
      ++counters_.capped;
      break;
    case Outcome::Undefined:
      ++counters_.undefined;
      break;
  }
  return result.outcome == Outcome::Hit || result.candidate;
}

Vec Pipeline::hitPoint(const Leaf& leaf, const ObjectRay& ray, double t) const {
  Vec point = add(ray.origin, scaled(ray.direction, t));
  if (!settings_.exact_exit) return point;
  for (unsigned n = 0; n < 3; ++n)
    point[n] = std::clamp(point[n], double{leaf.box.min[n]}, double{leaf.box.max[n]});
  return point;
}

/// An instruction counts once, whether it carries derivatives or not.
void Pipeline::countNormal(const Hull& hull, std::uint32_t code, const NormalStencil& stencil,
                           ShadeEvent& event) {
  event.gradient_evaluations = stencil.gradient ? 1 : 0;
  event.gradient_code = code;
  event.normal_evaluations = stencil.evaluations();
  event.normal_code = stencil.code;
  counters_.normal_evaluations += event.gradient_evaluations + event.normal_evaluations;
  counters_.gradient_evaluations += event.gradient_evaluations;
  counters_.gradient_fallbacks += stencil.gradient && stencil.due ? 1U : 0U;
  counters_.gradient_executed +=
      std::uint64_t{event.gradient_evaluations} * hull.codes[code].executed;
  count(hull.codes[code], event.gradient_evaluations);
  count(hull.codes[stencil.code], event.normal_evaluations);
}

void Pipeline::shade(const Placed& placed, std::uint32_t object, std::uint32_t leaf,
                     const Vec& point, const NormalStencil& stencil, const Vec& normal,
                     std::uint32_t target, HitRecord& record) {
  const Leaf& here = placed.hull->leaves[leaf];
  const Vec world = unit(placed.object->toObject().transposed(normal));
  record.normal = singleOf(world);
  ShadeEvent event;
  event.object = object;
  event.target = target;
  countNormal(*placed.hull, here.code, stencil, event);
  if (settings_.materials && placed.object->tape() != nullptr) {
    const Code& code = placed.hull->codes[here.code];
    const Tape& tape = *placed.object->tape();
    Evaluation what = evaluation(placed, object, leaf, target);
    what.phase = Phase::Material;
    const MaterialResult material =
        materialAt(tape, code.mask ? *code.mask : Mask(tape.size()), singleOf(point),
                   watch() == nullptr ? nullptr : watch()->begins(what));
    record.shape = material.shape;
    record.material = material.words;
    event.material_evaluations = 1;
    event.material_code = here.code;
    ++counters_.material_evaluations;
    count(code, 1);
  }
  record.evaluations +=
      event.gradient_evaluations + event.normal_evaluations + event.material_evaluations;
  observer_.shade(event);
}

void Pipeline::countSide(const Placed& placed, std::uint32_t object, std::uint32_t target) {
  ++counters_.side_evaluations;
  count(placed.hull->codes[0], 1);
  observer_.side(object, target);
}

Evaluation Pipeline::sideOf(const Placed& placed, std::uint32_t object, std::uint32_t target) {
  Evaluation what;
  what.phase = Phase::Side;
  what.object = object;
  what.target = target;
  what.tape = placed.object->tape();
  what.code = &placed.hull->codes[0];
  return what;
}

double Pipeline::sideValue(const Placed& placed, std::uint32_t object, const Vec& point,
                           std::uint32_t target) {
  countSide(placed, object, target);
  return double{valueAt(watch(), sideOf(placed, object, target), singleOf(point))};
}

Evaluation Pipeline::evaluation(const Placed& placed, std::uint32_t object, std::uint32_t leaf,
                                std::uint32_t target) {
  const Leaf& here = placed.hull->leaves[leaf];
  Evaluation what;
  what.phase = Phase::Trace;
  what.object = object;
  what.cell = here.number;
  what.target = target;
  what.number = here.code;
  what.tape = placed.object->tape();
  what.code = &placed.hull->codes[here.code];
  return what;
}

}  // namespace rtvp::implicit::render
