// Ten thousand random programs under every instruction set of this host.
#include "tests/models/sl/compare_engines.hpp"

namespace rtvp::sl::test {
namespace {

TEST(BatchLong, TenThousandRandomProgramsAgree) {
  randomPrograms(4, 10'000);
}

}  // namespace
}  // namespace rtvp::sl::test
