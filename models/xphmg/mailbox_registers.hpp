// Registers of the mailbox between a host and the driver program on the hart (mailbox.hpp): what a
// driver may know. Accesses are 4 or 8 bytes at multiples of their size; of 8 bytes the lower half
// acts first.
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
inline constexpr auto kPostLoFields = std::to_array<FieldDescriptor>({{"ADDRESS", 31, 0, Access::Rw, "of the next post, bits 31:0"}});
inline constexpr auto kPostHiFields = std::to_array<FieldDescriptor>({{"ADDRESS", 31, 0, Access::Wo, "bits 63:32; the write posts"}});
inline constexpr auto kTakeLoFields = std::to_array<FieldDescriptor>({{"ADDRESS", 31, 0, Access::Ro, "the read takes the oldest post; 0: there is none"}});
inline constexpr auto kTakeHiFields = std::to_array<FieldDescriptor>({{"ADDRESS", 31, 0, Access::Ro, "bits 63:32 of what was taken last"}});
inline constexpr auto kCodeFields = std::to_array<FieldDescriptor>({{"CODE", 31, 0, Access::Rw, "error code of the next report: LAST_EC, 0 = none"}});
inline constexpr auto kDoneLoFields = std::to_array<FieldDescriptor>({{"ADDRESS", 31, 0, Access::Rw, "of the next report, bits 31:0"}});
inline constexpr auto kDoneHiFields = std::to_array<FieldDescriptor>({{"ADDRESS", 31, 0, Access::Wo, "bits 63:32; the write reports, with CODE"}});
inline constexpr auto kCollectLoFields = std::to_array<FieldDescriptor>({{"ADDRESS", 31, 0, Access::Ro, "the read takes the oldest report; 0: there is none"}});
inline constexpr auto kCollectHiFields = std::to_array<FieldDescriptor>({{"ADDRESS", 31, 0, Access::Ro, "bits 63:32 of what was collected last"}});
inline constexpr auto kCollectCodeFields = std::to_array<FieldDescriptor>({{"CODE", 31, 0, Access::Ro, "error code of what was collected last"}});
inline constexpr auto kLevelFields = std::to_array<FieldDescriptor>({
    {"POSTS", 15, 0, Access::Ro, "posts that wait"}, {"REPORTS", 31, 16, Access::Ro, "reports that wait"}});
inline constexpr auto kStatusFields = std::to_array<FieldDescriptor>({
    {"POST_LOST", 0, 0, Access::W1c, "a post was dropped: full, or address 0"},
    {"REPORT_LOST", 1, 1, Access::W1c, "a report was dropped: full, or address 0"},
    {"DEPTH", 31, 16, Access::Ro, "places of each FIFO"}});
inline constexpr auto kControlFields = std::to_array<FieldDescriptor>({{"RESET", 0, 0, Access::Wo, "1 = empty both FIFOs, all registers as after reset"}});

inline constexpr const char* kSource = "platform addition";
inline constexpr auto kRegisterTable = std::to_array<RegisterDescriptor>({
    {"POST_LO", 0x00, 4, 0, false, "byte address", kSource, kPostLoFields},
    {"POST_HI", 0x04, 4, 0, true, "byte address", kSource, kPostHiFields},
    RegisterDescriptor{"TAKE_LO", 0x08, 4, 0, true, "byte address", kSource, kTakeLoFields}.reading(common::ReadEffect::Takes),
    {"TAKE_HI", 0x0C, 4, 0, false, "byte address", kSource, kTakeHiFields},
    {"CODE", 0x10, 4, 0, false, "code", kSource, kCodeFields},
    {"DONE_LO", 0x18, 4, 0, false, "byte address", kSource, kDoneLoFields},
    {"DONE_HI", 0x1C, 4, 0, true, "byte address", kSource, kDoneHiFields},
    RegisterDescriptor{"COLLECT_LO", 0x20, 4, 0, true, "byte address", kSource, kCollectLoFields}.reading(common::ReadEffect::Takes),
    {"COLLECT_HI", 0x24, 4, 0, false, "byte address", kSource, kCollectHiFields},
    {"COLLECT_CODE", 0x28, 4, 0, false, "code", kSource, kCollectCodeFields},
    {"LEVEL", 0x30, 4, 0, false, "entries", kSource, kLevelFields},
    {"STATUS", 0x34, 4, 0, false, "bits", kSource, kStatusFields},
    {"CONTROL", 0x38, 4, 0, true, "bits", kSource, kControlFields},
});
// clang-format on
static_assert(common::isWellFormed(kRegisterTable) && common::namesAreUnique(kRegisterTable));

/// A register by name, resolved by the compiler.
using Reg = common::RegisterName<kRegisterTable>;
constexpr std::size_t row(Reg reg) {
  return reg.row();
}
/// Byte offset of a register.
constexpr std::uint32_t offsetOf(Reg reg) {
  return reg.offset();
}

/// Bits of STATUS and CONTROL.
inline constexpr std::uint32_t kPostLost = common::bitsOf(kStatusFields, "POST_LOST"),
                               kReportLost = common::bitsOf(kStatusFields, "REPORT_LOST"),
                               kReset = common::bitsOf(kControlFields, "RESET");

}  // namespace rtvp::xphmg::mailbox
