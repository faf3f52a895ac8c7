// Memory and string routines of the runtime library against the standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/firmware/runtime/runtime_machine.hpp"

namespace rtvp::c32::testing {
namespace {

constexpr std::uint32_t kA = RuntimeMachine::kHeap, kB = RuntimeMachine::kHeap + 0x1000;
const std::vector<std::string> kObjects = {"memory", "string"};

struct RuntimeMemory : ::testing::TestWithParam<Model> {
  RuntimeMachine m{GetParam(), Memory::Flat, kObjects};
  /// Cycles that the stack model adds for `n` arguments: LDI SP,AR0, two of conflict, LDIs.
  [[nodiscard]] Cycle fetched(unsigned n) const { return GetParam() == Model::Stack ? n + 3 : 0; }
  std::vector<std::uint32_t> words(std::uint32_t at, std::uint32_t n) const {
    std::vector<std::uint32_t> result;
    for (std::uint32_t i = 0; i < n; ++i) result.push_back(m.word(at + i));
    return result;
  }
  void fill(std::uint32_t at, std::uint32_t n, std::uint32_t seed) {
    Singles random(seed);
    for (std::uint32_t i = 0; i < n; ++i) m.setWord(at + i, random.word());
  }
};
INSTANTIATE_TEST_SUITE_P(Models, RuntimeMemory, ::testing::Values(Model::Register, Model::Stack));

TEST_P(RuntimeMemory, Copy) {
  for (const std::uint32_t n : {0u, 1u, 2u, 3u, 31u, 100u, 1000u}) {
    fill(kA, 1100, n + 1);
    fill(kB, 1100, n + 2);
    auto want = words(kB, 1100);
    for (std::uint32_t i = 0; i < n; ++i) want[i + 5] = m.word(kA + i);
    const Cycle cycles = m.call("_memcpy", {kB + 5, kA, n});
    EXPECT_EQ(words(kB, 1100), want) << n;
    EXPECT_EQ(m.resultInt(), kB + 5);
    // LDI SUBI BLTD 3; LDI RPTS n-1 STI RETS
    if (n > 1) {
      EXPECT_EQ(cycles, 1 + 1 + 4 + 1 + 4 + (n - 1) + 1 + 4 + fetched(3));
    }
  }
}

TEST_P(RuntimeMemory, MoveOverlapping) {
  for (const std::uint32_t n : {0u, 1u, 2u, 3u, 50u}) {
    for (const std::uint32_t to : {0u, 1u, 2u, 40u, 60u, 99u}) {
      fill(kA, 200, n * 100 + to);
      auto want = words(kA, 200);
      std::memmove(&want[to], &want[40], n * sizeof want[0]);
      m.call("_memmove", {kA + to, kA + 40, n});
      EXPECT_EQ(words(kA, 200), want) << n << " to " << to;
      EXPECT_EQ(m.resultInt(), kA + to);
    }
  }
}

TEST_P(RuntimeMemory, Set) {
  for (const std::uint32_t n : {0u, 1u, 2u, 77u}) {
    fill(kA, 100, n);
    auto want = words(kA, 100);
    std::fill_n(want.begin() + 3, n, 0xCAFE0123);
    const Cycle cycles = m.call("_memset", {kA + 3, 0xCAFE0123u, n});
    EXPECT_EQ(words(kA, 100), want);
    EXPECT_EQ(m.resultInt(), kA + 3);
    // SUBI BLTD 3; RPTS n; RETS
    EXPECT_EQ(cycles, 1u + 4 + (n == 0 ? 0 : 4 + n) + 4 + fetched(3));
  }
}

TEST_P(RuntimeMemory, Compare) {
  for (const std::uint32_t n : {0u, 1u, 2u, 31u, 32u, 33u, 64u, 100u}) {
    fill(kA, n, 7);
    fill(kB, n, 7);
    m.setWord(kA + n, 1);
    m.setWord(kB + n, 2);  // behind the end: must not count
    m.call("_memcmp", {kA, kB, n});
    EXPECT_EQ(m.resultInt(), 0u) << n;
    for (std::uint32_t at = 0; at < n; at += 1 + n / 9) {
      for (const std::uint32_t change : {1u, 0x80000000u}) {
        m.setWord(kB + at, m.word(kA + at) ^ change);
        m.call("_memcmp", {kA, kB, n});
        const bool less = m.word(kA + at) < m.word(kB + at);
        EXPECT_EQ(m.resultInt(), less ? 0xFFFFFFFFu : 1u) << n << " at " << at;
        m.setWord(kB + at, m.word(kA + at));
      }
    }
  }
}

const std::vector<std::string>& samples() {
  static const std::vector<std::string> kSamples = {
      "",         "a",   "b",    "ab",           "abc",           "abd",    "aa", "\xff",
      "\x01\xff", "abc", "abcd", "hello, world", "hello, worlds", "x\x80y", "zzz"};
  return kSamples;
}

int sign(int x) {
  return (x > 0) - (x < 0);
}

TEST_P(RuntimeMemory, StringComparison) {
  for (const std::string& a : samples()) {
    for (const std::string& b : samples()) {
      m.setText(kA, a);
      m.setText(kB, b);
      m.call("_strcmp", {kA, kB});
      EXPECT_EQ(static_cast<int>(m.resultInt()), sign(std::strcmp(a.c_str(), b.c_str())))
          << a << " : " << b;
      for (const std::uint32_t n : {0u, 1u, 2u, 3u, 4u, 100u}) {
        m.call("_strncmp", {kA, kB, n});
        EXPECT_EQ(static_cast<int>(m.resultInt()), sign(std::strncmp(a.c_str(), b.c_str(), n)))
            << a << " : " << b << " " << n;
      }
    }
  }
}

TEST_P(RuntimeMemory, StringCopies) {
  for (const std::string& s : samples()) {
    m.setText(kA, s);
    m.call("_strlen", {kA});
    EXPECT_EQ(m.resultInt(), s.size());
    fill(kB, 40, 3);
    const std::uint32_t behind = m.word(kB + static_cast<std::uint32_t>(s.size()) + 1);
    m.call("_strcpy", {kB, kA});
    EXPECT_EQ(m.text(kB), s);
    EXPECT_EQ(m.resultInt(), kB);
    EXPECT_EQ(m.word(kB + static_cast<std::uint32_t>(s.size()) + 1), behind);
    m.call("_strcat", {kB, kA});
    EXPECT_EQ(m.text(kB), s + s);
    EXPECT_EQ(m.resultInt(), kB);
    for (const std::uint32_t n : {0u, 1u, 2u, 3u, 4u, 20u}) {
      fill(kB, 40, 4);
      auto want = words(kB, 40);
      for (std::uint32_t i = 0; i < n; ++i)
        want[i] = i < s.size() ? static_cast<unsigned char>(s[i]) : 0;
      m.call("_strncpy", {kB, kA, n});
      EXPECT_EQ(words(kB, 40), want) << s << " " << n;
      EXPECT_EQ(m.resultInt(), kB);
    }
  }
}

TEST_P(RuntimeMemory, Search) {
  for (const std::string& s : samples()) {
    m.setText(kA, s);
    for (const char c : {'a', 'b', 'l', 'z', '\0', '\xff'}) {
      const std::uint32_t wanted = static_cast<unsigned char>(c);
      m.call("_strchr", {kA, wanted});
      const char* found = std::strchr(s.c_str(), c);
      EXPECT_EQ(m.resultInt(), found ? kA + static_cast<std::uint32_t>(found - s.c_str()) : 0u);
      m.call("_strrchr", {kA, wanted});
      found = std::strrchr(s.c_str(), c);
      EXPECT_EQ(m.resultInt(), found ? kA + static_cast<std::uint32_t>(found - s.c_str()) : 0u);
    }
  }
}

// Fixed costs a character (c32.md 7.2): a taken branch 4, other instructions 1.
TEST_P(RuntimeMemory, CyclesOfAThousandCharacters) {
  const std::string text(1000, 'x');
  m.setText(kA, text);
  m.setText(kB, text);
  EXPECT_EQ(m.call("_strlen", {kA}), 4u + 5 * 1001 + 1 + 4 + fetched(1));
  EXPECT_EQ(m.call("_strcpy", {kB, kA}), 3u + 5 * 1001 + 1 + 4 + fetched(2));
  EXPECT_EQ(m.call("_strcmp", {kA, kB}), 3u + 8 * 1001 + 5 + 4 + fetched(2));
}

}  // namespace
}  // namespace rtvp::c32::testing
