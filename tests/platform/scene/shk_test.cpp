// `.shk`: every directive and default, the strict form of 1996, and the extensions (board.md 5.1
// and 5.2).
#include <gtest/gtest.h>

#include <string>

#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

const std::string kT(kTriangle);

TEST(ShkDefaults, AreThoseOf1996) {
  for (const LoadOptions& options : {LoadOptions{}, kStrict}) {
    const Scene s = loadText("box.shk", kTriangle, options);
    EXPECT_EQ(s.name, "box");
    EXPECT_EQ(s.width, 640);
    EXPECT_EQ(s.height, 480);
    EXPECT_EQ(s.background, (Vec3{0, 0.5, 1}));
    EXPECT_EQ(s.camera.eye, (Vec3{1, 0, 0}));
    EXPECT_EQ(s.camera.lookAt, (Vec3{0, 0, 0}));
    EXPECT_EQ(s.camera.up, (Vec3{0, 1, 0}));
    EXPECT_EQ(s.camera.projection, Camera::Projection::Shk);
    EXPECT_TRUE(s.lights.empty());
    ASSERT_EQ(s.materials.size(), 1U);
    const Material& m = s.materials[0];
    EXPECT_EQ(m.color, (Vec3{1, 1, 1}));
    EXPECT_EQ(m.kdiff, 0.8);
    EXPECT_EQ(m.kspec, 0.2);
    EXPECT_EQ(m.kamb, 0.2);
    EXPECT_EQ(m.ns, 5);
    EXPECT_EQ(m.ktrans, 0);
    EXPECT_EQ(m.reflect, 0);
    EXPECT_EQ(m.refindex, 1);
  }
}

// Everything the 1996 program reads, in spellings it takes as equal.
constexpr std::string_view kAll =
    "# comment\n"
    "\n"
    "Width 200\n"
    "h 100 and what follows is ignored\n"
    "background .1 .2 .3\n"
    "Eyepoint 1 2 3\n"
    "look 4 5 6\n"
    "UP 0 0 1\n"
    "light 7 8 9 .4 .5 .6\n"
    "li\t-7 +8 9e0 1 1 1\n"
    "lx whatever\n"
    "l 1 2 3\n"
    "tri 0 0 0 1 0 0 0 1 0\n"
    "mat .1 .2 .3 .4 .5 .6 7 .8 .9 1.5\n"
    "Normal 0 0 1 1 0 1 0 1 1  0 0 2 0 3 0 0 0 0\r\n"
    "T 0 0 2 1 0 2 0 1 2";

TEST(ShkDirectives, AllOf1996InBothModes) {
  for (const LoadOptions& options : {LoadOptions{}, kStrict}) {
    const Scene s = loadText("a.shk", kAll, options);
    EXPECT_EQ(s.width, 200);
    EXPECT_EQ(s.height, 100);
    EXPECT_EQ(s.background, (Vec3{0.1, 0.2, 0.3}));
    EXPECT_EQ(s.camera.eye, (Vec3{1, 2, 3}));
    EXPECT_EQ(s.camera.lookAt, (Vec3{4, 5, 6}));
    EXPECT_EQ(s.camera.up, (Vec3{0, 0, 1}));
    ASSERT_EQ(s.lights.size(), 2U);
    EXPECT_EQ(s.lights[0].position, (Vec3{7, 8, 9}));
    EXPECT_EQ(s.lights[0].color, (Vec3{0.4, 0.5, 0.6}));
    EXPECT_EQ(s.lights[1].position, (Vec3{-7, 8, 9}));
    ASSERT_EQ(s.primitiveCount, 3U);
    ASSERT_EQ(s.elements.size(), 3U);
    ASSERT_EQ(s.materials.size(), 2U);
    EXPECT_EQ(s.elements[0].material, 0U);
    EXPECT_EQ(s.elements[1].material, 1U);
    EXPECT_EQ(s.elements[2].material, 1U);
    const Material& m = s.materials[1];
    EXPECT_EQ(m.color, (Vec3{0.1, 0.2, 0.3}));
    EXPECT_EQ(m.kdiff, 0.4);
    EXPECT_EQ(m.kspec, 0.5);
    EXPECT_EQ(m.kamb, 0.6);
    EXPECT_EQ(m.ns, 7);
    EXPECT_EQ(m.ktrans, 0.8);
    EXPECT_EQ(m.reflect, 0.9);
    EXPECT_EQ(m.refindex, 1.5);
    const Triangle& t = s.triangles[1];
    EXPECT_TRUE(t.smooth);
    EXPECT_FALSE(s.triangles[0].smooth);
    EXPECT_EQ(t.n[0], (Vec3{0, 0, 1}));
    EXPECT_EQ(t.n[1], (Vec3{0, 1, 0}));
    EXPECT_EQ(t.n[2], (Vec3{0, 0, 1}));  // a zero normal becomes the geometric one
  }
}

TEST(ShkDirectives, PrimitivesAreNumberedInFileOrder) {
  const Scene s = loadText("a.shk", "t 0 0 0 1 0 0 0 1 0\nt 0 0 5 1 0 5 0 1 5\n", kStrict);
  EXPECT_EQ(s.triangles[s.elements[0].index].v[0], (Vec3{0, 0, 0}));
  EXPECT_EQ(s.triangles[s.elements[1].index].v[0], (Vec3{0, 0, 5}));
  EXPECT_EQ(s.elements[1].primitive, 1U);
}

TEST(ShkDirectives, ATriangleWithoutAreaKeepsItsNumberButHasNoElement) {
  const Scene s = loadText(
      "a.shk",
      "t 0 0 0 1 1 1 2 2 2\n" + kT + "t 3 3 3 3 3 3 3 3 3\n" + "t 0 0 0 .1 .1 .1 .3 .3 .3\n" + kT,
      kStrict);
  EXPECT_EQ(s.primitiveCount, 5U);
  EXPECT_EQ(s.counts.dropped, 3U);
  ASSERT_EQ(s.elements.size(), 2U);
  EXPECT_EQ(s.elements[0].primitive, 1U);
  EXPECT_EQ(s.elements[1].primitive, 4U);
}

TEST(ShkDirectives, EqualMaterialsEnterOnceAndUnusedOnesNever) {
  const std::string red = "m 1 0 0 .8 .2 .2 5 0 0 1\n";
  const std::string blue = "m 0 0 1 .8 .2 .2 5 0 0 1\n";
  const Scene s = loadText("a.shk", red + blue + kT + red + kT + blue + kT);
  ASSERT_EQ(s.materials.size(), 2U);
  EXPECT_EQ(s.materials[0].color, (Vec3{0, 0, 1}));
  EXPECT_EQ(s.elements[0].material, s.elements[2].material);
}

TEST(ShkErrors, AreLocated) {
  EXPECT_EQ(errorOf("a.shk", "w 10\nq 1\n").substr(0, 28), "a.shk:2:1: found 'q', expect");
  EXPECT_EQ(errorOf("a.shk", "t 0 0 0 1 0 0 0 1\n"),
            "a.shk:1:18: found the end of the line, expected nine numbers of a triangle: v1 v2 v3");
  EXPECT_EQ(errorOf("a.shk", "e 1 x 3\n"),
            "a.shk:1:5: found 'x', expected an eye point of three numbers");
  EXPECT_EQ(errorOf("a.shk", "w 0\n").substr(0, 20), "a.shk:1:3: found '0'");
  EXPECT_EQ(errorOf("a.shk", "w 16385\n").substr(0, 24), "a.shk:1:3: found '16385'");
  EXPECT_EQ(errorOf("a.shk", "w 1.5\n").substr(0, 22), "a.shk:1:3: found '1.5'");
  EXPECT_EQ(errorOf("a.shk", "w 16384\nh 16384\n").substr(0, 44),
            "a.shk:2:3: found a picture of 16384 x 16384,");
  EXPECT_EQ(errorOf("a.shk", "m 1 1 1 1 1 1 -1 0 0 1\n").substr(0, 16), "a.shk:1:15: foun");
  EXPECT_EQ(errorOf("a.shk", "m 1 1 1 1 1 1 1 .5 0 0\n").substr(0, 16), "a.shk:1:22: foun");
}

TEST(ShkErrors, NumbersMustBeFinite) {
  for (const std::string bad : {"nan", "inf", "-inf", "1e999", "-1e400", "0x10", "1,5", "--1",
                                "+-1", "+", "-", ".", "1e", "1e13", "NaN(1)"}) {
    EXPECT_EQ(errorOf("a.shk", "u 0 " + bad + " 0\n" + kT).substr(0, 12), "a.shk:1:5: f") << bad;
  }
  for (const std::string good : {"+1", "-.5", "5.", "1e-999", "1E+2", "007", "1e12"}) {
    EXPECT_EQ(errorOf("a.shk", "u 0 " + good + " 0\n" + kT), "") << good;
  }
}

TEST(ShkErrors, WhatBeginsALineIsFatalAsIn1996) {
  for (const LoadOptions& options : {LoadOptions{}, kStrict}) {
    EXPECT_EQ(errorOf("a.shk", " " + kT, options).substr(0, 23), "a.shk:1:1: found a blan");
    EXPECT_EQ(errorOf("a.shk", kT + "\r\n", options).substr(0, 28), "a.shk:2:1: found a carriage ");
    EXPECT_EQ(errorOf("a.shk", kT + "zebra\n", options).substr(0, 20), "a.shk:2:1: found 'z'");
    EXPECT_EQ(errorOf("a.shk", kT + "\xff\n", options).substr(0, 23), "a.shk:2:1: found '\\xff'");
  }
}

TEST(ShkErrors, ASceneNeedsAPrimitiveThatCanBeSeen) {
  EXPECT_EQ(errorOf("a.shk", ""), "a.shk: found no primitive, expected at least one");
  EXPECT_EQ(errorOf("a.shk", "w 10\n"), "a.shk: found no primitive, expected at least one");
  EXPECT_EQ(errorOf("a.shk", "t 0 0 0 0 0 0 0 0 0\n").substr(0, 36),
            "a.shk: found only primitives without");
}

TEST(ShkStrict, RefusesEveryExtension) {
  const Folder folder;
  folder.write("in.shk", kTriangle);
  for (const std::string line :
       {"sphere 0 0 0 1", "s 0 0 0 1", "g 0 0 0 1 1 1 1", "group 0 0 0 1 1 1 1", "obj a.obj",
        "include in.shk", "implicit a.sdf", "surface none", "surf none", "texture a a.png",
        "bump a a.png", "cubemap a a.png a.png a.png a.png a.png a.png", "paint none",
        "st 0 0 1 0 0 1", "object none"}) {
    const auto file = folder.write("a.shk", kT + line + "\n" + kT);
    EXPECT_THROW(static_cast<void>(load(file, kStrict)), SceneError) << line;
  }
}

TEST(ShkStrict, ALineIsCutAt499Characters) {
  const std::string head = "t 0 0 0 1 0 0 0 1 ";
  const std::string seen = head + std::string(498 - head.size(), ' ') + "7\n";
  const std::string beyond = head + std::string(499 - head.size(), ' ') + "7\n";
  EXPECT_EQ(loadText("a.shk", seen, kStrict).triangles[0].v[2], (Vec3{0, 1, 7}));
  EXPECT_EQ(errorOf("a.shk", beyond, kStrict).substr(0, 41),
            "a.shk:1:500: found the end of the line, e");
  EXPECT_EQ(loadText("a.shk", beyond).triangles[0].v[2], (Vec3{0, 1, 7}));
  EXPECT_EQ(errorOf("a.shk", "#" + std::string(2000, 'x') + "\n" + kT, kStrict), "");
}

TEST(ShkStrict, ALineOfTheLetterLAloneIsIgnored) {
  const Scene strict = loadText("a.shk", "l\nlz 5\n" + kT, kStrict);
  EXPECT_TRUE(strict.lights.empty());
  EXPECT_TRUE(strict.warnings.empty());
  EXPECT_EQ(loadText("a.shk", "l\nlz 5\n" + kT).warnings.size(), 2U);
}

TEST(ShkExtension, TS_056_ASphereIsOnePrimitive) {
  const Scene s = loadText("a.shk", "sphere 1 2 3 4 # comment\nS 5 6 7 8\n" + kT + "s 0 0 0 0\n");
  ASSERT_EQ(s.spheres.size(), 2U);
  EXPECT_EQ(s.spheres[0].center, (Vec3{1, 2, 3}));
  EXPECT_EQ(s.spheres[0].radius, 4);
  EXPECT_EQ(s.primitiveCount, 4U);
  EXPECT_EQ(s.counts.dropped, 1U);
  EXPECT_EQ(s.elements[1].kind, Element::Kind::Sphere);
  EXPECT_EQ(s.elements[1].index, 1U);
  EXPECT_EQ(s.elements[2].primitive, 2U);
  EXPECT_EQ(errorOf("a.shk", "sphere 1 2 3 -4\n").substr(0, 16), "a.shk:1:14: foun");
  EXPECT_EQ(errorOf("a.shk", "sphere 1 2 3 4 5\n").substr(0, 20), "a.shk:1:16: found '5");
  EXPECT_EQ(errorOf("a.shk", "spheroid 1 2 3 4\n").substr(0, 20), "a.shk:1:1: found 's'");
}

TEST(ShkExtension, OnlyWholeKeywordsAreKeywords) {
  // `texture` must not become a triangle, other words with t are triangles as in 1996.
  EXPECT_EQ(errorOf("a.shk", "texture wood no.png\n").substr(0, 24), "a.shk:1:14: found 'no.pn");
  EXPECT_EQ(errorOf("a.shk", "textures 0 0 0 1 0 0 0 1 0\n"), "");
  EXPECT_EQ(errorOf("a.shk", "TEXTURE wood no.png\n").substr(0, 24), "a.shk:1:14: found 'no.pn");
}

TEST(ShkExtension, GroupBoxesAreChecked) {
  EXPECT_EQ(errorOf("a.shk", "g 0 0 0 1 1 0 1\n" + kT + "sphere 9 9 9 1\n"), "");
  EXPECT_EQ(errorOf("a.shk", "group 0 0 0 9 9 9 3\ng 0 0 0 1 1 1 1\n" + kT + kT + kT), "");
  EXPECT_EQ(errorOf("a.shk", "g 0 0 0 1 1 1 2\n" + kT + "sphere 0 0 0 1\n"),
            "a.shk:3:1: found primitive 1 outside its group's box, "
            "expected it inside the box of line 1");
  EXPECT_EQ(errorOf("a.shk", kT + "g 0 0 0 1 1 1 2\n" + kT),
            "a.shk:2:3: found the end of the file, expected 1 more primitives in this group");
  EXPECT_EQ(errorOf("a.shk", "g 0 2 0 1 1 1 1\n" + kT).substr(0, 11), "a.shk:1:11:");
  EXPECT_EQ(errorOf("a.shk", "g 0 0 0 1 1 1 0\n" + kT).substr(0, 11), "a.shk:1:15:");
  EXPECT_EQ(errorOf("a.shk", "g 0 0 0 1 1 1 9999999999\n" + kT).substr(0, 11), "a.shk:1:15:");
  std::string many;
  for (int k = 0; k < 100; ++k) many += "g 0 0 0 1 1 1 1\n";
  EXPECT_EQ(errorOf("a.shk", many + kT).substr(0, 11), "a.shk:65:3:");
}

TEST(ShkExtension, IncludeReadsLinesInPlace) {
  const Folder folder;
  std::filesystem::create_directory(folder.path() / "sub dir");
  folder.write("sub dir/inner.shk",
               "m 1 0 0 .8 .2 .2 5 0 0 1\nt 0 0 1 1 0 1 0 1 1\ninclude leaf.shk\n");
  folder.write("sub dir/leaf.shk", "t 0 0 2 1 0 2 0 1 2\nw 32");
  const auto file =
      folder.write("a.shk", kT + "include \"sub dir/inner.shk\"\nt 0 0 3 1 0 3 0 1 3\n");
  const Scene s = load(file);
  ASSERT_EQ(s.elements.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(s.triangles[k].v[0].z, static_cast<double>(k));
  EXPECT_EQ(s.width, 32);
  EXPECT_EQ(s.elements[3].material, s.elements[1].material);
}

TEST(ShkExtension, IncludeCyclesAndDepthAreErrors) {
  const Folder folder;
  folder.write("b.shk", "include ./c.shk\n");
  folder.write("c.shk", "# c\ninclude a.shk\n");
  const auto cycle = folder.write("a.shk", kT + "include b.shk\n");
  try {
    static_cast<void>(load(cycle));
    FAIL() << "a cycle loaded";
  } catch (const SceneError& e) {
    EXPECT_NE(std::string(e.what()).find("c.shk:2:9: found a file that includes itself"),
              std::string::npos)
        << e.what();
  }
  for (int k = 0; k < 40; ++k) {
    folder.write("d" + std::to_string(k) + ".shk", "include d" + std::to_string(k + 1) + ".shk\n");
  }
  EXPECT_THROW(static_cast<void>(load(folder.path() / "d0.shk")), SceneError);
  // Each level includes the next one many times: 20^15 files without a bound.
  for (int k = 0; k < 14; ++k) {
    std::string text = kT;
    for (int n = 0; n < 20; ++n) text += "include e" + std::to_string(k + 1) + ".shk\n";
    folder.write("e" + std::to_string(k) + ".shk", text);
  }
  folder.write("e14.shk", kTriangle);
  EXPECT_THROW(static_cast<void>(load(folder.path() / "e0.shk")), SceneError);
}

TEST(ShkExtension, FileNamesAreChecked) {
  EXPECT_EQ(errorOf("a.shk", kT + "include\n"),
            "a.shk:2:8: found the end of the line, expected a file name");
  EXPECT_EQ(errorOf("a.shk", kT + "include no.shk\n"),
            "a.shk:2:9: found 'no.shk', expected a file that exists");
  EXPECT_EQ(errorOf("a.shk", kT + "obj no.obj\n"),
            "a.shk:2:5: found 'no.obj', expected a file that exists");
  EXPECT_EQ(errorOf("a.shk", kT + "include \"a.shk\n").substr(0, 11), "a.shk:2:9: ");
  EXPECT_EQ(errorOf("a.shk", kT + "include .\n").find("a.shk:"), std::string::npos);
}

TEST(ShkExtension, ObjFilesExpandInPlaceWithTheCurrentMaterial) {
  const Folder folder;
  folder.write("m.mtl", "newmtl red\nKd .5 0 0\n");
  folder.write(
      "a.obj",
      "mtllib m.mtl\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 2 3 4\nusemtl red\nf 1 2 3\n");
  const Scene s = load(
      folder.write("a.shk", kT + "m 0 1 0 .8 .2 .2 5 0 0 1\nobj a.obj\nt 0 0 9 1 0 9 0 1 9\n"));
  ASSERT_EQ(s.elements.size(), 5U);
  EXPECT_EQ(s.primitiveCount, 5U);
  EXPECT_EQ(s.materials[s.elements[1].material].color, (Vec3{0, 1, 0}));
  EXPECT_EQ(s.materials[s.elements[3].material].color, (Vec3{1, 0, 0}));
  EXPECT_EQ(s.materials[s.elements[3].material].kdiff, 0.5);
  EXPECT_EQ(s.elements[4].material, s.elements[1].material);
  EXPECT_TRUE(s.lights.empty());
  EXPECT_EQ(s.width, 640);
}

// Few segments: the icosahedron itself, whose edges are all 1 / sin(72 degrees) of the radius.
TEST(ShkExtension, ACoarseSphereIsARegularIcosahedron) {
  const Scene s = loadText("a.shk", "sphere 0 0 0 2\n", {.segments = 3, .tessellateAll = true});
  ASSERT_EQ(s.triangles.size(), 20U);
  const double edge = 2 / std::sin(std::acos(-1.0) * 72 / 180);
  for (const Triangle& t : s.triangles) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(length(t.v[(k + 1) % 3] - t.v[k]), edge, 1e-12);
  }
}

TEST(ShkExtension, TessellateAllTurnsSpheresIntoClosedSmoothTriangles) {
  for (const int segments : {3, 8, 24, 60}) {
    const LoadOptions options{.segments = segments, .tessellateAll = true};
    const Scene s = loadText("a.shk", kT + "sphere 1 2 3 2\n" + kT, options);
    EXPECT_TRUE(s.spheres.empty());
    EXPECT_EQ(s.primitiveCount, 3U);
    EXPECT_EQ(s.counts.spheres, 1U);
    double volume = 0;
    for (const Element& e : s.elements) {
      if (e.primitive != 1) continue;
      const Triangle& t = s.triangles[e.index];
      ASSERT_TRUE(t.smooth);
      for (std::size_t k = 0; k < 3; ++k) {
        expectNear(t.v[k], Vec3{1, 2, 3} + t.n[k] * 2, 1e-12);
        EXPECT_NEAR(length(t.n[k]), 1, 1e-12);
      }
      const Vec3 outward = cross(t.v[1] - t.v[0], t.v[2] - t.v[1]);
      EXPECT_GT(dot(outward, t.n[0]), 0);
      const Vec3 c{1, 2, 3};
      volume += dot(t.v[0] - c, cross(t.v[1] - c, t.v[2] - c)) / 6;
    }
    const double ball = 4.0 / 3 * std::acos(-1.0) * 8;
    EXPECT_LT(volume, ball);
    if (segments >= 24) {
      EXPECT_GT(volume, 0.96 * ball);
    }
  }
}

}  // namespace
}  // namespace rtvp::scene::test
