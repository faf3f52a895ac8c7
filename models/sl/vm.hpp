// The plain SL machine: one program at one shading point, one instruction after the other. It stops
// where the world outside must answer (trace, lookup), so a unit can take its time for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "models/sl/program.hpp"
#include "models/sl/registers.hpp"

namespace rtvp::sl {

/// Instructions a run may take (sl.md section 2); one that stops with exactly its last is within
/// it.
inline constexpr std::uint32_t kBudget = 65'536;

/// What runs have done, for statistics; units and integrators add up.
struct Counters {
  std::uint64_t runs = 0;
  std::uint64_t instructions = 0;
  std::uint64_t over_budget = 0;       ///< runs stopped at the budget; their v0 is 0
  std::uint64_t non_finite_lanes = 0;  ///< lanes of v0 replaced by 0 (finiteColour)
  std::uint64_t traces = 0;
  std::uint64_t lookups = 0;

  Counters& operator+=(const Counters& other);
};

/// v0 as an integrator adds it to a pixel: lanes that are not finite become 0 and are counted.
Vec3 finiteColour(const Vec3& v0, Counters& counters);

enum class Stop : std::uint8_t {
  None,    ///< may go on
  Done,    ///< ret, or past the last instruction
  Budget,  ///< still running after kBudget instructions; v0 is 0
  Trace,   ///< wants finishTrace()
  Lookup,  ///< wants finishLookup()
};

/// The world outside a run, for those who need not wait for it.
class Environment {
 public:
  virtual ~Environment() = default;
  /// The colour seen from world-space `origin` along object-space `direction`, as the registers
  /// hold it; `point` is the shading point's number in a batch, else 0. Never asked with a
  /// direction whose norm is zero or not finite, or with an origin that is not finite: those give
  /// (0,0,0).
  virtual Vec3 trace(std::size_t point, const Vec3& origin, const Vec3& direction) = 0;
  /// The filtered sample of a texture slot (0..7) at any coordinates, finite or not.
  virtual Vec3 lookup(std::size_t point, unsigned slot, float s, float t) = 0;
  /// For engines that run many points: whether this one has an answer at once. If not, the point
  /// stops in front of the instruction, as a run of the plain machine does.
  virtual bool answers(std::size_t /*point*/, Form /*traceOrLookup*/) { return true; }
};

/// One run at a time:
///
///   vm.start(registers, seed);
///   while ((stop = vm.run()) == Stop::Trace) vm.finishTrace(colour(vm.traceOrigin(), ...));
class Vm {
 public:
  /// `program` must outlive the machine.
  explicit Vm(const Program& program) : program_(&program) {}

  /// A run begins: every register anew (v0 and v1 are 0 whatever `registers` says), pc 0. A seed of
  /// 0 would stay 0 for ever and counts as 1.
  void start(const Registers& registers, std::uint32_t seed);
  /// A run that was set aside while stopped at a trace goes on from there: its registers, pc,
  /// instructions and random state as they then stood. False, and no run, if there is no trace at
  /// `pc`.
  [[nodiscard]] bool resume(const Registers& registers, std::uint32_t pc,
                            std::uint32_t instructions, std::uint32_t random);
  /// Executes until something stops the run.
  Stop run();
  /// Executes one instruction.
  Stop step();
  /// To the end of the run; `world` answers. Done or Budget.
  Stop run(Environment& world, std::size_t point = 0);

  // ---- while stopped at Trace or Lookup ----
  [[nodiscard]] const Vec3& traceOrigin() const;     ///< world space
  [[nodiscard]] const Vec3& traceDirection() const;  ///< object space, any length but 0
  [[nodiscard]] unsigned lookupSlot() const;
  [[nodiscard]] float lookupS() const;
  [[nodiscard]] float lookupT() const;
  /// The answer; the instruction is then complete.
  void finishTrace(const Vec3& colour) { finish(colour); }
  void finishLookup(const Vec3& texel) { finish(texel); }

  /// The run has been carried on elsewhere, to where it stands there. Of the registers those of the
  /// set (bit N: register N) have changed.
  void carry(const Registers& registers, std::uint64_t which, std::uint32_t pc,
             std::uint32_t instructions, std::uint32_t random, Stop state);

  /// A debugger changes a run that may go on: its registers, and where it stands (a place in the
  /// program).
  void change(const Registers& registers, std::uint32_t pc) {
    registers_ = registers;
    pc_ = pc;
  }

  [[nodiscard]] const Registers& registers() const { return registers_; }
  /// The raw result, (0,0,0) after Stop::Budget.
  [[nodiscard]] const Vec3& colour() const { return registers_.vector(reg::v0); }
  [[nodiscard]] const Program& program() const { return *program_; }
  [[nodiscard]] std::uint32_t pc() const { return pc_; }
  [[nodiscard]] std::uint32_t instructions() const { return instructions_; }
  [[nodiscard]] std::uint32_t randomState() const { return random_; }
  [[nodiscard]] bool ended() const { return state_ == Stop::Done || state_ == Stop::Budget; }
  [[nodiscard]] Stop state() const { return state_; }

 private:
  Stop boundary();
  void execute(const Instruction& in);
  void finish(const Vec3& value);

  const Program* program_;
  Registers registers_;
  std::uint32_t pc_ = 0;
  std::uint32_t instructions_ = 0;
  std::uint32_t random_ = 1;
  Stop state_ = Stop::Done;
};

/// Whether a trace with these operands leaves the machine; if not, it gives (0,0,0).
bool traceLeaves(const Vec3& origin, const Vec3& direction);

}  // namespace rtvp::sl
