// One THEIA core: registers with their banks and aliases, instruction memories, and two executors
// with the same results: step() follows theia.md section 2 to the letter, run() uses pre-decoded
// instructions. Plain C++; time is counted in clocks of the core.
//
// Tricks of the fast executor and what each must preserve (the loop itself: fast/kernels.hpp):
//  * Operands are resolved to places in one register array when a row is decoded; the two copies of
//    the swap bank give two decoded programs, and a flip chooses between them.
//  * Result forwarding (2.7) can only be seen after an instruction that did not write the register
//    its destination names. Rows after which the next row could see it are marked when decoded:
//    they and the instruction that follows them run in step().
//  * Straight runs of instructions are counted where they are entered, and the counts become
//    instructions by opcode, or executions of rows, when asked for.
//  * Whatever is rare (dropped writes, the profile's exact mathematics, hanging opcodes, memory
//    accesses) runs in step(), too.
//  * A place to halt at is a code of its own in the decoded rows: nobody compares addresses.
//  * A routine that begins often (runEntry()) becomes host code, fast/routine_plan.hpp; the loop is
//    its plain twin and goes on where that leaves.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/theia/fast/kernels.hpp"
#include "models/theia/fast/routine_code.hpp"
#include "models/theia/isa.hpp"
#include "models/theia/registers.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::theia {

using Clock = std::uint64_t;

/// From the trigger of a routine to its first instruction (theia.md 2.9).
inline constexpr Clock kTriggerClocks = 4;

/// The microcode store: rows from 0; a row that holds nothing is a fault when executed.
struct Rom {
  std::vector<Instruction> words;
  std::vector<bool> present;

  void set(unsigned row, Instruction instruction);
  [[nodiscard]] std::size_t size() const { return words.size(); }
};

struct CoreConfig {
  AluProfile alu;
  bool honourPixelShaderSlot = false;        ///< a CALL of ROM row 314 goes through the entry table
  unsigned instructionWords = 128;           ///< user instruction RAM, table included; 12 to 4096
  std::uint32_t outputWords = 250000;        ///< output memory; bounded by the GPU
  std::uint64_t instructionLimit = 1000000;  ///< instructions of one routine before it is a fault
  bool fast = true;                     ///< pre-decoded executor (a speed setting: same results)
  common::Isa isa = common::bestIsa();  ///< what that one uses of the host (another)
  /// A routine becomes host code when it begins for the so-manieth time, and is made again when it
  /// has left that code as often (another); 0: never.
  std::uint32_t hostCodeAfter = 256;
};

struct Fault {
  enum class Kind : std::uint8_t {
    None,
    HangingOpcode,      ///< the opcode never completes (2.2)
    InstructionMemory,  ///< the code pointer left the loaded rows
    OutputAddress,      ///< OMWRITE past the output memory
    TextureAddress,     ///< TMREAD past the texture memory
    EndlessRoutine,     ///< no RETURN within the limit
    Protocol,           ///< the host broke the rules of section 3
  };
  Kind kind = Kind::None;
  unsigned core = 0;
  std::uint16_t pc = 0;     ///< code address, bit 15 = user instruction RAM
  std::uint64_t pixel = 0;  ///< pixel index within the core
  Clock clock = 0;
  std::string text;

  explicit operator bool() const { return kind != Kind::None; }
  /// One line: core, PC, pixel, clock, what happened.
  [[nodiscard]] std::string describe() const;
};

/// What one routine or instruction came to.
enum class Stop : std::uint8_t {
  None,         ///< step(): go on
  Returned,     ///< RETURN: flag() says which
  TextureRead,  ///< waits for finishTextureRead()
  Faulted,
  Place,  ///< run(): stands in front of one of setHalts(); step() goes past it
};

struct CoreStatistics {
  std::array<std::uint64_t, kOpcodes> opcodes{};  ///< instructions by opcode
  Clock dividerClocks = 0;                        ///< in DIV
  Clock textureClocks = 0;                        ///< in TMREAD, waiting included
  std::uint64_t outputWrites = 0;                 ///< words
};

/// What the clocks of a core went to, in an account.
enum class Spent : std::uint8_t {
  Executing,
  Divider,        ///< in DIV
  Texture,        ///< in TMREAD, waiting for the arbiters of texture memory
  Control,        ///< the control unit begins and ends a routine
  Host,           ///< no triangle is on offer
  Configuration,  ///< before rendering
  Idle,           ///< behind the last routine
  Count
};

/// By code address. What is no instruction's belongs to the first one of the routine that then
/// begins, idle time to that of the latest.
struct RowAccount {
  std::uint64_t executions = 0;
  std::array<Clock, static_cast<std::size_t>(Spent::Count)> clocks{};
};
using CoreAccount = std::map<std::uint16_t, RowAccount>;

class Core {
 public:
  /// `rom` must outlive the core. Throws std::invalid_argument for sizes outside their range.
  Core(const CoreConfig& config, const Rom& rom, unsigned index);
  /// Host code is made once for the cores that share; before anything runs.
  void shareCode(std::shared_ptr<fast::RoutineShelf> shelf) { shelf_ = std::move(shelf); }

  // ---- host port (3.3) ----
  /// Row `address` & 31 of the configuration RAM and of the shadow swap copy (section 1).
  void hostWriteRegister(unsigned address, const Vec& value);
  /// Where hostWriteRegister() writes.
  [[nodiscard]] std::array<fast::Lanes*, 2> hostRows(unsigned address) {
    const unsigned row = address & 31U;
    return {&places_[row], &places_[(active_ == 0 ? kSwapOne : 32U) + row]};
  }
  /// False when the row is outside the instruction RAM.
  bool hostWriteInstruction(unsigned row, Instruction instruction);
  /// Exchanges the triangle buffers.
  void flip() { active_ ^= 1U; }

  // ---- execution ----
  /// Begins the routine behind a slot of the entry table; clocks() starts at the 4 of the trigger.
  void startEntry(Entry entry);
  /// Begins at a code address.
  void startAt(std::uint16_t address) {
    pc_ = entry_ = address;
    loop_.clocks = kTriggerClocks;
    before_ += loop_.executed;
    loop_.executed = 0;
  }
  /// startEntry(), then run().
  Stop runEntry(Entry entry) {
    Routine& routine = routines_[static_cast<unsigned>(entry)][active_];
    return mayRun(routine) ? runRoutine(routine) : beginEntry(entry);
  }
  /// Runs to the next stop. After TextureRead call finishTextureRead(), then run() again.
  Stop run() { return config_.fast ? runFast() : runPlain(); }
  /// One instruction of the plain executor.
  Stop step();
  /// run() halts in front of these code addresses, also where it begins at one.
  void setHalts(std::vector<std::uint16_t> addresses);
  /// Ends a TMREAD: the words read and the clocks it took from issue to issue.
  void finishTextureRead(const Vec& value, unsigned period);
  [[nodiscard]] const Vec& textureAddress() const { return texture_address_; }

  /// M of theia.md 2.9 after Returned: 4 + periods of what ran before RETURN.
  [[nodiscard]] Clock clocks() const { return loop_.clocks; }
  [[nodiscard]] bool flag() const { return flag_; }
  [[nodiscard]] std::uint16_t pc() const { return pc_; }
  /// For debuggers: between two instructions only.
  void setPc(std::uint16_t address) { pc_ = address; }
  /// Where RET goes: the hardware keeps one address.
  [[nodiscard]] std::uint16_t returnAddress() const { return return_address_; }
  /// Executed since the core was made.
  [[nodiscard]] std::uint64_t instructions() const { return before_ + loop_.executed; }
  /// Begun in host code, by this core since its rows were decoded.
  [[nodiscard]] std::uint64_t routinesInHostCode() const;
  [[nodiscard]] const Fault& fault() const { return fault_; }
  void raise(Fault::Kind kind, std::string text);
  /// A reset of the core takes its fault away; registers and memories keep their content.
  void clearFault();
  [[nodiscard]] unsigned index() const { return fault_.core; }

  // ---- registers as the execution unit sees them ----
  [[nodiscard]] Vec readRegister(unsigned address) const;
  void writeRegister(unsigned address, const Vec& value);  ///< as EXE: configuration is dropped
  /// For loaders and debuggers: reaches every bank.
  void pokeRegister(unsigned address, const Vec& value);
  [[nodiscard]] Vec shadowRegister(unsigned address) const;
  [[nodiscard]] Instruction instruction(std::uint16_t address) const;
  [[nodiscard]] bool loaded(std::uint16_t address) const;

  [[nodiscard]] std::span<const Word> output() const { return output_; }
  [[nodiscard]] std::span<Word> output() { return output_; }
  [[nodiscard]] CoreStatistics statistics() const;
  /// From here on the core knows where its clocks go; whoever drives it charges what is not its own
  /// to the latest routine begun.
  void keepAccount();
  void charge(Spent cause, Clock clocks) {
    if (accounting_) charged_[entry_].clocks[static_cast<std::size_t>(cause)] += clocks;
  }
  [[nodiscard]] CoreAccount account() const;
  [[nodiscard]] Clock dividerClocks() const { return statistics_.dividerClocks; }
  [[nodiscard]] const CoreConfig& config() const { return config_; }
  [[nodiscard]] std::uint64_t pixel() const { return pixel_; }
  void setPixel(std::uint64_t pixel) { pixel_ = pixel; }

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  using Lanes = fast::Lanes;
  using Table = std::vector<fast::Row>;

  static constexpr unsigned kSwapOne = 128;  ///< places of the second swap copy
  static constexpr unsigned kSink = fast::kSink;
  static constexpr unsigned kPlaces = fast::kPlaces;
  [[nodiscard]] unsigned place(unsigned address, unsigned active) const {
    const unsigned row = address & kAddressMask;
    return active != 0 && bankOf(row) == Bank::Swap ? kSwapOne + (row & 31U) : row;
  }
  [[nodiscard]] Vec at(unsigned p) const {
    return {places_[p].lane[0], places_[p].lane[1], places_[p].lane[2]};
  }
  void put(unsigned p, const Vec& v) { places_[p] = Lanes{{v.x, v.y, v.z, 0}}; }

  [[nodiscard]] Vec operand(std::uint16_t address) const;
  Stop execute(Instruction in, const OpInfo& info);
  Stop writeOutput(const Vec& address, const Vec& value);
  void remember(std::uint16_t destination, const Vec& result) {
    previous_destination_ = destination;
    previous_result_ = result;
  }
  Stop fail(Fault::Kind kind, std::string text);

  /// Index of a code address in a decoded table: ROM rows, a guard, RAM rows, a guard; -1 outside.
  [[nodiscard]] int slotOf(std::uint16_t address) const {
    const unsigned row = address & 0x7FFFU;
    if ((address & kUserCode) == 0) return row <= rom_->size() ? static_cast<int>(row) : -1;
    return row <= ram_.size() ? static_cast<int>(rom_->size() + 1 + row) : -1;
  }
  [[nodiscard]] std::uint16_t addressOf(std::size_t slot) const {
    const std::size_t rom = rom_->size() + 1;
    return static_cast<std::uint16_t>(slot < rom ? slot : kUserCode | (slot - rom));
  }
  void returnTo(std::uint16_t address) {
    return_address_ = address;
    return_slot_ = slotOf(address);
  }
  [[nodiscard]] std::uint16_t callTarget(std::uint16_t target) const;
  void decodeAll();
  static void findRuns(Table& table);
  void addRuns(CoreStatistics& statistics) const;
  void addRuns(std::vector<std::uint64_t>& visits) const;
  template <typename Add>
  void eachRun(const Add& add) const;
  [[nodiscard]] fast::Row decode(std::uint16_t address, unsigned active) const;
  [[nodiscard]] bool halts(std::uint16_t address) const;
  [[nodiscard]] bool mayForward(std::uint16_t address, const OpInfo& info, Instruction in) const;
  [[nodiscard]] bool reads(std::uint16_t address, std::uint16_t destination) const;
  [[nodiscard]] bool forwards();
  Stop runPlain();
  Stop runFast();
  [[nodiscard]] bool mayLoop() const {
    return !stale_ && !fault_ && loop_.executed + decoded_[0].size() <= config_.instructionLimit;
  }
  [[gnu::always_inline]] Stop fastLoop(std::size_t slot, bool inside = false);
  void makeStale();

  /// A routine's host code, as this core uses it.
  struct Routine {
    /// Where it is left, and how often it was.
    struct Exit {
      std::uint64_t count = 0;
      Clock clocks = 0;  ///< as clocks()
      std::uint32_t dividerClocks = 0;
      std::uint32_t executed = 0;
      std::uint16_t pc = 0;
      std::uint16_t returnAddress = 0;
      std::int32_t returnSlot = -1;  ///< -1: as before
      bool returned = false;
      bool inside = false;            ///< fast::Ending::Kind
      std::uint16_t destination = 0;  ///< of RETURN, and its immediate word
      Word immediate = 0;
    };
    static constexpr std::int32_t kNothing = 0x10000;  ///< no register has this address
    fast::RoutineCode::Function function = nullptr;    ///< null: not now
    std::uint16_t begin = 0;                           ///< code address
    std::array<std::int32_t, 2> reads{};               ///< registers of the first row
    std::vector<Exit> exits;
    std::shared_ptr<const fast::RoutineCode> code;
    std::uint32_t begun = 0;  ///< while there is no code
    /// Times it was left for the loop since it was made, and how many are borne.
    std::uint64_t strays = 0, patience = 0;
    std::uint64_t settled = 0;  ///< times it was run that exits no longer count
  };
  [[nodiscard]] bool mayRun(const Routine& routine) const {
    return routine.function != nullptr && previous_destination_ != routine.reads[0] &&
           previous_destination_ != routine.reads[1] && !fault_;
  }
  [[gnu::always_inline]] Stop runRoutine(Routine& routine);
  Stop leaveRoutine(Routine& routine, const Routine::Exit& exit);
  void settle(Routine& routine, Table& table);
  void makeRoutine(Routine& routine, std::uint16_t address);
  void forgetRoutines();
  Stop beginEntry(Entry entry);
  void countRow(const OpInfo& info, unsigned period);

  CoreConfig config_;
  const Rom* rom_;
  const fast::Kernels* kernels_;
  std::array<Lanes, kPlaces> places_{};
  unsigned active_ = 0;
  std::vector<Instruction> ram_;
  std::vector<bool> ram_loaded_;
  std::vector<Word> output_;

  std::uint16_t pc_ = 0;
  std::uint16_t return_address_ = 0;
  int return_slot_ = 0;                     ///< slotOf() of it
  std::int32_t previous_destination_ = -1;  ///< -1: nothing to forward
  Vec previous_result_;
  Vec texture_address_;
  std::uint16_t texture_destination_ = 0;
  fast::Loop loop_{};         ///< clocks and instructions of this routine, whoever executes
  std::uint64_t before_ = 0;  ///< instructions of the routines before it
  bool flag_ = false;
  std::uint64_t pixel_ = 0;
  Fault fault_;
  CoreStatistics statistics_;

  std::array<Table, 2> decoded_;  ///< by active swap copy
  /// Slots where runEntry() may begin in the loop; -1: it asks run().
  std::array<int, kEntries> entries_ = [] {
    std::array<int, kEntries> none{};
    none.fill(-1);
    return none;
  }();
  std::array<std::array<Routine, 2>, kEntries> routines_;  ///< by active swap copy
  std::shared_ptr<fast::RoutineShelf> shelf_;
  bool stale_ = true;  ///< instruction RAM or halts changed since decodeAll()
  /// What forwards() found last.
  struct Begin {
    std::uint16_t pc = 0;
    std::int32_t destination = -1;
    bool forwards = false;
  } begins_;
  std::vector<std::uint16_t> halts_;

  // Account: by slot, the sizes of decoded_; what the table's periods do not say is apart.
  bool accounting_ = false;
  std::uint16_t entry_ = 0;  ///< where the latest routine began
  std::vector<std::uint64_t> visits_;
  CoreAccount charged_;
};

inline Stop Core::runRoutine(Routine& routine) {
  Routine::Exit& exit = routine.exits[routine.function(places_.data())];
  ++exit.count;
  entry_ = routine.begin;
  before_ += loop_.executed;
  loop_.executed = exit.executed;
  loop_.clocks = exit.clocks;
  statistics_.dividerClocks += exit.dividerClocks;
  pc_ = exit.pc;
  if (exit.returnSlot >= 0) {
    return_address_ = exit.returnAddress;
    return_slot_ = exit.returnSlot;
  }
  if (!exit.returned) [[unlikely]]
    return leaveRoutine(routine, exit);
  flag_ = (exit.immediate & 1U) != 0;
  remember(exit.destination, {exit.immediate, 0, 0});
  return Stop::Returned;
}

}  // namespace rtvp::theia
