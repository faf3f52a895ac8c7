// sl-run: one program at one shading point, watched; and the batch mode (sl_batch.md).
#include <boost/program_options.hpp>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/common/tool/files.hpp"
#include "models/common/tool/json_lines.hpp"
#include "models/common/tool/program.hpp"
#include "models/debug/tool/session.hpp"
#include "models/sl/assembler.hpp"
#include "models/sl/debug/sl_driver.hpp"
#include "models/sl/number.hpp"
#include "models/sl/tools/request.hpp"
#include "models/sl/unit/run_record.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::sl;  // NOLINT(google-build-using-namespace): a program about this namespace

namespace common = rtvp::common;
namespace debug = rtvp::debug;
namespace tool = rtvp::tool;
namespace status = tool::status;
constexpr std::size_t kMaxLine = std::size_t{512} << 20;  ///< a texture of 4096 x 4096 fits

/// The program and, if it is a source, the line of each instruction.
struct Loaded {
  Program program;
  std::vector<std::uint32_t> lines{};
};

Loaded load(const std::string& path, bool lenient) {
  const std::string name = tool::inputName(path);
  const std::string bytes = tool::readInput(path, "an SL program", status::kUsage);
  if (bytes.starts_with("SLC1") || path.ends_with(".slc")) {
    try {
      return {readSlc(tool::bytesOf(bytes))};
    } catch (const LoadError& e) {
      throw tool::Failure::at(name + ":1:1", e.what(), status::kUsage);
    }
  }
  AssemblerOptions options;
  options.lenient = lenient;
  AssemblyResult result = assemble(name, bytes, options);
  if (!result.program) throw tool::Failure::report(result.report(), status::kUsage);
  return {std::move(*result.program), std::move(result.lines)};
}

/// NAME=x or NAME=x,y,z.
void setFromText(Registers& registers, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw tool::Failure("found --set " + text + ", expected NAME=x or NAME=x,y,z");
  const std::string values = text.substr(equals + 1);
  std::string quoted;  // nan and inf are strings in JSON
  for (std::size_t at = 0; at <= values.size();) {
    const std::size_t end = std::min(values.find(',', at), values.size());
    const std::string value = values.substr(at, end - at);
    // Plain decimals as C writes them (.5, +2) are more than JSON allows.
    const bool decimal = isDecimalFloat(value);
    quoted += (at > 0 ? "," : "") + (decimal ? shortest(toBinary32(value)) : '"' + value + '"');
    if (decimal && shortest(toBinary32(value)).ends_with("inf"))
      throw tool::Failure("--set: '" + value + "' is beyond binary32");
    at = end + 1;
  }
  const bool vector = values.find(',') != std::string::npos;
  try {
    const JsonDocument document(vector ? "[" + quoted + "]" : quoted);
    setRegister(registers, text.substr(0, equals), document.root());
  } catch (const tool::BadRequest& e) {
    throw tool::Failure("--" + std::string(e.what()));
  }
}

std::string textOf(const Registers& r, const RegisterInfo& row) {
  if (isScalar(row.id)) return shortest(r.scalar(row.id));
  const Vec3& v = r.vector(row.id);
  return "(" + shortest(v.x) + ", " + shortest(v.y) + ", " + shortest(v.z) + ")";
}

/// Number, word, instruction, and what it changed.
void printStep(const Vm& before, const Vm& after) {
  const std::uint32_t pc = before.pc();
  const Instruction& in = before.program()[pc];
  std::printf("%5u  %016llx  %-22s", pc,
              static_cast<unsigned long long>(before.program().words()[pc]),
              disassemble(in).c_str());
  if (in.info().writes())
    std::printf("  %s = %s", findRegister(in.destination)->name.data(),
                textOf(after.registers(), *findRegister(in.destination)).c_str());
  if (in.info().branches())
    std::printf(after.pc() == pc + 1 ? "  not taken" : "  -> %u", after.pc());
  std::printf("\n");
}

void printResult(const Vm& vm) {
  for (const RegisterInfo& row : kRegisters) {
    if (row.writable)
      std::printf("%-3s %s\n", row.name.data(), textOf(vm.registers(), row).c_str());
  }
  std::printf("%u instructions%s\n", vm.instructions(),
              vm.state() == Stop::Budget ? ": stopped at the budget, v0 is 0" : "");
}

Request requestOf(const po::variables_map& given) {
  Request request;
  if (given.count("inputs") != 0) {
    const std::string path = given["inputs"].as<std::string>();
    const std::string text = tool::readInput(path, "a request as JSON", status::kUsage);
    try {
      request = parseRequest(text, false);
    } catch (const tool::BadRequest& e) {
      throw tool::Failure::at(tool::inputName(path) + ":1:1", e.what(), status::kUsage);
    }
  }
  if (given.count("defaults") != 0) {
    const Registers defaults = Registers::sceneDefaults();
    for (std::size_t n = 0; n < kScalars; ++n)
      if (request.registers.scalars[n] == 0) request.registers.scalars[n] = defaults.scalars[n];
  }
  if (given.count("set") != 0) {
    for (const std::string& text : given["set"].as<std::vector<std::string>>())
      setFromText(request.registers, text);
  }
  if (given.count("seed") != 0) request.seed = given["seed"].as<std::uint32_t>();
  if (request.seed == 0) throw tool::Failure("found --seed 0, expected 1 to 4294967295");
  if (given.count("traced") != 0) {
    Registers scratch;
    setFromText(scratch, "r0=" + given["traced"].as<std::string>());
    request.world.traced = scratch.vector(reg::r0);
  }
  return request;
}

/// `--profile` and `--coverage` of one run; throws a Failure for what cannot be had.
class Seeing {
 public:
  Seeing(const po::variables_map& given, const PlacedProgram& placed)
      : profile_(tool::textOf(given, "profile")),
        coverage_(tool::textOf(given, "coverage")),
        placed_(placed),
        account_(placed) {
    if (wanted() && debug::ToolWishes::of(given).any())
      throw tool::Failure(
          "found a debugger beside --profile or --coverage, expected a run without");
    if (!profile_.empty() && !debug::profileForm(profile_)) {
      throw tool::Failure("found --profile " + profile_ +
                          ", expected a name that ends in .txt, .callgrind or .svg, or - for a "
                          "table (--help)");
    }
    const std::string why = coverage_.empty() ? "" : noCoverage(std::span(&placed, 1));
    if (!why.empty()) throw tool::Failure("--coverage: " + why);
  }
  [[nodiscard]] bool wanted() const { return !profile_.empty() || !coverage_.empty(); }
  void executed(std::uint32_t pc) { account_.executed(pc); }
  void write() const {
    const std::vector<debug::Profile> all{account_.profile()};
    std::string profile, coverage;
    if (!profile_.empty())
      profile =
          debug::profileText(all, false, "sl-run " + placed_.file, *debug::profileForm(profile_));
    if (!coverage_.empty()) coverage = debug::coverageInfo(all);
    const tool::Output files[] = {{profile_, profile}, {coverage_, coverage}};
    tool::writeOutputs(files);
  }

 private:
  std::string profile_, coverage_;
  const PlacedProgram& placed_;
  RunAccount account_;
};

void runWatched(Vm& vm, Environment& world, bool printed, Seeing& seeing) {
  while (!vm.ended()) {
    const std::uint32_t pc = vm.pc();
    if (printed) {
      const Vm before = vm;
      step(vm, world);
      printStep(before, vm);
    } else {
      step(vm, world);
    }
    seeing.executed(pc);
  }
}

/// Under the debugger. False: the user has left before the end.
bool runDebugged(Vm& vm, Environment& world, const PlacedProgram& placed,
                 const debug::ToolWishes& wishes) {
  debug::ToolSession session("sl-run", wishes);
  VmDriver driver(vm, world, placed, session.host(), session.interrupted());
  session.attach(driver.dialogue());
  driver.run();
  debug::ToolSession::finish(driver.dialogue());
  vm = driver.vm();
  return vm.ended();
}

int runOne(const po::variables_map& given) {
  const debug::ToolWishes wish = debug::ToolWishes::of(given);
  tool::requireOneStandard({tool::textOf(given, "input"), tool::textOf(given, "inputs"),
                            tool::textOf(given, "commands"), wish.dap},
                           "input");
  const Loaded loaded = load(given["input"].as<std::string>(), given.count("lenient") != 0);
  const PlacedProgram placed{0, &loaded.program, tool::inputName(tool::textOf(given, "input")),
                             loaded.lines};
  Request request = requestOf(given);
  Seeing seeing(given, placed);
  Vm vm(loaded.program);
  vm.start(request.registers, request.seed);
  if (wish.any()) {
    if (!runDebugged(vm, request.world, placed, wish)) return status::kDone;
  } else if (given.count("trace") != 0 || seeing.wanted()) {
    runWatched(vm, request.world, given.count("trace") != 0, seeing);
    if (seeing.wanted()) seeing.write();
  }
  vm.run(request.world);
  if (wish.dap == "-") return status::kDone;  // the client has standard output
  if (given.count("json") != 0) {
    std::printf("%s\n", answerOf(vm).c_str());
  } else {
    printResult(vm);
  }
  return status::kDone;
}

/// The run that `platform --dump-node` has recorded, or another program in its place.
int replayRun(const po::variables_map& given) {
  std::optional<Program> other;
  if (tool::has(given, "input"))
    other.emplace(load(tool::textOf(given, "input"), given.count("lenient") != 0).program);
  const unit::RunRecord recorded = unit::readRun(tool::textOf(given, "pixel"));
  const unit::RunRecord found = unit::replay(recorded, other ? &*other : nullptr);
  const std::string name = recorded.unit + ", " + recorded.moment;
  const common::RecordDifferences different = unit::differences(found, recorded);
  if (!different.none()) {
    std::cout << name << ": differs from what was recorded\n" << different.text();
    return status::kFailed;
  }
  unit::Clock clocks = 0;
  for (const unit::RunSegment& segment : found.segments)
    clocks += segment.end.spent.worked() - segment.end.spent.stallPort;
  const Vec3& colour = found.registers.vector(reg::v0);
  std::cout << name << ": as recorded, " << found.instructions << " instructions, "
            << found.segments.size() - 1 << " rays asked for, " << clocks << " clocks, v0 ("
            << shortest(colour.x) << ", " << shortest(colour.y) << ", " << shortest(colour.z)
            << ")\n";
  return status::kDone;
}

int run(const po::variables_map& given) {
  if (tool::has(given, "pixel")) {
    if (tool::has(given, "batch")) throw tool::Failure("found --batch and --pixel, expected one");
    return tool::refusing<common::RecordError>(status::kUsage,
                                               [&given] { return replayRun(given); });
  }
  if (tool::has(given, "batch")) {
    std::ios::sync_with_stdio(false);
    tool::answerLines(std::cin, std::cout, kMaxLine,
                      [](const std::string& line) { return answer(line); });
    return status::kDone;
  }
  if (!tool::has(given, "input"))
    throw tool::Failure("found no program, expected FILE.sl or FILE.slc (--help)");
  return runOne(given);
}

void declare(po::options_description& options) {
  auto add = options.add_options();
  add("set", po::value<std::vector<std::string>>()->value_name("NAME=x[,y,z]"),
      "a register's start value (not v0 and v1); may be given several times");
  add("defaults", "scalars nobody named start as in a scene (Kd 0.5, S 80, ...), not at 0");
  add("seed", po::value<std::uint32_t>()->value_name("N"), "random state before the first rnd");
  add("traced", po::value<std::string>()->value_name("r,g,b"), "what every trace sees (default 0)");
  add("inputs", po::value<std::string>()->value_name("FILE.json"),
      "set, seed, trace and textures as in a batch request");
  add("pixel", po::value<std::string>()->value_name("DIR"),
      "a run of a pixel that platform --dump-node has recorded: the same colour, registers and "
      "clocks, or exit status 1 and what differs; with FILE that program in its place");
  add("trace", "print every instruction with what it changed");
  add("profile", po::value<std::string>()->value_name("FILE"),
      "where the instructions' cycles went, by source line: FILE.txt a table, FILE.callgrind for "
      "callgrind_annotate, FILE.svg a flame graph ('-': a table)");
  add("coverage", po::value<std::string>()->value_name("FILE"),
      "which source lines were executed, how often, as genhtml reads it");
  debug::ToolWishes::declare(options, "break wood.sl:12; run; regs");
  add("json", "print the result as a batch answer");
  add("lenient", "assemble as sl-as --lenient does");
  add("batch", "one JSON request a line on stdin, one answer a line on stdout");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "sl-run",
                    .summary = "runs a SL shader on points",
                    .usage = "sl-run [options] FILE.sl|FILE.slc\nsl-run --batch\nsl-run --pixel "
                             "DIR [FILE.sl|FILE.slc]\n",
                    .declare = declare,
                    .run = run,
                    .input = "input",
                    .writes = {"profile", "coverage"},
                    .reads = {"inputs", "commands"}},
                   argc, argv);
}
