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

std::shared_ptr<const sl::Program> loadProgram(const scene::SurfaceShader& surface) {
  const std::string file = surface.file.string();
  const auto fail = [&](const std::string& why) {
    throw scene::SceneError(surface.where + "found the shader '" + surface.name +
                            "', expected one that can run\n" + why);
  };
  try {
    const std::vector<std::uint8_t>& bytes = *surface.program;
    if (surface.file.extension() == ".slc") {
      return std::make_shared<const sl::Program>(sl::readSlc(bytes));
    }
    sl::AssemblyResult result = sl::assemble(file, std::string(bytes.begin(), bytes.end()));
    if (!result.program) fail(result.report());
    return std::make_shared<const sl::Program>(std::move(*result.program));
  } catch (const sl::LoadError& e) {
    fail(file + ": " + e.what());
  }
  return nullptr;
}

}  // namespace

std::vector<std::shared_ptr<const sl::Program>> loadPrograms(const scene::Scene& scene) {
  std::map<std::filesystem::path, std::shared_ptr<const sl::Program>> known;
  std::vector<std::shared_ptr<const sl::Program>> programs;
  for (const scene::SurfaceShader& surface : scene.surfaces) {
    std::shared_ptr<const sl::Program>& program = known[surface.file];
    if (!program) program = loadProgram(surface);
    programs.push_back(program);
  }
  return programs;
}

std::vector<std::uint32_t> shaderLines(const scene::SurfaceShader& surface) {
  if (surface.file.extension() == ".slc") return {};
  const std::vector<std::uint8_t>& bytes = *surface.program;
  return sl::assemble(surface.file.string(), std::string(bytes.begin(), bytes.end())).lines;
}

bool hasShaders(const scene::Scene& scene) {
  return std::any_of(scene.elements.begin(), scene.elements.end(), [&](const scene::Element& e) {
    return scene.materials[e.material].surface != scene::kNoIndex;
  });
}

}  // namespace rtvp::host
