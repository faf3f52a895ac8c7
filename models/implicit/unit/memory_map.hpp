// Where the host put things, from the register block, and how the unit is to work.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/register_table.hpp"
#include "models/implicit/codec.hpp"
#include "models/implicit/render/settings.hpp"

namespace rtvp::implicit::unit {

struct Area {
  std::uint64_t address = 0;
  std::uint32_t count = 0;  ///< elements, or bytes
};

struct MemoryMap {
  Area ring;
  Area objects;
  Area descriptions;
  std::array<Area, kTapeKinds> tapes;
  Area programs, clauses;
  Area leaves, leaf_programs;
};

/// Snapshot of the registers at the start of a job.
struct Configuration {
  MemoryMap map;
  render::Settings settings;
  bool known_stepping = true;  ///< MODE.STEPPING is not 3
  bool known_normals = true;   ///< nor MODE.NORMALS
  bool wide = false;
  float lipschitz = 1;
};

/// What the registers say. Settings that cannot run are found out by Settings::fault(). mode=seed
/// has no compact programs.
Configuration configurationOf(const common::RegisterFile& file);
/// The registers MODE to CONE_SCALE of `settings`, then SLOPE_STEPS, which only objects without a
/// Lipschitz bound need, for drivers: offset and value. Numbers become
/// binary32.
struct RegisterValue {
  std::uint32_t offset;
  std::uint32_t value;
};
std::array<RegisterValue, 8> registersOf(const render::Settings& settings, bool wide);
/// The same settings as the unit will read them back.
render::Settings rounded(const render::Settings& settings);

}  // namespace rtvp::implicit::unit
