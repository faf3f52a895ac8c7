// JPEG pictures, by libjpeg-turbo's own interface: it needs no setjmp in our frames.
#include <turbojpeg.h>

#include <cstdint>
#include <memory>
#include <string>

#include "platform/report/image.hpp"

namespace rtvp::report {

RgbaImage decodeJpegRgba(std::span<const std::uint8_t> bytes, const std::string& name,
                         int maxSide) {
  const auto fail = [&](const std::string& why) -> void { throw ImageError(name + ": " + why); };
  const std::unique_ptr<void, int (*)(tjhandle)> reader(tjInitDecompress(), tjDestroy);
  if (!reader) throw ImageError(name + ": no JPEG reader");
  RgbaImage image;
  int subsampling = 0;
  int space = 0;
  if (tjDecompressHeader3(reader.get(), bytes.data(), bytes.size(), &image.width, &image.height,
                          &subsampling, &space) != 0) {
    fail(std::string("bad JPEG: ") + tjGetErrorStr2(reader.get()));
  }
  if (image.width > maxSide || image.height > maxSide) {
    fail(std::to_string(image.width) + " x " + std::to_string(image.height) + " pixels, at most " +
         std::to_string(maxSide) + " a side are possible");
  }
  if (space == TJCS_CMYK || space == TJCS_YCCK) fail("a JPEG in CMYK, expected RGB or grey");
  image.rgba.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) *
                    4);
  // A progressive file of thousands of scans would take hours; a damaged one is no picture.
  constexpr int kFlags = TJFLAG_LIMITSCANS | TJFLAG_STOPONWARNING | TJFLAG_ACCURATEDCT;
  if (tjDecompress2(reader.get(), bytes.data(), bytes.size(), image.rgba.data(), image.width, 0,
                    image.height, TJPF_RGBA, kFlags) != 0) {
    fail(std::string("bad JPEG: ") + tjGetErrorStr2(reader.get()));
  }
  return image;
}

RgbaImage decodeRgba(std::span<const std::uint8_t> bytes, const std::string& name, int maxSide) {
  if (bytes.size() >= 3 && bytes[0] == 0xFF && bytes[1] == 0xD8 && bytes[2] == 0xFF) {
    return decodeJpegRgba(bytes, name, maxSide);
  }
  return decodePngRgba(bytes, name, maxSide);
}

}  // namespace rtvp::report
