// See sl_vm_unit.hpp.
#include "models/sl/debug/sl_vm_unit.hpp"

#include <bit>
#include <cstdio>

#include "models/sl/number.hpp"

namespace rtvp::sl {

VmUnit::VmUnit(VmState& state) : state_(state) {
  for (const RegisterInfo& row : kRegisters) {
    if (isScalar(row.id)) {
      lanes_.push_back({row.id, 0});
      names_.emplace_back(row.name);
      continue;
    }
    for (unsigned lane = 0; lane < 3; ++lane) {
      lanes_.push_back({row.id, lane});
      names_.push_back(std::string(row.name) + "_" + "xyz"[lane]);
    }
  }
  for (const std::string& name : names_) {
    debug::Register& r = registers_.emplace_back();
    r.name = name;
    r.real = r.number = true;
  }
}

std::uint64_t VmUnit::value(unsigned reg) const {
  const Lane& lane = lanes_.at(reg);
  const Registers& r = state_.vm.registers();
  return std::bit_cast<std::uint32_t>(isScalar(lane.reg) ? r.scalar(lane.reg)
                                                         : r.vector(lane.reg)[lane.lane]);
}

void VmUnit::setValue(unsigned reg, std::uint64_t raw) {
  const Lane& lane = lanes_.at(reg);
  Registers r = state_.vm.registers();
  const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(raw));
  if (isScalar(lane.reg)) {
    r.scalar(lane.reg) = value;
  } else {
    r.vector(lane.reg)[lane.lane] = value;
  }
  state_.vm.change(r, state_.vm.pc());
}

void VmUnit::setPc(std::uint64_t pc) {
  if (pc < state_.vm.program().size())
    state_.vm.change(state_.vm.registers(), static_cast<std::uint32_t>(pc));
}

std::string VmUnit::registerText() const {
  std::string out;
  const Registers& r = state_.vm.registers();
  for (const RegisterInfo& row : kRegisters) {
    std::string value;
    if (isScalar(row.id)) {
      value = sl::shortest(r.scalar(row.id));
    } else {
      const Vec3& v = r.vector(row.id);
      value = "(" + sl::shortest(v.x) + ", " + sl::shortest(v.y) + ", " + sl::shortest(v.z) + ")";
    }
    char head[16];
    std::snprintf(head, sizeof head, "%-3s ", row.name.data());
    out += head + value + "\n";
  }
  return out + "pc " + std::to_string(pc()) + ", " + std::to_string(instructions()) +
         " instructions, cycle " + std::to_string(cycle()) + ", random " +
         std::to_string(state_.vm.randomState()) + "\n";
}

std::optional<std::uint64_t> VmUnit::peek(std::uint64_t address) const {
  const Program& program = state_.vm.program();
  if (address >= program.size()) return std::nullopt;
  return program.words()[static_cast<std::size_t>(address)];
}

double VmUnit::real(std::uint64_t raw, unsigned /*bits*/) const {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
}

std::uint64_t VmUnit::rawOf(double value, unsigned /*bits*/) const {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

std::string VmUnit::disassemble(std::uint64_t address) const {
  const Program& program = state_.vm.program();
  if (address >= program.size()) return "(behind the last instruction)";
  return sl::disassemble(program[static_cast<std::size_t>(address)]);
}

}  // namespace rtvp::sl
