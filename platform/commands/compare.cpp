#include "platform/commands/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "models/common/core/file_io.hpp"
#include "models/common/core/unreadable.hpp"
#include "platform/commands/load_scene.hpp"
#include "platform/machines/line_up.hpp"
#include "platform/reference/compare_hits.hpp"
#include "platform/report/compare.hpp"
#include "platform/report/hits.hpp"
#include "platform/report/image.hpp"

namespace rtvp::platform {
namespace {

/// What `reading` returns, with the words of all programs for a file that cannot be read.
template <typename Reading>
auto readOf(const std::string& file, Reading&& reading) {
  try {
    return reading();
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::file_too_large) throw InputError(e.what());
    throw InputError(file + ": " + common::unreadable(file, "a picture or a dump of primary hits"));
  }
}

/// One of the two: a file, or standard input, which can be read once.
class Side {
 public:
  explicit Side(std::string file) : file_(std::move(file)) {
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 30U;
    if (file_ == "-") {
      input_ = readOf(file_, [] { return common::readBytes("/dev/stdin", kLargest); });
    }
  }

  /// A hit dump says so in its first line.
  [[nodiscard]] bool isHitDump() const {
    std::string start(report::kHitHeader.size(), '\0');
    if (input_) return text().substr(0, start.size()) == report::kHitHeader;
    std::ifstream stream(file_, std::ios::binary);
    stream.read(start.data(), static_cast<std::streamsize>(start.size()));
    return stream && start == report::kHitHeader;
  }
  [[nodiscard]] report::Image picture() const {
    return readOf(file_, [&] {
      return input_ ? report::decodeImage(*input_, "<stdin>") : report::readImage(file_);
    });
  }
  [[nodiscard]] report::HitDump dump() const {
    try {
      return readOf(file_, [&] {
        return input_ ? report::parseHits(text(), "<stdin>") : report::readHits(file_);
      });
    } catch (const report::HitError& e) {
      throw InputError(e.what());
    }
  }

 private:
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(input_->data()), input_->size()};
  }

  std::string file_;
  std::optional<std::vector<std::uint8_t>> input_;
};

ExitStatus comparePictures(const CommandLine& command, const Side& first, const Side& second) {
  const report::Image a = first.picture();
  const report::Image b = second.picture();
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

ExitStatus compareDumps(const CommandLine& command, const Registry& registry, const Side& first,
                        const Side& second) {
  const report::HitDump a = first.dump();
  const report::HitDump b = second.dump();
  InputFiles inputs;
  const scene::Scene scene =
      loadScene(command.settings, command.scene,
                LineUp(command.settings, registry, inputs).trianglesOnly(), inputs);
  reference::HitComparison c;
  reference::HitTolerance tolerance;
  tolerance.distance = command.tTolerance.value_or(tolerance.distance);
  tolerance.step = command.outlineTolerance.value_or(tolerance.step);
  tolerance.functions = 0;
  for (const MachineKind* const kind : registry.kinds()) {
    tolerance.functions = std::max(tolerance.functions, kind->slack(command.settings));
  }
  try {
    c = reference::compareHits(a, b, scene, tolerance);
  } catch (const reference::HitMismatch& e) {
    throw InputError(e.what());
  }
  const std::string byStep =
      tolerance.step > 0 ? ", format " + std::to_string(c.excusedStep) : std::string();
  std::printf(
      "pixels %llu, equal %llu, excused %llu (outline %llu, tie %llu%s), wrong primitive %llu, "
      "wrong distance %llu, largest relative difference of t %.3g\n",
      static_cast<unsigned long long>(c.compared), static_cast<unsigned long long>(c.equal),
      static_cast<unsigned long long>(c.excused()),
      static_cast<unsigned long long>(c.excusedOutline),
      static_cast<unsigned long long>(c.excusedTie), byStep.c_str(),
      static_cast<unsigned long long>(c.wrong), static_cast<unsigned long long>(c.wrongDistance),
      c.maxRelativeT);
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
  if (command.files[0] == "-" && command.files[1] == "-") {
    throw InputError("compare: found '-' twice, expected standard input to be one of the two");
  }
  const Side a(command.files[0]);
  const Side b(command.files[1]);
  const int dumps = int{a.isHitDump()} + int{b.isHitDump()};
  if (dumps == 0 && command.scene.empty()) {
    if (command.tTolerance) throw InputError("--t-tolerance is for hit dumps, found two pictures");
    if (command.outlineTolerance) {
      throw InputError("--outline-tolerance is for hit dumps, found two pictures");
    }
    return comparePictures(command, a, b);
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
  return compareDumps(command, registry, a, b);
}

}  // namespace rtvp::platform
