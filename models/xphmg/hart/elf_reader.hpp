// Bounds-checked reads of an executable's bytes.
#pragma once

#include <boost/endian/conversion.hpp>
#include <cstdint>
#include <span>
#include <sstream>
#include <string_view>

#include "models/xphmg/hart/elf.hpp"

namespace rtvp::rv64 {

/// Little-endian; `what` names the structure in messages.
class ElfReader {
 public:
  explicit ElfReader(std::span<const std::uint8_t> file) : file_(file) {}

  void check(std::uint64_t offset, std::uint64_t size, std::string_view what) const {
    (void)bytes(offset, size, what);
  }

  [[nodiscard]] std::span<const std::uint8_t> bytes(std::uint64_t offset, std::uint64_t size,
                                                    std::string_view what) const {
    if (offset > file_.size() || file_.size() - offset < size) {
      std::ostringstream text;
      text << what << " at offset " << offset << ", " << size << " bytes, lies outside the file of "
           << file_.size() << " bytes";
      throw ElfError(text.str());
    }
    return file_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }
  [[nodiscard]] std::uint16_t u16(std::uint64_t offset) const {
    return boost::endian::load_little_u16(bytes(offset, 2, "a field").data());
  }
  [[nodiscard]] std::uint32_t u32(std::uint64_t offset) const {
    return boost::endian::load_little_u32(bytes(offset, 4, "a field").data());
  }
  [[nodiscard]] std::uint64_t u64(std::uint64_t offset) const {
    return boost::endian::load_little_u64(bytes(offset, 8, "a field").data());
  }

 private:
  std::span<const std::uint8_t> file_;
};

}  // namespace rtvp::rv64
