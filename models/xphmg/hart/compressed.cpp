#include "models/xphmg/hart/compressed.hpp"

#include <array>

namespace rtvp::rv64 {
namespace {

using Word = std::uint32_t;

constexpr Word field(Word w, unsigned msb, unsigned lsb) {
  return (w << (31 - msb)) >> (31 - msb + lsb);
}

// Registers of the compressed forms.
constexpr Word rdFull(Word w) {
  return field(w, 11, 7);
}
constexpr Word rs2Full(Word w) {
  return field(w, 6, 2);
}
constexpr Word rs1Prime(Word w) {
  return 8 + field(w, 9, 7);
}
constexpr Word rs2Prime(Word w) {
  return 8 + field(w, 4, 2);
}

// The six-bit immediate of CI forms, sign-extended.
constexpr Word imm6(Word w) {
  return (field(w, 12, 12) != 0 ? 0xFFFFFFE0U : 0U) | field(w, 6, 2);
}
constexpr Word shamt6(Word w) {
  return (field(w, 12, 12) << 5U) | field(w, 6, 2);
}

// 32-bit formats.
constexpr Word iType(Word imm, Word rs1, Word funct3, Word rd, Word opcode) {
  return (imm << 20U) | (rs1 << 15U) | (funct3 << 12U) | (rd << 7U) | opcode;
}
constexpr Word sType(Word imm, Word rs2, Word rs1, Word funct3, Word opcode) {
  return (field(imm, 11, 5) << 25U) | (rs2 << 20U) | (rs1 << 15U) | (funct3 << 12U) |
         (field(imm, 4, 0) << 7U) | opcode;
}
constexpr Word rType(Word funct7, Word rs2, Word rs1, Word funct3, Word rd, Word opcode) {
  return (funct7 << 25U) | (rs2 << 20U) | (rs1 << 15U) | (funct3 << 12U) | (rd << 7U) | opcode;
}
constexpr Word bType(Word imm, Word rs2, Word rs1, Word funct3) {
  return (field(imm, 12, 12) << 31U) | (field(imm, 10, 5) << 25U) | (rs2 << 20U) | (rs1 << 15U) |
         (funct3 << 12U) | (field(imm, 4, 1) << 8U) | (field(imm, 11, 11) << 7U) | 0x63U;
}
constexpr Word jType(Word imm, Word rd) {
  return (field(imm, 20, 20) << 31U) | (field(imm, 10, 1) << 21U) | (field(imm, 11, 11) << 20U) |
         (field(imm, 19, 12) << 12U) | (rd << 7U) | 0x6FU;
}

// Offsets of loads and stores.
constexpr Word offsetWord(Word w) {
  return (field(w, 5, 5) << 6U) | (field(w, 12, 10) << 3U) | (field(w, 6, 6) << 2U);
}
constexpr Word offsetDouble(Word w) {
  return (field(w, 6, 5) << 6U) | (field(w, 12, 10) << 3U);
}
constexpr Word stackLoadWord(Word w) {
  return (field(w, 3, 2) << 6U) | (field(w, 12, 12) << 5U) | (field(w, 6, 4) << 2U);
}
constexpr Word stackLoadDouble(Word w) {
  return (field(w, 4, 2) << 6U) | (field(w, 12, 12) << 5U) | (field(w, 6, 5) << 3U);
}
constexpr Word stackStoreWord(Word w) {
  return (field(w, 8, 7) << 6U) | (field(w, 12, 9) << 2U);
}
constexpr Word stackStoreDouble(Word w) {
  return (field(w, 9, 7) << 6U) | (field(w, 12, 10) << 3U);
}

// Jump and branch offsets, sign-extended.
constexpr Word jumpOffset(Word w) {
  return (field(w, 12, 12) != 0 ? 0xFFFFF800U : 0U) | (field(w, 8, 8) << 10U) |
         (field(w, 10, 9) << 8U) | (field(w, 6, 6) << 7U) | (field(w, 7, 7) << 6U) |
         (field(w, 2, 2) << 5U) | (field(w, 11, 11) << 4U) | (field(w, 5, 3) << 1U);
}
constexpr Word branchOffset(Word w) {
  return (field(w, 12, 12) != 0 ? 0xFFFFFF00U : 0U) | (field(w, 6, 5) << 6U) |
         (field(w, 2, 2) << 5U) | (field(w, 11, 10) << 3U) | (field(w, 4, 3) << 1U);
}

constexpr Word addi4spn(Word w) {
  const Word imm = (field(w, 10, 7) << 6U) | (field(w, 12, 11) << 4U) | (field(w, 5, 5) << 3U) |
                   (field(w, 6, 6) << 2U);
  return imm == 0 ? 0 : iType(imm, 2, 0, rs2Prime(w), 0x13);
}
constexpr Word addi16sp(Word w) {
  const Word imm = (field(w, 12, 12) != 0 ? 0xFFFFFE00U : 0U) | (field(w, 4, 3) << 7U) |
                   (field(w, 5, 5) << 6U) | (field(w, 2, 2) << 5U) | (field(w, 6, 6) << 4U);
  return imm == 0 ? 0 : iType(imm & 0xFFFU, 2, 0, 2, 0x13);
}
constexpr Word lui(Word w) {
  return imm6(w) == 0 ? 0 : (imm6(w) << 12U) | (rdFull(w) << 7U) | 0x37U;
}

constexpr std::array<CompressedRow, 36> kRows{{
    // quadrant 0
    {"c.addi4spn", 0x0000, 0xE003, addi4spn, "addi rd', sp, nzuimm"},
    {"c.fld", 0x2000, 0xE003,
     [](Word w) { return iType(offsetDouble(w), rs1Prime(w), 3, rs2Prime(w), 0x07); },
     "fld fd', uimm(rs1')"},
    {"c.lw", 0x4000, 0xE003,
     [](Word w) { return iType(offsetWord(w), rs1Prime(w), 2, rs2Prime(w), 0x03); },
     "lw rd', uimm(rs1')"},
    {"c.ld", 0x6000, 0xE003,
     [](Word w) { return iType(offsetDouble(w), rs1Prime(w), 3, rs2Prime(w), 0x03); },
     "ld rd', uimm(rs1')"},
    {"c.fsd", 0xA000, 0xE003,
     [](Word w) { return sType(offsetDouble(w), rs2Prime(w), rs1Prime(w), 3, 0x27); },
     "fsd fs2', uimm(rs1')"},
    {"c.sw", 0xC000, 0xE003,
     [](Word w) { return sType(offsetWord(w), rs2Prime(w), rs1Prime(w), 2, 0x23); },
     "sw rs2', uimm(rs1')"},
    {"c.sd", 0xE000, 0xE003,
     [](Word w) { return sType(offsetDouble(w), rs2Prime(w), rs1Prime(w), 3, 0x23); },
     "sd rs2', uimm(rs1')"},
    // quadrant 1
    {"c.addi", 0x0001, 0xE003,
     [](Word w) { return iType(imm6(w) & 0xFFFU, rdFull(w), 0, rdFull(w), 0x13); },
     "addi rd, rd, imm (c.nop when rd is x0)"},
    {"c.addiw", 0x2001, 0xE003,
     [](Word w) {
       return rdFull(w) == 0 ? 0 : iType(imm6(w) & 0xFFFU, rdFull(w), 0, rdFull(w), 0x1B);
     },
     "addiw rd, rd, imm"},
    {"c.li", 0x4001, 0xE003, [](Word w) { return iType(imm6(w) & 0xFFFU, 0, 0, rdFull(w), 0x13); },
     "addi rd, zero, imm"},
    {"c.addi16sp", 0x6101, 0xEF83, addi16sp, "addi sp, sp, nzimm"},
    {"c.lui", 0x6001, 0xE003, lui, "lui rd, nzimm"},
    {"c.srli", 0x8001, 0xEC03,
     [](Word w) { return iType(shamt6(w), rs1Prime(w), 5, rs1Prime(w), 0x13); },
     "srli rd', rd', shamt"},
    {"c.srai", 0x8401, 0xEC03,
     [](Word w) { return iType(0x400U | shamt6(w), rs1Prime(w), 5, rs1Prime(w), 0x13); },
     "srai rd', rd', shamt"},
    {"c.andi", 0x8801, 0xEC03,
     [](Word w) { return iType(imm6(w) & 0xFFFU, rs1Prime(w), 7, rs1Prime(w), 0x13); },
     "andi rd', rd', imm"},
    {"c.sub", 0x8C01, 0xFC63,
     [](Word w) { return rType(0x20, rs2Prime(w), rs1Prime(w), 0, rs1Prime(w), 0x33); },
     "sub rd', rd', rs2'"},
    {"c.xor", 0x8C21, 0xFC63,
     [](Word w) { return rType(0, rs2Prime(w), rs1Prime(w), 4, rs1Prime(w), 0x33); },
     "xor rd', rd', rs2'"},
    {"c.or", 0x8C41, 0xFC63,
     [](Word w) { return rType(0, rs2Prime(w), rs1Prime(w), 6, rs1Prime(w), 0x33); },
     "or rd', rd', rs2'"},
    {"c.and", 0x8C61, 0xFC63,
     [](Word w) { return rType(0, rs2Prime(w), rs1Prime(w), 7, rs1Prime(w), 0x33); },
     "and rd', rd', rs2'"},
    {"c.subw", 0x9C01, 0xFC63,
     [](Word w) { return rType(0x20, rs2Prime(w), rs1Prime(w), 0, rs1Prime(w), 0x3B); },
     "subw rd', rd', rs2'"},
    {"c.addw", 0x9C21, 0xFC63,
     [](Word w) { return rType(0, rs2Prime(w), rs1Prime(w), 0, rs1Prime(w), 0x3B); },
     "addw rd', rd', rs2'"},
    {"c.j", 0xA001, 0xE003, [](Word w) { return jType(jumpOffset(w), 0); }, "jal zero, offset"},
    {"c.beqz", 0xC001, 0xE003, [](Word w) { return bType(branchOffset(w), 0, rs1Prime(w), 0); },
     "beq rs1', zero, offset"},
    {"c.bnez", 0xE001, 0xE003, [](Word w) { return bType(branchOffset(w), 0, rs1Prime(w), 1); },
     "bne rs1', zero, offset"},
    // quadrant 2
    {"c.slli", 0x0002, 0xE003,
     [](Word w) { return iType(shamt6(w), rdFull(w), 1, rdFull(w), 0x13); }, "slli rd, rd, shamt"},
    {"c.fldsp", 0x2002, 0xE003,
     [](Word w) { return iType(stackLoadDouble(w), 2, 3, rdFull(w), 0x07); }, "fld fd, uimm(sp)"},
    {"c.lwsp", 0x4002, 0xE003,
     [](Word w) { return rdFull(w) == 0 ? 0 : iType(stackLoadWord(w), 2, 2, rdFull(w), 0x03); },
     "lw rd, uimm(sp)"},
    {"c.ldsp", 0x6002, 0xE003,
     [](Word w) { return rdFull(w) == 0 ? 0 : iType(stackLoadDouble(w), 2, 3, rdFull(w), 0x03); },
     "ld rd, uimm(sp)"},
    {"c.jr", 0x8002, 0xF07F,
     [](Word w) { return rdFull(w) == 0 ? 0 : iType(0, rdFull(w), 0, 0, 0x67); },
     "jalr zero, 0(rs1)"},
    {"c.mv", 0x8002, 0xF003, [](Word w) { return rType(0, rs2Full(w), 0, 0, rdFull(w), 0x33); },
     "add rd, zero, rs2"},
    {"c.ebreak", 0x9002, 0xFFFF, [](Word) { return Word{0x00100073}; }, "ebreak"},
    {"c.jalr", 0x9002, 0xF07F, [](Word w) { return iType(0, rdFull(w), 0, 1, 0x67); },
     "jalr ra, 0(rs1)"},
    {"c.add", 0x9002, 0xF003,
     [](Word w) { return rType(0, rs2Full(w), rdFull(w), 0, rdFull(w), 0x33); }, "add rd, rd, rs2"},
    {"c.fsdsp", 0xA002, 0xE003,
     [](Word w) { return sType(stackStoreDouble(w), rs2Full(w), 2, 3, 0x27); },
     "fsd fs2, uimm(sp)"},
    {"c.swsp", 0xC002, 0xE003,
     [](Word w) { return sType(stackStoreWord(w), rs2Full(w), 2, 2, 0x23); }, "sw rs2, uimm(sp)"},
    {"c.sdsp", 0xE002, 0xE003,
     [](Word w) { return sType(stackStoreDouble(w), rs2Full(w), 2, 3, 0x23); }, "sd rs2, uimm(sp)"},
}};

}  // namespace

std::span<const CompressedRow> compressedInstructions() {
  return kRows;
}

std::uint32_t expandCompressed(std::uint16_t word) {
  for (const CompressedRow& row : kRows) {
    if ((word & row.mask) == row.match) return row.expand(word);
  }
  return 0;
}

}  // namespace rtvp::rv64
