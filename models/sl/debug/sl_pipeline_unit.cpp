// See sl_pipeline_unit.hpp.
#include "models/sl/debug/sl_pipeline_unit.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "models/common/core/text.hpp"
#include "models/debug/expression.hpp"

namespace rtvp::sl {
namespace {

/// What lies around a run.
enum Around : unsigned { kSlot, kSurface, kPixelX, kPixelY, kRun, kAround };
constexpr std::array<std::string_view, kAround> kNames{"SLOT", "SURFACE", "PIXEL_X", "PIXEL_Y",
                                                       "RUN"};

}  // namespace

PipelineUnit::PipelineUnit(std::string name, unit::ShadingCore& core, unsigned pipeline,
                           Surroundings around)
    : RunUnit(std::move(name)), core_(core), pipeline_(pipeline), around_(std::move(around)) {
  for (const std::string_view more : kNames) addRegister({more, 32, 32, false, true});
}

Vm* PipelineUnit::run() const {
  const auto run = core_.runOf(pipeline_);
  return run ? run->vm : nullptr;
}

std::uint64_t PipelineUnit::value(unsigned reg) const {
  if (reg < ownRegisters()) return RunUnit::value(reg);
  const auto run = core_.runOf(pipeline_);
  const auto signedValue = [](std::int64_t v) { return static_cast<std::uint32_t>(v); };
  if (!run) return signedValue(-1);
  const RunPurpose purpose = around_.purpose(run->slot);
  switch (reg - ownRegisters()) {
    case kSlot:
      return run->slot;
    case kSurface:
      return run->surface;
    case kPixelX:
      return signedValue(purpose.x);
    case kPixelY:
      return signedValue(purpose.y);
    default:
      return signedValue(purpose.run);
  }
}

void PipelineUnit::setValue(unsigned reg, std::uint64_t raw) {
  if (reg >= ownRegisters())
    throw debug::CommandError(std::string(kNames.at(reg - ownRegisters())) +
                              " says whose the run is: it can be read, not set");
  RunUnit::setValue(reg, raw);
}

std::uint64_t PipelineUnit::pc() const {
  const auto run = core_.runOf(pipeline_);
  return run ? kStoreSpace + run->start + run->vm->pc() : nowhere(core_);
}

void PipelineUnit::setPc(std::uint64_t pc) {
  Vm& vm = changeable();
  const std::uint64_t first = kStoreSpace + core_.runOf(pipeline_)->start;
  if (pc < first || pc - first >= vm.program().size())
    throw debug::CommandError("found " + common::hex(pc, addressDigits()) +
                              "h, expected a place of the run's program, " +
                              common::hex(first, addressDigits()) + "h to " +
                              common::hex(first + vm.program().size() - 1, addressDigits()) + "h");
  vm.change(vm.registers(), static_cast<std::uint32_t>(pc - first));
}

std::string PipelineUnit::registerText() const {
  const auto run = core_.runOf(pipeline_);
  const std::string counts =
      std::to_string(instructions()) + " instructions, cycle " + std::to_string(cycle());
  if (!run) return "no run, " + counts + "\n";
  const RunPurpose purpose = around_.purpose(run->slot);
  std::string head;
  if (purpose.x >= 0)
    head = "pixel " + std::to_string(purpose.x) + "," + std::to_string(purpose.y) + ", run " +
           std::to_string(purpose.run) + ", ";
  return head + "slot " + std::to_string(run->slot) + ", surface " + std::to_string(run->surface) +
         "\n" + rows() + "pc " + common::hex(pc(), addressDigits()) + ", " +
         std::to_string(run->vm->instructions()) + " instructions of the run, " + counts +
         ", random " + std::to_string(run->vm->randomState()) + "\n";
}

std::optional<std::uint64_t> PipelineUnit::peek(std::uint64_t address) const {
  if (address < kStoreSpace || address - kStoreSpace >= core_.programWords()) return std::nullopt;
  return core_.stored(static_cast<std::uint32_t>(address - kStoreSpace));
}

std::string PipelineUnit::disassemble(std::uint64_t address) const {
  if (address == nowhere(core_)) return kNowhere;
  const auto word = peek(address);
  if (!word) return "(outside the program store)";
  const Decoded decoded = decode(*word);
  return decoded.instruction ? sl::disassemble(*decoded.instruction) : "(no instruction)";
}

}  // namespace rtvp::sl
