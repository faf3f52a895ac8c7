// THE instruction table of the C32: one row per instruction, c32.md 4.4. Everything that must agree
// about the instruction set (decoder, encoder, assembler, disassembler, manual, processor models,
// tests) reads these rows.
#pragma once

#include <array>
#include <cstddef>

#include "models/c32/isa.hpp"

namespace rtvp::c32 {
namespace table {

using enum Immediate;
inline constexpr RegClass X = RegClass::Any;
inline constexpr RegClass R = RegClass::Extended;

/// 4.4.1, an arithmetic or load row: OP src,dst.
constexpr OpInfo general(Op op, std::string_view name, std::uint32_t octal, Immediate imm,
                         RegClass src, RegClass dst, Flags flags, std::string_view text) {
  OpInfo i{.op = op, .mnemonic = name, .base = octal << 23, .mask = 0xFF800000};
  i.format = Format::General;
  i.immediate = imm;
  i.modes = imm == None ? mode::kMemory : mode::kAll;
  i.interlocked = imm == None;
  i.source = src;
  i.destination = dst;
  i.flags = flags;
  i.writesRegister = true;
  i.operation = text;
  return i;
}
/// Row that only sets flags.
constexpr OpInfo compare(OpInfo i) {
  i.writesRegister = false;
  i.flagsAlways = true;
  return i;
}
constexpr OpInfo store(Op op, std::string_view name, std::uint32_t octal, RegClass src,
                       bool interlocked, std::string_view text) {
  OpInfo i{.op = op, .mnemonic = name, .base = octal << 23, .mask = 0xFF800000};
  i.format = Format::Store;
  i.modes = mode::kMemory;
  i.source = src;
  i.interlocked = interlocked;
  i.operation = text;
  return i;
}
constexpr OpInfo whole(Op op, std::string_view name, std::uint32_t word, std::string_view text) {
  return {.op = op, .mnemonic = name, .base = word, .mask = 0xFFFFFFFF, .operation = text};
}
constexpr OpInfo rotate(Op op, std::string_view name, std::uint32_t base, std::string_view text) {
  OpInfo i{.op = op, .mnemonic = name, .base = base, .mask = 0xFFE0FFFF, .format = Format::Rotate};
  i.destination = X;
  i.flags = Flags::ROT;
  i.writesRegister = true;
  i.operation = text;
  return i;
}
constexpr OpInfo stack(Op op, std::string_view name, std::uint32_t base, RegClass cls, bool pop,
                       std::string_view text) {
  OpInfo i{.op = op, .mnemonic = name, .base = base, .mask = 0xFFE0FFFF, .format = Format::Stack};
  (pop ? i.destination : i.source) = cls;
  i.flags = pop ? Flags::LD : Flags::NONE;
  i.writesRegister = pop;
  i.operation = text;
  return i;
}
constexpr OpInfo three(Op op, std::string_view name, std::uint32_t octal, RegClass cls, Flags flags,
                       std::string_view text) {
  OpInfo i{
      .op = op, .mnemonic = name, .base = octal << 23, .mask = 0xFF800000, .format = Format::Three};
  i.source = i.destination = cls;
  i.flags = flags;
  i.writesRegister = true;
  i.operation = text;
  return i;
}
constexpr OpInfo threeCompare(OpInfo i) {
  i.format = Format::ThreeCompare;
  i.mask = 0xFF9F0000;
  return compare(i);
}
constexpr OpInfo condLoad(Op op, std::string_view name, std::uint32_t base, Immediate imm,
                          RegClass cls, std::string_view text) {
  OpInfo i{
      .op = op, .mnemonic = name, .base = base, .mask = 0xF0000000, .format = Format::CondLoad};
  i.immediate = imm;
  i.modes = mode::kAll;
  i.source = i.destination = cls;
  i.writesRegister = i.conditional = true;
  i.operation = text;
  return i;
}
constexpr OpInfo control(Op op, std::string_view name, Format format, std::uint32_t base,
                         std::uint32_t mask, std::uint8_t cycles, bool delayed,
                         std::string_view text) {
  OpInfo i{.op = op, .mnemonic = name, .base = base, .mask = mask, .format = format};
  i.source = format == Format::Branch || format == Format::DecBranch ? X : RegClass::None;
  i.cycles = cycles;
  i.control = true;
  i.delayed = delayed;
  i.conditional = format != Format::Absolute && format != Format::Whole;
  i.operation = text;
  return i;
}
constexpr OpInfo idle(OpInfo i) {
  i.control = true;
  return i;
}
constexpr OpInfo interlocked(OpInfo i) {
  i.interlocked = true;
  return i;
}
/// One source, no written destination field: NOP, IACK, RPTS.
constexpr OpInfo source(Op op, std::string_view name, Format format, std::uint32_t base,
                        std::uint32_t mask, Immediate imm, std::uint8_t modes,
                        std::string_view text) {
  OpInfo i{.op = op, .mnemonic = name, .base = base, .mask = mask, .format = format};
  i.immediate = imm;
  i.modes = modes;
  i.source = X;
  i.operation = text;
  return i;
}
constexpr OpInfo repeatSingle(OpInfo i) {
  i.cycles = 4;
  i.control = true;
  return i;
}
constexpr OpInfo pair(Op op, std::string_view name, Format format, std::uint32_t octal, Op first,
                      Op second, Flags flags, RegClass cls, std::string_view text,
                      bool registerFirst = false) {
  OpInfo i{.op = op, .mnemonic = name, .base = octal << 23, .mask = 0xFE000000, .format = format};
  if (format == Format::MultiplyAdd) i.mask = 0xFC000000;
  if (format == Format::Op2Store || format == Format::StoreStore) i.mask = 0xFE380000;
  if (format == Format::LoadLoad) i.mask = 0xFE070000;
  i.source = cls;
  i.destination = RegClass::Extended;
  i.flags = flags;
  i.writesRegister = format != Format::StoreStore;
  i.registerFirst = registerFirst;
  i.first = first;
  i.second = second;
  i.operation = text;
  return i;
}

}  // namespace table

namespace table {
inline constexpr auto kOp2 = Format::Op2Store;
inline constexpr auto kOp3 = Format::Op3Store;
inline constexpr auto kMul = Format::MultiplyAdd;
}  // namespace table

// clang-format off
inline constexpr std::array<OpInfo, static_cast<std::size_t>(Op::kCount)> kInstructions = [] {
  using namespace table;
  return std::array<OpInfo, static_cast<std::size_t>(Op::kCount)>{
    general(Op::ABSF,  "ABSF",  000, Float,    R, R, Flags::FAB,  "|src| -> dst"),
    general(Op::ABSI,  "ABSI",  001, Signed,   X, X, Flags::IM,   "|src| -> dst"),
    general(Op::ADDC,  "ADDC",  002, Signed,   X, X, Flags::IA,   "dst + src + C -> dst"),
    general(Op::ADDF,  "ADDF",  003, Float,    R, R, Flags::FA,   "dst + src -> dst"),
    general(Op::ADDI,  "ADDI",  004, Signed,   X, X, Flags::IA,   "dst + src -> dst"),
    general(Op::AND,   "AND",   005, Unsigned, X, X, Flags::LOG,  "dst & src -> dst"),
    general(Op::ANDN,  "ANDN",  006, Unsigned, X, X, Flags::LOG,  "dst & ~src -> dst"),
    general(Op::ASH,   "ASH",   007, Signed,   X, X, Flags::ASHF, "dst shifted arithmetically by src -> dst"),
    compare(general(Op::CMPF, "CMPF", 010, Float,  R, R, Flags::FA, "dst - src, flags only")),
    compare(general(Op::CMPI, "CMPI", 011, Signed, X, X, Flags::IA, "dst - src, flags only")),
    general(Op::FIX,   "FIX",   012, Float,    R, X, Flags::IM,   "floor(src) as integer -> dst"),
    general(Op::FLOAT, "FLOAT", 013, Signed,   X, R, Flags::FLT,  "src as float -> dst"),
    idle(whole(Op::IDLE,  "IDLE",  0x06000000, "1 -> GIE, wait for an interrupt")),
    idle(whole(Op::IDLE2, "IDLE2", 0x06000001, "1 -> GIE, stop clocks until an external interrupt")),
    general(Op::LDE,   "LDE",   015, Float,    R, R, Flags::NONE, "exponent of src -> exponent of dst"),
    general(Op::LDF,   "LDF",   016, Float,    R, R, Flags::LD,   "src -> dst"),
    general(Op::LDFI,  "LDFI",  017, None,     R, R, Flags::LD,   "interlocked: src -> dst"),
    general(Op::LDI,   "LDI",   020, Signed,   X, X, Flags::LD,   "src -> dst"),
    general(Op::LDII,  "LDII",  021, None,     X, X, Flags::LD,   "interlocked: src -> dst"),
    general(Op::LDM,   "LDM",   022, Float,    R, R, Flags::NONE, "mantissa of src -> mantissa of dst"),
    general(Op::LSH,   "LSH",   023, Signed,   X, X, Flags::LSHF, "dst shifted logically by src -> dst"),
    general(Op::MPYF,  "MPYF",  024, Float,    R, R, Flags::FA,   "dst * src -> dst"),
    general(Op::MPYI,  "MPYI",  025, Signed,   X, X, Flags::IM,   "dst * src (24 x 24 bits) -> dst"),
    general(Op::NEGB,  "NEGB",  026, Signed,   X, X, Flags::IA,   "0 - src - C -> dst"),
    general(Op::NEGF,  "NEGF",  027, Float,    R, R, Flags::FA,   "0 - src -> dst"),
    general(Op::NEGI,  "NEGI",  030, Signed,   X, X, Flags::IA,   "0 - src -> dst"),
    source(Op::NOP, "NOP", Format::Nop, 0x0C800000, 0xFF9F0000, None, mode::kRegister | mode::kIndirect,
           "nothing; an indirect operand is read and its ARn modified"),
    general(Op::NORM,  "NORM",  032, Float,    R, R, Flags::NRM,  "src normalised -> dst"),
    general(Op::NOT,   "NOT",   033, Unsigned, X, X, Flags::LOG,  "~src -> dst"),
    stack(Op::POP,   "POP",   0x0E200000, X, true,  "*SP-- -> dst"),
    stack(Op::POPF,  "POPF",  0x0EA00000, R, true,  "*SP-- -> dst bits 39-8"),
    stack(Op::PUSH,  "PUSH",  0x0F200000, X, false, "src -> *++SP"),
    stack(Op::PUSHF, "PUSHF", 0x0FA00000, R, false, "src bits 39-8 -> *++SP"),
    general(Op::OR,    "OR",    040, Unsigned, X, X, Flags::LOG,  "dst | src -> dst"),
    whole(Op::MAXSPEED, "MAXSPEED", 0x10800000, "full clock speed"),
    whole(Op::LOPOWER,  "LOPOWER",  0x10800001, "clock divided by 16"),
    general(Op::RND,   "RND",   042, Float,    R, R, Flags::RND,  "src rounded to single precision -> dst"),
    rotate(Op::ROL,  "ROL",  0x11E00001, "dst rotated left one bit"),
    rotate(Op::ROLC, "ROLC", 0x12600001, "dst rotated left one bit through C"),
    rotate(Op::ROR,  "ROR",  0x12E0FFFF, "dst rotated right one bit"),
    rotate(Op::RORC, "RORC", 0x1360FFFF, "dst rotated right one bit through C"),
    repeatSingle(source(Op::RPTS, "RPTS", Format::Source, 0x139B0000, 0xFF9F0000, Unsigned, mode::kAll,
                        "src -> RC; repeat the next instruction RC + 1 times")),
    store(Op::STF,  "STF",  050, R, false, "src (truncated) -> memory"),
    store(Op::STFI, "STFI", 051, R, true,  "interlocked: src (truncated) -> memory"),
    store(Op::STI,  "STI",  052, X, false, "src -> memory"),
    store(Op::STII, "STII", 053, X, true,  "interlocked: src -> memory"),
    interlocked(whole(Op::SIGI, "SIGI", 0x16000000, "interlocked signal")),
    general(Op::SUBB,  "SUBB",  055, Signed,   X, X, Flags::IA,   "dst - src - C -> dst"),
    general(Op::SUBC,  "SUBC",  056, Signed,   X, X, Flags::NONE, "conditional subtract and shift, one division step"),
    general(Op::SUBF,  "SUBF",  057, Float,    R, R, Flags::FA,   "dst - src -> dst"),
    general(Op::SUBI,  "SUBI",  060, Signed,   X, X, Flags::IA,   "dst - src -> dst"),
    general(Op::SUBRB, "SUBRB", 061, Signed,   X, X, Flags::IA,   "src - dst - C -> dst"),
    general(Op::SUBRF, "SUBRF", 062, Float,    R, R, Flags::FA,   "src - dst -> dst"),
    general(Op::SUBRI, "SUBRI", 063, Signed,   X, X, Flags::IA,   "src - dst -> dst"),
    compare(general(Op::TSTB, "TSTB", 064, Unsigned, X, X, Flags::LOG, "dst & src, flags only")),
    general(Op::XOR,   "XOR",   065, Unsigned, X, X, Flags::LOG,  "dst ^ src -> dst"),
    source(Op::IACK, "IACK", Format::Source, 0x1B000000, 0xFF9F0000, None, mode::kMemory,
           "dummy read with the IACK pin low"),

    three(Op::ADDC3, "ADDC3", 0100, X, Flags::IA,   "src1 + src2 + C -> dst"),
    three(Op::ADDF3, "ADDF3", 0101, R, Flags::FA,   "src1 + src2 -> dst"),
    three(Op::ADDI3, "ADDI3", 0102, X, Flags::IA,   "src1 + src2 -> dst"),
    three(Op::AND3,  "AND3",  0103, X, Flags::LOG,  "src1 & src2 -> dst"),
    three(Op::ANDN3, "ANDN3", 0104, X, Flags::LOG,  "src1 & ~src2 -> dst"),
    three(Op::ASH3,  "ASH3",  0105, X, Flags::ASHF, "src1 shifted arithmetically by src2 -> dst"),
    threeCompare(three(Op::CMPF3, "CMPF3", 0106, R, Flags::FA, "src1 - src2, flags only")),
    threeCompare(three(Op::CMPI3, "CMPI3", 0107, X, Flags::IA, "src1 - src2, flags only")),
    three(Op::LSH3,  "LSH3",  0110, X, Flags::LSHF, "src1 shifted logically by src2 -> dst"),
    three(Op::MPYF3, "MPYF3", 0111, R, Flags::FA,   "src1 * src2 -> dst"),
    three(Op::MPYI3, "MPYI3", 0112, X, Flags::IM,   "src1 * src2 (24 x 24 bits) -> dst"),
    three(Op::OR3,   "OR3",   0113, X, Flags::LOG,  "src1 | src2 -> dst"),
    three(Op::SUBB3, "SUBB3", 0114, X, Flags::IA,   "src1 - src2 - C -> dst"),
    three(Op::SUBF3, "SUBF3", 0115, R, Flags::FA,   "src1 - src2 -> dst"),
    three(Op::SUBI3, "SUBI3", 0116, X, Flags::IA,   "src1 - src2 -> dst"),
    threeCompare(three(Op::TSTB3, "TSTB3", 0117, X, Flags::LOG, "src1 & src2, flags only")),
    three(Op::XOR3,  "XOR3",  0120, X, Flags::LOG,  "src1 ^ src2 -> dst"),

    condLoad(Op::LDFcond, "LDF", 0x40000000, Float,  R, "if cond: src -> dst (source read and ARn modified anyway)"),
    condLoad(Op::LDIcond, "LDI", 0x50000000, Signed, X, "if cond: src -> dst (source read and ARn modified anyway)"),

    control(Op::BR,   "BR",   Format::Absolute, 0x60000000, 0xFF000000, 4, false, "addr -> PC"),
    control(Op::BRD,  "BRD",  Format::Absolute, 0x61000000, 0xFF000000, 1, true,  "addr -> PC, after three more words"),
    control(Op::CALL, "CALL", Format::Absolute, 0x62000000, 0xFF000000, 4, false, "PC+1 -> *++SP, addr -> PC"),
    control(Op::RPTB, "RPTB", Format::Absolute, 0x64000000, 0xFF000000, 4, false, "PC+1 -> RS, addr -> RE, 1 -> RM"),
    control(Op::SWI,  "SWI",  Format::Whole,    0x66000000, 0xFFFFFFFF, 4, false, "software interrupt (emulator)"),
    control(Op::Bcond,    "B",    Format::Branch,    0x68000000, 0xFDE00000, 4, false, "if cond: src or PC+1+disp -> PC"),
    control(Op::BcondD,   "B",    Format::Branch,    0x68200000, 0xFDE00000, 1, true,  "if cond: src or PC+3+disp -> PC, after three more words"),
    control(Op::DBcond,   "DB",   Format::DecBranch, 0x6C000000, 0xFC200000, 4, false, "ARn-1 -> ARn; if cond and ARn >= 0: src or PC+1+disp -> PC"),
    control(Op::DBcondD,  "DB",   Format::DecBranch, 0x6C200000, 0xFC200000, 1, true,  "ARn-1 -> ARn; if cond and ARn >= 0: src or PC+3+disp -> PC, after three more words"),
    control(Op::CALLcond, "CALL", Format::Branch,    0x70000000, 0xFDE00000, 5, false, "if cond: PC+1 -> *++SP, src or PC+1+disp -> PC"),
    control(Op::TRAPcond, "TRAP", Format::Trap,      0x74000020, 0xFFE0FFE0, 5, false, "0 -> GIE; if cond: PC+1 -> *++SP, vector N -> PC"),
    control(Op::RETIcond, "RETI", Format::Return,    0x78000000, 0xFFE0FFFF, 4, false, "if cond: *SP-- -> PC, 1 -> GIE"),
    control(Op::RETScond, "RETS", Format::Return,    0x78800000, 0xFFE0FFFF, 4, false, "if cond: *SP-- -> PC"),

    pair(Op::MPYF3_ADDF3, "MPYF3||ADDF3", kMul, 0400, Op::MPYF3, Op::ADDF3, Flags::PMA, R, "product -> R0/R1; sum -> R2/R3"),
    pair(Op::MPYF3_SUBF3, "MPYF3||SUBF3", kMul, 0410, Op::MPYF3, Op::SUBF3, Flags::PMA, R, "product -> R0/R1; difference -> R2/R3"),
    pair(Op::MPYI3_ADDI3, "MPYI3||ADDI3", kMul, 0420, Op::MPYI3, Op::ADDI3, Flags::PMA, X, "product -> R0/R1; sum -> R2/R3"),
    pair(Op::MPYI3_SUBI3, "MPYI3||SUBI3", kMul, 0430, Op::MPYI3, Op::SUBI3, Flags::PMA, X, "product -> R0/R1; difference -> R2/R3"),

    pair(Op::STF_STF, "STF||STF", Format::StoreStore, 0600, Op::STF, Op::STF, Flags::NONE, R, "two stores"),
    pair(Op::STI_STI, "STI||STI", Format::StoreStore, 0604, Op::STI, Op::STI, Flags::NONE, X, "two stores"),
    pair(Op::LDF_LDF, "LDF||LDF", Format::LoadLoad,   0610, Op::LDF, Op::LDF, Flags::NONE, R, "two loads"),
    pair(Op::LDI_LDI, "LDI||LDI", Format::LoadLoad,   0614, Op::LDI, Op::LDI, Flags::NONE, X, "two loads"),
    pair(Op::ABSF_STF,  "ABSF||STF",  kOp2, 0620, Op::ABSF,  Op::STF, Flags::FAB,  R, "|src2| -> dst1; src3 -> dst2"),
    pair(Op::ABSI_STI,  "ABSI||STI",  kOp2, 0624, Op::ABSI,  Op::STI, Flags::IM,   X, "|src2| -> dst1; src3 -> dst2"),
    pair(Op::ADDF3_STF, "ADDF3||STF", kOp3, 0630, Op::ADDF3, Op::STF, Flags::FA,   R, "src1 + src2 -> dst1; src3 -> dst2"),
    pair(Op::ADDI3_STI, "ADDI3||STI", kOp3, 0634, Op::ADDI3, Op::STI, Flags::IA,   X, "src1 + src2 -> dst1; src3 -> dst2"),
    pair(Op::AND3_STI,  "AND3||STI",  kOp3, 0640, Op::AND3,  Op::STI, Flags::LOG,  X, "src1 & src2 -> dst1; src3 -> dst2"),
    pair(Op::ASH3_STI,  "ASH3||STI",  kOp3, 0644, Op::ASH3,  Op::STI, Flags::ASHF, X, "src2 shifted by src1 -> dst1; src3 -> dst2", true),
    pair(Op::FIX_STI,   "FIX||STI",   kOp2, 0650, Op::FIX,   Op::STI, Flags::IM,   R, "floor(src2) -> dst1; src3 -> dst2"),
    pair(Op::FLOAT_STF, "FLOAT||STF", kOp2, 0654, Op::FLOAT, Op::STF, Flags::FLT,  X, "float(src2) -> dst1; src3 -> dst2"),
    pair(Op::LDF_STF,   "LDF||STF",   kOp2, 0660, Op::LDF,   Op::STF, Flags::NONE, R, "src2 -> dst1; src3 -> dst2"),
    pair(Op::LDI_STI,   "LDI||STI",   kOp2, 0664, Op::LDI,   Op::STI, Flags::NONE, X, "src2 -> dst1; src3 -> dst2"),
    pair(Op::LSH3_STI,  "LSH3||STI",  kOp3, 0670, Op::LSH3,  Op::STI, Flags::LSHF, X, "src2 shifted by src1 -> dst1; src3 -> dst2", true),
    pair(Op::MPYF3_STF, "MPYF3||STF", kOp3, 0674, Op::MPYF3, Op::STF, Flags::FA,   R, "src1 * src2 -> dst1; src3 -> dst2"),
    pair(Op::MPYI3_STI, "MPYI3||STI", kOp3, 0700, Op::MPYI3, Op::STI, Flags::IM,   X, "src1 * src2 -> dst1; src3 -> dst2"),
    pair(Op::NEGF_STF,  "NEGF||STF",  kOp2, 0704, Op::NEGF,  Op::STF, Flags::FA,   R, "0 - src2 -> dst1; src3 -> dst2"),
    pair(Op::NEGI_STI,  "NEGI||STI",  kOp2, 0710, Op::NEGI,  Op::STI, Flags::IA,   X, "0 - src2 -> dst1; src3 -> dst2"),
    pair(Op::NOT_STI,   "NOT||STI",   kOp2, 0714, Op::NOT,   Op::STI, Flags::LOG,  X, "~src2 -> dst1; src3 -> dst2"),
    pair(Op::OR3_STI,   "OR3||STI",   kOp3, 0720, Op::OR3,   Op::STI, Flags::LOG,  X, "src1 | src2 -> dst1; src3 -> dst2"),
    pair(Op::SUBF3_STF, "SUBF3||STF", kOp3, 0724, Op::SUBF3, Op::STF, Flags::FA,   R, "src2 - src1 -> dst1; src3 -> dst2", true),
    pair(Op::SUBI3_STI, "SUBI3||STI", kOp3, 0730, Op::SUBI3, Op::STI, Flags::IA,   X, "src2 - src1 -> dst1; src3 -> dst2", true),
    pair(Op::XOR3_STI,  "XOR3||STI",  kOp3, 0734, Op::XOR3,  Op::STI, Flags::LOG,  X, "src1 ^ src2 -> dst1; src3 -> dst2"),
  };
}();
// clang-format on

static_assert(
    [] {
      for (std::size_t i = 0; i < kInstructions.size(); ++i) {
        if (kInstructions[i].op != static_cast<Op>(i)) return false;
        if ((kInstructions[i].base & ~kInstructions[i].mask) != 0) return false;
      }
      return true;
    }(),
    "row i describes Op i, and base lies inside mask");

constexpr const OpInfo& info(Op op) {
  return kInstructions[static_cast<std::size_t>(op)];
}

}  // namespace rtvp::c32
