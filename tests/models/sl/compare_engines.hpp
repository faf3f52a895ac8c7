// The batched engine against the plain one, bit for bit.
#pragma once

#include <bit>
#include <cmath>
#include <iostream>
#include <vector>

#include "models/sl/batch_vm.hpp"
#include "tests/models/sl/random_program.hpp"
#include "tests/models/sl/support.hpp"

namespace rtvp::sl::test {

/// Equal bits; not-a-number equals any not-a-number.
inline bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
inline bool same(const Vec3& a, const Vec3& b) {
  return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}

inline std::vector<batch::Isa> usable() {
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

inline std::string textOf(const Program& program) {
  std::string out;
  for (const Instruction& in : program.code()) out += disassemble(in) + '\n';
  return out;
}

/// Runs both engines; false at the first difference, which it reports.
inline bool agrees(const Program& program, batch::Isa isa, const std::vector<Registers>& inputs) {
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

inline void randomPrograms(std::uint32_t seed, int count) {
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

}  // namespace rtvp::sl::test
