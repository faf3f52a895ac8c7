// Programs on many points and on many boxes at once: kernels for the host's instruction set, chosen
// at run time; f and its ranges are bit-equal to evaluate() and prune() of program.hpp.
//
// Invariants: a kernel does in each lane what the plain rule does with one number (point.hpp,
// range_arithmetic.hpp), in the same order of operations, so no result depends on width,
// instruction set or neighbours. Where a function has no kernel the plain rule is called lane by
// lane. Lanes behind the last point or box hold anything and are never handed out. Plain twins:
// evaluate(), prune() and gradient(), one at a time.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "models/implicit/registers/allocator.hpp"
#include "models/implicit/registers/batch/kernels.hpp"
#include "models/implicit/registers/gradient.hpp"
#include "models/implicit/registers/program.hpp"

namespace rtvp::implicit::registers {

/// Rows of 64-byte aligned numbers.
class AlignedRows {
 public:
  /// At least so many bytes; what was in it is lost.
  void* resize(std::size_t bytes);

 private:
  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Free> memory_;
  std::size_t size_ = 0;
};

class BatchEvaluator {
 public:
  /// Throws std::invalid_argument if this host cannot run the instruction set.
  explicit BatchEvaluator(common::Isa isa = common::bestIsa());

  static constexpr unsigned kBoxes = batch::kBoxes;

  /// out[n] = f(x[n], y[n], z[n]). All spans have the same length.
  void points(const Program& program, std::span<const float> x, std::span<const float> y,
              std::span<const float> z, std::span<float> out);

  /// The same without copies, of up to mostPoints() points: place() gives rows of x, y and z to be
  /// filled, evaluate(), for the same program, the row of f, which the next call overwrites.
  static std::size_t mostPoints(const Program& program);
  std::array<float*, 3> place(const Program& program, std::size_t count);
  const float* evaluate(const Program& program);

  /// f and its derivatives there, bit-equal to gradient(); only not-a-number may be another one.
  void gradients(const Program& program, std::span<const float> x, std::span<const float> y,
                 std::span<const float> z, std::span<Gradient> out);

  /// Ranges of f over 1 to kBoxes boxes. With `decide` remembers what each box decides.
  void boxes(const Program& program, std::span<const Bounds> boxes, std::span<Interval> out,
             bool decide = true);
  /// Looks at one of the boxes of the last call of boxes(), which was for this program: how many
  /// selections it decides. Without any, prune() would not shorten the program.
  std::size_t decide(const Program& program, unsigned box);
  /// A program for the box that decide() looked at; `shorter` is another one, whose memory is used
  /// again.
  void prune(const Program& program, Program& shorter);
  Program prune(const Program& program, unsigned box);

 private:
  friend class PointRows;
  friend class BoxRows;

  /// Bits by box: the number + 1 of the input that a selection passes on, or 0, as two binary
  /// digits, the low one first.
  using Winners = std::array<std::uint64_t, 2>;

  void block(const Program& program);
  const float* read(const Program& program, const Source& source, unsigned component,
                    unsigned input);
  void componentwise(const Program& program, const Clause& clause);
  void whole(const Program& program, const Clause& clause);

  const batch::RangeRow& readBox(const Program& program, const Source& source, unsigned component,
                                 unsigned input);
  bool boxNumbers(const Program& program, const Clause& clause);
  bool boxSelection(const Program& program, const Clause& clause, Winners& winners);
  void boxComponents(const Program& program, const Clause& clause);
  void boxLanes(const Program& program, const Clause& clause);
  void decideClause(const Program& program, const Clause& clause, Winners& winners);
  [[nodiscard]] Interval operand(const Program& program, const Source& source, unsigned component,
                                 unsigned box) const;

  const batch::Kernels& kernels_;
  AlignedRows point_memory_, box_memory_;
  float* rows_ = nullptr;  ///< registers, then 4 rows of operands, then temporaries
  std::size_t stride_ = 0;
  std::size_t placed_ = 0;   ///< points of place()
  std::size_t scratch_ = 0;  ///< first temporary row
  batch::RangeRow* box_rows_ = nullptr;
  unsigned boxes_ = 0;             ///< of the last call
  unsigned lanes_ = 0;             ///< the same, whole groups
  std::vector<Winners> winners_;   ///< by selection
  std::vector<Decision> decided_;  ///< of the box that decide() looked at, the first ones:
  std::size_t decisions_ = 0;
  Allocator allocator_;
};

}  // namespace rtvp::implicit::registers
