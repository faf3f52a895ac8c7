#include "platform/options/built_in_options.hpp"

#include "models/common/contention_params.hpp"
#include "models/common/pci_params.hpp"
#include "models/implicit/params.hpp"
#include "models/sl/params.hpp"
#include "models/theia/params.hpp"
#include "models/tigershark/cpu_params.hpp"
#include "models/tigershark/params.hpp"
#include "models/xphmg/params.hpp"
#include "platform/machines/implicit_params.hpp"
#include "platform/machines/processor_params.hpp"
#include "platform/machines/sl_params.hpp"
#include "platform/machines/theia_params.hpp"
#include "platform/machines/tigershark_params.hpp"
#include "platform/machines/xphmg_params.hpp"
#include "platform/options/instruction_params.hpp"
#include "platform/options/run_params.hpp"

namespace rtvp::platform {

OptionTable builtInOptions() {
  OptionTable table;
  table.add(kRunParams);
  table.add(tigershark::kBoardParams);
  table.add(kTigersharkParams);
  table.add(tigershark::kFaultParams);
  table.add(tigershark::kCpuParams);
  table.add(theia::kUnitParams);
  table.add(kTheiaParams);
  table.add(xphmg::kUnitParams);
  table.add(kXphmgParams);
  table.add(common::kPciParams);
  table.add(common::kContentionParams);
  table.add(kProcessorParams);
  table.add(kWorkParams);
  table.add(kLimitParams);
  table.add(tigershark::kBoardSpeedParams);
  table.add(implicit::unit::kUnitSpeedParams);
  table.add(xphmg::kUnitSpeedParams);
  table.add(sl::unit::kUnitParams);
  table.add(kSlParams);
  table.add(kShaderParams);
  table.add(kImplicitParams);
  table.add(implicit::unit::kUnitParams);
  table.add(kImplicitMemoryParams);
  table.add(kOutputParams);
  table.add(kInstructionParams);
  table.add(sl::unit::kCycleParams);
  return table;
}

}  // namespace rtvp::platform
