// The C32's DMA coprocessor (c32.md 8.7): registers of the two channels, who is next and when. The
// accesses themselves are the processor's (cpu_dma.cpp), which knows memory and bus.
#pragma once

#include <array>
#include <cstdint>

#include "models/c32/port.hpp"

namespace rtvp::common {
class StateArchive;
}

namespace rtvp::c32 {

/// A bit of IE's upper half that lets an interrupt synchronise a channel.
struct DmaEnable {
  std::uint8_t ie;       ///< bit of IE
  std::uint8_t channel;  ///< 0 or 1
  std::uint8_t flag;     ///< bit of IF
};
/// c32.md 1.3: the C31's bits serve channel 0; the bits it leaves free serve channel 1, in an order
/// that is not documented. Channel 1 has no timer bits: seven bits are left for nine sources.
inline constexpr std::array<DmaEnable, 16> kDmaEnables{{
    {16, 0, 0},
    {17, 0, 1},
    {18, 0, 2},
    {19, 0, 3},
    {20, 0, 4},
    {21, 0, 5},
    {24, 0, 8},
    {25, 0, 9},
    {26, 0, 11},
    {22, 1, 4},
    {23, 1, 5},
    {27, 1, 10},
    {28, 1, 0},
    {29, 1, 1},
    {30, 1, 2},
    {31, 1, 3},
}};

/// IF bits that `ie` enables for `channel`.
[[nodiscard]] constexpr std::uint32_t dmaFlags(std::uint32_t ie, unsigned channel) {
  std::uint32_t flags = 0;
  for (const DmaEnable& e : kDmaEnables) {
    if (e.channel == channel && (ie >> e.ie & 1u) != 0) flags |= 1u << e.flag;
  }
  return flags;
}

class Dma {
 public:
  /// The next access of a channel.
  struct Turn {
    unsigned channel = 0;
    bool write = false;
    std::uint32_t address = 0;
    std::uint32_t data = 0;  ///< to write
    Cycle start = kNever;    ///< not before
    /// The access needs to know that the processor leaves the cycle free, so it is decided one
    /// cycle later.
    bool yields = true;
  };

  void reset();
  /// All of it, both ways (cpu_archive.cpp).
  void state(common::StateArchive& a);

  [[nodiscard]] std::uint32_t read(std::uint32_t address) const;
  /// `now`: cycle of the write; `flags`, `ie`: IF and IE.
  void write(std::uint32_t address, std::uint32_t value, Cycle now, std::uint32_t flags,
             std::uint32_t ie);

  /// Interrupt flags `raised` at `now`. Returns the IF bits to clear: those that started a channel
  /// and that the CPU does not want too.
  std::uint32_t offer(std::uint32_t raised, std::uint32_t ie, Cycle now);
  /// Software changed IF: what is gone there no longer starts a channel.
  void forget(std::uint32_t keptFlags);

  [[nodiscard]] bool active() const { return channels_[0].running() || channels_[1].running(); }
  /// No channel runs, and no interrupt of one that has ended is to come.
  [[nodiscard]] bool quiet() const { return !active() && finishedAt_ == kNever; }
  /// When next() can be decided, kNever if nothing is to do.
  [[nodiscard]] Cycle nextEvent() const { return nextEvent_; }
  [[nodiscard]] Turn next() const;
  /// The access found its memory busy until `until`.
  void refused(const Turn& turn, Cycle until);
  /// The access of `turn` is over at `until`; `data`: the word read.
  void done(const Turn& turn, std::uint32_t data, Cycle until);
  /// IF bits of transfers that are complete at `now`.
  std::uint32_t due(Cycle now);
  /// Nothing starts before `cycle`: the clocks stood still.
  void notBefore(Cycle cycle);

 private:
  enum class Phase : std::uint8_t { Stopped, Read, Write };
  struct Channel {
    std::uint32_t control = 0;
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    std::uint32_t counter = 0;
    std::uint32_t data = 0;
    std::uint32_t latched = 0;  ///< IF bits seen and not yet used
    Phase phase = Phase::Stopped;
    bool started = false;   ///< the interrupt this access waited for has come
    bool lostOnce = false;  ///< rotating priority: the processor had its turn
    Cycle ready = 0;        ///< next access not before
    void state(common::StateArchive& a);

    [[nodiscard]] bool running() const { return phase != Phase::Stopped && (control & 3u) != 0; }
    [[nodiscard]] bool waits() const;
    [[nodiscard]] bool paused() const;
    [[nodiscard]] Cycle startable() const;
    [[nodiscard]] bool yields() const;
  };

  std::uint32_t use(Channel& channel, std::uint32_t wanted, std::uint32_t ie, Cycle now);
  [[nodiscard]] unsigned turn() const;
  void update();

  std::array<Channel, 2> channels_;
  unsigned last_ = 1;    // channel that moved a word last
  bool within_ = false;  // channel last_ has read and not yet written
  Cycle busFree_ = 0;    // the DMA bus: one access at a time
  Cycle nextEvent_ = kNever;
  std::uint32_t finished_ = 0;  // DINT to raise
  Cycle finishedAt_ = kNever;
};

}  // namespace rtvp::c32
