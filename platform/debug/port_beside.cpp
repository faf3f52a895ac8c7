// See port_beside.hpp.
#include "platform/debug/port_beside.hpp"

#include <algorithm>

namespace rtvp::platform {

void addProgram(debug::Program& all, const debug::Program& more, std::size_t first,
                std::size_t units) {
  all.add(more, 0);
  for (const debug::Program::Range& r : more.code)
    all.owners.push_back({r.first, r.last, first, units});
}

std::vector<debug::Unit*> PortBeside::units() {
  std::vector<debug::Unit*> all;
  for (const auto& port : ports_) {
    const std::vector<debug::Unit*> some = port->units();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void PortBeside::attach(debug::BesideHost& host) {
  host_ = &host;
  for (const auto& port : ports_) port->attach(*this);
}

void PortBeside::describe(debug::Program& program, std::size_t first) const {
  for (const auto& port : ports_) {
    const std::size_t units = port->units().size();
    addProgram(program, port->program(), first, units);
    first += units;
  }
}

void PortBeside::setHalts(const std::vector<std::vector<std::uint64_t>>& halts) {
  std::size_t first = 0;
  for (const auto& port : ports_) {
    std::vector<std::uint64_t> places;
    std::vector<bool> halting(port->units().size());
    for (std::size_t u = 0; u < halting.size(); ++u) {
      const std::vector<std::uint64_t>& own = halts.at(first + u);
      halting[u] = !own.empty();
      places.insert(places.end(), own.begin(), own.end());
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    (void)port->setStops(places, halting);
    first += halting.size();
  }
  if (sc_core::sc_is_running()) changed_.notify();
}

std::size_t PortBeside::numberOf(const DebugPort& port, std::size_t unit) const {
  std::size_t first = 0;
  for (const auto& known : ports_) {
    if (known.get() == &port) break;
    first += known->units().size();
  }
  return first + unit;
}

bool PortBeside::haltedAt(const DebugPort& port, std::size_t unit, const sc_core::sc_time& time) {
  moment_ = time;
  host_->unitHalted(numberOf(port, unit));
  return false;
}

void PortBeside::begins(const DebugPort& port, std::size_t unit) {
  host_->unitBegins(numberOf(port, unit));
}

void PortBeside::ended(const DebugPort& port, std::size_t unit, const sc_core::sc_time& moment) {
  moment_ = moment;
  host_->unitEnded(numberOf(port, unit));
}

void PortBeside::arrived(const DebugPort& port, std::size_t unit, const sc_core::sc_time& moment) {
  moment_ = moment;
  host_->unitArrived(numberOf(port, unit));
}

}  // namespace rtvp::platform
