// See shading_image.hpp.
#include "firmware/shading_image.hpp"

#include <algorithm>

#include "models/c32/asm/assembler.hpp"

namespace rtvp::firmware {
namespace {

constexpr std::uint32_t kInternalWords = 512;
constexpr const char* kMain = "shade.asm";

std::uint32_t symbol(const c32::Image& image, const char* name) {
  const auto value = image.find(name);
  if (!value) throw ShadingImageError(std::string("the firmware has no symbol ") + name);
  return *value;
}

}  // namespace

ShadingImage buildShadingImage(const sl::Program& program) {
  const sl::c32::Translation translation = sl::c32::translate(program);
  c32::AssemblerOptions options;
  options.listing = true;
  options.readFile = [&](const std::string& path) -> std::optional<std::string> {
    const std::string name = path.substr(path.find_last_of('/') + 1);
    if (const auto made = translation.files.find(name); made != translation.files.end())
      return made->second;
    const auto found = shadingSources().find(name);
    if (found == shadingSources().end()) return std::nullopt;
    return found->second;
  };
  c32::AssemblyResult result = c32::assemble(kMain, shadingSources().at(kMain), options);
  if (!result.image) throw ShadingImageError(result.report());
  ShadingImage out;
  out.image = std::move(*result.image);
  out.listing = std::move(result.listing);
  out.inputs = translation.inputs;
  out.entry = symbol(out.image, "shader");
  const std::uint32_t base = symbol(out.image, "internal");
  const std::uint32_t used = symbol(out.image, "internal_end") - base;
  if (used > kInternalWords)
    throw ShadingImageError("registers, tables and chain service need " + std::to_string(used) +
                            " words, internal RAM has " + std::to_string(kInternalWords));
  for (const c32::Section& s : out.image.sections) {
    if (s.name == "internal" && s.loadAddress + s.size > symbol(out.image, "SHADER_BASE"))
      throw ShadingImageError("the internal image overlaps the program");
  }
  return out;
}

}  // namespace rtvp::firmware
