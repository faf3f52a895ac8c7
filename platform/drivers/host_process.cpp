#include "platform/drivers/host_process.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/common/core/state.hpp"
#include "models/common/core/text.hpp"
#include "models/common/hertz_clock.hpp"
#include "models/common/report_ids.hpp"
#include "platform/drivers/time_text.hpp"

namespace rtvp::host {
namespace {

// A block moves in pieces, so that others get the bus in between and time advances while a page
// loads.
constexpr std::size_t kPieceWords = 256;

constexpr std::size_t kStackBytes = std::size_t{4} << 20U;  // ray trees grow on these stacks
constexpr const char* kRuns = "nothing (it runs)";

}  // namespace

HostProcess::HostProcess(const sc_core::sc_module_name& name, HostProcessConfig config)
    : sc_module(name),
      bus_isock("bus_isock"),
      inta_i("inta_i", config.interruptLines),
      config_(std::move(config)),
      // Its clock turns nothing into cycles: an access takes the delay that its target says.
      bus_(common::ClockDomain(sc_core::sc_get_time_resolution()), false,
           common::BusMaster::through(bus_isock)) {
  SC_HAS_PROCESS(HostProcess);
  SC_THREAD(run);
  set_stack_size(kStackBytes);
}

HostProcess::~HostProcess() = default;

void HostProcess::run() {
  tasks_.push_back(std::make_unique<Task>());
  perform(*tasks_.back(), [this] { config_.program(*this); });
}

void HostProcess::perform(Task& task, const std::function<void()>& program) {
  acquire(task);
  try {
    program();
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // the kernel ends this process
  } catch (...) {
    if (!error_) error_ = std::current_exception();
  }
  task.over = true;
  // The first task is the program: when it has returned, nothing is left to do.
  if (error_ || &task == tasks_.front().get()) {
    finished_ = true;
    end_ = sc_core::sc_time_stamp();
    sc_core::sc_stop();
  }
  release(State::Interrupt);
}

void HostProcess::spawn(const std::string& name, int priority, std::function<void()> program) {
  Task& task = *tasks_.emplace_back(std::make_unique<Task>());
  task.name = name;
  task.priority = priority;
  task.since = sc_core::sc_time_stamp();
  sc_core::sc_spawn_options options;
  options.set_stack_size(kStackBytes);
  sc_core::sc_spawn([this, &task, program = std::move(program)] { perform(task, program); },
                    name.c_str(), &options);
}

// ---- who has the processor

void HostProcess::acquire(Task& task) {
  if (holder_ == nullptr) {
    holder_ = &task;
    waited_ += sc_core::sc_time_stamp() - idleSince_;
    enter(State::Run);
    return;
  }
  const auto behind = std::find_if(queue_.begin(), queue_.end(), [&](const Task* other) {
    return other->priority < task.priority;
  });
  queue_.insert(behind, &task);
  while (holder_ != &task) wait(task.granted);
}

void HostProcess::release(State state) {
  holder_ = nullptr;
  if (!queue_.empty()) {
    holder_ = queue_.front();
    queue_.pop_front();
    holder_->granted.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  idleSince_ = sc_core::sc_time_stamp();
  if (!finished_) enter(state);
}

void HostProcess::yield() {
  if (queue_.empty()) return;
  Task& task = *holder_;
  release(State::Run);
  acquire(task);
}

void HostProcess::yieldToUrgent() {
  if (!queue_.empty() && queue_.front()->priority >= holder_->priority) yield();
}

HostProcess::Task& HostProcess::beginWait(const std::string& why) {
  Task& task = *holder_;
  task.why = why;
  task.since = sc_core::sc_time_stamp();
  return task;
}

std::string HostProcess::timeText(const sc_core::sc_time& time) const {
  if (config_.reportHz == 0) return HostBus::timeText(time);
  return "cycle " + std::to_string(common::HertzClock(config_.reportHz).cycleAt(time));
}

std::string HostProcess::waitingFor() const {
  std::string text;
  for (const auto& task : tasks_) {
    if (task->over) continue;
    const std::string who = task->name.empty() ? std::string(name()) : task->name;
    text += (text.empty() ? "" : "; ") + who + " waits for " + task->why + " since " +
            timeText(task->since);
  }
  return text;
}

// ---- accesses

sc_core::sc_time WorkCosts::Port::timeOf(std::uint64_t bytes) const {
  if (widthBytes == 0) return sc_core::SC_ZERO_TIME;
  return sc_core::sc_time::from_value((bytes + widthBytes - 1) / widthBytes * periodPs);
}

void HostProcess::transfer(Access access, std::uint64_t address, std::uint32_t* words,
                           std::size_t count) {
  const bool write = access != Access::Read;
  while (count > 0) {
    const std::size_t piece = std::min(count, kPieceWords);
    const std::size_t bytes = piece * sizeof(std::uint32_t);
    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (bus_.send(write, address, reinterpret_cast<std::uint8_t*>(words), bytes, delay) !=
        tlm::TLM_OK_RESPONSE) {
      const std::string text = std::string(name()) + " at " + timeText(sc_core::sc_time_stamp()) +
                               ": " + (write ? "write" : "read") + " of " + std::to_string(bytes) +
                               " bytes at " + common::hexLowerH(address) + " answered " +
                               bus_.statusText();
      SC_REPORT_ERROR(report_ids::kPciAbort, text.c_str());
    }
    (write ? wordsWritten_ : wordsRead_) += piece;
    if (access == Access::Upload) {
      const sc_core::sc_time gone = sc_core::sc_time_stamp() - begin;
      const sc_core::sc_time least = config_.costs.port.timeOf(bytes);
      if (gone + delay < least) delay = least - gone;
      wordsUploaded_ += piece;
      uploading_ += gone + delay;
    }
    const sc_core::sc_time copying = charge(Work::CopyByte, bytes);
    delay += copying;
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    accessed_ += sc_core::sc_time_stamp() - begin - copying;
    address += bytes;
    words += piece;
    count -= piece;
    if (count > 0) yieldToUrgent();  // others come in between the pieces of a long copy
  }
}

std::uint32_t HostProcess::read32(std::uint64_t address) {
  std::uint32_t value = 0;
  transfer(Access::Read, address, &value, 1);
  return value;
}

void HostProcess::write32(std::uint64_t address, std::uint32_t value) {
  transfer(Access::Write, address, &value, 1);
}

void HostProcess::readBlock(std::uint64_t address, std::span<std::uint32_t> words) {
  transfer(Access::Read, address, words.data(), words.size());
}

void HostProcess::writeBlock(std::uint64_t address, std::span<const std::uint32_t> words) {
  // A write does not touch its data; TLM's pointer has no const.
  transfer(Access::Write, address, const_cast<std::uint32_t*>(words.data()), words.size());
}

void HostProcess::upload(std::uint64_t address, std::span<const std::uint32_t> words) {
  transfer(Access::Upload, address, const_cast<std::uint32_t*>(words.data()), words.size());
}

bool HostProcess::interrupt(std::size_t line) const {
  return inta_i[line].read();
}

// ---- waiting

bool HostProcess::any(std::span<const std::size_t> lines) const {
  return std::any_of(lines.begin(), lines.end(),
                     [this](std::size_t line) { return inta_i[line].read(); });
}

const sc_core::sc_event_or_list& HostProcess::eventsOf(std::span<const std::size_t> lines) {
  auto& list = events_[Lines(lines.begin(), lines.end())];
  if (!list) {
    list = std::make_unique<sc_core::sc_event_or_list>();
    for (const std::size_t line : lines) *list |= inta_i[line].posedge_event();
  }
  return *list;
}

bool HostProcess::await(std::span<const std::size_t> lines, const sc_core::sc_time& deadline,
                        const std::string& why) {
  Task& task = beginWait(why);
  bool found = any(lines);
  if (!found) {
    const sc_core::sc_event_or_list& events = eventsOf(lines);
    release(State::Interrupt);
    while (!found && sc_core::sc_time_stamp() < deadline) {
      wait(deadline - sc_core::sc_time_stamp(), events);
      found = any(lines);
    }
    acquire(task);
  }
  task.why = kRuns;
  if (found) {
    ++interrupts_;
    work(Work::Interrupt, 1);
  }
  return found;
}

void HostProcess::waitFor(const sc_core::sc_time& duration, const std::string& why) {
  Task& task = beginWait(why);
  release(State::Delay);
  wait(duration);
  acquire(task);
  task.why = kRuns;
}

void HostProcess::awaitTask(const std::function<bool()>& ready, const std::string& why) {
  if (ready()) return;
  Task& task = beginWait(why);
  // Whoever had the processor first may have changed it again.
  while (!ready()) {
    release(State::Interrupt);
    do {
      wait(changed_);
    } while (!ready());
    acquire(task);
  }
  task.why = kRuns;
}

sc_core::sc_time HostProcess::charge(Work kind, std::uint64_t count) {
  const auto index = static_cast<std::size_t>(kind);
  work_[index] += count;
  return sc_core::sc_time::from_value(count * config_.costs.ps[index]);
}

void HostProcess::work(Work kind, std::uint64_t count) {
  const sc_core::sc_time duration = charge(kind, count);
  if (duration != sc_core::SC_ZERO_TIME) wait(duration);
}

void HostProcess::trace(const common::TraceScope& scope) {
  state_ = scope.state("state", {"run", "interrupt", "delay"},
                       "the driver's process: at work, waiting for an interrupt or for time");
}

void HostProcess::enter(State state) const {
  state_.set(sc_core::sc_time_stamp().value(), static_cast<std::uint64_t>(state));
}

void HostProcess::report(common::StatGroup& stats) const {
  stats.count("words_read", "words", "words read from memory and devices", wordsRead_);
  stats.count("words_written", "words", "words written to memory and devices", wordsWritten_);
  stats.count("words_uploaded", "words",
              "of these, of scenes that machines keep in main memory or in memory of their own",
              wordsUploaded_);
  stats.count("upload_ps", "ps", "simulated time of their writes, part of access_ps",
              uploading_.value());
  stats.count("interrupts", "interrupts", "interrupts taken", interrupts_);
  stats.count("waited_ps", "ps", "simulated time asleep, waiting for interrupts and delays",
              waited_.value());
  stats.count("access_ps", "ps", "simulated time in accesses, beyond the processor's own work",
              accessed_.value());
  stats.count("work_ps", "ps", "simulated time of the processor's own work (processor.profile)",
              workTime().value());
  std::uint64_t cycles = 0;
  for (std::size_t kind = 0; kind < kWorkKinds; ++kind) cycles += workCycles(kind);
  stats.count("work_cycles", "cycles", "the same in cycles of the processor", cycles);
  reportWork(stats.group("work", "what the processor did itself"), cycles);
}

void HostProcess::reportWork(common::StatGroup& stats, std::uint64_t cycles) const {
  for (std::size_t kind = 0; kind < kWorkKinds; ++kind) {
    const WorkInfo& info = kWorkInfo[kind];
    stats.count(std::string(info.key), std::string(info.unit), std::string(info.help), work_[kind]);
  }
  stats.count("cycles", "cycles", "cycles of the processor, all kinds", cycles);
  for (std::size_t kind = 0; kind < kWorkKinds; ++kind) {
    const std::string key(kWorkInfo[kind].key);
    stats.count("cycles_" + key, "cycles", "of these, for " + key, workCycles(kind));
  }
}

sc_core::sc_time HostProcess::workTime() const {
  std::uint64_t ps = 0;
  for (std::size_t kind = 0; kind < kWorkKinds; ++kind) ps += work_[kind] * config_.costs.ps[kind];
  return sc_core::sc_time::from_value(ps);
}

std::uint64_t HostProcess::workCycles(std::size_t kind) const {
  const double seconds = static_cast<double>(work_[kind] * config_.costs.ps[kind]) * 1e-12;
  return static_cast<std::uint64_t>(std::llround(seconds * config_.costs.clockHz));
}

void HostProcess::state(common::StateArchive& a) {
  a.mark("processor");
  a(idleSince_, wordsRead_, wordsWritten_, wordsUploaded_, uploading_, interrupts_, waited_,
    accessed_, work_);
}

std::vector<std::string> HostProcess::problems() const {
  const sc_core::sc_time sum = workTime() + accessed_ + waited_;
  if (!finished_ || sum == end_) return {};
  return {"processor: work, accesses and sleep take " + sum.to_string() + ", its program ran for " +
          end_.to_string()};
}

}  // namespace rtvp::host
