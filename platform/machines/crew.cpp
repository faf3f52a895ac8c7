// See crew.hpp.
#include "platform/machines/crew.hpp"

#include <algorithm>
#include <stdexcept>

#include "platform/machines/declared_surfaces.hpp"
#include "platform/options/run_params.hpp"

namespace rtvp::platform {

Crew::Crew(const LineUp& lineUp) : lineUp_(lineUp) {
  for (const LineUp::Member& member : lineUp.members()) {
    machines_.push_back(member.kind->make(member.name, *member.settings));
    machines_.back()->pin({member.address, member.irq, member.where});
  }
  several_ =
      std::count_if(lineUp.members().begin(), lineUp.members().end(), [](const LineUp::Member& m) {
        return takesPieces(m.kind->info()) && !m.idle;
      }) > 1;
}

Crew::Crew(const LineUp& lineUp, const scene::Scene& scene, const host::RenderOptions& options,
           const host::AnsweredFn& answered, CostMap* costs)
    : Crew(lineUp) {
  scene_ = &scene;
  options_ = options;
  const LineUp::Member* const shader = lineUp.shader();
  divide(scene);
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    const LineUp::Member& member = lineUp.members()[i];
    if (member.idle) continue;
    const bool all = machines_[i]->info().primitives.functions || !rest_;
    const bool shades = &member == shader;
    machines_[i]->load(lineUp.files());
    machines_[i]->prepare({.whole = scene,
                           .scene = all ? scene : *rest_,
                           .elements = all ? std::span<const std::uint32_t>() : restElements_,
                           .options = options,
                           .threads = threadsOf(runOptions(lineUp.settings())),
                           .shades = shades,
                           .shared = dispatched(*machines_[i]),
                           .answered = several_ ? host::AnsweredFn() : answered,
                           .costs = costs != nullptr
                                        ? costs->open(member.name, machines_[i]->info().costs)
                                        : nullptr});
    shading_ = shading_ || (member.kind->info().shades == Shades::Surfaces &&
                            (shades || !member.kind->info().primitives.any()));
    if (shades && member.kind->info().shades == Shades::Picture) painter_ = machines_[i].get();
    if (!machines_[i]->info().hardware) join(*machines_[i]);
  }
  if (!lineUp.hardware()) finder_ = pieces_;
}

void readMachineFiles(const LineUp& lineUp, InputFiles& files) {
  for (const LineUp::Member& member : lineUp.members()) {
    if (!member.idle) member.kind->make(member.name, *member.settings)->load(files);
  }
}

/// What is left for machines that do not know surfaces f = 0.
void Crew::divide(const scene::Scene& scene) {
  if (scene.implicits.empty() || surfacesDeclared(lineUp_.members())) return;
  rest_ = std::make_unique<scene::Scene>(scene);
  rest_->implicits.clear();
  rest_->elements.clear();
  rest_->elsewhere = scene.bounds();
  for (std::uint32_t e = 0; e < scene.elements.size(); ++e) {
    if (scene.elements[e].kind == scene::Element::Kind::Implicit) continue;
    rest_->elements.push_back(scene.elements[e]);
    restElements_.push_back(e);
  }
}

host::RenderOptions Crew::tuned(host::RenderOptions options) const {
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    if (!lineUp_.members()[i].idle) machines_[i]->tune(options);
  }
  if (several_ && !oneStrand()) {
    // Enough batches that what the first ones teach is of use to the others.
    constexpr std::uint64_t kBatches = 16;
    std::uint64_t least = 1024;
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      if (!lineUp_.members()[i].idle) {
        least = std::max<std::uint64_t>(least, machines_[i]->estimate().grain);
      }
    }
    const std::uint64_t share =
        Dispatcher::Picture{options.crop, options.samples}.eyeRays() / kBatches;
    options.batch = std::min<std::size_t>(options.batch, std::max(share, least));
  }
  return options;
}

void Crew::start(host::HostBus& bus) {
  if (several_) startAgents(bus);
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    Machine& machine = *machines_[i];
    if (!machine.info().hardware || lineUp_.members()[i].idle || dispatched(machine)) continue;
    if (several_ && machine.info().primitives.functions) {
      queue(machine, bus);
    } else {
      machine.start(bus);
      join(machine);
    }
  }
  finder_ = pieces_ != nullptr ? pieces_ : functions_;
  if (pieces_ == nullptr || functions_ == nullptr) return;
  merged_ = std::make_unique<host::MergedFinder>(*pieces_, *functions_);
  finder_ = merged_.get();
}

/// One for each machine that finds hits on pieces, busy or not: the policy counts them.
void Crew::startAgents(host::HostBus& bus) {
  together_ = std::make_unique<Together>(static_cast<std::size_t>(
      std::count_if(machines_.begin(), machines_.end(),
                    [](const auto& machine) { return machine->info().primitives.any(); })));
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    Machine& machine = *machines_[i];
    if (!takesPieces(machine.info())) continue;
    const Estimate estimate = lineUp_.members()[i].idle ? Estimate{} : machine.estimate();
    const bool whole = !rest_ || machine.info().primitives.functions;
    agents_.push_back(std::make_unique<Agent>(
        machine, bus, estimate, whole ? std::span<const std::uint32_t>() : restElements_,
        *together_));
  }
  dispatcher_ =
      std::make_unique<Dispatcher>(*scene_, Dispatcher::Picture{options_.crop, options_.samples},
                                   lineUp_.policy(), agents_, bus);
  pieces_ = dispatcher_.get();
}

/// A unit for surfaces that the others do not know: it works while they do, for one batch at a
/// time.
void Crew::queue(Machine& machine, host::HostBus& bus) {
  functionsAgent_ = std::make_unique<Agent>(machine, bus, machine.estimate(),
                                            std::span<const std::uint32_t>(), *together_);
  functionsAgent_->begin();
  functionsFinder_ = std::make_unique<AgentFinder>(*functionsAgent_, bus);
  functions_ = functionsFinder_.get();
}

/// The machine's finder is the one for the surfaces that it knows.
void Crew::join(Machine& machine) {
  host::HitFinder* const finder = machine.finder();
  if (finder == nullptr) return;
  if (!takesPieces(machine.info())) {
    functions_ = finder;
  } else if (rest_ && !machine.info().primitives.functions) {
    renumbered_ = std::make_unique<host::RenumberedFinder>(*finder, restElements_);
    pieces_ = renumbered_.get();
  } else {
    pieces_ = finder;
  }
}

std::size_t Crew::strands() const {
  if (oneStrand() || !several_) return 1;
  constexpr std::size_t kUsual = 8;
  const std::size_t wanted = runOptions(lineUp_.settings()).strands;
  return wanted == 0 ? kUsual : wanted;
}

host::HitFinder& Crew::finder() {
  if (finder_ == nullptr) throw std::logic_error("no machine of this run finds hits");
  return *finder_;
}

host::SurfaceShading* Crew::shading() {
  for (const auto& machine : machines_) {
    if (host::SurfaceShading* const shading = machine->shading()) return shading;
  }
  return nullptr;
}

void Crew::chargeRest() const {
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    if (!lineUp_.members()[i].idle) machines_[i]->chargeRest();
  }
}

const RaceResult* Crew::race() const {
  return dispatcher_ && lineUp_.policy().kind == Policy::Kind::Race ? &dispatcher_->race()
                                                                    : nullptr;
}

void Crew::report(common::StatGroup& stats) const {
  if (dispatcher_) {
    common::StatGroup& assign = stats.group("assign", "which machine got which rays");
    dispatcher_->report(assign);
    if (functionsAgent_) {
      functionsAgent_->report(
          assign.group(functionsAgent_->machine().name(), "what this machine was given"));
    }
    together_->report(assign.group("together", "machines with rays at once"),
                      sc_core::sc_time_stamp());
  }
}

}  // namespace rtvp::platform
