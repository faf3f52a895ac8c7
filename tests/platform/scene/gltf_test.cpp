// glTF: meshes, nodes, materials, cameras, lights, hostile files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/platform/scene/gltf_text.hpp"
#include "tests/platform/scene/picture_files.hpp"
#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

void expectMesh(const Scene& s) {
  ASSERT_EQ(s.triangles.size(), kFaces.size());
  for (std::size_t k = 0; k < kFaces.size(); ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::array<float, 3>& v = kVertices[kFaces[k][c]];
      EXPECT_EQ(s.triangles[k].v[c], (Vec3{double{v[0]}, double{v[1]}, double{v[2]}}));
    }
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST(Gltf, BuffersInTheFileBesideItAndInGlb) {
  expectMesh(loadText("a.gltf", embeddedGltf()));
  expectMesh(loadText("a.glb", glbText(gltfJson(""), gltfBuffer())));
  const Folder folder;
  folder.write("my mesh.bin", gltfBuffer());
  platform::InputFiles inputs;
  LoadOptions options;
  options.inputs = &inputs;
  const Scene s = load(folder.write("a.gltf", gltfJson("my%20mesh.bin")), options);
  expectMesh(s);
  EXPECT_TRUE(s.warnings.empty());
  ASSERT_EQ(inputs.all().size(), 2U);
  EXPECT_EQ(inputs.all()[1].role, "buffer");
  EXPECT_EQ(inputs.all()[1].bytes, 96U);
}

TEST(Gltf, NodesMoveTurnAndMirror) {
  const Scene s = loadText("a.gltf", replaced(embeddedGltf(), R"("nodes":[{"mesh":0}])",
                                              R"("nodes":[{"translation":[0,0,5],"children":[1,2]},
{"mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[2,1,1]},
{"mesh":0,"matrix":[-1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}])"));
  ASSERT_EQ(s.triangles.size(), 12U);
  // (-1, -1, 0.5): doubled along x, a quarter turn about z, then moved.
  expectNear(s.triangles[0].v[0], {1, -2, 5.5}, 1e-6);
  // A mirror turns the corners round, so that the outside stays outside.
  expectNear(s.triangles[6].v[0], {1, -1, 5.5}, 1e-9);
  expectNear(s.triangles[6].v[1], {-1, 1, 4.5}, 1e-9);
}

TEST(Gltf, CameraMaterialsAndLights) {
  const Scene s = loadText(
      "a.gltf",
      replaced(replaced(replaced(embeddedGltf(R"(,"cameras":[{"type":"perspective","perspective":
{"yfov":1,"aspectRatio":2,"znear":1}}],"materials":[{"pbrMetallicRoughness":{"baseColorFactor":
[1,0,0.5,1],"metallicFactor":0},"extensions":{"KHR_materials_ior":{"ior":1.5}}}],
"animations":[{}],"extensions":{"KHR_lights_punctual":{"lights":[{"type":"point","intensity":4},
{"type":"directional","color":[1,0,0],"intensity":9}]}})"),
                                 R"("nodes":[0])", R"("nodes":[0,1,2])"),
                        R"("nodes":[{"mesh":0}])", R"("nodes":[{"mesh":0,"extensions":
{"KHR_lights_punctual":{"light":1}}},{"camera":0,"translation":[0,1,9]},{"translation":[0,3,0],
"extensions":{"KHR_lights_punctual":{"light":0}}}])"),
               R"("indices":1)", R"("indices":1,"material":0)"));
  EXPECT_FALSE(s.fittedCamera);
  EXPECT_EQ(s.width, 512);
  EXPECT_EQ(s.height, 256);
  EXPECT_EQ(s.camera.eye, (Vec3{0, 1, 9}));
  EXPECT_EQ(s.camera.lookAt, (Vec3{0, 1, 8}));
  EXPECT_NEAR(s.camera.angle, 180 / 3.14159265358979, 1e-9);
  ASSERT_EQ(s.materials.size(), 1U);
  EXPECT_EQ(s.materials[0].color.x, 1);
  EXPECT_EQ(s.materials[0].color.y, 0);
  EXPECT_NEAR(s.materials[0].color.z, 0.7354, 1e-3);  // 0.5 on the sRGB curve
  EXPECT_NEAR(s.materials[0].kdiff, 0.8, 1e-12);
  ASSERT_EQ(s.lights.size(), 2U);
  EXPECT_EQ(s.lights[0].color.y, 0);  // the distant one, 9 against 4 / distance^2
  // The centre is (0.125, 0, 0.5), the point (0, 3, 0).
  EXPECT_NEAR(s.lights[0].color.x / s.lights[1].color.x, 9 * 9.265625 / 4, 1e-9);
  EXPECT_NEAR(s.lights[0].color.x + s.lights[1].color.x, 1.2, 1e-9);
  std::string all;
  for (const std::string& w : s.warnings) all += w;
  EXPECT_NE(all.find("not in the picture: animations"), std::string::npos) << all;
}

TEST(Gltf, TexturesAreInputsAndUpright) {
  const Folder folder;
  writePng(folder, "t.png", 1, 2, {255, 0, 0, 0, 0, 255});
  folder.write("a.bin", gltfBuffer() + std::string(40, '\0'));
  std::string json =
      gltfJson("a.bin", R"(,"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],
"textures":[{"source":0}],"images":[{"uri":"t.png"}])");
  json = replaced(json, R"("byteLength":96)", R"("byteLength":136)");
  json = replaced(json, R"("POSITION":0})", R"("POSITION":0,"TEXCOORD_0":2})");
  json = replaced(json, R"("indices":1)", R"("indices":1,"material":0)");
  json =
      replaced(json, R"("type":"SCALAR"})",
               R"("type":"SCALAR"},{"bufferView":2,"componentType":5126,"count":5,"type":"VEC2"})");
  json =
      replaced(json, R"("byteOffset":60,"byteLength":36})",
               R"("byteOffset":60,"byteLength":36},{"buffer":0,"byteOffset":96,"byteLength":40})");
  platform::InputFiles inputs;
  LoadOptions options;
  options.inputs = &inputs;
  const Scene s = load(folder.write("a.gltf", json), options);
  ASSERT_EQ(s.textures.size(), 1U);
  EXPECT_EQ(s.textures[0].texel(0, 0)[2], 255);  // the bottom row is the file's last
  EXPECT_TRUE(s.triangles[0].textured);
  EXPECT_EQ(s.triangles[0].st[0], (TexturePoint{0, 1}));  // (0, 0) is the top there
  ASSERT_EQ(inputs.all().size(), 3U);
  EXPECT_EQ(std::count_if(inputs.all().begin(), inputs.all().end(),
                          [](const auto& input) { return input.role == "texture"; }),
            1);
}

TEST(GltfErrors, SayTheWayToTheValue) {
  const auto error = [](const std::string& what, const std::string& by) {
    return errorOf("a.gltf", replaced(embeddedGltf(), what, by));
  };
  EXPECT_EQ(error(R"("indices":1)", R"("indices":7)"),
            "a.gltf: meshes[0].primitives[0].indices: found '7', expected an accessor, a whole "
            "number below 2");
  EXPECT_EQ(
      error(R"("count":5)", R"("count":6)"),
      "a.gltf: accessors[0]: found 6 elements, 12 bytes apart, in 60 bytes, expected a buffer "
      "view that holds them");
  EXPECT_EQ(error(R"("count":18)", R"("count":4000000000)").substr(0, 29),
            "a.gltf: accessors[1].count: f");
  EXPECT_EQ(error(R"("byteLength":96)", R"("byteLength":97)").substr(0, 33),
            "a.gltf: buffers[0].byteLength: fo");
  EXPECT_EQ(error(R"("count":5)", R"("count":4)").substr(0, 38),
            "a.gltf: meshes[0].primitives[0].indice");
  EXPECT_EQ(error(R"("mesh":0)", R"("mesh":0,"children":[0])").substr(0, 50),
            "a.gltf: nodes[0].children[0]: found nodes more tha");
  EXPECT_EQ(error("2.0", "1.0").substr(0, 31), "a.gltf: asset.version: found '1");
  EXPECT_EQ(error(R"("scene":0)", R"("scene":)").substr(0, 13), "a.gltf:1:36: ");
  EXPECT_EQ(error("data:application", "http://x").substr(0, 23), "a.gltf: buffers[0].uri:");
  EXPECT_EQ(
      error(R"("scene":0)", R"("extensionsRequired":["KHR_draco_mesh_compression"])").substr(0, 30),
      "a.gltf: extensionsRequired[0]:");
}

TEST(GltfErrors, OfGlbSayTheByte) {
  const std::string whole = glbText(gltfJson(""), gltfBuffer());
  EXPECT_EQ(errorOf("a.glb", whole.substr(0, 40)).substr(0, 17), "a.glb: byte 8: fo");
  std::string bad = whole;
  bad.replace(12, 4, "\xFF\xFF\xFF\x7F");
  EXPECT_EQ(errorOf("a.glb", bad).substr(0, 18), "a.glb: byte 20: fo");
  bad = whole;
  bad[21] = '!';
  EXPECT_EQ(errorOf("a.glb", bad).substr(0, 18), "a.glb: byte 21: fo");
}

// Sixteen nodes deep, sixteen children each, all the same mesh: refused by its number of nodes or
// of triangles, not by memory.
TEST(GltfErrors, NodesThatMultiply) {
  std::string nodes;
  for (int k = 0; k < 16; ++k) {
    nodes += R"({"children":[)";
    for (int c = 0; c < 16; ++c) nodes += std::to_string(k + 1) + (c < 15 ? "," : "");
    nodes += "]},";
  }
  const std::string text = replaced(embeddedGltf(), R"("nodes":[{"mesh":0}])",
                                    R"("nodes":[)" + nodes + R"({"name":"x"}])");
  EXPECT_NE(errorOf("a.gltf", text).find("found one node more"), std::string::npos);
}

}  // namespace
}  // namespace rtvp::scene::test
