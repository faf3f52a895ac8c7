// Edges of the serial port's bit clock one after the other, without divisions: where an edge is
// known, the one so many bits later is an addition away. Same cycles as QuickClock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/c32/blocks/quick_serial.hpp"

namespace rtvp::c32::blocks {

/// An edge with its place in time, in H1 cycles: floor + rest / edges.
struct Edge {
  std::uint64_t number = 0;
  Cycle floor = 0;
  std::uint64_t rest = 0;

  /// First cycle at or after it.
  [[nodiscard]] Cycle cycle() const { return floor + (rest != 0 ? 1 : 0); }
};

class EdgeClock {
 public:
  EdgeClock() = default;
  /// `edges` edges in `cycles` H1 cycles, without a common divisor.
  EdgeClock(std::uint64_t cycles, std::uint64_t edges) : cycles_(cycles), edges_(edges) {
    if (cycles > kMostInTable) return;
    for (std::uint64_t d = 0; d < cycles; ++d) split_.push_back({d / edges, d % edges});
  }

  [[nodiscard]] Edge at(std::uint64_t number) const {
    const std::uint64_t product = number * cycles_;
    return {number, product / edges_, product % edges_};
  }
  [[nodiscard]] Edge after(const Edge& e, std::uint64_t bits) const {
    const std::uint64_t product = bits * cycles_;
    return shift(e, bits, product / edges_, product % edges_);
  }
  /// The later of `e` and the first edge at or after cycle `c`.
  [[nodiscard]] Edge from(const Edge& e, Cycle c) const {
    if (e.floor >= c) return e;
    const std::uint64_t product = c * edges_;
    const std::uint64_t number = (product + cycles_ - 1) / cycles_;
    const std::uint64_t beyond = number * cycles_ - product;  // below cycles_
    if (beyond < split_.size()) {
      return {number, c + split_[beyond].floor, split_[beyond].rest};
    }
    return {number, c + beyond / edges_, beyond % edges_};
  }

  /// after() for one number of bits, worked out beforehand.
  struct Stride {
    std::uint64_t bits;
    Cycle floor;
    std::uint64_t rest;
  };
  [[nodiscard]] Stride stride(std::uint64_t bits) const {
    return {bits, bits * cycles_ / edges_, bits * cycles_ % edges_};
  }
  [[nodiscard]] Edge after(const Edge& e, const Stride& s) const {
    return shift(e, s.bits, s.floor, s.rest);
  }

 private:
  static constexpr std::uint64_t kMostInTable = 4096;
  [[nodiscard]] Edge shift(const Edge& e, std::uint64_t bits, Cycle floor,
                           std::uint64_t rest) const {
    const std::uint64_t sum = e.rest + rest;
    const bool carry = sum >= edges_;
    return {e.number + bits, e.floor + floor + (carry ? 1 : 0), carry ? sum - edges_ : sum};
  }

  std::uint64_t cycles_ = 1;
  std::uint64_t edges_ = 1;
  struct Split {
    Cycle floor;
    std::uint64_t rest;
  };
  std::vector<Split> split_;  ///< d / edges_ and what remains, for every d below cycles_
};

}  // namespace rtvp::c32::blocks
