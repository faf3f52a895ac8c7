// Serial port: see serial_port.hpp.
#include "models/c32/serial_port.hpp"

#include <algorithm>

#include "models/c32/peripheral_registers.hpp"

namespace rtvp::c32 {
namespace {

__extension__ using Wide =
    unsigned __int128;  // edge number x clock rate exceeds 64 bits after days

constexpr std::uint32_t kXInt0 = 1u << 4;  // IF bits
constexpr std::uint32_t kRInt0 = 1u << 5;

constexpr std::uint32_t lengthMask(std::uint32_t code) {
  return code == 3 ? 0xFFFFFFFFu : (1u << (8 * (code + 1))) - 1u;
}

}  // namespace

std::uint64_t BitClock::edgeFrom(Cycle c) const {
  return static_cast<std::uint64_t>((Wide{c} * cyclesDenominator + cyclesNumerator - 1) /
                                    cyclesNumerator);
}

Cycle BitClock::cycleOf(std::uint64_t k) const {
  return static_cast<Cycle>((Wide{k} * cyclesNumerator + cyclesDenominator - 1) /
                            cyclesDenominator);
}

SerialPort::SerialPort(std::uint64_t h1Hz, std::uint64_t externalHz)
    : h1Hz_(h1Hz), externalHz_(externalHz) {}

void SerialPort::reset() {
  global_ = xPort_ = rPort_ = timerControl_ = timerCounter_ = timerPeriod_ = 0;
  dxr_ = drr_ = rsr_ = 0;
  rsrFull_ = false;
  resetTransmitter();
  updateNextEvent();
}

void SerialPort::resetTransmitter() {
  dxrFull_ = unclocked_ = false;
  transfer_ = kNever;
  shifterEmpty_ = 0;
  lastEdge_ = 0;
}

BitClock SerialPort::transmitClock() const {
  if ((global_ & serial::kXCLKSRCE) == 0) {
    return externalHz_ == 0 ? BitClock{} : BitClock{h1Hz_, externalHz_};
  }
  // Port timer at H1/2: XHLD (bit 1) lets it run, XC/P (bit 2) selects clock mode, half the rate of
  // pulse mode.
  const std::uint64_t period = timerPeriod_ & 0xFFFFu;
  if ((timerControl_ & 2u) == 0 || period == 0) return {};
  return {((timerControl_ & 4u) != 0 ? 4u : 2u) * period, 1};
}

std::uint32_t SerialPort::receiveMask() const {
  return lengthMask((global_ >> 20) & 3u);
}

/// The word in DXR gets its place on the wire: the next bit edge, or the end of the word before it.
/// Without continuous mode a frame sync pulse of one bit precedes each word.
void SerialPort::schedule(Cycle now, CpuPort& port) {
  const BitClock clock = transmitClock();
  if (!clock.running() || (global_ & serial::kXRESET) == 0) {
    unclocked_ = true;
    return;
  }
  unclocked_ = false;
  std::uint64_t edge = std::max(clock.edgeFrom(now + 1), lastEdge_);
  const std::uint64_t frame = (global_ & serial::kXFSM) != 0 ? 0 : 1;
  edge += frame;
  const auto bits = static_cast<std::uint64_t>(transmitBits());
  transfer_ = clock.cycleOf(edge);
  lastEdge_ = edge + bits;
  ++wordsSent_;
  port.serialTransmitted(dxr_ & lengthMask((global_ >> 18) & 3u), static_cast<int>(bits),
                         clock.cycleOf(edge + bits + kSerialExtraBits));
}

void SerialPort::updateNextEvent() {
  nextEvent_ = transfer_;
  if (shifterEmpty_ != 0) nextEvent_ = std::min(nextEvent_, shifterEmpty_);
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

std::uint32_t SerialPort::advance(Cycle now) {
  std::uint32_t flags = 0;
  while (nextEvent_ <= now) {
    if (shifterEmpty_ != 0 && shifterEmpty_ <= now && shifterEmpty_ <= transfer_) {
      shifterEmpty_ = 0;
    } else if (transfer_ <= now) {
      // The shift register takes the word; DXR is free for the next one.
      transfer_ = kNever;
      dxrFull_ = false;
      const BitClock clock = transmitClock();
      shifterEmpty_ = clock.running() ? clock.cycleOf(lastEdge_) : now + 1;
      if ((global_ & serial::kXINT) != 0) flags |= kXInt0;
    } else {
      const Arrival arrival = arrivals_.front();
      arrivals_.pop_front();
      flags |= receive(arrival.word);
    }
    updateNextEvent();
  }
  return flags;
}

std::uint32_t SerialPort::peek(std::uint32_t address) const {
  switch (address) {
    case serial::kGlobal: {
      std::uint32_t value = global_ & ~(serial::kXRDY | serial::kXSREMPTY | serial::kRSRFULL);
      if ((global_ & serial::kXRESET) != 0) {
        if (!dxrFull_) value |= serial::kXRDY;
        if (shifterEmpty_ != 0) value |= serial::kXSREMPTY;  // 0 = empty
      }
      if (rsrFull_) value |= serial::kRSRFULL;
      return value;
    }
    case serial::kXPort:
      return xPort_;
    case serial::kRPort:
      return rPort_;
    case serial::kTimerControl:
      return timerControl_;
    case serial::kTimerCounter:
      return timerCounter_;
    case serial::kTimerPeriod:
      return timerPeriod_;
    case serial::kDXR:
      return dxr_;
    case serial::kDRR:
      return drr_;
    default:
      return 0;
  }
}

std::uint32_t SerialPort::read(std::uint32_t address, Cycle /*now*/, std::uint32_t& flags) {
  const std::uint32_t value = peek(address);
  if (address != serial::kDRR) return value;
  global_ &= ~serial::kRRDY;
  if (rsrFull_) {  // the word that waited in the shift register moves up
    rsrFull_ = false;
    drr_ = rsr_;
    global_ |= serial::kRRDY;
    if ((global_ & serial::kRINT) != 0) flags |= kRInt0;
  }
  return value;
}

void SerialPort::write(std::uint32_t address, std::uint32_t value, Cycle now, CpuPort& port) {
  const common::RegisterDescriptor* row = peripheralRegister(address);
  if (row == nullptr) return;
  const std::uint32_t kept = value & row->mask(common::Access::Rw);
  switch (address) {
    case serial::kGlobal:
      global_ = kept | (global_ & serial::kRRDY);
      if ((global_ & serial::kXRESET) == 0) resetTransmitter();
      if ((global_ & serial::kRRESET) == 0) {
        global_ &= ~serial::kRRDY;
        rsrFull_ = false;
      }
      break;
    case serial::kXPort:
      xPort_ = kept;
      break;
    case serial::kRPort:
      rPort_ = kept;
      break;
    case serial::kTimerControl:
      timerControl_ = kept;
      break;
    case serial::kTimerCounter:
      timerCounter_ = kept;
      break;
    case serial::kTimerPeriod:
      timerPeriod_ = kept;
      break;
    case serial::kDXR:
      if (dxrFull_ && !unclocked_) {
        ++transmitLost_;
        return;
      }
      dxr_ = value;
      if ((global_ & serial::kXRESET) == 0) return;
      dxrFull_ = true;
      unclocked_ = true;
      break;
    default:
      return;
  }
  if (dxrFull_ && unclocked_) schedule(now, port);
  updateNextEvent();
}

void SerialPort::deliver(std::uint32_t word, Cycle arrival) {
  const auto place = std::upper_bound(arrivals_.begin(), arrivals_.end(), arrival,
                                      [](Cycle c, const Arrival& a) { return c < a.cycle; });
  arrivals_.insert(place, {arrival, word});
  updateNextEvent();
}

}  // namespace rtvp::c32
