#include "models/xphmg/hart/isa.hpp"

#include <array>
#include <sstream>

#include "models/common/core/text.hpp"
#include "models/xphmg/hart/compressed.hpp"

namespace rtvp::rv64 {
namespace {

constexpr std::array kRows{
#define RTVP_ROW(op, name, match, mask, format, extension, meaning) \
  InstructionRow{Op::op, name, match, mask, Format::format, Extension::extension, meaning},
    RTVP_RV64_INSTRUCTIONS(RTVP_ROW)
#undef RTVP_ROW
};

/// Row numbers sorted by major opcode (word bits 6:2), and where each opcode begins.
struct OpcodeIndex {
  std::array<std::uint8_t, kRows.size()> order{};
  std::array<std::uint8_t, 33> begin{};
};

constexpr OpcodeIndex indexRows() {
  OpcodeIndex index;
  std::uint8_t next = 0;
  for (std::uint32_t opcode = 0; opcode < 32; ++opcode) {
    index.begin[opcode] = next;
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      if (((kRows[i].match >> 2U) & 31U) == opcode) {
        index.order[next++] = static_cast<std::uint8_t>(i);
      }
    }
  }
  index.begin[32] = next;
  return index;
}

constexpr OpcodeIndex kIndex = indexRows();

/// No word matches two rows: the decoder may take the first.
constexpr bool rowsAreDisjoint() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if ((kRows[i].match & ~kRows[i].mask) != 0 || (kRows[i].match & 3U) != 3) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const std::uint32_t common = kRows[i].mask & kRows[j].mask;
      if (((kRows[i].match ^ kRows[j].match) & common) == 0) return false;
    }
  }
  return true;
}
static_assert(rowsAreDisjoint());

constexpr std::int32_t signedBits(std::uint32_t word, unsigned msb, unsigned lsb) {
  return static_cast<std::int32_t>(word << (31 - msb)) >> (31 - msb + lsb);
}
constexpr std::uint32_t bits(std::uint32_t word, unsigned msb, unsigned lsb) {
  return (word << (31 - msb)) >> (31 - msb + lsb);
}

std::int32_t immediate(Format format, std::uint32_t w) {
  switch (format) {
    case Format::I:
    case Format::JumpI:
    case Format::Load:
    case Format::FLoad:
      return signedBits(w, 31, 20);
    case Format::Shift:
      return static_cast<std::int32_t>(bits(w, 25, 20));
    case Format::ShiftW:
      return static_cast<std::int32_t>(bits(w, 24, 20));
    case Format::Csr:
    case Format::CsrI:
      return static_cast<std::int32_t>(bits(w, 31, 20));
    case Format::Store:
    case Format::FStore:
      return (signedBits(w, 31, 25) * 32) | static_cast<std::int32_t>(bits(w, 11, 7));
    case Format::B:
      return (signedBits(w, 31, 31) * 4096) |
             static_cast<std::int32_t>((bits(w, 7, 7) << 11U) | (bits(w, 30, 25) << 5U) |
                                       (bits(w, 11, 8) << 1U));
    case Format::U:
      return static_cast<std::int32_t>(w & 0xFFFFF000U);
    case Format::J:
      return (signedBits(w, 31, 31) * 0x100000) |
             static_cast<std::int32_t>((bits(w, 19, 12) << 12U) | (bits(w, 20, 20) << 11U) |
                                       (bits(w, 30, 21) << 1U));
    default:
      return 0;
  }
}

constexpr std::array<std::string_view, 32> kIntegerNames{
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr std::array<std::string_view, 32> kFloatNames{
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
constexpr std::array<std::string_view, 8> kRoundingNames{"rne", "rtz", "rdn", "rup",
                                                         "rmm", "rm5", "rm6", "dyn"};

/// Writes the operands of one instruction, in the assembler's order.
class OperandWriter {
 public:
  OperandWriter(const Decoded& d, std::uint64_t pc) : d_(d), pc_(pc) { out_ << std::hex; }

  std::string write(const InstructionRow& row) {
    switch (row.format) {
      case Format::R:
        return list({x(d_.rd), x(d_.rs1), x(d_.rs2)});
      case Format::I:
      case Format::Shift:
      case Format::ShiftW:
        return list({x(d_.rd), x(d_.rs1), std::to_string(d_.imm)});
      case Format::JumpI:
      case Format::Load:
        return list({x(d_.rd), offset(x(d_.rs1))});
      case Format::Store:
        return list({x(d_.rs2), offset(x(d_.rs1))});
      case Format::FLoad:
        return list({f(d_.rd), offset(x(d_.rs1))});
      case Format::FStore:
        return list({f(d_.rs2), offset(x(d_.rs1))});
      case Format::B:
        return list({x(d_.rs1), x(d_.rs2), target()});
      case Format::U:
        return list({x(d_.rd), common::hex0x(static_cast<std::uint32_t>(d_.imm) >> 12U)});
      case Format::J:
        return list({x(d_.rd), target()});
      case Format::Fence:
      case Format::None:
        return {};
      case Format::Csr:
        return list({x(d_.rd), common::hex0x(static_cast<std::uint32_t>(d_.imm)), x(d_.rs1)});
      case Format::CsrI:
        return list(
            {x(d_.rd), common::hex0x(static_cast<std::uint32_t>(d_.imm)), std::to_string(d_.rs1)});
      case Format::Custom:
        return common::hex0x(d_.word);
      default:
        return floatOrAtomic(row.format);
    }
  }

 private:
  std::string floatOrAtomic(Format format) {
    switch (format) {
      case Format::Lr:
        return list({x(d_.rd), "(" + x(d_.rs1) + ")"});
      case Format::Amo:
        return list({x(d_.rd), x(d_.rs2), "(" + x(d_.rs1) + ")"});
      case Format::R4:
        return rounded({f(d_.rd), f(d_.rs1), f(d_.rs2), f(d_.rs3)});
      case Format::FRm:
        return rounded({f(d_.rd), f(d_.rs1), f(d_.rs2)});
      case Format::F1Rm:
        return rounded({f(d_.rd), f(d_.rs1)});
      case Format::F:
        return list({f(d_.rd), f(d_.rs1), f(d_.rs2)});
      case Format::FCmp:
        return list({x(d_.rd), f(d_.rs1), f(d_.rs2)});
      case Format::FToX:
        return list({x(d_.rd), f(d_.rs1)});
      case Format::FToXRm:
        return rounded({x(d_.rd), f(d_.rs1)});
      case Format::XToF:
        return list({f(d_.rd), x(d_.rs1)});
      case Format::XToFRm:
        return rounded({f(d_.rd), x(d_.rs1)});
      default:
        return {};
    }
  }
  static std::string x(unsigned n) { return std::string(integerRegisterName(n)); }
  static std::string f(unsigned n) { return std::string(floatRegisterName(n)); }
  std::string offset(const std::string& base) const {
    return std::to_string(d_.imm) + "(" + base + ")";
  }
  std::string target() const {
    return common::hex0x(pc_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(d_.imm)));
  }
  /// The dynamic rounding mode is the assembler's default and not written.
  std::string rounded(std::initializer_list<std::string> operands) const {
    std::string text = list(operands);
    if (d_.rm != 7) text += ", " + std::string(kRoundingNames[d_.rm]);
    return text;
  }
  static std::string list(std::initializer_list<std::string> operands) {
    std::string text;
    for (const std::string& operand : operands) text += (text.empty() ? "" : ", ") + operand;
    return text;
  }

  const Decoded& d_;
  std::uint64_t pc_;
  std::ostringstream out_;
};

std::string_view extensionName(Extension extension) {
  constexpr std::array<std::string_view, 8> kNames{"I", "M",     "A",        "F",
                                                   "D", "Zicsr", "Zifencei", "vendor"};
  return kNames[static_cast<std::size_t>(extension)];
}

}  // namespace

std::span<const InstructionRow> instructions() {
  return kRows;
}

const InstructionRow& row(Op op) {
  return kRows[static_cast<std::size_t>(op) - 1];
}

Decoded decode(std::uint32_t word) {
  Decoded d;
  d.word = word;
  std::uint32_t w = word;
  if ((word & 3U) != 3) {
    d.length = 2;
    d.word = word & 0xFFFFU;
    w = expandCompressed(static_cast<std::uint16_t>(word));
    if (w == 0) return d;
  }
  const std::uint32_t opcode = (w >> 2U) & 31U;
  for (std::size_t i = kIndex.begin[opcode]; i < kIndex.begin[opcode + 1]; ++i) {
    const InstructionRow& candidate = kRows[kIndex.order[i]];
    if ((w & candidate.mask) != candidate.match) continue;
    d.op = candidate.op;
    d.rd = static_cast<std::uint8_t>(bits(w, 11, 7));
    d.rs1 = static_cast<std::uint8_t>(bits(w, 19, 15));
    d.rs2 = static_cast<std::uint8_t>(bits(w, 24, 20));
    d.rs3 = static_cast<std::uint8_t>(bits(w, 31, 27));
    d.rm = static_cast<std::uint8_t>(bits(w, 14, 12));
    d.imm = immediate(candidate.format, w);
    return d;
  }
  return d;
}

std::string disassemble(const Decoded& d, std::uint64_t pc) {
  if (d.op == Op::Illegal) return "illegal";
  const InstructionRow& r = row(d.op);
  const std::string operands = OperandWriter(d, pc).write(r);
  std::string text(r.mnemonic);
  if (!operands.empty()) text += " " + operands;
  return text;
}

std::string_view integerRegisterName(unsigned number) {
  return kIntegerNames[number & 31U];
}
std::string_view floatRegisterName(unsigned number) {
  return kFloatNames[number & 31U];
}

std::string manual() {
  std::ostringstream out;
  out << "# Instructions of the hart\n\n| instruction | extension | match | mask | meaning |\n"
         "|---|---|---|---|---|\n"
      << std::hex;
  for (const InstructionRow& r : kRows) {
    out << "| `" << r.mnemonic << "` | " << extensionName(r.extension) << " | " << r.match << " | "
        << r.mask << " | " << r.meaning << " |\n";
  }
  out << "\n## Compressed instructions\n\n| instruction | match | mask | stands for |\n"
         "|---|---|---|---|\n";
  for (const CompressedRow& r : compressedInstructions()) {
    out << "| `" << r.mnemonic << "` | " << r.match << " | " << r.mask << " | `" << r.meaning
        << "` |\n";
  }
  return out.str();
}

}  // namespace rtvp::rv64
