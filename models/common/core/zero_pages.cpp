#include "models/common/core/zero_pages.hpp"

#include <cstdlib>
#include <new>

#if defined(__linux__)
#define RTVP_OWN_PAGES 1
#include <sys/mman.h>
#endif
// AddressSanitizer watches the ends of what comes from the heap only.
#if defined(__SANITIZE_ADDRESS__)
#undef RTVP_OWN_PAGES
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef RTVP_OWN_PAGES
#endif
#endif

namespace rtvp::common {

#ifdef RTVP_OWN_PAGES
std::uint8_t* ZeroPages::reserve(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const first =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (first == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::uint8_t*>(first);
}

void ZeroPages::Free::operator()(std::uint8_t* first) const {
  munmap(first, bytes_);
}
#else
std::uint8_t* ZeroPages::reserve(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const first = std::calloc(bytes, 1);
  if (first == nullptr) throw std::bad_alloc();
  return static_cast<std::uint8_t*>(first);
}

void ZeroPages::Free::operator()(std::uint8_t* first) const {
  std::free(first);
}
#endif

}  // namespace rtvp::common
