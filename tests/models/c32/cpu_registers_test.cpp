// The peripheral register tables against the machine, exhaustively; options and decisions
// (c32.md 8.3, 12).
#include <gtest/gtest.h>

#include <set>

#include "models/c32/cpu_options.hpp"
#include "models/c32/peripheral_registers.hpp"
#include "tests/models/c32/cpu_test_support.hpp"

namespace rtvp::c32 {
namespace {

using testing::Machine;

constexpr std::uint32_t addressOf(const common::RegisterDescriptor& row) {
  return kPeripheralBase + row.offset / 4;
}

TEST(Registers, ResetValuesAndHoles) {
  testing::FakeBoard board;
  const Cpu fresh(CpuConfig{}, board);
  std::set<std::uint32_t> known;
  for (const auto& row : kPeripheralRegisters) {
    known.insert(addressOf(row));
    EXPECT_EQ(*fresh.peek(addressOf(row)), row.reset) << row.name;
    EXPECT_EQ(peripheralRegister(addressOf(row)), &row);
    EXPECT_FALSE(row.source.empty());
    for (const auto& field : row.fields) EXPECT_FALSE(field.name.empty()) << row.name;
  }
  EXPECT_EQ(known.size(), 25u);
  // Every other word reads 0 and ignores a store.
  for (std::uint32_t a = kPeripheralBase; a < kPeripheralBase + 0x100; ++a) {
    if (known.contains(a)) continue;
    Machine n({0x1540C000, 0x0841C000});  // STI R0,*AR0; LDI *AR0,R1
    n.cpu.setRegister(reg::AR0, a);
    n.cpu.setRegister(0, 0xFFFFFFFF);
    n.cpu.setRegister(1, 1);
    n.steps(2);
    EXPECT_EQ(n.r(1), 0u) << a;
  }
}

/// Every bit of every register, set alone and cleared alone: writable ones follow, the others stay.
TEST(Registers, EveryBitFollowsItsAccessRule) {
  for (const auto& row : kPeripheralRegisters) {
    const std::uint32_t address = addressOf(row);
    const std::uint32_t writable = row.mask(common::Access::Rw);
    const std::uint32_t writeOnly = row.mask(common::Access::Wo);
    // State bits that a write may legitimately move: what the machine computes.
    std::uint32_t computed = row.mask(common::Access::Ro);
    for (unsigned bit = 0; bit < 32; ++bit) {
      for (const bool inverted : {false, true}) {
        const std::uint32_t value = inverted ? ~(1u << bit) : 1u << bit;
        // START = run would make DMA move at once; HIZ only concerns the external bus.
        if (row.name == "DMA0CONTROL" || row.name == "DMA1CONTROL") {
          if ((value & 3u) == 3u) continue;
        }
        Machine n({0x1540C000, 0x0841C000});
        n.cpu.setRegister(reg::AR0, address);
        n.cpu.setRegister(0, value);
        ASSERT_EQ(n.steps(2), StopReason::Steps) << row.name;
        EXPECT_EQ(n.r(1) & writable, value & writable) << row.name << " bit " << bit;
        EXPECT_EQ(n.r(1) & writeOnly, 0u) << row.name << " bit " << bit;
        const std::uint32_t fixed = ~(writable | writeOnly | computed);
        EXPECT_EQ(n.r(1) & fixed, row.reset & fixed) << row.name << " bit " << bit;
      }
    }
  }
}

TEST(Registers, ReadOnlyBitsIgnoreWrites) {
  for (const auto& row : kPeripheralRegisters) {
    const std::uint32_t readOnly = row.mask(common::Access::Ro);
    if (readOnly == 0) continue;
    Machine n({0x1540C000, 0x0841C000});
    n.cpu.setRegister(reg::AR0, addressOf(row));
    n.cpu.setRegister(0, readOnly);
    n.steps(2);
    EXPECT_EQ(n.r(1) & readOnly, row.reset & readOnly) << row.name;
  }
}

TEST(Registers, DocumentationListsEveryField) {
  const std::string text = peripheralsMarkdown();
  for (const auto& row : kPeripheralRegisters) {
    EXPECT_NE(text.find(std::string(row.name)), std::string::npos) << row.name;
    for (const auto& field : row.fields) {
      EXPECT_NE(text.find(std::string(field.name)), std::string::npos) << field.name;
    }
  }
}

TEST(Options, DefaultsAreTheDocumentsAndEveryValueCanBeSet) {
  std::set<std::string_view> keys;
  const std::string page = cpuOptionsMarkdown();
  for (const CpuOption& o : cpuOptions()) {
    EXPECT_TRUE(keys.insert(o.key).second) << o.key;
    EXPECT_FALSE(o.section.empty());
    EXPECT_NE(page.find("`" + std::string(o.key) + "`"), std::string::npos);
    CpuConfig config;
    const std::uint64_t before = o.get(config);
    EXPECT_EQ(setCpuOption(config, o.key, cpuOptionText(o, config)), std::nullopt) << o.key;
    EXPECT_EQ(o.get(config), before) << o.key;
    const std::uint64_t other = before == o.least ? o.most : o.least;
    o.set(config, other);
    const std::string text = cpuOptionText(o, config);
    CpuConfig again;
    EXPECT_EQ(setCpuOption(again, o.key, text), std::nullopt) << o.key << " " << text;
    EXPECT_EQ(o.get(again), other) << o.key;
    EXPECT_NE(setCpuOption(config, o.key, "nonsense"), std::nullopt);
    EXPECT_NE(setCpuOption(config, o.key, ""), std::nullopt);
    EXPECT_NE(setCpuOption(config, o.key, "99999999999999999999"), std::nullopt);
  }
  CpuConfig config;
  EXPECT_NE(setCpuOption(config, "no-such", "1"), std::nullopt);
  EXPECT_EQ(setCpuOption(config, "timing", "pipeline"), std::nullopt);
  EXPECT_EQ(config.timing, Timing::Pipeline);
  EXPECT_EQ(setCpuOption(config, "strb-reset", "0x000F0008"), std::nullopt);
  EXPECT_EQ(config.strbReset, 0x000F0008u);
  EXPECT_GT(cpuDecisions().size(), 15u);
}

TEST(Options, StallNamesAreDistinct) {
  std::set<std::string_view> names;
  for (unsigned c = 0; c < kStallCauses; ++c) {
    EXPECT_TRUE(names.insert(stallName(static_cast<StallCause>(c))).second);
  }
}

TEST(Options, CallCondCost) {
  CpuConfig config;
  config.callCondCycles = 4;
  Machine m({0x72000003}, config);
  m.cpu.setRegister(reg::SP, 0x87FF80);
  m.steps(1);
  EXPECT_EQ(m.cpu.cycle(), 4u);
}

}  // namespace
}  // namespace rtvp::c32
