#include "platform/commands/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "platform/commands/load_scene.hpp"
#include "platform/machines/line_up.hpp"
#include "platform/reference/compare_hits.hpp"
#include "platform/report/compare.hpp"
#include "platform/report/hits.hpp"
#include "platform/report/image.hpp"

namespace rtvp::platform {
namespace {

report::Image readPicture(const std::string& file) {
  try {
    return report::readImage(file);
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
}

report::HitDump readDump(const std::string& file) {
  try {
    return report::readHits(file);
  } catch (const report::HitError& e) {
    throw InputError(e.what());
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
}

// A hit dump says so in its first line.
bool isHitDump(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string start(report::kHitHeader.size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return stream && start == report::kHitHeader;
}

ExitStatus comparePictures(const CommandLine& command) {
  const report::Image a = readPicture(command.files[0]);
  const report::Image b = readPicture(command.files[1]);
  const report::ImageDifference d = report::compareImages(a, b);
  std::printf("pixels %llu, differing %llu, largest difference %d, PSNR ",
              static_cast<unsigned long long>(d.pixels),
              static_cast<unsigned long long>(d.differing), d.maxDifference);
  if (std::isinf(d.psnr)) {
    std::printf("infinite\n");
  } else {
    std::printf("%.2f dB\n", d.psnr);
  }
  // Without any bound the pictures must be equal.
  const bool bounded = command.maxDiff.has_value() || command.minPsnr.has_value();
  const bool tooFar = d.maxDifference > command.maxDiff.value_or(bounded ? 255 : 0);
  const bool tooNoisy = command.minPsnr.has_value() && d.psnr < *command.minPsnr;
  return tooFar || tooNoisy ? ExitStatus::Different : ExitStatus::Done;
}

void print(const char* which, const report::HitRow& row) {
  if (row.prim == report::kMiss) {
    std::fprintf(stderr, "%s: miss", which);
  } else {
    std::fprintf(stderr, "%s: primitive %lld at t = %.9g", which, static_cast<long long>(row.prim),
                 row.t);
  }
}

ExitStatus compareDumps(const CommandLine& command, const Registry& registry) {
  const report::HitDump a = readDump(command.files[0]);
  const report::HitDump b = readDump(command.files[1]);
  InputFiles inputs;
  const scene::Scene scene =
      loadScene(command.settings, command.scene,
                LineUp(command.settings, registry, inputs).trianglesOnly(), inputs);
  reference::HitComparison c;
  reference::HitTolerance tolerance;
  tolerance.distance = command.tTolerance.value_or(tolerance.distance);
  tolerance.functions = 0;
  for (const MachineKind* const kind : registry.kinds()) {
    tolerance.functions = std::max(tolerance.functions, kind->slack(command.settings));
  }
  try {
    c = reference::compareHits(a, b, scene, tolerance);
  } catch (const reference::HitMismatch& e) {
    throw InputError(e.what());
  }
  std::printf(
      "pixels %llu, equal %llu, excused %llu (outline %llu, tie %llu), wrong primitive %llu, "
      "wrong distance %llu, largest relative difference of t %.3g\n",
      static_cast<unsigned long long>(c.compared), static_cast<unsigned long long>(c.equal),
      static_cast<unsigned long long>(c.excused()),
      static_cast<unsigned long long>(c.excusedOutline),
      static_cast<unsigned long long>(c.excusedTie), static_cast<unsigned long long>(c.wrong),
      static_cast<unsigned long long>(c.wrongDistance), c.maxRelativeT);
  for (const reference::HitComparison::Example& e : c.examples) {
    std::fprintf(stderr, "platform: pixel %d,%d: ", e.a.x, e.a.y);
    print("A", e.a);
    print(", B", e.b);
    std::fputs("\n", stderr);
  }
  if (c.tooManyExcused()) {
    std::fprintf(stderr, "platform: more than %.3g of the pixels need an excuse\n",
                 c.tolerance.maxExcused);
  }
  return c.passed() ? ExitStatus::Done : ExitStatus::Different;
}

}  // namespace

ExitStatus compareCommand(const CommandLine& command, const Registry& registry) {
  const auto dumps = std::count_if(command.files.begin(), command.files.end(), isHitDump);
  if (dumps == 0 && command.scene.empty()) {
    if (command.tTolerance) throw InputError("--t-tolerance is for hit dumps, found two pictures");
    return comparePictures(command);
  }
  if (dumps == 0 || command.scene.empty()) {
    throw InputError(dumps == 0 ? "--scene: found two files that are no hit dumps, expected the "
                                  "first line to be " +
                                      std::string(report::kHitHeader)
                                : "hit dumps: expected --scene SCENE, and the --size they were "
                                  "made with");
  }
  if (command.maxDiff || command.minPsnr) {
    throw InputError(
        "--max-diff and --min-psnr are for pictures; hit dumps have a rule of their "
        "own");
  }
  return compareDumps(command, registry);
}

}  // namespace rtvp::platform
