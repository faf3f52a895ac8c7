// Serial port: see serial_port.hpp.
#include "models/c32/serial_port.hpp"

#include <algorithm>
#include <bit>

#include "models/c32/peripheral_registers.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint32_t kXInt0 = 1u << 4;  // IF bits
constexpr std::uint32_t kRInt0 = 1u << 5;

// Timer control: the receive half repeats the transmit half six bits higher.
constexpr std::uint32_t kGo = 1, kHld = 2, kClockMode = 4, kInternal = 8, kStatus = 1u << 5;
constexpr unsigned kReceiveHalf = 6;

// Port control: three pins of four bits each.
constexpr std::uint32_t kFunc = 1, kOutput = 2, kDatOut = 4, kDatIn = 8;

/// Shift of a pin's four bits in its port control register.
constexpr unsigned pinShift(Pin pin) {
  return 4 * ((static_cast<unsigned>(pin) - static_cast<unsigned>(Pin::Clkx)) % 3);
}

constexpr std::uint32_t lengthMask(std::uint32_t code) {
  return code == 3 ? 0xFFFFFFFFu : (1u << (8 * (code + 1))) - 1u;
}

}  // namespace

SerialPort::SerialPort(std::uint64_t h1Hz, std::uint64_t externalHz, const SerialOptions& options)
    : h1Hz_(h1Hz), externalHz_(externalHz), options_(options) {}

void SerialPort::reset() {
  global_ = xPort_ = rPort_ = timerControl_ = 0;
  for (TimerCore& timer : timers_) timer.reset();
  divider_ = 1;
  dxr_ = drr_ = rsr_ = 0;
  arrivals_.clear();  // began before the reset: their frame sync is gone
  resetReceiver();
  resetTransmitter();
  updateNextEvent();
}

void SerialPort::resetReceiver() {
  global_ &= ~serial::kRRDY;
  rsrFull_ = synced_ = false;
  shifter_ = 0;
  shifted_ = 0;
  std::erase_if(arrivals_, [](const Arrival& a) { return a.kind == Arrival::Kind::Received; });
}

void SerialPort::resetTransmitter() {
  blockBegun_ = false;
  dxrFull_ = unclocked_ = awaitsAcknowledge_ = false;
  acknowledges_.clear();
  transfer_ = kNever;
  shifterEmpty_ = 0;
  lastEdge_ = 0;
}

/// Bit clock made by the port's transmit (0) or receive (1) timer: H1/2 as a rate, half of it in
/// clock mode.
BitClock SerialPort::timerClock(unsigned side) const {
  const std::uint32_t control = timerControl_ >> (side * kReceiveHalf);
  const std::uint64_t period = timers_[side].period();
  if ((control & kHld) == 0 || period == 0) return {};
  return {((control & kClockMode) != 0 ? 4u : 2u) * period * divider_, 1};
}

BitClock SerialPort::transmitClock() const {
  if ((global_ & serial::kXCLKSRCE) != 0) return timerClock(0);
  const bool connected = externalHz_ != 0 && (xPort_ & serial::kCLKFUNC) != 0;
  return connected ? BitClock{h1Hz_, externalHz_} : BitClock{};
}

std::uint32_t SerialPort::receiveMask() const {
  return lengthMask((global_ >> 20) & 3u);
}

/// Bits that a word spends on frame sync: one in fixed-rate burst mode; none in continuous mode,
/// but perhaps before a block; none at variable rate, where FSX lasts as long as the word.
std::uint64_t SerialPort::frameBits(std::uint64_t edge) const {
  if ((global_ & serial::kXVAREN) != 0) return 0;
  if ((global_ & serial::kXFSM) == 0) return 1;
  return options_.blockSync && edge > lastEdge_ ? 1 : 0;
}

/// The word in DXR gets its place on the wire: the next bit edge, or the end of the word before it.
/// In handshake mode a 1 goes ahead of it.
void SerialPort::schedule(Cycle now, CpuPort& port) {
  const BitClock clock = transmitClock();
  const bool synced = (global_ & serial::kFSXOUT) != 0 || options_.externalSync;
  if (!clock.running() || (global_ & serial::kXRESET) == 0 || awaitsAcknowledge_ || !synced) {
    unclocked_ = true;
    return;
  }
  unclocked_ = false;
  std::uint64_t edge = std::max(clock.edgeFrom(now + 1), lastEdge_);
  if (options_.blockSync && edge > lastEdge_) blockBegun_ = false;
  edge += frameBits(edge);
  transfer_ = clock.cycleOf(edge);
  if (handshake()) {
    ++edge;
    awaitsAcknowledge_ = true;
  }
  const auto bits = static_cast<std::uint64_t>(transmitBits());
  lastEdge_ = edge + bits;
  ++wordsSent_;
  const SerialFrame sent = frame(clock, clock.cycleOf(edge + bits + kSerialExtraBits));
  blockBegun_ = true;
  if ((xPort_ & serial::kDFUNC) == 0 || (xPort_ & serial::kCLKFUNC) == 0) {
    ++transmitUnheard_;
  } else {
    port.serialFrameSent(sent);
  }
}

/// What goes out on the wires for the word in DXR.
SerialFrame SerialPort::frame(const BitClock& clock, Cycle arrival) const {
  SerialFrame f;
  f.word = dxr_ & lengthMask((global_ >> 18) & 3u);
  f.bits = transmitBits();
  f.arrival = arrival;
  f.bitNumerator = clock.cyclesNumerator;
  f.bitDenominator = clock.cyclesDenominator;
  f.leadingOne = handshake();
  const bool once = (global_ & serial::kXFSM) != 0 && blockBegun_;
  f.sync = (xPort_ & serial::kFSFUNC) != 0 && !handshake() && !once;
  f.variable = (global_ & serial::kXVAREN) != 0;
  f.clockLow = (global_ & serial::kCLKXP) != 0;
  f.dataLow = (global_ & serial::kDXP) != 0;
  f.syncLow = (global_ & serial::kFSXP) != 0;
  return f;
}

/// A single 0 on DX, after whatever is being sent; every read of DRR sends one.
void SerialPort::sendAcknowledge(Cycle now, CpuPort& port) {
  const BitClock clock = transmitClock();
  if (!clock.running() || (global_ & serial::kXRESET) == 0) return;
  const std::uint64_t edge = std::max(clock.edgeFrom(now + 1), lastEdge_);
  lastEdge_ = edge + 1;
  port.serialAcknowledged(clock.cycleOf(edge + 1));
}

void SerialPort::acknowledge(Cycle arrival) {
  acknowledges_.insert(std::upper_bound(acknowledges_.begin(), acknowledges_.end(), arrival),
                       arrival);
  updateNextEvent();
}

/// The far receiver has read the word: the next one may go.
std::uint32_t SerialPort::acknowledged(Cycle now, CpuPort& port) {
  if (!awaitsAcknowledge_) return 0;
  awaitsAcknowledge_ = false;
  if (dxrFull_ && unclocked_) {
    schedule(now, port);
    return 0;
  }
  return (global_ & serial::kXINT) != 0 ? kXInt0 : 0;
}

/// The shift register takes the word; DXR is free for the next one, in handshake mode once the word
/// is acknowledged.
std::uint32_t SerialPort::loadShifter() {
  const Cycle at = transfer_;
  transfer_ = kNever;
  dxrFull_ = false;
  const BitClock clock = transmitClock();
  shifterEmpty_ = clock.running() ? clock.cycleOf(lastEdge_) : at + 1;
  return (global_ & serial::kXINT) != 0 && !awaitsAcknowledge_ ? kXInt0 : 0;
}

void SerialPort::updateNextEvent() {
  nextEvent_ = transfer_;
  if (shifterEmpty_ != 0) nextEvent_ = std::min(nextEvent_, shifterEmpty_);
  if (!acknowledges_.empty()) nextEvent_ = std::min(nextEvent_, acknowledges_.front());
  if (!arrivals_.empty()) nextEvent_ = std::min(nextEvent_, arrivals_.front().cycle);
}

std::uint32_t SerialPort::receive(std::uint32_t word) {
  if ((global_ & serial::kRRESET) == 0 || rsrFull_) {
    ++receiveLost_;
    return 0;
  }
  ++wordsReceived_;
  if ((global_ & serial::kRRDY) != 0) {
    rsr_ = word & receiveMask();
    rsrFull_ = true;
    return 0;
  }
  drr_ = word & receiveMask();
  global_ |= serial::kRRDY;
  return (global_ & serial::kRINT) != 0 ? kRInt0 : 0;
}

/// True if the receiver is clocked at the frame's rate and edge, and knows where a word begins.
bool SerialPort::fits(const SerialFrame& f) const {
  if ((rPort_ & serial::kDFUNC) == 0) return false;
  if ((global_ & serial::kRCLKSRCE) != 0) {
    const BitClock own = timerClock(1);
    if (!own.running() ||
        own.cyclesNumerator * f.bitDenominator != f.bitNumerator * own.cyclesDenominator) {
      return false;
    }
  } else if ((rPort_ & serial::kCLKFUNC) == 0) {
    return false;
  }
  if (f.clockLow != ((global_ & serial::kCLKRP) != 0)) return false;
  if (handshake()) return true;  // the data tell
  if ((global_ & serial::kRFSM) != 0 && synced_) return true;
  return f.sync && (rPort_ & serial::kFSFUNC) != 0 && f.syncLow == ((global_ & serial::kFSRP) != 0);
}

/// The bits of a frame as the receiver samples them, most significant first (c32.md 8.6). Where the
/// line carries no word it reads 0.
void SerialPort::receiveFrame(const SerialFrame& f) {
  if ((global_ & serial::kRRESET) == 0) {
    ++receiveLost_;
    return;
  }
  int bits = f.bits;
  std::uint64_t stream = f.word;
  if (f.leadingOne) stream |= std::uint64_t{1} << bits++;
  if (f.dataLow != ((global_ & serial::kDRP) != 0)) {
    stream = ~stream & ((std::uint64_t{1} << bits) - 1);
  }
  if (!fits(f) || (handshake() && stream == 0)) {
    ++misframed_;
    return;
  }
  if (handshake()) {  // the word begins behind the first 1 on the line
    shifted_ = 0;
    const int length = static_cast<int>(std::bit_width(stream)) - 1;
    shiftIn(stream & ((std::uint64_t{1} << length) - 1), length, true, f);
    return;
  }
  const bool continuous = (global_ & serial::kRFSM) != 0;
  if (!continuous || !synced_) {
    shifted_ = 0;
    synced_ = true;
    // Standard frame sync is one bit ahead of the word, at variable rate it comes with the word.
    const bool variable = (global_ & serial::kRVAREN) != 0;
    if (variable && !f.variable) ++bits;
    if (!variable && f.variable) stream &= (std::uint64_t{1} << --bits) - 1;
  }
  shiftIn(stream, bits, !continuous, f);
}

/// `bits` of `stream` enter the shift register; each RLEN of them are a word. `fill`: one frame,
/// one word: bits beyond it are not looked at, missing ones read 0.
void SerialPort::shiftIn(std::uint64_t stream, int bits, bool fill, const SerialFrame& f) {
  const int length = 8 * (1 + static_cast<int>((global_ >> 20) & 3u));
  if (fill) {
    const bool whole = bits >= length;
    complete(whole ? stream >> (bits - length) : stream << (length - bits),
             whole ? bits - length : 0, f);
    return;
  }
  for (int n = bits - 1; n >= 0; --n) {
    shifter_ = shifter_ << 1 | (stream >> n & 1u);
    if (++shifted_ < length) continue;
    shifted_ = 0;
    complete(shifter_, n, f);
  }
}

/// A word of the receiver's is complete so many bits before the end of the frame.
void SerialPort::complete(std::uint64_t word, int bitsToCome, const SerialFrame& f) {
  const Cycle early = static_cast<Cycle>(bitsToCome) * f.bitNumerator / f.bitDenominator;
  Arrival a;
  a.cycle = f.arrival - std::min(f.arrival, early);
  a.frame.word = static_cast<std::uint32_t>(word);
  a.kind = Arrival::Kind::Received;
  insert(a);
}

std::uint32_t SerialPort::arrive(const Arrival& arrival) {
  if (arrival.kind == Arrival::Kind::Frame) {
    receiveFrame(arrival.frame);
    return 0;
  }
  if (arrival.kind == Arrival::Kind::Word && (rPort_ & serial::kDFUNC) == 0) {
    ++misframed_;
    return 0;
  }
  return receive(arrival.frame.word);
}

std::uint32_t SerialPort::advance(Cycle now, CpuPort& port) {
  std::uint32_t flags = 0;
  while (nextEvent_ <= now) {
    if (shifterEmpty_ != 0 && shifterEmpty_ <= now && shifterEmpty_ <= transfer_) {
      shifterEmpty_ = 0;
    } else if (transfer_ <= now) {
      flags |= loadShifter();
    } else if (!acknowledges_.empty() && acknowledges_.front() <= now) {
      const Cycle at = acknowledges_.front();
      acknowledges_.pop_front();
      flags |= acknowledged(at, port);
    } else {
      const Arrival arrival = arrivals_.front();
      arrivals_.pop_front();
      flags |= arrive(arrival);
    }
    updateNextEvent();
  }
  return flags;
}

/// Port timers raise XINT0 and RINT0 too, where enabled.
std::uint32_t SerialPort::timerFlags(bool transmit, bool receive) const {
  return (transmit && (global_ & serial::kXTINT) != 0 ? kXInt0 : 0) |
         (receive && (global_ & serial::kRTINT) != 0 ? kRInt0 : 0);
}

std::uint32_t SerialPort::advanceTimers(Cycle local) {
  const bool transmit = timers_[0].advance(local);
  const bool receive = timers_[1].advance(local);
  return timerFlags(transmit, receive);
}

Cycle SerialPort::nextTimerEvent(std::uint32_t ignored) const {
  const std::uint32_t wanted = timerFlags(true, true) & ~ignored;
  Cycle next = kNever;
  if ((wanted & kXInt0) != 0) next = timers_[0].nextRise();
  if ((wanted & kRInt0) != 0) next = std::min(next, timers_[1].nextRise());
  return next;
}

std::uint32_t SerialPort::writeTimerControl(std::uint32_t value, Cycle local) {
  timerControl_ = value & peripheralRegister(serial::kTimerControl)->mask(common::Access::Rw);
  const BitClock outside = externalHz_ == 0 ? BitClock{} : BitClock{h1Hz_, externalHz_};
  bool rises[2] = {};
  for (unsigned n = 0; n < 2; ++n) {
    const std::uint32_t half = value >> (n * kReceiveHalf);
    TimerCore& timer = timers_[n];
    rises[n] = timer.setMode((half & kClockMode) != 0, (half & kInternal) != 0 ? nullptr : &outside,
                             local);
    const bool runs = (half & kHld) != 0;
    rises[n] |= runs && (half & kGo) != 0 ? timer.restart(local) : timer.run(runs, local);
  }
  return timerFlags(rises[0], rises[1]);
}

Drive SerialPort::drive(Pin pin) const {
  const std::uint32_t bits = (pin < Pin::Clkr ? xPort_ : rPort_) >> pinShift(pin);
  if ((bits & kFunc) != 0 || (bits & kOutput) == 0) return Drive::Released;
  return (bits & kDatOut) != 0 ? Drive::High : Drive::Low;
}

void SerialPort::setPin(Pin pin, bool level) {
  const auto bit = static_cast<std::uint8_t>(1u << static_cast<unsigned>(pin));
  pins_ = static_cast<std::uint8_t>(level ? pins_ | bit : pins_ & ~bit);
}

/// A port control register with the pins' levels: what a general output drives, else what is
/// outside.
std::uint32_t SerialPort::pinControl(bool receiver) const {
  std::uint32_t value = receiver ? rPort_ : xPort_;
  const unsigned first = static_cast<unsigned>(receiver ? Pin::Clkr : Pin::Clkx);
  for (unsigned n = first; n < first + 3; ++n) {
    const auto pin = static_cast<Pin>(n);
    const Drive driven = drive(pin);
    const bool level = driven == Drive::Released ? (pins_ >> n & 1u) != 0 : driven == Drive::High;
    if (level) value |= kDatIn << pinShift(pin);
  }
  return value;
}

std::uint32_t SerialPort::peek(std::uint32_t address, Cycle local) const {
  std::array<TimerCore, 2> timers = timers_;
  for (TimerCore& timer : timers) timer.advance(local);
  switch (address) {
    case serial::kGlobal: {
      std::uint32_t value = global_ & ~(serial::kXRDY | serial::kXSREMPTY | serial::kRSRFULL);
      if ((global_ & serial::kXRESET) != 0) {
        if (!dxrFull_ && !awaitsAcknowledge_) value |= serial::kXRDY;
        if (shifterEmpty_ != 0) value |= serial::kXSREMPTY;  // 0 = empty
      }
      if (rsrFull_) value |= serial::kRSRFULL;
      return value;
    }
    case serial::kXPort:
      return pinControl(false);
    case serial::kRPort:
      return pinControl(true);
    case serial::kTimerControl:
      return timerControl_ | (timers[0].status(local) ? kStatus : 0) |
             (timers[1].status(local) ? kStatus << kReceiveHalf : 0);
    case serial::kTimerCounter:
      return timers[0].counter() | timers[1].counter() << 16;
    case serial::kTimerPeriod:
      return timers[0].period() | timers[1].period() << 16;
    case serial::kDXR:
      return dxr_;
    case serial::kDRR:
      return drr_;
    default:
      return 0;
  }
}

std::uint32_t SerialPort::read(std::uint32_t address, Cycle now, Cycle local, std::uint32_t& flags,
                               CpuPort& port) {
  const std::uint32_t value = peek(address, local);
  if (address != serial::kDRR) return value;
  global_ &= ~serial::kRRDY;
  if (rsrFull_) {  // the word that waited in the shift register moves up
    rsrFull_ = false;
    drr_ = rsr_;
    global_ |= serial::kRRDY;
    if ((global_ & serial::kRINT) != 0) flags |= kRInt0;
  }
  if (handshake()) sendAcknowledge(now, port);
  return value;
}

std::uint32_t SerialPort::write(std::uint32_t address, std::uint32_t value, Cycle now, Cycle local,
                                CpuPort& port) {
  const common::RegisterDescriptor* row = peripheralRegister(address);
  if (row == nullptr) return 0;
  const std::uint32_t kept = value & row->mask(common::Access::Rw);
  std::uint32_t flags = 0;
  std::uint32_t before = 0;
  switch (address) {
    case serial::kGlobal:
      before = global_;
      global_ = kept | (global_ & serial::kRRDY);
      if ((global_ & serial::kXRESET) == 0) resetTransmitter();
      if ((global_ & serial::kRRESET) == 0) resetReceiver();
      if (((before ^ global_) & serial::kRRESET) != 0) {
        port.serialReceiverEnabled((global_ & serial::kRRESET) != 0, now);
      }
      break;
    case serial::kXPort:
      xPort_ = kept;
      break;
    case serial::kRPort:
      rPort_ = kept;
      break;
    case serial::kTimerControl:
      flags = writeTimerControl(value, local);
      break;
    case serial::kTimerCounter:
      flags = timerFlags(timers_[0].setCounter(value, local),
                         timers_[1].setCounter(value >> 16, local));
      break;
    case serial::kTimerPeriod:
      flags =
          timerFlags(timers_[0].setPeriod(value, local), timers_[1].setPeriod(value >> 16, local));
      break;
    case serial::kDXR:
      if (dxrFull_ && !unclocked_) {
        ++transmitLost_;
        return 0;
      }
      dxr_ = value;
      if ((global_ & serial::kXRESET) == 0) return 0;
      dxrFull_ = true;
      unclocked_ = true;
      break;
    default:
      return 0;
  }
  if (dxrFull_ && unclocked_) schedule(now, port);
  updateNextEvent();
  return flags;
}

void SerialPort::deliver(std::uint32_t word, Cycle arrival) {
  Arrival a;
  a.cycle = arrival;
  a.frame.word = word;
  insert(a);
}

void SerialPort::deliver(const SerialFrame& frame) {
  const auto bits = static_cast<Cycle>(frame.bits) + kSerialExtraBits;
  const Cycle length = bits * frame.bitNumerator / frame.bitDenominator;
  insert({frame.arrival - std::min(frame.arrival, length), frame, Arrival::Kind::Frame});
}

void SerialPort::insert(const Arrival& arrival) {
  const auto place = std::upper_bound(arrivals_.begin(), arrivals_.end(), arrival.cycle,
                                      [](Cycle c, const Arrival& a) { return c < a.cycle; });
  arrivals_.insert(place, arrival);
  updateNextEvent();
}

}  // namespace rtvp::c32
