// The lockstep array as plain C++: N processors, the shared-bus contract, the barrier, the vote
// line and the chain links between neighbours. Knows integer H1 cycles and nothing of SystemC;
// LockstepArray is its shell.
//
// An engine runs its lanes ahead of the outside world as far as nothing outside can matter, then
// says why it stopped: a barrier is complete, everybody waits for the chain, a cycle limit, or an
// error. That makes the outcome independent of how often the shell calls (design.md section 5: a
// speed setting never changes cycles).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/cpu.hpp"
#include "models/c32/port.hpp"
#include "models/c32/simt/kernels.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::tigershark {

using c32::Cycle;

struct ArrayConfig {
  int lanes = 16;        ///< DSPs on the board, 1..512 (the product offers 4..512)
  c32::CpuConfig cpu;    ///< clock rates and documented options of every DSP
  Cycle riseCycles = 2;  ///< vote line: release to high through the pull-up (board.md 1.3 t_rise)
  Cycle syncCycles = 3;  ///< XF input synchroniser (c32.md 9.1)
  Cycle releaseCycles = 4;  ///< last arrival to release edge (board.md 2.1)
  Cycle holdCycles =
      3;  ///< HOLD to bus released; an access sooner after the arrival is not held (c32.md 9.3)
};

/// The board's side of the shared bus and the end of the chain.
class ArrayBoard {
 public:
  virtual ~ArrayBoard() = default;
  struct SharedReply {
    bool error = false;  ///< nothing answers at that address
    std::uint32_t data = 0;
    std::uint32_t waitStates = 0;
  };
  /// The master's access, once for all lanes, in `request.cycle`.
  virtual SharedReply sharedAccess(const c32::BusRequest& request) = 0;
  /// Words of the memory that can be read without sharedAccess(), until it is called again or the
  /// engine returns.
  struct SharedWindow {
    const unsigned char* bytes = nullptr;  ///< of word `first`, in the host's order; null: none
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t waitStates = 0;
  };
  virtual SharedWindow sharedWindow() { return {}; }
  /// So many words were read that way, the last one in `cycle`.
  virtual void sharedWindowRead(std::uint64_t /*words*/, Cycle /*cycle*/) {}
  /// The last node's transmitter delivered `word`; it is complete in `arrival`, which may lie
  /// ahead.
  virtual void chainOutput(std::uint32_t word, Cycle arrival) = 0;
};

/// Sees what the lanes do at their pins; for traces. Calls come in program order of a lane, not in
/// order of time between lanes, and with the lane's own time.
class ArrayProbe {
 public:
  virtual ~ArrayProbe() = default;
  /// `lane` starts to pull the vote line low, or lets go, at the end of `cycle`.
  virtual void voteDriven(std::size_t lane, bool low, Cycle cycle) = 0;
  /// `lane` sends a word to its neighbour, where it is complete in `arrival`.
  virtual void wordSent(std::size_t lane, std::uint32_t word, Cycle arrival) = 0;
  /// `lane` was in IDLE from cycle `from` up to `to`, when a word or an interrupt woke it.
  virtual void slept(std::size_t /*lane*/, Cycle /*from*/, Cycle /*to*/) {}
  /// It wants to be told of that, which costs speed.
  [[nodiscard]] virtual bool wantsSleep() const { return false; }
  // ---- from the shell, not from the engine
  /// A word from outside is complete at the first lane in `arrival`.
  virtual void wordReceived(std::uint32_t /*word*/, Cycle /*arrival*/) {}
  /// The barrier lets all lanes go in `edge`.
  virtual void released(Cycle /*edge*/) {}
};

/// What went wrong and who did it; the fields that do not apply are empty.
struct ArrayError {
  enum class Kind : std::uint8_t {
    Lockstep,  ///< address, strobe or cycle differs, access outside an epoch, access not pending at
               ///< the release
    SlaveWrite,  ///< TS-005
    Contention,  ///< a lane drives the wire-OR line high
    DspFault,    ///< the processor stopped
  };
  Kind kind = Kind::Lockstep;
  int lane = 0;
  std::uint32_t pc = 0;
  std::uint32_t word = 0;     ///< instruction at pc
  std::uint32_t address = 0;  ///< of the access
  Cycle cycle = 0;
  std::string what;    ///< what this lane did
  std::string others;  ///< what the master or the other lanes did
};

struct ArrayOutcome {
  enum class Kind : std::uint8_t {
    Barrier,  ///< all lanes arrived with an access pending; release() may be called for `cycle` or
              ///< later
    Quiescent,  ///< every lane waits for the chain (or some arrived and the rest wait): needs
                ///< chainInput()
    Horizon,    ///< the cycle limit was reached
    Error,      ///< error() tells
  };
  Kind kind = Kind::Quiescent;
  Cycle cycle = 0;  ///< Barrier: earliest release edge; Horizon: the limit; Error: when
};

/// Totals over all lanes since reset, and the array's own counters.
struct ArrayCounters {
  std::uint64_t instructions = 0;
  std::uint64_t executing = 0;  ///< lane cycles spent executing
  std::uint64_t busWait = 0;    ///< lane cycles in wait states or behind an earlier access
  std::uint64_t held = 0;       ///< lane cycles held at a barrier (HOLD asserted by the PLD)
  std::uint64_t idle = 0;       ///< lane cycles in IDLE
  std::uint64_t conflict =
      0;  ///< lane cycles lost to conflicts: registers, RAM ports, stores, DMA (c32.md 7.4, 7.5)
  std::uint64_t interrupt = 0;  ///< lane cycles entering interrupt routines
  std::uint64_t other = 0;      ///< lane cycles in reset release, interlocks and low-power mode
  std::uint64_t total = 0;      ///< lane cycles since reset; the seven above add up to it
  std::uint64_t barriers = 0;
  std::uint64_t votes = 0;          ///< vote-line readings (counted once for all lanes)
  std::uint64_t skips = 0;          ///< readings that found the line high: nobody hit
  std::uint64_t voters = 0;         ///< lanes that pulled the line low, summed over readings
  std::uint64_t sharedReads = 0;    ///< broadcast words, data
  std::uint64_t sharedFetches = 0;  ///< broadcast words, instructions and vectors
  std::uint64_t sharedWrites = 0;
  std::uint64_t chainWords =
      0;  ///< words sent over the links between nodes, the last node's output included
  std::uint64_t lateWords =
      0;  ///< words that reached a node later than its own time (a modelling limit, reported)
  std::uint64_t lostWords = 0;  ///< words lost in a receiver that was not read in time
  std::uint64_t epochSkew =
      0;  ///< lane cycles between a lane's arrival and the last arrival, summed

  void add(const ArrayCounters& c) {
    for (std::uint64_t ArrayCounters::*const field :
         {&ArrayCounters::instructions, &ArrayCounters::executing,   &ArrayCounters::busWait,
          &ArrayCounters::held,         &ArrayCounters::idle,        &ArrayCounters::conflict,
          &ArrayCounters::interrupt,    &ArrayCounters::other,       &ArrayCounters::total,
          &ArrayCounters::barriers,     &ArrayCounters::votes,       &ArrayCounters::skips,
          &ArrayCounters::voters,       &ArrayCounters::sharedReads, &ArrayCounters::sharedFetches,
          &ArrayCounters::sharedWrites, &ArrayCounters::chainWords,  &ArrayCounters::lateWords,
          &ArrayCounters::lostWords,    &ArrayCounters::epochSkew}) {
      this->*field += c.*field;
    }
  }
};

/// Per-lane view for debuggers, statistics and tests.
struct LaneView {
  Cycle cycle = 0;
  std::uint32_t pc = 0;
  bool arrived = false;
  Cycle arrival = 0;            ///< if arrived: the write that pulled XF1 low ended with this cycle
  bool idle = false;            ///< and nothing is on its way to it
  bool asleep = false;          ///< in IDLE, since `cycle`
  bool votes = false;           ///< pulls the vote line low
  std::uint32_t waitedAt = 0;   ///< where it was held at a barrier last
  std::uint64_t wordsSent = 0;  ///< to its neighbour, resets not counted
  Cycle lastSent = 0;           ///< when the last of them is complete there
  c32::CpuStatistics statistics;
};

class ArrayEngine {
 public:
  virtual ~ArrayEngine() = default;
  /// Reset line released in `cycle`: all lanes start together; counters restart.
  virtual void reset(Cycle cycle) = 0;
  /// Runs until nothing can happen without the outside, but not beyond `horizon`.
  virtual ArrayOutcome advance(Cycle horizon) = 0;
  /// After Outcome::Barrier: all pending accesses start in `edge` (>= outcome.cycle).
  virtual void release(Cycle edge) = 0;
  /// A word enters node 0's receiver; complete in `arrival`.
  virtual void chainInput(std::uint32_t word, Cycle arrival) = 0;

  [[nodiscard]] virtual const ArrayError& error() const = 0;
  [[nodiscard]] virtual ArrayCounters counters(Cycle now) const = 0;
  /// What a lane's cycles went to; where it waits, the time until `now` is in it, so that the
  /// lanes' causes add up to counters(now).
  [[nodiscard]] virtual c32::CpuStatistics laneStatistics(int index, Cycle now) const = 0;
  [[nodiscard]] virtual LaneView lane(int index) const = 0;
  [[nodiscard]] virtual bool allArrived() const = 0;
  [[nodiscard]] virtual bool voteLineHigh(Cycle cycle) const = 0;
  /// Debug access to a lane's internal memory and peripherals; no side effect. Empty if the address
  /// is external.
  [[nodiscard]] virtual std::optional<std::uint32_t> peek(int lane,
                                                          std::uint32_t address) const = 0;
  // ---- for counters, at a complete barrier; both cheap
  /// Lanes whose word at `address`, in internal RAM, is a single float above zero.
  [[nodiscard]] virtual unsigned lanesAboveZero(std::uint32_t address) const = 0;
  /// Likewise, of one lane.
  [[nodiscard]] virtual bool isAboveZero(int lane, std::uint32_t address) const = 0;
  /// ArrayCounters::votes.
  [[nodiscard]] virtual std::uint64_t votes() const = 0;
  /// Null (the default): nobody looks.
  virtual void setProbe(ArrayProbe* /*probe*/) {}
  // ---- for a debugger, between two advances
  /// Begin of the next instruction of any lane, kNever if every lane waits for others or for the
  /// outside.
  [[nodiscard]] virtual Cycle nextStart() const = 0;
  /// The processor itself: registers and memory may be changed.
  [[nodiscard]] virtual c32::Cpu& processor(int lane) = 0;
  /// The lanes go a few cycles at a time from here on: no engine that needs many pays. The same
  /// results either way.
  virtual void setStepping(bool /*stepping*/) {}
  /// Places that lanes come to a halt in front of: by lane the one object there is, or null for a
  /// lane that has none. It outlives its use. A lane that stands at a place now goes on.
  virtual void setStops(const std::vector<const c32::StopPlaces*>& lanes) = 0;
  /// Begin of the earliest instruction that a lane has halted in front of since setStops(): no lane
  /// has missed an earlier one, but others may have run beyond. kNever: none has halted.
  [[nodiscard]] virtual Cycle halted() const = 0;
  // ---- for checkpoints
  /// All lanes sleep, nothing is on its way to them.
  [[nodiscard]] virtual bool asleep() const = 0;
  /// The lanes' state as they sleep; every engine goes on with that of every other.
  virtual void state(common::StateArchive& a) = 0;
  // ---- for a profile
  /// Before the first reset: keeps account of where the lanes' cycles go.
  virtual void keepAccounts() = 0;
  /// What a lane's cycles went to by instruction, if that is kept; its waiting until `now`
  /// included. Adds up to laneStatistics().
  [[nodiscard]] virtual c32::PlaceCosts laneCosts(int lane, Cycle now) const = 0;
  /// One line per distinct lane state, for deadlock reports: who waits for what since when.
  [[nodiscard]] virtual std::string describe() const = 0;

  /// How the host simulated it: differs between engines that simulate the same.
  struct HostCounters {
    std::string engine = "scalar";          ///< and its instruction set
    std::uint64_t takeovers = 0;            ///< vector engine: times it took the lanes over
    std::uint64_t issues = 0;               ///< instructions it issued, each to a group of lanes
    std::uint64_t instructions = 0;         ///< instructions it executed, all lanes
    std::uint64_t serviceInstructions = 0;  ///< instructions executed in blocks (c32/blocks)
    std::uint64_t waveInstructions = 0;     ///< those of them that summaries did
    std::uint64_t passageInstructions = 0;  ///< and those of them that host code did
    std::uint64_t lapInstructions = 0;      ///< and those of these in laps: whole messages
    std::uint64_t bytes = 0;  ///< of host memory that grow with the lanes: processors, what engines
                              ///< keep of each; not code that all share
  };
  [[nodiscard]] virtual HostCounters hostCounters() const { return {}; }
};

/// The scalar engine: one c32::Cpu a lane, lanes run one after the other (design.md section 8).
std::unique_ptr<ArrayEngine> makeScalarArray(const ArrayConfig& config, ArrayBoard& board);

/// Which engine simulates an array. A speed setting: every choice gives the same results, times and
/// statistics.
struct EngineChoice {
  enum class Kind : std::uint8_t { Auto, Scalar, Simt } kind = Kind::Scalar;
  /// Instruction set of the host for Simt; empty: the best one for the number of lanes.
  std::optional<c32::simt::Isa> isa{};
  /// What Simt does with lanes that serve the chain.
  enum class Chain : std::uint8_t {
    Wave,       ///< summaries that come often run as host code (c32/blocks/turn_code.hpp), whole
                ///< messages as one (c32/blocks/lap.hpp)
    Summaries,  ///< turns from IDLE to IDLE summarised (c32/blocks/wave.hpp), the rest in blocks
    Blocks,     ///< blocks of instructions (c32/blocks/engine.hpp), the rest on the processor
    Steps,      ///< the processor, as Scalar does
  } chain = Chain::Wave;
  /// Visits before Simt compiles a straight run of floats (c32/simt/runs.hpp); 0: it never does.
  unsigned runPatience = 8;
};

/// The chosen engine. Throws std::invalid_argument if this host lacks the instruction set asked
/// for.
std::unique_ptr<ArrayEngine> makeArray(const ArrayConfig& config, ArrayBoard& board,
                                       const EngineChoice& choice);

}  // namespace rtvp::tigershark
