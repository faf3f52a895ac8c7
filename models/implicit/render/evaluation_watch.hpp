// Evaluations of f seen from within: whoever watches is asked before each whether it wants to see
// its instructions. Without a watch, and for evaluations that nobody wants to see, the stages run
// as they do alone.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/implicit/registers/gradient.hpp"
#include "models/implicit/registers/slope.hpp"
#include "models/implicit/render/object.hpp"
#include "models/implicit/render/observer.hpp"
#include "models/implicit/watch.hpp"

namespace rtvp::implicit::render {

/// What an evaluation is for.
enum class Phase : std::uint8_t {
  Point,     ///< for itself
  Box,       ///< for itself, with pruning
  Task,      ///< the task stage: a range, with pruning
  Mesh,      ///< the mesh stage: the same
  Trim,      ///< the trim stage: a range
  Slope,     ///< the slope stage: ranges of f and of its derivatives
  Side,      ///< on which side of the surface a ray starts
  Trace,     ///< a step of sphere tracing
  Gradient,  ///< a normal: f with its derivatives
  Normal,    ///< a normal: f at a corner of the stencil
  Material,  ///< the material of a hit: always the tape on its stacks
};
[[nodiscard]] std::string_view nameOf(Phase phase);

struct Evaluation {
  Phase phase = Phase::Point;
  std::uint32_t object = 0;  ///< number in the object table
  /// Of the hull, as events have it (CellEvent::number; of traces and normals the leaf's).
  std::uint32_t cell = 0;
  std::uint32_t target = 0;    ///< pixel or ray
  std::uint32_t sample = 0;    ///< of the trace, or of the stencil
  std::uint32_t number = 0;    ///< of `code` among those of the hull
  const Tape* tape = nullptr;  ///< null: the object is a program only
  const Code* code = nullptr;
};

class EvaluationWatch {
 public:
  EvaluationWatch() = default;
  EvaluationWatch(const EvaluationWatch&) = delete;
  EvaluationWatch& operator=(const EvaluationWatch&) = delete;
  virtual ~EvaluationWatch() = default;

  /// The next evaluation. Null: nobody looks at it.
  virtual RunWatch* begins(const Evaluation& evaluation) = 0;
  /// As many as `most` evaluations of a code follow. True: each is to begin by itself, one after
  /// the other. False: passed() says how many there were.
  virtual bool apart(const Evaluation& evaluation, std::uint64_t most) = 0;
  virtual void passed(const Evaluation& evaluation, std::uint64_t count) = 0;

  // What came of them, as an Observer hears of it.
  virtual void cell(const CellEvent& event) = 0;
  virtual void trace(const TraceEvent& event) = 0;
};

/// f at a point, by the tape under the mask if the code has one.
float valueAt(EvaluationWatch* watch, const Evaluation& what, const std::array<float, 3>& point);
/// Ranges over a box.
Interval rangeOver(EvaluationWatch* watch, const Evaluation& what, const Bounds& box);
BoxResult pruneMask(EvaluationWatch* watch, const Evaluation& what, const Bounds& box,
                    const PruneOptions& options);
registers::IntervalResult pruneProgram(EvaluationWatch* watch, const Evaluation& what,
                                       const Bounds& box);
/// By the program, whatever the code's form.
registers::SlopeBound slopesOver(EvaluationWatch* watch, const Evaluation& what, const Bounds& box);
registers::Gradient gradientAt(EvaluationWatch* watch, const Evaluation& what,
                               const std::array<float, 3>& point);

}  // namespace rtvp::implicit::render
