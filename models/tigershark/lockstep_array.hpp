// SystemC shell of the lockstep array: one SC_THREAD owns the engine for all lanes (design.md
// section 8).
//
// The thread waits only where something outside can take part: at every barrier release (the PLD
// may give the bus to the host there) and when all lanes wait for the chain. Between two such
// points the engine runs ahead; its shared-bus accesses carry their own time in the transport
// delay.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "models/common/core/work_pool.hpp"
#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"
#include "models/tigershark/array_control.hpp"
#include "models/tigershark/array_engine.hpp"
#include "models/tigershark/array_recorder.hpp"
#include "models/tigershark/array_trace.hpp"
#include "models/tigershark/board_clock.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::tigershark {

/// What the array tells the PLD.
class ArrayListener {
 public:
  virtual ~ArrayListener() = default;
  virtual void chainOutput(std::uint32_t word, Cycle arrival) = 0;
  /// No word will come to the first node unless somebody outside the board does something.
  [[nodiscard]] virtual bool inputOver() const = 0;
  /// The DSPs yielded the bus to the host.
  virtual void holdGranted() = 0;
  /// First violation: latched in ERR_* before the simulation stops.
  virtual void arrayFailed(const ArrayError& error) = 0;
};

/// Where firmware that walks a database keeps what tests are counted by.
struct WalkMarks {
  std::uint32_t tmax = 0;  ///< word of internal RAM: how far the lane's ray looks; none above zero
  std::uint32_t code = 0;  ///< internal address of an instruction of this firmware,
  std::uint32_t word = 0;  ///< and the instruction: other firmware has something else there
};

struct LockstepArrayConfig {
  ArrayConfig array;
  std::uint32_t sramWords =
      128 * 1024;                ///< populated words from address 0; the rest is a bus error
  std::uint32_t waitStates = 0;  ///< what the memory asks for through RDY
  /// Speed setting: wait for the time of every shared word instead of running ahead to the next
  /// barrier. Cycles, statistics and results are the same (design.md section 5).
  bool strict = false;
  /// Speed setting: read the memory through a pointer where it grants one (TLM's direct memory
  /// interface); with strict timing too, each at its time.
  bool dmi = true;
  /// Speed setting: words in a row that one transaction fetches where there is no such pointer, 1:
  /// each its own. Words that nobody asks for in the end are not counted.
  std::uint32_t burst = 16;
  /// Speed setting: H1 cycles that the lanes may run without a barrier before the kernel gets a
  /// say; an endless loop then still advances time.
  Cycle quantum = 1'000'000;
  EngineChoice engine;  ///< speed setting: who simulates the DSPs
  /// Speed setting: threads that run it ahead while the board is left alone; null: nobody does.
  std::shared_ptr<common::WorkPool> pool;
  std::optional<WalkMarks> walk;  ///< nothing: tests cannot be told, and are not reported
  /// Symbol and source line of a program counter for reports ("record+3 (traverse.asm:55)"), or
  /// empty.
  std::function<std::string(std::uint32_t pc)> locate;
};

class LockstepArray : public sc_core::sc_module, private ArrayBoard {
 public:
  LockstepArray(const sc_core::sc_module_name& name, const LockstepArrayConfig& config,
                const BoardClock& clock);
  ~LockstepArray() override;

  tlm_utils::simple_initiator_socket<LockstepArray> bus_isock;

  // ---- driven by the PLD
  void listen(ArrayListener& listener) { listener_ = &listener; }
  void setReset(bool asserted);
  void requestHold(bool requested);
  void chainInput(std::uint32_t word, Cycle arrival);
  [[nodiscard]] bool holdGranted() const { return holdGranted_; }

  // ---- driven by the host
  /// A promise, which a device driver can make that sleeps: until `until`, or until it is taken
  /// back by SC_ZERO_TIME, nobody resets the board, asks for its bus, sends words to its FIFO but
  /// by the transfer that is under way, or looks at its array. To break it ends the run.
  void leaveAlone(const sc_core::sc_time& until) { aloneUntil_ = until; }

  // ---- for a debugger
  /// Before the simulation. The lanes then never wait within an instruction (no strict timing).
  void control(ArrayControl& control);
  /// Is told what happens at the DSPs' pins while the control steps.
  void watchPins(ArrayProbe& probe) { pins_.watcher = &probe; }
  /// Is told what happens at the pins, at the chain's begin and at the barrier from here on, in
  /// every engine; null: nobody. Without a control.
  void record(ArrayProbe* probe);
  [[nodiscard]] ArrayEngine& engine() {
    land();
    return *engine_;
  }
  [[nodiscard]] const BoardClock& clock() const { return clock_; }
  /// The lanes stand behind their last instruction begun before `cycle`; from a process of the
  /// simulation, at that time, as the control's limit.
  void comeTo(Cycle cycle);
  /// A word that `lane` sees at an address, inside or out, without side effects; empty: nothing
  /// answers.
  [[nodiscard]] std::optional<std::uint32_t> look(int lane, std::uint32_t address);
  /// Changes it; false if it cannot be changed.
  bool change(int lane, std::uint32_t address, std::uint32_t word);
  /// A register of a lane's processor was changed (ArrayRecorder::setRegister()).
  void registerChanged(int lane, unsigned number, std::uint64_t raw) {
    if (recorder_ != nullptr) recorder_->setRegister(lane, number, raw);
  }

  /// Before the simulation: what comes into the engine is told to `recorder` until that has enough.
  /// Words of the shared memory are then asked for one by one.
  void recordInputs(ArrayRecorder& recorder) { recorder_ = &recorder; }
  /// What the engine was made with.
  [[nodiscard]] const ArrayConfig& engineConfig() const { return config_.array; }

  // ---- observers
  [[nodiscard]] const ArrayEngine& engine() const {
    land();
    return *engine_;
  }
  [[nodiscard]] Cycle now() const { return clock_.cycleAt(sc_core::sc_time_stamp()); }
  /// H1 cycles in which nodes wanted the bus while the host had it (TS-063).
  [[nodiscard]] Cycle heldForHost() const { return heldForHost_; }
  [[nodiscard]] bool inReset() const { return inReset_; }
  /// Words that reached the array by pointer, less those of bursts that it had no use for: what the
  /// memory's own count of words lacks.
  [[nodiscard]] std::int64_t uncountedReads() const {
    land();
    return uncounted_ - static_cast<std::int64_t>(burstEnd_ - burstNext_);
  }
  [[nodiscard]] std::string describe() const;
  void report(common::StatGroup& stats) const;
  using sc_core::sc_module::trace;
  /// Signals of the array, its bus and its DSPs; `board`: where they belong.
  void trace(const common::TraceScope& board);
  /// Before the simulation: counts tests by lane too (takeLaneTests()); needs `walk`.
  void countLanes();
  /// What each lane's ray was tested against since the last call; empty if nobody counts. The
  /// record that the lanes are at is not in it.
  struct LaneTests {
    std::uint64_t tests = 0, boxTests = 0;
  };
  [[nodiscard]] std::vector<LaneTests> takeLaneTests();
  /// Of the whole run, all resets included.
  [[nodiscard]] ArrayCounters totals() const;
  [[nodiscard]] c32::CpuStatistics laneTotals(int lane) const;
  /// Before the simulation: keeps account of where the DSPs' cycles go.
  void keepAccounts();
  /// Of the whole run, all resets included, by instruction; adds up to laneTotals().
  [[nodiscard]] c32::PlaceCosts laneCosts(int lane) const;

  /// Nothing is under way: state() is all there is.
  [[nodiscard]] bool quiescent() const;
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  void keepTotals();
  [[nodiscard]] Cycle recordedUntil(Cycle begin);
  [[nodiscard]] Cycle tracedUntil(Cycle begin);
  void updateProbe();
  [[nodiscard]] Cycle countedUntil() const;
  void run();
  void step();
  void conclude(const ArrayOutcome& outcome);
  ArrayOutcome advance();
  ArrayOutcome advanceTo(Cycle horizon);
  void release(Cycle edge, Cycle resume);
  // ahead of the kernel
  [[nodiscard]] bool alone() const;
  [[nodiscard]] bool early() const;
  [[nodiscard]] bool beginsAhead() const;
  [[nodiscard]] Cycle chainLead() const;
  void stepAhead();
  void runAhead();
  void deliver();
  void land() const;
  void touched(const char* what);
  bool permitted();
  bool shared(bool write, std::uint32_t address, std::uint32_t& word);
  void finishBarrier(Cycle edge);
  void countRecord();
  void settleRecord();
  void waitForInput();
  void grantHold();
  void waitUntil(Cycle cycle);  ///< or until the reset line is asserted
  [[noreturn]] void fail();
  [[nodiscard]] std::string located(const std::string& text) const;

  bool readDirect(std::uint32_t address, std::uint32_t& data);
  bool readBurst(const c32::BusRequest& request, std::uint32_t& data);
  void dropBurst();
  bool transport(bool write, std::uint32_t address, std::uint32_t* data, std::uint32_t words,
                 Cycle cycle);
  bool transact(bool write, std::uint32_t address, std::uint32_t* data, std::uint32_t words,
                Cycle cycle);
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
  SharedReply answer(const c32::BusRequest& request);
  SharedReply sharedAccess(const c32::BusRequest& request) override;
  SharedWindow sharedWindow() override;
  void sharedWindowRead(std::uint64_t words, Cycle cycle) override;
  void chainOutput(std::uint32_t word, Cycle arrival) override;

  LockstepArrayConfig config_;
  BoardClock clock_;
  std::unique_ptr<ArrayEngine> engine_;
  ArrayListener* listener_ = nullptr;
  /// The trace, a debugger and a recorder all look at the pins.
  struct Pins final : ArrayProbe {
    ArrayProbe* trace = nullptr;
    ArrayProbe* watcher = nullptr;
    ArrayProbe* recorder = nullptr;
    void voteDriven(std::size_t lane, bool low, Cycle cycle) override {
      for (ArrayProbe* const each : {trace, watcher, recorder})
        if (each != nullptr) each->voteDriven(lane, low, cycle);
    }
    void wordSent(std::size_t lane, std::uint32_t word, Cycle arrival) override {
      for (ArrayProbe* const each : {trace, watcher, recorder})
        if (each != nullptr) each->wordSent(lane, word, arrival);
    }
    void slept(std::size_t lane, Cycle from, Cycle to) override {
      for (ArrayProbe* const each : {trace, watcher, recorder})
        if (each != nullptr) each->slept(lane, from, to);
    }
    [[nodiscard]] bool wantsSleep() const override {
      return trace != nullptr && trace->wantsSleep();
    }
  };
  ArrayRecorder* recorder_ = nullptr;  ///< null: nobody, or it has enough
  ArrayControl* control_ = nullptr;    ///< null: no debugger
  Pins pins_;
  std::unique_ptr<ArrayTrace> trace_;  ///< null: not traced
  sc_core::sc_event changed_;          ///< reset, hold or chain input
  sc_core::sc_event pulled_;           ///< reset asserted: whatever the array waits for is void
  tlm::tlm_generic_payload payload_;

  const unsigned char* direct_ = nullptr;  ///< the memory's own words, null: not granted
  std::uint32_t directFirst_ = 0;
  std::uint32_t directWords_ = 0;
  std::vector<std::uint32_t> burst_;  ///< words fetched ahead, next to end
  std::uint32_t burstNext_ = 0;
  std::uint32_t burstEnd_ = 0;
  std::uint32_t burstAddress_ = 0;  ///< of the next
  std::uint32_t lastAddress_ = 0;
  std::uint32_t inRow_ = 0;     ///< reads, each of the word behind the one before
  std::int64_t uncounted_ = 0;  ///< uncountedReads() without the burst under way

  bool inReset_ = true;
  bool started_ = false;
  Cycle resetAt_ = 0;                          ///< when the reset line was asserted last
  ArrayCounters past_;                         ///< of the times before it
  std::vector<c32::CpuStatistics> pastLanes_;  ///< likewise, of each DSP
  bool accounts_ = false;
  std::vector<c32::PlaceCosts> pastCosts_;  ///< likewise, by instruction
  std::uint64_t running_ = 0;               ///< value of resets_ when the engine was last reset
  std::uint64_t resets_ = 0;                ///< tells a sleeper that a whole reset pulse passed
  bool holdRequested_ = false;
  bool holdGranted_ = false;
  Cycle holdSince_ = 0;   ///< when the request came
  Cycle lastShared_ = 0;  ///< end of the array's latest bus access
  Cycle heldForHost_ = 0;
  Cycle released_ = 0;    ///< latest barrier release
  bool walking_ = false;  ///< nothing but epochs since then
  // Tests: of a record against the rays that were open when it began. Whether it was a box is known
  // only when the vote line is read, or not, in the next epoch.
  bool counting_ = false;              ///< this walk is one of the firmware that `walk` describes
  unsigned open_ = 0;                  ///< rays at the latest release
  std::uint64_t votesAtRelease_ = 0;   ///< votes read until then
  std::optional<unsigned> unsettled_;  ///< open rays of the record before it
  std::uint64_t tests_ = 0;
  std::uint64_t boxTests_ = 0;
  std::vector<LaneTests> laneTests_;              ///< empty: nobody counts
  std::vector<bool> openLanes_, unsettledLanes_;  ///< the lanes of open_ and unsettled_
  Cycle walkCycles_ = 0;  ///< from barrier release to barrier release, without the chain between
  bool chainPending_ = false;
  Cycle chainDue_ = 0;      ///< when the engine must have seen the pending chain words
  bool waiting_ = false;    ///< for the chain or the host, with nothing left to do
  bool advancing_ = false;  ///< the engine is at work: with strict timing, others run meanwhile
  std::vector<std::pair<std::uint32_t, Cycle>> arrived_;  ///< chain words that came meanwhile
  Cycle linkCycles_ = 0;  ///< shortest time of a word over one link, rounded down

  /// What the engine does ahead of the kernel; while it is under way the job alone touches the
  /// engine and what advancing changes.
  struct Ahead {
    struct Sent {
      std::uint32_t word = 0;
      Cycle arrival = 0;
    };
    common::WorkPool::Job job;  ///< its place: begin of the advance that is under way
    bool active = false;
    // what it may do
    Cycle begin = 0;
    bool through = false;  ///< from barrier to barrier
    sc_core::sc_time until;
    std::atomic<bool> abandoned{false};  ///< nobody wants to know what comes of it
    // what came of it
    ArrayOutcome outcome;
    std::mutex mutex;
    std::vector<Sent> sent;       ///< under the mutex
    std::vector<Sent> delivered;  ///< the kernel's
  };
  std::unique_ptr<Ahead> ahead_;  ///< null: without a pool
  sc_core::sc_time aloneUntil_;   ///< leaveAlone()
  Cycle aheadFrom_ = 0;  ///< words were taken before their time: when they would have been, else 0
  bool polls_ = false;   ///< since the reset a lane has run up to a horizon
  bool inTime_ = false;  ///< since then a batch has gone through without a word that came late
};

}  // namespace rtvp::tigershark
