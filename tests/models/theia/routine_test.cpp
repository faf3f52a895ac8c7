// Which ways of a routine become host code, and which cores share it. What the code computes is the
// differential test's.
#include <gtest/gtest.h>

#include <map>

#include "models/common/host_isa.hpp"
#include "models/theia/fast/routine_code.hpp"

namespace rtvp::theia::fast {
namespace {

using Rows = std::vector<Row>;

Row row(Code code, std::int32_t jump = 0, std::uint8_t period = 2) {
  Row out;
  out.code = code;
  out.jump = jump;
  out.period = period;
  out.d = 16 * 71;
  out.a = 16 * 72;
  out.b = 16 * 73;
  return out;
}

/// Lengths and clocks of the runs, as the core's decoder leaves them.
Rows withRuns(Rows rows) {
  for (std::size_t i = rows.size(); i-- > 0;) {
    Row& r = rows[i];
    if (r.code >= Code::Step) continue;
    const bool joins = r.code < Code::JumpG && i + 1 < rows.size();
    r.run = static_cast<std::uint16_t>(1 + (joins ? rows[i + 1].run : 0));
    r.runClocks = r.period + (joins ? rows[i + 1].runClocks : 0);
  }
  return rows;
}

struct Profile {
  std::map<std::uint32_t, std::uint64_t> counts;
  RoutinePlan::Entered entered = [this](std::uint32_t slot) {
    const auto found = counts.find(slot);
    return found == counts.end() ? 0 : found->second;
  };
};

/// 0: jump to 3, or 1, 2: RETURN; 3, 4: RETURN.
Rows twoWays() {
  return withRuns({row(Code::JumpEq, 3), row(Code::Add), row(Code::Return), row(Code::Div, 0, 66),
                   row(Code::Return)});
}

TEST(TheiaRoutine, WithoutAProfileEveryWayIsWritten) {
  const Rows rows = twoWays();
  const Profile profile;
  const RoutinePlan plan(rows, 0, 1000, profile.entered);
  ASSERT_EQ(plan.segments().size(), 3U);
  const Segment& first = plan.segments()[0];
  const auto& taken = plan.segments()[static_cast<std::size_t>(first.next.segment)];
  const auto& other = plan.segments()[static_cast<std::size_t>(first.other.segment)];
  EXPECT_EQ(taken.next.ending.kind, Ending::Kind::Returned);
  EXPECT_EQ(taken.next.ending.slot, 4U);
  EXPECT_EQ(taken.next.ending.executed, 2U);
  EXPECT_EQ(taken.next.ending.clocks, 68U);
  EXPECT_EQ(taken.next.ending.dividerClocks, 66U);
  EXPECT_EQ(other.next.ending.slot, 2U);
  EXPECT_EQ(other.next.ending.clocks, 4U);
  EXPECT_EQ(other.next.ending.dividerClocks, 0U);
}

TEST(TheiaRoutine, WaysThatAreRareAreTheLoops) {
  const Rows rows = twoWays();
  Profile profile;
  profile.counts = {{0, 640}, {1, 631}, {3, 9}};  // less than one in 64
  const RoutinePlan plan(rows, 0, 1000, profile.entered);
  ASSERT_EQ(plan.segments().size(), 2U);
  const Segment::Next& taken = plan.segments()[0].next;
  EXPECT_EQ(taken.segment, Segment::kNone);
  EXPECT_EQ(taken.ending.kind, Ending::Kind::Enters);
  EXPECT_EQ(taken.ending.slot, 3U);
  EXPECT_EQ(taken.ending.clocks, 2U);
  profile.counts[3] = 10;
  EXPECT_EQ(RoutinePlan(rows, 0, 1000, profile.entered).segments().size(), 3U);
}

TEST(TheiaRoutine, CallsReturnToWhereTheyCameFromAndAReturnOfSomebodyElsesEnds) {
  // 0: CALL 3; 1: CALL 3; 2: RETURN; 3: the sub-routine
  const Rows rows =
      withRuns({row(Code::Call, 3), row(Code::Call, 2), row(Code::Return), row(Code::Ret, 0, 4)});
  const Profile profile;
  const RoutinePlan plan(rows, 0, 1000, profile.entered);
  ASSERT_EQ(plan.segments().size(), 4U);
  const Ending end = plan.segments()[3].next.ending;
  EXPECT_EQ(end.kind, Ending::Kind::Returned);
  EXPECT_EQ(end.slot, 2U);
  EXPECT_EQ(end.back, 2);
  EXPECT_EQ(end.clocks, 12U);
  const RoutinePlan sub(rows, 3, 1000, profile.entered);
  ASSERT_EQ(sub.segments().size(), 1U);
  EXPECT_EQ(sub.segments()[0].rows, 0U);
  EXPECT_EQ(sub.segments()[0].next.ending.kind, Ending::Kind::Inside);
  EXPECT_EQ(sub.segments()[0].next.ending.slot, 3U);
}

TEST(TheiaRoutine, LoopsEndAtTheLimitOfInstructions) {
  const Rows rows = withRuns({row(Code::Add), row(Code::Jump, -1)});
  const Profile profile;
  const RoutinePlan plan(rows, 0, 9, profile.entered);
  const Ending end = plan.segments().back().next.ending;
  EXPECT_EQ(end.kind, Ending::Kind::Enters);
  EXPECT_EQ(end.executed, 10U) << "a run is entered at 8 and not above 9";
  EXPECT_LT(RoutinePlan(rows, 0, 1'000'000, profile.entered).segments().size(), 100U);
}

TEST(TheiaRoutine, ArithmeticOfTheLoopEndsARunWithin) {
  const Rows rows = withRuns({row(Code::Add), row(Code::Rare, 0, 6), row(Code::Return)});
  const Profile profile;
  const RoutinePlan plan(rows, 0, 1000, profile.entered);
  ASSERT_EQ(plan.segments().size(), 1U);
  const Ending& end = plan.segments()[0].next.ending;
  EXPECT_EQ(end.kind, Ending::Kind::Inside);
  EXPECT_EQ(end.slot, 1U);
  EXPECT_EQ(end.executed, 2U) << "the whole run is counted";
  EXPECT_TRUE(RoutinePlan(rows, 1, 1000, profile.entered).segments().empty());
}

class TheiaRoutineShelf : public testing::Test {
 protected:
  void SetUp() override {
    if (!common::isaUsable(common::Isa::Avx2)) GTEST_SKIP() << "no host code on this host";
  }
  std::shared_ptr<const RoutineCode> get(const Rows& rows, const RoutineCode* than = nullptr) {
    return shelf_.get({rows, 0, 1000, profile_.entered}, than);
  }
  Profile profile_;
  RoutineShelf shelf_{common::Isa::Avx2};
};

TEST_F(TheiaRoutineShelf, CodeIsSharedByRowsThatAreTheSame) {
  Rows rows = twoWays();
  const auto code = get(rows);
  ASSERT_TRUE(code);
  rows[1].count = 7;
  EXPECT_EQ(get(rows), code) << "counts are no part of it";
  rows.push_back(row(Code::Sub));
  EXPECT_EQ(get(withRuns(rows)), code) << "nor is what the routine does not reach";
  rows[1].d = 16 * 74;
  const auto other = get(withRuns(rows));
  EXPECT_NE(other, code);
  rows[4].code = Code::Step;
  EXPECT_NE(get(withRuns(rows)), other) << "no RETURN there any more";
}

TEST_F(TheiaRoutineShelf, CodeIsMadeAgainOnceForAllThatAsk) {
  const Rows rows = twoWays();
  profile_.counts = {{0, 640}, {1, 640}};
  const auto first = get(rows);
  profile_.counts = {{0, 1280}, {1, 640}, {3, 640}};
  const auto second = get(rows, first.get());
  EXPECT_NE(second, first);
  EXPECT_GT(second->endings().size(), first->endings().size());
  EXPECT_EQ(get(rows, first.get()), second);
  EXPECT_EQ(get(rows), second);
}

TEST_F(TheiaRoutineShelf, TheCodeRunsAndSaysWhereItEnded) {
  const auto code = get(twoWays());
  ASSERT_TRUE(code);
  std::array<Lanes, kPlaces> places{};
  places[72] = {{5, 6, 7, 0}};
  places[73] = {{1, 2, 3, 0}};
  const Ending& added = code->endings()[code->function()(places.data())];
  EXPECT_EQ(added.slot, 2U);
  EXPECT_EQ(places[71].lane[2], 10U);
  EXPECT_EQ(code->runsTo(added), (std::vector<std::uint32_t>{1, 0}));
  places[72].lane[0] = 0xFFFFFFFF;  // the same magnitude as 1
  const Ending& divided = code->endings()[code->function()(places.data())];
  EXPECT_EQ(divided.slot, 4U);
  EXPECT_EQ(places[71].lane[0], 0xFFFE0000U);
  EXPECT_EQ(places[71].lane[1], 3U << 17);
  places[73].lane[1] = 0;  // by 0: the loop's
  const Ending& left = code->endings()[code->function()(places.data())];
  EXPECT_EQ(left.kind, Ending::Kind::Inside);
  EXPECT_EQ(left.slot, 3U);
  EXPECT_EQ(places[71].lane[1], 3U << 17) << "nothing of the row is done";
}

TEST_F(TheiaRoutineShelf, MoreRegistersThanTheHostHasVectorsGoThroughMemory) {
  constexpr unsigned kMany = 40, kFirst = 71;
  Rows rows;
  for (unsigned i = 0; i < kMany; ++i) {
    Row& r = rows.emplace_back(row(Code::Add));
    r.d = static_cast<std::uint16_t>(16 * (kFirst + i));
    r.a = static_cast<std::uint16_t>(r.d - 16);
    r.b = 16 * 1;
  }
  rows.push_back(row(Code::Return));
  const auto code = get(withRuns(rows));
  ASSERT_TRUE(code);
  std::array<Lanes, kPlaces> places{};
  places[kFirst - 1] = {{100, 200, 300, 0}};
  places[1] = {{1, 2, 3, 0}};
  EXPECT_EQ(code->endings()[code->function()(places.data())].slot, kMany);
  for (unsigned i = 0; i < kMany; ++i) {
    EXPECT_EQ(places[kFirst + i].lane[0], 101 + i);
    EXPECT_EQ(places[kFirst + i].lane[2], 303 + 3 * i);
  }
}

// A lane that the routine itself has set is a constant of the comparison.
TEST_F(TheiaRoutineShelf, ComparisonsWithWhatTheRoutineHasSetAreOfMagnitudes) {
  for (const Code jump : {Code::JumpEq, Code::JumpNe}) {
    for (const std::uint32_t constant : {0U, 5U, 0xFFFFFFF9U}) {
      for (const bool likely : {false, true}) {
        for (const bool first : {false, true}) {
          Rows rows{row(Code::SetX), row(jump, 2), row(Code::Return), row(Code::Return)};
          rows[0].immediate = constant;
          rows[0].b = rows[0].d;
          rows[1].a = first ? rows[0].d : rows[1].b;
          rows[1].b = first ? rows[1].b : rows[0].d;
          profile_.counts = {{0, 100}, {2, likely ? 40 : 60}, {3, likely ? 60 : 40}};
          RoutineShelf shelf(common::Isa::Avx2);
          const auto code = shelf.get({withRuns(rows), 0, 1000, profile_.entered}, nullptr);
          ASSERT_TRUE(code);
          for (const std::uint32_t value : {0U, 5U, 0U - 5U, 7U, 0U - 7U, 6U}) {
            std::array<Lanes, kPlaces> places{};
            places[73].lane[0] = value;
            const bool same = value == constant || value == 0U - constant;
            const bool taken = same == (jump == Code::JumpEq);
            EXPECT_EQ(code->endings()[code->function()(places.data())].slot, taken ? 3U : 2U)
                << constant << ' ' << value << ' ' << likely << ' ' << first;
          }
        }
      }
    }
  }
}

TEST(TheiaRoutineWithout, ThereIsNoneForInstructionSetsWithoutWideVectors) {
  RoutineShelf shelf(common::Isa::Sse42);
  const Profile profile;
  const Rows rows = twoWays();
  EXPECT_FALSE(shelf.get({rows, 0, 1000, profile.entered}, nullptr));
}

}  // namespace
}  // namespace rtvp::theia::fast
