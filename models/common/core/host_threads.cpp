// See host_threads.hpp.
#include "models/common/core/host_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace rtvp::common {
namespace {

/// Hands out the pieces, keeps the first failure.
class Pieces {
 public:
  Pieces(std::size_t count, std::size_t grain) : count_(count), grain_(grain) {}

  void work(const std::function<void(std::size_t, std::size_t)>& part) {
    for (;;) {
      const std::size_t begin = next_.fetch_add(1) * grain_;
      if (begin >= count_ || failed_) return;
      try {
        part(begin, begin + std::min(grain_, count_ - begin));
      } catch (...) {
        keep(begin, std::current_exception());
      }
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void keep(std::size_t begin, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    // Pieces are begun in order: whichever of those that are under way fails first in time, the
    // earliest place counts.
    if (!failure_ || begin < place_) {
      place_ = begin;
      failure_ = std::move(failure);
    }
    failed_ = true;
  }

  std::size_t count_;
  std::size_t grain_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::size_t place_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

unsigned hostThreads(unsigned wanted) {
  return wanted != 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

void inParts(std::size_t count, std::size_t grain, unsigned threads,
             const std::function<void(std::size_t, std::size_t)>& part) {
  grain = std::clamp<std::size_t>(grain, 1, std::max<std::size_t>(count, 1));
  Pieces pieces(count, grain);
  {
    const std::size_t most = count / grain + (count % grain != 0 ? 1 : 0);
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, most); ++i) {
      others.emplace_back([&] { pieces.work(part); });
    }
    pieces.work(part);
  }
  pieces.rethrow();
}

void inTwo(unsigned threads, const std::function<void()>& first,
           const std::function<void()>& second) {
  inParts(2, 1, threads, [&](std::size_t begin, std::size_t) { (begin == 0 ? first : second)(); });
}

}  // namespace rtvp::common
