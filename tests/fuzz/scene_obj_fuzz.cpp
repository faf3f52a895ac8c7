// OBJ files, with a library beside them.
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/scene_fuzz.hpp"
#include "tests/platform/scene/gltf_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rtvp::fuzz::loadScene(".obj", data, size);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {scene::test::objText(),
          "mtllib b.mtl\nv 0 0 0\nv 1 0 0 1\nv 1 1 0 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl a\n"
          "f 1 2 3 4\nf 1/1/1 2/1/1 \\\n3/1/1\nf -1//-1 -2//-1 -3//-1\ns 1\nf 1 2 4\ng y\nl 1 2\n"
          "p 1\ncurv 0 1 1 2\nf 1 2\n"};
}

}  // namespace rtvp::fuzz
