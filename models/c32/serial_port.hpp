// The C32's serial port (c32.md 8.6): registers, double buffering, formats, rates, handshake, port
// timers, general-purpose pins; bit clock in exact rational arithmetic, no bit-level activity.
// Time is the CPU's H1 cycle; the port is advanced lazily to the CPU's time.
//
// A transmission is announced as a SerialFrame: word, rate, frame sync, polarities. A receiver that
// gets one judges it by its own registers when its last bit arrives: what does not fit comes out
// shifted, inverted or not at all, as on the wires. A board may also deliver plain words, which fit
// whatever is set: a channel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "models/c32/bit_clock.hpp"
#include "models/c32/port.hpp"
#include "models/c32/timer.hpp"
#include "models/common/core/host_bytes.hpp"

namespace rtvp::common {
class StateArchive;
}

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
                               kRSRFULL = 1u << 4, kHS = 1u << 5, kXCLKSRCE = 1u << 6,
                               kFSXOUT = 1u << 2, kRCLKSRCE = 1u << 7, kXVAREN = 1u << 8,
                               kRVAREN = 1u << 9, kXFSM = 1u << 10, kRFSM = 1u << 11,
                               kCLKXP = 1u << 12, kCLKRP = 1u << 13, kDXP = 1u << 14,
                               kDRP = 1u << 15, kFSXP = 1u << 16, kFSRP = 1u << 17,
                               kXTINT = 1u << 22, kXINT = 1u << 23, kRTINT = 1u << 24,
                               kRINT = 1u << 25, kXRESET = 1u << 26, kRRESET = 1u << 27;

// Port control bits: the pin serves the port.
inline constexpr std::uint32_t kCLKFUNC = 1u << 0, kDFUNC = 1u << 4, kFSFUNC = 1u << 8;
}  // namespace serial

/// Bits clocked between a word's start and its presence in the far DRR, beyond its length
/// (c32.md 8.6).
inline constexpr std::uint64_t kSerialExtraBits = 2;

/// What the board connects, and what the manual leaves open (cpu_options.cpp).
struct SerialOptions {
  /// Continuous mode spends a frame bit before each block of words.
  bool blockSync = false;
  /// An FSX that is an input is pulsed as soon as a word waits; else never.
  bool externalSync = true;
};

namespace blocks {
class QuickSerial;
class Wave;
}  // namespace blocks

class SerialPort {
 public:
  /// `externalHz` 0: no external clock, words never leave while one is selected.
  SerialPort(std::uint64_t h1Hz, std::uint64_t externalHz, const SerialOptions& options = {});

  void reset();
  /// All of it, both ways (cpu_archive.cpp).
  void state(common::StateArchive& a);

  /// State changes due up to and including cycle `now`. Returns IF bits to set (XINT0 bit 4, RINT0
  /// bit 5).
  std::uint32_t advance(Cycle now, CpuPort& port);
  /// Cycle of the next state change the port knows of, or kNever.
  [[nodiscard]] Cycle nextEvent() const { return nextEvent_; }

  /// The port timers up to `local`, the peripheral clock's time; IF bits.
  std::uint32_t advanceTimers(Cycle local);
  /// Local time of the next timer interrupt whose flag is not in `ignored`.
  [[nodiscard]] Cycle nextTimerEvent(std::uint32_t ignored) const;
  [[nodiscard]] bool timersRun() const { return timers_[0].running() || timers_[1].running(); }

  /// Register read at `now` (`local`: peripheral time), port already advanced. Reading DRR empties
  /// it and may raise RINT (returned in `flags`); in handshake mode it acknowledges.
  std::uint32_t read(std::uint32_t address, Cycle now, Cycle local, std::uint32_t& flags,
                     CpuPort& port);
  /// The same without side effects.
  [[nodiscard]] std::uint32_t peek(std::uint32_t address, Cycle local) const;
  /// Register write at the end of cycle `now`. A transmission it schedules is announced to `port`
  /// at once. Returns the IF bits it raises.
  std::uint32_t write(std::uint32_t address, std::uint32_t value, Cycle now, Cycle local,
                      CpuPort& port);

  /// Level outside at a pin, CLKX to FSR.
  void setPin(Pin pin, bool level);
  /// What the pin drives as a general output.
  [[nodiscard]] Drive drive(Pin pin) const;
  /// Under LOPOWER an internal bit clock is slower by this factor.
  void setClockDivider(Cycle divider) { divider_ = divider; }

  /// Handshake mode: the receiver's single 0 arrives at `arrival`.
  void acknowledge(Cycle arrival);
  /// A word from the far transmitter is complete at `arrival`; the receiver takes it when time gets
  /// there.
  void deliver(std::uint32_t word, Cycle arrival);
  /// The same with the framing that the receiver's registers must fit.
  void deliver(const SerialFrame& frame);

  /// Host memory beside the object itself, in bytes.
  [[nodiscard]] std::size_t ownBytes() const {
    return common::bytesOf(arrivals_) + common::bytesOf(acknowledges_);
  }
  [[nodiscard]] std::uint64_t wordsSent() const { return wordsSent_; }
  [[nodiscard]] std::uint64_t wordsReceived() const { return wordsReceived_; }
  /// Words written to DXR while XRDY was 0: lost, because the word before is already on its way.
  [[nodiscard]] std::uint64_t transmitLost() const { return transmitLost_; }
  /// Words that arrived with DRR and the shift register full, or with the receiver in reset.
  [[nodiscard]] std::uint64_t receiveLost() const { return receiveLost_; }
  /// Frames whose rate, sync or polarities do not fit the receiver: nothing was received.
  [[nodiscard]] std::uint64_t misframed() const { return misframed_; }
  /// Words shifted out while DX or CLKX was no serial pin: nobody hears them.
  [[nodiscard]] std::uint64_t transmitUnheard() const { return transmitUnheard_; }
  [[nodiscard]] std::size_t queuedArrivals() const { return arrivals_.size(); }
  /// Handshake mode: a word is out and not yet acknowledged.
  [[nodiscard]] bool awaitsAcknowledge() const { return awaitsAcknowledge_; }

 private:
  friend class blocks::QuickSerial;  // the same for the plain case, in line
                                     // (blocks/quick_serial.hpp)
  friend class blocks::Wave;

  struct Arrival {
    /// A board's word, which fits any receiver; the beginning of a frame, to be judged; a word of
    /// such a frame, complete.
    enum class Kind : std::uint8_t { Word, Frame, Received };
    Cycle cycle = 0;
    SerialFrame frame;
    Kind kind = Kind::Word;
    void state(common::StateArchive& a);
  };

  [[nodiscard]] BitClock transmitClock() const;
  [[nodiscard]] BitClock timerClock(unsigned side) const;
  [[nodiscard]] SerialFrame frame(const BitClock& clock, Cycle arrival) const;
  [[nodiscard]] bool fits(const SerialFrame& frame) const;
  void receiveFrame(const SerialFrame& frame);
  void shiftIn(std::uint64_t stream, int bits, bool fill, const SerialFrame& frame);
  void complete(std::uint64_t word, int bitsToCome, const SerialFrame& frame);
  std::uint32_t arrive(const Arrival& arrival);
  void insert(const Arrival& arrival);
  void resetReceiver();
  [[nodiscard]] int transmitBits() const {
    return 8 * (1 + static_cast<int>((global_ >> 18) & 3u));
  }
  [[nodiscard]] std::uint32_t receiveMask() const;
  [[nodiscard]] bool handshake() const { return (global_ & serial::kHS) != 0; }
  [[nodiscard]] std::uint64_t frameBits(std::uint64_t edge) const;
  void schedule(Cycle now, CpuPort& port);
  void sendAcknowledge(Cycle now, CpuPort& port);
  void resetTransmitter();
  std::uint32_t loadShifter();
  std::uint32_t acknowledged(Cycle now, CpuPort& port);
  std::uint32_t receive(std::uint32_t word);
  void updateNextEvent();
  std::uint32_t writeTimerControl(std::uint32_t value, Cycle local);
  std::uint32_t timerFlags(bool transmit, bool receive) const;
  [[nodiscard]] std::uint32_t pinControl(bool receiver) const;

  std::uint64_t h1Hz_;
  std::uint64_t externalHz_;
  SerialOptions options_;
  Cycle divider_ = 1;

  std::uint32_t global_ = 0;
  std::uint32_t xPort_ = 0;
  std::uint32_t rPort_ = 0;
  std::uint32_t timerControl_ = 0;
  std::array<TimerCore, 2> timers_{TimerCore(16), TimerCore(16)};  // transmit, receive
  std::uint8_t pins_ = 0;                                          // levels outside, by Pin
  std::uint32_t dxr_ = 0;
  std::uint32_t drr_ = 0;
  std::uint32_t rsr_ = 0;

  bool dxrFull_ = false;    ///< a word waits in DXR
  bool unclocked_ = false;  ///< it waits for a bit clock or for XRESET
  bool rsrFull_ = false;
  Cycle transfer_ = kNever;       ///< DXR moves to the shift register
  Cycle shifterEmpty_ = 0;        ///< the shift register has sent its last bit
  std::uint64_t lastEdge_ = 0;    ///< bit edge at which it is free again
  bool blockBegun_ = false;       ///< continuous mode has given its frame sync
  std::deque<Arrival> arrivals_;  ///< by cycle, ties in order of delivery
  bool synced_ = false;           ///< continuous receiver: frame sync has been seen
  std::uint64_t shifter_ = 0;     ///< bits of a word still incomplete
  int shifted_ = 0;               ///< how many
  bool awaitsAcknowledge_ = false;
  std::deque<Cycle> acknowledges_;  // on their way here
  Cycle nextEvent_ = kNever;

  std::uint64_t wordsSent_ = 0;
  std::uint64_t wordsReceived_ = 0;
  std::uint64_t transmitLost_ = 0;
  std::uint64_t receiveLost_ = 0;
  std::uint64_t misframed_ = 0;
  std::uint64_t transmitUnheard_ = 0;
};

}  // namespace rtvp::c32
