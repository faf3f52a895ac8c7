// A routine as a tree of straight runs: what host code is written from (routine_writer.hpp).
//
// The tree begins at a row and follows every jump both ways, CALL into the sub-routine and RET back
// to where the same tree called from; a row that two ways lead to is in it twice. So at every place
// of the tree is known what was executed to get there: counts, clocks and the return address are
// constants of the place where the tree is left, and nothing is counted on the way.
//
// A branch ends where the loop's caller takes over (RETURN and all that the loop leaves to
// Core::step()), at arithmetic that Loop::rare does, at ways that were rarely gone so far, and
// where the tree would become too large. There the loop goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/theia/fast/kernels.hpp"

namespace rtvp::theia::fast {

/// Where a routine's host code is left, and what it has done by then.
struct Ending {
  enum class Kind : std::uint8_t {
    Returned,  ///< in front of a RETURN, which comes next
    Enters,    ///< the loop enters a run there
    Inside,    ///< within a run that is counted already
  };
  Kind kind = Kind::Enters;
  std::uint32_t slot = 0;
  std::int32_t back = -1;  ///< where RET goes; -1: as before
  std::uint32_t segment = 0;
  std::uint32_t executed = 0;
  std::uint32_t clocks = 0;
  std::uint32_t dividerClocks = 0;
};

/// A run from its first row on, or the part of it that host code is written of.
struct Segment {
  static constexpr std::int32_t kNone = -1;
  std::int32_t parent = kNone;
  std::uint32_t slot = 0;
  std::uint32_t rows = 0;  ///< that are written; a jump is the last
  bool jumps = false;      ///< the last is one
  bool likely = false;     ///< the jump is taken more often than not
  /// What comes next: of a conditional jump if it is taken, and if not. Where there is no segment
  /// is the ending beside it.
  struct Next {
    std::int32_t segment = kNone;
    Ending ending;
  };
  Next next, other;
  std::int32_t back = -1;  ///< where RET goes, in front of its last row
  // From the routine's begin, this whole run counted.
  std::uint32_t executed = 0;
  std::uint32_t clocks = 0;
  std::uint32_t dividerClocks = 0;  ///< in front of its first row
};

class RoutinePlan {
 public:
  /// How often a run was entered at a slot so far.
  using Entered = std::function<std::uint64_t(std::uint32_t slot)>;

  /// No run is entered above `limit` instructions. Without a profile (nobody has entered at `slot`)
  /// every way counts as gone.
  RoutinePlan(std::span<const Row> rows, std::uint32_t slot, std::uint64_t limit,
              const Entered& entered);

  /// The first is where the routine begins; none: it is not worth it.
  [[nodiscard]] std::span<const Segment> segments() const { return segments_; }
  [[nodiscard]] std::span<const Row> rows() const { return rows_; }
  /// An ending in front of a row of a segment whose run is counted.
  [[nodiscard]] Ending inside(std::uint32_t segment, std::uint32_t row) const;

 private:
  Segment::Next follow(std::uint32_t slot, std::int32_t parent, std::int32_t back);
  std::int32_t grow(std::uint32_t slot, std::int32_t parent, std::int32_t back);
  [[nodiscard]] Ending endsAt(std::uint32_t slot, std::int32_t parent, std::int32_t back) const;
  [[nodiscard]] bool oftenEntered(std::uint32_t slot) const;

  std::span<const Row> rows_;
  std::uint64_t limit_;
  const Entered& entered_;
  std::uint64_t begun_;
  std::size_t written_ = 0;  ///< rows of all segments
  std::vector<Segment> segments_;
};

}  // namespace rtvp::theia::fast
