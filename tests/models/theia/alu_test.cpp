// The execution unit against vectors from the original Verilog, in both executors.
#include "tests/models/theia/test_support.hpp"

namespace rtvp::theia {
namespace {

using test::rows;
using test::slurp;
using test::vec;
using test::word;

struct Vector {
  Op op{};
  bool typeTwo = false;
  Vec d, a, b;
  Word immediate = 0;
  Vec result;
  std::string check;
  bool jump = false, taken = false;
  unsigned latency = 0;
};

std::vector<Vector> vectors() {
  std::vector<Vector> out;
  for (const auto& row : rows(slurp(test::kData + "alu_vectors.tsv"))) {
    Vector v;
    v.op = static_cast<Op>(std::stoul(row.at(1), nullptr, 16));
    v.typeTwo = row.at(2) == "2";
    v.d = vec(row.at(3)), v.a = vec(row.at(4)), v.b = vec(row.at(5));
    if (v.typeTwo) v.immediate = word(row.at(6));
    v.jump = row.at(7) == "-";
    if (!v.jump) v.result = vec(row.at(7));
    v.check = row.at(8);
    v.taken = row.at(9) == "1";
    v.latency = static_cast<unsigned>(std::stoul(row.at(10)));
    EXPECT_EQ(findOp(static_cast<unsigned>(v.op))->mnemonic, row.at(0));
    out.push_back(v);
  }
  return out;
}

/// R1 = op R2 R3, then RETURN; a jump goes to a second RETURN with the other flag.
void runVector(const Vector& v, bool fast) {
  const Rom rom;
  CoreConfig config;
  config.fast = fast;
  Core core(config, rom, 0);
  const unsigned d = v.jump ? 0x8000U + 20 : reg("R1");
  core.hostWriteInstruction(12, v.typeTwo ? Instruction::typeTwoOf(v.op, d, v.immediate)
                                          : Instruction::typeOne(v.op, d, reg("R2"), reg("R3")));
  core.hostWriteInstruction(13, Instruction::typeTwoOf(Op::RETURN, 0, 0));
  core.hostWriteInstruction(20, Instruction::typeTwoOf(Op::RETURN, 0, 1));
  core.pokeRegister(reg("R1"), v.d);
  core.pokeRegister(reg("R2"), v.a);
  core.pokeRegister(reg("R3"), v.b);
  core.startAt(0x800C);
  ASSERT_EQ(core.run(), Stop::Returned) << core.fault().describe();
  EXPECT_EQ(core.clocks(), 4 + v.latency + 1);
  if (v.jump) {
    EXPECT_EQ(core.flag(), v.taken);
    return;
  }
  const Vec got = core.readRegister(reg("R1"));
  if (v.check[0] == '1') {
    EXPECT_EQ(got.x, v.result.x);
  }
  if (v.check[1] == '1') {
    EXPECT_EQ(got.y, v.result.y);
  }
  if (v.check[2] == '1') {
    EXPECT_EQ(got.z, v.result.z);
  }
}

TEST(TheiaAlu, EveryVectorOfTheVerilogMatchesInBothExecutors) {
  const auto all = vectors();
  EXPECT_EQ(all.size(), 484U);
  std::size_t line = 2;
  for (const Vector& v : all) {
    SCOPED_TRACE("line " + std::to_string(line++));
    runVector(v, false);
    runVector(v, true);
  }
}

}  // namespace
}  // namespace rtvp::theia
