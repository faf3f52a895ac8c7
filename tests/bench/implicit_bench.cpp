// Height fields of the shipped expression models, single thread, tape building apart; and what one
// evaluation of a whole model costs.
//   bench_implicit [SIZE...] [--pgm DIR] [--model NAME] [--isa NAME] [--runs N] [--libfive]
//   bench_implicit --evaluate points|gradients|alone [--model NAME] [--isa NAME] [--runs N]
// A row of the first: CPU time of the fastest of several renderings (the host may be busy), hit
// pixels with those libfive counted at 512, and what it took. Pictures are drawn into the memory of
// the one before. --libfive, of a program that was built with it (CMake: RTVP_LIBFIVE), renders by
// turns with it; its time and the ratio stand at the end. --pgm writes the shaded pictures. Of the
// second: CPU time a point of the fastest of several passes over 4,096 points of the cube; f, f
// with its derivatives, or the same one point after the other.
#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>

#include "models/common/core/file_io.hpp"
#include "models/implicit/import/vm.hpp"
#include "models/implicit/registers/height_field.hpp"
#ifdef RTVP_LIBFIVE
#include "tests/bench/implicit_libfive.hpp"
#endif

namespace {

namespace po = boost::program_options;
using namespace rtvp::implicit;             // NOLINT(google-build-using-namespace): a program
using namespace rtvp::implicit::registers;  // NOLINT(google-build-using-namespace): about these

struct Model {
  const char* name;
  bool flat;
  import::View view;
  std::size_t hits_512;  ///< as libfive counted
};
const Model kModels[] = {
    {"hi", true, {}, 16825},
    {"prospero", true, {}, 33010},
    {"gyroid-sphere", false, {}, 124406},
    {"tanglecube", false, {0.222, -25, 30}, 83442},
    {"bear", false, {}, 104447},
    {"colonnade", false, {0.7, 60, 30}, 85755},
};

double cpuSeconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A light from the upper left over the normals; grey of 8 bits.
std::string picture(const HeightField& field) {
  std::string bytes =
      "P5\n" + std::to_string(field.size) + " " + std::to_string(field.size) + "\n255\n";
  for (std::size_t n = 0; n < field.height.size(); ++n) {
    const auto& normal = field.normal[n];
    const float light = normal[0] * -0.4F + normal[1] * 0.5F + normal[2] * 0.77F;
    const float grey = field.height[n] == 0 ? 0.0F : 40.0F + 215.0F * std::max(light, 0.0F);
    bytes += static_cast<char>(static_cast<unsigned char>(std::min(grey, 255.0F)));
  }
  return bytes;
}

std::string pathOf(const Model& model) {
  return std::string(RTVP_SOURCE_DIR "/scenes/implicit/") + model.name + ".vm";
}

struct Built {
  Program program;
  double seconds;
};
Built build(const Model& model) {
  const std::string path = pathOf(model);
  const import::VmResult read =
      import::readVm(path, rtvp::common::readFile(path).value_or(std::string()));
  if (!read.expression) throw std::runtime_error(read.report());
  const double start = cpuSeconds();
  Program program = import::toProgram(*read.expression, model.view);
  return {std::move(program), cpuSeconds() - start};
}

rtvp::common::Isa isaOf(const po::variables_map& given) {
  if (given.count("isa") == 0) return rtvp::common::bestIsa();
  const std::string name = given["isa"].as<std::string>();
  for (const rtvp::common::Isa isa : rtvp::common::kIsas)
    if (name == rtvp::common::isaName(isa)) return isa;
  throw std::runtime_error("found --isa " + name + ", expected scalar, sse42, avx2 or avx512");
}

/// Best of `--runs`, or of some that take half a second together, of each of the runs by turns.
template <class... Run>
std::array<double, sizeof...(Run)> fastest(const po::variables_map& given, Run&&... run) {
  const unsigned runs = given.count("runs") != 0 ? given["runs"].as<unsigned>() : 0;
  std::array<double, sizeof...(Run)> best;
  best.fill(1e9);
  double total = 0;
  for (unsigned n = 0; runs != 0 ? n < runs : n < 3 || (n < 30 && total < 0.5); ++n) {
    std::size_t at = 0;
    const auto one = [&](auto& side) {
      const double before = cpuSeconds();
      side();
      const double took = cpuSeconds() - before;
      best[at] = std::min(best[at], took);
      ++at;
      total += took;
    };
    (one(run), ...);
  }
  return best;
}

/// A lattice of 16 x 16 x 16 points.
void evaluateAll(const Model& model, const po::variables_map& given) {
  constexpr unsigned kSide = 16;
  const Program program = build(model).program;
  std::vector<float> x, y, z;
  for (unsigned n = 0; n < kSide * kSide * kSide; ++n) {
    x.push_back(voxelCentre(n % kSide, kSide));
    y.push_back(voxelCentre(n / kSide % kSide, kSide));
    z.push_back(model.flat ? 0.0F : voxelCentre(n / kSide / kSide, kSide));
  }
  BatchEvaluator evaluator(isaOf(given));
  std::vector<float> f(x.size());
  std::vector<Gradient> gradients(x.size());
  const std::string what = given["evaluate"].as<std::string>();
  const auto [best] = fastest(given, [&] {
    if (what == "points") return evaluator.points(program, x, y, z, f);
    if (what == "gradients") return evaluator.gradients(program, x, y, z, gradients);
    for (std::size_t n = 0; n < x.size(); ++n) gradients[n] = gradient(program, {x[n], y[n], z[n]});
  });
  std::printf("%-14s %6zu clauses %8.1f ns a point\n", model.name, program.clauses().size(),
              best * 1e9 / static_cast<double>(x.size()));
}

void bench(const Model& model, unsigned size, const po::variables_map& given) {
  const Built built = build(model);
  HeightFieldOptions options;
  options.size = size;
  options.flat = model.flat;
  if (given.count("boxes") != 0) options.boxes = given["boxes"].as<std::vector<unsigned>>();
  options.isa = isaOf(given);
  HeightField field;
  HeightFieldCounters counters;
  const auto ours = [&] {
    counters = {};
    render(built.program, options, field, &counters);
  };
  std::size_t hits = size == 512 ? model.hits_512 : 0;
  double best = 0, theirs = 0;
#ifdef RTVP_LIBFIVE
  if (given["libfive"].as<bool>()) {
    rtvp::bench::Libfive libfive(rtvp::common::readFile(pathOf(model)).value_or(std::string()),
                                 model.view, model.flat, size);
    const auto times = fastest(given, ours, [&] { hits = libfive.render(); });
    best = times[0];
    theirs = times[1];
  }
#endif
  if (theirs == 0) best = fastest(given, ours)[0];
  std::printf("%-14s %5u %9.2f %8zu %8zu %8.2f %10llu %10llu %8.1f %8.1f %6llu %6.1f", model.name,
              size, best * 1e3, field.hits(), hits, built.seconds * 1e3,
              static_cast<unsigned long long>(counters.boxes),
              static_cast<unsigned long long>(counters.points),
              static_cast<double>(counters.box_clauses) * 1e-6,
              static_cast<double>(counters.point_clauses) * 1e-6,
              static_cast<unsigned long long>(counters.pruned),
              static_cast<double>(counters.pruned_clauses) /
                  static_cast<double>(std::max<std::uint64_t>(counters.pruned, 1)));
  if (theirs > 0) std::printf(" %9.2f %6.2f", theirs * 1e3, theirs / best);
  std::printf("\n");
  if (given.count("pgm") != 0) {
    const std::string file = given["pgm"].as<std::string>() + "/" + model.name + ".pgm";
    rtvp::common::replaceFile(file, picture(field));
  }
}

int run(int argc, char** argv) {
  po::options_description visible("options"), all;
  visible.add_options()("model", po::value<std::string>(), "only this one")(
      "isa", po::value<std::string>(), "scalar, sse42, avx2 or avx512; the best by default")(
      "boxes", po::value<std::vector<unsigned>>()->multitoken(), "sides of the boxes in voxels")(
      "runs", po::value<unsigned>(), "exactly so many times")(
      "evaluate", po::value<std::string>(), "points, gradients, or alone: gradients one by one")(
      "pgm", po::value<std::string>(), "write pictures into this directory")(
      "libfive", po::bool_switch(), "by turns with libfive's height maps")("help,h", "this");
  all.add(visible).add_options()("size", po::value<std::vector<unsigned>>(), "");
  po::positional_options_description positional;
  positional.add("size", -1);
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(), given);
  po::notify(given);
  if (given.count("help") != 0) {
    std::cout << "bench_implicit [SIZE...] [options]\n" << visible;
    return 0;
  }
#ifndef RTVP_LIBFIVE
  if (given["libfive"].as<bool>())
    throw std::runtime_error(
        "found --libfive, but this program was built without it: set RTVP_LIBFIVE (CMake) to the "
        "folder of its source, built in its folder build");
#endif
  const auto wanted = [&](const Model& model) {
    return given.count("model") == 0 || given["model"].as<std::string>() == model.name;
  };
  if (given.count("evaluate") != 0) {
    const std::string what = given["evaluate"].as<std::string>();
    if (what != "points" && what != "gradients" && what != "alone")
      throw std::runtime_error("found --evaluate " + what +
                               ", expected points, gradients or alone");
    for (const Model& model : kModels)
      if (wanted(model)) evaluateAll(model, given);
    return 0;
  }
  std::vector<unsigned> sizes{256, 512};
  if (given.count("size") != 0) sizes = given["size"].as<std::vector<unsigned>>();
  std::printf("%-14s %5s %9s %8s %8s %8s %10s %10s %8s %8s %6s %6s%s\n", "model", "size", "CPU ms",
              "hits", "theirs", "build ms", "boxes", "points", "box Mcl", "pt Mcl", "pruned",
              "mean", given["libfive"].as<bool>() ? "   libfive  ratio" : "");
  for (const unsigned size : sizes) {
    for (const Model& model : kModels)
      if (wanted(model)) bench(model, size, given);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "bench_implicit: error: " << e.what() << '\n';
    return 1;
  }
}
