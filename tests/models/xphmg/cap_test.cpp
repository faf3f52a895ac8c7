// CAP.PREC: registers, APPLY, the effective state and what RT makes of it (sections 4.2 to 4.6).
#include "models/xphmg/cap.hpp"

#include <gtest/gtest.h>

namespace rtvp::xphmg {
namespace {

constexpr std::uint64_t kApply = std::uint64_t{1} << 63U;

/// MODE with APPLY: PET and EW codes, further bits.
std::uint64_t mode(std::uint64_t pet, std::uint64_t ew, std::uint64_t more = 0) {
  return kApply | 2U << 22U | pet << 19U | ew << 17U | more;
}
std::uint64_t alt(std::uint64_t fmt, std::uint64_t more = 0) {
  return kApply | 1U << 30U | fmt << 26U | more;
}
Precision rt(const CapPrecision& cap) {
  Stickies ignored;
  return cap.rtPrecision(ignored);
}

TEST(Cap, ResetAndSmokeConstants) {
  CapPrecision cap;
  EXPECT_EQ(cap.mode(), 0x009A0000U);
  EXPECT_EQ(cap.stat(), 0x36000000U);
  EXPECT_EQ(rt(cap).format, Format::Fp16);
  cap.writeMode(0x80A40000);
  EXPECT_EQ(cap.mode(), 0x00A40000U);
  EXPECT_EQ(cap.stat(), 0x4A000000U);
  EXPECT_EQ(rt(cap).format, Format::Fp32);
  cap.reset();
  EXPECT_EQ(cap.stat(), 0x36000000U);
}

TEST(Cap, RT092_ApplyCommitsAtomically) {
  for (const unsigned bit : {31U, 63U}) {  // D-13
    CapPrecision cap;
    cap.writeMode(0x00A40000);
    EXPECT_EQ(cap.mode(), cap::kModeReset);
    EXPECT_EQ(cap.stat(), cap::kStatReset);
    cap.writeAlt(1U << 30U | 1U << 26U);
    EXPECT_EQ(cap.alt(), 0U);
    // The commit of one register takes what is staged in the other.
    cap.writeAlt(std::uint64_t{1} << bit | 1U << 30U);
    EXPECT_EQ(cap.mode(), 0x00A40000U);
    EXPECT_EQ(cap.alt(), 1U << 30U);
    EXPECT_EQ(rt(cap).format, Format::Fp32);
  }
}

TEST(Cap, RT054_ReservedBitsReadZero) {
  CapPrecision cap;
  cap.writeMode(~std::uint64_t{0});
  EXPECT_EQ(cap.mode(), 0x7FFFFF00U);
  cap.writeAlt(~std::uint64_t{0});
  EXPECT_EQ(cap.alt(), 0x7FFFFF07U);
  cap.writeExcEnable(~std::uint64_t{0});
  EXPECT_EQ(cap.excEnable(), 0x1FU);
}

TEST(Cap, RT054_EveryFieldReachesItsPlace) {
  CapPrecision cap;
  cap.writeMode(mode(4, 2, 1U << 30U));
  EXPECT_TRUE(rt(cap).sat);
  for (unsigned code = 0; code < 8; ++code) {
    cap.writeMode(mode(4, 2, std::uint64_t{code} << 27U));
    EXPECT_EQ(rt(cap).rounding, code < 5 ? static_cast<Rounding>(code) : Rounding::Rne);
    EXPECT_EQ(cap.stat() >> 19U & 7U, code);
  }
  cap.writeMode(mode(4, 2, 1U << 26U));
  EXPECT_TRUE(rt(cap).ftz);
  cap.writeMode(mode(4, 2, 1U << 24U));
  EXPECT_TRUE(rt(cap).isUnsigned);
  cap.writeMode(mode(4, 2, 1U << 11U | 1U << 10U | 2U << 8U));
  EXPECT_TRUE(rt(cap).zmode);
  EXPECT_TRUE(rt(cap).sae);
  EXPECT_EQ(rt(cap).nanPolicy, NanPolicy::Infinity);
  EXPECT_EQ(cap.stat(), 0x4A000E00U);
}

TEST(Cap, RT054_FormatsOfModeAndAlt) {
  const Format by_pet[] = {Format::Int8, Format::Int16, Format::Bf16,
                           Format::Fp16, Format::Fp32,  Format::Int32};
  const std::uint64_t ew[] = {0, 1, 1, 1, 2, 2};
  CapPrecision cap;
  for (unsigned pet = 0; pet < 6; ++pet) {
    cap.writeMode(mode(pet, ew[pet]));
    EXPECT_EQ(rt(cap).format, by_pet[pet]);
    EXPECT_EQ(cap.stat() & Stickies::kUnsupFmt, 0U);
    EXPECT_EQ(cap.stat() >> 26U, pet << 2U | ew[pet]);
  }
  cap.writeMode(mode(4, 2));
  const Format by_alt[] = {Format::Fp32, Format::Bf16, Format::Fp8E4m3, Format::Fp8E5m2};
  const std::uint32_t pets[] = {4, 2, 8, 9, 10, 11};
  for (unsigned fmt = 0; fmt < 6; ++fmt) {
    cap.writeAlt(alt(fmt));
    EXPECT_EQ(cap.stat() >> 28U, pets[fmt]);
    EXPECT_EQ(cap.stat() >> 23U & 1U, 1U);
    Stickies stickies;
    const Precision p = cap.rtPrecision(stickies);
    // INT4 and INT2: RT runs with MODE's format and says so.
    EXPECT_EQ(p.format, fmt < 4 ? by_alt[fmt] : Format::Fp32);
    EXPECT_EQ(stickies.stat, fmt < 4 ? 0U : Stickies::kUnsupFmt);
  }
  cap.writeAlt(alt(4));
  EXPECT_EQ(cap.stat() >> 16U & 3U, 1U);
  cap.writeAlt(alt(5));
  EXPECT_EQ(cap.stat() >> 16U & 3U, 2U);
}

TEST(Cap, RT053_UnsupportedCombinations) {
  CapPrecision cap;
  cap.writeAlt(alt(7));
  EXPECT_EQ(cap.stat(), cap::kStatReset | Stickies::kUnsupFmt);  // EFF = MODE, ALT_EN 0
  cap.writeAlt(kApply);
  EXPECT_EQ(cap.stat(), cap::kStatReset);
  cap.writeMode(mode(3, 3));  // EW 64
  EXPECT_EQ(cap.stat() & 0xFC008000U, 0x34008000U);
  EXPECT_EQ(rt(cap).format, Format::Fp16);
  for (unsigned pet = 0; pet < 6; ++pet) {
    const unsigned natural[] = {0, 1, 1, 1, 2, 2};
    for (unsigned ew = 0; ew < 4; ++ew) {
      cap.writeMode(mode(pet, ew));
      EXPECT_EQ((cap.stat() & Stickies::kUnsupFmt) != 0, ew != natural[pet]);
      EXPECT_EQ(cap.stat() >> 26U & 3U, natural[pet]);
    }
  }
  cap.writeMode(mode(4, 2));
  cap.writeMode(mode(6, 1, 1U << 30U));  // reserved PET: the previous state stays
  EXPECT_EQ(cap.stat(), 0x4A000000U | Stickies::kUnsupFmt);
  EXPECT_EQ(rt(cap).format, Format::Fp32);
}

TEST(Cap, RT054_QuantisationFieldsNeedQAndAlt) {
  const std::uint64_t fields = 1U << 21U | 0xF0U << 13U | 0xCU << 9U;  // ZP_EN, ZP -16, SH -4
  CapPrecision cap;
  cap.writeMode(mode(0, 0));
  cap.writeAlt(alt(0, fields));
  EXPECT_EQ(rt(cap).zeroPoint, 0);
  EXPECT_EQ(rt(cap).scaleShift, 0);
  cap.writeMode(mode(0, 0, 1U << 25U));
  EXPECT_EQ(rt(cap).zeroPoint, -16);
  EXPECT_EQ(rt(cap).scaleShift, -4);
  cap.writeMode(mode(0, 0, 1U << 25U | 1U << 24U));
  EXPECT_EQ(rt(cap).zeroPoint, 240);  // unsigned with UNS
  cap.writeAlt(kApply | fields);
  EXPECT_EQ(rt(cap).scaleShift, 0);
}

TEST(Cap, AltSatAndAccwWin) {
  CapPrecision cap;
  cap.writeAlt(alt(0, 1U << 8U | 1U << 24U));
  EXPECT_TRUE(rt(cap).sat);
  EXPECT_EQ(cap.stat() >> 24U & 3U, 1U);
}

TEST(Cap, RT025_RT074_StickiesAccumulateAndApplyClearsStat) {
  CapPrecision cap;
  cap.retire({Stickies::kSatHit, Stickies::kOverflow});
  cap.retire({Stickies::kFtzHit | Stickies::kDowncastTaken, Stickies::kQnanSeen});
  EXPECT_EQ(cap.stat() & 0xF000U, 0x7000U);
  EXPECT_EQ(cap.excStatus(), 0x24U);
  cap.writeExcStatus(0x04);
  EXPECT_EQ(cap.excStatus(), 0x20U);
  cap.writeMode(mode(3, 1));
  EXPECT_EQ(cap.stat() & 0xF000U, 0U);
  EXPECT_EQ(cap.excStatus(), 0x20U);  // EXC.ST survives APPLY
}

TEST(Cap, RT075_RT076_TrapMatrix) {
  for (unsigned bit = 0; bit < 5; ++bit) {
    for (const bool enabled : {false, true}) {
      for (const bool sae : {false, true}) {
        CapPrecision cap;
        cap.writeExcEnable(enabled ? 1U << bit : 0x1FU & ~(1U << bit));
        cap.writeMode(mode(4, 2, sae ? 1U << 10U : 0U));
        const Stickies raised{0, 1U << bit};
        EXPECT_EQ(cap.enabledFlags(raised, rt(cap).sae), enabled && !sae ? 1U << bit : 0U);
        // The enables, as STAT latches them (D-30).
        EXPECT_EQ(cap.stat() >> 3U & 0x1FU, sae ? 0U : cap.excEnable());
      }
    }
  }
}

TEST(Cap, RT093_OneShotControlLeavesCapAlone) {
  CapPrecision cap;
  const std::uint32_t stat = cap.stat();
  Stickies stickies;
  const Precision p = cap.rtPrecision(stickies, FpControl{2, true, true});
  EXPECT_EQ(p.rounding, Rounding::Rdn);  // frm 2 is RDN, CAP code 3 (D-14)
  EXPECT_TRUE(p.sae);
  EXPECT_TRUE(p.zmode);
  EXPECT_EQ(cap.stat(), stat);
  EXPECT_EQ(rt(cap).rounding, Rounding::Rne);
}

TEST(Cap, LayoutBIsAnOption) {
  CapPrecision cap(ModeLayout::B);
  EXPECT_EQ(cap.stat(), cap::kStatReset);
  // SAT, RM 1, PET 1 (FP32), EW 32.
  cap.writeMode(kApply | 1U << 30U | 1U << 27U | 1U << 21U | 2U << 19U);
  EXPECT_EQ(rt(cap).format, Format::Fp32);
  EXPECT_EQ(rt(cap).rounding, Rounding::Rtz);
  EXPECT_TRUE(rt(cap).sat);
  // INT8 with a zero point of its own.
  cap.writeMode(kApply | 3U << 21U | 1U << 14U | 5U << 6U | 1U << 5U);
  EXPECT_EQ(rt(cap).format, Format::Int8);
  EXPECT_EQ(rt(cap).zeroPoint, 5);
}

}  // namespace
}  // namespace rtvp::xphmg
