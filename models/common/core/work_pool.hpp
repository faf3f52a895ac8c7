// Threads of this computer that take work off the one thread that owns them, which alone begins
// jobs and waits for them: the kernel's, in a simulation. Jobs are plain C++; what only the owner
// may do (a transaction), a job asks it for. Whoever runs a job, and when, changes nothing that it
// computes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace rtvp::common {

class WorkPool {
 public:
  /// One piece of work at a time, again and again. Must be over when it is destroyed.
  class Job {
   public:
    Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // ---- from the work itself
    /// It has come so far; a number that only grows while the work goes on.
    void reach(std::uint64_t place);
    /// Runs `request` on the owner's thread, when that waits for this job next, and returns then.
    void ask(const std::function<void()>& request);

    // ---- from the owner
    [[nodiscard]] std::uint64_t place() const { return place_.load(std::memory_order_acquire); }

   private:
    friend WorkPool;
    enum class State : std::uint8_t { Over, Queued, Begun };

    WorkPool* pool_ = nullptr;
    std::function<void()> work_;
    std::atomic<State> state_{State::Over};
    std::atomic<std::uint64_t> place_{0};
    std::atomic<const std::function<void()>*> request_{nullptr};
    std::optional<std::size_t>
        home_;              ///< the thread whose cache has what it works on, 0: the owner's
    bool onOwner_ = false;  ///< the owner's thread runs it
    std::exception_ptr failure_;
  };

  /// `threads`: with the owner's. The others are made when there is work for them, as many as this
  /// computer lets it have.
  explicit WorkPool(unsigned threads) : threads_(threads) {}
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  [[nodiscard]] unsigned threads() const { return threads_; }

  /// Queues `work`. The job has come to `place` as it begins.
  void begin(Job& job, std::uint64_t place, std::function<void()> work);
  /// Returns when the job is over (true), or has come to `place` or further. Runs queued jobs
  /// meanwhile, this one if nobody has begun it. What the job has thrown comes out here, once.
  bool await(Job& job, std::uint64_t place);
  /// Returns when it is over.
  void finish(Job& job) { await(job, std::numeric_limits<std::uint64_t>::max()); }

 private:
  using State = Job::State;

  struct Thread {
    bool busy = false;  ///< with a job
    bool asleep = false;
  };

  void add(Job& job);
  Job* take(std::size_t thread, const Job* wanted = nullptr);
  static void perform(Job& job);
  void serve(std::size_t thread, const std::stop_token& stop);
  void tellOwner();
  [[nodiscard]] static bool wakes(const Job& job, std::uint64_t place);
  void sleep(const Job& job, std::uint64_t place);

  unsigned threads_;
  std::size_t homes_ = 0;  ///< given to jobs so far
  std::mutex mutex_;       ///< of what follows, and between a look and a sleep
  std::deque<Job*> queue_;
  std::vector<Thread> state_{1};           ///< of each thread
  std::atomic<std::uint64_t> changes_{0};  ///< of queue_
  std::condition_variable_any work_;
  std::atomic<bool> ownerSleeps_{false};
  std::condition_variable owner_;
  std::vector<std::jthread> others_;  ///< last: they end before the rest goes
};

}  // namespace rtvp::common
