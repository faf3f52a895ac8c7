// Device driver of the implicit-surface unit (models/implicit/unit). It puts the scene's objects
// into the unit's memory, has their hulls built once, and finds hits: eye rays by FRAME jobs, whose
// depth buffer holds what another machine has found, all other rays by RAYS jobs. It reaches the
// unit by its registers and by memory only and holds no tracing code: what the unit does not find
// is not found.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "models/common/statistics.hpp"
#include "models/implicit/unit/registers.hpp"
#include "platform/drivers/device.hpp"
#include "platform/drivers/implicit/database.hpp"
#include "platform/raytree/hit_finder.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::host {

struct ImplicitDriverConfig {
  std::string instance = {};  ///< of several machines, begins reports
  std::uint64_t unitBase = 0;
  std::uint64_t memoryBase = 0;
  std::uint64_t memorySize = 0;
  std::size_t interruptLine = 0;
  /// Offsets and values of the registers that say how to trace.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> registers;
  bool materials = true;  ///< of these: hit records hold a material
  double eps = 1e-3;      ///< of these, in object space
  unsigned jobRays = 16384;
  sc_core::sc_time patience = sc_core::sc_time(1000, sc_core::SC_SEC);  ///< of a wait
  DriverLog log = {};
  /// Called for every job of rays, in the order of the ring, when its records have been read: the
  /// pixel of each ray, and evaluations of f for it. Empty: nobody wants to know.
  std::function<void(std::span<const std::uint32_t> pixels,
                     std::span<const std::uint64_t> evaluations)>
      jobDone = {};
};

class ImplicitDriver : public HitFinder, private Device {
 public:
  /// Keeps references. Throws std::invalid_argument when the objects do not fit the memory.
  ImplicitDriver(HostBus& bus, const scene::Scene& scene, const ImplicitDatabase& database,
                 ImplicitDriverConfig config);

  /// Bytes of memory that the objects and the smallest buffers need.
  [[nodiscard]] static std::uint64_t memoryNeeded(const ImplicitDatabase& database);

  /// Checks the unit, loads the objects, has their hulls built.
  void start();

  void trace(std::span<const Ray> rays, std::span<Hit> hits) override;
  void traceEye(std::span<const Ray> rays, std::span<const EyePosition> positions,
                std::span<Hit> hits) override;

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

  struct Counters {
    std::uint64_t jobs = 0, frames = 0, pixels = 0, rays = 0, anyRays = 0, spared = 0;
    std::uint64_t leaves = 0, hits = 0, hidden = 0, capped = 0, undefined = 0, interrupts = 0;
    sc_core::sc_time waiting;
    void report(common::StatGroup& stats) const;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  /// A rectangle of pixels of one batch; `indices` by rows.
  struct Rectangle {
    int left = 0, top = 0, width = 0, height = 0;
    std::vector<std::size_t> indices;
  };
  struct Grid;
  struct Layout;
  using Words = std::vector<std::uint32_t>;
  static constexpr std::uint32_t kRingEntries = 64;

  void loadObjects();
  void chargeEncoding();
  void buildHulls();

  void full(const Grid& grid, int left, int top, int width, int height,
            std::vector<Rectangle>& out) const;
  void traceSample(std::span<const EyePosition> positions, std::span<const std::size_t> indices,
                   std::span<Hit> hits);
  void runFrames(std::span<const EyePosition> positions, std::span<const Rectangle> rectangles,
                 std::span<Hit> hits);
  [[nodiscard]] Words frameJob(const Rectangle& rectangle, const EyePosition& sample,
                               std::uint64_t hits, std::uint64_t depth) const;
  void runRays(std::span<const Ray> rays, std::span<const std::size_t> indices,
               std::span<Hit> hits);
  [[nodiscard]] Words rayRecord(const Ray& ray, const Hit& other) const;
  /// The records of jobs of at most `job` rays each.
  void collect(std::uint64_t address, std::span<const std::size_t> indices, std::size_t job,
               std::span<Hit> hits);
  void tellJobs(const Words& records, std::span<const std::size_t> indices, std::size_t job) const;
  /// `hit`: on entry what others have found of the ray, then the record's hit if it is nearer.
  void take(std::span<const std::uint32_t> record, Hit& hit);

  void queue(const Words& job);
  /// Waits until the ring is empty and checks every job queued since the last time.
  void finish(const char* what);
  /// Answers an interrupt; true if the ring is empty.
  bool ringIsEmpty();
  [[noreturn]] void reportFault(std::span<const std::uint32_t> result);
  [[nodiscard]] std::uint64_t recordBytes() const;

  const scene::Scene& scene_;
  const ImplicitDatabase& database_;
  ImplicitDriverConfig config_;
  RegisterBlock<implicit::unit::Reg> unit_;
  std::vector<std::uint32_t> objectOf_;  ///< element number to object, or kNone

  std::uint64_t ring_ = 0, objects_ = 0, descriptions_ = 0, programs_ = 0, clauses_ = 0;
  std::vector<std::uint64_t> tapes_;
  std::uint64_t leaves_ = 0, leafPrograms_ = 0, buffers_ = 0;
  std::uint32_t leafWords_ = 0;
  std::size_t capacity_ = 0;   ///< pixels or rays of the buffers
  std::span<const Ray> rays_;  ///< of the batch under way
  std::uint32_t tail_ = 0, seen_ = 0;
  Counters counters_;
};

}  // namespace rtvp::host
