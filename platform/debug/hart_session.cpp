// See hart_session.hpp.
#include "platform/debug/hart_session.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <systemc>
#include <utility>

#include "models/xphmg/debug/hart_gdb.hpp"
#include "platform/debug/debugged_hart.hpp"

namespace rtvp::platform {
namespace {

std::unique_ptr<debug::Front> frontAt(const std::string& where) {
  try {
    return std::make_unique<debug::Front>(
        debug::Protocol::Gdb, debug::doorFrom(where), [](const std::string& place) {
          std::cerr << "platform: gdb: target remote " << place << std::endl;
        });
  } catch (const std::invalid_argument& error) {
    throw InputError(std::string("--gdb: ") + error.what());
  } catch (const std::system_error& error) {
    throw InputError("--gdb " + where + ": " + error.what());
  }
}

}  // namespace

bool hasHart(std::span<const std::unique_ptr<Machine>> machines) {
  return std::ranges::any_of(machines, [](const auto& machine) {
    auto* const debugged = dynamic_cast<DebuggedHart*>(machine.get());
    return debugged != nullptr && debugged->hart() != nullptr;
  });
}

std::unique_ptr<xphmg::HartDriver> hartDriver(std::span<const std::unique_ptr<Machine>> machines,
                                              const std::string& option,
                                              const DebugSurroundings& around) {
  DebuggedHart* found = nullptr;
  for (const auto& machine : machines) {
    auto* const debugged = dynamic_cast<DebuggedHart*>(machine.get());
    if (debugged == nullptr || debugged->hart() == nullptr) continue;
    if (found != nullptr)
      throw InputError(option + ": found several harts in this run, expected one");
    found = debugged;
  }
  if (found == nullptr) return nullptr;
  const double hertz = sc_core::sc_time(1, sc_core::SC_SEC) / found->hart()->period();
  try {
    return std::make_unique<xphmg::HartDriver>(*found->hart(), found->hartProgram(), hertz,
                                               around.host, around.interrupted, around.snapshots,
                                               found->hartObserver(), around.beside);
  } catch (const rv64::ElfError& error) {
    throw InputError(std::string("xphmg.hart_elf: ") + error.what());
  }
}

HartSession::HartSession(const std::string& where, std::function<void(ExitStatus)> leave)
    : leave_(std::move(leave)),
      front_(frontAt(where)),
      host_(std::make_unique<debug::GdbHost>(*front_, rv64::gdbTarget())) {}

HartSession::~HartSession() = default;

void HartSession::attach(std::span<const std::unique_ptr<Machine>> machines) {
  driver_ =
      hartDriver(machines, "--gdb", {*host_, [this] { return host_->interrupted(); }, &snapshots_});
  if (!driver_) {
    throw InputError(
        "--gdb: no machine of this run has an RV64 hart (--engine xphmg --set xphmg.driver=hart "
        "has)");
  }
  if (!driver_->begin()) leave_(ExitStatus::Done);
}

void HartSession::over(const std::string& why, ExitStatus status) {
  // The client's farewell ends the simulation where it stands.
  if (driver_->dialogue().quit()) leave_(ExitStatus::Done);
  driver_->over(why, status != ExitStatus::Done, toInt(status));
}

}  // namespace rtvp::platform
