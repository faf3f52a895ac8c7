// PLY, STL and OFF: what they hold, the same mesh in each, hostile files.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/platform/scene/mesh_text.hpp"
#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

void expectMesh(const Scene& s) {
  ASSERT_EQ(s.triangles.size(), kFaces.size());
  for (std::size_t k = 0; k < kFaces.size(); ++k) {
    EXPECT_EQ(s.elements[k].primitive, k);
    for (std::size_t c = 0; c < 3; ++c) {
      const std::array<float, 3>& v = kVertices[kFaces[k][c]];
      // tinyobjloader's reader of numbers may miss the last bit of a double.
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_DOUBLE_EQ(s.triangles[k].v[c][axis], double{v[static_cast<std::size_t>(axis)]});
    }
  }
}

TEST(MeshFiles, HoldTheSameMesh) {
  for (const auto& [name, text] : meshFiles()) {
    SCOPED_TRACE(name);
    const Scene s = loadText(name, text);
    expectMesh(s);
    EXPECT_TRUE(s.warnings.empty()) << s.warnings[0];
    EXPECT_TRUE(s.fittedCamera);
    EXPECT_EQ(s.lights.size(), 2U);
    EXPECT_EQ(s.materials.at(0).kdiff, 0.8);
  }
}

TEST(Ply, NormalsTextureCoordinatesStripsAndOtherElements) {
  const Scene s =
      loadText("a.ply",
               "ply\r\nformat ascii 1.0\r\ncomment x\r\nobj_info y\r\nelement vertex 4\r\n"
               "property float x\r\nproperty double y\r\nproperty int z\r\nproperty float nx\r\n"
               "property float ny\r\nproperty float nz\r\nproperty float s\r\nproperty float t\r\n"
               "property uchar red\r\nproperty list uchar int extra\r\nelement edge 1\r\n"
               "property int a\r\nproperty int b\r\nelement face 2\r\nproperty list uchar int "
               "vertex_index\r\nproperty uchar flag\r\nelement tristrips 1\r\n"
               "property list int int vertex_indices\r\nend_header\r\n"
               "0 0 0 0 0 1 0 0 255 2 7 8\r\n1 0 0 0 0 1 1 0 255 0\r\n0 1 0 0 1 0 0 1 255 0\r\n"
               "1 1 0 0 0 1 1 1 255 0\r\n5 6\r\n4 0 1 3 2 9\r\n2 0 1 9\r\n8 0 1 2 3 -1 3 2 1\r\n");
  ASSERT_EQ(s.triangles.size(), 5U);
  EXPECT_TRUE(s.triangles[0].smooth);
  EXPECT_TRUE(s.triangles[0].textured);
  EXPECT_EQ(s.triangles[0].st[1], (TexturePoint{1, 0}));
  // 0 1 2, then 2 1 3 turned round, then 3 2 1.
  EXPECT_EQ(s.triangles[3].v[0], (Vec3{0, 1, 0}));
  EXPECT_EQ(s.triangles[3].v[1], (Vec3{1, 0, 0}));
  EXPECT_EQ(s.triangles[3].v[2], (Vec3{1, 1, 0}));
  EXPECT_EQ(s.triangles[4].v[0], (Vec3{1, 1, 0}));
  ASSERT_EQ(s.warnings.size(), 2U);
  EXPECT_NE(s.warnings[0].find("colours of vertices are ignored"), std::string::npos);
  EXPECT_NE(s.warnings[1].find("a.ply:31:1: faces of fewer"), std::string::npos) << s.warnings[1];
}

const std::string kPlyHead =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";

TEST(PlyErrors, AreLocated) {
  const std::string corners = "0 0 0\n1 0 0\n0 1 0\n";
  EXPECT_EQ(errorOf("a.ply", "hello\n").substr(0, 27), "a.ply:1:1: found 'hello', e");
  EXPECT_EQ(errorOf("a.ply", "ply\nformat ascii 2.0\n").substr(0, 26),
            "a.ply:2:14: found '2.0', e");
  EXPECT_EQ(errorOf("a.ply", "ply\nend_header\n").substr(0, 26), "a.ply:2:1: found no format");
  EXPECT_EQ(
      errorOf("a.ply", "ply\nformat ascii 1.0\nelement vertex 3"),
      "a.ply:3:1: found no end of the line, expected header lines of at most 4096 characters, "
      "up to end_header");
  EXPECT_EQ(errorOf("a.ply", kPlyHead + corners + "3 0 1 3\n"),
            "a.ply:13:1: found a face with the vertex 3, expected one of the 3 vertices before the "
            "faces");
  EXPECT_EQ(errorOf("a.ply", kPlyHead + corners + "3 0 1 -1\n").substr(0, 12), "a.ply:13:1: ");
  EXPECT_EQ(errorOf("a.ply", kPlyHead + corners + "3 0 1\n").substr(0, 11), "a.ply:14:1:");
  EXPECT_EQ(errorOf("a.ply", kPlyHead + "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n").substr(0, 24),
            "a.ply:11:5: found 'nan',");
  EXPECT_EQ(errorOf("a.ply", kPlyHead + corners + "2 0 1\n").substr(0, 20), "a.ply: found no face");
  EXPECT_NE(errorOf("a.ply", kPlyHead + corners + "2000 0 1\n"), "");
}

// A count that the file has no bytes for is refused before anything is allocated.
TEST(PlyErrors, SizeBombs) {
  std::string bomb = meshFiles()[2].second;
  ASSERT_EQ(meshFiles()[2].first, "little.ply");
  const std::size_t at = bomb.find("element vertex 5");
  bomb.replace(at, 16, "element vertex 2000000000");
  const std::string error = errorOf("a.ply", bomb);
  EXPECT_EQ(error.substr(0, 43), "a.ply:3:9: found 2000000000 elements 'verte") << error;
  EXPECT_EQ(errorOf("a.ply", "ply\nformat ascii 1.0\nelement vertex 4000000000\n").substr(0, 11),
            "a.ply:3:16:");
}

TEST(PlyErrors, BinaryOnesAtTheByte) {
  const std::string whole = meshFiles()[2].second;
  const std::string error = errorOf("a.ply", whole.substr(0, whole.size() - 5));
  EXPECT_NE(error.find(": byte "), std::string::npos) << error;
  std::string nan = whole;
  const float bad = std::numeric_limits<float>::quiet_NaN();
  const std::size_t body = whole.find("end_header\n") + 11;
  std::memcpy(nan.data() + body + 4, &bad, 4);
  EXPECT_EQ(errorOf("a.ply", nan), "a.ply: byte " + std::to_string(body + 4) +
                                       ": found nan for y, expected a finite number of magnitude "
                                       "at most 1e+12");
}

TEST(Stl, BinaryMayBeginWithSolid) {
  std::string text = meshFiles()[5].second;
  ASSERT_EQ(meshFiles()[5].first, "binary.stl");
  text.replace(0, 5, "solid");
  expectMesh(loadText("a.stl", text));
}

TEST(Stl, AsciiAsItIsWritten) {
  const Scene s = loadText("a.stl",
                           "SOLID two words\n FACET NORMAL nan nan nan\nOUTER LOOP\n"
                           "VERTEX 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
                           "endsolid two words\nsolid\nfacet normal 0 0 1 outer loop vertex 0 0 1 "
                           "vertex 1 0 1 vertex 0 1 1 endloop endfacet\nendsolid\n");
  EXPECT_EQ(s.triangles.size(), 2U);
}

TEST(StlErrors, AreLocated) {
  const std::string binary = meshFiles()[5].second;
  const std::string error = errorOf("a.stl", binary.substr(0, binary.size() - 1));
  EXPECT_EQ(error.substr(0, 45), "a.stl: byte 80: found 6 facets in 299 bytes, ") << error;
  std::string bomb = binary;
  bomb.replace(80, 4, "\xFF\xFF\xFF\xFF");
  EXPECT_EQ(errorOf("a.stl", bomb).substr(0, 38), "a.stl: byte 80: found 4294967295 facet");
  EXPECT_EQ(errorOf("a.stl", "abc").substr(0, 38), "a.stl: byte 80: found the end of the f");
  EXPECT_EQ(errorOf("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nendloop\n")
                .substr(0, 28),
            "a.stl:5:1: found 'endloop', ");
  EXPECT_EQ(errorOf("a.stl", "solid x\nendsolid x\n"),
            "a.stl: found no facet, expected at least one");
}

TEST(Off, KindsOfVertices) {
  const Scene s =
      loadText("a.off",
               "STCNOFF\n# comment\n3 1 0\n0 0 0  0 0 1  1 0 0 1  0 0\n"
               "1 0 0  0 0 1  1 0 0 1  1 0\n0 1 0  0 0 1  1 0 0 1  0 1\n3 0 1 2 0.5 1 0\n");
  ASSERT_EQ(s.triangles.size(), 1U);
  EXPECT_TRUE(s.triangles[0].smooth);
  EXPECT_EQ(s.triangles[0].st[2], (TexturePoint{0, 1}));
  EXPECT_EQ(s.warnings.size(), 1U);
}

TEST(OffErrors, AreLocated) {
  EXPECT_EQ(errorOf("a.off", "4OFF\n").substr(0, 25), "a.off:1:1: found '4OFF', ");
  EXPECT_EQ(errorOf("a.off", "OFF BINARY\n").substr(0, 26), "a.off:1:5: found 'BINARY',");
  EXPECT_EQ(errorOf("a.off", "OFF\n1000000000 1 0\n0 0 0\n").substr(0, 36),
            "a.off:2:1: found 1000000000 vertices");
  EXPECT_EQ(errorOf("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n").substr(0, 22),
            "a.off:6:7: found '3', ");
  EXPECT_EQ(errorOf("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1     \n"),
            "a.off: found no face of three corners, expected at least one");
}

TEST(MeshFiles, CutAnywhereAreRefusedOrSound) {
  for (const auto& [name, text] : meshFiles()) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      const std::string error = errorOf(name, text.substr(0, size));
      EXPECT_TRUE(error.empty() || error.starts_with(name + ":")) << error;
    }
  }
}

}  // namespace
}  // namespace rtvp::scene::test
