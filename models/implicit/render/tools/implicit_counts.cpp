// implicit-counts: the tables of models/implicit/render/README.md, as Markdown: the counts of
// sdf.md 13.1 beside ours, and the modes at the report's four angles.
#include <cmath>
#include <cstdio>
#include <string>

#include "models/common/tool/program.hpp"
#include "models/implicit/render/tools/reference_views.hpp"

namespace {

using namespace rtvp::implicit::render;

struct Run {
  Counters counters;
  Frame frame;
  std::uint64_t touched = 0;  ///< pixels with a fragment that was traced
};

Run render(const Object& object, const Camera& camera, const Settings& settings) {
  Run out{{}, Frame({0, 0, reference::kSize, reference::kSize}), 0};
  Counters hull_counters;
  const Hull hull = settings.mode == Mode::Brute ? wholeBox(object, settings)
                                                 : buildHull(object, settings, hull_counters);
  const Placed placed{&object, &hull};
  renderFrame({&placed, 1}, camera, settings, out.frame, out.counters);
  for (const HitRecord& hit : out.frame.hits) out.touched += hit.evaluations > 0 ? 1U : 0U;
  return out;
}

double thousands(std::uint64_t count) {
  return static_cast<double>(count) / 1000;
}

void printCount(double ours, double reference) {
  std::printf(" %.0f (%.0f, %+.1f %%) |", ours, reference, 100 * (ours / reference - 1));
}

void printReference(const Object& object) {
  std::printf(
      "| 13.1, default object | evaluations, thousands | instructions, thousands | capped |\n"
      "|---|---|---|---|\n");
  Run shown = render(object, reference::camera(), reference::columns()[2].settings);
  for (const reference::Column& column : reference::columns()) {
    const Run run = render(object, reference::camera(), column.settings);
    std::printf("| %s |", std::string(column.name).c_str());
    printCount(thousands(run.counters.trace_evaluations), column.evaluations);
    printCount(thousands(run.counters.trace_executed), column.instructions);
    if (column.capped > 0) {
      std::printf(" %llu (%llu) |\n", static_cast<unsigned long long>(run.counters.capped),
                  static_cast<unsigned long long>(column.capped));
    } else {
      std::printf(" %llu |\n", static_cast<unsigned long long>(run.counters.capped));
    }
  }
  Settings ours = Settings::improved();
  ours.compact = ours.materials = false;
  const Counters best = render(object, reference::camera(), ours).counters;
  std::printf("| improved, masks | %.0f | %.0f | %llu |\n", thousands(best.trace_evaluations),
              thousands(best.trace_executed), static_cast<unsigned long long>(best.capped));
  std::printf("\nCovered pixels:");
  printCount(static_cast<double>(shown.touched), reference::kCoveredPixels);
  std::printf(" fragments, thousands:");
  printCount(thousands(shown.counters.fragments), reference::kFragments);
  std::printf(" fragments a covered pixel: %.2f\n\n",
              static_cast<double>(shown.counters.fragments) / static_cast<double>(shown.touched));
}

void printHull(const Object& object) {
  for (const bool compact : {false, true}) {
    Settings settings = Settings::improved();
    settings.compact = compact;
    Counters c;
    const Hull hull = buildHull(object, settings, c);
    std::printf(
        "Hull, %s: %zu task cells, %zu leaves, %llu different codes; interval instructions, "
        "thousands: task %.1f, mesh %.1f, trim %.1f; code of the leaves: %llu bytes\n",
        compact ? "programs" : "masks", hull.tasks.size(), hull.leaves.size(),
        static_cast<unsigned long long>(c.programs), thousands(c.task.executed),
        thousands(c.mesh.executed), thousands(c.trim.executed),
        static_cast<unsigned long long>(c.mask_bytes) + c.program_bytes);
  }
  std::printf("\n");
}

struct Named {
  const char* name;
  Settings settings;
};

std::vector<Named> modes() {
  std::vector<Named> out{
      {"seed (source)", Settings::seedSource()}, {"seed (report)", Settings::seedReport()},
      {"improved, masks", Settings::improved()}, {"improved, programs", Settings::improved()},
      {"brute, tape", Settings::brute()},        {"brute, program", Settings::brute()}};
  out[2].settings.compact = out[4].settings.compact = false;
  for (Named& mode : out) mode.settings.materials = false;
  return out;
}

/// Pixels that show something else than the exact picture: a hit for a miss, or another surface.
std::uint64_t wrongPixels(const Frame& frame, const Frame& exact) {
  std::uint64_t wrong = 0;
  for (std::size_t n = 0; n < frame.hits.size(); ++n) {
    const bool hit = frame.hits[n].hit(), expected = exact.hits[n].hit();
    wrong +=
        hit != expected || (hit && std::abs(frame.depth[n] - exact.depth[n]) > 0.05F) ? 1U : 0U;
  }
  return wrong;
}

/// Mean error of the distance where both pictures show the same surface.
double meanError(const Frame& frame, const Frame& exact) {
  double sum = 0;
  std::uint64_t count = 0;
  for (std::size_t n = 0; n < frame.hits.size(); ++n) {
    const double error = std::abs(double{frame.depth[n]} - exact.depth[n]);
    if (!(error <= 0.05)) continue;
    sum += error;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

void printAngles(const Object& object) {
  std::printf(
      "| angle | mode | hit pixels | fragments a pixel | traced a pixel | evaluations, thousands "
      "| trace instructions, thousands | with normals | capped | wrong pixels | mean error of t |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  Settings converged = Settings::brute();
  converged.eps = 1e-5F;
  converged.step_limit = 5000;
  for (const reference::Angle& angle : reference::kAngles) {
    const Camera camera =
        Camera::lookAt(angle.eye, angle.target, {0, 1, 0}, reference::kAngleFieldOfView,
                       reference::kSize, reference::kSize);
    const Run exact = render(object, camera, converged);
    for (const Named& mode : modes()) {
      const Run run = render(object, camera, mode.settings);
      const Counters& c = run.counters;
      const auto pixels = static_cast<double>(c.covered);
      std::printf("| %s | %s | %llu | %.2f | %.2f | %.0f | %.0f | %.0f | %llu | %llu | %.1e |\n",
                  std::string(angle.name).c_str(), mode.name,
                  static_cast<unsigned long long>(c.covered),
                  static_cast<double>(c.fragments) / pixels, static_cast<double>(c.traces) / pixels,
                  thousands(c.trace_evaluations), thousands(c.trace_executed),
                  thousands(c.executed), static_cast<unsigned long long>(c.capped),
                  static_cast<unsigned long long>(wrongPixels(run.frame, exact.frame)),
                  meanError(run.frame, exact.frame));
    }
  }
}

int run(const rtvp::tool::po::variables_map& /*given*/) {
  const Object object = reference::defaultObject();
  printReference(object);
  printHull(object);
  printAngles(object);
  return rtvp::tool::status::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  return rtvp::tool::run(
      {.name = "implicit-counts",
       .summary = "counts the work of the implicit-surface pipeline on its reference views",
       .usage = "implicit-counts\nPrints the counts of the modes as Markdown.\n",
       .declare = [](rtvp::tool::po::options_description&) {},
       .run = run},
      argc, argv);
}
