// Why a job could not run. The numbers are those of register FAULT.CODE and of the completion word.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rtvp::implicit::unit {

enum class Fault : std::uint8_t {
  None,
  Ring,
  Descriptor,
  Bus,
  Object,
  Description,
  Opcode,
  Underflow,
  Overflow,
  Operand,
  ConstantOverrun,
  Length,
  Stop,
  Cyclic,
  Dependency,
  Number,
  Bounds,
  Materials,
  Program,
  Mode,
  NoHull,
  Storage,
  Changed,
};
inline constexpr unsigned kFaults = 23;

struct FaultInfo {
  std::string_view name;
  std::string_view text;
};

/// By number.
inline constexpr std::array<FaultInfo, kFaults> kFaultInfo{{
    {"NONE", "no fault"},
    {"RING", "the ring's base, size or doorbell is wrong; the unit has halted"},
    {"DESCRIPTOR", "a job descriptor or ray record that makes no sense"},
    {"BUS", "a transfer was refused"},
    {"OBJECT", "an object record that makes no sense"},
    {"DESCRIPTION", "a description record whose starts do not lie in the tapes"},
    {"OPCODE", "unknown opcode"},
    {"UNDERFLOW", "stack underflow or type error"},
    {"OVERFLOW", "stack overflow"},
    {"OPERAND", "a constant flag where no constant may be, or none where one must be"},
    {"CONSTANT_OVERRUN", "constant tape overrun, or constants that no instruction reads"},
    {"LENGTH", "the tape is over-long"},
    {"STOP", "no OPStop, or something behind it"},
    {"CYCLIC", "cyclic dependency entry"},
    {"DEPENDENCY", "a dependency entry that the stacks contradict"},
    {"NUMBER", "a constant that is not finite"},
    {"BOUNDS", "bounds that are missing, reversed or not finite"},
    {"MATERIALS", "a material that is not finite or belongs to no instruction"},
    {"PROGRAM", "a clause stream that is no program"},
    {"MODE", "settings that cannot run, or an object they cannot run"},
    {"NO_HULL", "no HULL job has loaded the object since reset or since MODE changed"},
    {"STORAGE", "the leaf storage is too small"},
    {"CHANGED", "memory is not what the HULL job read or wrote"},
}};

constexpr std::string_view nameOf(Fault fault) {
  return kFaultInfo[static_cast<std::size_t>(fault)].name;
}

}  // namespace rtvp::implicit::unit
