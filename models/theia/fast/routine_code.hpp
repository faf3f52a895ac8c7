// Host code of routines (routine_plan.hpp), shared among cores that run the same rows.
//
// Invariants: entered in front of a routine's first row with the core's registers in memory; left
// at one of the endings, in front of the row that it names, with everything in memory again; which
// runs were entered on the way, and their clocks, follow from the ending. The loop (kernels.hpp),
// its plain twin (CoreConfig::hostCodeAfter 0), goes on from there.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/common/host_isa.hpp"
#include "models/theia/fast/routine_plan.hpp"

namespace rtvp::theia::fast {

class RoutineCode {
 public:
  struct Runtime;
  explicit RoutineCode(std::shared_ptr<Runtime> runtime);
  ~RoutineCode();
  RoutineCode(const RoutineCode&) = delete;
  RoutineCode& operator=(const RoutineCode&) = delete;

  /// Runs the routine; returns the number of its ending.
  using Function = std::uint32_t (*)(Lanes* places);
  [[nodiscard]] Function function() const { return function_; }
  [[nodiscard]] std::span<const Ending> endings() const { return endings_; }
  /// Slots of the runs that were entered on the way to an ending.
  [[nodiscard]] std::vector<std::uint32_t> runsTo(const Ending& ending) const;
  /// The same code would be made of these rows.
  [[nodiscard]] bool isOf(std::span<const Row> rows, std::uint32_t slot) const;

 private:
  friend class RoutineShelf;
  Function function_ = nullptr;
  std::vector<Ending> endings_;
  std::vector<Segment> segments_;
  std::vector<Row> rows_;  ///< of the segments, one after the other
  std::uint64_t number_ = 0;
  std::shared_ptr<Runtime> runtime_;
};

/// What was made so far; the cores of a GPU have one together.
class RoutineShelf {
 public:
  explicit RoutineShelf(common::Isa isa);
  ~RoutineShelf();

  struct Wanted {
    std::span<const Row> rows;
    std::uint32_t slot;  ///< where the routine begins
    std::uint64_t limit;
    const RoutinePlan::Entered& entered;  ///< for these three see RoutinePlan
  };
  /// Code of a routine, made or found; null where there can be none. `than`: it is newer.
  [[nodiscard]] std::shared_ptr<const RoutineCode> get(const Wanted& wanted,
                                                       const RoutineCode* than);

 private:
  common::Isa isa_;
  std::shared_ptr<RoutineCode::Runtime> runtime_;
  std::vector<std::shared_ptr<const RoutineCode>> made_;
  std::uint64_t numbers_ = 0;
};

}  // namespace rtvp::theia::fast
