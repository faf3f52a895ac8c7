// The unit's one way to memory: every transfer is counted by what it carries and takes its place on
// the port. Plain C++; the SystemC shell is a Memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/implicit/unit/faults.hpp"
#include "models/implicit/unit/layout.hpp"
#include "models/implicit/unit/timing.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::implicit::unit {

/// What a transfer carries: the tapes in the order of TapeKind, then the rest in the order of the
/// byte counters.
enum class Traffic : std::uint8_t {
  Opcodes,
  Floats,
  Vec2s,
  Vec4s,
  Mat2s,
  Mat3s,
  Mat4s,
  Materials,
  Dependencies,
  Records,
  LeavesRead,
  LeavesWritten,
  Depth,
  Hits,
  Rays,
  Jobs,
};
inline constexpr unsigned kTraffics = 16;

/// What is behind the port. Latencies are in clocks of the unit.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  virtual ~Memory() = default;
  /// A transfer that starts at `at`. False: the bus refused it.
  virtual bool read(std::uint64_t address, std::span<std::uint8_t> bytes, Clock at,
                    Clock& latency) = 0;
  virtual bool write(std::uint64_t address, std::span<const std::uint8_t> bytes, Clock at,
                     Clock& latency) = 0;
  /// Reads without time and without being counted; false if that cannot be done.
  virtual bool look(std::uint64_t address, std::span<std::uint8_t> bytes) = 0;
  /// The clock, `at` or later, at which the bus takes a transfer. As reached().
  virtual Clock granted(std::uint64_t address, std::size_t bytes, Clock at) {
    (void)address;
    (void)bytes;
    return at;
  }
  /// The unit has worked up to `clock`. May take simulated time; may throw to end the job.
  virtual void reached(Clock clock) { (void)clock; }
};

/// Why a job cannot go on.
class JobFault : public std::runtime_error {
 public:
  JobFault(Fault kind, const std::string& text, std::uint32_t which = kNone,
           std::uint32_t where = kNone, std::uint64_t at = 0)
      : std::runtime_error(text), fault(kind), object(which), position(where), address(at) {}
  Fault fault;
  std::uint32_t object;    ///< number in the object table
  std::uint32_t position;  ///< instruction, clause, pixel or ray
  std::uint64_t address;
};

struct TrafficTotals {
  std::uint64_t transfers = 0, bytes = 0;
  bool operator==(const TrafficTotals&) const = default;
};

class Port {
 public:
  struct Grant {
    Clock start = 0;  ///< when the port was free and the bus took the transfer
    Clock sent = 0;   ///< when the port is free again
    Clock end = 0;    ///< when the data are there; of a write, when they have left
  };

  Port(Memory& memory, std::uint32_t bytes_per_clock) : memory_(memory), rate_(bytes_per_clock) {}

  /// Throws JobFault (Bus).
  Grant read(Traffic traffic, std::uint64_t address, std::span<std::uint8_t> bytes, Clock at);
  /// Posted: the writer goes on when the data have left.
  Grant write(Traffic traffic, std::uint64_t address, std::span<const std::uint8_t> bytes,
              Clock at);
  [[nodiscard]] Memory& memory() { return memory_; }
  [[nodiscard]] const std::array<TrafficTotals, kTraffics>& totals() const { return totals_; }
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);
  void clear() { totals_ = {}; }
  /// Nothing is under way any more.
  void release() { free_ = 0; }

 private:
  Clock occupy(Traffic traffic, std::uint64_t address, std::size_t bytes, Clock at);
  [[nodiscard]] Clock beats(std::size_t bytes) const {
    return rate_ == 0 ? 0 : (bytes + rate_ - 1) / rate_;
  }
  [[noreturn]] static void refuse(const char* what, std::uint64_t address, std::size_t bytes);

  Memory& memory_;
  std::uint32_t rate_;
  Clock free_ = 0;
  std::array<TrafficTotals, kTraffics> totals_{};
};

/// A part of memory that the unit has read or written and expects to find unchanged.
struct Region {
  Traffic traffic = Traffic::Opcodes;
  std::uint64_t base = 0;  ///< transfers of lines stay within [base, base + bytes)
  std::uint64_t bytes = 0;
  std::uint64_t first = 0;  ///< address of copy[0]
  std::vector<std::uint8_t> copy;
  std::uint32_t object = kNone;

  /// Throws JobFault (Changed) if `found`, read at `address`, contradicts the copy.
  void check(std::uint64_t address, std::span<const std::uint8_t> found) const;
};

}  // namespace rtvp::implicit::unit
