// See machine.hpp.
#include "platform/machines/machine.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "models/common/report_ids.hpp"
#include "platform/options/run_params.hpp"

namespace rtvp::platform {

void Machine::warn(const std::string& text) const {
  if (outputOptions(settings_).verbosity == Verbosity::Quiet) return;
  std::fprintf(stderr, "platform: warning: %s\n", text.c_str());
}

std::function<void(const std::string&)> Machine::log() const {
  if (outputOptions(settings_).verbosity != Verbosity::Verbose) return {};
  return [](const std::string& line) {
    std::fprintf(stderr, "platform: %s: %s\n", sc_core::sc_time_stamp().to_string().c_str(),
                 line.c_str());
  };
}

void Machine::declareBusy(const common::TraceScope& scope) {
  busy_ = scope.wire(name_, "a batch of rays is with this machine");
}

void Machine::showBusy(bool busy) const {
  busy_.set(sc_core::sc_time_stamp().value(), busy ? 1 : 0);
}

bool isShared(std::span<const MachineInfo* const> machines) {
  const auto finders = std::count_if(machines.begin(), machines.end(), [](const MachineInfo* m) {
    return m->hardware && takesPieces(*m);
  });
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (std::find(machines.begin(), machines.begin() + static_cast<std::ptrdiff_t>(i),
                  machines[i]) != machines.begin() + static_cast<std::ptrdiff_t>(i)) {
      return true;
    }
  }
  return finders > 1;
}

void Registry::add(const MachineKind& kind) {
  if (find(kind.info().name) != nullptr) {
    throw std::invalid_argument("there is a machine '" + std::string(kind.info().name) +
                                "' already");
  }
  kinds_.push_back(&kind);
}

const MachineKind* Registry::find(std::string_view name) const {
  for (const MachineKind* const kind : kinds_) {
    if (kind->info().name == name) return kind;
  }
  return nullptr;
}

const MachineKind& Registry::at(std::string_view name, const std::string& what) const {
  if (const MachineKind* const kind = find(name)) return *kind;
  std::string known;
  for (const MachineKind* const kind : kinds_) {
    known += (known.empty() ? "" : ", ") + std::string(kind->info().name);
  }
  throw InputError(what + ": found '" + std::string(name) + "', expected one of " + known);
}

std::vector<std::string_view> Registry::faults() const {
  std::vector<std::string_view> all{report_ids::kPciAbort, report_ids::kDriver};
  for (const MachineKind* const kind : kinds_) {
    all.insert(all.end(), kind->info().faults.begin(), kind->info().faults.end());
  }
  return all;
}

}  // namespace rtvp::platform
