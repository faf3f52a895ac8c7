// The shading statements of `.shk` and the textures of OBJ: what they mean, and located errors for
// whatever is wrong.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/scene/describe.hpp"
#include "tests/platform/scene/picture_files.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::scene::test {
namespace {

const std::string kT(kTriangle);

class Shading : public testing::Test {
 protected:
  Shading() {
    std::filesystem::create_directory(folder_.path() / "shaders");
    folder_.write("shaders/plain.sl", "sl 1.0\nret\n");
    // Top row red, green; bottom row blue, white.
    writePng(folder_, "four.png", 2, 2, {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255});
    writeGrey(folder_, "grey.png", 4, 4, 51);
    writeGrey(folder_, "wide.png", 4, 2, 51);
  }
  Scene scene(const std::string& text, const LoadOptions& options = {}) {
    return load(folder_.write("a.shk", text), options);
  }
  std::string error(const std::string& text) { return errorIn(folder_, text); }

  Folder folder_;
};

TEST_F(Shading, ATexturesFirstRowIsThePicturesLast) {
  const Scene s = scene("texture four four.png\npaint four\n" + kT);
  ASSERT_EQ(s.textures.size(), 1U);
  const Texture& t = s.textures[0];
  EXPECT_EQ(t.kind, Texture::Kind::Color);
  EXPECT_EQ(t.name, "four");
  EXPECT_EQ(t.width, 2);
  EXPECT_EQ(t.height, 2);
  EXPECT_EQ(t.texel(0, 0)[2], 255);
  EXPECT_EQ(t.texel(0, 0)[0], 0);
  EXPECT_EQ(t.texel(1, 1)[1], 255);
  EXPECT_EQ(t.texel(1, 0)[3], 255);
  EXPECT_EQ(s.materials[0].texture, 0U);
}

TEST_F(Shading, PaintEndsWithNoneAndWithAMaterial) {
  const Scene s = scene("texture \"four\" \"four.png\" # a comment\npaint four\n" + kT +
                        "paint none\n" + kT + "paint four\nm 1 1 1 .8 .2 .2 5 0 0 1\n" + kT);
  EXPECT_EQ(s.materials[s.elements[0].material].texture, 0U);
  EXPECT_EQ(s.materials[s.elements[1].material].texture, kNoIndex);
  EXPECT_EQ(s.elements[2].material, s.elements[1].material);
}

TEST_F(Shading, ASurfaceCarriesItsTokens) {
  const Scene s = scene(
      "texture brick four.png\nbump dents grey.png 3.5\nm .1 .2 .3 .8 .2 .2 5 0 0 1\n"
      "surface \"plain\" \"Kd\" 0.6 \"t0\" \"brick\" t7 dents \"r0\" [ 1 0.5 0 ] r3[-1 -2 -3]"
      " \"s2\" 4 s3 [5] roughness .25 Ks .7 Kr .1 Kt .2 Ka .3 index 1.5 C1 [.5 .6 .7] # end\n" +
      kT);
  ASSERT_EQ(s.surfaces.size(), 1U);
  const SurfaceShader& f = s.surfaces[0];
  EXPECT_EQ(f.name, "plain");
  EXPECT_EQ(f.file.filename(), "plain.sl");
  EXPECT_NE(f.where.find("a.shk:4:9: "), std::string::npos) << f.where;
  EXPECT_EQ(f.c0, (Vec3{.1, .2, .3}));
  EXPECT_EQ(f.c1, (Vec3{.5, .6, .7}));
  EXPECT_EQ(f.kd, 0.6);
  EXPECT_EQ(f.ks, 0.7);
  EXPECT_EQ(f.roughness, 0.25);
  EXPECT_EQ(f.kr, 0.1);
  EXPECT_EQ(f.kt, 0.2);
  EXPECT_EQ(f.ka, 0.3);
  EXPECT_EQ(f.index, 1.5);
  EXPECT_EQ(f.r[0], (Vec3{1, 0.5, 0}));
  EXPECT_EQ(f.r[3], (Vec3{-1, -2, -3}));
  EXPECT_EQ(f.s[2], 4);
  EXPECT_EQ(f.s[3], 5);
  EXPECT_EQ(f.textures[0], 0U);
  EXPECT_EQ(f.textures[7], 1U);
  EXPECT_EQ(f.textures[1], kNoIndex);
  EXPECT_EQ(s.textures[1].bumpHeight, 3.5);
  EXPECT_EQ(s.materials[s.elements[0].material].surface, 0U);
}

TEST_F(Shading, DefaultsAreThoseOfTheReference) {
  const SurfaceShader f = scene("surf plain\n" + kT).surfaces.at(0);
  EXPECT_EQ(f.kd, 0.5);
  EXPECT_EQ(f.ks, 0.5);
  EXPECT_EQ(f.roughness, 0.1);
  EXPECT_EQ(f.kr, 0);
  EXPECT_EQ(f.index, 1);
  EXPECT_EQ(f.c0, (Vec3{1, 1, 1}));
}

TEST_F(Shading, ASurfaceEndsWithNoneAndWithAMaterial) {
  const Scene s = scene("surface plain\n" + kT + "surface none\n" + kT + "surface plain Kd 1\n" +
                        kT + "m 1 1 1 .8 .2 .2 5 0 0 1\n" + kT);
  ASSERT_EQ(s.surfaces.size(), 2U);
  const auto surfaceOf = [&](std::size_t e) { return s.materials[s.elements[e].material].surface; };
  EXPECT_EQ(surfaceOf(0), 0U);
  EXPECT_EQ(surfaceOf(1), kNoIndex);
  EXPECT_EQ(surfaceOf(2), 1U);
  EXPECT_EQ(surfaceOf(3), kNoIndex);
}

TEST_F(Shading, ShadersAreFoundInThreePlaces) {
  folder_.write("near.sl", "sl 1.0\nret\n");
  folder_.write("plain.slc", "x");
  std::filesystem::create_directory(folder_.path() / "far");
  folder_.write("far/far.sl", "sl 1.0\nret\n");
  EXPECT_EQ(scene("surface near\n" + kT).surfaces[0].file, folder_.path() / "near.sl");
  EXPECT_EQ(scene("surface plain\n" + kT).surfaces[0].file, folder_.path() / "plain.slc");
  LoadOptions options;
  options.shaderFolders = {folder_.path() / "far"};
  EXPECT_EQ(scene("surface far\n" + kT, options).surfaces[0].file, folder_.path() / "far/far.sl");
}

TEST_F(Shading, CubeMapsHaveSixFaces) {
  const Scene s =
      scene("cubemap sky " + std::string("grey.png ") +
            "grey.png grey.png grey.png grey.png grey.png\nsurface plain t0 sky\n" + kT);
  EXPECT_EQ(s.textures[0].kind, Texture::Kind::Cube);
  EXPECT_EQ(s.textures[0].rgba.size(), 6U * 4 * 16);
}

TEST_F(Shading, TextureCoordinatesBelongToTheNextTriangle) {
  const Scene s = scene("st .25 .5 1 0 0 1\n" + kT + kT);
  EXPECT_TRUE(s.triangles[0].textured);
  EXPECT_EQ(s.triangles[0].st[0], (TexturePoint{.25F, .5F}));
  EXPECT_FALSE(s.triangles[1].textured);
}

TEST_F(Shading, ObjectSpacesMovePrimitives) {
  const Scene s = scene(
      "object 10 20 30 2 90\nt 1 0 0 0 1 0 0 0 1\nsphere 1 2 3 1\n"
      "object none\nsphere 1 2 3 1\n");
  // 90 degrees about y carry x to -z and z to x.
  expectNear(s.triangles[0].v[0], {10, 20, 28}, 1e-12);
  expectNear(s.triangles[0].v[1], {10, 22, 30}, 1e-12);
  expectNear(s.triangles[0].v[2], {12, 20, 30}, 1e-12);
  expectNear(s.spheres[0].center, {16, 24, 28}, 1e-12);
  EXPECT_EQ(s.spheres[0].radius, 2);
  EXPECT_EQ(s.spheres[1].center, (Vec3{1, 2, 3}));
  const Space& space = s.spaces[s.materials[s.elements[0].material].space];
  expectNear(space.toObject(s.triangles[0].v[0]), {1, 0, 0}, 1e-12);
  EXPECT_EQ(s.materials[s.elements[2].material].space, 0U);
  EXPECT_EQ(s.spaces.size(), 2U);
}

TEST_F(Shading, NormalsTurnWithTheirObject) {
  const Scene s = scene("object 0 0 0 3 0 90\nn 0 0 0 1 0 0 0 1 0 0 0 1 0 0 1 0 0 1\n");
  // Tilting by 90 degrees carries y to z and z to -y.
  expectNear(s.triangles[0].v[2], {0, 0, 3}, 1e-12);
  expectNear(s.triangles[0].n[0], {0, -1, 0}, 1e-12);
}

TEST_F(Shading, ErrorsNameTheScenesLineAndColumn) {
  const std::string kDefine = "texture four four.png\nbump dents grey.png\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"texture\n", "a.shk:1:8: found the end of the line, expected a name for the texture"},
      {"texture a\n", "a.shk:1:10: found the end of the line, expected the name of a PNG file"},
      {"texture a no.png\n", "a.shk:1:11: found 'no.png', expected a file that exists"},
      {"texture a a.shk\n", "a.shk:1:11: found a texture that is no good (a.shk: not a PNG)"},
      {"texture a four.png 3\n", "a.shk:1:20: found '3', expected the end of the line"},
      {"texture none four.png\n", "a.shk:1:9: found 'none'"},
      {"texture a/b four.png\n", "a.shk:1:9: found 'a/b', expected a name for the texture of at"},
      {"texture \"a four.png\n", "a.shk:1:9: found '\"a four.png'"},
      {kDefine + "texture four four.png\n", "a.shk:3:9: found 'four', expected a name that no"},
      {"bump a grey.png high\n", "a.shk:1:17: found 'high', expected a height in texels"},
      {"bump a grey.png 1e300\n", "a.shk:1:17: found '1e300', expected a magnitude of at most"},
      {"cubemap a grey.png grey.png\n", "a.shk:1:28: found the end of the line"},
      {"cubemap a grey.png grey.png grey.png grey.png grey.png wide.png\n",
       "a.shk:1:11: found a cube face of 4 x 2 pixels, expected a square"},
      {"cubemap a grey.png four.png grey.png grey.png grey.png grey.png\n",
       "a.shk:1:11: found a cube face of 2 x 2 pixels, expected 4 a side"},
      {"surface\n", "a.shk:1:8: found the end of the line, expected the name of a shader"},
      {"surface fog\n", "a.shk:1:9: found 'fog', expected a shader: fog.slc or fog.sl in "},
      {"surface ../plain\n", "a.shk:1:9: found '../plain'"},
      {"surface plain KD 1\n", "a.shk:1:15: found 'KD', expected a token: t0..t7"},
      {"surface plain t8 four\n", "a.shk:1:15: found 't8', expected a token"},
      {"surface plain Kd\n", "a.shk:1:17: found the end of the line, expected a number"},
      {"surface plain Kd x\n", "a.shk:1:18: found 'x', expected a number"},
      {"surface plain Kd nan\n", "a.shk:1:18: found 'nan'"},
      {"surface plain Kd 1 Kd 2\n", "a.shk:1:20: found 'Kd', expected each token once"},
      {"surface plain roughness 0\n", "a.shk:1:25: found '0', expected a number above zero"},
      {"surface plain index -1\n", "a.shk:1:21: found '-1', expected a number above zero"},
      {"surface plain t0 wood\n", "a.shk:1:18: found 'wood', expected the name of an earlier"},
      {"surface plain r0 1 2 3\n", "a.shk:1:18: found '1', expected three numbers in brackets"},
      {"surface plain r0 [ 1 2 ]\n", "a.shk:1:24: found ']', expected three numbers"},
      {"surface plain r0 [1 2 3 4]\n", "a.shk:1:25: found '4', expected three numbers"},
      {"surface plain s0 [1\n", "a.shk:1:20: found the end of the line, expected ]"},
      {"surface plain ] s0\n", "a.shk:1:15: found ']', expected a token"},
      {"surface none Kd 1\n", "a.shk:1:14: found 'Kd', expected the end of the line"},
      {"paint four\n", "a.shk:1:7: found 'four', expected the name of an earlier"},
      {kDefine + "paint dents\n", "a.shk:3:7: found 'dents', a bump map, expected a texture"},
      {kDefine + "paint four 2\n", "a.shk:3:12: found '2', expected the end of the line"},
      {"st 0 0 1 0 0\n", "a.shk:1:13: found the end of the line, expected six texture"},
      {"object 1 2\n", "a.shk:1:11: found the end of the line, expected the origin of an"},
      {"object 1 2 3 0\n", "a.shk:1:14: found a scale out of range, expected 1e-6 to 1e6"},
      {"object 1 2 3 1 2 3 4\n", "a.shk:1:20: found '4', expected the end of the line"},
      {"object 0 0 0 1e6\nsphere 1e9 0 0 1\n", "a.shk:2:1: found a place outside +-1e12"},
      {"object 0 0 0 1e6\nt 0 0 0 1e9 0 0 0 1 0\n", "a.shk:2:1: found a place outside +-1e12"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(error(text + kT).substr(0, expected.size()), expected) << text;
  }
}

TEST_F(Shading, DamagedPicturesAreErrors) {
  const auto file = writeGrey(folder_, "whole.png", 16, 16, 100);
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t cut = 0; cut < bytes.size(); cut += 5) {
    folder_.write("bad.png", bytes.substr(0, cut));
    EXPECT_EQ(error("texture a bad.png\n" + kT).substr(0, 23), "a.shk:1:11: found a tex") << cut;
  }
  // A header that promises 2^31 pixels a side: refused before anything is allocated.
  std::string huge = bytes;
  huge[16] = '\x7F';
  huge[20] = '\x7F';
  folder_.write("bad.png", huge);
  EXPECT_EQ(error("texture a bad.png\n" + kT).substr(0, 23), "a.shk:1:11: found a tex");
  writeGrey(folder_, "long.png", kMaxTextureSide + 1, 1, 0);
  EXPECT_NE(error("texture a long.png\n" + kT).find("at most 4096 a side"), std::string::npos);
}

TEST_F(Shading, TexturesAreBounded) {
  std::string text;
  for (std::size_t k = 0; k <= kMaxTextures; ++k) {
    text += "texture t" + std::to_string(k) + " four.png\n";
  }
  EXPECT_EQ(error(text + kT).substr(0, 40), "a.shk:257:14: found one texture more, ex");
  writeGrey(folder_, "large.png", kMaxTextureSide, kMaxTextureSide, 0);
  text.clear();
  for (int k = 0; k < 5; ++k) text += "texture t" + std::to_string(k) + " large.png\n";
  EXPECT_EQ(error(text + kT).substr(0, 46), "a.shk:5:12: found a texture of 16777216 texels");
}

TEST_F(Shading, ObjTexturesMultiplyTheColour) {
  folder_.write("m.mtl",
                "newmtl brick\nKd 0.5 0.25 0\nmap_Kd -s 2 2 1 -clamp on four.png\nnewmtl bare\n"
                "map_Kd missing.png\nnewmtl again\nmap_Kd four.png\n");
  folder_.write("a.obj",
                "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0 0\nvt 1 1\nvt 0\n"
                "vn 0 0 1\nusemtl brick\nf 1/1 2/2 3/3 4/4\nf 1/1/1 2/2/1 3/3/1\n"
                "usemtl bare\nf 1 2 3\nusemtl again\nf 1/1 2 3/3\n");
  const Scene s = load(folder_.path() / "a.obj");
  ASSERT_EQ(s.triangles.size(), 5U);
  EXPECT_TRUE(s.triangles[0].textured);
  EXPECT_TRUE(s.triangles[1].textured);
  EXPECT_FALSE(s.triangles[0].smooth);
  EXPECT_TRUE(s.triangles[2].textured);
  EXPECT_TRUE(s.triangles[2].smooth);
  EXPECT_FALSE(s.triangles[3].textured);
  EXPECT_FALSE(s.triangles[4].textured);  // one corner has none
  EXPECT_EQ(s.triangles[2].st[1], (TexturePoint{1, 0}));
  ASSERT_EQ(s.textures.size(), 1U);  // shared by two materials
  EXPECT_EQ(s.textures[0].name, "four.png");
  EXPECT_EQ(s.materials[s.elements[0].material].texture, 0U);
  EXPECT_EQ(s.materials[s.elements[3].material].texture, kNoIndex);
  EXPECT_EQ(s.materials[s.elements[4].material].texture, 0U);
  ASSERT_EQ(s.warnings.size(), 2U);
  EXPECT_NE(s.warnings[0].find("m.mtl:3:1: options of a texture"), std::string::npos);
  EXPECT_NE(s.warnings[1].find("m.mtl:5:8: no such texture: 'missing.png'"), std::string::npos);
}

TEST_F(Shading, ASurfaceCoversTheMaterialsOfAnObj) {
  folder_.write("m.mtl", "newmtl red\nKd 1 0 0\n");
  folder_.write("a.obj", "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nusemtl red\nf 1 2 3\n");
  const Scene s = scene("surface plain\nobj a.obj\nsurface none\nobj a.obj\n");
  EXPECT_EQ(s.materials[s.elements[0].material].surface, 0U);
  EXPECT_EQ(s.materials[s.elements[1].material].surface, kNoIndex);
  EXPECT_EQ(s.materials[s.elements[1].material].color, (Vec3{1, 0, 0}));
}

TEST_F(Shading, ASurfaceThatIsBlackForWantOfATokenIsAWarning) {
  folder_.write("shaders/dark.sl", "sl 1.0\nmul v0, C0, Ka\n");
  const Scene s = scene("surface dark\n" + kT);
  ASSERT_EQ(s.warnings.size(), 1U);
  EXPECT_NE(s.warnings[0].find("a.shk:1:9: the surface is black in any light"), std::string::npos);
  EXPECT_NE(s.warnings[0].find("needs Ka,"), std::string::npos);
  EXPECT_TRUE(scene("surface dark Ka 0.1\n" + kT).warnings.empty());
  EXPECT_TRUE(scene("surface dark Ka 0\n" + kT).warnings.empty());  // that is what it says
  EXPECT_TRUE(scene("surface plain\n" + kT).warnings.empty());      // black, but nothing is missing
}

TEST_F(Shading, ATextureSlotThatIsReadAndNotSetIsAWarning) {
  folder_.write("shaders/bare.sl", "sl 1.0\nmov v0, t2\nadd v0, v0, C0\n");
  const Scene s = scene("texture four four.png\nsurface bare t1 four\n" + kT);
  ASSERT_EQ(s.warnings.size(), 1U);
  EXPECT_NE(s.warnings[0].find("a.shk:2:9: the shader 'bare' reads texture slot t2"),
            std::string::npos);
  EXPECT_TRUE(scene("texture four four.png\nsurface bare t2 four\n" + kT).warnings.empty());
}

TEST_F(Shading, AShadersSourceHasDefaultsThatTheStatementOverrules) {
  folder_.write("shaders/lit.sl",
                "sl 1.0\n# defaults: Ka 0.25 index 1.5 C1 [1 0 0]\nmul v0, C0, Ka\n");
  const Scene s = scene("surface lit\n" + kT);
  EXPECT_TRUE(s.warnings.empty());
  EXPECT_EQ(s.surfaces[0].ka, 0.25);
  EXPECT_EQ(s.surfaces[0].index, 1.5);
  EXPECT_EQ(s.surfaces[0].c1, (Vec3{1, 0, 0}));
  EXPECT_EQ(scene("surface lit Ka 1\n" + kT).surfaces[0].ka, 1);
  folder_.write("shaders/odd.sl", "sl 1.0\n# defaults: Kx 1\nret\n");
  EXPECT_NE(error("surface odd\n" + kT).find("odd.sl:2:13: found 'Kx', expected a token"),
            std::string::npos);
}

/// Of the library: nothing that a scene leaves out makes a surface black.
TEST_F(Shading, ShippedShadersShowSomethingByThemselves) {
  LoadOptions options;
  options.shaderFolders = {std::filesystem::path(RTVP_SOURCE_DIR) / "scenes/shaders"};
  for (const char* const name : {"constant", "cosine", "glass", "phong", "mirror", "marble", "wood",
                                 "brick", "checker", "toon"})
    EXPECT_TRUE(scene("surface " + std::string(name) + "\n" + kT, options).warnings.empty())
        << name;
}

TEST_F(Shading, ObjTextureErrorsAreLocated) {
  folder_.write("bad.png", "no picture");
  const auto obj = folder_.write("a.obj", "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"map_Kd four.png\n", "m.mtl:1:1: found 'map_Kd', expected newmtl before it"},
           {"newmtl a\nmap_Kd\n", "m.mtl:2:7: found the end of the line, expected the name of a"},
           {"newmtl a\nmap_Kd -s 1 1 1\n", "m.mtl:2:16: found the end of the line"},
           {"newmtl a\nmap_Kd bad.png\n", "m.mtl:2:8: found a texture that is no good"}}) {
    folder_.write("m.mtl", text);
    std::string message;
    try {
      static_cast<void>(load(obj));
    } catch (const SceneError& e) {
      message = std::string(e.what()).substr(folder_.path().string().size() + 1);
    }
    EXPECT_EQ(message.substr(0, expected.size()), expected) << text;
  }
  EXPECT_EQ(errorOf("a.obj", "v 0 0 0\nvt\nf 1 1 1\n").substr(0, 10), "a.obj:2:3:");
  EXPECT_EQ(errorOf("a.obj", "v 0 0 0\nvt x\nf 1 1 1\n").substr(0, 10), "a.obj:2:4:");
  EXPECT_EQ(errorOf("a.obj", "v 0 0 0\nvt 0 inf\nf 1 1 1\n").substr(0, 10), "a.obj:2:6:");
}

TEST_F(Shading, TheDescriptionCounts) {
  const Scene s = scene(
      "texture four four.png\nbump dents grey.png\nobject 0 0 5\n"
      "surface plain t0 four t1 dents\nst 0 0 1 0 0 1\n" +
      kT + kT);
  const std::string text = toText(describe(s));
  for (const std::string line :
       {"triangles with texture coordinates: 1\n", "object spaces: 1\n", "textures: 2\n",
        "  four: colour, 2 x 2\n", "  dents: bump, 4 x 4\n", "surface shaders: 1\n",
        "  plain (elements: 2)\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

}  // namespace
}  // namespace rtvp::scene::test
