// See line_up.hpp.
#include "platform/machines/line_up.hpp"

#include <algorithm>
#include <charconv>

#include "platform/machines/declared_surfaces.hpp"
#include "platform/raytree/shader_programs.hpp"

namespace rtvp::platform {
namespace {

std::string names(const Registry& registry, const auto& wanted) {
  std::string list;
  for (const MachineKind* const kind : registry.kinds()) {
    if (!wanted(kind->info())) continue;
    list += (list.empty() ? "" : ", ") + std::string(kind->info().name);
  }
  return list;
}

bool knowsFunctions(const MachineInfo& info) {
  return info.primitives.functions;
}
/// Runs surface programs and does nothing else.
bool onlyShades(const MachineInfo& info) {
  return info.shades == Shades::Surfaces && !info.primitives.any();
}

std::size_t piecesOf(const scene::Scene& scene) {
  return scene.elements.size() - scene.implicits.size();
}

}  // namespace

LineUp::LineUp(const Settings& settings, const Registry& registry, InputFiles& files)
    : settings_(settings), registry_(registry), files_(files) {
  choose();
  wanted_ = runOptions(settings_);  // a computer's description may have said something
  checkInstances();
  checkHardware();
  checkShade();
  checkRule1996();
  policy_ = parsePolicy(wanted_.assign, finders());
}

// ---- who is there

void LineUp::choose() {
  const RunOptions wanted = runOptions(settings_);
  const std::string& file = wanted.computer;
  const std::string& list = wanted.machines;
  if (!file.empty() && !list.empty()) {
    throw InputError("computer.machines: found '" + list + "' beside computer.file = '" + file +
                     "', expected one of them");
  }
  if (!file.empty()) {
    chooseFile(file);
  } else if (!list.empty()) {
    chooseList(list);
  } else {
    const MachineKind& kind = registry_.at(wanted.engine, "engine");
    add(kind, std::string(kind.info().name));
  }
}

/// NAME or NAME:COUNT, separated by commas.
void LineUp::chooseList(std::string_view list) {
  for (std::string_view left = list; !left.empty();) {
    const std::size_t end = std::min(left.find(','), left.size());
    const std::string_view entry = left.substr(0, end);
    const std::size_t colon = std::min(entry.find(':'), entry.size());
    int count = 1;
    if (colon != entry.size()) {
      const std::string_view number = entry.substr(colon + 1);
      const auto [last, error] =
          std::from_chars(number.data(), number.data() + number.size(), count);
      if (error != std::errc{} || last != number.data() + number.size() || count < 1 ||
          count > kMostInstances) {
        throw InputError("computer.machines: found '" + std::string(entry) +
                         "', expected NAME or NAME:COUNT with a count of 1.." +
                         std::to_string(kMostInstances));
      }
    }
    const MachineKind& kind = registry_.at(entry.substr(0, colon), "computer.machines");
    const std::string name(kind.info().name);
    for (const Member& member : members_) {
      if (member.kind == &kind) {
        throw InputError("computer.machines: found '" + name + "' twice, expected " + name +
                         ":COUNT");
      }
    }
    chooseInstances(kind, name, count, "computer.machines");
    left.remove_prefix(std::min(left.size(), end + 1));
  }
}

void LineUp::chooseInstances(const MachineKind& kind, const std::string& name, int count,
                             const std::string& origin) {
  for (int i = 0; i < count; ++i) {
    const std::string instance = count == 1 ? name : name + std::to_string(i);
    for (const Member& member : members_) {
      if (member.name == instance) {
        throw InputError(origin + ": found two machines called '" + instance +
                         "', expected names of their own");
      }
    }
    add(kind, instance);
  }
}

/// What the command line says comes before the file's settings, those of a device before those of
/// all.
void LineUp::chooseFile(const std::string& file) {
  const ComputerFile computer = loadComputerFile(file, files_);
  const auto place = [&](int line) { return file + ":" + std::to_string(line); };
  for (const ConfigEntry& entry : computer.set) {
    settings_.setUnlessSaid(entry.key, entry.value, place(entry.line));
  }
  for (const ComputerDevice& device : computer.devices) {
    const MachineKind& kind = registry_.at(device.machine, place(device.line) + ": machine");
    const std::size_t first = members_.size();
    chooseInstances(kind, device.name, device.count, place(device.line));
    members_[first].address = device.address;
    members_[first].irq = device.irq;
    for (std::size_t i = first; i < members_.size(); ++i) {
      members_[i].where = place(device.line);
      auto own = std::make_shared<Settings>(*members_[i].settings);
      for (const ConfigEntry& entry : device.set) {
        own->setUnlessSaid(entry.key, entry.value, place(entry.line));
      }
      members_[i].settings = own;
    }
  }
  if (runOptions(settings_).assign.empty()) {
    settings_.set("computer.assign", computer.assign, place(computer.assignLine));
  }
}

boost::json::object LineUp::configuration() const {
  boost::json::object all = settings_.effective(false);
  std::string devices;
  for (const Member& member : members_) {
    devices += (devices.empty() ? "" : ",") + member.name;
    if (member.address) all[member.name + ".address"] = *member.address;
    if (member.irq) all[member.name + ".irq"] = *member.irq;
    for (const auto& [key, value] : member.settings->effective(false)) {
      const boost::json::value* const general = all.if_contains(key);
      const std::string_view rest(key);
      if ((general != nullptr && *general == value) || rest.starts_with("computer.")) continue;
      all[member.name + std::string(rest.substr(std::min(rest.find('.'), rest.size())))] = value;
    }
  }
  if (members_.size() > 1 && !wanted_.computer.empty()) {
    all["computer.machines"] = devices;
  }
  return all;
}

void LineUp::add(const MachineKind& kind, std::string name) {
  auto own = std::make_shared<const Settings>(settings_.of(name));
  members_.push_back({&kind, std::move(name), std::move(own)});
}

void LineUp::addHelpers() {
  for (const MachineKind* const kind : registry_.kinds()) {
    const MachineInfo& info = kind->info();
    const bool there = std::any_of(members_.begin(), members_.end(),
                                   [&](const Member& m) { return m.kind == kind; });
    if (info.hardware && !takesPieces(info) && !there) add(*kind, std::string(info.name));
  }
}

std::vector<std::string> LineUp::finders() const {
  std::vector<std::string> list;
  for (const Member& member : members_) {
    if (takesPieces(member.kind->info())) list.push_back(member.name);
  }
  if (list.empty()) list.push_back(members_.front().name);
  return list;
}

std::vector<std::string> LineUp::unusedSettings() const {
  // Loading a scene reads it, whoever shades.
  const std::string_view loaders = kShaderParams.front().key;
  const auto absent = [&](std::string_view name) {
    const auto is = [&](const MachineKind* kind) {
      const MachineInfo& info = kind->info();
      return info.name == name ||
             std::find(info.keyGroups.begin(), info.keyGroups.end(), name) != info.keyGroups.end();
    };
    const auto kinds = registry_.kinds();
    return std::any_of(kinds.begin(), kinds.end(), is) &&
           std::none_of(members_.begin(), members_.end(),
                        [&](const Member& member) { return is(member.kind); });
  };
  const Settings usual(settings_.table());
  std::vector<std::string> unused;
  for (const bool places : {false, true}) {
    const boost::json::object defaults = usual.effective(places);
    for (const auto& [key, value] : settings_.effective(places)) {
      const std::string_view name(key);
      const boost::json::value* const before = defaults.if_contains(key);
      if (before == nullptr || value == *before || name == loaders) continue;
      if (absent(name.substr(0, name.find('.')))) {
        unused.push_back(settings_.origin(name) + ": " + std::string(name));
      }
    }
  }
  return unused;
}

// ---- what cannot be

void LineUp::checkInstances() const {
  for (const auto& [instance, origin] : settings_.instances()) {
    const bool there =
        std::any_of(members_.begin(), members_.end(),
                    [&, &name = instance](const Member& m) { return m.name == name; });
    if (there) continue;
    std::string list;
    for (const Member& member : members_) list += (list.empty() ? "" : ", ") + member.name;
    throw InputError(origin + ": found a setting of machine '" + instance +
                     "', the machines of this run are " + list);
  }
}

/// Units that serve all machines of a run come once; what is no machine runs alone.
void LineUp::checkHardware() const {
  for (const Member& member : members_) {
    const MachineInfo& info = member.kind->info();
    if (!info.hardware && members_.size() > 1) {
      throw InputError("computer: found " + member.name +
                       " among several machines; it is no hardware and runs alone");
    }
    const auto alike = std::count_if(members_.begin(), members_.end(),
                                     [&](const Member& m) { return m.kind == member.kind; });
    if (alike > 1 && !takesPieces(info)) {
      throw InputError("computer: found " + std::to_string(alike) + " of " +
                       std::string(info.name) + ", expected at most one: it serves all machines");
    }
  }
}

/// A machine that finds hits can only shade where it is in the run.
void LineUp::checkShade() const {
  const std::string& shade = wanted_.shade;
  if (shade == "host") return;
  const MachineKind& kind = registry_.at(shade, "render.shade");
  if (kind.info().primitives.any() && shader() == nullptr) {
    throw InputError("render.shade: found " + shade + ", expected engine = " + shade + " with it");
  }
  if (kind.info().primitives.any() && members_.size() > 1) {
    throw InputError("render.shade: found " + shade +
                     " in a computer with several machines, expected host or sl");
  }
}

void LineUp::checkRule1996() const {
  if (!renderOptions(settings_).seedCompat) return;
  for (const Member& member : members_) {
    if (member.kind->info().rule1996) continue;
    throw InputError("render.seed_compat: no machine knows the 1996 rule, expected engine = " +
                     names(registry_, [](const MachineInfo& info) { return info.rule1996; }));
  }
}

/// With what is wanted of a cost map, and nobody who counts it.
void LineUp::checkCosts() const {
  const OutputOptions output = outputOptions(settings_);
  if (output.costMap.empty()) return;
  std::string who;
  for (const Measure measure : parseMeasures(output.costMeasure, "output.cost_measure")) {
    for (const Member& member : members_) {
      const MachineInfo& info = member.kind->info();
      if (member.idle) continue;
      const auto it = std::find_if(info.costs.begin(), info.costs.end(),
                                   [&](const Cost& cost) { return cost.measure == measure; });
      if (it != info.costs.end()) return;
    }
  }
  for (const Member& member : members_) {
    if (!member.idle) who += "; " + member.name + ": " + std::string(member.kind->info().uncounted);
  }
  throw InputError("output.cost_measure: found '" + output.costMeasure +
                   "', which no machine of this run counts" + who);
}

// ---- a scene

void LineUp::complete(const scene::Scene& scene) {
  const auto has = [&](const auto& able) {
    return std::any_of(members_.begin(), members_.end(),
                       [&](const Member& m) { return able(m.kind->info()); });
  };
  const auto addFirst = [&](const auto& able) {
    for (const MachineKind* const kind : registry_.kinds()) {
      if (!able(kind->info())) continue;
      add(*kind, std::string(kind->info().name));
      return;
    }
  };
  if (renderOptions(settings_).seedCompat && !scene.implicits.empty()) {
    throw InputError(scene.implicits.front().where +
                     "the 1996 program knows no implicit surfaces, expected render.seed_compat = "
                     "off");
  }
  // A machine asked to shade runs the programs itself; otherwise a unit does that does nothing
  // else.
  if (host::hasShaders(scene) && shader() == nullptr && !has(onlyShades)) {
    addFirst([&](const MachineInfo& info) {
      return onlyShades(info) && (wanted_.shade == "host" || wanted_.shade == info.name);
    });
  }
  const bool declared = surfacesDeclared(members_);
  if (!scene.implicits.empty() && !declared && !has(knowsFunctions)) addFirst(knowsFunctions);
  if (piecesOf(scene) > 0 && !has(takesPieces)) {
    throw InputError(
        "engine = " + members_.front().name + ": found " + std::to_string(piecesOf(scene)) +
        " triangles and spheres, expected implicit surfaces only; one of engine = " +
        names(registry_,
              [](const MachineInfo& info) { return info.hardware && takesPieces(info); }) +
        " finds them and has this unit beside it");
  }
  idle(scene);
}

/// A machine that gets no rays refuses no scene and builds no database.
void LineUp::idle(const scene::Scene& scene) {
  const std::vector<std::string> all = finders();
  const auto rays = [&](const Member& member) {
    const auto at =
        static_cast<std::size_t>(std::find(all.begin(), all.end(), member.name) - all.begin());
    switch (policy_.kind) {
      case Policy::Kind::Classes:
        return std::find(policy_.classes.begin(), policy_.classes.end(), at) !=
               policy_.classes.end();
      case Policy::Kind::Race:
        return std::find(policy_.racers.begin(), policy_.racers.end(), at) != policy_.racers.end();
      case Policy::Kind::Share:
        break;
    }
    return true;
  };
  const bool pieces = piecesOf(scene) > 0 || surfacesDeclared(members_);
  for (Member& member : members_) {
    const MachineInfo& info = member.kind->info();
    if (takesPieces(info)) {
      member.idle = !rays(member) || (!pieces && !knowsFunctions(info));
    } else if (knowsFunctions(info)) {
      member.idle = scene.implicits.empty();
    } else if (onlyShades(info)) {
      member.idle = !host::hasShaders(scene);
    }
  }
  // A machine that was the only one asked for, and has nothing to do, need not be there.
  if (wanted_.machines.empty() && wanted_.computer.empty()) {
    std::erase_if(members_, [](const Member& member) { return member.idle; });
  }
  checkCosts();
}

bool LineUp::trianglesOnly() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& m) {
    const Primitives& p = m.kind->info().primitives;
    return p.triangles && !p.spheres;
  });
}

bool LineUp::grouped() const {
  std::vector<const MachineInfo*> infos;
  for (const Member& member : members_) infos.push_back(&member.kind->info());
  return isShared(infos);
}

bool LineUp::hardware() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& m) { return m.kind->info().hardware; });
}

const LineUp::Member* LineUp::shader() const {
  const auto it = std::find_if(members_.begin(), members_.end(), [&](const Member& m) {
    return m.kind->info().name == wanted_.shade && takesPieces(m.kind->info());
  });
  return it == members_.end() ? nullptr : &*it;
}

}  // namespace rtvp::platform
