// Expression files from any bytes, and register programs: bytes that start with WORD are the words
// of a program, others an expression file. What is refused says where and why; what is accepted
// gives equal bits as program, as tape, pruned, through words, and in batches.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "models/implicit/import/vm.hpp"
#include "models/implicit/registers/batch_evaluator.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;
using namespace rtvp::implicit;             // NOLINT(google-build-using-namespace): a program
using namespace rtvp::implicit::registers;  // NOLINT(google-build-using-namespace): about these

namespace {

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

constexpr std::array<Bounds, 3> kBoxes{
    {{{-1, -1, -1}, {1, 1, 1}}, {{0.25F, 0.5F, 1}, {0.5F, 0.75F, 2}}, {{5, 5, 5}, {5, 5, 5}}}};

void checkProgram(const Program& program) {
  const std::vector<std::uint64_t> words = encode(program);
  const Program again = decode(words);
  require(encode(again) == words, "words give the same words");
  BatchEvaluator batch;
  std::array<Interval, kBoxes.size()> ranges;
  batch.boxes(program, kBoxes, ranges);
  std::vector<float> x, y, z;
  for (unsigned n = 0; n < kBoxes.size(); ++n) {
    const Bounds& box = kBoxes[n];
    const IntervalResult r = prune(program, box);
    require(same(ranges[n].lo, r.value.lo) && same(ranges[n].hi, r.value.hi) &&
                ranges[n].undefined == r.value.undefined,
            "many boxes give the range of one");
    const Program pruned = batch.prune(program, n);
    for (const auto& p : {box.min, box.max}) {
      const float whole = evaluate(program, p);
      require(same(evaluate(r.program, p), whole), "a pruned program gives the whole one's value");
      require(same(evaluate(pruned, p), whole), "so does one pruned from many boxes");
      require(same(evaluate(again, p), whole), "words hold the program");
      require(std::isnan(whole) ? r.value.undefined : r.value.contains(whole),
              "a point lies in the interval");
      x.push_back(p[0]);
      y.push_back(p[1]);
      z.push_back(p[2]);
    }
  }
  std::vector<float> out(x.size());
  batch.points(program, x, y, z, out);
  for (std::size_t n = 0; n < out.size(); ++n)
    require(same(out[n], evaluate(program, std::array<float, 3>{x[n], y[n], z[n]})),
            "many points give the value of one");
}

void checkText(const std::string& source) {
  const import::VmResult result = import::readVm("a.vm", source);
  require(result.expression.has_value() == result.diagnostics.empty(), "a model or an error");
  const auto lines = static_cast<std::size_t>(std::count(source.begin(), source.end(), '\n')) + 1;
  for (const Diagnostic& d : result.diagnostics) {
    require(d.line >= 1 && d.line <= lines && d.column >= 1 && d.column <= source.size() + 1,
            "errors lie in the text");
    require(!d.message.empty(), "errors say something");
  }
  if (!result.expression) return;
  const import::View view{0.5, 20, 30};
  for (const import::View& turned : {import::View{}, view}) {
    const Program program = import::toProgram(*result.expression, turned);
    checkProgram(program);
    if (const auto tape = import::toTape(*result.expression, turned)) {
      require(turned.identity() == false || same(evaluate(*tape, {0.3F, -0.5F, 2}),
                                                 evaluate(program, std::array{0.3F, -0.5F, 2.0F})),
              "tape and program agree");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  const std::string source(reinterpret_cast<const char*>(data), size);
  if (!source.starts_with("WORD")) {
    checkText(source);
    return 0;
  }
  std::vector<std::uint64_t> words((size - 4) / 8);
  if (!words.empty()) std::memcpy(words.data(), data + 4, words.size() * 8);
  try {
    checkProgram(decode(words));
  } catch (const ProgramError& e) {
    require(e.what()[0] != '\0', "a refusal says why");
  }
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  const std::string all =
      "# every operation\nx var-x\ny var-y\nz var-z\nc const 0.75\na1 neg x\na2 abs y\na3 recip c\n"
      "a4 square z\na5 sqrt a4\na6 floor x\na7 ceil y\na8 round z\na9 sin x\nb1 cos y\nb2 tan z\n"
      "b3 asin c\nb4 acos c\nb5 atan x\nb6 exp y\nb7 ln a2\nb8 not x\nc1 add a1 a3\nc2 sub c1 a5\n"
      "c3 mul c2 a6\nc4 div c3 a7\nc5 min c4 a8\nc6 max c5 a9\nc7 compare b1 b2\nc8 mod c6 b3\n"
      "c9 and c7 b4\nd1 or c9 b5\nd2 atan2 b6 b7\nd3 add d1 d2\nd4 min d3 c8\nd5 max d4 b8\n";
  const std::string ball =
      "x var-x\ny var-y\nx2 square x\ny2 square y\ns add x2 y2\nr sqrt s\none const 1\nf sub r "
      "one\ng min f x\nh max g y\n";
  std::vector<std::string> result{all, ball};
  for (const std::string& text : {all, ball}) {
    const import::VmResult read = import::readVm("seed", text);
    const std::vector<std::uint64_t> words = encode(import::toProgram(*read.expression));
    std::string bytes = "WORD";
    bytes.append(reinterpret_cast<const char*>(words.data()), words.size() * 8);
    result.push_back(std::move(bytes));
  }
  return result;
}

}  // namespace rtvp::fuzz
