// Runs of the shading unit computed before their time, many at once, on the batched engine.
//
// Invariants:
//  * Nothing here takes time, moves a word over the bus or counts anything: what a run starts with
//    is looked at in memory, and its pipeline reads it again in its time.
//  * A result is used only by a run that starts with the very bits that it was computed from
//    (find()); the host may have changed memory meanwhile, and then the plain machine runs.
//  * A run is computed up to its end, to a trace that leaves or to a lookup: what the pipeline does
//    there takes time. So its plain twin is Vm::step() until the same place, which tests hold it
//    to; a run under a debugger, a recorder or an account uses that.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/sl/batch_vm.hpp"
#include "models/sl/program.hpp"
#include "models/sl/vm.hpp"

namespace rtvp::sl::unit {

class RunAhead {
 public:
  /// How a run goes on from its start.
  struct Outcome {
    std::shared_ptr<const Program> program;
    bool traceLive = false;
    // at the start
    Registers registers;
    std::uint32_t pc = 0, instructions = 0, random = 0;
    // at the end, if computed
    bool computed = false;
    std::uint64_t changed = 0;  ///< bit N: the program may write register N
    Registers written;          ///< means something there
    std::uint32_t endPc = 0, endInstructions = 0, endRandom = 0;
    Stop stop = Stop::None;
    Batch::Tally executed{};

    /// Takes `vm` from the start to the end.
    void carry(Vm& vm) const {
      vm.carry(written, changed, endPc, endInstructions, endRandom, stop);
    }
  };

  /// Forgets what was computed, programs that ran included if asked.
  void clear(bool programs);
  /// A run that stands as `vm` does. Without: one that cannot be looked at.
  void add(std::shared_ptr<const Program> program, bool traceLive, const Vm& vm);
  void add() { runs_.emplace_back(); }
  void compute();
  /// Of the `index`-th added; null if it was not computed or started otherwise.
  [[nodiscard]] const Outcome* find(std::size_t index, bool traceLive, const Vm& vm) const;

 private:
  void computeTogether(std::span<const std::size_t> indices);
  struct Engine {
    std::shared_ptr<const Program> program;
    std::unique_ptr<BatchVm> vm;
    std::uint64_t written;  ///< by some instruction, and v0
  };
  const Engine& engineFor(const std::shared_ptr<const Program>& program);

  std::vector<Outcome> runs_;
  std::vector<Engine> engines_;
};

}  // namespace rtvp::sl::unit
