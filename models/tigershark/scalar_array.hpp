// The array on scalar processors: one c32::Cpu a lane, run one after the other.
//
// How lockstep is kept cheap (the tricks, and the invariant each preserves):
//  - The master runs first. Each of its shared accesses goes to the board once and into the epoch's
//  log; a slave that
//    comes to its next access finds the word there and goes on without leaving its run. The log
//    entry's cycle, address and strobe must equal the slave's: that *is* the lockstep check
//    (TS-003, TS-004).
//  - Nobody waits for a partner lane inside an epoch except to read the vote line, whose level
//  needs every lane's pulls
//    up to the cycle that the synchroniser shows.
//  - Chain links point one way, from lane i to lane i+1, and lanes run in that order, so a lane
//  that ran until it
//    waits has sent everything its successor can see by then.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/c32/blocks/engine.hpp"
#include "models/tigershark/array_engine.hpp"
#include "models/tigershark/wire_or.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::tigershark {

class ScalarArray final : public ArrayEngine {
 public:
  ScalarArray(const ArrayConfig& config, ArrayBoard& board);
  ~ScalarArray() override;
  ScalarArray(const ScalarArray&) = delete;
  ScalarArray& operator=(const ScalarArray&) = delete;

  void reset(Cycle cycle) override;
  ArrayOutcome advance(Cycle horizon) override;
  void release(Cycle edge) override;
  void chainInput(std::uint32_t word, Cycle arrival) override;

  [[nodiscard]] const ArrayError& error() const override { return error_; }
  [[nodiscard]] HostCounters hostCounters() const override;
  /// HostCounters::bytes of this engine.
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] ArrayCounters counters(Cycle now) const override;
  [[nodiscard]] c32::CpuStatistics laneStatistics(int index, Cycle now) const override;
  [[nodiscard]] LaneView lane(int index) const override;
  [[nodiscard]] bool allArrived() const override { return arrived_ == lanes_.size(); }
  [[nodiscard]] bool voteLineHigh(Cycle cycle) const override { return vote_.high(cycle); }
  [[nodiscard]] std::optional<std::uint32_t> peek(int lane, std::uint32_t address) const override;
  [[nodiscard]] unsigned lanesAboveZero(std::uint32_t address) const override;
  [[nodiscard]] bool isAboveZero(int lane, std::uint32_t address) const override;
  [[nodiscard]] std::uint64_t votes() const override { return counters_.votes; }
  [[nodiscard]] Cycle nextStart() const override;
  [[nodiscard]] c32::Cpu& processor(int lane) override;
  void setStops(const std::vector<const c32::StopPlaces*>& lanes) override;
  [[nodiscard]] Cycle halted() const override { return halted_; }
  void keepAccounts() override;
  [[nodiscard]] c32::PlaceCosts laneCosts(int lane, Cycle now) const override;
  [[nodiscard]] std::string describe() const override;
  void setProbe(ArrayProbe* probe) override;

  [[nodiscard]] bool asleep() const override;
  void state(common::StateArchive& a) override;

 private:
  friend class SimtArray;  // borrows the lanes (simt_array.hpp)
  class Lane;
  struct Access {
    c32::BusRequest request;  ///< as the master made it; request.cycle is when it started
    ArrayBoard::SharedReply reply;
  };

  // What a lane's port asks for.
  c32::BusReply access(Lane& lane, const c32::BusRequest& request);
  ArrayBoard::SharedReply ask(const c32::BusRequest& request);
  void noteAccess(const c32::BusRequest& request, const ArrayBoard::SharedReply& shared);
  c32::BusReply masterAccess(Lane& lane, const c32::BusRequest& request);
  c32::BusReply slaveAccess(Lane& lane, const c32::BusRequest& request);
  c32::BusReply refuse(Lane& lane, const c32::BusRequest& request, ArrayError::Kind kind,
                       std::string what, std::string others = {});
  static c32::BusReply reply(const c32::BusRequest& request, const ArrayBoard::SharedReply& shared);
  void skipMasterWrites(Lane& lane, Cycle before) const;
  void openTape(Lane& lane) const;
  void followTape(Lane& lane) const;
  void closeTape(Lane& lane) const;
  void pinsDriven(Lane& lane, c32::Drive xf0, c32::Drive xf1, Cycle cycle);
  c32::PinReply pinsSampled(Lane& lane, Cycle cycle);
  struct Sample {
    Cycle seen;
    bool high;
  };
  [[nodiscard]] const Sample* sampleOf(Cycle seen) const;
  bool addSample(Cycle seen, std::size_t pullers);
  void transmitted(Lane& lane, std::uint32_t word, Cycle arrival);
  void transmittedAll(Lane& lane, std::span<const c32::SerialWord> words);
  void deliver(Lane& lane, std::uint32_t word, Cycle arrival);
  void slept(const Lane& lane, Cycle from, Cycle to);

  // One advance().
  void runLanes(Cycle horizon);
  void updateFrontier();
  bool wakeWaiting();
  void trimLog();
  [[nodiscard]] bool masterCannotJoin(Cycle cycle) const;
  [[nodiscard]] ArrayOutcome classify(Cycle horizon);
  void checkMissingAccesses();

  void fail(Lane& lane, ArrayError::Kind kind, const c32::BusRequest& request, std::string what,
            std::string others);
  void failFault(Lane& lane);
  ArrayOutcome raise();
  [[nodiscard]] std::uint32_t instructionAt(const Lane& lane, std::uint32_t pc) const;
  [[nodiscard]] std::string laneText(const Lane& lane) const;

  ArrayConfig config_;
  ArrayBoard& board_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  WireOr vote_;

  std::vector<Access>
      log_;  ///< the master's shared accesses of this epoch that some slave has not made yet
  std::vector<c32::BusTape::Entry> tape_;  ///< the same for the slaves' processors
  /// Accesses that the board has answered already, before the SIMT machine gave the lanes back.
  std::vector<Access> answered_;
  Cycle lastArrival_ = 0;
  std::size_t arrived_ = 0;
  Cycle frontier_ = 0;  ///< every lane's pulls up to this cycle are known

  // Lanes ask for the vote line's level in the same cycle as a rule: it is worked out, and counted,
  // once for each. Cycles that nobody can ask for any more are forgotten.
  std::vector<Sample> samples_;

  /// Speed setting: the lanes run through it where it can, else by themselves.
  std::unique_ptr<c32::blocks::Engine> blocks_;

  std::vector<std::unique_ptr<c32::CycleAccount>> accounts_;  ///< by lane; empty: nobody asks
  Cycle halted_ = c32::kNever;
  const c32::StopPlaces* stops_ = nullptr;  ///< of any lane
  bool anyError_ = false;  ///< some lane has an error that advance() has not raised yet
  bool failed_ = false;
  ArrayError error_;
  ArrayCounters counters_;
  ArrayProbe* probe_ = nullptr;
  bool sleepWatched_ = false;
};

}  // namespace rtvp::tigershark
