// What lies in the shading unit's memory: surfaces, requests, saved runs, results, texels. Host
// driver and unit read the same offsets. All numbers are little-endian 32-bit words, floats as IEEE
// binary32 (assumed: no document fixes the hardware around SL).
#pragma once

#include <array>
#include <cstdint>

#include "models/sl/registers.hpp"

namespace rtvp::sl::unit {

// ---- surface: a program with the constants and textures of one `surface` statement
namespace surface {
inline constexpr unsigned kProgramStart = 0;  ///< first instruction in the program store
inline constexpr unsigned kProgramCount = 1;  ///< instructions
inline constexpr unsigned kFlags = 2;         ///< bit 0: offsets count from the branch itself
inline constexpr unsigned kTextures = 3;      ///< eight slots of kTextureWords
inline constexpr unsigned kTextureWords = 4;  ///< address low, address high, size, format
inline constexpr unsigned kC0 = 35;           ///< three words
inline constexpr unsigned kC1 = 38;           ///< three words
inline constexpr unsigned kR = 41;            ///< r0..r3, three words each
inline constexpr unsigned kS = 53;            ///< s0..s3
inline constexpr unsigned kScalars = 57;      ///< Kd, Ks, S, Kr, Kt, Ka
inline constexpr unsigned kWords = 64;
}  // namespace surface

/// Format word of a texture slot. Size word: width in bits 15:0, height in bits 31:16.
enum class Format : std::uint32_t {
  None = 0,   ///< reads (0,0,0)
  Rgba8 = 1,  ///< texel: r, g, b, a in bytes 0 to 3; a channel reads as byte / 255
  Bump = 2,   ///< texel: x and y of a unit normal as signed 16 bits / 32767, x in bits 15:0
  Cube = 3,   ///< six square faces of Rgba8, one after the other: +x, -x, +y, -y, +z, -z
};
inline constexpr std::uint32_t kLastFormat = 3;

// ---- slot: one run of a program
namespace slot {
inline constexpr unsigned kSeed = 0;   ///< of rnd; 0 counts as 1
inline constexpr unsigned kFlags = 1;  ///< kTraceLive
inline constexpr unsigned kIndex = 2;  ///< register I
inline constexpr unsigned kS = 3;      ///< texture coordinates of registers t0..t7
inline constexpr unsigned kT = 4;
inline constexpr unsigned kVectors = 5;  ///< kVectorOrder, three words each
/// Those that most programs read come first: the unit reads, and the host writes, no more than a
/// program needs (wordsNeeded).
inline constexpr std::array<reg::Id, 11> kVectorOrder{
    reg::L, reg::N, reg::V, reg::dE, reg::xy, reg::uv, reg::Pw, reg::ds, reg::dt, reg::du, reg::dv};
/// The first word of one of them; 0: it is none.
constexpr unsigned vectorPlace(unsigned id) {
  for (unsigned n = 0; n < kVectorOrder.size(); ++n) {
    if (kVectorOrder[n] == id) return kVectors + 3 * n;
  }
  return 0;
}
inline constexpr unsigned kAxes = kVectors + 3 * kVectorOrder.size();  ///< object x, y, z axes in
                                                                       ///< the world, for cube maps
inline constexpr unsigned kRequestWords = kAxes + 9;
inline constexpr unsigned kAnswer = 52;  ///< three words: the traced colour, before a Resume
inline constexpr unsigned kSaved = 64;   ///< a run set aside: pc, instructions, random state, -
inline constexpr unsigned kSavedRegisters = 68;  ///< 26 vectors, then 12 scalars
inline constexpr unsigned kSavedWords = 4 + 26 * 3 + 12;
inline constexpr unsigned kWords = 160;
inline constexpr std::uint32_t kTraceLive = 1;  ///< trace asks the host; otherwise it gives (0,0,0)

/// Words of a slot that a run needs: up to the last vector the program reads, or all of them if its
/// surface has a cube map.
constexpr unsigned wordsNeeded(std::uint64_t reads, bool cubes) {
  if (cubes) return kRequestWords;
  unsigned words = kVectors;
  for (unsigned n = 0; n < kVectorOrder.size(); ++n) {
    if ((reads >> kVectorOrder[n] & 1U) != 0) words = kVectors + 3 * (n + 1);
  }
  return words;
}
}  // namespace slot

// ---- entries of the queues
namespace request {
inline constexpr unsigned kSlot = 0;
inline constexpr unsigned kKind = 1;
inline constexpr unsigned kSurface = 2;  ///< number in the surface table
inline constexpr unsigned kWords = 4;
inline constexpr std::uint32_t kStart = 0;   ///< a new run
inline constexpr std::uint32_t kResume = 1;  ///< the slot's answer has come
}  // namespace request

namespace result {
inline constexpr unsigned kSlot = 0;
inline constexpr unsigned kKind = 1;
inline constexpr unsigned kVector = 2;     ///< v0; of a Trace: origin, world space
inline constexpr unsigned kDirection = 5;  ///< of a Trace: direction, object space
inline constexpr unsigned kWords = 8;
inline constexpr std::uint32_t kDone = 0;
inline constexpr std::uint32_t kBudget = 1;  ///< stopped at the budget, v0 = 0
inline constexpr std::uint32_t kTrace = 2;   ///< wants a Resume
inline constexpr std::uint32_t kFault = 3;   ///< the unit could not run it, see FAULT; v0 = 0
}  // namespace result

}  // namespace rtvp::sl::unit
