// OFF files.
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/scene_fuzz.hpp"
#include "tests/platform/scene/gltf_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rtvp::fuzz::loadScene(".off", data, size);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {scene::test::offText(),
          "STCNOFF\n3 1 0\n0 0 0  0 0 1  1 0 0 1  0 0\n1 0 0  0 0 1  1 0 0 1  1 0\n"
          "0 1 0  0 0 1  1 0 0 1  0 1\n3 0 1 2 0.5 1 0\n"};
}

}  // namespace rtvp::fuzz
