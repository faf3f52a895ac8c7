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
//
// What a run costs the host here: its words are copied once, as they lie in memory, and become rows
// of the batched engine by gathering; nothing is made of a run that merely ends but its colour, its
// clocks and its instructions, and executions are counted for all that went the same way together.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/sl/batch_vm.hpp"
#include "models/sl/program.hpp"
#include "models/sl/unit/texture_reader.hpp"
#include "models/sl/vm.hpp"

namespace rtvp::sl::unit {

struct Surface;

class RunAhead {
 public:
  using Executions = std::array<std::uint64_t, kForms>;
  using Samples = std::span<const Vec3, kTextureSlots>;
  using Words = std::span<const std::uint32_t>;

  /// Clocks of an instruction, by Form.
  explicit RunAhead(std::span<const std::uint32_t, kForms> clocks);
  ~RunAhead();
  RunAhead(const RunAhead&) = delete;
  RunAhead& operator=(const RunAhead&) = delete;

  /// Forgets what was computed, programs that ran included if asked. settle() comes first.
  void clear(bool programs);

  // ---- the runs of one look ahead, in their order
  /// One that begins. `words`: those of its slot that it needs. The surface must stay until
  /// compute().
  void add(const Surface& surface, Words words, Samples samples);
  /// One that goes on as `vm` does.
  void add(const std::shared_ptr<const Program>& program, const Vm& vm);
  /// One that cannot be looked at.
  void add() { runs_.push_back({}); }
  void compute();

  /// How a run goes on from its start.
  struct Outcome {
    Stop stop = Stop::None;
    std::uint32_t instructions = 0;  ///< since it began, in its first part too
    Clock clocks = 0;
    Vec3 colour;
  };
  /// Of the `index`-th added, for a run that stands so; nothing if it was not computed or started
  /// otherwise. Its executions are counted from now on.
  [[nodiscard]] std::optional<Outcome> find(std::size_t index, const Surface& surface, Words words,
                                            Samples samples);
  [[nodiscard]] std::optional<Outcome> find(std::size_t index, const Vm& vm);
  /// Takes `vm`, which stands where the `index`-th added begins, to the end of what was computed.
  void carry(std::size_t index, Vm& vm) const;

  /// Adds the executions of the runs that were found since it was asked last.
  void settle(Executions& executed);

 private:
  struct Engine {
    std::shared_ptr<const Program> program;
    std::unique_ptr<BatchVm> vm;
    std::uint64_t written;  ///< by some instruction, and v0
  };
  struct Group;
  struct Run {
    Group* group = nullptr;  ///< null: it could not be looked at
    std::uint32_t point = 0;
  };

  Engine& engineFor(const std::shared_ptr<const Program>& program);
  Group& groupFor(const std::shared_ptr<const Program>& program, bool live, bool resumed);
  [[nodiscard]] std::optional<Outcome> outcome(const Run& run);
  void compute(Group& group);

  std::array<std::uint32_t, kForms> clocks_{};
  std::vector<Run> runs_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace rtvp::sl::unit
