// Functions of one number under every instruction set, against the plain ones, bit by bit: numbers
// RTVP_STRIDE apart of all there are, 0, the ends and their neighbours. With RTVP_EVERY each of the
// 2^32 numbers where a kernel does not compute what the plain function does, step by step (of sin
// and cos those up to 2^21: it leaves far ones to the plain function).
#include "models/implicit/point.hpp"
#include "models/implicit/registers/batch/kernels.hpp"
#include "tests/models/implicit/support.hpp"

namespace rtvp::implicit::registers {
namespace {

using implicit::test::same;

class Functions : public ::testing::TestWithParam<std::tuple<common::Isa, Function>> {};

void check(Function function, void (*kernel)(float*, const float*, unsigned),
           const std::vector<std::uint32_t>& bits) {
  std::vector<float> in, out(bits.size());
  for (const std::uint32_t number : bits) in.push_back(std::bit_cast<float>(number));
  kernel(out.data(), in.data(), static_cast<unsigned>(in.size()));
  for (std::size_t n = 0; n < in.size(); ++n)
    ASSERT_TRUE(same(out[n], point::unary(function, in[n])))
        << out[n] << " for " << point::unary(function, in[n]) << " of " << in[n] << " (" << bits[n]
        << ")";
}

/// avx512_functions.hpp
bool isShort(common::Isa isa, Function function) {
  return isa == common::Isa::Avx512 &&
         (function == Function::Exp || function == Function::Sin || function == Function::Cos);
}

TEST_P(Functions, AreThePlainOnes) {
  const auto [isa, function] = GetParam();
  if (!common::isaUsable(isa)) GTEST_SKIP() << "this host lacks " << common::isaName(isa);
  const auto kernel = batch::kernels(isa).unary[static_cast<unsigned>(function)];
  ASSERT_NE(kernel, nullptr);
  constexpr std::size_t kBlock = std::size_t{1} << 16U;  // a multiple of the kernels' groups
  const std::uint64_t stride = RTVP_EVERY && isShort(isa, function) ? 1 : RTVP_STRIDE;
  const auto far = std::bit_cast<std::uint32_t>(0x1p21F);
  std::vector<std::uint32_t> bits;
  for (std::uint64_t number = 0; number < std::uint64_t{1} << 32U;) {
    const bool step_far = function != Function::Exp && (number & 0x7FFFFFFFU) > far;
    number += step_far ? RTVP_STRIDE : stride;
    bits.push_back(static_cast<std::uint32_t>(number));
    if (bits.size() < kBlock) continue;
    check(function, kernel, bits);
    if (HasFatalFailure()) return;
    bits.clear();
  }
  for (const float edge : {0.0F, 1.0F, 87.0F, 88.72284F, 103.97208F, 105.0F, 1048576.0F, 3.1415927F,
                           1.5707964F, 1.1754944e-38F, 3.4028235e38F, INFINITY})
    for (const std::uint32_t sign : {0U, 0x80000000U})
      for (std::uint32_t near = 0; near < 64; ++near)
        bits.push_back((std::bit_cast<std::uint32_t>(edge) + near - 32) ^ sign);
  while (bits.size() % batch::kLanes != 0) bits.push_back(0);
  check(function, kernel, bits);
}

std::string nameOf(Function function) {
  static constexpr std::array<const char*, 6> kNames{"exp", "exp2", "log", "log2", "sin", "cos"};
  return kNames.at(static_cast<std::size_t>(function) - static_cast<std::size_t>(Function::Exp));
}

INSTANTIATE_TEST_SUITE_P(Isas, Functions,
                         ::testing::Combine(::testing::ValuesIn(common::kIsas),
                                            ::testing::Values(Function::Exp, Function::Exp2,
                                                              Function::Log, Function::Log2,
                                                              Function::Sin, Function::Cos)),
                         [](const auto& row) {
                           return std::string(common::isaName(std::get<0>(row.param))) + "_" +
                                  nameOf(std::get<1>(row.param));
                         });

}  // namespace
}  // namespace rtvp::implicit::registers
