// theia-run: THEIA for programmers: a program on one core, single instructions and programs in
// batch mode, whole frames on the multi-core model; programs and frames under the debugger.
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

constexpr std::uint32_t kOutputWords = 1U << 16;  // of a core alone

SeeingWishes seeingWishes(const po::variables_map& given) {
  SeeingWishes wishes;
  wishes.profile = tool::textOf(given, "profile");
  wishes.coverage = tool::textOf(given, "coverage");
  wishes.instructions = tool::textOf(given, "instructions");
  wishes.each = tool::has(given, "each-core");
  checkSeeing(wishes);
  return wishes;
}

int run(const po::variables_map& given) {
  const auto has = [&given](const char* name) { return tool::has(given, name); };
  const int ways = (has("batch") ? 1 : 0) + (has("frame") ? 1 : 0) + (has("program") ? 1 : 0);
  if (ways != 1) throw tool::Failure("expected PROGRAM.tasm, --batch or --frame DIR (--help)");
  ReplayOptions replay;
  replay.debug = rtvp::debug::ToolWishes::of(given);
  replay.seeing = seeingWishes(given);
  if (replay.debug.any() && !replay.seeing.instructions.empty())
    throw tool::Failure("found --instructions under the debugger, expected one of them");
  CoreConfig& core = replay.gpu.core;
  core.alu.exactMath = has("exact-math");
  core.alu.strictIsa = has("strict-isa");
  core.honourPixelShaderSlot = has("honour-pixel-shader-slot");
  core.fast = !has("plain");
  if (has("descending-arbiters")) replay.gpu.arbiterOrder = ArbiterOrder::Descending;
  const Rom rom = microcodeRom(has("fixed-bilinear"));
  replay.fixedBilinear = has("fixed-bilinear");
  if (has("program")) {
    ProgramOptions program;
    program.file = tool::textOf(given, "program");
    program.entry = tool::textOf(given, "entry");
    program.core = core;
    program.core.outputWords = kOutputWords;
    program.debug = replay.debug;
    program.seeing = replay.seeing;
    program.fixedBilinear = replay.fixedBilinear;
    return runProgram(program, rom);
  }
  if (has("batch")) {
    if (replay.debug.any() || replay.seeing.accounts() || !replay.seeing.instructions.empty())
      throw tool::Failure(
          "found --batch and a debugger, profile, coverage or instructions, expected PROGRAM.tasm "
          "or --frame DIR with them");
    CoreConfig single = core;
    single.outputWords = kOutputWords;
    runBatch(std::cin, std::cout, single, rom);
    return status::kDone;
  }
  replay.folder = tool::textOf(given, "frame");
  replay.output = tool::textOf(given, "output");
  replay.stats = tool::textOf(given, "stats");
  replay.cycles = has("cycles");
  replay.trace = has("trace");
  replay.source = tool::textOf(given, "source");
  tool::requireOneStandard({replay.output, replay.stats, replay.seeing.profile,
                            replay.seeing.coverage, replay.seeing.instructions},
                           "output");
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
  add("source", po::value<std::string>()->value_name("FILE"),
      "with --frame: what its instructions were assembled from, for the debugger");
  add("entry", po::value<std::string>()->value_name("NAME"),
      "with PROGRAM: label or entry point to begin at (MAIN, or the first row)");
  rtvp::debug::ToolWishes::declare(options, "break MAIN; run; regs");
  add("profile", po::value<std::string>()->value_name("FILE"),
      "where the clocks went, by symbol, source line and cause: .txt a table, .callgrind for "
      "callgrind_annotate, .svg a flame graph");
  add("each-core", "with --profile: core by core instead of all together");
  add("coverage", po::value<std::string>()->value_name("FILE"),
      "which lines were executed, how often: lcov's .info");
  add("instructions", po::value<std::string>()->value_name("FILE"),
      "each instruction as text: clock, core, address, result, clocks, symbol, source line");
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
                    .usage = "theia-run PROGRAM.tasm | --batch | --frame DIR [options]\n",
                    .declare = declare,
                    .run = run,
                    .input = "program",
                    .writes = {"output", "stats", "profile", "coverage", "instructions"},
                    .reads = {"commands", "source"}},
                   argc, argv);
}
