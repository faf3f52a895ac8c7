// What addresses of an executable are called: by the last symbol in front of them, but never by one
// of another section.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/xphmg/debug/hart_unit.hpp"
#include "models/xphmg/hart/elf.hpp"
#include "models/xphmg/hart/machine.hpp"
#include "models/xphmg/hart/outcome.hpp"
#include "tests/models/xphmg/hart/program.hpp"

namespace rtvp::rv64 {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put(Bytes& to, std::uint64_t value, unsigned bytes) {
  for (unsigned n = 0; n < bytes; ++n, value >>= 8U) to.push_back(value & 0xFFU);
}

struct Header {
  std::uint32_t type = 0;
  std::uint64_t flags = 0, address = 0, offset = 0, size = 0;
  std::uint32_t link = 0;
};

/// Code of 20h bytes with `main`, a gap, data of 10h bytes at 100h with `table` and the linker's
/// `_edata` behind it; one segment around both.
Bytes executable() {
  constexpr std::uint64_t kSegment = 0x200;
  Bytes file = test::elfAround(kRamBase, Bytes(kSegment, 1), kRamBase);
  const std::string names = std::string("\0main\0table\0_edata\0", 19);
  Bytes symbols(24);
  const auto symbol = [&](std::uint32_t name, std::uint16_t section, std::uint64_t value) {
    put(symbols, name, 4);
    put(symbols, 0x10, 1);  // global, no type
    put(symbols, 0, 1);
    put(symbols, section, 2);
    put(symbols, value, 8);
    put(symbols, 0, 8);
  };
  symbol(1, 1, kRamBase + 4);
  symbol(6, 2, kRamBase + 0x100);
  symbol(12, 2, kRamBase + 0x110);
  constexpr std::uint64_t kAllocated = 2;
  std::vector<Header> headers = {{},
                                 {1, kAllocated | 4, kRamBase, 0x1000, 0x20, 0},
                                 {1, kAllocated | 1, kRamBase + 0x100, 0x1100, 0x10, 0},
                                 {1, 0, 0, 0, kSegment, 0}};  // .comment: not in memory
  headers.push_back({2, 0, 0, file.size(), symbols.size(), 5});
  file.insert(file.end(), symbols.begin(), symbols.end());
  headers.push_back({3, 0, 0, file.size(), names.size(), 0});
  file.insert(file.end(), names.begin(), names.end());
  Bytes table;
  put(table, file.size(), 8);
  std::copy(table.begin(), table.end(), file.begin() + 40);
  file[58] = 64;
  file[60] = static_cast<std::uint8_t>(headers.size());
  for (const Header& h : headers) {
    put(file, 0, 4);
    put(file, h.type, 4);
    for (const std::uint64_t value : {h.flags, h.address, h.offset, h.size}) put(file, value, 8);
    put(file, h.link, 4);
    put(file, 0, 4);
    put(file, 1, 8);
    put(file, h.type == 2 ? 24 : 0, 8);
  }
  return file;
}

TEST(HartPlaces, SymbolsNameNothingBeyondTheirSection) {
  const Bytes file = executable();
  const ElfImage image = readElf(file);
  ASSERT_EQ(image.symbols.size(), 3U);
  ASSERT_EQ(image.sections.size(), 2U);
  const debug::Program program = debugProgram(image);
  const struct {
    std::uint64_t at;
    const char *place, *symbolic;
  } cases[] = {
      {0, "0x80000000", "80000000"},  // in front of all symbols
      {4, "0x80000004 (main+0x0)", "main"},
      {0x1E, "0x8000001e (main+0x1a)", "main+26"},
      {0x20, "0x80000020", "80000020"},  // the gap, by either neighbour
      {0xFF, "0x800000ff", "800000ff"},
      {0x10F, "0x8000010f (table+0xf)", "table+15"},
      {0x110, "0x80000110 (_edata+0x0)", "_edata"},
      {0x111, "0x80000111", "80000111"},
      {0x10000000, "0x90000000", "90000000"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(place(image, kRamBase + c.at), c.place);
    EXPECT_EQ(program.symbolic(kRamBase + c.at), c.symbolic);
  }
}

}  // namespace
}  // namespace rtvp::rv64
