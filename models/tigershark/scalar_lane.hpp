// A lane of the scalar array; internal to the array engines, because the SIMT array takes lanes
// over and gives them back.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "models/tigershark/scalar_array.hpp"

namespace rtvp::tigershark {

/// A bus access in the words of a report.
[[nodiscard]] std::string accessText(const c32::BusRequest& request);

/// One processor with its pins and its place in the epoch.
class ScalarArray::Lane final : public c32::CpuPort {
 public:
  Lane(ScalarArray& array, std::size_t laneIndex, const c32::CpuConfig& config)
      : index(laneIndex), cpu(config, *this), station(cpu), array_(array) {
    if (index != 0) cpu.setTape(&tape);
  }

  enum class State : std::uint8_t {
    Ready,    ///< can run
    Horizon,  ///< reached the cycle limit
    Held,     ///< arrived; its access waits for the release
    Master,   ///< its access waits for the master to make it
    Log,      ///< master only: the slaves are too far behind
    Pins,     ///< reads the vote line before the others reached that cycle
    Idle,     ///< IDLE, nothing on the way
    Failed,   ///< error tells
  };

  c32::BusReply busAccess(const c32::BusRequest& request) override {
    return array_.access(*this, request);
  }
  void pinsDriven(c32::Drive drive0, c32::Drive drive1, Cycle cycle) override {
    array_.pinsDriven(*this, drive0, drive1, cycle);
  }
  c32::PinReply pinsSampled(Cycle cycle) override { return array_.pinsSampled(*this, cycle); }
  void serialTransmitted(std::uint32_t word, int /*bits*/, Cycle complete) override {
    array_.transmitted(*this, word, complete);
  }
  void serialTransmittedAll(std::span<const c32::SerialWord> words) override {
    array_.transmittedAll(*this, words);
  }
  void slept(Cycle from, Cycle to) override { array_.slept(*this, from, to); }

  [[nodiscard]] bool runnable(Cycle horizon) const {
    // An idle processor's clock stands still; what counts is when it may wake.
    return state == State::Ready ||
           (state == State::Horizon && (cpu.idle() ? station.nextEvent() : cpu.cycle()) < horizon);
  }
  /// It fell asleep in the last cycle before a horizon, and nothing on its way will wake it.
  [[nodiscard]] bool asleepForGood() const {
    return state == State::Horizon && cpu.idle() && station.nextEvent() == c32::kNever;
  }
  c32::BusReply block(State why, const c32::BusRequest& request) {
    state = why;
    blocked = request;
    if (why == State::Held) waitedAt = request.pc;
    return {.status = c32::BusReply::Status::Blocked};
  }
  /// Back to the state after reset; the processor itself is reset by the caller.
  void restart() {
    state = State::Ready;
    logIndex = 0;
    arrived = false;
    arrival = heldUntil = pinsAt = 0;
    xf0 = xf1 = c32::Drive::Released;
    error.reset();
  }

  // What the array goes through for all lanes at each barrier comes first: two cache lines a lane.
  std::size_t index;
  State state = State::Ready;
  bool arrived = false;
  c32::Drive xf0 = c32::Drive::Released;
  c32::Drive xf1 = c32::Drive::Released;
  std::size_t logIndex = 0;  ///< slaves: next access of the epoch
  Cycle arrival = 0;
  Cycle heldUntil = 0;      ///< release edge of the barrier it was held at
  c32::BusTape tape;        ///< slaves, while they run: the log from logIndex on
  c32::BusRequest blocked;  ///< State::Held, Master: the access
  Cycle pinsAt = 0;         ///< State::Pins: cycle of the reading
  // As in LaneView; a reset leaves them.
  std::uint32_t waitedAt = 0;
  std::uint64_t wordsSent = 0;
  Cycle lastSent = 0;
  c32::Cpu cpu;
  c32::blocks::Station station;  ///< words on their way, if the array runs blocks
  std::optional<ArrayError> error;

 private:
  ScalarArray& array_;
};

}  // namespace rtvp::tigershark
