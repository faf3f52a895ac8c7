// PBRT: transforms, instances, cameras, materials, lights, includes, hostile files.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/platform/scene/gltf_text.hpp"
#include "tests/platform/scene/picture_files.hpp"
#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

const std::string kTri =
    "Shape \"trianglemesh\" \"integer indices\" [0 1 2] \"point3 P\" [0 0 0 1 0 0 0 1 0]\n";

TEST(Pbrt, ALeftHandedSpaceIsMirrored) {
  const Scene s = loadText("a.pbrt", pbrtText());
  ASSERT_EQ(s.triangles.size(), kFaces.size());
  for (std::size_t k = 0; k < kFaces.size(); ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::array<float, 3>& v = kVertices[kFaces[k][c]];
      expectNear(s.triangles[k].v[c], {double{v[0]}, double{v[1]}, double{v[2]}}, 0);
    }
  }
  EXPECT_TRUE(s.fittedCamera);
}

// The same picture with and without the file's own mirror.
TEST(Pbrt, CameraSeesXOnTheRightSide) {
  const std::string rest =
      "LookAt 0 0 -5  0 0 0  0 1 0\nCamera \"perspective\" \"float fov\" 60\n"
      "Film \"image\" \"integer xresolution\" [200] \"integer yresolution\" 100\n"
      "WorldBegin\n" +
      kTri + "WorldEnd\n";
  for (const bool mirrored : {false, true}) {
    const Scene s = loadText("a.pbrt", (mirrored ? "Scale -1 1 1\n" : "") + rest);
    EXPECT_EQ(s.width, 200);
    EXPECT_EQ(s.height, 100);
    // Where (1, 0, 0) of the file is seen: right of the middle, left of it if mirrored.
    const Vec3 corner = s.triangles[0].v[mirrored ? 1 : 2];
    EXPECT_NEAR(std::abs(corner.x), 1, 1e-12);
    const Vec3 left = s.camera.direction(50, 50, 200, 100);
    const Vec3 right = s.camera.direction(150, 50, 200, 100);
    const Vec3 to = unit(corner - s.camera.eye);
    EXPECT_EQ(dot(to, right) > dot(to, left), !mirrored);
    // 60 degrees between the upper edge of row 0 and the lower one of row 99.
    const Vec3 top = s.camera.direction(100, 0, 200, 100);
    EXPECT_NEAR(std::acos(dot(top, unit(s.camera.lookAt - s.camera.eye))) * 180 / 3.14159265358979,
                30, 1e-6);
  }
}

TEST(Pbrt, TransformsAttributesAndInstances) {
  const Scene s = loadText(
      "a.pbrt",
      "Scale -1 1 1 Camera \"orthographic\"\nWorldBegin\nObjectBegin \"o\"\nTranslate 0 0 1\n" +
          kTri +
          "ObjectEnd\nAttributeBegin\nRotate 90 0 0 1\nObjectInstance \"o\"\nAttributeEnd\n"
          "TransformBegin Transform [2 0 0 0  0 2 0 0  0 0 2 0  5 0 0 1] ObjectInstance \"o\"\n"
          "Shape \"sphere\" \"float radius\" .5\nScale 1 1 2 Shape \"sphere\"\nTransformEnd\n"
          "ReverseOrientation Shape \"disk\" Shape \"cylinder\" Shape \"curve\"\nWorldEnd\n",
      {.segments = 8});
  expectNear(s.triangles[0].v[1], {0, 1, 1}, 1e-12);
  expectNear(s.triangles[1].v[1], {7, 0, 2}, 1e-12);
  ASSERT_EQ(s.spheres.size(), 1U);
  EXPECT_EQ(s.spheres[0].center, (Vec3{5, 0, 0}));
  EXPECT_NEAR(s.spheres[0].radius, 1, 1e-12);
  ASSERT_EQ(s.warnings.size(), 1U);
  EXPECT_NE(s.warnings[0].find("not in the picture: shapes 'curve', the camera 'orthographic'"),
            std::string::npos)
      << s.warnings[0];
}

TEST(Pbrt, MaterialsTexturesAndLights) {
  const Folder folder;
  writeGrey(folder, "t.png", 2, 2, 100);
  folder.write("more.pbrt", "MakeNamedMaterial \"g\" \"string type\" \"dielectric\"\n");
  folder.write("m.ply", plyText("binary_big_endian"));
  platform::InputFiles inputs;
  LoadOptions options;
  options.inputs = &inputs;
  const Scene s = load(
      folder.write("a.pbrt",
                   "WorldBegin # comment\nInclude \"more.pbrt\"\nTexture \"w\" \"spectrum\" "
                   "\"imagemap\" \"string filename\" \"t.png\"\nMaterial \"diffuse\" \"texture "
                   "reflectance\" \"w\"\nShape \"plymesh\" \"string filename\" [\"m.ply\"]\n"
                   "Material \"matte\" \"rgb Kd\" [1 0 0]\n" +
                       kTri + "NamedMaterial \"g\"\n" + kTri +
                       "LightSource \"point\" \"point3 from\" [0 5 0] \"rgb I\" [10 10 10]\n"
                       "AttributeBegin AreaLightSource \"diffuse\" \"rgb L\" [1 1 1] " +
                       kTri + "AttributeEnd\nLightSource \"infinite\" \"bool b\" true\n"),
      options);
  EXPECT_EQ(s.triangles.size(), kFaces.size() + 2);
  ASSERT_EQ(s.materials.size(), 3U);
  EXPECT_EQ(s.materials[0].texture, 0U);
  expectNear(s.materials[1].color, {1, 0, 0}, 1e-12);
  EXPECT_EQ(s.materials[2].ktrans, 0.9);
  EXPECT_EQ(s.materials[2].refindex, 1.5);
  EXPECT_EQ(s.lights.size(), 2U);
  ASSERT_EQ(inputs.all().size(), 4U);
  EXPECT_EQ(inputs.all()[1].role, "include");
  EXPECT_EQ(inputs.all()[2].role, "texture");
  EXPECT_EQ(inputs.all()[3].role, "mesh");
}

TEST(PbrtErrors, AreLocated) {
  const auto error = [](const std::string& text) { return errorOf("a.pbrt", text); };
  EXPECT_EQ(error("Hello\n"), "a.pbrt:1:1: found 'Hello', expected a directive of PBRT 3 or 4");
  EXPECT_EQ(error("Translate 1 2\n"),
            "a.pbrt:2:1: found the end of the file, expected three numbers of a move");
  EXPECT_EQ(error("AttributeEnd\n").substr(0, 33), "a.pbrt:1:1: found the end of a bl");
  EXPECT_EQ(error("\nAttributeBegin\n" + kTri).substr(0, 28), "a.pbrt:2:1: found no end of ");
  EXPECT_EQ(error("Shape \"trianglemesh\" \"point P\" [0 0 0 1 0 0 0 1 0] \"integer indices\" "
                  "[0 1 3]\n")
                .substr(0, 25),
            "a.pbrt:1:52: found the ve");
  EXPECT_EQ(error("Shape \"trianglemesh\" \"point P\" [0 0 0").substr(0, 20),
            "a.pbrt:1:38: found t");
  EXPECT_EQ(error("Shape \"plymesh\" \"string filename\" \"x.ply\"\n").substr(0, 36),
            "a.pbrt:1:17: found no such file: 'x.");
  EXPECT_EQ(error("ObjectInstance \"x\"\n").substr(0, 16), "a.pbrt:1:16: fou");
  EXPECT_EQ(error("Include \"a.pbrt\"\n").substr(0, 31), "a.pbrt:1:9: found one file more");
  EXPECT_EQ(error("Film \"x\" \"integer xresolution\" 1e9\n").substr(0, 17), "a.pbrt:1:1: found");
  EXPECT_EQ(error("Material \"x\n").substr(0, 24), "a.pbrt:1:10: found a tex");
}

// Objects that are placed a thousand times each in one another's place: bounded by their number.
TEST(PbrtErrors, InstancesThatMultiply) {
  std::string text = "ObjectBegin \"o\"\n";
  for (int k = 0; k < 2000; ++k) text += kTri;
  text += "ObjectEnd\n";
  for (int k = 0; k < 600; ++k) text += "ObjectInstance \"o\"\n";
  const std::string error = errorOf("a.pbrt", text, {.maxElements = 100'000});
  EXPECT_NE(error.find("found one primitive more, expected at most 100000"), std::string::npos);
}

}  // namespace
}  // namespace rtvp::scene::test
