// Simulated memories that cost nothing until they are touched.
#include "models/common/core/zero_pages.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <new>
#include <utility>

namespace {

using rtvp::common::ZeroPages;

/// Bytes of this process that are in memory (proc(5), statm).
std::size_t resident() {
  std::size_t total = 0;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> total >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(ZeroPages, AreZeroFromTheFirstByteToTheLast) {
  constexpr std::size_t kBytes = 3 * 4096 + 5;
  for (int again = 0; again < 3; ++again) {  // pages that were given back come as zeros, too
    const ZeroPages memory(kBytes);
    for (std::size_t i = 0; i < kBytes; ++i) ASSERT_EQ(memory[i], 0) << i;
    for (std::size_t i = 0; i < kBytes; ++i) memory[i] = 0xA5;
    EXPECT_EQ(memory.get()[kBytes - 1], 0xA5);
  }
}

TEST(ZeroPages, UntouchedOnesAreNotInMemory) {
  constexpr std::size_t kGigabyte = std::size_t{1} << 30;
  const std::size_t before = resident();
  const ZeroPages memory(kGigabyte);
  memory[kGigabyte / 2] = 1;
  EXPECT_LT(resident(), before + (std::size_t{16} << 20));
}

TEST(ZeroPages, WithoutASizeThereAreNone) {
  EXPECT_EQ(ZeroPages().get(), nullptr);
  EXPECT_EQ(ZeroPages(0).get(), nullptr);
}

TEST(ZeroPages, MoreThanTheHostHasIsNoMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer ends the program";
#endif
  EXPECT_THROW(ZeroPages(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc);
}

TEST(ZeroPages, MoveWithWhoOwnsThem) {
  ZeroPages first(4096);
  first[7] = 9;
  ZeroPages second;
  second = std::move(first);
  EXPECT_EQ(second[7], 9);
}

}  // namespace
