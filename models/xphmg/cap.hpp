// CAP.PREC: the numeric-policy registers and the effective state derived from them
// (xphmg.md 4.2-4.6).
#pragma once

#include <cstdint>
#include <optional>

#include "models/xphmg/format.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::xphmg {

/// CAP.PREC.MODE and ALT, layout A (D-12).
namespace cap {
inline constexpr std::uint64_t kModeReset = 0x009A0000;
inline constexpr std::uint64_t kModeFp32 = 0x80A40000;  ///< FP32 with APPLY0
inline constexpr std::uint32_t kStatReset = 0x36000000;
/// Either bit commits (D-13); both read 0.
inline constexpr std::uint64_t kApply = (std::uint64_t{1} << 63U) | (std::uint64_t{1} << 31U);
inline constexpr std::uint64_t kModeMask = 0x7FFFFF00;
inline constexpr std::uint64_t kAltMask = 0x7FFFFF07;
inline constexpr std::uint64_t kExcEnMask = 0x1F;
inline constexpr std::uint64_t kExcStMask = 0x7F;
}  // namespace cap

/// svon.fpctl: replaces rounding, SAE and ZMODE for one instruction, CAP itself stays (RT-093).
struct FpControl {
  unsigned frm = 0;  ///< RISC-V code (D-14)
  bool sae = false;
  bool zmode = false;
};

/// EFF of 4.4: the fields of STAT that are not sticky.
struct EffectiveState {
  std::uint8_t pet = 3;  ///< EFF_PET code; 10 INT4 and 11 INT2 are possible here
  std::uint8_t ew = 1;   ///< 0 = 8, 1 = 16, 2 = 32 bits
  std::uint8_t accw = 2;
  std::uint8_t pack = 0;
  std::uint8_t roundingCode = 0;  ///< as written; reserved codes act as RNE
  std::uint8_t nanPolicy = 0;
  bool altEnabled = false;
  bool sat = false, q = false, isUnsigned = false, ftz = false, zmode = false, sae = false;
  std::int16_t zeroPoint = 0;
  std::int8_t scaleShift = 0;
  bool operator==(const EffectiveState&) const = default;
};

/// Option: how CAP.PREC.MODE's bits are read. B is the 0.1.1 table, which contradicts its own
/// examples; it is here to run programs written to the letter of that table (D-12).
enum class ModeLayout : std::uint8_t { A, B };

/// A MODE word of layout B in layout A's positions; zp and zpEnabled travel beside it.
struct LayoutBMode {
  std::uint64_t mode = 0;
  bool zeroPointEnabled = false;
  std::uint8_t zeroPoint = 0;
};
[[nodiscard]] LayoutBMode fromLayoutB(std::uint64_t word);

class CapPrecision {
 public:
  explicit CapPrecision(ModeLayout layout = ModeLayout::A) : layout_(layout) { reset(); }

  void reset();

  // Register file view. A write without APPLY is staged: neither readable nor effective (RT-092).
  [[nodiscard]] std::uint64_t mode() const { return mode_; }
  [[nodiscard]] std::uint64_t alt() const { return alt_; }
  [[nodiscard]] std::uint32_t stat() const;
  [[nodiscard]] std::uint64_t excEnable() const { return excEn_; }
  [[nodiscard]] std::uint64_t excStatus() const { return sticky_.exc; }
  void writeMode(std::uint64_t value);
  void writeAlt(std::uint64_t value);
  void writeExcEnable(std::uint64_t value);
  void writeExcStatus(std::uint64_t value);  ///< write 1 to clear

  [[nodiscard]] const EffectiveState& effective() const { return eff_; }

  /// The policy an RT operation runs under. INT4 and INT2 are unsupported for RT: UNSUP_FMT is set
  /// in `stickies` and MODE's format taken (4.4).
  [[nodiscard]] Precision rtPrecision(Stickies& stickies,
                                      std::optional<FpControl> control = std::nullopt) const;

  /// ORs an operation's stickies in, at its retirement.
  void retire(const Stickies& stickies) { sticky_.add(stickies); }
  /// Flags of `stickies` that are enabled and not suppressed: a trap if non-zero (RT-075).
  [[nodiscard]] std::uint32_t enabledFlags(const Stickies& stickies, bool sae) const {
    return sae ? 0U : stickies.exc & static_cast<std::uint32_t>(excEn_);
  }

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  void apply();

  ModeLayout layout_;
  std::uint64_t mode_ = cap::kModeReset, alt_ = 0;
  std::uint64_t stagedMode_ = cap::kModeReset, stagedAlt_ = 0;
  std::uint64_t excEn_ = 0;
  std::uint32_t ieMask_ = 0;
  EffectiveState eff_;
  Stickies sticky_;
};

}  // namespace rtvp::xphmg
