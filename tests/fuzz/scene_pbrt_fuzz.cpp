// PBRT files, with others beside them.
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/scene_fuzz.hpp"
#include "tests/platform/scene/gltf_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rtvp::fuzz::loadScene(".pbrt", data, size);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {scene::test::pbrtText(),
          "Scale -1 1 1 LookAt 0 0 -5 0 0 0 0 1 0\nCamera \"perspective\" \"float fov\" 60\n"
          "Film \"image\" \"integer xresolution\" [20] \"integer yresolution\" 10\nWorldBegin\n"
          "Include \"b.pbrt\"\nTexture \"w\" \"spectrum\" \"imagemap\" \"string filename\" "
          "\"b.png\"\nMaterial \"diffuse\" \"texture reflectance\" \"w\"\nShape \"plymesh\" "
          "\"string filename\" [\"b.ply\"]\nMaterial \"glass\" Shape \"sphere\" \"float zmin\" 0\n"
          "LightSource \"point\" \"point3 from\" [0 5 0] \"rgb I\" [10 10 10]\nAttributeBegin\n"
          "AreaLightSource \"diffuse\" \"rgb L\" [1 1 1] Shape \"disk\" AttributeEnd\n",
          "WorldBegin ObjectBegin \"o\" Translate 0 0 1 Shape \"cone\" ObjectEnd\nTransformBegin "
          "Rotate 9 0 0 1 Transform [2 0 0 0 0 2 0 0 0 0 2 0 5 0 0 1]\nObjectInstance \"o\" "
          "ConcatTransform [1 0 0 0 0 1 0 0 0 0 1 0 5 0 0 1] CoordinateSystem \"c\" TransformEnd\n"
          "CoordSysTransform \"c\" Shape \"paraboloid\" MakeNamedMaterial \"g\" \"string type\" "
          "\"conductor\" NamedMaterial \"g\" Shape \"bilinearmesh\" \"point P\" "
          "[0 0 0 1 0 0 0 1 0 1 1 0] Sampler \"x\" \"float a\" 1 WorldEnd\n"};
}

}  // namespace rtvp::fuzz
