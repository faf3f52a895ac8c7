// The scalar engine's fast path: instructions in the internal RAM that only compute, move data and
// go on to the next one. Nothing has to be looked at between them but address conflicts; whatever
// else may happen to such an instruction begins with an access outside the RAM, and there it says
// so (depart). Everything else is the run loop's business (cpu.cpp), which does the same step by
// step.
#include <algorithm>

#include "models/c32/cpu.hpp"

namespace rtvp::c32 {

/// How many instructions may follow each other before the run loop must look around: up to its next
/// event (each takes a cycle or more), the last delay slot, the end of a repeat block.
std::uint64_t Cpu::straightLength(std::uint64_t left) const {
  if ((flow_.restarting | flow_.slowClock) != 0 || single_ || cycle_ >= attentionAt_) return 0;
  std::uint64_t length = std::min<std::uint64_t>(left, attentionAt_ - cycle_);
  if (flow_.delaySlots != 0) length = std::min<std::uint64_t>(length, flow_.delaySlots);
  length = std::min(length, std::uint64_t{repeatEnd_ - pc_} + 1);
  return std::min<std::uint64_t>(length, kRamWords);
}

/// Runs from pc_, which is in the RAM, as far as it goes straight. Adjusts `left`.
Cpu::Ran Cpu::straight(std::uint64_t& left) {
  const std::uint64_t length = straightLength(left);
  if (length == 0) return Ran::Nothing;
  const MicroOp* const entries = pool_->entries();
  const std::uint32_t first = pc_;
  std::uint32_t pc = first;
  std::uint32_t last = first + static_cast<std::uint32_t>(length);
  Cycle cycle = cycle_;
  straight_ = true;
  bool done = true;
  while (pc != last) {
    const MicroOp& op = entries[decoded_[pc - kRamBase]];
    if ((op.special & kStop) != 0) break;
    if ((op.special & kAddresses) != 0 && readyFor(op.uses) > cycle) [[unlikely]]
      break;
    pc_ = pc;
    exec_ = cycle;
    done = op.execute(*this, op);
    ++cycle;
    if (departed_) [[unlikely]] {
      departed_ = false;
      if (!done) break;
      cycle = end_;
      last = std::min(last, pc + 1 + roomAt(cycle));
    }
    ++pc;
    if ((op.special & kMarks) != 0) markGroups(op);
  }
  straight_ = false;
  const std::uint32_t executed = pc - first;
  left -= executed;
  if (!done) {
    flow_.delaySlots =
        static_cast<std::uint8_t>(flow_.delaySlots - (flow_.delaySlots != 0 ? executed : 0));
    cycle_ = exec_;
    abandon(decodedAt(pc - kRamBase)->word);
    return Ran::Stopped;
  }
  if (executed == 0) return Ran::Nothing;
  cycle_ = cycle;
  finishStraight(executed);
  return Ran::Some;
}

/// After an access outside: how far it may go on without a look around.
std::uint32_t Cpu::roomAt(Cycle cycle) const {
  if (flow_.accessIndex != 0 || cycle >= attentionAt_) return 0;
  return static_cast<std::uint32_t>(std::min<Cycle>(attentionAt_ - cycle, kRamWords));
}

/// The end of a run, pc_ at its last instruction: accesses, repeat block, delay slots, in the order
/// of the run loop.
void Cpu::finishStraight(std::uint32_t executed) {
  nextPc_ = (pc_ + 1) & kAddressMask;
  if (pc_ == repeatEnd_) repeatBlock();
  if (flow_.accessIndex != 0) commitAccesses();
  if (flow_.delaySlots != 0) {
    flow_.delaySlots = static_cast<std::uint8_t>(flow_.delaySlots - executed);
    if (flow_.delaySlots == 0 && delayTaken_) nextPc_ = delayTarget_;
  }
  pc_ = nextPc_;
}

/// The instruction in progress leaves the straight path: from here on it is one like any other.
/// Called before it changes anything.
void Cpu::depart() {
  if (!straight_) return;
  departed_ = true;
  end_ = exec_ + 1;
  undoCount_ = 0;
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
    const BusReply reply = port_.busAccess(request);
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
