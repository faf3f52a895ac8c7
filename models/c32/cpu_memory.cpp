// Accesses that leave internal RAM: the external bus with its timing, the peripheral bus, and the
// registers whose writes do more than store.
#include "models/c32/cpu.hpp"

namespace rtvp::c32 {

/// Bus cycles of an access (c32.md 8.4): read 1, write 2, IOSTRB 2, plus waits, plus a bank switch
/// between reads.
Cycle Cpu::accessDuration(const BusRequest& request, const BusReply& reply) {
  const BusControl& control = peripherals_.bus(request.strobe);
  const bool write = request.op == BusOp::Write;
  Cycle duration = (write || request.strobe == Strobe::IoStrb) ? 2 : 1;
  duration += control.waits(reply.externalWait);
  if (!write && lastWasRead_ && lastStrobe_ == request.strobe &&
      control.crossesBank(lastRead_, request.address)) {
    ++duration;
  }
  lastWasRead_ = !write;
  lastStrobe_ = request.strobe;
  lastRead_ = request.address;
  return duration;
}

/// One access on the external bus: at max(now, bus free). The instruction waits for a read; a write
/// is posted, the instruction only waits until the bus has taken it (c32.md 7.5). False: blocked or
/// faulted.
bool Cpu::external(BusOp op, Strobe strobe, std::uint32_t address, std::uint32_t& data) {
  if (flow_.accessIndex == 0) {
    busFreeAtStart_ = busFree_;
    accessWait_ = accessHeld_ = 0;
  }
  const bool write = op == BusOp::Write;
  if (flow_.accessIndex == accessCount_) {
    const BusRequest request{op, strobe, address, data, std::max(exec_, busFree_), pc_};
    const BusReply reply = port_.busAccess(request);
    if (reply.status == BusReply::Status::Blocked) {
      pending_ = {Pending::Kind::Bus, request, request.cycle};
      stop_ = StopReason::Blocked;
      return false;
    }
    if (reply.status == BusReply::Status::Error) return raise(Fault::Kind::BusError, address);
    completed_[accessCount_++] = {reply.data, request.cycle, std::max(reply.start, request.cycle),
                                  config_.flatMemory ? 0 : accessDuration(request, reply)};
    if (op == BusOp::Fetch) {
      ++stats_.externalFetches;
    } else if (write) {
      ++stats_.externalWrites;
    } else {
      ++stats_.externalReads;
    }
  }
  const Completed& done = completed_[flow_.accessIndex++];
  data = write ? data : done.data;
  if (config_.flatMemory) return true;
  busFree_ = done.start + done.duration;
  const Cycle until = write ? done.start : busFree_;
  if (until > end_) {
    const Cycle grown = until - end_;
    const Cycle held = std::min(grown, done.start - done.wanted);
    accessHeld_ += held;
    accessWait_ += grown - held;
    end_ = until;
  }
  return true;
}

/// True if this access was completed in an earlier attempt at the instruction.
bool Cpu::replay(std::uint32_t& data) {
  if (flow_.accessIndex == 0) {
    busFreeAtStart_ = busFree_;
    accessWait_ = accessHeld_ = 0;
  }
  if (flow_.accessIndex == accessCount_) return false;
  data = completed_[flow_.accessIndex++].data;
  return true;
}

void Cpu::record(std::uint32_t data) {
  completed_[accessCount_++] = {data, exec_, exec_, 0};
  ++flow_.accessIndex;
}

bool Cpu::slowRead(BusOp op, std::uint32_t address, bool isFloat, std::uint32_t& data) {
  if (config_.flatMemory) return external(op, Strobe::Strb0, address, data);
  const Place place = placeOf(address, config_.microprocessorMode);
  switch (place.region) {
    case Region::InternalRam:
      data = ram_[address - kRamBase];
      return true;
    case Region::Peripheral:
      if (!replay(data)) {
        advancePeripherals(exec_);
        std::uint32_t flags = 0;
        data = peripherals_.read(address, exec_, flags);
        record(data);
        raiseInterruptFlags(flags);
      }
      return true;
    case Region::External: {
      if (!external(op, place.strobe, address, data)) return false;
      if (place.strobe == Strobe::IoStrb) return true;
      const BusControl& control = peripherals_.bus(place.strobe);
      if (control.dataSize() == 3) return true;
      // Short data: floats fill from the top, integers from the bottom (c32.md 2.5).
      const unsigned shift = control.dataSize() == 0 ? 24 : 16;
      data <<= shift;
      if (isFloat) return true;
      data = control.zeroFill() ? data >> shift
                                : static_cast<std::uint32_t>(static_cast<std::int32_t>(data) >>
                                                             static_cast<int>(shift));
      return true;
    }
    default:
      return raise(Fault::Kind::BusError, address);
  }
}

bool Cpu::slowWrite(std::uint32_t address, bool isFloat, std::uint32_t data) {
  if (config_.flatMemory) return external(BusOp::Write, Strobe::Strb0, address, data);
  const Place place = placeOf(address, config_.microprocessorMode);
  std::uint32_t ignored = 0;
  switch (place.region) {
    case Region::Peripheral:
      if (!replay(ignored)) {
        advancePeripherals(exec_);
        peripherals_.write(address, data, exec_, port_);
        record(0);
        updateAttention();
      }
      return true;
    case Region::External: {
      const BusControl& control = peripherals_.bus(place.strobe);
      if (place.strobe != Strobe::IoStrb && control.dataSize() != 3) {
        const unsigned shift = control.dataSize() == 0 ? 24 : 16;
        data = isFloat ? data >> shift : data & ((1u << (32 - shift)) - 1u);
      }
      return external(BusOp::Write, place.strobe, address, data);
    }
    default:
      return raise(Fault::Kind::BusError, address);
  }
}

void Cpu::updateRepeatEnd() {
  repeatEnd_ = (reg_[reg::ST] & kRM) != 0 ? reg_[reg::RE] & kAddressMask : ~0u;
}

void Cpu::writeSpecial(unsigned number, std::uint32_t value) {
  switch (number) {
    case reg::ST: {
      std::uint32_t st = (value & kStWritable & ~kCC) | (reg_[reg::ST] & kPRGW);
      // c32.md 1.2: RM cannot be set while RC is 0 or -1.
      if ((st & kRM) != 0 && reg_[reg::RC] + 1u <= 1u) st &= ~kRM;
      reg_[reg::ST] = st;
      integerMode_.saturate = (st & kOVM) != 0;
      updateRepeatEnd();
      updateAttention();
      break;
    }
    case reg::IE:
      reg_[reg::IE] = value & kIeWritable;
      updateAttention();
      break;
    case reg::IF:
      reg_[reg::IF] = value & kIfWritable;
      // A level-triggered input sets its flag again while the pin is low (c32.md 1.4).
      if ((reg_[reg::ST] & kINTCONFIG) == 0) reg_[reg::IF] |= lines_;
      updateAttention();
      break;
    case reg::IOF:
      writeIof(value);
      break;
    case reg::RE:
      reg_[reg::RE] = value;
      updateRepeatEnd();
      break;
    default:
      reg_[number] = value;
      break;
  }
}

void Cpu::writeIof(std::uint32_t value) {
  const std::uint32_t iof = (value & kIofWritable) | (reg_[reg::IOF] & kIofPins);
  reg_[reg::IOF] = iof;
  const auto drive = [iof](unsigned direction, unsigned level) {
    if ((iof >> direction & 1u) == 0) return Drive::Released;
    return (iof >> level & 1u) != 0 ? Drive::High : Drive::Low;
  };
  const Drive xf0 = drive(1, 2);
  const Drive xf1 = drive(5, 6);
  if (xf0 == xf0_ && xf1 == xf1_) return;
  xf0_ = xf0;
  xf1_ = xf1;
  port_.pinsDriven(xf0, xf1, exec_);
}

}  // namespace rtvp::c32
