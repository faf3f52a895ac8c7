// sdf-tape: assembler, disassembler, binary tapes, evaluation and pruning of implicit-surface
// tapes, with the batch mode of the machine tools.
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

#include "models/common/json_lines.hpp"
#include "models/common/tool_files.hpp"
#include "models/implicit/assembler.hpp"
#include "models/implicit/codec.hpp"
#include "models/implicit/evaluate.hpp"

namespace {

namespace po = boost::program_options;
namespace json = boost::json;
using namespace rtvp::implicit;  // NOLINT(google-build-using-namespace): a program about this
using rtvp::common::BadRequest;

constexpr int kDone = 0, kFailed = 1, kUsage = 2, kInternal = 70;
constexpr std::size_t kMaxLine = std::size_t{64} << 20;

/// Wrong input: the message is complete.
struct InputError {
  std::string message;
};
struct UsageError {
  std::string message;
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

Tape tapeOf(const json::object& request) {
  const json::value* const text = request.if_contains("tape");
  if (text == nullptr || !text->is_string())
    throw BadRequest("tape: expected the text form as a string");
  const json::value* const wide = request.if_contains("wide");
  if (wide != nullptr && !wide->is_bool()) throw BadRequest("wide: expected true or false");
  const bool is_wide = wide != nullptr && wide->get_bool();
  AssemblyResult result = assemble("tape", std::string_view(text->get_string()),
                                   is_wide ? Limits::wide() : Limits::seed());
  if (!result.tape) {
    std::string report = result.report();
    report.pop_back();
    throw BadRequest(report);
  }
  return std::move(*result.tape);
}

json::object answer(const json::object& request) {
  for (const auto& member : request) {
    const std::string_view key = member.key();
    if (key != "tape" && key != "points" && key != "boxes" && key != "wide")
      throw BadRequest("found member " + rtvp::common::quoted(key) +
                       ", expected tape, points, boxes or wide");
  }
  const Tape tape = tapeOf(request);
  json::object reply;
  if (const json::value* const points = request.if_contains("points")) {
    json::array values;
    for (const json::value& point : listOf(*points, "points"))
      values.push_back(jsonOf(
          evaluate(tape, numbersOf<3>(point, "points[" + std::to_string(values.size()) + "]"))));
    reply["values"] = std::move(values);
  }
  if (const json::value* const boxes = request.if_contains("boxes")) {
    json::array intervals, undefined;
    bool any = false;
    for (const json::value& box : listOf(*boxes, "boxes")) {
      const std::string what = "boxes[" + std::to_string(intervals.size()) + "]";
      const BoxResult r = prune(tape, Mask(tape.size()), boxOf(numbersOf<6>(box, what), what));
      intervals.push_back(json::array{jsonOf(r.value.lo), jsonOf(r.value.hi), r.mask.hex()});
      undefined.emplace_back(r.value.undefined);
      any = any || r.value.undefined;
    }
    reply["intervals"] = std::move(intervals);
    if (any) reply["undefined"] = std::move(undefined);
  }
  return reply;
}

std::vector<Tape> load(const std::string& path, Limits limits) {
  const std::optional<std::string> bytes = rtvp::common::readFile(path);
  if (!bytes) throw InputError{path + ":1:1: error: found no readable file, expected one\n"};
  std::vector<Tape> objects;
  if (bytes->starts_with("SDFT")) {
    try {
      return decode(
          readFile({reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()}));
    } catch (const CodecError& e) {
      throw InputError{path + ":1:1: error: " + e.what() + "\n"};
    }
  }
  AssemblyResult result = assemble(path, *bytes, limits);
  if (!result.tape) throw InputError{result.report()};
  objects.push_back(std::move(*result.tape));
  return objects;
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
  throw UsageError{std::string("sdf-tape: error: found ") + option + " " + text + ", expected " +
                   std::to_string(N) + " numbers with commas between\n"};
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

void printEvaluations(const Tape& tape, const po::variables_map& given) {
  if (given.count("point") != 0) {
    for (const std::string& text : given["point"].as<std::vector<std::string>>())
      std::printf("%.9g\n", static_cast<double>(evaluate(tape, numbersOf<3>(text, "--point"))));
  }
  if (given.count("box") == 0) return;
  for (const std::string& text : given["box"].as<std::vector<std::string>>()) {
    const Bounds box = boxOf(numbersOf<6>(text, "--box"), "--box");
    const BoxResult r = prune(tape, Mask(tape.size()), box);
    std::printf("[%.9g, %.9g]%s mask %s: %zu of %zu instructions\n",
                static_cast<double>(r.value.lo), static_cast<double>(r.value.hi),
                r.value.undefined ? " maybe undefined" : "", r.mask.hex().c_str(),
                r.mask.executed(), tape.size());
    if (given.count("prune") == 0) continue;
    for (std::size_t at = 0; at < tape.size(); ++at)
      std::printf("%5zu %c %s\n", at, r.mask.executes(at) ? '+' : '-',
                  disassemble(tape.code()[at]).c_str());
  }
}

void save(const std::string& path, const EncodedTapes& encoded) {
  const std::vector<std::uint8_t> bytes = writeFile(encoded);
  if (!rtvp::common::writeFile(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}))
    throw InputError{path +
                     ":1:1: error: found a file that cannot be written, expected a "
                     "writable one\n"};
}

int work(const po::variables_map& given) {
  std::vector<Tape> objects;
  for (const std::string& path : given["input"].as<std::vector<std::string>>()) {
    for (Tape& tape : load(path, given.count("wide") != 0 ? Limits::wide() : Limits::seed()))
      objects.push_back(std::move(tape));
  }
  if (given.count("output") != 0) save(given["output"].as<std::string>(), encode(objects));
  if (given.count("tapes") != 0) printTapes(encode(objects));
  for (std::size_t n = 0; n < objects.size(); ++n) {
    if (given.count("words") != 0) printWords(objects[n]);
    if (given.count("disassemble") != 0) {
      if (objects.size() > 1) std::printf("; object %zu\n", n);
      std::printf("%s", disassemble(objects[n]).c_str());
    }
    printEvaluations(objects[n], given);
  }
  return kDone;
}

int run(int argc, char** argv) {
  using Strings = std::vector<std::string>;
  po::options_description visible("options"), all;
  visible.add_options()("output,o", po::value<std::string>()->value_name("FILE.sdft"),
                        "write all objects as binary tapes")(
      "disassemble,d", "print the tapes as text that assembles again")(
      "words", "print one instruction word of 4 hexadecimal digits a line")(
      "tapes", "print all binary tapes as hexadecimal bytes")(
      "point", po::value<Strings>()->value_name("x,y,z"), "print f there (several allowed)")(
      "box", po::value<Strings>()->value_name("xmin,ymin,zmin,xmax,ymax,zmax"),
      "print the range of f and the pruned mask (several allowed)")(
      "prune", "with --box: list the instructions, + kept, - skipped")(
      "wide", "text may have up to 65535 instructions and stacks of 256 (seed: 232 and 8)")(
      "batch", "one JSON request a line on stdin, one answer a line on stdout")(
      "manual", "print the opcode table as Markdown and stop")("help,h", "print this and stop");
  all.add(visible).add_options()("input", po::value<Strings>(), "");
  po::positional_options_description positional;
  positional.add("input", -1);
  const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  po::variables_map given;
  po::store(
      po::command_line_parser(argc, argv).options(all).positional(positional).style(style).run(),
      given);
  po::notify(given);
  if (given.count("help") != 0) {
    std::cout << "sdf-tape [options] FILE.sdf|FILE.sdft...\nsdf-tape --batch\n"
                 "Without options the files are checked only.\n"
              << visible;
    return kDone;
  }
  if (given.count("manual") != 0) {
    std::cout << manual();
    return kDone;
  }
  if (given.count("batch") != 0) {
    std::ios::sync_with_stdio(false);
    rtvp::common::answerJsonLines(std::cin, std::cout, kMaxLine, answer);
    return kDone;
  }
  if (given.count("input") == 0)
    throw UsageError{"sdf-tape: error: found no tape, expected FILE.sdf or FILE.sdft (--help)\n"};
  return work(given);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const InputError& e) {
    std::cerr << e.message;
    return kFailed;
  } catch (const UsageError& e) {
    std::cerr << e.message;
    return kUsage;
  } catch (const BadRequest& e) {
    std::cerr << "sdf-tape: error: " << e.what() << '\n';
    return kUsage;
  } catch (const po::error& e) {
    std::cerr << "sdf-tape: error: " << e.what() << '\n';
    return kUsage;
  } catch (const std::exception& e) {
    std::cerr << "sdf-tape: internal error: " << e.what() << '\n';
    return kInternal;
  }
}
