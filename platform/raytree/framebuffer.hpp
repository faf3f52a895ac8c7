// Light arriving at each pixel, summed so that the order of arrival does not matter.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
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
  /// With the sums of another one. Throws std::invalid_argument also if they are not so many.
  Framebuffer(int width, int height, int samples, std::vector<std::int64_t> sums);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] int samples() const { return samples_; }

  /// Adds light to pixel y * width + x. Not-a-number counts as nothing.
  void add(std::uint32_t pixel, const scene::Vec3& light) { addQuanta(pixel, quanta(light)); }

  /// Light as it is added up: what comes to many pixels is brought into this form once.
  struct Quanta {
    std::int64_t red, green, blue;
  };
  [[nodiscard]] static Quanta quanta(const scene::Vec3& light) {
    return {toFixed(light.x), toFixed(light.y), toFixed(light.z)};
  }
  void addQuanta(std::uint32_t pixel, const Quanta& light) {
    std::int64_t* const sum = &sums_[std::size_t{pixel} * 3];
    addSaturated(sum[0], light.red);
    addSaturated(sum[1], light.green);
    addSaturated(sum[2], light.blue);
  }
  /// Mean over the samples, not clamped.
  [[nodiscard]] scene::Vec3 color(int x, int y) const;

  /// Adds a part rendered elsewhere, its top left corner at (x, y). Throws std::invalid_argument if
  /// it does not fit or has another number of samples.
  void merge(const Framebuffer& part, int x, int y);
  /// The sums, RGB by rows, in units of kQuantum: what one process hands to another.
  [[nodiscard]] std::span<std::int64_t> sums() { return sums_; }
  [[nodiscard]] std::span<const std::int64_t> sums() const { return sums_; }
  /// Gives them away: nothing is left to be asked for.
  [[nodiscard]] std::vector<std::int64_t> takeSums() && { return std::move(sums_); }

  /// 8 bits a channel, clamped after tone mapping.
  [[nodiscard]] report::Image image(const report::ToneMapping& tone = {}) const;
  /// Means over the samples, linear, not clamped.
  [[nodiscard]] report::LightImage light() const;

 private:
  /// In quanta, halves away from zero, as std::llround(), which is a call.
  static std::int64_t toFixed(double value) {
    if (std::isnan(value)) return 0;
    const double low = value < -kLargest ? -kLargest : value;
    const double quanta = (low > kLargest ? kLargest : low) / kQuantum;
    // The number below one half: with one half itself, what is just below it would be rounded up
    // before it is cut. Beyond 2^52 there are no halves, and this is rounded off.
    constexpr double kBelowHalf = 0.5 - std::numeric_limits<double>::epsilon() / 4;
    return static_cast<std::int64_t>(quanta + std::copysign(kBelowHalf, quanta));
  }
  /// Thousands of the largest contributions would overflow; they saturate instead.
  static void addSaturated(std::int64_t& sum, std::int64_t value) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(sum, value, &result)) {
      result = value > 0 ? std::numeric_limits<std::int64_t>::max()
                         : std::numeric_limits<std::int64_t>::min();
    }
    sum = result;
  }

  int width_;
  int height_;
  int samples_;
  std::vector<std::int64_t> sums_;
};

}  // namespace rtvp::host
