// See fuzz_target.hpp.
#include "tests/fuzz/fuzz_target.hpp"

#include <cstdio>
#include <cstdlib>

namespace rtvp::fuzz {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz target: broken promise: %s\n", what);
  std::abort();
}

}  // namespace rtvp::fuzz
