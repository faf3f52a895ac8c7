// The register state of an XPHMG_RT unit: one set of registers, reached by CSR number and by page
// offset (xphmg.md 3, 4.1, 5.2, 16.1). Queue, tickets, interrupts and counters of the page are kept
// by the queue engine and shown through poke().
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/xphmg/cap.hpp"
#include "models/xphmg/csr_table.hpp"
#include "models/xphmg/inline_op.hpp"
#include "models/xphmg/job.hpp"
#include "models/xphmg/xmem.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::xphmg {

/// What a build has (elaboration parameters).
struct UnitFeatures {
  std::uint64_t rtcap = rtcap::kAll;
  std::uint32_t xmemCap = xmemcap::kAll;
  bool cap = true;             ///< false: the required CAP is absent, RT is unsupported (RT-001)
  bool implHints = true;       ///< RTCONF2.IMPL_HINT stores; otherwise it reads 0
  bool enStrict = false;       ///< D-20: RTCFG.EN = 0 is an error (EC 1)
  bool literal88 = false;      ///< option of 7.1
  bool edgeInclusive = false;  ///< option of D-41
  bool triangleFault = false;  ///< fault injection: no triangle is ever hit
  bool plain = false;          ///< speed setting: no vector code; results are the same
  ModeLayout modeLayout = ModeLayout::A;
  unsigned ldsKib = 256;  ///< CAP.XMEM.PARAMS
};

/// LAST_EC codes (3.2).
inline constexpr unsigned kEcNone = 0, kEcIllegal = 1, kEcUnsupported = 2;

/// What XSUBMIT.RT samples at decode (D-35): later writes do not reach the job.
struct JobSnapshot {
  JobState state;
  Stickies stickies;            ///< raised by deriving the precision
  std::uint32_t excEnable = 0;  ///< EXC.EN
  XmemRegisters xmem;
};

class CsrFile {
 public:
  explicit CsrFile(const UnitFeatures& features = {});

  /// Everything takes its reset value; RTCAP and the other capabilities are constants (D-44).
  void reset();

  [[nodiscard]] std::uint64_t read(Csr csr) const;
  /// Under the access rules; writes to RO fields and reserved bits are ignored.
  void write(Csr csr, std::uint64_t value);

  /// The same by CSR number of the hart. Empty or false: the number is not this unit's.
  /// Unimplemented numbers in 0x7C0-0x7F7 read 0 and ignore writes (4.1).
  [[nodiscard]] std::optional<std::uint64_t> readNumber(unsigned number) const;
  bool writeNumber(unsigned number, std::uint64_t value);
  [[nodiscard]] static bool owns(unsigned number);

  /// The model's own view of a stored register.
  void poke(Csr csr, std::uint64_t value) { values_[index(csr)] = value; }
  [[nodiscard]] std::uint64_t peek(Csr csr) const { return values_[index(csr)]; }

  [[nodiscard]] CapPrecision& precision() { return precision_; }
  [[nodiscard]] const CapPrecision& precision() const { return precision_; }
  [[nodiscard]] const UnitFeatures& features() const { return features_; }

  /// Latest error wins; `code` 0 changes nothing (D-27).
  void setLastEc(unsigned code);
  void raiseEvents(std::uint32_t bits) { values_[index(Csr::XMEM_EVENTS)] |= bits; }
  void setBusy(bool busy) { busy_ = busy; }
  /// Adds to RTSTAT's counters, which wrap at 28 bits (D-26).
  void countIssued(std::uint64_t boxes, std::uint64_t triangles);

  [[nodiscard]] JobSnapshot snapshot() const;
  /// What RT.BBOX and RT.TRI sample. Stickies of the derivation go to `stickies`.
  [[nodiscard]] InlineState inlineState(Stickies& stickies,
                                        std::optional<FpControl> control = std::nullopt) const;
  [[nodiscard]] XmemRegisters xmemRegisters() const;

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  [[nodiscard]] static constexpr std::size_t index(Csr csr) {
    return static_cast<std::size_t>(csr);
  }
  [[nodiscard]] std::uint64_t rtstat() const;

  UnitFeatures features_;
  CapPrecision precision_;
  std::array<std::uint64_t, kCsrs> values_{};
  std::array<std::uint64_t, kCsrs> rw_{}, w1c_{};
  unsigned lastEc_ = 0;
  bool busy_ = false;
  std::uint64_t boxes_ = 0, triangles_ = 0;
};

}  // namespace rtvp::xphmg
