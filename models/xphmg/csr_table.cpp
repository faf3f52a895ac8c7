// The rows of csr_table.hpp.
#include "models/xphmg/csr_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "models/xphmg/cap.hpp"

namespace rtvp::xphmg {
namespace {

using enum common::Access;

// clang-format off
constexpr CsrField kRtcfg[] = {
    {"EN", 0, 0, Rw, "software is ready; a hint (D-20)"},
    {"LMEM_ONLY", 1, 1, Rw, "prefer local traversal data; no effect (D-59)"},
    {"PACK_HINT_DFLT", 2, 2, Rw, "ORed with the instruction's PACK_HINT; RAZ/WI without RTCAP.PACK_HINT"},
    {"EPS_DFLT", 15, 8, Rw, "epsilon k when EPS_CTL is not requested (D-19)"}};
constexpr CsrField kRtstat[] = {
    {"BUSY", 0, 0, Ro, "work in flight"},
    {"ERR", 1, 1, Ro, "LAST_EC is not 0"},
    {"LAST_EC", 7, 2, Ro, "0 none, 1 illegal, 2 unsupported; only reset clears it (D-27)"},
    {"bbox_issued", 35, 8, Ro, "nodes tested, modulo 2^28 (D-26)"},
    {"tri_issued", 63, 36, Ro, "triangles or TRI instructions, modulo 2^28 (D-26)"}};
constexpr CsrField kRtcap[] = {
    {"NODE4", 0, 0, Ro, ""}, {"NODE8", 1, 1, Ro, ""}, {"WATERTIGHT", 2, 2, Ro, ""},
    {"PACK_HINT", 3, 3, Ro, ""}, {"EPS_CTL", 4, 4, Ro, ""}, {"DESCQ", 5, 5, Ro, "offload queue"}};
constexpr CsrField kAddress[] = {{"ADDRESS", 63, 0, Rw, "byte address"}};
constexpr CsrField kRtconf2[] = {
    {"EPS_SCALE", 7, 0, Rw, "epsilon k when EPS_CTL is requested (D-19)"},
    {"IMPL_HINT", 9, 8, Rw, "no effect; reads 0 if unsupported"}};
constexpr CsrField kRtclsdef[] = {
    {"DEF_CLASS", 1, 0, Rw, "default class", xmemcap::kClassPart},
    {"HYB_ENABLE", 2, 2, Rw, "hybrid class allowed", xmemcap::kClassPart},
    {"HYB_BORROW_QOS", 5, 3, Rw, "QoS of a hybrid job", xmemcap::kClassPart}};
constexpr CsrField kRtsprof[] = {
    {"SPROF_ID", 1, 0, Rw, "default streaming profile", xmemcap::kStreamProf}};
constexpr CsrField kRtnode[] = {
    {"ADDRESS", 63, 6, Rw, "tile, or array of RTNODE words"}, {"LANE_TABLE", 5, 5, Rw, ""},
    {"SEL", 4, 2, Rw, "child"}, {"SEL_EN", 1, 1, Rw, "test only SEL"}, {"NODE8", 0, 0, Rw, ""}};
constexpr CsrField kRttri[] = {
    {"ADDRESS", 63, 4, Rw, "TriRange, or array of addresses"}, {"LANE_TABLE", 0, 0, Rw, ""}};
constexpr CsrField kDoorbell[] = {{"DESCRIPTOR", 63, 0, Wo, "submit the job described there"}};
constexpr CsrField kCount64[] = {{"COUNT", 63, 0, Ro, ""}};
constexpr CsrField kQueue[] = {
    {"DEPTH", 15, 0, Ro, "places"}, {"JOBS", 31, 16, Ro, "waiting or running"}};
constexpr CsrField kIrqEn[] = {
    {"JOB_END", 0, 0, Rw, ""}, {"JOB_FAILED", 1, 1, Rw, ""}, {"FP_FLAG", 2, 2, Rw, "an enabled flag"}};
constexpr CsrField kIrqPend[] = {
    {"JOB_END", 0, 0, W1c, ""}, {"JOB_FAILED", 1, 1, W1c, ""}, {"FP_FLAG", 2, 2, W1c, ""}};
constexpr CsrField kControl[] = {{"RESET", 0, 0, Wo, "1: reset the unit"}};
constexpr CsrField kMode[] = {
    {"APPLY0", 63, 63, Wo, "commit (D-13: or bit 31)"}, {"APPLY0_31", 31, 31, Wo, "commit"},
    {"SAT", 30, 30, Rw, ""}, {"FP_RMODE", 29, 27, Rw, ""}, {"DENORM_FTZ", 26, 26, Rw, ""},
    {"Q", 25, 25, Rw, ""}, {"UNS", 24, 24, Rw, ""}, {"ACCW", 23, 22, Rw, ""}, {"PET", 21, 19, Rw, ""},
    {"EW", 18, 17, Rw, ""}, {"PACK", 16, 12, Rw, ""}, {"ZMODE", 11, 11, Rw, ""},
    {"SAE_DEF", 10, 10, Rw, ""}, {"NAN_POL", 9, 8, Rw, ""}};
constexpr CsrField kAlt[] = {
    {"APPLY1", 63, 63, Wo, "commit"}, {"APPLY1_31", 31, 31, Wo, "commit"}, {"ALT_EN", 30, 30, Rw, ""},
    {"ALT_FMT", 29, 26, Rw, ""}, {"ALT_ACCW", 25, 24, Rw, ""}, {"DOWNCAST_OK", 23, 23, Rw, ""},
    {"MIXED", 22, 22, Rw, ""}, {"ZP_EN", 21, 21, Rw, ""}, {"ZP", 20, 13, Rw, ""},
    {"SCALE_SH", 12, 9, Rw, ""}, {"ALT_SAT", 8, 8, Rw, ""}, {"VER", 2, 0, Rw, "stored only"}};
constexpr CsrField kStat[] = {
    {"EFF_PET", 31, 28, Ro, ""}, {"EFF_EW", 27, 26, Ro, ""}, {"EFF_ACCW", 25, 24, Ro, ""},
    {"EFF_ALT_EN", 23, 23, Ro, ""}, {"EFF_SAT", 22, 22, Ro, ""}, {"EFF_FP_RMODE", 21, 19, Ro, ""},
    {"EFF_Q", 18, 18, Ro, ""}, {"EFF_PACK", 17, 16, Ro, ""}, {"UNSUP_FMT", 15, 15, Ro, ""},
    {"DOWNCAST_TAKEN", 14, 14, Ro, ""}, {"SAT_HIT", 13, 13, Ro, ""}, {"FTZ_HIT", 12, 12, Ro, ""},
    {"EFF_ZMODE", 11, 11, Ro, ""}, {"EFF_SAE", 10, 10, Ro, ""}, {"EFF_NAN_POL", 9, 8, Ro, ""},
    {"IE_MASK", 7, 3, Ro, "NV DZ OF UF NX (D-30)"}};
constexpr CsrField kExcEn[] = {{"NV_DZ_OF_UF_NX", 4, 0, Rw, "enables"}};
constexpr CsrField kExcSt[] = {
    {"NV_DZ_OF_UF_NX", 4, 0, W1c, "flags"}, {"QNAN_SEEN", 5, 5, W1c, ""}, {"SNAN_SEEN", 6, 6, W1c, ""}};
constexpr CsrField kL1cfg[] = {
    {"WAYS_HINT", 7, 0, Rw, "", xmemcap::kL1}, {"LINE_SZ", 15, 8, Rw, "0 32 B, 1 64 B, 2 128 B", xmemcap::kL1},
    {"REPL", 19, 16, Rw, "", xmemcap::kL1}, {"LOCK_EN", 20, 20, Rw, "", xmemcap::kLineLock},
    {"ACTIVE_CLASS", 31, 24, Rw, "", xmemcap::kClassPart}};
constexpr CsrField kClsmap[] = {
    {"WAYMASK0", 7, 0, Rw, "", xmemcap::kWayPart}, {"WAYMASK1", 15, 8, Rw, "", xmemcap::kWayPart},
    {"WAYMASK2", 23, 16, Rw, "", xmemcap::kWayPart}, {"WAYMASK3", 31, 24, Rw, "", xmemcap::kWayPart},
    {"QOS0", 35, 32, Rw, "", xmemcap::kClassPart}, {"QOS1", 39, 36, Rw, "", xmemcap::kClassPart},
    {"QOS2", 43, 40, Rw, "", xmemcap::kClassPart}, {"QOS3", 47, 44, Rw, "", xmemcap::kClassPart}};
constexpr CsrField kLdsBudget[] = {
    {"KIB0", 15, 0, Rw, "0 unlimited", xmemcap::kLds}, {"KIB1", 31, 16, Rw, "", xmemcap::kLds},
    {"KIB2", 47, 32, Rw, "", xmemcap::kLds}, {"KIB3", 63, 48, Rw, "", xmemcap::kLds}};
constexpr CsrField kL2cfg[] = {
    {"VICT", 3, 0, Rw, "", xmemcap::kL2}, {"QOS", 7, 4, Rw, "", xmemcap::kL2},
    {"SNC", 8, 8, Rw, "", xmemcap::kL2}, {"COMP_THR", 15, 9, Rw, "", xmemcap::kL2 | xmemcap::kCompress}};
constexpr CsrField kDom[] = {{"DOM", 3, 0, Rw, "1 CPU 2 RT 3 MTX 4 GFX 5 RSV 6 ACCEL 15 ALL (D-36)"}};
constexpr CsrField kStreamCtl[] = {
    {"STRIDE", 15, 0, Rw, "bytes", xmemcap::kStreamProf}, {"PF_DEPTH", 23, 16, Rw, "", xmemcap::kStreamProf},
    {"NONTEMP_EN", 24, 24, Rw, "", xmemcap::kNontemp}};
constexpr CsrField kSprof[] = {
    {"STRIDE", 15, 0, Rw, "bytes", xmemcap::kStreamProf}, {"PF_DEPTH", 23, 16, Rw, "", xmemcap::kStreamProf},
    {"NT_POLICY", 27, 24, Rw, "", xmemcap::kStreamProf | xmemcap::kNontemp}};
constexpr CsrField kCompCtl[] = {
    {"MODE", 3, 0, Rw, "0 off", xmemcap::kCompress}, {"LEVEL", 7, 4, Rw, "", xmemcap::kCompress},
    {"DICT", 15, 8, Rw, "", xmemcap::kCompress}};
constexpr CsrField kDescpol[] = {
    {"DEF_CLASS", 1, 0, Rw, "", xmemcap::kClassPart}, {"HYB_ENABLE", 2, 2, Rw, "", xmemcap::kClassPart},
    {"HYB_BORROW_QOS", 5, 3, Rw, "", xmemcap::kClassPart}, {"STRICT_DOM", 6, 6, Rw, ""}};
constexpr CsrField kEvents[] = {
    {"INV_MISS", 0, 0, W1c, ""}, {"LOCK_OVF", 1, 1, W1c, ""}, {"LDS_OOM", 2, 2, W1c, ""},
    {"DMA_ERR", 3, 3, W1c, ""}, {"COMP_ERR", 4, 4, W1c, ""}, {"BUDGET_OVF", 5, 5, W1c, ""},
    {"SEC_VIOL", 6, 6, W1c, ""}, {"HYB_FALLBK", 7, 7, W1c, ""}};
constexpr CsrField kSvmscl[] = {
    {"SCALE", 2, 0, Rw, "log2"}, {"SIGNED", 3, 3, Rw, ""}, {"GS", 4, 4, Rw, "1 scatter"}, {"FOF", 5, 5, Rw, ""}};
constexpr CsrField kSvmlen[] = {{"BYTES", 31, 0, Rw, "0 = EFF_EW / 8"}};
constexpr CsrField kSvmmode[] = {
    {"BOUND_CHECK", 0, 0, Rw, ""}, {"ALLOW_OOB_ZERO", 1, 1, Rw, ""},
    {"COMPRESS_EN", 2, 2, Rw, "", xmemcap::kCompress}, {"EXPAND_EN", 3, 3, Rw, "", xmemcap::kCompress}};

constexpr std::uint16_t rt(unsigned id) { return static_cast<std::uint16_t>(0x8A0 + id); }
constexpr std::uint16_t cap(unsigned n) { return static_cast<std::uint16_t>(page::kCapBase + std::uint64_t{8} * (n - page::kFirstCap)); }

/// A row: all registers have 64 bits.
template <std::size_t N>
constexpr CsrDescriptor row(std::string_view name, std::uint16_t number, std::uint32_t offset, std::uint64_t reset, std::string_view source, const CsrField (&fields)[N], bool side_effects = false) {
  return {name, offset, 8, reset, side_effects, "", source, fields, number};
}

constexpr auto kTable = std::to_array<CsrDescriptor>({
    row("RTCFG", rt(0), 0x00, 0, "3.2", kRtcfg),
    row("RTSTAT", rt(1), 0x08, 0, "3.2, D-26", kRtstat),
    row("RTCAP", rt(2), 0x10, 0x3F, "3.2, D-44", kRtcap),
    row("RTBASE", rt(3), 0x18, 0, "3.1", kAddress),
    row("RTQ_RAY", rt(4), 0x20, 0, "3.1", kAddress),
    row("RTQ_HIT", rt(5), 0x28, 0, "3.1", kAddress),
    row("RTQ_MISS", rt(6), 0x30, 0, "3.1", kAddress),
    row("RTCONF2", rt(7), 0x38, 0, "3.3", kRtconf2),
    row("RTCLSDEF", rt(8), 0x40, 0, "3.3", kRtclsdef),
    row("RTSPROF", rt(9), 0x48, 0, "3.3", kRtsprof),
    row("RTNODE", rt(10), 0x50, 0, "3.4, D-07", kRtnode),
    row("RTTRI", rt(11), 0x58, 0, "3.4, D-08", kRttri),
    row("DOORBELL", kNoNumber, 0x80, 0, "16.1", kDoorbell, true),
    row("TICKET_LAST", kNoNumber, 0x88, 0, "16.1", kCount64),
    row("TICKET_DONE", kNoNumber, 0x90, 0, "16.1", kCount64),
    row("ERR_TICKET", kNoNumber, 0x98, 0, "16.1", kCount64),
    row("QUEUE", kNoNumber, 0xA0, 0, "16.1", kQueue),
    row("IRQ_EN", kNoNumber, 0xA8, 0, "16.1", kIrqEn, true),
    row("IRQ_PEND", kNoNumber, 0xB0, 0, "16.1", kIrqPend, true),
    row("CONTROL", kNoNumber, 0xB8, 0, "16.1", kControl, true),
    row("COUNT_JOBS", kNoNumber, 0xC0, 0, "16.1", kCount64),
    row("COUNT_RAYS", kNoNumber, 0xC8, 0, "16.1", kCount64),
    row("COUNT_HITS", kNoNumber, 0xD0, 0, "16.1", kCount64),
    row("COUNT_MISSES", kNoNumber, 0xD8, 0, "16.1", kCount64),
    row("COUNT_TILES", kNoNumber, 0xE0, 0, "16.1", kCount64),
    row("COUNT_TRIANGLES", kNoNumber, 0xE8, 0, "16.1", kCount64),
    row("COUNT_LMEM_HITS", kNoNumber, 0xF0, 0, "16.1", kCount64),
    row("COUNT_BUSY", kNoNumber, 0xF8, 0, "16.1", kCount64),
    row("CAP.ID", 0x7C0, cap(0x7C0), 0x50484D47, "4.1", kCount64),
    row("CAP.VERS", 0x7C1, cap(0x7C1), 0x00010100, "4.1", kCount64),
    row("CAP.FLAGS", 0x7C2, cap(0x7C2), 0, "4.1", kCount64),
    row("CAP.PROF.CUR", 0x7C3, cap(0x7C3), 0, "4.1", kCount64),
    row("CAP.PROF.SUP", 0x7C4, cap(0x7C4), 0, "4.1", kCount64),
    row("CAP.FEAT0", 0x7C5, cap(0x7C5), 0x14, "4.7, D-43: RT_PRESENT, MULTI_DOMAIN", kCount64),
    row("CAP.FEAT1", 0x7C6, cap(0x7C6), 0, "4.1", kCount64),
    row("CAP.PMASK.CAP", 0x7C7, cap(0x7C7), 0x17, "section 6", kCount64),
    row("CAP.PREC.MODE", 0x7D0, cap(0x7D0), cap::kModeReset, "4.2, D-12", kMode),
    row("CAP.PREC.ALT", 0x7D1, cap(0x7D1), 0, "4.3", kAlt),
    row("CAP.PREC.STAT", 0x7D2, cap(0x7D2), cap::kStatReset, "4.5", kStat),
    row("CAP.PREC.EXC.EN", 0x7D3, cap(0x7D3), 0, "4.6", kExcEn),
    row("CAP.PREC.EXC.ST", 0x7D4, cap(0x7D4), 0, "4.6", kExcSt),
    row("CAP.PREC.RT", 0x7DB, cap(0x7DB), 0xF, "4.7, D-43", kCount64),
    row("CAP.XMEM.CAP", 0x7E0, cap(0x7E0), xmemcap::kAll, "5.2, D-43", kCount64),
    row("CAP.XMEM.PARAMS", 0x7E1, cap(0x7E1), 0, "5.2", kCount64),
    row("CAP.XMEM.L1CFG", 0x7E2, cap(0x7E2), 0, "5.2", kL1cfg),
    row("CAP.XMEM.CLSMAP", 0x7E3, cap(0x7E3), 0xFF, "5.2, D-34", kClsmap),
    row("CAP.XMEM.LDS_BUDGET", 0x7E4, cap(0x7E4), 0, "5.2", kLdsBudget),
    row("CAP.XMEM.L2CFG", 0x7E5, cap(0x7E5), 0, "5.2", kL2cfg),
    row("CAP.XMEM.DOM", 0x7E6, cap(0x7E6), 0, "5.2", kDom),
    row("CAP.XMEM.STREAM_CTL", 0x7E7, cap(0x7E7), 0, "5.2", kStreamCtl),
    row("CAP.XMEM.SPROF0", 0x7E8, cap(0x7E8), 0, "5.2", kSprof),
    row("CAP.XMEM.SPROF1", 0x7E9, cap(0x7E9), 0, "5.2", kSprof),
    row("CAP.XMEM.SPROF2", 0x7EA, cap(0x7EA), 0, "5.2", kSprof),
    row("CAP.XMEM.SPROF3", 0x7EB, cap(0x7EB), 0, "5.2", kSprof),
    row("CAP.XMEM.COMP_CTL", 0x7EC, cap(0x7EC), 0, "5.2", kCompCtl),
    row("CAP.XMEM.DESCPOL", 0x7ED, cap(0x7ED), 0x4, "5.2, D-34", kDescpol),
    row("CAP.XMEM.EVENTS", 0x7EE, cap(0x7EE), 0, "5.2", kEvents),
    row("CAP.XMEM.SVMBASE", 0x7F0, cap(0x7F0), 0, "5.2", kAddress),
    row("CAP.XMEM.SVMIDX", 0x7F1, cap(0x7F1), 0, "5.2", kAddress),
    row("CAP.XMEM.SVMSCL", 0x7F2, cap(0x7F2), 0, "5.2", kSvmscl),
    row("CAP.XMEM.SVMLEN", 0x7F3, cap(0x7F3), 0, "5.2", kSvmlen),
    row("CAP.XMEM.SVMMODE", 0x7F4, cap(0x7F4), 0, "5.2", kSvmmode),
});
// clang-format on

static_assert(kTable.size() == kCsrs);
static_assert(common::namesAreUnique(kTable));
static_assert(common::isWellFormed(kTable) && kTable.back().offset < page::kSize);
/// RT rows lie where D-11 and D-55 put them.
static_assert(std::ranges::all_of(kTable, [](const CsrDescriptor& row) {
  return row.number < page::kFirstRt || row.offset == 8U * (row.number - page::kFirstRt);
}));
static_assert(kTable[static_cast<unsigned>(Csr::SVMMODE)].number == 0x7F4);
static_assert(kTable[static_cast<unsigned>(Csr::COUNT_BUSY)].offset == 0xF8);
static_assert(kTable[static_cast<unsigned>(Csr::RTTRI)].number == 0x8AB);

/// Row + 1 by offset / 8.
constexpr auto kByOffset = [] {
  std::array<std::uint8_t, page::kSize / 8> map{};
  for (unsigned i = 0; i < kTable.size(); ++i)
    map[kTable[i].offset / 8U] = static_cast<std::uint8_t>(i + 1);
  return map;
}();

const char* accessName(common::Access access) {
  switch (access) {
    case Ro:
      return "RO";
    case Wo:
      return "WO";
    case Rw:
      return "RW";
    case W1c:
      return "W1C";
  }
  return "";
}

}  // namespace

std::span<const CsrDescriptor> csrTable() {
  return kTable;
}

Csr csrOfOffset(std::uint64_t offset) {
  if (offset >= page::kSize || offset % 8 != 0) return Csr::kCount;
  const std::uint8_t row = kByOffset[offset / 8];
  return row == 0 ? Csr::kCount : static_cast<Csr>(row - 1);
}

Csr csrOfNumber(unsigned number) {
  if (number >= page::kFirstRt && number <= page::kLastRt)
    return csrOfOffset(std::uint64_t{8} * (number - page::kFirstRt));
  if (number >= page::kFirstCap && number <= page::kLastCap)
    return csrOfOffset(page::kCapBase + std::uint64_t{8} * (number - page::kFirstCap));
  return Csr::kCount;
}

std::string csrMarkdown() {
  std::string text =
      "| CSR | Offset | Name | Reset | Fields | Source |\n|---|---|---|---|---|---|\n";
  for (const CsrDescriptor& row : kTable) {
    char head[96];
    if (row.number == kNoNumber) {
      std::snprintf(head, sizeof head, "| - | %03X | ", row.offset);
    } else {
      std::snprintf(head, sizeof head, "| %03X | %03X | ", row.number, row.offset);
    }
    text += head;
    text += row.name;
    std::snprintf(head, sizeof head, " | %llX | ", static_cast<unsigned long long>(row.reset));
    text += head;
    for (const CsrField& f : row.fields) {
      if (&f != row.fields.data()) text += ", ";
      text += f.msb == f.lsb ? std::to_string(f.msb)
                             : std::to_string(f.msb) + ":" + std::to_string(f.lsb);
      text += " " + std::string(f.name) + " " + accessName(f.access);
    }
    text += " | " + std::string(row.source) + " |\n";
  }
  return text;
}

}  // namespace rtvp::xphmg
