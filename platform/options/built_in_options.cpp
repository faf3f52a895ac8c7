#include "platform/options/built_in_options.hpp"

#include "platform/options/rows/bus.hpp"
#include "platform/options/rows/implicit.hpp"
#include "platform/options/rows/limit.hpp"
#include "platform/options/rows/output.hpp"
#include "platform/options/rows/pci.hpp"
#include "platform/options/rows/run.hpp"
#include "platform/options/rows/sl.hpp"
#include "platform/options/rows/speed.hpp"
#include "platform/options/rows/theia.hpp"
#include "platform/options/rows/tigershark.hpp"
#include "platform/options/rows/xphmg.hpp"

namespace rtvp::platform {
namespace {

/// One option an instruction form of the shading unit, from its table.
void addCycleOptions(OptionTable& table) {
  for (const sl::FormInfo& form : sl::kInstructions) {
    const std::string key = slCycleKey(form.form);
    const std::string clocks = std::to_string(form.cycles);
    const OptionSpec row{
        .key = key,
        .type = OptionType::Integer,
        .unit = "clocks",
        .fallback = clocks,
        .lo = 0,
        .hi = 100'000,
        .help = "clocks of this instruction in the shading unit (V S destination, v s source)"};
    table.add({&row, 1});
  }
}

}  // namespace

OptionTable builtInOptions() {
  OptionTable table;
  table.add(rows::kRunOptions);
  table.add(rows::kTigersharkOptions);
  table.add(rows::kTheiaOptions);
  table.add(rows::kXphmgOptions);
  table.add(rows::kPciOptions);
  table.add(rows::kBusOptions);
  table.add(rows::kLimitOptions);
  table.add(rows::kSpeedOptions);
  table.add(rows::kSlOptions);
  table.add(rows::kImplicitOptions);
  table.add(rows::kOutputOptions);
  addCycleOptions(table);
  return table;
}

std::string slCycleKey(sl::Form form) {
  const sl::FormInfo& info = sl::infoOf(form);
  std::string key = "sl.cycles." + std::string(info.mnemonic);
  if (!info.operands.empty()) key += "_" + std::string(info.operands);
  return key;
}

}  // namespace rtvp::platform
