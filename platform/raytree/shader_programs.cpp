// See shader_programs.hpp.
#include "platform/raytree/shader_programs.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "models/sl/assembler.hpp"
#include "platform/scene/load.hpp"

namespace rtvp::host {
namespace {

struct Loaded {
  std::shared_ptr<const sl::Program> program;
  std::vector<std::uint32_t> lines;
};

Loaded load(const scene::SurfaceShader& surface) {
  const std::string file = surface.file.string();
  const auto fail = [&](const std::string& why) {
    throw scene::SceneError(surface.where + "found the shader '" + surface.name +
                            "', expected one that can run\n" + why);
  };
  try {
    const std::vector<std::uint8_t>& bytes = *surface.program;
    if (surface.file.extension() == ".slc") {
      return {std::make_shared<const sl::Program>(sl::readSlc(bytes)), {}};
    }
    sl::AssemblyResult result = sl::assemble(file, std::string(bytes.begin(), bytes.end()));
    if (!result.program) fail(result.report());
    return {std::make_shared<const sl::Program>(std::move(*result.program)),
            std::move(result.lines)};
  } catch (const sl::LoadError& e) {
    fail(file + ": " + e.what());
  }
  return {};
}

}  // namespace

std::vector<std::shared_ptr<const sl::Program>> loadPrograms(
    const scene::Scene& scene, std::vector<std::vector<std::uint32_t>>* lines) {
  std::map<std::filesystem::path, Loaded> known;
  std::vector<std::shared_ptr<const sl::Program>> programs;
  for (const scene::SurfaceShader& surface : scene.surfaces) {
    Loaded& loaded = known[surface.file];
    if (!loaded.program) loaded = load(surface);
    programs.push_back(loaded.program);
    if (lines != nullptr) lines->push_back(loaded.lines);
  }
  return programs;
}

bool hasShaders(const scene::Scene& scene) {
  return std::any_of(scene.elements.begin(), scene.elements.end(), [&](const scene::Element& e) {
    return scene.materials[e.material].surface != scene::kNoIndex;
  });
}

}  // namespace rtvp::host
