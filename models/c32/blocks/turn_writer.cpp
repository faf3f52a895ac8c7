// The code of a passage: what is known when it begins, when things happen, and its end.
//
// Host registers: rbx the TurnFrame, r12 the next word of the inbox, r13 where the next word sent
// goes, r14 the cycle in which the last turn ended, r10 that in which this one's interrupt has been
// entered, r15 the internal RAM. The port's times are in rbp (transfer), r8 (empty) and r9 (number
// of the edge at which the shift register is free), and while a passage runs, where it has changed
// them, in rsi, rdi and r11: so a guard that fails leaves nothing to restore. rax, rcx and rdx are
// free; results that are still needed wait in the vector registers. Words taken and sent stay where
// they are until the end moves r12 and r13.
#include "models/c32/blocks/turn_writer.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "models/c32/memory_map.hpp"

namespace rtvp::c32::blocks {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers
using Code = Operation::Code;

namespace {

constexpr std::uint32_t kXInt = 1u << 4;  // IF bits
constexpr std::uint32_t kRInt = 1u << 5;
constexpr std::int32_t kWordBits = 32;

// See the head of the file.
const Gp kIn = r12, kOut = r13, kAsleep = r14, kBase = r10;

__extension__ using Wide = unsigned __int128;

constexpr bool happens(Code code) {
  return code == Code::Quiet || code == Code::Empty || code == Code::Transfer ||
         code == Code::Arrive || code == Code::Write;
}

}  // namespace

Divisor divisorOf(std::uint64_t d, std::uint64_t end) {
  const unsigned shift = static_cast<unsigned>(std::bit_width(d)) - 1;
  if (std::has_single_bit(d)) return {0, shift};
  // The quotient of 2^64, rounded up, is too large by at most 1, which changes x / d by x / 2^64:
  // less than the 1 / d that would count.
  if (Wide{d} * end <= Wide{1} << 64) {
    return {static_cast<std::uint64_t>((Wide{1} << 64) / d) + 1, 0};
  }
  // 2^(64 + shift) / d lies between 2^63 and 2^64; rounded up it is exact for x below 2^63.
  const auto quotient = (Wide{1} << (64 + shift)) / d;
  return {static_cast<std::uint64_t>(quotient) + 1, shift};
}

TurnWriter::TurnWriter(Assembler& to, const Passage& passage, const TurnSetting& setting)
    : a_(to),
      passage_(passage),
      setting_(setting),
      from_(*passage.from),
      to_(*passage.to),
      byCycles_(divisorOf(setting.cycles, kMostDivided)),
      byEdges_(divisorOf(setting.edges, kMostDivided)) {
  for (auto& label : failures_) label = a_.newLabel();
}

Mem TurnWriter::field(std::size_t offset, unsigned size) {
  return Mem(rbx, static_cast<std::int32_t>(offset), size);
}
Mem TurnWriter::slot(unsigned number) {
  return field(offsetof(TurnFrame, value) + std::size_t{4} * number, 4);
}
Mem TurnWriter::word(std::uint32_t number, bool arrival) const {
  const std::size_t inside = arrival ? offsetof(SerialWord, arrival) : offsetof(SerialWord, word);
  return Mem(kIn, static_cast<std::int32_t>(number * sizeof(SerialWord) + inside), arrival ? 8 : 4);
}

bool TurnWriter::write() {
  if (!begin() || !values() || !times()) return false;
  commitValues();
  commitTimes();
  failures();
  return true;
}

bool TurnWriter::begin() {
  port_ = {from_.transferring, from_.emptying, from_.drrFull, from_.rsrFull, from_.flags};
  if (!sleep()) return false;
  readFacts();
  findLiveFlags();
  a_.cmp(field(offsetof(TurnFrame, usable) + passage_.number, 1), 0);
  fail(CondCode::kE);
  const auto sends = std::count_if(to_.operations.begin(), to_.operations.end(),
                                   [](const Operation& op) { return op.code == Code::Write; });
  if (sends > kMostSent) return false;
  if (sends != 0) {
    a_.cmp(kOut, field(offsetof(TurnFrame, outLimit)));
    fail(CondCode::kA);
  }
  return true;
}

/// What the sleep's events make of the port; false: it could not have been like that.
bool TurnWriter::sleep() {
  const Slept& s = passage_.slept;
  const std::uint32_t enabled = from_.enable & 0xFFFu;
  if (s.by == Slept::Woken::Both || s.arrived > 1) return false;
  if (((port_.flags & enabled) != 0) != (s.by == Slept::Woken::Before)) return false;
  if ((s.emptied && !port_.empty) || (s.transferred && !port_.transfer)) return false;
  if (s.emptied) port_.empty = false;
  bool byTransfer = false;
  if (s.transferred) {
    if (port_.empty) return false;
    port_.transfer = false;
    port_.empty = true;
    if ((setting_.global & serial::kXINT) != 0) port_.flags |= kXInt;
    byTransfer = (port_.flags & kXInt & enabled) != 0;
  }
  if (s.emptiedAfter) {
    if (!s.transferred) return false;
    port_.empty = false;
  }
  bool byArrival = false;
  if (s.arrived != 0) {
    if (port_.rsrFull) return false;
    const bool behind = port_.drrFull;
    (behind ? rsr_ : drr_) = {Where::Kind::Inbox, arrivals_++};
    (behind ? port_.rsrFull : port_.drrFull) = true;
    if (!behind && (setting_.global & serial::kRINT) != 0) port_.flags |= kRInt;
    byArrival = !behind && (port_.flags & kRInt & enabled) != 0;
  }
  if (s.by == Slept::Woken::Transfer && (!byTransfer || byArrival)) return false;
  if (s.by == Slept::Woken::Arrival && (!byArrival || byTransfer)) return false;
  const std::uint32_t state = (port_.drrFull ? 1u : 0u) | (port_.rsrFull ? 2u : 0u) |
                              (port_.transfer ? 4u : 0u) | (port_.empty ? 8u : 0u);
  return to_.key == Key{from_.exit.pc, from_.enable, port_.flags, state};
}

// ---- times

bool TurnWriter::times() {
  wakeUp();
  arrivals_ = passage_.slept.arrived;
  for (const Operation& op : to_.operations) {
    if (happens(op.code) && !happening(op)) return false;
  }
  askAll();
  return port_.transfer == to_.transferring && port_.empty == to_.emptying;
}

/// The sleep: base, and that exactly its events happen up to the wake-up.
void TurnWriter::wakeUp() {
  const Slept& s = passage_.slept;
  if (s.by == Slept::Woken::Before) {
    a_.mov(kBase, kAsleep);
  } else {
    if (s.by == Slept::Woken::Arrival) {
      a_.mov(kBase, word(0, true));
    } else {
      a_.mov(kBase, rbp);
    }
    a_.cmp(kBase, kAsleep);
    a_.cmovb(kBase, kAsleep);
  }
  a_.lea(rax, ptr(kBase, static_cast<std::int32_t>(setting_.entry) + to_.most));
  a_.cmp(rax, field(offsetof(TurnFrame, horizon)));
  fail(CondCode::kAE);
  if (from_.readyMost > from_.exit.cycles) {  // address generation is still under way
    a_.lea(rax, ptr(kAsleep, from_.readyMost - from_.exit.cycles));
    a_.cmp(kBase, rax);
    fail(CondCode::kB);
  }
  if (s.emptied) {
    if (s.transferred) {
      a_.cmp(r8, rbp);
      fail(CondCode::kA);
    } else {
      a_.cmp(r8, kBase);
      fail(CondCode::kA);
    }
  }
  if (s.transferred) {
    if (s.by != Slept::Woken::Transfer) {
      a_.cmp(rbp, kBase);
      fail(CondCode::kA);
    }
    cycleOf(rdi, r9, 0);
    emptyMoved_ = true;
  }
  if (s.emptiedAfter) {
    a_.cmp(rdi, kBase);
    fail(CondCode::kA);
  }
  if (s.arrived != 0 && s.by != Slept::Woken::Arrival) {
    a_.cmp(word(0, true), kBase);
    fail(CondCode::kA);
  }
  a_.add(kBase, static_cast<std::int32_t>(setting_.entry));
  arrivals_ = s.arrived;
  demandQuiet(-static_cast<std::int32_t>(setting_.entry));
}

bool TurnWriter::pending(Event event) const {
  return event == kArrival || (event == kTransfer ? port_.transfer : port_.empty);
}

void TurnWriter::demandQuiet(std::int32_t at) {
  for (const Event e : {kTransfer, kEmpty, kArrival}) notAfter(e, at);
}
void TurnWriter::notAfter(Event event, std::int32_t at) {
  if (pending(event)) quiet_[event] = at;
}

/// What was demanded of it so far; the latest demand holds the ones before.
void TurnWriter::ask(Event event) {
  if (!quiet_[event]) return;
  if (limit_ != quiet_[event]) a_.lea(rax, ptr(kBase, *quiet_[event]));
  limit_ = quiet_[event];
  if (event == kArrival) {
    a_.cmp(word(arrivals_, true), rax);
  } else if (event == kTransfer) {
    a_.cmp(transferMoved_ ? rsi : rbp, rax);
  } else {
    a_.cmp(emptyMoved_ ? rdi : r8, rax);
  }
  fail(CondCode::kBE);
  quiet_[event].reset();
}

void TurnWriter::askAll() {
  limit_.reset();
  for (const Event e : {kTransfer, kEmpty, kArrival}) ask(e);
}

/// An operation of the port; the same in the same order as Wave::apply.
bool TurnWriter::happening(const Operation& op) {
  const Gp transfer = transferMoved_ ? rsi : rbp;
  const Gp empty = emptyMoved_ ? rdi : r8;
  limit_.reset();
  const auto by = [&](Event event) {
    ask(event);
    a_.lea(rax, ptr(kBase, op.at));
  };
  switch (op.code) {
    case Code::Quiet:
      demandQuiet(op.at);
      return true;
    case Code::Empty:
      if (!port_.empty) return false;
      by(kEmpty);
      a_.cmp(empty, rax);
      fail(CondCode::kA);
      if (port_.transfer) {
        a_.cmp(empty, transfer);
        fail(CondCode::kA);
      }
      port_.empty = false;
      return true;
    case Code::Transfer:
      if (!port_.transfer || port_.empty) return false;
      by(kTransfer);
      a_.cmp(transfer, rax);
      fail(CondCode::kA);
      port_.transfer = false;
      port_.empty = true;
      cycleOf(rdi, lastMoved_ ? r11 : r9, 0);
      emptyMoved_ = true;
      return true;
    case Code::Arrive:
      by(kArrival);
      a_.cmp(word(arrivals_++, true), rax);
      fail(CondCode::kA);
      notAfter(kTransfer, op.at);
      notAfter(kEmpty, op.at);
      return arrivals_ <= kMostArrivals;
    default:
      if (port_.transfer) return false;
      send(op);
      return true;
  }
}

/// rdx / d.
void TurnWriter::divide(const Gp& to, const Divisor& by, std::size_t magic) {
  if (by.magic != 0) {
    a_.mulx(to, to, field(magic));
  } else {
    a_.mov(to, rdx);
  }
  if (by.shift != 0) a_.shr(to, by.shift);
}

/// First cycle at or after the edge `more` behind `edge`.
void TurnWriter::cycleOf(const Gp& to, const Gp& edge, std::int32_t more) {
  const auto cycles = static_cast<std::int32_t>(setting_.cycles);
  a_.imul(rdx, edge, cycles);
  a_.add(rdx, more * cycles + static_cast<std::int32_t>(setting_.edges) - 1);
  divide(to, byEdges_, offsetof(TurnFrame, cycleMagic));
}

/// As QuickSerial::write.
void TurnWriter::send(const Operation& op) {
  const auto edges = static_cast<std::int32_t>(setting_.edges);
  const auto cycles = static_cast<std::int32_t>(setting_.cycles);
  const Gp last = lastMoved_ ? r11 : r9;
  // The first edge at or after base + at + 1.
  const std::int64_t more = std::int64_t{op.at + 1} * edges + cycles - 1;
  if (more <= std::numeric_limits<std::int32_t>::max()) {
    a_.imul(rdx, kBase, edges);
    a_.add(rdx, more);
  } else {
    a_.lea(rdx, ptr(kBase, op.at + 1));
    a_.imul(rdx, rdx, edges);
    a_.add(rdx, cycles - 1);
  }
  divide(rax, byCycles_, offsetof(TurnFrame, edgeMagic));
  a_.cmp(rax, last);
  a_.cmovb(rax, last);
  a_.lea(r11, ptr(rax, kWordBits));
  cycleOf(rsi, rax, 0);
  cycleOf(rax, rax, kWordBits + kSerialExtraBits);
  const auto at = static_cast<std::int32_t>(sent_++ * sizeof(SerialWord));
  a_.mov(Mem(kOut, at + static_cast<std::int32_t>(offsetof(SerialWord, arrival)), 8), rax);
  fetch(ecx, operand(op.b, op));
  a_.mov(Mem(kOut, at + static_cast<std::int32_t>(offsetof(SerialWord, word)), 4), ecx);
  transferMoved_ = lastMoved_ = true;
  port_.transfer = true;
}

/// Behind the last guard.
void TurnWriter::commitTimes() {
  if (port_.transfer) {
    if (transferMoved_) a_.mov(rbp, rsi);
  } else if (from_.transferring) {
    a_.mov(rbp, -1);
  }
  if (port_.empty) {
    if (emptyMoved_) a_.mov(r8, rdi);
  } else if (from_.emptying) {
    a_.mov(r8, -1);
  }
  if (lastMoved_) a_.mov(r9, r11);
  a_.lea(kAsleep, ptr(kBase, to_.exit.cycles));
  const auto words = [](std::uint32_t n) {
    return static_cast<std::int32_t>(n * sizeof(SerialWord));
  };
  if (arrivals_ != 0) a_.add(kIn, words(arrivals_));
  if (sent_ != 0) a_.add(kOut, words(sent_));
  a_.inc(field(offsetof(TurnFrame, uses) + 8 * std::size_t{passage_.number}));
  if (passage_.fromPlace != passage_.toPlace) {
    a_.mov(field(offsetof(TurnFrame, place), 4), passage_.toPlace);
  }
  a_.jmp(field(offsetof(TurnFrame, heads) + 8 * std::size_t{passage_.toPlace}));
}

void TurnWriter::failures() {
  takeBack();
  a_.jmp(field(offsetof(TurnFrame, nexts) + 8 * std::size_t{passage_.number}));
}

/// A guard has failed after so many stores.
void TurnWriter::takeBack() {
  for (unsigned n = stores_; n > 0; --n) {
    a_.bind(failures_[n]);
    const std::size_t undo = offsetof(TurnFrame, undo) + (n - 1) * sizeof(TurnFrame::Undo);
    a_.mov(ecx, field(undo + offsetof(TurnFrame::Undo, word), 4));
    if (undo_[n - 1]) {
      a_.mov(memory({Where::Kind::Ram, *undo_[n - 1]}), ecx);
    } else {
      a_.mov(eax, field(undo + offsetof(TurnFrame::Undo, offset), 4));
      a_.mov(Mem(r15, rax, 2, 0, 4), ecx);
    }
  }
  a_.bind(failures_[0]);
}

}  // namespace rtvp::c32::blocks
