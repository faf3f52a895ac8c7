// Light arriving at each pixel, summed so that the order of arrival does not matter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "platform/report/image.hpp"
#include "platform/report/light_image.hpp"
#include "platform/report/tone_mapping.hpp"
#include "platform/scene/vec3.hpp"

namespace rtvp::host {

/// Linear RGB sums. They are integers, in units of kQuantum, because integer addition is
/// associative: the picture is the same bytes whatever the order of rays, the batch size or the
/// number of hosts.
class Framebuffer {
 public:
  /// Far below the half step of an 8-bit channel even after a million contributions.
  static constexpr double kQuantum = 1.0 / (std::int64_t{1} << 40);
  /// A contribution beyond this is cut; the picture is white there anyway.
  static constexpr double kLargest = 1 << 16;

  /// Throws std::invalid_argument on impossible sizes. `samples` is what each pixel's sum is
  /// divided by.
  Framebuffer(int width, int height, int samples = 1);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] int samples() const { return samples_; }

  /// Adds light to pixel y * width + x. Not-a-number counts as nothing.
  void add(std::uint32_t pixel, const scene::Vec3& light);
  /// Mean over the samples, not clamped.
  [[nodiscard]] scene::Vec3 color(int x, int y) const;

  /// Adds a part rendered elsewhere, its top left corner at (x, y). Throws std::invalid_argument if
  /// it does not fit or has another number of samples.
  void merge(const Framebuffer& part, int x, int y);
  /// The sums, RGB by rows, in units of kQuantum: what one process hands to another.
  [[nodiscard]] std::span<std::int64_t> sums() { return sums_; }
  [[nodiscard]] std::span<const std::int64_t> sums() const { return sums_; }

  /// 8 bits a channel, clamped after tone mapping.
  [[nodiscard]] report::Image image(const report::ToneMapping& tone = {}) const;
  /// Means over the samples, linear, not clamped.
  [[nodiscard]] report::LightImage light() const;

 private:
  int width_;
  int height_;
  int samples_;
  std::vector<std::int64_t> sums_;
};

}  // namespace rtvp::host
