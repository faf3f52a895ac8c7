// See counters.hpp.
#include "models/implicit/render/counters.hpp"

namespace rtvp::implicit::render {
namespace {

void addTo(CellCounters& a, const CellCounters& b) {
  a.tested += b.tested;
  a.outside += b.outside;
  a.inside += b.inside;
  a.ambiguous += b.ambiguous;
  a.undefined += b.undefined;
  a.executed += b.executed;
  a.skipped += b.skipped;
  a.decided += b.decided;
}

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
  addTo(task, other.task);
  addTo(mesh, other.mesh);
  addTo(trim, other.trim);
  for (const auto field : {&Counters::slope_tested,
                           &Counters::slope_unbounded,
                           &Counters::slope_executed,
                           &Counters::overshoots,
                           &Counters::programs,
                           &Counters::mask_bytes,
                           &Counters::program_bytes,
                           &Counters::faces,
                           &Counters::fragments,
                           &Counters::early_rejects,
                           &Counters::carried,
                           &Counters::rays,
                           &Counters::ray_leaves,
                           &Counters::traces,
                           &Counters::hits,
                           &Counters::misses,
                           &Counters::capped,
                           &Counters::undefined,
                           &Counters::depth_rejects,
                           &Counters::covered,
                           &Counters::trace_evaluations,
                           &Counters::normal_evaluations,
                           &Counters::gradient_evaluations,
                           &Counters::gradient_fallbacks,
                           &Counters::material_evaluations,
                           &Counters::side_evaluations,
                           &Counters::executed,
                           &Counters::trace_executed,
                           &Counters::gradient_executed,
                           &Counters::skipped})
    this->*field += other.*field;
  for (unsigned n = 0; n < kSteps; ++n) steps[n] += other.steps[n];
  return *this;
}

}  // namespace rtvp::implicit::render
