// Running a program under observation: checks, trace, profile, coverage. What a debugger adds to
// it: driver.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/c32/debug/effects.hpp"
#include "models/c32/debug/machine.hpp"
#include "models/debug/program.hpp"

namespace rtvp::c32 {

/// Why a run ended. Values above Steps end the program.
enum class Stopped : std::uint8_t {
  Breakpoint,
  Steps,     ///< the instructions asked for are done
  Exit,      ///< the program wrote to the exit register
  Idle,      ///< IDLE, and nothing inside the processor will wake it
  Fault,     ///< illegal word, unmapped address, failed check
  Limit,     ///< instruction or cycle limit of the whole session
  Deadlock,  ///< an interlocked access waits for XF1, which nothing will pull low
};

struct StopReport {
  Stopped why = Stopped::Steps;
  std::string text;  ///< one line
};

struct Breakpoint {
  int id = 0;
  std::uint32_t address = 0;
  std::uint64_t hits = 0;
  std::uint64_t skip = 0;  ///< hits still to ignore
  bool once = false;       ///< removed when hit
};

struct SessionOptions {
  std::uint64_t maxInstructions = 100'000'000;
  Cycle maxCycles = kNever;
  bool checkNeverWritten = false;
  std::optional<AddressRange> stack;  ///< SP outside (one below included: empty) is a fault
};

/// Executions and cycles of one address.
struct Counts {
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  bool data = false;  ///< read or written by an instruction: no code, unless executed
};

class Session {
 public:
  Session(Machine& machine, const Image& image, const SessionOptions& options);

  /// Runs until something stops it, at most `instructions` of them.
  StopReport run(std::uint64_t instructions = Cpu::kUnlimited);
  /// One instruction, or the entry of an interrupt; empty: the program goes on.
  std::optional<StopReport> step();
  /// The next instruction executes although a breakpoint is on it.
  void ignoreHere() { skipBreakpoint_ = true; }
  int addBreakpoint(std::uint32_t address, std::uint64_t skip = 0, bool once = false);

  /// Receives one line for each instruction; empty: no trace.
  std::function<void(const std::string&)> trace;
  bool counting = false;  ///< profile and coverage
  const std::unordered_map<std::uint32_t, Counts>& counts() const { return counts_; }

  Machine& machine() { return machine_; }
  const Machine& machine() const { return machine_; }
  const Image& image() const { return image_; }
  /// `name`, `name+n` or six digits.
  std::string symbolic(std::uint32_t address) const;
  /// Symbolic place and source line, for messages.
  std::string placeOf(std::uint32_t address) const;
  /// Line above the trace's columns.
  static std::string traceHeader();

 private:
  struct Before;
  bool observed() const;
  StopReport runFast(std::uint64_t instructions);
  std::optional<StopReport> stepOne();
  std::optional<StopReport> retire(const Before& before);
  std::optional<StopReport> checkMemory(const Effects& effects, std::uint32_t pc);
  std::optional<StopReport> hitBreakpoint();
  std::optional<StopReport> wait(StopReason why, const Before& before);
  StopReport ended(StopReason why);
  StopReport deadlock();
  void traceLine(const Before& before);
  const std::optional<Instruction>& decoded(std::uint32_t word);

  Machine& machine_;
  const Image& image_;
  SessionOptions options_;
  std::vector<Breakpoint> breakpoints_;
  int nextId_ = 1;
  std::unordered_map<std::uint32_t, Counts> counts_;
  std::unordered_map<std::uint32_t, std::optional<Instruction>> decoded_;
  debug::Program places_;
  std::vector<bool> inText_;  ///< by address: word of a text section
  bool stackSeen_ = false;
  bool skipBreakpoint_ = false;  ///< the one at the PC has just been reported
};

}  // namespace rtvp::c32
