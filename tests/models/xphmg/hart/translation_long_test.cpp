// Random programs in the hart's host code beside its interpreter, as translation_test.cpp has them;
// more of them.
#include "tests/models/xphmg/hart/translation_pair.hpp"

namespace rtvp::rv64 {
namespace {

TEST(HartTranslationLong, RandomIntegerPrograms) {
  test::compare(10'001, 14'000, test::Kind::Wild);
}

TEST(HartTranslationLong, RandomFloatPrograms) {
  test::compare(20'001, 24'000, test::Kind::WildFloats);
}

TEST(HartTranslationLong, RandomLoops) {
  test::compare(30'001, 40'000, test::Kind::Loops);
}

}  // namespace
}  // namespace rtvp::rv64
