// Mailbox between a host and the driver program on the hart: two FIFOs of addresses and two level
// interrupts. A platform addition; the XPHMG_RT text has no host beside the hart.
//
// The host posts descriptor addresses (POST), the hart takes them (TAKE), submits the jobs and
// reports each with an error code (DONE); the host collects the reports (COLLECT). Times are the
// caller's: an access takes a cycle and acts at once.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>

#include "models/common/register_table.hpp"
#include "models/common/statistics.hpp"

namespace rtvp::xphmg {

namespace mailbox {

inline constexpr std::uint64_t kSize = 0x1000;

using common::Access;
using common::FieldDescriptor;
using common::RegisterDescriptor;

// clang-format off
inline constexpr std::array<FieldDescriptor, 1> kPostLo{{{"ADDRESS", 31, 0, Access::Rw, "of the next post, bits 31:0"}}};
inline constexpr std::array<FieldDescriptor, 1> kPostHi{{{"ADDRESS", 31, 0, Access::Wo, "bits 63:32; the write posts"}}};
inline constexpr std::array<FieldDescriptor, 1> kTakeLo{{{"ADDRESS", 31, 0, Access::Ro, "the read takes the oldest post; 0: there is none"}}};
inline constexpr std::array<FieldDescriptor, 1> kTakeHi{{{"ADDRESS", 31, 0, Access::Ro, "bits 63:32 of what was taken last"}}};
inline constexpr std::array<FieldDescriptor, 1> kCode{{{"CODE", 31, 0, Access::Rw, "error code of the next report: LAST_EC, 0 = none"}}};
inline constexpr std::array<FieldDescriptor, 1> kDoneLo{{{"ADDRESS", 31, 0, Access::Rw, "of the next report, bits 31:0"}}};
inline constexpr std::array<FieldDescriptor, 1> kDoneHi{{{"ADDRESS", 31, 0, Access::Wo, "bits 63:32; the write reports, with CODE"}}};
inline constexpr std::array<FieldDescriptor, 1> kCollectLo{{{"ADDRESS", 31, 0, Access::Ro, "the read takes the oldest report; 0: there is none"}}};
inline constexpr std::array<FieldDescriptor, 1> kCollectHi{{{"ADDRESS", 31, 0, Access::Ro, "bits 63:32 of what was collected last"}}};
inline constexpr std::array<FieldDescriptor, 1> kCollectCode{{{"CODE", 31, 0, Access::Ro, "error code of what was collected last"}}};
inline constexpr std::array<FieldDescriptor, 2> kLevel{{
    {"POSTS", 15, 0, Access::Ro, "posts that wait"}, {"REPORTS", 31, 16, Access::Ro, "reports that wait"}}};
inline constexpr std::array<FieldDescriptor, 3> kStatus{{
    {"POST_LOST", 0, 0, Access::W1c, "a post was dropped: full, or address 0"},
    {"REPORT_LOST", 1, 1, Access::W1c, "a report was dropped: full, or address 0"},
    {"DEPTH", 31, 16, Access::Ro, "places of each FIFO"}}};
inline constexpr std::array<FieldDescriptor, 1> kControl{{{"RESET", 0, 0, Access::Wo, "1 = empty both FIFOs, all registers as after reset"}}};

inline constexpr const char* kSource = "platform addition";
inline constexpr std::array<RegisterDescriptor, 13> kTable{{
    {"POST_LO", 0x00, 4, 0, false, "byte address", kSource, kPostLo},
    {"POST_HI", 0x04, 4, 0, true, "byte address", kSource, kPostHi},
    {"TAKE_LO", 0x08, 4, 0, true, "byte address", kSource, kTakeLo},
    {"TAKE_HI", 0x0C, 4, 0, false, "byte address", kSource, kTakeHi},
    {"CODE", 0x10, 4, 0, false, "code", kSource, kCode},
    {"DONE_LO", 0x18, 4, 0, false, "byte address", kSource, kDoneLo},
    {"DONE_HI", 0x1C, 4, 0, true, "byte address", kSource, kDoneHi},
    {"COLLECT_LO", 0x20, 4, 0, true, "byte address", kSource, kCollectLo},
    {"COLLECT_HI", 0x24, 4, 0, false, "byte address", kSource, kCollectHi},
    {"COLLECT_CODE", 0x28, 4, 0, false, "code", kSource, kCollectCode},
    {"LEVEL", 0x30, 4, 0, false, "entries", kSource, kLevel},
    {"STATUS", 0x34, 4, 0, false, "bits", kSource, kStatus},
    {"CONTROL", 0x38, 4, 0, true, "bits", kSource, kControl},
}};
// clang-format on
static_assert(common::isWellFormed(kTable));

/// Byte offset of a register by name, at compile time.
constexpr std::uint32_t offsetOf(std::string_view name) {
  return kTable.at(common::indexOf(kTable, name)).offset;
}

inline constexpr std::uint32_t kPostLost = 1U << 0U;
inline constexpr std::uint32_t kReportLost = 1U << 1U;

}  // namespace mailbox

class Mailbox : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Mailbox, 32> bus_tsock;
  sc_core::sc_port<sc_core::sc_signal_out_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>
      hart_irq_o;  ///< level: posts wait
  sc_core::sc_port<sc_core::sc_signal_out_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>
      host_irq_o;  ///< level: reports wait

  struct Config {
    unsigned depth = 256;  ///< places of each FIFO, 1..65535
    sc_core::sc_time period = sc_core::sc_time(1, sc_core::SC_NS);  ///< of an access
  };
  /// Throws std::invalid_argument for a depth out of range.
  Mailbox(sc_core::sc_module_name name, const Config& config);

  /// Notified with each report of the hart.
  [[nodiscard]] const sc_core::sc_event& reportedEvent() const { return reported_event_; }
  void report(common::StatGroup& group) const;

 private:
  struct Entry {
    std::uint64_t address = 0;
    std::uint32_t code = 0;
  };

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);
  void push(std::deque<Entry>& fifo, const Entry& entry, std::uint32_t lost);
  Entry pop(std::deque<Entry>& fifo);
  void reset();
  void update();
  void drive();

  Config config_;
  common::RegisterFile registers_;
  std::deque<Entry> posts_, reports_;
  sc_core::sc_event irq_event_, reported_event_;
  std::uint64_t posted_ = 0, reported_ = 0, failed_ = 0, lost_ = 0, accesses_ = 0, errors_ = 0;
  std::size_t most_ = 0;
};

}  // namespace rtvp::xphmg
