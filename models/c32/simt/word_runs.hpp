// Straight runs of integer instructions on rows as host code. Internal to the machine.
//
// A surface shader's noise is mostly such runs: a lookup in the permutation table is 13 integer
// instructions, 14 of them a place. One handler after the other costs a hundred host instructions
// each besides the arithmetic. A compiled run takes a vector of words, twice as many lanes as of
// floats, through all its instructions with R0-R7 in host registers, through calls and returns,
// too.
//
// Invariants:
//  1. A run happens as a whole or not at all: matches() looks at what it depends on before anything
//     is changed, and rows of results are the machine's when all vectors are done. Otherwise the
//     handlers (fast_other.cpp) follow one by one as ever: they are the plain twin, and random
//     programs hold both to the scalar engine.
//  2. A plan (word_plan.hpp) is for the machine as it was when it was made: which rows hold one
//     value, where address registers and the stack point. Others have a plan of their own.
//  3. Nothing in it looks at flags or the bus, and all lanes take each way: CALL, and RETSU to
//     where a CALL of the same run came from.
//  4. An overflow, or a word that lies in no table, is found in its vector, which is done again
//     lane by lane by the definitions (doPlain). If that cannot be, the run does not happen.
//  5. A table is words of RAM that lie one behind the other, the same in all processors, and not
//     written since they were taken over (Machine::shared). A run writes none of its own table's.
//  6. Cycles, waiting for address registers included, are known: it begins where none is on its
//     way. Who may want to stop or look inside gets the handlers, and so do groups of some lanes.
//  7. Code outside may lie in several pages: each must be as it was when the plan was made.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "models/c32/simt/fast.hpp"
#include "models/c32/simt/run_code.hpp"
#include "models/c32/simt/run_places.hpp"
#include "models/c32/simt/word_plan.hpp"

namespace rtvp::c32::simt {

struct Machine::WordRuns {
  explicit WordRuns(Machine& machine);
  ~WordRuns();
  WordRuns(const WordRuns&) = delete;
  WordRuns& operator=(const WordRuns&) = delete;

  /// The last fetch of a run.
  struct Fetched {
    std::uint32_t from = 0;
    Cycle at = 0;
  };
  /// The run that begins where the group stands, if there is one and it may happen; no delayed
  /// branch is under way, all lanes are active.
  std::optional<Fetched> execute(Group& g, FastOp& op);
  /// An instruction of this kind may be the first one.
  static bool mayBegin(const VectorOp& v) {
    return v.kind == Kind::Integer && !v.compare && v.m.reg < 8 && !v.usesCarry &&
           (v.copy || v.bitwise != nullptr || v.arithmetic != nullptr);
  }
  /// The program has changed.
  void forget();
  [[nodiscard]] bool full() const { return places_.full(); }
  /// Of host memory that grows with the processors.
  [[nodiscard]] std::size_t bytes() const;

 private:
  class Planner;
  struct Run {
    WordPlan plan;
    WordFrame frame;
    RunCode::WordEntry code = nullptr;  ///< null: it has been given up
    std::uint64_t tableVersion = 0;     ///< of the table in its slots
    bool tableFits = true;              ///< it writes none of it
    std::uint64_t vectors = 0;
    std::uint64_t plainVectors = 0;
  };
  /// The table that runs look words up in: words `first` to `end` - 1 of RAM.
  struct Table {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::uint64_t version = 1;  ///< changes with these
    std::uint32_t takes = 0;    ///< as it was when it was looked at
    std::uint32_t lost = 0;
    [[nodiscard]] bool has(std::uint32_t offset) const { return offset - first < end - first; }
  };

  /// A run must save more than it costs to look whether it may happen.
  static constexpr std::uint32_t kLeastSteps = 3;
  [[nodiscard]] bool mayBeLong(std::uint32_t pc) const;
  Run* find(Group& g, FastOp& op);
  [[nodiscard]] bool matches(const WordPlan& plan, const Group& g) const;
  [[nodiscard]] bool codeFits(const WordPlan& plan, const Group& g) const;
  [[nodiscard]] bool inputsFit(const WordPlan& plan, const Group& g) const;
  std::unique_ptr<Run> make(Group& g);
  void prepare(Run& run);
  bool tableFits(Run& run);
  void learn(std::uint32_t offset);
  bool extend(std::uint32_t first, std::uint32_t end);
  [[nodiscard]] bool allShared(std::uint32_t first, std::uint32_t end) const;
  bool computeShared(Run& run, const Group& g);
  void finish(Run& run, Group& g);
  void finishRows(const Run& run, Group& g);
  void finishFlags(const WordPlan& plan, const WordFrame& f, Group& g);
  void finishCarry(const WordPlan& plan, const WordFrame& f, const Group& g);
  void finishTime(const WordPlan& plan, Group& g);
  static void judge(Run& run, std::uint64_t vectors);
  static bool doPlain(WordFrame* frame, std::uint64_t at);
  bool lookUp(const WordFrame& f, std::uint32_t lane, std::uint32_t address, std::uint32_t& word);
  bool doLane(WordFrame& f, std::uint32_t lane);

  Machine& m_;
  RunCode code_;
  RunPlaces<Run> places_;  ///< by FastOp::straight
  Table table_;
  std::uint64_t bytes_ = 0;  ///< of a row, whole vectors
  std::array<std::uint32_t, WordPlan::kSlots> sharedFlags_{};
  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Free> memory_;
  /// Where results go, each as long as the longest row; they change places with those of rows.
  std::array<std::uint32_t*, WordPlan::kOutputs> outputs_{};
  alignas(64) std::uint32_t real_[kMaxLanes] = {};
};

/// Makes a plan of the instructions from a place on, as far as they are of the kind.
class Machine::WordRuns::Planner {
 public:
  Planner(Machine& m, Group& g) : m_(m), g_(g) {}
  /// False: there is no run worth it.
  bool make(WordPlan& plan);

 private:
  using Value = WordPlan::Value;
  using Place = WordPlan::Place;
  using Do = WordPlan::Do;
  using From = WordPlan::Input::From;
  /// A register or word as it is at a place in the run.
  struct Known {
    bool written = false;
    Value value{};
  };
  struct Word {
    std::uint32_t offset = 0;
    Known known{};
    std::uint8_t output = kNoOutput;
  };
  static constexpr std::uint8_t kNoOutput = 0xFF;
  struct State {
    WordPlan plan;
    std::uint32_t pc = 0;
    std::array<Known, 8> registers{};
    std::array<Known, kRest> rest{};
    std::vector<Word> words;
    unsigned slots = 2;  ///< those of the table
    unsigned rows = 0;
    unsigned outputs = 0;
    unsigned spread = 0;
    bool flagsLive = false;  ///< of the last one that replaces them
    std::size_t carrier = kNobody;
  };
  static constexpr std::size_t kNobody = ~std::size_t{0};

  const FastOp* at(std::uint32_t pc);
  bool usePage(std::uint32_t pc);
  bool add(const FastOp& op);
  void mark(const FastOp& op, Cycle exec);
  bool addInteger(const FastOp& op);
  bool addStore(const FastOp& op);
  bool addCall(const FastOp& op);
  bool addReturn(const FastOp& op);
  bool addLookUp(const FastOp& op);

  bool newSlot(std::uint8_t& slot);
  bool constant(std::uint32_t bits, Value& v);
  bool row(WordPlan::Input in, Row& row, Value& v);
  bool readRegister(unsigned r, Value& v);
  bool readRest(unsigned r, Value& v);
  bool readWord(std::uint32_t offset, Value& v);
  bool guard(unsigned reg, std::uint32_t mask);
  bool address(Where place, unsigned reg, std::int32_t value, std::uint32_t& offset);
  bool operand(Where place, unsigned reg, std::int32_t value, Value& v);
  bool compute(const FastOp& op, const Value& b, const Value& a);
  bool computeShared(const FastOp& op, const Value& b, const Value& a);
  bool addStep(const FastOp& op, WordPlan::Step step);
  bool storeTo(std::uint32_t offset, const Value& v);
  void setFlags(const FastOp& op);
  static void bound(WordPlan::Step& s);
  static void boundShift(WordPlan::Step& s);
  bool close(WordPlan& plan);
  bool closeOutputs();

  Machine& m_;
  Group& g_;
  State s_;
};

}  // namespace rtvp::c32::simt
