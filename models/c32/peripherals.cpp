// Peripheral bus: see peripherals.hpp.
#include "models/c32/peripherals.hpp"

#include "models/c32/peripheral_registers.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint32_t kBusAddress[3] = {0x808064, 0x808068, 0x808060};  // by Strobe

constexpr bool isSerial(std::uint32_t address) {
  return address >= serial::kGlobal && address <= serial::kDRR;
}

}  // namespace

Peripherals::Peripherals(const CpuConfig& config) : serial_(config.h1Hz, config.serialBitClockHz) {
  reset();
}

void Peripherals::reset() {
  for (unsigned i = 0; i < 3; ++i) bus_[i].value = peripheralRegister(kBusAddress[i])->reset;
  serial_.reset();
}

std::uint32_t Peripherals::peek(std::uint32_t address) const {
  if (isSerial(address)) return serial_.peek(address);
  for (unsigned i = 0; i < 3; ++i) {
    if (address == kBusAddress[i]) return bus_[i].value;
  }
  return 0;
}

std::uint32_t Peripherals::read(std::uint32_t address, Cycle now, std::uint32_t& flags) {
  return isSerial(address) ? serial_.read(address, now, flags) : peek(address);
}

bool Peripherals::poke(std::uint32_t address, std::uint32_t value) {
  for (unsigned i = 0; i < 3; ++i) {
    if (address != kBusAddress[i]) continue;
    const std::uint32_t mask = peripheralRegister(address)->mask(common::Access::Rw);
    bus_[i].value = (bus_[i].value & ~mask) | (value & mask);
    return true;
  }
  return false;
}

void Peripherals::write(std::uint32_t address, std::uint32_t value, Cycle now, CpuPort& port) {
  if (isSerial(address)) {
    serial_.write(address, value, now, port);
  } else {
    poke(address, value);
  }
}

}  // namespace rtvp::c32
