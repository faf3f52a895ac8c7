// See isa_manual.hpp.
#include "models/c32/isa_manual.hpp"

#include <array>
#include <cstdio>
#include <string>

#include "models/c32/isa_table.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32 {
namespace {

std::string_view flagsText(Flags flags) {
  switch (flags) {
    case Flags::NONE:
      return "none";
    case Flags::IA:
      return "LV UF=0 N Z V C";
    case Flags::IM:
      return "LV UF=0 N Z V";
    case Flags::LOG:
      return "UF=0 N Z V=0";
    case Flags::LSHF:
      return "UF=0 N Z V=0 C";
    case Flags::ASHF:
      return "LV UF=0 N Z V C";
    case Flags::ROT:
      return "UF=0 N Z V=0 C";
    case Flags::FA:
      return "LUF LV UF N Z V";
    case Flags::FAB:
      return "LV UF=0 N=0 Z V";
    case Flags::FLT:
      return "UF=0 N Z V=0";
    case Flags::NRM:
      return "LUF UF N Z V=0";
    case Flags::RND:
      return "LUF LV UF N V";
    case Flags::LD:
      return "UF=0 N Z V=0";
    case Flags::PMA:
      return "LUF LV UF N=0 Z=0 V";
  }
  return "";
}

std::string registers(RegClass cls) {
  return cls == RegClass::Extended ? "R0-R7" : "any register";
}

std::string sources(const OpInfo& row) {
  std::string text;
  const auto append = [&](std::uint8_t bit, const std::string& what) {
    if ((row.modes & bit) == 0) return;
    if (!text.empty()) text += ", ";
    text += what;
  };
  append(mode::kRegister, registers(row.source));
  append(mode::kDirect, "@addr");
  append(mode::kIndirect, "*ARn");
  append(mode::kImmediate, row.immediate == Immediate::Float      ? "short float"
                           : row.immediate == Immediate::Unsigned ? "unsigned 16-bit"
                                                                  : "signed 16-bit");
  return text;
}

std::string form(const OpInfo& row) {
  std::string name(row.mnemonic);
  if (row.conditional) name += "cond";
  if (row.conditional && row.delayed) name += "D";
  switch (row.format) {
    case Format::General:
    case Format::CondLoad:
      return name + " src,dst";
    case Format::Store:
      return name + " src,mem";
    case Format::Rotate:
      return name + " dst";
    case Format::Stack:
      return name + " reg";
    case Format::Whole:
    case Format::Return:
      return name;
    case Format::Nop:
      return name + " [src]";
    case Format::Source:
      return name + " src";
    case Format::Three:
      return name + " src2,src1,dst";
    case Format::ThreeCompare:
      return name + " src2,src1";
    case Format::Absolute:
      return name + " addr";
    case Format::Branch:
      return name + " reg or label";
    case Format::DecBranch:
      return name + " ARn,reg or label";
    case Format::Trap:
      return name + " N";
    default:
      break;
  }
  const std::string first(info(row.first).mnemonic), second(info(row.second).mnemonic);
  switch (row.format) {
    case Format::MultiplyAdd:
      return first + " f,f,d1 \\|\\| " + second + " s,s,d2";
    case Format::StoreStore:
      return first + " src2,*dst2 \\|\\| " + second + " src1,*dst1";
    case Format::LoadLoad:
      return first + " *src2,dst2 \\|\\| " + second + " *src1,dst1";
    case Format::Op2Store:
      return first + " *src2,dst1 \\|\\| " + second + " src3,*dst2";
    default:
      break;
  }
  return first + (row.registerFirst ? " src1,*src2,dst1 \\|\\| " : " *src2,src1,dst1 \\|\\| ") +
         second + " src3,*dst2";
}

std::string_view layout(Format format) {
  switch (format) {
    case Format::General:
    case Format::Store:
      return "G<<21, register<<16, src 15-0";
    case Format::Rotate:
    case Format::Stack:
      return "register<<16";
    case Format::Whole:
      return "whole word";
    case Format::Nop:
    case Format::Source:
      return "G<<21, src 15-0";
    case Format::Three:
      return "T<<21, dst<<16, src1<<8, src2";
    case Format::ThreeCompare:
      return "T<<21, src1<<8, src2";
    case Format::CondLoad:
      return "cond<<23, G<<21, dst<<16, src 15-0";
    case Format::Absolute:
      return "addr 23-0";
    case Format::Branch:
      return "B<<25 (1 = relative), cond<<16, reg or disp 15-0";
    case Format::DecBranch:
      return "B<<25 (1 = relative), n<<22, cond<<16, reg or disp 15-0";
    case Format::Trap:
      return "cond<<16, N 4-0";
    case Format::Return:
      return "cond<<16";
    case Format::MultiplyAdd:
      return "P<<24, d1<<23, d2<<22, src1<<19, src2<<16, src3<<8, src4";
    case Format::Op2Store:
      return "dst1<<22, src3<<16, dst2<<8, src2";
    case Format::Op3Store:
      return "dst1<<22, src1<<19, src3<<16, dst2<<8, src2";
    case Format::LoadLoad:
      return "dst2<<22, dst1<<19, src1<<8, src2";
    case Format::StoreStore:
      return "src2<<22, src1<<16, dst1<<8, dst2";
  }
  return "";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string remarks(const OpInfo& row) {
  std::string text;
  if (row.flagsAlways) text += "flags whatever the register; ";
  if (row.delayed) text += "three delay slots; ";
  if (row.control) text += "not in a delay slot; ";
  if (row.interlocked) text += "interlocked; ";
  if (!text.empty()) text.resize(text.size() - 2);
  return text;
}

/// The chapter a format belongs to; instructions of one chapter stand together in the table.
std::string_view chapter(const OpInfo& row) {
  switch (row.format) {
    case Format::Three:
    case Format::ThreeCompare:
      return "Three operands";
    case Format::CondLoad:
      return "Conditional loads";
    case Format::MultiplyAdd:
      return "Parallel multiply and add or subtract";
    case Format::Op2Store:
    case Format::Op3Store:
    case Format::LoadLoad:
    case Format::StoreStore:
      return "Parallel with a store, two loads, two stores";
    default:
      return row.base >= 0x60000000 && row.base < 0x80000000 ? "Program control" : "General";
  }
}

std::string_view chapterNotes(std::string_view title) {
  if (title == "General") {
    return "One source, one destination. G (bits 22-21) says what the source is: 00 register, 01 "
           "direct `@addr` (16 bits, the page is in DP), 10 indirect, 11 immediate. `op R` is `op "
           "R,R` where only one operand is read (ABSx, FIX, FLOAT, NEGx, NORM, NOT, RND). A memory "
           "word is loaded by its kind: float instructions take bits 31-8 of a register from it "
           "and "
           "clear bits 7-0, integer instructions take bits 31-0 and leave the exponent alone. "
           "`LDP addr` is `LDIU` of the upper 8 address bits to DP.\n";
  }
  if (title == "Three operands") {
    return "T (bits 22-21) says which operands are indirect: 00 none, 01 src1, 10 src2, 11 both. "
           "No "
           "direct operands, no immediates; displacement 1, IR0 or IR1. The 3 of the mnemonic may "
           "be "
           "left out. Both addresses are formed from the address registers before the instruction; "
           "if both operands modify the same ARn, the change of src1 stays.\n";
  }
  if (title == "Conditional loads") {
    return "No flags, ever. Address register changes and the read happen whether or not the "
           "condition holds. `LDFU` and `LDIU` are loads that leave the flags alone.\n";
  }
  if (title == "Program control") {
    return "`reg or label`: B (bit 25) = 1 is a signed 16-bit displacement. Unconditional forms "
           "may "
           "be written `B BD DB DBD RETI RETS TRAP`. The three words behind a delayed branch "
           "always execute; the condition is taken when the branch itself executes. DBcond counts "
           "bits 23-0 of ARn down whatever the condition says, and branches if the condition holds "
           "and the result is not negative: n + 1 passes for ARn = n. The body of RPTB runs RC + 1 "
           "times and must not end in a branch; RPTS cannot be interrupted. Trap N jumps by the "
           "word "
           "at ITTP * 256 + 20h + N, the interrupt of IF bit n by the one at ITTP * 256 + n + 1.\n";
  }
  if (title == "Parallel multiply and add or subtract") {
    return "d1 is R0 or R1, d2 is R2 or R3. Two of the four sources are registers R0-R7 (src1, "
           "src2), "
           "two are indirect (src3, src4), in one of four ways:\n\n"
           "| P | product | sum or difference |\n|---|---|---|\n"
           "| 00 | src3 * src4 | src1 +- src2 |\n| 01 | src3 * src1 | src4 +- src2 |\n"
           "| 10 | src1 * src2 | src3 +- src4 |\n| 11 | src3 * src1 | src2 +- src4 |\n\n"
           "The first written operand of SUBx3 is the one subtracted. Everything is read before "
           "anything is written: `MPYF3 *AR0++,*AR1++,R0 || ADDF3 R0,R2,R2` adds the product of "
           "the "
           "instruction before.\n";
  }
  return "The two halves are written on two lines, the second with `||` in front, in any order. "
         "All "
         "registers are R0-R7; indirect operands have displacement 1, IR0 or IR1. A store of the "
         "register that the other half changes stores the old value; a load of the word that the "
         "other half stores gets the old word. With `--enhanced` (revision 2 silicon) src2 may be "
         "a "
         "register.\n";
}

void appendInstruction(std::string& out, const OpInfo& row) {
  out += "| `" + form(row) + "` | ";
  if (row.modes != 0) {
    out +=
        row.format == Format::Store ? registers(row.source) + " to " + sources(row) : sources(row);
  } else if (row.format == Format::Three || row.format == Format::ThreeCompare) {
    out += registers(row.source) + ", *ARn";
  }
  out += " | ";
  if (row.writesRegister && row.format != Format::Stack) out += registers(row.destination);
  if (row.format == Format::Stack)
    out += registers(row.writesRegister ? row.destination : row.source);
  out += " | " + common::hexUpper(row.base, 8) + ": " + std::string(layout(row.format)) + " | " +
         escaped(row.operation) + " | " + std::string(flagsText(row.flags)) + " | " +
         std::to_string(row.cycles) + " | " + remarks(row) + " |\n";
}

void appendInstructions(std::string& out) {
  std::string_view last;
  for (const OpInfo& row : kInstructions) {
    const std::string_view title = chapter(row);
    if (title != last) {
      out += "\n## " + std::string(title) + "\n\n" + std::string(chapterNotes(title)) +
             "\n| form | source operands | destination | word (base: fields) | operation | flags | "
             "cycles | remarks |\n|---|---|---|---|---|---|---|---|\n";
      last = title;
    }
    appendInstruction(out, row);
  }
}

void appendRegisters(std::string& out) {
  out +=
      "\n## Registers\n\nR0-R7 have 40 bits: a float in all of them (exponent 39-32, mantissa "
      "31-0), "
      "an integer in bits 31-0. The others have 32 bits, of which addresses use 24.\n\n"
      "| number | name | role |\n|---|---|---|\n";
  constexpr std::array<std::string_view, 28> kRoles{
      "extended precision",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "address",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "data page: bits 23-16 of @ operands",
      "index",
      "index",
      "circular block size",
      "stack pointer, at the last word pushed; the stack grows up",
      "status",
      "interrupt enable",
      "interrupt flags; ITTP, the vector table's address / 256, in bits 31-16",
      "XF pins",
      "repeat start",
      "repeat end",
      "repeat count"};
  for (unsigned n = 0; n < kRoles.size(); ++n) {
    const std::string_view role = n < 8 ? kRoles[0] : n < 16 ? kRoles[8] : kRoles[n];
    out += "| " + std::to_string(n) + " | " +
           std::string(registerName(static_cast<std::uint8_t>(n))) + " | " + std::string(role) +
           " |\n";
  }
  out +=
      "\nST: 0 C, 1 V, 2 Z, 3 N, 4 UF, 5 LV, 6 LUF, 7 OVM (saturate integers), 8 RM, 10 CF, 11 CE, "
      "12 CC (cache freeze, enable, clear), 13 GIE, 14 edge-triggered INT pins, 15 PRGW.\n"
      "IOF: 1 XF0 is an output, 2 its level, 3 level at the pin; 5, 6, 7 the same for XF1.\n"
      "IE, IF: 0-3 INT0-INT3, 4 XINT0, 5 RINT0, 8 TINT0, 9 TINT1, 10 DINT0, 11 DINT1. Peripheral "
      "registers: `c32-run --manual`.\n";
}

void appendNumbers(std::string& out) {
  out +=
      "\n## Numbers and flags\n\n"
      "Integers are two's complement; the multiplier takes the low 24 bits of its operands as "
      "signed. "
      "C is the carry of an addition and the *borrow* of a subtraction. N is the sign of the exact "
      "result, even if it overflows (c32-run `--n-flag-exact`); with OVM = 1 the destination gets "
      "the nearest 32-bit number instead of the low bits. Shift counts are the low 7 bits, signed: "
      "positive is left.\n\n"
      "A float is an exponent e in two's complement, a sign s and a fraction f: s = 0 is 01.f * "
      "2^e, "
      "s = 1 is 10.f * 2^e as a two's complement number (-2 + 0.f), the smallest exponent is 0. "
      "There is no negative zero, infinity or NaN; results saturate. A memory word 00000000h is "
      "1.0.\n\n"
      "| format | bits | exponent | sign | fraction | zero |\n|---|---|---|---|---|---|\n"
      "| extended, R0-R7 | 40 | 39-32 | 31 | 30-0 | 8000000000h |\n"
      "| single, memory | 32 | 31-24 | 23 | 22-0 | 80000000h |\n"
      "| short, immediate | 16 | 15-12 | 11 | 10-0 | 8000h |\n\n"
      "STF truncates towards minus infinity: RND first to round. MPYF truncates its operands to "
      "single precision. ADDF shifts the operand with the smaller exponent right and drops bits: "
      "from "
      "32 places on it contributes nothing (default), or its sign (c32-run `--addf-alignment "
      "flow-chart`). FIX rounds down: FIX -0.5 is -1.\n";
}

void appendConditions(std::string& out) {
  constexpr std::array<std::string_view, 21> kTrue{"always",  "C",
                                                   "C or Z",  "not C and not Z",
                                                   "not C",   "Z",
                                                   "not Z",   "N",
                                                   "N or Z",  "not N and not Z",
                                                   "not N",   "",
                                                   "not V",   "V",
                                                   "not UF",  "UF",
                                                   "not LV",  "LV",
                                                   "not LUF", "LUF",
                                                   "Z or UF"};
  constexpr std::array<std::string_view, 21> kAlso{"",   "C",    "", "",  "NC", "Z",
                                                   "NZ", "N, L", "", "P", "NN"};
  out +=
      "\n## Conditions\n\nLO LS HI HS compare unsigned numbers, LT LE GT GE signed ones.\n\n"
      "| code | name | also | true if |\n|---|---|---|---|\n";
  for (std::uint32_t code = 0; code < kTrue.size(); ++code) {
    if (!condDefined(code)) continue;
    out += "| " + common::hexUpper(code, 2) + " | " +
           std::string(condName(static_cast<Cond>(code))) + " | " + std::string(kAlso[code]) +
           " | " + std::string(kTrue[code]) + " |\n";
  }
}

void appendModes(std::string& out) {
  out +=
      "\n## Indirect operands\n\nd: displacement 0-255 in general forms (1 if not written), 1 in "
      "three-operand and parallel forms; or IR0 or IR1 in its place. The number is the mode field. "
      "Address arithmetic has 24 bits. ARn changes before the instruction reads its register "
      "operands: `STI AR0,*AR0++` stores the changed AR0.\n\n"
      "| operand | d | IR0 | IR1 | address | ARn afterwards |\n|---|---|---|---|---|---|\n";
  struct Mode {
    const char *text, *address, *after;
  };
  constexpr Mode kModes[] = {{"*+ARn(d)", "ARn + d", "same"},
                             {"*-ARn(d)", "ARn - d", "same"},
                             {"*++ARn(d)", "ARn + d", "ARn + d"},
                             {"*--ARn(d)", "ARn - d", "ARn - d"},
                             {"*ARn++(d)", "ARn", "ARn + d"},
                             {"*ARn--(d)", "ARn", "ARn - d"},
                             {"*ARn++(d)%", "ARn", "ARn + d in the circle"},
                             {"*ARn--(d)%", "ARn", "ARn - d in the circle"}};
  std::uint32_t m = 0;
  for (const Mode& mode : kModes) {
    out += std::string("| `") + mode.text + "` | " + common::hexUpper(m, 2) + " | " +
           common::hexUpper(m + 8, 2) + " | " + common::hexUpper(m + 16, 2) + " | " + mode.address +
           " | " + mode.after + " |\n";
    ++m;
  }
  out +=
      "| `*ARn` | 18 | | | ARn | same |\n"
      "| `*ARn++(IR0)B` | | 19 | | ARn | ARn + IR0, carries from high to low bits |\n\n"
      "Circular: BK words from a multiple of the next power of two above BK; the step must not "
      "exceed BK. Bit-reversed: IR0 is half the size of the FFT, the data begin at a multiple of "
      "its size.\n";
}

void appendTiming(std::string& out) {
  out +=
      "\n## Cycles\n\nThe tables give cycles without conflicts and wait states. Besides:\n\n"
      "| case | cycles |\n|---|---|\n"
      "| Bcond, DBcond not taken | 4, as taken (c32-run `--bcond-untaken-cycles`) |\n"
      "| ARn, IRn, BK, DP or SP written as a destination, then used for an address of its group by "
      "the next instruction, the one after | 2, 1 |\n"
      "| one of them read as an operand, then used so by the next instruction | 1 |\n"
      "| interrupt | 5 to the routine |\n"
      "| memory outside the chip | read 1, write 2, each wait state 1; one access at a time, "
      "instructions included unless they are cached |\n"
      "| RAM block of the chip | two accesses a cycle free, a third 1 |\n";
}

}  // namespace

std::string instructionManual() {
  std::string out =
      "# TMS320C32 instructions\n\nGenerated from the instruction table of the simulator. The "
      "first "
      "operand is `src`, the last `dst`; in three-operand forms `SUBI3 src2,src1,dst` is src1 - "
      "src2. Flags change only when the destination is R0-R7 (remarks name the exceptions); LV and "
      "LUF latch V and UF. A flag that is not named keeps its value.\n";
  appendInstructions(out);
  appendConditions(out);
  appendModes(out);
  appendRegisters(out);
  appendNumbers(out);
  appendTiming(out);
  return out;
}

}  // namespace rtvp::c32
