// THE register table of an XPHMG_RT unit: RT, CAP, XMEM and SVM CSRs (xphmg.md 3, 4.1, 5.2) and the
// registers that only a bus master sees (16.1). A row has a CSR number, a place in the unit's page,
// or both; there is one set of registers behind the two. From this table come decode, access rules,
// the register page and the exhaustive tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "models/common/register_table.hpp"

namespace rtvp::xphmg {

/// Bits of CAP.XMEM.CAP (D-43). A field that depends on a feature the build lacks is RAZ/WI (5.1).
namespace xmemcap {
inline constexpr std::uint32_t kLds = 1U << 0U, kL1 = 1U << 1U, kL2 = 1U << 2U, kXdma = 1U << 3U,
                               kWayPart = 1U << 4U, kLineLock = 1U << 5U, kNontemp = 1U << 6U,
                               kSect = 1U << 7U, kCompress = 1U << 8U, kClassPart = 1U << 9U,
                               kStreamProf = 1U << 10U, kSecDom = 1U << 11U, kBidirSwz = 1U << 12U;
inline constexpr std::uint32_t kAll = 0x1FFF;
}  // namespace xmemcap

/// Rows of the common table: registers of 64 bits, RegisterDescriptor::number their CSR number on
/// the hart (D-11), FieldDescriptor::needs bits of CAP.XMEM.CAP.
using CsrField = common::FieldDescriptor;
using CsrDescriptor = common::RegisterDescriptor;
inline constexpr std::uint16_t kNoNumber = 0;  ///< only the bus reaches the register

/// The unit's page (16.1).
namespace page {
inline constexpr std::uint64_t kSize = 0x2000;
inline constexpr std::uint64_t kCapBase = 0x1000;  ///< CSR n at kCapBase + 8 (n - 0x7C0)
inline constexpr unsigned kFirstCap = 0x7C0, kLastCap = 0x7F7;
/// Hart numbers of the RT CSRs: 0x8A0 + (documentation id - 0x7FA0) (D-11).
inline constexpr unsigned kFirstRt = 0x8A0, kLastRt = 0x8AB;
}  // namespace page

/// Rows of the table, in its order.
enum class Csr : std::uint8_t {
  RTCFG,
  RTSTAT,
  RTCAP,
  RTBASE,
  RTQ_RAY,
  RTQ_HIT,
  RTQ_MISS,
  RTCONF2,
  RTCLSDEF,
  RTSPROF,
  RTNODE,
  RTTRI,
  DOORBELL,
  TICKET_LAST,
  TICKET_DONE,
  ERR_TICKET,
  QUEUE,
  IRQ_EN,
  IRQ_PEND,
  CONTROL,
  COUNT_JOBS,
  COUNT_RAYS,
  COUNT_HITS,
  COUNT_MISSES,
  COUNT_TILES,
  COUNT_TRIANGLES,
  COUNT_LMEM_HITS,
  COUNT_BUSY,
  CAP_ID,
  CAP_VERS,
  CAP_FLAGS,
  CAP_PROF_CUR,
  CAP_PROF_SUP,
  CAP_FEAT0,
  CAP_FEAT1,
  CAP_PMASK_CAP,
  PREC_MODE,
  PREC_ALT,
  PREC_STAT,
  PREC_EXC_EN,
  PREC_EXC_ST,
  PREC_RT,
  XMEM_CAP,
  XMEM_PARAMS,
  XMEM_L1CFG,
  XMEM_CLSMAP,
  XMEM_LDS_BUDGET,
  XMEM_L2CFG,
  XMEM_DOM,
  XMEM_STREAM_CTL,
  XMEM_SPROF0,
  XMEM_SPROF1,
  XMEM_SPROF2,
  XMEM_SPROF3,
  XMEM_COMP_CTL,
  XMEM_DESCPOL,
  XMEM_EVENTS,
  SVMBASE,
  SVMIDX,
  SVMSCL,
  SVMLEN,
  SVMMODE,
  kCount
};
inline constexpr unsigned kCsrs = static_cast<unsigned>(Csr::kCount);

[[nodiscard]] std::span<const CsrDescriptor> csrTable();
[[nodiscard]] inline const CsrDescriptor& descriptor(Csr csr) {
  return csrTable()[static_cast<unsigned>(csr)];
}
/// Row of a CSR number or of a page offset (a multiple of 8); Csr::kCount if there is none.
[[nodiscard]] Csr csrOfNumber(unsigned number);
[[nodiscard]] Csr csrOfOffset(std::uint64_t offset);

/// The register page of the documentation.
[[nodiscard]] std::string csrMarkdown();

/// CAP.XMEM.EVENTS (5.2).
namespace event {
inline constexpr std::uint32_t kInvMiss = 1, kLockOvf = 2, kLdsOom = 4, kDmaErr = 8, kCompErr = 16,
                               kBudgetOvf = 32, kSecViol = 64, kHybFallbk = 128;
}  // namespace event

/// IRQ_EN and IRQ_PEND (16.1).
namespace irq {
inline constexpr std::uint64_t kJobEnd = 1, kJobFailed = 2, kFpFlag = 4;
}  // namespace irq

}  // namespace rtvp::xphmg
