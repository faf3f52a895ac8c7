// Expression files: every operation, sharing, views, tapes and programs alike, and what is refused.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "models/implicit/import/vm.hpp"
#include "tests/models/implicit/support.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::implicit::import {
namespace {

using test::same;
using Point = std::array<float, 3>;

Expression read(const std::string& text) {
  VmResult result = readVm("m.vm", text);
  if (!result.expression) throw std::runtime_error(result.report());
  return std::move(*result.expression);
}

float valueOf(const std::string& text, const Point& point = {2, 3, 5}) {
  const Expression expression = read(text);
  const float value = evaluate(toProgram(expression), point);
  const std::optional<Tape> tape = toTape(expression, {}, Limits::seed());
  EXPECT_TRUE(tape.has_value());
  if (tape) {
    EXPECT_TRUE(same(implicit::evaluate(*tape, point), value)) << text;
  }
  return value;
}

TEST(Vm, EveryOperation) {
  const std::vector<std::pair<const char*, std::function<float(float)>>> unary = {
      {"neg", [](float a) { return -a; }},
      {"abs", [](float a) { return std::abs(a); }},
      {"recip", [](float a) { return 1 / a; }},
      {"sqrt", [](float a) { return std::sqrt(a); }},
      {"square", [](float a) { return a * a; }},
      {"floor", [](float a) { return std::floor(a); }},
      {"ceil", [](float a) { return std::ceil(a); }},
      {"round", [](float a) { return std::round(a); }},
      {"sin", [](float a) { return std::sin(a); }},
      {"cos", [](float a) { return std::cos(a); }},
      {"tan", [](float a) { return std::tan(a); }},
      {"asin", [](float a) { return std::asin(a); }},
      {"acos", [](float a) { return std::acos(a); }},
      {"atan", [](float a) { return std::atan(a); }},
      {"exp", [](float a) { return std::exp(a); }},
      {"ln", [](float a) { return std::log(a); }},
      {"not", [](float a) { return a == 0 ? 1.0F : 0.0F; }},
  };
  for (const auto& [name, formula] : unary) {
    for (const float x : {0.25F, 0.75F, 0.0F}) {
      const float got = valueOf("x var-x\nr " + std::string(name) + " x\n", {x, 0, 0});
      EXPECT_TRUE(got == formula(x) || std::abs(got - formula(x)) < 1e-6F) << name << " " << got;
    }
  }
  const std::vector<std::pair<const char*, std::function<float(float, float)>>> binary = {
      {"add", [](float a, float b) { return a + b; }},
      {"sub", [](float a, float b) { return a - b; }},
      {"mul", [](float a, float b) { return a * b; }},
      {"div", [](float a, float b) { return a / b; }},
      {"min", [](float a, float b) { return std::min(a, b); }},
      {"max", [](float a, float b) { return std::max(a, b); }},
      {"compare", [](float a, float b) { return a < b   ? -1.0F
                                                : a > b ? 1.0F
                                                        : 0.0F; }},
      {"and", [](float a, float b) { return a == 0 ? a : b; }},
      {"or", [](float a, float b) { return a == 0 ? b : a; }},
      {"atan2", [](float a, float b) { return std::atan2(a, b); }},
      {"mod", [](float a, float b) { return a - std::abs(b) * std::floor(a / std::abs(b)); }},
  };
  for (const auto& [name, formula] : binary) {
    for (const auto& [x, y] : {std::pair(1.5F, -2.25F), {-3.5F, 1.25F}, {0.0F, 2.0F}})
      EXPECT_NEAR(valueOf("x var-x\ny var-y\nr " + std::string(name) + " x y\n", {x, y, 0}),
                  formula(x, y), 1e-6)
          << name;
  }
  EXPECT_EQ(valueOf("z var-z\n"), 5);
  EXPECT_EQ(valueOf("# only\n\n c const -2.5 # a number\n"), -2.5F);
}

TEST(Vm, EqualClausesAreOne) {
  const registers::Program program = toProgram(
      read("x var-x\ny var-y\na add x y\nb add x y\nz var-x\nc add z y\nd mul a b\ne mul d c\n"));
  EXPECT_EQ(program.clauses().size(), 3U);
}

TEST(Vm, ViewTurnsThenRolls) {
  // Model point = Rz Rx (p / scale): with pitch 90 the model's z is the picture's y.
  const auto at = [](const char* axis, const View& view) {
    const Expression expression = read(std::string("v ") + axis + "\n");
    const float value = evaluate(toProgram(expression, view), Point{1, 2, 4});
    EXPECT_NEAR(implicit::evaluate(*toTape(expression, view), {1, 2, 4}), value, 0);
    return value;
  };
  EXPECT_NEAR(at("var-z", {2, 90, 0}), 1, 1e-6);
  EXPECT_NEAR(at("var-y", {2, 90, 0}), -2, 1e-6);
  EXPECT_NEAR(at("var-x", {2, 90, 90}), 2, 1e-6);
  EXPECT_NEAR(at("var-y", {1, 0, 90}), 1, 1e-6);
}

TEST(Vm, ErrorsAreLocated) {
  const auto error = [](const std::string& text) {
    const VmResult result = readVm("m.vm", text);
    EXPECT_FALSE(result.expression.has_value());
    return result.report();
  };
  EXPECT_EQ(error(""), "m.vm:1:1: error: found the end of the file, expected a clause\n");
  EXPECT_EQ(error("x var-x\nx var-y\n"), "m.vm:2:1: error: found 'x' again, expected a new name\n");
  EXPECT_EQ(error("a frob x\n"),
            "m.vm:1:3: error: found operation 'frob', expected one like const, var-x or add\n");
  EXPECT_EQ(error("a const one\n"), "m.vm:1:9: error: found 'one', expected a decimal number\n");
  EXPECT_EQ(error("a var-x\nb add a c\nd neg b\n"),
            "m.vm:2:9: error: found 'c', expected the name of a clause above\n");
  EXPECT_EQ(error("a neg a\n"),
            "m.vm:1:7: error: found 'a', expected the name of a clause above\n");
  EXPECT_EQ(error("a var-x\nb add a\n"), "m.vm:2:7: error: found 1 arguments, 'add' expects 2\n");
  EXPECT_EQ(error("a var-x 1\n"), "m.vm:1:9: error: found 1 arguments, 'var-x' expects 0\n");
  EXPECT_EQ(error("a\n"),
            "m.vm:1:1: error: found 'a' alone, expected a name, an operation and "
            "arguments\n");
  EXPECT_EQ(readVm(
                "m.vm", std::string(100, '\n') +
                            [] {
                              std::string many;
                              for (unsigned n = 0; n < 50; ++n) many += "q\n";
                              return many;
                            }())
                .diagnostics.size(),
            20U);
}

TEST(Vm, LongModelsAreBounded) {
  // Sharing that doubles with each clause has no stack order, but a program.
  std::string text = "v0 var-x\n";
  for (unsigned n = 1; n < 60; ++n)
    text += "a" + std::to_string(n) + " add v" + std::to_string(n - 1) + " v" +
            std::to_string(n - 1) + "\nb" + std::to_string(n) + " neg v" + std::to_string(n - 1) +
            "\nv" + std::to_string(n) + " max a" + std::to_string(n) + " b" + std::to_string(n) +
            "\n";
  const Expression expression = read(text);
  EXPECT_FALSE(toTape(expression).has_value());
  EXPECT_EQ(evaluate(toProgram(expression), Point{1, 0, 0}), 0x1p59F);
  std::string high = "v0 var-x\n";
  for (unsigned n = 1; n < 70000; ++n)
    high += "v" + std::to_string(n) + " sqrt v" + std::to_string(n - 1) + "\n";
  EXPECT_FALSE(toTape(read(high)).has_value());
  EXPECT_THROW(toProgram(read(high)), registers::ProgramError);
}

/// Every shipped model, RTVP_BOXES boxes each.
class Models : public ::testing::TestWithParam<std::string> {
 protected:
  struct Model {
    Tape tape;
    registers::Program program;
  };
  static Model load(const View& view) {
    std::ifstream in(RTVP_SOURCE_DIR "/scenes/implicit/" + GetParam());
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (GetParam().ends_with(".sdf")) {
      const Tape tape = test::assembled(text);
      return {tape, registers::compile(tape)};
    }
    const Expression expression = read(text);
    return {toTape(expression, view).value(), toProgram(expression, view)};
  }
};

TEST_P(Models, PrunedEqualsWholeInItsBox) {
  constexpr unsigned kSeed = 3;
  const Model model = load({0.7, 60, 30});
  const Mask all(model.tape.size());
  std::mt19937 random(kSeed);
  std::size_t dropped = 0;
  for (unsigned n = 0; n < RTVP_BOXES && !HasFailure(); ++n) {
    const Bounds box = test::randomBox(random);
    const registers::IntervalResult r = prune(model.program, box);
    const BoxResult masked = implicit::prune(model.tape, all, box);
    EXPECT_EQ(r.value, masked.value) << "seed " << kSeed;
    dropped += model.program.clauses().size() - r.program.clauses().size();
    for (unsigned sample = 0; sample < 3; ++sample) {
      const Point p = test::pointIn(box, random);
      const float want = implicit::evaluate(model.tape, p);
      EXPECT_TRUE(same(implicit::evaluate(model.tape, masked.mask, p), want)) << "seed " << kSeed;
      EXPECT_TRUE(same(evaluate(model.program, p), want)) << "seed " << kSeed;
      EXPECT_TRUE(same(evaluate(r.program, p), want)) << "seed " << kSeed;
    }
  }
  if (!model.program.selections().empty()) {
    EXPECT_GT(dropped, 0U);
  }
}

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(RTVP_SOURCE_DIR "/scenes/implicit")) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".sdf" || extension == ".vm")
      names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Shipped, Models, ::testing::ValuesIn(shipped()), [](const auto& row) {
  std::string name = row.param;
  std::ranges::replace_if(
      name, [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
});

TEST(Vm, ModelsShip) {
  EXPECT_GE(shipped().size(), 7U);
}

/// A tape may have as many instructions as the limit says. A coordinate takes two, a function one,
/// operands in the other order one more, the end one.
TEST(Vm, TapesFillTheirLimit) {
  std::string chain = "v0 var-x\n";
  for (unsigned n = 1; n <= 5; ++n)
    chain += "v" + std::to_string(n) + " neg v" + std::to_string(n - 1) + "\n";
  const Expression functions = read(chain);
  ASSERT_TRUE(toTape(functions, {}, Limits{2 + 5 + 1, 4}).has_value());
  EXPECT_EQ(toTape(functions, {}, Limits{8, 4})->size(), 8U);
  EXPECT_FALSE(toTape(functions, {}, Limits{7, 4}).has_value());
  const Expression ordered = read("x var-x\ny var-y\nz var-z\nq add x y\nr add q z\n");
  ASSERT_TRUE(toTape(ordered, {}, Limits{5 + 2 + 1 + 1 + 1, 4}).has_value());
  EXPECT_EQ(toTape(ordered, {}, Limits{10, 4})->size(), 10U);
  EXPECT_FALSE(toTape(ordered, {}, Limits{9, 4}).has_value());
  const Expression shared = read("x var-x\nq neg x\nr mul q q\n");
  ASSERT_TRUE(toTape(shared, {}, Limits{3 + 1 + 1 + 1, 4}).has_value());
  EXPECT_EQ(toTape(shared, {}, Limits{6, 4})->size(), 6U);
  EXPECT_FALSE(toTape(shared, {}, Limits{5, 4}).has_value());
}

/// Of two operands the one that needs more of the stack comes first (Sethi and Ullman): the square
/// of a value that needs four entries, and a value that needs three, together need four.
TEST(Vm, TheDeeperOperandIsComputedFirst) {
  const std::string eight =
      "x var-x\ny var-y\nz var-z\n"
      "a sin x\nb sin y\nc sin z\nd cos x\ne cos y\nf cos z\ng exp x\nh exp y\n"
      "ab mul a b\ncd mul c d\nef mul e f\ngh mul g h\n"
      "abcd add ab cd\nefgh add ef gh\nfour sub abcd efgh\nsquare mul four four\n";
  const std::string last = "p sub a d\nq sub b e\nthree mul p q\n";
  for (const std::string& text :
       {eight + last + "r add square three\n", eight + last + "r add three square\n"}) {
    const Expression expression = read(text);
    EXPECT_TRUE(toTape(expression, {}, Limits{1000, 4}).has_value());
    EXPECT_FALSE(toTape(expression, {}, Limits{1000, 3}).has_value());
  }
}

}  // namespace
}  // namespace rtvp::implicit::import
