// Surface shaders as firmware of the TigerSHARK boards: between two phases of hit finding the nodes
// run a scene's SL programs, translated to C32 code. Host side: loads the firmware of the program
// that is wanted, sends shading points down the chain, one a node, and collects their colours.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/common/statistics.hpp"
#include "models/sl/c32/translate.hpp"
#include "models/sl/program.hpp"
#include "platform/drivers/tigershark/driver.hpp"
#include "platform/raytree/surface_shading.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::host {

/// Firmware of one program.
struct ShadingFirmware {
  GuestFirmware guest;
  std::vector<sl::c32::Input> inputs;  ///< words of a point behind its header
};

/// One entry a surface; surfaces that share a program share its firmware.
using ShadingFirmwares = std::vector<std::shared_ptr<const ShadingFirmware>>;

/// Builds the firmware of every surface's program (`programs`: one a surface). Throws
/// scene::SceneError that names the scene's line on a program that the boards cannot run: one with
/// trace or textures, or too large for a node or for `sramWords`.
[[nodiscard]] ShadingFirmwares buildShadingFirmwares(
    const scene::Scene& scene, std::span<const std::shared_ptr<const sl::Program>> programs,
    std::uint32_t sramWords);

class TigersharkShading final : public SurfaceShading {
 public:
  struct Counters {
    std::uint64_t points = 0;
    std::uint64_t fillers = 0;
    std::uint64_t batches = 0;
    std::uint64_t overBudget = 0;
    std::uint64_t cycles = 0;   ///< H1, of points: from the barrier's release to the result
    std::uint64_t longest = 0;  ///< of one point
    sc_core::sc_time time;
    void report(common::StatGroup& stats) const;
  };

  /// Keeps a reference to the driver.
  TigersharkShading(TigersharkDriver& driver, ShadingFirmwares firmwares);

  void shade(std::span<const ShadingPoint> points, const ShaderRays& rays,
             std::span<sl::Vec3> colours) override;
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  void shadeBatch(const ShadingFirmware& firmware, std::span<const ShadingPoint> points,
                  std::span<const std::uint32_t> which, std::span<sl::Vec3> colours);
  void encode(const ShadingFirmware& firmware, const ShadingPoint& point, std::uint32_t node,
              std::vector<std::uint32_t>& words) const;
  void collect(std::size_t board, std::span<const std::uint32_t> answer,
               std::span<const std::uint32_t> which, std::span<sl::Vec3> colours);

  TigersharkDriver& driver_;
  ShadingFirmwares firmwares_;
  Counters counters_;
};

}  // namespace rtvp::host
