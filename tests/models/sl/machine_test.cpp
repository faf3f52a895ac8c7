// Every operand form: its word (computed from sl.md section 3 by other means), decoding,
// disassembly, and what it does; then the machine's rules.
#include <limits>
#include <random>
#include <set>

#include "models/sl/math.hpp"
#include "models/sl/texture.hpp"
#include "tests/models/sl/support.hpp"

namespace rtvp::sl::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct FormCase {
  const char* source;
  std::uint64_t word;
  unsigned result;  ///< register written; 0 for none
  Vec3 value;       ///< x for a scalar
};

const FormCase kForms31[] = {
    {"nop", 0x0000000000000000U, 0, {}},
    {"ret", 0x0400000000000000U, 0, {}},
    {"rnd s2", 0x0811000000000000U, reg::s2, {6.2942505e-05F}},
    {"turb s2, Kr", 0x0c11500000000000U, reg::s2, {-.0625F}},
    {"turb s2, Pw", 0x0c91080000000000U, reg::s2, {-.353546F}},
    {"mov v0, N", 0x100c960000000000U, reg::v0, {1, 2, 3}},
    {"mov s2, Ks", 0x10914c0000000000U, reg::s2, {2}},
    {"movc z s2, N", 0x1451160000000000U, reg::s2, {3}},
    {"movc g s2, N", 0x1431160000000000U, reg::s2, {2}},
    {"lc y r1, Ks", 0x182b4c0000000000U, reg::r1, {7, 2, 9}},
    {"li s3, -0.375", 0x1c118000bec00000U, reg::s3, {-.375F}},
    {"liv x r1, 1e-3", 0x200b00003a83126fU, reg::r1, {1e-3F, 8, 9}},
    {"add v0, N, L", 0x240c961000000000U, reg::v0, {5, -3, 9}},
    {"add s2, Kd, S", 0x24914b3800000000U, reg::s2, {-2.25F}},
    {"sub v0, N, L", 0x280c961000000000U, reg::v0, {-3, 7, -3}},
    {"sub s2, Kd, S", 0x28914b3800000000U, reg::s2, {3.75F}},
    {"mul v0, N, L", 0x2c0c961000000000U, reg::v0, {27, 6, -13}},
    {"mul v0, L, Kd", 0x2c8c852800000000U, reg::v0, {3, -3.75F, 4.5F}},
    {"mul s2, Kd, S", 0x2d114b3800000000U, reg::s2, {-2.25F}},
    {"dp3 s2, N, L", 0x3011161000000000U, reg::s2, {12}},
    {"div v0, L, Ks", 0x340c853000000000U, reg::v0, {2, -2.5F, 3}},
    {"div s2, Kd, S", 0x34914b3800000000U, reg::s2, {-.25F}},
    {"clamp s0, S, Kd", 0x38104f2800000000U, reg::s0, {.75F}},
    {"floor s2, s1", 0x3c11420000000000U, reg::s2, {-3}},
    {"ceil s2, s1", 0x4011420000000000U, reg::s2, {-2}},
    {"norm v0, V", 0x440c860000000000U, reg::v0, {0, .6F, .8F}},
    {"pow s2, Ks, S", 0x48114d3800000000U, reg::s2, {.125F}},
    {"exp s2, Ks", 0x4c114c0000000000U, reg::s2, {7.3890561F}},
    {"jmp 1", 0x5000000000000001U, 0, {}},
    {"blt S, Kd, 0", 0x54004f2800000000U, 0, {}},
    {"trace v0, Pw, N", 0x580c885800000000U, reg::v0, {.25F, .5F, .75F}},
    {"lookup v0, t3, uv", 0x5c0ca05000000000U, reg::v0, {3, .25F, .5F}},
};

Registers formInputs() {
  Registers r;
  r.vector(reg::N) = {1, 2, 3};
  r.vector(reg::L) = {4, -5, 6};
  r.vector(reg::V) = {0, 3, 4};
  r.vector(reg::Pw) = {1.2F, 3.4F, 5.6F};
  r.vector(reg::uv) = {.25F, .5F, 0};
  r.vector(reg::r1) = {7, 8, 9};
  r.scalar(reg::Kd) = .75F;
  r.scalar(reg::Ks) = 2;
  r.scalar(reg::S) = -3;
  r.scalar(reg::Kr) = .5F;
  r.scalar(reg::s0) = 1.5F;
  r.scalar(reg::s1) = -2.5F;
  return r;
}

Vec3 valueOf(const Registers& r, unsigned id) {
  return isVector(id) ? r.vector(id) : Vec3{r.scalar(id), 0, 0};
}

TEST(Forms, EncodeDecodeDisassemble) {
  std::set<Form> seen;
  for (const FormCase& c : kForms31) {
    SCOPED_TRACE(c.source);
    const Program p = codeOf(std::string(c.source) + "\nnop\n");
    EXPECT_EQ(p.words()[0], c.word);
    const Decoded decoded = decode(c.word);
    ASSERT_TRUE(decoded.instruction) << decoded.error;
    EXPECT_EQ(*decoded.instruction, p[0]);
    EXPECT_EQ(encode(*decoded.instruction), c.word);
    EXPECT_EQ(codeOf(disassemble(p[0]) + "\nnop\n").words()[0], c.word);
    seen.insert(p[0].form);
  }
  EXPECT_EQ(seen.size(), kForms) << "every form has a case";
}

TEST(Forms, Semantics) {
  for (const FormCase& c : kForms31) {
    SCOPED_TRACE(c.source);
    const Program p = codeOf(std::string(c.source) + "\nnop\n");
    FixedWorld world;
    world.traced = {.25F, .5F, .75F};
    Vm vm(p);
    vm.start(formInputs(), 1);
    EXPECT_EQ(vm.run(world), Stop::Done);
    const Form form = p[0].form;
    EXPECT_EQ(vm.instructions(), form == Form::Ret || form == Form::Jmp ? 1U : 2U);
    // What the form writes, and nothing else.
    for (const RegisterInfo& r : kRegisters) {
      const Vec3 got = valueOf(vm.registers(), r.id), before = valueOf(formInputs(), r.id);
      const Vec3 expected = c.result != 0 && r.id == c.result ? c.value : before;
      for (unsigned lane = 0; lane < 3; ++lane)
        EXPECT_NEAR(got[lane], expected[lane], 2e-6) << r.name << " lane " << lane;
    }
  }
}

// ---- words that no machine may run ----

std::string refusal(std::uint64_t word) {
  try {
    const Program program({{word}});
  } catch (const LoadError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Loader, RefusesWhatAWordCanBeWrongIn) {
  const std::uint64_t dp3 = 0x3010161000000000U;
  EXPECT_EQ(refusal(dp3), "accepted");
  const auto expectRefused = [](std::uint64_t word, const char* text) {
    EXPECT_NE(refusal(word).find(text), std::string::npos) << refusal(word);
  };
  expectRefused(std::uint64_t{24} << 58, "opcode 24");
  expectRefused(std::uint64_t{63} << 58, "opcode 63");
  expectRefused(dp3 | std::uint64_t{1} << 55, "no form 1");
  expectRefused(dp3 | std::uint64_t{1} << 53, "does not use");  // lane
  expectRefused(dp3 | std::uint64_t{1} << 32, "does not use");  // zero bits
  expectRefused(dp3 | 1, "does not use");                       // immediate
  expectRefused((dp3 & ~(std::uint64_t{63} << 47)) | std::uint64_t{37} << 47, "Kd is read-only");
  expectRefused((dp3 & ~(std::uint64_t{63} << 47)) | std::uint64_t{21} << 47, "no scalar");
  expectRefused((dp3 & ~(std::uint64_t{63} << 41)) | std::uint64_t{32} << 41, "no vector");
  expectRefused((dp3 & ~(std::uint64_t{63} << 35)) | std::uint64_t{26} << 35, "no vector");
  expectRefused((dp3 & ~(std::uint64_t{63} << 47)) | std::uint64_t{44} << 47, "no scalar");
  const std::uint64_t movc = std::uint64_t{5} << 58 | std::uint64_t{32} << 47;
  EXPECT_EQ(refusal(movc), "accepted");
  expectRefused(movc | std::uint64_t{3} << 53, "lane 3");
  const std::uint64_t lookup = std::uint64_t{23} << 58 | std::uint64_t{25} << 47;
  expectRefused(lookup | std::uint64_t{12} << 41, "texture slot");
  expectRefused(lookup | std::uint64_t{21} << 41, "texture slot");
  EXPECT_EQ(refusal(lookup | std::uint64_t{20} << 41), "accepted");
  const std::uint64_t jmp = std::uint64_t{20} << 58;
  expectRefused(jmp | 0x00008000U, "16 bits");
  expectRefused(jmp | 0xFFFF7FFFU, "16 bits");
  expectRefused(jmp | 1, "outside 0..1");
  expectRefused(jmp | 0xFFFFFFFEU, "outside 0..1");
  EXPECT_EQ(refusal(jmp), "accepted");
  EXPECT_EQ(refusal(jmp | 0xFFFFFFFFU), "accepted");  // for ever: the budget's business
  EXPECT_THROW(Program(std::vector<std::uint64_t>{}), LoadError);
}

// A decoded word encodes to itself: nothing is lost and nothing is tolerated.
TEST(Loader, RandomWordsDecodeToThemselvesOrNotAtAll) {
  std::mt19937_64 random(7);
  int good = 0;
  for (int n = 0; n < 300'000; ++n) {
    // Opcodes and forms that exist are drawn often enough.
    std::uint64_t word = random();
    if (n % 2 == 0) word &= 0xFFFFFFF800000000U;
    if (n % 4 == 0) word &= ~(std::uint64_t{7} << 55) & ~(std::uint64_t{3} << 53);
    const Decoded d = decode(word);
    EXPECT_EQ(d.instruction.has_value(), d.error.empty());
    if (!d.instruction) continue;
    ++good;
    EXPECT_EQ(encode(*d.instruction), word);
  }
  EXPECT_GT(good, 100);
}

std::string slcRefusal(std::vector<std::uint8_t> file) {
  try {
    const Program program = readSlc(file);
  } catch (const LoadError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Loader, FileHeader) {
  const Program p =
      programOf("sl 1.0\nrnd s0\nlookup r0, t2, uv\ntrace r1, Pw, N\nadd r0, r0, t5\n");
  std::vector<std::uint8_t> file = writeSlc(p);
  ASSERT_EQ(file.size(), 32U + 4 * 8);
  EXPECT_EQ(std::string(file.begin(), file.begin() + 4), "SLC1");
  const std::vector<std::uint8_t> head(file.begin() + 4, file.begin() + 16);
  EXPECT_EQ(head, (std::vector<std::uint8_t>{0, 1, 7, 0, 4, 0, 0, 0, 0x24, 0, 0, 0}));
  EXPECT_EQ(readSlc(file).words(), p.words());
  // Every byte of the header, changed, is noticed.
  for (std::size_t at = 0; at < 32; ++at) {
    std::vector<std::uint8_t> bad = file;
    bad[at] ^= 0x10;
    EXPECT_NE(slcRefusal(bad), "accepted") << "byte " << at;
  }
  // And every bit of the code, by the CRC.
  for (std::size_t at = 32; at < file.size(); ++at) {
    std::vector<std::uint8_t> bad = file;
    bad[at] ^= 1;
    EXPECT_NE(slcRefusal(bad).find("CRC"), std::string::npos) << "byte " << at;
  }
  for (std::size_t length = 0; length < file.size(); ++length)
    EXPECT_NE(slcRefusal({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length)}),
              "accepted");
  file.push_back(0);
  EXPECT_NE(slcRefusal(file).find("count"), std::string::npos);
}

TEST(Loader, OffsetBase) {
  const std::string source = "sl 1.0\nli s0, 1\njmp 2\nli s0, 2\nmov v1, s0\n";
  const Program next_program = programOf(source),
                own_program = programOf(source, OffsetBase::Branch);
  EXPECT_EQ(next_program.target(1), 4U);
  EXPECT_EQ(own_program.target(1), 3U);
  EXPECT_EQ(own_program.flags(), flag::kOwnBase);
  EXPECT_EQ(readSlc(writeSlc(own_program)).target(1), 3U);
  Vm vm(own_program);
  vm.start({}, 1);
  EXPECT_EQ(vm.run(), Stop::Done);
  EXPECT_EQ(vm.registers().scalar(reg::v1), 1);
  EXPECT_EQ(vm.instructions(), 3U);
}

// ---- the machine's rules ----

float scalarAfter(const std::string& lines, const Registers& inputs = {}) {
  const Program p = codeOf(lines);
  FixedWorld world;
  Vm vm(p);
  vm.start(inputs, 1);
  vm.run(world);
  return vm.registers().scalar(reg::s0);
}

TEST(Rules, BranchesAndEnd) {
  EXPECT_EQ(scalarAfter("li s0, 1\njmp 0\nli s0, 2\n"), 2);
  EXPECT_EQ(scalarAfter("li s0, 1\njmp 1\nli s0, 2\n"), 1);
  EXPECT_EQ(scalarAfter("li s0, 1\nret\nli s0, 2\n"), 1);
  Registers r;
  r.scalar(reg::Kd) = kNan;
  EXPECT_EQ(scalarAfter("blt Kd, Ks, 1\nli s0, 1\n", r), 1) << "not taken";
  EXPECT_EQ(scalarAfter("blt Ks, Kd, 1\nli s0, 1\n", r), 1) << "not taken";
  EXPECT_EQ(scalarAfter("blt Ks, S, 1\nli s0, 1\n"), 1) << "equal: not taken";
}

TEST(Rules, Budget) {
  const auto run = [](const std::string& lines) {
    const Program p = codeOf(lines);
    Vm vm(p);
    vm.start({}, 1);
    vm.run();
    return std::tuple(vm.state(), vm.instructions(), vm.colour() == Vec3{});
  };
  EXPECT_EQ(run("liv x v0, 1\njmp -1\n"), std::tuple(Stop::Budget, kBudget, true));
  // 3 + 2 * 32766 + 1 = 65536 instructions.
  const Program p =
      codeOf("li s1, 1\nli s2, 32766\nliv x v0, 1\nadd s0, s0, s1\nblt s0, s2, -2\nret\n");
  Vm vm(p);
  vm.start({}, 1);
  EXPECT_EQ(vm.run(), Stop::Done);
  EXPECT_EQ(vm.instructions(), kBudget);
  const Program q =
      codeOf("li s1, 1\nli s2, 32766\nliv x v0, 1\nadd s0, s0, s1\nblt s0, s2, -2\nnop\nret\n");
  Vm over(q);
  over.start({}, 1);
  EXPECT_EQ(over.run(), Stop::Budget);
  EXPECT_EQ(over.instructions(), kBudget);
  EXPECT_EQ(over.colour(), Vec3{});
  EXPECT_EQ(over.registers().scalar(reg::s0), 32766);
}

TEST(Rules, SpecialValues) {
  Registers r;
  r.scalar(reg::Kd) = kNan;
  r.scalar(reg::Ks) = 3;
  r.scalar(reg::S) = 1;
  r.scalar(reg::s0) = 2;
  EXPECT_EQ(scalarAfter("clamp s0, Kd, Kd\n", r), 2) << "a bound that is no number is none";
  EXPECT_EQ(scalarAfter("clamp s0, Ks, S\n", r), 3) << "the lower bound is tested first";
  r.scalar(reg::s0) = kNan;
  EXPECT_TRUE(std::isnan(scalarAfter("clamp s0, S, Ks\n", r)));
  EXPECT_EQ(scalarAfter("div s0, Ks, Kr\n", r), kInf);
  EXPECT_TRUE(std::isnan(scalarAfter("div s0, Kr, Kr\n", r)));
  EXPECT_EQ(scalarAfter("li s0, 1e-45\nli s1, 1\nmul s0, s0, s1\n"), 1e-45F) << "subnormals stay";
  // norm of lanes whose squares underflow is the zero vector; of large ones, their infinite root.
  const auto normed = [](const Vec3& v) { return norm(v); };
  EXPECT_EQ(normed({1e-30F, 0, 0}), Vec3{});
  EXPECT_EQ(normed({1e30F, 0, 0}), Vec3{});  // 1e30 / inf
  EXPECT_TRUE(std::isnan(normed({kInf, 0, 0}).x));
}

TEST(Rules, SourcesAreReadBeforeTheDestinationIsWritten) {
  const Program p =
      codeOf("mov r0, N\nmul r0, r0, L\nmov r1, N\nnorm r1, r1\nmul v0, L, N\nmul r2, r0, r1\n");
  Registers r = formInputs();
  Vm vm(p);
  vm.start(r, 1);
  vm.run();
  EXPECT_EQ(vm.registers().vector(reg::r0), (Vec3{27, 6, -13}));
  EXPECT_EQ(vm.registers().vector(reg::r1), norm({1, 2, 3}));
  EXPECT_EQ(vm.colour(), (Vec3{-27, -6, 13}));
}

TEST(Rules, EveryRunStartsAnew) {
  const Program p = codeOf("li s1, 1\nadd v1, v1, s1\nadd s0, s0, s1\nrnd s2\n");
  Vm vm(p);
  Registers r;
  r.scalar(reg::v1) = 5;
  for (int n = 0; n < 2; ++n) {
    vm.start(r, 9);
    vm.run();
    EXPECT_EQ(vm.registers().scalar(reg::v1), 1);
    EXPECT_EQ(vm.registers().scalar(reg::s0), 1);
  }
  EXPECT_EQ(vm.randomState(), stepRandom(9));
}

TEST(Rules, TraceStaysInsideWhenItLeadsNowhere) {
  const Program p = codeOf("trace v0, Pw, N\n");
  const auto traced = [&p](const Vec3& origin, const Vec3& direction) {
    FixedWorld world;
    world.traced = {1, 1, 1};
    Vm vm(p);
    Registers r;
    r.vector(reg::Pw) = origin;
    r.vector(reg::N) = direction;
    vm.start(r, 1);
    vm.run(world);
    return world.traces;
  };
  EXPECT_EQ(traced({}, {0, 0, 2}), 1);
  EXPECT_EQ(traced({}, {}), 0);
  EXPECT_EQ(traced({}, {0, kInf, 0}), 0);
  EXPECT_EQ(traced({}, {0, kNan, 0}), 0);
  EXPECT_EQ(traced({0, kInf, 0}, {0, 0, 1}), 0);
  EXPECT_EQ(traced({}, {1e-30F, 0, 0}), 0) << "its length underflows";
}

TEST(Rules, StopsWhereTheWorldMustAnswer) {
  const Program p = codeOf("lookup r0, t4, uv\ntrace r1, Pw, r0\nadd v0, r0, r1\n");
  Vm vm(p);
  vm.start(formInputs(), 1);
  EXPECT_EQ(vm.run(), Stop::Lookup);
  EXPECT_EQ(vm.lookupSlot(), 4U);
  EXPECT_EQ(vm.lookupS(), .25F);
  EXPECT_EQ(vm.lookupT(), .5F);
  EXPECT_EQ(vm.run(), Stop::Lookup) << "nothing goes on without the answer";
  vm.finishLookup({1, 2, 3});
  EXPECT_EQ(vm.run(), Stop::Trace);
  EXPECT_EQ(vm.traceDirection(), (Vec3{1, 2, 3}));
  EXPECT_EQ(vm.traceOrigin(), (Vec3{1.2F, 3.4F, 5.6F}));
  vm.finishTrace({10, 20, 30});
  EXPECT_EQ(vm.run(), Stop::Done);
  EXPECT_EQ(vm.colour(), (Vec3{11, 22, 33}));
}

TEST(Rules, ColoursThatAreNotFiniteAreCounted) {
  Counters c;
  EXPECT_EQ(finiteColour({1, kNan, -kInf}, c), (Vec3{1, 0, 0}));
  EXPECT_EQ(c.non_finite_lanes, 2U);
}

// ---- textures ----

TEST(Texture, BoxOfTheReferenceExample) {
  Texture t{
      3, 2, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {.5F, .25F, .125F}, {.2F, .4F, .6F}, {1, 1, 1}}};
  EXPECT_EQ(t.sample(.1F, .3F), (Vec3{.625F, .3125F, .53125F}));
  EXPECT_EQ(t.sample(kNan, 0), Vec3{});
  EXPECT_EQ(t.sample(0, kInf), Vec3{});
  EXPECT_EQ(t.sample(3e38F, 0), Vec3{}) << "s * w overflows";
  EXPECT_EQ(Texture{}.sample(0, 0), Vec3{});
  // One texel: the sample is its colour everywhere, however large the coordinates.
  const Texture one{1, 1, {{.5F, .25F, 1}}};
  for (const float s : {0.0F, -.7F, 1e10F, -3e38F})
    EXPECT_EQ(one.sample(s, s), (Vec3{.5F, .25F, 1}));
}

TEST(Texture, RepeatsToBothSides) {
  const auto at = [](float s, float t) { return (*boxFootprint(4, 2, s, t))[0]; };
  EXPECT_EQ(at(.125F, .25F).i, 0U);
  EXPECT_EQ(at(0, 0).i, 3U);
  EXPECT_EQ(at(0, 0).j, 1U);
  EXPECT_EQ(at(-1.0F + .125F, .25F).i, 0U);
  EXPECT_EQ(at(5.375F, .25F).i, 1U);
  const Footprint f = *boxFootprint(4, 2, .99F, .99F);
  EXPECT_EQ(f[0].i, 3U);
  EXPECT_EQ(f[1].i, 0U);
  EXPECT_EQ(f[2].j, 0U);
}

// ---- power and exponential ----

/// Distance in units of the last place of `b`.
double ulps(float a, float b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const auto key = [](float x) {
    const auto bits = std::bit_cast<std::int32_t>(x);
    return bits < 0 ? std::int64_t{std::numeric_limits<std::int32_t>::min()} - bits
                    : std::int64_t{bits};
  };
  return std::isnan(a) || std::isnan(b) ? 1e9 : static_cast<double>(std::abs(key(a) - key(b)));
}

TEST(Functions, PowerAndExponentialAgainstDoublePrecision) {
  std::mt19937 random(11);
  double worst_pow = 0, worst_exp = 0;
  for (int n = 0; n < 400'000; ++n) {
    const auto any = [&random] {
      return std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    };
    const float x = n % 2 == 0 ? any() : std::fabs(std::ldexp(any(), -60));
    const float y =
        n % 3 == 0 ? any() : static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 16;
    worst_pow =
        std::max(worst_pow, ulps(power(x, y), static_cast<float>(std::pow(double{x}, double{y}))));
    const float e = n % 2 == 0
                        ? any()
                        : static_cast<float>(static_cast<int>(random() % 220'001) - 110'000) / 1000;
    worst_exp = std::max(worst_exp, ulps(exponential(e), static_cast<float>(std::exp(double{e}))));
  }
  EXPECT_LE(worst_pow, 1);
  EXPECT_LE(worst_exp, 1);
}

// C99 Annex F.9.4.4 and F.9.3.1, every pair of special values; glibc follows it.
TEST(Functions, AnnexF) {
  const float values[] = {0.0F,  -0.0F,  1,           -1,          .5F,   -.5F,        2,
                          -2,    3,      -3,          2.5F,        -2.5F, 16777215.0F, -16777215.0F,
                          1e38F, -1e38F, 1e-45F,      -1e-45F,     kInf,  -kInf,       kNan,
                          1.5F,  -1.5F,  33554432.0F, -33554433.0F};
  for (const float x : values) {
    for (const float y : values) {
      const float expected = std::pow(x, y), got = power(x, y);
      EXPECT_LE(ulps(got, expected), 1) << x << " ^ " << y << " = " << got << ", not " << expected;
      EXPECT_TRUE(std::isnan(expected) || std::signbit(got) == std::signbit(expected))
          << x << " ^ " << y;
    }
    EXPECT_LE(ulps(exponential(x), std::exp(x)), 1) << x;
  }
}

TEST(Functions, NoiseAgainstDoublePrecision) {
  // The formula again, in double, from the text.
  const auto& p = noiseTables().permutation;
  const auto fade = [](double t) { return t * t * t * (t * (6 * t - 15) + 10); };
  const auto lerp = [](double f, double a, double b) { return a + f * (b - a); };
  const int g[12][3] = {{1, 1, 0},  {-1, 1, 0},  {1, -1, 0}, {-1, -1, 0}, {1, 0, 1},  {-1, 0, 1},
                        {1, 0, -1}, {-1, 0, -1}, {0, 1, 1},  {0, -1, 1},  {0, 1, -1}, {0, -1, -1}};
  const auto cell = [](double x) {
    return static_cast<int>(static_cast<std::int64_t>(std::floor(x)) & 255);
  };
  const auto noise3 = [&](double x, double y, double z) {
    const double fx = x - std::floor(x), fy = y - std::floor(y), fz = z - std::floor(z);
    const auto corner = [&](int i, int j, int k) {
      const int h = p[static_cast<std::size_t>(
          (p[static_cast<std::size_t>(
               (p[static_cast<std::size_t>((cell(x) + i) & 255)] + cell(y) + j) & 255)] +
           cell(z) + k) &
          255)];
      const int* v = g[h % 12];
      return v[0] * (fx - i) + v[1] * (fy - j) + v[2] * (fz - k);
    };
    const auto edge = [&](int j, int k) {
      return lerp(fade(fx), corner(0, j, k), corner(1, j, k));
    };
    return lerp(fade(fz), lerp(fade(fy), edge(0, 0), edge(1, 0)),
                lerp(fade(fy), edge(0, 1), edge(1, 1)));
  };
  const auto noise1 = [&](double x) {
    const double f = x - std::floor(x);
    const auto slope = [&](int i) {
      const int h = p[static_cast<std::size_t>((cell(x) + i) & 255)] & 15;
      return (h & 8 ? -1 : 1) * (1 + (h & 7)) / 8.0;
    };
    return 2 * lerp(fade(f), slope(0) * f, slope(1) * (f - 1));
  };
  std::mt19937 random(12);
  const auto number = [&random] {
    return static_cast<float>(static_cast<int>(random() % 2'000'001) - 1'000'000) / 3000;
  };
  for (int n = 0; n < 100'000; ++n) {
    const Vec3 at{number(), number(), number()};
    EXPECT_NEAR(turb(at), noise3(at.x, at.y, at.z), 2e-6);
    EXPECT_NEAR(turb(at.x), noise1(at.x), 2e-6);
  }
  for (const float whole : {0.0F, 1.0F, -7.0F, 300.0F, -16777216.0F, 3e38F}) {
    EXPECT_EQ(turb(whole), 0);
    EXPECT_EQ(turb(Vec3{whole, 2, -whole}), 0);
  }
  for (const float bad : {kNan, kInf, -kInf}) {
    EXPECT_TRUE(std::isnan(turb(bad)));
    EXPECT_TRUE(std::isnan(turb(Vec3{0, bad, 0})));
  }
}

TEST(Functions, RandomNumbers) {
  EXPECT_EQ(stepRandom(1), 270369U);
  EXPECT_EQ(randomValue(270369U), 1056.0F / 16777216);
  std::set<std::uint32_t> seeds;
  for (std::uint32_t pixel = 0; pixel < 2000; ++pixel) {
    for (std::uint32_t k = 0; k < 4; ++k) seeds.insert(randomSeed(pixel, k, 0, 0));
  }
  EXPECT_EQ(seeds.size(), 8000U);
  EXPECT_EQ(seeds.count(0), 0U);
}

TEST(Manual, NamesEveryFormAndRegister) {
  const std::string text = manual();
  for (const FormInfo& f : kInstructions)
    EXPECT_NE(text.find("`" + describe(f) + "`"), std::string::npos) << describe(f);
  for (const RegisterInfo& r : kRegisters)
    EXPECT_NE(text.find("| " + std::string(r.name) + " |"), std::string::npos) << r.name;
}

TEST(SlCounters, SumIsFieldByField) {
  Counters a{1, 2, 3, 4, 5, 6};
  a += Counters{10, 20, 30, 40, 50, 60};
  EXPECT_EQ(a.runs, 11U);
  EXPECT_EQ(a.instructions, 22U);
  EXPECT_EQ(a.over_budget, 33U);
  EXPECT_EQ(a.non_finite_lanes, 44U);
  EXPECT_EQ(a.traces, 55U);
  EXPECT_EQ(a.lookups, 66U);
}

}  // namespace
}  // namespace rtvp::sl::test
