// An object of the unit by itself: the job that made its hull and one job that traced it, each with
// what the unit read for it and what came of it. `platform --dump-node implicit@object=N` writes
// such a folder, `sdf-tape --object` replays it. A job may trace several objects together, which
// cannot be told apart in its clocks: the others then are in the folder, too.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/common/core/record_file.hpp"
#include "models/implicit/unit/engine.hpp"

namespace rtvp::implicit::unit {

/// Memory that a record may hold, read and written.
inline constexpr std::uint64_t kMostObjectMemory = std::uint64_t{16} << 20U;

/// A job: how it found the unit and what came of it.
struct RecordedJob {
  std::vector<std::pair<std::size_t, std::uint32_t>> registers;  ///< by row of the table
  std::uint64_t address = 0;                                     ///< of its descriptor
  Clock at = 0;
  std::vector<std::uint8_t> state;  ///< of the engine: caches, clocks
  common::ByteImage read;           ///< that the job had not written itself

  common::ByteImage written;
  std::uint32_t kind = 0, fault = 0, count = 0;
  Clock clocks = 0;  ///< from its begin until its result is written
  render::Counters counters;
  std::vector<CoreCounters> cores;
  std::array<TrafficTotals, kTraffics> traffic{};
};

/// A kept cell of the object's grid.
struct RecordedLeaf {
  std::array<std::uint8_t, 3> at{};
  std::uint32_t code = 0;
  bool operator==(const RecordedLeaf&) const = default;
};

struct ObjectRecording {
  std::string unit, moment;  ///< "implicit", "object 0, run 1"
  Timing timing;
  Clock readLatency = 0, writeLatency = 0;
  std::uint32_t object = 0;
  std::vector<RecordedLeaf> leaves;  ///< of that object's hull
  RecordedJob hull, traced;
};

/// A job again, as a listener of the unit collects it.
void recordBegin(RecordedJob& job, Engine& engine, const common::RegisterFile& registers,
                 std::uint64_t address, Clock at);
void recordMove(RecordedJob& job, bool write, std::uint64_t address,
                std::span<const std::uint8_t> bytes);
void recordEnd(RecordedJob& job, const Engine& engine, const JobResult& result);
[[nodiscard]] std::vector<RecordedLeaf> leavesOf(const Engine& engine, std::uint32_t object);

/// Both jobs again. Throws common::RecordError if the record's hulls cannot take the state of the
/// unit between the two. `before`, `after`: are shown the unit that runs them.
using ShowUnit = std::function<void(Engine&)>;
[[nodiscard]] ObjectRecording replay(const ObjectRecording& recorded, const ShowUnit& before = {},
                                     const ShowUnit& after = {});
/// What the job's objects run, by number in the object table; those that its hulls do not reach are
/// a program without a clause.
[[nodiscard]] std::vector<LoadedCode> codesOf(const ObjectRecording& recorded);
/// The unit runs tapes in register form.
[[nodiscard]] bool runsRows(const ObjectRecording& recorded);
[[nodiscard]] common::RecordDifferences differences(const ObjectRecording& found,
                                                    const ObjectRecording& recorded);

/// Throws std::system_error.
void writeObject(const std::filesystem::path& folder, const ObjectRecording& recording);
/// Throws common::RecordError.
[[nodiscard]] ObjectRecording readObject(const std::filesystem::path& folder);

}  // namespace rtvp::implicit::unit
