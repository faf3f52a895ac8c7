// Every register block of every machine, exhaustively: each offset, sizes 1 to 16, patterns of byte
// enables, read, write and debug. What must happen is worked out byte by byte from the table.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "models/common/register_target.hpp"
#include "models/implicit/unit/registers.hpp"
#include "models/sl/unit/unit_registers.hpp"
#include "models/theia/unit_registers.hpp"
#include "models/tigershark/pld_registers.hpp"
#include "models/tigershark/s5933_registers.hpp"
#include "models/xphmg/csr_table.hpp"
#include "models/xphmg/mailbox_registers.hpp"
#include "tests/models/common/register_rule.hpp"

namespace rtvp::common {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Case {
  const char* name;
  RegisterBlock block;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

/// Byte `byte` of row `row`: never 0, so that it differs from a hole.
constexpr std::uint8_t valueOf(std::size_t row, std::uint64_t byte) {
  return static_cast<std::uint8_t>(1 + (row * 37 + byte * 5) % 255);
}

/// Answers valueOf() and keeps the bytes that were touched, by row and byte.
class Touched final : public RegisterBehaviour {
 public:
  explicit Touched(std::span<const RegisterDescriptor> table) : table_(table) {}
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint8_t> read, written;
  unsigned actions = 0;

  std::uint64_t peekRegister(std::size_t row) override {
    std::uint64_t value = 0;
    for (std::uint64_t byte = 0; byte < table_[row].width; ++byte)
      value |= std::uint64_t{valueOf(row, byte)} << 8 * byte;
    return value;
  }
  std::optional<std::uint64_t> readRegister(std::size_t row, std::uint64_t bytes) override {
    const std::uint64_t value = peekRegister(row);
    touch(read, row, value, bytes);
    return value;
  }
  bool writeRegister(std::size_t row, std::uint64_t value, std::uint64_t bytes) override {
    touch(written, row, value, bytes);
    return true;
  }
  void clear() {
    read.clear();
    written.clear();
    actions = 0;
  }

 private:
  void touch(auto& where, std::size_t row, std::uint64_t value, std::uint64_t bytes) {
    ++actions;
    for (std::uint64_t byte = 0; byte < 8; ++byte) {
      const auto enabled = static_cast<std::uint8_t>(bytes >> 8 * byte);
      if (enabled == 0) continue;
      EXPECT_EQ(enabled, 0xFF);
      EXPECT_TRUE(
          where.emplace(std::pair{row, byte}, static_cast<std::uint8_t>(value >> 8 * byte)).second)
          << "touched twice";
    }
  }
  std::span<const RegisterDescriptor> table_;
};

class RegisterBlocks : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    // Who holds each byte, by looking at every row.
    owners_.resize(block().bytes, kNobody);
    for (std::size_t row = 0; row < block().table.size(); ++row) {
      for (std::uint64_t byte = 0; byte < block().table[row].width; ++byte)
        owners_.at(block().table[row].offset + byte) = {row, byte};
    }
  }
  using Owner = std::pair<std::size_t, std::uint64_t>;
  static constexpr Owner kNobody{~std::size_t{0}, 0};

  const RegisterBlock& block() const { return GetParam().block; }
  bool inside(std::uint64_t offset, std::uint64_t size) const {
    return offset + size <= block().bytes;
  }
  void check(std::uint64_t offset, std::uint64_t size, const Bytes& enables, bool write);

  std::vector<Owner> owners_;
  Touched registers_{GetParam().block.table};
  RegisterTarget target_{GetParam().block, registers_};
};

void RegisterBlocks::check(std::uint64_t offset, std::uint64_t size, const Bytes& enables,
                           bool write) {
  registers_.clear();
  const auto data = [](std::uint64_t i) { return static_cast<std::uint8_t>(0xA0 + i); };
  test::Access a{write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, offset, Bytes(size),
                 enables};
  for (std::uint64_t i = 0; i < size; ++i) a.data[i] = data(i);
  const auto status = a.with([&](auto& payload) { return target_.access(payload); });
  const test::Rule rule{block().table, block().bytes, block().smallest, block().largest};
  ASSERT_EQ(status, rule.status(offset, size, enables)) << offset << ' ' << size;
  if (status != tlm::TLM_OK_RESPONSE) {
    ASSERT_EQ(registers_.actions, 0U);
    return;
  }
  std::map<Owner, std::uint8_t> touched;
  for (std::uint64_t i = 0; i < size; ++i) {
    const bool enabled = enables.empty() || enables[i % enables.size()] != 0;
    const Owner owner = owners_[offset + i];
    const bool hole = owner == kNobody;
    if (enabled && !hole) touched[owner] = write ? data(i) : valueOf(owner.first, owner.second);
    const std::uint8_t left = hole ? 0 : valueOf(owner.first, owner.second);
    ASSERT_EQ(a.data[i], enabled && !write ? left : data(i)) << offset << ' ' << size << ' ' << i;
  }
  ASSERT_EQ(write ? registers_.written : registers_.read, touched) << offset << ' ' << size;
  ASSERT_TRUE((write ? registers_.read : registers_.written).empty());
}

TEST_P(RegisterBlocks, EveryOffsetSizeAndPattern) {
  for (std::uint64_t offset = 0; offset < block().bytes + 9; ++offset) {
    for (const std::uint64_t size : {1U, 2U, 3U, 4U, 8U, 12U, 16U}) {
      for (const Bytes& enables : test::enablePatterns()) {
        check(offset, size, enables, false);
        check(offset, size, enables, true);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(RegisterBlocks, DebugReadsEverythingAndTouchesNothing) {
  for (std::uint64_t offset = 0; offset < block().bytes + 9; ++offset) {
    for (const std::uint64_t size : {1U, 2U, 4U, 8U, 16U}) {
      test::Access a{tlm::TLM_READ_COMMAND, offset, Bytes(size, 0xEE)};
      const unsigned moved = a.with([&](auto& payload) { return target_.debug(payload); });
      ASSERT_EQ(moved, inside(offset, size) ? size : 0U);
      for (std::uint64_t i = 0; i < size; ++i) {
        const Owner owner = moved == 0 ? kNobody : owners_[offset + i];
        const std::uint8_t held = owner == kNobody ? 0 : valueOf(owner.first, owner.second);
        ASSERT_EQ(a.data[i], moved == 0 ? 0xEE : held) << offset << ' ' << size << ' ' << i;
      }
    }
  }
  EXPECT_EQ(registers_.actions, 0U);
}

TEST_P(RegisterBlocks, EveryRegisterNamesItsSourceAndHasItsBits) {
  for (const RegisterDescriptor& reg : block().table) {
    EXPECT_FALSE(reg.name.empty());
    EXPECT_FALSE(reg.source.empty()) << reg.name;
    std::uint64_t bits = 0;
    for (const auto access : {rtvp::common::Access::Ro, rtvp::common::Access::Wo,
                              rtvp::common::Access::Rw, rtvp::common::Access::W1c})
      bits |= reg.bits(access);
    EXPECT_NE(bits, 0U) << reg.name;
    EXPECT_EQ(reg.reset & reg.bits(rtvp::common::Access::Wo), 0U) << reg.name;
  }
}

// The sizes that a block takes are the machine's contract, so they are written out here.
INSTANTIATE_TEST_SUITE_P(
    All, RegisterBlocks,
    testing::Values(Case{"theia", {theia::unit::kRegisterTable, 0x30}},
                    Case{"sl", {sl::unit::kRegisterTable, 0x5C}},
                    Case{"implicit",
                         {implicit::unit::kRegisterTable, implicit::unit::kRegisterBlockEnd}},
                    Case{"xphmg_page", {xphmg::csrTable(), 0x2000, 8, 8}},
                    Case{"xphmg_mailbox", {xphmg::mailbox::kRegisterTable, 0x1000, 4, 8}},
                    Case{"pld", {tigershark::pld::kRegisterTable, 0x24, 4, 4}},
                    Case{"s5933_pci", {tigershark::s5933::kPciRegisters, 0x40}},
                    Case{"s5933_addon", {tigershark::s5933::kAddonRegisters, 0x60}},
                    Case{"s5933_config", {tigershark::s5933::kConfigRegisters, 0x100}}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace rtvp::common
