// See effects.hpp. Address rules: c32.md 6.2; stack: 4.5.
#include "models/c32/debug/effects.hpp"

#include "models/c32/flags.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {

std::uint32_t operandAddress(const Operand& o, const Cpu& cpu) {
  if (o.kind == Operand::Kind::Direct)
    return (cpu.registerValue(reg::DP) & 0xFFu) << 16 | (o.value & 0xFFFFu);
  const std::uint32_t base = cpu.registerValue(reg::AR0 + o.number);
  const IndirectMode m = indirectMode(o.mode);
  if (!m.useModified) return base & kAddressMask;
  const std::uint32_t step = m.index == IndirectMode::Index::Ir0   ? cpu.registerValue(reg::IR0)
                             : m.index == IndirectMode::Index::Ir1 ? cpu.registerValue(reg::IR1)
                                                                   : o.value;
  return (m.subtract ? base - step : base + step) & kAddressMask;
}

Effects effectsOf(const Instruction& i, const Cpu& cpu) {
  Effects effects;
  const OpInfo& row = info(i.op);
  const auto memory = [&](const Operand& o, bool write) {
    if (o.kind == Operand::Kind::Indirect || o.kind == Operand::Kind::Direct)
      effects.add(operandAddress(o, cpu), write);
  };
  const std::uint32_t sp = cpu.registerValue(reg::SP);
  const bool taken =
      !row.conditional || conditionHolds(static_cast<unsigned>(i.cond), cpu.registerValue(reg::ST));
  switch (row.format) {
    case Format::Store:
      memory(i.a, true);
      break;
    case Format::StoreStore:
      memory(i.a, true);
      memory(i.c, true);
      break;
    case Format::Op2Store:
    case Format::Op3Store:
      memory(i.a, false);
      memory(i.b, false);
      memory(i.c, true);
      break;
    case Format::Stack:
      effects.add(row.writesRegister ? sp : sp + 1, !row.writesRegister);
      break;
    case Format::Return:
      effects.returns = taken;
      if (taken) effects.add(sp, false);
      break;
    default:
      for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) memory(*o, false);
      break;
  }
  const bool calls = row.format == Format::Trap || row.mnemonic.substr(0, 4) == "CALL";
  if (calls && taken) {
    effects.call = true;
    effects.add(sp + 1, true);
  }
  return effects;
}

}  // namespace rtvp::c32
