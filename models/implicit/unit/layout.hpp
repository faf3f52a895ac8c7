// What lies in the unit's memory: job descriptors, object records, program records, rays, hit
// records, leaf storage. Driver and unit read the same offsets. All numbers are little-endian,
// floats are IEEE binary32, matrices are written row by row. Tapes and description records are
// those of sdf.md section 3, byte by byte as implicit::encode() writes them; everything here is
// ours, because the report's unit is a GPU pipeline and has no such interface.
#pragma once

#include <cstdint>

namespace rtvp::implicit::unit {

// ---- job descriptor: an entry of the ring
namespace job {
inline constexpr unsigned kBytes = 128;  ///< the ring's base is a multiple of 16

inline constexpr unsigned kKind = 0;         ///< u32: kHull, kFrame, kRays; bits 31:8 are 0
inline constexpr unsigned kTag = 4;          ///< u32: the driver's own, not looked at
inline constexpr unsigned kFirstObject = 8;  ///< u32: first object of the object table
inline constexpr unsigned kObjects = 12;   ///< u32: how many from there; 0 for RAYS and FRAME: none
inline constexpr unsigned kHits = 16;      ///< u64: hit records (FRAME, RAYS), multiple of 4
inline constexpr unsigned kDepth = 24;     ///< u64: depth buffer (FRAME), multiple of 4
inline constexpr unsigned kRayList = 24;   ///< u64: ray records (RAYS), multiple of 4
inline constexpr unsigned kRayCount = 32;  ///< u32 (RAYS)
inline constexpr unsigned kLeft = 32;      ///< u32: first column of the rectangle (FRAME)
inline constexpr unsigned kTop = 36;       ///< u32: first row
inline constexpr unsigned kWidth = 40;     ///< u32: columns
inline constexpr unsigned kHeight = 44;    ///< u32: rows
inline constexpr unsigned kPitch = 48;     ///< u32: pixels from one row of the buffers to the next
inline constexpr unsigned kCone = 52;  ///< f32: radius of the pixel's cone at distance 1; 0: half
                                       ///< a pixel (FRAME), eps alone (RAYS)
inline constexpr unsigned kReserved = 56;  ///< 8 bytes of 0
// Eye ray of pixel (x, y), in the world: from kEye along kCorner + x kColumn + y kRow, made unit.
inline constexpr unsigned kEye = 64;     ///< 3 f32
inline constexpr unsigned kCorner = 76;  ///< 3 f32: through the sample of pixel (0, 0)
inline constexpr unsigned kColumn = 88;  ///< 3 f32: one column to the right
inline constexpr unsigned kRow = 100;    ///< 3 f32: one row down
// Written by the unit when the job has ended, as its last transfer:
inline constexpr unsigned kResult = 112;       ///< 16 bytes
inline constexpr unsigned kState = 112;        ///< u32: state in bits 7:0, fault code in bits 15:8
inline constexpr unsigned kFaultObject = 116;  ///< u32: object number, kNone if none
inline constexpr unsigned kFaultPosition = 120;  ///< u32: instruction, clause, pixel or ray; kNone
inline constexpr unsigned kCount = 124;  ///< u32: leaves kept (HULL), pixels written, rays that hit

inline constexpr std::uint32_t kHull = 1;   ///< load objects, build and store their hulls
inline constexpr std::uint32_t kFrame = 2;  ///< trace a rectangle of pixels
inline constexpr std::uint32_t kRays = 3;   ///< trace a list of rays

inline constexpr std::uint32_t kPending = 0;  ///< as the driver writes it
inline constexpr std::uint32_t kDone = 1;
inline constexpr std::uint32_t kFaulted = 2;  ///< what was written before is not to be used

/// Limits of a job; beyond them it faults as a bad descriptor.
inline constexpr std::uint32_t kMostPixels = 1U << 22U;
inline constexpr std::uint32_t kMostRays = 1U << 22U;
inline constexpr std::uint32_t kMostPitch = 1U << 16U;
}  // namespace job

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

// ---- object record: one instance of a tape or program in the world
namespace object {
inline constexpr unsigned kBytes = 80;
inline constexpr unsigned kKind = 0;    ///< u32: kTape or kProgram
inline constexpr unsigned kNumber = 4;  ///< u32: description k, which is record k + 1; or program k
inline constexpr unsigned kId = 8;      ///< u32: comes back in hit records; not kNone
/// f32: the Lipschitz bound of f in object space; 0: none is known, with MODE.SLOPES the hull's
/// last stage finds bounds a leaf, else that of register LIPSCHITZ is taken.
inline constexpr unsigned kLipschitz = 12;
inline constexpr unsigned kWorld = 16;     ///< 12 f32: object to world, three rows of four
inline constexpr unsigned kReserved = 64;  ///< 16 bytes of 0

inline constexpr std::uint32_t kTape = 0;
inline constexpr std::uint32_t kProgram = 1;
inline constexpr std::uint32_t kMost = 65536;  ///< objects of a table
}  // namespace object

// ---- program record: the extension for long programs and programs without stack order. It has the
// size and the bounds field of a description record, and no dummy record 0.
namespace program {
inline constexpr unsigned kBytes = 60;
inline constexpr unsigned kStart = 0;    ///< u32: first 64-bit word of the program memory
inline constexpr unsigned kWords = 4;    ///< u32: 64-bit words
inline constexpr unsigned kZero = 8;     ///< 28 bytes of 0
inline constexpr unsigned kBounds = 36;  ///< xmax, ymax, zmax, xmin, ymin, zmin
inline constexpr std::uint32_t kMostWords = 1U << 20U;
}  // namespace program

// ---- ray record
namespace ray {
inline constexpr unsigned kBytes = 32;
inline constexpr unsigned kOrigin = 0;      ///< 3 f32, world
inline constexpr unsigned kTmax = 12;       ///< f32, > 0; infinity is allowed; hits lie below it
inline constexpr unsigned kDirection = 16;  ///< 3 f32; the unit makes it unit, t counts along that
inline constexpr unsigned kFlags = 28;      ///< u32: bits below, others 0
inline constexpr std::uint32_t kAny = 1;    ///< any hit will do (shadow rays): no normal, material
}  // namespace ray

// ---- hit record, one a pixel or ray. Of a miss only the first 12 bytes are written.
namespace hit {
inline constexpr unsigned kObject = 0;       ///< u32: id of the object, kNone: no hit
inline constexpr unsigned kStatus = 4;       ///< u32: see below
inline constexpr unsigned kEvaluations = 8;  ///< u32: of f, over all leaves and objects
inline constexpr unsigned kSdf = 12;     ///< u32: OPSDF instruction whose material dominates; kNone
inline constexpr unsigned kT = 16;       ///< f32: along the world ray
inline constexpr unsigned kNormal = 20;  ///< 3 f32: unit, world, out of the object; 0 for Any rays
inline constexpr unsigned kBytes = 32;   ///< pitch of the records with MODE.MATERIALS = 0
inline constexpr unsigned kMaterial = 32;       ///< 16 f32 (sdf.md 12), blended
inline constexpr unsigned kMaterialBytes = 96;  ///< pitch with MODE.MATERIALS = 1
inline constexpr unsigned kMissBytes = 12;

// Status bits:
inline constexpr std::uint32_t kHit = 1;     ///< something nearer than the initial depth or tmax
inline constexpr std::uint32_t kCapped = 2;  ///< the step limit ended a trace on the way
inline constexpr std::uint32_t kNan = 4;     ///< f was NaN on the way: a miss in that leaf
}  // namespace hit

// ---- depth buffer: one f32 a pixel, the distance along the eye ray. A driver initialises it with
// what other machines found (infinity: nothing); the unit replaces smaller distances.
inline constexpr unsigned kDepthBytes = 4;

// ---- leaf storage, written by the mesh stage and read by the fragment stage
namespace leaf {
/// Leaves of an object; the leaf's number is (half * 32 + task cell) * 32 + mesh cell (sdf.md 3.6).
inline constexpr unsigned kLeaves = 2048;
inline constexpr unsigned kMaskBytes = 29;  ///< at (object * kLeaves + leaf) * kMaskBytes
/// Masks of kept task cells follow those of all leaves: at objects * kLeaves * kMaskBytes +
/// (object * kTaskCells + half * 32 + lane) * kMaskBytes. The report keeps them in the task
/// payload; normals need them, whose stencil may leave the leaf.
inline constexpr unsigned kTaskCells = 64;
/// With MODE.COMPACT: an entry of the leaf table at (object * kLeaves + leaf) * kEntryBytes: first
/// 64-bit word in the leaf program memory and how many. Equal programs are stored once an object.
/// Bit 31 of the second word: it lies in the program memory (CLAUSES), as the whole of a program.
inline constexpr unsigned kEntryBytes = 8;
inline constexpr std::uint32_t kWholeProgram = 0x8000'0000;
/// With MODE.TRIM one byte a leaf, behind all masks or entries: at extentsOffset() + object *
/// kLeaves + leaf. Which parts of 2 x 2 x 4 its trimmed box spans: bit n is set for layer n in x
/// (bits 1:0), y (3:2), z (7:4).
constexpr std::uint64_t extentsOffset(std::uint64_t objects, bool compact) {
  return objects * (compact ? kLeaves * kEntryBytes : (kLeaves + kTaskCells) * kMaskBytes);
}
/// With MODE.SLOPES, of objects without a Lipschitz bound, kSlopeBytes a leaf behind all extents
/// (room for which is left without MODE.TRIM too): at slopesOffset() + (object * kLeaves + leaf) *
/// kSlopeBytes. Least and greatest derivative of f by x, y, z in the leaf's trimmed box, then the
/// greatest length of the gradient: seven f32, infinite where there is no bound.
inline constexpr unsigned kSlopeBytes = 28;
constexpr std::uint64_t slopesOffset(std::uint64_t objects, bool compact) {
  return extentsOffset(objects, compact) + objects * kLeaves;
}
}  // namespace leaf

}  // namespace rtvp::implicit::unit
