// Makes host code of one block. Invariants of the code it makes:
//
// - Between two instructions the processor's registers, RAM and ST are in its own members; only the
//   clock, the count of instructions and what address generation and bus wait for are in host
//   registers and the Context, and of the instructions since the block began only as constants
//   (Tally) that are added where the block is left.
// - An instruction checks first and changes then. Whatever it cannot do - an address elsewhere, a
//   store into code, an overflow of a float - leaves the block in front of it (Leave), and the run
//   loop executes it. So nothing but speed depends on what is handled here.
// - A block begins only if its last instruction does before the run loop has to look around.
//
// Plain twin: the run loop of cpu.cpp; tests/models/c32/translate_test.cpp holds them equal.
#pragma once

#include <asmjit/x86.h>

#include <functional>
#include <vector>

#include "models/c32/timing.hpp"
#include "models/c32/translate/code.hpp"
#include "models/c32/translate/plan.hpp"

namespace rtvp::c32::translate {

/// What a block needs to know from outside.
struct Surroundings {
  const Layout* layout = nullptr;
  const Conditions* conditions = nullptr;
  /// Number of the slot of a key, made if there is none.
  std::function<std::uint32_t(const Key&)> slotOf;
  /// Value of a register of the processor now, for guesses.
  std::function<std::uint32_t(unsigned)> guess;
  std::vector<Leave>* leaves = nullptr;
  /// A copy of an instruction that outlives the code, for calls of its handler.
  std::function<const MicroOp*(const MicroOp&)> keep;
};

class BlockCode {
 public:
  BlockCode(asmjit::x86::Assembler& to, const Surroundings& around, const Key& key,
            const Plan& plan);
  void make();

 private:
  using Gp = asmjit::x86::Gp;
  using Mem = asmjit::x86::Mem;
  using Label = asmjit::Label;
  using Operand_ = asmjit::Operand_;

  /// Where an operand of this instruction lies, by what its register says when the code is made.
  enum class Region : std::uint8_t { Inside, Outside };
  struct Place {
    const Operand* operand = nullptr;
    Region region = Region::Inside;
    Gp address;            ///< of the word; Inside: offset into the RAM
    Gp updated;            ///< ARn afterwards
    unsigned ar = 0;       ///< register number
    unsigned scratch = 0;  ///< where Context keeps the address
    bool updates = false;
  };
  struct Aside {
    Label from;
    std::function<void()> make;
  };

  // --- block_code.cpp: frame, timing, ways out ---
  void step(const Step& s);
  void begin(const Step& s);
  void fetch(const Step& s);
  void waitForBus(std::int32_t start, StallCause cause);
  Mem waitPlace(StallCause cause) const;
  void conflict(const Step& s);
  void finish(const Step& s);
  void mark(const Step& s);
  void makeReadyDynamic();
  void makeBusDynamic();
  void beforeShift();
  void mayShift(Shift kind);
  [[nodiscard]] Mem shifted(Shift kind) const;
  void waitForGroups(std::uint8_t groups, bool elsewhere);
  void bankSwitch(std::uint32_t pc);
  std::uint32_t bankMask() const;
  void noteBus(bool read);
  void settle();
  void goTo(const Key& key);
  Key keyAt(std::uint32_t pc) const;
  Label leave();
  std::uint32_t addLeave(const Leave& l);
  Leave leaveNow(std::uint32_t pc) const;
  void aside(const Label& from, std::function<void()> make);
  void endOfBlock();
  void repeatEnd(const Step& s);
  void repeatDone(std::uint32_t next);
  static constexpr std::int32_t kReadLatency = 2;  ///< with CpuConfig::arReadStall = 1

  // --- block_operands.cpp ---
  void addressOf(const Operand& o, Place& p);
  void around(const Place& p, const IndirectMode& mode);
  void circular(const Place& p, const IndirectMode& mode);
  void turn(const Place& p, const IndirectMode& mode);
  void check(const Place& p);
  void checkStore(const Place& p);
  void load(const Gp& to, const Place& p);
  void store(const Place& p, const Gp& value);
  void update(const Place& p);
  void charge(const Place& p, bool write);
  void chargeBus(const Place& p, bool write);
  void dataBank(const Place& p);
  void keepAddress(const Place& p);
  void takeAddress(const Place& p);
  Place low() const;
  Place high() const;
  Mem scratch(unsigned n) const;
  Mem wordAt(const Place& p) const;
  [[nodiscard]] Region regionOf(const Operand& o) const;
  [[nodiscard]] bool outside(std::uint32_t address) const;
  void portsOf(const Place& a, const Place& b);
  void chargePorts();
  void intoInteger(const Gp& to, const Operand& o, const Place* p);
  void intoFloat(const Gp& mantissa, const Gp& exponent, const Operand& o, const Place* p);
  void singleInto(const Gp& mantissa, const Gp& exponentTo);
  void singleOf(const Gp& to, const Gp& temporary, unsigned number);
  void singleFrom(const Gp& exponent, const Gp& field);
  Mem reg(unsigned number) const;
  Mem exponent(unsigned number) const;
  Mem member(std::int32_t offset, unsigned size) const;
  Mem context(std::size_t offset, unsigned size = 8) const;

  struct Places {
    Place low, high;
    const Place* first = nullptr;  ///< of the operands as asked for; null: not in memory
    const Place* second = nullptr;

    Places() = default;
    Places(const Places&) = delete;
    Places& operator=(const Places&) = delete;
  };
  void placesOf(Places& p, const Operand& first, const Operand& second);
  void findPlaces(Places& p, const Operand& first, const Operand& second);

  // --- block_compute.cpp ---
  void compute(const Step& s);
  void commitReads(const Places& p);
  void general(const Step& s);
  void pairOf(const Step& s, const Operand& b, const Operand& a);
  void integerResult(const Step& s, const Operand& b, const Operand& a, const Place* pb,
                     const Place* pa);
  void directly(Function f, const Operand& a, const Place* pa);
  void shift(const Step& s, const Operand& a);
  void multiply(const Step& s);
  void overflowed(bool wanted);
  void hostFlags();
  /// What is still in host registers of a result's flags: ST in edx, and more directly N, Z and C
  /// as LAHF has them in ah, or the word that N and Z are of in ecx.
  enum class Fresh : std::uint8_t { Status, Ah, Word };
  void putFlags(const Gp& flags, Fresh what = Fresh::Status);
  void arithmeticFlags(const Step& s);
  void flagsOfInteger();
  void integerFlags(const Step& s);
  void settleLazy();

  // --- block_floats.cpp ---
  /// Field: as a register has it. Extended: 33 bits, Single: 25 bits, the implied one among them.
  enum class Mantissa : std::uint8_t { Field, Extended, Single };
  static Mantissa mantissaFor(Function f);
  void floatOperands(Function f, const Operand& b, const Operand& a, const Place* pb,
                     const Place* pa);
  [[nodiscard]] bool isResult(const Operand& o) const;
  [[nodiscard]] bool isAccumulator(const Operand& o) const;
  void intoMantissa(Mantissa as, const Gp& mantissa, const Gp& exponentTo, const Operand& o,
                    bool isWord);
  void explicitMantissa(Mantissa as, const Gp& mantissa);
  void floatResult(Function f);
  void product();
  void sum(bool subtract);
  void normalise(const Gp& mantissa, bool keep);
  void zeroTo(const Label& done, bool keep);
  void keepSum(const Step& s, unsigned to, const Operand& a, const Operand& b);
  void compareFloats();
  void placeFloat(const Step& s, const Places& p);
  void intoExtended(unsigned number);
  void floatFlags(const Step& s, unsigned number);
  void flagsOfFloat();

  // --- block_moves.cpp ---
  asmjit::x86::CondCode testCondition(unsigned code);
  asmjit::x86::CondCode testAny(std::uint32_t flags);
  void conditional(const Step& s);
  void storedWord(bool isFloating, unsigned number);
  void storeRegister(const Step& s);
  void nop(const Step& s);
  void opStore(const Step& s);
  void multiplyAdd(const Step& s);
  void loadLoad(const Step& s);
  void storeStore(const Step& s);
  void callHandler(const Step& s);
  Place stackTop(bool push);
  void push(const Step& s);
  void pop(const Step& s);

  // --- block_control.cpp ---
  [[nodiscard]] bool targetInRegister(const Step& s) const;
  [[nodiscard]] std::uint32_t target(const Step& s) const;
  void countDown(const Step& s);
  void leaveFor(unsigned cycles, std::uint32_t where);
  void leaveForRegister(unsigned cycles);
  void branch(const Step& s);
  void delayed(const Step& s);
  void afterSlots();
  void goByRegister();
  void subroutine(const Step& s);
  void returns(const Step& s);
  void repeat(const Step& s);

  asmjit::x86::Assembler& a_;
  const Surroundings& around_;
  const Conditions& conditions_;
  const Layout& layout_;
  Key key_;
  const Plan& plan_;
  std::uint32_t slot_ = 0;
  Label start_;
  std::vector<Aside> asides_;
  bool codeOutside_ = false;

  /// Between two instructions, as cycles from the clock in the host register.
  struct Between {
    Tally tally;
    std::array<std::int32_t, 3> ready{};  ///< a group may be used; 0: it may
    std::int32_t dynamicUntil = 0;        ///< up to here Context::ready counts; 0: it does not
    bool busKnown = false;                ///< busFree is when the bus is free
    bool busUsed = false;
    std::int32_t busFree = 0;
    enum class Last : std::uint8_t { Unknown, Read, Write } last = Last::Unknown;
    bool fetched = false;  ///< lastRead is not in its place yet
    std::uint32_t lastRead = 0;
    std::uint8_t lastStores = 0;
    std::uint8_t slots = 0;  ///< of a delayed branch, still to come
    LazyFlags lazy;
  };
  Between at_;
  const Step* delayedBranch_ = nullptr;
  const Operand stackOperand_;

  /// A register whose field and exponent are in eax and edx as well, as long as no code follows but
  /// that of addresses (placesOf()) and of a store.
  struct InHost {
    std::size_t behind = ~std::size_t{0};  ///< offset of the code
    unsigned reg = 0;
  };
  InHost result_;
  /// The register that was summed up last: its explicit mantissa in r15 and exponent in ebp.
  struct Accumulator {
    unsigned reg = kNoRegister;
    const Step* step = nullptr;  ///< that put it there
  };
  static constexpr unsigned kNoRegister = ~0u;
  Accumulator accumulator_;
  bool repeatStartKnown_ = false;  ///< RS is what it was when the code was made

  // Of the instruction in progress.
  const Step* now_ = nullptr;
  Leave before_;
  Label leave_;
  bool leaves_ = false;
  struct FreshFlags {
    std::size_t at = ~std::size_t{0};  ///< the only place in the code where that is so
    Fresh what = Fresh::Status;
  } fresh_;
  std::int32_t exec_ = 0;
  std::int32_t end_ = 0;
  bool execKept_ = false;  ///< in Context::exec
  bool ports_ = false;
  bool fetched_ = false;      ///< by the bus
  bool dataOutside_ = false;  ///< has used the bus
  bool ringKnown_ = false;    ///< BK and its mask are in eax and edx
  bool gone_ = false;         ///< the block has been left
};

}  // namespace rtvp::c32::translate
