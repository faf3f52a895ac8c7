#include "models/xphmg/hart_extension.hpp"

#include <algorithm>
#include <bit>
#include <sstream>

#include "models/common/core/state.hpp"

namespace rtvp::xphmg {
namespace {

using rv64::Cause;
using rv64::Decoded;
using rv64::Hart;
using rv64::Op;

// RSV (xphmg.md 16.3) and PMASK CSRs.
constexpr unsigned kSvstate = 0x7F8, kSvsrca = 0x7F9, kSvsrcb = 0x7FA, kSvdst = 0x7FB,
                   kSvsat = 0x7FE, kSvfaulti = 0x7FF, kP0 = 0x8AC, kLastBank = 0x8AF;
constexpr unsigned kFirstRsv = kSvstate, kLastRsv = kSvfaulti;

/// mcause of an enabled floating-point exception (D-29).
constexpr std::uint64_t kCauseFloat = 24;

constexpr std::uint32_t immediateOf(std::uint32_t word) {
  return word >> 20U;
}
constexpr unsigned funct3Of(std::uint32_t word) {
  return (word >> 12U) & 7U;
}

/// OP, OP-32, OP-IMM, OP-IMM-32, LOAD and STORE: what replication affects besides RT.
bool isAffected(const Decoded& d) {
  using rv64::Format;
  if (d.op == Op::Illegal) return false;
  const Format format = rv64::row(d.op).format;
  return format == Format::R || format == Format::I || format == Format::Shift ||
         format == Format::ShiftW || format == Format::Load || format == Format::Store;
}

}  // namespace

void HartExtension::reset() {
  replication_ = {};
  source_a_ = source_b_ = destination_ = {};
  fault_lane_ = 0;
  banks_.fill(0);
  p0_ = false;
  fp_control_.reset();
}

void HartExtension::state(common::StateArchive& a) {
  a(replication_.on, replication_.one_shot, replication_.lanes, replication_.block,
    replication_.bank, source_a_, source_b_, destination_, fault_lane_, banks_, p0_);
  bool controlled = fp_control_.has_value();
  a(controlled);
  if (a.reading()) fp_control_ = controlled ? std::optional<FpControl>(FpControl{}) : std::nullopt;
  if (fp_control_) a(fp_control_->frm, fp_control_->sae, fp_control_->zmode);
}

// --- CSRs

bool HartExtension::ownsCsr(unsigned number) const {
  return CsrFile::owns(number) || (number >= kFirstRsv && number <= kLastRsv) ||
         (number >= kP0 && number <= kLastBank);
}

std::uint64_t HartExtension::svstate() const {
  return std::uint64_t{replication_.on} | (std::uint64_t{replication_.one_shot} << 1U) |
         (std::uint64_t{replication_.lanes - 1} << 8U) |
         (std::uint64_t{replication_.block} << 16U) | (std::uint64_t{replication_.bank} << 24U);
}

void HartExtension::setSvstate(std::uint64_t value) {
  replication_.on = (value & 1U) != 0;
  replication_.one_shot = (value & 2U) != 0;
  replication_.lanes = std::min<unsigned>(((value >> 8U) & 0xFFU) + 1, kMaxLanes);
  replication_.block = (value >> 16U) & 0xFFU;
  replication_.bank = (value >> 24U) & 3U;
}

std::optional<std::uint64_t> HartExtension::readCsr(Hart& /*hart*/, unsigned number) {
  if (CsrFile::owns(number)) return unit_.readCsr(number);
  const auto stepping = [](const Stepping& s) { return std::uint64_t{s.base | (s.code << 8U)}; };
  if (number >= kP0) {
    const unsigned which = number - kP0;
    if (which == 0) return std::uint64_t{p0_};
    if (which >= options_.mask_banks) return 0;
    return bank(which);
  }
  if (!options_.replication) return std::nullopt;
  switch (number) {
    case kSvstate:
      return svstate();
    case kSvsrca:
      return stepping(source_a_);
    case kSvsrcb:
      return stepping(source_b_);
    case kSvdst:
      return stepping(destination_);
    case kSvsat:
      return 0;
    case kSvfaulti:
      return fault_lane_;
    default:
      return std::nullopt;
  }
}

bool HartExtension::writeCsr(Hart& hart, unsigned number, std::uint64_t value) {
  if (CsrFile::owns(number)) {
    unit_.writeCsr(number, value);
    return true;
  }
  const auto stepping = [&] {
    return Stepping{static_cast<unsigned>(value & 31U), static_cast<unsigned>((value >> 8U) & 3U)};
  };
  if (number >= kP0) {
    const unsigned which = number - kP0;
    if (which == 0) p0_ = (value & 1U) != 0;
    if (which != 0 && which < options_.mask_banks)
      banks_[which] = static_cast<std::uint32_t>(value);
    return true;
  }
  if (!options_.replication) return false;
  switch (number) {
    case kSvstate:
      setSvstate(value);
      updateIntercept(hart);
      return true;
    case kSvsrca:
      source_a_ = stepping();
      return true;
    case kSvsrcb:
      source_b_ = stepping();
      return true;
    case kSvdst:
      destination_ = stepping();
      return true;
    case kSvsat:
      return true;
    case kSvfaulti:
      fault_lane_ = value;
      return true;
    default:
      return false;
  }
}

// --- instructions

void HartExtension::illegal(Hart& hart, const Decoded& d, unsigned error_code) {
  unit_.csrs().setLastEc(error_code);
  hart.trap(Cause::IllegalInstruction, d.word);
}

void HartExtension::execute(Hart& hart, const Decoded& d) {
  const unsigned funct3 = funct3Of(d.word);
  if (d.op == Op::CUSTOM_3) return custom3(hart, d);
  if (funct3 == 6) return executeRt(hart, d, RtOp::Bbox);
  if (funct3 == 7) return executeRt(hart, d, RtOp::Tri);
  prefix(hart, d, funct3, immediateOf(d.word));
}

void HartExtension::executeRt(Hart& hart, const Decoded& d, RtOp op) {
  CsrFile& csrs = unit_.csrs();
  const std::uint32_t imm = immediateOf(d.word);
  if (!csrs.features().cap) return illegal(hart, d, kEcIllegal);
  if (csrs.features().enStrict && (csrs.read(Csr::RTCFG) & 1U) == 0) {
    return illegal(hart, d, kEcIllegal);
  }
  Stickies derived;
  RtInstruction rt{op, imm, 0, csrs.inlineState(derived, fp_control_)};
  if (const unsigned code = checkInline(op, imm, rt.state)) return illegal(hart, d, code);
  rt.registers = resultRegisters(op, imm, rt.state);
  if (replication_.on && replication_.bank >= options_.mask_banks) {
    return illegal(hart, d, kEcIllegal);
  }
  if (!legalLanes(d, rt.registers, true)) return illegal(hart, d, kEcIllegal);
  csrs.precision().retire(derived);
  if (!replication_.on) {
    runLane(hart, d, rt, 0, d.rs1, d.rd);
    return;
  }
  for (unsigned lane = 0; lane < replication_.lanes; ++lane) {
    const unsigned rd = destination_.at(lane);
    if (!lanePredicate(lane)) {
      if (rt.state.precision.zmode) zeroGroup(hart, rd, rt.registers);
    } else if (!runLane(hart, d, rt, lane, source_a_.at(lane), rd)) {
      return;
    }
  }
  affectedDone(hart);
}

void HartExtension::zeroGroup(Hart& hart, unsigned rd, unsigned registers) const {
  if (rd == 0) return;
  for (unsigned i = 0; i < registers; ++i) hart.setX(rd + i, 0);
}

/// One predicate-true lane, in the order of 9.5. False: it trapped.
bool HartExtension::runLane(Hart& hart, const Decoded& d, const RtInstruction& rt, unsigned lane,
                            unsigned rs1, unsigned rd) {
  CsrFile& csrs = unit_.csrs();
  MemoryPort& memory = unit_.beginInline();
  const bool is_box = rt.op == RtOp::Bbox;
  const InlineResult result = is_box ? executeBbox(rt.state, rt.imm, hart.x(rs1), lane, memory)
                                     : executeTri(rt.state, rt.imm, hart.x(rs1), lane, memory);
  hart.addStall(unit_.endInline(), rv64::Spent::InlineRt);
  if (laneFaults(hart, d, rt, result, lane)) {
    if (replication_.on) fault_lane_ = lane;
    return false;
  }
  csrs.countIssued(is_box ? 1 : 0, is_box ? 0 : 1);
  if (lane == 0) p0_ = result.hit;
  if (replication_.on && replication_.bank != 0) {
    const std::uint32_t bit = std::uint32_t{1} << lane;
    std::uint32_t& bits = banks_[replication_.bank];
    bits = result.hit ? bits | bit : bits & ~bit;
  }
  if (rd != 0) {
    for (unsigned i = 0; i < result.registers; ++i) hart.setX(rd + i, result.rd[i]);
  }
  return true;
}

bool HartExtension::laneFaults(Hart& hart, const Decoded& d, const RtInstruction& rt,
                               const InlineResult& result, unsigned lane) {
  CsrFile& csrs = unit_.csrs();
  switch (result.status) {
    case InlineStatus::Illegal:
      illegal(hart, d, result.errorCode);
      return true;
    case InlineStatus::Misaligned:
      hart.trap(Cause::LoadMisaligned, result.address);
      return true;
    case InlineStatus::Bus:
      hart.trap(Cause::LoadAccess, result.address);
      return true;
    case InlineStatus::Done:
      break;
  }
  csrs.precision().retire(result.stickies);
  const std::uint32_t raised =
      csrs.precision().enabledFlags(result.stickies, rt.state.precision.sae);
  if (raised == 0) return false;
  hart.trap(kCauseFloat, (raised & 31U) | (std::uint64_t{lane} << 8U));
  return true;
}

// --- replication (RSV)

void HartExtension::prefix(Hart& hart, const Decoded& d, unsigned funct3, std::uint32_t imm) {
  if (!options_.replication) return illegal(hart, d, kEcIllegal);
  switch (funct3) {
    case 0:
      return setVectorLength(hart, d, imm);
    case 1:
      if (imm != 1) return illegal(hart, d, kEcIllegal);
      replication_.on = replication_.one_shot = true;
      break;
    case 2:
      if (imm > 0xFF) return illegal(hart, d, kEcIllegal);
      if (imm == 0) return;
      replication_.on = true;
      replication_.one_shot = false;
      replication_.block = imm;
      break;
    case 3:
      replication_.on = replication_.one_shot = false;
      break;
    case 4:
      return vectorStep(hart, d, imm);
    default:
      if ((imm >> 5U) != 0) return illegal(hart, d, kEcIllegal);
      fp_control_ = FpControl{(imm >> 2U) & 7U, (imm & 2U) != 0, (imm & 1U) != 0};
      break;
  }
  updateIntercept(hart);
}

/// imm 0: VL from rs1[7:0], else from imm; 0 asks for 256. The effective VL is returned.
void HartExtension::setVectorLength(Hart& hart, const Decoded& d, std::uint32_t imm) {
  if (imm > 0xFF) return illegal(hart, d, kEcIllegal);
  unsigned wanted = imm != 0 ? imm : static_cast<unsigned>(hart.x(d.rs1) & 0xFFU);
  if (wanted == 0) wanted = 256;
  replication_.lanes = std::min(wanted, kMaxLanes);
  hart.setX(d.rd, replication_.lanes);
}

void HartExtension::vectorStep(Hart& hart, const Decoded& d, std::uint32_t imm) {
  const unsigned source = (imm >> 3U) & 7U;
  const unsigned destination = imm & 7U;
  if (source > 3 || destination > 3) return illegal(hart, d, kEcIllegal);
  replication_.lanes = std::min<unsigned>(((imm >> 6U) & 63U) + 1, kMaxLanes);
  source_a_.code = source_b_.code = source;
  destination_.code = destination;
  replication_.on = replication_.one_shot = true;
  updateIntercept(hart);
}

void HartExtension::updateIntercept(Hart& hart) const {
  hart.setIntercept(replication_.on || fp_control_.has_value());
}

/// Before every instruction while replication is on or one floating-point control is pending.
bool HartExtension::intercept(Hart& hart, const Decoded& d) {
  const bool is_rt = d.op == Op::CUSTOM_0 && funct3Of(d.word) >= 6;
  const bool is_prefix = d.op == Op::CUSTOM_0 && !is_rt;
  if (is_prefix) return false;  // prefixes add up
  if (is_rt) {
    execute(hart, d);
  } else if (replication_.on && isAffected(d)) {
    replicate(hart, d);
  } else {
    hart.executeNow(d);
    if (replication_.one_shot) replication_.on = replication_.one_shot = false;
  }
  if (!hart.blocked()) {
    fp_control_.reset();
    updateIntercept(hart);
  }
  return true;
}

/// All register numbers of all lanes exist, also those of masked ones.
bool HartExtension::legalLanes(const Decoded& d, unsigned registers, bool is_rt) const {
  constexpr unsigned kRegisters = 32;
  const unsigned width = std::max(registers, 1U);
  if (!replication_.on) return d.rd == 0 || registers == 0 || d.rd + width <= kRegisters;
  const unsigned last = replication_.lanes - 1;
  const bool group_fits = destination_.at(last) + width <= kRegisters;
  if (is_rt) return source_a_.at(last) < kRegisters && group_fits;
  const rv64::Format format = rv64::row(d.op).format;
  const bool reads_b = format == rv64::Format::R || format == rv64::Format::Store;
  const bool writes = format != rv64::Format::Store;
  return source_a_.at(last) < kRegisters && (!reads_b || source_b_.at(last) < kRegisters) &&
         (!writes || group_fits);
}

/// A scalar instruction, once for each lane in increasing order.
void HartExtension::replicate(Hart& hart, const Decoded& d) {
  const bool bank_exists = replication_.bank < options_.mask_banks;
  if (!bank_exists || !legalLanes(d, 1, false)) return illegal(hart, d, kEcIllegal);
  const bool is_store = rv64::row(d.op).format == rv64::Format::Store;
  for (unsigned lane = 0; lane < replication_.lanes; ++lane) {
    Decoded copy = d;
    copy.rs1 = static_cast<std::uint8_t>(source_a_.at(lane));
    copy.rs2 = static_cast<std::uint8_t>(source_b_.at(lane));
    copy.rd = static_cast<std::uint8_t>(destination_.at(lane));
    if (!lanePredicate(lane)) {
      if (zeroing() && !is_store) hart.setX(copy.rd, 0);
      continue;
    }
    hart.executeNow(copy);
    if (hart.trapping()) {
      fault_lane_ = lane;
      return;
    }
  }
  affectedDone(hart);
}

bool HartExtension::zeroing() const {
  return fp_control_ ? fp_control_->zmode : unit_.csrs().precision().effective().zmode;
}

/// One-shot replication has done its instruction; a block has one less to do.
void HartExtension::affectedDone(Hart& hart) {
  if (replication_.one_shot) {
    replication_.on = replication_.one_shot = false;
  } else if (replication_.block != 0) {
    --replication_.block;
    replication_.on = replication_.block != 0;
  }
  updateIntercept(hart);
}

void HartExtension::trapped(Hart& hart) {
  replication_.on = replication_.one_shot = false;
  replication_.block = 0;
  fp_control_.reset();
  updateIntercept(hart);
}

}  // namespace rtvp::xphmg
