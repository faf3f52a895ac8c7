// Counters and statistics of the unit, see implicit_unit.hpp.
#include <algorithm>

#include "models/implicit/unit/implicit_unit.hpp"

namespace rtvp::implicit::unit {
namespace {

CoreCounters sumOf(const EngineTotals& totals) {
  CoreCounters sum;
  for (const CoreCounters& core : totals.cores) sum += core;
  return sum;
}

/// A counter of the whole run. Clocks that depend on the time of asking are not here.
std::uint64_t valueOf(Counter counter, const EngineTotals& t, std::uint32_t step) {
  const CoreCounters core = sumOf(t);
  const render::Counters& c = t.counters;
  if (counter >= Counter::BytesOpcodes && counter <= Counter::BytesJobs) {
    const auto kind =
        static_cast<std::size_t>(counter) - static_cast<std::size_t>(Counter::BytesOpcodes);
    return t.traffic[kind].bytes;
  }
  switch (counter) {
    case Counter::CyclesBusy:
      return core.busy;
    case Counter::CyclesFetch:
      return core.fetch;
    case Counter::CyclesConstant:
      return core.constant;
    case Counter::CyclesLeaf:
      return core.leaf;
    case Counter::CyclesData:
      return core.data;
    case Counter::CyclesPort:
      return core.port;
    case Counter::Jobs:
      return t.jobs;
    case Counter::Faults:
      return t.faults;
    case Counter::TaskTested:
      return c.task.tested;
    case Counter::TaskOutside:
      return c.task.outside;
    case Counter::TaskInside:
      return c.task.inside;
    case Counter::TaskKept:
      return c.task.ambiguous;
    case Counter::TaskUndefined:
      return c.task.undefined;
    case Counter::TaskExecuted:
      return c.task.executed;
    case Counter::TaskSkipped:
      return c.task.skipped;
    case Counter::TaskDecided:
      return c.task.decided;
    case Counter::MeshTested:
      return c.mesh.tested;
    case Counter::MeshOutside:
      return c.mesh.outside;
    case Counter::MeshInside:
      return c.mesh.inside;
    case Counter::MeshKept:
      return c.mesh.ambiguous;
    case Counter::MeshUndefined:
      return c.mesh.undefined;
    case Counter::MeshExecuted:
      return c.mesh.executed;
    case Counter::MeshSkipped:
      return c.mesh.skipped;
    case Counter::MeshDecided:
      return c.mesh.decided;
    case Counter::TrimTested:
      return c.trim.tested;
    case Counter::TrimKept:
      return c.trim.ambiguous;
    case Counter::TrimExecuted:
      return c.trim.executed;
    case Counter::Programs:
      return c.programs;
    case Counter::MaskBytes:
      return c.mask_bytes;
    case Counter::ProgramBytes:
      return c.program_bytes;
    case Counter::Faces:
      return c.faces;
    case Counter::Fragments:
      return c.fragments;
    case Counter::EarlyRejects:
      return c.early_rejects;
    case Counter::Carried:
      return c.carried;
    case Counter::Rays:
      return c.rays;
    case Counter::RayLeaves:
      return c.ray_leaves;
    case Counter::Traces:
      return c.traces;
    case Counter::Hits:
      return c.hits;
    case Counter::Misses:
      return c.misses;
    case Counter::Capped:
      return c.capped;
    case Counter::NanFaults:
      return c.undefined;
    case Counter::DepthRejects:
      return c.depth_rejects;
    case Counter::Covered:
      return c.covered;
    case Counter::TraceEvaluations:
      return c.trace_evaluations;
    case Counter::NormalEvaluations:
      return c.normal_evaluations;
    case Counter::GradientEvaluations:
      return c.gradient_evaluations;
    case Counter::GradientFallbacks:
      return c.gradient_fallbacks;
    case Counter::MaterialEvaluations:
      return c.material_evaluations;
    case Counter::SideEvaluations:
      return c.side_evaluations;
    case Counter::Executed:
      return c.executed;
    case Counter::TraceExecuted:
      return c.trace_executed;
    case Counter::GradientExecuted:
      return c.gradient_executed;
    case Counter::Skipped:
      return c.skipped;
    case Counter::Warps:
      return core.warps;
    case Counter::LanesIdle:
      return core.idle_lanes;
    case Counter::OpcodeHits:
      return core.hits[0];
    case Counter::OpcodeMisses:
      return core.misses[0];
    case Counter::ConstantHits:
      return core.hits[1];
    case Counter::ConstantMisses:
      return core.misses[1];
    case Counter::LeafHits:
      return core.hits[2];
    case Counter::LeafMisses:
      return core.misses[2];
    case Counter::SlopeTested:
      return c.slope_tested;
    case Counter::SlopeUnbounded:
      return c.slope_unbounded;
    case Counter::SlopeExecuted:
      return c.slope_executed;
    case Counter::Overshoots:
      return c.overshoots;
    case Counter::Steps:
      return c.steps[step % render::kSteps];
    default:
      return 0;
  }
}

std::string figureOf(const CounterRow& counter) {
  if (!counter.figure.empty()) return std::string(counter.figure);
  std::string out(counter.low.substr(0, counter.low.size() - std::string_view("_LOW").size()));
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

/// Clock up to which cores are accounted: the job under way counts when it ends.
Clock ImplicitUnit::accounted() const {
  return busy_ ? job_begin_ : std::max(clock_.now(), base_.clock);
}

std::uint64_t ImplicitUnit::counter(Counter which) const {
  const std::uint32_t step = file_.peek(row("STEPS_INDEX"));
  if (which == Counter::Cycles || which == Counter::CyclesIdle) {
    const Clock all = (accounted() - base_.clock) * config_.timing.cores;
    if (which == Counter::Cycles) return all;
    return all - (sumOf(engine_.totals()).worked() - sumOf(base_.totals).worked());
  }
  return valueOf(which, engine_.totals(), step) - valueOf(which, base_.totals, step);
}

void ImplicitUnit::finish() {
  total_ = clock_.now();
}

void ImplicitUnit::report(common::StatGroup& group) const {
  const EngineTotals& totals = engine_.totals();
  group.count("hull_jobs", "jobs", "HULL jobs ended", totals.kinds[0]);
  group.count("frame_jobs", "jobs", "FRAME jobs ended", totals.kinds[1]);
  group.count("ray_jobs", "jobs", "RAYS jobs ended", totals.kinds[2]);
  for (std::size_t n = 0; n < kCounters.size(); ++n) {
    const auto which = static_cast<Counter>(n);
    if (which <= Counter::CyclesIdle || which == Counter::Steps) continue;
    const bool bytes = which >= Counter::BytesOpcodes && which <= Counter::BytesJobs;
    group.count(figureOf(kCounters[n]), bytes ? "bytes" : "1", std::string(kCounters[n].meaning),
                valueOf(which, totals, 0));
  }
  std::uint64_t transfers = 0;
  for (const TrafficTotals& t : totals.traffic) transfers += t.transfers;
  group.count("transfers", "1", "transfers over the memory port", transfers);
  group.count("accesses", "1", "accesses by the host", accesses_);
  group.count("errors", "1", "accesses by the host that were refused", errors_);
  group.count("resets", "1", "resets by the host", resets_);
  common::StatGroup& steps = group.group("steps", "traces by their number of evaluations");
  for (std::uint32_t n = 0; n < render::kSteps; ++n)
    if (totals.counters.steps[n] != 0)
      steps.count("steps_" + std::to_string(n), "1",
                  "traces with " + std::to_string(n) + " evaluations" +
                      (n + 1 == render::kSteps ? " or more" : ""),
                  totals.counters.steps[n]);
  // A job that a reset ended is in `lost`; one that runs on at the end of the run has done its
  // work ahead of time and is not counted at all.
  const Clock end = std::max(busy_ ? job_begin_ : total_, lost_);
  for (std::size_t n = 0; n < totals.cores.size(); ++n) {
    const CoreCounters& core = totals.cores[n];
    common::StatGroup& sub = group.group("core" + std::to_string(n), "one core of the unit");
    const Clock all = std::max(end, core.worked() + lost_);
    sub.count("warps", "1", "warps run", core.warps);
    sub.count("cycles", "cycles", "clocks of the unit", all);
    sub.count("cycles_busy", "cycles", "decoding and executing", core.busy);
    sub.count("cycles_fetch", "cycles", "waiting for opcode lines", core.fetch);
    sub.count("cycles_constant", "cycles", "waiting for constants and dependencies", core.constant);
    sub.count("cycles_leaf", "cycles", "waiting for masks and leaf programs", core.leaf);
    sub.count("cycles_data", "cycles", "waiting for rays, depth and hit records", core.data);
    sub.count("cycles_port", "cycles", "waiting for another core's transfer", core.port);
    sub.count("cycles_lost", "cycles", "in jobs that a reset ended", lost_);
    sub.count("cycles_idle", "cycles", "without a warp", all - core.worked() - lost_);
  }
}

}  // namespace rtvp::implicit::unit
