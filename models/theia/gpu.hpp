// The whole GPU as plain C++: cores, control units, triangle buffers, host port, texture crossbar
// and output memories, with clock accounting (theia.md sections 3, 4 and 7). Transactions, not
// edges: a host operation takes the clock at which the host is ready for it and returns the clock
// at which the port is free again. Between two host operations every core is run as far as it can
// get; only texture reads and flips order cores against each other, and both are resolved in clock
// order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/theia/core.hpp"
#include "models/theia/core_control.hpp"
#include "models/theia/crossbar.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::theia {

/// The seven registers of a triangle in streaming order: CREG_V0 .. CREG_TRI_DIFFUSE.
inline constexpr unsigned kTriangleRegisters = 7;
using Triangle = std::array<Vec, kTriangleRegisters>;
static_assert(kTriangleRegisters == fast::kTriangleRows);
static_assert(reg("CREG_TRI_DIFFUSE") - reg("CREG_V0") + 1 == kTriangleRegisters);

inline constexpr unsigned kMaxCores = 16;
/// PRIMITIVE_COUNT = MAX << 17 must stay positive (theia.md section 8).
inline constexpr unsigned kMaxPrimitives = 16383;

struct GpuConfig {
  unsigned cores = 4;  ///< 1, 2, 4, 8 or 16; as many texture banks
  CoreConfig core;
  std::uint32_t textureWords = 1U << 20;  ///< all banks together; at most 2^26
  ArbiterOrder arbiterOrder = ArbiterOrder::Ascending;
  ArbiterTiming arbiterTiming;
  // Host port costs, clocks (3.3, 7).
  unsigned instructionClocks = 8;
  unsigned registerClocks = 11;
  unsigned handshakeClocks = 4;  ///< HDL seen, HDA dropped, HDLACK
  unsigned commitClocks = 3;     ///< after RCOMMIT of all cores
  /// Not in the original: triangles kept on the chip. A triangle that the store holds already takes
  /// storeClocks instead of seven register writes.
  unsigned storeTriangles = 0;
  unsigned storeClocks = 7;
};

/// Why a core's clocks passed; the sum over all is the time since reset.
struct ControlClocks {
  Clock configuration = 0;  ///< before RENDREN
  Clock initial = 0, cppu = 0, userConstants = 0;
  Clock mainBusy = 0;     ///< MAIN without the next two
  Clock mainDivider = 0;  ///< in DIV
  Clock mainTexture = 0;  ///< waiting for texture arbiters
  Clock waitHost = 0;     ///< for HDA: streaming, slower cores, the host
  Clock idle = 0;         ///< after the last phase
  [[nodiscard]] Clock sum() const {
    return configuration + initial + cppu + userConstants + mainBusy + mainDivider + mainTexture +
           waitHost + idle;
  }
  /// A reset cuts a phase short that was accounted to its end.
  void takeBack(Clock clocks) {
    for (Clock* const cause :
         {&mainBusy, &mainDivider, &mainTexture, &userConstants, &cppu, &initial, &waitHost}) {
      const Clock part = std::min(clocks, *cause);
      *cause -= part;
      clocks -= part;
    }
  }
};

struct HostClocks {
  Clock instructions = 0, registers = 0, triangles = 0, handshake = 0, commit = 0;
  std::uint64_t triangleCount = 0, storeHits = 0, words = 0;
  /// Times a core was ready again while HDA was still up for a slower one. The original would take
  /// the triangle twice (3.2); this model takes a triangle once per offer.
  std::uint64_t repeatedOffers = 0;
};

struct BankStatistics {
  std::uint64_t words = 0;
  Clock waitClocks = 0;
};

/// Sees what happens inside; for traces, logs and tests. All calls come in program order of a core,
/// not in clock order between cores.
class GpuObserver {
 public:
  virtual ~GpuObserver() = default;
  virtual void onFlip(unsigned core, Clock clock) { (void)core, (void)clock; }
  virtual void onPhaseEnd(unsigned core, Clock ready, bool committed) {
    (void)core, (void)ready, (void)committed;
  }
  virtual void onAllCommitted(Clock clock) { (void)clock; }
  /// After each instruction of the plain executor.
  virtual void onInstruction(const Core& core, std::uint16_t pc, Clock clock) {
    (void)core, (void)pc, (void)clock;
  }
};

class Gpu {
 public:
  /// Throws std::invalid_argument for a configuration outside its ranges.
  Gpu(const GpuConfig& config, Rom rom);

  [[nodiscard]] const GpuConfig& config() const { return config_; }
  void observe(GpuObserver* observer) { observer_ = observer; }
  [[nodiscard]] GpuObserver* observer() const { return observer_; }
  /// Runs the cores from here on; null: nobody but the GPU. Outlives it.
  void control(CoreControl* control) { control_ = control; }
  [[nodiscard]] bool controlled() const { return control_ != nullptr; }
  /// Everything as after power-on but the memories' contents, which survive a reset.
  void reset(Clock at);

  // ---- host port: `select` has one bit per core ----
  Clock writeInstruction(Clock at, std::uint32_t select, unsigned row, Instruction instruction);
  Clock writeRegister(Clock at, std::uint32_t select, unsigned address, const Vec& value);
  /// RENDREN after the configuration: INITIAL, CPPU, USERCONSTANTS on every core.
  Clock beginRendering(Clock at);
  /// Seven register writes to the shadow buffers of all cores.
  Clock streamTriangle(Clock at, const Triangle& triangle);
  /// HDA: the cores take the triangle as they become ready. Returns when the host may stream again.
  Clock offer(Clock at);
  /// Waits for RCOMMIT of all cores, after the pixel's last triangle.
  Clock awaitCommit(Clock at);
  /// Cores keep account of their clocks (Core::account()): from before the first operation of the
  /// host on, an account adds up to controlClocks().
  void keepAccount() {
    accounts_ = true;
    for (auto& lane : lanes_) lane->core.keepAccount();
  }
  /// Ends the accounting: the time up to `at` is idle for every core.
  void finish(Clock at);

  // ---- memories, through their own ports (no cost on the host port) ----
  /// False when the address is outside.
  bool writeTexture(std::uint32_t address, Word value);
  [[nodiscard]] std::span<const Word> texture() const { return texture_; }
  [[nodiscard]] std::span<Word> textureStorage() { return texture_; }
  [[nodiscard]] std::span<const Word> output(unsigned core) const;
  [[nodiscard]] std::span<Word> outputStorage(unsigned core);

  [[nodiscard]] unsigned cores() const { return config_.cores; }
  [[nodiscard]] Core& core(unsigned index) { return lanes_.at(index)->core; }
  [[nodiscard]] const Core& core(unsigned index) const { return lanes_.at(index)->core; }
  [[nodiscard]] const Fault& fault() const { return fault_; }
  [[nodiscard]] std::uint64_t commits() const { return commits_; }
  [[nodiscard]] bool rendering() const { return rendering_; }
  [[nodiscard]] Clock portFree() const { return port_free_; }

  [[nodiscard]] ControlClocks controlClocks(unsigned core) const;
  [[nodiscard]] const HostClocks& hostClocks() const { return host_; }
  [[nodiscard]] std::span<const BankStatistics> banks() const { return bank_statistics_; }

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  enum class Phase : std::uint8_t { Configuring, Ready, Running, Texture };
  struct Lane {
    Lane(const CoreConfig& config, const Rom& rom, unsigned index) : core(config, rom, index) {}
    Core core;
    Phase phase = Phase::Configuring;
    Clock ready = 0;         ///< may flip from here on
    Clock flip = 0;          ///< start of the phase that runs
    bool flipped = false;    ///< took the triangle on offer
    bool inMain = false;     ///< the routine that runs is MAIN
    bool committed = false;  ///< sticky until all have
    unsigned word = 0;       ///< of the TMREAD under way, 0 to 2
    Clock asked = 0;         ///< since when its request is up
    Clock issued = 0;        ///< clock at which the TMREAD was issued
    std::array<Word, 3> texels{};
    Clock texture_wait = 0;  ///< of this phase
    Clock divider_before = 0;
    ControlClocks clocks;
    Clock accounted = 0;  ///< time up to here has a cause
  };

  Clock start(Clock at);
  Clock runRoutine(Lane& lane, Entry entry);
  void runLane(Lane& lane) { ranLane(lane, advance(lane)); }
  void ranLane(Lane& lane, Stop stop);
  Stop advance(Lane& lane);
  /// Nobody looks at every instruction.
  [[nodiscard]] bool runsAtOnce() const {
    return control_ == nullptr && (observer_ == nullptr || config_.core.fast);
  }
  void beginTextureRead(Lane& lane);
  void serveTexture();
  void finishWord(Lane& lane, Clock done);
  [[gnu::always_inline]] void endPhase(Lane& lane);
  void commit(Lane& lane);
  void flip(Lane& lane, Clock hda);
  void beginPhase(Lane& lane, Clock divider, Clock waited, Stop stop);
  bool flipReady(Clock hda, Clock& last, Clock& soonest);
  [[nodiscard]] bool checkShares();
  void raise(const Fault& fault, Clock clock);
  void protocolFault(unsigned core, Clock clock, std::string text);
  [[nodiscard]] Word texelAddress(const Lane& lane) const;

  GpuConfig config_;
  Rom rom_;
  const fast::Kernels* kernels_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Word> texture_;
  std::vector<Arbiter> arbiters_;
  std::vector<BankStatistics> bank_statistics_;
  HostClocks host_;
  GpuObserver* observer_ = nullptr;
  CoreControl* control_ = nullptr;
  Fault fault_;
  Clock port_free_ = 0;
  bool rendering_ = false;
  bool accounts_ = false;
  bool quiet_ = false;  ///< nobody sees, controls or accounts: during an offer()
  std::uint64_t commits_ = 0;
  std::vector<Triangle> store_;
  unsigned next_triangle_ = 0;  ///< of this pixel
};

}  // namespace rtvp::theia
