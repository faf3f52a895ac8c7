// The cores: each runs one warp at a time and waits for its own misses; they share the port, which
// goes to the core that asks first (the lower number on a tie). What is computed is known before;
// here it is given time and its accesses are made.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/implicit/unit/cache.hpp"
#include "models/implicit/unit/port.hpp"
#include "models/implicit/unit/timing.hpp"
#include "models/implicit/unit/warp.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::implicit::unit {

/// Clocks of a core by what it did; the rest of the time it was idle.
struct CoreCounters {
  Clock busy = 0;
  Clock fetch = 0, constant = 0, leaf = 0, data = 0;  ///< stalls, hit times of caches included
  Clock port = 0;                                     ///< the port was another's
  std::uint64_t warps = 0, idle_lanes = 0;
  std::array<std::uint64_t, kCacheKinds> hits{}, misses{};

  [[nodiscard]] Clock worked() const { return busy + fetch + constant + leaf + data + port; }
  CoreCounters& operator+=(const CoreCounters& other);
  bool operator==(const CoreCounters&) const = default;
};

class Core {
 public:
  explicit Core(const Timing& timing);

  [[nodiscard]] bool working() const { return warp_.has_value(); }
  [[nodiscard]] Clock now() const { return now_; }
  void idleUntil(Clock clock) { now_ = clock > now_ ? clock : now_; }
  /// The number of the warp whose writes are due next, if they are due.
  [[nodiscard]] std::uint64_t order() const {
    return warp_ && phase_ == Phase::After ? warp_->order : 0;
  }
  /// Waits for data until `clock`.
  void hold(Clock clock);
  void take(Warp warp);
  /// Runs to the next transfer; false: the warp has ended.
  bool advance();
  /// Makes the transfer that advance() stopped at.
  void transfer(Port& port);
  void flush();
  /// The warp is lost, the clock stands at 0, the caches are empty.
  void cancel();
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);
  [[nodiscard]] const CoreCounters& counters() const { return counters_; }
  void clear() { counters_ = {}; }

 private:
  enum class Phase : std::uint8_t { Before, Setup, Runs, After };
  struct Pending {
    const Region* region = nullptr;  ///< null: a Move
    const Move* move = nullptr;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    CacheKind cache = CacheKind::Opcodes;
  };

  bool moves(const std::vector<Move>& list, Phase next);
  bool setup();
  bool runs();
  bool slot(const Slot& slot);
  void skipRepeats(const Run& run);
  void compute(Clock cycles);
  void hit(CacheKind kind, std::uint64_t times);
  [[nodiscard]] Clock& stallOf(CacheKind kind);
  Cache& cacheOf(CacheKind kind) { return caches_[static_cast<std::size_t>(kind)]; }

  std::array<Cache, kCacheKinds> caches_;
  CoreCounters counters_;
  Clock now_ = 0;
  Clock arrival_ = 0;  ///< of what the warp has read at its start: one read follows the other
  std::optional<Warp> warp_;
  Phase phase_ = Phase::Before;
  std::size_t index_ = 0;  ///< in the phase's list
  std::uint32_t evaluation_ = 0;
  std::size_t slot_ = 0;
  std::uint64_t line_ = 0;  ///< lines of the slot that have been asked for
  std::array<std::uint64_t, kCacheKinds> sweep_hits_{};
  bool sweep_missed_ = false;
  Pending pending_;
  std::vector<std::uint8_t> buffer_;
};

class Cores {
 public:
  Cores(const Timing& timing, Port& port);

  /// Hands out a warp when a core is free. The cores run as far as it is certain that no later
  /// warp could come first.
  void push(Warp warp);
  /// The same, and its writes come behind those of all ordered warps before it.
  void pushOrdered(Warp warp);
  /// All warps end. Returns the clock of the last core.
  Clock drain();
  /// No core starts anything before `clock`.
  void idleUntil(Clock clock);
  void flush();
  /// All warps are lost.
  void cancel();
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);
  [[nodiscard]] const std::vector<Core>& all() const { return cores_; }
  [[nodiscard]] CoreCounters sum() const;
  void clear();

 private:
  void pump(bool drain);
  bool hand(bool drain);
  void advance(Core& core);
  Core* next();

  Port& port_;
  std::vector<Core> cores_;
  std::deque<Warp> waiting_;
  std::uint64_t numbered_ = 0;  ///< ordered warps so far
  std::uint64_t written_ = 0;   ///< of these, those that have written
  Clock written_at_ = 0;
};

}  // namespace rtvp::implicit::unit
