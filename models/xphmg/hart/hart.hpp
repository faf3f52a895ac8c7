// One RISC-V hart: RV64IMAFDC, Zicsr, Zifencei, machine mode (xphmg.md 16.2). Plain C++: it runs
// against a Bus and RAM that the owner provides, counts in cycles, and stops when something outside
// has to act. One instruction takes one cycle plus what the bus charges; the reference gives no
// finer timing.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/common/core/zero_pages.hpp"
#include "models/xphmg/hart/account.hpp"
#include "models/xphmg/hart/host_float.hpp"
#include "models/xphmg/hart/isa.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::rv64 {

/// Exception causes (mcause) that the hart raises.
enum class Cause : std::uint64_t {
  FetchMisaligned = 0,
  FetchAccess = 1,
  IllegalInstruction = 2,
  Breakpoint = 3,
  LoadMisaligned = 4,
  LoadAccess = 5,
  StoreMisaligned = 6,
  StoreAccess = 7,
  EcallFromM = 11,
};

/// Interrupt lines, as bits of mip and mie.
enum class Interrupt : unsigned { Software = 3, Timer = 7, External = 11 };

/// Everything that is not RAM given to the hart by addRam(). Sizes are 1, 2, 4 or 8 bytes; the
/// address may be misaligned. `delay` is the time of the access in cycles beyond the instruction's.
class Bus {
 public:
  virtual ~Bus() = default;
  /// False is an access fault; `data` is then ignored.
  virtual bool read(std::uint64_t address, std::span<std::uint8_t> data, std::uint64_t& delay) = 0;
  virtual bool write(std::uint64_t address, std::span<const std::uint8_t> data,
                     std::uint64_t& delay) = 0;
};

class Hart;
class Translator;

/// What a vendor adds: CSRs, the custom-0 and custom-3 opcodes, and instruction replication.
class VendorExtension {
 public:
  virtual ~VendorExtension() = default;
  /// Whether CSR `number` is the extension's. Only such numbers are passed to the two below.
  [[nodiscard]] virtual bool ownsCsr(unsigned number) const = 0;
  /// Empty: the access traps as an illegal instruction.
  virtual std::optional<std::uint64_t> readCsr(Hart& hart, unsigned number) = 0;
  virtual bool writeCsr(Hart& hart, unsigned number, std::uint64_t value) = 0;
  /// Executes a custom instruction, or calls Hart::trap() or Hart::block().
  virtual void execute(Hart& hart, const Decoded& instruction) = 0;
  /// Called before each instruction while Hart::setIntercept(true) holds; true: it has been done.
  virtual bool intercept(Hart& hart, const Decoded& instruction) = 0;
  /// A trap is about to be taken at the current instruction.
  virtual void trapped(Hart& hart) = 0;
  /// Names a custom instruction in traces; empty if unknown.
  [[nodiscard]] virtual std::string disassemble(std::uint32_t word) const = 0;
};

/// Sees each instruction before and after it executes; for traces, profiles and debuggers.
class Observer {
 public:
  virtual ~Observer() = default;
  /// False stops the run before the instruction (a breakpoint).
  virtual bool before(const Hart& hart, const Decoded& instruction) = 0;
  /// `retired` is false when the instruction trapped or blocked.
  virtual void after(const Hart& hart, const Decoded& instruction, bool retired) = 0;
  /// Cycles beyond the instructions' own have gone by (Hart::addStall), within an instruction or
  /// between two.
  virtual void stalled(Spent /*cause*/, std::uint64_t /*cycles*/) {}
};

enum class Stop : std::uint8_t {
  Budget,         ///< the given number of instructions has retired
  CycleLimit,     ///< cycle() has reached setCycleLimit()
  WaitInterrupt,  ///< WFI: nothing is pending
  Blocked,        ///< a vendor instruction waits; it will be executed again
  Requested,      ///< requestStop()
  NoHandler,      ///< a trap while mtvec is 0
  DoubleTrap,     ///< two traps without an instruction retired
  Breakpoint,     ///< the observer said so
};

struct HartOptions {
  std::uint64_t hart_id = 0;
  std::uint64_t timer_divider = 100;  ///< cycles per tick of mtime
  /// Host code for what runs often: a speed setting, which changes nothing else.
  bool translate = true;
  std::uint16_t translate_after = 64;  ///< times that a block is interpreted before it has code
};

class Hart {
 public:
  Hart(Bus& bus, HartOptions options);
  ~Hart();
  Hart(const Hart&) = delete;
  Hart& operator=(const Hart&) = delete;
  Hart(Hart&&) = delete;
  Hart& operator=(Hart&&) = delete;

  /// RAM that instructions and data come from without the bus. Regions must not overlap; the bytes
  /// must outlive the hart.
  void addRam(std::uint64_t base, std::span<std::uint8_t> bytes);
  void setExtension(VendorExtension* extension) { extension_ = extension; }
  void setObserver(Observer* observer) { observer_ = observer; }
  /// Keeps account of every cycle from here on; null: no longer. reset() clears it.
  void setAccount(Account* account);
  /// run() stops in front of instructions at these addresses (Stop::Breakpoint) and costs nothing
  /// in between; the one that it stopped at executes when it goes on. For runs without an observer.
  void setPlaces(std::vector<std::uint64_t> addresses);
  /// The observer is asked about the instruction that it has stopped the run in front of, too.
  void askAgain() { resume_over_breakpoint_ = false; }
  /// The instruction at the PC executes although it stands at a place of setPlaces().
  void passHere() { resume_over_breakpoint_ = true; }
  /// Stores that touch these bytes of RAM make run() call `written` after the instruction.
  class WriteWatch {
   public:
    virtual ~WriteWatch() = default;
    virtual void written(std::uint64_t address, unsigned size) = 0;
  };
  void watchWrites(std::uint64_t address, std::uint64_t size, WriteWatch* watch);

  void reset(std::uint64_t pc);

  /// Runs until at least one of the reasons in Stop; `instructions` bounds those that retire.
  Stop run(std::uint64_t instructions);
  void requestStop();
  /// run() stops between instructions when cycle() reaches `cycle`: something else acts then.
  void setCycleLimit(std::uint64_t cycle) { cycle_limit_ = cycle; }

  // --- state, for loaders, debuggers and the extension
  [[nodiscard]] std::uint64_t x(unsigned n) const { return x_[n]; }
  void setX(unsigned n, std::uint64_t value) {
    x_[n] = value;
    x_[0] = 0;
  }
  [[nodiscard]] std::uint64_t f(unsigned n) const { return f_[n]; }
  void setF(unsigned n, std::uint64_t value) { f_[n] = value; }
  [[nodiscard]] std::uint64_t pc() const { return pc_; }
  void setPc(std::uint64_t pc) {
    resume_over_breakpoint_ = resume_over_breakpoint_ && pc == pc_;
    pc_ = pc;
  }
  [[nodiscard]] std::uint64_t cycle() const { return retired_ + stall_; }
  [[nodiscard]] std::uint64_t instructionsRetired() const { return retired_; }
  /// Of these, in host code; none is no mistake.
  [[nodiscard]] std::uint64_t instructionsTranslated() const { return translated_; }
  [[nodiscard]] std::uint64_t mtime() const {
    return cycle() / options_.timer_divider + time_base_;
  }
  void setMtime(std::uint64_t value);
  [[nodiscard]] std::uint64_t mtimecmp() const { return mtimecmp_; }
  void setMtimecmp(std::uint64_t value);
  [[nodiscard]] std::uint64_t mcause() const { return mcause_; }
  [[nodiscard]] std::uint64_t mepc() const { return mepc_; }
  [[nodiscard]] std::uint64_t mtval() const { return mtval_; }
  /// Cycles until the timer interrupt becomes pending; empty if it is pending or cannot come.
  [[nodiscard]] std::optional<std::uint64_t> cyclesToTimer() const;
  /// Whether WFI would go on: an enabled interrupt is pending.
  [[nodiscard]] bool interruptPending() const { return (mip() & mie_) != 0; }

  void setInterrupt(Interrupt line, bool level);
  /// Lets time pass without instructions: waiting for an interrupt, a bus or a blocked instruction.
  /// `cause`: any but Executing and Trap, which the hart counts by itself.
  void addStall(std::uint64_t cycles, Spent cause);

  // --- for the extension, while it executes an instruction
  /// Raises a synchronous exception at the current instruction.
  void trap(Cause cause, std::uint64_t value) { trap(static_cast<std::uint64_t>(cause), value); }
  void trap(std::uint64_t cause, std::uint64_t value);
  /// The current instruction cannot complete yet.
  void block();
  void jump(std::uint64_t target) { next_ = target & ~std::uint64_t{1}; }
  [[nodiscard]] bool trapping() const { return pending_trap_.has_value(); }
  [[nodiscard]] bool blocked() const { return blocked_; }
  /// Executes an instruction of the base set as part of the current one.
  void executeNow(const Decoded& instruction);
  /// Passes every instruction to VendorExtension::intercept(); no interrupt is taken meanwhile.
  void setIntercept(bool on);
  /// Reads or writes memory as a load or store would; false after raising the fault.
  bool load(std::uint64_t address, std::span<std::uint8_t> data);
  bool store(std::uint64_t address, std::span<const std::uint8_t> data);

  /// Memory as a debugger sees it: RAM only, no side effect. False if not all bytes are RAM.
  [[nodiscard]] bool peek(std::uint64_t address, std::span<std::uint8_t> data) const;
  bool poke(std::uint64_t address, std::span<const std::uint8_t> data);
  bool fill(std::uint64_t address, std::uint64_t size);  ///< with zeros
  /// RAM was changed from outside: forget decoded instructions, as FENCE.I does.
  void flushDecoded();

  /// For checkpoints: everything but RAM and the extension, between two instructions.
  void state(common::StateArchive& a);

  /// CSR access by number as an instruction would make it; empty or false if it would trap.
  [[nodiscard]] std::optional<std::uint64_t> readCsr(unsigned number);
  bool writeCsr(unsigned number, std::uint64_t value);

 private:
  friend struct Execute;
  friend struct FloatExecute;
  friend struct CsrFile;
  friend class Translator;
  using Handler = void (*)(Hart&, const Decoded&);
  struct Slot {
    Handler handler = nullptr;
    Decoded instruction;
  };
  static constexpr unsigned kPageBits = 12;
  static constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageBits;
  using Page = std::array<Slot, kPageBytes / 2>;
  static constexpr unsigned kLineBits = 6;
  /// What stores that begin in a line of RAM may concern.
  enum LineFlag : std::uint8_t { kDecoded = 1, kWatched = 2 };
  struct Region {
    std::uint64_t base = 0;
    std::span<std::uint8_t> bytes;
    std::vector<std::unique_ptr<Page>> pages;
    common::ZeroPages flags;  ///< of each line; untouched ones cost nothing
  };
  /// The first region, where nearly all accesses go.
  struct DirectRam {
    std::uint64_t base = 0;
    std::uint64_t limit = 0;
    std::uint8_t* data = nullptr;
    const std::uint8_t* flags = nullptr;
  };
  struct Watch {
    std::uint64_t address;
    std::uint64_t size;
    WriteWatch* watch;
  };
  struct PendingTrap {
    std::uint64_t cause;
    std::uint64_t value;
  };

  [[nodiscard]] std::uint64_t mip() const;
  [[nodiscard]] std::optional<unsigned> interruptToTake() const;
  void setLimit();
  void attention() { limit_ = 0; }
  void enterTrap(std::uint64_t cause, std::uint64_t value, std::uint64_t pc);
  std::optional<Stop> finishTrap();
  std::optional<Stop> settle();
  void runFast();
  template <bool kCounted>
  void runTranslated();
  template <bool kCounted>
  void interpretBlock();
  [[nodiscard]] bool translates();
  void runCounted();
  void runObserved();
  bool ask(const Decoded& instruction);
  Slot* slotAt(std::uint64_t pc);
  Slot* decodeSlot(Region& region, std::uint64_t offset);
  static void fetchFault(Hart& hart, const Decoded& instruction);
  static void atPlace(Hart& hart, const Decoded& instruction);
  void runSlot(const Slot& slot);
  [[nodiscard]] Region* regionOf(std::uint64_t address, std::uint64_t size);
  static void mark(Region& region, std::uint64_t offset, std::uint64_t size, LineFlag flag);
  void forget(Region& region, std::uint64_t offset, std::uint64_t size);
  void stored(Region& region, std::uint64_t offset, unsigned size);
  template <typename T>
  bool loadValue(std::uint64_t address, T& value);
  template <typename T>
  bool storeValue(std::uint64_t address, T value);
  bool loadSlow(std::uint64_t address, std::span<std::uint8_t> data);
  bool storeSlow(std::uint64_t address, std::span<const std::uint8_t> data);
  /// While one lives, code outside the hart may run: it finds the host's floating-point unit as it
  /// left it.
  class OutsideCall {
   public:
    explicit OutsideCall(Hart& hart) : hart_(hart), inside_(hart.host_unit_entered_) {
      hart_.leaveHostUnit();
    }
    ~OutsideCall() {
      if (inside_) hart_.enterHostUnit();
    }
    OutsideCall(const OutsideCall&) = delete;
    OutsideCall& operator=(const OutsideCall&) = delete;

   private:
    Hart& hart_;
    bool inside_;
  };
  void leaveHostUnit();
  void enterHostUnit();
  void collectFlags();

  Bus& bus_;
  HartOptions options_;
  VendorExtension* extension_ = nullptr;
  Observer* observer_ = nullptr;
  Account* account_ = nullptr;
  std::vector<Region> regions_;
  DirectRam ram_;
  std::vector<Watch> watches_;
  std::vector<std::uint64_t> places_;  ///< ascending
  bool placed_ = false;                ///< stands at one of them, which has not executed
  bool intercept_ = false;

  std::array<std::uint64_t, 32> x_{};
  std::array<std::uint64_t, 32> f_{};
  std::uint64_t pc_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t retired_ = 0;
  std::uint64_t limit_ = 0;
  std::uint64_t budget_end_ = 0;
  std::uint64_t stall_ = 0;
  std::uint64_t cycle_limit_ = ~std::uint64_t{0};
  Page* page_ = nullptr;  ///< of page_base_
  std::uint64_t page_base_ = 1;
  Slot fault_slot_;
  std::unique_ptr<Translator> translator_;  ///< made when the hart first runs
  std::uint64_t translated_ = 0;

  std::optional<PendingTrap> pending_trap_;
  std::uint64_t current_pc_ = 0;
  std::optional<std::uint64_t> last_trap_at_;  ///< retired_ at the last trap
  bool stop_requested_ = false;
  bool blocked_ = false;
  bool waiting_ = false;
  bool breakpoint_ = false;
  bool resume_over_breakpoint_ = false;
  bool reserved_ = false;
  std::uint64_t reservation_ = 0;

  fp::HostUnit host_unit_;
  bool host_unit_entered_ = false;
  bool host_fma_ = fp::HostUnit::hasFma();
  std::uint8_t fflags_ = 0;
  std::uint8_t frm_ = 0;

  // CSRs with state of their own
  std::uint64_t mstatus_ = 0;
  std::uint64_t mie_ = 0;
  std::uint64_t lines_ = 0;  ///< mip bits driven from outside
  std::uint64_t mtvec_ = 0;
  std::uint64_t mscratch_ = 0;
  std::uint64_t mepc_ = 0;
  std::uint64_t mcause_ = 0;
  std::uint64_t mtval_ = 0;
  std::uint64_t mcountinhibit_ = 0;
  std::uint64_t mcycle_base_ = 0;    ///< mcycle = cycle() + base, or frozen value when inhibited
  std::uint64_t minstret_base_ = 0;  ///< minstret likewise
  std::uint64_t time_base_ = 0;
  std::uint64_t mtimecmp_ = ~std::uint64_t{0};
};

}  // namespace rtvp::rv64
