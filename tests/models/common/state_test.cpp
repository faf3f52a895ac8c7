// State as bytes and back: what is there, what is missing, what is of another size.
#include "models/common/core/state.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using rtvp::common::StateArchive;
using rtvp::common::StateError;

struct Padded {
  std::uint8_t small = 0;
  std::uint64_t large = 0;
};
void stateOf(StateArchive& a, Padded& p) {
  a(p.small, p.large);
}

class Picoseconds {
 public:
  static Picoseconds from_value(std::uint64_t value) {
    Picoseconds p;
    p.value_ = value;
    return p;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

TEST(State, MembersComeBackInTheirOrder) {
  StateArchive out;
  Padded padded{3, 4};
  Picoseconds time = Picoseconds::from_value(77);
  std::vector<double> numbers{1.5, -2};
  std::vector<bool> bits{true, false, true};
  out(padded, time);
  out.sized(numbers);
  out.sized(bits);

  StateArchive in(out.bytes());
  Padded padded2;
  Picoseconds time2;
  std::vector<double> numbers2(2);
  std::vector<bool> bits2(3);
  in(padded2, time2);
  in.sized(numbers2);
  in.sized(bits2);
  EXPECT_TRUE(in.atEnd());
  EXPECT_EQ(padded2.small, 3);
  EXPECT_EQ(padded2.large, 4U);
  EXPECT_EQ(time2.value(), 77U);
  EXPECT_EQ(numbers2, numbers);
  EXPECT_EQ(bits2, bits);
}

TEST(State, AnotherSizeOrAnotherPartIsRefused) {
  StateArchive out;
  std::vector<std::uint32_t> three(3);
  out.mark("three");
  out.sized(three);
  std::vector<std::uint32_t> four(4);
  StateArchive in(out.bytes());
  in.mark("three");
  EXPECT_THROW(in.sized(four), StateError);
  StateArchive again(out.bytes());
  EXPECT_THROW(again.mark("four"), StateError);
  for (std::size_t size = 0; size < out.bytes().size(); ++size) {
    StateArchive cut(std::span(out.bytes()).first(size));
    EXPECT_THROW(
        {
          cut.mark("three");
          cut.sized(three);
        },
        StateError)
        << size;
  }
}

TEST(State, AMemoryIsItsPagesThatAreNotZero) {
  std::vector<std::uint8_t> memory(10'000);
  memory[4096] = 1;
  memory[9999] = 2;  // in a page that is none to its end
  StateArchive out;
  out.memory(memory);
  EXPECT_LT(out.bytes().size(), 6000U);
  std::vector<std::uint8_t> other(10'000, 0xFF);
  StateArchive in(out.bytes());
  in.memory(other);
  EXPECT_TRUE(in.atEnd());
  EXPECT_EQ(other, memory);

  std::vector<std::uint8_t> smaller(4096);
  StateArchive wrong(out.bytes());
  EXPECT_THROW(wrong.memory(smaller), StateError);
  for (std::size_t size = 0; size < out.bytes().size(); size += 100) {
    StateArchive cut(std::span(out.bytes()).first(size));
    EXPECT_THROW(cut.memory(other), StateError) << size;
  }
}

}  // namespace
