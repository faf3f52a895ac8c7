// A set-associative cache with least recently used replacement: tags only, the bytes are where they
// were read from. The report blames locality for its speed (R 7.3), so hits and misses are counted.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "models/implicit/unit/timing.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::implicit::unit {

class Cache {
 public:
  explicit Cache(const CacheConfig& config)
      : config_(config),
        sets_(config.lines == 0 ? 0 : config.lines / config.ways),
        shift_(static_cast<unsigned>(std::countr_zero(config.line_bytes))),
        ways_(config.lines) {}

  [[nodiscard]] std::uint64_t lineOf(std::uint64_t address) const { return address >> shift_; }

  /// Whether line number `line` was there; it is afterwards.
  bool access(std::uint64_t line) {
    if (sets_ == 0) return false;
    Way* const set = &ways_[(line & (sets_ - 1)) * config_.ways];
    Way* victim = set;
    ++clock_;
    for (Way* way = set; way != set + config_.ways; ++way) {
      if (way->line == line) {
        way->used = clock_;
        return true;
      }
      if (way->used < victim->used) victim = way;
    }
    *victim = {line, clock_};
    return false;
  }
  void clear() {
    for (Way& way : ways_) way = {};
  }
  /// For checkpoints.
  void state(common::StateArchive& a);
  [[nodiscard]] const CacheConfig& config() const { return config_; }

 private:
  struct Way {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint64_t used = 0;
  };
  CacheConfig config_;
  std::uint64_t sets_;  ///< a power of two, or 0
  unsigned shift_;      ///< of a line's bytes
  std::vector<Way> ways_;
  std::uint64_t clock_ = 0;
};

}  // namespace rtvp::implicit::unit
