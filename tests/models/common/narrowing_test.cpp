// The compiler must round to binary32 where the source says so (cmake/CompilerSettings.cmake): the
// models keep what a machine holds in binary32 in doubles by this very conversion.
#include <gtest/gtest.h>

#include <array>

namespace rtvp {
namespace {

struct Vector {
  double at[3];
};

double rounded(double wide) {
  return static_cast<double>(static_cast<float>(wide));
}

[[gnu::noinline]] Vector narrowed(const Vector& v) {
  return {{rounded(v.at[0]), rounded(v.at[1]), rounded(v.at[2])}};
}

TEST(Narrowing, NeighboursAreRounded) {
  volatile double tenth = 0.1;  // nothing is computed when this is compiled
  const Vector v = narrowed({{tenth, tenth + 0.1, tenth + 0.2}});
  const std::array<float, 3> narrow{0.1F, 0.2F, 0.3F};
  EXPECT_EQ(v.at[0], static_cast<double>(narrow[0]));
  EXPECT_EQ(v.at[1], static_cast<double>(narrow[1]));
  EXPECT_EQ(v.at[2], static_cast<double>(narrow[2]));
}

}  // namespace
}  // namespace rtvp
