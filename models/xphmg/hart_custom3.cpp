// Submit, fences and predicates on the hart: opcode custom-3 (xphmg.md 8.2, 8.5, 10), and the names
// of all vendor instructions for traces.
#include <array>
#include <bit>
#include <sstream>

#include "models/xphmg/hart_extension.hpp"

namespace rtvp::xphmg {
namespace {

using rv64::Cause;
using rv64::Decoded;
using rv64::Hart;

constexpr unsigned kEngineRt = 2;
constexpr std::uint32_t kDomainRt = 2, kDomainMtx = 3, kDomainAll = 15;

constexpr std::uint32_t immediateOf(std::uint32_t word) {
  return word >> 20U;
}
constexpr unsigned funct3Of(std::uint32_t word) {
  return (word >> 12U) & 7U;
}

/// The offset of a B-type instruction.
std::uint64_t branchOffset(std::uint32_t w) {
  const std::uint32_t magnitude =
      (((w >> 7U) & 1U) << 11U) | (((w >> 25U) & 63U) << 5U) | (((w >> 8U) & 15U) << 1U);
  return (w >> 31U) != 0 ? ~std::uint64_t{0xFFF} | magnitude : magnitude;
}

/// PMASK operations (8.5), in the order of imm[11:8].
enum class MaskOp : std::uint8_t {
  Clear,
  Set,
  MoveFromP0,
  MoveToP0,
  ReadLow,
  WriteLow,
  Any,
  None,
  And,
  Or,
  Xor,
  AndNot,
  Not,
  Count
};
constexpr std::array<const char*, 14> kMaskNames{
    "pmclr",  "pmset", "pmmov.p0", "pmmov.to_p0", "pmlow.rd", "pmlow.wr", "pmany",
    "pmnone", "pmand", "pmor",     "pmxor",       "pmandn",   "pmnot",    "pmpopcnt"};

}  // namespace

void HartExtension::custom3(Hart& hart, const Decoded& d) {
  const std::uint32_t imm = immediateOf(d.word);
  switch (funct3Of(d.word)) {
    case 0:
      return submit(hart, d, imm);
    case 1:
      return wait(hart, d, imm);
    case 2:
      return signal(hart, d, imm);
    case 3:
      return pipe(hart, d, imm);
    case 4:
      return mask(hart, d, imm);
    case 5:
      if ((d.word >> 25U) != 0) return illegal(hart, d, kEcIllegal);
      hart.setX(d.rd, hart.x(p0_ ? d.rs1 : d.rs2));
      return;
    default: {
      if (d.rs1 != 0 || d.rs2 != 0) return illegal(hart, d, kEcIllegal);
      const bool wanted = funct3Of(d.word) == 6;
      if (p0_ == wanted) hart.jump(hart.pc() + branchOffset(d.word));
      return;
    }
  }
}

/// XSUBMIT.RT rd, rs1: the descriptor's address goes to the queue; a full queue holds the hart.
void HartExtension::submit(Hart& hart, const Decoded& d, std::uint32_t imm) {
  CsrFile& csrs = unit_.csrs();
  if (!csrs.features().cap || imm != kEngineRt) return illegal(hart, d, kEcIllegal);
  if ((csrs.features().rtcap & rtcap::kDescq) == 0) return illegal(hart, d, kEcUnsupported);
  const std::uint64_t address = hart.x(d.rs1);
  if (address % 8 != 0) return hart.trap(Cause::LoadMisaligned, address);
  std::uint64_t stall = 0;
  const std::uint64_t ticket = unit_.submit(address, stall);
  if (ticket == 0) return hart.trap(Cause::IllegalInstruction, d.word);
  hart.addStall(stall, rv64::Spent::Blocked);
  hart.setX(d.rd, ticket);
}

/// XFENCE.WAIT: for a ticket in rs1, or for a post of the token in the immediate.
void HartExtension::wait(Hart& hart, const Decoded& d, std::uint32_t imm) {
  if (d.rd != 0 || (d.rs1 != 0 && imm != 0)) return illegal(hart, d, kEcIllegal);
  if (d.rs1 != 0) {
    if (hart.x(d.rs1) > unit_.doneTicket()) hart.block();
  } else if (imm != 0 && !unit_.consumeToken(imm)) {
    hart.block();
  }
}

void HartExtension::signal(Hart& hart, const Decoded& d, std::uint32_t imm) {
  if (d.rd != 0 || d.rs1 != 0 || imm == 0) return illegal(hart, d, kEcIllegal);
  unit_.signalToken(imm);
}

/// XFENCE.PIPE: waits until the domain's queue has drained. There is no MTX: nothing to wait for.
void HartExtension::pipe(Hart& hart, const Decoded& d, std::uint32_t imm) {
  const bool known = imm == kDomainRt || imm == kDomainMtx || imm == kDomainAll;
  if (d.rd != 0 || d.rs1 != 0 || !known) return illegal(hart, d, kEcIllegal);
  if (imm != kDomainMtx && unit_.doneTicket() != unit_.lastTicket()) hart.block();
}

/// Predicate banks have one bit for each of 32 lanes; bank 0 is all ones and ignores writes.
void HartExtension::mask(Hart& hart, const Decoded& d, std::uint32_t imm) {
  const unsigned number = imm & 3U;
  const unsigned code = imm >> 8U;
  if ((imm & 0xFCU) != 0 || code >= kMaskNames.size() || number >= options_.mask_banks) {
    return illegal(hart, d, kEcIllegal);
  }
  const std::uint32_t old = bank(number);
  const auto operand = static_cast<std::uint32_t>(hart.x(d.rs1));
  const auto store = [&](std::uint32_t bits) {
    if (number != 0) banks_[number] = bits;
  };
  switch (static_cast<MaskOp>(code)) {
    case MaskOp::Clear:
      return store(0);
    case MaskOp::Set:
      return store(~std::uint32_t{0});
    case MaskOp::MoveFromP0:
      return hart.setX(d.rd, p0_ ? 1 : 0);
    case MaskOp::MoveToP0:
      p0_ = (operand & 1U) != 0;
      return;
    case MaskOp::ReadLow:
      return hart.setX(d.rd, old);
    case MaskOp::WriteLow:
      return store(operand);
    case MaskOp::Any:
      return hart.setX(d.rd, old != 0 ? 1 : 0);
    case MaskOp::None:
      return hart.setX(d.rd, old == 0 ? 1 : 0);
    case MaskOp::And:
      return store(old & operand);
    case MaskOp::Or:
      return store(old | operand);
    case MaskOp::Xor:
      return store(old ^ operand);
    case MaskOp::AndNot:
      return store(old & ~operand);
    case MaskOp::Not:
      return store(~old);
    case MaskOp::Count:
      return hart.setX(d.rd, static_cast<unsigned>(std::popcount(old)));
  }
}

std::string HartExtension::disassemble(std::uint32_t word) const {
  const std::uint32_t imm = immediateOf(word);
  const std::string rd(rv64::integerRegisterName((word >> 7U) & 31U));
  const std::string rs1(rv64::integerRegisterName((word >> 15U) & 31U));
  const std::string number = std::to_string(imm);
  if ((word & 0x7FU) == 0x0B) {
    switch (funct3Of(word)) {
      case 0:
        return "svsetvl " + rd + ", " + rs1 + ", " + number;
      case 1:
        return "svon.one";
      case 2:
        return "svon.blk " + number;
      case 3:
        return "svend";
      case 4:
        return "svp.one.vlstep " + number;
      case 5:
        return "svon.fpctl " + number;
      case 6:
        return "rt.bbox " + rd + ", (" + rs1 + "), " + number;
      default:
        return "rt.tri " + rd + ", (" + rs1 + "), " + number;
    }
  }
  switch (funct3Of(word)) {
    case 0:
      return "xsubmit.rt " + rd + ", " + rs1;
    case 1:
      return "xfence.wait " + (((word >> 15U) & 31U) != 0 ? rs1 : number);
    case 2:
      return "xfence.signal " + number;
    case 3:
      return "xfence.pipe " + number;
    case 4: {
      if ((imm >> 8U) >= kMaskNames.size()) return {};
      return std::string(kMaskNames[imm >> 8U]) + " " + rd + ", " + rs1 + ", " +
             std::to_string(imm & 3U);
    }
    case 5:
      return "psel " + rd + ", " + rs1 + ", " +
             std::string(rv64::integerRegisterName((word >> 20U) & 31U));
    case 6:
      return "bp.t " + std::to_string(static_cast<std::int64_t>(branchOffset(word)));
    default:
      return "bp.f " + std::to_string(static_cast<std::int64_t>(branchOffset(word)));
  }
}

}  // namespace rtvp::xphmg
