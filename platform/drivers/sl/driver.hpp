// The device driver of the SL shading unit: loads programs, surfaces and textures, fills the
// request queue, sleeps until the interrupt, reads results, answers the rays that programs ask for.
// It reaches the unit and its memory only through the host's bus.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/common/statistics.hpp"
#include "models/sl/unit/unit_registers.hpp"
#include "platform/drivers/device.hpp"
#include "platform/raytree/surface_shading.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::host {

struct SlDriverConfig {
  std::string instance = {};       ///< of several machines, begins reports
  std::uint64_t unitBase = 0;      ///< register block, bytes
  std::uint64_t memoryBase = 0;    ///< the unit's memory, bytes
  std::size_t interruptLine = 0;   ///< of the host
  std::uint32_t programWords = 0;  ///< of the program store
  std::vector<std::shared_ptr<const sl::Program>> programs;  ///< one a surface of the scene
};

class SlDriver : public SurfaceShading, private Device {
 public:
  struct Counters {
    std::uint64_t batches = 0;
    std::uint64_t runs = 0;
    std::uint64_t answers = 0;
    std::uint64_t textureWords = 0;
    void report(common::StatGroup& group) const;
  };

  /// Bytes of unit memory the scene needs.
  [[nodiscard]] static std::uint64_t memoryBytes(const scene::Scene& scene);
  /// Instructions of all different programs together.
  [[nodiscard]] static std::uint64_t instructions(
      std::span<const std::shared_ptr<const sl::Program>> programs);

  /// Where start() puts each program into the store: one after the other, each once.
  [[nodiscard]] static std::vector<std::uint32_t> programPlaces(
      std::span<const std::shared_ptr<const sl::Program>> programs);

  /// Keeps references to `bus` and `scene`.
  SlDriver(HostBus& bus, const scene::Scene& scene, SlDriverConfig config);

  /// Checks the unit's ID, loads it and puts it to work. A unit that is no SL unit, or whose store
  /// is too small, is reported as report_ids::kDriver.
  void start();
  void shade(std::span<const ShadingPoint> points, const ShaderRays& rays,
             std::span<sl::Vec3> colours) override;
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);
  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// Where the program of a surface begins in the store, by surface; after start().
  /// The pixel that the run in a slot works for.
  [[nodiscard]] std::uint32_t pixelOf(std::uint32_t slot) const { return pixels_.at(slot); }

 private:
  struct Layout;
  void shadeChunk(std::span<const ShadingPoint> points, std::size_t first, const ShaderRays& rays,
                  std::span<sl::Vec3> colours);
  void writeSlot(std::uint32_t slot, const ShadingPoint& point);
  void queue(std::span<const std::uint32_t> slots, std::span<const ShadingPoint> points,
             std::uint32_t base, std::uint32_t kind);
  [[nodiscard]] std::vector<std::uint32_t> readResults(std::size_t count);
  void writeRing(std::uint64_t base, std::uint32_t from, std::size_t entryWords,
                 std::span<const std::uint32_t> words);
  void loadPrograms();
  void loadSurfaces();
  void loadTextures();
  [[nodiscard]] std::uint64_t slotAddress(std::uint32_t slot) const;

  const scene::Scene& scene_;
  SlDriverConfig config_;
  RegisterBlock<sl::unit::Reg> unit_;
  std::vector<std::uint32_t> programStart_;    ///< by surface
  std::vector<unsigned> slotWords_;            ///< by surface: words of a slot its runs need
  std::vector<std::uint64_t> textureAddress_;  ///< by scene texture; 0 = not loaded
  std::uint64_t surfaces_, slots_, requests_, results_, textures_;  ///< addresses
  std::vector<std::uint32_t> pixels_;                               ///< by slot
  std::uint32_t tail_ = 0;                                          ///< requests ever queued
  std::uint32_t answered_ = 0;                                      ///< results ever read
  std::uint32_t top_ = 0;  ///< slots in use, by the calls of shade() that are under way
  Counters counters_;
};

}  // namespace rtvp::host
