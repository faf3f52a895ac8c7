// One TMS320C32 as plain C++: registers, internal RAM, peripherals and the instruction engine,
// driven by a scheduler through run(). No SystemC, no files. It counts integer H1 cycles; what it
// sees of the world is a CpuPort.
//
// Restart rule: when the port says "not now" the instruction is abandoned without a trace and
// executed again by the next run(). Port accesses it had completed are remembered and not repeated,
// and give the same data and times.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/accelerator.hpp"
#include "models/c32/bus_tape.hpp"
#include "models/c32/cache.hpp"
#include "models/c32/cpu_observer.hpp"
#include "models/c32/cpu_ops.hpp"
#include "models/c32/cpu_sequence.hpp"
#include "models/c32/cycle_account.hpp"
#include "models/c32/flags.hpp"
#include "models/c32/float40.hpp"
#include "models/c32/integer_ops.hpp"
#include "models/c32/isa.hpp"
#include "models/c32/memory_map.hpp"
#include "models/c32/peripherals.hpp"
#include "models/c32/port.hpp"
#include "models/c32/stop_places.hpp"
#include "models/c32/timing.hpp"
#include "models/common/core/host_bytes.hpp"

namespace rtvp::common {
class StateArchive;
}

namespace rtvp::c32 {

/// Bits of IE, IF and IOF that exist (c32.md 1.3 to 1.5); the others read 0.
inline constexpr std::uint32_t kIeWritable = 0xFFFF0F3Fu;
inline constexpr std::uint32_t kIfWritable = 0xFFFF0F3Fu;
inline constexpr std::uint32_t kIofWritable = 0x66u;
inline constexpr std::uint32_t kCpuInterrupts = 0xF3Fu;  ///< bits of IE and IF that interrupt
inline constexpr std::uint32_t kIofPins = 0x88u;         ///< INXF0, INXF1: levels, not writable

/// Why the processor stopped for good; StopReason::Fault.
struct Fault {
  enum class Kind : std::uint8_t {
    None,
    UndefinedOpcode,    ///< no such encoding (c32.md 4.1)
    BusError,           ///< nothing answers, or reserved address space (8.1)
    IllegalDelaySlot,   ///< control instruction in a delay slot (4.4.4)
    SoftwareInterrupt,  ///< SWI: reserved for an emulator, which is not there
    UninitialisedRead,  ///< CpuConfig::trapUninitialised
  };
  Kind kind = Kind::None;
  std::uint32_t pc = 0;               ///< of the instruction
  std::uint32_t word = 0;             ///< the instruction, 0 if its fetch failed
  std::uint32_t address = 0;          ///< of the access, BusError and UninitialisedRead
  BusMaster master = BusMaster::Cpu;  ///< who made it
  std::string text;                   ///< one line for a report
};

/// What a Blocked processor waits for.
struct Pending {
  enum class Kind : std::uint8_t {
    None,
    Bus,   ///< the port refused an access, of the program or of DMA (request.master)
    Pins,  ///< the port cannot tell the levels yet, or they will never let an interlock go on
    Hold,  ///< HOLD, or HIZ in the STRB0 register: the bus is given away
  };
  Kind kind = Kind::None;
  BusRequest request;  ///< Bus, Hold
  Cycle cycle = 0;     ///< when the access or the pin reading would start
};

/// What a program and the pipeline leave behind between two instructions: enough to continue on
/// another engine with the same results, times and statistics. Internal RAM and peripherals stay
/// with the processor.
struct CpuState {
  std::array<std::uint32_t, reg::kCount> registers{};  ///< R0-R7 bits 31-0, then as numbered
  std::array<std::int8_t, 8> exponents{};              ///< R0-R7 bits 39-32
  std::uint32_t pc = 0;
  Cycle cycle = 0;
  std::array<Cycle, 3> groupReady{};  ///< when address generation may use the groups of 7.4
  std::uint8_t delaySlots = 0;        ///< still to come, 0-3
  bool delayTaken = false;
  std::uint32_t delayTarget = 0;
  Cycle busFree = 0;
  std::uint32_t lastRead = 0;  ///< of the external bus, for bank switches
  Strobe lastStrobe = Strobe::Strb0;
  bool lastWasRead = false;
  Drive xf0 = Drive::Released;
  Drive xf1 = Drive::Released;
  CpuStatistics statistics;  ///< `executing` is not kept here but as extraCycles
  std::uint64_t extraCycles = 0;
};

/// Words for the internal RAM of many processors.
class InternalStores {
 public:
  /// Processor n gets `words[n]` at RAM `offset`; each offset once.
  void add(std::uint32_t offset, const std::uint32_t* words) {
    at_[count_] = static_cast<std::uint16_t>(offset);
    words_[count_++] = words;
    touched_[offset / 32] |= 1u << offset % 32;
    lines_ |= 1u << offset / kLineWords;
  }

 private:
  friend class Cpu;
  std::array<const std::uint32_t*, kRamWords> words_{};
  std::array<std::uint16_t, kRamWords> at_{};
  std::array<std::uint32_t, kRamWords / 32> touched_{};
  static constexpr std::uint32_t kLineWords = 16;  ///< of a line of the host's caches
  static_assert(kRamWords / kLineWords <= 32);
  std::uint32_t lines_ = 0;  ///< that the offsets lie in, a bit each
  std::uint32_t count_ = 0;
};

namespace blocks {
class Engine;
class Station;
class Wave;
}  // namespace blocks
namespace translate {
class Translator;
}

class Cpu {
 public:
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

  Cpu(const CpuConfig& config, CpuPort& port);

  /// RESET released in `release`: registers per c32.md 9.5, statistics cleared, memory kept. The
  /// first run() fetches the vector at address 0 unless setPc() is called before.
  void reset(Cycle release);

  /// Executes while cycle() < `horizon`, at most `maxInstructions` of them (delay slots and loop
  /// passes count; an interrupt entry does not). The clock of an idle processor stands still until
  /// something wakes it: run() then stops for the horizon if nextEvent() lies beyond.
  StopReason run(Cycle horizon, std::uint64_t maxInstructions = kUnlimited);

  [[nodiscard]] Cycle cycle() const { return cycle_; }
  [[nodiscard]] Cycle resetCycle() const { return resetCycle_; }
  [[nodiscard]] std::uint32_t pc() const { return pc_; }
  /// Debug: continue at `pc`; forgets a fault, a pending access, delay slots, RPTS and idling.
  void setPc(std::uint32_t pc);
  [[nodiscard]] bool idle() const { return idle_ != Idle::No; }
  /// The port is told of every sleep in IDLE when it is over (CpuPort::slept()).
  void watchSleep(bool watched) { sleepWatched_ = watched; }
  /// Where the instruction is that has put an idle processor to sleep.
  [[nodiscard]] std::uint32_t sleepsAt() const { return (pc_ - 1) & kAddressMask; }

  [[nodiscard]] const Pending& pending() const { return pending_; }
  [[nodiscard]] const Fault& fault() const { return fault_; }
  [[nodiscard]] const CpuStatistics& statistics() const;
  [[nodiscard]] const CpuConfig& config() const { return config_; }
  [[nodiscard]] const SerialPort& serial() const { return peripherals_.serialPort(); }

  /// Register `number` of the file (0-27), bits 31-0.
  [[nodiscard]] std::uint32_t registerValue(unsigned number) const;
  /// Debug write: raw bits, no pin driven, no RM rule; R0-R7 keep their exponent.
  void setRegister(unsigned number, std::uint32_t value);
  [[nodiscard]] Float40 extended(unsigned number) const {
    return {exponent_[number & 7u], reg_[number & 7u]};
  }
  void setExtended(unsigned number, const Float40& value);

  /// Debug access to internal RAM and peripherals, no side effects; empty or false for external
  /// addresses.
  [[nodiscard]] std::optional<std::uint32_t> peek(std::uint32_t address) const;
  bool poke(std::uint32_t address, std::uint32_t value);

  /// Pin INTn (0-3) from cycle `when` on; the flag follows after the synchroniser (c32.md 7.7).
  void setInterruptLine(unsigned n, bool asserted, Cycle when);
  /// A word is complete in the serial receiver at `arrival`, which may lie ahead. One that lies
  /// behind the processor's own time is taken at once and counted in lateWords.
  void deliverSerial(std::uint32_t word, Cycle arrival);
  /// The same as the wires show it: the receiver's registers decide what comes of it.
  void deliverSerial(const SerialFrame& frame);
  /// Handshake mode of the serial port: the far receiver's acknowledge arrives at `arrival`.
  void acknowledgeSerial(Cycle arrival);
  /// Pin HOLD (true = low, c32.md 9.3) from cycle `when` on. The port learns by holdAcknowledged()
  /// when the bus is free; accesses of program and DMA then wait.
  void setHold(bool asserted, Cycle when);
  /// The bus is given away, or will be as soon as HOLD has acted.
  [[nodiscard]] bool holding() const { return holding_; }
  /// Level outside at a timer or serial pin, for its use as general input; edges at TCLK clock a
  /// timer that counts its pin.
  void setPin(Pin pin, bool level);
  /// Null: none. An observed processor computes and times everything the same, more slowly.
  void setObserver(CpuObserver* observer);
  /// run() stops in front of these places (StopReason::Place); null: none. They outlive their use.
  /// What is executed, and when, stays the same.
  void setStops(const StopPlaces* stops) { stops_ = stops; }
  [[nodiscard]] const StopPlaces* stops() const { return stops_; }
  /// Null: none. It outlives its use; what is executed, and when, stays the same.
  void setAccelerator(Accelerator* accelerator) { accelerator_ = accelerator; }
  /// The instruction that stands next is none to stop at, though it may stand at a place.
  void passStop() {
    passedPc_ = pc_;
    passedCycle_ = cycle_;
  }
  /// Null: none. Where the cycles go from the next reset on; it outlives its use. Costs no speed
  /// worth mentioning: no other way of execution is taken.
  void setAccount(CycleAccount* account) { account_ = account; }
  [[nodiscard]] CycleAccount* account() const { return account_; }
  [[nodiscard]] const InstructionCache& cache() const { return cache_; }
  [[nodiscard]] const Peripherals& peripherals() const { return peripherals_; }
  /// Next cycle at which something inside the processor happens by itself, kNever if nothing will.
  [[nodiscard]] Cycle nextEvent() const { return nextEvent_; }

  /// Null: none. What the port would answer to the next reads; the port closes the tape (next =
  /// end) when that is no longer so.
  void setTape(BusTape* tape) { tape_ = tape; }

  // --- hand-over to and from another engine (cpu_state.cpp) ---

  /// Instructions outside the internal RAM come from the bus as whole words: the cache is off and
  /// nothing is about to change that.
  [[nodiscard]] bool fetchesFromBus() const {
    return !cache_.enabled() && cacheControlAt_ == kNever && config_.programWidth() == 32;
  }
  /// A timer's register for an engine that has the processor's state (exportState()), whose
  /// instruction executes in `at`: as the program's own access. Flags that rise are in IF.
  void timerAccess(Cycle at, bool write, std::uint32_t address, std::uint32_t& word);

  /// True between two instructions, or before one whose first access was refused, when nothing but
  /// CpuState and the RAM decides what follows: no interrupt can be taken, no IDLE, RPTS, LOPOWER,
  /// fault or interlock.
  [[nodiscard]] bool canExport() const;
  /// Valid if canExport().
  void exportState(CpuState& state) const;
  /// Continues from `state`, whatever was in progress. Drives no pin.
  void importState(const CpuState& state);
  /// Has the host fetch what exportState(), importState() and timerAccess() look at: of hundreds of
  /// processors it lies far away, and an engine that goes through them all knows which comes next.
  void prefetchState() const;
  /// DMA has written this word of internal RAM, or anybody has: the program's stores are noted only
  /// where every access is watched (CpuConfig::trapUninitialised, observers).
  [[nodiscard]] bool internalKnown(std::uint32_t address) const {
    const OnChipRam ram = onChipRam(config_.chip);
    if (!ram.contains(address)) return false;
    return wideKnown_.empty() ? ramKnown_[address - ram.base] : wideKnown_[address - ram.base];
  }
  [[nodiscard]] const std::array<std::uint32_t, kRamWords>& internalRam() const { return ram_; }
  /// As a store instruction would.
  void storeInternal(std::uint32_t offset, std::uint32_t word) {
    ram_[offset] = word;
    ramKnown_[offset] = true;
    forgetCode(offset);
  }
  void storeInternal(const InternalStores& stores, std::size_t processor);
  /// Asks the host for the lines that these stores will go to.
  void prefetchInternal(const InternalStores& stores) const;
  /// Decodes the word at RAM `offset` now, so that a later change of it counts in codeWrites().
  /// False if the decode pool is full.
  bool watchCode(std::uint32_t offset);

  // --- files of states (cpu_archive.cpp) ---

  /// Between two instructions, asleep or not, and no fault: state() has it all.
  [[nodiscard]] bool atRest() const;
  /// Everything that decides what follows, statistics included; of a processor of the same
  /// configuration. Only at rest; restoring drives no pin.
  void state(common::StateArchive& a);
  /// Host memory beside the object itself, in bytes; what processors of a program share is not
  /// counted.
  [[nodiscard]] std::size_t ownBytes() const {
    return serial().ownBytes() + common::bytesOf(lineEvents_) + common::bytesOf(wideRam_) +
           common::bytesOf(wideKnown_) + common::bytesOf(accesses_);
  }
  /// Stores that hit a decoded word.
  [[nodiscard]] std::uint64_t codeWrites() const { return codeWrites_; }
  [[nodiscard]] const BusControl& busControl(Strobe strobe) const {
    return peripherals_.bus(strobe);
  }
  /// What an address selects on this processor.
  [[nodiscard]] Place placeAt(std::uint32_t address) const;

 private:
  friend struct Execute;  // the instruction handlers
  friend struct Compute;
  friend struct Alu;
  friend struct Parallel;
  friend struct Control;
  friend class blocks::Engine;  // the same for blocks of instructions (blocks/engine.hpp)
  friend class blocks::Station;
  friend class blocks::Wave;
  friend class translate::Translator;

  enum class Idle : std::uint8_t { No, Idle, Idle2 };
  /// A completed port access of the instruction in progress.
  struct Completed {
    std::uint32_t data = 0;
    BusOp op = BusOp::Read;
    bool onBus = false;
    Cycle base = 0;    ///< start if the bus were the program's alone
    Cycle wanted = 0;  ///< start after DMA
    Cycle start = 0;   ///< start granted
    Cycle duration = 0;
  };
  struct Undo {
    std::uint8_t reg = 0;
    std::uint32_t value = 0;
  };
  struct LineEvent {
    Cycle cycle = 0;
    std::uint8_t line = 0;
    bool asserted = false;
    void state(common::StateArchive& a);
  };
  enum class Attend : std::uint8_t { Proceed, Again, Stop };

  /// Address generation must wait for E-stage writes (and reads) of its registers; c32.md 7.4.
  [[nodiscard, gnu::always_inline]] Cycle readyFor(std::uint8_t groups) const {
    Cycle ready = 0;
    if ((groups & kGroupAr) != 0) ready = groupReady_[0];
    if ((groups & (kGroupDp | kGroupSp)) != 0) [[unlikely]] {
      if ((groups & kGroupDp) != 0) ready = std::max(ready, groupReady_[1]);
      if ((groups & kGroupSp) != 0) ready = std::max(ready, groupReady_[2]);
    }
    return ready;
  }
  [[gnu::always_inline]] void markGroups(const MicroOp& op) {
    markGroup<0>(op);
    if (((op.writes | op.reads) & (kGroupDp | kGroupSp)) != 0) [[unlikely]] {
      markGroup<1>(op);
      markGroup<2>(op);
    }
  }
  template <unsigned G>
  [[gnu::always_inline]] void markGroup(const MicroOp& op) {
    if ((op.writes >> G & 1u) != 0) {
      groupReady_[G] = std::max(groupReady_[G], exec_ + kAddressWriteLatency);
    } else if ((op.reads >> G & 1u) != 0) {
      groupReady_[G] = std::max(groupReady_[G], exec_ + 1 + config_.arReadStall);
    }
  }

  // cpu.cpp: run loop and its rare cases
  Attend attend();
  Attend attendIdle();
  bool fetchResetVector();
  bool enterInterrupt();
  [[nodiscard]] bool advancePeripherals(Cycle now);
  std::uint32_t takeLineEvents(Cycle now);
  [[nodiscard]] bool lowLongEnough(const LineEvent& event) const;
  void raiseInterruptFlags(std::uint32_t bits, Cycle at);
  void updateAttention();
  [[nodiscard]] std::uint32_t ignoredFlags() const;
  void choosePath();
  void abandon(std::uint32_t word = 0);
  void forgetProgress();
  void commitAccesses();
  void finishSlot();
  void repeatBlock();
  bool samplePins(const MicroOp& op);
  const MicroOp* fetchOutside();
  [[nodiscard]] std::uint32_t internalWord(std::uint32_t address) const {
    return wideRam_.empty() ? ram_[address - kRamBase]
                            : wideRam_[address - onChipRam(config_.chip).base];
  }
  void setInternalWord(std::uint32_t address, std::uint32_t word);
  [[nodiscard]] std::uint32_t romWord(std::uint32_t address) const;
  [[nodiscard]] bool threeInOnChipBlock(std::uint32_t a, std::uint32_t b) const;
  bool fetchBus(Strobe strobe, std::uint32_t& word);
  const MicroOp* decodeRam(std::uint32_t offset);
  bool raise(Fault::Kind kind, std::uint32_t address = 0);
  void stretchLowPower(Cycle start);
  bool prepare(const MicroOp& op);
  void finishRestart();
  void finishRare();
  /// A place to stop at comes next, and its instruction has not been tried yet.
  [[nodiscard]] bool stopsHere() const {
    const std::uint32_t offset = pc_ - kRamBase;
    return offset < kRamWords && stops_->at(offset) && flow_.restarting == 0 &&
           !(passedPc_ == pc_ && passedCycle_ == cycle_);
  }
  template <bool Full>
  StopReason loop(std::uint64_t& left);
  void describeFault(std::uint32_t word);

  // cpu_straight.cpp: code in the internal RAM that just goes on
  [[nodiscard]] const MicroOp* decodedAt(std::uint32_t offset) const {
    return pool_->entries() + decoded_[offset];
  }
  enum class Ran : std::uint8_t { Nothing, Some, Stopped };
  Ran straight(std::uint64_t& left);
  [[nodiscard]] const Sequence* sequenceHere(std::uint64_t left);
  [[nodiscard]] const Sequence* sequenceOf(std::uint32_t offset, std::uint32_t limit);
  const Sequence* cutSequence(const Sequence& s, std::uint32_t offset);
  const Sequence* findSequence(std::uint32_t offset, std::uint32_t limit);
  void finishSequence(const Sequence& s, std::uint32_t over, std::uint32_t blockEnd);
  void accountDeparted(const Sequence& s, const MicroOp& op, std::uint32_t from, Cycle conflict);
  void depart(const MicroOp& op) {
    if (straight_ && !departed_) leaveStraight(op);
  }
  void leaveStraight(const MicroOp& op);
  void locate(const MicroOp& op);
  bool executeAlone(const MicroOp& op, MicroOp::Handler handler);
  [[nodiscard]] bool rejoin(const MicroOp& op);
  void openBus(Cycle start);
  void closeBus();
  /// A word of the tape that costs the instruction nothing: it stays on the straight path.
  [[gnu::always_inline]] bool readTape(const MicroOp& op, std::uint32_t address,
                                       std::uint32_t& data) {
    if (address >= tapeLimit_) return false;
    const BusTape::Entry* const next = tape_->next;
    if (next == tape_->end || next->address != address || next->cycle != base_ + op.exec ||
        next->waitStates != 0) {
      return false;
    }
    tape_->next = next + 1;
    data = next->data;
    return true;
  }
  bool readFree(const MicroOp& op, std::uint32_t address, std::uint32_t& data);
  BusReply askPort(const BusRequest& request);
  bool readOutside(bool isFloat, std::uint32_t address, std::uint32_t& data);
  bool readPlain(std::uint32_t address, bool isFloat, std::uint32_t& data);
  void chargePlain(Cycle base, Cycle wanted, Cycle start);

  // cpu_memory.cpp: accesses that are not internal RAM
  bool external(BusRequest request, std::uint32_t& data);
  void chargeAccess(const Completed& done);
  bool busAccess(BusOp op, Strobe strobe, std::uint32_t address, unsigned dataBits,
                 unsigned memoryBits, std::uint32_t& data);
  bool dataAccess(BusOp op, Strobe strobe, std::uint32_t address, bool isFloat,
                  std::uint32_t& data);
  bool peripheralAccess(std::uint32_t address, bool write, std::uint32_t& data);
  [[nodiscard]] Cycle accessDuration(const BusRequest& request, const BusReply& reply);
  bool replay(std::uint32_t& data);
  void record(std::uint32_t data);
  bool slowRead(BusOp op, std::uint32_t address, bool isFloat, std::uint32_t& data);
  bool slowWrite(std::uint32_t address, bool isFloat, std::uint32_t data);
  [[nodiscard]] bool interruptPending() const {
    return (reg_[reg::IF] & reg_[reg::IE] & kCpuInterrupts) != 0;
  }
  /// The word is decoded: a store there changes the program.
  [[nodiscard]] bool isCode(std::uint32_t offset) const {
    return (code_[offset / 32] >> offset % 32 & 1u) != 0;
  }
  void forgetCode(std::uint32_t offset) {
    if (!isCode(offset)) return;
    code_[offset / 32] &= ~(1u << offset % 32);
    decoded_[offset] = DecodePool::kNone;
    ++codeWrites_;
    known_.fill(0);
    stale_ = true;
  }
  /// Internal RAM of a C32, of which every word may be read.
  [[nodiscard]] bool inUsualRam(std::uint32_t address) const {
    return address - kRamBase < kRamWords && usualRam_;
  }
  void noteAccess(std::uint32_t address, std::uint32_t word, bool write);

  // cpu_dma.cpp: DMA's accesses, HOLD
  bool dmaStep(Cycle at);
  bool dmaExternal(const Dma::Turn& turn, Strobe strobe, Cycle at);
  bool dmaBus(const Dma::Turn& turn, Strobe strobe, Cycle start);
  bool dmaPortFree(const Dma::Turn& turn, unsigned block);
  void dmaDone(const Dma::Turn& turn, std::uint32_t data, Cycle until);
  bool dmaFault(const Dma::Turn& turn);
  void updateHold(Cycle when);

  // cpu_trace.cpp: what only Timing::Static, Timing::Pipeline and observers need
  void beginInstruction();
  [[nodiscard]] Cycle executeOnlyStall(const MicroOp& op) const;
  void chargePorts(const MicroOp& op);
  void report(const MicroOp& op);
  [[nodiscard]] std::span<const RegisterWrite> registersWritten();

  void writeSpecial(unsigned number, std::uint32_t value);
  void writeStatus(std::uint32_t value);
  void writeInterruptFlags(std::uint32_t value);
  void writeIof(std::uint32_t value);
  void drivePins(Drive xf0, Drive xf1);
  /// Interrupts are taken: GIE, or not long enough cleared.
  [[nodiscard]] bool interruptible() const {
    return (reg_[reg::ST] & kGIE) != 0 || (gieUntil_ != 0 && cycle_ <= gieUntil_);
  }
  void updateRepeatEnd();

  // --- hot state: with hundreds of processors what counts is how many cache lines it has ---
  alignas(64) std::uint32_t reg_[32] = {};  // R0-R7 bits 31-0, then the file as numbered

  std::int8_t exponent_[8] = {};  // R0-R7 bits 39-32
  std::uint32_t pc_ = 0;
  std::uint32_t nextPc_ = 0;
  std::uint32_t repeatEnd_ = ~0u;  // RE while RM = 1
  /// What makes the end of an instruction more than "next": looked at as one word.
  struct Flow {
    std::uint8_t delaySlots = 0;   // 4 when a delayed branch executes, 3..1 in its slots
    std::uint8_t restarting = 0;   // the instruction was abandoned and runs again
    std::uint8_t accessIndex = 0;  // accesses outside the RAM in this attempt
    std::uint8_t slowClock = 0;    // LOPOWER
  };
  Flow flow_;
  std::uint8_t undoCount_ = 0;
  std::uint8_t accessCount_ = 0;  // completed accesses remembered
  bool single_ = false;           // RPTS
  bool delayTaken_ = false;
  std::uint32_t ramWords_ = kRamWords;  // 0: flat memory, or every access is watched
  Cycle cycle_ = 0;                     // the next instruction executes here at the earliest
  Cycle exec_ = 0;                      // E stage of the instruction in progress
  Cycle end_ = 0;                       // when it lets the next one in
  Cycle attentionAt_ = 0;               // the loop must look around from here on

  Cycle groupReady_[3] = {};
  Cycle base_ = 0;                      // begin of the sequence in progress
  const Sequence* sequence_ = nullptr;  // in progress
  const MicroOp* stopped_ = nullptr;    // where it stopped
  bool stale_ = false;                  // its words have changed
  bool straight_ = false;               // in a sequence: PC, times, undo_ are kept by depart() only
  bool departed_ = false;               // the instruction left the straight path
  bool answered_ = false;               // the port has answered already: answer_
  IntegerMode integerMode_;
  bool lastWasRead_ = false;
  Strobe lastStrobe_ = Strobe::Strb0;
  std::uint32_t delayTarget_ = 0;
  std::uint32_t lastRead_ = 0;  // address of the last external read, for bank switches

  BusTape* tape_ = nullptr;
  const BusTape::Entry* tapeFrom_ = nullptr;  // up to here it is accounted for
  std::uint32_t plainEnd_ = 0;                // below: 32-bit words by STRB0, no DMA about
  std::uint32_t bareEnd_ = 0;                 // the same, and such a word takes one cycle
  // The same for the instructions of a sequence in progress, by tape or by port.
  std::uint32_t tapeLimit_ = 0;
  std::uint32_t portLimit_ = 0;
  Cycle busFree_ = 0;
  std::uint64_t extraCycles_ = 0;  // fixed costs beyond one cycle
  std::shared_ptr<DecodePool> pool_;

  std::array<std::uint32_t, kRamWords / 32> code_{};  // words decoded, a bit each
  SequencePool::Known known_{};                       // sequences that the RAM holds
  std::array<std::uint32_t, kRamWords> ram_{};
  // What a barrier or the begin of a run looks at besides.
  alignas(64) CpuStatistics stats_;
  SequencePool& sequences_;
  CpuPort& port_;
  Cycle horizon_ = 0;
  StopReason stop_ = StopReason::Horizon;
  Idle idle_ = Idle::No;
  bool full_ = false;  // every access is watched: see below
  Drive xf0_ = Drive::Released;
  Drive xf1_ = Drive::Released;
  bool holding_ = false;
  bool resetPending_ = false;
  std::uint8_t lastStores_ = 0;  // data writes of the instruction before, where all is watched
  Pending pending_;
  const MicroOp* singleOp_ = nullptr;
  Cycle idleBlockedAt_ = 0;  // how far idling had come when DMA's access was refused
  Cycle gieUntil_ = 0;       // GIE was cleared, but interrupts come up to here
  std::uint64_t codeWrites_ = 0;
  std::vector<LineEvent> lineEvents_;
  Fault fault_;
  CpuObserver* observer_ = nullptr;  // every access is watched, see below
  CycleAccount* account_ = nullptr;  // for a debugger

  // --- instruction in progress ---
  std::array<Undo, 2> undo_{};
  Cycle nextEvent_ = kNever;
  Cycle dmaBusFree_ = 0;     // DMA's part of the bus: never taken back by a restart
  Cycle holdFrom_ = kNever;  // the bus is away in [holdFrom_, holdUntil_)
  Cycle holdUntil_ = 0;
  BusReply answer_;
  std::uint8_t entering_ = 0;   // interrupt being entered: bit number + 1
  std::uint8_t interlock_ = 0;  // LDFI, LDII, SIGI: 1 = XF0 is low, XF1 awaited
  Cycle interlockAt_ = 0;
  Cycle busFreeAtStart_ = 0;
  std::array<std::uint64_t, 4> accessWait_{};  // its busWaitBy, held and dmaConflict so far
  std::uint64_t accessHeld_ = 0;
  std::uint64_t accessDma_ = 0;
  // At worst: a fetch in two halves, two data accesses of four cycles each, a reading of the pins.
  std::array<Completed, 12> completed_{};

  // --- the rest ---
  CpuConfig config_;
  Peripherals peripherals_;
  InstructionCache cache_;
  std::uint32_t pairFlags_ = kV | kUF;  // of the sum, that MPYF3 || ADDF3 keep
  Cycle cacheControlAt_ = kNever;       // ST's CE and CF act on fetches from here on
  bool cacheClear_ = false;             // with CC
  unsigned dmaPart_ = 0;                // bus cycles of DMA's access that are done
  std::uint32_t dmaData_ = 0;
  bool dmaHeld_ = false;  // DMA waits for the end of HOLD
  bool holdPin_ = false;
  Cycle resetCycle_ = 0;
  // Number in the pool of each word decoded; the one behind the RAM never is.
  std::array<DecodePool::Number, kRamWords + 1> decoded_{};
  MicroOp scratch_;
  std::array<MicroOp, 2> alone_{};  // one to be executed, and one that ends it
  std::uint8_t lines_ = 0;          // INT3-0 asserted, after the synchroniser
  Cycle clockDivider_ = 1;
  mutable CpuStatistics reported_;

  Accelerator* accelerator_ = nullptr;

  // --- for a debugger ---
  const StopPlaces* stops_ = nullptr;
  std::uint32_t passedPc_ = 0;
  Cycle passedCycle_ = kNever;

  // --- every access watched: Timing::Static, Timing::Pipeline, observers ---
  std::array<std::uint8_t, 3> ports_{};  // accesses of this instruction: RAM blocks, ROM
  std::array<Cycle, 3> portsFull_{};     // 1 + last cycle in which the program used both ports
  std::array<Cycle, 3> dmaPort_{};       // 1 + last cycle in which DMA used the block
  std::array<bool, kRamWords> ramKnown_{};
  // RAM of a C30 or C31; empty: the C32's, above. Every access to it goes the slow way.
  std::vector<std::uint32_t> wideRam_;
  std::vector<bool> wideKnown_;
  TraceSnapshot before_;
  std::vector<MemoryAccess> accesses_;
  std::array<RegisterWrite, reg::kCount> writes_{};
  bool usualRam_ = true;  // inUsualRam()
  bool sleepWatched_ = false;
};

}  // namespace rtvp::c32
