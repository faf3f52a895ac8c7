// Scene files from any bytes, see scene_fuzz.hpp.
#include "tests/fuzz/scene_fuzz.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "platform/report/image.hpp"
#include "platform/scene/load.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/platform/scene/gltf_text.hpp"

namespace rtvp::fuzz {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

// A folder of this process, with the files that seeds name.
class Folder {
 public:
  Folder() {
    const fs::path memory = "/dev/shm";
    const fs::path base = fs::is_directory(memory) ? memory : fs::temp_directory_path();
    std::string name = (base / "rtvp-fuzz-XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr, "a temporary folder");
    path_ = name;
    report::Image image(2, 2);
    const std::vector<std::uint8_t> png = report::encodePng(image);
    write(path_ / "b.png", {reinterpret_cast<const char*>(png.data()), png.size()});
    write(path_ / "b.jpg", jpegBytes());
    write(path_ / "b.mtl", "newmtl a\nKd 1 .5 0\nmap_Kd b.png\n");
    write(path_ / "b.bin", scene::test::gltfBuffer());
    write(path_ / "b.ply", scene::test::plyText("binary_big_endian"));
    write(path_ / "b.pbrt", "Shape \"disk\"\n");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool finite(const scene::Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

void checkSound(const scene::Scene& s) {
  require(!s.elements.empty(), "a scene has an element");
  std::uint32_t last = 0;
  for (const scene::Element& e : s.elements) {
    require(e.primitive >= last && e.primitive < s.primitiveCount, "primitives are in order");
    last = e.primitive;
    require(e.material < s.materials.size(), "materials are there");
    const scene::Bounds box = s.bounds(e);
    require(finite(box.lo) && finite(box.hi), "places are finite");
    const std::uint32_t texture = s.materials[e.material].texture;
    require(texture == scene::kNoIndex || texture < s.textures.size(), "textures are there");
  }
  for (const scene::Light& light : s.lights) {
    require(finite(light.position) && finite(light.color), "lights are finite");
  }
  require(s.width >= 1 && s.height >= 1, "a picture has pixels");
  require(finite(s.camera.direction(0.5, 0.5, s.width, s.height)), "the camera looks somewhere");
}

}  // namespace

void loadScene(const std::string& extension, const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  if (size > 65536) return;
  const fs::path file = folder.path() / ("a" + extension);
  write(file, {reinterpret_cast<const char*>(data), size});
  scene::LoadOptions options;
  options.maxElements = 20000;
  options.segments = 8;
  try {
    checkSound(scene::load(file, options));
  } catch (const scene::SceneError& e) {
    require(std::string_view(e.what()).starts_with(folder.path().string()),
            "a refusal names the file");
    require(std::string_view(e.what()).find("found ") != std::string_view::npos,
            "a refusal says what was found");
  }
}

}  // namespace rtvp::fuzz
