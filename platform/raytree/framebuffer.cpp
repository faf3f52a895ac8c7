// Fixed-point accumulation of light.
#include "platform/raytree/framebuffer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

namespace rtvp::host {
namespace {

/// Thousands of the largest contributions would overflow; they saturate instead.
void addSaturated(std::int64_t& sum, std::int64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) {
    sum = value > 0 ? std::numeric_limits<std::int64_t>::max()
                    : std::numeric_limits<std::int64_t>::min();
  }
}

/// As std::llround(), which is a call: halves away from zero. What is cut off is exact.
std::int64_t rounded(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  const double rest = value - static_cast<double>(whole);
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

std::int64_t toFixed(double value) {
  if (std::isnan(value)) return 0;
  return rounded(std::clamp(value, -Framebuffer::kLargest, Framebuffer::kLargest) /
                 Framebuffer::kQuantum);
}

}  // namespace

Framebuffer::Framebuffer(int width, int height, int samples)
    : width_(width), height_(height), samples_(samples) {
  if (width <= 0 || height <= 0 || samples <= 0 ||
      static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) >
          report::kMaxImagePixels) {
    throw std::invalid_argument("no framebuffer of " + std::to_string(width) + " x " +
                                std::to_string(height) + " pixels, " + std::to_string(samples) +
                                " samples each");
  }
  sums_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
}

void Framebuffer::add(std::uint32_t pixel, const scene::Vec3& light) {
  std::int64_t* sum = &sums_[std::size_t{pixel} * 3];
  addSaturated(sum[0], toFixed(light.x));
  addSaturated(sum[1], toFixed(light.y));
  addSaturated(sum[2], toFixed(light.z));
}

scene::Vec3 Framebuffer::color(int x, int y) const {
  const std::size_t index = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                                 static_cast<std::size_t>(x));
  const double scale = kQuantum / samples_;
  return {static_cast<double>(sums_[index]) * scale, static_cast<double>(sums_[index + 1]) * scale,
          static_cast<double>(sums_[index + 2]) * scale};
}

void Framebuffer::merge(const Framebuffer& part, int x, int y) {
  if (part.samples_ != samples_ || x < 0 || y < 0 || part.width_ > width_ - x ||
      part.height_ > height_ - y) {
    throw std::invalid_argument("a part of the picture does not fit at " + std::to_string(x) +
                                ", " + std::to_string(y));
  }
  const std::size_t row = static_cast<std::size_t>(part.width_) * 3;
  for (int line = 0; line < part.height_; ++line) {
    const std::int64_t* from = &part.sums_[static_cast<std::size_t>(line) * row];
    std::int64_t* to =
        &sums_[3 * (static_cast<std::size_t>(y + line) * static_cast<std::size_t>(width_) +
                    static_cast<std::size_t>(x))];
    for (std::size_t i = 0; i < row; ++i) addSaturated(to[i], from[i]);
  }
}

report::Image Framebuffer::image(const report::ToneMapping& tone) const {
  report::Image picture(width_, height_);
  const double scale = kQuantum / samples_;
  for (std::size_t i = 0; i < sums_.size(); i += 3) {
    const std::array<double, 3> rgb = report::toneMapped(
        {static_cast<double>(sums_[i]) * scale, static_cast<double>(sums_[i + 1]) * scale,
         static_cast<double>(sums_[i + 2]) * scale},
        tone);
    std::transform(rgb.begin(), rgb.end(), picture.rgb.begin() + static_cast<std::ptrdiff_t>(i),
                   report::quantize);
  }
  return picture;
}

report::LightImage Framebuffer::light() const {
  report::LightImage picture{width_, height_, {}};
  picture.rgb.reserve(sums_.size());
  const double scale = kQuantum / samples_;
  for (const std::int64_t sum : sums_) {
    picture.rgb.push_back(static_cast<float>(static_cast<double>(sum) * scale));
  }
  return picture;
}

}  // namespace rtvp::host
