// Height fields of the shipped expression models beside libfive's CPU time (sdf.md section 17:
// another machine, one thread, so that no ratio is printed), single thread, tape building apart.
//   bench_implicit [SIZE...] [--pgm DIR] [--model NAME] [--isa NAME]
// A row: CPU time of the fastest of several renderings (the host may be busy), hit pixels with
// those libfive counted, and what it took. --pgm writes the shaded pictures.
#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>

#include "models/common/core/file_io.hpp"
#include "models/implicit/import/vm.hpp"
#include "models/implicit/registers/height_field.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::implicit;             // NOLINT(google-build-using-namespace): a program
using namespace rtvp::implicit::registers;  // NOLINT(google-build-using-namespace): about these

struct Model {
  const char* name;
  bool flat;
  import::View view;
  double libfive_256, libfive_512;  ///< ms of CPU
  std::size_t hits_512;
};
const Model kModels[] = {
    {"hi", true, {}, 0.8, 2.0, 16825},
    {"prospero", true, {}, 27.6, 46.6, 33010},
    {"gyroid-sphere", false, {}, 158, 690, 124406},
    {"tanglecube", false, {0.222, -25, 30}, 63, 277, 83442},
    {"bear", false, {}, 520, 1800, 104447},
    {"colonnade", false, {0.7, 60, 30}, 58, 141, 85755},
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

void bench(const Model& model, unsigned size, const po::variables_map& given) {
  const std::string path = std::string(RTVP_SOURCE_DIR "/scenes/implicit/") + model.name + ".vm";
  const import::VmResult read =
      import::readVm(path, rtvp::common::readFile(path).value_or(std::string()));
  if (!read.expression) throw std::runtime_error(read.report());
  const double start = cpuSeconds();
  const Program program = import::toProgram(*read.expression, model.view);
  const double build = cpuSeconds() - start;
  HeightFieldOptions options;
  options.size = size;
  options.flat = model.flat;
  if (given.count("boxes") != 0) options.boxes = given["boxes"].as<std::vector<unsigned>>();
  for (const rtvp::common::Isa isa : rtvp::common::kIsas)
    if (given.count("isa") != 0 && given["isa"].as<std::string>() == rtvp::common::isaName(isa))
      options.isa = isa;
  HeightField field;
  HeightFieldCounters counters;
  double best = 1e9, total = 0;
  for (unsigned run = 0; run < 3 || (run < 30 && total < 0.5); ++run) {
    counters = {};
    const double before = cpuSeconds();
    field = render(program, options, &counters);
    const double took = cpuSeconds() - before;
    best = std::min(best, took);
    total += took;
  }
  const double other = size == 256 ? model.libfive_256 : size == 512 ? model.libfive_512 : 0;
  std::printf("%-14s %5u %9.2f %9.1f %8zu %8zu %8.2f %10llu %10llu %8.1f %8.1f %6llu %6.1f\n",
              model.name, size, best * 1e3, other, field.hits(), size == 512 ? model.hits_512 : 0,
              build * 1e3, static_cast<unsigned long long>(counters.boxes),
              static_cast<unsigned long long>(counters.points),
              static_cast<double>(counters.box_clauses) * 1e-6,
              static_cast<double>(counters.point_clauses) * 1e-6,
              static_cast<unsigned long long>(counters.pruned),
              static_cast<double>(counters.pruned_clauses) /
                  static_cast<double>(std::max<std::uint64_t>(counters.pruned, 1)));
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
      "pgm", po::value<std::string>(), "write pictures into this directory")("help,h", "this");
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
  std::vector<unsigned> sizes{256, 512};
  if (given.count("size") != 0) sizes = given["size"].as<std::vector<unsigned>>();
  std::printf("%-14s %5s %9s %9s %8s %8s %8s %10s %10s %8s %8s %6s %6s\n", "model", "size",
              "CPU ms", "libfive", "hits", "theirs", "build ms", "boxes", "points", "box Mcl",
              "pt Mcl", "pruned", "mean");
  for (const unsigned size : sizes) {
    for (const Model& model : kModels)
      if (given.count("model") == 0 || given["model"].as<std::string>() == model.name)
        bench(model, size, given);
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
