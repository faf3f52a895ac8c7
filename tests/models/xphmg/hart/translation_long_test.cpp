// Random programs in the hart's host code beside its interpreter, as translation_test.cpp has them;
// more of them.
#include "tests/models/xphmg/hart/translation_pair.hpp"

namespace rtvp::rv64 {
namespace {

TEST(HartTranslationLong, RandomIntegerPrograms) {
  test::compare(10'001, 11'500, test::Kind::Wild);
}

TEST(HartTranslationLong, RandomFloatPrograms) {
  test::compare(20'001, 21'500, test::Kind::WildFloats);
}

TEST(HartTranslationLong, RandomLoops) {
  test::compare(30'001, 34'000, test::Kind::Loops);
}

}  // namespace
}  // namespace rtvp::rv64
