// Many points by one code at once: rays of a face in lockstep, stencils of normals. The numbers are
// those of one evaluation after the other, bit by bit.
//
// Invariants: all points of a call run the same code, and no number depends on which of them stand
// side by side. The plain twin is a watch that wants each evaluation by itself
// (EvaluationWatch::apart()): then each point is valueAt()'s, each normal gradientAt()'s.
#pragma once

#include <span>
#include <vector>

#include "models/implicit/registers/batch_evaluator.hpp"
#include "models/implicit/render/evaluation_watch.hpp"
#include "models/implicit/render/trace.hpp"
#include "models/implicit/render/trace_lanes.hpp"

namespace rtvp::implicit::render {

class PointBatch {
 public:
  /// `watch`: sees evaluations from within, one after the other; or null. The instruction set must
  /// be usable; it changes no result.
  explicit PointBatch(EvaluationWatch* watch = nullptr, common::Isa isa = common::bestIsa())
      : watch_(watch), evaluator_(isa), lanes_(isa) {}
  void clear();
  void add(const std::array<float, 3>& point);
  /// f at the points, in order; valid until the next call.
  std::span<const float> run(const Code& code);
  /// f and its derivatives there; the same.
  std::span<const registers::Gradient> runGradients(const Code& code);

  /// Takes tracers of one code on, sample by sample, until fewer than `fewest` are left (at least
  /// one sample); those are left in `tracers`. Nobody watches.
  void trace(const Code& code, std::vector<Tracer*>& tracers, std::size_t fewest = 1);

  /// Takes each tracer to its end. `what`: of all of them, but for the target, which `targets` has
  /// of each (needed for the watch alone).
  void trace(const Evaluation& what, std::span<Tracer> tracers,
             std::span<const std::uint32_t> targets);
  /// Stencils of hits in a leaf.
  std::vector<NormalStencil> stencils(const Hull& hull, std::uint32_t leaf,
                                      std::span<const Vec> hits, const Settings& settings,
                                      const Evaluation& what,
                                      std::span<const std::uint32_t> targets);
  /// Normals of stencils, each with its own code of the hull.
  std::vector<Vec> normals(const Hull& hull, const Evaluation& what,
                           std::span<const NormalStencil> stencils,
                           std::span<const std::uint32_t> targets);

 private:
  std::span<const float> runApart(const Evaluation& what, std::span<Tracer> tracers,
                                  std::span<const std::uint32_t> targets);
  std::span<const float> corners(const Evaluation& what, std::span<const NormalStencil> stencils,
                                 std::span<const std::uint32_t> targets);

  EvaluationWatch* watch_;
  registers::BatchEvaluator evaluator_;
  TraceLanes lanes_;
  std::vector<float> x_, y_, z_, f_;
  std::vector<registers::Gradient> gradients_;
  std::vector<std::size_t> active_;
  std::vector<Tracer*> pointers_;
};

}  // namespace rtvp::implicit::render
