// STL files.
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/scene_fuzz.hpp"
#include "tests/platform/scene/gltf_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rtvp::fuzz::loadScene(".stl", data, size);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {scene::test::stlText(false), scene::test::stlText(true)};
}

}  // namespace rtvp::fuzz
