// The scalar engine's fast path: decoded instructions in the internal RAM. Between those that only
// compute, move data and go on to the next one nothing has to be looked at but address conflicts;
// whatever else may happen to such an instruction begins with an access outside the RAM, and there
// it says so (depart). An instruction that may do more ends the run. Everything rare is the run
// loop's business (cpu.cpp), which does the same step by step.
#include <algorithm>

#include "models/c32/cpu.hpp"

namespace rtvp::c32 {

/// How many instructions may follow each other before somebody must look around: up to the next
/// event (each takes a cycle or more), the last delay slot, the end of a repeat block.
inline std::uint32_t Cpu::straightLength(std::uint64_t left, std::uint32_t pc, Cycle cycle) const {
  std::uint64_t length = std::min(left, attentionAt_ - cycle);
  length = std::min<std::uint64_t>(length, flow_.delaySlots != 0 ? flow_.delaySlots : kRamWords);
  length = std::min(length, std::uint64_t{repeatEnd_ - pc} + 1);
  return static_cast<std::uint32_t>(length);
}

/// What an instruction may not have to be executed without a look at it: address generation may
/// have to wait only for a few cycles after a register of its groups was written.
inline unsigned Cpu::watched(Cycle cycle) const {
  const Cycle ready = std::max({groupReady_[0], groupReady_[1], groupReady_[2]});
  return kStop | kMarks | (ready > cycle ? kAddresses : 0u);
}

/// Run after run from pc_ on, as far as it goes; pc_ is in the RAM. Adjusts `left`.
Cpu::Ran Cpu::straight(std::uint64_t& left) {
  if ((flow_.restarting | flow_.slowClock) != 0 || single_ || cycle_ >= attentionAt_) {
    return Ran::Nothing;
  }
  const MicroOp* const entries = pool_->entries();
  std::uint32_t pc = pc_;
  Cycle cycle = cycle_;
  std::uint64_t still = left;
  bool goesOn = true;
  straight_ = true;
  do {
    const std::uint32_t first = pc;
    const std::uint32_t last = pc + straightLength(still, pc, cycle);
    const unsigned watch = watched(cycle);
    const MicroOp* op = nullptr;
    bool done = true;
    straightTime_ = cycle - pc;
    while (pc != last) {
      op = entries + decoded_[pc - kRamBase];
      if ((op->special & watch) != 0) break;
      pc_ = pc;
      ++pc;
      done = op->execute(*this, *op);
      if (departed_) [[unlikely]]
        break;
    }
    cycle = straightTime_ + pc;
    const std::uint32_t blockEnd = repeatEnd_;
    bool ends = false;
    if (!departed_ && pc != last) {
      const bool slots = flow_.delaySlots != 0;
      goesOn = (op->special & kRare) == 0 && !(slots && (op->special & kControl) != 0) &&
               !conflicts(*op, cycle);
      if (goesOn) {
        ends = (op->special & kStop) != 0;
        pc_ = pc;
        leaveStraight();
        ++pc;
        nextPc_ = pc & kAddressMask;
        done = ((op->special & kReadsIof) == 0 || samplePins()) && op->execute(*this, *op);
      }
    }
    if (departed_) {
      departed_ = false;
      if (!done) {
        straight_ = false;
        const std::uint32_t executed = pc - 1 - first;
        left = still - executed;
        if (flow_.delaySlots != 0) {
          flow_.delaySlots = static_cast<std::uint8_t>(flow_.delaySlots - executed);
        }
        abandon(op->word);
        return Ran::Stopped;
      }
      cycle = end_;
      if ((op->special & kMarks) != 0) markGroups(*op);
    }
    const std::uint32_t executed = pc - first;
    still -= executed;
    if (pc - 1 == blockEnd || ends || (flow_.delaySlots | flow_.accessIndex) != 0) {
      if (executed != 0) pc = finishStraight(executed, ends, pc - 1 == blockEnd);
    }
    goesOn = goesOn && pc - kRamBase < kRamWords && still != 0 && cycle < attentionAt_;
  } while (goesOn);
  straight_ = false;
  const bool some = still != left;
  left = still;
  pc_ = pc;
  cycle_ = cycle;
  return some ? Ran::Some : Ran::Nothing;
}

/// The end of a run of `executed` instructions, pc_ at the last: repeat block, accesses, delay
/// slots, in the order of the run loop. `ends`: the last one has set nextPc_. Returns where it goes
/// on.
std::uint32_t Cpu::finishStraight(std::uint32_t executed, bool ends, bool blockEnd) {
  if (!ends) nextPc_ = (pc_ + 1) & kAddressMask;
  if (blockEnd) repeatBlock();
  if (flow_.accessIndex != 0) commitAccesses();
  if (flow_.delaySlots != 0) {
    // A delayed branch, last of its run, has set four: itself and its slots.
    const std::uint32_t over = flow_.delaySlots == 4 ? 1 : executed;
    flow_.delaySlots = static_cast<std::uint8_t>(flow_.delaySlots - over);
    if (flow_.delaySlots == 0 && delayTaken_) nextPc_ = delayTarget_;
  }
  return nextPc_;
}

/// The instruction in progress leaves the straight path: from here on it is one like any other.
/// Called before it changes anything.
void Cpu::leaveStraight() {
  departed_ = true;
  exec_ = straightTime_ + pc_;
  cycle_ = exec_;
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
