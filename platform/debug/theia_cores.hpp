// Cores of a THEIA unit under the debugger, and what is seen of them without stopping them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "models/debug/profile.hpp"
#include "models/theia/debug/driver.hpp"
#include "models/theia/debug/instruction_log.hpp"
#include "models/theia/theia_unit.hpp"
#include "platform/debug/debuggee.hpp"
#include "platform/machines/instruction_source.hpp"

namespace rtvp::platform {

/// The host's process stands while a core does, at the simulated time that it has come to. The
/// first stop is in front of the first instruction of core 0: before, no core has one.
class TheiaCores final : public Debuggee {
 public:
  /// `name`: of the machine; its cores are NAME.core0 and so on. Throws InputError.
  TheiaCores(theia::TheiaUnit& unit, const std::string& name, debug::Program program,
             const DebugSurroundings& around);
  [[nodiscard]] debug::Dialogue& dialogue() override { return driver_->dialogue(); }
  void begin() override {}
  void over(const std::string& why, int status) override;

 private:
  theia::TheiaUnit& unit_;
  std::unique_ptr<theia::DebugDriver> driver_;
};

/// What cores that have kept account (Gpu::keepAccount) went through.
[[nodiscard]] debug::Profile coreProfile(const theia::TheiaUnit& unit, const std::string& name,
                                         debug::Program program);

/// Before the simulation: cores that `wish` names are logged as text. Null: it names none. Throws
/// InputError if the debugger runs them.
[[nodiscard]] std::unique_ptr<theia::InstructionLog> watchCores(theia::TheiaUnit& unit,
                                                                const std::string& name,
                                                                debug::Program program,
                                                                const InstructionWish& wish);

}  // namespace rtvp::platform
