// An offload job by itself: what the unit had when it began, the memory that its descriptor
// reaches, and what came of it. `platform --dump-node xphmg@job=N` writes such a folder, `xphmg-run
// --job` replays it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/common/core/record_file.hpp"
#include "models/xphmg/unit.hpp"

namespace rtvp::xphmg {

/// Memory that a record may hold. A folder has more than twice as many bytes of text.
inline constexpr std::uint64_t kMostJobMemory = std::uint64_t{16} << 20U;

/// Bytes that the job wrote.
struct JobWrite {
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
  bool operator==(const JobWrite&) const = default;
};

/// What came of a job.
struct JobEnd {
  JobOutcome outcome;  ///< ticket 0
  Cycle cycles = 0;    ///< from fetching the descriptor to the last index published
  UnitCycles causes;
  std::uint64_t lmemHits = 0, lmemMisses = 0;
  std::array<KindTotals, kAccessKinds> accesses{};
  std::array<std::uint64_t, 4> classBytes{};
  std::vector<RayReport> rays;
  std::vector<JobWrite> writes;
};

struct JobRecord {
  std::string unit, moment;  ///< "xphmg.unit0", "job 7"
  UnitConfig config;
  Cycle readCycles = 0, writeCycles = 0;                 ///< what bus and memory add to an access
  std::vector<std::pair<Csr, std::uint64_t>> registers;  ///< that a job captures
  std::uint64_t descriptor = 0;
  common::ByteImage memory;
  JobEnd end;
};

/// Puts into `memory` all that a job with these registers can read, ring entries between head and
/// tail included. What is not there is left out: the job meets it as an error. Throws
/// std::length_error for more than kMostJobMemory.
void reachJobMemory(const JobState& state, std::uint64_t descriptor,
                    const std::function<bool(std::uint64_t, std::span<std::uint8_t>)>& look,
                    common::ByteImage& memory);

/// Throws std::system_error.
void writeJob(const std::filesystem::path& folder, const JobRecord& record);
/// Throws common::RecordError.
[[nodiscard]] JobRecord readJob(const std::filesystem::path& folder);
[[nodiscard]] common::RecordDifferences differences(const JobEnd& found, const JobEnd& recorded);

/// Listens to one unit for the job of one ticket.
class JobRecorder final : private JobProbe {
 public:
  using Done = std::function<void(JobRecord)>;
  using Refuse = std::function<void(const std::string& why)>;
  /// `done` is called when the job has ended, before its results are visible; `refuse` for one that
  /// is too large. Without `refuse` its memory is left alone: a replay has it.
  JobRecorder(RtUnit& unit, Ticket ticket, Done done, Refuse refuse = {});
  ~JobRecorder() override;

 private:
  void submitted(Ticket ticket, std::uint64_t descriptor, const CsrFile& csrs) override;
  void begins(const SubmittedJob& job) override;
  void ends(const JobOutcome& outcome, Cycle started, Cycle ended) override;
  void access(const AccessRecord& access);
  [[nodiscard]] JobEnd totals() const;

  RtUnit& unit_;
  Ticket ticket_;
  Done done_;
  Refuse refuse_;
  bool listening_ = false, wrote_ = false;
  JobRecord record_;
  JobEnd before_;  ///< totals at the begin
};

}  // namespace rtvp::xphmg
