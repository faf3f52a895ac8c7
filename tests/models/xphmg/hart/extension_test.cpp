// The vendor instructions on the hart: inline RT operations, lanes, predicates, submit and fences,
// on the scene of the reference's section 12. The unit is a plain one: jobs run when the test says
// so. Names carry the requirement (RT-nnn) that a test checks.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "models/xphmg/hart/machine.hpp"
#include "models/xphmg/hart_extension.hpp"
#include "models/xphmg/queue.hpp"
#include "tests/models/xphmg/hart/program.hpp"
#include "tests/models/xphmg/job_scene.hpp"

namespace rtvp::xphmg {
namespace {

using rv64::Op;
using rv64::Outcome;
using rv64::test::encode;
using test::JobScene;
using U = std::uint64_t;

constexpr unsigned kA0 = 10, kA1 = 11, kT0 = 5;
constexpr std::uint32_t kBboxPacked = 0x0045658B;  // rt.bbox a1, (a0), PACK_HINT

constexpr std::uint32_t rt(unsigned funct3, unsigned rd, unsigned rs1, std::uint32_t imm) {
  return imm << 20U | rs1 << 15U | funct3 << 12U | rd << 7U | 0x0BU;
}
constexpr std::uint32_t custom3(unsigned funct3, unsigned rd, unsigned rs1, std::uint32_t imm) {
  return imm << 20U | rs1 << 15U | funct3 << 12U | rd << 7U | 0x7BU;
}
constexpr std::uint32_t bbox(unsigned rd, unsigned rs1, std::uint32_t imm) {
  return rt(6, rd, rs1, imm);
}
constexpr std::uint32_t tri(unsigned rd, unsigned rs1, std::uint32_t imm) {
  return rt(7, rd, rs1, imm);
}
constexpr std::uint32_t mask(unsigned op, unsigned bank, unsigned rd, unsigned rs1) {
  return custom3(4, rd, rs1, op << 8U | bank);
}
static_assert(bbox(kA1, kA0, 4) == kBboxPacked);
static_assert(tri(kA1, kA0, 1) == 0x0015758B);
static_assert(custom3(0, kT0, kA0, 2) == 0x002502FB);
static_assert(custom3(1, 0, kT0, 0) == 0x0002907B);
static_assert(custom3(2, 0, 0, 1) == 0x0010207B);
static_assert(custom3(3, 0, 0, 2) == 0x0020307B);

// CSR numbers
constexpr unsigned kSvstate = 0x7F8, kSvsrca = 0x7F9, kSvsrcb = 0x7FA, kSvdst = 0x7FB,
                   kSvfaulti = 0x7FF, kP0 = 0x8AC, kBank1 = 0x8AD, kMode = 0x7D0, kStat = 0x7D2,
                   kExcEn = 0x7D3, kExcSt = 0x7D4, kRtcfg = 0x8A0, kRtstat = 0x8A1, kRtbase = 0x8A3,
                   kRtnode = 0x8AA, kRttri = 0x8AB;

/// Inline accesses on the machine's RAM, counted.
class RamPort : public MemoryPort {
 public:
  rv64::Hart* hart = nullptr;
  unsigned accesses = 0;
  const std::uint8_t* read(AccessKind, std::uint64_t address, unsigned size) override {
    ++accesses;
    return hart->peek(address, std::span(bytes_).first(size)) ? bytes_.data() : nullptr;
  }
  bool write(AccessKind, std::uint64_t address, const std::uint8_t* bytes, unsigned size) override {
    ++accesses;
    return hart->poke(address, {bytes, size});
  }

 private:
  std::array<std::uint8_t, 256> bytes_{};
};

class PlainUnit : public HartUnit {
 public:
  explicit PlainUnit(const UnitFeatures& features) : csrs_(features) {}
  std::uint64_t readCsr(unsigned number) override { return csrs_.readNumber(number).value_or(0); }
  void writeCsr(unsigned number, std::uint64_t value) override { csrs_.writeNumber(number, value); }
  CsrFile& csrs() override { return csrs_; }
  std::uint64_t submit(std::uint64_t descriptor, std::uint64_t& stall) override {
    stall = 10;
    csrs_.setBusy(true);
    return queue_.submit(descriptor, csrs_.snapshot(), 0);
  }
  [[nodiscard]] std::uint64_t lastTicket() const override { return queue_.lastTicket(); }
  [[nodiscard]] std::uint64_t doneTicket() const override { return queue_.doneTicket(); }
  void signalToken(unsigned token) override {
    tokens_.signal(token, queue_.lastTicket(), queue_.doneTicket());
  }
  bool consumeToken(unsigned token) override { return tokens_.consume(token); }
  MemoryPort& beginInline() override { return port; }
  std::uint64_t endInline() override { return 0; }

  /// One job from beginning to end.
  void runJob() {
    const SubmittedJob job = queue_.take();
    Job work(job.snapshot.state, job.descriptor);
    const JobResult& result = work.run(port);
    retire(csrs_, outcomeOf(job, result, false, 0, false));
    queue_.complete(job.ticket);
    tokens_.completed(job.ticket);
    csrs_.setBusy(queue_.occupied() != 0);
  }
  RamPort port;

 private:
  CsrFile csrs_;
  JobQueue queue_{4};
  FenceTokens tokens_;
};

class NoConsole : public rv64::Console {
 public:
  void write(std::span<const std::uint8_t>, bool) override {}
  int read() override { return -1; }
};

/// Section 12 in RAM, and a hart that executes words given one at a time from 0x80008000.
class RtBench : public testing::Test {
 protected:
  static constexpr U kCode = rv64::kRamBase + 0x8000;
  explicit RtBench(const UnitFeatures& features = {}, const ExtensionOptions& options = {})
      : unit(features),
        extension(unit, options),
        machine_(rv64::MachineOptions{}, memory_.memory(), console_) {
    unit.port.hart = &hart();
    hart().setExtension(&extension);
    hart().reset(kCode);
    encodeDesc(scene.desc, scene.at(JobScene::kDesc));
    EXPECT_TRUE(hart().poke(JobScene::kBase, scene.memory.bytes()));
    csr(kRtnode, JobScene::kHeap);
    csr(kRttri, JobScene::kHeap + 0x40);
    csr(kRtbase, JobScene::kTris);
  }
  rv64::Hart& hart() { return machine_.hart(); }
  void csr(unsigned number, U value) { EXPECT_TRUE(hart().writeCsr(number, value)); }
  U csr(unsigned number) { return hart().readCsr(number).value_or(0xDEAD); }
  [[nodiscard]] static U ray(unsigned n) { return JobScene::kRays + U{n} * kRayEntryBytes; }

  /// Runs the words in order; false if one trapped or waits.
  bool run(std::initializer_list<std::uint32_t> words) {
    U at = kCode;
    for (const std::uint32_t word : words) {
      std::array<std::uint8_t, 4> bytes{};
      std::memcpy(bytes.data(), &word, 4);
      EXPECT_TRUE(hart().poke(at, bytes));
      at += 4;
    }
    hart().setPc(kCode);
    outcome = machine_.run(words.size());
    return outcome.kind == Outcome::Kind::Limit;
  }
  Outcome resume() { return outcome = machine_.run(1); }
  void expectTrap(U cause, U value) {
    EXPECT_EQ(outcome.kind, Outcome::Kind::NoHandler);
    EXPECT_EQ(hart().mcause(), cause);
    EXPECT_EQ(hart().mtval(), value);
  }
  U lastEc() { return csr(kRtstat) >> 2U & 63U; }

  JobScene scene{Format::Fp16};
  PlainUnit unit;
  HartExtension extension;
  Outcome outcome;

 private:
  rv64::OwnedMemory memory_{U{1} << 20U};
  NoConsole console_;
  rv64::Machine machine_;
};

// --- inline, one lane

TEST_F(RtBench, RT039_WordsOfSection12GiveItsRegisters) {
  hart().setX(kA0, ray(0));
  ASSERT_TRUE(run({kBboxPacked}));
  EXPECT_EQ(hart().x(kA1), 0x000100013C003C00U);
  ASSERT_TRUE(run({tri(kA1, kA0, 4)}));
  EXPECT_EQ(hart().x(kA1), 0x0003340034003C00U);
  EXPECT_EQ(csr(kP0), 1U);
  EXPECT_EQ(csr(kStat) & 0x4000U, 0x4000U);  // DOWNCAST_TAKEN
}

TEST_F(RtBench, RT043_UnpackedGroupsFillConsecutiveRegisters) {
  hart().setX(kA0, ray(0));
  ASSERT_TRUE(run({bbox(20, kA0, 0), tri(24, kA0, 0)}));
  EXPECT_EQ(hart().x(20), 0x101U);
  EXPECT_EQ(hart().x(21), 0x3C00U);
  EXPECT_EQ(hart().x(22), 0x3C00U);
  EXPECT_EQ(hart().x(23), 0U);
  EXPECT_EQ(hart().x(24), 3U);
  EXPECT_EQ(hart().x(25), 0x3C00U);
  EXPECT_EQ(hart().x(26), 0x3400U);
  EXPECT_EQ(hart().x(27), 0x3400U);
}

TEST_F(RtBench, RT008_PackHintDefaultActsOnInstructionsWithoutIt) {
  csr(kRtcfg, 4);
  hart().setX(kA0, ray(0));
  hart().setX(kA1 + 1, 77);
  ASSERT_TRUE(run({bbox(kA1, kA0, 0)}));
  EXPECT_EQ(hart().x(kA1), 0x000100013C003C00U);
  EXPECT_EQ(hart().x(kA1 + 1), 77U);
}

TEST_F(RtBench, RT042_P0FollowsHitAndMiss) {
  hart().setX(kA0, ray(0));
  ASSERT_TRUE(run({tri(0, kA0, 0)}));
  EXPECT_EQ(csr(kP0), 1U);
  hart().setX(kA0, ray(3));
  ASSERT_TRUE(run({tri(0, kA0, 0)}));
  EXPECT_EQ(csr(kP0), 0U);
}

TEST_F(RtBench, RT041_ReservedImmediateBitsAndGroupsPastX31Trap) {
  hart().setX(kA0, ray(0));
  for (unsigned bit = 4; bit < 12; ++bit) {
    EXPECT_FALSE(run({bbox(kA1, kA0, 1U << bit)}));
    expectTrap(2, bbox(kA1, kA0, 1U << bit));
    EXPECT_EQ(lastEc(), 1U);
  }
  EXPECT_FALSE(run({bbox(30, kA0, 0)}));
  expectTrap(2, bbox(30, kA0, 0));
  EXPECT_FALSE(run({tri(29, kA0, 0)}));
  EXPECT_TRUE(run({tri(28, kA0, 0)}));
  EXPECT_TRUE(run({bbox(31, kA0, 4)}));
}

TEST_F(RtBench, RT034_MisalignedAndUnmappedRaysTrapAndLeaveLastEc) {
  hart().setX(kA0, ray(0) + 1);
  EXPECT_FALSE(run({bbox(kA1, kA0, 0)}));
  expectTrap(4, ray(0) + 1);
  hart().setX(kA0, 0x40000000);
  EXPECT_FALSE(run({tri(kA1, kA0, 0)}));
  expectTrap(5, 0x40000000);
  EXPECT_EQ(lastEc(), 0U);
}

TEST_F(RtBench, RT012_IssueCountersCountInstructions) {
  hart().setX(kA0, ray(0));
  ASSERT_TRUE(run({bbox(kA1, kA0, 4), bbox(kA1, kA0, 4), tri(kA1, kA0, 4)}));
  EXPECT_EQ(csr(kRtstat) >> 8U & 0xFFFFFFFU, 2U);
  EXPECT_EQ(csr(kRtstat) >> 36U, 1U);
}

TEST_F(RtBench, RT075_EnabledFlagsTrapAfterTheStickiesAndBeforeTheRegisters) {
  csr(kExcEn, 1);  // NX: tfar 1.0000002 rounds
  hart().setX(kA0, ray(0));
  hart().setX(kA1, 0x5555);
  EXPECT_FALSE(run({kBboxPacked}));
  expectTrap(24, 1);
  EXPECT_EQ(csr(kExcSt), 1U);
  EXPECT_EQ(hart().x(kA1), 0x5555U);
  EXPECT_EQ(csr(kP0), 0U);
}

TEST_F(RtBench, RT076_SaeSuppressesTheTrapNotTheStickies) {
  csr(kExcEn, 1);
  csr(kMode, 0x809A0400);  // SAE_DEF
  hart().setX(kA0, ray(0));
  ASSERT_TRUE(run({kBboxPacked}));
  EXPECT_EQ(csr(kExcSt), 1U);
  csr(kExcSt, 1);
  csr(kMode, 0x809A0000);
  ASSERT_TRUE(run({rt(5, 0, 0, 2), kBboxPacked}));  // svon.fpctl SAE
  EXPECT_EQ(csr(kExcSt), 1U);
  EXPECT_FALSE(run({kBboxPacked}));  // one instruction only
}

TEST_F(RtBench, RT093_FpctlRoundsOneInstructionAndLeavesCap) {
  const U mode = csr(kMode);
  hart().setX(kA0, ray(0));
  ASSERT_TRUE(run({rt(5, 0, 0, 3U << 2U), kBboxPacked}));  // RISC-V code 3: up
  EXPECT_EQ(hart().x(kA1), 0x000100013C013C00U);           // tfar 1.0000002 rounds up
  EXPECT_EQ(csr(kMode), mode);
  ASSERT_TRUE(run({kBboxPacked}));
  EXPECT_EQ(hart().x(kA1), 0x000100013C003C00U);
}

// --- without parts of the build

class WithoutCap : public RtBench {
 protected:
  WithoutCap() : RtBench({.cap = false}) {}
};
TEST_F(WithoutCap, RT001_EveryRtInstructionTraps) {
  hart().setX(kA0, ray(0));
  for (const std::uint32_t word : {bbox(kA1, kA0, 0), tri(kA1, kA0, 0), custom3(0, kT0, kA0, 2)}) {
    EXPECT_FALSE(run({word}));
    expectTrap(2, word);
    EXPECT_EQ(lastEc(), 1U);
  }
}

class WithoutDescq : public RtBench {
 protected:
  WithoutDescq() : RtBench({.rtcap = rtcap::kAll & ~rtcap::kDescq}) {}
};
TEST_F(WithoutDescq, RT095_SubmitTrapsAsUnsupported) {
  hart().setX(kA0, JobScene::kDesc);
  EXPECT_FALSE(run({custom3(0, kT0, kA0, 2)}));
  expectTrap(2, 0x002502FB);
  EXPECT_EQ(lastEc(), 2U);
}
TEST_F(WithoutDescq, RT101_InlineInstructionsWork) {
  hart().setX(kA0, ray(0));
  ASSERT_TRUE(run({tri(kA1, kA0, 4)}));
  EXPECT_EQ(hart().x(kA1), 0x0003340034003C00U);
}

class WithoutReplication : public RtBench {
 protected:
  WithoutReplication() : RtBench({}, {.mask_banks = 1, .replication = false}) {}
};
TEST_F(WithoutReplication, RT002_InlineAndQueueDoNotNeedIt) {
  hart().setX(kA0, ray(0));
  ASSERT_TRUE(run({kBboxPacked}));
  EXPECT_EQ(hart().x(kA1), 0x000100013C003C00U);
  EXPECT_FALSE(run({rt(1, 0, 0, 1)}));
  expectTrap(2, rt(1, 0, 0, 1));
  EXPECT_FALSE(hart().readCsr(kSvstate).has_value());
}

// --- lanes

class Lanes : public RtBench {
 protected:
  /// Rays 0 to 3 in x10..x13, results from x20 on, packed; SVSTATE with VL 4 and a bank.
  void setUp(unsigned bank) {
    for (unsigned i = 0; i < 4; ++i) hart().setX(10 + i, ray(i));
    for (unsigned i = 0; i < 4; ++i) hart().setX(20 + i, 0xC0DE);
    csr(kSvsrca, 10 | 1U << 8U);
    csr(kSvdst, 20 | 1U << 8U);
    csr(kSvstate, U{3} << 8U | U{bank} << 24U);
  }
  static constexpr std::uint32_t kOne = rt(1, 0, 0, 1);  // svon.one
};

TEST_F(Lanes, RT040_FourLanesOneInstruction) {
  setUp(1);
  csr(kBank1, 0xF);
  ASSERT_TRUE(run({kOne, tri(0, 0, 4)}));
  EXPECT_EQ(hart().x(20), 0x0003340034003C00U);
  EXPECT_EQ(hart().x(21), 0x0003380038003C00U);
  EXPECT_EQ(hart().x(22), 0U);  // ray 2 hits the other leaf
  EXPECT_EQ(hart().x(23), 0U);
  EXPECT_EQ(csr(kBank1), 3U);
  EXPECT_EQ(csr(kSvstate) & 3U, 0U);  // the one-shot is over
}

TEST_F(Lanes, RT091_ScalarEqualsLaneZero) {
  setUp(0);
  ASSERT_TRUE(run({kOne, tri(0, 0, 4)}));
  const U lane = hart().x(20);
  ASSERT_TRUE(run({tri(kA1, kA0, 4)}));
  EXPECT_EQ(hart().x(kA1), lane);
}

TEST_F(Lanes, RT088_ReplicatedEqualsALoopOfScalars) {
  setUp(0);
  ASSERT_TRUE(run({kOne, bbox(0, 0, 4)}));
  std::array<U, 4> lanes{};
  for (unsigned i = 0; i < 4; ++i) lanes[i] = hart().x(20 + i);
  for (unsigned i = 0; i < 4; ++i) {
    hart().setX(kA0, ray(i));
    ASSERT_TRUE(run({kBboxPacked}));
    EXPECT_EQ(hart().x(kA1), lanes[i]) << i;
  }
}

TEST_F(Lanes, RT071_MaskedDestinationsKeepOrAreZeroed) {
  setUp(1);
  csr(kBank1, 0b0101);
  ASSERT_TRUE(run({kOne, tri(0, 0, 4)}));
  EXPECT_EQ(hart().x(21), 0xC0DEU);
  EXPECT_EQ(hart().x(23), 0xC0DEU);
  setUp(1);
  csr(kBank1, 0b0101);
  csr(kMode, 0x809A0800);  // ZMODE
  ASSERT_TRUE(run({kOne, tri(0, 0, 4)}));
  EXPECT_EQ(hart().x(21), 0U);
  EXPECT_EQ(hart().x(23), 0U);
}

TEST_F(Lanes, RT068_OnlyTrueLanesUpdateTheirPredicate) {
  setUp(2);
  csr(kBank1 + 1, 0b1010);
  ASSERT_TRUE(run({kOne, tri(0, 0, 4)}));
  EXPECT_EQ(csr(kBank1 + 1), 0b0010U);  // lane 3 misses; lanes 0 and 2 were masked
  EXPECT_EQ(csr(kP0), 0U);              // lane 0 is false: P0 keeps its value
}

TEST_F(Lanes, RT069_AMissClearsItsOwnBitOnly) {
  setUp(1);
  csr(kBank1, 0xFFFFFFFF);
  ASSERT_TRUE(run({kOne, tri(0, 0, 4)}));
  EXPECT_EQ(csr(kBank1), 0xFFFFFFF3U);
}

TEST_F(Lanes, RT064_RT065_MaskedLanesDoNoWorkAndTouchNoMemory) {
  setUp(1);
  csr(kBank1, 0);
  csr(kMode, 0x809A0800);
  const unsigned before = unit.port.accesses;
  ASSERT_TRUE(run({kOne, tri(0, 0, 4)}));
  EXPECT_EQ(unit.port.accesses, before);
  EXPECT_EQ(csr(kRtstat) >> 36U, 0U);
  EXPECT_EQ(hart().x(20), 0U);  // ZMODE still zeroes
}

TEST_F(Lanes, RT066_MaskedLanesRaiseNothing) {
  setUp(1);
  csr(kBank1, 0b0101);
  hart().setX(11, 0x40000001);  // misaligned and unmapped
  csr(kExcEn, 0x1F);
  csr(kMode, 0x809A0400);
  ASSERT_TRUE(run({kOne, tri(0, 0, 4)}));
  EXPECT_EQ(lastEc(), 0U);
}

TEST_F(Lanes, RT067_MaskedLanesHaveNoSideEffects) {
  setUp(1);
  csr(kBank1, 0);
  csr(kMode, 0x809A0000);
  ASSERT_TRUE(run({kOne, bbox(0, 0, 4)}));
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(hart().x(20 + i), 0xC0DEU);
  EXPECT_EQ(csr(kStat) >> 12U & 0xFU, 0U);
  EXPECT_EQ(csr(kExcSt), 0U);
  EXPECT_EQ(csr(kBank1), 0U);
}

TEST_F(Lanes, RT063_RtRegistersDoNotMask) {
  for (const U value : {U{0}, U{0x100}, U{0x200}, U{0x300}}) {  // RTCONF2.IMPL_HINT
    setUp(1);
    csr(kBank1, 0b0101);
    csr(0x8A7, value);
    ASSERT_TRUE(run({kOne, tri(0, 0, 4)}));
    EXPECT_EQ(hart().x(21), 0xC0DEU);
    EXPECT_NE(hart().x(20), 0xC0DEU);
  }
}

TEST_F(Lanes, RT077_FirstFaultingLaneIsReported) {
  setUp(0);
  hart().setX(12, 0x40000000);
  hart().setX(13, 0x40000000);
  EXPECT_FALSE(run({kOne, tri(0, 0, 4)}));
  expectTrap(5, 0x40000000);
  EXPECT_EQ(csr(kSvfaulti), 2U);
  EXPECT_NE(hart().x(20), 0xC0DEU);   // lanes before it are done
  EXPECT_EQ(csr(kSvstate) & 1U, 0U);  // a handler runs its instructions once
}

TEST_F(Lanes, RT075_FloatTrapsNameTheLane) {
  setUp(0);
  csr(kExcEn, 1);
  hart().setX(10, ray(3));  // lane 0 misses and rounds nothing
  hart().setX(11, ray(0));
  EXPECT_FALSE(run({kOne, bbox(0, 0, 4)}));
  expectTrap(24, 1U | 1U << 8U);
}

TEST_F(Lanes, RegisterNumbersPastX31TrapBeforeTheFirstLane) {
  setUp(0);
  csr(kSvdst, 29 | 1U << 8U);
  hart().setX(29, 0xC0DE);
  EXPECT_FALSE(run({kOne, tri(0, 0, 4)}));
  EXPECT_EQ(hart().x(29), 0xC0DEU);
}

TEST_F(Lanes, ScalarInstructionsReplicateToo) {
  for (unsigned i = 0; i < 4; ++i) {
    hart().setX(10 + i, 100 + i);
    hart().setX(14 + i, i);
  }
  csr(kSvsrca, 10 | 1U << 8U);
  csr(kSvsrcb, 14 | 1U << 8U);
  csr(kSvdst, 20 | 1U << 8U);
  csr(kSvstate, U{3} << 8U);
  ASSERT_TRUE(run({kOne, encode(Op::ADD, {}), encode(Op::ADDI, {.rd = 30, .rs1 = 20})}));
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(hart().x(20 + i), 100 + 2 * i);
  EXPECT_EQ(hart().x(30), 100U);  // after the one-shot, once
}

TEST_F(Lanes, BlocksCountAffectedInstructionsAndOthersEndAOneShot) {
  csr(kSvsrca, 10 | 1U << 8U);
  csr(kSvdst, 20 | 1U << 8U);
  csr(kSvstate, U{1} << 8U);
  hart().setX(10, 1);
  hart().setX(11, 2);
  const std::uint32_t copy = encode(Op::ADDI, {.rd = 9, .rs1 = 8});
  ASSERT_TRUE(run({rt(2, 0, 0, 2), copy, encode(Op::LUI, {.rd = 3}), copy, copy}));
  EXPECT_EQ(hart().x(21), 2U);
  EXPECT_EQ(hart().x(9), hart().x(8));  // the third copy ran as itself
  EXPECT_EQ(csr(kSvstate) & 1U, 0U);
  hart().setX(20, 0);
  ASSERT_TRUE(run({kOne, encode(Op::LUI, {.rd = 3}), copy}));
  EXPECT_EQ(hart().x(20), 0U);
}

TEST_F(Lanes, VectorLengthIsClampedAndReturned) {
  hart().setX(1, 7);
  ASSERT_TRUE(run({rt(0, 2, 1, 0), rt(0, 3, 0, 20), rt(0, 4, 0, 200), rt(0, 5, 0, 0)}));
  EXPECT_EQ(hart().x(2), 7U);
  EXPECT_EQ(hart().x(3), 20U);
  EXPECT_EQ(hart().x(4), 32U);
  EXPECT_EQ(hart().x(5), 32U);
}

TEST_F(Lanes, VectorStepSetsLengthStepsAndOneShot) {
  ASSERT_TRUE(run({rt(4, 0, 0, 3U << 6U | 1U << 3U | 3U)}));
  EXPECT_EQ(csr(kSvstate) & 0xFF03U, 0x0303U);
  EXPECT_EQ(csr(kSvsrca), 1U << 8U);
  EXPECT_EQ(csr(kSvsrcb), 1U << 8U);
  EXPECT_EQ(csr(kSvdst), 3U << 8U);
  EXPECT_FALSE(run({rt(4, 0, 0, 4)}));  // code 1xx
}

TEST_F(Lanes, RT081_LaneTablesGiveEachLaneItsTriangles) {
  setUp(0);
  // RTTRI as a table: lanes 0, 1 the first leaf, lanes 2, 3 the second.
  const std::array<U, 4> table{JobScene::kHeap + 0x40, JobScene::kHeap + 0x40,
                               JobScene::kHeap + 0x50, JobScene::kHeap + 0x50};
  std::array<std::uint8_t, 32> bytes{};
  std::memcpy(bytes.data(), table.data(), 32);
  ASSERT_TRUE(hart().poke(rv64::kRamBase + 0x6000, bytes));
  csr(kRttri, (rv64::kRamBase + 0x6000) | 1U);
  ASSERT_TRUE(run({kOne, tri(0, 0, 4)}));
  EXPECT_EQ(hart().x(22), 0x0003340034004200U);  // ray 2 finds triangle 2 at t = 3
  EXPECT_EQ(hart().x(23), 0U);
}

// --- predicates

TEST_F(RtBench, PredicateOperations) {
  hart().setX(1, 0xF0F0);
  hart().setX(2, 0x0FF0);
  ASSERT_TRUE(run({mask(5, 1, 0, 1), mask(8, 1, 0, 2), mask(4, 1, 3, 0), mask(9, 1, 0, 2),
                   mask(4, 1, 4, 0), mask(10, 1, 0, 1), mask(4, 1, 5, 0), mask(11, 1, 0, 2),
                   mask(4, 1, 6, 0), mask(12, 1, 0, 0), mask(13, 1, 7, 0)}));
  EXPECT_EQ(hart().x(3), 0x00F0U);
  EXPECT_EQ(hart().x(4), 0x0FF0U);
  EXPECT_EQ(hart().x(5), 0xFF00U);
  EXPECT_EQ(hart().x(6), 0xF000U);
  EXPECT_EQ(hart().x(7), 28U);
  ASSERT_TRUE(run({mask(0, 2, 0, 0), mask(6, 2, 3, 0), mask(7, 2, 4, 0), mask(1, 2, 0, 0),
                   mask(6, 2, 5, 0), mask(3, 0, 0, 1), mask(2, 0, 6, 0)}));
  EXPECT_EQ(hart().x(3), 0U);
  EXPECT_EQ(hart().x(4), 1U);
  EXPECT_EQ(hart().x(5), 1U);
  EXPECT_EQ(hart().x(6), 0U);  // bit 0 of 0xF0F0
  EXPECT_FALSE(run({mask(14, 1, 0, 0)}));
}

TEST_F(RtBench, BankZeroIsAllOnesAndIgnoresWrites) {
  ASSERT_TRUE(run({mask(0, 0, 0, 0), mask(4, 0, 3, 0)}));
  EXPECT_EQ(hart().x(3), 0xFFFFFFFFU);
}

TEST_F(RtBench, PredicateBranchesAndSelect) {
  csr(kP0, 1);
  const std::uint32_t skip = rv64::test::immediateBits(rv64::Format::B, 8);
  hart().setX(1, 11);
  hart().setX(2, 22);
  hart().setX(3, 0);
  // The first branch is taken and goes past the end of the words, where a trap ends the run.
  EXPECT_FALSE(run({skip | 6U << 12U | 0x7BU, encode(Op::ADDI, {.rd = 3, .imm = 1})}));
  EXPECT_EQ(hart().mepc(), kCode + 8);
  EXPECT_EQ(hart().x(3), 0U);  // bp.t skips
  ASSERT_TRUE(run({skip | 7U << 12U | 0x7BU, encode(Op::ADDI, {.rd = 3, .imm = 1})}));
  EXPECT_EQ(hart().x(3), 1U);
  ASSERT_TRUE(run({2U << 20U | 1U << 15U | 5U << 12U | 4U << 7U | 0x7BU}));  // psel x4, x1, x2
  EXPECT_EQ(hart().x(4), 11U);
}

// --- queue and fences

TEST_F(RtBench, RT099_SubmitAndWaitAsInSection12) {
  hart().setX(kA0, JobScene::kDesc);
  EXPECT_FALSE(run({0x002502FB, 0x0002907B}));
  EXPECT_EQ(outcome.kind, Outcome::Kind::Blocked);
  EXPECT_EQ(hart().x(kT0), 1U);
  EXPECT_EQ(csr(kRtstat) & 1U, 1U);  // RT-010: busy
  EXPECT_EQ(resume().kind, Outcome::Kind::Blocked);
  unit.runJob();
  EXPECT_EQ(resume().kind, Outcome::Kind::Limit);
  EXPECT_EQ(csr(kRtstat) & 1U, 0U);
  std::array<std::uint8_t, 32> entry{};
  ASSERT_TRUE(hart().peek(JobScene::kHits + 2 * U{kHitEntryBytes}, entry));
  const HitEntry hit = decodeHit(entry.data());
  EXPECT_EQ(hit.primId, 2U);
  EXPECT_EQ(hit.tag, 0xA2U);
}

TEST_F(RtBench, RT098_WaitingForTheLastWaitsForAll) {
  hart().setX(kA0, JobScene::kDesc);
  EXPECT_FALSE(run({0x002502FB, 0x002502FB, 0x0002907B}));
  unit.runJob();
  EXPECT_EQ(resume().kind, Outcome::Kind::Blocked);
  unit.runJob();
  EXPECT_EQ(resume().kind, Outcome::Kind::Limit);
}

TEST_F(RtBench, WaitsThatNeedNotWait) {
  hart().setX(kT0, 0);
  EXPECT_TRUE(run({0x0002907B}));            // ticket 0
  EXPECT_TRUE(run({custom3(3, 0, 0, 15)}));  // nothing in flight
  EXPECT_TRUE(run({custom3(3, 0, 0, 3)}));   // no MTX
  hart().setX(kT0, 5);
  EXPECT_FALSE(run({0x0002907B}));  // never issued
  EXPECT_EQ(outcome.kind, Outcome::Kind::Blocked);
}

TEST_F(RtBench, TokensArePostedWhenTheJobsBeforeThemAreDone) {
  hart().setX(kA0, JobScene::kDesc);
  EXPECT_FALSE(run({0x002502FB, 0x0010207B, 0x0010107B}));
  EXPECT_EQ(outcome.kind, Outcome::Kind::Blocked);
  unit.runJob();
  EXPECT_EQ(resume().kind, Outcome::Kind::Limit);
  EXPECT_FALSE(run({0x0010107B}));  // one post, one wait
}

TEST_F(RtBench, PipeWaitsForTheQueueToDrain) {
  hart().setX(kA0, JobScene::kDesc);
  EXPECT_FALSE(run({0x002502FB, 0x0020307B}));
  EXPECT_EQ(outcome.kind, Outcome::Kind::Blocked);
  unit.runJob();
  EXPECT_EQ(resume().kind, Outcome::Kind::Limit);
}

TEST_F(RtBench, MalformedSubmitsAndFencesTrap) {
  hart().setX(kA0, JobScene::kDesc + 4);
  EXPECT_FALSE(run({0x002502FB}));
  expectTrap(4, JobScene::kDesc + 4);
  for (const std::uint32_t word :
       {custom3(0, kT0, kA0, 3), custom3(1, 1, kT0, 0), custom3(1, 0, kT0, 1), custom3(2, 0, 0, 0),
        custom3(2, 1, 0, 1), custom3(3, 0, 0, 4), custom3(3, 1, 0, 2)}) {
    EXPECT_FALSE(run({word}));
    expectTrap(2, word);
    EXPECT_EQ(lastEc(), 1U);
  }
}

TEST_F(RtBench, RT056_LaterCsrWritesDoNotReachTheJob) {
  hart().setX(kA0, JobScene::kDesc);
  ASSERT_TRUE(run({0x002502FB}));
  csr(kMode, 0x80A40000);  // FP32
  unit.runJob();
  std::array<std::uint8_t, 32> entry{};
  ASSERT_TRUE(hart().peek(JobScene::kHits, entry));
  EXPECT_EQ(decodeHit(entry.data()).t, 0x3C00U);
}

TEST_F(RtBench, NamesForTraces) {
  EXPECT_EQ(extension.disassemble(kBboxPacked), "rt.bbox a1, (a0), 4");
  EXPECT_EQ(extension.disassemble(0x0015758B), "rt.tri a1, (a0), 1");
  EXPECT_EQ(extension.disassemble(0x002502FB), "xsubmit.rt t0, a0");
  EXPECT_EQ(extension.disassemble(0x0002907B), "xfence.wait t0");
  EXPECT_EQ(extension.disassemble(0x0010207B), "xfence.signal 1");
  EXPECT_EQ(extension.disassemble(rt(4, 0, 0, 9)), "svp.one.vlstep 9");
  EXPECT_EQ(extension.disassemble(mask(13, 1, 7, 0)), "pmpopcnt t2, zero, 1");
}

}  // namespace
}  // namespace rtvp::xphmg
