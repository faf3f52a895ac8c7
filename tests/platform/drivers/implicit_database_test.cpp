// What the implicit unit's driver writes for a scene: a record each object, and nothing for none.
#include <gtest/gtest.h>

#include <string>

#include "platform/drivers/implicit/database.hpp"
#include "platform/scene/load.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::host {
namespace {

TEST(ImplicitDatabase, ASceneWithoutImplicitSurfacesHasNoObjects) {
  EXPECT_EQ(ImplicitDatabase{}.count, 0U);
  const ImplicitDatabase database = implicitDatabase(scene::Scene{});
  EXPECT_EQ(database.count, 0U);
  EXPECT_TRUE(database.objects.empty());
  EXPECT_TRUE(database.elements.empty());
}

TEST(ImplicitDatabase, EveryObjectHasARecord) {
  for (const char* const name : {"implicit_gyroid.shk", "implicit_mixed.shk"}) {
    const scene::Scene scene = scene::load(std::string(RTVP_SOURCE_DIR "/scenes/") + name);
    const ImplicitDatabase one = implicitDatabase(scene);
    EXPECT_GT(one.count, 0U) << name;
    EXPECT_EQ(one.count, scene.implicits.size()) << name;
    EXPECT_EQ(one.elements.size(), scene.implicits.size()) << name;
    EXPECT_EQ(one.objects.size() % one.count, 0U) << name;
    EXPECT_FALSE(one.objects.empty()) << name;
  }
}

}  // namespace
}  // namespace rtvp::host
