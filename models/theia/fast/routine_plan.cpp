#include "models/theia/fast/routine_plan.hpp"

#include <algorithm>

namespace rtvp::theia::fast {
namespace {

/// A way that is gone less often than once in so many routines is the loop's.
constexpr std::uint64_t kRare = 64;
constexpr std::size_t kMostSegments = 96;
constexpr std::size_t kMostRows = 1024;
constexpr std::uint32_t kLongest = 512;  ///< instructions of one way

bool isConditional(Code code) {
  return code >= Code::JumpG && code <= Code::JumpLe;
}

}  // namespace

RoutinePlan::RoutinePlan(std::span<const Row> rows, std::uint32_t slot, std::uint64_t limit,
                         const Entered& entered)
    : rows_(rows),
      limit_(std::min<std::uint64_t>(limit, kLongest)),
      entered_(entered),
      begun_(entered(slot)) {
  if (rows_[slot].run != 0 && rows_[slot].code != Code::Rare) grow(slot, Segment::kNone, -1);
}

bool RoutinePlan::oftenEntered(std::uint32_t slot) const {
  return begun_ == 0 || entered_(slot) * kRare >= begun_;
}

Ending RoutinePlan::endsAt(std::uint32_t slot, std::int32_t parent, std::int32_t back) const {
  const Segment& from = segments_[static_cast<std::size_t>(parent)];
  Ending ending = inside(static_cast<std::uint32_t>(parent), from.rows);
  ending.kind = rows_[slot].code == Code::Return ? Ending::Kind::Returned : Ending::Kind::Enters;
  ending.slot = slot;
  ending.back = back;
  return ending;
}

Ending RoutinePlan::inside(std::uint32_t segment, std::uint32_t row) const {
  const Segment& s = segments_[segment];
  Ending ending{Ending::Kind::Inside, s.slot + row, s.back,         segment,
                s.executed,           s.clocks,     s.dividerClocks};
  for (std::uint32_t i = 0; i < row; ++i) {
    const Row& before = rows_[s.slot + i];
    if (before.code == Code::Div) ending.dividerClocks += before.period;
  }
  return ending;
}

Segment::Next RoutinePlan::follow(std::uint32_t slot, std::int32_t parent, std::int32_t back) {
  Segment::Next next;
  next.ending = endsAt(slot, parent, back);
  const bool grows = rows_[slot].run != 0 && rows_[slot].code != Code::Rare &&
                     next.ending.executed <= limit_ && segments_.size() < kMostSegments &&
                     written_ < kMostRows && oftenEntered(slot);
  if (grows) next.segment = grow(slot, parent, back);
  return next;
}

// The vector grows with every segment that follows: nothing is held across.
std::int32_t RoutinePlan::grow(std::uint32_t slot, std::int32_t parent, std::int32_t back) {
  const auto number = static_cast<std::int32_t>(segments_.size());
  const auto index = static_cast<std::size_t>(number);
  const Row* const first = &rows_[slot];
  Segment& made = segments_.emplace_back();
  made.parent = parent;
  made.slot = slot;
  made.back = back;
  if (parent != Segment::kNone) {
    const Segment& from = segments_[static_cast<std::size_t>(parent)];
    const Ending before = inside(static_cast<std::uint32_t>(parent), from.rows);
    made.executed = before.executed;
    made.clocks = before.clocks;
    made.dividerClocks = before.dividerClocks;
  }
  made.executed += first->run;
  made.clocks += first->runClocks;
  while (made.rows < first->run && first[made.rows].code != Code::Rare) ++made.rows;
  written_ += made.rows;
  const std::uint32_t behind = slot + made.rows;
  if (made.rows < first->run) {
    made.next.ending = inside(static_cast<std::uint32_t>(number), made.rows);
    return number;
  }
  const std::uint32_t last = behind - 1;
  const Row& jump = rows_[last];
  if (jump.code < Code::JumpG) {  // the caller's row follows
    const Segment::Next next = follow(behind, number, back);
    segments_[index].next = next;
    return number;
  }
  if (jump.code == Code::Ret && back < 0) {  // to where somebody else called from
    --segments_[index].rows;
    segments_[index].next.ending = inside(static_cast<std::uint32_t>(number), made.rows);
    return number;
  }
  segments_[index].jumps = true;
  if (jump.code == Code::Call) back = static_cast<std::int32_t>(behind);
  const auto target = static_cast<std::uint32_t>(
      jump.code == Code::Ret ? back : static_cast<std::int32_t>(last) + jump.jump);
  if (!isConditional(jump.code)) {
    const Segment::Next next = follow(target, number, back);
    segments_[index].next = next;
    return number;
  }
  const bool likely = entered_(target) > entered_(behind);
  segments_[index].likely = likely;
  // What happens more often grows first, before the tree is full.
  for (const bool taken : {likely, !likely}) {
    const Segment::Next next = follow(taken ? target : behind, number, back);
    (taken ? segments_[index].next : segments_[index].other) = next;
  }
  return number;
}

}  // namespace rtvp::theia::fast
