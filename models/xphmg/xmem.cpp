// See xmem.hpp.
#include "models/xphmg/xmem.hpp"

#include "models/xphmg/csr_table.hpp"

namespace rtvp::xphmg {
namespace {

constexpr unsigned bits(std::uint64_t word, unsigned high, unsigned low) {
  return static_cast<unsigned>((word >> low) & ((std::uint64_t{1} << (high - low + 1U)) - 1U));
}
constexpr std::uint8_t byte(std::uint64_t word, unsigned high, unsigned low) {
  return static_cast<std::uint8_t>(bits(word, high, low));
}
unsigned firstNonZero(std::initializer_list<unsigned> values) {
  for (const unsigned v : values) {
    if (v != 0) return v;
  }
  return 0;
}

void resolveDomain(XmemPolicy& policy, const XmemRegisters& regs, const MemCtl& memctl) {
  const auto current = static_cast<std::uint8_t>(regs.dom);
  const bool overrides = memctl.dom != 0 && domain::known(memctl.dom);
  // The register's reset value names no domain; the unit's own is then what it is.
  policy.tags.dom = overrides ? memctl.dom : current != domain::kNone ? current : domain::kRt;
  const bool strict = bits(regs.descpol, 6, 6) != 0;
  policy.strictDomain = strict && memctl.dom != 0 && memctl.dom != current &&
                        memctl.dom != domain::kAll && current != domain::kAll;
}

void resolveClass(XmemPolicy& policy, const XmemRegisters& regs, const MemCtl& memctl) {
  XmemTags& tags = policy.tags;
  const bool classes = (regs.cap & xmemcap::kClassPart) != 0;
  if (memctl.hyb == 1) {
    const bool enabled = bits(regs.rtclsdef, 2, 2) != 0 || bits(regs.descpol, 2, 2) != 0;
    tags.hyb = classes && enabled;
    if (!tags.hyb) policy.events |= event::kHybFallbk;
  }
  const unsigned asked = classes && memctl.mclass <= 3 ? memctl.mclass : 0U;
  tags.mclass = static_cast<std::uint8_t>(
      firstNonZero({asked, tags.hyb ? kHybridClass : 0U, bits(regs.rtclsdef, 1, 0),
                    bits(regs.descpol, 1, 0), bits(regs.l1cfg, 31, 24) & 3U}));
  tags.wayMask = byte(regs.clsmap, 8U * tags.mclass + 7U, 8U * tags.mclass);
  tags.qos = byte(regs.clsmap, 32U + 4U * tags.mclass + 3U, 32U + 4U * tags.mclass);
  if (tags.hyb) {
    const unsigned borrowed = firstNonZero({bits(regs.rtclsdef, 5, 3), bits(regs.descpol, 5, 3)});
    if (borrowed != 0) tags.qos = static_cast<std::uint8_t>(borrowed);
  }
}

void resolveStream(XmemTags& tags, const XmemRegisters& regs, const MemCtl& memctl) {
  const bool profiles = (regs.cap & xmemcap::kStreamProf) != 0;
  const unsigned asked = profiles && memctl.sprofId <= 3 ? memctl.sprofId : 0U;
  tags.sprof = static_cast<std::uint8_t>(firstNonZero({asked, bits(regs.rtsprof, 1, 0)}));
  const std::uint64_t word = tags.sprof != 0 ? regs.sprof[tags.sprof] : regs.streamCtl;
  tags.stride = static_cast<std::uint16_t>(bits(word, 15, 0));
  tags.prefetchDepth = byte(word, 23, 16);
  tags.nontemporal = tags.sprof != 0 ? byte(word, 27, 24) : byte(word, 24, 24);
}

}  // namespace

XmemPolicy resolveXmem(const XmemRegisters& regs, const MemCtl& memctl) {
  XmemPolicy policy;
  resolveDomain(policy, regs, memctl);
  resolveClass(policy, regs, memctl);
  resolveStream(policy.tags, regs, memctl);
  if ((regs.cap & xmemcap::kSecDom) != 0) policy.tags.sec = memctl.sec;
  policy.tags.compMode = byte(regs.compCtl, 3, 0);
  policy.tags.compLevel = byte(regs.compCtl, 7, 4);
  policy.tags.compDictionary = byte(regs.compCtl, 15, 8);
  if (policy.tags.compMode != 0) policy.events |= event::kCompErr;
  return policy;
}

}  // namespace rtvp::xphmg
