// The initiator's side of a bus, once for all: a prepared payload, the regions to which direct
// memory access has been granted, counters, and times in cycles of the master's clock.
//
// An access is charged the same whichever way its bytes move: by pointer it takes the latencies
// that the grant states, rounded up to whole cycles as the delay of one b_transport is. So `dmi` is
// a speed setting.
//
// Invariants of the way by pointer: it is gone only inside a region that was granted and not
// invalidated since, for reading or writing as granted; who contends for the bus has been granted
// its place first; and all who count accesses on the way count them. b_transport is the plain twin:
// `dmi` off here, or a memory that grants nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/access_counts.hpp"
#include "models/common/clock_domain.hpp"
#include "models/common/contention.hpp"
#include "models/common/tlm_payload.hpp"

namespace rtvp::common {

class BusMaster {
 public:
  /// Leaves an access whose request was given up (Contention::Abort).
  struct Withdrawn {};

  /// The forward calls of an initiator socket.
  struct Calls {
    std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> transport;
    std::function<bool(tlm::tlm_generic_payload&, tlm::tlm_dmi&)> pointer;
    std::function<unsigned(tlm::tlm_generic_payload&)> debug;
  };
  /// Calls through `socket`, which must outlive them.
  template <typename Socket>
  [[nodiscard]] static Calls through(Socket& socket) {
    return {
        [&socket](tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
          socket->b_transport(payload, delay);
        },
        [&socket](tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
          return socket->get_direct_mem_ptr(payload, dmi);
        },
        [&socket](tlm::tlm_generic_payload& payload) { return socket->transport_dbg(payload); }};
  }

  /// `dmi`: take direct memory access where it is granted.
  BusMaster(const ClockDomain& clock, bool dmi, Calls calls);
  ~BusMaster() { payload_.clear_extension(&mark_); }
  BusMaster(const BusMaster&) = delete;
  BusMaster& operator=(const BusMaster&) = delete;

  /// Before the simulation starts: accesses wait for those of other masters from now on. Must
  /// outlive this, as what `abort` refers to must.
  void setContention(Contention& contention, unsigned master,
                     const Contention::Abort* abort = nullptr);
  /// Before the first access: those by pointer are counted as transactions by those on the way that
  /// know AccessCounts, so that their statistics do not tell which way bytes move.
  void countDirect() { countsDirect_ = true; }
  /// Accesses may have to wait. Quanta then have no meaning: granted() keeps the master in order.
  [[nodiscard]] bool contended() const { return contention_ != nullptr; }

  // ---- accesses; `at` is the master's local cycle, which may lie ahead of simulated time
  /// Waits for its place and moves bytes by either way. `latency`: the cycles it took, waiting
  /// included. False: refused, nothing moved; status() says why.
  bool read(std::uint64_t address, std::span<std::uint8_t> bytes, Cycle at, Cycle& latency);
  bool write(std::uint64_t address, std::span<const std::uint8_t> bytes, Cycle at, Cycle& latency);
  /// Reads by debug transport: no time, no count, no effect. False if not all of it can be read.
  bool look(std::uint64_t address, std::span<std::uint8_t> bytes);
  /// Writes by debug transport, likewise.
  bool deposit(std::uint64_t address, std::span<const std::uint8_t> bytes);

  // ---- step by step: first granted(), then one of the others
  /// The cycle, `at` or later, at which an access may begin. Simulated time may pass and others may
  /// act. Throws Withdrawn.
  [[nodiscard]] Cycle granted(std::uint64_t address, std::size_t size, Cycle at) {
    return contention_ == nullptr ? at : ask(address, size, at);
  }
  /// Move bytes by either way; `latency` without waiting.
  bool fetch(std::uint64_t address, std::span<std::uint8_t> bytes, Cycle at, Cycle& latency);
  bool store(std::uint64_t address, std::span<const std::uint8_t> bytes, Cycle at, Cycle& latency);

  // For masters that use data where they lie:
  struct Direct {
    std::uint8_t* data = nullptr;  ///< null: no grant holds all of it
    Cycle latency = 0;
    explicit operator bool() const { return data != nullptr; }
  };
  /// Counts an access if a grant holds it; whoever asks then moves the bytes. The pointer is valid
  /// until the next call that lets others act.
  [[nodiscard]] Direct direct(bool write, std::uint64_t address, std::size_t size) {
    const Region* const found = region(write, address, size);
    if (found == nullptr) return {};
    ++dmiAccesses_;
    for (const AccessCounts::Counter& counter : write ? found->writes : found->reads) {
      ++*counter.accesses;
      *counter.bytes += size;
    }
    return {found->data + (address - found->first),
            write ? found->writeLatency : found->readLatency};
  }
  /// As direct(), but nothing is accessed: neither counted nor timed.
  [[nodiscard]] const std::uint8_t* pointer(std::uint64_t address, std::size_t size) {
    const Region* const found = region(false, address, size);
    return found != nullptr ? found->data + (address - found->first) : nullptr;
  }
  /// All that may be read where it lies around an address, as direct() would read it.
  struct Readable {
    std::uint64_t first, last;
    const std::uint8_t* data;  ///< null: nothing has been granted there
  };
  [[nodiscard]] Readable readable(std::uint64_t address) {
    const Region* const found = region(false, address, 1);
    return found != nullptr ? Readable{found->first, found->last, found->data} : Readable{};
  }
  /// All that may be read and written where it lies around an address.
  struct Ground {
    std::uint64_t first = 0, last = 0;
    std::uint8_t* data = nullptr;  ///< null: nothing has been granted there, or part of it twice
    Cycle readLatency = 0, writeLatency = 0;
  };
  [[nodiscard]] Ground ground(std::uint64_t address) const;
  /// Accesses that a master has made on its ground, as direct() counts them.
  void addDirect(std::uint64_t accesses) { dmiAccesses_ += accesses; }
  /// One b_transport; asks for direct memory access when the target offers it.
  bool transport(bool write, std::uint64_t address, std::uint8_t* bytes, std::size_t size, Cycle at,
                 Cycle& latency);
  /// One b_transport, with a delay of the caller's own and without asking for anything.
  tlm::tlm_response_status send(bool write, std::uint64_t address, std::uint8_t* bytes,
                                std::size_t size, sc_core::sc_time& delay,
                                const ByteEnables& enables = {});

  /// For register_invalidate_direct_mem_ptr().
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);

  /// Rides on every transaction. Its owner takes it off again before either dies.
  template <typename Extension>
  void setExtension(Extension& extension) {
    payload_.set_extension(&extension);
  }
  template <typename Extension>
  void clearExtension(Extension& extension) {
    payload_.clear_extension(&extension);
  }

  /// Of the last b_transport.
  [[nodiscard]] tlm::tlm_response_status status() const { return payload_.get_response_status(); }
  [[nodiscard]] std::string statusText() const { return payload_.get_response_string(); }
  [[nodiscard]] const ClockDomain& clock() const { return clock_; }
  [[nodiscard]] std::uint64_t dmiAccesses() const { return dmiAccesses_; }
  [[nodiscard]] std::uint64_t transportAccesses() const { return transportAccesses_; }

 private:
  struct Region {
    std::uint64_t first, last;
    std::uint8_t* data;
    bool read, write;
    Cycle readLatency, writeLatency;
    std::vector<AccessCounts::Counter> reads, writes;  ///< empty: not counted

    [[nodiscard]] bool holds(bool forWriting, std::uint64_t address, std::size_t size) const {
      return address >= first && address <= last && size - 1 <= last - address &&
             (forWriting ? write : read);
    }
  };

  /// The region of the last access is asked first.
  [[nodiscard]] const Region* region(bool write, std::uint64_t address, std::size_t size) {
    if (hot_ < regions_.size() && regions_[hot_].holds(write, address, size))
      return &regions_[hot_];
    return search(write, address, size);
  }
  [[nodiscard]] const Region* search(bool write, std::uint64_t address, std::size_t size);
  void requestPointer(std::uint64_t address);
  [[nodiscard]] Cycle ask(std::uint64_t address, std::size_t size, Cycle at);

  ClockDomain clock_;
  bool dmi_, countsDirect_ = false;
  Calls calls_;
  tlm::tlm_generic_payload payload_;
  std::vector<Region> regions_;
  std::size_t hot_ = 0;
  Contention* contention_ = nullptr;  ///< null: nobody is in the way
  const Contention::Abort* abort_ = nullptr;
  unsigned master_ = 0;
  GrantedMark mark_;
  std::uint64_t dmiAccesses_ = 0, transportAccesses_ = 0;
};

}  // namespace rtvp::common
