// The SL shading unit in an engine's wiring: unit, its memory, interrupt line, driver. Every engine
// adds one where the scene has surface shaders.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/common/statistics.hpp"
#include "models/sl/unit/sl_unit.hpp"
#include "platform/host/host_process.hpp"
#include "platform/host/ray_tree.hpp"
#include "platform/host/sl_driver.hpp"
#include "platform/options/settings.hpp"
#include "platform/part.hpp"
#include "platform/scene/scene.hpp"
#include "platform/trace_output.hpp"

namespace rtvp::platform {

/// What the unit needs to know of a scene, found before anything is simulated.
struct ShadingPlan {
  std::vector<std::shared_ptr<const sl::Program>> programs;  ///< one a surface
  std::uint64_t memoryBytes = 0;
};

/// Nothing if no surface of the scene has a shader, or render.shade gives these surfaces to
/// something else than the unit. Throws scene::SceneError on a bad shader, InputError if the
/// programs do not fit the unit's store.
[[nodiscard]] std::unique_ptr<ShadingPlan> planShading(const scene::Scene& scene,
                                                       const Settings& settings);
/// A plan for a scene without shaders, for `--stats-help`.
[[nodiscard]] ShadingPlan emptyPlan();

/// Modules "sl" and "sl_memory", attached to `interconnect` beyond 4 GiB, and the interrupt line
/// number `line` of `host`. Build it while elaborating.
class ShadingDevice {
 public:
  ShadingDevice(const ShadingPlan& plan, const Settings& settings,
                common::Interconnect& interconnect, host::HostProcess& host, std::size_t line);

  /// A driver that has put the unit to work; call it in the host's process.
  [[nodiscard]] std::unique_ptr<host::SlDriver> start(host::HostBus& bus,
                                                      const scene::Scene& scene) const;
  [[nodiscard]] std::string describe() const { return unit_.describe(); }
  void report(common::StatGroup& stats);
  void trace(const common::TraceScope& computer);

 private:
  const ShadingPlan& plan_;
  std::size_t line_;
  std::uint32_t programWords_;
  common::Memory memory_;
  sl::unit::SlUnit unit_;
  sc_core::sc_signal<bool> irq_;
};

/// A part of the picture whose hits the reference finds and whose surfaces with a shader the unit
/// shades. At most once a process.
[[nodiscard]] PartResult renderReferenceShaded(const scene::Scene& scene,
                                               const host::RenderOptions& options,
                                               const Settings& settings, const ShadingPlan& plan,
                                               const host::ProgressFn& progress, PartTrace& trace);

}  // namespace rtvp::platform
