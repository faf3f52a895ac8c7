// Device driver of XPHMG_RT units (xphmg.md 10, 16.1). It puts the scene's tiles and triangles in
// host memory, fills ray rings, rings doorbells, sleeps until an interrupt and sorts the hits by
// their user_tag. It reaches the units by their registers and by memory only and holds no
// traversal or intersection code: what the units do not find is not found.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/statistics.hpp"
#include "models/xphmg/csr_table.hpp"
#include "models/xphmg/mailbox_registers.hpp"
#include "platform/drivers/device.hpp"
#include "platform/drivers/xphmg/scene.hpp"
#include "platform/raytree/hit_finder.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::host {

struct XphmgDriverConfig {
  std::string instance = {};         ///< of several machines, begins reports
  std::vector<std::uint64_t> pages;  ///< of the units' registers
  std::vector<std::size_t> lines;    ///< the units' interrupt lines, or the mailbox's
  /// Address of the mailbox of a hart that drives unit 0 (models/xphmg/mailbox.hpp): jobs are
  /// posted there instead of rung at the unit. Needs one unit.
  std::optional<std::uint64_t> mailbox = std::nullopt;
  std::uint64_t memoryBase = 0x80000000;
  std::uint64_t memorySize = 256ULL << 20;
  unsigned jobRays = 1024;     ///< rays of a job, 1..65535
  unsigned jobsInFlight = 8;   ///< a unit's; at most its queue depth is used
  unsigned prefetchDepth = 7;  ///< of streaming profile 1, which the jobs use
  unsigned memoryClass = 0;    ///< memctl.mclass: 1..3, 0 inherits CL0
  bool packHint = false;       ///< opts.PACK_HINT
  sc_core::sc_time patience = sc_core::sc_time(100, sc_core::SC_SEC);  ///< of a wait
  DriverLog log = {};
};

class XphmgDriver : public HitFinder, private Device {
 public:
  /// Keeps references. Throws std::invalid_argument when the scene does not fit the memory.
  XphmgDriver(HostBus& bus, const XphmgDatabase& database, const XphmgSpace& space,
              XphmgDriverConfig config);

  /// Bytes of memory that a scene and the rings of `config` need.
  [[nodiscard]] static std::uint64_t memoryNeeded(const XphmgDatabase& database,
                                                  const XphmgDriverConfig& config);

  /// Checks the units, sets number format, policy and interrupts, loads the scene.
  void start();

  void trace(std::span<const Ray> rays, std::span<Hit> hits) override;

  /// The pixel of the ray with this user_tag, while trace() runs.
  [[nodiscard]] std::uint32_t pixelOf(std::uint64_t tag) const {
    return tag < rays_.size() ? rays_[tag].pixel : kNoPixel;
  }

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

  struct Counters {
    std::uint64_t jobs = 0, rays = 0, anyRays = 0, hits = 0, misses = 0;
    std::uint64_t interrupts = 0;
    sc_core::sc_time waiting;
    void report(common::StatGroup& stats) const;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  /// Memory of one job.
  struct Slot {
    std::uint64_t base = 0;  ///< descriptor, ring headers, then rings
    std::size_t unit = 0;
    std::uint64_t ticket = 0;  ///< 0: free
    std::size_t first = 0, count = 0;
  };

  struct Layout;
  /// A register of a unit, as RegisterBlock wants it.
  struct Register {
    xphmg::Csr csr;
    [[nodiscard]] std::uint64_t offset() const { return xphmg::descriptor(csr).offset; }
  };

  [[nodiscard]] std::uint64_t readRegister(std::size_t unit, xphmg::Csr csr) const {
    return units_[unit].readWide({csr});
  }
  void writeRegister(std::size_t unit, xphmg::Csr csr, std::uint64_t value) const {
    units_[unit].writeWide({csr}, value);
  }
  void checkUnit(std::size_t unit);
  void setUp(std::size_t unit);
  void setUpByHart();
  void ring(Slot& slot);
  void post(std::uint64_t address);
  /// The next report of the hart, which must be without error; empty: there is none.
  [[nodiscard]] std::optional<std::uint64_t> collectReport();
  void sleep(const char* what);
  void submit(Slot& slot, std::span<const Ray> rays, std::size_t first, std::size_t count);
  [[nodiscard]] std::span<std::uint32_t> words(std::size_t bytes);
  void awaitSome(std::span<const Ray> rays, std::span<Hit> hits);
  void takeFromUnits(std::span<const Ray> rays, std::span<Hit> hits);
  void takeFromHart(std::span<const Ray> rays, std::span<Hit> hits);
  void collect(Slot& slot, std::span<const Ray> rays, std::span<Hit> hits);
  void decode(const std::uint8_t* entry, const Ray& ray, Hit& hit);
  [[nodiscard]] std::string condition() override;
  [[nodiscard]] unsigned ringCap() const { return config_.jobRays + 1; }

  const XphmgDatabase& database_;
  XphmgSpace space_;
  XphmgDriverConfig config_;
  std::vector<RegisterBlock<Register>> units_;
  std::optional<RegisterBlock<xphmg::mailbox::Reg>> mailbox_;
  std::uint64_t heap_ = 0, triangles_ = 0;
  std::uint64_t parameters_ = 0;  ///< of the hart's program
  std::vector<Slot> slots_;
  std::size_t busy_ = 0;
  std::vector<std::uint32_t> buffer_;  ///< entries on their way
  std::span<const Ray> rays_;          ///< of the trace() under way
  Counters counters_;
};

}  // namespace rtvp::host
