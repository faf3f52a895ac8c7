// The table against the reference's list, and every opcode at points against formulas written
// here in binary64.
#include <cmath>
#include <complex>
#include <fstream>
#include <functional>
#include <map>

#include "models/implicit/point.hpp"
#include "tests/models/implicit/support.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::implicit::test {
namespace {

using Numbers = std::vector<double>;
using Inputs64 = std::vector<Numbers>;

TEST(OpcodeTable, IsTheReferencesList) {
  std::ifstream in(RTVP_SOURCE_DIR "/tests/data/sdf/opcodes.txt");
  unsigned number = 0, rows = 0;
  std::string name, inputs, outputs;
  const auto listed = [](const TypeList& types) {
    std::string text;
    for (unsigned n = 0; n < types.size(); ++n)
      text += (n > 0 ? "," : "") + std::string(nameOf(types[n]));
    return text.empty() ? "-" : text;
  };
  while (in >> number >> name >> inputs >> outputs) {
    const OpcodeInfo* const op = findOpcode(number);
    ASSERT_NE(op, nullptr) << number;
    EXPECT_EQ(op->name, name);
    EXPECT_EQ(findOpcode(name), op);
    if (name == "OPNormalizeVec3") inputs = outputs = "V3";  // the slip of sdf.md section 2
    EXPECT_EQ(listed(op->in), inputs) << name;
    EXPECT_EQ(listed(op->out), outputs) << name;
    ++rows;
  }
  EXPECT_EQ(rows, 221U);
  for (unsigned n = 221; n < 256; ++n) EXPECT_EQ(findOpcode(n), nullptr);
}

TEST(OpcodeTable, ManualNamesEveryOpcode) {
  const std::string text = manual();
  for (const OpcodeInfo& op : opcodes())
    EXPECT_NE(text.find("| " + std::string(op.name) + " |"), std::string::npos) << op.name;
}

/// The formulas of sdf.md as the manual prints them.
TEST(OpcodeTable, ManualHasTheReferencesFormulas) {
  const std::string text = manual();
  for (const auto& [name, formula] : std::initializer_list<std::pair<const char*, const char*>>{
           {"OPAddFloatFloat", "a + b"},
           {"OPSubFloatFloat", "a - b"},
           {"OPMulFloatFloat", "a * b"},
           {"OPDivFloatFloat", "a / b"},
           {"OPModFloatFloat", "a - b*floor(a/b)"},
           {"OPMulVec3Float", "a * b"},
           {"OPDivVec2Vec2", "a / b"}}) {
    const std::size_t row = text.find("| " + std::string(name) + " |");
    ASSERT_NE(row, std::string::npos) << name;
    const std::string line = text.substr(row, text.find('\n', row) - row);
    EXPECT_NE(line.find("| " + std::string(formula) + " |"), std::string::npos) << line;
  }
}

double lengthOf(const Numbers& a) {
  double sum = 0;
  for (const double x : a) sum += x * x;
  return std::sqrt(sum);
}

Numbers difference(const Numbers& a, const Numbers& b) {
  Numbers d;
  for (std::size_t n = 0; n < a.size(); ++n) d.push_back(a[n] - b[n]);
  return d;
}

double smooth(double k, double a, double b) {
  if (k <= 0 || std::abs(a - b) >= k) return std::min(a, b);
  return std::min(a, b) - (k - std::abs(a - b)) * (k - std::abs(a - b)) / (4 * k);
}

/// The formulas of sdf.md 4.1 by the name's stem, in binary64. Componentwise ones take one number
/// of each input.
const std::map<std::string, std::function<double(double, double, double)>>& componentwise() {
  static const std::map<std::string, std::function<double(double, double, double)>> kRows = {
      {"Add", [](double a, double b, double) { return a + b; }},
      {"Sub", [](double a, double b, double) { return a - b; }},
      {"Mul", [](double a, double b, double) { return a * b; }},
      {"Div", [](double a, double b, double) { return a / b; }},
      {"Mod", [](double a, double b, double) { return a - b * std::floor(a / b); }},
      {"Pow", [](double a, double b, double) { return a > 0 ? std::exp(b * std::log(a)) : NAN; }},
      {"Abs", [](double a, double, double) { return a < 0 ? -a : a; }},
      {"Sign", [](double a, double, double) { return (a > 0) - (a < 0); }},
      {"Floor", [](double a, double, double) { return std::floor(a); }},
      {"Ceil", [](double a, double, double) { return -std::floor(-a); }},
      {"Fract", [](double a, double, double) { return a - std::floor(a); }},
      {"Sqrt", [](double a, double, double) { return a < 0 ? NAN : std::exp(std::log(a) / 2); }},
      {"InverseSqrt",
       [](double a, double, double) { return a < 0 ? NAN : std::exp(std::log(a) / -2); }},
      {"Exp", [](double a, double, double) { return std::pow(std::exp(1.0), a); }},
      {"Exp2", [](double a, double, double) { return std::exp(a * std::log(2.0)); }},
      {"Log", [](double a, double, double) { return std::log2(a) * std::log(2.0); }},
      {"Log2", [](double a, double, double) { return std::log(a) / std::log(2.0); }},
      {"Sin", [](double a, double, double) { return std::cos(a - std::acos(0.0)); }},
      {"Cos", [](double a, double, double) { return std::sin(a + std::acos(0.0)); }},
      {"Tan", [](double a, double, double) { return std::sin(a) / std::cos(a); }},
      {"Asin", [](double a, double, double) { return std::atan2(a, std::sqrt(1 - a * a)); }},
      {"Acos", [](double a, double, double) { return std::atan2(std::sqrt(1 - a * a), a); }},
      {"Atan", [](double a, double, double) { return std::asin(a / std::sqrt(1 + a * a)); }},
      {"Acosh", [](double a, double, double) { return std::log(a + std::sqrt(a * a - 1)); }},
      {"Asinh", [](double a, double, double) { return std::log(a + std::sqrt(a * a + 1)); }},
      {"Atanh", [](double a, double, double) { return std::log((1 + a) / (1 - a)) / 2; }},
      {"Cosh", [](double a, double, double) { return (std::exp(a) + std::exp(-a)) / 2; }},
      {"Sinh", [](double a, double, double) { return (std::exp(a) - std::exp(-a)) / 2; }},
      {"Tanh", [](double a, double, double) { return 1 - 2 / (std::exp(2 * a) + 1); }},
      {"Round", [](double a, double,
                   double) { return a < 0 ? -std::floor(-a + 0.5) : std::floor(a + 0.5); }},
      {"Trunc", [](double a, double, double) { return a < 0 ? -std::floor(-a) : std::floor(a); }},
      {"Square", [](double a, double, double) { return a * a; }},
      {"Cube", [](double a, double, double) { return a * a * a; }},
      {"Min", [](double a, double b, double) { return std::min(a, b); }},
      {"Max", [](double a, double b, double) { return std::max(a, b); }},
      {"SmoothMin", smooth},
      {"SmoothMax", [](double k, double a, double b) { return -smooth(k, -a, -b); }},
      {"FMA", [](double a, double b, double c) { return a * b + c; }},
      {"Clamp", [](double a, double b, double c) { return std::min(std::max(a, b), c); }},
      {"Mix", [](double a, double b, double c) { return a + (b - a) * c; }},
  };
  return kRows;
}

const std::map<std::string, std::function<Numbers(const Inputs64&)>>& wholeVectors() {
  static const std::map<std::string, std::function<Numbers(const Inputs64&)>> kRows = {
      {"Cross",
       [](const Inputs64& i) {
         const Numbers &a = i[0], &b = i[1];
         return Numbers{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                        a[0] * b[1] - a[1] * b[0]};
       }},
      {"Dot",
       [](const Inputs64& i) {
         double sum = 0;
         for (std::size_t n = 0; n < i[0].size(); ++n) sum += i[0][n] * i[1][n];
         return Numbers{sum};
       }},
      {"Length", [](const Inputs64& i) { return Numbers{lengthOf(i[0])}; }},
      {"Distance", [](const Inputs64& i) { return Numbers{lengthOf(difference(i[0], i[1]))}; }},
      {"Normalize",
       [](const Inputs64& i) {
         Numbers out = i[0];
         for (double& x : out) x /= lengthOf(i[0]);
         return out;
       }},
      {"SDFSphere", [](const Inputs64& i) { return Numbers{lengthOf(i[1]) - i[0][0]}; }},
      {"SDFBox",
       [](const Inputs64& i) {
         Numbers q, out;
         for (unsigned n = 0; n < 3; ++n) q.push_back(std::abs(i[1][n]) - i[0][n]);
         for (const double x : q) out.push_back(std::max(x, 0.0));
         return Numbers{lengthOf(out) + std::min(std::max({q[0], q[1], q[2]}), 0.0)};
       }},
      {"SDFTorus",
       [](const Inputs64& i) {
         const double ring = std::hypot(i[1][0], i[1][2]) - i[0][0];
         return Numbers{std::hypot(ring, i[1][1]) - i[0][1]};
       }},
  };
  return kRows;
}

/// What the opcode should give; nothing for those that only move values.
std::optional<Numbers> expected(const OpcodeInfo& op, const Inputs64& in) {
  std::string stem(op.name.substr(2));
  for (const char* const word : {"Float", "Vec2", "Vec3", "Vec4", "Material"})
    for (std::size_t at; (at = stem.find(word)) != std::string::npos;)
      stem.erase(at, std::string(word).size());
  if (const auto row = wholeVectors().find(stem); row != wholeVectors().end())
    return row->second(in);
  if (stem == "Promote") {
    Numbers all;
    for (const Numbers& a : in) all.insert(all.end(), a.begin(), a.end());
    return all;
  }
  const auto row = componentwise().find(stem);
  if (row == componentwise().end()) return std::nullopt;
  Numbers out;
  for (unsigned n = 0; n < widthOf(op.out[0]); ++n) {
    const auto at = [&](unsigned k) {
      return k >= in.size() ? 0.0 : in[k][in[k].size() == 1 ? 0 : n];
    };
    out.push_back(row->second(at(0), at(1), at(2)));
  }
  return out;
}

TEST(PointEvaluation, EveryOpcodeAgreesWithItsFormula) {
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<float> uniform(-3, 3);
  unsigned computing = 0;
  for (const OpcodeInfo& op : opcodes()) {
    if (op.number > 220) break;
    unsigned compared = 0;
    for (unsigned run = 0; run < 400; ++run) {
      std::array<std::array<float, 4>, 4> numbers{};
      std::array<const float*, 4> operands{};
      Inputs64 in;
      for (unsigned n = 0; n < op.in.size(); ++n) {
        for (float& x : numbers[n]) x = uniform(random);
        operands[n] = numbers[n].data();
        in.emplace_back(numbers[n].begin(), numbers[n].begin() + widthOf(op.in[n]));
      }
      const std::optional<Numbers> want = expected(op, in);
      if (!want) break;
      std::array<float, 4> got{};
      point::apply(op, operands, got.data());
      for (std::size_t n = 0; n < want->size(); ++n) {
        const double w = (*want)[n], g = static_cast<double>(got[n]);
        if (std::isnan(w)) {
          EXPECT_TRUE(std::isnan(g)) << op.name << " seed " << kSeed << " run " << run;
          continue;
        }
        EXPECT_NEAR(
            g, w,
            4e-6 * std::max(1.0, std::abs(w)) + (op.function == Function::Tan ? 1e-6 * w * w : 0))
            << op.name << " seed " << kSeed << " run " << run;
        ++compared;
      }
    }
    computing += compared > 50 ? 1 : 0;
  }
  // The rest: Nop, Stop, Invalid and 16 Dups.
  EXPECT_EQ(computing, 221U - 3U - 16U);
}

float run(const std::string& text) {
  return evaluate(assembled(text), {1, 2, 3});
}

TEST(PointEvaluation, MovesValuesAsTheReferenceSays) {
  const std::string push =
      "OPAddFloatFloat f(1) f(0)\nOPAddFloatFloat f(10) f(0)\n"
      "OPAddFloatFloat f(100) f(0)\nOPAddFloatFloat f(1000) f(0)\n";
  EXPECT_EQ(run("OPAddFloatFloat f(1) f(0)\nOPAddFloatFloat f(10) f(0)\nOPSubFloatFloat var var\n"
                "OPStop var\n"),
            9);  // y - x
  EXPECT_EQ(run(push + "OPDupFloat var\nOPStop var\n"), 1000);
  EXPECT_EQ(run(push + "OPDup2Float var\nOPStop var\n"), 100);
  EXPECT_EQ(run(push + "OPDup3Float var\nOPStop var\n"), 10);
  EXPECT_EQ(run(push + "OPDup4Float var\nOPStop var\n"), 1);
  EXPECT_EQ(run(push + "OPDropFloat var\nOPStop var\n"), 100);
  EXPECT_EQ(run(push + "OPSwap2Float var var\nOPStop var\n"), 100);
  EXPECT_EQ(run(push + "OPPromoteFloatFloatVec2 var var\nOPDotVec2 var v2(1,2)\nOPStop var\n"),
            1000 + 200);
  for (const std::string& v : std::vector<std::string>{"2", "3", "4"}) {
    const std::string ones = v == "2" ? "1,0" : v == "3" ? "1,0,0" : "1,0,0,0";
    std::string text;
    for (const std::string& x : std::vector<std::string>{"1", "10", "100", "1000"})
      text += "OPMulVec" + v + "Float v" + v + "(" + ones + ") f(" + x + ")\n";
    const std::string end = "OPDotVec" + v + " var v" + v + "(" + ones + ")\nOPStop var\n";
    const std::array<float, 4> want{1000, 100, 10, 1};
    for (unsigned k = 1; k <= 4; ++k)
      EXPECT_EQ(run(text + "OPDup" + (k > 1 ? std::to_string(k) : "") + "Vec" + v + " var\n" + end),
                want[k - 1]);
    EXPECT_EQ(run(text + "OPDropVec" + v + " var\n" + end), 100);
    EXPECT_EQ(run(text + "OPSwap2Vec" + v + " var var\n" + end), 100);
    EXPECT_EQ(run("OPPushConstVec" + v + " v" + v + "(" + ones + ")\n" + end), 1);
    EXPECT_EQ(run("OPPushConstVec" + v + " v" + v + "(" + ones + ")\nOPExtractVec" + v +
                  " var f(1)\nOPStop var\n"),
              0);
  }
  EXPECT_EQ(run("OPNop\nOPPushConstFloat f(5)\nOPStop var\n"), 5);
  EXPECT_EQ(run("OPPushP\nOPExtractVec3 var f(2)\nOPStop var\n"), 3);
}

TEST(PointEvaluation, MatricesAreColumnMajor) {
  EXPECT_EQ(run("OPMulMat2Vec2 m2(1,2,3,4) v2(5,6)\nOPDotVec2 var v2(1,100)\nOPStop var\n"),
            23 + 3400);
  EXPECT_EQ(run("OPMulMat3Vec3 m3(1,2,3,4,5,6,7,8,9) var\nOPDotVec3 var v3(1,100,10000)\n"
                "OPStop var\n"),
            30 + 3600 + 420000);
  EXPECT_EQ(run("OPMulMat4Vec4 m4(1,0,0,0,0,1,0,0,0,0,1,0,2,3,4,1) v4(1,1,1,2)\n"
                "OPDotVec4 var v4(1,10,100,1000)\nOPStop var\n"),
            5 + 70 + 900 + 2000);
  EXPECT_EQ(run("OPMulMat4Point m4(1,0,0,0,0,1,0,0,0,0,1,0,2,3,4,1) var\n"
                "OPDotVec3 var v3(1,10,100)\nOPStop var\n"),
            3 + 50 + 700);
}

TEST(PointEvaluation, DomainRules) {
  const auto f1 = [](Function f, float a) { return point::unary(f, a); };
  const auto f2 = [](Function f, float a, float b) { return point::binary(f, a, b); };
  const float nan = NAN, inf = INFINITY;
  EXPECT_EQ(f2(Function::Mod, -1, 3), 2);
  EXPECT_EQ(f2(Function::Mod, 1, -3), -2);
  EXPECT_TRUE(std::isnan(f2(Function::Mod, 1, 0)));
  EXPECT_EQ(f1(Function::Sign, 0), 0);
  EXPECT_EQ(f1(Function::Round, 2.5F), 3);
  EXPECT_EQ(f1(Function::Round, -2.5F), -3);
  EXPECT_EQ(f2(Function::Min, 1, nan), 1);
  EXPECT_TRUE(std::isnan(f2(Function::Min, nan, 1)));
  EXPECT_EQ(f2(Function::Max, 1, nan), 1);
  EXPECT_TRUE(std::isnan(f2(Function::Max, nan, 1)));
  EXPECT_EQ(point::ternary(Function::Clamp, 5.0F, 3.0F, 1.0F), 1);
  EXPECT_EQ(point::ternary(Function::SmoothMin, 0.0F, 3.0F, 1.0F), 1);
  EXPECT_EQ(point::ternary(Function::SmoothMax, -1.0F, 3.0F, 1.0F), 3);
  EXPECT_EQ(point::ternary(Function::SmoothMin, 1.0F, 2.0F, 2.0F), 1.75F);
  EXPECT_EQ(f2(Function::Pow, 0, 2), 0);
  for (const auto& [a, b] : {std::pair(0.0F, 0.0F), {0.0F, -1.0F}, {-2.0F, 2.0F}})
    EXPECT_TRUE(std::isnan(f2(Function::Pow, a, b)));
  EXPECT_EQ(f1(Function::InverseSqrt, 0), inf);
  EXPECT_EQ(f1(Function::InverseSqrt, -0.0F), inf);
  EXPECT_EQ(f1(Function::Log, 0), -inf);
  EXPECT_EQ(f2(Function::Div, 1, 0), inf);
  EXPECT_TRUE(std::isnan(f2(Function::Div, 0, 0)));
  for (const auto& [f, a] : {std::pair(Function::Sqrt, -1.0F),
                             {Function::InverseSqrt, -1.0F},
                             {Function::Log, -1.0F},
                             {Function::Log2, -1.0F},
                             {Function::Asin, 1.5F},
                             {Function::Acos, -1.5F},
                             {Function::Acosh, 0.5F},
                             {Function::Atanh, 2.0F}})
    EXPECT_TRUE(std::isnan(f1(f, a))) << static_cast<int>(f);
  EXPECT_TRUE(std::isnan(run("OPNormalizeVec2 v2(0,0)\nOPDotVec2 var v2(1,1)\nOPStop var\n")));
  // One rounding: the exact product minus its rounded self.
  EXPECT_EQ(point::ternary(Function::Fma, 1.0F + 0x1p-23F, 1.0F + 0x1p-23F, -(1.0F + 0x1p-22F)),
            0x1p-46F);
}

TEST(PointEvaluation, DefaultObject) {
  // At the sphere's centre (0.7, 1.2, 0.7) / 0.9 f is -0.5 / 0.9; on the torus' ring -0.4 / 0.9.
  const Tape tape = assembled(kDefaultObject);
  EXPECT_NEAR(evaluate(tape, {0.7F / 0.9F, 1.2F / 0.9F, 0.7F / 0.9F}), -0.5 / 0.9, 1e-6);
  EXPECT_NEAR(evaluate(tape, {0.7F / 0.9F, 0, 0}), -0.4 / 0.9, 1e-6);
}

TEST(PointEvaluation, OpcodesOfExpressionFiles) {
  const auto f2 = [](Function f, float a, float b) { return point::binary(f, a, b); };
  const float nan = NAN, inf = INFINITY;
  for (const float y : {-2.0F, -0.5F, 1.0F})
    for (const float x : {-3.0F, 0.0F, 0.25F})
      EXPECT_NEAR(f2(Function::Atan2, y, x), std::arg(std::complex<float>(x, y)), 1e-6);
  EXPECT_EQ(f2(Function::Compare, 1, 2), -1);
  EXPECT_EQ(f2(Function::Compare, 2, 2), 0);
  EXPECT_EQ(f2(Function::Compare, inf, 2), 1);
  EXPECT_EQ(f2(Function::Compare, inf, -inf), 1);
  EXPECT_TRUE(std::isnan(f2(Function::Compare, nan, 2)));
  EXPECT_TRUE(std::isnan(f2(Function::Compare, 2, nan)));
  EXPECT_EQ(f2(Function::And, 0, 5), 0);
  EXPECT_EQ(f2(Function::And, 3, 5), 5);
  EXPECT_EQ(f2(Function::And, nan, 5), 5);
  EXPECT_EQ(f2(Function::Or, 0, 5), 5);
  EXPECT_EQ(f2(Function::Or, 3, 5), 3);
  EXPECT_EQ(point::unary(Function::Not, 0.0F), 1);
  EXPECT_EQ(point::unary(Function::Not, -0.0F), 1);
  EXPECT_EQ(point::unary(Function::Not, 2.0F), 0);
}

TEST(PointEvaluation, Binary64AgreesWithBinary32) {
  // The host's evaluator has the same semantics; on the default object both are close to the
  // closed form, one of them much closer.
  const Tape tape = assembled(kDefaultObject);
  constexpr unsigned kSeed = 5;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (unsigned run = 0; run < 1000; ++run) {
    const std::array<double, 3> p{uniform(random), uniform(random), uniform(random)};
    const double s = static_cast<double>(0.9F);
    const auto moved = [&](unsigned n, float by) { return p[n] * s + static_cast<double>(by); };
    const double sphere =
        std::sqrt(moved(0, -0.7F) * moved(0, -0.7F) + moved(1, -1.2F) * moved(1, -1.2F) +
                  moved(2, -0.7F) * moved(2, -0.7F)) -
        0.5;
    const double torus =
        std::hypot(std::hypot(p[0] * s, p[2] * s) - static_cast<double>(0.7F), p[1] * s) -
        static_cast<double>(0.4F);
    const double want = std::min(sphere, torus) / s;
    EXPECT_NEAR(evaluate64(tape, p), want, 1e-14) << "seed " << kSeed;
    const std::array<float, 3> q{static_cast<float>(p[0]), static_cast<float>(p[1]),
                                 static_cast<float>(p[2])};
    EXPECT_NEAR(static_cast<double>(evaluate(tape, q)), want, 1e-6) << "seed " << kSeed;
  }
}

}  // namespace
}  // namespace rtvp::implicit::test
