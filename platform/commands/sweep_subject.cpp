// See sweep_subject.hpp.
#include "platform/commands/sweep_subject.hpp"

#include <boost/json/serialize.hpp>
#include <memory>
#include <optional>

#include "models/common/core/version.hpp"
#include "platform/commands/load_scene.hpp"
#include "platform/inputs/revision.hpp"
#include "platform/machines/crew.hpp"

namespace rtvp::platform {
namespace {

/// Reads what a run would read, by the run's own code. The latest scene is kept: points that differ
/// in their machines only share it.
class RunInputs {
 public:
  explicit RunInputs(const Registry& registry) : registry_(registry) {}

  std::vector<InputFile> operator()(const Settings& settings, const std::string& file) {
    InputFiles files;
    LineUp lineUp(settings, registry_, files);
    const Read& read = sceneOf(lineUp.settings(), file, lineUp.trianglesOnly());
    for (const InputFile& f : read.files) files.add(f);
    lineUp.complete(read.scene);
    readMachineFiles(lineUp, files);
    return files.all();
  }

 private:
  struct Read {
    std::string key;
    scene::Scene scene;
    std::vector<InputFile> files;
  };

  /// Everything that can change which files a scene consists of.
  static std::string keyOf(const Settings& settings, const std::string& file, bool triangles) {
    boost::json::object all = settings.effective(false);
    for (const auto& [key, value] : settings.effective(true)) all[key] = value;
    boost::json::object own{{"file", file}, {"triangles", triangles}};
    for (const auto& [key, value] : all) {
      const std::string_view name(key);
      if (name.starts_with("scene.") || name.starts_with("sl.")) own[key] = value;
    }
    return boost::json::serialize(own);
  }

  const Read& sceneOf(const Settings& settings, const std::string& file, bool triangles) {
    std::string key = keyOf(settings, file, triangles);
    if (latest_ && latest_->key == key) return *latest_;
    latest_.reset();
    Settings quiet = settings;
    quiet.set("host.output", "quiet", "sweep");
    InputFiles files;
    scene::Scene scene = loadScene(quiet, file, triangles, files);
    latest_ = Read{std::move(key), std::move(scene), files.all()};
    return *latest_;
  }

  const Registry& registry_;
  std::optional<Read> latest_;
};

std::vector<sweep::Figure> figuresOf(const Settings& settings, const Registry& registry) {
  InputFiles files;
  const LineUp lineUp(settings, registry, files);
  std::vector<sweep::Figure> figures;
  for (const LineUp::Member& member : lineUp.members()) {
    for (const FigureInfo& f : member.kind->info().figures) {
      figures.push_back({std::string(f.name), std::string(f.unit), std::string(f.formula)});
    }
  }
  return figures;
}

}  // namespace

sweep::Subject sweepSubject(const OptionTable& table, const Registry& registry) {
  const auto inputs = std::make_shared<RunInputs>(registry);
  return {table,
          [inputs](const Settings& settings, const std::string& scene) {
            return (*inputs)(settings, scene);
          },
          [&registry](const Settings& settings) { return figuresOf(settings, registry); },
          std::string(common::version()) + " " + sourceRevision()};
}

}  // namespace rtvp::platform
