// What the stages tell while they work, so that a timed unit charges cycles and moves bytes without
// a second copy of the algorithm. An event names the cell, leaf or pixel and the code that ran;
// which opcode lines, constants, masks or clauses that touches follows from the code. Events come
// in the order in which the machine works: cells lane by lane, leaves front to back, fragments of a
// leaf from top to bottom and left to right. The default does nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rtvp::implicit::render {

enum class Stage : std::uint8_t { Task, Mesh, Trim, Slope };
enum class Verdict : std::uint8_t { Outside, Inside, Ambiguous };

/// How a trace ended.
enum class Outcome : std::uint8_t {
  Miss,       ///< left its cuboid, or passed the far end
  Hit,        ///< reached the surface
  Capped,     ///< the step limit came first: a miss
  Undefined,  ///< f was NaN: a miss and a fault
};

/// One interval run with pruning; of Stage::Slope one with derivatives, without. Reads code `ran`;
/// if kept, the code `kept_code` is written: as a mask into the payload (Task) or at leaf `number`
/// (Mesh), or as a program if `new_code`.
struct CellEvent {
  Stage stage = Stage::Task;
  std::uint32_t object = 0;
  /// Task: half * 32 + lane. Mesh: the leaf's number (3.6). Trim: 16 * that + the part, x first;
  /// what it finds is the leaf's extent, two bits for x and y each, four for z. Slope: the leaf's
  /// number; the leaf's bounds of f's derivatives follow.
  std::uint32_t number = 0;
  Verdict verdict = Verdict::Outside;
  std::uint32_t ran = 0;                    ///< index into the codes of the hull under construction
  std::uint32_t kept_code = 0;              ///< valid if Ambiguous
  bool new_code = false;                    ///< the first cell that keeps this code
  std::uint32_t executed = 0, skipped = 0;  ///< instructions of the run
  std::uint32_t kept = 0;                   ///< of the code that stays; valid if Ambiguous
};

/// Faces of a leaf that go to the rasteriser.
struct LeafEvent {
  std::uint32_t object = 0;
  std::uint32_t leaf = 0;  ///< index into Hull::leaves
  std::uint32_t code = 0;
  std::uint8_t faces = 0;  ///< 0 to 6
};

/// A ray in one leaf: a fragment of a frame, or a ray of a list (there `target` is the ray).
struct TraceEvent {
  std::uint32_t object = 0;
  std::uint32_t leaf = 0;
  std::uint32_t target = 0;  ///< pixel: x + width * y of the frame's rectangle, or the ray
  bool depth_read = false;   ///< the depth of the pixel was read first
  bool rejected = false;     ///< behind it, or known to be clear: nothing was traced
  bool carried = false;  ///< rejected because the ray is known to be clear; that distance is one
                         ///< word a pixel, read and written beside the depth (Settings::carry)
  Outcome outcome = Outcome::Miss;
  std::uint32_t evaluations = 0;  ///< of `code`
  std::uint32_t code = 0;
  bool nearest = false;  ///< the hit is the nearest so far: depth and record are due
};

/// The rest of the work for a hit: normal and material, at the time the record is written.
struct ShadeEvent {
  std::uint32_t object = 0;
  std::uint32_t target = 0;
  std::uint32_t gradient_evaluations = 0;  ///< with derivatives: 0 or 1
  std::uint32_t gradient_code = 0;
  std::uint32_t normal_evaluations = 0;  ///< at points: 4, or 0 if the derivatives were enough
  std::uint32_t normal_code = 0;
  std::uint32_t material_evaluations = 0;
  std::uint32_t material_code = 0;
};

class EvaluationWatch;

class Observer {
 public:
  virtual ~Observer() = default;
  /// Who sees the evaluations from within (evaluation_watch.hpp); null: nobody.
  [[nodiscard]] EvaluationWatch* watch() const { return watch_; }
  void setWatch(EvaluationWatch* watch) { watch_ = watch; }
  /// A stage begins with an object: its description record is read.
  virtual void object(std::uint32_t /*number*/) {}
  virtual void cell(const CellEvent& /*event*/) {}
  virtual void leaf(const LeafEvent& /*event*/) {}
  virtual void trace(const TraceEvent& /*event*/) {}
  /// The next traces, with nothing between them: takes those from which nothing follows yet but
  /// what trace() of each would have noted, and says how many; the others come one by one. May be
  /// 0.
  virtual std::size_t traces(std::span<const TraceEvent> /*events*/) { return 0; }
  virtual void shade(const ShadeEvent& /*event*/) {}
  /// f at the start of rays with the whole tape, to know on which side they are.
  virtual void side(std::uint32_t /*object*/, std::uint32_t /*target*/) {}
  /// Depth (frames) and hit record of a pixel or ray are written.
  virtual void store(std::uint32_t /*target*/) {}

 private:
  EvaluationWatch* watch_ = nullptr;
};

}  // namespace rtvp::implicit::render
