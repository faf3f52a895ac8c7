// Formats against their definition: every word of the small ones, random values and the
// neighbourhood of every rounding boundary for encode().
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "tests/models/xphmg/format_oracle.hpp"

namespace rtvp::xphmg {
namespace {

using test::FormatFacts;
using test::WordClass;

constexpr Rounding kRoundings[] = {Rounding::Rne, Rounding::Rtz, Rounding::Rup, Rounding::Rdn,
                                   Rounding::Rmm};

Precision policy(Format format, Rounding rounding = Rounding::Rne, bool sat = false,
                 bool ftz = false) {
  Precision p;
  p.format = format;
  p.rounding = rounding;
  p.sat = sat;
  p.ftz = ftz;
  return p;
}

void checkDecode(const FormatFacts& f, std::uint32_t word, bool ftz) {
  Stickies stickies, expected;
  const float got = decode(policy(f.format, Rounding::Rne, false, ftz), word, stickies);
  const test::WordValue meaning = test::meaning(f, word);
  if (meaning.kind == WordClass::QuietNan || meaning.kind == WordClass::SignallingNan) {
    expected.exc = meaning.kind == WordClass::QuietNan ? Stickies::kQnanSeen
                                                       : Stickies::kSnanSeen | Stickies::kInvalid;
    ASSERT_TRUE(std::isnan(got)) << formatInfo(f.format).name << " " << word;
  } else {
    long double value = meaning.value;
    const bool subnormal = value != 0 && std::fabs(value) < std::ldexp(1.0L, 1 - f.bias);
    if (ftz && subnormal) {
      expected.stat = Stickies::kFtzHit;
      value = std::copysign(0.0L, value);
    }
    ASSERT_EQ(static_cast<long double>(got), value) << formatInfo(f.format).name << " " << word;
    ASSERT_EQ(std::signbit(got), std::signbit(value)) << formatInfo(f.format).name << " " << word;
  }
  ASSERT_EQ(stickies, expected) << formatInfo(f.format).name << " " << word;
}

TEST(Formats, RT059_DecodeTablesAreBitExact) {
  for (const FormatFacts& f : test::floatFormats()) {
    const unsigned bytes = formatInfo(f.format).bytes;
    const std::uint64_t words = std::uint64_t{1} << (8U * std::min(bytes, 2U));
    for (const bool ftz : {false, true}) {
      for (std::uint64_t w = 0; w < words; ++w) {
        // FP32: every exponent and the mantissas' two ends.
        const std::uint32_t word =
            bytes == 4
                ? static_cast<std::uint32_t>((w & 0xFF80U) << 16U | (w & 7U) | ((w & 0x78U) << 16U))
                : static_cast<std::uint32_t>(w);
        checkDecode(f, word, ftz);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Formats, RT059_IntegersDecodeWithZeroPointAndScale) {
  for (const Format format : {Format::Int8, Format::Int16, Format::Int32}) {
    const unsigned bits = 8U * formatInfo(format).bytes;
    std::mt19937_64 random(59);
    for (int n = 0; n < 20000; ++n) {
      Precision p = policy(format);
      p.isUnsigned = random() % 2 != 0;
      p.zeroPoint =
          static_cast<std::int16_t>(static_cast<int>(random() % 256) - (p.isUnsigned ? 0 : 128));
      p.scaleShift = static_cast<std::int8_t>(static_cast<int>(random() % 16) - 8);
      const std::uint32_t word = static_cast<std::uint32_t>(
          bits == 32 ? random() : random() & ((std::uint64_t{1} << bits) - 1U));
      std::int64_t q = word;
      if (!p.isUnsigned && q >= (std::int64_t{1} << (bits - 1U))) q -= std::int64_t{1} << bits;
      const long double exact = std::ldexp(static_cast<long double>(q - p.zeroPoint), p.scaleShift);
      Stickies stickies;
      const float got = decode(p, word, stickies);
      EXPECT_EQ(got, static_cast<float>(exact)) << formatInfo(format).name << " " << word;
      EXPECT_EQ(stickies, Stickies{});  // internal inexactness is not reported (9)
    }
  }
}

/// Values where encode() has something to decide: grid points, midpoints, their neighbours, the
/// ends of the range, and anything else.
double interesting(const FormatFacts& f, std::mt19937_64& random) {
  const std::uint64_t kind = random() % 8;
  if (kind == 0) return std::bit_cast<double>(random());
  const int low = 1 - f.bias - f.mantissaBits - 3;
  const int high = std::ilogb(f.maxFinite) + 3;
  const int e = kind <= 2 ? 1 - f.bias - static_cast<int>(random() % 4)
                : kind == 3
                    ? std::ilogb(f.maxFinite) + static_cast<int>(random() % 2)
                    : low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low));
  // A few bits more than the format holds: grid points and midpoints are common.
  const int bits = f.mantissaBits + static_cast<int>(random() % 4);
  std::uint64_t significand = (std::uint64_t{1} << bits) | (random() >> (64 - bits));
  if (random() % 4 == 0) significand = (std::uint64_t{2} << bits) - 1U - random() % 3;
  double x = std::ldexp(static_cast<double>(significand), e - bits);
  if (random() % 4 == 0) x = std::nextafter(x, random() % 2 != 0 ? 1e300 : 0.0);
  return random() % 2 != 0 ? -x : x;
}

TEST(Formats, RT058_FiveRoundingModesAgainstTheDefinition) {
  constexpr unsigned kSeed = 58;
  std::cout << "seed " << kSeed << '\n';
  std::mt19937_64 random(kSeed);
  for (const FormatFacts& f : test::floatFormats()) {
    for (const Rounding rounding : kRoundings) {
      for (int n = 0; n < 60000; ++n) {
        const double x = interesting(f, random);
        const bool sat = random() % 2 != 0, ftz = random() % 2 != 0;
        test::Encoded got;
        got.word = encode(policy(f.format, rounding, sat, ftz), f.format, x, got.stickies);
        const test::Encoded expected = test::encodeFloat(f, x, rounding, sat, ftz);
        ASSERT_EQ(got, expected) << formatInfo(f.format).name << " rm "
                                 << static_cast<int>(rounding) << " sat " << sat << " ftz " << ftz
                                 << " x " << x << ": " << std::hex << got.word << " stat "
                                 << got.stickies.stat << " exc " << got.stickies.exc
                                 << ", expected " << expected.word << " " << expected.stickies.stat
                                 << " " << expected.stickies.exc;
      }
    }
  }
}

TEST(Formats, RT060_QuantisationFollowsTheFormula) {
  constexpr unsigned kSeed = 60;
  std::cout << "seed " << kSeed << '\n';
  std::mt19937_64 random(kSeed);
  for (const Format format : {Format::Int8, Format::Int16, Format::Int32}) {
    const unsigned bits = 8U * formatInfo(format).bytes;
    for (int n = 0; n < 200000; ++n) {
      Precision p = policy(format, kRoundings[random() % 5], random() % 2 != 0);
      p.isUnsigned = random() % 2 != 0;
      p.zeroPoint =
          static_cast<std::int16_t>(static_cast<int>(random() % 256) - (p.isUnsigned ? 0 : 128));
      p.scaleShift = static_cast<std::int8_t>(static_cast<int>(random() % 16) - 8);
      double x = std::ldexp(static_cast<double>(random() % (std::uint64_t{8} << bits)) -
                                static_cast<double>(std::uint64_t{4} << bits),
                            p.scaleShift - 3);
      if (random() % 16 == 0) x = std::bit_cast<double>(random());
      if (std::abs(x) < 1e-280) x = 0;
      if (random() % 4 == 0) x = std::nextafter(x, 0.0);
      test::Encoded got;
      got.word = encode(p, format, x, got.stickies);
      const test::Encoded expected =
          test::encodeInteger(bits, p.isUnsigned, x, p.rounding, p.sat, p.zeroPoint, p.scaleShift);
      ASSERT_EQ(got, expected) << formatInfo(format).name << " uns " << p.isUnsigned << " zp "
                               << p.zeroPoint << " sh " << int{p.scaleShift} << " rm "
                               << static_cast<int>(p.rounding) << " x " << x << " got " << got.word
                               << " expected " << expected.word;
    }
  }
}

TEST(Formats, RT061_SaturationAndFlushMatrix) {
  const auto run = [](Format format, bool sat, bool ftz, double x) {
    test::Encoded e;
    e.word = encode(policy(format, Rounding::Rne, sat, ftz), format, x, e.stickies);
    return e;
  };
  using S = Stickies;
  const std::uint32_t of_nx = S::kOverflow | S::kInexact;
  EXPECT_EQ(run(Format::Fp16, false, false, 1e6), (test::Encoded{0x7C00, {0, of_nx}}));
  EXPECT_EQ(run(Format::Fp16, true, false, 1e6), (test::Encoded{0x7BFF, {S::kSatHit, 0}}));
  EXPECT_EQ(run(Format::Fp16, true, false, -1e6), (test::Encoded{0xFBFF, {S::kSatHit, 0}}));
  EXPECT_EQ(run(Format::Fp16, true, false, INFINITY), (test::Encoded{0x7C00, {}}));
  EXPECT_EQ(run(Format::Fp8E4m3, false, false, 1e6), (test::Encoded{0x7F, {0, of_nx}}));
  EXPECT_EQ(run(Format::Fp8E4m3, true, false, 1e6), (test::Encoded{0x7E, {S::kSatHit, 0}}));
  EXPECT_EQ(run(Format::Fp8E5m2, true, false, 1e6), (test::Encoded{0x7B, {S::kSatHit, 0}}));
  EXPECT_EQ(run(Format::Int8, false, false, 200), (test::Encoded{0x7F, {0, S::kInvalid}}));
  EXPECT_EQ(run(Format::Int8, true, false, -200), (test::Encoded{0x80, {S::kSatHit, 0}}));
  // 2^-24 is FP16's least subnormal: exact, flushed without any other flag.
  EXPECT_EQ(run(Format::Fp16, false, false, 0x1p-24), (test::Encoded{0x0001, {}}));
  EXPECT_EQ(run(Format::Fp16, false, true, 0x1p-24), (test::Encoded{0, {S::kFtzHit, 0}}));
  EXPECT_EQ(run(Format::Fp16, false, true, -0x1.8p-24),
            (test::Encoded{0x8000, {S::kFtzHit, S::kInexact | S::kUnderflow}}));
  // Rounds up to the least normal number: not tiny after rounding (D-46).
  EXPECT_EQ(run(Format::Fp16, false, true, 0x1.FFFp-15), (test::Encoded{0x0400, {0, S::kInexact}}));
}

TEST(Formats, RT061_OperandsAreFlushedInTheirOwnFormat) {
  Stickies stickies;
  // An FP16 subnormal is a normal FP32 number, and flushed all the same (D-46).
  EXPECT_EQ(decode(policy(Format::Fp16, Rounding::Rne, false, true), 0x8001, stickies), 0.0F);
  EXPECT_EQ(stickies.stat, Stickies::kFtzHit);
}

TEST(Formats, RT087_NanPolicyWords) {
  const auto word = [](Format format, NanPolicy nan) {
    Precision p = policy(format);
    p.nanPolicy = nan;
    Stickies stickies;
    const std::uint32_t w = nanPolicyWord(p, format, stickies);
    EXPECT_EQ(stickies, Stickies{});
    return w;
  };
  EXPECT_EQ(word(Format::Fp32, NanPolicy::Propagate), 0x7FC00000U);
  EXPECT_EQ(word(Format::Fp16, NanPolicy::Reserved), 0x7E00U);
  EXPECT_EQ(word(Format::Bf16, NanPolicy::Zero), 0U);
  EXPECT_EQ(word(Format::Bf16, NanPolicy::Infinity), 0x7F80U);
  EXPECT_EQ(word(Format::Fp8E5m2, NanPolicy::Infinity), 0x7CU);
  EXPECT_EQ(word(Format::Fp8E4m3, NanPolicy::Propagate), 0x7FU);
}

TEST(Formats, RiscvRoundingCodesAreTranslated) {
  EXPECT_EQ(fromFrm(0), Rounding::Rne);
  EXPECT_EQ(fromFrm(1), Rounding::Rtz);
  EXPECT_EQ(fromFrm(2), Rounding::Rdn);  // D-14: CAP has RUP and RDN the other way round
  EXPECT_EQ(fromFrm(3), Rounding::Rup);
  EXPECT_EQ(fromFrm(4), Rounding::Rmm);
  EXPECT_EQ(fromFrm(7), Rounding::Rne);
}

}  // namespace
}  // namespace rtvp::xphmg
