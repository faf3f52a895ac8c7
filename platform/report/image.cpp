// PNG through libpng's png_image interface, which needs no setjmp in our frames; PPM by hand, it is
// eleven bytes of header.
#include "platform/report/image.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>

#include "models/common/core/file_io.hpp"

namespace rtvp::report {
namespace {

constexpr std::array<std::uint8_t, 8> kPngSignature = {0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A};
/// DEFLATE cannot expand more than about 1032 times (a 258-byte match in two bits), so a small file
/// that promises a large picture is a lie and is refused before the picture is allocated.
constexpr std::uint64_t kMaxExpansion = 1040;
constexpr std::uint64_t kMaxFileBytes = kMaxImagePixels * 4;

std::string extensionOf(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

/// Frees what libpng holds, whatever happens in between.
struct PngImage {
  png_image image{};
  PngImage() { image.version = PNG_IMAGE_VERSION; }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
  ~PngImage() { png_image_free(&image); }
};

std::uint32_t bigEndian(std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
         static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

/// libpng stops reading after the last row; a file cut between there and its end marker is cut all
/// the same.
bool pngIsComplete(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kChunkOverhead = 12;  // length, name, checksum
  std::size_t at = kPngSignature.size();
  while (bytes.size() - at >= kChunkOverhead) {
    const std::uint64_t length = bigEndian(bytes.subspan(at, 4));
    if (length > bytes.size() - at - kChunkOverhead) return false;
    if (std::memcmp(bytes.data() + at + 4, "IEND", 4) == 0) return true;
    at += kChunkOverhead + static_cast<std::size_t>(length);
  }
  return false;
}

/// Opens a PNG and refuses one that cannot hold the picture it promises.
void beginPng(PngImage& png, std::span<const std::uint8_t> bytes, const std::string& name) {
  if (!pngIsComplete(bytes)) throw ImageError(name + ": the PNG file is cut off");
  if (png_image_begin_read_from_memory(&png.image, bytes.data(), bytes.size()) == 0) {
    throw ImageError(name + ": bad PNG: " + png.image.message);
  }
  const std::uint64_t pixels = std::uint64_t{png.image.width} * png.image.height;
  // Samples of one bit are the densest that PNG knows.
  if (pixels == 0 || pixels > kMaxImagePixels || pixels / 8 > bytes.size() * kMaxExpansion) {
    throw ImageError(name + ": bad PNG: " + std::to_string(png.image.width) + " x " +
                     std::to_string(png.image.height) + " pixels do not fit this file");
  }
}

Image decodePng(std::span<const std::uint8_t> bytes, const std::string& name) {
  PngImage png;
  beginPng(png, bytes, name);
  png.image.format = PNG_FORMAT_RGB;
  Image image(static_cast<int>(png.image.width), static_cast<int>(png.image.height));
  const png_color black{0, 0, 0};
  if (png_image_finish_read(&png.image, &black, image.rgb.data(), 0, nullptr) == 0) {
    throw ImageError(name + ": bad PNG: " + png.image.message);
  }
  return image;
}

bool isPng(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= kPngSignature.size() &&
         std::equal(kPngSignature.begin(), kPngSignature.end(), bytes.begin());
}

/// Cursor over a P6 header: numbers separated by white space and comments.
class PpmHeader {
 public:
  PpmHeader(std::span<const std::uint8_t> bytes, const std::string& name)
      : bytes_(bytes), name_(name) {}

  int number(const char* what, int limit) {
    skipBlanks();
    const std::size_t start = at_;
    std::int64_t value = 0;
    while (at_ < bytes_.size() && std::isdigit(bytes_[at_]) != 0 && value <= limit) {
      value = value * 10 + (bytes_[at_++] - '0');
    }
    if (at_ == start || value < 1 || value > limit) {
      throw ImageError(name_ + ": bad PPM at byte " + std::to_string(start) + ": expected the " +
                       what + ", 1 to " + std::to_string(limit));
    }
    return static_cast<int>(value);
  }

  /// The one white-space byte that ends the header; returns where the samples start.
  std::size_t end() {
    if (at_ >= bytes_.size() || std::isspace(bytes_[at_]) == 0) {
      throw ImageError(name_ + ": bad PPM at byte " + std::to_string(at_) +
                       ": expected a blank after the header");
    }
    return at_ + 1;
  }

 private:
  void skipBlanks() {
    while (at_ < bytes_.size() && (std::isspace(bytes_[at_]) != 0 || bytes_[at_] == '#')) {
      if (bytes_[at_] == '#') {
        while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      } else {
        ++at_;
      }
    }
  }

  std::span<const std::uint8_t> bytes_;
  const std::string& name_;
  std::size_t at_ = 2;
};

Image decodePpm(std::span<const std::uint8_t> bytes, const std::string& name) {
  PpmHeader header(bytes, name);
  constexpr int kMaxSide = 1 << 28;
  const int width = header.number("width", kMaxSide);
  const int height = header.number("height", kMaxSide);
  if (header.number("largest sample", 65535) != 255) {
    throw ImageError(name + ": bad PPM: the largest sample must be 255");
  }
  const std::size_t start = header.end();
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  const std::uint64_t found = bytes.size() - start;
  if (pixels > kMaxImagePixels || pixels * 3 != found) {
    throw ImageError(name + ": bad PPM: found " + std::to_string(found) +
                     " bytes of samples, expected " + std::to_string(width) + " x " +
                     std::to_string(height) + " x 3");
  }
  Image image(width, height);
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(start), bytes.end(), image.rgb.begin());
  return image;
}

}  // namespace

Image::Image(int w, int h) : width(w), height(h) {
  if (w <= 0 || h <= 0 ||
      static_cast<std::uint64_t>(w) * static_cast<std::uint64_t>(h) > kMaxImagePixels) {
    throw std::invalid_argument("a picture of " + std::to_string(w) + " x " + std::to_string(h) +
                                " pixels is not possible");
  }
  rgb.resize(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * 3);
}

std::span<const std::uint8_t, 3> Image::pixel(int x, int y) const {
  const std::size_t index =
      static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  return std::span<const std::uint8_t, 3>(rgb.data() + index * 3, 3);
}

std::vector<std::uint8_t> encodePng(const Image& image) {
  PngImage png;
  png.image.width = static_cast<png_uint_32>(image.width);
  png.image.height = static_cast<png_uint_32>(image.height);
  png.image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png.image);
  std::vector<std::uint8_t> bytes(size);
  if (png_image_write_to_memory(&png.image, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) ==
      0) {
    throw ImageError(std::string("cannot make a PNG: ") + png.image.message);
  }
  bytes.resize(size);
  return bytes;
}

std::vector<std::uint8_t> encodePpm(const Image& image) {
  const std::string header =
      "P6\n" + std::to_string(image.width) + " " + std::to_string(image.height) + "\n255\n";
  std::vector<std::uint8_t> bytes(header.begin(), header.end());
  bytes.insert(bytes.end(), image.rgb.begin(), image.rgb.end());
  return bytes;
}

Image decodeImage(std::span<const std::uint8_t> bytes, const std::string& name) {
  if (isPng(bytes)) return decodePng(bytes, name);
  if (bytes.size() >= 2 && bytes[0] == 'P' && bytes[1] == '6') return decodePpm(bytes, name);
  throw ImageError(name + ": neither PNG nor binary PPM (P6)");
}

RgbaImage decodePngRgba(std::span<const std::uint8_t> bytes, const std::string& name, int maxSide) {
  if (!isPng(bytes)) throw ImageError(name + ": not a PNG");
  PngImage png;
  beginPng(png, bytes, name);
  const auto limit = static_cast<png_uint_32>(maxSide);
  if (png.image.width > limit || png.image.height > limit) {
    throw ImageError(name + ": " + std::to_string(png.image.width) + " x " +
                     std::to_string(png.image.height) + " pixels, at most " +
                     std::to_string(maxSide) + " a side are possible");
  }
  png.image.format = PNG_FORMAT_RGBA;
  RgbaImage image{static_cast<int>(png.image.width), static_cast<int>(png.image.height), {}};
  image.rgba.resize(std::size_t{png.image.width} * png.image.height * 4);
  if (png_image_finish_read(&png.image, nullptr, image.rgba.data(), 0, nullptr) == 0) {
    throw ImageError(name + ": bad PNG: " + png.image.message);
  }
  return image;
}

bool isImageName(const std::filesystem::path& file) {
  const std::string extension = extensionOf(file);
  return extension == ".png" || extension == ".ppm";
}

std::vector<std::uint8_t> encodeImage(const std::filesystem::path& file, const Image& image) {
  if (!isImageName(file)) {
    throw ImageError(file.string() + ": a picture's name must end in .png or .ppm");
  }
  return extensionOf(file) == ".png" ? encodePng(image) : encodePpm(image);
}

void writeImage(const std::filesystem::path& file, const Image& image) {
  common::replaceFile(file, encodeImage(file, image));
}

Image readImage(const std::filesystem::path& file) {
  return decodeImage(common::readBytes(file, kMaxFileBytes), file.string());
}

}  // namespace rtvp::report
