// The FRAME job behind the rasteriser: fragments of a leaf become warps, hits become warps that
// find normals and materials; depth and hit records move per pixel.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "models/implicit/render/frame.hpp"
#include "models/implicit/unit/cores.hpp"
#include "models/implicit/unit/lanes.hpp"

namespace rtvp::implicit::unit {

/// The buffers of a frame in memory.
struct FrameBuffers {
  std::uint64_t hits = 0, depth = 0;
  std::uint32_t pitch = 0;  ///< pixels
  std::uint32_t left = 0, top = 0;
  std::uint32_t width = 0;  ///< of the rectangle
  bool materials = true;

  [[nodiscard]] std::uint64_t pixel(std::uint32_t target) const {
    const std::uint64_t x = left + target % width, y = std::uint64_t{top} + target / width;
    return y * pitch + x;
  }
  [[nodiscard]] std::uint64_t depthAddress(std::uint32_t target) const {
    return depth + pixel(target) * kDepthBytes;
  }
  [[nodiscard]] unsigned recordBytes() const {
    return materials ? hit::kMaterialBytes : hit::kBytes;
  }
  [[nodiscard]] std::uint64_t hitAddress(std::uint32_t target) const {
    return hits + pixel(target) * recordBytes();
  }
};

/// The bytes of a hit record, or some of them.
struct RecordBytes {
  std::array<std::uint8_t, hit::kMaterialBytes> bytes;
  unsigned first = 0, end = 0;
  // NOLINTNEXTLINE(google-explicit-constructor): it is what it holds
  operator std::span<const std::uint8_t>() const {
    return std::span(bytes).subspan(first, end - first);
  }
};
/// Of a miss the first kMissBytes.
RecordBytes recordOf(const render::HitRecord& record, bool materials);

class FrameStage final : public render::Observer {
 public:
  FrameStage(std::span<LoadedObject* const> objects, const render::Frame& frame,
             const FrameBuffers& buffers, const Timing& timing, Cores& cores, Clock& clock);

  void object(std::uint32_t number) override;
  void leaf(const render::LeafEvent& event) override;
  void trace(const render::TraceEvent& event) override;
  std::size_t traces(std::span<const render::TraceEvent> events) override;
  void shade(const render::ShadeEvent& event) override;
  void side(std::uint32_t object, std::uint32_t target) override;
  void store(std::uint32_t target) override;
  /// All warps are handed out.
  void finish();
  /// The bytes a pixel's record still lacks when all is traced: all of a miss; of a hit status and
  /// number of evaluations, if they have changed since it was stored.
  [[nodiscard]] RecordBytes rest(std::uint32_t target) const;

 private:
  void flushTraces();
  void flushShades();
  void readDepth(Warp& warp);
  void countFragment();
  void note(const render::TraceEvent& event);

  std::span<LoadedObject* const> objects_;
  const render::Frame& frame_;
  const FrameBuffers& buffers_;
  const Timing& timing_;
  Cores& cores_;
  Clock& clock_;

  LoadedObject* object_ = nullptr;
  std::uint32_t leaf_ = 0;
  std::vector<LaneWork> lanes_, work_;
  PixelRanges depth_reads_;
  std::uint32_t rasterised_ = 0;  ///< fragments in the front end's current clock

  struct Shade {
    LaneWork gradient, normal, material;
  };
  std::vector<Shade> shades_;
  SetupReads shade_reads_;
  Warp shade_warp_;
  struct Stored {
    std::uint32_t status = 0, evaluations = 0;
  };
  std::vector<Stored> stored_;  ///< of each pixel; status 0: never
};

}  // namespace rtvp::implicit::unit
