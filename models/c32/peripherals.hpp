// The C32's peripheral bus, 808000h-8097FFh: DMA registers, timers, serial port, bus control
// (c32.md 8.3 to 8.7). Everything is advanced lazily: between events it costs nothing.
//
// Two times: `now` is the processor's cycle counter; the timers count the peripheral clock, which
// stands still in IDLE2 and runs at a sixteenth under LOPOWER.
#pragma once

#include <array>
#include <cstdint>

#include "models/c32/dma.hpp"
#include "models/c32/memory_map.hpp"
#include "models/c32/serial_port.hpp"
#include "models/c32/timer.hpp"
#include "models/c32/timing.hpp"

namespace rtvp::common {
class StateArchive;
}

namespace rtvp::c32 {

/// IF bits of the timers, and all that a timer can raise.
inline constexpr std::uint32_t kTInt0 = 1u << 8;
inline constexpr std::uint32_t kTInt1 = 1u << 9;

class Peripherals {
 public:
  explicit Peripherals(const CpuConfig& config);

  void reset();
  /// All of it, both ways (cpu_archive.cpp).
  void state(common::StateArchive& a);

  /// Brings timers and serial port to cycle `now`; IF bits to set.
  std::uint32_t advance(Cycle now, CpuPort& port) {
    std::uint32_t flags = serial_.nextEvent() <= now ? serial_.advance(now, port) : 0;
    if (timersRun_) flags |= advanceTimers(now);
    return flags;
  }
  /// Timers to `now`, forgetting what they raise: for flags that are set already.
  void settle(Cycle now) {
    if (timersRun_) advanceTimers(now);
  }
  /// Next event of timers and serial port. A timer does not count while its flag is in `ignored`:
  /// nothing would change.
  [[nodiscard]] Cycle nextEvent(std::uint32_t ignored) const {
    return timersRun_ ? withTimers(ignored) : serial_.nextEvent();
  }

  struct Access {
    Cycle now = 0;
    CpuPort& port;
    std::uint32_t flags = 0;   ///< IF before
    std::uint32_t enable = 0;  ///< IE
    std::uint32_t raised = 0;  ///< result: IF bits the access raises
  };
  /// Program or DMA access at `now`, peripherals already advanced.
  std::uint32_t read(std::uint32_t address, Access& access);
  void write(std::uint32_t address, std::uint32_t value, Access& access);
  /// Debug access: no side effects; poke changes the bus control registers only.
  [[nodiscard]] std::uint32_t peek(std::uint32_t address, Cycle now) const;
  bool poke(std::uint32_t address, std::uint32_t value);

  [[nodiscard]] const BusControl& bus(Strobe strobe) const {
    return bus_[static_cast<unsigned>(strobe)];
  }
  /// HOLDST of the STRB0 register.
  void setHoldStatus(bool held) { bus_[0].value = (bus_[0].value & ~1u) | (held ? 1u : 0u); }

  /// IDLE2 stops the peripheral clock at `now`, or lets it run again.
  void freeze(bool stop, Cycle now);
  /// LOPOWER, MAXSPEED.
  void setClockDivider(Cycle divider, Cycle now);
  /// Level outside at a pin from `now` on, timers advanced; IF bits an edge at a timer raises.
  std::uint32_t setPin(Pin pin, bool level, Cycle now);

  [[nodiscard]] SerialPort& serialPort() { return serial_; }
  [[nodiscard]] const SerialPort& serialPort() const { return serial_; }
  [[nodiscard]] Dma& dma() { return dma_; }
  [[nodiscard]] const Dma& dma() const { return dma_; }
  /// A timer counts: something happens without the processor.
  [[nodiscard]] bool timersRun() const { return timersRun_; }

 private:
  std::uint32_t advanceTimers(Cycle now);
  [[nodiscard]] Cycle withTimers(std::uint32_t ignored) const;
  [[nodiscard]] Cycle local(Cycle now) const;
  [[nodiscard]] Cycle global(Cycle local) const;
  void rebase(Cycle now);
  void writeTimer(std::uint32_t address, std::uint32_t value, Access& access);
  void reportPins(CpuPort& port, Cycle now, unsigned count);

  Chip chip_;
  std::array<std::uint32_t, 3> busReset_{};
  BusControl bus_[3];  // by Strobe
  std::array<Timer, 2> timers_;
  SerialPort serial_;
  Dma dma_;
  bool timersRun_ = false;
  std::array<Drive, kPinCount> driven_{};
  // Peripheral time = localBase_ + (now - globalBase_) / divider_, or localBase_ while frozen.
  Cycle localBase_ = 0;
  Cycle globalBase_ = 0;
  Cycle divider_ = 1;
  bool frozen_ = false;
};

}  // namespace rtvp::c32
