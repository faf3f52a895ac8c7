// OBJ and MTL: geometry, materials, the default camera and lights, and hostile files (design.md
// section 6).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

constexpr std::string_view kSquareText = "v -1 -2 0\nv 3 -2 0\nv 3 2 0\nv -1 2 0\n";
const std::string kSquare(kSquareText);

TEST(Obj, DefaultCameraAndLights) {
  const Scene s = loadText(
      "a.obj", "v -1 -1.5 0\nv 3 -1.5 0\nv 3 1.5 0\nv -1 1.5 0\nv 0 0 9\nf 1 2 3\nf 1 3 4\n");
  // The unused vertex does not count: centre (1, 0, 0), longest side 4.
  EXPECT_EQ(s.width, 512);
  EXPECT_EQ(s.height, 512);
  EXPECT_EQ(s.camera.projection, Camera::Projection::Shk);
  EXPECT_EQ(s.camera.lookAt, (Vec3{1, 0, 0}));
  EXPECT_EQ(s.camera.up, (Vec3{0, 1, 0}));
  expectNear(s.camera.eye, {1 + 0.62 * 4, 0.42 * 4, 1.02 * 4}, 1e-12);
  ASSERT_EQ(s.lights.size(), 2U);
  expectNear(s.lights[0].position, {1 + 1.5 * 4, 2 * 4, 1.5 * 4}, 1e-12);
  expectNear(s.lights[1].position, {1 - 2 * 4, 4, 4}, 1e-12);
  EXPECT_EQ(s.lights[0].color, (Vec3{0.8, 0.8, 0.8}));
  EXPECT_EQ(s.lights[1].color, (Vec3{0.35, 0.35, 0.4}));
  EXPECT_EQ(s.background, (Vec3{0, 0.5, 1}));
  ASSERT_EQ(s.materials.size(), 1U);
  EXPECT_EQ(s.materials[0].kdiff, 0.8);
}

TEST(Obj, TheSharedScenesUseTheSameCameraAndLights) {
  const Scene obj = load(shipped("teapot.obj"));
  const Scene shk = load(shipped("teapot.shk"));
  ASSERT_EQ(obj.primitiveCount, shk.primitiveCount);
  // teapot.shk is teapot.obj times 3.11132708, but about the origin instead of the centre of its
  // bounds.
  const double scale = 3.11132708;
  const Vec3 shift = (obj.bounds().lo + obj.bounds().hi) * 0.5;
  expectNear((obj.camera.eye - shift) * scale, shk.camera.eye, 1e-3);
  expectNear((obj.lights[0].position - shift) * scale, shk.lights[0].position, 1e-3);
  expectNear((obj.lights[1].position - shift) * scale, shk.lights[1].position, 1e-3);
  for (std::size_t k = 0; k < obj.elements.size(); ++k) {
    expectNear(obj.triangles[k].v[2] * scale, shk.triangles[k].v[2], 1e-4);
  }
}

TEST(Obj, EveryTriangleOfAFaceIsAPrimitive) {
  const Scene s = loadText(
      "a.obj", kSquare + "o x\ng y\ns off\nf 1 2 3 4\nusemtl none\nf -4 -3 -2\ng z\nf 4 3 2 1\n");
  EXPECT_EQ(s.primitiveCount, 5U);
  ASSERT_EQ(s.elements.size(), 5U);
  for (std::uint32_t k = 0; k < 5; ++k) EXPECT_EQ(s.elements[k].primitive, k);
  EXPECT_EQ(s.triangles[2].v[0], (Vec3{-1, -2, 0}));
  EXPECT_EQ(s.triangles[3].v[0], (Vec3{-1, 2, 0}));
}

TEST(Obj, NormalsAtAllCornersMakeSmoothTriangles) {
  const Scene s = loadText(
      "a.obj", kSquare + "vt 0 0\nvn 0 0 2\nvn 0 3 0\nf 1//1 2//2 3//1\nf 1/1/1 2/1/-2 3/1/2\n" +
                   "f 1//1 2 3\nf 1/1 2/1 3/1\n");
  ASSERT_EQ(s.triangles.size(), 4U);
  EXPECT_TRUE(s.triangles[0].smooth);
  EXPECT_EQ(s.triangles[0].n[0], (Vec3{0, 0, 1}));
  EXPECT_EQ(s.triangles[0].n[1], (Vec3{0, 1, 0}));
  EXPECT_TRUE(s.triangles[1].smooth);
  EXPECT_EQ(s.triangles[1].n[1], (Vec3{0, 0, 1}));
  EXPECT_FALSE(s.triangles[2].smooth);
  EXPECT_FALSE(s.triangles[3].smooth);
}

TEST(Obj, ConcaveFacesAreCutRightly) {
  // An arrow head: a fan from the first corner would leave the outline.
  const Scene s = loadText("a.obj", "v 0 0 0\nv 4 -4 0\nv 0 4 0\nv -4 -4 0\nf 2 3 4 1\n");
  double sum = 0;
  for (const Triangle& t : s.triangles) sum += area(t);
  EXPECT_NEAR(sum, 16, 1e-12);
}

TEST(Obj, MaterialsOfALibrary) {
  const Folder folder;
  folder.write(
      "two words.mtl",
      "# comment\nnewmtl mirror of gold\nKa 1 .5 0\nKd .6 .3 0\nKs .1 .4 .2\nNs 50\nillum 3\nNi "
      "1.4\nd .7\n"
      "map_Kd wood.png\nnewmtl plain\nnewmtl thin\nTr .25\nKd 2\nNi 0\nillum 2\nKs 1 1 1\n");
  const Scene s =
      load(folder.write("a.obj", "mtllib two words.mtl\n" + kSquare +
                                     "usemtl mirror of gold\nf 1 2 3\nusemtl plain\nf 1 2 3\n"
                                     "usemtl thin\nf 1 2 3\nusemtl mirror of gold\nf 1 2 3\n"));
  ASSERT_EQ(s.materials.size(), 3U);
  const Material& gold = s.materials[0];
  expectNear(gold.color, {1, 0.5, 0}, 1e-12);
  EXPECT_NEAR(gold.kdiff, 0.6, 1e-12);
  EXPECT_NEAR(gold.kspec, 0.4, 1e-12);
  EXPECT_NEAR(gold.kamb, 0.2, 1e-12);
  EXPECT_NEAR(gold.ns, 50, 1e-12);
  EXPECT_NEAR(gold.reflect, 0.4, 1e-12);
  EXPECT_NEAR(gold.ktrans, 0.3, 1e-12);
  EXPECT_NEAR(gold.refindex, 1.4, 1e-12);
  const Material& plain = s.materials[1];
  expectNear(plain.color, {1, 1, 1}, 1e-12);
  EXPECT_NEAR(plain.kdiff, 0.8, 1e-12);
  EXPECT_EQ(plain.kspec, 0);
  EXPECT_EQ(plain.reflect, 0);
  EXPECT_EQ(plain.ktrans, 0);
  const Material& thin = s.materials[2];
  EXPECT_NEAR(thin.ktrans, 0.25, 1e-12);
  EXPECT_EQ(thin.kdiff, 1);
  EXPECT_EQ(thin.refindex, 1);
  EXPECT_EQ(thin.reflect, 0);
  EXPECT_EQ(s.elements[3].material, 0U);
  ASSERT_EQ(s.warnings.size(), 1U);
  EXPECT_NE(s.warnings[0].find("two words.mtl:10:8: no such texture: 'wood.png'"),
            std::string::npos)
      << s.warnings[0];
}

TEST(Obj, MissingLibrariesAndMaterialsAreWarnings) {
  const Scene s = loadText("a.obj", "mtllib no.mtl\n" + kSquare + "usemtl gold\nf 1 2 3\n");
  ASSERT_EQ(s.warnings.size(), 2U);
  EXPECT_NE(s.warnings[0].find("a.obj:1:1: no such material library: 'no.mtl'"), std::string::npos);
  EXPECT_NE(s.warnings[1].find("a.obj:6:1: no such material: 'gold'"), std::string::npos);
  EXPECT_EQ(s.materials[0].kdiff, 0.8);
}

TEST(Obj, SeveralLibrariesMayShareARecord) {
  const Folder folder;
  folder.write("a.mtl", "newmtl a\nKd .1 .1 .1\n");
  folder.write("b.mtl", "newmtl b\nKd .2 .2 .2\n");
  const Scene s =
      load(folder.write("a.obj", "mtllib a.mtl b.mtl\n" + kSquare + "usemtl b\nf 1 2 3\n"));
  EXPECT_NEAR(s.materials[0].kdiff, 0.2, 1e-12);
  EXPECT_TRUE(s.warnings.empty());
}

TEST(ObjErrors, AreLocated) {
  const auto error = [](const std::string& line) {
    return errorOf("a.obj", kSquare + line + "\n");
  };
  EXPECT_EQ(error("v 1 2"),
            "a.obj:5:6: found the end of the line, expected a vertex of three numbers");
  EXPECT_EQ(error("v 1 nan 2").substr(0, 22), "a.obj:5:5: found 'nan'");
  EXPECT_EQ(error("vn 1 2 1e999").substr(0, 24), "a.obj:5:8: found '1e999'");
  EXPECT_EQ(error("f").substr(0, 35), "a.obj:5:2: found the end of the lin");
  for (const std::string bad : {"0", "x", "1/", "1//", "1/2/3/4", "1/x", "99999999999999999999",
                                "-9", "-5", "1//0", "1//-1", "1/-1/1", "1.5", "+1", "2000000000"}) {
    EXPECT_EQ(error("f 1 2 " + bad).substr(0, 12), "a.obj:5:7: f") << bad;
  }
  EXPECT_EQ(error("f 1 2 5").substr(0, 33), "a.obj:5:7: found an index of a ve");
  EXPECT_EQ(error("f 1 2 3//1").substr(0, 33), "a.obj:5:7: found an index of a ve");
  EXPECT_EQ(error("f 1/1 2 3").substr(0, 33), "a.obj:5:3: found an index of a ve");
  EXPECT_EQ(error("f 1 2 \\\nx").substr(0, 11), "a.obj:6:1: ");
  EXPECT_EQ(error("v 1 1 1"), "a.obj: found no face, expected at least one");
  std::string many = "f";
  for (int k = 0; k < 256; ++k) many += " 1";
  EXPECT_EQ(error(many).substr(0, 13), "a.obj:5:513: ");
}

TEST(Obj, RecordsGoOnAfterABackslash) {
  const Scene s = loadText("a.obj", "\xEF\xBB\xBF# comment \\\n" + kSquare +
                                        "v 0 \\\r\n  0 \\  \n\t9\nf 1 2 \\\n 5\nf 3 4 5\n");
  ASSERT_EQ(s.triangles.size(), 2U);
  EXPECT_EQ(s.triangles[0].v[2], (Vec3{0, 0, 9}));
  EXPECT_TRUE(s.warnings.empty());
}

TEST(Obj, WhatIsNotDrawnIsSaidOnce) {
  const Scene s = loadText("a.obj", kSquare +
                                        "f 1 2\nf 2 3\nl 1 2\nl 2 3 4\np 1\ncstype bezier\n"
                                        "curv 0 1 1 2 3\nend\nhello\no a\ng b\nf 1 2 3\n");
  EXPECT_EQ(s.triangles.size(), 1U);
  std::string all;
  for (const std::string& w : s.warnings) all += w.substr(w.find("a.obj")) + '\n';
  EXPECT_EQ(all,
            "a.obj:5:1: faces of fewer than three corners are skipped\n"
            "a.obj:10:1: 1 records 'cstype' are skipped (curves and surfaces are not drawn)\n"
            "a.obj:11:1: 1 records 'curv' are skipped (curves and surfaces are not drawn)\n"
            "a.obj:12:1: 1 records 'end' are skipped (curves and surfaces are not drawn)\n"
            "a.obj:13:1: 1 records 'hello' are skipped (not known)\n"
            "a.obj:7:1: 2 records 'l' are skipped (lines are not drawn)\n"
            "a.obj:9:1: 1 records 'p' are skipped (points are not drawn)\n");
}

TEST(Obj, SmoothingGroupsMakeNormals) {
  // Two unit squares at a right angle along the y axis, and the second one again in another group.
  const std::string text =
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 0 1 1\ns 1\nf 1 2 3 4\nf 1 4 6 5\n"
      "s 2\nf 1 4 6 5\ns off\nf 1 4 6 5\n";
  const Scene s = loadText("a.obj", text);
  ASSERT_EQ(s.triangles.size(), 8U);
  EXPECT_TRUE(s.triangles[0].smooth);
  const double half = std::sqrt(0.5);
  expectNear(s.triangles[0].n[0], {half, 0, half}, 1e-12);
  expectNear(s.triangles[0].n[1], {0, 0, 1}, 1e-12);
  expectNear(s.triangles[4].n[0], {1, 0, 0}, 1e-12);
  EXPECT_FALSE(s.triangles[6].smooth);
}

TEST(ObjErrors, AVertexMayFollowItsFace) {
  EXPECT_EQ(loadText("a.obj", "f 1 2 3\n" + kSquare).elements.size(), 1U);
}

TEST(ObjErrors, OfALibraryNameTheLibrary) {
  const Folder folder;
  const auto file = folder.write("a.obj", "mtllib a.mtl\n" + kSquare + "f 1 2 3\n");
  const auto error = [&](std::string_view mtl) -> std::string {
    folder.write("a.mtl", mtl);
    try {
      static_cast<void>(load(file));
    } catch (const SceneError& e) {
      return std::string(e.what()).substr(folder.path().string().size() + 1);
    }
    return "";
  };
  EXPECT_EQ(error("newmtl a\nKd 1 x 1\n").substr(0, 20), "a.mtl:2:6: found 'x'");
  EXPECT_EQ(error("newmtl a\nKd 1 1\n").substr(0, 11), "a.mtl:2:7: ");
  EXPECT_EQ(error("newmtl a\nNs 1e999\n").substr(0, 11), "a.mtl:2:4: ");
  EXPECT_EQ(error("newmtl a\nillum 99999999999\n").substr(0, 11), "a.mtl:2:7: ");
  EXPECT_EQ(error("Kd 1 1 1\n").substr(0, 11), "a.mtl:1:1: ");
  EXPECT_EQ(error("newmtl\n").substr(0, 11), "a.mtl:1:7: ");
  EXPECT_EQ(error("newmtl a\nKd spectral x.rfl\nd -halo .5\nrefl x\nunknown 1\n"), "");
}

}  // namespace
}  // namespace rtvp::scene::test
