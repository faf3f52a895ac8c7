// Operands of translated instructions: addresses, checks, memory, and what accesses cost.
// The low field's address is in r8 and its new ARn in r9, the high field's in rdi and r10; r11
// tells which RAM blocks both lie in. eax, edx, ecx hold results when accesses are charged.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "models/c32/float40.hpp"
#include "models/c32/translate/block_code.hpp"

namespace rtvp::c32::translate {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {
const Gp kCpu = rbx, kClock = r13, kPlain = r14;
constexpr std::uint32_t kRamBlock = 0x100;  ///< bit of an offset into the RAM
}  // namespace

BlockCode::Place BlockCode::low() const {
  Place p;
  p.address = r8d;
  p.updated = r9d;
  p.scratch = 4;
  return p;
}
BlockCode::Place BlockCode::high() const {
  Place p;
  p.address = edi;
  p.updated = r10d;
  p.scratch = 5;
  return p;
}

Mem BlockCode::scratch(unsigned n) const {
  return context(offsetof(Context, scratch) + std::size_t{4} * n, 4);
}

/// Address into p.address, ARn as it will be into p.updated. Changes ecx.
void BlockCode::addressOf(const Operand& o, Place& p) {
  p.operand = &o;
  p.region = regionOf(o);
  if (o.kind == Operand::Kind::Direct) {
    a_.movzx(p.address, member(layout_.reg + 4 * static_cast<std::int32_t>(reg::DP), 1));
    a_.shl(p.address, 16);
    a_.or_(p.address, o.value);
    return;
  }
  p.ar = reg::AR0 + o.number;
  const IndirectMode mode = indirectMode(o.mode);
  a_.mov(p.address, reg(p.ar));
  if (o.mode == kModePlain) {
    a_.and_(p.address, kAddressMask);
    return;
  }
  p.updates = mode.update;
  if (mode.circular) return around(p, mode);
  if (mode.index == IndirectMode::Index::Displacement) {
    const auto step = static_cast<std::int32_t>(mode.subtract ? 0u - o.value : o.value);
    a_.lea(p.updated, ptr(p.address.r64(), step));
  } else {
    a_.mov(p.updated, reg(mode.index == IndirectMode::Index::Ir0 ? reg::IR0 : reg::IR1));
    if (mode.subtract) a_.neg(p.updated);
    a_.add(p.updated, p.address);
  }
  if (mode.useModified) a_.mov(ecx, p.updated);
  // Bits 31-24 stay, as they do by themselves next to the RAM.
  const bool carries =
      p.region != Region::Inside || mode.index != IndirectMode::Index::Displacement;
  if (mode.update && carries) {
    a_.xor_(p.updated, p.address);
    a_.and_(p.updated, kAddressMask);
    a_.xor_(p.updated, p.address);
  }
  if (mode.useModified) a_.mov(p.address, ecx);
  a_.and_(p.address, kAddressMask);
}

/// circular() of a buffer as long as it is when the code is made, forwards by no more than that:
/// the correction cannot leave the buffer's block. Changes ecx, esi.
void BlockCode::around(const Place& p, const IndirectMode& mode) {
  const std::uint32_t length = around_.guess(reg::BK) & 0xFFFFu;
  const std::uint32_t step = p.operand->value;
  if (mode.index != IndirectMode::Index::Displacement || mode.subtract || step > length ||
      length == 0)
    return circular(p, mode);
  const Label other = a_.newLabel(), go = a_.newLabel();
  a_.cmp(member(layout_.reg + 4 * static_cast<std::int32_t>(reg::BK), 2), length);
  a_.jne(other);
  a_.mov(ecx, p.address);
  a_.and_(ecx, std::bit_ceil(length + 1) - 1);
  a_.lea(p.updated, ptr(p.address.r64(), static_cast<std::int32_t>(step)));
  a_.lea(esi,
         ptr(p.address.r64(), static_cast<std::int32_t>(step) - static_cast<std::int32_t>(length)));
  a_.cmp(ecx, length - step);
  a_.cmovae(p.updated, esi);
  a_.and_(p.address, kAddressMask);
  a_.bind(go);
  aside(other, [this, p, mode, go, leave = leave()] {
    leave_ = leave;
    ringKnown_ = false;
    circular(p, mode);
    a_.jmp(go);
  });
}

/// As Execute::indexed(): one correction, then the mask (c32.md 6.3). BK stays in eax and the mask
/// in edx for a second operand. Changes ecx, esi.
void BlockCode::circular(const Place& p, const IndirectMode& mode) {
  if (!ringKnown_) {
    a_.movzx(eax, member(layout_.reg + 4 * static_cast<std::int32_t>(reg::BK), 2));
    a_.lzcnt(ecx, eax);
    a_.jc(leave());  // BK = 0
    a_.mov(edx, -1);
    a_.shrx(edx, edx, ecx);
    ringKnown_ = true;
  }
  a_.mov(ecx, p.address);
  a_.and_(ecx, edx);
  if (mode.index == IndirectMode::Index::Displacement && !mode.subtract) {
    a_.add(ecx, p.operand->value);  // not below 0
    a_.mov(p.updated, ecx);
    a_.sub(p.updated, eax);
    a_.cmovb(p.updated, ecx);
  } else {
    turn(p, mode);
  }
  a_.and_(p.updated, edx);
  a_.andn(ecx, edx, p.address);
  a_.or_(p.updated, ecx);
  a_.and_(p.address, kAddressMask);
}

/// A step either way from the index in ecx: the new one into p.updated.
void BlockCode::turn(const Place& p, const IndirectMode& mode) {
  if (mode.index == IndirectMode::Index::Displacement) {
    a_.sub(ecx, p.operand->value);
  } else {
    a_.mov(esi, reg(mode.index == IndirectMode::Index::Ir0 ? reg::IR0 : reg::IR1));
    a_.shl(esi, 8);
    a_.sar(esi, 8);
    a_.emit(mode.subtract ? Inst::kIdSub : Inst::kIdAdd, ecx, esi);
  }
  a_.lea(esi, ptr(rcx, rax));
  a_.mov(p.updated, ecx);
  a_.sub(p.updated, eax);
  a_.test(ecx, ecx);
  a_.cmovs(p.updated, esi);
  a_.cmp(ecx, eax);  // below BK and not negative: as it is
  a_.cmovb(p.updated, ecx);
}

bool BlockCode::outside(std::uint32_t address) const {
  if (conditions_.flat) return true;
  return conditions_.plainEnd != 0 && (address & kAddressMask) - kRamBase >= kRamWords;
}

BlockCode::Region BlockCode::regionOf(const Operand& o) const {
  std::uint32_t address = 0;
  if (o.kind == Operand::Kind::Direct) {
    address = (around_.guess(reg::DP) & 0xFFu) << 16 | o.value;
  } else {
    address = around_.guess(reg::AR0 + o.number);
    const IndirectMode mode = indirectMode(o.mode);
    if (mode.useModified && mode.index == IndirectMode::Index::Displacement)
      address += mode.subtract ? 0u - o.value : o.value;
  }
  return outside(address) ? Region::Outside : Region::Inside;
}

/// Leaves the block if the address is not where it was expected. Inside: it becomes an offset.
/// Changes esi.
void BlockCode::check(const Place& p) {
  if (p.region == Region::Inside) {
    a_.sub(p.address, kRamBase);
    a_.cmp(p.address, kRamWords);
    a_.jae(leave());
    return;
  }
  if (conditions_.flat) {
    a_.lea(esi, ptr(p.address.r64(), -static_cast<std::int32_t>(conditions_.holeFirst)));
    a_.cmp(esi, conditions_.holeWords);
    a_.jb(leave());
    return;
  }
  a_.cmp(p.address, conditions_.plainEnd);
  a_.jae(leave());
  if (conditions_.firstPlain != 0) {
    a_.cmp(p.address, conditions_.firstPlain);
    a_.jb(leave());
  }
  a_.mov(scratch(p.scratch), p.address);
}

/// The same for a store: not into translated or decoded code, and when the bus is free. Changes
/// esi.
void BlockCode::checkStore(const Place& p) {
  if (p.region == Region::Inside) {
    a_.mov(esi, p.address);
    a_.shr(esi, 5);
    a_.mov(esi, Mem(kCpu, rsi, 2, layout_.code, 4));
    a_.bt(esi, p.address);
    a_.jc(leave());
    return;
  }
  a_.test(Mem(kPlain, p.address.r64(), 0, PlainMemory::kStates, 1), PlainMemory::kTranslated);
  a_.jne(leave());
  if (conditions_.flat || at_.busKnown) return;
  a_.mov(rsi, context(offsetof(Context, busFree)));
  a_.sub(rsi, kClock);
  a_.cmp(rsi, exec_);
  a_.jg(leave());
}

Mem BlockCode::wordAt(const Place& p) const {
  return p.region == Region::Inside ? Mem(kCpu, p.address.r64(), 2, layout_.ram, 4)
                                    : Mem(kPlain, p.address.r64(), 2, 0, 4);
}

void BlockCode::load(const Gp& to, const Place& p) {
  a_.mov(to, wordAt(p));
}

void BlockCode::store(const Place& p, const Gp& value) {
  a_.mov(wordAt(p), value);
  if (p.region == Region::Outside) {
    a_.mov(Mem(kPlain, p.address.r64(), 0, PlainMemory::kStates, 1), PlainMemory::kWritten);
  }
}

/// Address registers do not survive arithmetic.
void BlockCode::keepAddress(const Place& p) {
  a_.mov(scratch(p.scratch), p.address);
}
void BlockCode::takeAddress(const Place& p) {
  a_.mov(p.address, scratch(p.scratch));
}

void BlockCode::update(const Place& p) {
  if (p.updates) a_.mov(reg(p.ar), p.updated);
}

/// What the access costs; the last thing that may change the clock. Changes esi.
void BlockCode::charge(const Place& p, bool write) {
  if (p.region == Region::Inside) return;
  ++(write ? at_.tally.writes : at_.tally.reads);
  if (!conditions_.flat) chargeBus(p, write);
}

/// As Cpu::external() and chargeAccess().
void BlockCode::chargeBus(const Place& p, bool write) {
  std::int32_t base = exec_;
  if (at_.busKnown) {
    base = std::max(base, at_.busFree);
  } else if (!write) {  // checkStore() saw to writes
    beforeShift();
    waitForBus(exec_, StallCause::HoldEverything);
  }
  auto duration = static_cast<std::int32_t>(conditions_.waits);
  duration += write ? static_cast<std::int32_t>(conditions_.writeCycles) : 1;
  if (!write && conditions_.bankBits != 0) dataBank(p);
  at_.busKnown = at_.busUsed = true;
  at_.busFree = base + duration;
  const std::int32_t until = write ? base : at_.busFree;
  if (until > end_) {
    const std::int32_t grown = until - end_;
    const std::int32_t held = std::min(grown, base - exec_);
    at_.tally.busWait += grown;
    at_.tally.busWaitBy[static_cast<std::size_t>(StallCause::HoldEverything)] += held;
    at_.tally.busWaitBy[static_cast<std::size_t>(StallCause::DataIncomplete)] += grown - held;
    end_ = until;
  }
  if (write) {
    a_.mov(member(layout_.lastWasRead, 1), 0);
    a_.mov(member(layout_.lastStrobe, 1), 0);
    at_.last = Between::Last::Write;
  } else {
    noteBus(true);
  }
  a_.mov(esi, scratch(p.scratch));
  a_.mov(member(layout_.lastRead, 4), esi);
  at_.fetched = false;
  dataOutside_ = true;
}

/// One more cycle if the read before was in another bank. Changes esi.
void BlockCode::dataBank(const Place& p) {
  if (!fetched_ && at_.last == Between::Last::Write) return;
  beforeShift();
  const Label other = a_.newLabel(), go = a_.newLabel();
  if (!fetched_ && at_.last == Between::Last::Unknown) {
    a_.cmp(member(layout_.lastWasRead, 1), 1);
    a_.jne(go);
    a_.cmp(member(layout_.lastStrobe, 1), 0);
    a_.jne(go);
  }
  a_.mov(esi, scratch(p.scratch));
  if (fetched_ && !dataOutside_) {
    a_.xor_(esi, now_->pc);
  } else {
    a_.xor_(esi, member(layout_.lastRead, 4));
  }
  a_.test(esi, bankMask());
  a_.jne(other);
  a_.bind(go);
  const auto cycles = static_cast<std::int32_t>(conditions_.bankCycles);
  aside(other, [this, go, cycles] {
    a_.add(kClock, cycles);
    a_.add(waitPlace(StallCause::DataIncomplete), cycles);
    a_.add(member(layout_.busWait, 8), cycles);
    a_.jmp(go);
  });
}

/// Two data accesses and the fetch in one RAM block of two ports: one waits (c32.md 7.5).
void BlockCode::portsOf(const Place& a, const Place& b) {
  ports_ = conditions_.ports && !codeOutside_ && a.region == Region::Inside &&
           b.region == Region::Inside;
  if (!ports_) return;
  a_.mov(r11d, a.address);
  if (((now_->pc - kRamBase) & kRamBlock) != 0) {
    a_.and_(r11d, b.address);
  } else {
    a_.or_(r11d, b.address);
  }
}

void BlockCode::chargePorts() {
  if (!ports_) return;
  beforeShift();
  makeBusDynamic();
  const Label three = a_.newLabel(), go = a_.newLabel();
  a_.test(r11d, kRamBlock);
  if (((now_->pc - kRamBase) & kRamBlock) != 0) {
    a_.jne(three);
  } else {
    a_.je(three);
  }
  a_.bind(go);
  aside(three, [this, go] {
    a_.add(kClock, 1);
    a_.add(member(layout_.ramConflict, 8), 1);
    a_.jmp(go);
  });
}

/// The value of an operand; `p` if it lies in memory.
void BlockCode::intoInteger(const Gp& to, const Operand& o, const Place* p) {
  if (p != nullptr) {
    load(to, *p);
  } else if (o.kind == Operand::Kind::Register) {
    a_.mov(to, reg(o.number));
  } else {
    a_.mov(to, o.value);
  }
}

void BlockCode::intoFloat(const Gp& mantissa, const Gp& exponentTo, const Operand& o,
                          const Place* p) {
  if (p != nullptr) {
    load(exponentTo, *p);
    singleInto(mantissa, exponentTo);
  } else if (o.kind == Operand::Kind::Register) {
    a_.mov(mantissa, reg(o.number));
    a_.movsx(exponentTo, exponent(o.number));
  } else {
    const Float40 x = extendedFromShort(o.value);
    a_.mov(mantissa, x.mantissa);
    a_.mov(exponentTo, static_cast<std::int32_t>(x.exponent));
  }
}

/// A single in `exponentTo`, taken apart.
void BlockCode::singleInto(const Gp& mantissa, const Gp& exponentTo) {
  a_.mov(mantissa, exponentTo);
  a_.shl(mantissa, 8);
  a_.sar(exponentTo, 24);
}

/// R0-R7 as STF stores it.
void BlockCode::singleOf(const Gp& to, const Gp& temporary, unsigned number) {
  a_.movzx(to, exponent(number));
  a_.mov(temporary, reg(number));
  singleFrom(to, temporary);
}

/// The word of an exponent and a field, which is lost.
void BlockCode::singleFrom(const Gp& exponent, const Gp& field) {
  a_.shl(exponent, 24);
  a_.shr(field, 8);
  a_.or_(exponent, field);
}

}  // namespace rtvp::c32::translate
