// Accesses that leave internal RAM: the external bus with its timing, the peripheral bus, and the
// registers whose writes do more than store.
#include <algorithm>

#include "models/c32/boot_rom.hpp"
#include "models/c32/cpu.hpp"

namespace rtvp::c32 {

/// What an address selects on this processor; STRB0 may be configured to cover STRB1's space.
Place Cpu::placeAt(std::uint32_t address) const {
  Place place = placeOf(config_.chip, address, config_.microprocessorMode);
  if (place.region == Region::External && place.strobe == Strobe::Strb1 &&
      peripherals_.bus(Strobe::Strb0).coversStrobe1()) {
    place.strobe = Strobe::Strb0;
  }
  return place;
}

std::uint32_t Cpu::romWord(std::uint32_t address) const {
  return config_.chip == Chip::C31 ? bootRomC31()[address] : bootRom()[address];
}

void Cpu::setInternalWord(std::uint32_t address, std::uint32_t word) {
  if (wideRam_.empty()) return storeInternal(address - kRamBase, word);
  const std::uint32_t offset = address - onChipRam(config_.chip).base;
  wideRam_[offset] = word;
  wideKnown_[offset] = true;
}

/// Three accesses of an instruction, its fetch included, in one block of two ports.
bool Cpu::threeInOnChipBlock(std::uint32_t a, std::uint32_t b) const {
  const OnChipRam ram = onChipRam(config_.chip);
  return ram.contains(a) && ram.contains(b) && ram.contains(pc_) && !single_ &&
         ram.blockOf(a) == ram.blockOf(b) && ram.blockOf(b) == ram.blockOf(pc_);
}

/// Bus cycles of an access (c32.md 8.4): read 1, write 2, IOSTRB 2, plus waits, plus a bank switch
/// between reads.
Cycle Cpu::accessDuration(const BusRequest& request, const BusReply& reply) {
  const BusControl& control = peripherals_.bus(request.strobe);
  const bool write = request.op == BusOp::Write;
  Cycle duration = write ? config_.externalWriteCycles : 1;
  if (request.strobe == Strobe::IoStrb) duration = config_.ioStrobeCycles;
  duration += control.waits(reply.externalWait);
  if (!write && lastWasRead_ && lastStrobe_ == request.strobe &&
      control.crossesBank(lastRead_, request.address)) {
    duration += config_.bankSwitchCycles;
  }
  lastWasRead_ = !write;
  lastStrobe_ = request.strobe;
  lastRead_ = request.address;
  return duration;
}

/// One access on the external bus: at max(now, bus free). The instruction waits for a read; a write
/// is posted, the instruction only waits until the bus has taken it (c32.md 7.5). False: blocked or
/// faulted.
bool Cpu::external(BusRequest request, std::uint32_t& data) {
  if (flow_.accessIndex == 0) {
    busFreeAtStart_ = busFree_;
    accessWait_ = {};
    accessHeld_ = accessDma_ = 0;
  }
  const bool write = request.op == BusOp::Write;
  if (flow_.accessIndex == accessCount_) {
    const Cycle base = std::max(exec_, busFree_);
    // DMA may take the bus up to here; once, so that the program gets its turn.
    if (peripherals_.dma().active() && !advancePeripherals(base)) return false;
    const Cycle wanted = std::max(base, dmaBusFree_);
    request.data = data;
    request.pc = pc_;
    request.cycle = wanted;
    if (wanted >= holdFrom_ && wanted < holdUntil_) [[unlikely]] {
      if (holding_) {
        pending_ = {Pending::Kind::Hold, request, wanted};
        stop_ = StopReason::Blocked;
        return false;
      }
      request.cycle = holdUntil_;
    }
    const BusReply reply = askPort(request);
    if (reply.status == BusReply::Status::Blocked) {
      pending_ = {Pending::Kind::Bus, request, request.cycle};
      stop_ = StopReason::Blocked;
      return false;
    }
    if (reply.status == BusReply::Status::Error) {
      return raise(Fault::Kind::BusError, request.address);
    }
    if (reply.neverWritten && config_.trapUninitialised && !write) {
      return raise(Fault::Kind::UninitialisedRead, request.address);
    }
    completed_[accessCount_++] = {reply.data,
                                  request.op,
                                  true,
                                  base,
                                  wanted,
                                  std::max(reply.start, request.cycle),
                                  config_.flatMemory ? 0 : accessDuration(request, reply)};
    if (request.op == BusOp::Fetch) {
      ++stats_.externalFetches;
    } else if (write) {
      ++stats_.externalWrites;
    } else {
      ++stats_.externalReads;
    }
  }
  const Completed& done = completed_[flow_.accessIndex++];
  if (!write) data = done.data;
  if (!config_.flatMemory) chargeAccess(done);
  return true;
}

/// The instruction waits until a read is over or a write has the bus; why, in order: held by the
/// board, DMA had the bus, the program's own accesses had it, the access itself.
void Cpu::chargeAccess(const Completed& done) {
  const bool write = done.op == BusOp::Write;
  busFree_ = done.start + done.duration;
  const Cycle until = write ? done.start : busFree_;
  if (until <= end_) return;
  Cycle grown = until - end_;
  const auto take = [&grown](Cycle most) {
    const Cycle part = std::min(grown, most);
    grown -= part;
    return part;
  };
  accessHeld_ += take(done.start - done.wanted);
  accessDma_ += take(done.wanted - done.base);
  const bool fetch = done.op == BusOp::Fetch;
  const auto count = [&](StallCause cause, Cycle cycles) {
    accessWait_[static_cast<unsigned>(cause)] += cycles;
  };
  // The second half of a fetch waits for the first one only.
  if (!fetch || flow_.accessIndex == 1) {
    count(fetch ? StallCause::ProgramWait : StallCause::HoldEverything, take(done.base - exec_));
  }
  count(fetch ? StallCause::FetchIncomplete : StallCause::DataIncomplete, grown);
  end_ = until;
}

/// One logical access: as many bus cycles as data size and memory width ask for.
bool Cpu::busAccess(BusOp op, Strobe strobe, std::uint32_t address, unsigned dataBits,
                    unsigned memoryBits, std::uint32_t& data) {
  if (dataBits == 32 && memoryBits == 32) [[likely]] {
    BusRequest request;
    request.op = op;
    request.strobe = strobe;
    request.address = address;
    return external(request, data);
  }
  const std::uint32_t whole = data;
  std::uint32_t read = 0;
  for (unsigned part = 0; part < busCycles(dataBits, memoryBits); ++part) {
    const BusCycle cycle = busCycle(dataBits, memoryBits, address, part);
    const std::uint32_t mask = cycle.bits == 32 ? ~0u : (1u << cycle.bits) - 1u;
    BusRequest request;
    request.op = op;
    request.strobe = strobe;
    request.address = cycle.address;
    request.width = static_cast<std::uint8_t>(memoryBits);
    request.byteEnable = cycle.byteEnable;
    std::uint32_t word = (whole >> cycle.shift & mask) << cycle.lane;
    if (!external(request, word)) return false;
    read |= (word >> cycle.lane & mask) << cycle.shift;
  }
  if (op != BusOp::Write) data = read;
  return true;
}

/// A data access: short data sit in the low bits for integers, in the high bits for floats (c32.md
/// 2.5). IOSTRB and vectors are always 32 bits wide, vectors in memory of the program's width.
bool Cpu::dataAccess(BusOp op, Strobe strobe, std::uint32_t address, bool isFloat,
                     std::uint32_t& data) {
  const BusControl& control = peripherals_.bus(strobe);
  if (op == BusOp::VectorFetch) {
    return busAccess(op, strobe, address, 32, config_.programWidth(), data);
  }
  if (strobe == Strobe::IoStrb || control.plain()) {
    return busAccess(op, strobe, address, 32, 32, data);
  }
  const unsigned bits = control.dataBits();
  const unsigned shift = 32 - bits;
  if (op == BusOp::Write) {
    std::uint32_t narrow = isFloat ? data >> shift : data;
    return busAccess(op, strobe, address, bits, control.memoryBits(), narrow);
  }
  if (!busAccess(op, strobe, address, bits, control.memoryBits(), data)) return false;
  if (shift == 0) return true;
  data <<= shift;
  if (isFloat) return true;
  const bool zeroFill = control.signBit() == config_.zeroFillIsOne;
  data =
      zeroFill
          ? data >> shift
          : static_cast<std::uint32_t>(static_cast<std::int32_t>(data) >> static_cast<int>(shift));
  return true;
}

/// True if this access was completed in an earlier attempt at the instruction.
bool Cpu::replay(std::uint32_t& data) {
  if (flow_.accessIndex == 0) {
    busFreeAtStart_ = busFree_;
    accessWait_ = {};
    accessHeld_ = accessDma_ = 0;
  }
  if (flow_.accessIndex == accessCount_) return false;
  data = completed_[flow_.accessIndex++].data;
  return true;
}

void Cpu::record(std::uint32_t data) {
  Completed& done = completed_[accessCount_++];
  done = {};
  done.data = data;
  ++flow_.accessIndex;
}

bool Cpu::peripheralAccess(std::uint32_t address, bool write, std::uint32_t& data) {
  if (replay(data)) return true;
  if (!advancePeripherals(exec_)) return false;
  peripherals_.settle(exec_);
  Peripherals::Access access{exec_, port_, reg_[reg::IF], reg_[reg::IE], 0};
  if (write) {
    peripherals_.write(address, data, access);
  } else {
    data = peripherals_.read(address, access);
  }
  record(data);
  if (write) updateHold(exec_);
  raiseInterruptFlags(access.raised, exec_);
  return true;
}

bool Cpu::slowRead(BusOp op, std::uint32_t address, bool isFloat, std::uint32_t& data) {
  if (inUsualRam(address)) {
    data = internalWord(address);
    if (full_) noteAccess(address, data, false);
    return true;
  }
  if (config_.flatMemory) {
    if (!busAccess(op, Strobe::Strb0, address, 32, 32, data)) return false;
    if (full_) noteAccess(address, data, false);
    return true;
  }
  const Place place = placeAt(address);
  switch (place.region) {
    case Region::InternalRam:
      if (config_.trapUninitialised && !internalKnown(address)) {
        return raise(Fault::Kind::UninitialisedRead, address);
      }
      data = internalWord(address);
      break;
    case Region::BootRom:
      data = romWord(address);
      break;
    case Region::Peripheral:
      if (!peripheralAccess(address, false, data)) return false;
      break;
    case Region::External:
      if (!dataAccess(op, place.strobe, address, isFloat, data)) return false;
      break;
    default:
      return raise(Fault::Kind::BusError, address);
  }
  if (full_) noteAccess(address, data, false);
  return true;
}

bool Cpu::slowWrite(std::uint32_t address, bool isFloat, std::uint32_t data) {
  if (full_) noteAccess(address, data, true);
  if (inUsualRam(address)) {
    storeInternal(address - kRamBase, data);
    return true;
  }
  if (config_.flatMemory) return busAccess(BusOp::Write, Strobe::Strb0, address, 32, 32, data);
  const Place place = placeAt(address);
  switch (place.region) {
    case Region::InternalRam:
      setInternalWord(address, data);
      return true;
    case Region::Peripheral:
      return peripheralAccess(address, true, data);
    case Region::External:
      return dataAccess(BusOp::Write, place.strobe, address, isFloat, data);
    default:
      return raise(Fault::Kind::BusError, address);
  }
}

void Cpu::updateRepeatEnd() {
  repeatEnd_ = (reg_[reg::ST] & kRM) != 0 ? reg_[reg::RE] & kAddressMask : ~0u;
}

void Cpu::writeSpecial(unsigned number, std::uint32_t value) {
  switch (number) {
    case reg::ST:
      writeStatus(value);
      break;
    case reg::IE: {
      const std::uint32_t before = reg_[reg::IE];
      reg_[reg::IE] = config_.reservedBitsKept ? value : value & kIeWritable;
      // Flags that are set start a DMA channel as soon as it listens to them.
      const auto enabled = [this](std::uint32_t ie) {
        return (dmaFlags(ie, 0) | dmaFlags(ie, 1)) & reg_[reg::IF];
      };
      raiseInterruptFlags(enabled(reg_[reg::IE]) & ~enabled(before), exec_);
      break;
    }
    case reg::IF:
      writeInterruptFlags((config_.reservedBitsKept ? value : value & kIfWritable) &
                          (config_.chip == Chip::C32 ? ~0u : 0xFFFFu));  // ITTP is the C32's
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

/// ST: RM cannot be set while RC is 0 or -1 (c32.md 1.2); cache control acts three words later.
void Cpu::writeStatus(std::uint32_t value) {
  std::uint32_t writable = config_.reservedBitsKept ? ~kPRGW : kStWritable;
  if (!config_.cacheClearKept) writable &= ~kCC;
  std::uint32_t st = (value & writable) | (reg_[reg::ST] & kPRGW);
  if ((reg_[reg::ST] & ~st & kGIE) != 0 && config_.gieClearCycles != 0) {
    gieUntil_ = exec_ + config_.gieClearCycles;
  }
  if ((st & kRM) != 0 && reg_[reg::RC] + 1u <= 1u) st &= ~kRM;
  if (((st ^ reg_[reg::ST]) & (kCE | kCF)) != 0 || (value & kCC) != 0) {
    cacheControlAt_ = exec_ + kCacheControlDelay;
    cacheClear_ |= (value & kCC) != 0;
  }
  reg_[reg::ST] = st;
  integerMode_.saturate = (st & kOVM) != 0;
  updateRepeatEnd();
  updateAttention();
}

/// Software sets and clears flags alike. A level-triggered input sets its flag again while the pin
/// is low (c32.md 1.4).
void Cpu::writeInterruptFlags(std::uint32_t value) {
  peripherals_.settle(cycle_);
  if ((reg_[reg::ST] & kINTCONFIG) == 0) value |= lines_;
  const std::uint32_t set = value & ~reg_[reg::IF] & 0xFFFu;
  reg_[reg::IF] = value;
  peripherals_.dma().forget(value);
  raiseInterruptFlags(set, exec_);
}

void Cpu::writeIof(std::uint32_t value) {
  const std::uint32_t writable = config_.reservedBitsKept ? ~kIofPins : kIofWritable;
  const std::uint32_t iof = (value & writable) | (reg_[reg::IOF] & kIofPins);
  reg_[reg::IOF] = iof;
  const auto drive = [iof](unsigned direction, unsigned level) {
    if ((iof >> direction & 1u) == 0) return Drive::Released;
    return (iof >> level & 1u) != 0 ? Drive::High : Drive::Low;
  };
  drivePins(drive(1, 2), drive(5, 6));
}

void Cpu::drivePins(Drive xf0, Drive xf1) {
  if (xf0 == xf0_ && xf1 == xf1_) return;
  xf0_ = xf0;
  xf1_ = xf1;
  port_.pinsDriven(xf0, xf1, exec_);
}

}  // namespace rtvp::c32
