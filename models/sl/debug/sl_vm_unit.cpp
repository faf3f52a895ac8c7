// See sl_vm_unit.hpp.
#include "models/sl/debug/sl_vm_unit.hpp"

namespace rtvp::sl {

void VmUnit::setPc(std::uint64_t pc) {
  if (pc < state_.vm.program().size())
    state_.vm.change(state_.vm.registers(), static_cast<std::uint32_t>(pc));
}

std::string VmUnit::registerText() const {
  return rows() + "pc " + std::to_string(pc()) + ", " + std::to_string(instructions()) +
         " instructions, cycle " + std::to_string(cycle()) + ", random " +
         std::to_string(state_.vm.randomState()) + "\n";
}

std::optional<std::uint64_t> VmUnit::peek(std::uint64_t address) const {
  const Program& program = state_.vm.program();
  if (address >= program.size()) return std::nullopt;
  return program.words()[static_cast<std::size_t>(address)];
}

std::string VmUnit::disassemble(std::uint64_t address) const {
  const Program& program = state_.vm.program();
  if (address >= program.size()) return "(behind the last instruction)";
  return sl::disassemble(program[static_cast<std::size_t>(address)]);
}

}  // namespace rtvp::sl
