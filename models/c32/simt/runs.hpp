// Straight runs of float instructions as host code. Internal to the machine.
//
// The walk is mostly such runs: a box test has 39 float instructions in a row, a triangle 47. One
// handler after the other goes through memory with every operand of every lane, and costs as much
// as its kernel where lanes are few. A compiled run takes a vector of lanes through all its
// instructions with R0-R7 in host registers.
//
// Invariants:
//  1. A run happens as a whole or not at all: matches() looks at everything it depends on before
//     anything is changed. Otherwise the handlers follow one by one as ever: they are the plain
//     twin, and random programs hold both to the scalar engine.
//  2. A plan (run_plan.hpp) is for the machine as it was when it was made: which rows hold one
//     value, where address registers point. Other circumstances have a plan of their own.
//  3. No lane sees another one, and nothing is written before a part of the run (RunPlan::parts) is
//     done with a vector. So a vector in which an operation was not of the usual kind
//     (kernels_binary.hpp) goes through that part again, by kernels, one operation after the other.
//  4. Cycles: a run has no instruction that waits for an address register. Accesses that meet in a
//     block are known, the bus is asked read by read as the handlers do.
//  5. Whoever may want to stop or look inside (the horizon, accounts) gets the handlers, and so do
//     groups of some lanes.
//  6. A run of code outside the internal RAM has one cycle an instruction, no branch, nothing from
//     the bus, and begins where fetches find the bus free (outside.hpp, invariant 5), so its
//     fetches are as many cycles of the bus. It lies in one page of decoded words, and goes with
//     them.
//  7. A word of RAM that a run reads is loaded while it is looked at; one that it writes becomes
//     the row's when it has happened.
//  8. A run may begin in the last slot of a delayed branch and go through others, as long as all
//     lanes branch alike for a reason that is known when it begins.
#pragma once

#include <memory>

#include "models/c32/simt/fast.hpp"
#include "models/c32/simt/run_code.hpp"
#include "models/c32/simt/run_places.hpp"
#include "models/c32/simt/run_plan.hpp"

namespace rtvp::c32::simt {

struct Machine::Runs {
  explicit Runs(Machine& machine);
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// The run may begin in front of the group's next instruction, as far as branches are concerned.
  static bool mayBeginAt(const Group& g) {
    return g.delaySlots == 0 || (g.delaySlots == 1 && g.taken != Taken::Some);
  }
  /// The run that begins where the group stands, if there is one and it may happen. All lanes are
  /// active, so there is no other group to look at, and mayBeginAt.
  bool execute(Group& g, FastOp& op);
  /// An instruction of this kind may be the first one.
  static constexpr bool mayBegin(Kind kind) {
    return kind == Kind::Float || kind == Kind::FloatIf || kind == Kind::StoreFloat ||
           kind == Kind::FloatAndStore || kind == Kind::MultiplyAdd;
  }
  /// The program has changed.
  void forget();
  [[nodiscard]] bool full() const { return places_.full(); }

 private:
  class Planner;
  struct Run {
    RunPlan plan;
    RunFrame frame;
    RunCode::Entry code = nullptr;  ///< null: it has been given up, the handlers do it
    bool zeros = false;
    std::uint64_t vectors = 0;       ///< parts of them, since `zeros` is as it is
    std::uint64_t plainVectors = 0;  ///< of these
  };

  [[nodiscard]] bool matches(const RunPlan& plan, const Group& g) const;
  [[nodiscard]] bool branchesFit(const RunPlan& plan, const Group& g) const;
  [[nodiscard]] bool addressesFit(const RunPlan& plan, const Group& g) const;
  [[nodiscard]] bool timeFits(const RunPlan& plan, const Group& g) const;
  [[nodiscard]] bool wordsFit(const RunPlan& plan, const Group& g) const;
  std::unique_ptr<Run> make(Group& g);
  void prepare(Run& run);
  [[nodiscard]] Cycle readBus(Run& run, const Group& g);
  void finish(Run& run, Group& g, Cycle late);
  void finishFaults(Run& run, const Group& g);
  void judge(Run& run, const Group& g);
  static void doPlain(RunFrame* frame, std::uint64_t at, std::uint32_t part);
  static void doPlainShared(RunFrame* frame);
  [[nodiscard]] std::uint32_t wordAt(std::uint32_t address) const;

  Machine& m_;
  RunCode code_;
  RunPlaces<Run> places_;  ///< by FastOp::straight
};

/// Makes a plan of the instructions from a place on, as far as they are of the kind.
class Machine::Runs::Planner {
 public:
  Planner(Machine& m, Group& g) : m_(m), g_(g) {}
  /// False: there is no run worth it.
  bool make(RunPlan& plan);

 private:
  using Value = RunPlan::Value;
  using Place = RunPlan::Place;
  using Do = RunPlan::Do;
  using Step = RunPlan::Step;
  using Shared = RunPlan::Shared;
  using Mode = Fast::Mode;
  /// A register or word of RAM as it is at a place in the run.
  struct Known {
    bool known = false;
    bool written = false;
    Value value;
  };
  struct Word {
    std::uint32_t offset = 0;
    bool stored = false;
    std::uint8_t number = 0;  ///< of the store
    Row* row = nullptr;
    Value value{};
  };
  enum class Flags : std::uint8_t { Before, Row, Slot };
  struct State {
    RunPlan plan;  ///< `after`: of the instruction at `pc`
    std::uint32_t pc = 0;
    std::array<Known, 8> registers;
    std::vector<Word> words;
    std::array<RunPlan::Address, kRest> addresses{};
    Flags flags = Flags::Before;
    std::uint8_t flagsSlot = 0;
    std::size_t lastStep = 0;  ///< where the last instruction that replaces V and UF begins
    std::size_t lastShared = 0;
    unsigned slots = 0;
    unsigned rows = 0;
    unsigned stores = 0;
  };
  struct Operand {
    Value value;
    bool memory = false;
    bool bus = false;
    std::uint32_t address = 0;
  };

  const FastOp* next();
  bool add(const FastOp& op);
  void advance();
  /// Somebody may look at its flags, as Fast::live.
  [[nodiscard]] bool live(const FastOp& op) const { return op.live || s_.plan.after.slots == 1; }
  bool addFloat(const FastOp& op);
  bool addLoad(const FastOp& op, Mode mode);
  bool addIf(const FastOp& op);
  bool flagRow();
  bool addStore(const FastOp& op);
  bool addAndStore(const FastOp& op);
  bool addPair(const FastOp& op);
  bool addNop(const FastOp& op);
  bool addConstant(const FastOp& op);
  bool addTest(const FastOp& op);
  bool addBranch(const FastOp& op);

  bool newSlot(std::uint8_t& slot);
  bool constant(double value, Value& v);
  bool readRegister(unsigned r, Value& v);
  bool readRow(Row& row, Word* word, Value& v);
  [[nodiscard]] std::uint32_t address(Mode mode, unsigned reg, std::int32_t disp) const;
  bool fix(Mode mode, unsigned reg);
  bool operand(const FastOp& op, Mode mode, unsigned reg, std::int32_t disp, bool exact,
               Operand& o);
  bool word(std::uint32_t offset, Value& v);
  bool bus(unsigned reg, std::int32_t disp, bool exact, Operand& o);
  void meet(std::uint32_t a, std::uint32_t b);
  void move(unsigned reg, std::int32_t step) { s_.addresses[reg].step = step; }
  bool compute(Do what, unsigned d, Value b, Value a, bool flags);
  bool computeOne(Do what, unsigned d, Value a, bool flags, bool isShort = false);
  bool cut(Value& v);
  bool exponent(Value& v);
  void place(unsigned d, const Value& v, bool flags);
  bool store(unsigned r, std::uint32_t offset);
  void setFlags(std::uint8_t slot);
  void begin();
  static void divide(RunPlan& plan);
  void close(RunPlan& plan);

  Machine& m_;
  Group& g_;
  State s_;
};

}  // namespace rtvp::c32::simt
