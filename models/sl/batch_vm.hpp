// The batched SL machine: one program at many shading points at once, bit for bit what the plain
// one computes (not-a-number is not-a-number: its payload is nobody's promise). Points are kept in
// blocks of 64; where points of a block branch differently, the part that is furthest behind runs
// first, so parts meet again behind loops and ifs.
//
// Invariants: points do not see each other; a kernel changes only the points of its mask and does
// in each the operations of the plain machine in their order; what the world answers is asked point
// by point. Which points share a block, and the instruction set, change no bit. The plain twin is
// Vm (vm.hpp), which a unit runs with CoreConfig::ahead off, and under a debugger or recorder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/sl/batch/kernels.hpp"
#include "models/sl/program.hpp"
#include "models/sl/vm.hpp"

namespace rtvp::sl {

/// Registers of many shading points, and how their run ended.
class Batch {
 public:
  /// All registers 0, all seeds 1.
  explicit Batch(std::size_t points);
  /// Makes room for so many points that begin anew; registers and random states hold whatever was
  /// there before.
  void restart(std::size_t points);

  [[nodiscard]] std::size_t size() const { return size_; }
  void setRegisters(std::size_t point, const Registers& registers);
  /// Only the registers of the set (bit N: register N), as Program::reads() gives it; faster.
  void setRegisters(std::size_t point, const Registers& registers, std::uint64_t which);
  void setVector(std::size_t point, unsigned id, const Vec3& value);
  void setScalar(std::size_t point, unsigned id, float value);
  void setSeed(std::size_t point, std::uint32_t seed);
  /// A register at all points.
  void fill(unsigned id, const Registers& registers);
  /// Runs may go on from where they stood: the next run() begins at these places, with v0 and v1 as
  /// they are. Before this every point begins anew.
  void setPlace(std::size_t point, std::uint32_t pc, std::uint32_t instructions);
  /// From the next run() on, what each point executed is known: costs() and paths(). `costs`: of an
  /// instruction, by Form.
  void keepPaths(std::span<const std::uint32_t, kForms> costs);

  [[nodiscard]] Registers registers(std::size_t point) const;
  [[nodiscard]] Vec3 vector(std::size_t point, unsigned id) const;
  [[nodiscard]] float scalar(std::size_t point, unsigned id) const;
  [[nodiscard]] std::uint32_t randomState(std::size_t point) const;
  /// Done or Budget after a run, Trace or Lookup where the world had no answer.
  [[nodiscard]] Stop state(std::size_t point) const { return states_[point]; }
  [[nodiscard]] std::uint32_t instructions(std::size_t point) const { return instructions_[point]; }
  /// Where a point stands that is not Done.
  [[nodiscard]] std::uint32_t pc(std::size_t point) const { return pcs_[point]; }
  /// Executions by Form. A row more, so that it is whole vectors.
  using Tally = std::array<std::uint32_t, 32>;
  static_assert(kForms <= std::tuple_size_v<Tally>);
  /// What some points of a block executed together. Each has executed the sum of those that name
  /// it; a trace or lookup that has no answer yet counts as executed.
  struct Path {
    std::uint64_t points;  ///< bit N: point N of the block
    Tally executed;
  };
  [[nodiscard]] const std::vector<Path>& paths(std::size_t block) const { return paths_[block]; }
  /// Of all that a point executed.
  [[nodiscard]] std::uint64_t cost(std::size_t point) const { return spent_[point]; }

 private:
  friend class BatchVm;
  friend class BlockRun;
  [[nodiscard]] std::size_t blockCount() const {
    return (size_ + batch::kPoints - 1) / batch::kPoints;
  }
  [[nodiscard]] static unsigned row(unsigned id) {
    return isVector(id) ? 3 * id : 3 * kVectors + id - kFirstScalar;
  }
  [[nodiscard]] float& at(std::size_t point, unsigned r) {
    return blocks_[point / batch::kPoints].rows[r][point % batch::kPoints];
  }
  [[nodiscard]] float at(std::size_t point, unsigned r) const {
    return blocks_[point / batch::kPoints].rows[r][point % batch::kPoints];
  }

  std::size_t size_;
  std::vector<batch::Block> blocks_;
  std::vector<Stop> states_;
  std::vector<std::uint32_t> instructions_;
  std::vector<std::uint32_t> pcs_;
  bool placed_ = false;  ///< points begin at pcs_ after instructions_, not anew
  // If they are kept:
  bool keepsPaths_ = false;
  std::array<std::uint32_t, 32> costs_{};  ///< by Form
  std::vector<std::uint64_t> spent_;
  std::vector<std::vector<Path>> paths_;  ///< by block
};

class BatchVm {
 public:
  /// Throws std::invalid_argument if the host lacks `isa`.
  explicit BatchVm(const Program& program, batch::Isa isa = batch::bestIsa());

  /// Fills `batch` from the first registers.size() points on, with the registers that the program
  /// can see at its start (Program::inputs()). After the run only what it wrote, v0 and v1 mean
  /// anything.
  void load(Batch& batch, std::span<const Registers> registers) const;
  /// A register of all points: that of point N begins at from[N * stride], also for points that
  /// only fill the last block up.
  void collect(Batch& batch, unsigned id, const float* from, std::size_t stride) const;
  /// One run at every point, from the registers as the batch holds them; like a plain run, it
  /// starts with v0 and v1 at 0. `world` is asked point by point, in no promised order. Counts into
  /// `counters`.
  void run(Batch& batch, Environment& world, Counters& counters) const;

 private:
  friend class BlockRun;
  struct Step {
    Form form;
    batch::Kernel kernel;  ///< null: control or world
    batch::Operands operands;
    std::uint32_t target;
  };

  const batch::Kernels* kernels_;
  std::uint64_t inputs_;
  std::vector<Step> steps_;
  batch::Tables tables_;
};

}  // namespace rtvp::sl
