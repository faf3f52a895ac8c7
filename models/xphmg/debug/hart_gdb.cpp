// See hart_gdb.hpp.
#include "models/xphmg/debug/hart_gdb.hpp"

#include "models/xphmg/debug/hart_unit.hpp"

namespace rtvp::rv64 {

debug::GdbTarget gdbTarget() {
  using Register = debug::GdbTarget::Register;
  debug::GdbTarget target;
  target.architecture = "riscv:rv64";
  debug::GdbTarget::Feature cpu{"org.gnu.gdb.riscv.cpu", {}}, fpu{"org.gnu.gdb.riscv.fpu", {}},
      csr{"org.gnu.gdb.riscv.csr", {}};
  for (unsigned n = 0; n < 32; ++n) {
    const bool pointer = n >= 1 && n <= 4;  // ra, sp, gp, tp
    const std::string_view type = n == 1 ? "code_ptr" : pointer ? "data_ptr" : "int";
    cpu.registers.push_back(Register{integerRegisterName(n), type, 64, static_cast<int>(n)});
    fpu.registers.push_back(Register{floatRegisterName(n), "ieee_double", 64,
                                     static_cast<int>(DebugUnit::kFloats + n)});
  }
  cpu.registers.push_back(Register{"pc", "code_ptr", 64, debug::GdbTarget::kPc});
  int reg = static_cast<int>(DebugUnit::kCsrs);
  for (const DebugUnit::NamedCsr& named : DebugUnit::csrs()) {
    debug::GdbTarget::Feature& feature = named.name == "fcsr" ? fpu : csr;
    feature.registers.push_back(Register{named.name, "int", 64, reg++});
  }
  target.features = {cpu, fpu, csr};
  return target;
}

}  // namespace rtvp::rv64
