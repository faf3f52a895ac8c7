// The implicit-surface unit in an engine's wiring: unit, its memory, interrupt line, driver. Every
// machine has one beside it where the scene has implicit surfaces; the machine finds triangles and
// spheres, the unit the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"
#include "models/implicit/render/settings.hpp"
#include "models/implicit/unit/implicit_unit.hpp"
#include "platform/host/host_process.hpp"
#include "platform/host/implicit_driver.hpp"
#include "platform/options/settings.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

/// What is known of unit and scene before anything is simulated.
struct ImplicitPlan {
  implicit::render::Settings settings;
  host::ImplicitDatabase database;
  scene::Scene others;                  ///< the scene without its implicit surfaces
  std::vector<std::uint32_t> elements;  ///< what the elements of `others` are called in the scene
};

/// Nothing if the scene has no implicit surface. Throws InputError for settings that do not go
/// together and objects that the unit cannot hold or run.
[[nodiscard]] std::unique_ptr<ImplicitPlan> planImplicit(const scene::Scene& scene,
                                                         const Settings& settings);
/// A plan for a scene without implicit surfaces, for `--stats-help`.
[[nodiscard]] ImplicitPlan emptyImplicitPlan(const Settings& settings);

/// The scene that the engine's own machine gets: `scene`, or what the plan leaves of it. Throws
/// InputError if that is nothing.
[[nodiscard]] const scene::Scene& machineScene(const scene::Scene& scene, const ImplicitPlan* plan,
                                               const char* engine);

/// Modules "implicit" and "implicit_memory", attached to `interconnect` beyond the shading unit,
/// and the interrupt line number `line` of `host`. Build it while elaborating.
class ImplicitDevice {
 public:
  ImplicitDevice(const ImplicitPlan& plan, const Settings& settings,
                 common::Interconnect& interconnect, host::HostProcess& host, std::size_t line);

  /// A driver that has put the unit to work; call it in the host's process. `other` finds what the
  /// plan left for it, or is null.
  [[nodiscard]] std::unique_ptr<host::ImplicitDriver> start(host::HostBus& bus,
                                                            const scene::Scene& scene,
                                                            host::HitFinder* other) const;
  [[nodiscard]] std::string describe() const { return unit_.describe(); }
  void report(common::StatGroup& stats);
  void trace(const common::TraceScope& computer);

 private:
  const ImplicitPlan& plan_;
  const Settings& settings_;
  std::size_t line_;
  common::Memory memory_;
  implicit::unit::ImplicitUnit unit_;
  sc_core::sc_signal<bool> irq_;
};

}  // namespace rtvp::platform
