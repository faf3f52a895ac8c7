// The C32's serial port as a word channel (c32.md 8.6): registers, double buffering, bit clock in
// exact rational arithmetic, no bit-level activity. Time is the CPU's H1 cycle; the port is
// advanced lazily to the CPU's time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "models/c32/port.hpp"

namespace rtvp::c32 {

/// Register addresses and the bits of global control the channel acts on.
namespace serial {
inline constexpr std::uint32_t kGlobal = 0x808040;
inline constexpr std::uint32_t kXPort = 0x808042;
inline constexpr std::uint32_t kRPort = 0x808043;
inline constexpr std::uint32_t kTimerControl = 0x808044;
inline constexpr std::uint32_t kTimerCounter = 0x808045;
inline constexpr std::uint32_t kTimerPeriod = 0x808046;
inline constexpr std::uint32_t kDXR = 0x808048;
inline constexpr std::uint32_t kDRR = 0x80804C;

// Global control bits.
inline constexpr std::uint32_t kRRDY = 1u << 0, kXRDY = 1u << 1, kXSREMPTY = 1u << 3,
                               kRSRFULL = 1u << 4, kXCLKSRCE = 1u << 6, kRCLKSRCE = 1u << 7,
                               kXFSM = 1u << 10, kXINT = 1u << 23, kRINT = 1u << 25,
                               kXRESET = 1u << 26, kRRESET = 1u << 27;
}  // namespace serial

/// Bits clocked between a word's start and its presence in the far DRR, beyond its length
/// (c32.md 8.6).
inline constexpr std::uint64_t kSerialExtraBits = 2;

/// H1 cycles per bit as a fraction.
struct BitClock {
  std::uint64_t cyclesNumerator = 0;  ///< 0: no clock
  std::uint64_t cyclesDenominator = 1;

  [[nodiscard]] bool running() const { return cyclesNumerator != 0; }
  /// First bit edge at or after H1 cycle `c`.
  [[nodiscard]] std::uint64_t edgeFrom(Cycle c) const;
  /// First H1 cycle at or after bit edge `k`.
  [[nodiscard]] Cycle cycleOf(std::uint64_t k) const;
};

class SerialPort {
 public:
  /// `externalHz` 0: no external clock, words never leave while one is selected.
  SerialPort(std::uint64_t h1Hz, std::uint64_t externalHz);

  void reset();

  /// State changes due up to and including cycle `now`. Returns IF bits to set (XINT0 bit 4, RINT0
  /// bit 5).
  std::uint32_t advance(Cycle now);
  /// Cycle of the next state change the port knows of, or kNever.
  [[nodiscard]] Cycle nextEvent() const { return nextEvent_; }

  /// Register read at `now`, port already advanced. Reading DRR empties it and may raise RINT
  /// (returned in `flags`).
  std::uint32_t read(std::uint32_t address, Cycle now, std::uint32_t& flags);
  /// The same without side effects.
  [[nodiscard]] std::uint32_t peek(std::uint32_t address) const;
  /// Register write at the end of cycle `now`. A transmission it schedules is announced to `port`
  /// at once.
  void write(std::uint32_t address, std::uint32_t value, Cycle now, CpuPort& port);

  /// A word from the far transmitter is complete at `arrival`; the receiver takes it when time gets
  /// there.
  void deliver(std::uint32_t word, Cycle arrival);

  [[nodiscard]] std::uint64_t wordsSent() const { return wordsSent_; }
  [[nodiscard]] std::uint64_t wordsReceived() const { return wordsReceived_; }
  /// Words written to DXR while XRDY was 0: lost, because the word before is already on its way.
  [[nodiscard]] std::uint64_t transmitLost() const { return transmitLost_; }
  /// Words that arrived with DRR and the shift register full, or with the receiver in reset.
  [[nodiscard]] std::uint64_t receiveLost() const { return receiveLost_; }
  [[nodiscard]] std::size_t queuedArrivals() const { return arrivals_.size(); }

 private:
  struct Arrival {
    Cycle cycle;
    std::uint32_t word;
  };

  [[nodiscard]] BitClock transmitClock() const;
  [[nodiscard]] int transmitBits() const {
    return 8 * (1 + static_cast<int>((global_ >> 18) & 3u));
  }
  [[nodiscard]] std::uint32_t receiveMask() const;
  void schedule(Cycle now, CpuPort& port);
  void resetTransmitter();
  std::uint32_t receive(std::uint32_t word);
  void updateNextEvent();

  std::uint64_t h1Hz_;
  std::uint64_t externalHz_;

  std::uint32_t global_ = 0;
  std::uint32_t xPort_ = 0;
  std::uint32_t rPort_ = 0;
  std::uint32_t timerControl_ = 0;
  std::uint32_t timerCounter_ = 0;
  std::uint32_t timerPeriod_ = 0;
  std::uint32_t dxr_ = 0;
  std::uint32_t drr_ = 0;
  std::uint32_t rsr_ = 0;

  bool dxrFull_ = false;    ///< a word waits in DXR
  bool unclocked_ = false;  ///< it waits for a bit clock or for XRESET
  bool rsrFull_ = false;
  Cycle transfer_ = kNever;       ///< DXR moves to the shift register
  Cycle shifterEmpty_ = 0;        ///< the shift register has sent its last bit
  std::uint64_t lastEdge_ = 0;    ///< bit edge at which it is free again
  std::deque<Arrival> arrivals_;  ///< by cycle, ties in order of delivery
  Cycle nextEvent_ = kNever;

  std::uint64_t wordsSent_ = 0;
  std::uint64_t wordsReceived_ = 0;
  std::uint64_t transmitLost_ = 0;
  std::uint64_t receiveLost_ = 0;
};

}  // namespace rtvp::c32
