// A run of an SL program under the debugger. A run has 65,536 instructions at most, so all states
// that it has gone through are kept, and to go back is to take one of them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/debug/dialogue.hpp"
#include "models/sl/debug/sl_profile.hpp"
#include "models/sl/debug/sl_vm_unit.hpp"

namespace rtvp::sl {

class VmDriver final : private debug::World {
 public:
  /// `vm` has been started; `world` answers what it asks. `interrupted`: the user wants the run to
  /// stop. All outlive the driver.
  VmDriver(const Vm& vm, Environment& world, const PlacedProgram& program, debug::Host& host,
           std::function<bool()> interrupted);

  [[nodiscard]] debug::Dialogue& dialogue() { return dialogue_; }
  /// Until the commands end.
  void run();
  /// How the run stands.
  [[nodiscard]] const Vm& vm() const { return state_.vm; }

 private:
  std::vector<debug::Unit*> units() override { return {&unit_}; }
  /// Cycles are shown as time of the shading unit at its default clock.
  [[nodiscard]] double hertz() const override { return 100e6; }
  void reverse(const debug::Reverse& how) override;

  void move();
  void stepBack(std::uint64_t count);
  [[nodiscard]] std::optional<std::size_t> latestStop();
  void standAtStop(std::size_t position);
  void over();

  VmState state_;
  Environment& world_;
  VmUnit unit_;
  debug::Program program_;
  debug::Dialogue dialogue_;
  std::function<bool()> interrupted_;
  std::vector<VmState> history_;     ///< in front of each instruction of the way here
  std::optional<std::string> back_;  ///< the user has gone back: what is said about it
};

/// Executes an instruction of a run that has not ended, with the world's answer.
void step(Vm& vm, Environment& world);

/// A run counted: how often each instruction executed, its own cycles.
class RunAccount {
 public:
  explicit RunAccount(const PlacedProgram& program)
      : program_(program), executions_(program.program->size()) {}
  /// The instruction at `pc` has executed.
  void executed(std::uint32_t pc) { ++executions_[pc]; }
  [[nodiscard]] debug::Profile profile() const;

 private:
  const PlacedProgram& program_;
  std::vector<std::uint64_t> executions_;
};

}  // namespace rtvp::sl
