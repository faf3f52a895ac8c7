// sl-run: one program at one shading point, watched; and the batch mode (sl_batch.md).
#include <boost/program_options.hpp>
#include <cstdio>
#include <iostream>
#include <string>

#include "models/common/json_lines.hpp"
#include "models/common/tool_files.hpp"
#include "models/sl/assembler.hpp"
#include "models/sl/number.hpp"
#include "models/sl/tools/request.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::sl;  // NOLINT(google-build-using-namespace): a program about this namespace

constexpr int kDone = 0, kUsage = 2, kInternal = 70;
constexpr std::size_t kMaxLine = std::size_t{512} << 20;  ///< a texture of 4096 x 4096 fits

/// Wrong input: the message is complete.
struct UsageError {
  std::string message;
};

Program load(const std::string& path, bool lenient) {
  const std::optional<std::string> bytes = rtvp::common::readFile(path);
  if (!bytes) throw UsageError{path + ":1:1: error: found no readable file, expected one\n"};
  if (bytes->starts_with("SLC1") || path.ends_with(".slc")) {
    try {
      return readSlc({reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()});
    } catch (const LoadError& e) {
      throw UsageError{path + ":1:1: error: " + e.what() + '\n'};
    }
  }
  AssemblerOptions options;
  options.lenient = lenient;
  AssemblyResult result = assemble(path, *bytes, options);
  if (!result.program) throw UsageError{result.report()};
  return std::move(*result.program);
}

/// NAME=x or NAME=x,y,z.
void setFromText(Registers& registers, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw UsageError{"sl-run: error: found --set " + text + ", expected NAME=x or NAME=x,y,z\n"};
  const std::string values = text.substr(equals + 1);
  std::string quoted;  // nan and inf are strings in JSON
  for (std::size_t at = 0; at <= values.size();) {
    const std::size_t end = std::min(values.find(',', at), values.size());
    const std::string value = values.substr(at, end - at);
    // Plain decimals as C writes them (.5, +2) are more than JSON allows.
    const bool decimal = isDecimalFloat(value);
    quoted += (at > 0 ? "," : "") + (decimal ? shortest(toBinary32(value)) : '"' + value + '"');
    if (decimal && shortest(toBinary32(value)).ends_with("inf"))
      throw UsageError{"sl-run: error: --set: '" + value + "' is beyond binary32\n"};
    at = end + 1;
  }
  const bool vector = values.find(',') != std::string::npos;
  try {
    const JsonDocument document(vector ? "[" + quoted + "]" : quoted);
    setRegister(registers, text.substr(0, equals), document.root());
  } catch (const BadRequest& e) {
    throw UsageError{"sl-run: error: --" + std::string(e.what()) + '\n'};
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

void answerFor(Vm& vm, Environment& world) {
  if (vm.state() == Stop::Trace)
    vm.finishTrace(world.trace(0, vm.traceOrigin(), vm.traceDirection()));
  if (vm.state() == Stop::Lookup)
    vm.finishLookup(world.lookup(0, vm.lookupSlot(), vm.lookupS(), vm.lookupT()));
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
    const std::optional<std::string> text = rtvp::common::readFile(path);
    if (!text) throw UsageError{path + ":1:1: error: found no readable file, expected one\n"};
    try {
      request = parseRequest(*text, false);
    } catch (const BadRequest& e) {
      throw UsageError{path + ":1:1: error: " + e.what() + '\n'};
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
  if (request.seed == 0)
    throw UsageError{"sl-run: error: found --seed 0, expected 1 to 4294967295\n"};
  if (given.count("traced") != 0) {
    Registers scratch;
    setFromText(scratch, "r0=" + given["traced"].as<std::string>());
    request.world.traced = scratch.vector(reg::r0);
  }
  return request;
}

int runOne(const po::variables_map& given) {
  const Program program = load(given["input"].as<std::string>(), given.count("lenient") != 0);
  Request request = requestOf(given);
  Vm vm(program);
  vm.start(request.registers, request.seed);
  const bool watched = given.count("trace") != 0;
  while (watched && !vm.ended()) {
    const Vm before = vm;
    vm.step();
    answerFor(vm, request.world);
    printStep(before, vm);
  }
  vm.run(request.world);
  if (given.count("json") != 0) {
    std::printf("%s\n", answerOf(vm).c_str());
  } else {
    printResult(vm);
  }
  return kDone;
}

int run(int argc, char** argv) {
  po::options_description visible("options"), all;
  visible.add_options()("set", po::value<std::vector<std::string>>()->value_name("NAME=x[,y,z]"),
                        "a register's start value (not v0 and v1); may be given several times")(
      "defaults", "scalars nobody named start as in a scene (Kd 0.5, S 80, ...), not at 0")(
      "seed", po::value<std::uint32_t>()->value_name("N"), "random state before the first rnd")(
      "traced", po::value<std::string>()->value_name("r,g,b"), "what every trace sees (default 0)")(
      "inputs", po::value<std::string>()->value_name("FILE.json"),
      "set, seed, trace and textures as in a batch request")(
      "trace", "print every instruction with what it changed")(
      "json", "print the result as a batch answer")("lenient", "assemble as sl-as --lenient does")(
      "batch", "one JSON request a line on stdin, one answer a line on stdout")(
      "help,h", "print this and stop");
  all.add(visible).add_options()("input", po::value<std::string>(), "");
  po::positional_options_description positional;
  positional.add("input", 1);
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(), given);
  po::notify(given);
  if (given.count("help") != 0) {
    std::cout << "sl-run [options] FILE.sl|FILE.slc\nsl-run --batch\n" << visible;
    return kDone;
  }
  if (given.count("batch") != 0) {
    std::ios::sync_with_stdio(false);
    rtvp::common::answerLines(std::cin, std::cout, kMaxLine,
                              [](const std::string& line) { return answer(line); });
    return kDone;
  }
  if (given.count("input") == 0)
    throw UsageError{"sl-run: error: found no program, expected FILE.sl or FILE.slc (--help)\n"};
  return runOne(given);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const UsageError& e) {
    std::cerr << e.message;
    return kUsage;
  } catch (const po::error& e) {
    std::cerr << "sl-run: error: " << e.what() << '\n';
    return kUsage;
  } catch (const std::exception& e) {
    std::cerr << "sl-run: internal error: " << e.what() << '\n';
    return kInternal;
  }
}
