// What a debugger tells the pipelines of a shading unit, and hears from them. It changes neither
// what they compute nor a clock: pieces of work that begin at the same clocks come in the same
// order however small they are.
#pragma once

#include <cstdint>

#include "models/sl/unit/texture_reader.hpp"

namespace rtvp::sl::unit {

class CoreControl {
 public:
  virtual ~CoreControl() = default;
  /// A piece of a pipeline's work begins at clock `begin`; returns when it may. Simulated time may
  /// pass meanwhile. The result: how many pieces behind it need not ask.
  virtual unsigned permit(Clock begin) = 0;
  /// Every instruction is looked at, and is a piece of its own.
  [[nodiscard]] virtual bool stepping() const = 0;
  /// A request was taken: of a new run of the slot, or of one that was set aside.
  virtual void taken(std::uint32_t slot, bool isNew) = 0;

  // ---- stepping
  /// The instruction that the pipeline stands at is about to be executed.
  virtual void before(unsigned pipeline) = 0;
  /// It has been: a lookup when its texel has come, a trace when the run is set aside. `begin`: of
  /// the latest piece.
  virtual void after(unsigned pipeline, Clock begin) = 0;
  /// A run has come into the pipeline and stands at its next instruction.
  virtual void arrived(unsigned pipeline, Clock begin) = 0;

  // ---- not stepping
  /// Somebody may halt a pipeline between two instructions.
  [[nodiscard]] virtual bool armed() const = 0;
  /// The pipeline does not execute the instruction of this word of the store, which would begin at
  /// `clock`: permit() is asked first.
  [[nodiscard]] virtual bool halts(unsigned pipeline, std::uint32_t word, Clock clock) = 0;
};

}  // namespace rtvp::sl::unit
