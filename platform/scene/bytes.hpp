// Binary input of the scene parsers: numbers of either byte order, located by their byte.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "platform/scene/text.hpp"

namespace rtvp::scene {

/// Reads a file's bytes from a place on. Every read is checked against the end.
class ByteReader {
 public:
  ByteReader(const TextFile& file, std::size_t at, std::endian order)
      : file_(&file), at_(at), swapped_(order != std::endian::native) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::size_t left() const {
    return at_ < file_->text().size() ? file_->text().size() - at_ : 0;
  }
  [[nodiscard]] Where where() const { return {file_, Place::atByte(at_)}; }

  /// Throws SceneError at the next byte.
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    where().fail(found, expected);
  }

  template <typename T>
  T take(std::string_view expected) {
    using Bits = std::conditional_t<
        sizeof(T) == 1, std::uint8_t,
        std::conditional_t<sizeof(T) == 2, std::uint16_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
    Bits bits = 0;
    std::memcpy(&bits, bytes(sizeof(T), expected).data(), sizeof(T));
    if (swapped_) bits = reversed(bits);
    return std::bit_cast<T>(bits);
  }

  std::string_view bytes(std::size_t count, std::string_view expected) {
    if (count > left()) fail("the end of the file", expected);
    const std::string_view result = file_->text().substr(at_, count);
    at_ += count;
    return result;
  }

 private:
  template <typename Bits>
  static Bits reversed(Bits bits) {
    Bits result = 0;
    for (std::size_t k = 0; k < sizeof(Bits); ++k) {
      result = static_cast<Bits>((static_cast<std::uint64_t>(result) << 8U) |
                                 ((static_cast<std::uint64_t>(bits) >> (8 * k)) & 0xFFU));
    }
    return result;
  }

  const TextFile* file_;
  std::size_t at_;
  bool swapped_;
};

}  // namespace rtvp::scene
