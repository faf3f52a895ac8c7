// Building blocks of the instruction handlers: operands, addresses, memory, results. Internal to
// the engine.
//
// Order inside a handler: addresses (which update ARn, undone on a block), reads, writes, then
// registers and flags. Nothing but the ARn update may happen before the last access has succeeded.
#pragma once

#include "models/c32/cpu.hpp"

namespace rtvp::c32 {

struct Execute {
  using Handler = MicroOp::Handler;

  /// How a handler gets at its operands.
  enum class Path : std::uint8_t {
    Quick,  ///< in the RAM, or from the tape at no cost: such a handler calls nobody
    Whole,  ///< whatever may happen
  };
  /// The one an instruction begins with.
  static Path pathFor(const Instruction& i);

  // --- addresses (c32.md 6.2) ---

  struct Address {
    std::uint32_t address;
    std::uint32_t updated;  ///< ARn afterwards
    bool modifies;
  };

  /// The address units change bits 23-0 only.
  static std::uint32_t keepHigh(std::uint32_t ar, std::uint32_t value) {
    return (ar & ~kAddressMask) | (value & kAddressMask);
  }

  /// The rare modes, out of line: address in bits 23-0, "modifies" in bit 31, ARn afterwards in
  /// bits 63-32. Packed because a struct would drag the common path through memory.
  static std::uint64_t indexed(const Cpu& cpu, const OperandSpec& spec);
  static std::uint64_t pack(std::uint32_t address, std::uint32_t updated, bool modifies) {
    return std::uint64_t{updated} << 32 | (modifies ? 0x80000000u : 0u) | (address & kAddressMask);
  }

  [[gnu::always_inline]] static Address addressOf(const Cpu& cpu, const OperandSpec& spec) {
    if (spec.access == Access::Indexed) [[unlikely]] {
      const std::uint64_t packed = indexed(cpu, spec);
      return {static_cast<std::uint32_t>(packed) & kAddressMask,
              static_cast<std::uint32_t>(packed >> 32), (packed & 0x80000000u) != 0};
    }
    const std::uint32_t ar = cpu.reg_[spec.reg];
    return {(ar + static_cast<std::uint32_t>(spec.value)) & kAddressMask,
            keepHigh(ar, ar + static_cast<std::uint32_t>(spec.step)), spec.step != 0};
  }

  /// The same where the kind of operand is known; `modifies` does not count.
  template <Access A>
  [[gnu::always_inline]] static Address addressAs(const Cpu& cpu, const OperandSpec& spec) {
    if constexpr (A == Access::Direct) {
      return {direct(cpu, spec), 0, false};
    } else {
      const std::uint32_t ar = cpu.reg_[spec.reg];
      return {(ar + static_cast<std::uint32_t>(spec.value)) & kAddressMask,
              keepHigh(ar, ar + static_cast<std::uint32_t>(spec.step)), true};
    }
  }
  template <Access A>
  [[gnu::always_inline]] static void update(Cpu& cpu, const OperandSpec& spec, const Address& a) {
    if constexpr (A == Access::Indirect) cpu.reg_[spec.reg] = a.updated;
  }

  /// Changes a register in the decode stage: taken back if the instruction is abandoned.
  static void setEarly(Cpu& cpu, unsigned number, std::uint32_t value) {
    cpu.undo_[cpu.undoCount_++] = {static_cast<std::uint8_t>(number), cpu.reg_[number]};
    cpu.reg_[number] = value;
  }

  static std::uint32_t direct(const Cpu& cpu, const OperandSpec& spec) {
    return ((cpu.reg_[reg::DP] & 0xFFu) << 16) | static_cast<std::uint32_t>(spec.value);
  }

  /// Address of the only memory operand, ARn updated.
  template <Access A>
  [[gnu::always_inline]] static std::uint32_t generate(Cpu& cpu, const OperandSpec& spec) {
    if constexpr (A == Access::Direct) {
      return direct(cpu, spec);
    } else {
      const Address a = addressOf(cpu, spec);
      if (a.modifies) setEarly(cpu, spec.reg, a.updated);
      return a.address;
    }
  }
  /// The same for handlers that serve both memory kinds.
  static std::uint32_t generateAny(Cpu& cpu, const OperandSpec& spec) {
    return spec.access == Access::Direct ? generate<Access::Direct>(cpu, spec)
                                         : generate<Access::Indirect>(cpu, spec);
  }

  /// Addresses of two indirect operands, both from the old ARn; `last` has the final word on a
  /// shared one (c32.md 4.4.2, 4.4.6). True if both are in the RAM: then nothing can stop the
  /// instruction, and ARn are changed.
  [[gnu::always_inline]] static bool generatePair(Cpu& cpu, const MicroOp& op,
                                                  const OperandSpec& first, const OperandSpec& last,
                                                  std::uint32_t& firstAddress,
                                                  std::uint32_t& lastAddress) {
    const Address f = addressOf(cpu, first);
    const Address l = addressOf(cpu, last);
    firstAddress = f.address;
    lastAddress = l.address;
    if (f.address - kRamBase < cpu.ramWords_ && l.address - kRamBase < cpu.ramWords_) [[likely]] {
      if (f.modifies) cpu.reg_[first.reg] = f.updated;
      if (l.modifies) cpu.reg_[last.reg] = l.updated;
      // Two data accesses and the fetch in one block of two ports: one waits (c32.md 7.5).
      if (threeInBlock(cpu, op, f.address, l.address)) [[unlikely]] {
        cpu.depart(op);
        ++cpu.end_;
        ++cpu.stats_.ramConflict;
      }
      return true;
    }
    return false;
  }

  [[gnu::always_inline]] static bool threeInBlock(const Cpu& cpu, const MicroOp& op,
                                                  std::uint32_t a, std::uint32_t b) {
    if (((a ^ b) & ~0xFFu) != 0) return false;
    const std::uint32_t pc = cpu.straight_ ? op.pc : cpu.pc_;
    return (b & ~0xFFu) == (pc & ~0xFFu) && !cpu.single_;
  }
  static void updatePair(Cpu& cpu, const OperandSpec& first, const OperandSpec& last) {
    const Address f = addressOf(cpu, first);
    const Address l = addressOf(cpu, last);
    if (f.modifies) cpu.reg_[first.reg] = f.updated;
    if (l.modifies) cpu.reg_[last.reg] = l.updated;
  }
  /// The load and the store of a pair, not both in the RAM.
  static bool opStoreOutside(Cpu& cpu, const MicroOp& op, std::uint32_t storeAddress,
                             std::uint32_t loadAddress, std::uint32_t& word, std::uint32_t stored,
                             bool floatLoad, bool floatStore);

  /// Leaves the straight path with the ARn changed so that it can be taken back.
  static void departWith(Cpu& cpu, const MicroOp& op, const OperandSpec& first,
                         const OperandSpec& last) {
    const Address f = addressOf(cpu, first);
    const Address l = addressOf(cpu, last);
    cpu.depart(op);
    if (f.modifies) setEarly(cpu, first.reg, f.updated);
    if (l.modifies) setEarly(cpu, last.reg, l.updated);
    // Where every access is watched none counts as inside; Timing::Pipeline counts ports itself.
    if (cpu.full_ && !cpu.config_.flatMemory && cpu.config_.timing == Timing::Interlock &&
        cpu.threeInOnChipBlock(f.address, l.address)) {
      ++cpu.end_;
      ++cpu.stats_.ramConflict;
    }
  }

  // --- memory ---

  static bool inRam(const Cpu& cpu, std::uint32_t address) {
    return address - kRamBase < cpu.ramWords_;
  }
  [[gnu::always_inline]] static std::uint32_t loadRam(const Cpu& cpu, std::uint32_t address) {
    return cpu.ram_[address - kRamBase];
  }
  [[gnu::always_inline]] static void storeRam(Cpu& cpu, const MicroOp& op, std::uint32_t address,
                                              std::uint32_t word) {
    const std::uint32_t offset = address - kRamBase;
    cpu.ram_[offset] = word;
    if (cpu.isCode(offset)) [[unlikely]] {
      cpu.depart(op);
      cpu.forgetCode(offset);
    }
  }

  /// An access of an instruction that has left the straight path.
  template <bool Float>
  static bool load(Cpu& cpu, std::uint32_t address, std::uint32_t& word) {
    if (inRam(cpu, address)) {
      word = loadRam(cpu, address);
      return true;
    }
    return cpu.slowRead(BusOp::Read, address, Float, word);
  }
  template <bool Float>
  static bool store(Cpu& cpu, const MicroOp& op, std::uint32_t address, std::uint32_t word) {
    if (inRam(cpu, address)) {
      storeRam(cpu, op, address, word);
      return true;
    }
    return cpu.slowWrite(address, Float, word);
  }

  /// The only access of an instruction, ARn updated: a read ...
  template <bool Float, Access A>
  [[gnu::always_inline]] static bool read(Cpu& cpu, const MicroOp& op, const OperandSpec& spec,
                                          std::uint32_t& word) {
    if constexpr (A == Access::Direct) {
      const std::uint32_t address = direct(cpu, spec);
      if (inRam(cpu, address)) [[likely]] {
        word = loadRam(cpu, address);
        return true;
      }
      cpu.depart(op);
      return cpu.readOutside(Float, address, word);
    } else {
      const Address a = addressOf(cpu, spec);
      if (inRam(cpu, a.address)) [[likely]] {
        word = loadRam(cpu, a.address);
        if (a.modifies) cpu.reg_[spec.reg] = a.updated;
        return true;
      }
      return readIndirectOutside(cpu, op, spec, Float, a.address, word);
    }
  }
  template <bool Float>
  static bool readAny(Cpu& cpu, const MicroOp& op, std::uint32_t& word) {
    return op.low.access == Access::Direct ? read<Float, Access::Direct>(cpu, op, op.low, word)
                                           : read<Float, Access::Indirect>(cpu, op, op.low, word);
  }

  /// ... or a write of what `value` gives once ARn is updated.
  template <bool Float, Access A, class Value>
  [[gnu::always_inline]] static bool write(Cpu& cpu, const MicroOp& op, const OperandSpec& spec,
                                           Value value) {
    Address a{};
    if constexpr (A == Access::Direct) {
      a.address = direct(cpu, spec);
    } else {
      a = addressOf(cpu, spec);
    }
    if (inRam(cpu, a.address)) [[likely]] {
      if (a.modifies) cpu.reg_[spec.reg] = a.updated;
      storeRam(cpu, op, a.address, value());
      return true;
    }
    cpu.depart(op);
    if (a.modifies) setEarly(cpu, spec.reg, a.updated);
    return cpu.slowWrite(a.address, Float, value());
  }

  /// Two reads in one instruction, low field first; the high one has the final word on a shared
  /// ARn.
  template <bool Float>
  [[gnu::always_inline]] static bool readPair(Cpu& cpu, const MicroOp& op, std::uint32_t& firstWord,
                                              std::uint32_t& lastWord) {
    std::uint32_t firstAddress = 0;
    std::uint32_t lastAddress = 0;
    if (generatePair(cpu, op, op.low, op.high, firstAddress, lastAddress)) [[likely]] {
      firstWord = loadRam(cpu, firstAddress);
      lastWord = loadRam(cpu, lastAddress);
      return true;
    }
    PairWords words;
    const bool done = readPairOutside(cpu, op, Float, words);
    firstWord = words.first;
    lastWord = words.last;
    return done;
  }
  struct PairWords {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  /// The load of the low field and the store of the high one, whose ARn update comes first.
  template <bool FloatLoad, bool FloatStore>
  static bool loadStore(Cpu& cpu, const MicroOp& op, std::uint32_t& word, std::uint32_t stored) {
    std::uint32_t storeAddress = 0;
    std::uint32_t loadAddress = 0;
    if (generatePair(cpu, op, op.high, op.low, storeAddress, loadAddress)) {
      word = loadRam(cpu, loadAddress);
      storeRam(cpu, op, storeAddress, stored);
      return true;
    }
    return opStoreOutside(cpu, op, storeAddress, loadAddress, word, stored, FloatLoad, FloatStore);
  }
  static bool readPairOutside(Cpu& cpu, const MicroOp& op, bool isFloat, PairWords& words);
  static bool readIndirectOutside(Cpu& cpu, const MicroOp& op, const OperandSpec& spec,
                                  bool isFloat, std::uint32_t address, std::uint32_t& word);

  // --- quick ways to memory: in the RAM, or from the tape at no cost ---
  // Invariant: such a way does all of an access or nothing, before anything else of the instruction
  // has happened; on false the handler for Path::Whole, the plain twin, does the instruction.
  // False: nothing has happened. Operands are none of Access::Indexed, and have an ARn each.

  [[gnu::always_inline]] static bool quickFetch(Cpu& cpu, const MicroOp& op, std::uint32_t address,
                                                std::uint32_t& word) {
    if (!inRam(cpu, address)) return cpu.readTape(op, address, word);
    word = loadRam(cpu, address);
    return true;
  }
  template <Access A>
  [[gnu::always_inline]] static bool quickRead(Cpu& cpu, const MicroOp& op, const OperandSpec& spec,
                                               std::uint32_t& word) {
    const Address a = addressAs<A>(cpu, spec);
    if (!quickFetch(cpu, op, a.address, word)) return false;
    update<A>(cpu, spec, a);
    return true;
  }
  static bool isData(const Cpu& cpu, std::uint32_t address) {
    return inRam(cpu, address) && !cpu.isCode(address - kRamBase);
  }
  template <Access A, class Value>
  [[gnu::always_inline]] static bool quickWrite(Cpu& cpu, const OperandSpec& spec, Value value) {
    const Address a = addressAs<A>(cpu, spec);
    if (!isData(cpu, a.address)) return false;
    update<A>(cpu, spec, a);
    cpu.ram_[a.address - kRamBase] = value();
    return true;
  }
  [[gnu::always_inline]] static bool quickPair(Cpu& cpu, const MicroOp& op, std::uint32_t& lowWord,
                                               std::uint32_t& highWord) {
    const Address low = addressAs<Access::Indirect>(cpu, op.low);
    const Address high = addressAs<Access::Indirect>(cpu, op.high);
    if (inRam(cpu, low.address)) {
      if (inRam(cpu, high.address)) {
        if (threeInBlock(cpu, op, low.address, high.address)) return false;
        highWord = loadRam(cpu, high.address);
      } else if (!cpu.readTape(op, high.address, highWord)) {
        return false;
      }
      lowWord = loadRam(cpu, low.address);
    } else {
      if (!inRam(cpu, high.address) || !cpu.readTape(op, low.address, lowWord)) return false;
      highWord = loadRam(cpu, high.address);
    }
    update<Access::Indirect>(cpu, op.low, low);
    update<Access::Indirect>(cpu, op.high, high);
    return true;
  }
  /// Reads by the low field, stores by the high one.
  [[gnu::always_inline]] static bool quickLoadStore(Cpu& cpu, const MicroOp& op,
                                                    std::uint32_t& loaded, std::uint32_t stored) {
    const Address load = addressAs<Access::Indirect>(cpu, op.low);
    const Address store = addressAs<Access::Indirect>(cpu, op.high);
    if (!isData(cpu, store.address) || threeInBlock(cpu, op, load.address, store.address) ||
        !quickFetch(cpu, op, load.address, loaded)) {
      return false;
    }
    cpu.ram_[store.address - kRamBase] = stored;
    update<Access::Indirect>(cpu, op.low, load);
    update<Access::Indirect>(cpu, op.high, store);
    return true;
  }

  // --- one instruction after the other ---
  // In memory a MicroOp that is executed is followed by the next one, at last by one that ends it
  // all. A handler that got what it wanted calls the next one's; it does so last, so that the
  // compiler makes a jump of it.

  [[gnu::always_inline]] static bool next(Cpu& cpu, const MicroOp& op) {
    const MicroOp& following = (&op)[1];
    return following.execute(cpu, following);
  }
  /// Of a handler that serves both paths.
  template <Path P>
  [[gnu::always_inline]] static bool next(Cpu& cpu, const MicroOp& op) {
    if constexpr (P == Path::Whole) return true;
    return next(cpu, op);
  }
  /// Handler of one that may leave the straight path and does not know of the next one.
  template <Handler H>
  static bool chained(Cpu& cpu, const MicroOp& op) {
    const bool done = H(cpu, op);
    if (done && !cpu.departed_) return next(cpu, op);
    cpu.stopped_ = &op;
    return done;
  }
  template <Handler H>
  [[gnu::noinline, gnu::cold]] static bool apart(Cpu& cpu, const MicroOp& op) {
    return chained<H>(cpu, op);
  }
  /// A handler's last word on operands it did not get.
  template <Path P, Handler Whole>
  [[gnu::always_inline]] static bool otherwise(Cpu& cpu, const MicroOp& op) {
    if constexpr (P == Path::Whole) return false;
    return apart<Whole>(cpu, op);
  }
  /// The handler to begin with, Quick or Whole.
  template <Handler Quick, Handler Whole>
  static Handler choose(const Instruction& i) {
    return pathFor(i) == Path::Quick ? Quick : chained<Whole>;
  }
  static bool end(Cpu& cpu, const MicroOp& op) {
    cpu.stopped_ = &op;
    return true;
  }

  // --- registers ---

  static Float40 extended(const Cpu& cpu, unsigned number) {
    return {cpu.exponent_[number], cpu.reg_[number]};
  }
  static void setExtended(Cpu& cpu, unsigned number, const Float40& value) {
    cpu.exponent_[number] = value.exponent;
    cpu.reg_[number] = value.mantissa;
  }
  static constexpr std::uint32_t kSpecialRegisters =
      1u << reg::ST | 1u << reg::IE | 1u << reg::IF | 1u << reg::IOF | 1u << reg::RE;

  static void writeRegister(Cpu& cpu, unsigned number, std::uint32_t value) {
    if ((kSpecialRegisters >> number & 1u) != 0) [[unlikely]] {
      cpu.writeSpecial(number, value);
    } else {
      cpu.reg_[number] = value;
    }
  }
  [[gnu::always_inline]] static void setFlags(Cpu& cpu, std::uint32_t flags, std::uint32_t mask) {
    const std::uint32_t st = (cpu.reg_[reg::ST] & ~mask) | flags;
    cpu.reg_[reg::ST] = (flags & (kV | kUF)) == 0 ? st : applyFlags(st, flags, 0);
  }

  // --- operands by type ---

  template <bool Float>
  using Value = std::conditional_t<Float, Float40, std::uint32_t>;

  template <bool Float>
  static Value<Float> fromRegister(const Cpu& cpu, unsigned number) {
    if constexpr (Float) {
      return extended(cpu, number);
    } else {
      return cpu.reg_[number];
    }
  }
  template <bool Float>
  static Value<Float> fromWord(std::uint32_t word) {
    if constexpr (Float) {
      return extendedFromSingle(word);
    } else {
      return word;
    }
  }
  template <bool Float>
  static Value<Float> constant(const OperandSpec& spec) {
    if constexpr (Float) {
      return {spec.exponent, static_cast<std::uint32_t>(spec.value)};
    } else {
      return static_cast<std::uint32_t>(spec.value);
    }
  }

  /// Handlers of a sequence (cpu_straight.cpp): a kStop instruction; behind the slots of a delayed
  /// branch.
  static bool inPlace(Cpu& cpu, const MicroOp& op);
  static bool atEnd(Cpu& cpu, const MicroOp& op);
  static bool fork(Cpu& cpu, const MicroOp& op);

  // --- handler tables, one per source file ---

  /// Arithmetic, logic and loads (cpu_alu.cpp); null if `i` is none.
  static Handler arithmetic(const Instruction& i);
  /// Parallel pairs (cpu_parallel.cpp).
  static Handler parallel(const Instruction& i);
  /// Program control, stack, stores, interlocked (cpu_control.cpp).
  static Handler control(const Instruction& i);
};

}  // namespace rtvp::c32
