// 8-bit pictures and the two file formats we write: PNG and binary PPM (P6, as the 1996 program
// wrote).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rtvp::report {

/// Largest picture a reader or writer touches; a header that promises more is refused before
/// anything is allocated.
inline constexpr std::uint64_t kMaxImagePixels = std::uint64_t{1} << 28;

/// RGB, 8 bits a channel, rows from the top, no padding.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  ///< width * height * 3

  Image() = default;
  /// Black. Throws std::invalid_argument unless both sides are positive and within kMaxImagePixels.
  Image(int w, int h);
  [[nodiscard]] std::span<const std::uint8_t, 3> pixel(int x, int y) const;
  bool operator==(const Image&) const = default;
};

/// A file or a buffer is not a picture we can read; what() says which file and why.
class ImageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// round(255 * c), c clamped to 0..1; not-a-number becomes 0.
[[nodiscard]] inline std::uint8_t quantize(double c) {
  if (!(c > 0)) return 0;
  const double value = 255 * (c < 1.0 ? c : 1.0);
  const int whole = static_cast<int>(value);  // as std::lround(), which is a call
  return static_cast<std::uint8_t>(value - whole >= 0.5 ? whole + 1 : whole);
}

[[nodiscard]] std::vector<std::uint8_t> encodePng(const Image& image);
[[nodiscard]] std::vector<std::uint8_t> encodePpm(const Image& image);
/// The format is taken from the contents. `name` appears in messages. Alpha is composed over black.
[[nodiscard]] Image decodeImage(std::span<const std::uint8_t> bytes, const std::string& name);

/// RGBA, 8 bits a channel, alpha not multiplied in, rows from the top, no padding.
struct RgbaImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;  ///< width * height * 4
};
/// A PNG (grey and palette become colours) with sides of at most `maxSide`, checked before anything
/// is allocated. Throws ImageError.
[[nodiscard]] RgbaImage decodePngRgba(std::span<const std::uint8_t> bytes, const std::string& name,
                                      int maxSide);

/// A JPEG, grey or in colour, likewise.
[[nodiscard]] RgbaImage decodeJpegRgba(std::span<const std::uint8_t> bytes, const std::string& name,
                                       int maxSide);
/// PNG or JPEG, by the contents.
[[nodiscard]] RgbaImage decodeRgba(std::span<const std::uint8_t> bytes, const std::string& name,
                                   int maxSide);

/// PNG or PPM by the extension of `file` (.png, .ppm; case ignored). Throws ImageError on another.
[[nodiscard]] std::vector<std::uint8_t> encodeImage(const std::filesystem::path& file,
                                                    const Image& image);
/// Writes that, replacing the file in one step. Throws std::system_error when it cannot be written.
void writeImage(const std::filesystem::path& file, const Image& image);
/// True if writeImage() knows the extension: lets a program complain before it renders.
[[nodiscard]] bool isImageName(const std::filesystem::path& file);
/// Throws ImageError, or std::system_error when the file cannot be read.
[[nodiscard]] Image readImage(const std::filesystem::path& file);

}  // namespace rtvp::report
