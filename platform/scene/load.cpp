// Chooses the parser by the file's extension, see load.hpp.
#include "platform/scene/load.hpp"

#include <array>
#include <utility>

#include "models/common/core/shared_files.hpp"
#include "platform/scene/builder.hpp"
#include "platform/scene/implicit_file.hpp"
#include "platform/scene/nff.hpp"
#include "platform/scene/obj.hpp"
#include "platform/scene/shk.hpp"

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
  if (extension == ".shk") {
    readShk(builder, file, options.strict);
  } else if (extension == ".nff") {
    readNff(builder, file);
  } else if (extension == ".obj") {
    readObj(builder, file);
    if (!scene.elements.empty()) {
      fitCamera(scene);
      fitLights(scene);
    }
  } else if (isImplicitFile(file)) {
    const TextFile self(name, {});
    Implicit object;
    ImplicitReading reading;
    std::array<Vec3, 2> box;
    if (isExpressionFile(file)) box = closeBy(reading, expressionBox());
    object.model = readImplicit(file, reading, builder.reader("scene"));
    object.where = name + ": ";
    object.lipschitz = declaredSlope(*object.model);
    if (isExpressionFile(file)) {
      object.lo = box[0];
      object.hi = box[1];
    } else {
      boundImplicit(object);
    }
    builder.addImplicit(std::move(object), Where{&self, {}});
    fitCamera(scene);
    fitLights(scene);
  } else {
    throw SceneError(name + ": found the extension " + inQuotes(extension) +
                     ", expected .shk, .nff, .obj, .sdf, .sdft or .vm");
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
