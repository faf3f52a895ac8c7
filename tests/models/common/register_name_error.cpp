// Compiled by ctest with NAME given: "STATUS" must compile, any other name must not.
#include "models/common/register_table.hpp"

namespace {

constexpr auto kTable =
    std::to_array<rtvp::common::RegisterDescriptor>({{"STATUS", 0, 4, 0, false, "", "test", {}}});
std::size_t row(rtvp::common::RegisterName<kTable> reg) {
  return reg.row();
}

}  // namespace

int main() {
  return static_cast<int>(row(NAME));
}
