// See csr_file.hpp.
#include "models/xphmg/csr_file.hpp"

namespace rtvp::xphmg {
namespace {

constexpr std::uint64_t kCount28 = (std::uint64_t{1} << 28U) - 1;
/// LDS_KiB, L1_LINE_LOG2 = 6, L1_WAYS = 8, MAX_SPROF = 3 (5.2).
std::uint64_t xmemParams(const UnitFeatures& f) {
  const std::uint64_t lds = (f.xmemCap & xmemcap::kLds) != 0 ? f.ldsKib & 0xFFFFU : 0U;
  const std::uint64_t l1 = (f.xmemCap & xmemcap::kL1) != 0 ? 6U << 16U | 8U << 20U : 0U;
  const std::uint64_t profiles = (f.xmemCap & xmemcap::kStreamProf) != 0 ? 3U : 0U;
  return lds | l1 | profiles << 28U;
}

}  // namespace

CsrFile::CsrFile(const UnitFeatures& features)
    : features_(features), precision_(features.modeLayout) {
  features_.rtcap &= rtcap::kAll;
  features_.xmemCap &= xmemcap::kAll;
  for (unsigned i = 0; i < kCsrs; ++i) {
    const CsrDescriptor& row = csrTable()[i];
    rw_[i] = row.bits(common::Access::Rw, features_.xmemCap);
    w1c_[i] = row.bits(common::Access::W1c, features_.xmemCap);
  }
  if ((features_.rtcap & rtcap::kPackHint) == 0) rw_[index(Csr::RTCFG)] &= ~csr::kCfgPackHint;
  if (!features_.implHints) rw_[index(Csr::RTCONF2)] &= 0xFFU;
  reset();
}

void CsrFile::reset() {
  for (unsigned i = 0; i < kCsrs; ++i) {
    const CsrDescriptor& row = csrTable()[i];
    // A field whose feature is missing reads 0 even if its reset value is not.
    const std::uint64_t missing = row.bits(common::Access::Rw) & ~rw_[i];
    values_[i] = row.reset & ~missing;
  }
  poke(Csr::RTCAP, features_.rtcap);
  poke(Csr::XMEM_CAP, features_.xmemCap);
  poke(Csr::XMEM_PARAMS, xmemParams(features_));
  precision_.reset();
  lastEc_ = 0;
  busy_ = false;
  boxes_ = triangles_ = 0;
}

std::uint64_t CsrFile::rtstat() const {
  return (busy_ ? 1U : 0U) | (lastEc_ != 0 ? 2U : 0U) | std::uint64_t{lastEc_} << 2U |
         (boxes_ & kCount28) << 8U | (triangles_ & kCount28) << 36U;
}

std::uint64_t CsrFile::read(Csr csr) const {
  switch (csr) {
    case Csr::RTSTAT:
      return rtstat();
    case Csr::PREC_MODE:
      return precision_.mode();
    case Csr::PREC_ALT:
      return precision_.alt();
    case Csr::PREC_STAT:
      return precision_.stat();
    case Csr::PREC_EXC_EN:
      return precision_.excEnable();
    case Csr::PREC_EXC_ST:
      return precision_.excStatus();
    case Csr::kCount:
      return 0;
    default:
      return values_[index(csr)];
  }
}

void CsrFile::write(Csr csr, std::uint64_t value) {
  switch (csr) {
    case Csr::PREC_MODE:
      return precision_.writeMode(value);
    case Csr::PREC_ALT:
      return precision_.writeAlt(value);
    case Csr::PREC_EXC_EN:
      return precision_.writeExcEnable(value);
    case Csr::PREC_EXC_ST:
      return precision_.writeExcStatus(value);
    case Csr::kCount:
      return;
    default:
      break;
  }
  std::uint64_t& stored = values_[index(csr)];
  stored = (stored & ~rw_[index(csr)]) | (value & rw_[index(csr)]);
  stored &= ~(value & w1c_[index(csr)]);
}

bool CsrFile::owns(unsigned number) {
  return (number >= page::kFirstRt && number <= page::kLastRt) ||
         (number >= page::kFirstCap && number <= page::kLastCap);
}

std::optional<std::uint64_t> CsrFile::readNumber(unsigned number) const {
  if (!owns(number)) return std::nullopt;
  return read(csrOfNumber(number));
}

bool CsrFile::writeNumber(unsigned number, std::uint64_t value) {
  if (!owns(number)) return false;
  write(csrOfNumber(number), value);
  return true;
}

void CsrFile::setLastEc(unsigned code) {
  if (code != 0) lastEc_ = code;
}

void CsrFile::countIssued(std::uint64_t boxes, std::uint64_t triangles) {
  boxes_ += boxes;
  triangles_ += triangles;
}

XmemRegisters CsrFile::xmemRegisters() const {
  XmemRegisters regs;
  regs.cap = peek(Csr::XMEM_CAP);
  regs.l1cfg = peek(Csr::XMEM_L1CFG);
  regs.clsmap = peek(Csr::XMEM_CLSMAP);
  regs.dom = peek(Csr::XMEM_DOM);
  regs.streamCtl = peek(Csr::XMEM_STREAM_CTL);
  regs.compCtl = peek(Csr::XMEM_COMP_CTL);
  regs.descpol = peek(Csr::XMEM_DESCPOL);
  regs.sprof = {peek(Csr::XMEM_SPROF0), peek(Csr::XMEM_SPROF1), peek(Csr::XMEM_SPROF2),
                peek(Csr::XMEM_SPROF3)};
  regs.rtclsdef = peek(Csr::RTCLSDEF);
  regs.rtsprof = peek(Csr::RTSPROF);
  return regs;
}

JobSnapshot CsrFile::snapshot() const {
  JobSnapshot s;
  JobState& state = s.state;
  state.precision = precision_.rtPrecision(s.stickies);
  state.rtcap = features_.rtcap;
  state.rtcfg = peek(Csr::RTCFG);
  state.rtconf2 = peek(Csr::RTCONF2);
  state.rtbase = peek(Csr::RTBASE);
  state.rtqRay = peek(Csr::RTQ_RAY);
  state.rtqHit = peek(Csr::RTQ_HIT);
  state.rtqMiss = peek(Csr::RTQ_MISS);
  state.literal88 = features_.literal88;
  state.edgeInclusive = features_.edgeInclusive;
  state.plain = features_.plain;
  state.triangleFault = features_.triangleFault;
  s.excEnable = static_cast<std::uint32_t>(precision_.excEnable());
  s.xmem = xmemRegisters();
  return s;
}

InlineState CsrFile::inlineState(Stickies& stickies, std::optional<FpControl> control) const {
  InlineState s;
  s.precision = precision_.rtPrecision(stickies, control);
  s.rtcap = features_.rtcap;
  s.rtcfg = peek(Csr::RTCFG);
  s.rtconf2 = peek(Csr::RTCONF2);
  s.rtbase = peek(Csr::RTBASE);
  s.rtnode = peek(Csr::RTNODE);
  s.rttri = peek(Csr::RTTRI);
  s.literal88 = features_.literal88;
  s.edgeInclusive = features_.edgeInclusive;
  return s;
}

}  // namespace rtvp::xphmg
