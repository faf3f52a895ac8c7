// The RAYS job: neighbouring rays of the list are the lanes of a warp and walk their leaves step by
// step.
#pragma once

#include <span>
#include <vector>

#include "models/implicit/render/frame.hpp"
#include "models/implicit/unit/cores.hpp"
#include "models/implicit/unit/lanes.hpp"

namespace rtvp::implicit::unit {

class RayStage final : public render::Observer {
 public:
  RayStage(std::span<LoadedObject* const> objects, const Timing& timing, Cores& cores,
           const Clock& clock)
      : objects_(objects), timing_(timing), cores_(cores), clock_(clock) {}

  /// A warp begins: the records of its rays, `bytes` at `address`, will be read first.
  void begin(std::uint64_t address, const std::vector<std::uint8_t>& bytes);
  /// The next ray of the warp.
  void ray();
  void trace(const render::TraceEvent& event) override;
  void shade(const render::ShadeEvent& event) override;
  void side(std::uint32_t object, std::uint32_t target) override;
  /// The ray's record, to be written at `address` when the warp ends.
  void record(std::uint64_t address, std::span<const std::uint8_t> bytes);
  /// The warp is handed out.
  void finish();

 private:
  std::span<LoadedObject* const> objects_;
  const Timing& timing_;
  Cores& cores_;
  const Clock& clock_;
  Warp warp_;
  SetupReads reads_;
  std::vector<LaneWork> lanes_;      ///< of ray after ray: its leaves in order
  std::vector<std::size_t> begins_;  ///< of each ray in lanes_
  std::vector<LaneWork> gradients_, normals_, materials_, step_;
  std::uint32_t leaf_ = 0;  ///< of the ray's nearest hit
};

}  // namespace rtvp::implicit::unit
