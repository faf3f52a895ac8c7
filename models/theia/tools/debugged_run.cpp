// See debugged_run.hpp.
#include "models/theia/tools/debugged_run.hpp"

#include <utility>

#include "models/common/tool/failure.hpp"

namespace rtvp::theia {

namespace status = tool::status;

DebugDriver& DebuggedRun::attach(std::vector<std::unique_ptr<DebugUnit>> units,
                                 debug::Program program, GpuObserver* chained, double hertz) {
  driver_ = std::make_unique<DebugDriver>(
      std::move(units), std::move(program),
      DebugDriver::Surroundings{session_.host(), session_.interrupted(), &snapshots_, chained,
                                hertz});
  session_.attach(driver_->dialogue());
  return *driver_;
}

void DebuggedRun::left() const {
  debug::ToolSession::finish(driver_->dialogue());
}

void DebuggedRun::over(const std::string& why, const Fault& fault) {
  if (fault) driver_->dialogue().setFocus(fault.core);
  driver_->over(why, static_cast<bool>(fault), fault ? status::kFault : status::kDone);
  left();
}

}  // namespace rtvp::theia
