// What a bus master sees of the THEIA unit: control registers and windows (byte offsets, little
// endian 32-bit words). The original's port has tags, selects and strobes (theia.md 3.3); a bus
// device offers the same operations as addresses.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/register_table.hpp"

namespace rtvp::theia::unit {

using common::Access;
using common::FieldDescriptor;
using common::RegisterDescriptor;

inline constexpr std::string_view kSource = "assumed: bus wrapper of theia.md 3.3";

inline constexpr auto kIdFields =
    std::to_array<FieldDescriptor>({{"ID", 31, 0, Access::Ro, "54484541h"}});
inline constexpr auto kControlFields = std::to_array<FieldDescriptor>({
    {"RESET", 0, 0, Access::Wo, "cores and control units to power-on state; memories stay"},
    {"RENDREN", 1, 1, Access::Wo, "end of configuration: run INITIAL, CPPU, USERCONSTANTS"},
    {"HDA", 2, 2, Access::Wo, "offer the streamed triangle; done when all cores have flipped"},
    {"COMMIT", 3, 3, Access::Wo, "wait until all cores have committed their pixel"},
});
inline constexpr auto kStatusFields = std::to_array<FieldDescriptor>({
    {"RENDERING", 0, 0, Access::Ro, "RENDREN was given"},
    {"HDL", 1, 1, Access::Ro, "all cores took the last triangle offered"},
    {"RCOMMIT", 2, 2, Access::Ro, "all cores committed; cleared by the next triangle"},
    {"FAULT", 3, 3, Access::Ro, "a core hangs or the host broke the protocol"},
});
inline constexpr auto kSelectFields = std::to_array<FieldDescriptor>(
    {{"SEL", 15, 0, Access::Rw,
      "cores that instruction and register writes reach, bit 0 = core 0"}});
inline constexpr auto kCregFields = std::to_array<FieldDescriptor>({
    {"LIGHTS", 0, 0, Access::Rw, "stored, ignored by this generation"},
    {"TEXTURE", 1, 1, Access::Rw, "stored, ignored by this generation"},
    {"BOX_TEST", 2, 2, Access::Rw, "stored, ignored by this generation"},
});
inline constexpr auto kNumberFields =
    std::to_array<FieldDescriptor>({{"VALUE", 31, 0, Access::Ro, "number"}});
inline constexpr auto kFaultFields = std::to_array<FieldDescriptor>({
    {"PC", 15, 0, Access::Ro, "code address"},
    {"CORE", 23, 16, Access::Ro, "core"},
    {"KIND", 31, 24, Access::Ro,
     "0 none, 1 hanging opcode, 2 instruction memory, 3 output address, "
     "4 texture address, 5 endless routine, 6 protocol"},
});
inline constexpr auto kBankFields =
    std::to_array<FieldDescriptor>({{"BANK", 3, 0, Access::Rw, "core behind the output window"}});

inline constexpr std::uint32_t kIdValue = 0x54484541;

/// Bits of CONTROL and STATUS.
namespace control {
inline constexpr std::uint32_t kReset = common::bitsOf(kControlFields, "RESET"),
                               kRendren = common::bitsOf(kControlFields, "RENDREN"),
                               kHda = common::bitsOf(kControlFields, "HDA"),
                               kCommit = common::bitsOf(kControlFields, "COMMIT");
}
namespace status {
inline constexpr std::uint32_t kRendering = common::bitsOf(kStatusFields, "RENDERING"),
                               kHdl = common::bitsOf(kStatusFields, "HDL"),
                               kRcommit = common::bitsOf(kStatusFields, "RCOMMIT"),
                               kFault = common::bitsOf(kStatusFields, "FAULT");
}

// clang-format off
inline constexpr auto kRegisterTable = std::to_array<RegisterDescriptor>({
    {"ID", 0x00, 4, kIdValue, false, "", kSource, kIdFields},
    {"CONTROL", 0x04, 4, 0, true, "", kSource, kControlFields},
    {"STATUS", 0x08, 4, 0, false, "", kSource, kStatusFields},
    {"SELECT", 0x0C, 4, 0xFFFF, false, "cores", kSource, kSelectFields},
    {"CREG", 0x10, 4, 0, false, "", "theia.md 3.2", kCregFields},
    {"CORES", 0x14, 4, 0, false, "cores", kSource, kNumberFields},
    {"COMMITS", 0x18, 4, 0, false, "pixels of each core", kSource, kNumberFields},
    {"FAULT", 0x1C, 4, 0, false, "", kSource, kFaultFields},
    {"FAULT_PIXEL", 0x20, 4, 0, false, "pixel of the core", kSource, kNumberFields},
    {"TEXTURE_WORDS", 0x24, 4, 0, false, "words", kSource, kNumberFields},
    {"OUTPUT_WORDS", 0x28, 4, 0, false, "words of each core", kSource, kNumberFields},
    {"OUTPUT_BANK", 0x2C, 4, 0, false, "core", kSource, kBankFields},
});
// clang-format on
static_assert(common::isWellFormed(kRegisterTable) && common::namesAreUnique(kRegisterTable));

/// A register by name, resolved by the compiler.
using Reg = common::RegisterName<kRegisterTable>;
template <std::size_t N>
consteval std::size_t row(const char (&name)[N]) {
  return Reg(name).row();
}

// ---- windows ----
inline constexpr std::uint64_t kRegisterBlockEnd = kRegisterTable.back().offset + 4;
/// Instruction rows, 8 bytes each: high word, low word. Writes of whole rows, any number.
inline constexpr std::uint64_t kInstructions = 0x0001'0000, kInstructionsEnd = 0x0002'0000;
/// Registers, 16 bytes each: X, Y, Z, unused. Writes of 12 bytes, or of whole rows.
inline constexpr std::uint64_t kRegistersWindow = 0x0002'0000, kRegistersWindowEnd = 0x0003'0000;
/// Triangles of 84 bytes (CREG_V0 .. CREG_TRI_DIFFUSE): each write streams them without an offer.
inline constexpr std::uint64_t kStream = 0x0003'0000, kStreamEnd = 0x0004'0000;
/// The same, each triangle streamed and offered: the inner loop of a frame in one transaction.
inline constexpr std::uint64_t kTriangles = 0x0100'0000, kTrianglesEnd = 0x0200'0000;
/// Texture memory, word address x 4.
inline constexpr std::uint64_t kTexture = 0x0400'0000, kTextureEnd = 0x0800'0000;
/// Output memory of the core that OUTPUT_BANK selects, word address x 4.
inline constexpr std::uint64_t kOutput = 0x0800'0000, kOutputEnd = 0x0C00'0000;
inline constexpr std::uint64_t kSize = 0x0C00'0000;
inline constexpr unsigned kTriangleBytes = 84;

}  // namespace rtvp::theia::unit
