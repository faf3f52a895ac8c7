// The array on the SIMT machine (models/c32/simt): between barriers one decoded instruction is
// applied to all lanes that stand at it.
//
// It is the scalar array with a faster way through the walk of the database. The scalar lanes boot,
// serve the chain, take interrupts and report errors; after a barrier's release, when all lanes
// stand in step, the machine takes them over and keeps them from barrier to barrier until it meets
// something that its kernels do not cover. Then the lanes continue where the machine stopped, so a
// lockstep violation is found, named and timed by the scalar engine in any case.
#pragma once

#include <array>
#include <optional>

#include "models/c32/simt/machine.hpp"
#include "models/tigershark/scalar_array.hpp"
#include "models/tigershark/vote_pulses.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::tigershark {

class SimtArray final : public ArrayEngine, private c32::simt::VectorBoard {
 public:
  SimtArray(const ArrayConfig& config, ArrayBoard& board, c32::simt::Isa isa,
            const EngineChoice& choice = {});
  ~SimtArray() override;

  void reset(Cycle cycle) override;
  ArrayOutcome advance(Cycle horizon) override;
  void release(Cycle edge) override;
  void chainInput(std::uint32_t word, Cycle arrival) override;

  [[nodiscard]] const ArrayError& error() const override { return scalar_.error(); }
  [[nodiscard]] ArrayCounters counters(Cycle now) const override;
  [[nodiscard]] c32::CpuStatistics laneStatistics(int index, Cycle now) const override;
  [[nodiscard]] LaneView lane(int index) const override;
  [[nodiscard]] bool allArrived() const override;
  [[nodiscard]] bool voteLineHigh(Cycle cycle) const override {
    pulses_.flush(scalar_.vote_);
    return scalar_.voteLineHigh(cycle);
  }
  [[nodiscard]] std::optional<std::uint32_t> peek(int lane, std::uint32_t address) const override;
  [[nodiscard]] unsigned lanesAboveZero(std::uint32_t address) const override;
  [[nodiscard]] bool isAboveZero(int lane, std::uint32_t address) const override;
  [[nodiscard]] std::uint64_t votes() const override { return scalar_.votes(); }
  [[nodiscard]] Cycle nextStart() const override;
  [[nodiscard]] c32::Cpu& processor(int lane) override;
  void setStops(const std::vector<const c32::StopPlaces*>& lanes) override;
  [[nodiscard]] Cycle halted() const override { return scalar_.halted(); }
  void setStepping(bool stepping) override { stepping_ = stepping; }
  void keepAccounts() override;
  [[nodiscard]] c32::PlaceCosts laneCosts(int lane, Cycle now) const override;
  [[nodiscard]] std::string describe() const override;
  void setProbe(ArrayProbe* probe) override { scalar_.setProbe(probe); }

  [[nodiscard]] bool asleep() const override;
  void state(common::StateArchive& a) override;
  [[nodiscard]] HostCounters hostCounters() const override;
  /// What the vector path did: speed, not simulation.
  [[nodiscard]] const c32::simt::MachineCounters& machineCounters() const {
    return machine_.counters();
  }

 private:
  /// Lanes to the scalar array, in the state it would have.
  void giveBack() const;
  bool mayTake();
  ArrayOutcome runMachine(Cycle horizon, bool& stopped);

  Reply read(const c32::BusRequest& request) override;
  Window window() override;
  void windowRead(std::uint64_t words, std::uint64_t fetched, Cycle cycle) override;
  void handOver(unsigned processor) override;
  void voteDriven(const c32::simt::LaneMask& low, const c32::simt::LaneMask& released, Cycle cycle,
                  const std::int64_t* late) override;
  bool voteHigh(Cycle cycle) override;

  // Looking at a lane brings the lanes back first: another representation of the same state.
  mutable ScalarArray scalar_;
  mutable c32::simt::Machine machine_;
  c32::CycleAccount common_;        ///< of what the machine did with all lanes alike
  mutable bool released_ = false;   ///< a release was the last thing that happened
  mutable bool atBarrier_ = false;  ///< the machine stands at a complete barrier
  bool stepping_ = false;           ///< the scalar lanes do it all
  bool waitedInMachine_ = false;    ///< the latest barrier: the lanes do not know where
  std::uint32_t waitedAt_ = 0;      ///< there
  Cycle edge_ = 0;
  Cycle horizon_ = 0;

  // A shared access may suspend the array while the outside goes on (strict timing). What it then
  // asks is answered from the lanes as they were taken over; its words wait for the next stop.
  bool running_ = false;
  struct Word {
    std::uint32_t word;
    Cycle arrival;
  };
  std::vector<Word> waitingWords_;

  // Where in the program the machine could not go far: the lanes are not taken over at every visit.
  struct Start {
    std::uint32_t pc = 0;
    unsigned failures = 0;
    unsigned skip = 0;  ///< visits to pass over
  };
  Start& startAt(std::uint32_t pc);
  std::array<Start, 8> starts_{};
  std::size_t oldestStart_ = 0;
  std::uint32_t takenAt_ = 0;
  std::uint64_t issuesAtTake_ = 0;

  // The latest two reads, should they have to be made again (Machine::readsInVain).
  ScalarArray::Access latest_[2];
  unsigned oldest_ = 0;

  // The vote line as long as all lanes pull and let go together; the lanes' own history otherwise.
  std::size_t pulling_ = 0;
  Cycle pulledFrom_ = 0;
  Cycle quietFrom_ = 0;  ///< no pull older than the present one counts from here on
  bool together_ = false;
  mutable VotePulses pulses_;  ///< what the histories do not know yet
};

}  // namespace rtvp::tigershark
