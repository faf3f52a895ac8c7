// The implicit-surface unit of a run under the debugger.
#pragma once

#include <memory>
#include <string>

#include "models/implicit/debug/driver.hpp"
#include "models/implicit/unit/implicit_unit.hpp"
#include "platform/debug/debuggee.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

/// The unit's process stands while an evaluation does. The first stop is in front of the first
/// instruction of the first one, that of the first hull.
class ImplicitDebuggee final : public Debuggee {
 public:
  /// `name`: of the unit; `hertz`: of its clock. `form`: how it runs tapes. Throws InputError:
  /// there is nothing to run.
  ImplicitDebuggee(implicit::unit::ImplicitUnit& unit, const std::string& name, double hertz,
                   const scene::Scene& scene, implicit::DebugForm form,
                   const DebugSurroundings& around);
  [[nodiscard]] debug::Dialogue& dialogue() override { return driver_->dialogue(); }
  void begin() override {}
  void over(const std::string& why, int status) override {
    driver_->over(why, status != 0, status);
  }

 private:
  std::unique_ptr<implicit::DebugDriver> driver_;
};

}  // namespace rtvp::platform
