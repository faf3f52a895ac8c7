// See line_up.hpp.
#include "platform/machines/line_up.hpp"

#include <algorithm>

#include "platform/raytree/shader_programs.hpp"

namespace rtvp::platform {
namespace {

/// Knows triangles or spheres: what most scenes are made of.
bool takesPieces(const MachineInfo& info) {
  return info.primitives.triangles || info.primitives.spheres;
}

std::string names(const Registry& registry, const auto& wanted) {
  std::string list;
  for (const MachineKind* const kind : registry.kinds()) {
    if (!wanted(kind->info())) continue;
    list += (list.empty() ? "" : ", ") + std::string(kind->info().name);
  }
  return list;
}

}  // namespace

LineUp::LineUp(const Settings& settings, const Registry& registry)
    : settings_(settings), registry_(registry) {
  const MachineKind& kind = registry.at(settings.text("engine"), "engine");
  members_.push_back({&kind, std::string(kind.info().name), true});
  checkShade();
  checkRule1996();
  checkCosts();
}

void LineUp::checkCosts() const {
  if (settings_.text("output.cost_map").empty() || counting() != nullptr) return;
  throw InputError("output.cost_map: found engine = " + members_.front().name +
                   ", expected one that counts by ray: " +
                   names(registry_, [](const MachineInfo& info) { return !info.costs.empty(); }));
}

void LineUp::add(const MachineKind& kind) {
  members_.push_back({&kind, std::string(kind.info().name), false});
}

void LineUp::addHelpers() {
  for (const MachineKind* const kind : registry_.kinds()) {
    const MachineInfo& info = kind->info();
    const bool there = std::any_of(members_.begin(), members_.end(),
                                   [&](const Member& m) { return m.kind == kind; });
    if (info.hardware && !takesPieces(info) && !there) add(*kind);
  }
}

bool LineUp::grouped() const {
  std::vector<const MachineInfo*> infos;
  for (const Member& member : members_) infos.push_back(&member.kind->info());
  return isShared(infos);
}

/// A machine that finds hits can only shade where it is in the run.
void LineUp::checkShade() const {
  const std::string& shade = settings_.text("render.shade");
  if (shade == "host") return;
  const MachineKind& kind = registry_.at(shade, "render.shade");
  if (kind.info().primitives.any() && shader() == nullptr) {
    throw InputError("render.shade: found " + shade + ", expected engine = " + shade + " with it");
  }
}

void LineUp::checkRule1996() const {
  if (!settings_.flag("render.seed_compat")) return;
  for (const Member& member : members_) {
    if (member.kind->info().rule1996) continue;
    throw InputError("render.seed_compat: no machine knows the 1996 rule, expected engine = " +
                     names(registry_, [](const MachineInfo& info) { return info.rule1996; }));
  }
}

void LineUp::complete(const scene::Scene& scene) {
  const auto has = [&](const auto& able) {
    return std::any_of(members_.begin(), members_.end(),
                       [&](const Member& m) { return able(m.kind->info()); });
  };
  const auto add = [&](const auto& able) {
    for (const MachineKind* const kind : registry_.kinds()) {
      if (!able(kind->info())) continue;
      this->add(*kind);
      return;
    }
  };
  // A machine asked to shade runs the programs itself; otherwise a unit does that does nothing
  // else.
  if (host::hasShaders(scene) && shader() == nullptr) {
    add([&](const MachineInfo& info) {
      const std::string& shade = settings_.text("render.shade");
      return info.shades == Shades::Surfaces && !info.primitives.any() &&
             (shade == "host" || shade == info.name);
    });
  }
  if (settings_.flag("render.seed_compat") && !scene.implicits.empty()) {
    throw InputError(scene.implicits.front().where +
                     "the 1996 program knows no implicit surfaces, expected render.seed_compat = "
                     "off");
  }
  const auto functions = [](const MachineInfo& info) { return info.primitives.functions; };
  if (!scene.implicits.empty() && !has(functions)) add(functions);
  const std::size_t pieces = scene.elements.size() - scene.implicits.size();
  if (pieces > 0 && !has(takesPieces)) {
    throw InputError(
        "engine = " + members_.front().name + ": found " + std::to_string(pieces) +
        " triangles and spheres, expected implicit surfaces only; one of engine = " +
        names(registry_,
              [](const MachineInfo& info) { return info.hardware && takesPieces(info); }) +
        " finds them and has this unit beside it");
  }
  if (pieces == 0 && takesPieces(members_.front().kind->info()) &&
      !functions(members_.front().kind->info())) {
    throw InputError("engine = " + members_.front().name +
                     ": the scene has implicit surfaces only, expected engine = " +
                     names(registry_, [](const MachineInfo& info) {
                       return info.primitives.functions && info.hardware;
                     }));
  }
}

bool LineUp::trianglesOnly() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& m) {
    const Primitives& p = m.kind->info().primitives;
    return p.triangles && !p.spheres;
  });
}

bool LineUp::hardware() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& m) { return m.kind->info().hardware; });
}

const LineUp::Member* LineUp::shader() const {
  const std::string& shade = settings_.text("render.shade");
  const auto it = std::find_if(members_.begin(), members_.end(), [&](const Member& m) {
    return m.chosen && m.kind->info().name == shade;
  });
  return it == members_.end() ? nullptr : &*it;
}

const LineUp::Member* LineUp::counting() const {
  const auto it = std::find_if(members_.begin(), members_.end(),
                               [](const Member& m) { return !m.kind->info().costs.empty(); });
  return it == members_.end() ? nullptr : &*it;
}

// ---- the machines themselves

Crew::Crew(const LineUp& lineUp, const Settings& settings) {
  for (const LineUp::Member& member : lineUp.members()) {
    machines_.push_back(member.kind->make(member.name, settings));
  }
}

Crew::Crew(const LineUp& lineUp, const Settings& settings, const scene::Scene& scene,
           const host::RenderOptions& options, const host::ProgressFn& progress, CostMap* costs)
    : Crew(lineUp, settings) {
  const LineUp::Member* const shader = lineUp.shader();
  const LineUp::Member* const counting = lineUp.counting();
  divide(scene);
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    const LineUp::Member& member = lineUp.members()[i];
    const bool all = machines_[i]->info().primitives.functions || !rest_;
    const bool shades = &member == shader;
    machines_[i]->prepare({.whole = scene,
                           .scene = all ? scene : *rest_,
                           .elements = all ? std::span<const std::uint32_t>() : restElements_,
                           .options = options,
                           .shades = shades,
                           .progress = progress,
                           .costs = &member == counting ? costs : nullptr});
    if (shades && member.kind->info().shades == Shades::Picture) painter_ = machines_[i].get();
    if (!machines_[i]->info().hardware) join(*machines_[i]);
  }
}

/// What is left for machines that do not know surfaces f = 0.
void Crew::divide(const scene::Scene& scene) {
  if (scene.implicits.empty()) return;
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
  for (const auto& machine : machines_) machine->tune(options);
  return options;
}

void Crew::start(host::HostBus& bus) {
  for (const auto& machine : machines_) {
    if (!machine->info().hardware) continue;
    machine->start(bus, finder_);
    join(*machine);
  }
}

/// The machine's finder, which asks the one before it for what it does not know, takes its place.
void Crew::join(Machine& machine) {
  host::HitFinder* const finder = machine.finder();
  if (finder == nullptr) return;
  finder_ = finder;
  if (rest_ && !machine.info().primitives.functions) {
    finder_ =
        renumbered_.emplace_back(std::make_unique<host::RenumberedFinder>(*finder, restElements_))
            .get();
  }
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

}  // namespace rtvp::platform
