// theia-run: THEIA for programmers: single instructions and programs in batch mode, whole frames on
// the multi-core model.
#include <boost/program_options.hpp>
#include <iostream>
#include <systemc>

#include "firmware/theia/firmware.hpp"
#include "models/theia/tools/runner.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::theia;  // NOLINT(google-build-using-namespace): a program about this
                              // namespace

constexpr int kDone = 0, kUsage = 2, kInternal = 70;

int run(int argc, char** argv) {
  po::options_description options("options");
  options.add_options()("batch", "one JSON object a line on stdin, one a line on stdout")(
      "frame", po::value<std::string>(), "replay a frame folder")(
      "output,o", po::value<std::string>(), "with --frame: write the output words")(
      "cycles", "with --frame: print the clocks from host enable to done")(
      "stats", po::value<std::string>(), "with --frame: write statistics as JSON")(
      "trace", "with --frame: every instruction on stderr")("exact-math",
                                                            "DIV and MAG of the older generations")(
      "strict-isa", "the manual's reading where the hardware differs")(
      "fixed-bilinear", "correct the default microcode's texture filter")(
      "honour-pixel-shader-slot", "the entry table's slot 10 has an effect")(
      "descending-arbiters", "texture arbiters walk the other way")(
      "plain", "the plain executor (same results, slower)")("help", "this text");
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(options).run(), given);
  po::notify(given);
  const auto has = [&given](const char* name) { return given.count(name) != 0; };
  if (has("help")) {
    std::cout << "theia-run --batch | --frame DIR [options]\n" << options;
    return kDone;
  }
  if (has("batch") == has("frame")) {
    std::cerr << "theia-run: error: expected either --batch or --frame DIR (--help)\n";
    return kUsage;
  }
  ReplayOptions replay;
  CoreConfig& core = replay.gpu.core;
  core.alu.exactMath = has("exact-math");
  core.alu.strictIsa = has("strict-isa");
  core.honourPixelShaderSlot = has("honour-pixel-shader-slot");
  core.fast = !has("plain");
  if (has("descending-arbiters")) replay.gpu.arbiterOrder = ArbiterOrder::Descending;
  const Rom rom = microcodeRom(has("fixed-bilinear"));
  if (has("batch")) {
    CoreConfig single = core;
    single.outputWords = 1U << 16;
    runBatch(std::cin, std::cout, single, rom);
    return kDone;
  }
  replay.folder = given["frame"].as<std::string>();
  if (has("output")) replay.output = given["output"].as<std::string>();
  if (has("stats")) replay.stats = given["stats"].as<std::string>();
  replay.cycles = has("cycles");
  replay.trace = has("trace");
  return replayFrame(replay, rom);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const po::error& e) {
    std::cerr << "theia-run: error: " << e.what() << '\n';
    return kUsage;
  } catch (const std::exception& e) {
    std::cerr << "theia-run: internal error: " << e.what() << '\n';
    return kInternal;
  }
}

/// libsystemc refers to it; its own main(), which would print a banner, is not used.
int sc_main(int /*argc*/, char** /*argv*/) {
  return kInternal;
}
