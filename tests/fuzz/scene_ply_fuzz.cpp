// PLY files.
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/scene_fuzz.hpp"
#include "tests/platform/scene/gltf_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rtvp::fuzz::loadScene(".ply", data, size);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {scene::test::plyText("ascii"), scene::test::plyText("binary_little_endian"),
          scene::test::plyText("binary_big_endian"),
          "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty double y\n"
          "property int z\nproperty float nx\nproperty float ny\nproperty float nz\n"
          "property float u\nproperty float v\nelement tristrips 1\n"
          "property list int int vertex_indices\nend_header\n0 0 0 0 0 1 0 0\n"
          "1 0 0 0 0 1 0 0\n0 1 0 0 0 1 0 0\n4 0 1 2 -1\n"};
}

}  // namespace rtvp::fuzz
