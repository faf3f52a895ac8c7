// Register tables: well-formedness, access rules, reset, decode, dump, documentation.
#include "models/common/register_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <stdexcept>

namespace rtvp::common {
namespace {

constexpr std::array kFieldsA = {FieldDescriptor{"MODE", 1, 0, Access::Rw, "mode"},
                                 FieldDescriptor{"READY", 2, 2, Access::Ro, "ready"},
                                 FieldDescriptor{"EVENT", 3, 3, Access::W1c, "event"},
                                 FieldDescriptor{"GO", 4, 4, Access::Wo, "go"}};
constexpr std::array kFieldsB = {FieldDescriptor{"DATA", 31, 0, Access::Rw, "data"}};
constexpr std::array kTable = {
    RegisterDescriptor{"A", 0x00, 4, 0x1000000D, false, "bits", "test", kFieldsA},
    RegisterDescriptor{"B", 0x08, 4, 0, false, "words", "test", kFieldsB},
};
static_assert(isWellFormed(kTable));
static_assert(kTable[0].mask(Access::Rw) == 3 && kTable[1].mask(Access::Rw) == 0xFFFFFFFF);
static_assert(indexOf(kTable, "B") == 1 && indexOf(kTable, "C") == 2);

TEST(RegisterTable, AccessRulesPerBit) {
  RegisterFile file(kTable);
  EXPECT_EQ(file.read(0), 0x1000000DU);
  EXPECT_EQ(file.write(0, 0xFFFFFFFF), 0xFFFFFFFFU);
  EXPECT_EQ(file.read(0), 0x10000007U);  // MODE = 3, READY kept, EVENT cleared, GO reads 0
  file.setBits(0, 8);
  file.write(0, 0);
  EXPECT_EQ(file.read(0), 0x1000000CU) << "writing 0 leaves a w1c bit";
  file.write(0, 0xFFFFFFFF, 0xFFFFFF00);
  EXPECT_EQ(file.read(0), 0x1000000CU) << "disabled bytes do nothing";
  file.reset();
  EXPECT_EQ(file.read(0), 0x1000000DU);
}

TEST(RegisterTable, DecodeFindsHolesAndBytes) {
  const RegisterFile file(kTable);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(file.find(i), 0U);
  for (std::uint32_t i = 4; i < 8; ++i) EXPECT_EQ(file.find(i), RegisterFile::kNone);
  EXPECT_EQ(file.find(11), 1U);
  EXPECT_EQ(file.find(12), RegisterFile::kNone);
  EXPECT_EQ(file.find(0xFFFFFFFF), RegisterFile::kNone);
}

TEST(RegisterTable, BadTablesAreRefused) {
  static constexpr std::array kOverlap = {FieldDescriptor{"X", 3, 0, Access::Rw, ""},
                                          FieldDescriptor{"Y", 4, 3, Access::Rw, ""}};
  const std::array bits = {RegisterDescriptor{"R", 0, 4, 0, false, "", "", kOverlap}};
  EXPECT_FALSE(isWellFormed(bits));
  EXPECT_THROW(RegisterFile{bits}, std::invalid_argument);
  const std::array order = {RegisterDescriptor{"R", 4, 4, 0, false, "", "", kFieldsB},
                            RegisterDescriptor{"S", 4, 4, 0, false, "", "", kFieldsB}};
  EXPECT_FALSE(isWellFormed(order));
  const std::array odd = {RegisterDescriptor{"R", 2, 4, 0, false, "", "", kFieldsB}};
  EXPECT_FALSE(isWellFormed(odd));
  const std::array wide = {RegisterDescriptor{"R", 0, 1, 0x100, false, "", "", {}}};
  EXPECT_FALSE(isWellFormed(wide));
  RegisterFile file(kTable);
  EXPECT_THROW(static_cast<void>(file.read(2)), std::out_of_range);
}

TEST(RegisterTable, DumpAndDocumentation) {
  RegisterFile file(kTable);
  file.write(1, 0xCAFE);
  EXPECT_EQ(file.dump(), "00h A = 1000000Dh MODE=1h READY=1h EVENT=1h\n08h B = 0000CAFEh\n");
  const std::string page = registerMarkdown("Test", kTable);
  EXPECT_NE(page.find("| 00h | `A` | 32 | 1000000Dh | bits | test |"), std::string::npos) << page;
  EXPECT_NE(page.find("| 1:0 | MODE | rw | mode |"), std::string::npos) << page;
}

TEST(RegisterTable, RandomWritesObeyTheMasks) {
  constexpr unsigned kSeed = 20250101;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  RegisterFile file(kTable);
  for (int i = 0; i < 10000; ++i) {
    const std::uint32_t before = file.peek(0);
    const auto value = static_cast<std::uint32_t>(random());
    const std::uint32_t mask = (random() & 1) != 0 ? 0xFFU : 0xFFFFFF00U;
    file.write(0, value, mask);
    const std::uint32_t rw = 3 & mask;
    EXPECT_EQ(file.peek(0), ((before & ~rw) | (value & rw)) & ~(value & mask & 8));
    if (i % 7 == 0) file.setBits(0, 8);
  }
}

}  // namespace
}  // namespace rtvp::common
