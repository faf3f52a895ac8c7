// Parallel pairs: multiply with add or subtract (4.4.5), operation with store, load-load,
// store-store (4.4.6). All sources are read before anything is written.
#include "models/c32/cpu_compute.hpp"

namespace rtvp::c32 {

using namespace operations;  // NOLINT(google-build-using-namespace): the operation names, this file
                             // only
using Handler = Execute::Handler;

struct Parallel {
  template <bool Float>
  static std::uint32_t storedWord(const Cpu& cpu, unsigned number) {
    return Float ? singleFromExtended(Execute::extended(cpu, number)) : cpu.reg_[number];
  }

  /// op src2,[src1,]dst1 || STx src3,dst2. The load half reads the old word, the store half the old
  /// register; the ARn update of the low field wins. RegisterFirst: the result is memory OP
  /// register (SUBx3, shifts).
  template <class O, bool FloatStore, bool RegisterFirst>
  static bool opStore(Cpu& cpu, const MicroOp& op) {
    constexpr bool kFloat = O::kFloatSource;
    std::uint32_t storeAddress = 0;
    Execute::Value<kFloat> memory{};
    const std::uint32_t stored = storedWord<FloatStore>(cpu, op.reg2);
    if (isMemory(op.low.access)) [[likely]] {
      std::uint32_t loadAddress = 0;
      std::uint32_t word = 0;
      if (Execute::generatePair(cpu, op, op.high, op.low, storeAddress, loadAddress)) [[likely]] {
        word = Execute::loadRam(cpu, loadAddress);
        Execute::storeRam(cpu, op, storeAddress, stored);
      } else if (!Execute::opStoreOutside(cpu, op, storeAddress, loadAddress, word, stored, kFloat,
                                          FloatStore)) {
        return false;
      }
      memory = Execute::fromWord<kFloat>(word);
    } else {
      memory = Execute::fromRegister<kFloat>(cpu, op.low.reg);
      if (!Execute::write<FloatStore, Access::Indirect>(cpu, op, op.high, [&] { return stored; })) {
        return false;
      }
    }
    Execute::Value<kFloat> other = memory;
    if constexpr (O::kBinary) other = Execute::fromRegister<kFloat>(cpu, op.reg3);
    if constexpr (RegisterFirst) {
      Compute::run<O>(cpu, op.reg, memory, other);
    } else {
      Compute::run<O>(cpu, op.reg, other, memory);
    }
    return true;
  }

  /// Both loads; into one register the first written one (low field) stays.
  template <bool Float>
  static bool loadLoad(Cpu& cpu, const MicroOp& op) {
    Execute::Value<Float> low{};
    Execute::Value<Float> high{};
    if (!fetchPair<Float>(cpu, op, low, high)) return false;
    if constexpr (Float) {
      Execute::setExtended(cpu, op.reg2, high);
      Execute::setExtended(cpu, op.reg, low);
    } else {
      cpu.reg_[op.reg2] = high;
      cpu.reg_[op.reg] = low;
    }
    return true;
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
    if (high - kRamBase < kRamWords && low - kRamBase >= kRamWords) {
      return Execute::store<Float>(cpu, op, low, lowWord) &&
             Execute::store<Float>(cpu, op, high, highWord);
    }
    return Execute::store<Float>(cpu, op, high, highWord) &&
           Execute::store<Float>(cpu, op, low, lowWord);
  }

  /// The two short fields of a multiply/add or load pair; the high field's ARn update wins.
  template <bool Float>
  [[gnu::always_inline]] static bool fetchPair(Cpu& cpu, const MicroOp& op,
                                               Execute::Value<Float>& low,
                                               Execute::Value<Float>& high) {
    if (isMemory(op.low.access) && isMemory(op.high.access)) [[likely]] {
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
  [[gnu::always_inline]] static bool either(Cpu& cpu, const MicroOp& op, const OperandSpec& spec,
                                            Execute::Value<Float>& value) {
    if (isMemory(spec.access))
      return Compute::operand<Float, Access::Indirect>(cpu, op, spec, value);
    return Compute::operand<Float, Access::Register>(cpu, op, spec, value);
  }

  /// c32.md 4.4.5; flags are those of both halves ORed, N and Z cleared (4.3 class PMA).
  template <bool Float, bool Subtract, int P>
  static bool multiplyAdd(Cpu& cpu, const MicroOp& op) {
    Execute::Value<Float> low{};
    Execute::Value<Float> high{};
    if (!fetchPair<Float>(cpu, op, low, high)) return false;
    const Execute::Value<Float> src1 = Execute::fromRegister<Float>(cpu, op.reg3);
    const Execute::Value<Float> src2 = Execute::fromRegister<Float>(cpu, op.reg4);
    Execute::Value<Float> factorA = high;
    Execute::Value<Float> factorB = src1;
    Execute::Value<Float> left = src2;
    Execute::Value<Float> right = low;
    if constexpr (P == 0) {
      factorA = low, factorB = high;
      left = src1, right = src2;
    } else if constexpr (P == 1) {
      left = low, right = src2;
    } else if constexpr (P == 2) {
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
    return true;
  }

  template <bool Float, bool Subtract>
  static Handler multiplyAddFor(unsigned p) {
    switch (p) {
      case 0:
        return multiplyAdd<Float, Subtract, 0>;
      case 1:
        return multiplyAdd<Float, Subtract, 1>;
      case 2:
        return multiplyAdd<Float, Subtract, 2>;
      default:
        return multiplyAdd<Float, Subtract, 3>;
    }
  }
};

Handler Execute::parallel(const Instruction& i) {
  switch (i.op) {
    case Op::MPYF3_ADDF3:
      return Parallel::multiplyAddFor<true, false>(i.parallel);
    case Op::MPYF3_SUBF3:
      return Parallel::multiplyAddFor<true, true>(i.parallel);
    case Op::MPYI3_ADDI3:
      return Parallel::multiplyAddFor<false, false>(i.parallel);
    case Op::MPYI3_SUBI3:
      return Parallel::multiplyAddFor<false, true>(i.parallel);
    case Op::STF_STF:
      return Parallel::storeStore<true>;
    case Op::STI_STI:
      return Parallel::storeStore<false>;
    case Op::LDF_LDF:
      return Parallel::loadLoad<true>;
    case Op::LDI_LDI:
      return Parallel::loadLoad<false>;
    case Op::ABSF_STF:
      return Parallel::opStore<Absf, true, false>;
    case Op::ABSI_STI:
      return Parallel::opStore<Absi, false, false>;
    case Op::ADDF3_STF:
      return Parallel::opStore<Addf, true, false>;
    case Op::ADDI3_STI:
      return Parallel::opStore<Addi, false, false>;
    case Op::AND3_STI:
      return Parallel::opStore<And, false, false>;
    case Op::ASH3_STI:
      return Parallel::opStore<Ash, false, true>;
    case Op::FIX_STI:
      return Parallel::opStore<Fix, false, false>;
    case Op::FLOAT_STF:
      return Parallel::opStore<Float, true, false>;
    case Op::LDF_STF:
      return Parallel::opStore<LdfQuiet, true, false>;
    case Op::LDI_STI:
      return Parallel::opStore<LdiQuiet, false, false>;
    case Op::LSH3_STI:
      return Parallel::opStore<Lsh, false, true>;
    case Op::MPYF3_STF:
      return Parallel::opStore<Mpyf, true, false>;
    case Op::MPYI3_STI:
      return Parallel::opStore<Mpyi, false, false>;
    case Op::NEGF_STF:
      return Parallel::opStore<Negf, true, false>;
    case Op::NEGI_STI:
      return Parallel::opStore<Negi, false, false>;
    case Op::NOT_STI:
      return Parallel::opStore<Not, false, false>;
    case Op::OR3_STI:
      return Parallel::opStore<Or, false, false>;
    case Op::SUBF3_STF:
      return Parallel::opStore<Subf, true, true>;
    case Op::SUBI3_STI:
      return Parallel::opStore<Subi, false, true>;
    case Op::XOR3_STI:
      return Parallel::opStore<Xor, false, false>;
    default:
      return nullptr;
  }
}

}  // namespace rtvp::c32
