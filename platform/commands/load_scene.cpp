// See load_scene.hpp.
#include "platform/commands/load_scene.hpp"

#include <cstdio>
#include <cstdlib>
#include <systemc>

#include "platform/exit_status.hpp"
#include "platform/options/run_params.hpp"
#include "platform/scene/camera.hpp"
#include "platform/scene/load.hpp"

namespace rtvp::platform {

void warn(const std::string& text) {
  std::fprintf(stderr, "platform: warning: %s\n", text.c_str());
}

bool quiet(const Settings& s) {
  return outputOptions(s).verbosity == Verbosity::Quiet;
}

scene::Scene loadScene(const Settings& s, const std::string& file, bool tessellateAll,
                       InputFiles& inputs) {
  auto options = s.read<scene::LoadOptions>(kRunParams);
  options.inputs = &inputs;
  options.tessellateAll = options.tessellateAll || tessellateAll;
  // The 2001 renderer's habit (sl.md section 5); the option comes first.
  if (const std::string folder = runOptions(s).shaderPath; !folder.empty()) {
    options.shaderFolders.emplace_back(folder);
  }
  if (const char* const folder = std::getenv("LRT_SHADER"); folder != nullptr && *folder != '\0') {
    options.shaderFolders.emplace_back(folder);
  }
  scene::Scene scene = scene::load(file, options);
  if (!quiet(s)) {
    for (const std::string& w : scene.warnings) warn(w);
  }
  const PictureSize size = runOptions(s).size;
  if (size.width != 0) {
    if (std::int64_t{size.width} * size.height > scene::kMaxPicturePixels) {
      throw InputError("render.size: found " + std::to_string(size.width) + "x" +
                       std::to_string(size.height) + ", expected at most " +
                       std::to_string(scene::kMaxPicturePixels) + " pixels");
    }
    scene.width = size.width;
    scene.height = size.height;
  }
  const RunOptions run = runOptions(s);
  scene::placeCamera(scene, {run.camera, run.lookFrom});
  return scene;
}

void installReportHandler(bool verbose) {
  sc_core::sc_report_handler::set_verbosity_level(verbose ? sc_core::SC_HIGH : sc_core::SC_MEDIUM);
  sc_core::sc_report_handler::set_handler(
      [](const sc_core::sc_report& report, const sc_core::sc_actions&) {
        constexpr int kMost = 20;  // of one id; the statistics have the full count
        switch (report.get_severity()) {
          case sc_core::SC_INFO:
            break;
          case sc_core::SC_WARNING: {
            const int number = sc_core::sc_report_handler::get_count(report.get_msg_type());
            if (number <= kMost) warn(std::string(report.get_msg_type()) + ": " + report.get_msg());
            break;
          }
          default:
            throw report;
        }
      });
}

}  // namespace rtvp::platform
