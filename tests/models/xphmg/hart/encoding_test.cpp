// Words that another assembler made, and what another disassembler makes of their neighbours
// (tests/data/rv64, made by scripts/make-rv64-words), against the hart's tables.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/xphmg/hart/compressed.hpp"
#include "models/xphmg/hart/isa.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::rv64 {
namespace {

using Row = std::vector<std::string>;

/// Lines without comments, cut at tabs.
std::vector<Row> rowsOf(const std::string& name) {
  std::ifstream file(RTVP_SOURCE_DIR "/tests/data/rv64/" + name);
  if (!file) throw std::runtime_error("tests/data/rv64/" + name + " is missing");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream columns(line);
    Row row;
    for (std::string column; std::getline(columns, column, '\t');) row.push_back(column);
    rows.push_back(row);
  }
  return rows;
}

std::uint32_t hex(const std::string& text) {
  return static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
}

const CompressedRow* compressedRow(std::uint32_t word) {
  for (const CompressedRow& row : compressedInstructions()) {
    if ((word & row.mask) == row.match) return expandCompressed(word & 0xFFFFU) ? &row : nullptr;
  }
  return nullptr;
}

/// Mnemonic of the row that a word belongs to; "-": none.
std::string nameOf(std::uint32_t word, bool half) {
  if (half) {
    const CompressedRow* const row = compressedRow(word);
    return row != nullptr ? std::string(row->mnemonic) : "-";
  }
  const Decoded d = decode(word);
  if (d.op == Op::Illegal || row(d.op).extension == Extension::Vendor) return "-";
  return std::string(row(d.op).mnemonic);
}

/// Where the ISA says more than the disassembler, which knows only what an assembler writes: the
/// unused fields of fence and fence.i are ignored, a conversion without rounding may name any
/// mode, and an addition of 0 to sp is reserved.
std::optional<std::string> ruleOf(std::uint32_t word, const std::string& from, unsigned bit) {
  const std::set<std::string> exact = {"fcvt.d.s", "fcvt.d.w", "fcvt.d.wu"};
  if ((word & 0x607FU) == 0x0FU) return (word & 0x1000U) != 0 ? "fence.i" : "fence";
  if (exact.count(from) != 0 && bit >= 12 && bit <= 14) return from;
  if (word == 0x6101U) return "-";  // c.addi16sp with an immediate of 0
  return std::nullopt;
}

/// The disassembler has names of their own for shifts by 0 and for the addition of nothing.
std::string plain(const std::string& name) {
  static const std::map<std::string, std::string> kSame = {
      {"c.nop", "c.addi"}, {"c.slli64", "c.slli"}, {"c.srli64", "c.srli"}, {"c.srai64", "c.srai"}};
  const auto found = kSame.find(name);
  return found == kSame.end() ? name : found->second;
}

TEST(HartEncoding, EveryWordSaysWhatTheAssemblerMeant) {
  for (const Row& row : rowsOf("words.tsv")) {
    ASSERT_GE(row.size(), 4U);
    const bool half = row[1].size() == 4;
    const Decoded d = decode(hex(row[1]));
    EXPECT_EQ(disassemble(d, std::stoull(row[0], nullptr, 16)), row[3]) << row[1] << " " << row[2];
    EXPECT_EQ(d.length, half ? 2 : 4) << row[2];
    EXPECT_EQ(d.word, hex(row[1])) << row[2];
    if (!half) continue;
    ASSERT_EQ(row.size(), 5U) << row[2];
    EXPECT_EQ(expandCompressed(static_cast<std::uint16_t>(hex(row[1]))), hex(row[4])) << row[2];
  }
}

TEST(HartEncoding, NoInstructionIsLeftOut) {
  std::set<std::string> missing;
  for (const InstructionRow& row : instructions()) {
    if (row.extension != Extension::Vendor) missing.insert(std::string(row.mnemonic));
  }
  for (const CompressedRow& row : compressedInstructions()) {
    missing.insert(std::string(row.mnemonic));
  }
  for (const Row& row : rowsOf("words.tsv")) {
    missing.erase(plain(row[2].substr(0, row[2].find(' '))));
    missing.erase(row[3].substr(0, row[3].find(' ')));
  }
  EXPECT_EQ(missing, std::set<std::string>{});
}

// The fixed bits of every row: a word with one of them changed is the instruction that the
// disassembler says, or none.
TEST(HartEncoding, AWordWithAChangedBitIsWhatTheDisassemblerSays) {
  std::set<std::string> ours;
  for (const Row& row : rowsOf("words.tsv")) {
    ours.insert(row[2].substr(0, row[2].find(' ')));
    ours.insert(row[3].substr(0, row[3].find(' ')));
  }
  std::size_t changed = 0;
  for (const Row& row : rowsOf("neighbours.tsv")) {
    ASSERT_GE(row.size(), 2U);
    const std::uint32_t word = hex(row[0]);
    const bool half = row[0].size() == 4;
    std::map<unsigned, std::string> other;
    std::istringstream list(row.size() > 2 ? row[2] : "");
    for (std::string item; list >> item;) {
      const std::size_t colon = item.find(':');
      other[static_cast<unsigned>(std::stoul(item.substr(0, colon)))] = item.substr(colon + 1);
    }
    changed += other.size();
    for (unsigned bit = 2; bit < (half ? 16U : 32U); ++bit) {
      const std::uint32_t neighbour = word ^ (1U << bit);
      const auto found = other.find(bit);
      std::string said = plain(found == other.end() ? row[1] : found->second);
      if (ours.count(said) == 0) said = "-";  // of an extension that the hart lacks
      EXPECT_EQ(nameOf(neighbour, half), ruleOf(neighbour, row[1], bit).value_or(said))
          << row[1] << ", bit " << bit;
    }
  }
  EXPECT_GT(changed, 2000U);
}

}  // namespace
}  // namespace rtvp::rv64
