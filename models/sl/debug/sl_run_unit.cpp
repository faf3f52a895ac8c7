// See sl_run_unit.hpp.
#include "models/sl/debug/sl_run_unit.hpp"

#include <bit>
#include <cstdio>
#include <utility>

#include "models/debug/expression.hpp"
#include "models/sl/number.hpp"

namespace rtvp::sl {

RunUnit::RunUnit(std::string name) : name_(std::move(name)) {
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
  for (const std::string& lane : names_) {
    debug::Register& r = registers_.emplace_back();
    r.name = lane;
    r.real = r.number = true;
  }
}

Vm& RunUnit::changeable() const {
  Vm* const vm = run();
  if (vm == nullptr) throw debug::CommandError(name_ + " has no run: nothing can be set");
  if (vm->state() == Stop::Trace || vm->state() == Stop::Lookup)
    throw debug::CommandError(name_ + " waits for its " +
                              (vm->state() == Stop::Trace ? "trace" : "lookup") +
                              ": step to the next instruction, then set it");
  return *vm;
}

std::uint64_t RunUnit::value(unsigned reg) const {
  const Lane& lane = lanes_.at(reg);
  const Vm* const vm = run();
  if (vm == nullptr) return 0;
  const Registers& r = vm->registers();
  return std::bit_cast<std::uint32_t>(isScalar(lane.reg) ? r.scalar(lane.reg)
                                                         : r.vector(lane.reg)[lane.lane]);
}

void RunUnit::setValue(unsigned reg, std::uint64_t raw) {
  const Lane& lane = lanes_.at(reg);
  Vm& vm = changeable();
  Registers r = vm.registers();
  const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(raw));
  if (isScalar(lane.reg)) {
    r.scalar(lane.reg) = value;
  } else {
    r.vector(lane.reg)[lane.lane] = value;
  }
  vm.change(r, vm.pc());
}

std::string RunUnit::rows() const {
  std::string out;
  const Vm* const vm = run();
  const Registers r = vm != nullptr ? vm->registers() : Registers{};
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
  return out;
}

double RunUnit::real(std::uint64_t raw, unsigned /*bits*/) const {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
}

std::uint64_t RunUnit::rawOf(double value, unsigned /*bits*/) const {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

}  // namespace rtvp::sl
