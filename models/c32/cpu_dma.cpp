// DMA's accesses and the HOLD pin: the processor's side of cycle stealing (c32.md 8.7, 9.3).
//
// An access that gives way to the program is decided one cycle after it could start: by then the
// program has taken what it wanted of that cycle. One with priority is decided at once, and the
// program finds bus or RAM port taken.
#include <algorithm>

#include "models/c32/boot_rom.hpp"
#include "models/c32/cpu.hpp"

namespace rtvp::c32 {

/// One access of the channel whose turn it is at `at`. False: the port refused it, or it failed.
bool Cpu::dmaStep(Cycle at) {
  const Dma::Turn turn = peripherals_.dma().next();
  if (turn.start == kNever) return true;
  const Place place = placeAt(turn.address);
  std::uint32_t data = turn.data;
  switch (place.region) {
    case Region::InternalRam: {
      if (!dmaPortFree(turn, onChipRam(config_.chip).blockOf(turn.address))) return true;
      if (turn.write) {
        setInternalWord(turn.address, data);
      } else {
        data = internalWord(turn.address);
      }
      break;
    }
    case Region::BootRom:
      if (turn.write) return dmaFault(turn);
      data = romWord(turn.address);
      break;
    case Region::Peripheral: {
      peripherals_.settle(turn.start);
      Peripherals::Access access{turn.start, port_, reg_[reg::IF], reg_[reg::IE], 0};
      if (turn.write) {
        peripherals_.write(turn.address, data, access);
        updateHold(turn.start);
      } else {
        data = peripherals_.read(turn.address, access);
      }
      dmaDone(turn, data, turn.start + clockDivider_);
      raiseInterruptFlags(access.raised, at);
      return true;
    }
    case Region::External:
      return dmaExternal(turn, place.strobe, at);
    default:
      return dmaFault(turn);
  }
  dmaDone(turn, data, turn.start + clockDivider_);
  return true;
}

/// A RAM block has two ports; the program's use of them is known only with Timing::Pipeline.
bool Cpu::dmaPortFree(const Dma::Turn& turn, unsigned block) {
  if (turn.yields && portsFull_[block] == turn.start + 1) {
    peripherals_.dma().refused(turn, turn.start + 1);
    updateAttention();
    return false;
  }
  dmaPort_[block] = turn.start + 1;
  return true;
}

void Cpu::dmaDone(const Dma::Turn& turn, std::uint32_t data, Cycle until) {
  ++(turn.write ? stats_.dmaWrites : stats_.dmaReads);
  if (pending_.kind == Pending::Kind::Bus && pending_.request.master != BusMaster::Cpu)
    pending_ = {};
  if (observer_ != nullptr) {
    observer_->dmaAccess(turn.channel, {turn.address, data, turn.write}, turn.start);
  }
  peripherals_.dma().done(turn, data, until);
  raiseInterruptFlags(0, until);
}

bool Cpu::dmaFault(const Dma::Turn& turn) {
  raise(Fault::Kind::BusError, turn.address);
  fault_.master = turn.channel == 0 ? BusMaster::Dma0 : BusMaster::Dma1;
  describeFault(0);
  return false;
}

bool Cpu::dmaExternal(const Dma::Turn& turn, Strobe strobe, Cycle at) {
  Cycle start = std::max({turn.start, busFree_, dmaBusFree_});
  if (dmaPart_ == 0) {
    if (start >= holdFrom_ && start < holdUntil_) {
      if (holding_) {  // until HOLD ends
        dmaHeld_ = true;
        updateAttention();
        return true;
      }
      start = holdUntil_;
    }
    if (start + (turn.yields ? 1 : 0) > at) {
      peripherals_.dma().refused(turn, start);
      updateAttention();
      return true;
    }
    dmaData_ = 0;
  }
  return dmaBus(turn, strobe, start);
}

/// The bus cycles of DMA's access; those done before the port refused one are not repeated. Words
/// are moved as integers (c32.md 2.5).
bool Cpu::dmaBus(const Dma::Turn& turn, Strobe strobe, Cycle start) {
  const BusControl& control = peripherals_.bus(strobe);
  const bool plain = strobe == Strobe::IoStrb || control.plain();
  const unsigned dataBits = plain ? 32 : control.dataBits();
  const unsigned memoryBits = plain ? 32 : control.memoryBits();
  for (; dmaPart_ < busCycles(dataBits, memoryBits); ++dmaPart_) {
    const BusCycle cycle = busCycle(dataBits, memoryBits, turn.address, dmaPart_);
    const std::uint32_t mask = cycle.bits == 32 ? ~0u : (1u << cycle.bits) - 1u;
    BusRequest request;
    request.op = turn.write ? BusOp::Write : BusOp::Read;
    request.strobe = strobe;
    request.address = cycle.address;
    request.data = turn.write ? (turn.data >> cycle.shift & mask) << cycle.lane : 0;
    request.cycle = std::max(start, dmaBusFree_);
    request.pc = pc_;
    request.master = turn.channel == 0 ? BusMaster::Dma0 : BusMaster::Dma1;
    request.width = static_cast<std::uint8_t>(memoryBits);
    request.byteEnable = cycle.byteEnable;
    const BusReply reply = port_.busAccess(request);
    if (reply.status == BusReply::Status::Blocked) {
      pending_ = {Pending::Kind::Bus, request, request.cycle};
      stop_ = StopReason::Blocked;
      return false;
    }
    if (reply.status == BusReply::Status::Error) return dmaFault(turn);
    const Cycle granted = std::max(reply.start, request.cycle);
    dmaBusFree_ = granted + accessDuration(request, reply) * clockDivider_;
    dmaData_ |= (reply.data >> cycle.lane & mask) << cycle.shift;
  }
  dmaPart_ = 0;
  std::uint32_t data = turn.write ? turn.data : dmaData_;
  if (!turn.write && dataBits != 32 && control.signBit() != config_.zeroFillIsOne) {
    const int shift = static_cast<int>(32 - dataBits);
    data = static_cast<std::uint32_t>(static_cast<std::int32_t>(data << shift) >> shift);
  }
  dmaDone(turn, data, dmaBusFree_);
  return true;
}

void Cpu::setHold(bool asserted, Cycle when) {
  holdPin_ = asserted;
  updateHold(when);
}

/// HOLD unless NOHOLD, or HIZ: gives the bus away when the running cycle is over, or takes it back.
void Cpu::updateHold(Cycle when) {
  const BusControl& control = peripherals_.bus(Strobe::Strb0);
  const bool wanted = (holdPin_ && !control.noHold()) || control.softwareHold();
  if (wanted == holding_) return;
  holding_ = wanted;
  if (wanted) {
    holdFrom_ = std::max({std::max(when, cycle_) + config_.holdCycles, busFree_, dmaBusFree_});
    holdUntil_ = kNever;
    port_.holdAcknowledged(true, holdFrom_);
  } else {
    holdUntil_ = std::max(when, holdFrom_);
    dmaHeld_ = false;
    port_.holdAcknowledged(false, holdUntil_);
  }
  peripherals_.setHoldStatus(holding_);
  updateAttention();
}

}  // namespace rtvp::c32
