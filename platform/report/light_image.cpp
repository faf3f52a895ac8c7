// Light into files, see light_image.hpp.
#include "platform/report/light_image.hpp"

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfOutputFile.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <exception>
#include <string>

#include "platform/report/image.hpp"

namespace rtvp::report {
namespace {

std::string extensionOf(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

/// What OpenEXR writes into.
class MemoryStream final : public Imf::OStream {
 public:
  MemoryStream() : OStream("memory") {}
  void write(const char bytes[], int count) override {
    const std::size_t end = at_ + static_cast<std::size_t>(count);
    if (end > bytes_.size()) bytes_.resize(end);
    std::memcpy(bytes_.data() + at_, bytes, static_cast<std::size_t>(count));
    at_ = end;
  }
  std::uint64_t tellp() override { return at_; }
  void seekp(std::uint64_t to) override { at_ = static_cast<std::size_t>(to); }
  [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

std::vector<std::uint8_t> encodeExr(const LightImage& light) {
  Imf::Header header(light.width, light.height);
  header.compression() = Imf::ZIP_COMPRESSION;
  Imf::FrameBuffer frame;
  constexpr std::size_t kPixel = 3 * sizeof(float);
  std::vector<float> rgb = light.rgb;  // the library asks for writable slices
  std::size_t channel = 0;
  for (const char* const name : {"R", "G", "B"}) {
    header.channels().insert(name, Imf::Channel(Imf::FLOAT));
    frame.insert(name, Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(rgb.data() + channel++),
                                  kPixel, kPixel * static_cast<std::size_t>(light.width)));
  }
  MemoryStream stream;
  {
    Imf::OutputFile file(stream, header, 0);
    file.setFrameBuffer(frame);
    file.writePixels(light.height);
  }
  return stream.take();
}

std::vector<std::uint8_t> encodePfm(const LightImage& light) {
  static_assert(std::endian::native == std::endian::little);
  const std::string header =
      "PF\n" + std::to_string(light.width) + " " + std::to_string(light.height) + "\n-1.0\n";
  std::vector<std::uint8_t> bytes(header.begin(), header.end());
  const std::size_t row = static_cast<std::size_t>(light.width) * 3;
  for (auto y = static_cast<std::size_t>(light.height); y-- > 0;) {
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(light.rgb.data() + y * row);
    bytes.insert(bytes.end(), begin, begin + row * sizeof(float));
  }
  return bytes;
}

}  // namespace

bool isLightName(const std::filesystem::path& file) {
  const std::string extension = extensionOf(file);
  return extension == ".exr" || extension == ".pfm";
}

std::vector<std::uint8_t> encodeLight(const std::filesystem::path& file, const LightImage& light) {
  if (!isLightName(file)) {
    throw ImageError(file.string() + ": a picture of light must end in .exr or .pfm");
  }
  if (extensionOf(file) == ".pfm") return encodePfm(light);
  try {
    return encodeExr(light);
  } catch (const std::exception& e) {
    throw ImageError(file.string() + ": cannot make an OpenEXR file: " + e.what());
  }
}

}  // namespace rtvp::report
