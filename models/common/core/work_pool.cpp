// See work_pool.hpp.
#include "models/common/core/work_pool.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace rtvp::common {
namespace {

/// Looks before a thread sleeps: some 100 us for itself, then milliseconds in which whoever else
/// wants the processor has it. Jobs come closely one after the other, waking a thread takes longer
/// than many of them, and it may then wake on the processor of the one that wakes it.
constexpr int kLooks = 2000;
constexpr int kPolite = 10'000;

void pause(int look) {
  if (look >= kLooks) {
    std::this_thread::yield();
    return;
  }
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

WorkPool::~WorkPool() {
  for (std::jthread& thread : others_) thread.request_stop();
}

void WorkPool::begin(Job& job, std::uint64_t place, std::function<void()> work) {
  job.pool_ = this;
  job.work_ = std::move(work);
  job.onOwner_ = false;
  job.place_.store(place, std::memory_order_relaxed);
  job.state_.store(State::Queued, std::memory_order_relaxed);
  // The other threads first: the owner has work of its own.
  if (!job.home_) job.home_ = ++homes_ % threads_;
  add(job);
  while (others_.size() < *job.home_) {
    try {
      const std::size_t number = others_.size() + 1;
      others_.emplace_back([this, number](const std::stop_token& stop) { serve(number, stop); });
    } catch (const std::system_error&) {
      job.home_ = 0;  // it does without
    }
  }
}

void WorkPool::add(Job& job) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(&job);
  state_.resize(std::max(state_.size(), *job.home_ + 1));
  changes_.fetch_add(1);
  if (state_[*job.home_].asleep) work_.notify_all();
}

/// A queued job for a thread, or null. Its own ones; for the owner also the one that it wants, if
/// whose that is has another to do.
WorkPool::Job* WorkPool::take(std::size_t thread, const Job* wanted) {
  const std::lock_guard lock(mutex_);
  const auto fits = [&](const Job* job) {
    return *job->home_ == thread || (job == wanted && state_[*job->home_].busy);
  };
  const auto found = std::find_if(queue_.begin(), queue_.end(), fits);
  if (found == queue_.end()) return nullptr;
  Job* const job = *found;
  queue_.erase(found);
  job->state_.store(State::Begun, std::memory_order_relaxed);
  state_[thread].busy = true;
  return job;
}

void WorkPool::perform(Job& job) {
  try {
    job.work_();
  } catch (...) {
    job.failure_ = std::current_exception();
  }
  WorkPool* const pool = job.pool_;
  job.state_.store(State::Over);
  pool->tellOwner();  // the job may be gone
}

void WorkPool::serve(std::size_t thread, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::uint64_t seen = changes_.load();
    if (Job* const job = take(thread)) {
      perform(*job);
      const std::lock_guard lock(mutex_);
      state_[thread].busy = false;
      continue;
    }
    for (int look = 0; look < kPolite && changes_.load() == seen; ++look) pause(look);
    if (changes_.load() != seen) continue;
    std::unique_lock lock(mutex_);
    state_[thread].asleep = true;
    work_.wait(lock, stop, [&] { return changes_.load() != seen; });
    state_[thread].asleep = false;
  }
}

// ---- the owner waits

/// Whatever it may wait for has been stored before.
void WorkPool::tellOwner() {
  if (!ownerSleeps_.load()) return;
  const std::lock_guard lock(mutex_);
  owner_.notify_one();
}

bool WorkPool::wakes(const Job& job, std::uint64_t place) {
  return job.state_.load() == State::Over || job.place_.load() >= place ||
         job.request_.load() != nullptr;
}

void WorkPool::sleep(const Job& job, std::uint64_t place) {
  for (int look = 0; look < kPolite; ++look) {
    if (wakes(job, place)) return;
    pause(look);
  }
  std::unique_lock lock(mutex_);
  ownerSleeps_.store(true);
  owner_.wait(lock, [&] { return wakes(job, place); });
  ownerSleeps_.store(false);
}

bool WorkPool::await(Job& job, std::uint64_t place) {
  for (;;) {
    if (const std::function<void()>* const request = job.request_.load()) {
      (*request)();
      job.request_.store(nullptr);
      job.request_.notify_one();
      continue;
    }
    if (job.state_.load() == State::Over) {
      if (job.failure_) std::rethrow_exception(std::exchange(job.failure_, nullptr));
      return true;
    }
    if (job.place_.load() >= place) return false;
    if (Job* const next = take(0, &job)) {
      next->onOwner_ = true;
      perform(*next);
    } else {
      sleep(job, place);
    }
  }
}

void WorkPool::Job::reach(std::uint64_t place) {
  place_.store(place);
  pool_->tellOwner();
}

void WorkPool::Job::ask(const std::function<void()>& request) {
  if (onOwner_) {
    request();
    return;
  }
  request_.store(&request);
  pool_->tellOwner();
  request_.wait(&request);
}

}  // namespace rtvp::common
