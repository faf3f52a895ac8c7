// glTF files: bytes that begin with glTF are a .glb.
#include <cstring>

#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/scene_fuzz.hpp"
#include "tests/platform/scene/gltf_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool binary = size >= 4 && std::memcmp(data, "glTF", 4) == 0;
  rtvp::fuzz::loadScene(binary ? ".glb" : ".gltf", data, size);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  const std::string more =
      R"(,"cameras":[{"type":"perspective","perspective":{"yfov":1,"aspectRatio":2,"znear":1}}],
"materials":[{"pbrMetallicRoughness":{"baseColorFactor":[1,0,0.5,1],"baseColorTexture":{"index":0},
"metallicFactor":0},"alphaMode":"MASK","extensions":{"KHR_materials_ior":{"ior":1.5}}}],
"textures":[{"source":0}],"images":[{"uri":"b.jpg"}],"animations":[{}],
"extensions":{"KHR_lights_punctual":{"lights":[{"type":"point","intensity":4}]}})";
  std::string full = scene::test::gltfJson("b.bin", more);
  const auto put = [&](const std::string& what, const std::string& by) {
    full.replace(full.find(what), what.size(), by);
  };
  put(R"("indices":1)", R"("indices":1,"material":0,"mode":5)");
  put(R"("nodes":[{"mesh":0}])", R"("nodes":[{"mesh":0,"camera":0,"rotation":[0,0,1,0],
"scale":[1,-1,2],"children":[1]},{"mesh":0,"translation":[1,2,3],
"extensions":{"KHR_lights_punctual":{"light":0}}}])");
  put(R"("count":5)", R"("count":5,"sparse":{"count":1,"indices":{"bufferView":1,
"componentType":5123},"values":{"bufferView":0}})");
  return {scene::test::embeddedGltf(), full,
          scene::test::glbText(scene::test::gltfJson(""), scene::test::gltfBuffer())};
}

}  // namespace rtvp::fuzz
