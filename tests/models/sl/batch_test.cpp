// The batched engine against the plain one, bit for bit, under every instruction set of this host.
#include <cstring>
#include <iostream>

#include "models/sl/batch_vm.hpp"
#include "models/sl/math.hpp"
#include "tests/models/sl/random_program.hpp"
#include "tests/models/sl/support.hpp"

namespace rtvp::sl::test {
namespace {

/// Equal bits; not-a-number equals any not-a-number.
bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
bool same(const Vec3& a, const Vec3& b) {
  return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}

std::vector<batch::Isa> usable() {
  std::vector<batch::Isa> out;
  for (const batch::Isa isa : batch::kIsas) {
    if (batch::isaUsable(isa)) out.push_back(isa);
  }
  return out;
}

/// Answers that depend on everything that was asked.
class EchoWorld : public Environment {
 public:
  Vec3 trace(std::size_t point, const Vec3& o, const Vec3& d) override {
    return {o.x + d.y, o.y - d.z, static_cast<float>(point) + d.x};
  }
  Vec3 lookup(std::size_t point, unsigned slot, float s, float t) override {
    return {s + static_cast<float>(slot), t, static_cast<float>(point)};
  }
};

std::string textOf(const Program& program) {
  std::string out;
  for (const Instruction& in : program.code()) out += disassemble(in) + '\n';
  return out;
}

/// Runs both engines; false at the first difference, which it reports.
bool agrees(const Program& program, batch::Isa isa, const std::vector<Registers>& inputs) {
  Batch batch(inputs.size());
  for (std::size_t p = 0; p < inputs.size(); ++p) {
    batch.setRegisters(p, inputs[p]);
    batch.setSeed(p, static_cast<std::uint32_t>(p * 77 + 1));
  }
  EchoWorld world;
  Counters counted;
  BatchVm(program, isa).run(batch, world, counted);
  Counters expected;
  Vm vm(program);
  for (std::size_t p = 0; p < inputs.size(); ++p) {
    vm.start(inputs[p], static_cast<std::uint32_t>(p * 77 + 1));
    const Stop stop = vm.run(world, p);
    ++expected.runs;
    expected.instructions += vm.instructions();
    expected.over_budget += stop == Stop::Budget ? 1 : 0;
    bool ok = batch.state(p) == stop && batch.instructions(p) == vm.instructions() &&
              batch.randomState(p) == vm.randomState();
    const Registers got = batch.registers(p);
    std::string where;
    for (const RegisterInfo& r : kRegisters) {
      if (isVector(r.id) ? same(got.vector(r.id), vm.registers().vector(r.id))
                         : same(got.scalar(r.id), vm.registers().scalar(r.id)))
        continue;
      ok = false;
      where += " " + std::string(r.name);
    }
    if (!ok) {
      ADD_FAILURE() << batch::isaName(isa) << ", point " << p << ":" << where << ", instructions "
                    << batch.instructions(p) << " and " << vm.instructions() << "\n"
                    << textOf(program);
      return false;
    }
  }
  EXPECT_EQ(counted.runs, expected.runs);
  EXPECT_EQ(counted.instructions, expected.instructions);
  EXPECT_EQ(counted.over_budget, expected.over_budget);
  return true;
}

void randomPrograms(std::uint32_t seed, int count) {
  std::cout << "seed " << seed << ", " << count << " programs\n";
  RandomPrograms random(seed);
  for (int n = 0; n < count; ++n) {
    const Program program = random.program();
    // Sizes that fill no block, one, and one and a bit.
    std::vector<Registers> inputs(1 + random.below(90));
    for (Registers& r : inputs) r = random.registers();
    for (const batch::Isa isa : usable()) {
      if (!agrees(program, isa, inputs)) return;
    }
  }
}

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
