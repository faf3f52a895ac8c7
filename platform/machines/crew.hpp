// The machines of one run, made and prepared, and how rays reach them.
#pragma once

#include <memory>
#include <vector>

#include "platform/machines/agent.hpp"
#include "platform/machines/dispatcher.hpp"
#include "platform/machines/line_up.hpp"

namespace rtvp::platform {

/// What a host computer is built from.
class Crew {
 public:
  /// Makes and prepares the members of `lineUp`. Everything must outlive the crew. Throws
  /// InputError or SceneError for what one of them cannot do. `costs`: where they charge what they
  /// do, or null.
  Crew(const LineUp& lineUp, const scene::Scene& scene, const host::RenderOptions& options,
       const host::AnsweredFn& answered, CostMap* costs);
  /// Members that are not prepared, for `--stats-help` and `map`.
  explicit Crew(const LineUp& lineUp);

  [[nodiscard]] const std::vector<std::unique_ptr<Machine>>& machines() const { return machines_; }
  /// What the ray tree should do for these machines.
  [[nodiscard]] host::RenderOptions tuned(host::RenderOptions options) const;

  /// Puts the simulated machines to work, but for those that wait for rays; in the host's process.
  void start(host::HostBus& bus);
  /// Finds the scene's hits, by the names of its elements; after start() if there is hardware.
  [[nodiscard]] host::HitFinder& finder();
  /// Runs surface programs, or null.
  [[nodiscard]] host::SurfaceShading* shading();
  /// The machine that draws the picture itself, or null.
  [[nodiscard]] Machine* painter() const { return painter_; }
  /// Several machines find hits.
  [[nodiscard]] bool several() const { return several_; }
  /// All rays are answered: Machine::chargeRest() of each.
  void chargeRest() const;
  /// Null unless machines raced.
  [[nodiscard]] const RaceResult* race() const;
  /// Parts of the ray tree that are at work at a time: one for one machine, and for a unit that
  /// runs surface programs, whose rays are part of its batch.
  [[nodiscard]] std::size_t strands() const;

  // ---- for checkpoints, between two batches of a tree that is one part
  /// Nothing is under way at machines that share the rays.
  [[nodiscard]] bool quiescent() const;
  /// Which of them are at work. Reading: puts those to work, which takes simulated time.
  void atWork(common::StateArchive& a, host::HostBus& bus);
  /// How rays were dealt out until then.
  void state(common::StateArchive& a);
  /// How rays were assigned; nothing for one machine.
  void report(common::StatGroup& stats) const;

 private:
  [[nodiscard]] bool oneStrand() const { return shading_; }
  [[nodiscard]] std::vector<Agent*> agents() const;
  void divide(const scene::Scene& scene);
  void startAgents(host::HostBus& bus);
  void queue(Machine& machine, host::HostBus& bus);
  void join(Machine& machine);
  [[nodiscard]] bool dispatched(const Machine& machine) const {
    return several_ && takesPieces(machine.info());
  }

  const LineUp& lineUp_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::unique_ptr<scene::Scene> rest_;  ///< the scene without its surfaces f = 0, if it has any
  std::vector<std::uint32_t> restElements_;
  std::unique_ptr<host::RenumberedFinder> renumbered_;
  std::unique_ptr<Together> together_;
  std::vector<std::unique_ptr<Agent>> agents_;
  std::unique_ptr<Dispatcher> dispatcher_;
  const scene::Scene* scene_ = nullptr;
  host::RenderOptions options_;
  std::unique_ptr<Agent> functionsAgent_;
  std::unique_ptr<AgentFinder> functionsFinder_;
  std::unique_ptr<host::MergedFinder> merged_;
  host::HitFinder* pieces_ = nullptr;     ///< of triangles and spheres
  host::HitFinder* functions_ = nullptr;  ///< of surfaces f = 0 that the former does not know
  host::HitFinder* finder_ = nullptr;     ///< of all
  Machine* painter_ = nullptr;
  bool several_ = false;
  bool shading_ = false;  ///< a unit runs surface programs
};

/// Reads through `files` what the machines would read that `lineUp` has work for.
void readMachineFiles(const LineUp& lineUp, InputFiles& files);

}  // namespace rtvp::platform
