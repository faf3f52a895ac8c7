// What goes into what (flowsOf) against the processor: random instructions in random states. What
// changes is a result that is named; a register that does not go into a result does not change it.
#include "models/c32/debug/flows.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "models/c32/decode.hpp"
#include "models/c32/disasm.hpp"
#include "models/c32/isa_table.hpp"
#include "tests/models/c32/cpu_test_support.hpp"

namespace rtvp::c32 {
namespace {

using debug::Flow;
using Machine = testing::Machine;

constexpr std::uint32_t kOutside = 0x1000;  // pointers point here
constexpr std::uint32_t kWords = 0x200;

/// Where the program goes on, power modes and interrupts are no data.
bool asked(const Instruction& i) {
  switch (i.op) {
    case Op::IDLE:
    case Op::IDLE2:
    case Op::SWI:
    case Op::MAXSPEED:
    case Op::LOPOWER:
    case Op::TRAPcond:
    case Op::RETIcond:
    case Op::SIGI:
    case Op::LDFI:
    case Op::LDII:
    case Op::STFI:
    case Op::STII:
      return false;
    default:
      return true;
  }
}

/// All that an instruction sees, the same for the same seed.
void prepare(Machine& m, std::uint32_t word, std::uint32_t seed) {
  testing::Random random(seed);
  m.load(kRamBase, {word, testing::kNop, testing::kNop, testing::kNop, testing::kNop});
  for (std::uint32_t n = 0; n < kWords; ++n) m.board.memory[kOutside + n] = random();
  for (unsigned n = 0; n < 8; ++n) {
    m.cpu.setExtended(n, {static_cast<std::int8_t>(random() % 64), random()});
    m.cpu.setRegister(reg::AR0 + n, kOutside + 64 + random() % 256);
  }
  m.cpu.setRegister(reg::DP, 0);
  m.cpu.setRegister(reg::IR0, random() % 32);
  m.cpu.setRegister(reg::IR1, random() % 32);
  m.cpu.setRegister(reg::BK, 1 + random() % 31);
  m.cpu.setRegister(reg::SP, kOutside + 400 + random() % 64);
  m.cpu.setRegister(reg::ST, random() & 0x7F);
  m.cpu.setRegister(reg::RC, random() % 100);
}

struct After {
  std::map<unsigned, std::uint32_t> registers;
  std::map<std::uint32_t, std::uint32_t> written;
  std::set<std::uint32_t> read;
};

After run(Machine& m) {
  m.board.log.clear();
  m.board.written.clear();
  m.steps(1);
  After after;
  for (unsigned n = 0; n < reg::kCount; ++n) after.registers[n] = m.r(n);
  after.written = m.board.written;
  for (const BusRequest& r : m.board.log) {
    if (r.op != BusOp::Write) after.read.insert(r.address);
  }
  return after;
}

bool isRegister(const Flow& f, unsigned n) {
  return f.kind == Flow::To::Register && f.to == n;
}

class Flows : public ::testing::Test {
 protected:
  /// A random instruction that is asked for, direct addresses within the memory there is.
  std::uint32_t word() {
    for (;;) {
      const auto i = decode(random_());
      if (!i || !asked(*i)) continue;
      Instruction copy = *i;
      for (Operand* o : {&copy.a, &copy.b, &copy.c, &copy.d}) {
        if (o->kind == Operand::Kind::Direct) o->value = kOutside + o->value % kWords;
      }
      const std::uint32_t w = encode(copy);
      if (decode(w)) return w;
    }
  }
  testing::Random random_{20261124};
};

TEST_F(Flows, WhatChangesIsAResultThatIsNamed) {
  for (std::uint32_t seed = 0; seed < 10'000; ++seed) {
    const std::uint32_t w = word();
    Machine m;
    prepare(m, w, seed);
    const Instruction i = *decode(w);
    const debug::Flows flows = flowsOf(i, m.cpu);
    std::map<unsigned, std::uint32_t> before;
    for (unsigned n = 0; n < reg::kCount; ++n) before[n] = m.r(n);
    const After after = run(m);
    const auto some = [&flows](const auto& test) {
      return std::any_of(flows.all.begin(), flows.all.begin() + flows.count, test);
    };
    for (unsigned n = 0; n < reg::kCount; ++n) {
      const bool loop = n == reg::RS || n == reg::RE || n == reg::RC;
      if (n == reg::IOF) continue;  // holds pins as they are when it is read
      if (n == reg::ST || (loop && (i.op == Op::RPTB || i.op == Op::RPTS))) continue;
      if (after.registers.at(n) == before[n]) continue;
      EXPECT_TRUE(some([n](const Flow& f) { return isRegister(f, n); }))
          << disassemble(w, 0) << " changes " << registerName(static_cast<std::uint8_t>(n));
    }
    for (const auto& [address, value] : after.written)
      EXPECT_TRUE(some([a = address](const Flow& f) {
        return f.kind == Flow::To::Memory && f.to == a;
      })) << disassemble(w, 0)
          << " writes " << std::hex << address;
    if (i.op == Op::IACK || info(i.op).format == Format::Return) continue;
    for (const std::uint32_t address : after.read)
      EXPECT_TRUE(some([address](const Flow& f) {
        return (f.count > 0 && f.words[0] == address) || (f.count > 1 && f.words[1] == address);
      })) << disassemble(w, 0)
          << " reads " << std::hex << address;
  }
}

TEST_F(Flows, WhatIsNotNamedDoesNotGoIn) {
  std::size_t compared = 0;
  for (std::uint32_t seed = 0; seed < 1'500; ++seed) {
    const std::uint32_t w = word();
    const Instruction i = *decode(w);
    Machine m;
    prepare(m, w, seed);
    const debug::Flows flows = flowsOf(i, m.cpu);
    const After plain = run(m);
    for (unsigned n = 0; n < reg::kCount; ++n) {
      if (n == reg::ST || n == reg::DP || n == reg::IOF) continue;
      Machine other;
      prepare(other, w, seed);
      // A pointer stays one: nothing faults, and what it points at is another word.
      other.cpu.setRegister(n, n < reg::AR0 ? other.r(n) ^ 0x5A5A5A5A : other.r(n) + 1);
      const After changed = run(other);
      for (unsigned f = 0; f < flows.count; ++f) {
        const Flow& flow = flows.all[f];
        if (flow.kind == Flow::To::Nothing) continue;
        std::uint64_t in = 0;  // all that makes the same result, should several do
        for (unsigned k = 0; k < flows.count; ++k) {
          const Flow& also = flows.all[k];
          if (also.kind == flow.kind && also.to == flow.to) in |= also.registers | also.via;
        }
        if ((in >> n & 1U) != 0) continue;
        ++compared;
        const auto to = static_cast<std::uint32_t>(flow.to);
        if (flow.kind == Flow::To::Register) {
          EXPECT_EQ(changed.registers.at(to), plain.registers.at(to))
              << disassemble(w, 0) << ": " << registerName(static_cast<std::uint8_t>(n))
              << " goes into " << registerName(static_cast<std::uint8_t>(to));
        } else if (plain.written.contains(to) && changed.written.contains(to)) {
          EXPECT_EQ(changed.written.at(to), plain.written.at(to))
              << disassemble(w, 0) << ": " << registerName(static_cast<std::uint8_t>(n))
              << " goes into " << std::hex << to;
        }
      }
    }
  }
  EXPECT_GT(compared, 20'000U);
}

/// Of a few, by hand from c32.md 4.4 and 6.2.
TEST_F(Flows, OfAFewInstructions) {
  const auto bits = [](std::initializer_list<unsigned> some) {
    std::uint64_t all = 0;
    for (const unsigned n : some) all |= std::uint64_t{1} << n;
    return all;
  };
  const auto flowsAt = [](std::uint32_t w, Machine& m) {
    prepare(m, w, 1);
    return flowsOf(*decode(w), m.cpu);
  };
  // STI R3,*AR2++(1)
  Machine m;
  debug::Flows f = flowsAt(0x15432201, m);
  ASSERT_EQ(disassemble(0x15432201, 0), "STI R3,*AR2++(1)");
  ASSERT_EQ(f.count, 2U);
  EXPECT_EQ(f.all[0].kind, Flow::To::Memory);
  EXPECT_EQ(f.all[0].to, m.r(reg::AR2));
  EXPECT_EQ(f.all[0].registers, bits({reg::R3}));
  EXPECT_EQ(f.all[0].via, bits({reg::AR2}));
  EXPECT_FALSE(f.all[0].step);
  EXPECT_TRUE(f.all[1].step);
  EXPECT_EQ(f.all[1].to, reg::AR2);
  // CALL: a return address, by way of the stack pointer.
  Machine c;
  f = flowsAt(0x62001234, c);
  ASSERT_EQ(f.count, 2U);
  EXPECT_EQ(f.all[0].to, c.r(reg::SP) + 1);
  EXPECT_EQ(f.all[0].registers, 0U);
  EXPECT_EQ(f.all[0].via, bits({reg::SP}));
}

}  // namespace
}  // namespace rtvp::c32
