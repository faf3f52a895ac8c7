// The one-screen summary at the end of a run. It reads the statistics that were written, so that it
// cannot say anything they do not; what a machine did is the machine's to say.
#include <iomanip>
#include <ostream>
#include <sstream>

#include "platform/report/figures.hpp"
#include "platform/report/statistics.hpp"

namespace rtvp::report {
namespace {

namespace json = boost::json;

double at(const json::object& object, const char* name) {
  const json::value* const value = object.if_contains(name);
  return value == nullptr ? 0 : numberOf(*value);
}

void line(std::ostream& out, const std::string& label, const std::string& text) {
  out << std::left << std::setw(12) << label << text << "\n";
}

}  // namespace

double sumOf(const json::object& modules, std::string_view group, std::string_view figure) {
  return RunFigures(modules, 0, 0).sum(group, figure);
}

// Surfaces with a shader; nothing where the scene has none.
std::vector<SummaryLine> shaderSummary(const RunFigures& run) {
  const auto shaders = [&](const char* figure) { return run.sum("shaders", figure); };
  const double runs = shaders("runs");
  if (runs <= 0) return {};
  std::string text = scaled(shaders("hits"), "hits, ") + scaled(runs, "runs, ") +
                     scaled(shaders("rays"), "rays asked for");
  if (const double n = shaders("non_finite"); n > 0) text += ", " + scaled(n, "lanes not finite");
  return {{"shaders", text}};
}

void printSummary(std::ostream& out, const json::object& statistics,
                  const std::vector<SummaryLine>& machines) {
  const json::object& picture = statistics.at("picture").as_object();
  const json::object& host = statistics.at("host").as_object();
  const double simulated = at(statistics, "simulated_time_ps") * 1e-12;
  const double wall = at(host, "wall_s");
  const double rays = at(picture, "rays");
  std::ostringstream size;
  size << at(picture, "crop_width") << "x" << at(picture, "crop_height");
  line(out, "image",
       std::string(host.at("image_file").as_string()) + ", " + size.str() + ", " +
           scaled(rays, "rays, ") +
           percent(at(picture, "eye_hits") / std::max(1.0, at(picture, "eye_rays"))) +
           " of the eye rays hit");
  const json::object& scene = statistics.at("scene").as_object();
  if (const double spheres = at(scene, "tessellated_spheres"); spheres > 0) {
    line(out, "spheres",
         scaled(spheres, "drawn as ") + scaled(at(scene, "sphere_triangles"), "triangles: ") +
             "not the picture of machines that have spheres");
  }
  if (simulated <= 0) {
    line(out, "time", duration(wall) + " (no simulated machine)");
  } else {
    line(out, "time", duration(simulated) + " simulated, " + duration(wall) + " on this computer");
    line(out, "rays", scaled(rays / simulated, "rays/s of simulated time"));
  }
  for (const SummaryLine& l : machines) line(out, l.label, l.text);
}

}  // namespace rtvp::report
