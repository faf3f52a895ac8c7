// THE register table of the implicit-surface unit (sdf.md 18.7 lists what must be there; offsets
// and fields are ours). Every address pair must be a multiple of 4, of 16 for tapes and ring.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/register_table.hpp"
#include "models/implicit/unit/counter_rows.hpp"

namespace rtvp::implicit::unit {

using common::Access;
using common::FieldDescriptor;
using common::RegisterDescriptor;

inline constexpr std::string_view kSource = "sdf.md 18.7";
inline constexpr std::string_view kOurs = "assumed: no document fixes it";

inline constexpr std::uint32_t kIdValue = 0x494D5031;  ///< "IMP1"
inline constexpr std::uint32_t kVersionValue = 0x0001'0000;

inline constexpr auto kIdFields =
    std::to_array<FieldDescriptor>({{"ID", 31, 0, Access::Ro, "494D5031h"}});
inline constexpr auto kVersionFields = std::to_array<FieldDescriptor>({
    {"MINOR", 15, 0, Access::Ro, "0"},
    {"MAJOR", 31, 16, Access::Ro, "1"},
});
inline constexpr auto kControlFields = std::to_array<FieldDescriptor>({
    {"START", 0, 0, Access::Wo, "look at the ring, also after a halt"},
    {"RESET", 1, 1, Access::Wo,
     "all registers, counters, objects, caches; a job under way is lost"},
    {"FLUSH", 2, 2, Access::Wo, "forget loaded objects and caches: the host changed memory"},
});
inline constexpr auto kModeFields = std::to_array<FieldDescriptor>({
    {"MODE", 1, 0, Access::Rw, "0 improved, 1 seed, 2 brute, 3 as improved"},
    {"PRUNE", 4, 4, Access::Rw, "min and max may be decided per cell"},
    {"SMOOTH", 5, 5, Access::Rw, "smooth operators too"},
    {"EARLY_DEPTH", 6, 6, Access::Rw, "a leaf behind what is known is not traced"},
    {"MATERIALS", 7, 7, Access::Rw, "hit records carry 16 words of material"},
    {"COMPACT", 8, 8, Access::Rw, "a program per leaf instead of a mask; mode=seed ignores it"},
    {"WIDE", 9, 9, Access::Rw, "dependency entries are pairs of 16-bit words, tapes up to 65535"},
    {"FRONT_TO_BACK", 10, 10, Access::Rw, "leaves in order of distance"},
    {"EXACT_EXIT", 11, 11, Access::Rw, "a trace ends where it leaves the cuboid; 0: its diagonal"},
    {"FRONT_FACES", 12, 12, Access::Rw, "faces that face the camera; 0: always three"},
    {"NEAR_PATCH", 13, 13, Access::Rw, "leaves cut by the near plane are entered there"},
    {"LAST_STEP", 14, 14, Access::Rw, "a hit moves on by its last f / L"},
    {"BEST_CANDIDATE", 15, 15, Access::Rw, "a capped trace may end at its best sample"},
    {"STEPPING", 17, 16, Access::Rw, "0 plain, 1 relaxed, 2 planar; 3 is a fault"},
    {"NORMALS", 19, 18, Access::Rw,
     "0 forward differences, 1 four corners, 2 derivatives; 3 is a fault"},
    {"CARRY", 20, 20, Access::Rw, "a ray keeps how far it is clear from leaf to leaf"},
    {"TRIM", 21, 21, Access::Rw, "a third stage draws the leaves' boxes closer"},
    {"SLOPES", 22, 22, Access::Rw,
     "a stage finds how steep f is in the leaves of objects with bound 0; improved only"},
});
inline constexpr auto kStatusFields = std::to_array<FieldDescriptor>({
    {"BUSY", 0, 0, Access::Ro, "jobs are queued or under way"},
    {"FAULT", 1, 1, Access::Ro, "FAULT holds a fault"},
    {"HALTED", 2, 2, Access::Ro, "the ring itself failed; START or RESET goes on"},
});
inline constexpr auto kInterruptFields = std::to_array<FieldDescriptor>({
    {"DONE", 0, 0, Access::W1c, "a job has ended and the ring is empty"},
    {"FAULT", 1, 1, Access::W1c, "a job has ended with a fault, or the unit has halted"},
});
inline constexpr auto kEnableFields = std::to_array<FieldDescriptor>({
    {"DONE", 0, 0, Access::Rw, "DONE drives the interrupt line"},
    {"FAULT", 1, 1, Access::Rw, "FAULT drives the interrupt line"},
});
inline constexpr auto kFaultFields = std::to_array<FieldDescriptor>({
    {"CODE", 7, 0, Access::Ro,
     "of the first fault since FAULT was cleared, see the list of faults"},
    {"CLEAR", 31, 31, Access::Wo, "1: clear the six FAULT registers"},
});
inline constexpr auto kValueFields =
    std::to_array<FieldDescriptor>({{"VALUE", 31, 0, Access::Ro, "number"}});
inline constexpr auto kAddressFields =
    std::to_array<FieldDescriptor>({{"ADDRESS", 31, 0, Access::Rw, "byte address, low or high"}});
inline constexpr auto kSizeFields =
    std::to_array<FieldDescriptor>({{"COUNT", 31, 0, Access::Rw, "how many"}});
inline constexpr auto kFloatFields =
    std::to_array<FieldDescriptor>({{"VALUE", 31, 0, Access::Rw, "binary32"}});
inline constexpr auto kStepFields =
    std::to_array<FieldDescriptor>({{"STEPS", 15, 0, Access::Rw, "1 to 65535; 0 counts as 1"}});
inline constexpr auto kStepsIndexFields = std::to_array<FieldDescriptor>(
    {{"INDEX", 5, 0, Access::Rw, "bin of the histogram that STEPS_LOW and STEPS_HIGH show"}});
inline constexpr auto kGridFields = std::to_array<FieldDescriptor>({
    {"X", 7, 0, Access::Ro, "leaves along x"},
    {"Y", 15, 8, Access::Ro, "along y"},
    {"Z", 23, 16, Access::Ro, "along z"},
});
inline constexpr auto kCoreFields = std::to_array<FieldDescriptor>({
    {"CORES", 15, 0, Access::Ro, "cores"},
    {"LANES", 31, 16, Access::Ro, "lanes a warp"},
});
inline constexpr auto kEntriesFields = std::to_array<FieldDescriptor>(
    {{"ENTRIES", 15, 0, Access::Rw, "job descriptors the ring holds"}});
inline constexpr auto kTailFields = std::to_array<FieldDescriptor>({
    {"TAIL", 31, 0, Access::Rw, "jobs ever queued, modulo 2^32; a write starts the unit"},
});
inline constexpr auto kHeadFields =
    std::to_array<FieldDescriptor>({{"HEAD", 31, 0, Access::Ro, "jobs ever ended, modulo 2^32"}});
inline constexpr auto kCounterLowFields = std::to_array<FieldDescriptor>({
    {"LOW", 31, 0, Access::Ro, "bits 31:0; reading it holds bits 63:32 for the next register"},
});
inline constexpr auto kCounterHighFields =
    std::to_array<FieldDescriptor>({{"HIGH", 31, 0, Access::Ro, "bits 63:32 as of that read"}});

/// Bits of CONTROL.
namespace control {
inline constexpr std::uint32_t kStart = common::bitsOf(kControlFields, "START"),
                               kReset = common::bitsOf(kControlFields, "RESET"),
                               kFlush = common::bitsOf(kControlFields, "FLUSH");
}
/// MODE: values of its field MODE, its enable bits, its other fields.
namespace mode {
consteval std::uint32_t bit(std::string_view name) {
  return common::bitsOf(kModeFields, name);
}
inline constexpr std::uint32_t kImproved = 0, kSeed = 1, kBrute = 2, kField = bit("MODE");
inline constexpr std::uint32_t kPrune = bit("PRUNE"), kSmooth = bit("SMOOTH");
inline constexpr std::uint32_t kEarlyDepth = bit("EARLY_DEPTH"), kMaterials = bit("MATERIALS");
inline constexpr std::uint32_t kCompact = bit("COMPACT"), kWide = bit("WIDE");
inline constexpr std::uint32_t kFrontToBack = bit("FRONT_TO_BACK");
inline constexpr std::uint32_t kExactExit = bit("EXACT_EXIT"), kFrontFaces = bit("FRONT_FACES");
inline constexpr std::uint32_t kNearPatch = bit("NEAR_PATCH"), kLastStep = bit("LAST_STEP");
inline constexpr std::uint32_t kBestCandidate = bit("BEST_CANDIDATE");
inline constexpr std::uint32_t kCarry = bit("CARRY"), kTrim = bit("TRIM"), kSlopes = bit("SLOPES");
inline constexpr std::uint32_t kSteppingShift = common::shiftOf(kModeFields, "STEPPING"),
                               kSteppingField = bit("STEPPING");
inline constexpr std::uint32_t kPlain = 0, kRelaxed = 1, kPlanar = 2;
inline constexpr std::uint32_t kNormalsShift = common::shiftOf(kModeFields, "NORMALS"),
                               kNormalsField = bit("NORMALS");
inline constexpr std::uint32_t kForward = 0, kTetrahedron = 1, kDerivative = 2;
inline constexpr std::uint32_t kResetValue =
    kImproved | kPrune | kSmooth | kEarlyDepth | kMaterials | kCompact | kFrontToBack | kExactExit |
    kFrontFaces | kNearPatch | kLastStep | kBestCandidate | kPlanar << kSteppingShift |
    kDerivative << kNormalsShift | kCarry | kTrim | kSlopes;
}  // namespace mode
/// Bits of INTERRUPT and INTERRUPT_ENABLE.
namespace interrupt {
inline constexpr std::uint32_t kDone = common::bitsOf(kInterruptFields, "DONE"),
                               kFault = common::bitsOf(kInterruptFields, "FAULT");
}
/// Bits of STATUS.
namespace status {
inline constexpr std::uint32_t kBusy = common::bitsOf(kStatusFields, "BUSY"),
                               kFault = common::bitsOf(kStatusFields, "FAULT"),
                               kHalted = common::bitsOf(kStatusFields, "HALTED");
}
/// Fields of FAULT.
namespace fault {
inline constexpr std::uint32_t kCode = common::bitsOf(kFaultFields, "CODE"),
                               kClear = common::bitsOf(kFaultFields, "CLEAR");
}

// clang-format off
inline constexpr auto kConfigurationRows = std::to_array<RegisterDescriptor>({
    {"ID", 0x00, 4, kIdValue, false, "", kSource, kIdFields},
    {"VERSION", 0x04, 4, kVersionValue, false, "", kSource, kVersionFields},
    {"CONTROL", 0x08, 4, 0, true, "", kSource, kControlFields},
    {"MODE", 0x0C, 4, mode::kResetValue, false, "", kSource, kModeFields},
    {"STATUS", 0x10, 4, 0, false, "", kSource, kStatusFields},
    {"INTERRUPT", 0x14, 4, 0, true, "", kSource, kInterruptFields},
    {"INTERRUPT_ENABLE", 0x18, 4, 0, true, "", kSource, kEnableFields},
    {"FAULT", 0x1C, 4, 0, true, "", kSource, kFaultFields},
    {"FAULT_OBJECT", 0x20, 4, 0, false, "object number", kSource, kValueFields},
    {"FAULT_POSITION", 0x24, 4, 0, false, "instruction, clause, pixel or ray", kSource, kValueFields},
    {"FAULT_JOB", 0x28, 4, 0, false, "jobs ended before it", kOurs, kValueFields},
    {"FAULT_ADDRESS_LOW", 0x2C, 4, 0, false, "byte address", kOurs, kValueFields},
    {"FAULT_ADDRESS_HIGH", 0x30, 4, 0, false, "byte address", kOurs, kValueFields},
    {"CORES", 0x34, 4, 0, false, "", kOurs, kCoreFields},
    {"GRID", 0x38, 4, 0x0008'1010, false, "leaves", kSource, kGridFields},
    {"EPS", 0x40, 4, 0x3A83126F, false, "binary32, world distance", kSource, kFloatFields},
    {"STEP_LIMIT", 0x44, 4, 50, false, "steps a leaf", kSource, kStepFields},
    {"LIPSCHITZ", 0x48, 4, 0x3F800000, false, "binary32, of objects with bound 0 where MODE.SLOPES has no effect", kSource, kFloatFields},
    {"RELAXATION", 0x4C, 4, 0x3F733333, false, "binary32, 1 to 2; planar 0 to 1", kSource, kFloatFields},
    {"NEAR", 0x50, 4, 0x3A83126F, false, "binary32, distance along the eye ray", kSource, kFloatFields},
    {"STEP_SCALE", 0x54, 4, 0x3F800000, false, "binary32, of f / L; the seed has 0.9", kSource, kFloatFields},
    {"CONE_SCALE", 0x58, 4, 0, false, "binary32, weight of the pixel's cone in eps", kSource, kFloatFields},
    {"STEPS_INDEX", 0x5C, 4, 0, true, "evaluations of a trace; 63: and more", kOurs, kStepsIndexFields},
    {"RING_LOW", 0x60, 4, 0, false, "byte address", kSource, kAddressFields},
    {"RING_HIGH", 0x64, 4, 0, false, "byte address", kSource, kAddressFields},
    {"RING_ENTRIES", 0x68, 4, 0, false, "descriptors", kSource, kEntriesFields},
    {"RING_TAIL", 0x6C, 4, 0, true, "jobs", kSource, kTailFields},
    {"RING_HEAD", 0x70, 4, 0, false, "jobs", kSource, kHeadFields},
    {"SLOPE_STEPS", 0x74, 4, 1000, false, "steps a leaf whose slopes were found", kOurs, kStepFields},
    {"OBJECTS_LOW", 0x80, 4, 0, false, "byte address of object records", kOurs, kAddressFields},
    {"OBJECTS_HIGH", 0x84, 4, 0, false, "byte address", kOurs, kAddressFields},
    {"OBJECTS", 0x88, 4, 0, false, "object records", kSource, kSizeFields},
    {"DESCRIPTIONS_LOW", 0x90, 4, 0, false, "byte address", kSource, kAddressFields},
    {"DESCRIPTIONS_HIGH", 0x94, 4, 0, false, "byte address", kSource, kAddressFields},
    {"DESCRIPTIONS", 0x98, 4, 0, false, "records, the dummy record counts", kSource, kSizeFields},
    {"OPCODES_LOW", 0xA0, 4, 0, false, "byte address", kSource, kAddressFields},
    {"OPCODES_HIGH", 0xA4, 4, 0, false, "byte address", kSource, kAddressFields},
    {"OPCODES", 0xA8, 4, 0, false, "lines of 16 bytes, dummies count here and below", kSource, kSizeFields},
    {"FLOATS_LOW", 0xB0, 4, 0, false, "byte address", kSource, kAddressFields},
    {"FLOATS_HIGH", 0xB4, 4, 0, false, "byte address", kSource, kAddressFields},
    {"FLOATS", 0xB8, 4, 0, false, "elements of 4 bytes", kSource, kSizeFields},
    {"VEC2S_LOW", 0xC0, 4, 0, false, "byte address", kSource, kAddressFields},
    {"VEC2S_HIGH", 0xC4, 4, 0, false, "byte address", kSource, kAddressFields},
    {"VEC2S", 0xC8, 4, 0, false, "elements of 8 bytes", kSource, kSizeFields},
    {"VEC4S_LOW", 0xD0, 4, 0, false, "byte address", kSource, kAddressFields},
    {"VEC4S_HIGH", 0xD4, 4, 0, false, "byte address", kSource, kAddressFields},
    {"VEC4S", 0xD8, 4, 0, false, "elements of 16 bytes", kSource, kSizeFields},
    {"MAT2S_LOW", 0xE0, 4, 0, false, "byte address", kSource, kAddressFields},
    {"MAT2S_HIGH", 0xE4, 4, 0, false, "byte address", kSource, kAddressFields},
    {"MAT2S", 0xE8, 4, 0, false, "elements of 16 bytes", kSource, kSizeFields},
    {"MAT3S_LOW", 0xF0, 4, 0, false, "byte address", kSource, kAddressFields},
    {"MAT3S_HIGH", 0xF4, 4, 0, false, "byte address", kSource, kAddressFields},
    {"MAT3S", 0xF8, 4, 0, false, "elements of 48 bytes", kSource, kSizeFields},
    {"MAT4S_LOW", 0x100, 4, 0, false, "byte address", kSource, kAddressFields},
    {"MAT4S_HIGH", 0x104, 4, 0, false, "byte address", kSource, kAddressFields},
    {"MAT4S", 0x108, 4, 0, false, "elements of 64 bytes", kSource, kSizeFields},
    {"MATERIALS_LOW", 0x110, 4, 0, false, "byte address", kSource, kAddressFields},
    {"MATERIALS_HIGH", 0x114, 4, 0, false, "byte address", kSource, kAddressFields},
    {"MATERIALS", 0x118, 4, 0, false, "elements of 64 bytes", kSource, kSizeFields},
    {"DEPENDENCIES_LOW", 0x120, 4, 0, false, "byte address", kSource, kAddressFields},
    {"DEPENDENCIES_HIGH", 0x124, 4, 0, false, "byte address", kSource, kAddressFields},
    {"DEPENDENCIES", 0x128, 4, 0, false, "entries of 2 bytes, 4 with MODE.WIDE", kSource, kSizeFields},
    {"PROGRAMS_LOW", 0x130, 4, 0, false, "byte address of program records", kOurs, kAddressFields},
    {"PROGRAMS_HIGH", 0x134, 4, 0, false, "byte address", kOurs, kAddressFields},
    {"PROGRAMS", 0x138, 4, 0, false, "program records", kOurs, kSizeFields},
    {"CLAUSES_LOW", 0x140, 4, 0, false, "byte address of program memory", kOurs, kAddressFields},
    {"CLAUSES_HIGH", 0x144, 4, 0, false, "byte address", kOurs, kAddressFields},
    {"CLAUSES", 0x148, 4, 0, false, "words of 64 bits", kOurs, kSizeFields},
    {"LEAVES_LOW", 0x150, 4, 0, false, "byte address of masks, or of the leaf table", kOurs, kAddressFields},
    {"LEAVES_HIGH", 0x154, 4, 0, false, "byte address", kOurs, kAddressFields},
    {"LEAVES", 0x158, 4, 0, false, "bytes", kOurs, kSizeFields},
    {"LEAF_PROGRAMS_LOW", 0x160, 4, 0, false, "byte address", kOurs, kAddressFields},
    {"LEAF_PROGRAMS_HIGH", 0x164, 4, 0, false, "byte address", kOurs, kAddressFields},
    {"LEAF_PROGRAMS", 0x168, 4, 0, false, "words of 64 bits", kOurs, kSizeFields},
    {"LEAF_PROGRAMS_USED", 0x16C, 4, 0, false, "words of 64 bits", kOurs, kValueFields},
});
// clang-format on

inline constexpr std::uint32_t kCounterBase = 0x200;
inline constexpr std::size_t kRows = kConfigurationRows.size() + 2 * kCounters.size();

inline constexpr auto kRegisterTable = [] {
  std::array<RegisterDescriptor, kRows> table{};
  std::size_t row = 0;
  for (const RegisterDescriptor& reg : kConfigurationRows) table[row++] = reg;
  std::uint32_t offset = kCounterBase;
  for (const CounterRow& counter : kCounters) {
    table[row++] = RegisterDescriptor{counter.low,   offset,           4, 0, true, counter.meaning,
                                      "sdf.md 18.5", kCounterLowFields}
                       .reading(common::ReadEffect::Others);
    table[row++] = {counter.high,  offset + 4,        4, 0, false, "bits 63:32 of it",
                    "sdf.md 18.5", kCounterHighFields};
    offset += 8;
  }
  return table;
}();
static_assert(common::isWellFormed(kRegisterTable));
static_assert(common::namesAreUnique(kRegisterTable));

/// A register by name, resolved by the compiler.
using Reg = common::RegisterName<kRegisterTable>;
constexpr std::size_t row(Reg reg) {
  return reg.row();
}
/// Byte offset of a register, for drivers.
constexpr std::uint32_t offsetOf(Reg reg) {
  return reg.offset();
}
template <std::size_t N>
consteval std::uint32_t offsetOf(const char (&name)[N]) {
  return Reg(name).offset();
}
/// Offset of the low half of a counter.
constexpr std::uint32_t offsetOf(Counter counter) {
  return kCounterBase + 8 * static_cast<std::uint32_t>(counter);
}

inline constexpr std::uint64_t kRegisterBlockEnd = kRegisterTable.back().offset + 4;
/// Bytes the unit takes of an address map.
inline constexpr std::uint64_t kSize = 0x1000;
static_assert(kRegisterBlockEnd <= kSize);

}  // namespace rtvp::implicit::unit
