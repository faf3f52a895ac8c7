// Number formats of XPHMG_RT: decoding operands to FP32, rounding results once from binary64
// (xphmg.md 4.7, 9; D-46). Plain integer arithmetic: the host's rounding mode never matters.
#pragma once

#include <cstdint>

namespace rtvp::xphmg {

/// Element formats; the values are the EFF_PET codes of CAP.PREC.STAT (D-31).
enum class Format : std::uint8_t {
  Int8 = 0,
  Int16 = 1,
  Bf16 = 2,
  Fp16 = 3,
  Fp32 = 4,
  Int32 = 5,
  Fp8E4m3 = 8,
  Fp8E5m2 = 9,
};

struct FormatInfo {
  Format format;
  const char* name;
  std::uint8_t bytes;         ///< W: bytes of an element
  bool integer;               ///< two's complement or unsigned; the fields below are then 0
  std::uint8_t exponentBits;  ///< floating point
  std::uint8_t mantissaBits;  ///< stored bits
  std::int16_t bias;
  bool infinity;               ///< false: E4M3, whose top code is the one NaN
  std::uint32_t maxFinite;     ///< positive word
  std::uint32_t canonicalNan;  ///< quiet NaN of results
};

[[nodiscard]] const FormatInfo& formatInfo(Format format);

/// FP_RMODE codes of CAP.PREC.MODE. RISC-V's frm swaps RUP and RDN: fromFrm() (D-14).
enum class Rounding : std::uint8_t { Rne = 0, Rtz = 1, Rup = 2, Rdn = 3, Rmm = 4 };

/// Rounding of a RISC-V frm code (svon.fpctl); reserved codes are RNE.
[[nodiscard]] Rounding fromFrm(unsigned frm);

/// NAN_POL: what the value registers of a miss by NaN hold (9.4). 3 is reserved and acts as 0.
enum class NanPolicy : std::uint8_t { Propagate = 0, Zero = 1, Infinity = 2, Reserved = 3 };

/// Sticky state that operations set: CAP.PREC.STAT[15:12] in place, and CAP.PREC.EXC.ST.
struct Stickies {
  static constexpr std::uint32_t kUnsupFmt = 0x8000;
  static constexpr std::uint32_t kDowncastTaken = 0x4000;
  static constexpr std::uint32_t kSatHit = 0x2000;
  static constexpr std::uint32_t kFtzHit = 0x1000;
  static constexpr std::uint32_t kSnanSeen = 0x40;
  static constexpr std::uint32_t kQnanSeen = 0x20;
  static constexpr std::uint32_t kInvalid = 0x10;
  static constexpr std::uint32_t kDivZero = 0x08;
  static constexpr std::uint32_t kOverflow = 0x04;
  static constexpr std::uint32_t kUnderflow = 0x02;
  static constexpr std::uint32_t kInexact = 0x01;

  std::uint32_t stat = 0;
  std::uint32_t exc = 0;

  void add(const Stickies& other) {
    stat |= other.stat;
    exc |= other.exc;
  }
  bool operator==(const Stickies&) const = default;
};

/// The numeric policy an operation runs under: a snapshot of the effective state (4.4), resolved
/// for RT (INT4 and INT2 are already replaced).
struct Precision {
  Format format = Format::Fp16;
  Rounding rounding = Rounding::Rne;
  NanPolicy nanPolicy = NanPolicy::Propagate;
  bool ftz = false;            ///< DENORM_FTZ
  bool sat = false;            ///< SAT
  bool isUnsigned = false;     ///< UNS, integers only
  bool zmode = false;          ///< masked destinations: 0 merge, 1 zero
  bool sae = false;            ///< suppress synchronous FP traps
  std::int16_t zeroPoint = 0;  ///< 0 unless Q and ZP_EN; -128..255
  std::int8_t scaleShift = 0;  ///< real = (q - zeroPoint) * 2^scaleShift; 0 unless Q; -8..7

  [[nodiscard]] unsigned elementBytes() const { return formatInfo(format).bytes; }
  bool operator==(const Precision&) const = default;
};

/// Operand word (low W bytes) as FP32, exactly (INT32: RNE). FTZ is judged in the operand's own
/// format. Sets QNAN_SEEN, SNAN_SEEN + NV, FTZ_HIT. A NaN comes back as a quiet NaN.
[[nodiscard]] float decode(const Precision& precision, std::uint32_t word, Stickies& stickies);

/// Rounds a binary64 value once to `format` under `precision`'s rounding, FTZ, SAT, UNS, zero point
/// and scale. Flags as D-46 says. An exact infinity in E4M3, which has none, becomes its NaN
/// without a flag (SAT=1: the largest finite value, SAT_HIT, as the integer formats do).
[[nodiscard]] std::uint32_t encode(const Precision& precision, Format format, double value,
                                   Stickies& stickies);

/// The word a value register gets when nothing was hit and a NaN was consumed (9.4).
[[nodiscard]] std::uint32_t nanPolicyWord(const Precision& precision, Format format,
                                          Stickies& stickies);

}  // namespace rtvp::xphmg
