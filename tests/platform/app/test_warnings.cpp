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
