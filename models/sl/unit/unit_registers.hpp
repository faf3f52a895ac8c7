// The register block of the shading unit (assumed: no document fixes the hardware around SL).
#pragma once

#include <array>
#include <cstdint>

#include "models/common/register_table.hpp"

namespace rtvp::sl::unit {

using common::Access;
using common::FieldDescriptor;
using common::RegisterDescriptor;

inline constexpr std::string_view kSource = "assumed: sl.md has no hardware";

inline constexpr auto kIdFields =
    std::to_array<FieldDescriptor>({{"ID", 31, 0, Access::Ro, "534C5531h"}});
inline constexpr auto kControlFields = std::to_array<FieldDescriptor>({
    {"RESET", 0, 0, Access::Wo, "queues empty, fault and interrupt cleared; program store stays"},
    {"FLUSH", 1, 1, Access::Wo, "forget cached surfaces and texels: the host changed memory"},
});
inline constexpr auto kStatusFields = std::to_array<FieldDescriptor>({
    {"BUSY", 0, 0, Access::Ro, "requests are queued or under way"},
    {"FAULT", 1, 1, Access::Ro, "a request could not run, see FAULT"},
});
inline constexpr auto kInterruptFields = std::to_array<FieldDescriptor>({
    {"DONE", 0, 0, Access::W1c, "the request queue has run dry and all results are written"},
});
inline constexpr auto kEnableFields = std::to_array<FieldDescriptor>({
    {"DONE", 0, 0, Access::Rw, "DONE drives the interrupt line"},
});
inline constexpr auto kAddressFields =
    std::to_array<FieldDescriptor>({{"ADDRESS", 31, 0, Access::Rw, "byte address, low or high"}});
inline constexpr auto kSizeFields =
    std::to_array<FieldDescriptor>({{"ENTRIES", 15, 0, Access::Rw, "entries of both queues"}});
inline constexpr auto kSurfacesFields =
    std::to_array<FieldDescriptor>({{"COUNT", 15, 0, Access::Rw, "surfaces in the table"}});
inline constexpr auto kTailFields = std::to_array<FieldDescriptor>({
    {"TAIL", 31, 0, Access::Rw, "requests ever queued; a write starts the unit"},
});
inline constexpr auto kNumberFields =
    std::to_array<FieldDescriptor>({{"VALUE", 31, 0, Access::Ro, "number"}});
inline constexpr auto kFaultFields = std::to_array<FieldDescriptor>({
    {"KIND", 7, 0, Access::Ro,
     "0 none, 1 surface number, 2 program, 3 texture, 4 request kind, 5 bus error, 6 queue"},
    {"SLOT", 31, 8, Access::Ro, "slot of the request"},
});

inline constexpr std::uint32_t kIdValue = 0x534C5531;

/// Bits of CONTROL, STATUS and INTERRUPT.
namespace control {
inline constexpr std::uint32_t kReset = common::bitsOf(kControlFields, "RESET"),
                               kFlush = common::bitsOf(kControlFields, "FLUSH");
}
namespace status {
inline constexpr std::uint32_t kBusy = common::bitsOf(kStatusFields, "BUSY"),
                               kFault = common::bitsOf(kStatusFields, "FAULT");
}
namespace interrupt {
inline constexpr std::uint32_t kDone = common::bitsOf(kInterruptFields, "DONE");
}

// clang-format off
inline constexpr auto kRegisterTable = std::to_array<RegisterDescriptor>({
    {"ID", 0x00, 4, kIdValue, false, "", kSource, kIdFields},
    {"CONTROL", 0x04, 4, 0, true, "", kSource, kControlFields},
    {"STATUS", 0x08, 4, 0, false, "", kSource, kStatusFields},
    {"INTERRUPT", 0x0C, 4, 0, true, "", kSource, kInterruptFields},
    {"ENABLE", 0x10, 4, 0, true, "", kSource, kEnableFields},
    {"FAULT", 0x14, 4, 0, false, "", kSource, kFaultFields},
    {"PIPELINES", 0x18, 4, 0, false, "pipelines", kSource, kNumberFields},
    {"PROGRAM_WORDS", 0x1C, 4, 0, false, "instructions", kSource, kNumberFields},
    {"SURFACES_LOW", 0x20, 4, 0, false, "byte address", kSource, kAddressFields},
    {"SURFACES_HIGH", 0x24, 4, 0, false, "byte address", kSource, kAddressFields},
    {"SURFACES", 0x28, 4, 0, false, "surfaces", kSource, kSurfacesFields},
    {"SLOTS_LOW", 0x2C, 4, 0, false, "byte address", kSource, kAddressFields},
    {"SLOTS_HIGH", 0x30, 4, 0, false, "byte address", kSource, kAddressFields},
    {"REQUESTS_LOW", 0x34, 4, 0, false, "byte address", kSource, kAddressFields},
    {"REQUESTS_HIGH", 0x38, 4, 0, false, "byte address", kSource, kAddressFields},
    {"RESULTS_LOW", 0x3C, 4, 0, false, "byte address", kSource, kAddressFields},
    {"RESULTS_HIGH", 0x40, 4, 0, false, "byte address", kSource, kAddressFields},
    {"ENTRIES", 0x44, 4, 0, false, "entries", kSource, kSizeFields},
    {"REQUEST_TAIL", 0x48, 4, 0, true, "requests", kSource, kTailFields},
    {"REQUEST_HEAD", 0x4C, 4, 0, false, "requests taken", kSource, kNumberFields},
    {"RESULT_TAIL", 0x50, 4, 0, false, "results written", kSource, kNumberFields},
    {"RUNS", 0x54, 4, 0, false, "runs", kSource, kNumberFields},
    {"OVER_BUDGET", 0x58, 4, 0, false, "runs", kSource, kNumberFields},
});
// clang-format on
static_assert(common::isWellFormed(kRegisterTable) && common::namesAreUnique(kRegisterTable));

/// A register by name, resolved by the compiler.
using Reg = common::RegisterName<kRegisterTable>;
constexpr std::size_t row(Reg reg) {
  return reg.row();
}
/// Byte offset of a register, for drivers.
constexpr std::uint32_t offsetOf(Reg reg) {
  return reg.offset();
}
template <std::size_t N>
consteval std::uint32_t offsetOf(const char (&name)[N]) {
  return Reg(name).offset();
}

inline constexpr std::uint64_t kRegisterBlockEnd = kRegisterTable.back().offset + 4;
/// The program store: instruction n at 8 n, low dword first. Whole instructions only.
inline constexpr std::uint64_t kProgramStore = 0x1'0000;
inline constexpr std::uint64_t kProgramStoreEnd = 0x2'0000;
inline constexpr std::uint32_t kMaxProgramWords = (kProgramStoreEnd - kProgramStore) / 8;
inline constexpr std::uint64_t kSize = 0x2'0000;

}  // namespace rtvp::sl::unit
