// The batch evaluator against the plain one, under every instruction set of the host: equal bits of
// values, derivatives and ranges, equal decisions. RTVP_BOXES tapes.
#include "models/implicit/registers/batch_evaluator.hpp"
#include "models/implicit/registers/builder.hpp"
#include "tests/models/implicit/support.hpp"

namespace rtvp::implicit::registers {
namespace {

using namespace rtvp::implicit::test;  // NOLINT(google-build-using-namespace): its tapes

constexpr unsigned kSeed = 41;

class Batch : public ::testing::TestWithParam<common::Isa> {
 protected:
  void SetUp() override {
    if (!common::isaUsable(GetParam()))
      GTEST_SKIP() << "this host lacks " << common::isaName(GetParam());
  }
};

struct Cloud {
  std::vector<float> x, y, z;
  void add(const std::array<float, 3>& p) {
    x.push_back(p[0]);
    y.push_back(p[1]);
    z.push_back(p[2]);
  }
};

void checkPoints(BatchEvaluator& batch, const Program& program, const Cloud& cloud) {
  std::vector<float> out(cloud.x.size());
  batch.points(program, cloud.x, cloud.y, cloud.z, out);
  for (std::size_t n = 0; n < out.size(); ++n) {
    const float want = evaluate(program, std::array<float, 3>{cloud.x[n], cloud.y[n], cloud.z[n]});
    ASSERT_TRUE(same(out[n], want)) << out[n] << " for " << want << " at " << cloud.x[n] << " "
                                    << cloud.y[n] << " " << cloud.z[n] << ", seed " << kSeed << "\n"
                                    << disassemble(program);
  }
}

/// Against one run with derivatives after the other.
void checkGradients(BatchEvaluator& batch, const Program& program, const Cloud& cloud) {
  std::vector<Gradient> out(cloud.x.size());
  batch.gradients(program, cloud.x, cloud.y, cloud.z, out);
  for (std::size_t n = 0; n < out.size(); ++n) {
    const Gradient want = gradient(program, {cloud.x[n], cloud.y[n], cloud.z[n]});
    bool equal = same(out[n].value, want.value);
    for (unsigned axis = 0; axis < 3; ++axis)
      equal = equal && same(out[n].slope[axis], want.slope[axis]);
    ASSERT_TRUE(equal) << out[n].value << " (" << out[n].slope[0] << " " << out[n].slope[1] << " "
                       << out[n].slope[2] << ") for " << want.value << " (" << want.slope[0] << " "
                       << want.slope[1] << " " << want.slope[2] << ") at " << cloud.x[n] << " "
                       << cloud.y[n] << " " << cloud.z[n] << ", seed " << kSeed << "\n"
                       << disassemble(program);
  }
}

bool sameRange(const Interval& a, const Interval& b) {
  return same(a.lo, b.lo) && same(a.hi, b.hi) && a.undefined == b.undefined;
}

void checkBoxes(BatchEvaluator& batch, const Program& program, std::span<const Bounds> boxes) {
  std::vector<Interval> out(boxes.size());
  batch.boxes(program, boxes, out);
  Program shorter;  // whose memory serves one box after the other
  for (unsigned n = 0; n < boxes.size(); ++n) {
    const IntervalResult want = prune(program, boxes[n]);
    ASSERT_TRUE(sameRange(out[n], want.value))
        << "[" << out[n].lo << ", " << out[n].hi << "] " << out[n].undefined << " for ["
        << want.value.lo << ", " << want.value.hi << "] " << want.value.undefined << ", seed "
        << kSeed << "\n"
        << disassemble(program);
    batch.decide(program, n);
    batch.prune(program, shorter);
    ASSERT_EQ(disassemble(shorter), disassemble(want.program));
    // Links and the list of selections are right, too: it can be shortened again.
    ASSERT_EQ(disassemble(prune(shorter, boxes[n]).program),
              disassemble(prune(want.program, boxes[n]).program));
  }
}

TEST_P(Batch, RandomTapes) {
  std::mt19937 random(kSeed);
  BatchEvaluator batch(GetParam());
  for (unsigned n = 0; n < RTVP_BOXES && !HasFatalFailure(); ++n) {
    const Program program = compile(assembled(randomTape(random)));
    const Bounds box = randomBox(random);
    Cloud cloud;
    for (unsigned k = 0; k <= random() % 70; ++k) cloud.add(pointIn(box, random));
    checkPoints(batch, program, cloud);
    checkGradients(batch, program, cloud);
    std::vector<Bounds> boxes;
    for (unsigned k = 0; k <= random() % BatchEvaluator::kBoxes; ++k)
      boxes.push_back(randomBox(random));
    checkBoxes(batch, program, boxes);
  }
}

float anyNumber(std::mt19937& random) {
  static constexpr std::array<float, 16> kEdges{
      0.0F,     -0.0F,  1.0F,    -1.0F, 0.5F,       INFINITY, -INFINITY,   3.4e38F,
      -3.4e38F, 1e-45F, -1e-38F, 88.8F, 1048576.0F, 2e6F,     0.99999994F, 1.5707964F};
  switch (random() % 4) {
    case 0:
      return kEdges[random() % kEdges.size()];
    case 1: {
      const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      return std::isnan(number) ? 1.0F : number;
    }
    default:
      return std::ldexp(static_cast<float>(random()) / 0x1p31F - 1, static_cast<int>(random() % 6));
  }
}

/// Every opcode of numbers, on rows and constants, with values of all sizes.
TEST_P(Batch, EveryOpcodeOfNumbers) {
  std::mt19937 random(kSeed);
  BatchEvaluator batch(GetParam());
  unsigned checked = 0;
  for (const OpcodeInfo& op : opcodes()) {
    bool numbers = op.in.size() > 0 && op.out.size() == 1 && op.peekDepth() == 0 &&
                   op.out[0] == Type::F && op.function != Function::PushConst;
    for (unsigned n = 0; n < op.in.size(); ++n) numbers = numbers && op.in[n] == Type::F;
    if (!numbers) continue;
    ++checked;
    for (unsigned run = 0; run < 12; ++run) {
      Builder builder;
      std::array<Source, 4> in{};
      for (unsigned n = 0; n < op.in.size(); ++n) {
        const float number = anyNumber(random);
        in[n] = random() % 4 == 0 ? builder.constant({&number, 1}) : Builder::point(n);
      }
      const Source value = builder.append(op, in);
      const Program program = builder.finish(value);
      Cloud cloud;
      for (unsigned n = 0; n < 200; ++n) {
        cloud.add({anyNumber(random), anyNumber(random), anyNumber(random)});
        if (n % 50 == 0) cloud.x.back() = NAN;
      }
      checkPoints(batch, program, cloud);
      checkGradients(batch, program, cloud);
      std::vector<Bounds> boxes(BatchEvaluator::kBoxes);
      for (Bounds& box : boxes) {
        for (unsigned axis = 0; axis < 3; ++axis) {
          const float a = anyNumber(random), b = anyNumber(random);
          box.min[axis] = std::min(a, b);
          box.max[axis] = random() % 4 == 0 ? box.min[axis] : std::max(a, b);
        }
      }
      checkBoxes(batch, program, boxes);
      if (HasFatalFailure()) FAIL() << op.name;
    }
  }
  EXPECT_GT(checked, 45U);
}

TEST_P(Batch, PrunedBoxesAgreeInside) {
  const Program program = compile(assembled(kSmoothBlend));
  std::mt19937 random(kSeed);
  BatchEvaluator batch(GetParam());
  for (unsigned n = 0; n < 10 && !HasFatalFailure(); ++n) {
    std::vector<Bounds> boxes;
    for (unsigned k = 0; k < 20; ++k) boxes.push_back(randomBox(random));
    std::vector<Interval> out(boxes.size());
    batch.boxes(program, boxes, out);
    for (unsigned k = 0; k < boxes.size(); ++k) {
      const Program pruned = batch.prune(program, k);
      for (unsigned sample = 0; sample < 8; ++sample) {
        const auto p = pointIn(boxes[k], random);
        ASSERT_TRUE(same(evaluate(pruned, p), evaluate(program, p))) << "seed " << kSeed;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, Batch, ::testing::ValuesIn(common::kIsas),
                         [](const auto& row) { return std::string(common::isaName(row.param)); });

}  // namespace
}  // namespace rtvp::implicit::registers
