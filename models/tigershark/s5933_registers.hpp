// The AMCC S5933's register tables: PCI configuration space, operation registers from the PCI side
// and from the add-on side. Source: board.md 4.1 and 4.2 (data book, drivers); rows and bits it
// does not give say "assumed". Constant names carry the prefix of the side they belong to, because
// the two sides mirror each other and drivers mix them up.
#pragma once

#include <array>
#include <cstdint>

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

// ---- MCSR bits
inline constexpr std::uint32_t MCSR_NV_START = 1U << 31;
inline constexpr std::uint32_t MCSR_NV_LOAD_LOW = 4U << 29, MCSR_NV_LOAD_HIGH = 5U << 29;
inline constexpr std::uint32_t MCSR_NV_WRITE = 6U << 29, MCSR_NV_READ = 7U << 29;
inline constexpr std::uint32_t MCSR_NV_FAIL = 1U << 28;
inline constexpr std::uint32_t MCSR_MAILBOX_RESET = 1U << 27;
inline constexpr std::uint32_t MCSR_A2P_RESET = 1U << 26, MCSR_P2A_RESET = 1U << 25;
inline constexpr std::uint32_t MCSR_ADDON_RESET = 1U << 24;
inline constexpr std::uint32_t MCSR_READ_MULTIPLE = 1U << 15;
inline constexpr std::uint32_t MCSR_READ_ENABLE = 1U << 14, MCSR_READ_4PLUS = 1U << 13;
inline constexpr std::uint32_t MCSR_READ_PRIORITY = 1U << 12;
inline constexpr std::uint32_t MCSR_WRITE_ENABLE = 1U << 10, MCSR_WRITE_4PLUS = 1U << 9;
inline constexpr std::uint32_t MCSR_WRITE_PRIORITY = 1U << 8;
inline constexpr std::uint32_t MCSR_A2P_COUNT_ZERO = 1U << 7, MCSR_P2A_COUNT_ZERO = 1U << 6;
inline constexpr std::uint32_t MCSR_A2P_EMPTY = 1U << 5, MCSR_A2P_4PLUS = 1U << 4;
inline constexpr std::uint32_t MCSR_A2P_FULL = 1U << 3;
inline constexpr std::uint32_t MCSR_P2A_EMPTY = 1U << 2, MCSR_P2A_4FREE = 1U << 1;
inline constexpr std::uint32_t MCSR_P2A_FULL = 1U << 0;

// ---- AGCSTS bits; resets and FIFO triples lie the other way round than in MCSR
inline constexpr std::uint32_t AGCSTS_COUNT_ENABLE = 1U << 28;
inline constexpr std::uint32_t AGCSTS_MAILBOX_RESET = 1U << 27;
inline constexpr std::uint32_t AGCSTS_P2A_RESET = 1U << 26, AGCSTS_A2P_RESET = 1U << 25;
inline constexpr std::uint32_t AGCSTS_A2P_COUNT_ZERO = 1U << 7, AGCSTS_P2A_COUNT_ZERO = 1U << 6;
inline constexpr std::uint32_t AGCSTS_P2A_EMPTY = 1U << 5, AGCSTS_P2A_4FREE = 1U << 4;
inline constexpr std::uint32_t AGCSTS_P2A_FULL = 1U << 3;
inline constexpr std::uint32_t AGCSTS_A2P_EMPTY = 1U << 2, AGCSTS_A2P_4PLUS = 1U << 1;
inline constexpr std::uint32_t AGCSTS_A2P_FULL = 1U << 0;

// ---- INTCSR bits
inline constexpr std::uint32_t INTCSR_OUT_BYTE = 3U << 0, INTCSR_OUT_MAILBOX = 3U << 2;
inline constexpr std::uint32_t INTCSR_OUT_ENABLE = 1U << 4;
inline constexpr std::uint32_t INTCSR_IN_BYTE = 3U << 8, INTCSR_IN_MAILBOX = 3U << 10;
inline constexpr std::uint32_t INTCSR_IN_ENABLE = 1U << 12;
inline constexpr std::uint32_t INTCSR_WRITE_ENABLE = 1U << 14, INTCSR_READ_ENABLE = 1U << 15;
inline constexpr std::uint32_t INTCSR_OUT_INT = 1U << 16, INTCSR_IN_INT = 1U << 17;
inline constexpr std::uint32_t INTCSR_WRITE_INT = 1U << 18, INTCSR_READ_INT = 1U << 19;
inline constexpr std::uint32_t INTCSR_MASTER_ABORT = 1U << 20, INTCSR_TARGET_ABORT = 1U << 21;
inline constexpr std::uint32_t INTCSR_ASSERTED = 1U << 23;
inline constexpr std::uint32_t INTCSR_ENDIAN = 3U << 24;
inline constexpr int INTCSR_ENDIAN_SHIFT = 24, INTCSR_PCI_ADVANCE_SHIFT = 26,
                     INTCSR_ADDON_ADVANCE_SHIFT = 28;
inline constexpr std::uint32_t INTCSR_A2P_TOGGLE = 1U << 30, INTCSR_P2A_TOGGLE = 1U << 31;

// ---- AINT bits
inline constexpr std::uint32_t AINT_IN_ENABLE = 1U << 4, AINT_OUT_ENABLE = 1U << 12;
inline constexpr std::uint32_t AINT_WRITE_ENABLE = 1U << 14, AINT_READ_ENABLE = 1U << 15;
inline constexpr std::uint32_t AINT_IN_INT = 1U << 16, AINT_OUT_INT = 1U << 17;
inline constexpr std::uint32_t AINT_WRITE_INT = 1U << 18, AINT_READ_INT = 1U << 19;
inline constexpr std::uint32_t AINT_SELF_TEST = 1U << 20, AINT_MASTER_ERROR = 1U << 21;
inline constexpr std::uint32_t AINT_ASSERTED = 1U << 23;

// ---- configuration space, byte offsets
inline constexpr std::uint32_t CFG_ID = 0x00, CFG_COMMAND = 0x04, CFG_CLASS = 0x08, CFG_MISC = 0x0C;
inline constexpr std::uint32_t CFG_BADR0 = 0x10, CFG_EXROM = 0x30, CFG_INT = 0x3C;
inline constexpr std::uint32_t COMMAND_IO = 1U << 0, COMMAND_MEMORY = 1U << 1,
                               COMMAND_MASTER = 1U << 2;
inline constexpr std::uint32_t STATUS_SIGNALED_TARGET_ABORT = 1U << 27;
inline constexpr std::uint32_t STATUS_RECEIVED_TARGET_ABORT = 1U << 28;
inline constexpr std::uint32_t STATUS_RECEIVED_MASTER_ABORT = 1U << 29;
inline constexpr std::uint32_t BIST_START = 1U << 30;
inline constexpr std::uint32_t BIST_CODE = 0xFU << 24;

namespace fields {

inline constexpr std::array kWord = {FieldDescriptor{"DATA", 31, 0, Access::Rw, "32 bits"}};
inline constexpr std::array kReadOnly = {FieldDescriptor{"DATA", 31, 0, Access::Ro, "32 bits"}};
inline constexpr std::array kAddress = {FieldDescriptor{
    "ADDRESS", 31, 2, Access::Rw, "dword aligned; advances by 4 with each data phase"}};
inline constexpr std::array kCount = {
    FieldDescriptor{"COUNT", 25, 0, Access::Rw, "bytes left; counts down with each data phase"}};
inline constexpr std::array kMailboxFlags = {
    FieldDescriptor{"TO_PCI", 31, 16, Access::Ro,
                    "full bytes of the mailboxes towards the PCI side, 4 a mailbox"},
    FieldDescriptor{"TO_ADDON", 15, 0, Access::Ro,
                    "full bytes of the mailboxes towards the add-on side"}};

inline constexpr std::array kIntcsr = {
    FieldDescriptor{"P2A_TOGGLE", 31, 31, Access::Ro,
                    "second dword of a 64-bit pair is due, PCI to add-on"},
    FieldDescriptor{"A2P_TOGGLE", 30, 30, Access::Ro,
                    "second dword of a 64-bit pair is due, add-on to PCI"},
    FieldDescriptor{"ADDON_ADVANCE", 29, 28, Access::Rw,
                    "byte lane whose access advances the FIFO, add-on side"},
    FieldDescriptor{"PCI_ADVANCE", 27, 26, Access::Rw,
                    "byte lane whose access advances the FIFO, PCI side"},
    FieldDescriptor{"ENDIAN", 25, 24, Access::Rw,
                    "FIFO conversion: 0 none, 1 16-bit, 2 32-bit, 3 64-bit"},
    FieldDescriptor{"ASSERTED", 23, 23, Access::Ro, "INTA# is asserted"},
    FieldDescriptor{"TARGET_ABORT", 21, 21, Access::W1c, "a transfer met a target abort"},
    FieldDescriptor{"MASTER_ABORT", 20, 20, Access::W1c, "a transfer met a master abort"},
    FieldDescriptor{"READ_INT", 19, 19, Access::W1c, "read count reached zero"},
    FieldDescriptor{"WRITE_INT", 18, 18, Access::W1c, "write count reached zero"},
    FieldDescriptor{"IN_INT", 17, 17, Access::W1c,
                    "the selected incoming mailbox byte became full"},
    FieldDescriptor{"OUT_INT", 16, 16, Access::W1c,
                    "the selected outgoing mailbox byte became empty"},
    FieldDescriptor{"READ_ENABLE", 15, 15, Access::Rw,
                    "interrupt when the read count reaches zero"},
    FieldDescriptor{"WRITE_ENABLE", 14, 14, Access::Rw,
                    "interrupt when the write count reaches zero"},
    FieldDescriptor{"IN_ENABLE", 12, 12, Access::Rw,
                    "interrupt when the incoming mailbox byte becomes full"},
    FieldDescriptor{"IN_MAILBOX", 11, 10, Access::Rw, "which incoming mailbox, 0 = mailbox 1"},
    FieldDescriptor{"IN_BYTE", 9, 8, Access::Rw, "which byte of it"},
    FieldDescriptor{"OUT_ENABLE", 4, 4, Access::Rw,
                    "interrupt when the outgoing mailbox byte becomes empty"},
    FieldDescriptor{"OUT_MAILBOX", 3, 2, Access::Rw, "which outgoing mailbox, 0 = mailbox 1"},
    FieldDescriptor{"OUT_BYTE", 1, 0, Access::Rw, "which byte of it"}};

inline constexpr std::array kAint = {
    FieldDescriptor{"ASSERTED", 23, 23, Access::Ro, "IRQ# is asserted"},
    FieldDescriptor{"MASTER_ERROR", 21, 21, Access::W1c, "a transfer met a master or target abort"},
    FieldDescriptor{"SELF_TEST", 20, 20, Access::W1c, "the host started the self test"},
    FieldDescriptor{"READ_INT", 19, 19, Access::W1c, "read count reached zero"},
    FieldDescriptor{"WRITE_INT", 18, 18, Access::W1c, "write count reached zero"},
    FieldDescriptor{"OUT_INT", 17, 17, Access::W1c,
                    "the selected outgoing mailbox byte became empty"},
    FieldDescriptor{"IN_INT", 16, 16, Access::W1c,
                    "the selected incoming mailbox byte became full"},
    FieldDescriptor{"READ_ENABLE", 15, 15, Access::Rw,
                    "interrupt when the read count reaches zero"},
    FieldDescriptor{"WRITE_ENABLE", 14, 14, Access::Rw,
                    "interrupt when the write count reaches zero"},
    FieldDescriptor{"OUT_ENABLE", 12, 12, Access::Rw,
                    "interrupt when the outgoing mailbox byte becomes empty"},
    FieldDescriptor{"OUT_MAILBOX", 11, 10, Access::Rw, "which outgoing mailbox, 0 = mailbox 1"},
    FieldDescriptor{"OUT_BYTE", 9, 8, Access::Rw, "which byte of it"},
    FieldDescriptor{"IN_ENABLE", 4, 4, Access::Rw,
                    "interrupt when the incoming mailbox byte becomes full"},
    FieldDescriptor{"IN_MAILBOX", 3, 2, Access::Rw, "which incoming mailbox, 0 = mailbox 1"},
    FieldDescriptor{"IN_BYTE", 1, 0, Access::Rw, "which byte of it"}};

inline constexpr std::array kMcsr = {
    FieldDescriptor{"NV_COMMAND", 31, 29, Access::Wo,
                    "boot memory: 4 low address, 5 high address, 6 write, 7 read; busy reads 0"},
    FieldDescriptor{"NV_FAIL", 28, 28, Access::Ro, "the last boot-memory access failed"},
    FieldDescriptor{"MAILBOX_RESET", 27, 27, Access::Wo, "empties all mailbox flags"},
    FieldDescriptor{"A2P_RESET", 26, 26, Access::Wo, "empties the add-on-to-PCI FIFO"},
    FieldDescriptor{"P2A_RESET", 25, 25, Access::Wo, "empties the PCI-to-add-on FIFO"},
    FieldDescriptor{"ADDON_RESET", 24, 24, Access::Rw, "add-on reset pin, level"},
    FieldDescriptor{"NV_DATA", 23, 16, Access::Rw, "boot-memory address or data byte"},
    FieldDescriptor{"READ_MULTIPLE", 15, 15, Access::Rw, "use memory-read-multiple"},
    FieldDescriptor{"READ_ENABLE", 14, 14, Access::Rw, "bus mastering, host memory to add-on"},
    FieldDescriptor{"READ_4PLUS", 13, 13, Access::Rw,
                    "read: ask for the bus only with 4 or more free places"},
    FieldDescriptor{"READ_PRIORITY", 12, 12, Access::Rw, "reads before writes"},
    FieldDescriptor{"WRITE_ENABLE", 10, 10, Access::Rw, "bus mastering, add-on to host memory"},
    FieldDescriptor{"WRITE_4PLUS", 9, 9, Access::Rw,
                    "write: ask for the bus only with 4 or more words"},
    FieldDescriptor{"WRITE_PRIORITY", 8, 8, Access::Rw, "writes before reads"},
    FieldDescriptor{"A2P_COUNT_ZERO", 7, 7, Access::Ro, "write count is zero"},
    FieldDescriptor{"P2A_COUNT_ZERO", 6, 6, Access::Ro, "read count is zero"},
    FieldDescriptor{"A2P_EMPTY", 5, 5, Access::Ro, "add-on-to-PCI FIFO empty"},
    FieldDescriptor{"A2P_4PLUS", 4, 4, Access::Ro, "add-on-to-PCI FIFO holds 4 or more words"},
    FieldDescriptor{"A2P_FULL", 3, 3, Access::Ro, "add-on-to-PCI FIFO full"},
    FieldDescriptor{"P2A_EMPTY", 2, 2, Access::Ro, "PCI-to-add-on FIFO empty"},
    FieldDescriptor{"P2A_4FREE", 1, 1, Access::Ro, "PCI-to-add-on FIFO has 4 or more free places"},
    FieldDescriptor{"P2A_FULL", 0, 0, Access::Ro, "PCI-to-add-on FIFO full"}};

inline constexpr std::array kAgcsts = {
    FieldDescriptor{"NV_COMMAND", 31, 29, Access::Wo,
                    "boot memory: 4 low address, 5 high address, 6 write, 7 read; busy reads 0"},
    FieldDescriptor{"COUNT_ENABLE", 28, 28, Access::Rw, "add-on-initiated transfers count"},
    FieldDescriptor{"MAILBOX_RESET", 27, 27, Access::Wo, "empties all mailbox flags"},
    FieldDescriptor{"P2A_RESET", 26, 26, Access::Wo, "empties the PCI-to-add-on FIFO"},
    FieldDescriptor{"A2P_RESET", 25, 25, Access::Wo, "empties the add-on-to-PCI FIFO"},
    FieldDescriptor{"NV_DATA", 23, 16, Access::Rw, "boot-memory address or data byte"},
    FieldDescriptor{"SELF_TEST_CODE", 15, 12, Access::Rw,
                    "self-test result; a write ends the self test"},
    FieldDescriptor{"A2P_COUNT_ZERO", 7, 7, Access::Ro, "write count is zero"},
    FieldDescriptor{"P2A_COUNT_ZERO", 6, 6, Access::Ro, "read count is zero"},
    FieldDescriptor{"P2A_EMPTY", 5, 5, Access::Ro, "PCI-to-add-on FIFO empty"},
    FieldDescriptor{"P2A_4FREE", 4, 4, Access::Ro, "PCI-to-add-on FIFO has 4 or more free places"},
    FieldDescriptor{"P2A_FULL", 3, 3, Access::Ro, "PCI-to-add-on FIFO full"},
    FieldDescriptor{"A2P_EMPTY", 2, 2, Access::Ro, "add-on-to-PCI FIFO empty"},
    FieldDescriptor{"A2P_4PLUS", 1, 1, Access::Ro, "add-on-to-PCI FIFO holds 4 or more words"},
    FieldDescriptor{"A2P_FULL", 0, 0, Access::Ro, "add-on-to-PCI FIFO full"}};

inline constexpr std::array kCommand = {
    FieldDescriptor{"DETECTED_PARITY", 31, 31, Access::W1c, "parity error seen"},
    FieldDescriptor{"SIGNALED_SERR", 30, 30, Access::W1c, "SERR# driven"},
    FieldDescriptor{"RECEIVED_MASTER_ABORT", 29, 29, Access::W1c, "own transfer met no target"},
    FieldDescriptor{"RECEIVED_TARGET_ABORT", 28, 28, Access::W1c,
                    "own transfer was aborted by its target"},
    FieldDescriptor{"SIGNALED_TARGET_ABORT", 27, 27, Access::W1c, "aborted as target"},
    FieldDescriptor{"DEVSEL", 26, 25, Access::Ro,
                    "01 medium (assumed; the bus parameter rules the timing)"},
    FieldDescriptor{"DATA_PARITY", 24, 24, Access::W1c, "parity error as master"},
    FieldDescriptor{"FAST_B2B", 23, 23, Access::Ro, "fast back-to-back capable (assumed)"},
    FieldDescriptor{"SERR_ENABLE", 8, 8, Access::Rw, "stored only"},
    FieldDescriptor{"PARITY_RESPONSE", 6, 6, Access::Rw, "stored only"},
    FieldDescriptor{"MASTER", 2, 2, Access::Rw, "may master the bus"},
    FieldDescriptor{"MEMORY", 1, 1, Access::Rw, "answers memory cycles"},
    FieldDescriptor{"IO", 0, 0, Access::Rw, "answers I/O cycles"}};

inline constexpr std::array kMisc = {
    FieldDescriptor{"BIST_CAPABLE", 31, 31, Access::Ro, "self test implemented (boot memory 4Fh)"},
    FieldDescriptor{"BIST_START", 30, 30, Access::Rw,
                    "write 1: ask the add-on for a self test; it clears the bit"},
    FieldDescriptor{"BIST_CODE", 27, 24, Access::Ro, "result from AGCSTS 15:12"},
    FieldDescriptor{"HEADER", 23, 16, Access::Ro, "header type"},
    FieldDescriptor{"LATENCY", 15, 8, Access::Rw, "latency timer, PCI clocks"},
    FieldDescriptor{"CACHE_LINE", 7, 0, Access::Ro, "not implemented"}};
inline constexpr std::array kBase = {FieldDescriptor{
    "BASE", 31, 0, Access::Rw, "bits below the region's size are fixed; 0 when the region is off"}};
inline constexpr std::array kInterrupt = {
    FieldDescriptor{"MAX_LAT", 31, 24, Access::Ro, "250 ns units, informational"},
    FieldDescriptor{"MIN_GNT", 23, 16, Access::Ro, "250 ns units, informational"},
    FieldDescriptor{"PIN", 15, 8, Access::Ro, "1 = INTA#"},
    FieldDescriptor{"LINE", 7, 0, Access::Rw, "routing, for software"}};

}  // namespace fields

inline constexpr const char* kSourceOps = "board.md 4.2";
inline constexpr const char* kSourceConfig = "board.md 4.1";

inline constexpr std::array kPciRegisters = {
    RegisterDescriptor{"OMB1", OMB1, 4, 0, true, "bits", kSourceOps, fields::kWord},
    RegisterDescriptor{"OMB2", OMB2, 4, 0, true, "bits", kSourceOps, fields::kWord},
    RegisterDescriptor{"OMB3", OMB3, 4, 0, true, "bits", kSourceOps, fields::kWord},
    RegisterDescriptor{"OMB4", OMB4, 4, 0, true, "bits", kSourceOps, fields::kWord},
    RegisterDescriptor{"IMB1", IMB1, 4, 0, true, "bits", kSourceOps, fields::kReadOnly},
    RegisterDescriptor{"IMB2", IMB2, 4, 0, true, "bits", kSourceOps, fields::kReadOnly},
    RegisterDescriptor{"IMB3", IMB3, 4, 0, true, "bits", kSourceOps, fields::kReadOnly},
    RegisterDescriptor{"IMB4", IMB4, 4, 0, true, "bits", kSourceOps, fields::kReadOnly},
    RegisterDescriptor{"FIFO", FIFO, 4, 0, true, "words", kSourceOps, fields::kWord},
    RegisterDescriptor{"MWAR", MWAR, 4, 0, false, "byte address", kSourceOps, fields::kAddress},
    RegisterDescriptor{"MWTC", MWTC, 4, 0, true, "bytes", kSourceOps, fields::kCount},
    RegisterDescriptor{"MRAR", MRAR, 4, 0, false, "byte address", kSourceOps, fields::kAddress},
    RegisterDescriptor{"MRTC", MRTC, 4, 0, true, "bytes", kSourceOps, fields::kCount},
    RegisterDescriptor{"MBEF", MBEF, 4, 0, false, "bits", kSourceOps, fields::kMailboxFlags},
    RegisterDescriptor{"INTCSR", INTCSR, 4, 0, true, "bits", kSourceOps, fields::kIntcsr},
    RegisterDescriptor{"MCSR", MCSR, 4, 0xE6, true, "bits", kSourceOps, fields::kMcsr},
};
static_assert(common::isWellFormed(kPciRegisters));

inline constexpr std::array kAddonRegisters = {
    RegisterDescriptor{"AIMB1", AIMB1, 4, 0, true, "bits", kSourceOps, fields::kReadOnly},
    RegisterDescriptor{"AIMB2", AIMB2, 4, 0, true, "bits", kSourceOps, fields::kReadOnly},
    RegisterDescriptor{"AIMB3", AIMB3, 4, 0, true, "bits", kSourceOps, fields::kReadOnly},
    RegisterDescriptor{"AIMB4", AIMB4, 4, 0, true, "bits", kSourceOps, fields::kReadOnly},
    RegisterDescriptor{"AOMB1", AOMB1, 4, 0, true, "bits", kSourceOps, fields::kWord},
    RegisterDescriptor{"AOMB2", AOMB2, 4, 0, true, "bits", kSourceOps, fields::kWord},
    RegisterDescriptor{"AOMB3", AOMB3, 4, 0, true, "bits", kSourceOps, fields::kWord},
    RegisterDescriptor{"AOMB4", AOMB4, 4, 0, true, "bits", kSourceOps, fields::kWord},
    RegisterDescriptor{"AFIFO", AFIFO, 4, 0, true, "words", kSourceOps, fields::kWord},
    RegisterDescriptor{"MWAR", AMWAR, 4, 0, true, "byte address", kSourceOps, fields::kAddress},
    RegisterDescriptor{"APTA", APTA, 4, 0, false, "byte address", kSourceOps, fields::kReadOnly},
    RegisterDescriptor{"APTD", APTD, 4, 0, false, "bits", kSourceOps, fields::kWord},
    RegisterDescriptor{"MRAR", AMRAR, 4, 0, true, "byte address", kSourceOps, fields::kAddress},
    RegisterDescriptor{"AMBEF", AMBEF, 4, 0, false, "bits", kSourceOps, fields::kMailboxFlags},
    RegisterDescriptor{"AINT", AINT, 4, 0, true, "bits", kSourceOps, fields::kAint},
    RegisterDescriptor{"AGCSTS", AGCSTS, 4, 0xF4, true, "bits", kSourceOps, fields::kAgcsts},
    RegisterDescriptor{"MWTC", AMWTC, 4, 0, true, "bytes", kSourceOps, fields::kCount},
    RegisterDescriptor{"MRTC", AMRTC, 4, 0, true, "bytes", kSourceOps, fields::kCount},
};
static_assert(common::isWellFormed(kAddonRegisters));

/// Reset values are those without boot memory; the core replaces them with what the boot memory
/// says.
inline constexpr std::array kConfigRegisters = {
    RegisterDescriptor{"ID", 0x00, 4, 0x475010E8, false, "bits", kSourceConfig, fields::kReadOnly},
    RegisterDescriptor{"PCICMD", 0x04, 4, 0x02800000, false, "bits", kSourceConfig,
                       fields::kCommand},
    RegisterDescriptor{"CLASS", 0x08, 4, 0xFF000000, false, "bits", kSourceConfig,
                       fields::kReadOnly},
    RegisterDescriptor{"MISC", 0x0C, 4, 0, true, "bits", kSourceConfig, fields::kMisc},
    RegisterDescriptor{"BADR0", 0x10, 4, 1, true, "address", kSourceConfig, fields::kBase},
    RegisterDescriptor{"BADR1", 0x14, 4, 0, true, "address", kSourceConfig, fields::kBase},
    RegisterDescriptor{"BADR2", 0x18, 4, 0, true, "address", kSourceConfig, fields::kBase},
    RegisterDescriptor{"BADR3", 0x1C, 4, 0, true, "address", kSourceConfig, fields::kBase},
    RegisterDescriptor{"BADR4", 0x20, 4, 0, true, "address", kSourceConfig, fields::kBase},
    RegisterDescriptor{"BADR5", 0x24, 4, 0, false, "address", kSourceConfig, fields::kReadOnly},
    RegisterDescriptor{"EXROM", 0x30, 4, 0, false, "address", "board.md 4.1; no ROM fitted",
                       fields::kReadOnly},
    RegisterDescriptor{"INT", 0x3C, 4, 0x000001FF, false, "bits", kSourceConfig,
                       fields::kInterrupt},
};
static_assert(common::isWellFormed(kConfigRegisters));

}  // namespace rtvp::tigershark::s5933
