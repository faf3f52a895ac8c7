// The unit without SystemC: takes job descriptors from memory, runs them on the render stages,
// gives them time on the cores and writes the results back.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "models/common/core/work_pool.hpp"
#include "models/implicit/render/counters.hpp"
#include "models/implicit/render/frame.hpp"
#include "models/implicit/unit/cores.hpp"
#include "models/implicit/unit/counter_rows.hpp"
#include "models/implicit/unit/faults.hpp"
#include "models/implicit/unit/frame_stage.hpp"
#include "models/implicit/unit/memory_map.hpp"
#include "models/implicit/unit/objects.hpp"
#include "models/implicit/unit/port.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::implicit::unit {

/// How a job ended.
struct JobResult {
  Fault fault = Fault::None;
  std::uint32_t object = kNone, position = kNone;
  std::uint64_t address = 0;
  std::string text;         ///< of a fault
  std::uint32_t count = 0;  ///< leaves, pixels or rays
  Clock end = 0;
  bool descriptor_read = false;  ///< there is somewhere to write the result to
};

/// Sums over jobs that have ended.
struct EngineTotals {
  render::Counters counters;
  std::vector<CoreCounters> cores;
  std::array<TrafficTotals, kTraffics> traffic{};
  Clock front = 0;  ///< clocks with a job under way
  std::uint64_t jobs = 0, faults = 0;
  std::array<std::uint64_t, 3> kinds{};  ///< HULL, FRAME, RAYS
};

/// For checkpoints.
void stateOf(common::StateArchive& a, EngineTotals& totals);

/// Speed settings: how rays of a list are traced ahead of their turn.
struct Ahead {
  std::shared_ptr<common::WorkPool> pool;  ///< threads, or null: all on the caller's
  /// Side by side: the more, the more of them meet in a leaf.
  std::uint32_t rays = 2048;
};

class RayStage;

class Engine {
 public:
  /// Throws std::invalid_argument on timing out of range.
  Engine(const Timing& timing, Memory& memory, Ahead ahead = {});

  /// Reads and runs the descriptor at `address` from clock `at` on. JobFault never leaves; what
  /// Memory::reached() throws does, after which abort() is due.
  JobResult run(const Configuration& configuration, std::uint64_t address, Clock at);
  /// Writes `result` into the descriptor at its end. False: the bus refused it.
  bool complete(std::uint64_t address, JobResult& result);
  /// The job counts from now on.
  void retire(const JobResult& result);
  /// Sees jobs that count; for cost maps.
  struct JobReport {
    std::uint32_t kind;  ///< job::kHull ...
    Clock worked;        ///< core clocks with a warp, of all cores
  };
  void setJobObserver(std::function<void(const JobReport&)> observer) {
    job_observer_ = std::move(observer);
  }
  /// Who sees evaluations from within; null: nobody. Must outlive the jobs.
  void setWatch(render::EvaluationWatch* watch) { watch_ = watch; }
  /// The front end's, of the job under way, or the end of the latest.
  [[nodiscard]] Clock clock() const { return now_ == nullptr ? last_ : *now_; }
  /// The job under way is lost, and what it would have counted.
  void abort();
  /// Forgets objects, leaf storage and caches.
  void flush();
  /// As after power-on; totals stay.
  void reset();

  /// For checkpoints, with no job under way and the same objects loaded.
  void state(common::StateArchive& a);

  // ---- of the job that run() has ended, before retire()
  [[nodiscard]] const render::Counters& jobCounters() const { return counters_; }
  [[nodiscard]] std::vector<CoreCounters> jobCores() const {
    std::vector<CoreCounters> all;
    for (const Core& core : cores_.all()) all.push_back(core.counters());
    return all;
  }
  [[nodiscard]] const std::array<TrafficTotals, kTraffics>& jobTraffic() const {
    return port_.totals();
  }
  [[nodiscard]] std::uint32_t jobKind() const { return kind_; }
  /// Of an object that a HULL job has loaded; null: there is none of that number.
  [[nodiscard]] const render::Hull* hullOf(std::uint32_t object) const {
    const auto it = store_.objects.find(object);
    return it == store_.objects.end() ? nullptr : &it->second->hull();
  }

  /// By number in the object table: those that HULL jobs have loaded.
  [[nodiscard]] const std::map<std::uint32_t, std::unique_ptr<LoadedObject>>& objects() const {
    return store_.objects;
  }

  [[nodiscard]] const EngineTotals& totals() const { return totals_; }
  [[nodiscard]] const Timing& timing() const { return timing_; }
  [[nodiscard]] std::uint64_t leafWords() const { return store_.words_used; }

 private:
  struct Job;

  void read(Job& job);
  void dispatch(Job& job);
  void hull(Job& job);
  void frame(Job& job);
  void rays(Job& job);
  std::vector<LoadedObject*> placed(Job& job);
  void depthRow(Job& job, const FrameBuffers& buffers, std::uint32_t row, std::span<float> into);
  void writeRest(Job& job, const FrameBuffers& buffers, const FrameStage& stage,
                 std::uint32_t pixels);
  struct RayGroup;
  class RayPart;
  enum class Look : std::uint8_t { AtItsTime, Ahead };
  std::vector<RayGroup> rayGroups(Job& job, std::uint32_t first, std::uint32_t count, Look look);
  void handOut(Job& job, RayStage& stage, std::span<const render::Placed> objects, RayPart& part);

  Timing timing_;
  Port port_;
  Cores cores_;
  ObjectStore store_;
  Ahead ahead_;
  common::WorkPool::Job ahead_job_;  ///< the part of a list behind the one that is handed out
  render::Counters counters_;        ///< of the job under way
  Clock begin_ = 0;
  std::uint32_t kind_ = 0;
  EngineTotals totals_;
  std::function<void(const JobReport&)> job_observer_;
  render::EvaluationWatch* watch_ = nullptr;
  const Clock* now_ = nullptr;  ///< the front end's clock while a job is under way
  Clock last_ = 0;              ///< its end
};

}  // namespace rtvp::implicit::unit
