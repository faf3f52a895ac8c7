// See manual.hpp.
#include "models/implicit/unit/manual.hpp"

#include <cstdio>

#include "models/implicit/unit/faults.hpp"
#include "models/implicit/unit/registers.hpp"
#include "models/implicit/unit/timing.hpp"

namespace rtvp::implicit::unit {
namespace {

std::string counters() {
  std::string text =
      "### Counters\n\nPairs of registers, NAME_LOW and NAME_HIGH behind it. Reading the low half "
      "holds "
      "the high one.\n\n| offset | name | what |\n|---|---|---|\n";
  for (std::size_t n = 0; n < kCounters.size(); ++n) {
    char offset[16];
    std::snprintf(offset, sizeof offset, "%03Xh", offsetOf(static_cast<Counter>(n)));
    const std::string_view low = kCounters[n].low;
    text += "| " + std::string(offset) + " | `" +
            std::string(low.substr(0, low.size() - std::string_view("_LOW").size())) + "` | " +
            std::string(kCounters[n].meaning) + " |\n";
  }
  return text;
}

std::string faults() {
  std::string text = "### Faults\n\n| code | name | what |\n|---|---|---|\n";
  for (std::size_t n = 0; n < kFaultInfo.size(); ++n)
    text += "| " + std::to_string(n) + " | " + std::string(kFaultInfo[n].name) + " | " +
            std::string(kFaultInfo[n].text) + " |\n";
  return text;
}

std::string costs() {
  std::string text =
      "### Costs\n\nDefaults of the classes; instructions are made of them. All are parameters.\n\n"
      "| class | what | cycles | times that over ranges | with derivatives |\n"
      "|---|---|---|---|---|\n";
  for (const ClassCost& cost : kClassCosts)
    text += "| " + std::string(cost.name) + " | " + std::string(cost.what) + " | " +
            std::to_string(cost.cycles) + " | " + std::to_string(cost.interval) + " | " +
            std::to_string(cost.gradient) + " |\n";
  text += "\n| opcode";
  for (const ClassCost& cost : kClassCosts) text += " | " + std::string(cost.name);
  text += " | point | range | derivatives |\n|---|---|---|---|---|---|---|---|---|---|\n";
  const Timing timing;
  for (const OpcodeInfo& op : opcodes()) {
    if (op.function == Function::Invalid) continue;
    const Micro micro = microOf(op);
    text += "| " + std::string(op.name);
    for (const std::uint8_t n : micro) text += " | " + std::to_string(n);
    text += " | " + std::to_string(timing.decode + timing.pointCost(micro)) + " | " +
            std::to_string(timing.decode + timing.intervalCost(micro)) + " | " +
            std::to_string(timing.decode + timing.gradientCost(micro)) + " |\n";
  }
  return text;
}

}  // namespace

std::string manual() {
  return "<!-- generated: test_implicit_unit --gtest_also_run_disabled_tests "
         "--gtest_filter=*WriteManual -->\n" +
         common::registerMarkdown("Registers of the implicit-surface unit", kConfigurationRows) +
         "\n" + counters() + "\n" + faults() + "\n" + costs();
}

}  // namespace rtvp::implicit::unit
