#include "platform/machines/memory_map.hpp"

#include <gtest/gtest.h>

#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

std::string refusal(const auto& action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(MemoryMap, AMachineAloneGetsItsUsualPlace) {
  MemoryMap map(false);
  EXPECT_EQ(map.place("gpu", {"gpu", 0x0C00'0000, Region::Registers, 0x8000'0000}), 0x8000'0000U);
}

// Regions of house rules: registers from 2100_0000h, each at a multiple of its size.
TEST(MemoryMap, SeveralMachinesGoWhereTheirRegionHasRoom) {
  MemoryMap map(true);
  EXPECT_EQ(map.place("a", {"a", 0x2000, Region::Registers, 0x2000'0000}), 0x2100'0000U);
  EXPECT_EQ(map.place("b", {"b", 0x2000, Region::Registers, 0x2000'0000}), 0x2100'2000U);
  EXPECT_EQ(map.place("c", {"c", 0x0C00'0000, Region::Registers, 0x8000'0000}), 0x3000'0000U);
  EXPECT_EQ(map.place("hart", {"lds", 0x40000, Region::Private, 0x1000'0000}), 0x1000'0000U);
}

TEST(MemoryMap, RangesOfOneMachineFollowItsPin) {
  MemoryMap map(true);
  map.pin("a", 0x2200'0000);
  EXPECT_EQ(map.place("a", {"unit0", 0x2000, Region::Registers, 0}), 0x2200'0000U);
  EXPECT_EQ(map.place("a", {"unit1", 0x2000, Region::Registers, 0}), 0x2200'2000U);
}

TEST(MemoryMap, OverlapsAreRefusedWithBothNames) {
  MemoryMap map(true);
  map.pin("a", 0x2200'0000);
  map.pin("b", 0x2200'1000);
  (void)map.place("a", {"unit0", 0x2000, Region::Registers, 0});
  EXPECT_EQ(refusal([&] {
              (void)map.place("b", {"unit0", 0x2000, Region::Registers, 0});
            }),
            "b: unit0 at 22001000h to 22002FFFh overlaps unit0 of a at 22000000h to 22001FFFh");
}

TEST(MemoryMap, ARegionThatIsFullSaysSo) {
  MemoryMap map(true);
  (void)map.place("a", {"a", 0x1000'0000, Region::Registers, 0});
  EXPECT_EQ(refusal([&] {
              (void)map.place("b", {"b", 0x1000'0000, Region::Registers, 0});
            }),
            "b: no room for the 268435456 bytes of b between 21000000h and 3FFFFFFFh");
}

TEST(MemoryMap, LinesAreDealtInOrderAroundThoseThatAreWanted) {
  MemoryMap map(true);
  EXPECT_EQ(map.addLine("a", "irq", {}, 1), 1U);
  EXPECT_EQ(map.addLine("b", "irq"), 0U);
  EXPECT_EQ(map.addLine("b", "irq"), 2U);
  EXPECT_EQ(refusal([&] { (void)map.addLine("c", "irq", {}, 1); }),
            "c: found interrupt line 1, which is that of a");
  EXPECT_EQ(refusal([&] { (void)map.addLine("c", "irq", {}, 128); }),
            "c: found interrupt line 128, the processor has 128");
}

}  // namespace
}  // namespace rtvp::platform
