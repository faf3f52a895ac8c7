// See cap.hpp.
#include "models/xphmg/cap.hpp"

#include <algorithm>
#include <iterator>

namespace rtvp::xphmg {
namespace {

constexpr unsigned bits(std::uint64_t word, unsigned high, unsigned low) {
  return static_cast<unsigned>((word >> low) & ((std::uint64_t{1} << (high - low + 1U)) - 1U));
}
constexpr bool bit(std::uint64_t word, unsigned n) {
  return ((word >> n) & 1U) != 0;
}

constexpr std::uint8_t kPetInt4 = 10, kPetInt2 = 11;
/// EW code of each PET of MODE (4.4 rule 5).
constexpr std::uint8_t kNaturalEw[] = {0, 1, 1, 1, 2, 2};

/// What an ALT_FMT code selects (4.3).
struct AltFormat {
  std::uint8_t pet, ew, pack;
};
constexpr AltFormat kAltFormats[] = {
    {0, 0, 0},         // NONE: MODE's, looked up by the caller
    {2, 1, 0},         // BF16_LITE
    {8, 0, 0},         // FP8_E4M3
    {9, 0, 0},         // FP8_E5M2
    {kPetInt4, 0, 1},  // two a byte
    {kPetInt2, 0, 2},  // four a byte
};

std::int16_t zeroPointOf(unsigned raw, bool is_unsigned) {
  return static_cast<std::int16_t>(is_unsigned || raw < 128 ? static_cast<int>(raw)
                                                            : static_cast<int>(raw) - 256);
}

/// PET and EW of MODE into `eff`. False: reserved PET.
bool deriveFormat(EffectiveState& eff, std::uint64_t mode) {
  const unsigned pet = bits(mode, 21, 19);
  if (pet >= std::size(kNaturalEw)) return false;
  eff.pet = static_cast<std::uint8_t>(pet);
  eff.ew = static_cast<std::uint8_t>(bits(mode, 18, 17));
  return true;
}

}  // namespace

LayoutBMode fromLayoutB(std::uint64_t word) {
  // PET has names without numbers in that table: numbered in their order.
  constexpr std::uint64_t kPet[] = {3, 4, 2, 0, 1, 5, 6, 7};
  constexpr std::uint64_t kAccw[] = {2, 1, 3, 3};
  LayoutBMode out;
  const std::uint64_t sae = bit(word, 29) || bit(word, 2) ? 1U : 0U;
  const std::uint64_t sat = bit(word, 30) || bit(word, 16) ? 1U : 0U;
  out.mode = sat << 30U | std::uint64_t{bits(word, 28, 27)} << 27U |
             std::uint64_t{bits(word, 5, 5)} << 25U | std::uint64_t{bits(word, 4, 4)} << 24U |
             kAccw[bits(word, 26, 24) & 3U] << 22U | kPet[bits(word, 23, 21)] << 19U |
             std::uint64_t{bits(word, 20, 19)} << 17U | std::uint64_t{bits(word, 18, 17)} << 12U |
             std::uint64_t{bits(word, 3, 3)} << 11U | sae << 10U;
  out.zeroPointEnabled = bits(word, 15, 14) != 0;
  out.zeroPoint = static_cast<std::uint8_t>(bits(word, 13, 6));
  return out;
}

void CapPrecision::reset() {
  // The reset word of layout A, and what means the same in layout B: FP16, EW 16, ACCW FP32.
  mode_ = layout_ == ModeLayout::A ? cap::kModeReset : std::uint64_t{1} << 19U;
  alt_ = 0;
  stagedMode_ = mode_;
  stagedAlt_ = 0;
  excEn_ = 0;
  eff_ = {};
  sticky_ = {};
  apply();
}

std::uint32_t CapPrecision::stat() const {
  const auto flag = [](bool value, unsigned at) { return (value ? 1U : 0U) << at; };
  std::uint32_t word = static_cast<std::uint32_t>(eff_.pet) << 28U |
                       static_cast<std::uint32_t>(eff_.ew) << 26U |
                       static_cast<std::uint32_t>(eff_.accw) << 24U | flag(eff_.altEnabled, 23) |
                       flag(eff_.sat, 22) | static_cast<std::uint32_t>(eff_.roundingCode) << 19U;
  word |= flag(eff_.q, 18) | static_cast<std::uint32_t>(eff_.pack) << 16U | sticky_.stat |
          flag(eff_.zmode, 11) | flag(eff_.sae, 10) |
          static_cast<std::uint32_t>(eff_.nanPolicy) << 8U;
  // D-30: {NV, DZ, OF, UF} in 7:4, NX in 3.
  return word | ieMask_ << 3U;
}

void CapPrecision::writeMode(std::uint64_t value) {
  stagedMode_ = value & (layout_ == ModeLayout::A ? cap::kModeMask : 0x7FFFFFFCU);
  if ((value & cap::kApply) != 0) apply();
}

void CapPrecision::writeAlt(std::uint64_t value) {
  stagedAlt_ = value & cap::kAltMask;
  if ((value & cap::kApply) != 0) apply();
}

void CapPrecision::writeExcEnable(std::uint64_t value) {
  excEn_ = value & cap::kExcEnMask;
}

void CapPrecision::writeExcStatus(std::uint64_t value) {
  sticky_.exc &= ~static_cast<std::uint32_t>(value);
}

/// Commits what is staged and derives the effective state (4.4).
void CapPrecision::apply() {
  mode_ = stagedMode_;
  alt_ = stagedAlt_;
  sticky_.stat = 0;
  const LayoutBMode b = fromLayoutB(mode_);
  const std::uint64_t mode = layout_ == ModeLayout::A ? mode_ : b.mode;

  EffectiveState eff;
  eff.sat = bit(mode, 30);
  eff.roundingCode = static_cast<std::uint8_t>(bits(mode, 29, 27));
  eff.ftz = bit(mode, 26);
  eff.q = bit(mode, 25);
  eff.isUnsigned = bit(mode, 24);
  eff.accw = static_cast<std::uint8_t>(bits(mode, 23, 22));
  const unsigned pack = bits(mode, 16, 12);
  eff.pack = static_cast<std::uint8_t>(pack <= 2 ? pack : 0);  // others are reserved
  eff.zmode = bit(mode, 11);
  eff.sae = bit(mode, 10);
  eff.nanPolicy = static_cast<std::uint8_t>(bits(mode, 9, 8));
  if (layout_ == ModeLayout::B && eff.q && b.zeroPointEnabled)
    eff.zeroPoint = zeroPointOf(b.zeroPoint, eff.isUnsigned);

  const unsigned fmt = bits(alt_, 29, 26);
  const bool alt_known = bit(alt_, 30) && fmt < std::size(kAltFormats);
  bool supported = !bit(alt_, 30) || alt_known;
  bool known = true;
  if (alt_known && fmt != 0) {
    eff.pet = kAltFormats[fmt].pet;
    eff.ew = kAltFormats[fmt].ew;
    eff.pack = std::max(eff.pack, kAltFormats[fmt].pack);
  } else {
    known = deriveFormat(eff, mode);
    if (known && eff.ew != kNaturalEw[eff.pet]) {
      eff.ew = kNaturalEw[eff.pet];
      supported = false;
    }
  }
  if (alt_known) {
    eff.altEnabled = true;
    if (const unsigned accw = bits(alt_, 25, 24); accw != 0)
      eff.accw = static_cast<std::uint8_t>(accw);
    eff.sat = eff.sat || bit(alt_, 8);
    if (eff.q) {
      eff.zeroPoint =
          bit(alt_, 21) ? zeroPointOf(bits(alt_, 20, 13), eff.isUnsigned) : std::int16_t{0};
      const int shift = static_cast<int>(bits(alt_, 12, 9));
      eff.scaleShift = static_cast<std::int8_t>(shift < 8 ? shift : shift - 16);
    }
  }
  if (known) eff_ = eff;  // a reserved PET keeps the previous state
  if (!known || !supported) sticky_.stat |= Stickies::kUnsupFmt;
  ieMask_ = eff_.sae ? 0U : static_cast<std::uint32_t>(excEn_);
}

Precision CapPrecision::rtPrecision(Stickies& stickies, std::optional<FpControl> control) const {
  Precision p;
  std::uint8_t pet = eff_.pet;
  const bool packed_integers = pet == 0 && eff_.pack != 0;
  if (pet == kPetInt4 || pet == kPetInt2 || packed_integers) {
    stickies.stat |= Stickies::kUnsupFmt;
    EffectiveState from_mode;
    const std::uint64_t mode = layout_ == ModeLayout::A ? mode_ : fromLayoutB(mode_).mode;
    // A reserved PET there leaves the reset format.
    if (!deriveFormat(from_mode, mode)) from_mode = {};
    pet = from_mode.pet;
  }
  p.format = static_cast<Format>(pet);
  p.rounding = eff_.roundingCode <= 4 ? static_cast<Rounding>(eff_.roundingCode) : Rounding::Rne;
  p.nanPolicy = static_cast<NanPolicy>(eff_.nanPolicy);
  p.ftz = eff_.ftz;
  p.sat = eff_.sat;
  p.isUnsigned = eff_.isUnsigned;
  p.zmode = eff_.zmode;
  p.sae = eff_.sae;
  const bool integer = formatInfo(p.format).integer;
  p.zeroPoint = integer ? eff_.zeroPoint : std::int16_t{0};
  p.scaleShift = integer ? eff_.scaleShift : std::int8_t{0};
  if (control) {
    p.rounding = fromFrm(control->frm);
    p.sae = control->sae;
    p.zmode = control->zmode;
  }
  return p;
}

}  // namespace rtvp::xphmg
