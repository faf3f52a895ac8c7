// The `.shk` extension statements for textures, surface shaders and object spaces (design.md
// section 6, sl.md section 5).
//
//   texture NAME FILE            a PNG picture; NAME is how later statements call it
//   bump NAME FILE [HEIGHT]      a PNG height field; HEIGHT of white over black in texels, default
//   8 cubemap NAME PX NX PY NY PZ NZ   six square PNG files: +x, -x, +y, -y, +z, -z surface SHADER
//   [TOKEN VALUE]...  (or surf) shader of later primitives; `surface none` and an
//                                `m` line end it
//   paint NAME                   later primitives take their colour from a texture; `paint none`
//   and
//                                an `m` line end it
//   st u1 v1 u2 v2 u3 v3         texture coordinates of the next triangle
//   object x y z [SCALE [TURN [TILT]]]   later coordinates are in an object space: scaled, tilted
//                                about x, turned about y (degrees), moved to (x, y, z);
//                                `object none` ends it
//
// Tokens: t0..t7 with a texture's name, r0..r3, C0, C1 with [ three numbers ], s0..s3, Kd, Ks,
// roughness, Kr, Kt, Ka, index with a number. Names may stand in double quotes. What a statement
// leaves out the shader's source may set in a line `# defaults: TOKEN VALUE...`; a texture slot
// that is read and not set, and a surface that is black for want of a token, are warnings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "platform/scene/builder.hpp"
#include "platform/scene/text.hpp"

namespace rtvp::scene {

/// Executes the statements on a builder. One object a scene: it knows the textures' names. Each
/// function reads the whole rest of a line; `folder` is that of the file the line stands in. Throws
/// SceneError.
class ShkShading {
 public:
  explicit ShkShading(Builder& builder) : builder_(builder) {}

  void texture(Words& words, const std::filesystem::path& folder);
  void bump(Words& words, const std::filesystem::path& folder);
  void cubeMap(Words& words, const std::filesystem::path& folder);
  void surface(Words& words, const std::filesystem::path& folder);
  void paint(Words& words);
  void textureCorners(Words& words);
  void object(Words& words);

 private:
  class Tokens;

  void define(Tokens& tokens, Texture::Kind kind, const std::filesystem::path& folder);
  std::uint32_t textureNamed(Tokens& tokens, bool needsColours);
  std::set<std::string> defaults(SurfaceShader& shader);
  void token(Tokens& tokens, SurfaceShader& shader, std::map<std::string, int>& seen);
  [[nodiscard]] std::filesystem::path shaderFile(const std::string& name,
                                                 const std::filesystem::path& folder,
                                                 const Where& where) const;
  std::shared_ptr<const std::vector<std::uint8_t>> shaderProgram(const SurfaceShader& shader);

  Builder& builder_;
  std::map<std::filesystem::path, std::shared_ptr<const std::vector<std::uint8_t>>> programs_;
  std::map<std::string, std::uint32_t> names_;
};

}  // namespace rtvp::scene
