// Names of registers and conditions (c32.md 1.1 and 5).
#include "models/c32/isa.hpp"

#include <array>

namespace rtvp::c32 {
namespace {

constexpr std::array<std::string_view, reg::kCount> kRegisters = {
    "R0",  "R1",  "R2", "R3",  "R4",  "R5", "R6", "R7", "AR0", "AR1", "AR2", "AR3", "AR4", "AR5",
    "AR6", "AR7", "DP", "IR0", "IR1", "BK", "SP", "ST", "IE",  "IF",  "IOF", "RS",  "RE",  "RC"};

struct CondName {
  std::string_view name;
  Cond cond;
};

// Preferred name first among the rows of a code.
constexpr CondName kConds[] = {
    {"U", Cond::U},   {"LO", Cond::LO},     {"C", Cond::LO},    {"LS", Cond::LS},
    {"HI", Cond::HI}, {"HS", Cond::HS},     {"NC", Cond::HS},   {"EQ", Cond::EQ},
    {"Z", Cond::EQ},  {"NE", Cond::NE},     {"NZ", Cond::NE},   {"LT", Cond::LT},
    {"N", Cond::LT},  {"L", Cond::LT},      {"LE", Cond::LE},   {"GT", Cond::GT},
    {"P", Cond::GT},  {"GE", Cond::GE},     {"NN", Cond::GE},   {"NV", Cond::NV},
    {"V", Cond::V},   {"NUF", Cond::NUF},   {"UF", Cond::UF},   {"NLV", Cond::NLV},
    {"LV", Cond::LV}, {"NLUF", Cond::NLUF}, {"LUF", Cond::LUF}, {"ZUF", Cond::ZUF}};

bool equalNoCase(std::string_view name, std::string_view upper) {
  if (name.size() != upper.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if ((c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c) != upper[i]) return false;
  }
  return true;
}

}  // namespace

std::string_view registerName(std::uint8_t number) {
  return number < kRegisters.size() ? kRegisters[number] : std::string_view{};
}

int registerNumber(std::string_view name) {
  if (name.size() == 2 && (name[0] == 'F' || name[0] == 'f') && name[1] >= '0' && name[1] <= '7') {
    return name[1] - '0';
  }
  for (std::size_t i = 0; i < kRegisters.size(); ++i) {
    if (equalNoCase(name, kRegisters[i])) return static_cast<int>(i);
  }
  return -1;
}

std::string_view condName(Cond cond) {
  for (const CondName& row : kConds) {
    if (row.cond == cond) return row.name;
  }
  return {};
}

int condCode(std::string_view name) {
  for (const CondName& row : kConds) {
    if (row.name == name) return static_cast<int>(row.cond);
  }
  return -1;
}

}  // namespace rtvp::c32
