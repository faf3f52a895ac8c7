// The C32's peripheral bus, 808000h-8097FFh: bus control registers, serial port (c32.md 8.3
// to 8.6).
#pragma once

#include <cstdint>

#include "models/c32/memory_map.hpp"
#include "models/c32/serial_port.hpp"
#include "models/c32/timing.hpp"

namespace rtvp::c32 {

class Peripherals {
 public:
  explicit Peripherals(const CpuConfig& config);

  void reset();

  /// Brings every peripheral to cycle `now`; IF bits to set.
  std::uint32_t advance(Cycle now) { return serial_.advance(now); }
  [[nodiscard]] Cycle nextEvent() const { return serial_.nextEvent(); }

  /// Program access at `now`, peripherals already advanced. `flags`: IF bits the access raises.
  std::uint32_t read(std::uint32_t address, Cycle now, std::uint32_t& flags);
  void write(std::uint32_t address, std::uint32_t value, Cycle now, CpuPort& port);
  /// Debug access: no side effects; poke changes the bus control registers only.
  [[nodiscard]] std::uint32_t peek(std::uint32_t address) const;
  bool poke(std::uint32_t address, std::uint32_t value);

  [[nodiscard]] const BusControl& bus(Strobe strobe) const {
    return bus_[static_cast<unsigned>(strobe)];
  }
  [[nodiscard]] SerialPort& serialPort() { return serial_; }
  [[nodiscard]] const SerialPort& serialPort() const { return serial_; }

 private:
  BusControl bus_[3];  // by Strobe
  SerialPort serial_;
};

}  // namespace rtvp::c32
