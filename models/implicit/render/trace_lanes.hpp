// Sphere tracing of many rays by one code, in rows: what PointBatch does with tracers, a lane each.
#pragma once

#include <span>
#include <vector>

#include "models/common/host_isa.hpp"
#include "models/implicit/registers/batch_evaluator.hpp"
#include "models/implicit/render/rows/kernels.hpp"
#include "models/implicit/render/trace.hpp"

namespace rtvp::implicit::render {

/// Invariants: only tracers that step by a Lipschitz bound take part, all under the same settings;
/// each comes out as its own take() would have left it, sample by sample, for a ray's numbers
/// depend on no other lane. Which rays stand side by side, and when a free lane is filled again, is
/// open. The plain twin is Tracer::take() of one ray after the other.
class TraceLanes {
 public:
  /// The instruction set must be usable.
  explicit TraceLanes(common::Isa isa = common::bestIsa()) : kernels_(rows::kernels(isa)) {}

  /// Takes tracers on until fewer than `fewest` are left and none waits for a lane, at least one
  /// sample; those that are not done stay in `tracers`. None of them is done at the begin.
  void run(registers::BatchEvaluator& evaluator, const registers::Program& program,
           std::vector<Tracer*>& tracers, std::size_t fewest);

 private:
  void enter(Tracer& tracer, std::size_t lane);
  void leave(std::size_t lane);
  void move(std::size_t from, std::size_t to);
  void replace();

  const rows::Kernels& kernels_;
  rows::Rays rays_;
  std::array<Tracer*, rows::kMost> tracers_{};  ///< of each lane
  std::size_t lanes_ = 0;
  std::span<Tracer* const> waiting_;  ///< for a lane
  std::array<std::uint8_t, rows::kMost / rows::kLanes> ended_{};
};

}  // namespace rtvp::implicit::render
