// The register form against the plain interpreter: equal bits of values and ranges, whole, pruned,
// masked, and through words. RTVP_BOXES boxes a tape.
#include "models/implicit/registers/program.hpp"

#include "models/implicit/registers/allocator.hpp"
#include "tests/models/implicit/support.hpp"

namespace rtvp::implicit::registers {
namespace {

using namespace rtvp::implicit::test;  // NOLINT(google-build-using-namespace): its tapes

constexpr unsigned kSeed = 31;

/// A pruned program and one pruned again inside, at points; through words too.
std::size_t checkBox(const Tape& tape, const Program& whole, const Bounds& box,
                     std::mt19937& random) {
  const IntervalResult outer = prune(whole, box);
  const BoxResult plain = prune(tape, Mask(tape.size()), box);
  EXPECT_EQ(outer.value, plain.value) << "seed " << kSeed;
  EXPECT_EQ(evaluate(whole, box), plain.value);
  Bounds half = box;
  for (unsigned n = 0; n < 3; ++n) half.max[n] = (box.min[n] + box.max[n]) / 2;
  const IntervalResult inner = prune(outer.program, half);
  const Program masked = compile(tape, plain.mask);
  EXPECT_EQ(evaluate(masked, half), evaluate(tape, plain.mask, half));
  EXPECT_LE(inner.program.clauses().size(), outer.program.clauses().size());
  const Program again = decode(encode(inner.program));
  EXPECT_EQ(disassemble(decode(encode(again))), disassemble(again));
  for (unsigned sample = 0; sample < 4; ++sample) {
    const auto p = pointIn(box, random), q = pointIn(half, random);
    const float at_p = evaluate(tape, p), at_q = evaluate(tape, q);
    EXPECT_TRUE(same(evaluate(whole, p), at_p));
    EXPECT_TRUE(same(evaluate(outer.program, p), at_p));
    EXPECT_TRUE(same(evaluate(masked, p), at_p));
    EXPECT_TRUE(same(evaluate(inner.program, q), at_q));
    EXPECT_TRUE(same(evaluate(again, q), at_q));
    const std::array<double, 3> p64{static_cast<double>(p[0]), static_cast<double>(p[1]),
                                    static_cast<double>(p[2])};
    const double a = evaluate64(tape, p64), b = evaluate64(whole, p64);
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b)));
  }
  return whole.clauses().size() - inner.program.clauses().size();
}

class Scenes : public ::testing::TestWithParam<const char*> {};

TEST_P(Scenes, ProgramEqualsTape) {
  const Tape tape = assembled(GetParam());
  const Program whole = compile(tape);
  std::mt19937 random(kSeed);
  std::size_t dropped = 0;
  for (unsigned box = 0; box < RTVP_BOXES && !HasFailure(); ++box)
    dropped += checkBox(tape, whole, randomBox(random), random);
  EXPECT_GT(dropped, std::size_t{RTVP_BOXES} / 2);
}

INSTANTIATE_TEST_SUITE_P(Tapes, Scenes,
                         ::testing::Values(kDefaultObject, kSmoothBlend, kSelections));

TEST(Programs, RandomTapes) {
  std::mt19937 random(kSeed);
  for (unsigned n = 0; n < RTVP_BOXES; ++n) {
    const std::string text = randomTape(random);
    const Tape tape = assembled(text);
    checkBox(tape, compile(tape), randomBox(random), random);
    if (HasFailure()) FAIL() << "tape " << n << " of seed " << kSeed << ":\n" << text;
  }
}

TEST(Programs, DefaultObjectHasNoStackTraffic) {
  const Program program = compile(assembled(kDefaultObject));
  EXPECT_EQ(disassemble(program),
            "r5 = OPMulVec3Float r0 f(0.9)\n"
            "r8 = OPAddVec3Vec3 r5 v3(-0.7,-1.2,-0.7)\n"
            "r4 = OPSDFSphere f(0.5) r8\n"
            "r3 = OPSDFTorus v2(0.7,0.4) r5\n"
            "r3 = OPMinFloat r3 r4\n"
            "r3 = OPDivFloatFloat r3 f(0.9)\n"
            "OPStop r3\n");
  EXPECT_EQ(program.clauses()[3].shape, 1U);  // the second OPSDF instruction
  EXPECT_EQ(encode(program).size(), 2U + 6U + 4U);
}

TEST(Programs, ConstantWinnersAreDecided) {
  const Program program =
      compile(assembled("OPSDFSphere f(1) var\nOPMinFloat var f(0.25)\nOPStop var\n"));
  const IntervalResult far = prune(program, {{5, 5, 5}, {6, 6, 6}});
  EXPECT_TRUE(far.program.clauses().empty());
  EXPECT_EQ(evaluate(far.program, std::array<float, 3>{5, 5, 5}), 0.25F);
}

/// `values` sums of the query point's parts, which all wait until they are summed up.
std::vector<Clause> waitingSums(std::uint16_t values) {
  const OpcodeInfo& add = *findOpcode("OPAddFloatFloat");
  const Source x{0, kPointLink, 0}, z{0, kPointLink, 2};
  std::vector<Clause> clauses(values, Clause(add, {x, z}, 0));
  for (std::uint16_t n = 1; n < values; ++n) {
    const Source sum{0, static_cast<std::uint16_t>(n == 1 ? 1 : clauses.size()), 0};
    const Source next{0, static_cast<std::uint16_t>(n + 1), 0};
    clauses.emplace_back(add, std::array<Source, 4>{sum, next}, std::uint16_t{0});
  }
  return clauses;
}

TEST(Programs, TooManyRegistersLeaveTheAllocatorAsItWas) {
  const auto compiled = [](Allocator& allocator, std::uint16_t values) {
    const std::vector<Clause> clauses = waitingSums(values);
    return allocator.compile(clauses, {0, static_cast<std::uint16_t>(clauses.size()), 0},
                             std::make_shared<const std::vector<float>>());
  };
  Allocator used, fresh;
  EXPECT_THROW(compiled(used, 4200), ProgramError);
  const Program again = compiled(used, 4000);
  EXPECT_EQ(disassemble(again), disassemble(compiled(fresh, 4000)));
  EXPECT_EQ(again.clauses().size(), 7999U);
  EXPECT_EQ(evaluate(again, std::array{0.25F, 7.0F, 0.5F}), 4000 * 0.75F);
}

TEST(Words, HostileOnesAreRefusedOrSafe) {
  std::mt19937 random(kSeed);
  unsigned refused = 0, accepted = 0;
  for (unsigned n = 0; n < 20U * RTVP_BOXES; ++n) {
    std::vector<std::uint64_t> words =
        encode(compile(assembled(n % 2 == 0 ? kSelections : randomTape(random))));
    for (unsigned change = 0; change <= random() % 3; ++change)
      words[random() % words.size()] ^= std::uint64_t{1} << random() % 64;
    if (random() % 8 == 0) words.resize(random() % (words.size() + 1));
    try {
      const Program program = decode(words);
      evaluate(program, std::array<float, 3>{1, 2, 3});
      const IntervalResult r = prune(program, {{0, 0, 0}, {1, 1, 1}});
      EXPECT_LE(r.value.lo, r.value.hi);
      EXPECT_TRUE(same(evaluate(program, std::array<float, 3>{0, 0.5F, 1}),
                       evaluate(r.program, std::array<float, 3>{0, 0.5F, 1})));
      ++accepted;
    } catch (const ProgramError& e) {
      EXPECT_NE(e.what()[0], '\0');
      ++refused;
    }
  }
  EXPECT_GT(refused, RTVP_BOXES);
  EXPECT_GT(accepted, RTVP_BOXES);
}

TEST(Words, RefusalsNameTheWord) {
  const std::vector<std::uint64_t> good = encode(compile(assembled(kDefaultObject)));
  const auto refusal = [&](std::size_t at, std::uint64_t word) {
    std::vector<std::uint64_t> words = good;
    words[at] = word;
    try {
      decode(words);
    } catch (const ProgramError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal(0, 0), "word 0: found no program, expected 0x5246 on top");
  EXPECT_EQ(refusal(2, 1), "word 2: found opcode 1, expected one that computes a value");
  EXPECT_EQ(refusal(2, 0x3FF), "word 2: found opcode 1023, expected one that computes a value");
  EXPECT_EQ(refusal(2, 54 | 3U << 10U | std::uint64_t{9} << 22U),
            "word 2: row 9 holds no value, or no part of the value before it");
  EXPECT_EQ(refusal(2, 54 | 3U << 10U | std::uint64_t{0x3FFF} << 22U),
            "word 2: found constant 8191 of 1 numbers, expected one inside the pool of 7");
  EXPECT_EQ(refusal(2, 54 | 1U << 10U), "word 2: found destination 1, expected a row from 3 to 10");
  EXPECT_EQ(refusal(1, 1U << 14U), "word 1: found bits above the result's source");
  EXPECT_THROW(decode({}), ProgramError);
}

}  // namespace
}  // namespace rtvp::implicit::registers
