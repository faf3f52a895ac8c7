// The fast executor with each instruction set of the host against the plain one on random programs:
// everything a program can see must agree.
#include <random>

#include "firmware/theia/firmware.hpp"
#include "tests/models/theia/test_support.hpp"

namespace rtvp::theia {
namespace {

using Random = std::mt19937;

unsigned below(Random& random, unsigned n) {
  return static_cast<unsigned>(random() % n);
}

/// Registers near each other, so that results, forwarding and aliases meet often.
std::uint16_t anyRegister(Random& random) {
  static constexpr std::array<std::uint16_t, 14> kFew{0,  1,  44, 45, 71,  72,  73,
                                                      74, 85, 95, 99, 120, 128, 131};
  return below(random, 8) == 0 ? static_cast<std::uint16_t>(random() & 0xFFFFU)
                               : kFew[below(random, kFew.size())];
}

/// Programs of all there is soon meet something that is not the fast executor's. `Plain` ones stay
/// in it, and in a routine's host code, for long: arithmetic of registers that can be written, and
/// jumps onwards.
enum class Shape : std::uint8_t { Any, Plain };

std::uint16_t anyTarget(Random& random, unsigned row, unsigned rows, Shape shape) {
  if (shape == Shape::Plain && below(random, 40) != 0) {
    if (below(random, 12) == 0) return std::array<std::uint16_t, 3>{73, 81, 226}[below(random, 3)];
    return static_cast<std::uint16_t>(kUserCode | std::min(row + 1 + below(random, 4), rows - 1));
  }
  switch (below(random, 12)) {
    case 0:
      return static_cast<std::uint16_t>(below(random, 400));  // into the ROM
    case 1:
      return static_cast<std::uint16_t>(kUserCode | below(random, rows));
    case 2:
      return 314;  // PIXELSHADER
    case 3:
      return below(random, 20) == 0 ? static_cast<std::uint16_t>(random()) : std::uint16_t{81};
    default:
      return static_cast<std::uint16_t>(kUserCode | (row + 1 + below(random, 4)));
  }
}

Instruction anyInstruction(Random& random, unsigned row, unsigned rows, Shape shape) {
  const OpInfo* info = nullptr;
  const auto unwanted = [&] {
    if (info->hangs()) return below(random, 60) != 0;
    const bool leaves = info->op == Op::RETURN || info->op == Op::TMREAD ||
                        info->op == Op::OMWRITE || info->op == Op::MAG || info->op == Op::MULP ||
                        info->op == Op::IMUL;
    return shape == Shape::Plain && leaves && below(random, 16) != 0;
  };
  do {
    info = &kInstructions[below(random, kInstructions.size())];
  } while (unwanted());
  if (shape == Shape::Plain && !info->jumps()) {
    static constexpr std::array<std::uint16_t, 10> kWritable{44, 45, 71, 72, 73,
                                                             74, 85, 95, 99, 120};
    // Some programs have more of them than the host has vectors.
    const auto any = [&random, rows] {
      return rows % 3 == 0 ? static_cast<std::uint16_t>(71 + below(random, 30))
                           : kWritable[below(random, kWritable.size())];
    };
    const auto source = [&] { return below(random, 6) == 0 ? anyRegister(random) : any(); };
    if (info->typeTwo()) return Instruction::typeTwoOf(info->op, any(), below(random, 24));
    return Instruction::typeOne(info->op, any(), source(), source());
  }
  if (info->jumps())
    return Instruction::typeOne(info->op, anyTarget(random, row, rows, shape), anyRegister(random),
                                anyRegister(random));
  if (info->op == Op::NOP && below(random, 2) == 0)
    return Instruction::typeOne(Op::NOP, anyRegister(random), 0, 0);
  if (info->typeTwo()) {
    const Word immediate = below(random, 2) != 0 ? below(random, 24) : static_cast<Word>(random());
    return Instruction::typeTwoOf(info->op, anyRegister(random), immediate);
  }
  return Instruction::typeOne(info->op, anyRegister(random), anyRegister(random),
                              anyRegister(random));
}

Word anyWord(Random& random) {
  static constexpr std::array<Word, 8> kCorners{0,          1,          0xFFFFFFFF, 0x80000000,
                                                0x7FFFFFFF, 0x55555556, kOne,       0xAAAAAAAA};
  switch (below(random, 5)) {
    case 0:
      return kCorners[below(random, kCorners.size())];
    case 4:  // of the magnitudes that immediate words have
      return below(random, 2) == 0 ? below(random, 24) : 0U - below(random, 24);
    case 1:
      return below(random, 200);
    case 2:
      return static_cast<Word>(below(random, 1U << 21) - (1U << 20));
    default:
      return static_cast<Word>(random());
  }
}

/// On from where it has stopped first.
void runToStop(Core& core, Stop stop, std::uint64_t& reads) {
  while (stop == Stop::TextureRead) {
    const Vec& a = core.textureAddress();
    core.finishTextureRead({a.x ^ 5U, a.y + 1, a.z}, 9 + static_cast<unsigned>(a.x % 4));
    ++reads;
    stop = core.run();
  }
}

void expectEqual(const Core& fast, const Core& plain) {
  ASSERT_EQ(fast.fault().kind, plain.fault().kind) << fast.fault().describe() << "\n"
                                                   << plain.fault().describe();
  EXPECT_EQ(fast.fault().pc, plain.fault().pc);
  EXPECT_EQ(fast.clocks(), plain.clocks());
  EXPECT_EQ(fast.flag(), plain.flag());
  EXPECT_EQ(fast.pc(), plain.pc());
  for (unsigned r = 0; r < kRegisterRows; ++r) {
    ASSERT_EQ(fast.readRegister(r), plain.readRegister(r)) << registerName(r);
    ASSERT_EQ(fast.shadowRegister(r), plain.shadowRegister(r)) << registerName(r);
  }
  EXPECT_TRUE(std::equal(fast.output().begin(), fast.output().end(), plain.output().begin()));
  EXPECT_EQ(fast.statistics().opcodes, plain.statistics().opcodes);
  EXPECT_EQ(fast.statistics().dividerClocks, plain.statistics().dividerClocks);
  EXPECT_EQ(fast.statistics().textureClocks, plain.statistics().textureClocks);
  EXPECT_EQ(fast.statistics().outputWrites, plain.statistics().outputWrites);
}

bool hasHostCode(common::Isa isa) {
  return isa == common::Isa::Avx2 || isa == common::Isa::Avx512;
}

struct Ran {
  std::uint64_t instructions = 0;
  std::uint64_t routinesInHostCode = 0;
};

Ran runOne(unsigned seed, Shape shape, const Rom& rom, common::Isa isa) {
  Random random(seed);
  CoreConfig config;
  config.alu.exactMath = shape == Shape::Any && below(random, 8) == 0;
  config.alu.strictIsa = shape == Shape::Any && below(random, 8) == 0;
  config.honourPixelShaderSlot = below(random, 4) == 0;
  config.outputWords = 300;
  config.instructionLimit = std::array{300U, 1500U, 6000U, 6000U}[below(random, 4)];
  if (shape == Shape::Plain)
    config.instructionLimit = std::max<std::uint64_t>(config.instructionLimit, 1500);
  config.fast = true;
  config.isa = isa;
  // Host code with nothing known of the routine, with what one or two runs of it have shown, never.
  config.hostCodeAfter = below(random, 4);
  Core fast(config, rom, 0);
  config.fast = false;
  Core plain(config, rom, 0);
  const unsigned rows = 12 + 4 + below(random, 60);
  for (unsigned row = 0; row < rows; ++row) {
    Instruction in = anyInstruction(random, row, rows, shape);
    if (row < kEntries) in.word = kUserCode | (12U + below(random, 6));
    if (row == rows - 1)
      in = Instruction::typeTwoOf(Op::RETURN, below(random, 2) * 71, static_cast<Word>(random()));
    fast.hostWriteInstruction(row, in);
    plain.hostWriteInstruction(row, in);
  }
  for (unsigned r = 0; r < kRegisterRows; ++r) {
    const Vec v{anyWord(random), anyWord(random), anyWord(random)};
    fast.pokeRegister(r, v);
    plain.pokeRegister(r, v);
  }
  std::uint64_t fast_reads = 0, plain_reads = 0;
  const unsigned routines = (shape == Shape::Any ? 4 : 12) + below(random, 8);
  const unsigned entries = below(random, 3) == 0 ? kEntries : 1;  // or one, again and again
  const unsigned rewrites = shape == Shape::Any ? 8 : 24;         // one routine in so many
  for (unsigned routine = 0; routine < routines; ++routine) {
    const auto entry = static_cast<Entry>(below(random, entries));
    if (below(random, 2) != 0) fast.flip(), plain.flip();
    if (below(random, 2) == 0) {  // other ways through the routine
      const unsigned r = anyRegister(random) & kAddressMask;
      const Vec other{anyWord(random), anyWord(random), anyWord(random)};
      fast.pokeRegister(r, other), plain.pokeRegister(r, other);
    }
    const Vec v{anyWord(random), anyWord(random), anyWord(random)};
    const unsigned address = below(random, 60);
    fast.hostWriteRegister(address, v);
    plain.hostWriteRegister(address, v);
    if (below(random, rewrites) == 0) {
      const unsigned row = kEntries + below(random, rows - 1 - kEntries);
      const Instruction in = anyInstruction(random, row, rows, shape);
      for (Core* const core : {&fast, &plain}) core->hostWriteInstruction(row, in);
    }
    runToStop(fast, fast.runEntry(entry), fast_reads);
    plain.startEntry(entry);
    runToStop(plain, plain.run(), plain_reads);
    EXPECT_EQ(fast_reads, plain_reads);
    expectEqual(fast, plain);
    if (testing::Test::HasFailure() || plain.fault()) break;
  }
  Ran ran;
  for (const auto n : plain.statistics().opcodes) ran.instructions += n;
  ran.routinesInHostCode = fast.routinesInHostCode();
  return ran;
}

class TheiaDifferential : public testing::TestWithParam<common::Isa> {};

void expectProgramsAgree(Shape shape, unsigned programs, common::Isa isa) {
  const Rom rom = microcodeRom();
  std::uint64_t executed = 0, in_host_code = 0;
  for (unsigned seed = test::seedBase() + 1; seed <= test::seedBase() + programs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Ran ran = runOne(seed, shape, rom, isa);
    executed += ran.instructions;
    in_host_code += ran.routinesInHostCode;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(executed, std::uint64_t{40} * programs) << "the programs must not all stop at once";
  if (shape == Shape::Plain) {
    EXPECT_EQ(in_host_code > std::uint64_t{4} * programs, hasHostCode(isa)) << in_host_code;
  }
}

// Ten thousand with the instruction set that this host runs, two thousand with the others.
TEST_P(TheiaDifferential, ThousandsOfRandomProgramsAgreeInBothExecutors) {
  if (!common::isaUsable(GetParam())) GTEST_SKIP() << "not on this host";
  expectProgramsAgree(Shape::Any, GetParam() == common::bestIsa() ? 10'000 : 2'000, GetParam());
}

TEST_P(TheiaDifferential, RoutinesAgreeInHostCodeAndInThePlainExecutor) {
  if (!common::isaUsable(GetParam())) GTEST_SKIP() << "not on this host";
  expectProgramsAgree(Shape::Plain, hasHostCode(GetParam()) ? 1'500 : 500, GetParam());
}

/// Registers are set, one instruction runs; corner values of the multiplier and the divider come
/// often, which a program of random instructions reaches with its first ones only.
void expectAlike(Op op, Random& random, const Rom& rom, common::Isa isa) {
  CoreConfig config;
  config.outputWords = 1;
  config.isa = isa;
  config.hostCodeAfter = below(random, 2);  // the loop, or host code where the host has it
  Core fast(config, rom, 0);
  config.fast = false;
  Core plain(config, rom, 0);
  const unsigned rows = kEntries;
  const Word immediate = anyWord(random);
  const bool two = (static_cast<unsigned>(op) & 0x40U) != 0;
  const unsigned d = below(random, 3) == 0 ? 72 : 74;  // also where an operand is
  for (Core* const core : {&fast, &plain}) {
    for (unsigned row = 0; row < kEntries; ++row)
      core->hostWriteInstruction(row, {kUserCode | rows});
    core->hostWriteInstruction(
        rows, two ? Instruction::typeTwoOf(op, d, immediate) : Instruction::typeOne(op, d, 72, 73));
    core->hostWriteInstruction(rows + 1, Instruction::typeTwoOf(Op::RETURN, 0, 1));
  }
  for (unsigned repeat = 0; repeat < 400; ++repeat) {
    std::array<Vec, 3> values;
    for (Vec& v : values) v = {anyWord(random), anyWord(random), anyWord(random)};
    for (Core* const core : {&fast, &plain}) {
      for (unsigned i = 0; i < values.size(); ++i) core->pokeRegister(72 + i, values[i]);
      ASSERT_EQ(core->runEntry(Entry::Main), Stop::Returned);
    }
    ASSERT_EQ(fast.readRegister(d), plain.readRegister(d));
    ASSERT_EQ(fast.clocks(), plain.clocks());
    ASSERT_EQ(fast.dividerClocks(), plain.dividerClocks());
  }
  const bool compiled = hasHostCode(isa) && config.hostCodeAfter != 0 && op != Op::MAG &&
                        op != Op::MULP && op != Op::IMUL;  // the loop's, whatever begins with them
  EXPECT_EQ(fast.routinesInHostCode() >= 399, compiled);
}

TEST_P(TheiaDifferential, EveryInstructionAgreesOnCornersOfItsOperands) {
  if (!common::isaUsable(GetParam())) GTEST_SKIP() << "not on this host";
  const Rom rom = microcodeRom();
  Random random(test::seedBase() + 7);
  for (const OpInfo& info : kInstructions) {
    const bool leaves = info.op == Op::RET || info.op == Op::RETURN || info.op == Op::OMWRITE ||
                        info.op == Op::TMREAD || info.jumps();
    if (info.hangs() || leaves) continue;
    SCOPED_TRACE(info.mnemonic);
    for (unsigned repeat = 0; repeat < 20; ++repeat) {
      expectAlike(info.op, random, rom, GetParam());
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, TheiaDifferential, testing::ValuesIn(common::kIsas),
                         [](const auto& isa) { return std::string(common::isaName(isa.param)); });

}  // namespace
}  // namespace rtvp::theia
