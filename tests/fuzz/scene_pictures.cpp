// A small JPEG for fuzz targets, see scene_fuzz.hpp.
#include <turbojpeg.h>

#include <array>

#include "tests/fuzz/scene_fuzz.hpp"

namespace rtvp::fuzz {

std::string jpegBytes() {
  std::array<unsigned char, 24> rgb{};
  for (std::size_t k = 0; k < rgb.size(); ++k) rgb[k] = static_cast<unsigned char>(k * 10);
  tjhandle writer = tjInitCompress();
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): the library's type
  tjCompress2(writer, rgb.data(), 4, 0, 2, TJPF_RGB, &bytes, &size, TJSAMP_420, 90,
              TJFLAG_PROGRESSIVE);
  const std::string result(reinterpret_cast<const char*>(bytes), size);
  tjFree(bytes);
  tjDestroy(writer);
  return result;
}

}  // namespace rtvp::fuzz
