// Operand access and result placement shared by the handlers of cpu_alu.cpp and cpu_parallel.cpp.
// Internal.
#pragma once

#include "models/c32/cpu_operations.hpp"

namespace rtvp::c32 {

struct Compute {
  /// Index to read as the register operand of general forms. FIX may name any destination, but
  /// reads only R0-R7.
  template <class O>
  static constexpr unsigned sourceIndex(unsigned number) {
    return O::kFloatSource && !O::kFloatResult ? number & 7u : number;
  }

  /// One source operand; on Path::Whole A = Indirect stands for Indexed as well.
  template <bool Float, Access A, Execute::Path P>
  [[gnu::always_inline]] static bool operand(Cpu& cpu, const MicroOp& op, const OperandSpec& spec,
                                             Execute::Value<Float>& value) {
    if constexpr (A == Access::Register) {
      value = Execute::fromRegister<Float>(cpu, spec.reg);
    } else if constexpr (A == Access::Constant) {
      value = Execute::constant<Float>(spec);
    } else {
      std::uint32_t word = 0;
      if constexpr (P == Execute::Path::Quick) {
        if (!Execute::quickRead<A>(cpu, op, spec, word)) return false;
      } else {
        if (!Execute::read<Float, A>(cpu, op, spec, word)) return false;
      }
      value = Execute::fromWord<Float>(word);
    }
    return true;
  }

  static operations::Context context(const Cpu& cpu) {
    return {cpu.reg_[reg::ST], cpu.integerMode_, cpu.config_.alignment};
  }

  /// Result and flags to their places. Flags change for R0-R7 only, compares apart (c32.md 1.1).
  template <class O, class Result>
  [[gnu::always_inline]] static void place(Cpu& cpu, unsigned destination, const Result& result) {
    if constexpr (O::kCompare) {
      Execute::setFlags(cpu, result.flags, O::kMask);
    } else if constexpr (O::kFloatResult) {
      Execute::setExtended(cpu, destination, result.value);
      if constexpr (O::kMask != 0) Execute::setFlags(cpu, result.flags, O::kMask);
    } else if (destination < 8) {
      cpu.reg_[destination] = result.value;
      if constexpr (O::kMask != 0) Execute::setFlags(cpu, result.flags, O::kMask);
    } else {
      Execute::writeRegister(cpu, destination, result.value);
    }
  }

  /// b OP a.
  template <class O, class V>
  [[gnu::always_inline]] static void run(Cpu& cpu, unsigned destination, V b, V a) {
    place<O>(cpu, destination, O::apply(context(cpu), b, a));
  }
};

}  // namespace rtvp::c32
