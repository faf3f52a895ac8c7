// Large zeroed memory of which the host gives what is touched: simulated memories, whose unused
// gigabytes cost nothing. Its own pages, so that this holds whatever the heap does with freed ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace rtvp::common {

class ZeroPages {
 public:
  ZeroPages() = default;
  /// Throws std::bad_alloc if the host does not have so many bytes of addresses.
  explicit ZeroPages(std::size_t bytes) : bytes_(reserve(bytes), Free(bytes)) {}

  /// Begins at a page; null if it was made without a size.
  [[nodiscard]] std::uint8_t* get() const { return bytes_.get(); }
  [[nodiscard]] std::uint8_t& operator[](std::size_t i) const { return bytes_[i]; }

 private:
  class Free {
   public:
    Free() : bytes_(0) {}
    explicit Free(std::size_t bytes) : bytes_(bytes) {}
    void operator()(std::uint8_t* first) const;

   private:
    std::size_t bytes_;
  };
  static std::uint8_t* reserve(std::size_t bytes);

  std::unique_ptr<std::uint8_t[], Free> bytes_;
};

}  // namespace rtvp::common
