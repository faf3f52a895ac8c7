// theia-run: THEIA for programmers: single instructions and programs in batch mode, whole frames on
// the multi-core model.
#include <boost/program_options.hpp>
#include <iostream>

#include "firmware/theia/firmware.hpp"
#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"
#include "models/theia/tools/runner.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::theia;  // NOLINT(google-build-using-namespace): a program about this
                              // namespace

namespace tool = rtvp::tool;
namespace status = tool::status;

int run(const po::variables_map& given) {
  const auto has = [&given](const char* name) { return tool::has(given, name); };
  if (has("batch") == has("frame"))
    throw tool::Failure("expected either --batch or --frame DIR (--help)");
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
    return status::kDone;
  }
  replay.folder = tool::textOf(given, "frame");
  replay.output = tool::textOf(given, "output");
  replay.stats = tool::textOf(given, "stats");
  replay.cycles = has("cycles");
  replay.trace = has("trace");
  tool::requireOneStandard({replay.output, replay.stats}, "output");
  return replayFrame(replay, rom);
}

void declare(po::options_description& options) {
  auto add = options.add_options();
  add("batch", "one JSON object a line on stdin, one a line on stdout");
  add("frame", po::value<std::string>(), "replay a frame folder");
  add("output,o", po::value<std::string>(), "with --frame: write the output words");
  add("cycles", "with --frame: print the clocks from host enable to done");
  add("stats", po::value<std::string>(), "with --frame: write statistics as JSON");
  add("trace", "with --frame: every instruction on stderr");
  add("exact-math", "DIV and MAG of the older generations");
  add("strict-isa", "the manual's reading where the hardware differs");
  add("fixed-bilinear", "correct the original microcode's texture filter");
  add("honour-pixel-shader-slot", "the entry table's slot 10 has an effect");
  add("descending-arbiters", "texture arbiters walk the other way");
  add("plain", "the plain executor (same results, slower)");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "theia-run",
                    .summary = "runs the THEIA unit alone",
                    .usage = "theia-run --batch | --frame DIR [options]\n",
                    .declare = declare,
                    .run = run,
                    .writes = {"output", "stats"}},
                   argc, argv);
}
