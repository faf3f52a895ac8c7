// The serial port as a channel of 32-bit words, without detours: what SerialPort does for a port
// that is set up as most boards have it (fixed clock, no handshake, both directions running), in
// line and on the port's own state. Words on their way here wait in an Inbox instead of the port.
//
// Invariants: usable() tells whether a port is set up so, and only writes to its control registers
// change that; all of the port's state is in the port, but for the words in the inbox, which come
// in order of arrival and go back to the port (handOver()) before anybody else runs it. SerialPort
// is the plain twin: array.chain=scalar.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "models/c32/cpu.hpp"
#include "models/common/core/host_bytes.hpp"

namespace rtvp::c32::blocks {

/// Words on their way to a receiver, by arrival, ties in order of delivery.
class Inbox {
 public:
  using Word = SerialWord;
  [[nodiscard]] bool empty() const { return head_ == words_.size(); }
  [[nodiscard]] std::size_t size() const { return words_.size() - head_; }
  /// Host memory beside the object itself.
  [[nodiscard]] std::size_t ownBytes() const { return common::bytesOf(words_); }
  [[nodiscard]] Cycle next() const { return empty() ? kNever : words_[head_].arrival; }
  [[nodiscard]] Cycle last() const { return empty() ? 0 : words_.back().arrival; }

  void push(const Word& w) {
    if (empty()) clear();
    if (empty() || words_.back().arrival <= w.arrival) {
      words_.push_back(w);
      return;
    }
    const auto first = words_.begin() + static_cast<std::ptrdiff_t>(head_);
    words_.insert(std::upper_bound(first, words_.end(), w.arrival,
                                   [](Cycle c, const Word& x) { return c < x.arrival; }),
                  w);
  }
  /// Several, by arrival.
  void push(std::span<const Word> words) {
    if (words.empty()) return;
    if (empty()) clear();
    if (empty() || words_.back().arrival <= words.front().arrival) {
      words_.insert(words_.end(), words.begin(), words.end());
      return;
    }
    for (const Word& w : words) push(w);
  }
  /// `w` was delivered before all others and arrives no later.
  void pushFront(const Word& w) {
    if (head_ == 0) {
      words_.insert(words_.begin(), w);
    } else {
      words_[--head_] = w;
    }
  }
  Word pop() { return words_[head_++]; }
  /// The last `count` words popped are back; none has been pushed since.
  void unpop(std::size_t count) { head_ -= count; }
  /// All words in place, followed by `count` that stand for none, until drop().
  const Word* open(std::size_t count, const Word& none) {
    words_.insert(words_.end(), count, none);
    return words_.data() + head_;
  }
  /// Ends open(): the `count` words that stood for none go, and so do those in front of `next`.
  void close(std::size_t count, const Word* next) {
    head_ = static_cast<std::size_t>(next - words_.data());
    words_.resize(words_.size() - count);
  }
  /// The next words, at most `count`.
  [[nodiscard]] std::vector<Word> ahead(std::size_t count) const {
    const auto first = words_.begin() + static_cast<std::ptrdiff_t>(head_);
    return {first, first + static_cast<std::ptrdiff_t>(std::min(count, size()))};
  }
  void clear() {
    words_.clear();
    head_ = 0;
  }

 private:
  std::vector<Word> words_;
  std::size_t head_ = 0;
};

/// cycleOf(k) of a BitClock for several edges in a row, with one division.
class QuickClock {
 public:
  QuickClock() = default;
  QuickClock(std::uint64_t cycles, std::uint64_t edges) : cycles_(cycles), edges_(edges) {}

  [[nodiscard]] std::uint64_t edgeFrom(Cycle c) const {
    return (c * edges_ + cycles_ - 1) / cycles_;
  }
  [[nodiscard]] Cycle cycleOf(std::uint64_t k) const { return (k * cycles_ + edges_ - 1) / edges_; }
  /// Products stay below 2^64 up to here.
  [[nodiscard]] bool covers(Cycle now) const {
    return now < (Cycle{1} << 62) / std::max(cycles_, edges_);
  }

 private:
  std::uint64_t cycles_ = 1;
  std::uint64_t edges_ = 1;
};

class QuickSerial {
 public:
  QuickSerial(SerialPort& port, Inbox& inbox, const QuickClock& clock = {})
      : p_(port), inbox_(inbox), clock_(clock) {}

  /// The port is set up as a plain channel: then, and until its control registers are written, the
  /// functions below do what the port would.
  [[nodiscard]] static bool usable(const SerialPort& p);
  /// Words the port holds on their way come to the inbox. False if one is no plain word.
  bool collect();
  /// The first `count` words go to the port.
  void handOver(std::size_t count);

  [[nodiscard]] Cycle next() const {
    Cycle next = std::min(p_.transfer_, inbox_.next());
    if (p_.shifterEmpty_ != 0) next = std::min(next, p_.shifterEmpty_);
    return next;
  }
  /// What is due up to `now`; IF bits. The words in the inbox change by this object only.
  [[gnu::always_inline]] std::uint32_t advance(Cycle now) {
    return now < due_ ? 0 : advanceTo(now);
  }
  std::uint32_t advanceTo(Cycle now) {
    std::uint32_t flags = 0;
    for (;;) {
      if (p_.shifterEmpty_ != 0 && p_.shifterEmpty_ <= now && p_.shifterEmpty_ <= p_.transfer_) {
        p_.shifterEmpty_ = 0;
      } else if (p_.transfer_ <= now) {
        p_.transfer_ = kNever;
        p_.dxrFull_ = false;
        p_.shifterEmpty_ = clock_.cycleOf(p_.lastEdge_);
        if ((p_.global_ & serial::kXINT) != 0) flags |= kXInt;
      } else if (inbox_.next() <= now) {
        flags |= receive(inbox_.pop().word);
      } else {
        due_ = next();
        return flags;
      }
    }
  }
  /// Global control register.
  [[nodiscard]] std::uint32_t status() const {
    return (p_.global_ & ~(serial::kXRDY | serial::kXSREMPTY | serial::kRSRFULL)) |
           (p_.dxrFull_ ? 0 : serial::kXRDY) | (p_.shifterEmpty_ != 0 ? serial::kXSREMPTY : 0) |
           (p_.rsrFull_ ? serial::kRSRFULL : 0);
  }
  /// Reads DRR; IF bits in `flags`.
  std::uint32_t read(std::uint32_t& flags) {
    const std::uint32_t word = p_.drr_;
    p_.global_ &= ~serial::kRRDY;
    if (p_.rsrFull_) {
      p_.rsrFull_ = false;
      p_.drr_ = p_.rsr_;
      p_.global_ |= serial::kRRDY;
      if ((p_.global_ & serial::kRINT) != 0) flags |= kRInt;
    }
    return word;
  }
  /// Writes DXR at `now`.
  void write(std::uint32_t word, Cycle now, CpuPort& wire) {
    if (p_.dxrFull_) {
      ++p_.transmitLost_;
      return;
    }
    p_.dxr_ = word;
    p_.dxrFull_ = true;
    const std::uint64_t edge = std::max(clock_.edgeFrom(now + 1), p_.lastEdge_);
    p_.transfer_ = clock_.cycleOf(edge);
    p_.lastEdge_ = edge + kBits;
    ++p_.wordsSent_;
    p_.blockBegun_ = true;
    due_ = std::min(due_, p_.transfer_);
    wire.serialTransmitted(word, kBits, clock_.cycleOf(edge + kBits + kSerialExtraBits));
  }
  /// Somebody else has been at the port.
  void forgetDue() { due_ = 0; }
  /// The port's own idea of what comes next.
  void settle() { p_.updateNextEvent(); }

 private:
  static constexpr std::uint32_t kXInt = 1u << 4;  // IF bits
  static constexpr std::uint32_t kRInt = 1u << 5;
  static constexpr int kBits = 32;

  std::uint32_t receive(std::uint32_t word) {
    if (p_.rsrFull_) {
      ++p_.receiveLost_;
      return 0;
    }
    ++p_.wordsReceived_;
    if ((p_.global_ & serial::kRRDY) != 0) {
      p_.rsr_ = word;
      p_.rsrFull_ = true;
      return 0;
    }
    p_.drr_ = word;
    p_.global_ |= serial::kRRDY;
    return (p_.global_ & serial::kRINT) != 0 ? kRInt : 0;
  }

  SerialPort& p_;
  Inbox& inbox_;
  QuickClock clock_;
  Cycle due_ = 0;  ///< nothing happens before
};

}  // namespace rtvp::c32::blocks
