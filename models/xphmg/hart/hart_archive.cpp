// State of a hart and of the machine around it as bytes, and back. RAM and LDS are their owner's.
#include "models/common/core/state.hpp"
#include "models/xphmg/hart/machine.hpp"

namespace rtvp::rv64 {

void Hart::state(common::StateArchive& a) {
  a.mark("hart");
  a(x_, f_, pc_, retired_, stall_, waiting_, intercept_, last_trap_at_, reserved_, reservation_,
    fflags_, frm_, mstatus_, mie_, lines_, mtvec_, mscratch_, mepc_, mcause_, mtval_,
    mcountinhibit_, mcycle_base_, minstret_base_, time_base_, mtimecmp_);
  if (!a.reading()) return;
  flushDecoded();
  attention();
}

void Machine::state(common::StateArchive& a) {
  a(hart_, msip_, exit_code_);
}

}  // namespace rtvp::rv64
