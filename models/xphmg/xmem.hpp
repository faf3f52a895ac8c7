// XMEM policy: what CAP.XMEM, the RT defaults and a job's MEMCTL make of an access (xphmg.md 5,
// D-32, D-33). The effective values travel with every access as tags; they never change data.
#pragma once

#include <array>
#include <cstdint>

#include "models/xphmg/layout.hpp"

namespace rtvp::xphmg {

/// Domain codes (5.1, D-36).
namespace domain {
inline constexpr std::uint8_t kNone = 0, kCpu = 1, kRt = 2, kMtx = 3, kGfx = 4, kRsv = 5,
                              kAccel = 6, kAll = 15;
[[nodiscard]] constexpr bool known(unsigned code) {
  return (code >= kCpu && code <= kAccel) || code == kAll;
}
}  // namespace domain

inline constexpr std::uint8_t kHybridClass = 2;  ///< CL2

/// Tags of an access.
struct XmemTags {
  std::uint8_t dom = domain::kRt;
  std::uint8_t mclass = 0;   ///< CL0..CL3
  std::uint8_t wayMask = 0;  ///< CLSMAP of the class
  std::uint8_t qos = 0;      ///< CLSMAP of the class; a hybrid job's: HYB_BORROW_QOS
  bool hyb = false;
  std::uint8_t sec = 0;
  std::uint8_t sprof = 0;  ///< streaming profile; 0: STREAM_CTL holds
  std::uint16_t stride = 0;
  std::uint8_t prefetchDepth = 0;
  std::uint8_t nontemporal = 0;  ///< NT_POLICY of the profile, NONTEMP_EN of STREAM_CTL
  // Compression as COMP_CTL asks for it. The unit has no decompressor: accesses stay plain.
  std::uint8_t compMode = 0, compLevel = 0, compDictionary = 0;
  bool operator==(const XmemTags&) const = default;
};

/// The registers the policy comes from, as XSUBMIT samples them (D-35).
struct XmemRegisters {
  std::uint64_t cap = 0, l1cfg = 0, clsmap = 0, dom = 0, streamCtl = 0, compCtl = 0, descpol = 0;
  std::array<std::uint64_t, 4> sprof{};
  std::uint64_t rtclsdef = 0, rtsprof = 0;
  bool operator==(const XmemRegisters&) const = default;
};

struct XmemPolicy {
  XmemTags tags;
  std::uint32_t events = 0;   ///< CAP.XMEM.EVENTS bits that the policy raises
  bool strictDomain = false;  ///< STRICT_DOM is violated: the job fails with EC 1
};

/// Precedence D-33: MEMCTL (non-zero and supported) over RTCLSDEF/RTSPROF (non-zero) over
/// DESCPOL/STREAM_CTL over ACTIVE_CLASS. All other MEMCTL fields are hints and ignored.
[[nodiscard]] XmemPolicy resolveXmem(const XmemRegisters& regs, const MemCtl& memctl);

}  // namespace rtvp::xphmg
