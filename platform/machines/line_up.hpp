// Which machines a run has: those the user chose, and the units that the scene needs beside them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/machines/machine.hpp"
#include "platform/options/settings.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

class LineUp {
 public:
  struct Member {
    const MachineKind* kind;
    std::string name;
    bool chosen;  ///< by the user; otherwise the scene needs it
  };

  /// The machines that the settings ask for. Throws InputError for one that `registry` does not
  /// have and for settings that none of them can follow.
  LineUp(const Settings& settings, const Registry& registry);

  /// Adds units for surfaces and programs that no chosen machine knows. Throws InputError if there
  /// are none for them.
  void complete(const scene::Scene& scene);

  /// Adds every unit that some scene could need.
  void addHelpers();

  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  /// Somebody knows triangles, but no spheres.
  [[nodiscard]] bool trianglesOnly() const;
  /// Each machine has a group of its own in the statistics (isShared).
  [[nodiscard]] bool grouped() const;
  /// A machine is simulated.
  [[nodiscard]] bool hardware() const;
  /// The member that was asked to shade, or null.
  [[nodiscard]] const Member* shader() const;
  /// The member whose rays a cost map can count, or null.
  [[nodiscard]] const Member* counting() const;

 private:
  void add(const MachineKind& kind);
  void checkCosts() const;
  void checkShade() const;
  void checkRule1996() const;

  const Settings& settings_;
  const Registry& registry_;
  std::vector<Member> members_;
};

/// Machines for a scene, prepared: what a host computer is built from.
class Crew {
 public:
  /// Makes and prepares the members of `lineUp`. Everything must outlive the crew. Throws
  /// InputError or SceneError for what one of them cannot do. `costs` may be null.
  Crew(const LineUp& lineUp, const Settings& settings, const scene::Scene& scene,
       const host::RenderOptions& options, const host::ProgressFn& progress, CostMap* costs);
  /// Members that are not prepared, for `--stats-help` and `map`.
  Crew(const LineUp& lineUp, const Settings& settings);

  [[nodiscard]] const std::vector<std::unique_ptr<Machine>>& machines() const { return machines_; }
  /// What the ray tree should do for these machines.
  [[nodiscard]] host::RenderOptions tuned(host::RenderOptions options) const;

  /// Puts all simulated machines to work; in the host's process.
  void start(host::HostBus& bus);
  /// Finds the scene's hits, by the names of its elements; after start() if there is hardware.
  [[nodiscard]] host::HitFinder& finder();
  /// Runs surface programs, or null.
  [[nodiscard]] host::SurfaceShading* shading();
  /// The machine that draws the picture itself, or null.
  [[nodiscard]] Machine* painter() const { return painter_; }

 private:
  void divide(const scene::Scene& scene);
  void join(Machine& machine);

  std::vector<std::unique_ptr<Machine>> machines_;
  std::unique_ptr<scene::Scene> rest_;  ///< the scene without its surfaces f = 0, if it has any
  std::vector<std::uint32_t> restElements_;
  std::vector<std::unique_ptr<host::HitFinder>> renumbered_;
  host::HitFinder* finder_ = nullptr;
  Machine* painter_ = nullptr;
};

}  // namespace rtvp::platform
