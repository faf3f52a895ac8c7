// Many points by one code at once: rays of a face in lockstep, stencils of normals. The numbers are
// those of one evaluation after the other, bit by bit.
#pragma once

#include <span>
#include <vector>

#include "models/implicit/registers/batch_evaluator.hpp"
#include "models/implicit/render/trace.hpp"

namespace rtvp::implicit::render {

class PointBatch {
 public:
  void clear();
  void add(const std::array<float, 3>& point);
  /// f at the points, in order; valid until the next call.
  std::span<const float> run(const Code& code);

  /// Takes each tracer to its end.
  void trace(const Code& code, std::span<Tracer> tracers);
  /// Normals of stencils, each with its own code of the hull.
  std::vector<Vec> normals(const Hull& hull, std::span<const NormalStencil> stencils);

 private:
  registers::BatchEvaluator evaluator_;
  std::vector<float> x_, y_, z_, f_;
  std::vector<std::size_t> active_;
};

}  // namespace rtvp::implicit::render
