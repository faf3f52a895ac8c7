// Arithmetic, logic and loads in general (4.4.1), three-operand (4.4.2) and conditional (4.4.3)
// form.
#include "models/c32/cpu_compute.hpp"

namespace rtvp::c32 {

using namespace operations;  // NOLINT(google-build-using-namespace): the operation names, this file
                             // only
using Handler = Execute::Handler;
using Path = Execute::Path;

std::uint64_t Execute::indexed(const Cpu& cpu, const OperandSpec& spec) {
  const std::uint32_t ar = cpu.reg_[spec.reg];
  const IndirectMode mode = indirectMode(spec.mode);
  std::uint32_t step = static_cast<std::uint32_t>(spec.value);
  if (mode.index == IndirectMode::Index::Ir0) step = cpu.reg_[reg::IR0];
  if (mode.index == IndirectMode::Index::Ir1) step = cpu.reg_[reg::IR1];
  if (mode.bitReversed) {
    const auto reverse = [](std::uint32_t x) {
      std::uint32_t r = 0;
      for (int bit = 0; bit < 24; ++bit) r |= (x >> bit & 1u) << (23 - bit);
      return r;
    };
    return pack(ar, keepHigh(ar, reverse(reverse(ar) + reverse(step))), true);
  }
  if (mode.circular) {
    // c32.md 6.3: exactly one correction, then the mask; BK = 0 leaves ARn alone.
    const std::uint32_t bk = cpu.reg_[reg::BK] & 0xFFFFu;
    const std::uint32_t mask = bk == 0 ? 0 : (std::bit_floor(bk) << 1) - 1u;
    const std::int64_t distance = static_cast<std::int32_t>(step << 8) >> 8;
    std::int64_t t = static_cast<std::int64_t>(ar & mask) + (mode.subtract ? -distance : distance);
    if (t >= bk) {
      t -= bk;
    } else if (t < 0) {
      t += bk;
    }
    const std::uint32_t index = static_cast<std::uint32_t>(t) & mask;
    return pack(ar, keepHigh(ar, (ar & ~mask) | index), true);
  }
  const std::uint32_t moved = mode.subtract ? ar - step : ar + step;
  return pack(mode.useModified ? moved : ar, keepHigh(ar, moved), mode.update);
}

bool Execute::readIndirectOutside(Cpu& cpu, const MicroOp& op, const OperandSpec& spec,
                                  bool isFloat, std::uint32_t address, std::uint32_t& word) {
  const Address a = addressOf(cpu, spec);
  if (cpu.readFree(op, address, word)) [[likely]] {
    if (a.modifies) cpu.reg_[spec.reg] = a.updated;
    return true;
  }
  cpu.depart(op);
  if (a.modifies) setEarly(cpu, spec.reg, a.updated);
  return cpu.readOutside(isFloat, address, word);
}

bool Execute::readPairOutside(Cpu& cpu, const MicroOp& op, bool isFloat, PairWords& words) {
  const OperandSpec& first = op.low;
  const OperandSpec& last = op.high;
  const Address f = addressOf(cpu, first);
  const Address l = addressOf(cpu, last);
  const bool firstInside = inRam(cpu, f.address);
  const bool lastInside = inRam(cpu, l.address);
  if (firstInside == lastInside) [[unlikely]] {
    departWith(cpu, op, first, last);
    return cpu.slowRead(BusOp::Read, f.address, isFloat, words.first) &&
           cpu.slowRead(BusOp::Read, l.address, isFloat, words.last);
  }
  (firstInside ? words.first : words.last) = loadRam(cpu, firstInside ? f.address : l.address);
  const std::uint32_t address = firstInside ? l.address : f.address;
  std::uint32_t& word = firstInside ? words.last : words.first;
  if (cpu.readFree(op, address, word)) [[likely]] {
    if (f.modifies) cpu.reg_[first.reg] = f.updated;
    if (l.modifies) cpu.reg_[last.reg] = l.updated;
    return true;
  }
  departWith(cpu, op, first, last);
  return cpu.readOutside(isFloat, address, word);
}

bool Execute::opStoreOutside(Cpu& cpu, const MicroOp& op, std::uint32_t storeAddress,
                             std::uint32_t loadAddress, std::uint32_t& word, std::uint32_t stored,
                             bool floatLoad, bool floatStore) {
  const bool inside = inRam(cpu, storeAddress);
  if (inside && cpu.readFree(op, loadAddress, word)) [[likely]] {
    updatePair(cpu, op.high, op.low);
    storeRam(cpu, op, storeAddress, stored);
    return true;
  }
  departWith(cpu, op, op.high, op.low);
  if (inside) {
    if (!cpu.readOutside(floatLoad, loadAddress, word)) return false;
    storeRam(cpu, op, storeAddress, stored);
    return true;
  }
  if (inRam(cpu, loadAddress)) {
    word = loadRam(cpu, loadAddress);
  } else if (!cpu.slowRead(BusOp::Read, loadAddress, floatLoad, word)) {
    return false;
  }
  return cpu.slowWrite(storeAddress, floatStore, stored);
}

struct Alu {
  /// op src,dst: the second operand is the destination register.
  template <class O, Access A, Path P = Path::Quick>
  static bool general(Cpu& cpu, const MicroOp& op) {
    Execute::Value<O::kFloatSource> a{};
    if constexpr (isMemory(A)) {
      if (!Compute::operand<O::kFloatSource, A, P>(cpu, op, op.low, a)) [[unlikely]]
        return Execute::otherwise<P, general<O, A, Path::Whole>>(cpu, op);
    } else {
      Compute::operand<O::kFloatSource, A, P>(cpu, op, op.low, a);
    }
    Compute::run<O>(cpu, op.reg,
                    Execute::fromRegister<O::kFloatSource>(cpu, Compute::sourceIndex<O>(op.reg)),
                    a);
    return Execute::next<P>(cpu, op);
  }

  template <class O>
  static Handler generalFor(const Instruction& i) {
    switch (i.a.kind) {
      case Operand::Kind::Register:
        return general<O, Access::Register>;
      case Operand::Kind::Immediate:
        return general<O, Access::Constant>;
      case Operand::Kind::Direct:
        return general<O, Access::Direct>;
      default:
        return Execute::choose<general<O, Access::Indirect>,
                               general<O, Access::Indirect, Path::Whole>>(i);
    }
  }

  /// op3 src2,src1,dst with src2 in the low field. The update from the high field wins (4.4.2).
  template <class O, bool LowMemory, bool HighMemory, Path P = Path::Quick>
  static bool three(Cpu& cpu, const MicroOp& op) {
    constexpr bool kFloat = O::kFloatSource;
    constexpr Handler kWhole = three<O, LowMemory, HighMemory, Path::Whole>;
    Execute::Value<kFloat> a{};
    Execute::Value<kFloat> b{};
    if constexpr (LowMemory && HighMemory) {
      std::uint32_t lowWord = 0;
      std::uint32_t highWord = 0;
      const bool done = P == Path::Quick ? Execute::quickPair(cpu, op, lowWord, highWord)
                                         : Execute::readPair<kFloat>(cpu, op, lowWord, highWord);
      if (!done) [[unlikely]]
        return Execute::otherwise<P, kWhole>(cpu, op);
      a = Execute::fromWord<kFloat>(lowWord);
      b = Execute::fromWord<kFloat>(highWord);
    } else {
      // The memory operand first: a register operand sees the ARn it modified.
      if constexpr (HighMemory) {
        if (!Compute::operand<kFloat, Access::Indirect, P>(cpu, op, op.high, b)) [[unlikely]]
          return Execute::otherwise<P, kWhole>(cpu, op);
      }
      if constexpr (LowMemory) {
        if (!Compute::operand<kFloat, Access::Indirect, P>(cpu, op, op.low, a)) [[unlikely]]
          return Execute::otherwise<P, kWhole>(cpu, op);
      }
      if constexpr (!LowMemory) a = Execute::fromRegister<kFloat>(cpu, op.low.reg);
      if constexpr (!HighMemory) b = Execute::fromRegister<kFloat>(cpu, op.high.reg);
    }
    Compute::run<O>(cpu, op.reg, b, a);
    return Execute::next<P>(cpu, op);
  }

  template <class O, bool LowMemory, bool HighMemory>
  static Handler threeOn(const Instruction& i) {
    return Execute::choose<three<O, LowMemory, HighMemory>,
                           three<O, LowMemory, HighMemory, Path::Whole>>(i);
  }
  template <class O>
  static Handler threeFor(const Instruction& i) {
    const bool low = i.a.kind == Operand::Kind::Indirect;
    const bool high = i.b.kind == Operand::Kind::Indirect;
    if (low) return high ? threeOn<O, true, true>(i) : threeOn<O, true, false>(i);
    return high ? threeOn<O, false, true>(i) : three<O, false, false>;
  }

  /// LDFcond, LDIcond: address, ARn and read always, the register only if the condition holds. No
  /// flags.
  template <bool Float, Access A, Path P = Path::Quick>
  static bool conditional(Cpu& cpu, const MicroOp& op) {
    Execute::Value<Float> a{};
    if constexpr (isMemory(A)) {
      if (!Compute::operand<Float, A, P>(cpu, op, op.low, a)) [[unlikely]]
        return Execute::otherwise<P, conditional<Float, A, Path::Whole>>(cpu, op);
    } else {
      Compute::operand<Float, A, P>(cpu, op, op.low, a);
    }
    const bool holds = conditionHolds(op.cond, cpu.reg_[reg::ST]);
    if constexpr (Float) {
      // No branch: nobody can foretell it.
      const Float40 before = Execute::extended(cpu, op.reg);
      Execute::setExtended(
          cpu, op.reg,
          {holds ? a.exponent : before.exponent, holds ? a.mantissa : before.mantissa});
    } else if (holds) {
      Execute::writeRegister(cpu, op.reg, a);
    }
    return Execute::next<P>(cpu, op);
  }

  template <bool Float>
  static Handler conditionalFor(const Instruction& i) {
    if (i.cond == Cond::U) return generalFor<std::conditional_t<Float, LdfQuiet, LdiQuiet>>(i);
    switch (i.a.kind) {
      case Operand::Kind::Register:
        return conditional<Float, Access::Register>;
      case Operand::Kind::Immediate:
        return conditional<Float, Access::Constant>;
      case Operand::Kind::Direct:
        return conditional<Float, Access::Direct>;
      default:
        return Execute::choose<conditional<Float, Access::Indirect>,
                               conditional<Float, Access::Indirect, Path::Whole>>(i);
    }
  }

  /// LDM copies a mantissa: the whole memory word is one (3.8), so it is not a float source like
  /// the others.
  static bool ldm(Cpu& cpu, const MicroOp& op) {
    std::uint32_t mantissa = 0;
    if (op.low.access == Access::Register) {
      mantissa = cpu.reg_[op.low.reg];
    } else if (op.low.access == Access::Constant) {
      mantissa = static_cast<std::uint32_t>(op.low.value);
    } else if (!Execute::readAny<true>(cpu, op, mantissa)) {
      return false;
    }
    cpu.reg_[op.reg] = mantissa;
    return true;
  }

  template <class O>
  static bool rotate(Cpu& cpu, const MicroOp& op) {
    const std::uint32_t x = cpu.reg_[op.reg];
    Compute::run<O>(cpu, op.reg, x, x);
    return Execute::next(cpu, op);
  }
};

namespace {

Handler generalInteger(const Instruction& i) {
  switch (i.op) {
    case Op::ABSI:
      return Alu::generalFor<Absi>(i);
    case Op::ADDC:
      return Alu::generalFor<Addc>(i);
    case Op::ADDI:
      return Alu::generalFor<Addi>(i);
    case Op::AND:
      return Alu::generalFor<And>(i);
    case Op::ANDN:
      return Alu::generalFor<Andn>(i);
    case Op::ASH:
      return Alu::generalFor<Ash>(i);
    case Op::CMPI:
      return Alu::generalFor<Cmpi>(i);
    case Op::LDI:
      return Alu::generalFor<Ldi>(i);
    case Op::LSH:
      return Alu::generalFor<Lsh>(i);
    case Op::MPYI:
      return Alu::generalFor<Mpyi>(i);
    case Op::NEGB:
      return Alu::generalFor<Negb>(i);
    case Op::NEGI:
      return Alu::generalFor<Negi>(i);
    case Op::NOT:
      return Alu::generalFor<Not>(i);
    case Op::OR:
      return Alu::generalFor<Or>(i);
    case Op::SUBB:
      return Alu::generalFor<Subb>(i);
    case Op::SUBC:
      return Alu::generalFor<Subc>(i);
    case Op::SUBI:
      return Alu::generalFor<Subi>(i);
    case Op::SUBRB:
      return Alu::generalFor<Subrb>(i);
    case Op::SUBRI:
      return Alu::generalFor<Subri>(i);
    case Op::TSTB:
      return Alu::generalFor<Tstb>(i);
    case Op::XOR:
      return Alu::generalFor<Xor>(i);
    case Op::ROL:
      return Alu::rotate<Rol>;
    case Op::ROLC:
      return Alu::rotate<Rolc>;
    case Op::ROR:
      return Alu::rotate<Ror>;
    case Op::RORC:
      return Alu::rotate<Rorc>;
    case Op::LDIcond:
      return Alu::conditionalFor<false>(i);
    default:
      return nullptr;
  }
}

Handler generalFloat(const Instruction& i) {
  switch (i.op) {
    case Op::ABSF:
      return Alu::generalFor<Absf>(i);
    case Op::ADDF:
      return Alu::generalFor<Addf>(i);
    case Op::CMPF:
      return Alu::generalFor<Cmpf>(i);
    case Op::FIX:
      return Alu::generalFor<Fix>(i);
    case Op::FLOAT:
      return Alu::generalFor<Float>(i);
    case Op::LDE:
      return Alu::generalFor<Lde>(i);
    case Op::LDF:
      return Alu::generalFor<Ldf>(i);
    case Op::LDM:
      return Execute::chained<Alu::ldm>;
    case Op::MPYF:
      return Alu::generalFor<Mpyf>(i);
    case Op::NEGF:
      return Alu::generalFor<Negf>(i);
    case Op::NORM:
      return Alu::generalFor<Norm>(i);
    case Op::RND:
      return Alu::generalFor<Rnd>(i);
    case Op::SUBF:
      return Alu::generalFor<Subf>(i);
    case Op::SUBRF:
      return Alu::generalFor<Subrf>(i);
    case Op::LDFcond:
      return Alu::conditionalFor<true>(i);
    default:
      return nullptr;
  }
}

Handler threeOperand(const Instruction& i) {
  switch (i.op) {
    case Op::ADDC3:
      return Alu::threeFor<Addc>(i);
    case Op::ADDF3:
      return Alu::threeFor<Addf>(i);
    case Op::ADDI3:
      return Alu::threeFor<Addi>(i);
    case Op::AND3:
      return Alu::threeFor<And>(i);
    case Op::ANDN3:
      return Alu::threeFor<Andn>(i);
    case Op::ASH3:
      return Alu::threeFor<Ash>(i);
    case Op::CMPF3:
      return Alu::threeFor<Cmpf>(i);
    case Op::CMPI3:
      return Alu::threeFor<Cmpi>(i);
    case Op::LSH3:
      return Alu::threeFor<Lsh>(i);
    case Op::MPYF3:
      return Alu::threeFor<Mpyf>(i);
    case Op::MPYI3:
      return Alu::threeFor<Mpyi>(i);
    case Op::OR3:
      return Alu::threeFor<Or>(i);
    case Op::SUBB3:
      return Alu::threeFor<Subb>(i);
    case Op::SUBF3:
      return Alu::threeFor<Subf>(i);
    case Op::SUBI3:
      return Alu::threeFor<Subi>(i);
    case Op::TSTB3:
      return Alu::threeFor<Tstb>(i);
    case Op::XOR3:
      return Alu::threeFor<Xor>(i);
    default:
      return nullptr;
  }
}

}  // namespace

Handler Execute::arithmetic(const Instruction& i) {
  if (const Handler h = generalInteger(i)) return h;
  if (const Handler h = generalFloat(i)) return h;
  return threeOperand(i);
}

}  // namespace rtvp::c32
