// The rule of register blocks: decode, holes, parts of registers, byte enables, sizes, refusals,
// debug access. Expectations are written out by hand.
#include "models/common/register_target.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>

#include "tests/models/common/register_access.hpp"

namespace rtvp::common {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr auto kRead = tlm::TLM_READ_COMMAND, kWrite = tlm::TLM_WRITE_COMMAND;
constexpr auto kOk = tlm::TLM_OK_RESPONSE, kBurst = tlm::TLM_BURST_ERROR_RESPONSE,
               kEnables = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
               kAddress = tlm::TLM_ADDRESS_ERROR_RESPONSE,
               kGeneric = tlm::TLM_GENERIC_ERROR_RESPONSE;

constexpr auto kData =
    std::to_array<FieldDescriptor>({{"DATA", 31, 0, rtvp::common::Access::Rw, ""}});
constexpr auto kWide =
    std::to_array<FieldDescriptor>({{"DATA", 63, 0, rtvp::common::Access::Rw, ""}});
/// 00h A; 04h a hole; 08h B (8 bytes); 10h C (2 bytes), D (1 byte); a hole up to 18h.
constexpr auto kTable = std::to_array<RegisterDescriptor>({
    {"A", 0x00, 4, 0, false, "", "test", kData},
    {"B", 0x08, 8, 0, false, "", "test", kWide},
    {"C", 0x10, 2, 0, false, "", "test", {}},
    {"D", 0x12, 1, 0, false, "", "test", {}},
});
static_assert(isWellFormed(kTable) && namesAreUnique(kTable));
constexpr auto kTwice = std::to_array<RegisterDescriptor>(
    {{"A", 0, 4, 0, false, "", "", kData}, {"A", 4, 4, 0, false, "", "", kData}});
static_assert(isWellFormed(kTwice) && !namesAreUnique(kTwice));
constexpr std::uint64_t kSize = 0x18;

// ---- names are resolved by the compiler

using Reg = RegisterName<kTable>;
static_assert(Reg("B").row() == 1 && Reg("D").offset() == 0x12 && Reg("C").name() == "C");
static_assert(rowOf(kTable, "C") == 2);

template <std::size_t N>
struct Text {
  char text[N];
  consteval Text(const char (&from)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = from[i];
  }
};
template <Text kName>
concept Names = requires {
  typename std::integral_constant<std::size_t, Reg(kName.text).row()>;
};
static_assert(Names<"A"> && Names<"D">);
static_assert(!Names<"E"> && !Names<""> && !Names<"a">, "such a name does not compile");

constexpr auto kFields = std::to_array<FieldDescriptor>(
    {{"MODE", 6, 4, rtvp::common::Access::Rw, ""}, {"GO", 31, 31, rtvp::common::Access::Wo, ""}});
static_assert(bitsOf(kFields, "MODE") == 0x70 && bitsOf(kFields, "GO") == 0x8000'0000);
static_assert(bitsOf(kFields, "MODE", 5) == 0x50 && shiftOf(kFields, "MODE") == 4);
template <Text kName, std::uint32_t kValue>
concept Fits = requires {
  typename std::integral_constant<std::uint32_t, bitsOf(kFields, kName.text, kValue)>;
};
static_assert(Fits<"MODE", 7> && !Fits<"MODE", 8> && !Fits<"GONE", 0>);

/// Registers whose values are what was written, and a log of what they were asked.
class Recorder final : public RegisterBehaviour {
 public:
  std::array<std::uint64_t, 4> values{0x44332211, 0x8877665544332211, 0xBEEF, 0x5A};
  std::string log;
  std::size_t refusing = RegisterDecoder::kNone;

  std::uint64_t peekRegister(std::size_t row) override { return values.at(row); }
  std::optional<std::uint64_t> readRegister(std::size_t row, std::uint64_t bytes) override {
    note('r', row, bytes);
    if (row == refusing) return std::nullopt;
    return values.at(row);
  }
  bool writeRegister(std::size_t row, std::uint64_t value, std::uint64_t bytes) override {
    note('w', row, bytes);
    if (row == refusing) return false;
    values.at(row) = (values.at(row) & ~bytes) | value;
    EXPECT_EQ(value & ~bytes, 0U) << "nothing in the bytes left out";
    return true;
  }

 private:
  void note(char what, std::size_t row, std::uint64_t bytes) {
    char text[40];
    std::snprintf(text, sizeof text, "%c%zu:%llX ", what, row,
                  static_cast<unsigned long long>(bytes));
    log += text;
  }
};

class RegisterTargetTest : public testing::Test {
 protected:
  Recorder registers;
  RegisterTarget target{{kTable, kSize}, registers};
  RegisterTarget sized{{kTable, kSize, 4, 8}, registers};

  static tlm::tlm_response_status access(RegisterTarget& t, test::Access& a,
                                         std::uint64_t base = 0) {
    return a.with([&](auto& payload) { return t.access(payload, base); });
  }
  Bytes read(std::uint64_t address, std::size_t count, const Bytes& enables = {}) {
    test::Access a{kRead, address, Bytes(count, 0xEE), enables};
    EXPECT_EQ(access(target, a), kOk) << address;
    return a.data;
  }
  void write(std::uint64_t address, const Bytes& data, const Bytes& enables = {}) {
    test::Access a{kWrite, address, data, enables};
    EXPECT_EQ(access(target, a), kOk) << address;
  }
  tlm::tlm_response_status status(RegisterTarget& t, tlm::tlm_command command,
                                  std::uint64_t address, std::size_t count,
                                  const Bytes& enables = {}, unsigned streaming = 0) {
    test::Access a{command, address, Bytes(count, 0xFF), enables, streaming};
    return access(t, a);
  }
};

TEST_F(RegisterTargetTest, RegistersAreLittleEndianAndActOnceInOrder) {
  EXPECT_EQ(read(0x00, 4), (Bytes{0x11, 0x22, 0x33, 0x44}));
  EXPECT_EQ(registers.log, "r0:FFFFFFFF ");
  EXPECT_EQ(read(0x08, 8), (Bytes{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}));
  registers.log.clear();
  EXPECT_EQ(read(0x08, 12),
            (Bytes{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0xEF, 0xBE, 0x5A, 0x00}));
  EXPECT_EQ(registers.log, "r1:FFFFFFFFFFFFFFFF r2:FFFF r3:FF ");
}

TEST_F(RegisterTargetTest, APartOfARegisterActsWithItsBytes) {
  EXPECT_EQ(read(0x02, 1), (Bytes{0x33}));
  EXPECT_EQ(read(0x0C, 4), (Bytes{0x55, 0x66, 0x77, 0x88}));
  EXPECT_EQ(read(0x0F, 2), (Bytes{0x88, 0xEF}));
  EXPECT_EQ(registers.log, "r0:FF0000 r1:FFFFFFFF00000000 r1:FF00000000000000 r2:FF ");
  registers.log.clear();
  write(0x01, {0xA1, 0xA2});
  write(0x0C, {1, 2, 3, 4});
  EXPECT_EQ(registers.log, "w0:FFFF00 w1:FFFFFFFF00000000 ");
  EXPECT_EQ(registers.values[0], 0x44A2A111U);
  EXPECT_EQ(registers.values[1], 0x0403020144332211U);
}

TEST_F(RegisterTargetTest, HolesReadZeroAndIgnoreWrites) {
  EXPECT_EQ(read(0x04, 4), (Bytes{0, 0, 0, 0}));
  EXPECT_EQ(read(0x13, 5), (Bytes{0, 0, 0, 0, 0}));
  write(0x04, {1, 2, 3, 4});
  write(0x17, {1});
  EXPECT_EQ(registers.log, "") << "nobody is asked";
  EXPECT_EQ(read(0x02, 8), (Bytes{0x33, 0x44, 0, 0, 0, 0, 0x11, 0x22}));
  EXPECT_EQ(registers.log, "r0:FFFF0000 r1:FFFF ");
}

TEST_F(RegisterTargetTest, ByteEnablesLeaveOutBytesAndRepeat) {
  EXPECT_EQ(read(0x00, 4, {0xFF, 0, 0, 0xFF}), (Bytes{0x11, 0xEE, 0xEE, 0x44}));
  EXPECT_EQ(registers.log, "r0:FF0000FF ");
  EXPECT_EQ(read(0x04, 4, {0, 0xFF}), (Bytes{0xEE, 0, 0xEE, 0})) << "in holes too";
  registers.log.clear();
  // A pattern of two bytes over A, the hole and half of B.
  write(0x00, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {0xFF, 0});
  EXPECT_EQ(registers.log, "w0:FF00FF w1:FF00FF ");
  EXPECT_EQ(registers.values[0], 0x44032201U);
  EXPECT_EQ(registers.values[1], 0x88776655440B2209U);
  registers.log.clear();
  write(0x00, {9, 9, 9, 9, 9, 9, 9, 9, 9}, {0, 0, 0, 0, 0, 0, 0, 0, 0xFF});
  EXPECT_EQ(registers.log, "w1:FF ") << "a register without an enabled byte does not act";
}

TEST_F(RegisterTargetTest, WhatIsRefusedDoesNothing) {
  EXPECT_EQ(status(target, kWrite, 0x18, 1), kAddress);
  EXPECT_EQ(status(target, kWrite, 0x14, 8), kAddress) << "not in the block as a whole";
  EXPECT_EQ(status(target, kRead, ~0ULL, 1), kAddress);
  EXPECT_EQ(status(target, kRead, ~0ULL, 8), kAddress) << "no wrap";
  EXPECT_EQ(status(target, kWrite, 0x00, 0), kBurst);
  EXPECT_EQ(status(target, kWrite, 0x00, 8, {}, 4), kBurst) << "streaming";
  EXPECT_EQ(status(target, kRead, 0x00, 4, {}, 8), kOk) << "a longer width is none";
  registers.log.clear();
  EXPECT_EQ(status(target, tlm::TLM_IGNORE_COMMAND, 0x100, 0), kOk);
  test::Access a{kWrite, 0x00, Bytes(4, 0xFF), {0xFF}};
  EXPECT_EQ(a.with([&](auto& payload) {
    payload.set_byte_enable_length(0);
    return target.access(payload);
  }),
            kEnables);
  EXPECT_EQ(registers.log, "");
}

TEST_F(RegisterTargetTest, ABlockMayTakeCertainSizesOnly) {
  for (const std::size_t size : {1U, 2U, 3U, 5U, 6U, 7U, 9U, 12U, 16U})
    EXPECT_EQ(status(sized, kWrite, 0x00, size), kBurst) << size;
  EXPECT_EQ(status(sized, kWrite, 0x02, 4), kAddress);
  EXPECT_EQ(status(sized, kWrite, 0x04, 8), kAddress) << "at multiples of the size";
  EXPECT_EQ(status(sized, kWrite, 0x18, 4), kAddress);
  EXPECT_EQ(status(sized, kWrite, 0x00, 4, {0xFF, 0xFF, 0xFF, 0}), kEnables);
  EXPECT_EQ(registers.log, "");
  EXPECT_EQ(status(sized, kRead, 0x0C, 4), kOk);
  EXPECT_EQ(status(sized, kRead, 0x08, 8), kOk);
  EXPECT_EQ(status(sized, kRead, 0x00, 8), kOk);
  EXPECT_EQ(status(sized, kRead, 0x00, 4, {0xFF}), kOk) << "leaves nothing out";
  EXPECT_EQ(registers.log, "r1:FFFFFFFF00000000 r1:FFFFFFFFFFFFFFFF r0:FFFFFFFF r0:FFFFFFFF ");
}

TEST_F(RegisterTargetTest, ARegisterMayRefuseAndStopsTheAccess) {
  registers.refusing = 1;
  EXPECT_EQ(status(target, kWrite, 0x00, 0x14), kGeneric);
  EXPECT_EQ(registers.log, "w0:FFFFFFFF w1:FFFFFFFFFFFFFFFF ") << "C and D have not acted";
  EXPECT_EQ(registers.values[0], 0xFFFFFFFFU);
  EXPECT_EQ(registers.values[1], 0x8877665544332211U);
  EXPECT_EQ(status(target, kRead, 0x08, 4), kGeneric);
}

TEST_F(RegisterTargetTest, TheBlockLiesAtItsBase) {
  test::Access a{kRead, 0x1'0000'0008, Bytes(4)};
  EXPECT_EQ(access(target, a, 0x1'0000'0000), kOk);
  EXPECT_EQ(a.data, (Bytes{0x11, 0x22, 0x33, 0x44}));
  test::Access below{kRead, 0xFFFF'FFFC, Bytes(4)};
  EXPECT_EQ(access(target, below, 0x1'0000'0000), kAddress);
}

TEST_F(RegisterTargetTest, ADwordAtATime) {
  const auto dword = [&](test::Access& a) {
    return a.with([&](auto& payload) { return target.accessDword(payload); });
  };
  test::Access burst{kRead, 0x0A, Bytes(16, 0xEE)};
  EXPECT_EQ(dword(burst), kOk);
  EXPECT_EQ(Bytes(burst.data.begin(), burst.data.begin() + 4), (Bytes{0x33, 0x44, 0xEE, 0xEE}));
  EXPECT_EQ(registers.log, "r1:FFFF0000 ");
  test::Access hole{kRead, 0x04, Bytes(4, 0xEE)};
  EXPECT_EQ(dword(hole), kOk);
  EXPECT_EQ(hole.data, Bytes(4, 0));
  test::Access outside{kRead, 0x18, Bytes(4, 0xEE)};
  EXPECT_EQ(dword(outside), kAddress);
  registers.refusing = 0;
  test::Access refused{kWrite, 0x00, Bytes(4)};
  EXPECT_EQ(dword(refused), kGeneric);
}

TEST_F(RegisterTargetTest, DebugAccessReadsWithoutEffect) {
  const auto debug = [&](test::Access& a) {
    return a.with([&](auto& payload) { return target.debug(payload); });
  };
  test::Access all{kRead, 0x00, Bytes(kSize, 0xEE), {0xFF, 0}, 1};
  EXPECT_EQ(debug(all), kSize) << "byte enables and streaming are none of its business";
  EXPECT_EQ(all.data, (Bytes{0x11, 0x22, 0x33, 0x44, 0,    0,    0,    0, 0x11, 0x22, 0x33, 0x44,
                             0x55, 0x66, 0x77, 0x88, 0xEF, 0xBE, 0x5A, 0, 0,    0,    0,    0}));
  test::Access part{kRead, 0x0F, Bytes(2)};
  EXPECT_EQ(debug(part), 2U);
  EXPECT_EQ(part.data, (Bytes{0x88, 0xEF}));
  test::Access across{kRead, 0x14, Bytes(8, 0xEE)};
  EXPECT_EQ(debug(across), 0U);
  EXPECT_EQ(across.data, Bytes(8, 0xEE));
  test::Access writing{kWrite, 0x00, Bytes(4)};
  EXPECT_EQ(debug(writing), 0U);
  test::Access nothing{tlm::TLM_IGNORE_COMMAND, 0x00, Bytes(4)};
  EXPECT_EQ(debug(nothing), 0U);
  EXPECT_EQ(registers.log, "");
}

TEST_F(RegisterTargetTest, OddBlocksAreRefused) {
  using Target = RegisterTarget;
  EXPECT_THROW(Target({kTable, 0x12}, registers), std::invalid_argument) << "too short";
  EXPECT_THROW(Target({kTable, kSize, 3, 8}, registers), std::invalid_argument);
  EXPECT_THROW(Target({kTable, kSize, 8, 4}, registers), std::invalid_argument);
  EXPECT_THROW(RegisterFile{kTable}, std::invalid_argument) << "a file holds words of 32 bits";
}

}  // namespace
}  // namespace rtvp::common
