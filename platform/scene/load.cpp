// Chooses the parser by the file's extension, see load.hpp.
#include "platform/scene/load.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "models/common/core/shared_files.hpp"
#include "platform/scene/builder.hpp"
#include "platform/scene/camera.hpp"
#include "platform/scene/gltf.hpp"
#include "platform/scene/implicit_file.hpp"
#include "platform/scene/nff.hpp"
#include "platform/scene/obj.hpp"
#include "platform/scene/off.hpp"
#include "platform/scene/pbrt.hpp"
#include "platform/scene/ply.hpp"
#include "platform/scene/shk.hpp"
#include "platform/scene/stl.hpp"

namespace rtvp::scene {

namespace {

void warnAboutCamera(Scene& scene, const std::string& file) {
  const Vec3 view = unit(scene.camera.lookAt - scene.camera.eye);
  if (view == Vec3{}) {
    scene.warnings.push_back(file + ": eye and look-at point coincide, looking along -z");
  } else if (length(cross(view, unit(scene.camera.up))) < 1e-9) {
    scene.warnings.push_back(file + ": the up vector lies along the view, another one is used");
  }
}

struct Format {
  std::string_view extension;
  void (*read)(Builder& builder, const std::filesystem::path& file);
};

// Beside .shk, which has a strict mode, and implicit surfaces.
constexpr std::array kFormats{
    Format{".glb", readGltf},
    Format{".gltf", readGltf},
    Format{".nff", readNff},
    Format{".obj",
           [](Builder& builder, const std::filesystem::path& file) { readObj(builder, file); }},
    Format{".off", readOff},
    Format{".pbrt", readPbrt},
    Format{".ply", readPly},
    Format{".stl", readStl},
};

std::string knownExtensions() {
  std::string list = ".shk";
  for (const Format& format : kFormats) list += ", " + std::string(format.extension);
  return list + ", .sdf, .sdft or .vm";
}

void readImplicitScene(Builder& builder, const std::filesystem::path& file) {
  const TextFile self(file.string(), {});
  Implicit object;
  ImplicitReading reading;
  std::array<Vec3, 2> box;
  if (isExpressionFile(file)) box = closeBy(reading, expressionBox());
  object.model = readImplicit(file, reading, builder.reader("scene"));
  object.where = file.string() + ": ";
  object.lipschitz = declaredSlope(*object.model);
  if (isExpressionFile(file)) {
    object.lo = box[0];
    object.hi = box[1];
  } else {
    boundImplicit(object);
  }
  builder.addImplicit(std::move(object), Where{&self, {}});
}

}  // namespace

Scene load(const std::filesystem::path& given, const LoadOptions& options) {
  const std::filesystem::path file = common::inputFile(given, "scenes");
  const std::string name = file.string();
  if (options.segments < 3 || options.segments > 1024) {
    throw SceneError(name + ": found " + std::to_string(options.segments) +
                     " segments, expected 3 to 1024");
  }
  Scene scene;
  scene.name = file.stem().string();
  Builder builder(scene, options);
  const std::string extension = lowered(file.extension().string());
  const auto format = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& candidate) {
    return candidate.extension == extension;
  });
  if (extension == ".shk") {
    readShk(builder, file, options.strict);
  } else if (format != kFormats.end()) {
    format->read(builder, file);
  } else if (isImplicitFile(file)) {
    readImplicitScene(builder, file);
  } else {
    throw SceneError(name + ": found the extension " + inQuotes(extension) + ", expected " +
                     knownExtensions());
  }
  // `.shk` and NFF say what they lack otherwise.
  if (extension != ".shk" && extension != ".nff" && !scene.elements.empty()) {
    if (!builder.hasCamera()) fitCamera(scene);
    if (scene.lights.empty()) fitLights(scene);
  }
  if (scene.primitiveCount == 0) {
    throw SceneError(name + ": found no primitive, expected at least one");
  }
  if (scene.elements.empty()) {
    throw SceneError(name + ": found only primitives without area, expected one that can be seen");
  }
  warnAboutCamera(scene, name);
  return scene;
}

}  // namespace rtvp::scene
