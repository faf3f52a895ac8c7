// DMA channels: see dma.hpp.
#include "models/c32/dma.hpp"

#include <algorithm>

#include "models/c32/peripheral_registers.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint32_t kBase[2] = {0x808000, 0x808010};
constexpr std::uint32_t kSource = 4, kDestination = 6, kCounter = 8;  // offsets from kBase

// Global control (c32.md 8.7).
constexpr std::uint32_t kStart = 3, kStatBetween = 1u << 2, kStatBusy = 3u << 2,
                        kIncSource = 1u << 4, kDecSource = 1u << 5, kIncDestination = 1u << 6,
                        kDecDestination = 1u << 7, kTc = 1u << 10, kTcInt = 1u << 11,
                        kRotateChannels = 1u << 14;
constexpr std::uint32_t kStopAccess = 1, kStopWord = 2;
constexpr std::uint32_t kMask24 = 0xFFFFFF;

constexpr unsigned sync(std::uint32_t control) {
  return (control >> 8) & 3u;
}

/// Both increment and decrement: no change.
constexpr std::uint32_t stepped(std::uint32_t address, bool up, bool down) {
  return (address + (up ? 1u : 0u) - (down ? 1u : 0u)) & kMask24;
}

}  // namespace

void Dma::reset() {
  *this = Dma();
}

/// The next access must not begin before its interrupt. An interrupt that starts a read lets the
/// write of SYNC = 3 pass too, since both sides have the same enable bits.
bool Dma::Channel::waits() const {
  const unsigned mode = sync(control);
  const bool wanted = phase == Phase::Read ? (mode & 1u) != 0 : mode == 2;
  return wanted && !started;
}

bool Dma::Channel::paused() const {
  const std::uint32_t start = control & kStart;
  return start == kStopAccess || (start == kStopWord && phase == Phase::Read);
}

Cycle Dma::Channel::startable() const {
  return !running() || paused() || waits() ? kNever : ready;
}

/// DMA PRI (c32.md 8.7): 0 gives way to the processor, 3 never, else they take turns.
bool Dma::Channel::yields() const {
  switch ((control >> 12) & 3u) {
    case 0:
      return true;
    case 3:
      return false;
    default:
      return !lostOnce;
  }
}

std::uint32_t Dma::read(std::uint32_t address) const {
  const Channel& c = channels_[address >= kBase[1] ? 1 : 0];
  switch (address & 0xFu) {
    case 0: {
      std::uint32_t stat = 0;
      if (c.running() && c.phase == Phase::Write) stat = kStatBetween;
      if (c.running() && c.phase == Phase::Read && !c.paused()) stat = kStatBusy;
      return c.control | stat;
    }
    case kSource:
      return c.source;
    case kDestination:
      return c.destination;
    case kCounter:
      return c.counter;
    default:
      return 0;
  }
}

void Dma::write(std::uint32_t address, std::uint32_t value, Cycle now, std::uint32_t flags,
                std::uint32_t ie) {
  const unsigned number = address >= kBase[1] ? 1 : 0;
  Channel& c = channels_[number];
  switch (address & 0xFu) {
    case 0: {
      c.control = value & peripheralRegister(kBase[number])->mask(common::Access::Rw);
      if ((value & kStart) == 0) {
        c.phase = Phase::Stopped;
        c.started = c.lostOnce = false;
        c.latched = 0;
      } else if ((value & kStart) == kStart) {
        if (c.phase == Phase::Stopped) {
          c.phase = Phase::Read;
          c.started = false;
        }
        c.ready = std::max(c.ready, now + 1);
        c.latched |= flags & dmaFlags(ie, number);
      }
      break;
    }
    case kSource:
      c.source = value & kMask24;
      break;
    case kDestination:
      c.destination = value & kMask24;
      break;
    case kCounter:
      c.counter = value & kMask24;
      break;
    default:
      break;
  }
  update();
}

/// Starts the channel's access if an interrupt it may use is there. Returns the IF bit used up.
std::uint32_t Dma::use(Channel& channel, std::uint32_t wanted, std::uint32_t ie, Cycle now) {
  if (!channel.running() || channel.paused() || !channel.waits()) return 0;
  const std::uint32_t usable = channel.latched & wanted;
  if (usable == 0) return 0;
  const std::uint32_t bit = usable & (~usable + 1u);
  channel.latched &= ~bit;
  channel.started = true;
  channel.ready = std::max(channel.ready, now + 1);
  return bit & ~(ie & 0xFFFu);  // one that the CPU wants stays for it
}

std::uint32_t Dma::offer(std::uint32_t raised, std::uint32_t ie, Cycle now) {
  std::uint32_t used = 0;
  for (unsigned n = 0; n < 2; ++n) {
    Channel& c = channels_[n];
    if (!c.running()) continue;
    const std::uint32_t wanted = dmaFlags(ie, n);
    c.latched |= raised & wanted;
    used |= use(c, wanted, ie, now);
  }
  update();
  return used;
}

void Dma::forget(std::uint32_t keptFlags) {
  for (Channel& c : channels_) c.latched &= keptFlags;
}

/// The channel that may go first: a word begun is finished; otherwise channel 0, or the one that
/// was not last.
unsigned Dma::turn() const {
  const Cycle zero = std::max(channels_[0].startable(), busFree_);
  const Cycle one = std::max(channels_[1].startable(), busFree_);
  if (channels_[0].startable() == kNever) return 1;
  if (channels_[1].startable() == kNever) return 0;
  if (within_ && channels_[last_].startable() <= std::max(zero, one)) return last_;
  if (zero != one) return zero < one ? 0 : 1;
  return (channels_[0].control & kRotateChannels) != 0 ? 1 - last_ : 0;
}

Dma::Turn Dma::next() const {
  const unsigned n = turn();
  const Channel& c = channels_[n];
  Turn t;
  t.channel = n;
  t.write = c.phase == Phase::Write;
  t.address = t.write ? c.destination : c.source;
  t.data = c.data;
  t.start = c.startable() == kNever ? kNever : std::max(c.startable(), busFree_);
  t.yields = c.yields();
  return t;
}

void Dma::update() {
  const Turn t = next();
  nextEvent_ = t.start == kNever ? kNever : t.start + (t.yields ? 1 : 0);
  nextEvent_ = std::min(nextEvent_, finishedAt_);
}

void Dma::refused(const Turn& turn, Cycle until) {
  Channel& c = channels_[turn.channel];
  c.ready = until;
  c.lostOnce = true;
  update();
}

void Dma::done(const Turn& turn, std::uint32_t data, Cycle until) {
  Channel& c = channels_[turn.channel];
  busFree_ = until;
  if (c.phase == Phase::Stopped) {  // it has just written its own control register
    update();
    return;
  }
  c.ready = until;
  c.lostOnce = false;
  last_ = turn.channel;
  within_ = !turn.write;
  if (!turn.write) {
    c.data = data;
    c.source = stepped(c.source, (c.control & kIncSource) != 0, (c.control & kDecSource) != 0);
    c.phase = Phase::Write;
    if (sync(c.control) == 2) c.started = false;
  } else {
    c.destination = stepped(c.destination, (c.control & kIncDestination) != 0,
                            (c.control & kDecDestination) != 0);
    c.counter = (c.counter - 1) & kMask24;
    c.phase = Phase::Read;
    c.started = false;
    if (c.counter == 0) {
      if ((c.control & kTcInt) != 0) {
        finished_ |= 1u << (10 + turn.channel);
        finishedAt_ = until;
      }
      if ((c.control & kTc) != 0) c.phase = Phase::Stopped;
    }
  }
  update();
}

std::uint32_t Dma::due(Cycle now) {
  if (finishedAt_ > now) return 0;
  const std::uint32_t bits = finished_;
  finished_ = 0;
  finishedAt_ = kNever;
  update();
  return bits;
}

void Dma::notBefore(Cycle cycle) {
  for (Channel& c : channels_) c.ready = std::max(c.ready, cycle);
  update();
}

}  // namespace rtvp::c32
