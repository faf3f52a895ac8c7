#include "models/theia/isa.hpp"

#include <algorithm>
#include <cstdio>

#include "models/theia/registers.hpp"

namespace rtvp::theia {
namespace {

constexpr Word lane(const Vec& v, unsigned i) {
  return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

constexpr Word kFractionMask = kOne - 1;
/// The only swizzles that exist in hardware (2.2.1).
constexpr bool swizzleExists(Word code) {
  return code <= 2 || code == 21;
}

Vec swizzle(Word code, const Vec& v, bool strict) {
  if (code >= kSwizzles.size() || (!strict && !swizzleExists(code))) return {};
  const std::string_view lanes = kSwizzles[code];
  const auto pick = [&v](char c) { return lane(v, static_cast<unsigned>(c - 'X')); };
  return {pick(lanes[0]), pick(lanes[1]), pick(lanes[2])};
}

template <typename F>
Vec each(const Vec& a, const Vec& b, F f) {
  return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)};
}
template <typename F>
Vec each(const Vec& a, F f) {
  return {f(a.x), f(a.y), f(a.z)};
}
constexpr Vec all(Word w) {
  return {w, w, w};
}

}  // namespace

Vec compute(Op op, const Vec& a, const Vec& b, const AluProfile& profile) {
  using namespace fixed;
  switch (op) {
    case Op::ADD:
      return each(a, b, add);
    case Op::SUB:
      return each(a, b, subtract);
    case Op::DIV:
      return profile.exactMath ? each(a, b, divideExact) : each(a, b, divide);
    case Op::MUL:
      return each(a, b, multiply);
    case Op::MAG:
      return all(profile.exactMath ? lengthExact(a) : length(a));
    case Op::COPY:
      return a;
    case Op::INC:
      return each(a, [](Word w) { return add(w, kOne); });
    case Op::DEC:
      return each(a, [](Word w) { return subtract(w, kOne); });
    case Op::INCX:
      return {add(a.x, kOne), a.y, a.z};
    case Op::INCY:
      return {a.x, add(a.y, kOne), a.z};
    case Op::INCZ:
      return {a.x, a.y, add(a.z, kOne)};
    case Op::CROSS:
      return cross(a, b);
    case Op::DOT:
      return all(dot(a, b));
    case Op::MULP:
      // The manual keeps the old x and y (callers pass the destination as b); the hardware leaves
      // whatever the source path carries.
      return profile.strictIsa ? Vec{b.x, b.y, multiply(a.x, a.y)}
                               : Vec{a.x, a.y, multiply(a.x, a.y)};
    case Op::MOD:
      return each(a, b, [](Word v, Word m) { return v & (m - kOne); });
    case Op::FRAC:
      return each(a, [](Word w) { return w & kFractionMask; });
    case Op::INTP:
      return each(a, [](Word w) { return w & ~kFractionMask; });
    case Op::NEG:
      return each(a, [](Word w) { return 0U - w; });
    case Op::XCHANGEX:
      return {b.x, a.y, a.z};
    case Op::XCHANGEY:
      return {a.x, b.y, a.z};
    case Op::XCHANGEZ:
      return {a.x, a.y, b.z};
    case Op::IMUL:
      return each(a, b, multiplyInteger);
    case Op::UNSCALE:
      return each(a, [](Word w) { return w >> kFractionBits; });
    case Op::RESCALE:
      return each(a, [](Word w) { return w << kFractionBits; });
    case Op::SETX:
    case Op::RET:
      return {a.x, b.y, b.z};
    case Op::SETY:
      return {b.x, a.x, b.z};
    case Op::SETZ:
      return {b.x, b.y, a.x};
    case Op::SWIZZLE3D:
      return swizzle(a.x, b, profile.strictIsa);
    default:
      return {};  // ZERO, and what OMWRITE and jumps leave for forwarding
  }
}

bool jumpTaken(Op op, const Vec& a, const Vec& b, const AluProfile& profile) {
  const auto code = static_cast<unsigned>(op);
  if (op == Op::JMP || op == Op::CALL) return true;
  const unsigned which = ((code >> 3) & 3U) - 1;
  const Word left = lane(a, which), right = lane(b, which);
  const bool greater = fixed::greater(left, right);
  const bool equal = profile.strictIsa ? left == right : fixed::equalMagnitude(left, right);
  switch (code & 7U) {
    case 0:
      return greater;
    case 1:
      return profile.strictIsa ? !greater && !equal : !greater;
    case 2:
      return equal;
    case 3:
      return !equal;
    case 4:
      return greater || equal;
    default:
      return !greater || equal;
  }
}

unsigned periodOf(const OpInfo& info, const Vec& a, const Vec& b, const AluProfile& profile) {
  if (profile.exactMath && info.op == Op::DIV) {
    // The unit's own clocks plus the two that every period adds (G1c: 64 + 2).
    const bool quick = fixed::dividesAtOnce(a.x, b.x) && fixed::dividesAtOnce(a.y, b.y) &&
                       fixed::dividesAtOnce(a.z, b.z);
    return (quick ? 4 : profile.exactDivideClocks) + 2;
  }
  if (profile.exactMath && info.op == Op::MAG) return 35 + 5;  // the root after DOT's period
  if (profile.strictIsa && info.op == Op::INTP) return 2;
  return info.period;
}

const OpInfo* findMnemonic(std::string_view mnemonic) {
  const auto* const found =
      std::find_if(kInstructions.begin(), kInstructions.end(), [mnemonic](const OpInfo& info) {
        return info.mnemonic == mnemonic && info.operands != Operands::None;
      });
  return found == kInstructions.end() ? nullptr : found;
}

std::optional<std::uint16_t> findRegister(std::string_view name) {
  if (name == "VOID") return std::uint16_t{0};
  for (const RegisterInfo& info : kRegisters) {
    if (info.name == name) return info.address;
  }
  return std::nullopt;
}

std::string registerName(unsigned address) {
  for (const RegisterInfo& info : kRegisters) {
    if (info.address == address) return std::string(info.name);
  }
  return "#" + std::to_string(address);
}

namespace {

std::string hexImmediate(Word value) {
  char text[16];
  std::snprintf(text, sizeof text, "32'h%08X", value);
  return text;
}
std::string target(std::uint16_t address) {
  char text[8];
  std::snprintf(text, sizeof text, "@%04X", address);
  return text;
}
std::string source(std::uint16_t address) {
  return address == 0 ? "VOID" : registerName(address);
}

std::string statement(const OpInfo& info, Instruction in) {
  const std::string op = std::string(info.mnemonic) + ' ';
  const std::string d = source(in.destination());
  const std::string sources = ' ' + source(in.source1()) + ' ' + source(in.source2());
  const Word imm = in.immediate();
  switch (info.operands) {
    case Operands::DstTwo:
    case Operands::DstOne:
    case Operands::DstOnly:
      return op + d + sources;
    case Operands::Target:
    case Operands::TargetTwo:
      return op + target(in.destination()) + sources;
    case Operands::Flag:
      return op + (imm == 1 ? "RT_TRUE" : "RT_FALSE");
    case Operands::DstImmediate:
      return op + d + ' ' + hexImmediate(imm);
    case Operands::DstSwizzle:
      return op + d + ' ' +
             (imm < kSwizzles.size() ? "SWIZZLE_" + std::string(kSwizzles[imm])
                                     : hexImmediate(imm));
    case Operands::DstFlag:
      return op + d + ' ' + (imm == 1 ? "TRUE" : imm == 0 ? "FALSE" : hexImmediate(imm));
    case Operands::None:
      break;
  }
  return {};
}

}  // namespace

std::string disassemble(Instruction in) {
  const OpInfo* const info = in.info();
  if (info == nullptr || info->operands == Operands::None) {
    char text[64];
    std::snprintf(text, sizeof text, "// opcode %02Xh hangs the core: %016llX", in.opcode(),
                  static_cast<unsigned long long>(in.word));
    return text;
  }
  return statement(*info, in);
}

std::string manual() {
  std::string out = "# THEIA instruction set\n\n";
  out +=
      "A is source 1 (type II: the immediate in x), B is source 2 (type II: the old "
      "destination).\n\n| dec | hex | name | type | effect | clocks |\n|---|---|---|---|---|---|\n";
  for (const OpInfo& info : kInstructions) {
    char head[64];
    std::snprintf(head, sizeof head, "| %u | %02X | ", info.code(), info.code());
    out += head + std::string(info.mnemonic) + (info.typeTwo() ? " | II | " : " | I | ");
    out += std::string(info.effect) + " | " + (info.hangs() ? "-" : std::to_string(info.period)) +
           " |\n";
  }
  out += "\n# Registers\n\n| dec | hex | name | bank | contents |\n|---|---|---|---|---|\n";
  for (const RegisterInfo& info : kRegisters) {
    char head[32];
    std::snprintf(head, sizeof head, "| %u | %02X | ", info.address, info.address);
    out += head + std::string(info.name) + " | " +
           std::string(kBanks[static_cast<unsigned>(bankOf(info.address))].name) + " | " +
           std::string(info.description) + " |\n";
  }
  out += "\n# Entry table\n\n| slot | name | ROM row | when |\n|---|---|---|---|\n";
  for (unsigned i = 0; i < kEntries; ++i) {
    out += "| " + std::to_string(i) + " | " + std::string(kEntryTable[i].name) + " | " +
           std::to_string(kEntryTable[i].romRow) + " | " + std::string(kEntryTable[i].description) +
           " |\n";
  }
  return out;
}

}  // namespace rtvp::theia
