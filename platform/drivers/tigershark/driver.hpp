// Device driver of the TigerSHARK boards of one host: finds hits by sending rays to the boards and
// merging what comes back. It knows the boards only as PCI devices: configuration space, windows,
// bus-master DMA and interrupts. It holds no intersection code and no copy of the scene but the
// database pages it loads (design.md section 10).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"
#include "models/tigershark/pld_registers.hpp"
#include "models/tigershark/s5933_registers.hpp"
#include "platform/drivers/device.hpp"
#include "platform/raytree/hit_finder.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::host {

/// Words that must lie in board memory from `address` on (word addresses).
struct MemoryImage {
  std::uint32_t address = 0;
  std::vector<std::uint32_t> words;
};

/// What the driver shows in a trace.
struct TigersharkDriverSignals {
  common::TraceSignal batch;              ///< a batch is under way
  common::TraceSignal batches;            ///< finished
  std::vector<common::TraceSignal> page;  ///< of each board
  [[nodiscard]] static TigersharkDriverSignals declare(const common::TraceScope& scope, int boards);
};

/// A node's answer to one ray, for those who look at results themselves.
struct SeenResult {
  int board = 0;
  std::uint32_t dsp = 0;
  std::uint64_t batch = 0;  ///< from 0 on
  const Ray& ray;
  double t = 0;
  std::uint32_t element = 0;             ///< kNoElement: none on this page
  std::span<const std::uint32_t> words;  ///< the firmware's own
};

struct TigersharkDriverConfig {
  std::string instance = {};  ///< of several machines, begins reports
  // what the boards are: whoever builds them says so
  int dsps = 0;
  double clockHz = 0;     ///< H1; with bitClockHz only to size time limits
  double bitClockHz = 0;  ///< serial chain
  int waitStates = 0;
  bool doubleBuffer = false;

  std::vector<MemoryImage> firmware;            ///< the same on every board
  std::vector<std::vector<MemoryImage>> pages;  ///< by board; each page is a tree of its own

  scene::Vec3 origin = {};  ///< DatabaseOptions::origin: rays are sent relative to it

  std::vector<std::size_t> lines;  ///< interrupt line of each board
  // where the boards are: PCI devices firstSlot to firstSlot + slots - 1
  int firstSlot = 0;
  int slots = 32;

  // the host's address map
  std::uint64_t configBase = 0xE0000000;  ///< configuration window, 32 KiB a device
  std::uint64_t ioBase = 0xE8000000;      ///< I/O window
  std::uint64_t windowBase = 0x80000000;  ///< where memory windows of devices are put
  std::uint64_t bufferBase = 0x00100000;  ///< DMA buffers in main memory

  /// Words of SRAM that are written at a time. Other machines' boards have the bus in between:
  /// their results wait in a FIFO of eight words, and a chain that feeds it does not stop.
  std::size_t writeWords = std::size_t{1} << 24U;

  DriverLog log = {};
  TigersharkDriverSignals signals = {};
  /// Called when a batch of rays, or of shading points, has come back: what pixels its nodes worked
  /// for, from the first node on, and how long it took. Empty: nobody wants to know.
  std::function<void(std::span<const std::uint32_t> pixels, sc_core::sc_time taken)> batchDone = {};
  /// Called at the begin (true) and at the end of a batch of rays, which has this number, from 0
  /// on. Empty: nobody wants to know.
  std::function<void(std::uint64_t number, bool begins)> atBatch = {};

  /// Told that the driver sleeps and will not touch this board until then, unless by its interrupt;
  /// SC_ZERO_TIME: it may again. Empty: nobody wants to know.
  std::function<void(std::size_t board, const sc_core::sc_time& until)> leavesAlone = {};

  /// Words that the firmware's results have behind header, t and element.
  std::uint32_t ownWords = 0;
  /// Called for every ray's result, in the order of the chain. Empty: nobody wants to know.
  std::function<void(const SeenResult& result)> resultSeen = {};
  /// Takes from the firmware's own words what a new nearest hit has. Empty: nothing.
  std::function<void(Hit& hit, std::span<const std::uint32_t> words)> refine = {};
};

/// Firmware that takes the boards' nodes over between two phases of hit finding.
struct GuestFirmware {
  std::vector<MemoryImage> images;
  std::uint32_t parameter = 0;  ///< word at kParamDatabase
};

class TigersharkDriver : public HitFinder, private Device {
 public:
  TigersharkDriver(HostBus& bus, TigersharkDriverConfig config);

  /// Finds the boards, loads firmware and first page, numbers the nodes. Reports kDriver if a board
  /// is not what the configuration says.
  void start();

  void trace(std::span<const Ray> rays, std::span<Hit> hits) override;

  /// Resets the nodes and starts `guest` on all boards, unless it runs there already; the next
  /// trace() brings the hit finding firmware back. `guest` must stay where it is meanwhile.
  void runGuest(const GuestFirmware& guest);
  /// What runs on the boards instead of hit finding, or null.
  [[nodiscard]] const GuestFirmware* guest() const { return guest_; }
  /// The boards' state has been put back, with this on them.
  void assume(const GuestFirmware* guest) { guest_ = guest; }
  /// Sends words[b] to board b, whose answer must be answers[b].size() words long. `limit`: how
  /// long that may take; `why`: what is waited for, in a deadlock report.
  void exchange(std::span<const std::vector<std::uint32_t>> words,
                std::span<std::vector<std::uint32_t>> answers, const sc_core::sc_time& limit,
                const std::string& why);
  [[nodiscard]] const TigersharkDriverConfig& config() const { return config_; }
  /// Reports a board's unexpected answer as report_ids::kDriver.
  [[noreturn]] void fail(std::size_t board, const std::string& what);

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

  /// What the driver counted since it was made.
  struct Counters {
    std::uint64_t raysTraced = 0;
    std::uint64_t raysSent = 0;
    std::uint64_t fillers = 0;
    std::uint64_t batches = 0;
    std::uint64_t pageLoads = 0;
    std::uint64_t pageWords = 0;
    std::uint64_t prefetchedWords = 0;
    std::uint64_t firmwareLoads = 0;  ///< after the first
    sc_core::sc_time startTime;
    sc_core::sc_time switchTime;
    sc_core::sc_time pageTime;
    sc_core::sc_time batchTime;
    void report(common::StatGroup& stats) const;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  using RayWords = std::array<std::uint32_t, 8>;

  struct Board {
    Board(HostBus& bus, int number)
        : index(number), name("board " + std::to_string(number)), registers(bus, 0), pld(bus, 0) {}
    /// Of a word of its memory.
    [[nodiscard]] std::uint64_t at(std::uint64_t word) const { return memory + 4 * word; }

    int index;
    std::string name;
    std::uint64_t config = 0;                            ///< its configuration space
    RegisterBlock<tigershark::s5933::PciReg> registers;  ///< base 0
    std::uint64_t memory = 0;                            ///< base 1
    RegisterBlock<tigershark::pld::Reg> pld;             ///< base 2
    std::uint64_t results = 0;                           ///< DMA buffer
    std::uint32_t control = 0;                           ///< PLD CTRL as last written
    std::size_t page = 0;                                ///< page the DSPs see
    // double-buffered boards: the page that is being loaded into the hidden bank, and how far
    std::size_t nextPage = 0;
    std::size_t nextPosition = 0;  ///< words done
    // events since they were last waited for
    bool writeDone = false;
    bool holdGranted = false;
  };

  // One ray that still looks for its hit.
  struct Pending {
    std::uint32_t ray = 0;   ///< index into the caller's spans
    std::uint32_t tmax = 0;  ///< TI single
  };

  // ---- bring-up
  void enumerate();
  /// Windows of one board lie together, from `window` on.
  void assignWindows(Board& board, std::uint64_t window);
  void loadFirmware(Board& board);
  void resetBoard(Board& board);
  void startNodes(Board& board);
  void bringBackHitFinding();
  void writeImage(const Board& board, const MemoryImage& image);
  /// Into SRAM from a word address on.
  void copy(const Board& board, std::uint32_t address, std::span<const std::uint32_t> words);
  void verify(const Board& board, const MemoryImage& image);
  void numberNodes(Board& board, std::span<const MemoryImage> firmware);
  void checkMasterMark(Board& board);

  /// Changes bits of the PLD's CTRL.
  static void control(Board& board, std::uint32_t set, std::uint32_t clear);
  [[nodiscard]] const std::vector<MemoryImage>& pagesOf(const Board& board) const {
    return config_.pages[static_cast<std::size_t>(board.index)];
  }

  [[nodiscard]] static sc_core::sc_time seconds(double s) { return {s, sc_core::SC_SEC}; }

  // ---- interrupts: byte 0 of incoming mailbox 1 became full (its number and byte are 0), the
  // write count reached zero
  static constexpr std::uint32_t kInterruptEnables =
      tigershark::s5933::INTCSR_IN_ENABLE | tigershark::s5933::INTCSR_WRITE_ENABLE;
  static constexpr std::uint32_t kInterruptStatus =
      tigershark::s5933::INTCSR_OUT_INT | tigershark::s5933::INTCSR_IN_INT |
      tigershark::s5933::INTCSR_WRITE_INT | tigershark::s5933::INTCSR_READ_INT |
      tigershark::s5933::INTCSR_MASTER_ABORT | tigershark::s5933::INTCSR_TARGET_ABORT;
  void service(Board& board);
  /// Sleeps until `done` holds, servicing interrupts of all boards.
  void awaitBoards(const std::function<bool()>& done, const sc_core::sc_time& limit,
                   const std::string& why);
  /// Sleeps until the transfers of `boards` are done, and leaves them alone meanwhile.
  void awaitTransfers(std::span<Board* const> boards, const sc_core::sc_time& limit,
                      const std::string& why);
  [[nodiscard]] std::string condition() override;
  void endIfWalking(Board& board);
  [[noreturn]] void fail(const Board& board, const std::string& what) const {
    Device::fail(board.name, what);
  }

  // ---- pages
  void holdBus(Board& board);
  void yieldBus(Board& board);
  void usePage(Board& board, std::size_t page, std::size_t following);
  void loadPage(Board& board, std::size_t page);
  void prefetch(Board& board, std::size_t words);
  void showPage(const Board& board) const;

  // ---- batches
  void tracePass(std::span<const Ray> rays, std::span<Hit> hits, std::vector<Pending>& pending,
                 std::span<Board* const> boards);
  void runBatch(std::span<const Ray> rays, std::span<Hit> hits, std::span<Pending> batch,
                std::span<Board* const> boards);
  void encode(std::span<const Ray> rays, std::span<const Pending> batch);
  /// Between main memory and a board's FIFOs: words to its nodes, words of its answer.
  struct Transfer {
    std::uint64_t from;
    std::size_t sent;
    std::uint64_t to;
    std::size_t received;
  };
  void startTransfer(Board& board, const Transfer& transfer);
  void startBatch(Board& board, std::size_t sendWords, std::size_t receiveWords);
  [[nodiscard]] std::uint32_t resultWords() const;
  void collect(Board& board, std::span<const Ray> rays, std::span<Hit> hits,
               std::span<Pending> batch);
  [[nodiscard]] sc_core::sc_time batchLimit(std::span<Board* const> boards) const;

  TigersharkDriverConfig config_;
  std::vector<Board> boards_;
  std::vector<std::uint32_t> outgoing_;
  std::vector<std::uint32_t> incoming_;
  bool markChecked_ = false;
  const GuestFirmware* guest_ =
      nullptr;  ///< what the boards run instead of the hit finding firmware

  Counters counters_;
};

}  // namespace rtvp::host
