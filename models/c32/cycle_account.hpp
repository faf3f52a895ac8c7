// Where a processor's cycles went: by the address of the instruction that they belong to, and by
// cause. Engines keep it while they run at their full speed; what each of them notes is exact, so
// that the account adds up to the processor's clock and is the same in every engine.
//
// To whom cycles belong that no instruction executes: an interrupt's entry to the first
// instruction of its routine, sleep to the instruction before the one that comes next (the IDLE),
// the time from RESET to where the vector leads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "models/c32/memory_map.hpp"
#include "models/c32/timing.hpp"

namespace rtvp::c32 {

struct Sequence;

/// What one instruction, by its address, has cost.
struct PlaceCost {
  std::uint64_t instructions = 0;  ///< executions
  std::uint64_t executing = 0;     ///< cycles: fixed costs of c32.md 7.2
  StallCycles stalls{};            ///< cycles beyond them, by cause

  [[nodiscard]] std::uint64_t cycles() const;
  void add(const PlaceCost& other, std::uint64_t times = 1);
  friend bool operator==(const PlaceCost&, const PlaceCost&) = default;
};
/// By address.
using PlaceCosts = std::map<std::uint32_t, PlaceCost>;
void addCosts(PlaceCosts& to, const PlaceCosts& more);

class CycleAccount {
 public:
  CycleAccount();
  ~CycleAccount();
  CycleAccount(const CycleAccount&) = delete;
  CycleAccount& operator=(const CycleAccount&) = delete;

  /// The processor's clock and statistics begin anew.
  void restart();
  [[nodiscard]] PlaceCosts costs() const;

  // ---- for engines
  /// `cycles` belong to `pc`: stalls as the statistics have grown since the last call of this or
  /// of settle(), the rest executing.
  void charge(std::uint32_t pc, std::uint64_t instructions, Cycle cycles,
              const CpuStatistics& now) {
    PlaceCost& place = at(pc);
    if (cycles == 1 && instructions == 1) {  // nothing but the execution
      ++place.instructions;
      ++place.executing;
      return;
    }
    const StallCycles stalls = now.stalls();
    place.instructions += instructions;
    for (unsigned c = 0; c < kStallCauses; ++c) {
      const std::uint64_t more = stalls[c] - seen_[c];
      place.stalls[c] += more;
      cycles -= more;
    }
    place.executing += cycles;
    seen_ = stalls;
  }
  /// What the statistics have grown by is accounted for otherwise.
  void settle(const CpuStatistics& now) { seen_ = now.stalls(); }
  /// Likewise, of address generation alone.
  void settleConflict(const CpuStatistics& now) {
    seen_[static_cast<unsigned>(StallCause::RegisterConflict)] = now.registerConflict;
  }
  /// Instructions `from` to `to` (excluded) of a sequence, as planned; `conflict`: cycles that the
  /// first one waited before.
  void sequence(const Sequence& s, std::uint32_t from, std::uint32_t to, Cycle conflict);
  /// One instruction that has waited for nothing but address generation.
  void instruction(std::uint32_t pc, Cycle cycles, Cycle conflict) {
    PlaceCost& place = at(pc);
    ++place.instructions;
    place.executing += cycles - conflict;
    if (conflict != 0) stall(place, StallCause::RegisterConflict) += conflict;
  }
  [[nodiscard]] PlaceCost& at(std::uint32_t pc) {
    const std::uint32_t offset = pc - kRamBase;
    return offset < kRamWords ? internal_[offset] : outside_[pc];
  }
  static std::uint64_t& stall(PlaceCost& place, StallCause cause) {
    return place.stalls[static_cast<unsigned>(cause)];
  }

 private:
  struct Visits;
  std::vector<PlaceCost> internal_;
  PlaceCosts outside_;
  StallCycles seen_{};
  std::vector<std::unique_ptr<Visits>> visits_;  ///< by Sequence::number
};

}  // namespace rtvp::c32
