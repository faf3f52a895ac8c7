// The HULL job's stages: task and mesh cells as warps, what they keep written to memory.
#pragma once

#include <vector>

#include "models/implicit/render/counters.hpp"
#include "models/implicit/unit/cores.hpp"
#include "models/implicit/unit/memory_map.hpp"
#include "models/implicit/unit/objects.hpp"

namespace rtvp::implicit::unit {

class HullStage {
 public:
  /// `clock` is the front end's; it is at the end of the last cell afterwards.
  HullStage(const Configuration& configuration, const Timing& timing, Port& port, Cores& cores,
            ObjectStore& store, Clock& clock);

  /// Who sees evaluations from within, or null.
  void setWatch(render::EvaluationWatch* watch) { watch_ = watch; }
  /// Makes the hull of a loaded object, number `number` of `objects` in the table. Throws JobFault.
  void run(LoadedObject& object, std::uint32_t number, render::Counters& counters);

 private:
  void warps(LoadedObject& object, std::uint32_t number,
             const std::vector<render::CellEvent>& events);
  void group(LoadedObject& object, std::uint32_t number, std::span<const render::CellEvent> cells);
  void writeCell(LoadedObject& object, std::uint32_t number, const render::CellEvent& cell,
                 Warp& warp);
  void writeExtents(LoadedObject& object, std::uint32_t number,
                    std::span<const render::CellEvent> cells, Warp& warp);
  void writeSlope(LoadedObject& object, std::uint32_t number, const render::CellEvent& cell,
                  Warp& warp);
  void writeMask(LoadedObject& object, std::uint32_t number, const render::CellEvent& cell,
                 Warp& warp);
  void storeProgram(LoadedObject& object, std::uint32_t code, Warp& warp);
  void firstCode(LoadedObject& object);
  [[nodiscard]] Region leafArea(std::uint32_t number, std::uint64_t offset,
                                std::uint64_t bytes) const;

  const Configuration& configuration_;
  const Timing& timing_;
  Port& port_;
  Cores& cores_;
  ObjectStore& store_;
  Clock& clock_;
  std::uint32_t number_ = 0;  ///< of the object at work
  render::EvaluationWatch* watch_ = nullptr;
  std::size_t slopes_ = 0;  ///< its leaves whose slopes are written, in the hull's order
};

}  // namespace rtvp::implicit::unit
