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

bool Pipeline::traceLeaf(const Placed& placed, std::uint32_t leaf, const ObjectRay& ray, Span span,
                         Walk& walk, TraceEvent& event, HitRecord& record, double& t) {
  const Leaf& here = placed.hull->leaves[leaf];
  const Trace result =
      trace(*placed.object, *placed.hull, here.code, here.box, ray, span, settings_, walk);
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
  t = result.t;
  return result.outcome == Outcome::Hit || result.candidate;
}

void Pipeline::shade(const Placed& placed, std::uint32_t object, std::uint32_t leaf,
                     const ObjectRay& ray, double t, std::uint32_t target, HitRecord& record) {
  const Leaf& here = placed.hull->leaves[leaf];
  Vec point = add(ray.origin, scaled(ray.direction, t));
  if (settings_.exact_exit)
    for (unsigned n = 0; n < 3; ++n)
      point[n] = std::clamp(point[n], double{here.box.min[n]}, double{here.box.max[n]});
  const NormalResult normal = normalAt(*placed.hull, leaf, point, settings_);
  const Vec world = unit(placed.object->toObject().transposed(normal.normal));
  for (unsigned n = 0; n < 3; ++n) record.normal[n] = static_cast<float>(world[n]);
  ShadeEvent event;
  event.object = object;
  event.target = target;
  event.normal_evaluations = normal.evaluations;
  event.normal_code = normal.code;
  counters_.normal_evaluations += normal.evaluations;
  count(placed.hull->codes[normal.code], normal.evaluations);
  if (settings_.materials && placed.object->tape() != nullptr) {
    const Code& code = placed.hull->codes[here.code];
    const Tape& tape = *placed.object->tape();
    const MaterialResult material = materialAt(
        tape, code.mask ? *code.mask : Mask(tape.size()),
        {static_cast<float>(point[0]), static_cast<float>(point[1]), static_cast<float>(point[2])});
    record.shape = material.shape;
    record.material = material.words;
    event.material_evaluations = 1;
    event.material_code = here.code;
    ++counters_.material_evaluations;
    count(code, 1);
  }
  record.evaluations += event.normal_evaluations + event.material_evaluations;
  observer_.shade(event);
}

double Pipeline::sideValue(const Placed& placed, std::uint32_t object, const Vec& point,
                           std::uint32_t target) {
  const Code& whole = placed.hull->codes[0];
  ++counters_.side_evaluations;
  count(whole, 1);
  observer_.side(object, target);
  return double{whole.valueAt(point)};
}

}  // namespace rtvp::implicit::render
