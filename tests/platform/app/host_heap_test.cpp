// The executable's heap: it has grown before it is needed, and Linux has been asked for large
// pages.
#include "platform/host_heap.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Heap {
  std::uintptr_t first = 0;
  std::uintptr_t last = 0;
  std::size_t large = 0;  ///< bytes of its pieces with the flag "hg"
};

/// As proc(5) describes smaps: pieces of the heap follow each other, each with its flags.
Heap heap() {
  Heap h;
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  for (std::string line; std::getline(smaps, line);) {
    std::istringstream words(line);
    char minus = 0;
    if (line.find(':') > line.find('-') && words >> std::hex >> begin >> minus >> end) {
      inside = line.find("[heap]") != std::string::npos;
      if (inside) {
        h.first = h.first == 0 ? begin : h.first;
        h.last = end;
      }
    } else if (inside && line.starts_with("VmFlags:") && line.find(" hg") != std::string::npos) {
      h.large += end - begin;
    }
  }
  return h;
}

bool hostHasLargePages() {
  std::string words;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), words);
  return !words.empty();
}

TEST(HostHeap, HasRoomInLargePages) {
  constexpr std::size_t kMegabyte = std::size_t{1} << 20;
  rtvp::platform::useLargePages();
  const Heap h = heap();
  if (h.first == 0) GTEST_SKIP() << "no smaps as of Linux";
  EXPECT_GT(h.last - h.first, 250 * kMegabyte);
  if (hostHasLargePages()) {
    EXPECT_GT(h.large, 250 * kMegabyte);
  }
}

TEST(HostHeap, IsWhereAllThreadsAllocate) {
  rtvp::platform::useLargePages();
  const Heap h = heap();
  if (h.first == 0) GTEST_SKIP() << "no smaps as of Linux";
  const auto inHeap = [&] {
    const std::vector<char> block(std::size_t{20} << 20);
    const auto at = reinterpret_cast<std::uintptr_t>(block.data());
    return at >= h.first && at < h.last;
  };
  EXPECT_TRUE(inHeap());
  bool others = false;
  std::thread([&] { others = inHeap(); }).join();
  EXPECT_TRUE(others);
}

}  // namespace
