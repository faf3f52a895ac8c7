// See address_groups.hpp.
#include "models/c32/address_groups.hpp"

namespace rtvp::c32 {
namespace {

unsigned groupOf(unsigned number) {
  if (number == reg::DP) return 2;
  if (number == reg::SP) return 4;
  return number >= reg::AR0 && number <= reg::BK ? 1u : 0u;
}

}  // namespace

GroupUse groupsOf(const Instruction& i, const OpInfo& row) {
  GroupUse use;
  for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) {
    if (o->kind == Operand::Kind::Indirect) use.addresses |= 1;
    if (o->kind == Operand::Kind::Direct) use.addresses |= 2;
    if (o->kind == Operand::Kind::Register && row.format != Format::Nop)
      use.reads |= groupOf(o->number);
  }
  if (row.format == Format::DecBranch) use.addresses |= 1;
  const bool call = row.format == Format::Return || row.format == Format::Trap ||
                    row.mnemonic.substr(0, 4) == "CALL";
  if (row.format == Format::Stack || call) use.addresses |= 4;
  const bool single = row.first == Op::kCount;
  if (single && row.writesRegister) use.writes |= groupOf(i.reg);
  if (row.format == Format::Store || (row.format == Format::Stack && !row.writesRegister))
    use.reads |= groupOf(i.reg);
  return use;
}

}  // namespace rtvp::c32
