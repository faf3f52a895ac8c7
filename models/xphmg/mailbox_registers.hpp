// Registers of the mailbox between a host and the driver program on the hart (mailbox.hpp): what a
// driver may know. Accesses are 4 or 8 bytes at multiples of their size; of 8 bytes the lower half
// acts first. Unused offsets read 0 and ignore writes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/common/register_table.hpp"

namespace rtvp::xphmg::mailbox {

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

}  // namespace rtvp::xphmg::mailbox
