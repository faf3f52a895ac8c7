// Registers by number and by offset against the table and the sections that lay them out; XMEM
// policy; queue, fence tokens and LMEM by themselves. No SystemC.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <set>

#include "models/xphmg/csr_file.hpp"
#include "models/xphmg/lmem.hpp"
#include "models/xphmg/queue.hpp"

namespace rtvp::xphmg {
namespace {

constexpr std::uint64_t kOnes = ~std::uint64_t{0};

TEST(Csr, RT003_RtRegistersResetToZero) {
  CsrFile csrs;
  for (unsigned n = page::kFirstRt; n <= page::kLastRt; ++n) csrs.writeNumber(n, kOnes);
  csrs.setLastEc(2);
  csrs.countIssued(5, 7);
  csrs.reset();
  for (unsigned n = page::kFirstRt; n <= page::kLastRt; ++n)
    EXPECT_EQ(csrs.readNumber(n), n == 0x8A2 ? 0x3FU : 0U) << std::hex << n;
}

TEST(Csr, SmokeConstantsOfSection15) {
  CsrFile csrs;
  EXPECT_EQ(csrs.readNumber(0x8A2), 0x3FU);
  EXPECT_EQ(csrs.readNumber(0x7D0), 0x009A0000U);
  EXPECT_EQ(csrs.readNumber(0x7D2), 0x36000000U);
  EXPECT_EQ(csrs.readNumber(0x7ED), 4U);
  EXPECT_EQ(csrs.readNumber(0x7C7), 0x17U);
  EXPECT_EQ(csrs.readNumber(0x7C0), 0x50484D47U);
  EXPECT_EQ(csrs.readNumber(0x7C1), 0x00010100U);
  EXPECT_EQ(csrs.readNumber(0x7E3), 0xFFU);
  csrs.writeNumber(0x7D0, cap::kModeFp32);
  EXPECT_EQ(csrs.readNumber(0x7D2), 0x4A000000U);
}

TEST(Csr, RT004_ReadOnlyFieldsIgnoreWrites) {
  CsrFile csrs;
  csrs.setLastEc(1);
  csrs.countIssued(3, 4);
  for (unsigned n :
       {0x8A1U, 0x8A2U, 0x7C0U, 0x7C1U, 0x7C5U, 0x7C7U, 0x7D2U, 0x7DBU, 0x7E0U, 0x7E1U}) {
    const auto before = csrs.readNumber(n);
    EXPECT_TRUE(csrs.writeNumber(n, kOnes));
    EXPECT_EQ(csrs.readNumber(n), before) << std::hex << n;
    csrs.writeNumber(n, 0);
    EXPECT_EQ(csrs.readNumber(n), before) << std::hex << n;
  }
}

TEST(Csr, RT005_ReservedBitsReadZero) {
  struct Row {
    unsigned number;
    std::uint64_t mask;
  };
  // The write masks of section 3.2, and the fields of 5.2 added up by hand.
  const Row rows[] = {{0x8A0, 0xFF07},     {0x8A3, kOnes},
                      {0x8A4, kOnes},      {0x8A5, kOnes},
                      {0x8A6, kOnes},      {0x8A7, 0x3FF},
                      {0x8A8, 0x3F},       {0x8A9, 0x3},
                      {0x8AA, kOnes},      {0x8AB, 0xFFFFFFFFFFFFFFF1},
                      {0x7E2, 0xFF1FFFFF}, {0x7E3, 0xFFFFFFFFFFFF},
                      {0x7E4, kOnes},      {0x7E5, 0xFFFF},
                      {0x7E6, 0xF},        {0x7E7, 0x1FFFFFF},
                      {0x7E8, 0xFFFFFFF},  {0x7EC, 0xFFFF},
                      {0x7ED, 0x7F},       {0x7F0, kOnes},
                      {0x7F2, 0x3F},       {0x7F4, 0xF},
                      {0x7D3, 0x1F}};
  for (const Row& row : rows) {
    CsrFile csrs;
    csrs.writeNumber(row.number, kOnes);
    EXPECT_EQ(csrs.readNumber(row.number), row.mask) << std::hex << row.number;
    csrs.writeNumber(row.number, 0);
    EXPECT_EQ(csrs.readNumber(row.number), 0U) << std::hex << row.number;
  }
}

TEST(Csr, RT006_RT015_ReadsHaveNoSideEffect) {
  CsrFile csrs;
  csrs.setLastEc(2);
  csrs.countIssued(11, 22);
  const auto stat = csrs.read(Csr::RTSTAT), cap = csrs.read(Csr::RTCAP);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(csrs.read(Csr::RTSTAT), stat);
    EXPECT_EQ(csrs.read(Csr::RTCAP), cap);
  }
}

TEST(Csr, RT007_RtcfgWalkingOnes) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    CsrFile csrs;
    csrs.write(Csr::RTCFG, std::uint64_t{1} << bit);
    const bool stored = bit <= 2 || (bit >= 8 && bit <= 15);
    EXPECT_EQ(csrs.read(Csr::RTCFG), stored ? std::uint64_t{1} << bit : 0U) << bit;
  }
  UnitFeatures features;
  features.rtcap &= ~rtcap::kPackHint;
  CsrFile csrs(features);
  csrs.write(Csr::RTCFG, kOnes);
  EXPECT_EQ(csrs.read(Csr::RTCFG), 0xFF03U) << "PACK_HINT_DFLT is RAZ/WI without PACK_HINT";
}

TEST(Csr, RT011_RT023_ErrIsLastEcNotZero) {
  CsrFile csrs;
  EXPECT_EQ(csrs.read(Csr::RTSTAT) & 0xFFU, 0U);
  csrs.setLastEc(2);
  EXPECT_EQ(csrs.read(Csr::RTSTAT) & 0xFFU, 2U | 2U << 2U);
  csrs.setLastEc(1);
  EXPECT_EQ(csrs.read(Csr::RTSTAT) & 0xFFU, 2U | 1U << 2U) << "the latest error wins";
  csrs.setLastEc(0);
  EXPECT_EQ(csrs.read(Csr::RTSTAT) & 0xFFU, 2U | 1U << 2U) << "success does not clear it";
}

TEST(Csr, RT024_OnlyResetClearsLastEc) {
  CsrFile csrs;
  csrs.setLastEc(1);
  for (unsigned n = 0; n < 0x1000; ++n) {
    for (const std::uint64_t value : {std::uint64_t{0}, kOnes}) csrs.writeNumber(n, value);
  }
  EXPECT_EQ((csrs.read(Csr::RTSTAT) >> 2U) & 0x3FU, 1U);
  csrs.reset();
  EXPECT_EQ(csrs.read(Csr::RTSTAT), 0U);
}

TEST(Csr, RT012_CountersWrapAt28Bits) {
  CsrFile csrs;
  csrs.countIssued((1U << 28U) - 1, 5);
  csrs.countIssued(3, 1);
  EXPECT_EQ(csrs.read(Csr::RTSTAT) >> 8U & 0xFFFFFFFU, 2U);
  EXPECT_EQ(csrs.read(Csr::RTSTAT) >> 36U, 6U);
}

TEST(Csr, RT013_EveryCombinationOfCapabilities) {
  for (std::uint64_t caps = 0; caps < 64; ++caps) {
    UnitFeatures features;
    features.rtcap = caps | 0xFFC0;  // undefined bits do not come through
    EXPECT_EQ(CsrFile(features).read(Csr::RTCAP), caps);
  }
}

TEST(Csr, RT019_UnsupportedHintBitsReadZero) {
  UnitFeatures features;
  features.implHints = false;
  CsrFile csrs(features);
  csrs.write(Csr::RTCONF2, kOnes);
  EXPECT_EQ(csrs.read(Csr::RTCONF2), 0xFFU);
}

TEST(Csr, RT078_MissingXmemFeaturesAreRazWi) {
  struct Row {
    std::uint32_t feature;
    Csr csr;
    std::uint64_t left;  ///< what still stores
  };
  const Row rows[] = {{xmemcap::kLds, Csr::XMEM_LDS_BUDGET, 0},
                      {xmemcap::kL1, Csr::XMEM_L1CFG, 0xFF100000},
                      {xmemcap::kLineLock, Csr::XMEM_L1CFG, 0xFF0FFFFF},
                      {xmemcap::kL2, Csr::XMEM_L2CFG, 0},
                      {xmemcap::kWayPart, Csr::XMEM_CLSMAP, 0xFFFF00000000},
                      {xmemcap::kClassPart, Csr::XMEM_CLSMAP, 0xFFFFFFFF},
                      {xmemcap::kClassPart, Csr::XMEM_DESCPOL, 0x40},
                      {xmemcap::kClassPart, Csr::RTCLSDEF, 0},
                      {xmemcap::kStreamProf, Csr::RTSPROF, 0},
                      {xmemcap::kStreamProf, Csr::XMEM_SPROF1, 0},
                      {xmemcap::kNontemp, Csr::XMEM_STREAM_CTL, 0xFFFFFF},
                      {xmemcap::kCompress, Csr::XMEM_COMP_CTL, 0},
                      {xmemcap::kCompress, Csr::SVMMODE, 3}};
  for (const Row& row : rows) {
    UnitFeatures features;
    features.xmemCap &= ~row.feature;
    CsrFile csrs(features);
    EXPECT_EQ(csrs.read(Csr::XMEM_CAP), xmemcap::kAll & ~row.feature);
    csrs.write(row.csr, kOnes);
    EXPECT_EQ(csrs.read(row.csr), row.left) << descriptor(row.csr).name << " " << row.feature;
  }
}

TEST(Csr, EventsAreClearedByOnes) {
  CsrFile csrs;
  csrs.raiseEvents(event::kDmaErr | event::kCompErr);
  csrs.write(Csr::XMEM_EVENTS, event::kInvMiss | event::kDmaErr);
  EXPECT_EQ(csrs.read(Csr::XMEM_EVENTS), event::kCompErr);
}

TEST(Csr, EveryRowIsFoundByNumberAndOffset) {
  std::set<unsigned> numbers;
  for (unsigned i = 0; i < kCsrs; ++i) {
    const CsrDescriptor& row = csrTable()[i];
    EXPECT_EQ(csrOfOffset(row.offset), static_cast<Csr>(i)) << row.name;
    if (row.number == kNoNumber) continue;
    EXPECT_EQ(csrOfNumber(row.number), static_cast<Csr>(i)) << row.name;
    EXPECT_TRUE(numbers.insert(row.number).second) << row.name;
  }
  EXPECT_EQ(csrOfOffset(0x60), Csr::kCount);
  EXPECT_EQ(csrOfOffset(page::kSize), Csr::kCount);
  EXPECT_EQ(csrOfNumber(0x7F8), Csr::kCount) << "the hart's";
  CsrFile csrs;
  EXPECT_EQ(csrs.readNumber(0x7D9), 0U) << "unimplemented CAP numbers read 0";
  EXPECT_TRUE(csrs.writeNumber(0x7D9, 1));
  EXPECT_FALSE(csrs.readNumber(0x7F8).has_value());
  EXPECT_FALSE(csrs.readNumber(0x8AC).has_value());
  const std::string page = csrMarkdown();
  for (const CsrDescriptor& row : csrTable())
    EXPECT_NE(page.find(row.name), std::string::npos) << row.name;
}

TEST(Csr, RT056_SnapshotsAreCopies) {
  CsrFile csrs;
  csrs.write(Csr::PREC_MODE, cap::kModeFp32);
  csrs.write(Csr::RTBASE, 0x1000);
  csrs.write(Csr::RTSPROF, 2);
  const JobSnapshot before = csrs.snapshot();
  csrs.reset();
  EXPECT_EQ(before.state.precision.format, Format::Fp32);
  EXPECT_EQ(before.state.rtbase, 0x1000U);
  EXPECT_EQ(before.xmem.rtsprof, 2U);
}

// ---- XMEM

XmemRegisters resetRegisters() {
  return CsrFile().xmemRegisters();
}

TEST(Xmem, RT080_PrecedenceOfClasses) {
  XmemRegisters regs = resetRegisters();
  MemCtl memctl;
  const auto classOf = [&] { return int{resolveXmem(regs, memctl).tags.mclass}; };
  EXPECT_EQ(classOf(), 0);
  regs.l1cfg = 3U << 24U;
  EXPECT_EQ(classOf(), 3) << "ACTIVE_CLASS";
  regs.descpol |= 2;
  EXPECT_EQ(classOf(), 2) << "DESCPOL over ACTIVE_CLASS";
  regs.rtclsdef = 1;
  EXPECT_EQ(classOf(), 1) << "RTCLSDEF over DESCPOL";
  memctl.mclass = 3;
  EXPECT_EQ(classOf(), 3) << "MEMCTL over all";
  memctl.mclass = 9;
  EXPECT_EQ(classOf(), 1) << "an unsupported class is not taken";
  memctl.mclass = 0;
  EXPECT_EQ(classOf(), 1) << "0 inherits (D-32)";
}

TEST(Xmem, RT020_RtclsdefIsLaidOutAsDescpol) {
  XmemRegisters regs = resetRegisters();
  regs.descpol = 0;
  regs.rtclsdef = 0x2C | 1;  // class 1, hybrid enabled, QoS 5
  MemCtl memctl;
  memctl.hyb = 1;
  const XmemPolicy policy = resolveXmem(regs, memctl);
  EXPECT_TRUE(policy.tags.hyb);
  EXPECT_EQ(policy.tags.qos, 5);
  EXPECT_EQ(policy.tags.mclass, kHybridClass) << "a hybrid job prefers CL2";
  EXPECT_EQ(policy.events, 0U);
}

TEST(Xmem, HybridWithoutPermissionFallsBack) {
  XmemRegisters regs = resetRegisters();
  regs.descpol = 0;
  MemCtl memctl;
  memctl.hyb = 1;
  const XmemPolicy policy = resolveXmem(regs, memctl);
  EXPECT_FALSE(policy.tags.hyb);
  EXPECT_EQ(policy.tags.mclass, 0);
  EXPECT_EQ(policy.events, event::kHybFallbk);
}

TEST(Xmem, RT021_StreamingProfiles) {
  XmemRegisters regs = resetRegisters();
  regs.streamCtl = 0x1050040;
  regs.sprof = {0, 0x2070080, 0x3090100, 0};
  MemCtl memctl;
  XmemTags tags = resolveXmem(regs, memctl).tags;
  EXPECT_EQ(tags.sprof, 0);
  EXPECT_EQ(tags.stride, 0x40);
  EXPECT_EQ(tags.prefetchDepth, 5);
  EXPECT_EQ(tags.nontemporal, 1);
  regs.rtsprof = 2;
  tags = resolveXmem(regs, memctl).tags;
  EXPECT_EQ(tags.sprof, 2);
  EXPECT_EQ(tags.stride, 0x100);
  EXPECT_EQ(tags.prefetchDepth, 9);
  EXPECT_EQ(tags.nontemporal, 3);
  memctl.sprofId = 1;
  EXPECT_EQ(resolveXmem(regs, memctl).tags.sprof, 1);
}

TEST(Xmem, RT083_OnlyFiveFieldsOverride) {
  const XmemRegisters regs = resetRegisters();
  MemCtl memctl;
  memctl.l1Hint = memctl.l2Hint = memctl.ldsHint = 0xFF;
  memctl.lineSize = 128;
  memctl.qos = 7;
  memctl.ldsSoftpin = kOnes;
  EXPECT_EQ(resolveXmem(regs, memctl).tags, resolveXmem(regs, {}).tags);
}

TEST(Xmem, DomainsAndStrictness) {
  XmemRegisters regs = resetRegisters();
  MemCtl memctl;
  EXPECT_EQ(resolveXmem(regs, memctl).tags.dom, domain::kRt);
  regs.dom = domain::kCpu;
  EXPECT_EQ(resolveXmem(regs, memctl).tags.dom, domain::kCpu);
  memctl.dom = domain::kMtx;
  EXPECT_EQ(resolveXmem(regs, memctl).tags.dom, domain::kMtx);
  EXPECT_FALSE(resolveXmem(regs, memctl).strictDomain);
  regs.descpol |= 0x40;
  EXPECT_TRUE(resolveXmem(regs, memctl).strictDomain);
  memctl.dom = domain::kAll;
  EXPECT_FALSE(resolveXmem(regs, memctl).strictDomain);
  memctl.dom = 9;
  EXPECT_EQ(resolveXmem(regs, memctl).tags.dom, domain::kCpu) << "not a domain";
}

TEST(Xmem, SecurityAndCompressionNeedTheirFeature) {
  XmemRegisters regs = resetRegisters();
  MemCtl memctl;
  memctl.sec = 3;
  EXPECT_EQ(resolveXmem(regs, memctl).tags.sec, 3);
  regs.cap &= ~std::uint64_t{xmemcap::kSecDom};
  EXPECT_EQ(resolveXmem(regs, memctl).tags.sec, 0);
  regs.compCtl = 0x1234;
  const XmemPolicy policy = resolveXmem(regs, memctl);
  EXPECT_EQ(policy.tags.compMode, 4);
  EXPECT_EQ(policy.tags.compLevel, 3);
  EXPECT_EQ(policy.tags.compDictionary, 0x12);
  EXPECT_EQ(policy.events, event::kCompErr) << "RT has no decompressor: plain accesses";
}

// ---- queue and fences

TEST(Queue, RT096_TicketsCountFromOne) {
  JobQueue queue(4);
  for (Ticket t = 1; t <= 1000; ++t) {
    EXPECT_EQ(queue.submit(t * 8, {}, t), t);
    EXPECT_EQ(queue.occupied(), 1U);
    EXPECT_EQ(queue.take().descriptor, t * 8);
    EXPECT_EQ(queue.occupied(), 1U) << "running jobs keep their place";
    queue.complete(t);
  }
  EXPECT_EQ(queue.doneTicket(), 1000U);
  queue.reset();
  EXPECT_EQ(queue.submit(0, {}, 0), 1U);
}

TEST(Queue, RT097_FirstInFirstOut) {
  JobQueue queue(3);
  for (std::uint64_t i = 0; i < 3; ++i) queue.submit(8 * i, {}, 0);
  EXPECT_TRUE(queue.full());
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(queue.take().descriptor, 8 * i);
    queue.complete(i + 1);
    EXPECT_FALSE(queue.full());
  }
}

TEST(Fence, TokensWaitForEarlierJobsAndSaturate) {
  FenceTokens tokens;
  EXPECT_FALSE(tokens.consume(7));
  tokens.signal(7, 0, 0);
  EXPECT_TRUE(tokens.consume(7));
  EXPECT_FALSE(tokens.consume(7));
  tokens.signal(7, 2, 1);
  tokens.signal(9, 3, 1);
  EXPECT_FALSE(tokens.consume(7));
  tokens.completed(2);
  EXPECT_TRUE(tokens.consume(7));
  EXPECT_FALSE(tokens.consume(9));
  tokens.completed(3);
  EXPECT_TRUE(tokens.consume(9));
  for (int i = 0; i < 300; ++i) tokens.signal(1, 0, 0);
  EXPECT_EQ(tokens.posts(1), FenceTokens::kMost);
}

// ---- LMEM

TEST(Lmem, LeastRecentlyUsedLeavesFirst) {
  Lmem lmem(1);  // two sets of eight
  const auto touch = [&](std::uint64_t line) {
    if (lmem.find(line) != Lmem::kNone) return true;
    lmem.allocate(line);
    return false;
  };
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_FALSE(touch(2 * i));
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_TRUE(touch(2 * i));
  EXPECT_TRUE(touch(0));
  EXPECT_FALSE(touch(16));  // line 2 goes
  EXPECT_TRUE(touch(0));
  EXPECT_FALSE(touch(2));
  lmem.drop(2);
  EXPECT_FALSE(touch(2));
  lmem.clear();
  EXPECT_FALSE(touch(0));
}

TEST(Lmem, AgreesWithAListPerSet) {
  constexpr unsigned kSeed = 5;
  std::cout << "seed " << kSeed << '\n';
  std::mt19937_64 random(kSeed);
  Lmem lmem(4);
  std::vector<std::vector<std::uint64_t>> sets(8);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t line = random() % 150;
    std::vector<std::uint64_t>& set = sets[line % 8];
    const auto found = std::find(set.begin(), set.end(), line);
    const bool expected = found != set.end();
    if (expected) set.erase(found);
    set.push_back(line);
    if (set.size() > Lmem::kWays) set.erase(set.begin());
    const bool hit = lmem.find(line) != Lmem::kNone;
    if (!hit) lmem.allocate(line);
    ASSERT_EQ(hit, expected) << i;
  }
}

TEST(Lmem, SizesArePowersOfTwo) {
  EXPECT_FALSE(Lmem(0).enabled());
  EXPECT_EQ(Lmem(64).kib(), 64U);
  EXPECT_THROW(Lmem(3), std::invalid_argument);
  EXPECT_THROW(Lmem(8192), std::invalid_argument);
}

}  // namespace
}  // namespace rtvp::xphmg
