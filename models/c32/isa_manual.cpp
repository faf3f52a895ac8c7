// See isa_manual.hpp.
#include "models/c32/isa_manual.hpp"

#include <cstdio>

#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {
namespace {

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "%08X", value);
  return text;
}

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

void appendInstructions(std::string& out) {
  out +=
      "| form | source operands | destination | word (base, fields) | operation | flags | cycles | "
      "remarks |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const OpInfo& row : kInstructions) {
    out += "| `" + form(row) + "` | ";
    if (row.modes != 0) {
      out += row.format == Format::Store ? registers(row.source) + " to " + sources(row)
                                         : sources(row);
    } else if (row.format == Format::Three || row.format == Format::ThreeCompare) {
      out += registers(row.source) + ", *ARn";
    }
    out += " | ";
    if (row.writesRegister && row.format != Format::Stack) out += registers(row.destination);
    if (row.format == Format::Stack)
      out += registers(row.writesRegister ? row.destination : row.source);
    out += " | " + hex(row.base) + ": " + std::string(layout(row.format)) + " | " +
           escaped(row.operation) + " | " + std::string(flagsText(row.flags)) + " | " +
           std::to_string(row.cycles) + " | " + remarks(row) + " |\n";
  }
}

}  // namespace

std::string instructionManual() {
  std::string out =
      "# TMS320C32 instructions\n\nGenerated from the instruction table of the simulator. `src` "
      "comes first, `dst` last; "
      "in three-operand forms `SUBI3 src2,src1,dst` is src1 - src2. Flags change only when the "
      "destination is R0-R7 "
      "(remarks name the exceptions); LV and LUF latch V and UF. Cycles are without conflicts and "
      "wait states, for a "
      "branch that is taken.\n\n";
  appendInstructions(out);
  out += "\n## Conditions\n\n| code | name |\n|---|---|\n";
  for (std::uint32_t code = 0; code <= 0x14; ++code) {
    if (!condDefined(code)) continue;
    out += "| " + hex(code).substr(6) + " | " + std::string(condName(static_cast<Cond>(code))) +
           " |\n";
  }
  out +=
      "\n## Indirect modes\n\nd: displacement 0-255 in general forms, 1 in three-operand and "
      "parallel forms; IR0 or IR1 "
      "in its place. G = 00 register, 01 direct, 10 indirect, 11 immediate.\n\n| mode | d | IR0 | "
      "IR1 |\n|---|---|---|---|\n";
  constexpr const char* kForms[] = {"*+ARn(",  "*-ARn(",  "*++ARn(", "*--ARn(",
                                    "*ARn++(", "*ARn--(", "*ARn++(", "*ARn--("};
  for (std::uint32_t m = 0; m < 8; ++m) {
    const std::string tail = m >= 6 ? ")%" : ")";
    out += std::string("| `") + kForms[m] + "d" + tail + "` | " + hex(m).substr(6) + " | " +
           hex(m + 8).substr(6) + " | " + hex(m + 16).substr(6) + " |\n";
  }
  return out + "| `*ARn` | 18 | | |\n| `*ARn++(IR0)B` | | 19 | |\n";
}

}  // namespace rtvp::c32
