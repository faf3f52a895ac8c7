// The control and status registers of the base set (xphmg.md 16.2; RISC-V privileged ISA).
#include "models/xphmg/hart/execute.hpp"

namespace rtvp::rv64 {
namespace {

enum Number : unsigned {
  kFflags = 0x001,
  kFrm = 0x002,
  kFcsr = 0x003,
  kMstatus = 0x300,
  kMisa = 0x301,
  kMie = 0x304,
  kMtvec = 0x305,
  kMcountinhibit = 0x320,
  kMhpmevent3 = 0x323,
  kMhpmevent31 = 0x33F,
  kMscratch = 0x340,
  kMepc = 0x341,
  kMcause = 0x342,
  kMtval = 0x343,
  kMip = 0x344,
  kMcycle = 0xB00,
  kMinstret = 0xB02,
  kMhpmcounter3 = 0xB03,
  kMhpmcounter31 = 0xB1F,
  kCycle = 0xC00,
  kTime = 0xC01,
  kInstret = 0xC02,
  kHpmcounter3 = 0xC03,
  kHpmcounter31 = 0xC1F,
  kMvendorid = 0xF11,
  kMarchid = 0xF12,
  kMimpid = 0xF13,
  kMhartid = 0xF14,
  kMconfigptr = 0xF15,
};

constexpr std::uint64_t kMstatusWritable = 0x88 | kFloatState;  // MPIE, MIE, FS
constexpr std::uint64_t kMPP = 0x1800;
constexpr std::uint64_t kInterruptBits = 0x888;
constexpr std::uint64_t kCycleInhibit = 1;
constexpr std::uint64_t kInstretInhibit = 4;

bool isFloat(unsigned number) {
  return number >= kFflags && number <= kFcsr;
}

bool isZeroCounter(unsigned number) {
  return (number >= kMhpmcounter3 && number <= kMhpmcounter31) ||
         (number >= kMhpmevent3 && number <= kMhpmevent31) ||
         (number >= kHpmcounter3 && number <= kHpmcounter31);
}

}  // namespace

std::uint64_t CsrFile::misa(const Hart& h) {
  std::uint64_t letters = 0;
  for (const char letter : {'A', 'C', 'D', 'F', 'I', 'M'}) letters |= 1U << (letter - 'A');
  if (h.extension_ != nullptr) letters |= 1U << ('X' - 'A');
  return (std::uint64_t{2} << 62U) | letters;
}

std::optional<std::uint64_t> CsrFile::readCounter(const Hart& h, unsigned number) {
  const bool cycles = number == kMcycle || number == kCycle;
  const bool frozen = (h.mcountinhibit_ & (cycles ? kCycleInhibit : kInstretInhibit)) != 0;
  const std::uint64_t base = cycles ? h.mcycle_base_ : h.minstret_base_;
  if (frozen) return base;
  return base + (cycles ? h.cycle() : h.retired_);
}

/// The value holds from the next instruction on: the writing instruction's own count is
/// overwritten.
void CsrFile::writeCounter(Hart& h, unsigned number, std::uint64_t value) {
  const bool cycles = number == kMcycle;
  const bool frozen = (h.mcountinhibit_ & (cycles ? kCycleInhibit : kInstretInhibit)) != 0;
  const std::uint64_t now = (cycles ? h.cycle() : h.retired_) + 1;
  (cycles ? h.mcycle_base_ : h.minstret_base_) = frozen ? value : value - now;
}

std::optional<std::uint64_t> CsrFile::read(Hart& h, unsigned number) {
  if (isFloat(number)) {
    if ((h.mstatus_ & kFloatState) == 0) return std::nullopt;
    h.collectFlags();
  }
  if (isZeroCounter(number)) return 0;
  switch (number) {
    case kFflags:
      return h.fflags_;
    case kFrm:
      return h.frm_;
    case kFcsr:
      return h.fflags_ | (std::uint64_t{h.frm_} << 5U);
    case kMstatus: {
      const bool dirty = (h.mstatus_ & kFloatState) == kFloatState;
      return h.mstatus_ | kMPP | (std::uint64_t{dirty} << 63U);
    }
    case kMisa:
      return misa(h);
    case kMie:
      return h.mie_;
    case kMtvec:
      return h.mtvec_;
    case kMcountinhibit:
      return h.mcountinhibit_;
    case kMscratch:
      return h.mscratch_;
    case kMepc:
      return h.mepc_;
    case kMcause:
      return h.mcause_;
    case kMtval:
      return h.mtval_;
    case kMip:
      return h.mip();
    case kMcycle:
    case kCycle:
    case kMinstret:
    case kInstret:
      return readCounter(h, number);
    case kTime:
      return h.mtime();
    case kMhartid:
      return h.options_.hart_id;
    case kMvendorid:
    case kMarchid:
    case kMimpid:
    case kMconfigptr:
      return 0;
    default:
      return std::nullopt;
  }
}

bool CsrFile::write(Hart& h, unsigned number, std::uint64_t value) {
  if (((number >> 10U) & 3U) == 3) return false;  // read-only numbers
  if (isFloat(number)) {
    if ((h.mstatus_ & kFloatState) == 0) return false;
    h.mstatus_ |= kFloatState;
    h.collectFlags();
  }
  if (isZeroCounter(number)) return true;
  switch (number) {
    case kFflags:
      h.fflags_ = value & 31U;
      break;
    case kFrm:
      h.frm_ = value & 7U;
      break;
    case kFcsr:
      h.fflags_ = value & 31U;
      h.frm_ = (value >> 5U) & 7U;
      break;
    case kMstatus:
      h.mstatus_ = (value & kMstatusWritable) | kMPP;
      break;
    case kMisa:
      break;
    case kMie:
      h.mie_ = value & kInterruptBits;
      break;
    case kMtvec:
      h.mtvec_ = value & ~std::uint64_t{2};
      break;
    case kMcountinhibit: {
      // Values survive the change of the way they are kept.
      const std::uint64_t cycles = *readCounter(h, kMcycle);
      const std::uint64_t instret = *readCounter(h, kMinstret);
      const std::uint64_t before = h.mcountinhibit_;
      h.mcountinhibit_ = value & (kCycleInhibit | kInstretInhibit);
      writeCounter(h, kMcycle, cycles + ((before & kCycleInhibit) != 0 ? 0 : 1));
      writeCounter(h, kMinstret, instret + ((before & kInstretInhibit) != 0 ? 0 : 1));
      break;
    }
    case kMscratch:
      h.mscratch_ = value;
      break;
    case kMepc:
      h.mepc_ = value & ~std::uint64_t{1};
      break;
    case kMcause:
      h.mcause_ = value;
      break;
    case kMtval:
      h.mtval_ = value;
      break;
    case kMip:
      break;  // all pending bits are lines
    case kMcycle:
    case kMinstret:
      writeCounter(h, number, value);
      break;
    default:
      return false;
  }
  h.attention();  // an interrupt may have become enabled
  return true;
}

}  // namespace rtvp::rv64
