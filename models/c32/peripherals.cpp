// Peripheral bus: see peripherals.hpp.
#include "models/c32/peripherals.hpp"

#include <algorithm>

#include "models/c32/peripheral_registers.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint32_t kBusAddress[3] = {0x808064, 0x808068, 0x808060};  // by Strobe

constexpr unsigned kTimerPins = 2;  ///< TCLK0 and TCLK1, the first ones

constexpr bool isDma(std::uint32_t address) {
  return address < 0x808020;
}
constexpr bool isSerial(std::uint32_t address) {
  return address >= serial::kGlobal && address <= serial::kDRR;
}

/// Registers that a chip lacks: the C30 and C31 have one DMA channel, the C31 one bus.
constexpr bool lacks(Chip chip, std::uint32_t address) {
  if (chip == Chip::C32) return false;
  const bool dma1 = address >= 0x808010 && address < 0x808020;
  const bool oneBus = chip == Chip::C31 && address == kBusAddress[2];
  return dma1 || address == kBusAddress[1] || oneBus;
}

/// What a C30 or C31 keeps of a bus control register: it has 13 bits, and its buses are 32 wide.
constexpr std::uint32_t kNarrowBits = 0x1FFF, kNarrowWrites = 0x1FFE, kAlwaysPlain = 0x000F0000;

constexpr unsigned timerNumber(std::uint32_t address) {
  return (address >> 4) & 1u;
}
constexpr Timer::Register timerRegister(std::uint32_t address) {
  switch (address & 0xFu) {
    case 0:
      return Timer::Register::Control;
    case 4:
      return Timer::Register::Counter;
    default:
      return Timer::Register::Period;
  }
}

BitClock clockOf(const CpuConfig& config, unsigned timer) {
  const std::uint64_t hz = config.timerClockHz[timer];
  return hz == 0 ? BitClock{} : BitClock{config.h1Hz, hz};
}

}  // namespace

Peripherals::Peripherals(const CpuConfig& config)
    : chip_(config.chip),
      timers_{Timer(clockOf(config, 0)), Timer(clockOf(config, 1))},
      serial_(config.h1Hz, config.serialBitClockHz,
              {config.serialBlockSync, config.serialExternalSync}) {
  // The memory width starts as the PRGW pin selects it (c32.md 8.4).
  std::uint32_t strobe = config.strbReset;
  if (config.programWidth() == 16) strobe = (strobe & ~(3u << 18)) | 1u << 18;
  busReset_ = {strobe, strobe, config.ioStrobeReset};
  if (chip_ != Chip::C32) {
    const std::uint32_t expansion = (config.ioStrobeReset & kNarrowBits) | kAlwaysPlain;
    busReset_ = {(config.strbReset & kNarrowBits) | kAlwaysPlain, expansion, expansion};
  }
  reset();
}

void Peripherals::reset() {
  for (unsigned i = 0; i < 3; ++i) bus_[i].value = busReset_[i];
  for (Timer& timer : timers_) timer.reset();
  serial_.reset();
  dma_.reset();
  timersRun_ = frozen_ = false;
  driven_ = {};
  localBase_ = globalBase_ = 0;
  divider_ = 1;
}

Cycle Peripherals::local(Cycle now) const {
  return frozen_ || now <= globalBase_ ? localBase_ : localBase_ + (now - globalBase_) / divider_;
}

Cycle Peripherals::global(Cycle local) const {
  if (frozen_ || local == kNever) return kNever;
  return local <= localBase_ ? globalBase_ : globalBase_ + (local - localBase_) * divider_;
}

void Peripherals::rebase(Cycle now) {
  localBase_ = local(now);
  globalBase_ = now;
}

void Peripherals::freeze(bool stop, Cycle now) {
  rebase(now);
  frozen_ = stop;
  if (!stop) dma_.notBefore(now);
}

void Peripherals::setClockDivider(Cycle divider, Cycle now) {
  rebase(now);
  divider_ = divider;
  serial_.setClockDivider(divider);
}

std::uint32_t Peripherals::advanceTimers(Cycle now) {
  const Cycle at = local(now);
  std::uint32_t flags = serial_.advanceTimers(at);
  if (timers_[0].advance(at)) flags |= kTInt0;
  if (timers_[1].advance(at)) flags |= kTInt1;
  return flags;
}

Cycle Peripherals::withTimers(std::uint32_t ignored) const {
  Cycle next = serial_.nextTimerEvent(ignored);
  if ((ignored & kTInt0) == 0) next = std::min(next, timers_[0].nextRise());
  if ((ignored & kTInt1) == 0) next = std::min(next, timers_[1].nextRise());
  return std::min(global(next), serial_.nextEvent());
}

std::uint32_t Peripherals::peek(std::uint32_t address, Cycle now) const {
  if (peripheralRegister(address) == nullptr || lacks(chip_, address)) return 0;
  if (isDma(address)) return dma_.read(address);
  if (isTimerAddress(address)) {
    Timer timer = timers_[timerNumber(address)];
    timer.advance(local(now));
    return timer.read(timerRegister(address), local(now));
  }
  if (isSerial(address)) return serial_.peek(address, local(now));
  for (unsigned i = 0; i < 3; ++i) {
    if (address == kBusAddress[i])
      return chip_ == Chip::C32 ? bus_[i].value : bus_[i].value & kNarrowBits;
  }
  return 0;
}

std::uint32_t Peripherals::read(std::uint32_t address, Access& access) {
  return isSerial(address)
             ? serial_.read(address, access.now, local(access.now), access.raised, access.port)
             : peek(address, access.now);
}

bool Peripherals::poke(std::uint32_t address, std::uint32_t value) {
  for (unsigned i = 0; i < 3; ++i) {
    if (address != kBusAddress[i]) continue;
    if (lacks(chip_, address)) return false;
    if (chip_ != Chip::C32) {
      bus_[i].value = (bus_[i].value & ~kNarrowWrites) | (value & kNarrowWrites);
      if (i == 2) bus_[1].value = bus_[2].value;  // one register for MSTRB and IOSTRB
      return true;
    }
    const std::uint32_t mask = peripheralRegister(address)->mask(common::Access::Rw);
    bus_[i].value = (bus_[i].value & ~mask) | (value & mask);
    return true;
  }
  return false;
}

void Peripherals::writeTimer(std::uint32_t address, std::uint32_t value, Access& access) {
  const unsigned n = timerNumber(address);
  if (timers_[n].write(timerRegister(address), value, local(access.now))) {
    access.raised |= n == 0 ? kTInt0 : kTInt1;
  }
}

void Peripherals::write(std::uint32_t address, std::uint32_t value, Access& access) {
  if (peripheralRegister(address) == nullptr || lacks(chip_, address)) return;
  if (isDma(address)) {
    dma_.write(address, value, access.now, access.flags, access.enable);
  } else if (isTimerAddress(address)) {
    writeTimer(address, value, access);
    timersRun_ = timers_[0].running() || timers_[1].running() || serial_.timersRun();
    reportPins(access.port, access.now, kTimerPins);
    return;
  } else if (isSerial(address)) {
    access.raised |= serial_.write(address, value, access.now, local(access.now), access.port);
  } else {
    poke(address, value);
    return;
  }
  timersRun_ = timers_[0].running() || timers_[1].running() || serial_.timersRun();
  reportPins(access.port, access.now, kPinCount);
}

/// Tells the board which of the first `count` pins a write made general outputs, or took back.
void Peripherals::reportPins(CpuPort& port, Cycle now, unsigned count) {
  for (unsigned n = 0; n < count; ++n) {
    const auto pin = static_cast<Pin>(n);
    const Drive drive = n < kTimerPins ? timers_[n].drive() : serial_.drive(pin);
    if (drive == driven_[n]) continue;
    driven_[n] = drive;
    port.pinDriven(pin, drive, now);
  }
}

std::uint32_t Peripherals::setPin(Pin pin, bool level, Cycle now) {
  if (pin == Pin::Tclk0 || pin == Pin::Tclk1) {
    const auto n = static_cast<unsigned>(pin);
    if (!timers_[n].setPin(level, local(now))) return 0;
    return n == 0 ? kTInt0 : kTInt1;
  }
  serial_.setPin(pin, level);
  return 0;
}

}  // namespace rtvp::c32
