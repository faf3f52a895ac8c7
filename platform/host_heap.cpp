#include "platform/host_heap.hpp"

#include <cstdint>
#include <cstdlib>  // also says whose C library it is

#if defined(__linux__) && defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace rtvp::platform {

#if defined(__linux__) && defined(__GLIBC__)
namespace {

constexpr int kHeap = 256 << 20;
/// Larger than what the heap has left by itself, so that it grows now.
constexpr std::size_t kFirst = 1 << 20;
/// The largest that glibc takes; what it had chosen by itself goes with the first setting.
constexpr int kMostInHeap = 32 << 20;
constexpr int kUsualPad = 128 << 10;
constexpr std::uintptr_t kLargePage = 2 << 20;

std::uintptr_t heapEnd() {
  return reinterpret_cast<std::uintptr_t>(sbrk(0));
}

}  // namespace

void useLargePages() noexcept {
  // Threads allocate here, too: jobs of the work pool fill what their boards own.
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, kMostInHeap);
  mallopt(M_TRIM_THRESHOLD, 2 * kHeap);
  const std::uintptr_t first = (heapEnd() + kLargePage - 1) & ~(kLargePage - 1);
  mallopt(M_TOP_PAD, kHeap);
  // Seen by the compiler, which leaves out a pair of calls that nobody looks at. Null where the
  // address space has a limit.
  void* volatile const grown = std::malloc(kFirst);  // NOLINT(cppcoreguidelines-no-malloc)
  std::free(grown);                                  // NOLINT(cppcoreguidelines-no-malloc)
  mallopt(M_TOP_PAD, kUsualPad);
  const std::uintptr_t last = heapEnd() & ~(kLargePage - 1);
  if (last > first) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the heap's end is known as an address
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
}
#else
void useLargePages() noexcept {}
#endif

}  // namespace rtvp::platform
