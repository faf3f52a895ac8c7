// Warnings that keep a picture from being taken for more than it is.
#include <string>

#include "tests/platform/app/run_platform.hpp"

namespace rtvp::test {
namespace {

class Warnings : public PlatformTest {};

TEST_F(Warnings, SettingsThatOnlyAnAbsentTigersharkReads) {
  write("s.shk", kSmallScene);
  const std::string small = "s.shk --size 4x4 --depth 1 -o x.png --no-progress --set ";
  for (const char* const key :
       {"array.engine=scalar", "array.quantum=5000", "pci.devsel=3", "tigershark.wait_states=2"}) {
    const std::string name = std::string(key).substr(0, std::string(key).find('='));
    const Outcome without = run(small + key + " --engine reference");
    EXPECT_EQ(without.status, 0) << without.err;
    EXPECT_TRUE(contains(without.err, name + ": no such machine is in this run")) << without.err;
    const Outcome with = run(small + key);
    EXPECT_EQ(with.status, 0) << with.err;
    EXPECT_FALSE(contains(with.err, "no such machine")) << with.err;
    const Outcome quiet = run(small + key + " --engine reference -q");
    EXPECT_EQ(quiet.err, "") << key;
  }
}

// Of machines without spheres the picture is that of other surfaces.
TEST_F(Warnings, SpheresThatAreTrianglesAreSaid) {
  write("ball.shk",
        "w 8\nh 8\nb 0 0 0\ne 0 0 5\nlo 0 0 0\nu 0 1 0\nli 5 8 6 1 1 1\n"
        "m .8 .7 .6 .8 .2 .2 5 0 0 1\nsphere 0 0 0 1.5\nsphere 1 0 0 1\n");
  for (const std::string engine : {"xphmg", "theia", "tigershark", "reference"}) {
    const bool triangles = engine == "xphmg" || engine == "theia";
    const Outcome r =
        run("ball.shk --depth 1 --no-progress -o x.png --stats s.json --engine " + engine);
    ASSERT_EQ(r.status, 0) << r.err;
    const boost::json::object scene = json("s.json").at("scene").as_object();
    EXPECT_EQ(contains(r.out, "not the picture of machines that have spheres"), triangles) << r.out;
    ASSERT_EQ(scene.contains("tessellated_spheres"), triangles) << engine;
    if (triangles) {
      EXPECT_EQ(scene.at("tessellated_spheres").to_number<int>(), 2) << engine;
      EXPECT_EQ(scene.at("sphere_triangles"), scene.at("triangles")) << engine;
    }
  }
}

// f = 1.5 (|p| - 0.5) falls 1.5 times as fast as a bound of 1 allows: a step of f passes the
// surface by half the way to it.
TEST_F(Warnings, AFunctionThatFallsFasterThanItsDeclaredBound) {
  write("ball.vm",
        "x var-x\ny var-y\nz var-z\na square x\nb square y\nc square z\nd add a b\ne add d c\n"
        "f sqrt e\nr const 0.5\ng sub f r\nk const 1.5\nh mul g k\n");
  const auto overshoots = [&](const std::string& bound, Outcome& r) {
    write("s.shk", "w 16\nh 16\ne 0 0 3\nlo 0 0 0\nu 0 1 0\nimplicit ball.vm" + bound + "\n");
    r = run("s.shk --engine implicit --depth 1 -o x.png --no-progress --stats s.json");
    EXPECT_EQ(r.status, 0) << r.err;
    return json("s.json").at_pointer("/modules/pc0/implicit/overshoots").to_number<int>();
  };
  Outcome r;
  const int rays = overshoots(" lipschitz 1", r);
  EXPECT_GT(rays, 0);
  EXPECT_TRUE(contains(
      r.err, "on " + std::to_string(rays) + " rays a function fell faster than its bound allows"))
      << r.err;
  for (const char* const bound : {" lipschitz 1.5", ""}) {
    EXPECT_EQ(overshoots(bound, r), 0) << bound;
    EXPECT_FALSE(contains(r.err, "fell faster")) << bound << r.err;
  }
}

}  // namespace
}  // namespace rtvp::test
