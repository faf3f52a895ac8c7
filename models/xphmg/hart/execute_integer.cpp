// Integer instructions: RV64I and M, branches and jumps.
#include "models/xphmg/hart/execute.hpp"

namespace rtvp::rv64 {
namespace {

using U = std::uint64_t;
using S = std::int64_t;
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

constexpr S s(U value) {
  return static_cast<S>(value);
}
constexpr U word(U value) {
  return static_cast<U>(
      static_cast<S>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value))));
}
constexpr std::uint32_t low(U value) {
  return static_cast<std::uint32_t>(value);
}
constexpr std::int32_t slow(U value) {
  return static_cast<std::int32_t>(low(value));
}

constexpr U shiftLogical(U a, U b) {
  return a >> (b & 63U);
}
constexpr U shiftSigned(U a, U b) {
  return static_cast<U>(s(a) >> (b & 63U));
}
constexpr U shiftWordLogical(U a, U b) {
  return word(low(a) >> (b & 31U));
}
constexpr U shiftWord(U a, U b) {
  return static_cast<U>(S{slow(a) >> (b & 31U)});
}

// Division never traps: by zero gives all ones and the dividend, overflow the dividend and 0.
constexpr U divide(U a, U b) {
  if (b == 0) return ~U{0};
  if (b == ~U{0}) return U{0} - a;
  return static_cast<U>(s(a) / s(b));
}
constexpr U remainder(U a, U b) {
  if (b == 0) return a;
  if (b == ~U{0}) return 0;
  return static_cast<U>(s(a) % s(b));
}
constexpr U divideWord(U a, U b) {
  return word(divide(word(a), word(b)));
}
constexpr U remainderWord(U a, U b) {
  return word(remainder(word(a), word(b)));
}

}  // namespace

Execute::Handler Execute::integer(Op op) {
  switch (op) {
    case Op::LUI:
      return [](Hart& h, const Decoded& d) { set(h, d.rd, offset(d)); };
    case Op::AUIPC:
      return [](Hart& h, const Decoded& d) { set(h, d.rd, h.pc_ + offset(d)); };
    case Op::JAL:
      return [](Hart& h, const Decoded& d) {
        set(h, d.rd, h.next_);
        h.next_ = h.pc_ + offset(d);
      };
    case Op::JALR:
      return [](Hart& h, const Decoded& d) {
        const U target = h.x_[d.rs1] + offset(d);
        set(h, d.rd, h.next_);
        h.next_ = target & ~U{1};
      };
    case Op::BEQ:
      return &branch<[](U a, U b) { return a == b; }>;
    case Op::BNE:
      return &branch<[](U a, U b) { return a != b; }>;
    case Op::BLT:
      return &branch<[](U a, U b) { return s(a) < s(b); }>;
    case Op::BGE:
      return &branch<[](U a, U b) { return s(a) >= s(b); }>;
    case Op::BLTU:
      return &branch<[](U a, U b) { return a < b; }>;
    case Op::BGEU:
      return &branch<[](U a, U b) { return a >= b; }>;
    case Op::ADDI:
      return &immediate<[](U a, U b) { return a + b; }>;
    case Op::SLTI:
      return &immediate<[](U a, U b) { return U{s(a) < s(b)}; }>;
    case Op::SLTIU:
      return &immediate<[](U a, U b) { return U{a < b}; }>;
    case Op::XORI:
      return &immediate<[](U a, U b) { return a ^ b; }>;
    case Op::ORI:
      return &immediate<[](U a, U b) { return a | b; }>;
    case Op::ANDI:
      return &immediate<[](U a, U b) { return a & b; }>;
    case Op::SLLI:
      return &immediate<[](U a, U b) { return a << (b & 63U); }>;
    case Op::SRLI:
      return &immediate<shiftLogical>;
    case Op::SRAI:
      return &immediate<shiftSigned>;
    case Op::ADDIW:
      return &immediate<[](U a, U b) { return word(a + b); }>;
    case Op::SLLIW:
      return &immediate<[](U a, U b) { return word(a << (b & 31U)); }>;
    case Op::SRLIW:
      return &immediate<shiftWordLogical>;
    case Op::SRAIW:
      return &immediate<shiftWord>;
    case Op::ADD:
      return &registers<[](U a, U b) { return a + b; }>;
    case Op::SUB:
      return &registers<[](U a, U b) { return a - b; }>;
    case Op::SLL:
      return &registers<[](U a, U b) { return a << (b & 63U); }>;
    case Op::SLT:
      return &registers<[](U a, U b) { return U{s(a) < s(b)}; }>;
    case Op::SLTU:
      return &registers<[](U a, U b) { return U{a < b}; }>;
    case Op::XOR:
      return &registers<[](U a, U b) { return a ^ b; }>;
    case Op::SRL:
      return &registers<shiftLogical>;
    case Op::SRA:
      return &registers<shiftSigned>;
    case Op::OR:
      return &registers<[](U a, U b) { return a | b; }>;
    case Op::AND:
      return &registers<[](U a, U b) { return a & b; }>;
    case Op::ADDW:
      return &registers<[](U a, U b) { return word(a + b); }>;
    case Op::SUBW:
      return &registers<[](U a, U b) { return word(a - b); }>;
    case Op::SLLW:
      return &registers<[](U a, U b) { return word(a << (b & 31U)); }>;
    case Op::SRLW:
      return &registers<shiftWordLogical>;
    case Op::SRAW:
      return &registers<shiftWord>;
    default:
      return nullptr;
  }
}

Execute::Handler Execute::multiply(Op op) {
  switch (op) {
    case Op::MUL:
      return &registers<[](U a, U b) { return a * b; }>;
    case Op::MULH:
      return &registers<[](U a, U b) { return static_cast<U>((Wide{s(a)} * Wide{s(b)}) >> 64); }>;
    case Op::MULHSU:
      return &registers<[](U a, U b) {
        return static_cast<U>((Wide{s(a)} * static_cast<Wide>(b)) >> 64);
      }>;
    case Op::MULHU:
      return &registers<[](U a, U b) { return static_cast<U>((UnsignedWide{a} * b) >> 64); }>;
    case Op::DIV:
      return &registers<divide>;
    case Op::DIVU:
      return &registers<[](U a, U b) { return b == 0 ? ~U{0} : a / b; }>;
    case Op::REM:
      return &registers<remainder>;
    case Op::REMU:
      return &registers<[](U a, U b) { return b == 0 ? a : a % b; }>;
    case Op::MULW:
      return &registers<[](U a, U b) { return word(a * b); }>;
    case Op::DIVW:
      return &registers<divideWord>;
    case Op::DIVUW:
      return &registers<[](U a, U b) { return low(b) == 0 ? ~U{0} : word(low(a) / low(b)); }>;
    case Op::REMW:
      return &registers<remainderWord>;
    case Op::REMUW:
      return &registers<[](U a, U b) { return low(b) == 0 ? word(a) : word(low(a) % low(b)); }>;
    default:
      return nullptr;
  }
}

}  // namespace rtvp::rv64
