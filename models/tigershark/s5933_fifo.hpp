// One direction of the S5933's FIFO: a ring of 32-bit words. Plain C++. `locked` words at the head
// belong to a PCI burst under way and stay counted until the burst has moved them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::tigershark::s5933 {

class Fifo {
 public:
  explicit Fifo(std::uint32_t depth) : ring_(depth) {}

  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(ring_.size()); }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t places() const { return depth() - size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool full() const { return size_ == depth(); }
  /// Words that a fault has left in the data path, invisible to the flags.
  [[nodiscard]] std::uint32_t stale() const { return static_cast<std::uint32_t>(stale_.size()); }
  [[nodiscard]] std::uint32_t highWater() const { return high_water_; }
  [[nodiscard]] std::uint64_t words() const { return words_; }

  /// False if full: nothing happens.
  bool push(std::uint32_t word) {
    if (full()) return false;
    ring_[(head_ + size_) % depth()] = word;
    ++size_;
    ++words_;
    high_water_ = std::max(high_water_, size_);
    return true;
  }

  /// The next word; from an empty FIFO (and a clean data path) the word read last.
  std::uint32_t pop() {
    std::uint32_t word = last_;
    if (!stale_.empty()) {
      // Old words come out first while the flags count new ones: everything behind is shifted.
      word = stale_.front();
      stale_.erase(stale_.begin());
      if (size_ != 0) stale_.push_back(take());
    } else if (size_ != 0) {
      word = take();
    }
    last_ = word;
    return word;
  }

  /// The word `ahead` places behind the next one, in the order of pop(). Only for ahead < size().
  [[nodiscard]] std::uint32_t peek(std::uint32_t ahead = 0) const {
    if (ahead < stale_.size()) return stale_[ahead];
    return ring_[(head_ + ahead - stale()) % depth()];
  }

  [[nodiscard]] std::uint32_t lastRead() const { return last_; }

  /// Flag reset. `keep_data`: the fault in which the data path keeps its words.
  void reset(bool keep_data) {
    if (keep_data) {
      while (size_ != 0 && stale_.size() < depth()) stale_.push_back(take());
    } else {
      stale_.clear();
    }
    head_ = 0;
    size_ = 0;
  }

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  std::uint32_t take() {
    const std::uint32_t word = ring_[head_];
    head_ = (head_ + 1) % depth();
    --size_;
    return word;
  }

  std::vector<std::uint32_t> ring_;
  std::vector<std::uint32_t> stale_;
  std::uint32_t head_ = 0, size_ = 0, last_ = 0, high_water_ = 0;
  std::uint64_t words_ = 0;
};

}  // namespace rtvp::tigershark::s5933
