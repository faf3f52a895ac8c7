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

std::uint16_t anyTarget(Random& random, unsigned row, unsigned rows) {
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

Instruction anyInstruction(Random& random, unsigned row, unsigned rows) {
  const OpInfo* info = nullptr;
  do {
    info = &kInstructions[below(random, kInstructions.size())];
  } while (info->hangs() && below(random, 60) != 0);
  if (info->jumps())
    return Instruction::typeOne(info->op, anyTarget(random, row, rows), anyRegister(random),
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
  switch (below(random, 4)) {
    case 0:
      return kCorners[below(random, kCorners.size())];
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

/// Returns the number of instructions that ran.
std::uint64_t runOne(unsigned seed, const Rom& rom, common::Isa isa) {
  Random random(seed);
  CoreConfig config;
  config.alu.exactMath = below(random, 8) == 0;
  config.alu.strictIsa = below(random, 8) == 0;
  config.honourPixelShaderSlot = below(random, 4) == 0;
  config.outputWords = 300;
  config.instructionLimit = std::array{300U, 1500U, 6000U, 6000U}[below(random, 4)];
  config.fast = true;
  config.isa = isa;
  Core fast(config, rom, 0);
  config.fast = false;
  Core plain(config, rom, 0);
  const unsigned rows = 12 + 4 + below(random, 60);
  for (unsigned row = 0; row < rows; ++row) {
    Instruction in = anyInstruction(random, row, rows);
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
  for (unsigned routine = 0; routine < 4; ++routine) {
    const auto entry = static_cast<Entry>(below(random, kEntries));
    if (below(random, 2) != 0) fast.flip(), plain.flip();
    const Vec v{anyWord(random), anyWord(random), anyWord(random)};
    const unsigned address = below(random, 60);
    fast.hostWriteRegister(address, v);
    plain.hostWriteRegister(address, v);
    if (below(random, 4) == 0) {
      const unsigned row = kEntries + below(random, rows - 1 - kEntries);
      const Instruction in = anyInstruction(random, row, rows);
      for (Core* const core : {&fast, &plain}) core->hostWriteInstruction(row, in);
    }
    runToStop(fast, fast.runEntry(entry), fast_reads);
    plain.startEntry(entry);
    runToStop(plain, plain.run(), plain_reads);
    EXPECT_EQ(fast_reads, plain_reads);
    expectEqual(fast, plain);
    if (testing::Test::HasFailure() || plain.fault()) break;
  }
  std::uint64_t executed = 0;
  for (const auto n : plain.statistics().opcodes) executed += n;
  return executed;
}

class TheiaDifferential : public testing::TestWithParam<common::Isa> {};

// Ten thousand with the instruction set that this host runs, two thousand with the others.
TEST_P(TheiaDifferential, ThousandsOfRandomProgramsAgreeInBothExecutors) {
  if (!common::isaUsable(GetParam())) GTEST_SKIP() << "not on this host";
  const Rom rom = microcodeRom();
  const unsigned programs = GetParam() == common::bestIsa() ? 10'000 : 2'000;
  std::uint64_t executed = 0;
  for (unsigned seed = test::seedBase() + 1; seed <= test::seedBase() + programs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    executed += runOne(seed, rom, GetParam());
    if (HasFailure()) return;
  }
  EXPECT_GT(executed, std::uint64_t{40} * programs) << "the programs must not all stop at once";
}

/// Registers are set, one instruction runs; corner values of the multiplier and the divider come
/// often, which a program of random instructions reaches with its first ones only.
void expectAlike(Op op, Random& random, const Rom& rom, common::Isa isa) {
  CoreConfig config;
  config.outputWords = 1;
  config.isa = isa;
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
      core->startEntry(Entry::Main);
      ASSERT_EQ(core->run(), Stop::Returned);
    }
    ASSERT_EQ(fast.readRegister(d), plain.readRegister(d));
    ASSERT_EQ(fast.clocks(), plain.clocks());
    ASSERT_EQ(fast.dividerClocks(), plain.dividerClocks());
  }
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
