// See theia_cores.hpp.
#include "platform/debug/theia_cores.hpp"

#include <limits>
#include <systemc>
#include <utility>
#include <vector>

#include "models/theia/debug/profile.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

std::string coreName(const std::string& machine, unsigned core) {
  return machine + ".core" + std::to_string(core);
}

void requireFree(const theia::Gpu& gpu, const std::string& name) {
  if (!gpu.controlled()) return;
  throw InputError("output.instructions: the debugger holds the cores of " + name +
                   " already; expected one of --instructions and --debug or --dap");
}

}  // namespace

TheiaCores::TheiaCores(theia::TheiaUnit& unit, const std::string& name, debug::Program program,
                       const DebugSurroundings& around)
    : unit_(unit) {
  theia::Gpu& gpu = unit.gpu();
  requireFree(gpu, name);
  std::vector<std::unique_ptr<theia::DebugUnit>> units;
  for (unsigned core = 0; core < gpu.cores(); ++core) {
    units.push_back(std::make_unique<theia::DebugUnit>(coreName(name, core), gpu.core(core),
                                                       gpu.textureStorage()));
  }
  driver_ = std::make_unique<theia::DebugDriver>(
      std::move(units), std::move(program),
      theia::DebugDriver::Surroundings{around.host, around.interrupted, around.snapshots, nullptr,
                                       1 / unit.clock().of(1).to_seconds(), [this] { leave(); },
                                       around.beside});
  gpu.control(driver_.get());
}

void TheiaCores::over(const std::string& why, int status) {
  if (const theia::Fault& fault = unit_.gpu().fault()) dialogue().setFocus(fault.core);
  driver_->over(why, status != 0, status);
}

debug::Profile coreProfile(const theia::TheiaUnit& unit, const std::string& name,
                           debug::Program program) {
  std::vector<std::pair<std::string, const theia::Core*>> cores;
  for (unsigned core = 0; core < unit.gpu().cores(); ++core)
    cores.emplace_back(coreName(name, core), &unit.gpu().core(core));
  return theia::profileOf(name, std::move(program), cores);
}

std::unique_ptr<theia::InstructionLog> watchCores(theia::TheiaUnit& unit, const std::string& name,
                                                  debug::Program program,
                                                  const InstructionWish& wish) {
  theia::InstructionLog::Wish wanted;
  bool any = false;
  for (unsigned core = 0; core < unit.gpu().cores(); ++core) {
    wanted.cores.push_back(wish.wants(coreName(name, core)));
    any = any || wanted.cores.back();
  }
  if (!any) return nullptr;
  requireFree(unit.gpu(), name);
  wanted.from = unit.clock().at(wish.from);
  if (wish.to != sc_core::sc_max_time()) wanted.to = unit.clock().at(wish.to);
  wanted.sink = wish.sink;
  auto log = std::make_unique<theia::InstructionLog>(std::move(program), std::move(wanted));
  unit.gpu().control(log.get());
  return log;
}

}  // namespace rtvp::platform
