// One run of a surface's program by itself: the request, what the unit read for it, each answer to
// a ray that it asked for, and what came of it. `platform --dump-node sl@pixel=X,Y` writes such a
// folder, `sl-run --pixel` replays it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/common/core/record_file.hpp"
#include "models/sl/program.hpp"
#include "models/sl/unit/shading_core.hpp"

namespace rtvp::sl::unit {

/// Textures that a record may hold; a folder has more than twice as many bytes of text.
inline constexpr std::uint64_t kMostTextureBytes = std::uint64_t{16} << 20U;

/// A transfer of the run: words read, or the time of a write.
struct RunMove {
  std::uint64_t address = 0;
  std::vector<std::uint32_t> words;
  Clock took = 0;
};
struct RunTexel {
  std::uint64_t address = 0;
  Clock took = 0;  ///< 0: the cache had it
};

/// What came of a request.
struct SegmentEnd {
  std::array<std::uint32_t, result::kWords> result{};  ///< slot apart
  PipelineCounters spent;  ///< clocks at the port are those of other pipelines and not replayed
};
/// From one request to its answer: a run has one more than rays that it asked for.
struct RunSegment {
  Clock requestTook = 0;
  std::vector<RunMove> reads;  ///< surface (if it was not at hand), slot or saved run and answer
  std::vector<Clock> writes;   ///< clocks, in their order
  std::vector<RunTexel> texels;
  SegmentEnd end;
};

struct RunRecord {
  std::string unit, moment;  ///< "sl", "pixel 3,4, run 0"
  std::uint32_t programWords = 0;
  std::array<std::uint32_t, kForms> cycles{};
  CoreAddresses at;
  std::uint32_t slot = 0, surface = 0;  ///< of the request
  std::array<std::uint32_t, surface::kWords> surfaceWords{};
  std::optional<Program> program;
  common::ByteImage textures;
  std::vector<RunSegment> segments;
  Registers registers;             ///< at the end
  std::uint32_t instructions = 0;  ///< of the whole run
};

/// Listens for one run.
class RunRecorder final : private RunProbe {
 public:
  /// Is this new run (of a slot) the one?
  using Wanted = std::function<bool(std::uint32_t slot)>;
  /// Reads the unit's memory without time; false: not all of it is there.
  using Look = std::function<bool(std::uint64_t address, std::span<std::uint8_t> bytes)>;
  struct Ends {
    std::function<void(RunRecord)> done;
    std::function<void(const std::string& why)> refuse;
  };
  RunRecorder(const ShadingCore& core, Wanted wanted, Look look, Ends ends);
  [[nodiscard]] RunProbe* probe() { return this; }

 private:
  void begins(const Begin& request) override;
  void moved(std::uint32_t slot, bool write, std::uint64_t address,
             std::span<const std::uint32_t> words, Clock took) override;
  void texel(std::uint32_t slot, std::uint64_t address, Clock took) override;
  void ends(const End& end) override;
  void setUp(const Begin& request);
  void takeTextures();
  [[nodiscard]] bool mine(std::uint32_t slot) const { return listening_ && slot == record_.slot; }

  const ShadingCore& core_;
  Wanted wanted_;
  Look look_;
  Ends ends_;
  bool listening_ = false;
  RunRecord record_;
};

/// The run again, with `program` in the place of the recorded one if it is given; what came of it.
[[nodiscard]] RunRecord replay(const RunRecord& record, const Program* program);
[[nodiscard]] common::RecordDifferences differences(const RunRecord& found,
                                                    const RunRecord& recorded);

/// Throws std::system_error.
void writeRun(const std::filesystem::path& folder, const RunRecord& record);
/// Throws common::RecordError.
[[nodiscard]] RunRecord readRun(const std::filesystem::path& folder);

}  // namespace rtvp::sl::unit
