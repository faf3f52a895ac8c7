// Where values come from and which way a unit has come, on a unit whose instructions are written
// out.
#include "models/debug/history.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <utility>

namespace rtvp::debug {
namespace {

enum : std::uint64_t { A, B, C, P, S, kCount };

constexpr std::uint64_t bit(std::uint64_t r) {
  return std::uint64_t{1} << r;
}

/// Five registers; instructions say what they do and what they make of what.
class Toy final : public Unit {
 public:
  struct Instruction {
    std::vector<Flow> flows;
    std::function<void(Toy&)> does;
  };
  std::vector<Instruction> program;
  std::array<std::uint64_t, kCount> r{};

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::span<const Register> registers() const override { return kRegisters; }
  [[nodiscard]] std::uint64_t value(unsigned reg) const override { return r.at(reg); }
  void setValue(unsigned reg, std::uint64_t raw) override { r.at(reg) = raw; }
  [[nodiscard]] std::string registerText() const override { return {}; }
  [[nodiscard]] std::uint64_t addressMask() const override { return 0xFFFF; }
  [[nodiscard]] unsigned addressDigits() const override { return 4; }
  [[nodiscard]] unsigned wordBits() const override { return 32; }
  [[nodiscard]] std::optional<std::uint64_t> peek(std::uint64_t /*a*/) const override { return 0; }
  bool poke(std::uint64_t /*a*/, std::uint64_t /*w*/) override { return false; }
  [[nodiscard]] double real(std::uint64_t /*raw*/, unsigned /*bits*/) const override { return 0; }
  [[nodiscard]] std::uint64_t rawOf(double /*v*/, unsigned /*bits*/) const override { return 0; }
  [[nodiscard]] std::uint64_t pc() const override { return pc_; }
  void setPc(std::uint64_t pc) override { pc_ = pc; }
  [[nodiscard]] std::uint64_t cycle() const override { return cycle_; }
  [[nodiscard]] std::uint64_t instructions() const override { return cycle_; }
  [[nodiscard]] std::uint64_t stackPointer() const override { return r[S]; }
  [[nodiscard]] bool outside(std::uint64_t now, std::uint64_t then) const override {
    return now < then;
  }
  [[nodiscard]] std::vector<std::uint64_t> callers() const override { return {}; }
  [[nodiscard]] Effects next() const override { return {}; }
  [[nodiscard]] std::string disassemble(std::uint64_t /*a*/) const override { return {}; }
  [[nodiscard]] std::optional<Flows> flows() const override {
    Flows all;
    if (pc_ < program.size()) {
      for (const Flow& f : program[pc_].flows) all.add(f);
    }
    return all;
  }

  /// One instruction, written down.
  void step(History& history) {
    history.before(*this);
    const Instruction& i = program.at(pc_);
    ++pc_;
    ++cycle_;
    if (i.does) i.does(*this);
    history.after(*this, nullptr);
  }
  void run(History& history, std::size_t steps) {
    while (steps-- > 0) step(history);
  }

 private:
  static constexpr std::array<Register, kCount> kRegisters{{{"A"}, {"B"}, {"C"}, {"P"}, {"S"}}};
  std::string name_ = "toy";
  std::uint64_t pc_ = 0, cycle_ = 100;
};

Flow load(std::uint64_t to, std::uint64_t address) {
  return {.kind = Flow::To::Register, .to = to, .words = {address}, .count = 1};
}
Flow move(std::uint64_t to, std::uint64_t from) {
  return {.kind = Flow::To::Register, .to = to, .registers = from};
}
Flow store(std::uint64_t address, std::uint64_t from, std::uint64_t via = 0) {
  return {.kind = Flow::To::Memory, .to = address, .registers = from, .via = via};
}
Flow step(std::uint64_t reg) {
  return {.kind = Flow::To::Register, .to = reg, .registers = bit(reg), .step = true};
}

using Kind = Question::Kind;

std::vector<std::uint64_t> places(const History::Answer& answer) {
  std::vector<std::uint64_t> all;
  for (const History::Step& s : answer.steps) all.push_back(s.pc);
  return all;
}

TEST(History, AValueComesFromWhatWentIntoIt) {
  Toy toy;
  toy.program = {{{load(A, 0x20)}, {}},             // 0: into B at 2
                 {{load(C, 0x21)}, {}},             // 1: nobody uses it
                 {{move(B, bit(A) | bit(B))}, {}},  // 2
                 {{store(0x30, bit(B))}, {}},       // 3
                 {{move(A, bit(C))}, {}},           // 4: too late for it
                 {{load(C, 0x30)}, {}}};            // 5
  History history;
  toy.run(history, 6);
  const History::Answer answer = history.ask({Kind::Registers, bit(C)}, toy);
  EXPECT_EQ(places(answer), (std::vector<std::uint64_t>{5, 3, 2, 0}));
  EXPECT_TRUE(answer.steps[1].memory);
  EXPECT_EQ(answer.steps[1].made, 0x30U);
  EXPECT_FALSE(answer.steps[2].memory);
  EXPECT_EQ(answer.steps[2].made, B);
  EXPECT_EQ(answer.since, 100U);
  EXPECT_EQ(answer.steps[2].cycle, 102U);
  // B's own earlier value, and a word that nobody wrote.
  ASSERT_EQ(answer.rest.size(), 2U);
  EXPECT_FALSE(answer.rest[0].memory);
  EXPECT_EQ(answer.rest[0].where, B);
  EXPECT_TRUE(answer.rest[1].memory);
  EXPECT_EQ(answer.rest[1].where, 0x20U);
  EXPECT_TRUE(answer.older);  // because of B
}

TEST(History, AnInstructionReadsBeforeItWrites) {
  Toy toy;
  toy.program = {
      {{load(A, 0x20)}, {}}, {{load(B, 0x21)}, {}}, {{move(A, bit(B)), move(B, bit(A))}, {}}};
  History history;
  toy.run(history, 3);
  EXPECT_EQ(places(history.ask({Kind::Registers, bit(A)}, toy)),
            (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(places(history.ask({Kind::Registers, bit(B)}, toy)),
            (std::vector<std::uint64_t>{2, 0}));
}

TEST(History, StepsOfAPointerAreLeftOutItsOriginIsNot) {
  Toy toy;
  toy.program = {{{load(P, 0x20)}, {}}, {{step(P)}, {}}, {{step(P)}, {}}, {{load(A, 0x55)}, {}}};
  toy.program[3].flows[0].via = bit(P);
  History history;
  toy.run(history, 3);
  ASSERT_EQ(pointersOf(toy), bit(P));
  const History::Answer answer = history.ask({Kind::Registers, pointersOf(toy)}, toy);
  EXPECT_EQ(places(answer), (std::vector<std::uint64_t>{0}));
  EXPECT_FALSE(answer.older);
  ASSERT_EQ(answer.moved.size(), 1U);
  EXPECT_EQ(answer.moved[0].made, P);
  EXPECT_EQ(answer.moved[0].times, 2U);
  EXPECT_EQ(answer.moved[0].pc, 2U);
}

TEST(History, OfAWordAlsoTheAddressThatItWasWrittenTo) {
  Toy toy;
  toy.program = {{{load(S, 0x20)}, {}},
                 {{load(A, 0x21)}, {}},
                 {{store(0x30, bit(A), bit(S)), step(S)}, {}},
                 {{load(S, 0x22)}, {}}};
  History history;
  toy.run(history, 4);
  EXPECT_EQ(places(history.ask({Kind::Memory, 0x30}, toy)), (std::vector<std::uint64_t>{2, 1, 0}));
  const History::Answer nobody = history.ask({Kind::Memory, 0x31}, toy);
  EXPECT_FALSE(nobody.found);
  EXPECT_TRUE(nobody.older);
}

TEST(History, TheLatestResultOfAValue) {
  Toy toy;
  const auto sets = [](std::uint64_t reg, std::uint64_t value) {
    return [reg, value](Toy& t) { t.r.at(reg) = value; };
  };
  toy.program = {{{load(A, 0x20)}, sets(A, 7)},
                 {{move(B, bit(A))}, sets(B, 9)},
                 {{move(C, bit(B))}, sets(C, 9)},
                 {{load(B, 0x20)}, sets(B, 1)}};
  History history;
  toy.run(history, 4);
  EXPECT_EQ(places(history.ask({Kind::Value, 9}, toy)), (std::vector<std::uint64_t>{2, 1, 0}));
  EXPECT_FALSE(history.ask({Kind::Value, 8}, toy).found);
}

TEST(History, AnInterruptIsNoInstruction) {
  Toy toy;
  toy.program = {{{load(A, 0x20)}, {}}, {{load(A, 0x21)}, {}}};
  History history;
  toy.run(history, 1);
  history.before(toy);  // the second, which does not come to execute
  Effects entry;
  entry.accesses[0] = {0x40, true};
  entry.count = 1;
  history.after(toy, &entry);
  EXPECT_EQ(places(history.ask({Kind::Registers, bit(A)}, toy)), (std::vector<std::uint64_t>{0}));
  EXPECT_TRUE(history.ask({Kind::Memory, 0x40}, toy).found);
}

TEST(History, TheWayHasEachJumpOnce) {
  Toy toy;
  const auto to = [](std::uint64_t place) { return [place](Toy& t) { t.setPc(place); }; };
  int passes = 3;
  toy.program.resize(8);
  toy.program[1].does = to(4);
  toy.program[5].does = [&passes](Toy& t) {
    if (--passes > 0) t.setPc(4);
  };
  toy.program[6].does = to(0);
  History history;
  toy.run(history, 2 + 6 + 1);
  const History::Answer answer = history.ask({Kind::Way, 12}, toy);
  ASSERT_EQ(answer.steps.size(), 3U);
  const std::vector<std::array<std::uint64_t, 3>> expected = {{1, 4, 1}, {5, 4, 2}, {6, 0, 1}};
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_EQ(answer.steps[n].pc, expected[n][0]);
    EXPECT_EQ(answer.steps[n].to, expected[n][1]);
    EXPECT_EQ(answer.steps[n].times, expected[n][2]);
  }
  EXPECT_EQ(history.ask({Kind::Way, 2}, toy).steps.size(), 2U);
  EXPECT_EQ(history.ask({Kind::Way, 2}, toy).steps.back().pc, 6U);
}

}  // namespace
}  // namespace rtvp::debug
