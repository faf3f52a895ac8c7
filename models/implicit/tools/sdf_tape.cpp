// sdf-tape: assembler, disassembler, binary tapes, evaluation and pruning of implicit-surface
// tapes and expression files, with the batch mode of the machine tools.
#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

#include "models/common/tool/files.hpp"
#include "models/common/tool/json_lines.hpp"
#include "models/common/tool/program.hpp"
#include "models/implicit/assembler.hpp"
#include "models/implicit/codec.hpp"
#include "models/implicit/evaluate.hpp"
#include "models/implicit/import/vm.hpp"
#include "models/implicit/registers/program.hpp"
#include "models/implicit/tools/debugged_run.hpp"
#include "models/implicit/unit/object_record.hpp"

namespace {

namespace po = boost::program_options;
namespace json = boost::json;
using namespace rtvp::implicit;  // NOLINT(google-build-using-namespace): a program about this
using import::View;
using registers::Program;
using rtvp::tool::BadRequest;

namespace common = rtvp::common;
namespace debug = rtvp::debug;
namespace tool = rtvp::tool;
namespace status = tool::status;
constexpr std::size_t kMaxLine = std::size_t{64} << 20;

/// A file that is no model: its report is complete.
tool::Failure wrong(const std::string& report) {
  return tool::Failure::report(report, status::kFailed);
}
tool::Failure wrongFile(const std::string& name, const std::string& message) {
  return tool::Failure::at(name + ":1:1", message, status::kFailed);
}

/// A tape, or a program that has no tape within the limits.
struct Model {
  std::string name;
  std::optional<Tape> tape;
  std::optional<Program> program;
  std::vector<std::uint32_t> lines{};  ///< of the tape's instructions, if it is text
  bool expression = false;             ///< both come from an expression file
};

/// Numbers of binary64 beyond binary32 would come out infinite: they are refused.
float toFloat(double value, const std::string& what) {
  const auto f = static_cast<float>(value);
  if (!std::isfinite(f)) throw BadRequest(what + ": found a number beyond binary32");
  return f;
}

/// JSON has no NaN and no infinity: they become the words nan, inf and -inf.
json::value jsonOf(float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return static_cast<double>(value);
}

template <std::size_t N>
std::array<float, N> numbersOf(const json::value& value, const std::string& what) {
  const json::array* const list = value.if_array();
  if (list == nullptr || list->size() != N)
    throw BadRequest(what + ": expected an array of " + std::to_string(N) + " numbers");
  std::array<float, N> numbers{};
  for (std::size_t n = 0; n < N; ++n) {
    if (!(*list)[n].is_number())
      throw BadRequest(what + "[" + std::to_string(n) + "]: expected a number");
    numbers[n] = toFloat((*list)[n].to_number<double>(), what);
  }
  return numbers;
}

Bounds boxOf(const std::array<float, 6>& n, const std::string& what) {
  Bounds box{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
  for (unsigned axis = 0; axis < 3; ++axis)
    if (box.min[axis] > box.max[axis])
      throw BadRequest(what + ": expected xmin, ymin, zmin, xmax, ymax, zmax with min <= max");
  return box;
}

const json::array& listOf(const json::value& value, const std::string& what) {
  if (const json::array* const list = value.if_array()) return *list;
  throw BadRequest(what + ": expected an array");
}

bool flagOf(const json::object& request, const char* name) {
  const json::value* const flag = request.if_contains(name);
  if (flag != nullptr && !flag->is_bool())
    throw BadRequest(std::string(name) + ": expected true or false");
  return flag != nullptr && flag->get_bool();
}

std::string withoutNewline(std::string report) {
  report.pop_back();
  return report;
}

View viewOf(const json::object& request) {
  View view;
  const json::value* const given = request.if_contains("view");
  if (given == nullptr) return view;
  const std::array<float, 3> n = numbersOf<3>(*given, "view");
  if (!(n[0] > 1e-6F && n[0] < 1e6F))
    throw BadRequest("view: expected [scale, pitch, roll] with a scale from 1e-6 to 1e6");
  view.scale = static_cast<double>(n[0]);
  view.pitch = static_cast<double>(n[1]);
  view.roll = static_cast<double>(n[2]);
  return view;
}

/// The text of a tape, or of an expression file (as a program).
Model modelOf(const json::object& request) {
  const json::value* const tape = request.if_contains("tape");
  const json::value* const vm = request.if_contains("vm");
  const json::value* const text = vm != nullptr ? vm : tape;
  if (text == nullptr || !text->is_string() || (tape != nullptr && vm != nullptr))
    throw BadRequest("tape: expected the text form as a string (or vm: an expression file)");
  const std::string_view source(text->get_string());
  if (vm != nullptr) {
    const import::VmResult result = import::readVm("vm", source);
    if (!result.expression) throw BadRequest(withoutNewline(result.report()));
    return {"vm", std::nullopt, import::toProgram(*result.expression, viewOf(request))};
  }
  AssemblyResult result =
      assemble("tape", source, flagOf(request, "wide") ? Limits::wide() : Limits::seed());
  if (!result.tape) throw BadRequest(withoutNewline(result.report()));
  return {"tape", std::move(*result.tape), std::nullopt};
}

json::array boxAnswer(const Model& model, const Bounds& box, bool& undefined) {
  if (model.tape) {
    const BoxResult r = prune(*model.tape, Mask(model.tape->size()), box);
    undefined = r.value.undefined;
    return {jsonOf(r.value.lo), jsonOf(r.value.hi), r.mask.hex()};
  }
  const registers::IntervalResult r = prune(*model.program, box);
  undefined = r.value.undefined;
  return {jsonOf(r.value.lo), jsonOf(r.value.hi), r.program.clauses().size()};
}

float valueAt(const Model& model, const std::array<float, 3>& point) {
  return model.tape ? evaluate(*model.tape, point) : registers::evaluate(*model.program, point);
}

json::object answer(const json::object& request) {
  for (const auto& member : request) {
    const std::string_view key = member.key();
    constexpr std::array<std::string_view, 6> kKeys{"tape",   "vm",    "view",
                                                    "points", "boxes", "wide"};
    if (std::ranges::find(kKeys, key) == kKeys.end())
      throw BadRequest("found member " + rtvp::common::quotedAsIs(key) +
                       ", expected tape, points, boxes or wide (or vm, view)");
  }
  const Model model = modelOf(request);
  json::object reply;
  if (const json::value* const points = request.if_contains("points")) {
    json::array values;
    for (const json::value& point : listOf(*points, "points"))
      values.push_back(jsonOf(
          valueAt(model, numbersOf<3>(point, "points[" + std::to_string(values.size()) + "]"))));
    reply["values"] = std::move(values);
  }
  if (const json::value* const boxes = request.if_contains("boxes")) {
    json::array intervals, undefined;
    bool any = false;
    for (const json::value& box : listOf(*boxes, "boxes")) {
      const std::string what = "boxes[" + std::to_string(intervals.size()) + "]";
      bool flag = false;
      intervals.push_back(boxAnswer(model, boxOf(numbersOf<6>(box, what), what), flag));
      undefined.emplace_back(flag);
      any = any || flag;
    }
    reply["intervals"] = std::move(intervals);
    if (any) reply["undefined"] = std::move(undefined);
  }
  return reply;
}

Model imported(const std::string& name, const std::string& source, const View& view,
               Limits limits) {
  const import::VmResult result = import::readVm(name, source);
  if (!result.expression) throw wrong(result.report());
  try {
    return {name,
            import::toTape(*result.expression, view, limits),
            import::toProgram(*result.expression, view),
            {},
            true};
  } catch (const registers::ProgramError& e) {
    throw wrongFile(name, e.what());
  }
}

std::vector<Model> load(const std::string& path, const View& view, Limits limits) {
  const std::string name = tool::inputName(path);
  const std::string bytes = tool::readInput(path, "a tape", status::kFailed);
  std::vector<Model> models;
  if (bytes.starts_with("SDFT")) {
    try {
      for (Tape& tape : decode(readFile(tool::bytesOf(bytes))))
        models.push_back({name, std::move(tape), std::nullopt});
      return models;
    } catch (const CodecError& e) {
      throw wrongFile(name, e.what());
    }
  }
  if (path.ends_with(".vm")) {
    models.push_back(imported(name, bytes, view, limits));
    return models;
  }
  AssemblyResult result = assemble(name, bytes, limits);
  if (!result.tape) throw wrong(result.report());
  models.push_back({name, std::move(*result.tape), std::nullopt, std::move(result.lines)});
  return models;
}

template <std::size_t N>
std::array<float, N> numbersOf(const std::string& text, const char* option) {
  std::array<float, N> numbers{};
  std::size_t count = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    double value = 0;
    const auto [last, error] = std::from_chars(text.data() + at, text.data() + end, value);
    const bool good = error == std::errc{} && last == text.data() + end && count < N &&
                      std::isfinite(static_cast<float>(value));
    if (!good) break;
    numbers[count++] = static_cast<float>(value);
    at = end + 1;
    if (end == text.size() && count == N) return numbers;
  }
  throw tool::Failure(std::string("found ") + option + " " + text + ", expected " +
                      std::to_string(N) + " numbers with commas between");
}

void printWords(const Tape& tape) {
  for (std::size_t at = 0; at < tape.size(); ++at) std::printf("%04x\n", tape.code()[at].word());
}

void printTapes(const EncodedTapes& encoded) {
  const auto print = [](const char* name, const std::vector<std::uint8_t>& bytes) {
    std::printf("%s", name);
    for (std::size_t at = 0; at < bytes.size(); ++at)
      std::printf(at % 16 == 0 ? "\n  %02x" : " %02x", bytes[at]);
    std::printf("\n");
  };
  print("descriptions", encoded.descriptions);
  constexpr std::array<const char*, kTapeKinds> kNames{"opcodes", "floats",    "vec2s",
                                                       "vec4s",   "mat2s",     "mat3s",
                                                       "mat4s",   "materials", "dependencies"};
  for (unsigned n = 0; n < kTapeKinds; ++n) print(kNames[n], encoded.tapes[n]);
}

std::string rangeText(const Interval& range) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "[%.9g, %.9g]%s", static_cast<double>(range.lo),
                static_cast<double>(range.hi), range.undefined ? " maybe undefined" : "");
  return text.data();
}

std::string boxText(const Tape& tape, const BoxResult& r, bool listed) {
  std::string text = rangeText(r.value) + " mask " + r.mask.hex() + ": " +
                     std::to_string(r.mask.executed()) + " of " + std::to_string(tape.size()) +
                     " instructions\n";
  for (std::size_t at = 0; listed && at < tape.size(); ++at) {
    std::array<char, 24> head{};
    std::snprintf(head.data(), head.size(), "%5zu %c ", at, r.mask.executes(at) ? '+' : '-');
    text += head.data() + disassemble(tape.code()[at]) + "\n";
  }
  return text;
}

std::string boxText(const Program& program, const registers::IntervalResult& r, bool listed) {
  return rangeText(r.value) + ": " + std::to_string(r.program.clauses().size()) + " of " +
         std::to_string(program.clauses().size()) + " clauses\n" +
         (listed ? registers::disassemble(r.program) : "");
}

std::string numberText(float value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g\n", static_cast<double>(value));
  return text.data();
}

/// What is to be evaluated of each model.
struct Wanted {
  explicit Wanted(const po::variables_map& given)
      : listed(tool::has(given, "prune")), registers(tool::has(given, "registers")) {
    for (const std::string& text : tool::listOf(given, "point"))
      points.push_back(numbersOf<3>(text, "--point"));
    for (const std::string& text : tool::listOf(given, "box"))
      boxes.push_back(boxOf(numbersOf<6>(text, "--box"), "--box"));
  }
  std::vector<std::array<float, 3>> points;
  std::vector<Bounds> boxes;
  bool listed, registers;
};

std::string evaluated(const Model& model, const Wanted& wanted) {
  std::string text;
  for (const auto& point : wanted.points) text += numberText(valueAt(model, point));
  for (const Bounds& box : wanted.boxes) {
    text +=
        model.tape && !wanted.registers
            ? boxText(*model.tape, prune(*model.tape, Mask(model.tape->size()), box), wanted.listed)
            : boxText(*model.program, prune(*model.program, box), wanted.listed);
  }
  return text;
}

/// All as tapes; a model without one is refused.
std::vector<Tape> tapesOf(const std::vector<Model>& models) {
  std::vector<Tape> tapes;
  for (const Model& model : models) {
    if (!model.tape)
      throw wrongFile(model.name,
                      "found an expression without a stack order within the limits, "
                      "expected one that is a tape (--wide lifts the limits)");
    tapes.push_back(*model.tape);
  }
  return tapes;
}

void printForms(const Model& model, const po::variables_map& given) {
  if (given.count("words") != 0) printWords(tapesOf({model})[0]);
  const bool registers_form = given.count("registers") != 0;
  if (registers_form || (given.count("disassemble") != 0 && !model.tape))
    std::printf("%s", registers::disassemble(*model.program).c_str());
  else if (given.count("disassemble") != 0)
    std::printf("%s", disassemble(*model.tape).c_str());
}

View viewOf(const po::variables_map& given) {
  View view;
  view.scale = given["scale"].as<double>();
  view.pitch = given["pitch"].as<double>();
  view.roll = given["roll"].as<double>();
  const bool good = view.scale > 1e-6 && view.scale < 1e6 && std::abs(view.pitch) <= 360 &&
                    std::abs(view.roll) <= 360;
  if (!good)
    throw tool::Failure(
        "found a view out of range, expected --scale from 1e-6 to 1e6, --pitch "
        "and --roll from -360 to 360");
  return view;
}

/// The same under the debugger; the model is object `number` there.
std::string evaluated(const Model& model, const Wanted& wanted, std::uint32_t number,
                      DebugDriver& driver) {
  const bool stacks = model.tape && !wanted.registers;
  render::Code code;
  if (stacks) {
    code.mask.emplace(model.tape->size());
    code.executed = static_cast<std::uint32_t>(model.tape->size());
    // A tape may be too long for the register form: points that nobody looks at run the tape, too.
  } else {
    code = render::Code::compact(*model.program);
  }
  render::Evaluation what;
  what.object = number;
  what.tape = model.tape ? &*model.tape : nullptr;
  what.code = &code;
  std::string text;
  for (const auto& point : wanted.points) {
    text += numberText(render::valueAt(&driver, what, point));
    ++what.sample;
  }
  what.phase = render::Phase::Box;
  what.sample = 0;
  for (const Bounds& box : wanted.boxes) {
    text += stacks
                ? boxText(*model.tape, render::pruneMask(&driver, what, box, {}), wanted.listed)
                : boxText(*model.program, render::pruneProgram(&driver, what, box), wanted.listed);
    ++what.sample;
  }
  return text;
}

/// Each model with its number in the debugger. With `--registers` the program of an expression file
/// is what its own clauses say.
DebugCodes codesOf(std::vector<Model>& models, const Wanted& wanted) {
  DebugCodes codes(wanted.registers ? DebugForm::Rows : DebugForm::Stacks);
  for (Model& model : models) {
    DebugCode code;
    code.name = std::filesystem::path(model.name).stem().string();
    code.file = model.name;
    code.lines = model.lines;
    if (wanted.registers && model.expression) model.tape.reset();
    if (model.tape) {
      code.tape = std::make_shared<const Tape>(*model.tape);
    } else {
      model.program = registers::decode(registers::encode(*model.program));
      code.program = std::make_shared<const Program>(*model.program);
    }
    codes.add(std::move(code));
  }
  return codes;
}

/// Prints what came of it unless the user has left before.
void workUnderDebugger(std::vector<Model> models, const Wanted& wanted, DebuggedRun& debugged,
                       bool quiet) {
  std::string text;
  DebugCodes codes = codesOf(models, wanted);
  const bool done = debugged.run(std::move(codes), [&](DebugDriver& driver) {
    text.clear();
    for (std::uint32_t n = 0; n < models.size(); ++n)
      text += evaluated(models[n], wanted, n, driver);
    return std::string("all is evaluated");
  });
  if (done && !quiet) std::cout << text;
}

/// What lies in the files, evaluated and written as the options say.
int work(const po::variables_map& given) {
  const std::vector<std::string> paths = tool::listOf(given, "input");
  std::vector<std::string> standard = paths;
  const debug::ToolWishes wishes = debug::ToolWishes::of(given);
  standard.push_back(wishes.commands);
  standard.push_back(wishes.dap);
  tool::requireOneStandard(standard, "input");
  const Wanted wanted(given);
  if (wishes.any() && wanted.points.empty() && wanted.boxes.empty())
    throw tool::Failure("found a debugger without anything to evaluate, expected --point or --box");
  std::optional<DebuggedRun> debugged;
  if (wishes.any()) debugged.emplace(wishes);
  std::vector<Model> models;
  for (const std::string& path : paths) {
    for (Model& model :
         load(path, viewOf(given), given.count("wide") != 0 ? Limits::wide() : Limits::seed()))
      models.push_back(std::move(model));
  }
  if (tool::has(given, "output"))
    tool::writeOutput(tool::textOf(given, "output"),
                      tool::textOf(writeFile(encode(tapesOf(models)))));
  if (given.count("tapes") != 0) printTapes(encode(tapesOf(models)));
  for (std::size_t n = 0; n < models.size(); ++n) {
    if (!models[n].program && given.count("registers") != 0)
      models[n].program = registers::compile(*models[n].tape);
    if (models.size() > 1 && given.count("disassemble") + given.count("registers") != 0)
      std::printf("; object %zu\n", n);
    printForms(models[n], given);
    if (!debugged) std::cout << evaluated(models[n], wanted) << std::flush;
  }
  if (debugged) workUnderDebugger(std::move(models), wanted, *debugged, wishes.dap == "-");
  return status::kDone;
}

/// The object that `platform --dump-node` has recorded. Under the debugger if somebody wishes.
int replayObject(const std::string& folder, const debug::ToolWishes& wishes) {
  std::optional<DebuggedRun> debugged;
  if (wishes.any()) debugged.emplace(wishes);
  const unit::ObjectRecording recorded = unit::readObject(folder);
  unit::ObjectRecording found;
  if (!debugged) {
    found = unit::replay(recorded);
  } else if (!debugged->replay(recorded, found) || wishes.dap == "-") {
    return status::kDone;
  }
  const std::string name = recorded.unit + ", " + recorded.moment;
  const common::RecordDifferences different = unit::differences(found, recorded);
  if (!different.none()) {
    std::cout << name << ": differs from what was recorded\n" << different.text();
    return status::kFailed;
  }
  std::cout << name << ": as recorded, " << found.leaves.size() << " leaves, hulls in "
            << found.hull.clocks << " clocks, " << found.traced.count << " hits by "
            << found.traced.counters.evaluations() << " evaluations in " << found.traced.clocks
            << " clocks\n";
  return status::kDone;
}

int run(const po::variables_map& given) {
  if (tool::has(given, "object")) {
    if (tool::has(given, "input") || tool::has(given, "batch"))
      throw tool::Failure("found --object and something else to do, expected it alone (--help)");
    return tool::refusing<common::RecordError>(status::kUsage, [&given] {
      return replayObject(tool::textOf(given, "object"), debug::ToolWishes::of(given));
    });
  }
  if (debug::ToolWishes::of(given).any() &&
      (tool::has(given, "manual") || tool::has(given, "batch")))
    throw tool::Failure("found a debugger beside --batch or --manual, expected FILE or --object");
  if (tool::has(given, "manual")) {
    std::cout << manual();
    return status::kDone;
  }
  if (tool::has(given, "batch")) {
    std::ios::sync_with_stdio(false);
    tool::answerJsonLines(std::cin, std::cout, kMaxLine, answer);
    return status::kDone;
  }
  if (!tool::has(given, "input"))
    throw tool::Failure("found no tape, expected FILE.sdf, FILE.sdft or FILE.vm (--help)");
  return tool::refusing<BadRequest>(status::kUsage, [&given] { return work(given); });
}

void declare(po::options_description& options) {
  using Strings = std::vector<std::string>;
  auto add = options.add_options();
  add("output,o", po::value<std::string>()->value_name("FILE.sdft"),
      "write all objects as binary tapes");
  add("disassemble,d", "print the tapes as text that assembles again");
  add("words", "print one instruction word of 4 hexadecimal digits a line");
  add("tapes", "print all binary tapes as hexadecimal bytes");
  add("point", po::value<Strings>()->value_name("x,y,z"), "print f there (several allowed)");
  add("box", po::value<Strings>()->value_name("xmin,ymin,zmin,xmax,ymax,zmax"),
      "print the range of f and the pruned mask (several allowed)");
  add("prune",
      "with --box: list the instructions, + kept, - skipped; or the pruned registers form");
  add("registers", "print the register form; with --box: prune that");
  add("scale", po::value<double>()->default_value(1)->value_name("S"),
      "view of a .vm file: model point = Rz(roll) Rx(pitch) (point / scale)");
  add("pitch", po::value<double>()->default_value(0)->value_name("degrees"), "see --scale");
  add("roll", po::value<double>()->default_value(0)->value_name("degrees"), "see --scale");
  add("wide", "text may have up to 65535 instructions and stacks of 256 (seed: 232 and 8)");
  add("batch", "one JSON request a line on stdin, one answer a line on stdout");
  add("object", po::value<std::string>()->value_name("DIR"),
      "an object that platform --dump-node has recorded: the same hull, hits, counts and clocks, "
      "or exit status 1 and what differs");
  add("manual", "print the opcode table as Markdown and stop");
  debug::ToolWishes::declare(options, "break part.sdf:7; run; regs");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "sdf-tape",
                    .summary = "assembles, shows and evaluates tapes of implicit surfaces",
                    .usage = "sdf-tape [options] FILE.sdf|FILE.sdft|FILE.vm...\nsdf-tape --batch\n"
                             "sdf-tape --object DIR\n"
                             "Without options the files are checked only.\n",
                    .declare = declare,
                    .run = run,
                    .input = "input",
                    .inputs = tool::Program::kAnyNumber,
                    .abbreviations = false,
                    .writes = {"output"},
                    .reads = {"commands"}},
                   argc, argv);
}
