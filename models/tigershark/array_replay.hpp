// Runs an array again from its recording (array_recorder.hpp), on the scalar engine, where every
// lane can be looked at. Answers, barriers and the lanes' last state must be those of the
// recording.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/c32/cpu_observer.hpp"
#include "models/debug/log_bytes.hpp"
#include "models/tigershark/array_engine.hpp"

namespace rtvp::tigershark {

class ArrayReplay final : private ArrayBoard {
 public:
  /// `observers`: by lane, null: nobody; in place within the recorded window. They outlive it.
  /// `writer`: the version that made the recording, for messages.
  ArrayReplay(const ArrayConfig& config, std::vector<c32::CpuObserver*> observers,
              std::string writer);
  ~ArrayReplay() override;

  /// The next piece of the recording, which outlives the replay; in order, all before the first
  /// step().
  void add(std::string_view events) { pieces_.push_back(events); }
  /// One more event from outside and all that it leads to; false: there are no more. Throws
  /// std::runtime_error if the recording ends too soon, makes no sense, or is of another machine.
  bool step();

 private:
  SharedReply sharedAccess(const c32::BusRequest& request) override;
  void chainOutput(std::uint32_t /*word*/, Cycle /*arrival*/) override {}

  bool handle();
  [[nodiscard]] bool refill();
  unsigned nextByte();
  Cycle cycle();
  void restore();
  c32::Cpu& processor();
  void setRegister();
  void poke();
  void expectOutcome(const ArrayOutcome& outcome);
  void expectEnds();
  [[noreturn]] void differs(const std::string& found, const std::string& expected) const;

  int lanes_;
  std::unique_ptr<ArrayEngine> engine_;
  std::vector<c32::CpuObserver*> observers_;
  std::string writer_;
  std::deque<std::string_view> pieces_;
  debug::LogReader from_{std::string_view()};
  bool over_ = false;
  Cycle last_ = 0;
  std::uint32_t address_ = 0;
  std::uint32_t waitStates_ = 0;
};

}  // namespace rtvp::tigershark
