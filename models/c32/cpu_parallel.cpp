// Parallel pairs: multiply with add or subtract (4.4.5), operation with store, load-load,
// store-store (4.4.6). All sources are read before anything is written.
#include "models/c32/cpu_compute.hpp"

namespace rtvp::c32 {

using namespace operations;  // NOLINT(google-build-using-namespace): the operation names, this file
                             // only
using Handler = Execute::Handler;
using Path = Execute::Path;

struct Parallel {
  template <bool Float>
  static std::uint32_t storedWord(const Cpu& cpu, unsigned number) {
    return Float ? singleFromExtended(Execute::extended(cpu, number)) : cpu.reg_[number];
  }

  /// op src2,[src1,]dst1 || STx src3,dst2. The load half reads the old word, the store half the old
  /// register; the ARn update of the low field wins. RegisterFirst: the result is memory OP
  /// register (SUBx3, shifts).
  template <class O, bool FloatStore, bool RegisterFirst, bool Memory, Path P = Path::Quick>
  static bool opStore(Cpu& cpu, const MicroOp& op) {
    constexpr bool kFloat = O::kFloatSource;
    constexpr Handler kWhole = opStore<O, FloatStore, RegisterFirst, Memory, Path::Whole>;
    Execute::Value<kFloat> memory{};
    const std::uint32_t stored = storedWord<FloatStore>(cpu, op.reg2);
    const auto store = [&] { return stored; };
    if constexpr (Memory) {
      std::uint32_t word = 0;
      const bool done = P == Path::Quick
                            ? Execute::quickLoadStore(cpu, op, word, stored)
                            : Execute::loadStore<kFloat, FloatStore>(cpu, op, word, stored);
      if (!done) [[unlikely]]
        return Execute::otherwise<P, kWhole>(cpu, op);
      memory = Execute::fromWord<kFloat>(word);
    } else {
      memory = Execute::fromRegister<kFloat>(cpu, op.low.reg);
      const bool done = P == Path::Quick
                            ? Execute::quickWrite<Access::Indirect>(cpu, op.high, store)
                            : Execute::write<FloatStore, Access::Indirect>(cpu, op, op.high, store);
      if (!done) [[unlikely]]
        return Execute::otherwise<P, kWhole>(cpu, op);
    }
    Execute::Value<kFloat> other = memory;
    if constexpr (O::kBinary) other = Execute::fromRegister<kFloat>(cpu, op.reg3);
    if constexpr (RegisterFirst) {
      Compute::run<O>(cpu, op.reg, memory, other);
    } else {
      Compute::run<O>(cpu, op.reg, other, memory);
    }
    return Execute::next<P>(cpu, op);
  }

  template <class O, bool FloatStore, bool RegisterFirst, bool Memory>
  static Handler opStoreOn(const Instruction& i) {
    return Execute::choose<opStore<O, FloatStore, RegisterFirst, Memory>,
                           opStore<O, FloatStore, RegisterFirst, Memory, Path::Whole>>(i);
  }
  template <class O, bool FloatStore, bool RegisterFirst>
  static Handler opStoreFor(const Instruction& i) {
    const Operand& memory = RegisterFirst ? i.b : i.a;
    return memory.kind == Operand::Kind::Indirect
               ? opStoreOn<O, FloatStore, RegisterFirst, true>(i)
               : opStoreOn<O, FloatStore, RegisterFirst, false>(i);
  }

  /// Both loads; into one register the first written one (low field) stays.
  template <bool Float, Path P = Path::Quick>
  static bool loadLoad(Cpu& cpu, const MicroOp& op) {
    Execute::Value<Float> low{};
    Execute::Value<Float> high{};
    if (!fetchPair<Float, true, true, P>(cpu, op, low, high)) [[unlikely]]
      return Execute::otherwise<P, loadLoad<Float, Path::Whole>>(cpu, op);
    if constexpr (Float) {
      Execute::setExtended(cpu, op.reg2, high);
      Execute::setExtended(cpu, op.reg, low);
    } else {
      cpu.reg_[op.reg2] = high;
      cpu.reg_[op.reg] = low;
    }
    return Execute::next<P>(cpu, op);
  }

  template <bool Float>
  static Handler loadLoadFor(const Instruction& i) {
    if (i.a.kind != Operand::Kind::Indirect) return Execute::chained<loadLoad<Float, Path::Whole>>;
    return Execute::choose<loadLoad<Float>, loadLoad<Float, Path::Whole>>(i);
  }

  /// The store of the high field comes first, so the first written one (low field) stays. An
  /// external access comes before an internal one, which cannot be held back.
  template <bool Float>
  static bool storeStore(Cpu& cpu, const MicroOp& op) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t lowWord = storedWord<Float>(cpu, op.reg);
    const std::uint32_t highWord = storedWord<Float>(cpu, op.reg2);
    const bool inside = Execute::generatePair(cpu, op, op.low, op.high, low, high);
    if (low == high && cpu.config_.secondStoreRemains) [[unlikely]]
      lowWord = highWord;
    if (inside) [[likely]] {
      Execute::storeRam(cpu, op, high, highWord);
      Execute::storeRam(cpu, op, low, lowWord);
      return true;
    }
    Execute::departWith(cpu, op, op.low, op.high);
    const OnChipRam ram = onChipRam(cpu.config_.chip);
    if (ram.contains(high) && !ram.contains(low)) {
      return Execute::store<Float>(cpu, op, low, lowWord) &&
             Execute::store<Float>(cpu, op, high, highWord);
    }
    return Execute::store<Float>(cpu, op, high, highWord) &&
           Execute::store<Float>(cpu, op, low, lowWord);
  }

  /// The two short fields of a multiply/add or load pair; the high field's ARn update wins.
  template <bool Float, bool LowMemory, bool HighMemory, Path P>
  [[gnu::always_inline]] static bool fetchPair(Cpu& cpu, const MicroOp& op,
                                               Execute::Value<Float>& low,
                                               Execute::Value<Float>& high) {
    if constexpr (P == Path::Whole) {
      return fetchAny<Float>(cpu, op, low, high);
    } else if constexpr (LowMemory && HighMemory) {
      std::uint32_t lowWord = 0;
      std::uint32_t highWord = 0;
      const bool done = Execute::quickPair(cpu, op, lowWord, highWord);
      low = Execute::fromWord<Float>(lowWord);
      high = Execute::fromWord<Float>(highWord);
      return done;
    } else {
      constexpr Access kLow = LowMemory ? Access::Indirect : Access::Register;
      constexpr Access kHigh = HighMemory ? Access::Indirect : Access::Register;
      return Compute::operand<Float, kLow, P>(cpu, op, op.low, low) &&
             Compute::operand<Float, kHigh, P>(cpu, op, op.high, high);
    }
  }

  template <bool Float>
  static bool fetchAny(Cpu& cpu, const MicroOp& op, Execute::Value<Float>& low,
                       Execute::Value<Float>& high) {
    if (isMemory(op.low.access) && isMemory(op.high.access)) {
      std::uint32_t lowWord = 0;
      std::uint32_t highWord = 0;
      if (!Execute::readPair<Float>(cpu, op, lowWord, highWord)) return false;
      low = Execute::fromWord<Float>(lowWord);
      high = Execute::fromWord<Float>(highWord);
      return true;
    }
    return either<Float>(cpu, op, op.low, low) && either<Float>(cpu, op, op.high, high);
  }

  template <bool Float>
  static bool either(Cpu& cpu, const MicroOp& op, const OperandSpec& spec,
                     Execute::Value<Float>& value) {
    return isMemory(spec.access)
               ? Compute::operand<Float, Access::Indirect, Path::Whole>(cpu, op, spec, value)
               : Compute::operand<Float, Access::Register, Path::Whole>(cpu, op, spec, value);
  }

  /// c32.md 4.4.5; flags are those of both halves ORed, N and Z cleared (4.3 class PMA).
  template <bool Float, bool Subtract, int Shape, bool LowMemory, bool HighMemory,
            Path P = Path::Quick>
  static bool multiplyAdd(Cpu& cpu, const MicroOp& op) {
    Execute::Value<Float> low{};
    Execute::Value<Float> high{};
    if (!fetchPair<Float, LowMemory, HighMemory, P>(cpu, op, low, high)) [[unlikely]] {
      return Execute::otherwise<P, multiplyAdd<Float, Subtract, Shape, true, true, Path::Whole>>(
          cpu, op);
    }
    const Execute::Value<Float> src1 = Execute::fromRegister<Float>(cpu, op.reg3);
    const Execute::Value<Float> src2 = Execute::fromRegister<Float>(cpu, op.reg4);
    Execute::Value<Float> factorA = high;
    Execute::Value<Float> factorB = src1;
    Execute::Value<Float> left = src2;
    Execute::Value<Float> right = low;
    if constexpr (Shape == 0) {
      factorA = low, factorB = high;
      left = src1, right = src2;
    } else if constexpr (Shape == 1) {
      left = low, right = src2;
    } else if constexpr (Shape == 2) {
      factorA = src2;
      left = high;
    }
    const auto context = Compute::context(cpu);
    using Multiply = std::conditional_t<Float, Mpyf, Mpyi>;
    using Add = std::conditional_t<Float, Addf, Addi>;
    using Sub = std::conditional_t<Float, Subf, Subi>;
    const auto product = Multiply::apply(context, factorB, factorA);
    const auto sum = std::conditional_t<Subtract, Sub, Add>::apply(context, left, right);
    if constexpr (Float) {
      Execute::setExtended(cpu, op.reg, product.value);
      Execute::setExtended(cpu, op.reg2, sum.value);
    } else {
      cpu.reg_[op.reg] = product.value;
      cpu.reg_[op.reg2] = sum.value;
    }
    std::uint32_t flags = (product.flags | sum.flags) & (kV | kUF);
    if constexpr (Float) flags |= sum.flags & cpu.pairFlags_;
    Execute::setFlags(cpu, flags, kMaskNoCarry);
    return Execute::next<P>(cpu, op);
  }

  template <bool Float, bool Subtract, int Shape>
  static Handler multiplyAddOn(const Instruction& i) {
    bool low = false;
    bool high = false;
    for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) {
      if (o->kind == Operand::Kind::Indirect) (o->field == Field::High ? high : low) = true;
    }
    if (Execute::pathFor(i) == Path::Whole) {
      return Execute::chained<multiplyAdd<Float, Subtract, Shape, true, true, Path::Whole>>;
    }
    if (low) {
      return high ? multiplyAdd<Float, Subtract, Shape, true, true>
                  : multiplyAdd<Float, Subtract, Shape, true, false>;
    }
    return high ? multiplyAdd<Float, Subtract, Shape, false, true>
                : multiplyAdd<Float, Subtract, Shape, false, false>;
  }

  template <bool Float, bool Subtract>
  static Handler multiplyAddFor(const Instruction& i) {
    switch (i.parallel) {
      case 0:
        return multiplyAddOn<Float, Subtract, 0>(i);
      case 1:
        return multiplyAddOn<Float, Subtract, 1>(i);
      case 2:
        return multiplyAddOn<Float, Subtract, 2>(i);
      default:
        return multiplyAddOn<Float, Subtract, 3>(i);
    }
  }
};

Handler Execute::parallel(const Instruction& i) {
  switch (i.op) {
    case Op::MPYF3_ADDF3:
      return Parallel::multiplyAddFor<true, false>(i);
    case Op::MPYF3_SUBF3:
      return Parallel::multiplyAddFor<true, true>(i);
    case Op::MPYI3_ADDI3:
      return Parallel::multiplyAddFor<false, false>(i);
    case Op::MPYI3_SUBI3:
      return Parallel::multiplyAddFor<false, true>(i);
    case Op::STF_STF:
      return Execute::chained<Parallel::storeStore<true>>;
    case Op::STI_STI:
      return Execute::chained<Parallel::storeStore<false>>;
    case Op::LDF_LDF:
      return Parallel::loadLoadFor<true>(i);
    case Op::LDI_LDI:
      return Parallel::loadLoadFor<false>(i);
    case Op::ABSF_STF:
      return Parallel::opStoreFor<Absf, true, false>(i);
    case Op::ABSI_STI:
      return Parallel::opStoreFor<Absi, false, false>(i);
    case Op::ADDF3_STF:
      return Parallel::opStoreFor<Addf, true, false>(i);
    case Op::ADDI3_STI:
      return Parallel::opStoreFor<Addi, false, false>(i);
    case Op::AND3_STI:
      return Parallel::opStoreFor<And, false, false>(i);
    case Op::ASH3_STI:
      return Parallel::opStoreFor<Ash, false, true>(i);
    case Op::FIX_STI:
      return Parallel::opStoreFor<Fix, false, false>(i);
    case Op::FLOAT_STF:
      return Parallel::opStoreFor<Float, true, false>(i);
    case Op::LDF_STF:
      return Parallel::opStoreFor<LdfQuiet, true, false>(i);
    case Op::LDI_STI:
      return Parallel::opStoreFor<LdiQuiet, false, false>(i);
    case Op::LSH3_STI:
      return Parallel::opStoreFor<Lsh, false, true>(i);
    case Op::MPYF3_STF:
      return Parallel::opStoreFor<Mpyf, true, false>(i);
    case Op::MPYI3_STI:
      return Parallel::opStoreFor<Mpyi, false, false>(i);
    case Op::NEGF_STF:
      return Parallel::opStoreFor<Negf, true, false>(i);
    case Op::NEGI_STI:
      return Parallel::opStoreFor<Negi, false, false>(i);
    case Op::NOT_STI:
      return Parallel::opStoreFor<Not, false, false>(i);
    case Op::OR3_STI:
      return Parallel::opStoreFor<Or, false, false>(i);
    case Op::SUBF3_STF:
      return Parallel::opStoreFor<Subf, true, true>(i);
    case Op::SUBI3_STI:
      return Parallel::opStoreFor<Subi, false, true>(i);
    case Op::XOR3_STI:
      return Parallel::opStoreFor<Xor, false, false>(i);
    default:
      return nullptr;
  }
}

}  // namespace rtvp::c32
