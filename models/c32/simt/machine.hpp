// The SIMT machine: many C32s that run the same program, one decoded instruction applied to all
// processors that stand at it (performance.md section 4). Plain C++; knows no board but
// VectorBoard.
//
// It is a guest of the scalar processors. take() copies their state at a point where they stand in
// step; run() goes on until something happens that needs the outside (a barrier) or that no kernel
// covers; giveBack() returns every processor to an instruction boundary, with the state, times and
// statistics that the scalar engine would have. So nothing needs to be covered, and everything that
// is must be exact: the invariant. The scalar processors are the plain twin (array.engine=scalar).
//
// Groups: processors that took different branches form groups, each at its own instruction; the one
// furthest behind in the program runs first, so that they meet again. Whatever the processors share
// (bus, barrier, vote line) is touched only when all stand at the same instruction; if they never
// do, they are given back.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/c32/cpu.hpp"
#include "models/c32/simt/row.hpp"
#include "models/c32/simt/vector_op.hpp"

namespace rtvp::c32::simt {

/// What the processors share, as the machine uses it: once for all of them. read() is called with
/// the host's default rounding mode; the others in any, they must not compute with floats.
class VectorBoard {
 public:
  virtual ~VectorBoard() = default;
  struct Reply {
    bool error = false;  ///< nothing answers: the processors are given back (readsInVain)
    std::uint32_t data = 0;
    std::uint32_t waitStates = 0;
  };
  virtual Reply read(const BusRequest& request) = 0;
  /// Words that need not be asked for one by one, as long as the machine runs and does not call
  /// read().
  struct Window {
    const unsigned char* bytes = nullptr;  ///< of word `first`, in the host's order; null: none
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t waitStates = 0;
  };
  virtual Window window() { return {}; }
  /// So many words were read through it, the last one in `cycle`; `fetched` of them instructions.
  virtual void windowRead(std::uint64_t /*words*/, std::uint64_t /*fetched*/, Cycle /*cycle*/) {}
  /// Processor n starts to pull the vote line low or lets go of it at the end of
  /// `cycle` + `late[n]`; null: nobody is late.
  virtual void voteDriven(const LaneMask& low, const LaneMask& released, Cycle cycle,
                          const std::int64_t* late) = 0;
  /// Level of the vote line as an instruction executing in `cycle` reads it; every pull up to then
  /// is known.
  virtual bool voteHigh(Cycle cycle) = 0;
  /// Processor n's peripherals are accessed: what is on its way to it goes to the processor itself.
  virtual void handOver(unsigned /*processor*/) {}
};

struct MachineConfig {
  unsigned lanes = 0;
  Isa isa = Isa::Scalar;
  CpuConfig cpu;
  Cycle holdCycles = 3;  ///< from arrival until an access is held (array_engine.hpp)
  /// Visits of a place before the straight run of floats, or of integers, that begins there becomes
  /// host code (runs.hpp, word_runs.hpp), where the host can; 0: none does.
  unsigned runPatience = 8;
};

/// Work done, for host statistics: none of it is part of the simulated result.
struct MachineCounters {
  std::uint64_t taken = 0;             ///< times the processors were taken over
  std::uint64_t issues = 0;            ///< instructions issued, each to a group
  std::uint64_t instructions = 0;      ///< instructions executed, summed over processors
  std::uint64_t compiled = 0;          ///< of `instructions`: in compiled runs
  std::uint64_t outside = 0;           ///< of `instructions`: outside the internal RAM
  std::uint64_t compiledOutside = 0;   ///< of `outside`: in compiled runs
  std::uint64_t plainVectors = 0;      ///< vectors that a compiled run left to its plain form
  std::uint64_t words = 0;             ///< of `compiled`: in runs of words
  std::uint64_t wordsOutside = 0;      ///< of these: outside the internal RAM
  std::uint64_t plainWordVectors = 0;  ///< vectors that these left to their plain form
  std::uint64_t splits = 0;
  std::uint64_t merges = 0;
};

class Machine {
 public:
  Machine(const MachineConfig& config, VectorBoard& board, std::vector<Cpu*> processors);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Takes all processors over if they stand in step and in a state that kernels can continue.
  /// Accesses wanted before `heldUntil` start then.
  bool take(Cycle heldUntil);
  [[nodiscard]] bool active() const { return active_; }

  enum class Stop : std::uint8_t {
    Barrier,   ///< all arrived, each with an access pending
    HandBack,  ///< call giveBack() and go on with the scalar processors
  };
  Stop run(Cycle horizon);
  /// While it is not active: hands the processors back in front of these places; null: there are
  /// none. They outlive their use.
  void setStops(const StopPlaces* stops);

  /// While it is not active: where the cycles go. `common`: of what all processors do alike,
  /// besides their own.
  void setAccounts(CycleAccount* common, std::vector<CycleAccount*> own) {
    common_ = common;
    accounts_ = std::move(own);
  }

  // ---- after Stop::Barrier
  [[nodiscard]] Cycle lastArrival() const;
  /// Sum over the processors of the time between their arrival and the last one.
  [[nodiscard]] Cycle arrivalSkew() const;
  /// Latest cycle in which a processor's pending access would have started.
  [[nodiscard]] Cycle lastPending() const;
  /// The instruction whose access is pending; all processors stand there.
  [[nodiscard]] std::uint32_t pendingPc() const { return pendingPc_; }
  void release(Cycle edge);
  [[nodiscard]] bool arrived() const { return arrived_; }
  [[nodiscard]] Cycle heldUntil() const { return heldUntil_; }

  /// State, times and statistics go to the processors; the machine is empty then.
  void giveBack();
  /// Forgets what it holds: the processors are reset.
  void drop();

  // ---- after giveBack, until the next take: what the lanes' owner must know
  struct LaneEnd {
    bool arrived = false;
    Cycle arrival = 0;
    Drive xf0 = Drive::Released;
    Drive xf1 = Drive::Released;
  };
  [[nodiscard]] const std::vector<LaneEnd>& laneEnds() const { return ends_; }
  /// Reads of the instruction that stands next which the board has answered already, the last one
  /// with an error: the processors make them again and must get the same answers.
  [[nodiscard]] unsigned readsInVain() const { return inVain_; }
  [[nodiscard]] const MachineCounters& counters() const { return counters_; }
  /// Bytes of host memory that grow with the processors: rows, clocks, statistics, groups.
  [[nodiscard]] std::size_t bytes() const;
  /// Processors whose word `offset` of internal RAM is a single float above zero, at a barrier.
  [[nodiscard]] unsigned countAboveZero(std::uint32_t offset) const;
  /// Likewise, of one processor.
  [[nodiscard]] bool isAboveZero(unsigned processor, std::uint32_t offset) const;
  [[nodiscard]] Isa isa() const { return config_.isa; }

 private:
  static constexpr unsigned kRest = reg::kCount - 8;  // registers beside R0-R7
  static constexpr std::size_t kMaxGroups = 32;

  /// Registers other than R0-R7 of a group: one value, or two chosen by `second`.
  struct Rest {
    std::array<std::uint32_t, kRest> x{};
    std::array<std::uint32_t, kRest> y{};
    std::array<LaneMask, kRest> second;
    std::uint32_t dual = 0;
    std::uint32_t opaque = 0;  ///< more values than two: they stay with the processors
    std::uint32_t spread = 0;  ///< of `opaque`: they are in rows here (Machine::spread_)
  };
  /// The second value of register 8 + r, and who holds it.
  struct Pair {
    unsigned r;
    std::uint32_t y;
    LaneMask second{LaneMask::Unset{}};
  };
  enum class Taken : std::uint8_t { None, All, Some };
  struct Group {
    std::uint32_t pc = 0;
    Cycle cycle = 0;
    std::array<Cycle, 3> ready{};
    Cycle lastReady = 0;  ///< none of them is later
    Active active;
    Rest rest;
    bool repeat = false;        ///< ST.RM
    bool flagsUniform = false;  ///< N and Z of every processor are in `flags`, else in the row
    double flags = 0;
    std::uint8_t delaySlots = 0;
    Taken taken = Taken::None;
    LaneMask takenMask;
    std::uint32_t delayTarget = 0;
    std::uint64_t instructions = 0;
    std::uint64_t extra = 0;
    std::uint64_t conflict = 0;
    std::uint64_t ramConflict = 0;
    bool parked = false;
  };
  /// One instruction under way: nothing of it is visible yet.
  struct Step {
    Group& g;
    const VectorOp& op;
    Cycle exec = 0;
    Cycle end = 0;
    Cycle conflict = 0;
    Cycle ramConflict = 0;
    Cycle extra = 0;
    std::uint32_t nextPc = 0;
    bool blockEnd = false;
    bool live = true;       ///< somebody may look at its flags
    bool levelled = false;  ///< it has brought processors together that came at different times
  };
  enum class Did : std::uint8_t {
    Next,
    Park,  ///< needs all processors
    Barrier,
    HandBack,
    Split,    ///< a branch has finished for both sides
    General,  ///< step() must go on
  };
  /// Where an integer operand of a FastOp is; Rest: a register beside R0-R7.
  enum class Where : std::uint8_t { None, Constant, Extended, Rest, Indirect, Direct };
  /// An instruction in its usual case (fast.hpp).
  struct FastOp {
    /// Returns the next program counter, or what Fast says.
    using Run = std::uint32_t (*)(Machine&, Group&, const FastOp&, Cycle exec);
    Run run;               ///< never null; Fast::general: step() only
    Run single = nullptr;  ///< where `run` does several instructions: this one alone
    static constexpr std::uint16_t kNoRun = 0xFFFF;
    /// Number of the place with Runs, or with WordRuns; 0: it has none yet.
    std::uint16_t straight = kNoRun;
    bool words = false;  ///< with WordRuns
    const VectorOp* op = nullptr;
    std::uint32_t needs = 0;  ///< registers beside R0-R7 that must have one value
    std::int32_t aValue = 0;  ///< low field: displacement, offset in the page, or constant
    std::int32_t bValue = 0;  ///< high field
    std::int16_t aStep = 0;
    std::int16_t bStep = 0;
    std::uint8_t aReg = 0;
    std::uint8_t bReg = 0;
    std::uint8_t d = 0;
    std::uint8_t d2 = 0;  ///< second destination, or register stored
    std::uint8_t uses = 0, marks = 0;
    std::uint8_t cond = 0;
    bool live = true;
    bool shortConstant = false;
    bool toRest = false;
    Where aPlace = Where::None;
    Where bPlace = Where::None;
  };
  struct Fast;
  struct FastFloat;
  struct FastOther;
  struct FastChain;
  struct Runs;
  struct WordRuns;
  /// Instructions since a run was looked for. Where none began, most likely none begins right
  /// behind either.
  struct Since {
    unsigned floats = 0;
    unsigned words = 0;
    /// The place may have a run: look for it now.
    [[gnu::always_inline]] bool due(bool ofWords) {
      constexpr unsigned kBetween = 8;
      unsigned& these = ofWords ? words : floats;
      (ofWords ? floats : words) = 0;
      return these++ % kBetween == 0;
    }
  };
  /// The bus before an instruction that reads it twice, should the second read fail.
  struct BusState {
    Cycle busFree;
    std::uint32_t lastRead;
    Strobe lastStrobe;
    bool lastWasRead;
    std::uint64_t holdEverything, dataIncomplete, held, reads;
  };
  /// A planned memory operand.
  struct Memory {
    bool internal = true;
    std::uint32_t address = 0;
    std::uint32_t offset = 0;  ///< into the RAM
    Strobe strobe = Strobe::Strb0;
    std::uint8_t reg = 0;
    bool modifies = false;
    std::uint32_t updated = 0;
  };
  struct FloatOperand {
    Source s;
    bool uniform = false;
    bool isShort = false;
    double* block = nullptr;  ///< where a bus word goes
  };
  /// An integer operand: one value, two values, or a row.
  struct WordOperand {
    enum class Shape : std::uint8_t { One, Two, Row } shape = Shape::One;
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    WordSource row;
    LaneMask second{LaneMask::Unset{}};  // of shape Two
  };

  // machine.cpp: scheduling and the course of an instruction
  Stop runGroups();
  Stop resolve();
  Group* choose();
  Did step(Group& g);
  Did execute(Group& g, const VectorOp& op, Cycle exec);
  Did dispatch(Step& s);
  void finish(Step& s);
  void mark(Group& g, const MicroOp& m, Cycle exec) const;
  void charge(const Group& g, Cycle cycles, Cycle conflict, Cycle ramConflict);
  void repeatBlock(Step& s);
  void endDelay(Group& g, std::uint32_t nextPc);
  const VectorOp* fetch(std::uint32_t offset);
  void split(Group& g, const LaneMask& away, std::uint32_t pc);
  bool merge(Group& into, Group& from);
  [[nodiscard]] bool mergeable(const Group& a, const Group& b) const;
  static bool mergeRest(const Group& into, const Group& from, unsigned r, Pair& pair);
  static void copyGroup(Group& to, const Group& from);
  [[nodiscard]] bool alone() const { return groups_.size() == 1; }
  static bool isInside(std::uint32_t pc) { return pc - kRamBase < kRamWords; }
  void addLate(const LaneMask& lanes, std::int64_t by);
  struct Lateness {
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::int64_t sum = 0;
  };
  [[nodiscard]] const Lateness& lateness() const;

  // fast.cpp
  Did fast(Group& g) { return common_ == nullptr ? fastRow<false>(g) : fastRow<true>(g); }
  template <bool Accounted>
  Did fastRow(Group& g);
  bool startsRun(Group& g, const FastOp& op, Since& since);
  [[nodiscard]] const FastOp* at(std::uint32_t pc) const;
  [[nodiscard]] std::uint32_t nextOther(const Group& g) const;
  void linkChains(std::uint32_t offset);
  void forgetRuns();
  void openBus();
  void openWindow();
  void closeWindow();

  // machine_control.cpp: branches, repeat, NOP, pins
  Did branch(Step& s, bool decrement);
  Did branchLater(Step& s, bool decrement);
  Did repeat(Step& s);
  Did repeatSingle(Step& s);
  Did nop(Step& s);
  Did call(Step& s);
  Did returnFrom(Step& s);
  bool stackWord(const Group& g, std::uint32_t sp, std::uint32_t& offset) const;
  Did samplePins(Group& g, Cycle exec);
  Did writeIof(Group& g, Cycle exec, const WordOperand& value);
  Taken evaluate(Group& g, unsigned cond, LaneMask& holds);
  [[nodiscard]] LaneMask zeroLanes(Group& g);
  void spreadFlags(Group& g);
  static void setFlags(Group& g, double nz) {
    g.flagsUniform = true;
    g.flags = nz;
  }
  void clearFaultFlags(const Group& g);
  void addFaults(const Group& g);

  // machine_memory.cpp: addresses, rows, the bus
  bool plan(const Group& g, const OperandSpec& spec, Memory& m) const;
  void update(Group& g, const Memory& m);
  void pairConflict(Step& s, const Memory& a, const Memory& b) const;
  [[nodiscard]] BusState busState() const;
  void restoreBus(const BusState& b);
  Did needBus(Step& s, const Memory* a, const Memory* b = nullptr);
  [[nodiscard]] bool levels(const Step& s, Cycle start) const;
  bool busRead(Step& s, const Memory& m, std::uint32_t& word);
  bool ask(const BusRequest& request, std::uint32_t& waitStates, std::uint32_t& word);
  void account(Cycle exec, Cycle wanted, Cycle start, Cycle& end);
  Row& ramRow(std::uint32_t offset);
  Row& rowOf(std::uint32_t offset);
  Row& newRow(std::uint32_t offset);
  bool gather(const Group& g, const OperandSpec& spec, WordOperand& o);
  bool shared(std::uint32_t offset, std::uint32_t& value);
  /// A store to a word of the RAM.
  void noteStore(std::uint32_t offset) {
    dirty_[offset] = true;
    if (knownAt_[offset] == takes_) ++lost_;
    knownAt_[offset] = 0;
  }
  void loadLine(std::uint32_t offset);
  bool gatherRows(const Group& g, std::uint32_t disp, WordSource from);
  bool timerAt(const Step& s, const Memory& m) const;
  void timerRead(Step& s, const Memory& m, WordOperand& o);
  void timerWrite(Step& s, const Memory& m, const WordOperand& value);
  [[nodiscard]] bool mayStore(const Memory& m) const;

  // machine_float.cpp
  Did floatOp(Step& s);
  Did floatIf(Step& s);
  Did floatAndStore(Step& s);
  Did multiplyAdd(Step& s);
  Did loadLoad(Step& s);
  Did storeFloat(Step& s);
  Did storeStore(Step& s);
  bool registerOperand(Group& g, unsigned r, FloatOperand& o);
  bool memoryOperand(Group& g, const Memory& m, FloatOperand& o, double* block);
  void finishBusOperand(FloatOperand& o, std::uint32_t word);
  void binary(Group& g, const Kernels::Binary* fn, unsigned destination, const FloatOperand& b,
              const FloatOperand& a, bool flags);
  void unary(Group& g, Kernels::Unary fn, unsigned destination, const FloatOperand& a, bool isShort,
             bool flags);
  /// Where the flags of a result go; a comparison that nobody looks at (8) is made for LV and LUF.
  [[nodiscard]] double* flagsFor(unsigned destination, bool flags) {
    return flags ? flags_ : destination == 8 ? scratch_->floats() : nullptr;
  }
  void spreadFaults(const Group& g);
  void placeUniform(Group& g, unsigned destination, double value);
  void finishFlags(const Group& g) {
    if (anyVuf_) clearFaultFlags(g);
    if (faults_.any) addFaults(g);
  }
  void storeRow(Group& g, Row& from, Row& to);
  bool loadRaw(Step& s, const Memory& m, std::uint32_t word, unsigned destination);
  Did fixOp(Step& s);

  // machine_integer.cpp
  Did floatFrom(Step& s);
  Did integerOp(Step& s);
  Did integerIf(Step& s);
  Did integerAndStore(Step& s);
  Did storeWord(Step& s);
  void storeWords(Group& g, const WordOperand& a, std::uint32_t offset);
  bool wordRegister(Group& g, unsigned r, WordOperand& o);
  Did wordSource(Step& s, const OperandSpec& spec, Memory& m, WordOperand& o);
  bool takeSource(Step& s, const Memory& m, WordOperand& o);
  void placeRow(Step& s, const WordOperand& b, const WordOperand& a);
  void placeValue(Step& s, const IntegerResult& r);
  void placeRest(Group& g, unsigned r, const WordOperand& value);
  Row& spreadRow(Group& g, unsigned r);
  void keepOld(Group& g, unsigned r, WordOperand& old);
  bool apart(Step& s, const OperandSpec& spec, Memory& m, WordOperand& o);
  static bool needRows(bool rest, const WordOperand& a, const WordOperand& b);
  void finishArithmetic(const Group& g, std::uint32_t mask, const LaneMask& carry,
                        const LaneMask& over);
  void expand(const Group& g, WordOperand& o, unsigned which);
  static bool twoValues(const Group& g, WordOperand& o);
  void carryFor(const LaneMask& lanes, std::uint32_t flags, std::uint32_t mask);

  // outside.cpp: code outside the internal RAM
  struct Outside;
  struct OutsidePlace;
  /// What a fetch has changed, should its instruction not happen.
  struct FetchUndo {
    Cycle busFree;
    Cycle windowLast;
    std::uint32_t lastRead;
    Strobe lastStrobe;
    bool lastWasRead;
  };
  Did outside(Group& g) { return common_ == nullptr ? outsideRow<false>(g) : outsideRow<true>(g); }
  template <bool Accounted>
  Did outsideRow(Group& g);
  template <bool Accounted>
  Did outsideOne(Group& g, const OutsidePlace& place, bool banks);
  template <bool Accounted>
  Did fastOutside(Group& g, const OutsidePlace& place, Cycle exec);
  Did stepOutside(Group& g, const OutsidePlace& place, Cycle exec);
  void forgetStaleRuns();
  /// What freeOutside() goes on with from page to page.
  struct FreeRow {
    std::uint64_t before = 0;  ///< Group::instructions when it began
    bool farDead = false;      ///< farFlagsDead()
    Since since{};
    Cycle fetchedAt = 0;  ///< the last one, and where
    std::uint32_t fetchedFrom = 0;
  };
  bool startsRun(Group& g, FastOp& op, FreeRow& row);
  bool freePage(Group& g, OutsidePlace* place, std::uint32_t left, FreeRow& row);
  std::uint64_t freeOutside(Group& g, std::uint32_t first, std::uint32_t count);
  static bool farFlagsDead(const Group& g);
  [[nodiscard]] bool mayRunOutside() const;

  // machine_state.cpp
  /// Fewer processors than this stay in the host's caches.
  static constexpr std::size_t kMany = 128;
  void prefetch(std::size_t now, const InternalStores* stores = nullptr) const;
  void prefetchRam(std::size_t now, std::uint32_t offset) const;
  bool importProcessors();
  [[nodiscard]] std::uint32_t differing(const std::vector<CpuState>& states) const;
  bool importRest(Group& g, const std::vector<CpuState>& states);
  void importFlags(Group& g, const std::vector<CpuState>& states);
  void exportGroup(const Group& g);
  void checkCode();

  MachineConfig config_;
  VectorBoard& board_;
  std::vector<Cpu*> cpus_;
  const Kernels& k_;
  RowShape shape_;
  unsigned policy_ = 0;

  bool active_ = false;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<std::unique_ptr<Group>> spare_;

  std::vector<std::unique_ptr<Row>> extended_;  // R0-R7
  std::unique_ptr<Row> scratch_;                // results of comparisons
  std::array<std::unique_ptr<Row>, kRamWords> ram_;
  std::array<Row*, 8> registers_{};       // the same rows
  std::array<Row*, kRamWords> loaded_{};  // those that hold the words as they are now
  const StopPlaces* stops_ = nullptr;
  std::bitset<kRamWords> dirty_;
  std::unique_ptr<double[]> flagMemory_;
  double* flags_ = nullptr;  // N and Z by processor, where a group's are not uniform
  LaneMask c_, v_, uf_, lv_, luf_;
  bool anyVuf_ = false;  // v_ or uf_ may hold a lane
  Faults faults_;        // of the instruction under way
  Faults oneFaults_;     // of its part that is computed once for all
  std::uint32_t stBase_ = 0;

  std::array<std::unique_ptr<VectorOp>, kRamWords> code_;
  std::array<FastOp, kRamWords + 1> fast_;  // one more, so that nothing runs off the end
  std::unique_ptr<Runs> runs_;              // null: none on this host, or not wanted
  std::unique_ptr<WordRuns> wordRuns_;      // likewise
  std::uint64_t codeWrites_ = 0;
  std::unique_ptr<Outside> outside_;
  bool fetches_ = false;     ///< no processor fetches through its cache
  bool onlyWindow_ = false;  ///< shared words come from the window or not at all

  // Registers beside R0-R7 with many values; operands with one value a lane.
  std::array<std::unique_ptr<Row>, kRest> spread_;
  alignas(64) std::uint32_t wide_[2][kMaxLanes] = {};
  alignas(64) std::uint32_t wordBlock_[2][kBlock] = {};  // one value as a row
  /// What gather() knows of words of the RAM: that it has been the same in all processors since
  /// they were taken over so often; 0: nothing.
  std::array<std::uint32_t, kRamWords> known_{};
  std::array<std::uint32_t, kRamWords> knownAt_{};
  std::uint32_t takes_ = 0;
  std::uint32_t lost_ = 0;  ///< changes when a store makes a known word unknown

  // Time: processor n's clock is its group's plus late_[n].
  std::vector<std::int64_t> late_;
  LaneMask lateLanes_;
  bool anyLate_ = false;
  mutable Lateness lateness_;
  mutable bool latenessKnown_ = false;
  std::int64_t lateBound_ = 0;  // no processor is later than that
  Cycle horizon_ = 0;
  Cycle heldUntil_ = 0;
  Cycle busFree_ = 0;
  std::uint32_t lastRead_ = 0;
  Strobe lastStrobe_ = Strobe::Strb0;
  bool lastWasRead_ = false;

  // Where the loop over usual instructions stops, for handlers that do several.
  Cycle rowEnd_ = 0;
  std::uint32_t rowLimit_ = 0;

  // Shared accesses in their usual case: memory behind STRB0.
  bool busOpen_ = false;
  std::uint32_t busFirst_ = 0;
  std::uint32_t busCount_ = 0;
  BusControl busControl_;
  VectorBoard::Window window_;
  std::uint64_t windowReads_ = 0;
  std::uint64_t windowFetches_ = 0;  ///< of them
  Cycle windowLast_ = 0;

  bool arrived_ = false;
  Cycle arrival_ = 0;  // of a processor that is not late
  Cycle pending_ = 0;  // its pending access
  std::uint32_t pendingPc_ = 0;
  LaneMask xf0Low_;
  bool anyPull_ = false;  // a lane in xf0Low_
  bool xf1Low_ = false;

  // Statistics: the group's and the machine's share are common to its processors, these are not.
  struct Extra {
    std::int64_t instructions = 0;
    std::int64_t extra = 0;
    std::int64_t conflict = 0;
    std::int64_t ramConflict = 0;
    std::int64_t held = 0;
  };
  std::vector<Extra> own_;
  std::uint64_t holdEverything_ = 0;
  std::uint64_t dataIncomplete_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t programWait_ = 0;
  std::uint64_t fetchIncomplete_ = 0;
  std::uint64_t fetched_ = 0;
  BusState before_{};
  unsigned stepReads_ = 0;
  bool twoReads_ = false;  // the instruction makes another one
  unsigned inVain_ = 0;

  // Where the cycles go, null: nobody asks; and the bus's share up to the latest instruction.
  CycleAccount* common_ = nullptr;
  std::vector<CycleAccount*> accounts_;
  std::array<std::uint64_t, 5> busSeen_{};

  std::vector<CpuState> states_;
  std::vector<LaneEnd> ends_;
  MachineCounters counters_;
  alignas(64) double block_[2][kBlock] = {};  // bus words as operands
};

}  // namespace rtvp::c32::simt
