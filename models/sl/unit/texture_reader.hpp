// The unit's texture path: which texels a sample needs, a small cache, and the bus behind it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "models/sl/registers.hpp"
#include "models/sl/unit/layout.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::sl::unit {

using Clock = std::uint64_t;

/// The unit's way to memory.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// Moves words from or to byte address `address` (a multiple of 4), starting at clock `at`.
  /// Returns the clock after the transfer, or kBusError.
  virtual Clock read(std::uint64_t address, std::span<std::uint32_t> words, Clock at) = 0;
  virtual Clock write(std::uint64_t address, std::span<const std::uint32_t> words, Clock at) = 0;
  /// Reads without time, count or effect; false where that cannot be done.
  virtual bool look(std::uint64_t /*address*/, std::span<std::uint32_t> /*words*/) { return false; }
};
inline constexpr Clock kBusError = ~Clock{0};

/// A slot of a surface, as its four words say.
struct TextureSlot {
  std::uint64_t address = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  Format format = Format::None;
};
/// False if no sample can be taken from it: unknown format, no texel, an odd address, a cube face
/// that is not square.
bool isUsable(const TextureSlot& slot);

/// Registers t0..t7.
using Samples = std::array<Vec3, kTextureSlots>;

struct TextureCounters {
  std::uint64_t samples = 0;
  std::uint64_t texels = 0;  ///< texels used
  std::uint64_t hits = 0;    ///< texels found in the cache
  std::uint64_t misses = 0;  ///< lines, or with no cache texels, read over the bus
};

/// Direct-mapped cache of lines of eight texels; with no line, every texel is a bus read.
class TextureReader {
 public:
  static constexpr unsigned kLineWords = 8;

  explicit TextureReader(unsigned lines);

  /// The filtered sample of `slot` at coordinates `at` ((s, t), or a world-space direction for a
  /// cube map), starting at clock `clock`, which moves to the end of the last bus transfer (and
  /// becomes kBusError). Cache hits take no time of their own: the opcode's cycles contain them.
  Vec3 sample(const TextureSlot& slot, const Vec3& at, MemoryPort& port, Clock& clock);
  void flush();
  /// Sees each texel: where it lies and the clocks that its transfer took, 0 from the cache.
  void setProbe(std::function<void(std::uint64_t address, Clock took)> probe) {
    probe_ = std::move(probe);
  }
  /// For checkpoints.
  void state(common::StateArchive& a);
  [[nodiscard]] const TextureCounters& counters() const { return counters_; }

 private:
  std::uint32_t word(std::uint64_t address, MemoryPort& port, Clock& clock);
  std::uint32_t fetched(std::uint64_t address, MemoryPort& port, Clock& clock);

  struct Line {
    std::uint64_t address = ~std::uint64_t{0};
    std::array<std::uint32_t, kLineWords> words{};
  };
  std::vector<Line> lines_;
  TextureCounters counters_;
  std::function<void(std::uint64_t, Clock)> probe_;
};

}  // namespace rtvp::sl::unit
