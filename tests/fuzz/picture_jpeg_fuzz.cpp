// JPEG pictures as textures.
#include "platform/report/image.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/scene_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using rtvp::fuzz::require;
  if (size > 65536) return 0;
  try {
    const rtvp::report::RgbaImage image = rtvp::report::decodeRgba({data, size}, "x", 512);
    require(image.width >= 1 && image.width <= 512 && image.height >= 1 && image.height <= 512,
            "sides are bounded");
    require(image.rgba.size() == static_cast<std::size_t>(image.width * image.height) * 4,
            "all pixels are there");
  } catch (const rtvp::report::ImageError& e) {
    require(e.what()[0] == 'x', "a refusal names the picture");
  }
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  const std::vector<std::uint8_t> png = report::encodePng(report::Image(3, 2));
  return {jpegBytes(), {png.begin(), png.end()}};
}

}  // namespace rtvp::fuzz
