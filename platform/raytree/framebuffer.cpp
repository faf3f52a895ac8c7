// Fixed-point accumulation of light.
#include "platform/raytree/framebuffer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace rtvp::host {
namespace {

void check(int width, int height, int samples) {
  if (width <= 0 || height <= 0 || samples <= 0 ||
      static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) >
          report::kMaxImagePixels) {
    throw std::invalid_argument("no framebuffer of " + std::to_string(width) + " x " +
                                std::to_string(height) + " pixels, " + std::to_string(samples) +
                                " samples each");
  }
}

std::size_t channels(int width, int height) {
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
}

}  // namespace

Framebuffer::Framebuffer(int width, int height, int samples)
    : width_(width), height_(height), samples_(samples) {
  check(width, height, samples);
  sums_.resize(channels(width, height));
}

Framebuffer::Framebuffer(int width, int height, int samples, std::vector<std::int64_t> sums)
    : width_(width), height_(height), samples_(samples), sums_(std::move(sums)) {
  check(width, height, samples);
  if (sums_.size() != channels(width, height)) {
    throw std::invalid_argument("found " + std::to_string(sums_.size()) + " sums, expected " +
                                std::to_string(channels(width, height)));
  }
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
  if (tone == report::ToneMapping{}) {
    const std::int64_t* const sums = sums_.data();
    std::uint8_t* const rgb = picture.rgb.data();
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      // Backgrounds are many pixels of one colour.
      rgb[i] = i >= 3 && sums[i] == sums[i - 3]
                   ? rgb[i - 3]
                   : report::quantize(static_cast<double>(sums[i]) * scale);
    }
    return picture;
  }
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
