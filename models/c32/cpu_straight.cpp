// The scalar engine's fast path: sequences (cpu_sequence.hpp) in the internal RAM. Between
// instructions that compute, move data and go on to the next one nothing has to be looked at;
// whatever else may happen to such an instruction begins with an access outside the RAM, and there
// it says so (depart). Then it is one like any other, and once it is over the sequence goes on,
// later perhaps than it was planned (rejoin). Everything rare is the run loop's business (cpu.cpp),
// which does the same step by step.
//
// Invariants: a sequence begins only if no event, interrupt, horizon or stop place comes before its
// last instruction begins, and no address group keeps it waiting in a way that was not planned; an
// access outside the RAM and a store into code leave it first; and wherever it is left, at a mark,
// PC, cycles, counters and what is under way are those of the run loop. The loop is the plain twin:
// it alone runs with an observer (Cpu::setObserver), Timing::Static or Timing::Pipeline.
#include <algorithm>
#include <bit>

#include "models/c32/cpu_execute.hpp"

namespace rtvp::c32 {

/// The sequence at pc_, if it can be executed to its end before somebody must look around.
const Sequence* Cpu::sequenceHere(std::uint64_t left) {
  const std::uint32_t offset = pc_ - kRamBase;
  if (offset >= kRamWords) return nullptr;
  std::uint32_t limit = Sequence::kMost;
  if (repeatEnd_ != ~0u) [[unlikely]]
    limit = std::min(repeatEnd_ - pc_ + 1, Sequence::kMost - 1);
  if (stops_ != nullptr) [[unlikely]] {
    if (stopsHere()) return nullptr;
    limit = std::min(limit, stops_->ahead(offset));
  }
  const Sequence* s = sequenceOf(offset, limit);
  if (s == nullptr || s->steps() == 0 || s->instructions > left) return nullptr;
  base_ = cycle_;
  if (std::max({groupReady_[0], groupReady_[1], groupReady_[2]}) > cycle_) {
    base_ = std::max(cycle_, readyFor(s->ops.front().uses));
    for (unsigned g = 0; g < 3; ++g) {
      if (groupReady_[g] > base_ + s->firstUse[g]) return nullptr;
    }
  }
  return base_ + s->lastStart < attentionAt_ ? s : cutSequence(*s, offset);
}

/// At RAM `offset` and flow_.delaySlots, with at most `limit` instructions; null if there is none.
const Sequence* Cpu::sequenceOf(std::uint32_t offset, std::uint32_t limit) {
  const Sequence* s = sequences_.at(offset, flow_.delaySlots);
  while (s != nullptr &&
         !((known_[s->number / 64] >> s->number % 64 & 1u) != 0 && s->serves(limit))) {
    s = s->alike;
  }
  return s != nullptr ? s : findSequence(offset, limit);
}

/// The begin of `s`, as far as there is time: half of what is left and half of that, so that few
/// lengths are enough.
const Sequence* Cpu::cutSequence(const Sequence& s, std::uint32_t offset) {
  if (attentionAt_ <= base_ + 1 || s.steps() < 3) return nullptr;
  const Cycle room = std::min<Cycle>(attentionAt_ - base_, s.steps() - 1);
  for (auto limit = std::bit_floor(static_cast<std::uint32_t>(room)); limit > 1; limit /= 2) {
    const Sequence* const part = sequenceOf(offset, limit);
    if (part == nullptr) return nullptr;
    if (base_ + part->lastStart < attentionAt_) return part;
  }
  return nullptr;
}

/// A later change of its words is noticed.
const Sequence* Cpu::findSequence(std::uint32_t offset, std::uint32_t limit) {
  const Sequence* const found =
      sequences_.find({offset, flow_.delaySlots, limit, config_.arReadStall}, ram_, *pool_);
  if (found == nullptr || !watchCode(offset)) return nullptr;
  for (std::size_t i = 0; i < found->steps(); ++i) {
    if (!watchCode(found->ops[i].pc - kRamBase)) return nullptr;
  }
  known_[found->number / 64] |= std::uint64_t{1} << found->number % 64;
  return found;
}

/// Sequence after sequence from pc_ on. Adjusts `left`.
Cpu::Ran Cpu::straight(std::uint64_t& left) {
  // An instruction that was held up and has nothing to remember begins a sequence like any other.
  if (accessCount_ != 0 || flow_.slowClock != 0 || single_) return Ran::Nothing;
  Ran ran = Ran::Nothing;
  while (const Sequence* const s = sequenceHere(left)) {
    const std::uint32_t blockEnd = repeatEnd_;
    const Cycle conflict = base_ - cycle_;
    sequence_ = s;
    straight_ = true;
    stale_ = false;
    openBus(base_);
    const MicroOp* op = s->ops.data();
    bool done = true;
    std::uint32_t accounted = 0;  // steps before this one
    for (;;) {
      done = op->execute(*this, *op);
      op = stopped_;
      if (!departed_ || !done) break;
      const bool on = rejoin(*op);
      if (account_ != nullptr) [[unlikely]] {
        accountDeparted(*s, *op, accounted, conflict);
        accounted = static_cast<std::uint32_t>(op - s->ops.data()) + 1;
      }
      if (!on) break;
      ++op;
    }
    straight_ = false;
    closeBus();
    const auto over = static_cast<std::uint32_t>(op - s->ops.data()) + (departed_ && done ? 1 : 0);
    const Sequence::Mark& mark = s->marks[over];
    left -= mark.instructions;
    if (over != 0) stats_.registerConflict += conflict + mark.conflict;
    if (account_ != nullptr) [[unlikely]] {
      account_->sequence(*s, accounted, over, accounted == 0 ? conflict : 0);
      account_->settleConflict(stats_);
    }
    if (!mark.clean) {
      for (unsigned g = 0; g < 3; ++g) {
        if (mark.ready[g] != 0) groupReady_[g] = std::max(groupReady_[g], base_ + mark.ready[g]);
      }
    }
    flow_.delaySlots = mark.slots;
    if (!done) {
      departed_ = false;
      abandon(op->word);
      return Ran::Stopped;
    }
    if (flow_.restarting != 0) finishRestart();
    finishSequence(*s, over, blockEnd);
    ran = Ran::Some;
    if (accelerator_ != nullptr) break;  // it is faster, if it can go on
  }
  return ran;
}

/// Steps `from` on up to this one went as planned, this one did not.
void Cpu::accountDeparted(const Sequence& s, const MicroOp& op, std::uint32_t from,
                          Cycle conflict) {
  const auto step = static_cast<std::uint32_t>(&op - s.ops.data());
  account_->sequence(s, from, step, from == 0 ? conflict : 0);
  const Sequence::Mark& before = s.marks[step];
  const Sequence::Mark& after = s.marks[step + 1];
  // Conflicts come into the statistics when the whole sequence is over.
  Cycle own = static_cast<Cycle>(after.conflict - before.conflict);
  if (step == 0) own += conflict;
  account_->charge(op.pc, static_cast<std::uint64_t>(after.instructions - before.instructions),
                   end_ - cycle_ - own, stats_);
  CycleAccount::stall(account_->at(op.pc), StallCause::RegisterConflict) += own;
}

/// The last of `over` steps is over: time, repeat block, delay slots, in the order of the run loop.
void Cpu::finishSequence(const Sequence& s, std::uint32_t over, std::uint32_t blockEnd) {
  if (departed_) {
    departed_ = false;
    cycle_ = end_;
  } else {
    cycle_ = base_ + s.marks[over].start;
    pc_ = s.ops[over - 1].pc;
    nextPc_ = (pc_ + 1) & kAddressMask;
  }
  if (pc_ == blockEnd) [[unlikely]]
    repeatBlock();
  if (s.marks[over - 1].slots == 1 && delayTaken_) nextPc_ = delayTarget_;
  pc_ = nextPc_;
}

/// Where and when an instruction of the sequence is.
void Cpu::locate(const MicroOp& op) {
  const std::ptrdiff_t step = &op - sequence_->ops.data();
  pc_ = op.pc;
  exec_ = base_ + op.exec;
  if (step != 0) cycle_ = base_ + sequence_->marks.data()[step].start;  // else it is still there
}

/// The instruction in progress leaves the straight path: from here on it is one like any other.
/// Called before it changes anything.
void Cpu::leaveStraight(const MicroOp& op) {
  closeBus();
  locate(op);
  departed_ = true;
  nextPc_ = (pc_ + 1) & kAddressMask;
  end_ = exec_ + 1;
  undoCount_ = 0;
}

/// An instruction that has left the straight path is over. True: its sequence goes on.
bool Cpu::rejoin(const MicroOp& op) {
  if (flow_.accessIndex != 0) commitAccesses();
  if ((op.special & kLeaves) != 0 || stale_) return false;
  const Sequence::Mark& next = (&op - sequence_->ops.data())[sequence_->marks.data() + 1];
  const Cycle base = end_ - next.start;
  if ((base != base_ && !next.clean) || base + sequence_->lastStart >= attentionAt_) return false;
  base_ = base;
  departed_ = false;
  openBus(end_);
  return true;
}

/// One instruction, whatever follows it in memory.
bool Cpu::executeAlone(const MicroOp& op, MicroOp::Handler handler) {
  alone_[0] = op;
  return handler(*this, alone_[0]);
}

bool Execute::inPlace(Cpu& cpu, const MicroOp& op) {
  cpu.leaveStraight(op);
  const bool done =
      ((op.special & kReadsIof) == 0 || cpu.samplePins(op)) && cpu.executeAlone(op, op.inner);
  cpu.stopped_ = &op;
  return done;
}

/// The same for one that is the last of its sequence: what follows it only ends that.
bool Execute::atEnd(Cpu& cpu, const MicroOp& op) {
  cpu.leaveStraight(op);
  const bool done = ((op.special & kReadsIof) == 0 || cpu.samplePins(op)) && op.inner(cpu, op);
  cpu.stopped_ = &op;
  return done;
}

/// Behind the last slot of a delayed branch: taken, the sequence is left.
bool Execute::fork(Cpu& cpu, const MicroOp& op) {
  if (!cpu.delayTaken_) return next(cpu, op);
  cpu.leaveStraight(op);
  cpu.end_ = cpu.exec_;
  cpu.nextPc_ = cpu.delayTarget_;
  cpu.stopped_ = &op;
  return true;
}

/// From `start` on instructions may have words for nothing, if the bus is free.
void Cpu::openBus(Cycle start) {
  const std::uint32_t limit = busFree_ <= start ? bareEnd_ : 0;
  if (tape_ == nullptr) {
    portLimit_ = limit;
  } else {
    tapeLimit_ = limit;
    tapeFrom_ = tape_->next;
  }
}

/// Settles the account of what they took from the tape.
void Cpu::closeBus() {
  portLimit_ = 0;
  if (tapeLimit_ == 0) return;
  tapeLimit_ = 0;
  if (tape_->next == tapeFrom_) return;
  stats_.externalReads += static_cast<std::uint64_t>(tape_->next - tapeFrom_);
  const BusTape::Entry& last = tape_->next[-1];
  lastWasRead_ = true;
  lastStrobe_ = Strobe::Strb0;
  lastRead_ = last.address;
  busFree_ = last.cycle + 1;
}

/// As readTape(), or from the port. The port's answer may be one that is not for nothing: then it
/// is kept for the way that follows.
bool Cpu::readFree(const MicroOp& op, std::uint32_t address, std::uint32_t& data) {
  if (address >= portLimit_) return readTape(op, address, data);
  locate(op);
  BusRequest request;
  request.address = address;
  request.cycle = exec_;
  request.pc = pc_;
  answer_ = port_.busAccess(request);
  answered_ = true;
  if (answer_.status != BusReply::Status::Done || answer_.start > exec_ ||
      answer_.externalWait != 0 || stale_ || base_ + sequence_->lastStart >= attentionAt_) {
    return false;
  }
  answered_ = false;
  data = answer_.data;
  ++stats_.externalReads;
  lastWasRead_ = true;
  lastStrobe_ = Strobe::Strb0;
  lastRead_ = address;
  busFree_ = exec_ + 1;
  return true;
}

BusReply Cpu::askPort(const BusRequest& request) {
  if (!answered_) return port_.busAccess(request);
  answered_ = false;
  return answer_;
}

/// A data read that is not in the RAM, the only access of its instruction that can be refused.
bool Cpu::readOutside(bool isFloat, std::uint32_t address, std::uint32_t& data) {
  if (address < plainEnd_ && flow_.accessIndex == 0 && accessCount_ == 0) [[likely]] {
    return readPlain(address, isFloat, data);
  }
  return slowRead(BusOp::Read, address, isFloat, data);
}

/// A 32-bit word by STRB0: external() without what only instructions of several accesses, DMA and
/// narrow memory need.
bool Cpu::readPlain(std::uint32_t address, bool isFloat, std::uint32_t& data) {
  const Cycle base = std::max(exec_, busFree_);
  const Cycle wanted = std::max(base, dmaBusFree_);
  if (wanted >= holdFrom_ && wanted < holdUntil_) [[unlikely]] {
    return slowRead(BusOp::Read, address, isFloat, data);
  }
  Cycle start = wanted;
  std::uint32_t externalWait = 0;
  if (tape_ != nullptr && tape_->next != tape_->end && tape_->next->cycle == wanted &&
      tape_->next->address == address) {
    data = tape_->next->data;
    externalWait = tape_->next->waitStates;
    ++tape_->next;
  } else {
    BusRequest request;
    request.address = address;
    request.cycle = wanted;
    request.pc = pc_;
    const BusReply reply = askPort(request);
    if (reply.status != BusReply::Status::Done) [[unlikely]] {
      if (reply.status == BusReply::Status::Error) return raise(Fault::Kind::BusError, address);
      pending_ = {Pending::Kind::Bus, request, wanted};
      stop_ = StopReason::Blocked;
      return false;
    }
    data = reply.data;
    externalWait = reply.externalWait;
    start = std::max(start, reply.start);
  }
  ++stats_.externalReads;
  const BusControl& control = peripherals_.bus(Strobe::Strb0);
  Cycle duration = 1 + control.waits(externalWait);
  if (lastWasRead_ && lastStrobe_ == Strobe::Strb0 && control.crossesBank(lastRead_, address)) {
    duration += config_.bankSwitchCycles;
  }
  lastWasRead_ = true;
  lastStrobe_ = Strobe::Strb0;
  lastRead_ = address;
  busFree_ = start + duration;
  if (busFree_ > end_) chargePlain(base, wanted, start);
  return true;
}

/// As chargeAccess() and commitAccesses() for the one access.
void Cpu::chargePlain(Cycle base, Cycle wanted, Cycle start) {
  Cycle grown = busFree_ - end_;
  const auto take = [&grown](Cycle most) {
    const Cycle part = std::min(grown, most);
    grown -= part;
    return part;
  };
  stats_.held += take(start - wanted);
  stats_.dmaConflict += take(wanted - base);
  stats_.busWait += grown;
  stats_.busWaitBy[static_cast<unsigned>(StallCause::HoldEverything)] += take(base - exec_);
  stats_.busWaitBy[static_cast<unsigned>(StallCause::DataIncomplete)] += grown;
  end_ = busFree_;
}

}  // namespace rtvp::c32
