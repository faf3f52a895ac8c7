// Line tables of executables: hand-made ones of each version against rows worked out by hand from
// DWARF 5 section 6.2, and ones that are wrong. What compilers write is held against binutils by
// tests/debug/hart_profile_test.py.
#include "models/xphmg/hart/line_table.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/xphmg/debug/hart_unit.hpp"
#include "models/xphmg/hart/machine.hpp"
#include "tests/models/xphmg/hart/program.hpp"

namespace rtvp::rv64 {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Builds sections.
struct Writer {
  Bytes out;
  Writer& fixed(std::uint64_t value, unsigned bytes) {
    for (unsigned n = 0; n < bytes; ++n, value >>= 8U) {
      out.push_back(static_cast<std::uint8_t>(value));
    }
    return *this;
  }
  Writer& bytes(std::initializer_list<unsigned> values) {
    for (const unsigned v : values) out.push_back(static_cast<std::uint8_t>(v));
    return *this;
  }
  Writer& text(const std::string& value) {
    out.insert(out.end(), value.begin(), value.end());
    out.push_back(0);
    return *this;
  }
  Writer& all(const Bytes& value) {
    out.insert(out.end(), value.begin(), value.end());
    return *this;
  }
};

constexpr std::uint8_t kRange = 14, kBase = 13;
constexpr int kLineBase = -5;

/// The special opcode that moves on by so many bytes (of `shortest` 1) and lines.
unsigned special(unsigned bytes, int lines) {
  return static_cast<unsigned>(lines - kLineBase) + kRange * bytes + kBase;
}

/// Two halves of a function: line 10 at 0, 12 at 4, 11 at 6, none at 0x106, end at 0x10A.
Bytes program(std::uint64_t address) {
  Writer w;
  w.bytes({0, 9, 2}).fixed(address, 8);              // set_address
  w.bytes({3, 9, 1});                                // advance_line 9, copy
  w.bytes({5, 7, 10, 0, 2, 4, 3});                   // column 7, prologue_end, discriminator 3
  w.bytes({special(4, 2), special(2, -1)});          //
  w.bytes({9}).fixed(0x100, 2).bytes({3, 0x75, 1});  // fixed_advance_pc, advance_line -11, copy
  w.bytes({2, 4, 0, 1, 1});                          // advance_pc 4, end_sequence
  return w.out;
}

Bytes header(unsigned version, const Bytes& names, const Bytes& code) {
  Writer parameters;
  parameters.bytes({1});
  if (version >= 4) parameters.bytes({1});
  parameters.bytes({1, static_cast<unsigned>(kLineBase) & 0xFFU, kRange, kBase});
  parameters.bytes({0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1});
  parameters.all(names);
  Writer unit;
  unit.fixed(version, 2);
  if (version == 5) unit.bytes({8, 0});
  unit.fixed(parameters.out.size(), 4).all(parameters.out).all(code);
  Writer section;
  section.fixed(unit.out.size(), 4).all(unit.out);
  return section.out;
}

Bytes oldTable(unsigned version, std::uint64_t address = kRamBase) {
  Writer names;
  names.text("lib").text("");
  names.text("a.c").bytes({1, 0, 0}).text("");
  return header(version, names.out, program(address));
}

/// Names in .debug_line_str: "/build" at 0, "lib" at 7, "a.c" at 11.
const Bytes kLineStrings = Writer().text("/build").text("lib").text("a.c").out;

Bytes newTable(std::uint64_t address = kRamBase) {
  Writer names;
  names.bytes({1, 1, 0x1F, 2}).fixed(0, 4).fixed(7, 4);  // path as line_strp: two folders
  names.bytes({3, 1, 0x1F, 2, 0x0B, 5, 0x1E, 2});        // path, folder as data1, MD5: two files
  for (int n = 0; n < 2; ++n) names.fixed(11, 4).bytes({1}).fixed(0, 8).fixed(0, 8);
  return header(5, names.out, program(address));
}

using Sections = std::vector<std::pair<std::string, Bytes>>;

/// A program of 0x10A bytes of two-byte instructions (C.NOP) with sections behind it.
Bytes elfWith(const Sections& sections, std::uint64_t flags = 0) {
  Bytes code;
  for (int n = 0; n < 0x85; ++n) code.insert(code.end(), {0x01, 0x00});
  Bytes file = test::elfAround(kRamBase, code, kRamBase);
  Writer names, headers;
  names.text("");
  headers.out.resize(64);
  const auto add = [&](const std::string& name, const Bytes& bytes, std::uint64_t sectionFlags) {
    headers.fixed(names.out.size(), 4).fixed(1, 4).fixed(sectionFlags, 8).fixed(0, 8);
    headers.fixed(file.size(), 8).fixed(bytes.size(), 8).fixed(0, 24);
    names.text(name);
    file.insert(file.end(), bytes.begin(), bytes.end());
  };
  for (const auto& [name, bytes] : sections) add(name, bytes, flags);
  names.text(".shstrtab");
  const Bytes strings = names.out;
  const std::size_t at = strings.size() - 10;
  headers.fixed(at, 4).fixed(3, 4).fixed(0, 16).fixed(file.size(), 8);
  headers.fixed(strings.size(), 8).fixed(0, 24);
  file.insert(file.end(), strings.begin(), strings.end());
  const Bytes table = Writer().fixed(file.size(), 8).out;
  std::copy(table.begin(), table.end(), file.begin() + 40);
  file.insert(file.end(), headers.out.begin(), headers.out.end());
  file[58] = 64;
  file[60] = static_cast<std::uint8_t>(sections.size() + 2);
  file[62] = static_cast<std::uint8_t>(sections.size() + 1);
  return file;
}

LineTable tableOf(const Bytes& file) {
  return readLines(readElf(file));
}

void expectTheRows(const LineTable& table, const std::string& name) {
  ASSERT_EQ(table.sequences.size(), 1U);
  const LineTable::Sequence& s = table.sequences[0];
  ASSERT_EQ(s.rows.size(), 4U);
  const std::uint64_t addresses[] = {0, 4, 6, 0x106};
  const unsigned lines[] = {10, 12, 11, 0};
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(s.rows[n].address, kRamBase + addresses[n]);
    EXPECT_EQ(s.rows[n].line, lines[n]);
    EXPECT_EQ(table.files.at(s.rows[n].file), name);
  }
  EXPECT_EQ(s.end, kRamBase + 0x10A);
}

TEST(LineTable, RowsOfEachVersion) {
  for (const unsigned version : {2U, 3U, 4U}) {
    SCOPED_TRACE(version);
    expectTheRows(tableOf(elfWith({{".debug_line", oldTable(version)}})), "lib/a.c");
  }
  expectTheRows(tableOf(elfWith({{".debug_line", newTable()}, {".debug_line_str", kLineStrings}})),
                "/build/lib/a.c");
}

TEST(LineTable, ConstAddPcAndSeveralUnits) {
  Writer code;
  code.bytes({0, 9, 2}).fixed(kRamBase + 0x40, 8).bytes({1, 8, 1, 2, 2, 0, 1, 1});
  Writer names;
  names.text("").text("b.c").bytes({0, 0, 0}).text("");
  Bytes both = oldTable(4);
  const Bytes second = header(4, names.out, code.out);
  both.insert(both.end(), second.begin(), second.end());
  const LineTable table = tableOf(elfWith({{".debug_line", both}}));
  ASSERT_EQ(table.sequences.size(), 2U);
  const LineTable::Sequence& s = table.sequences[1];
  ASSERT_EQ(s.rows.size(), 2U);
  EXPECT_EQ(s.rows[1].address - s.rows[0].address, (255U - kBase) / kRange);
  EXPECT_EQ(table.files.at(s.rows[0].file), "b.c");
}

TEST(LineTable, EveryInstructionHasItsLine) {
  const Bytes file = elfWith({{".debug_line", oldTable(4)}});
  const debug::Program program = debugProgram(readElf(file));
  EXPECT_EQ(program.lines.size(), 0x106U / 2);  // the rest is no line's
  EXPECT_EQ(program.lineText(kRamBase + 2), "lib/a.c:10");
  EXPECT_EQ(program.lineText(kRamBase + 4), "lib/a.c:12");
  EXPECT_EQ(program.lineText(kRamBase + 0x104), "lib/a.c:11");
  EXPECT_EQ(program.lineText(kRamBase + 0x106), "");
}

TEST(LineTable, CodeThatTheLinkerHasThrownAwayHasNoLines) {
  Bytes both = oldTable(4, 0);
  const Bytes again = oldTable(4), twice = oldTable(4);
  both.insert(both.end(), again.begin(), again.end());
  both.insert(both.end(), twice.begin(), twice.end());
  const Bytes file = elfWith({{".debug_line", both}});
  EXPECT_EQ(debugProgram(readElf(file)).lines.size(), 0x106U / 2);
}

TEST(LineTable, NoneIsNoError) {
  EXPECT_TRUE(tableOf(elfWith({})).empty());
  EXPECT_TRUE(tableOf(test::elfAround(kRamBase, Bytes(4), kRamBase)).empty());
}

std::string errorOf(const Bytes& file) {
  try {
    (void)debugProgram(readElf(file));
  } catch (const ElfError& error) {
    return error.what();
  }
  return "none";
}

TEST(LineTable, ErrorsSayWhereAndWhat) {
  Bytes version = oldTable(4);
  version[4] = 6;
  EXPECT_EQ(errorOf(elfWith({{".debug_line", version}})),
            "line table (.debug_line) at offset 6: found version 6, expected 2 to 5; a program "
            "without line tables runs (riscv64-unknown-elf-strip -g)");
  EXPECT_NE(errorOf(elfWith({{".debug_line", newTable()}})).find("name outside the strings"),
            std::string::npos);
  EXPECT_NE(errorOf(elfWith({{".debug_line", oldTable(4)}}, 0x800)).find("is compressed"),
            std::string::npos);
  Writer back;
  back.bytes({0, 9, 2}).fixed(kRamBase + 8, 8).bytes({1, 0, 9, 2}).fixed(kRamBase, 8);
  back.bytes({1, 0, 1, 1});
  Writer names;
  names.text("").text("b.c").bytes({0, 0, 0}).text("");
  EXPECT_NE(errorOf(elfWith({{".debug_line", header(4, names.out, back.out)}})).find("in order"),
            std::string::npos);
  const std::string open = errorOf(elfWith({{".debug_line", header(4, names.out, {3, 1, 1})}}));
  EXPECT_NE(open.find("without an end"), std::string::npos) << open;
}

TEST(LineTable, CutShortAtEveryByteIsAnError) {
  const Bytes whole = newTable();
  for (std::size_t n = 1; n < whole.size(); ++n) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_NE(errorOf(elfWith({{".debug_line", part}, {".debug_line_str", kLineStrings}})), "none")
        << n;
  }
}

TEST(LineTable, DamagedTablesEndInRowsOrAnError) {
  std::mt19937 random(20261127);
  const Bytes tables[] = {newTable(), oldTable(2), oldTable(4)};
  for (int run = 0; run < 20'000; ++run) {
    Bytes table = tables[run % 3];
    for (unsigned n = 1 + random() % 4; n > 0; --n)
      table[random() % table.size()] = static_cast<std::uint8_t>(random());
    (void)errorOf(elfWith({{".debug_line", table}, {".debug_line_str", kLineStrings}}));
  }
}

}  // namespace
}  // namespace rtvp::rv64
