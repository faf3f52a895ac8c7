// The batched engine against the plain one, bit for bit, under every instruction set of this host.
#include "tests/models/sl/compare_engines.hpp"

namespace rtvp::sl::test {
namespace {

TEST(Batch, RandomProgramsAgree) {
  randomPrograms(20260801, 400);
}

TEST(Batch, ExamplesAgree) {
  RandomPrograms random(5);
  for (const char* name : {"toon", "checker", "marble", "wood", "mirror", "bump", "constant",
                           "cos_attenuated", "full_attenuated", "bump_mapping"}) {
    SCOPED_TRACE(name);
    const Program program = programOf(sourceOf(name));
    std::vector<Registers> inputs(200);
    for (Registers& r : inputs) r = random.registers();
    for (const batch::Isa isa : usable()) EXPECT_TRUE(agrees(program, isa, inputs));
  }
}

// Every form alone, with a value of every kind in every operand.
TEST(Batch, EachFormAgrees) {
  RandomPrograms random(6);
  for (unsigned f = 0; f < kForms; ++f) {
    for (int n = 0; n < 40; ++n) {
      Instruction in;
      do {
        in = random.instruction(0, 1);
      } while (static_cast<unsigned>(in.form) != f && in.form != Form::Ret);
      const std::uint64_t word = encode(in);
      std::vector<Registers> inputs(64 + 7);
      for (Registers& r : inputs) r = random.registers();
      for (const batch::Isa isa : usable()) ASSERT_TRUE(agrees(Program({{word}}), isa, inputs));
    }
  }
}

// load() brings only what can be seen at the start; the colours must not tell.
TEST(Batch, LoadingOnlyInputsChangesNoColour) {
  constexpr std::uint32_t kSeed = 9;
  std::cout << "seed " << kSeed << "\n";
  RandomPrograms random(kSeed);
  for (int n = 0; n < 200; ++n) {
    const Program program = random.program();
    std::vector<Registers> inputs(64 + random.below(40));
    for (Registers& r : inputs) r = random.registers();
    Batch all(inputs.size()), some(inputs.size());
    const BatchVm vm(program);
    for (std::size_t p = 0; p < inputs.size(); ++p) {
      all.setRegisters(p, inputs[p]);
      // What an earlier run may have left behind.
      some.setRegisters(p, random.registers());
    }
    vm.load(some, inputs);
    EchoWorld world;
    Counters counters;
    vm.run(all, world, counters);
    vm.run(some, world, counters);
    for (std::size_t p = 0; p < inputs.size(); ++p) {
      ASSERT_TRUE(same(all.vector(p, reg::v0), some.vector(p, reg::v0))) << textOf(program);
      ASSERT_TRUE(same(all.scalar(p, reg::v1), some.scalar(p, reg::v1))) << textOf(program);
      ASSERT_EQ(all.instructions(p), some.instructions(p)) << textOf(program);
    }
  }
  Batch small(3);
  EXPECT_THROW(BatchVm(codeOf("nop\n")).load(small, std::vector<Registers>(4)),
               std::invalid_argument);
}

// Points leave one loop at different times, and some exhaust the budget beside others that do not.
TEST(Batch, DivergenceAndBudget) {
  const Program loop = codeOf("li s1, 1.0\nadd s0, s0, s1\nblt s0, Kd, -2\nmov v1, s0\n");
  std::vector<Registers> inputs(64);
  for (std::size_t p = 0; p < inputs.size(); ++p)
    inputs[p].scalar(reg::Kd) = static_cast<float>(p * p * 10);
  // 65536 instructions: 1 + 2 n + 1 = 65536 at n = 32767; 32768 turns are one too many.
  inputs[10].scalar(reg::Kd) = 32767;
  inputs[11].scalar(reg::Kd) = 32768;
  for (const batch::Isa isa : usable()) EXPECT_TRUE(agrees(loop, isa, inputs));
  Batch batch(inputs.size());
  for (std::size_t p = 0; p < inputs.size(); ++p) batch.setRegisters(p, inputs[p]);
  FixedWorld world;
  Counters counters;
  BatchVm(loop).run(batch, world, counters);
  EXPECT_EQ(batch.state(10), Stop::Done);
  EXPECT_EQ(batch.instructions(10), kBudget);
  EXPECT_EQ(batch.state(11), Stop::Budget);
  EXPECT_EQ(counters.over_budget, 7U);  // 11 and 58..63: 33640 turns and more
}

TEST(Batch, RefusesAnInstructionSetTheHostLacks) {
  const Program program = codeOf("nop\n");
  for (const batch::Isa isa : batch::kIsas) {
    if (batch::isaUsable(isa)) {
      EXPECT_NO_THROW(BatchVm(program, isa));
    } else {
      EXPECT_THROW(BatchVm(program, isa), std::invalid_argument);
    }
  }
}

}  // namespace
}  // namespace rtvp::sl::test
