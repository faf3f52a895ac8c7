// The AMCC S5933's register tables: PCI configuration space, operation registers from the PCI side
// and from the add-on side. Source: board.md 4.1 and 4.2 (data book, drivers); rows and bits it
// does not give say "assumed". Constant names carry the prefix of the side they belong to, because
// the two sides mirror each other and drivers mix them up.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/common/register_table.hpp"

namespace rtvp::tigershark::s5933 {

using common::Access;
using common::FieldDescriptor;
using common::RegisterDescriptor;

// ---- operation registers, PCI side: byte offsets in base 0
inline constexpr std::uint32_t OMB1 = 0x00, OMB2 = 0x04, OMB3 = 0x08, OMB4 = 0x0C;
inline constexpr std::uint32_t IMB1 = 0x10, IMB2 = 0x14, IMB3 = 0x18, IMB4 = 0x1C;
inline constexpr std::uint32_t FIFO = 0x20, MWAR = 0x24, MWTC = 0x28, MRAR = 0x2C, MRTC = 0x30;
inline constexpr std::uint32_t MBEF = 0x34, INTCSR = 0x38, MCSR = 0x3C;

// ---- operation registers, add-on side
inline constexpr std::uint32_t AIMB1 = 0x00, AIMB2 = 0x04, AIMB3 = 0x08, AIMB4 = 0x0C;
inline constexpr std::uint32_t AOMB1 = 0x10, AOMB2 = 0x14, AOMB3 = 0x18, AOMB4 = 0x1C;
inline constexpr std::uint32_t AFIFO = 0x20, AMWAR = 0x24, APTA = 0x28, APTD = 0x2C, AMRAR = 0x30;
inline constexpr std::uint32_t AMBEF = 0x34, AINT = 0x38, AGCSTS = 0x3C, AMWTC = 0x58, AMRTC = 0x5C;

// ---- configuration space, byte offsets
inline constexpr std::uint32_t CFG_ID = 0x00, CFG_COMMAND = 0x04, CFG_CLASS = 0x08, CFG_MISC = 0x0C;
inline constexpr std::uint32_t CFG_BADR0 = 0x10, CFG_EXROM = 0x30, CFG_INT = 0x3C;

namespace fields {

inline constexpr auto kWord = std::to_array<FieldDescriptor>({
    {"DATA", 31, 0, Access::Rw, "32 bits"},
});
inline constexpr auto kReadOnly = std::to_array<FieldDescriptor>({
    {"DATA", 31, 0, Access::Ro, "32 bits"},
});
inline constexpr auto kAddress = std::to_array<FieldDescriptor>({
    {"ADDRESS", 31, 2, Access::Rw, "dword aligned; advances by 4 with each data phase"},
});
inline constexpr auto kCount = std::to_array<FieldDescriptor>({
    {"COUNT", 25, 0, Access::Rw, "bytes left; counts down with each data phase"},
});
inline constexpr auto kMailboxFlags = std::to_array<FieldDescriptor>({
    {"TO_PCI", 31, 16, Access::Ro, "full bytes of the mailboxes towards the PCI side, 4 a mailbox"},
    {"TO_ADDON", 15, 0, Access::Ro, "full bytes of the mailboxes towards the add-on side"},
});

inline constexpr auto kIntcsr = std::to_array<FieldDescriptor>({
    {"P2A_TOGGLE", 31, 31, Access::Ro, "second dword of a 64-bit pair is due, PCI to add-on"},
    {"A2P_TOGGLE", 30, 30, Access::Ro, "second dword of a 64-bit pair is due, add-on to PCI"},
    {"ADDON_ADVANCE", 29, 28, Access::Rw, "byte lane whose access advances the FIFO, add-on side"},
    {"PCI_ADVANCE", 27, 26, Access::Rw, "byte lane whose access advances the FIFO, PCI side"},
    {"ENDIAN", 25, 24, Access::Rw, "FIFO conversion: 0 none, 1 16-bit, 2 32-bit, 3 64-bit"},
    {"ASSERTED", 23, 23, Access::Ro, "INTA# is asserted"},
    {"TARGET_ABORT", 21, 21, Access::W1c, "a transfer met a target abort"},
    {"MASTER_ABORT", 20, 20, Access::W1c, "a transfer met a master abort"},
    {"READ_INT", 19, 19, Access::W1c, "read count reached zero"},
    {"WRITE_INT", 18, 18, Access::W1c, "write count reached zero"},
    {"IN_INT", 17, 17, Access::W1c, "the selected incoming mailbox byte became full"},
    {"OUT_INT", 16, 16, Access::W1c, "the selected outgoing mailbox byte became empty"},
    {"READ_ENABLE", 15, 15, Access::Rw, "interrupt when the read count reaches zero"},
    {"WRITE_ENABLE", 14, 14, Access::Rw, "interrupt when the write count reaches zero"},
    {"IN_ENABLE", 12, 12, Access::Rw, "interrupt when the incoming mailbox byte becomes full"},
    {"IN_MAILBOX", 11, 10, Access::Rw, "which incoming mailbox, 0 = mailbox 1"},
    {"IN_BYTE", 9, 8, Access::Rw, "which byte of it"},
    {"OUT_ENABLE", 4, 4, Access::Rw, "interrupt when the outgoing mailbox byte becomes empty"},
    {"OUT_MAILBOX", 3, 2, Access::Rw, "which outgoing mailbox, 0 = mailbox 1"},
    {"OUT_BYTE", 1, 0, Access::Rw, "which byte of it"},
});

inline constexpr auto kAint = std::to_array<FieldDescriptor>({
    {"ASSERTED", 23, 23, Access::Ro, "IRQ# is asserted"},
    {"MASTER_ERROR", 21, 21, Access::W1c, "a transfer met a master or target abort"},
    {"SELF_TEST", 20, 20, Access::W1c, "the host started the self test"},
    {"READ_INT", 19, 19, Access::W1c, "read count reached zero"},
    {"WRITE_INT", 18, 18, Access::W1c, "write count reached zero"},
    {"OUT_INT", 17, 17, Access::W1c, "the selected outgoing mailbox byte became empty"},
    {"IN_INT", 16, 16, Access::W1c, "the selected incoming mailbox byte became full"},
    {"READ_ENABLE", 15, 15, Access::Rw, "interrupt when the read count reaches zero"},
    {"WRITE_ENABLE", 14, 14, Access::Rw, "interrupt when the write count reaches zero"},
    {"OUT_ENABLE", 12, 12, Access::Rw, "interrupt when the outgoing mailbox byte becomes empty"},
    {"OUT_MAILBOX", 11, 10, Access::Rw, "which outgoing mailbox, 0 = mailbox 1"},
    {"OUT_BYTE", 9, 8, Access::Rw, "which byte of it"},
    {"IN_ENABLE", 4, 4, Access::Rw, "interrupt when the incoming mailbox byte becomes full"},
    {"IN_MAILBOX", 3, 2, Access::Rw, "which incoming mailbox, 0 = mailbox 1"},
    {"IN_BYTE", 1, 0, Access::Rw, "which byte of it"},
});

inline constexpr auto kMcsr = std::to_array<FieldDescriptor>({
    {"NV_COMMAND", 31, 29, Access::Wo,
     "boot memory: 4 low address, 5 high address, 6 write, 7 read; busy reads 0"},
    {"NV_FAIL", 28, 28, Access::Ro, "the last boot-memory access failed"},
    {"MAILBOX_RESET", 27, 27, Access::Wo, "empties all mailbox flags"},
    {"A2P_RESET", 26, 26, Access::Wo, "empties the add-on-to-PCI FIFO"},
    {"P2A_RESET", 25, 25, Access::Wo, "empties the PCI-to-add-on FIFO"},
    {"ADDON_RESET", 24, 24, Access::Rw, "add-on reset pin, level"},
    {"NV_DATA", 23, 16, Access::Rw, "boot-memory address or data byte"},
    {"READ_MULTIPLE", 15, 15, Access::Rw, "use memory-read-multiple"},
    {"READ_ENABLE", 14, 14, Access::Rw, "bus mastering, host memory to add-on"},
    {"READ_4PLUS", 13, 13, Access::Rw, "read: ask for the bus only with 4 or more free places"},
    {"READ_PRIORITY", 12, 12, Access::Rw, "reads before writes"},
    {"WRITE_ENABLE", 10, 10, Access::Rw, "bus mastering, add-on to host memory"},
    {"WRITE_4PLUS", 9, 9, Access::Rw, "write: ask for the bus only with 4 or more words"},
    {"WRITE_PRIORITY", 8, 8, Access::Rw, "writes before reads"},
    {"A2P_COUNT_ZERO", 7, 7, Access::Ro, "write count is zero"},
    {"P2A_COUNT_ZERO", 6, 6, Access::Ro, "read count is zero"},
    {"A2P_EMPTY", 5, 5, Access::Ro, "add-on-to-PCI FIFO empty"},
    {"A2P_4PLUS", 4, 4, Access::Ro, "add-on-to-PCI FIFO holds 4 or more words"},
    {"A2P_FULL", 3, 3, Access::Ro, "add-on-to-PCI FIFO full"},
    {"P2A_EMPTY", 2, 2, Access::Ro, "PCI-to-add-on FIFO empty"},
    {"P2A_4FREE", 1, 1, Access::Ro, "PCI-to-add-on FIFO has 4 or more free places"},
    {"P2A_FULL", 0, 0, Access::Ro, "PCI-to-add-on FIFO full"},
});

inline constexpr auto kAgcsts = std::to_array<FieldDescriptor>({
    {"NV_COMMAND", 31, 29, Access::Wo,
     "boot memory: 4 low address, 5 high address, 6 write, 7 read; busy reads 0"},
    {"COUNT_ENABLE", 28, 28, Access::Rw, "add-on-initiated transfers count"},
    {"MAILBOX_RESET", 27, 27, Access::Wo, "empties all mailbox flags"},
    {"P2A_RESET", 26, 26, Access::Wo, "empties the PCI-to-add-on FIFO"},
    {"A2P_RESET", 25, 25, Access::Wo, "empties the add-on-to-PCI FIFO"},
    {"NV_DATA", 23, 16, Access::Rw, "boot-memory address or data byte"},
    {"SELF_TEST_CODE", 15, 12, Access::Rw, "self-test result; a write ends the self test"},
    {"A2P_COUNT_ZERO", 7, 7, Access::Ro, "write count is zero"},
    {"P2A_COUNT_ZERO", 6, 6, Access::Ro, "read count is zero"},
    {"P2A_EMPTY", 5, 5, Access::Ro, "PCI-to-add-on FIFO empty"},
    {"P2A_4FREE", 4, 4, Access::Ro, "PCI-to-add-on FIFO has 4 or more free places"},
    {"P2A_FULL", 3, 3, Access::Ro, "PCI-to-add-on FIFO full"},
    {"A2P_EMPTY", 2, 2, Access::Ro, "add-on-to-PCI FIFO empty"},
    {"A2P_4PLUS", 1, 1, Access::Ro, "add-on-to-PCI FIFO holds 4 or more words"},
    {"A2P_FULL", 0, 0, Access::Ro, "add-on-to-PCI FIFO full"},
});

inline constexpr auto kCommand = std::to_array<FieldDescriptor>({
    {"DETECTED_PARITY", 31, 31, Access::W1c, "parity error seen"},
    {"SIGNALED_SERR", 30, 30, Access::W1c, "SERR# driven"},
    {"RECEIVED_MASTER_ABORT", 29, 29, Access::W1c, "own transfer met no target"},
    {"RECEIVED_TARGET_ABORT", 28, 28, Access::W1c, "own transfer was aborted by its target"},
    {"SIGNALED_TARGET_ABORT", 27, 27, Access::W1c, "aborted as target"},
    {"DEVSEL", 26, 25, Access::Ro, "01 medium (assumed; the bus parameter rules the timing)"},
    {"DATA_PARITY", 24, 24, Access::W1c, "parity error as master"},
    {"FAST_B2B", 23, 23, Access::Ro, "fast back-to-back capable (assumed)"},
    {"SERR_ENABLE", 8, 8, Access::Rw, "stored only"},
    {"PARITY_RESPONSE", 6, 6, Access::Rw, "stored only"},
    {"MASTER", 2, 2, Access::Rw, "may master the bus"},
    {"MEMORY", 1, 1, Access::Rw, "answers memory cycles"},
    {"IO", 0, 0, Access::Rw, "answers I/O cycles"},
});

inline constexpr auto kMisc = std::to_array<FieldDescriptor>({
    {"BIST_CAPABLE", 31, 31, Access::Ro, "self test implemented (boot memory 4Fh)"},
    {"BIST_START", 30, 30, Access::Rw,
     "write 1: ask the add-on for a self test; it clears the bit"},
    {"BIST_CODE", 27, 24, Access::Ro, "result from AGCSTS 15:12"},
    {"HEADER", 23, 16, Access::Ro, "header type"},
    {"LATENCY", 15, 8, Access::Rw, "latency timer, PCI clocks"},
    {"CACHE_LINE", 7, 0, Access::Ro, "not implemented"},
});
inline constexpr auto kBase = std::to_array<FieldDescriptor>({
    {"BASE", 31, 0, Access::Rw, "bits below the region's size are fixed; 0 when the region is off"},
});
inline constexpr auto kInterrupt = std::to_array<FieldDescriptor>({
    {"MAX_LAT", 31, 24, Access::Ro, "250 ns units, informational"},
    {"MIN_GNT", 23, 16, Access::Ro, "250 ns units, informational"},
    {"PIN", 15, 8, Access::Ro, "1 = INTA#"},
    {"LINE", 7, 0, Access::Rw, "routing, for software"},
});

consteval std::uint32_t mcsr(std::string_view name) {
  return common::bitsOf(kMcsr, name);
}
consteval std::uint32_t mcsr(std::string_view name, std::uint32_t value) {
  return common::bitsOf(kMcsr, name, value);
}
consteval std::uint32_t agcsts(std::string_view name) {
  return common::bitsOf(kAgcsts, name);
}
consteval std::uint32_t intcsr(std::string_view name) {
  return common::bitsOf(kIntcsr, name);
}
consteval std::uint32_t aint(std::string_view name) {
  return common::bitsOf(kAint, name);
}
consteval std::uint32_t command(std::string_view name) {
  return common::bitsOf(kCommand, name);
}
consteval std::uint32_t misc(std::string_view name) {
  return common::bitsOf(kMisc, name);
}

}  // namespace fields

// ---- bits of the fields above. Every command of the boot memory has the top bit of its field.
inline constexpr std::uint32_t MCSR_NV_START = fields::mcsr("NV_COMMAND", 4);
inline constexpr std::uint32_t MCSR_NV_LOAD_LOW = fields::mcsr("NV_COMMAND", 4);
inline constexpr std::uint32_t MCSR_NV_LOAD_HIGH = fields::mcsr("NV_COMMAND", 5);
inline constexpr std::uint32_t MCSR_NV_WRITE = fields::mcsr("NV_COMMAND", 6);
inline constexpr std::uint32_t MCSR_NV_READ = fields::mcsr("NV_COMMAND", 7);
inline constexpr std::uint32_t MCSR_NV_FAIL = fields::mcsr("NV_FAIL");
inline constexpr std::uint32_t MCSR_MAILBOX_RESET = fields::mcsr("MAILBOX_RESET");
inline constexpr std::uint32_t MCSR_A2P_RESET = fields::mcsr("A2P_RESET");
inline constexpr std::uint32_t MCSR_P2A_RESET = fields::mcsr("P2A_RESET");
inline constexpr std::uint32_t MCSR_ADDON_RESET = fields::mcsr("ADDON_RESET");
inline constexpr std::uint32_t MCSR_READ_MULTIPLE = fields::mcsr("READ_MULTIPLE");
inline constexpr std::uint32_t MCSR_READ_ENABLE = fields::mcsr("READ_ENABLE");
inline constexpr std::uint32_t MCSR_READ_4PLUS = fields::mcsr("READ_4PLUS");
inline constexpr std::uint32_t MCSR_READ_PRIORITY = fields::mcsr("READ_PRIORITY");
inline constexpr std::uint32_t MCSR_WRITE_ENABLE = fields::mcsr("WRITE_ENABLE");
inline constexpr std::uint32_t MCSR_WRITE_4PLUS = fields::mcsr("WRITE_4PLUS");
inline constexpr std::uint32_t MCSR_WRITE_PRIORITY = fields::mcsr("WRITE_PRIORITY");
inline constexpr std::uint32_t MCSR_A2P_COUNT_ZERO = fields::mcsr("A2P_COUNT_ZERO");
inline constexpr std::uint32_t MCSR_P2A_COUNT_ZERO = fields::mcsr("P2A_COUNT_ZERO");
inline constexpr std::uint32_t MCSR_A2P_EMPTY = fields::mcsr("A2P_EMPTY");
inline constexpr std::uint32_t MCSR_A2P_4PLUS = fields::mcsr("A2P_4PLUS");
inline constexpr std::uint32_t MCSR_A2P_FULL = fields::mcsr("A2P_FULL");
inline constexpr std::uint32_t MCSR_P2A_EMPTY = fields::mcsr("P2A_EMPTY");
inline constexpr std::uint32_t MCSR_P2A_4FREE = fields::mcsr("P2A_4FREE");
inline constexpr std::uint32_t MCSR_P2A_FULL = fields::mcsr("P2A_FULL");

// AGCSTS: resets and FIFO triples lie the other way round than in MCSR.
inline constexpr std::uint32_t AGCSTS_COUNT_ENABLE = fields::agcsts("COUNT_ENABLE");
inline constexpr std::uint32_t AGCSTS_MAILBOX_RESET = fields::agcsts("MAILBOX_RESET");
inline constexpr std::uint32_t AGCSTS_P2A_RESET = fields::agcsts("P2A_RESET");
inline constexpr std::uint32_t AGCSTS_A2P_RESET = fields::agcsts("A2P_RESET");
inline constexpr std::uint32_t AGCSTS_A2P_COUNT_ZERO = fields::agcsts("A2P_COUNT_ZERO");
inline constexpr std::uint32_t AGCSTS_P2A_COUNT_ZERO = fields::agcsts("P2A_COUNT_ZERO");
inline constexpr std::uint32_t AGCSTS_P2A_EMPTY = fields::agcsts("P2A_EMPTY");
inline constexpr std::uint32_t AGCSTS_P2A_4FREE = fields::agcsts("P2A_4FREE");
inline constexpr std::uint32_t AGCSTS_P2A_FULL = fields::agcsts("P2A_FULL");
inline constexpr std::uint32_t AGCSTS_A2P_EMPTY = fields::agcsts("A2P_EMPTY");
inline constexpr std::uint32_t AGCSTS_A2P_4PLUS = fields::agcsts("A2P_4PLUS");
inline constexpr std::uint32_t AGCSTS_A2P_FULL = fields::agcsts("A2P_FULL");

inline constexpr std::uint32_t INTCSR_OUT_BYTE = fields::intcsr("OUT_BYTE");
inline constexpr std::uint32_t INTCSR_OUT_MAILBOX = fields::intcsr("OUT_MAILBOX");
inline constexpr std::uint32_t INTCSR_OUT_ENABLE = fields::intcsr("OUT_ENABLE");
inline constexpr std::uint32_t INTCSR_IN_BYTE = fields::intcsr("IN_BYTE");
inline constexpr std::uint32_t INTCSR_IN_MAILBOX = fields::intcsr("IN_MAILBOX");
inline constexpr std::uint32_t INTCSR_IN_ENABLE = fields::intcsr("IN_ENABLE");
inline constexpr std::uint32_t INTCSR_WRITE_ENABLE = fields::intcsr("WRITE_ENABLE");
inline constexpr std::uint32_t INTCSR_READ_ENABLE = fields::intcsr("READ_ENABLE");
inline constexpr std::uint32_t INTCSR_OUT_INT = fields::intcsr("OUT_INT");
inline constexpr std::uint32_t INTCSR_IN_INT = fields::intcsr("IN_INT");
inline constexpr std::uint32_t INTCSR_WRITE_INT = fields::intcsr("WRITE_INT");
inline constexpr std::uint32_t INTCSR_READ_INT = fields::intcsr("READ_INT");
inline constexpr std::uint32_t INTCSR_MASTER_ABORT = fields::intcsr("MASTER_ABORT");
inline constexpr std::uint32_t INTCSR_TARGET_ABORT = fields::intcsr("TARGET_ABORT");
inline constexpr std::uint32_t INTCSR_ASSERTED = fields::intcsr("ASSERTED");
inline constexpr std::uint32_t INTCSR_ENDIAN = fields::intcsr("ENDIAN");
inline constexpr int INTCSR_ENDIAN_SHIFT = common::shiftOf(fields::kIntcsr, "ENDIAN");
inline constexpr int INTCSR_PCI_ADVANCE_SHIFT = common::shiftOf(fields::kIntcsr, "PCI_ADVANCE");
inline constexpr int INTCSR_ADDON_ADVANCE_SHIFT = common::shiftOf(fields::kIntcsr, "ADDON_ADVANCE");
inline constexpr std::uint32_t INTCSR_A2P_TOGGLE = fields::intcsr("A2P_TOGGLE");
inline constexpr std::uint32_t INTCSR_P2A_TOGGLE = fields::intcsr("P2A_TOGGLE");

inline constexpr std::uint32_t AINT_IN_ENABLE = fields::aint("IN_ENABLE");
inline constexpr std::uint32_t AINT_OUT_ENABLE = fields::aint("OUT_ENABLE");
inline constexpr std::uint32_t AINT_WRITE_ENABLE = fields::aint("WRITE_ENABLE");
inline constexpr std::uint32_t AINT_READ_ENABLE = fields::aint("READ_ENABLE");
inline constexpr std::uint32_t AINT_IN_INT = fields::aint("IN_INT");
inline constexpr std::uint32_t AINT_OUT_INT = fields::aint("OUT_INT");
inline constexpr std::uint32_t AINT_WRITE_INT = fields::aint("WRITE_INT");
inline constexpr std::uint32_t AINT_READ_INT = fields::aint("READ_INT");
inline constexpr std::uint32_t AINT_SELF_TEST = fields::aint("SELF_TEST");
inline constexpr std::uint32_t AINT_MASTER_ERROR = fields::aint("MASTER_ERROR");
inline constexpr std::uint32_t AINT_ASSERTED = fields::aint("ASSERTED");

inline constexpr std::uint32_t COMMAND_IO = fields::command("IO");
inline constexpr std::uint32_t COMMAND_MEMORY = fields::command("MEMORY");
inline constexpr std::uint32_t COMMAND_MASTER = fields::command("MASTER");
inline constexpr std::uint32_t STATUS_SIGNALED_TARGET_ABORT =
    fields::command("SIGNALED_TARGET_ABORT");
inline constexpr std::uint32_t STATUS_RECEIVED_TARGET_ABORT =
    fields::command("RECEIVED_TARGET_ABORT");
inline constexpr std::uint32_t STATUS_RECEIVED_MASTER_ABORT =
    fields::command("RECEIVED_MASTER_ABORT");
inline constexpr std::uint32_t BIST_START = fields::misc("BIST_START");
inline constexpr std::uint32_t BIST_CODE = fields::misc("BIST_CODE");

inline constexpr const char* kSourceOps = "board.md 4.2";
inline constexpr const char* kSourceConfig = "board.md 4.1";

inline constexpr auto kPciRegisters = std::to_array<RegisterDescriptor>({
    {"OMB1", OMB1, 4, 0, true, "bits", kSourceOps, fields::kWord},
    {"OMB2", OMB2, 4, 0, true, "bits", kSourceOps, fields::kWord},
    {"OMB3", OMB3, 4, 0, true, "bits", kSourceOps, fields::kWord},
    {"OMB4", OMB4, 4, 0, true, "bits", kSourceOps, fields::kWord},
    RegisterDescriptor{"IMB1", IMB1, 4, 0, true, "bits", kSourceOps, fields::kReadOnly}.reading(
        common::ReadEffect::Others),
    RegisterDescriptor{"IMB2", IMB2, 4, 0, true, "bits", kSourceOps, fields::kReadOnly}.reading(
        common::ReadEffect::Others),
    RegisterDescriptor{"IMB3", IMB3, 4, 0, true, "bits", kSourceOps, fields::kReadOnly}.reading(
        common::ReadEffect::Others),
    RegisterDescriptor{"IMB4", IMB4, 4, 0, true, "bits", kSourceOps, fields::kReadOnly}.reading(
        common::ReadEffect::Others),
    RegisterDescriptor{"FIFO", FIFO, 4, 0, true, "words", kSourceOps, fields::kWord}.reading(
        common::ReadEffect::Takes),
    {"MWAR", MWAR, 4, 0, false, "byte address", kSourceOps, fields::kAddress},
    {"MWTC", MWTC, 4, 0, true, "bytes", kSourceOps, fields::kCount},
    {"MRAR", MRAR, 4, 0, false, "byte address", kSourceOps, fields::kAddress},
    {"MRTC", MRTC, 4, 0, true, "bytes", kSourceOps, fields::kCount},
    {"MBEF", MBEF, 4, 0, false, "bits", kSourceOps, fields::kMailboxFlags},
    {"INTCSR", INTCSR, 4, 0, true, "bits", kSourceOps, fields::kIntcsr},
    {"MCSR", MCSR, 4, 0xE6, true, "bits", kSourceOps, fields::kMcsr},
});
static_assert(common::isWellFormed(kPciRegisters) && common::namesAreUnique(kPciRegisters));

inline constexpr auto kAddonRegisters = std::to_array<RegisterDescriptor>({
    RegisterDescriptor{"AIMB1", AIMB1, 4, 0, true, "bits", kSourceOps, fields::kReadOnly}.reading(
        common::ReadEffect::Others),
    RegisterDescriptor{"AIMB2", AIMB2, 4, 0, true, "bits", kSourceOps, fields::kReadOnly}.reading(
        common::ReadEffect::Others),
    RegisterDescriptor{"AIMB3", AIMB3, 4, 0, true, "bits", kSourceOps, fields::kReadOnly}.reading(
        common::ReadEffect::Others),
    RegisterDescriptor{"AIMB4", AIMB4, 4, 0, true, "bits", kSourceOps, fields::kReadOnly}.reading(
        common::ReadEffect::Others),
    {"AOMB1", AOMB1, 4, 0, true, "bits", kSourceOps, fields::kWord},
    {"AOMB2", AOMB2, 4, 0, true, "bits", kSourceOps, fields::kWord},
    {"AOMB3", AOMB3, 4, 0, true, "bits", kSourceOps, fields::kWord},
    {"AOMB4", AOMB4, 4, 0, true, "bits", kSourceOps, fields::kWord},
    RegisterDescriptor{"AFIFO", AFIFO, 4, 0, true, "words", kSourceOps, fields::kWord}.reading(
        common::ReadEffect::Takes),
    {"MWAR", AMWAR, 4, 0, true, "byte address", kSourceOps, fields::kAddress},
    {"APTA", APTA, 4, 0, false, "byte address", kSourceOps, fields::kReadOnly},
    {"APTD", APTD, 4, 0, false, "bits", kSourceOps, fields::kWord},
    {"MRAR", AMRAR, 4, 0, true, "byte address", kSourceOps, fields::kAddress},
    {"AMBEF", AMBEF, 4, 0, false, "bits", kSourceOps, fields::kMailboxFlags},
    {"AINT", AINT, 4, 0, true, "bits", kSourceOps, fields::kAint},
    {"AGCSTS", AGCSTS, 4, 0xF4, true, "bits", kSourceOps, fields::kAgcsts},
    {"MWTC", AMWTC, 4, 0, true, "bytes", kSourceOps, fields::kCount},
    {"MRTC", AMRTC, 4, 0, true, "bytes", kSourceOps, fields::kCount},
});
static_assert(common::isWellFormed(kAddonRegisters) && common::namesAreUnique(kAddonRegisters));

/// Reset values are those without boot memory; the core replaces them with what the boot memory
/// says.
inline constexpr auto kConfigRegisters = std::to_array<RegisterDescriptor>({
    {"ID", CFG_ID, 4, 0x475010E8, false, "bits", kSourceConfig, fields::kReadOnly},
    {"PCICMD", CFG_COMMAND, 4, 0x02800000, false, "bits", kSourceConfig, fields::kCommand},
    {"CLASS", CFG_CLASS, 4, 0xFF000000, false, "bits", kSourceConfig, fields::kReadOnly},
    {"MISC", CFG_MISC, 4, 0, true, "bits", kSourceConfig, fields::kMisc},
    {"BADR0", CFG_BADR0, 4, 1, true, "address", kSourceConfig, fields::kBase},
    {"BADR1", 0x14, 4, 0, true, "address", kSourceConfig, fields::kBase},
    {"BADR2", 0x18, 4, 0, true, "address", kSourceConfig, fields::kBase},
    {"BADR3", 0x1C, 4, 0, true, "address", kSourceConfig, fields::kBase},
    {"BADR4", 0x20, 4, 0, true, "address", kSourceConfig, fields::kBase},
    {"BADR5", 0x24, 4, 0, false, "address", kSourceConfig, fields::kReadOnly},
    {"EXROM", CFG_EXROM, 4, 0, false, "address", "board.md 4.1; no ROM fitted", fields::kReadOnly},
    {"INT", CFG_INT, 4, 0x000001FF, false, "bits", kSourceConfig, fields::kInterrupt},
});
static_assert(common::isWellFormed(kConfigRegisters) && common::namesAreUnique(kConfigRegisters));

// Registers by name, resolved by the compiler.
using PciReg = common::RegisterName<kPciRegisters>;
using AddonReg = common::RegisterName<kAddonRegisters>;
using ConfigReg = common::RegisterName<kConfigRegisters>;

/// Bytes of each block.
inline constexpr std::uint32_t kPciBytes = 0x40, kAddonBytes = 0x60, kConfigBytes = 0x100;

}  // namespace rtvp::tigershark::s5933
