#include "models/c32/blocks/quick_serial.hpp"

namespace rtvp::c32::blocks {

bool QuickSerial::usable(const SerialPort& p) {
  constexpr std::uint32_t kRunning = serial::kXRESET | serial::kRRESET | 0xFu << 18;  // 32 bits
  constexpr std::uint32_t kOther =
      serial::kHS | serial::kXCLKSRCE | serial::kRCLKSRCE | serial::kXVAREN;
  constexpr std::uint32_t kPins = serial::kCLKFUNC | serial::kDFUNC;
  const std::uint32_t g = p.global_;
  return (g & kRunning) == kRunning && (g & kOther) == 0 && (g & serial::kXFSM) != 0 &&
         (p.xPort_ & kPins) == kPins && (p.rPort_ & serial::kDFUNC) != 0 && p.externalHz_ != 0 &&
         !p.options_.blockSync && ((g & serial::kFSXOUT) != 0 || p.options_.externalSync) &&
         !p.unclocked_ && !p.awaitsAcknowledge_ && p.acknowledges_.empty() && !p.timersRun();
}

bool QuickSerial::collect() {
  if (!std::all_of(p_.arrivals_.begin(), p_.arrivals_.end(),
                   [](const auto& a) { return a.kind == SerialPort::Arrival::Kind::Word; })) {
    return false;
  }
  while (!p_.arrivals_.empty()) {
    const SerialPort::Arrival& last = p_.arrivals_.back();
    inbox_.pushFront({last.cycle, last.frame.word});
    p_.arrivals_.pop_back();
  }
  return true;
}

void QuickSerial::handOver(std::size_t count) {
  while (count-- != 0) {
    const Inbox::Word w = inbox_.pop();
    p_.deliver(w.word, w.arrival);
  }
}

}  // namespace rtvp::c32::blocks
