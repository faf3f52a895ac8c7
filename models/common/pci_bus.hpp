// PCI bus, 33 MHz, 32 bits, approximately timed: every transaction is charged arbitration, address
// phase, DEVSEL#, turnaround, wait states, data phases and the idle clock, and masters queue for
// the bus (board.md 4.5). The module is bus, arbiter and host bridge in one.
//
// Time. The bus counts whole clocks. A request rounds up to the next clock edge and reserves the
// bus behind all earlier requests (first come, first served; every master has one request
// outstanding). Of masters that ask at the same time the one with the lowest number is served
// first, never the one that the kernel happens to run first: b_transport waits until all that
// happens at this time has happened, delta cycles that is. It adds to the delay up to the end of
// the last data phase. Call it with a delay near zero, or a master that runs ahead of simulated
// time reserves the bus ahead of others.
//
// Spaces. Master 0 is the host: its addresses inside the configuration and I/O windows become
// configuration and I/O cycles, all others are memory cycles. Other masters choose the space in
// PciAttributes (default memory). Configuration window: config_base + (device << 15) + register, an
// ECAM-like layout; a device number without a device reads all ones and ignores writes, with an OK
// response, as host bridges do.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/at_target.hpp"
#include "models/common/clock_domain.hpp"
#include "models/common/contention.hpp"
#include "models/common/statistics.hpp"

namespace rtvp::common {

class StateArchive;

enum class PciSpace : std::uint8_t { Memory, Io, Config };

/// How a transaction ended.
enum class PciStop : std::uint8_t {
  None,         ///< the master had all it wanted
  Disconnect,   ///< the target stopped the burst after the last word it moved
  Retry,        ///< the target moved nothing and asks to be tried again
  TargetAbort,  ///< the target will never do it
  MasterAbort,  ///< nobody claimed the address
};

/// Rides on payloads from masters to the bus and from the bus to devices. Owned by whoever owns the
/// payload; the owner clears it from the payload before destroying that.
struct PciAttributes : tlm::tlm_extension<PciAttributes> {
  // request
  PciSpace space = PciSpace::Memory;
  bool read_multiple =
      false;  ///< memory-read-multiple instead of memory-read; no effect on timing here
  /// Master to bus: more data phases of the burst that this master's previous payload began.
  /// Honoured if the bus is still the master's (the payload arrives on the clock in which the last
  /// data phase ended, addresses follow on, the target has not stopped it, nobody has asked for the
  /// bus since); otherwise nothing moves, no time passes and `refused` is set.
  bool continues = false;

  // answer
  std::uint32_t wait_clocks = 0;   ///< wait states, all data phases together
  std::uint32_t words_done = 0;    ///< data phases completed
  std::uint32_t transactions = 0;  ///< bus to master: address phases it took
  PciStop stop = PciStop::None;
  bool refused = false;  ///< bus to master: `continues` could not be honoured

  tlm::tlm_extension_base* clone() const override { return new PciAttributes(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const PciAttributes&>(other);
  }
};

/// What the bus asks a device besides TLM. A device's target socket gets one payload per
/// transaction: up to the words the master wants, PciAttributes attached; it moves as many words as
/// it likes (at least one, or stop = Retry) and sets words_done and stop. `delay` on entry is the
/// time of the first data phase; what the device adds to it are its wait states, all data phases
/// together (wait_clocks may repeat them, for whoever looks at the payload). Configuration cycles
/// carry the register offset (0..255) as address.
class PciDevice {
 public:
  virtual ~PciDevice() = default;
  /// Does the device assert DEVSEL# for this address? Not asked for configuration cycles.
  [[nodiscard]] virtual bool claims(PciSpace space, std::uint64_t address) const = 0;
};

/// All in PCI clocks. With the defaults a burst of n dwords to a target with one initial wait state
/// takes n + 5 clocks, the seed's 80 MB/s at n = 8.
struct PciTiming {
  sc_core::sc_time period = sc_core::sc_time(30, sc_core::SC_NS);
  std::uint32_t arbitration_idle = 2;  ///< REQ# to the address phase on an idle bus
  std::uint32_t arbitration_busy =
      1;  ///< end of the idle clock to the address phase when GNT# was hidden in traffic
  std::uint32_t devsel =
      2;  ///< DEVSEL#: 1 fast, 2 medium, 3 slow; data may move in the DEVSEL# clock
  std::uint32_t read_turnaround =
      1;                   ///< between address and data of a read; overlaps DEVSEL# decode
  std::uint32_t idle = 1;  ///< turnaround between transactions
  std::uint32_t master_abort =
      4;  ///< clocks after the address phase until nobody has claimed it (subtractive slot)
  std::uint32_t stop_backoff = 2;  ///< a master holds REQ# off this long after a target's stop
  std::uint32_t max_retries = 64;  ///< of one payload, then it fails; a real bus would try for ever
  std::uint32_t host_burst_words = 8;  ///< longest burst of master 0: a cache line; 0 = no limit
  // the host bridge as target of other masters (main memory)
  std::uint32_t memory_first_wait = 1;        ///< wait states of the first data phase
  std::uint32_t memory_next_wait = 0;         ///< wait states of each later one
  std::uint32_t memory_disconnect_words = 0;  ///< disconnects after this many dwords; 0 = never
};

struct PciBusConfig {
  PciTiming timing;
  std::uint64_t memory_base =
      0;  ///< main memory as PCI masters see it; forwarded with the address unchanged
  std::uint64_t memory_size = 64ULL << 20;  ///< bytes
  std::uint64_t config_base = 0xE0000000;   ///< configuration window of master 0, 1 MiB
  std::uint64_t io_base = 0xE8000000;       ///< I/O window of master 0; I/O address = offset in it
  std::uint64_t io_size = 0x10000;          ///< bytes
};

/// Errors: master abort answers TLM_ADDRESS_ERROR_RESPONSE (and all ones for a read), target abort
/// and exhausted retries TLM_GENERIC_ERROR_RESPONSE; PciAttributes says how far it got. No DMI: the
/// bus charges every access.
class PciBus : public sc_core::sc_module {
 public:
  static constexpr int kMaxDevices = 32;
  static constexpr int kDeviceShift = 15;            ///< configuration window: bytes a device
  using Target = tlm::tlm_base_target_socket_b<32>;  ///< any target socket of this width

  /// Masters in binding order; the first must be the host.
  tlm_utils::multi_passthrough_target_socket<PciBus, 32> master_tsock;
  /// Main memory (through the host bridge), absolute addresses.
  tlm_utils::simple_initiator_socket<PciBus, 32> memory_isock;
  tlm_utils::multi_passthrough_initiator_socket<PciBus, 32> device_isock;

  /// Throws std::invalid_argument for a zero period or devsel outside 1..3.
  PciBus(sc_core::sc_module_name name, const PciBusConfig& config);

  ~PciBus() override;
  PciBus(const PciBus&) = delete;
  PciBus& operator=(const PciBus&) = delete;

  /// Puts a device in the next slot and binds its target socket. Returns its device number.
  int plug(PciDevice& device, Target& socket);

  /// Before the simulation starts: accesses of main memory by bus masters (their numbers, in
  /// binding order; the host's memory accesses stay on its own bus) wait for those of others, as
  /// wait states of the first data phase. They ask when they ask for the bus, in one order with all
  /// others.
  void setContention(Contention& contention, std::vector<unsigned> masters);

  /// Where the host finds a device's configuration register.
  [[nodiscard]] std::uint64_t configAddress(int device, std::uint32_t reg = 0) const {
    return config_.config_base + (static_cast<std::uint64_t>(device) << kDeviceShift) + reg;
  }
  [[nodiscard]] const PciBusConfig& config() const { return config_; }

  struct Totals {
    std::uint64_t transactions = 0, data_phases = 0, wait_states = 0, busy_clocks = 0;
    std::uint64_t retries = 0, disconnects = 0, master_aborts = 0, target_aborts = 0, conflicts = 0;
  };
  struct MasterTotals {
    std::uint64_t transactions = 0, bytes = 0, arbitration_clocks = 0;
  };
  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const std::vector<MasterTotals>& masters() const { return masters_; }
  /// Busy clocks over clocks since time zero.
  [[nodiscard]] double utilisation() const;
  /// For checkpoints, with nothing under way.
  void state(StateArchive& a);
  void report(StatGroup& group) const;

 private:
  static constexpr int kNobody = -1;
  static constexpr int kBridge = -2;
  struct Request;
  struct Outcome {
    std::uint32_t words = 0, waits = 0;
    PciStop stop = PciStop::None;
  };

  /// A master that waits for its turn among those of the same time.
  struct Turn {
    bool waits = false;
    sc_core::sc_event comes;
  };

  void end_of_elaboration() override;
  void turn(std::size_t master);
  void arbitrate();
  void transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nonBlocking(int id, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay) {
    return at_.forward(id, payload, phase, delay);
  }
  unsigned debug(int id, tlm::tlm_generic_payload& payload);

  bool begin(int master, tlm::tlm_generic_payload& payload, Request& request);
  void decode(int master, std::uint64_t address, const PciAttributes* attributes, PciSpace& space,
              std::uint64_t& local, int& device) const;
  int claimant(int master, PciSpace space, std::uint64_t address) const;
  void transaction(Request& request);
  [[nodiscard]] bool goesOn(const Request& request) const;
  [[nodiscard]] std::uint32_t burstLimit(const Request& request) const;
  Outcome accessMemory(const Request& request, std::uint32_t words);
  Outcome accessDevice(const Request& request, std::uint32_t words, std::uint64_t data_clock);
  Outcome accessNobody(const Request& request, std::uint32_t words);
  void prepare(const Request& request, std::uint32_t words);
  void account(const Request& request, const Outcome& outcome, std::uint64_t busy);
  void finish(const Request& request, tlm::tlm_generic_payload& payload);

  PciBusConfig config_;
  AtTarget at_;
  ClockDomain clock_;
  Contention* contention_ = nullptr;
  std::vector<unsigned> numbers_;  ///< of the masters in it
  GrantedMark mark_;
  std::vector<PciDevice*> devices_;
  PciAttributes attributes_;          // of payload_
  tlm::tlm_generic_payload payload_;  // towards targets; reused: one transaction at a time
  std::vector<std::uint8_t> enables_;

  std::deque<Turn> turns_;  // by master
  sc_core::sc_event arbiter_;
  unsigned deltas_ = 0;  // that it has waited for the end of this time

  std::uint64_t free_at_ = 0;  // clock after the idle clock of the last reserved transaction
  int last_master_ = kNobody;  // the burst that could be continued
  int last_device_ = kNobody;
  PciSpace last_space_ = PciSpace::Memory;
  bool last_write_ = false;
  std::uint64_t last_end_ = 0, last_next_ = 0;
  std::uint32_t last_words_ = 0;

  Totals totals_;
  std::vector<MasterTotals> masters_;
};

}  // namespace rtvp::common
