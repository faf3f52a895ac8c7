// RT.BBOX and RT.TRI as one lane executes them (xphmg.md 8, 9): operands from memory, the result
// registers as 8.3 lays them out. Predication, lanes, CSRs and traps are the hart's.
#pragma once

#include <array>
#include <cstdint>

#include "models/xphmg/intersect.hpp"
#include "models/xphmg/memory_port.hpp"

namespace rtvp::xphmg {

/// RTCAP bits (3.2).
namespace rtcap {
inline constexpr std::uint64_t kNode4 = 1, kNode8 = 2, kWatertight = 4, kPackHint = 8, kEpsCtl = 16,
                               kDescq = 32;
inline constexpr std::uint64_t kAll = 0x3F;
}  // namespace rtcap

/// imm[3:0]; imm[11:4] must be 0.
namespace imm {
inline constexpr std::uint32_t kTClamp = 1;    ///< BBOX
inline constexpr std::uint32_t kCullBack = 1;  ///< TRI
inline constexpr std::uint32_t kPredOnly = 2;
inline constexpr std::uint32_t kPackHint = 4;
inline constexpr std::uint32_t kWGuard = 8;  ///< BBOX
inline constexpr std::uint32_t kEpsCtl = 8;  ///< TRI
inline constexpr std::uint32_t kKnown = 0xF;
}  // namespace imm

enum class RtOp : std::uint8_t { Bbox, Tri };

/// Field positions of RTCFG, RTCONF2, RTNODE and RTTRI (3.2 - 3.4).
namespace csr {
inline constexpr std::uint64_t kCfgPackHint = 1U << 2U;
[[nodiscard]] constexpr unsigned epsDefault(std::uint64_t rtcfg) {
  return (rtcfg >> 8U) & 0xFFU;
}
[[nodiscard]] constexpr unsigned epsScale(std::uint64_t rtconf2) {
  return rtconf2 & 0xFFU;
}
inline constexpr std::uint64_t kNodeNode8 = 1, kNodeSelEn = 2, kNodeLaneTable = 0x20;
[[nodiscard]] constexpr unsigned nodeSel(std::uint64_t rtnode) {
  return (rtnode >> 2U) & 7U;
}
inline constexpr std::uint64_t kNodeAddress = ~std::uint64_t{0x3F};
inline constexpr std::uint64_t kTriLaneTable = 1;
inline constexpr std::uint64_t kTriAddress = ~std::uint64_t{0xF};
}  // namespace csr

/// The state an RT instruction samples at decode.
struct InlineState {
  Precision precision;
  std::uint64_t rtcap = rtcap::kAll;
  std::uint64_t rtcfg = 0, rtconf2 = 0, rtbase = 0, rtnode = 0, rttri = 0;
  bool literal88 = false;      ///< option of 7.1
  bool edgeInclusive = false;  ///< option of D-41
};

enum class InlineStatus : std::uint8_t {
  Done,
  Illegal,     ///< illegal instruction, see errorCode (1 or 2)
  Misaligned,  ///< load address misaligned at `address`; LAST_EC unchanged
  Bus,         ///< load access fault at `address`; LAST_EC unchanged
};

struct InlineResult {
  InlineStatus status = InlineStatus::Done;
  unsigned errorCode = 0;
  std::uint64_t address = 0;
  bool hit = false;        ///< predicate
  unsigned registers = 0;  ///< how many of `rd` to write: 0 (PRED_ONLY), 1, 3 or 4
  std::array<std::uint64_t, 4> rd{};
  Stickies stickies;
  // What rd is made of, for tools and traces.
  std::uint32_t mask =
      0;  ///< BBOX: children hit. TRI: entries 0-31 of the range that pass by themselves
  unsigned child = 0;                     ///< BBOX: nearest
  std::uint32_t prim = 0;                 ///< TRI
  bool front = false;                     ///< TRI
  std::array<std::uint32_t, 3> values{};  ///< tnear, tfar or t, u, v as words of `valueFormat`
  Format valueFormat = Format::Fp16;
  unsigned boxesTested = 0, trianglesTested = 0;
};

/// Capabilities and immediate of an instruction, before any lane runs: 0 or the EC of its trap
/// (3.5).
[[nodiscard]] unsigned checkInline(RtOp op, std::uint32_t imm12, const InlineState& state);
/// Destination registers of an instruction: 0, 1, 3 or 4 (RTCFG.PACK_HINT_DFLT counts).
[[nodiscard]] unsigned resultRegisters(RtOp op, std::uint32_t imm12, const InlineState& state);

/// Executes one lane. `rayAddress` is rs1; `lane` selects the entry of a lane table.
[[nodiscard]] InlineResult executeBbox(const InlineState& state, std::uint32_t imm12,
                                       std::uint64_t ray_address, unsigned lane, MemoryPort& port);
[[nodiscard]] InlineResult executeTri(const InlineState& state, std::uint32_t imm12,
                                      std::uint64_t ray_address, unsigned lane, MemoryPort& port);

/// Value words of a result, rounded: the effective format, or what PACK_HINT makes of it.
[[nodiscard]] Format valueFormat(const Precision& precision, bool packed);

}  // namespace rtvp::xphmg
