// Device driver of a THEIA unit: finds hits by rendering frames on it and reading its plane of hits
// (theia.md section 8). It knows the unit only as a bus device: registers, windows and the line
// that says that all cores have committed. It holds no intersection code, only the triangles it
// streams.
//
// Eye rays come from the unit's own ray generator: one frame a sample position covers the whole
// part of the picture, and later batches are answered from it. All other rays go through texture
// memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/statistics.hpp"
#include "models/theia/frame.hpp"
#include "models/theia/isa.hpp"
#include "models/theia/registers.hpp"
#include "models/theia/unit_registers.hpp"
#include "platform/drivers/device.hpp"
#include "platform/drivers/theia/geometry.hpp"
#include "platform/drivers/theia/textures.hpp"
#include "platform/raytree/hit_finder.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::host {

/// Instruction memory: the entry table and what user rows follow it.
using TheiaProgram = std::vector<std::uint64_t>;

struct TheiaDriverConfig {
  std::string instance = {};  ///< of several machines, begins reports
  int cores = 4;
  std::uint64_t base = 0x80000000;  ///< of the unit on the bus
  Crop crop;                ///< the part of the picture to render; its height divides by cores
  TheiaProgram eyeProgram;  ///< draws a picture and leaves the plane of hits
  TheiaProgram rayProgram;  ///< traces rays from texture memory
  theia::AluProfile alu;    ///< the unit's: rays are D / MAG(D) by its arithmetic
  std::uint32_t outputWords = 250000;
  std::uint32_t textureWords = 1U << 20;
  const TheiaTextures* textures = nullptr;  ///< for the eye program; must outlive the driver
  bool boxTest = false;                     ///< configure the scene's box (improved microcode only)
  /// What eyeProgram's intersection understands; rayProgram's is the improved one.
  TheiaCorners corners = TheiaCorners::AsTheyAre;
  int tile = 0;  ///< side of a tile with a triangle list of its own; 0: one list
  DriverLog log = {};
  /// Called after every step with the pixels and rays that are done so far.
  std::function<void(std::uint64_t)> progress = {};
  /// Called at the begin of each frame, which has this number, from 0 on, with null; and at its end
  /// with what the unit got for it, but for the texture memory. Empty: nobody wants to know.
  std::function<void(std::uint64_t number, const theia::Frame* frame)> atFrame = {};
};

class TheiaDriver : public HitFinder, private Device {
 public:
  /// Keeps references. The scene must be of triangles only and fit, see kTheiaMaxTriangles.
  TheiaDriver(HostBus& bus, const scene::Scene& scene, TheiaDriverConfig config);

  /// Checks that the unit is what the configuration says; reports kDriver otherwise.
  void start();

  void trace(std::span<const Ray> rays, std::span<Hit> hits) override;
  void traceEye(std::span<const Ray> rays, std::span<const EyePosition> positions,
                std::span<Hit> hits) override;

  // ---- of the frame under way, for cost maps
  /// The pixel that pixel `index` of a core's share works for.
  [[nodiscard]] std::uint32_t pixelOf(unsigned core, std::uint64_t index) const;
  /// Triangles that each of its pixels meets.
  [[nodiscard]] std::uint64_t trianglesAPixel() const { return trianglesAPixel_; }

  /// Colours that the unit's own microcode gave the pixels of the crop, by rows: the frame of the
  /// sample position (x, y). Renders it if no ray asked for it yet.
  [[nodiscard]] std::span<const scene::Vec3> colors(double x, double y);

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

  struct Counters {
    std::uint64_t eyeFrames = 0;
    std::uint64_t rayFrames = 0;
    std::uint64_t pixels = 0;
    std::uint64_t rays = 0;
    std::uint64_t fillers = 0;
    std::uint64_t triangles = 0;
    std::uint64_t behind = 0;
    std::uint64_t atEye = 0;
    std::uint64_t textureLoads = 0;
    sc_core::sc_time eyeTime;
    sc_core::sc_time rayTime;
    void report(common::StatGroup& stats) const;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  using Words = std::vector<std::uint32_t>;

  /// Pixels of the machine and what it needs to fill them.
  struct Frame {
    int width = 0;   ///< columns
    int height = 0;  ///< rows, a multiple of the cores
    scene::Vec3 windowMin;
    scene::Vec3 windowMax;
    const TheiaProgram* program = nullptr;
    Words triangles;  ///< as the stream wants them, one after the other
    const TheiaView* box = nullptr;
    int textureSide = 1;  ///< texels
  };
  /// The crop as seen through one sample position of its pixels.
  struct EyeFrame {
    double x = 0;
    double y = 0;
    std::vector<Hit> hits;
    std::vector<scene::Vec3> colors;
  };

  void render(const Frame& frame);
  void configure(const Frame& frame);
  void renderPixels(const Frame& frame);
  void sendTriangles(std::uint64_t window, std::span<const std::uint32_t> words);
  void writeRegisters(unsigned first, std::span<const theia::Vec> values);
  void select(std::uint32_t cores);
  [[nodiscard]] theia::Frame recorded(const Frame& frame);
  [[nodiscard]] Words readOutput(int core, std::uint32_t first, std::uint32_t count);

  [[nodiscard]] Words triangleWords(const TheiaView& view,
                                    std::span<const std::uint32_t> pieces) const;
  [[nodiscard]] std::vector<std::uint32_t> piecesIn(const Crop& rect) const;
  EyeFrame& eyeFrame(double x, double y);
  void renderRect(EyeFrame& frame, const Crop& rect);
  void readRect(EyeFrame& frame, const Crop& rect, const Frame& drawn,
                std::span<const std::uint32_t> pieces);
  void loadTextures();
  void traceChunk(std::span<const Ray> rays, std::span<Hit> hits);
  void coverOrigins(std::span<const Ray> rays);

  const scene::Scene& scene_;
  TheiaDriverConfig config_;
  RegisterBlock<theia::unit::Reg> unit_;
  TheiaCamera camera_;
  TheiaView eyeView_;
  double nothingBefore_ = 0;  ///< distance from the eye up to which no surface lies
  TheiaView rayView_;
  Words rayTriangles_;
  scene::Bounds rayBox_;
  std::vector<EyeFrame> frames_;
  std::uint32_t selected_ = 0;
  bool texturesLoaded_ = false;  ///< texture memory holds them, not rays
  std::uint64_t trianglesAPixel_ = 0;
  Crop rect_;                                  ///< of an eye frame
  std::span<const Ray> chunk_;                 ///< of a frame of other rays; empty: an eye frame
  std::uint64_t frameNumber_ = 0;              ///< of the next
  std::vector<theia::RegisterWrite> written_;  ///< in the frame under way; with atFrame only
  Counters counters_;
  std::uint64_t answered_ = 0;  ///< pixels of all frames, fillers among them
};

}  // namespace rtvp::host
