// The host computer as its devices see it: one processor that reads, writes and waits for
// interrupts. Whatever software runs on the host (ray tree, drivers) runs as tasks of this
// processor and reaches a device only through HostBus. One task holds the processor at a time; it
// is charged for what it does and gives the processor up only where it waits.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/bus_master.hpp"
#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"
#include "platform/drivers/time_text.hpp"
#include "platform/raytree/host_work.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::host {

/// What a device driver can do. All calls take simulated time and may only be made from tasks of
/// the host's processor.
class HostBus : public WorkMeter {
 public:
  /// Physical byte addresses, multiples of 4. Accesses that fail report kPciAbort and do not
  /// return.
  [[nodiscard]] virtual std::uint32_t read32(std::uint64_t address) = 0;
  virtual void write32(std::uint64_t address, std::uint32_t value) = 0;
  virtual void readBlock(std::uint64_t address, std::span<std::uint32_t> words) = 0;
  virtual void writeBlock(std::uint64_t address, std::span<const std::uint32_t> words) = 0;
  /// The same for a scene's data that go where a machine keeps them: the processor's own port is
  /// not faster than `WorkCosts::port` says, however fast the memory takes them.
  virtual void upload(std::uint64_t address, std::span<const std::uint32_t> words) {
    writeBlock(address, words);
  }

  /// Level of an interrupt line.
  [[nodiscard]] virtual bool interrupt(std::size_t line) const = 0;
  /// Sleeps until one of `lines` is asserted (at once if one is) or `deadline` is reached; true if
  /// one is. No other line wakes it. `why` is what a deadlock report says.
  virtual bool await(std::span<const std::size_t> lines, const sc_core::sc_time& deadline,
                     const std::string& why) = 0;
  /// Sleeps.
  virtual void waitFor(const sc_core::sc_time& duration, const std::string& why) = 0;
  [[nodiscard]] virtual sc_core::sc_time now() const = 0;
  /// A time in a report, which has them all in one unit: HostProcessConfig::reportHz.
  [[nodiscard]] virtual std::string timeText(const sc_core::sc_time& time) const {
    return host::timeText(time);
  }
  /// The processor's own work, which takes what WorkCosts say. A bus of a processor without costs
  /// need not know about it.
  void work(Work kind, std::uint64_t count) override {
    (void)kind;
    (void)count;
  }

  // ---- tasks
  /// One more task of this processor; it begins when the processor is free. Of several that want it
  /// the one with the highest `priority` has it first (the program: kProgramPriority). What it
  /// throws ends the run.
  static constexpr int kProgramPriority = 1000;
  virtual void spawn(const std::string& name, int priority, std::function<void()> task) = 0;
  /// Sleeps until `ready` holds; it is looked at again after every wake().
  virtual void awaitTask(const std::function<bool()>& ready, const std::string& why) = 0;
  /// Something that tasks wait for may have come true.
  virtual void wake() = 0;
  /// Lets a task that wants the processor have it first; takes no time if there is none.
  virtual void yield() = 0;
};

/// What the processor's own work costs (docs/processor.md).
struct WorkCosts {
  std::array<std::uint64_t, kWorkKinds> ps{};  ///< simulated time of one piece, by kind
  double clockHz = 1e9;                        ///< turns times into cycles for the statistics
  /// What the processor's port carries while a scene is uploaded.
  struct Port {
    std::uint64_t widthBytes = 0;  ///< a clock; 0: any number
    std::uint64_t periodPs = 1000;
    /// Time of `bytes`, whole clocks.
    [[nodiscard]] sc_core::sc_time timeOf(std::uint64_t bytes) const;
  } port = {};
};

struct HostProcessConfig {
  std::size_t interruptLines = 1;
  WorkCosts costs = {};
  /// Reports give times in cycles of this clock; 0: in microseconds.
  std::uint64_t reportHz = 0;
  std::function<void(HostBus&)>
      program;  ///< what the host runs; the simulation stops when it returns
};

class HostProcess : public sc_core::sc_module, private HostBus {
 public:
  HostProcess(const sc_core::sc_module_name& name, HostProcessConfig config);
  ~HostProcess() override;

  tlm_utils::simple_initiator_socket<HostProcess> bus_isock;
  sc_core::sc_vector<sc_core::sc_in<bool>> inta_i;  ///< one line a device, asserted = true

  /// The program returned, or a task threw.
  [[nodiscard]] bool finished() const { return finished_; }
  /// What a task threw, if anything.
  [[nodiscard]] const std::exception_ptr& error() const { return error_; }
  /// What the tasks wait for and since when; for deadlock reports.
  [[nodiscard]] std::string waitingFor() const;
  [[nodiscard]] std::string timeText(const sc_core::sc_time& time) const override;

  void report(common::StatGroup& stats) const;
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);
  /// Times that do not add up, of a program that returned.
  [[nodiscard]] std::vector<std::string> problems() const;
  using sc_core::sc_module::trace;
  void trace(const common::TraceScope& scope);

 private:
  struct Task {
    std::string name;
    int priority = kProgramPriority;
    std::string why = "start of simulation";
    sc_core::sc_time since;
    sc_core::sc_event granted;  ///< the processor is this task's
    bool over = false;
  };
  enum class State : std::uint8_t { Run, Interrupt, Delay };
  using Lines = std::vector<std::size_t>;

  std::uint32_t read32(std::uint64_t address) override;
  void write32(std::uint64_t address, std::uint32_t value) override;
  void readBlock(std::uint64_t address, std::span<std::uint32_t> words) override;
  void writeBlock(std::uint64_t address, std::span<const std::uint32_t> words) override;
  void upload(std::uint64_t address, std::span<const std::uint32_t> words) override;
  [[nodiscard]] bool interrupt(std::size_t line) const override;
  bool await(std::span<const std::size_t> lines, const sc_core::sc_time& deadline,
             const std::string& why) override;
  void waitFor(const sc_core::sc_time& duration, const std::string& why) override;
  [[nodiscard]] sc_core::sc_time now() const override { return sc_core::sc_time_stamp(); }
  void spawn(const std::string& name, int priority, std::function<void()> task) override;
  void awaitTask(const std::function<bool()>& ready, const std::string& why) override;
  void wake() override { changed_.notify(sc_core::SC_ZERO_TIME); }
  void yield() override;
  /// The same for tasks of no lower priority: between the pieces of a copy.
  void yieldToUrgent();
  void work(Work kind, std::uint64_t count) override;

  void run();
  void perform(Task& task, const std::function<void()>& program);
  enum class Access : std::uint8_t { Read, Write, Upload };
  void transfer(Access access, std::uint64_t address, std::uint32_t* words, std::size_t count);
  void acquire(Task& task);
  /// The running task leaves the processor to the next in the queue, or asleep in `state`.
  void release(State state);
  Task& beginWait(const std::string& why);
  [[nodiscard]] bool any(std::span<const std::size_t> lines) const;
  const sc_core::sc_event_or_list& eventsOf(std::span<const std::size_t> lines);
  void enter(State state) const;
  /// Counts work and says how long it takes.
  sc_core::sc_time charge(Work kind, std::uint64_t count);
  [[nodiscard]] sc_core::sc_time workTime() const;
  void reportWork(common::StatGroup& stats, std::uint64_t cycles) const;
  [[nodiscard]] std::uint64_t workCycles(std::size_t kind) const;

  HostProcessConfig config_;
  common::BusMaster bus_;
  std::map<Lines, std::unique_ptr<sc_core::sc_event_or_list>> events_;
  std::deque<std::unique_ptr<Task>> tasks_;
  Task* holder_ = nullptr;   ///< who has the processor
  std::deque<Task*> queue_;  ///< who wants it, in order
  sc_core::sc_event changed_;
  sc_core::sc_time idleSince_;
  bool finished_ = false;
  std::exception_ptr error_;
  std::uint64_t wordsRead_ = 0;
  std::uint64_t wordsWritten_ = 0;
  std::uint64_t wordsUploaded_ = 0;  ///< of these
  sc_core::sc_time uploading_;       ///< part of accessed_
  std::uint64_t interrupts_ = 0;
  sc_core::sc_time waited_;
  sc_core::sc_time accessed_;  ///< in accesses, without the processor's own share
  sc_core::sc_time end_;       ///< of the program
  std::array<std::uint64_t, kWorkKinds> work_{};  ///< pieces, by kind
  common::TraceSignal state_;
};

}  // namespace rtvp::host
