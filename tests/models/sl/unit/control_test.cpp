// The shading core under a debugger's control: what it computes and when is what it does alone, and
// each instruction is told once, in the order of time.
#include <algorithm>
#include <random>
#include <set>

#include "tests/models/sl/unit/core_bench.hpp"

namespace rtvp::sl::unit::test {
namespace {

constexpr std::uint64_t kSeed = 1511;

/// Looks at each instruction in some of the pieces of work, and halts at words in the others.
class Watch : public CoreControl {
 public:
  explicit Watch(ShadingCore& core) : core_(core) { core.control(*this); }

  unsigned permit(Clock begin) override {
    EXPECT_GE(begin, latest_);  // the order of time
    latest_ = begin;
    ++pieces;
    if (mixed) stepping_ = pieces % 3 != 0;
    return 0;
  }
  [[nodiscard]] bool stepping() const override { return stepping_; }
  void taken(std::uint32_t slot, bool isNew) override { news += isNew ? 1U : 0U, (void)slot; }
  void before(unsigned pipeline) override {
    const auto run = core_.runOf(pipeline);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->vm->state(), Stop::None);
    open_.insert(pipeline);
  }
  void after(unsigned pipeline, Clock begin) override {
    EXPECT_EQ(begin, latest_);
    open_.erase(pipeline);
    ++told;
  }
  void arrived(unsigned pipeline, Clock /*begin*/) override {
    EXPECT_TRUE(core_.runOf(pipeline));
    ++arrivals;
  }
  [[nodiscard]] bool armed() const override { return halting; }
  [[nodiscard]] bool halts(unsigned /*pipeline*/, std::uint32_t word, Clock clock) override {
    if (word != place || passed_.contains(clock)) return false;
    passed_.insert(clock);
    ++halted;
    return true;
  }

  bool mixed = false, halting = false;
  std::uint32_t place = 5;
  std::uint64_t pieces = 0, told = 0, arrivals = 0, news = 0, halted = 0;

 private:
  ShadingCore& core_;
  bool stepping_ = true;
  Clock latest_ = 0;
  std::set<unsigned> open_;
  std::set<Clock> passed_;
};

/// Runs of different lengths, with textures and rays, on pipelines that wait for each other.
struct Scenario {
  Scenario() : bench(config()) {
    bench.surface(0, assembled("li s1, 1.0\nli s2, 0.0\nadd s2, s2, s1\nblt s2, s0, -2\n"
                               "lookup r0, t0, uv\nadd v0, r0, C0\nrnd s3\nlc z v0, s3\n"));
    bench.surface(1, assembled("trace r0, Pw, N\nadd v0, r0, C0\ntrace r1, N, Pw\n"
                               "add v0, v0, r1\n"));
    bench.surface(2, assembled("nop\nret\n"));
    bench.texture(0, 0, Format::Rgba8, 4, 4);
    std::mt19937_64 random(kSeed);
    for (std::uint32_t n = 0; n < 64; ++n)
      bench.memory.words[CoreBench::kTexels + n] = static_cast<std::uint32_t>(random());
    for (std::uint32_t slot = 0; slot < 40; ++slot) {
      const auto number = static_cast<std::uint32_t>(random() % 3);
      Registers r;
      r.vector(reg::C0) = {1, 2, 3};
      r.vector(reg::Pw) = {1, 2, static_cast<float>(slot)};
      r.vector(reg::N) = {0, 0, 1};
      r.vector(reg::uv) = {static_cast<float>(slot) / 40, 0.3F, 0};
      r.scalar(reg::s0) = 5;
      bench.fill(slot, number, r);
      bench.queue(slot);
    }
  }
  static CoreConfig config() {
    CoreConfig c;
    c.pipelines = 5;
    c.cycles[static_cast<unsigned>(Form::Li)] = 0;  // instructions that take no time
    c.cycles[static_cast<unsigned>(Form::AddS)] = 7;
    return c;
  }
  void run() {
    std::map<std::uint32_t, Result> results = bench.run();
    for (;;) {
      unsigned asked = 0;
      for (const auto& [slot, result] : results) {
        if (result.kind != result::kTrace) continue;
        bench.slotWords(slot)[slot::kAnswer] = word(static_cast<float>(slot));
        bench.queue(slot, request::kResume);
        ++asked;
      }
      if (asked == 0) return;
      results = bench.run();
    }
  }
  CoreBench bench;
};

void expectSame(const Scenario& a, const Scenario& b) {
  EXPECT_EQ(a.bench.now, b.bench.now);
  EXPECT_EQ(a.bench.memory.words, b.bench.memory.words);
  EXPECT_EQ(a.bench.core.executed(), b.bench.core.executed());
  for (unsigned n = 0; n < 5; ++n) {
    const PipelineCounters &x = a.bench.core.pipelines()[n], &y = b.bench.core.pipelines()[n];
    EXPECT_EQ(x.busy, y.busy);
    EXPECT_EQ(x.stallRequest, y.stallRequest);
    EXPECT_EQ(x.stallTexture, y.stallTexture);
    EXPECT_EQ(x.stallResult, y.stallResult);
    EXPECT_EQ(x.stallPort, y.stallPort);
    EXPECT_EQ(x.instructions, y.instructions);
    EXPECT_EQ(x.runs, y.runs);
  }
}

TEST(ControlledCore, ALookAtEachInstructionChangesNothingAndMissesNone) {
  Scenario plain, watched;
  Watch watch(watched.bench.core);
  plain.run();
  watched.run();
  expectSame(plain, watched);
  const Counters& totals = watched.bench.core.counters();
  EXPECT_EQ(watch.told, totals.instructions);
  EXPECT_EQ(watch.news, totals.runs);
  // Each trace comes back, but one that is its program's last instruction would not stand anywhere.
  EXPECT_EQ(watch.arrivals, totals.runs + watched.bench.core.resumes());
  EXPECT_EQ(totals.runs, 40U);
  EXPECT_GT(totals.traces, 0U);
  EXPECT_GT(totals.lookups, 0U);
}

TEST(ControlledCore, HaltsAndChangesOfMindChangeNothing) {
  Scenario plain, watched;
  Watch watch(watched.bench.core);
  watch.mixed = watch.halting = true;
  plain.run();
  watched.run();
  expectSame(plain, watched);
  EXPECT_GT(watch.halted, 0U);
  EXPECT_GT(watch.told, 0U);
  EXPECT_LT(watch.told, watched.bench.core.counters().instructions);
}

TEST(ControlledCore, APipelineHasARunFromItsRequestToItsLastInstruction) {
  CoreBench bench;
  EXPECT_FALSE(bench.core.runOf(0));
  bench.surface(0, assembled("nop\n"));
  bench.surface(1, assembled("li s0, 1.0\ntrace r0, Pw, N\nmov v0, r0\n"));
  Registers r;
  r.vector(reg::N) = {0, 0, 1};
  bench.fill(6, 1, r);
  bench.queue(6);
  class Look : public Watch {
   public:
    explicit Look(ShadingCore& core) : Watch(core), core_(core) {}
    void before(unsigned pipeline) override {
      const auto run = core_.runOf(pipeline);
      ASSERT_TRUE(run);
      EXPECT_EQ(run->start, 1U);
      EXPECT_EQ(run->slot, 6U);
      EXPECT_EQ(run->surface, 1U);
      seen.push_back(run->vm->pc());
    }
    std::vector<std::uint32_t> seen;

   private:
    ShadingCore& core_;
  } look(bench.core);
  bench.run();
  for (unsigned n = 0; n < 4; ++n) EXPECT_FALSE(bench.core.runOf(n)) << "set aside";
  bench.queue(6, request::kResume);
  bench.run();
  EXPECT_EQ(look.seen, (std::vector<std::uint32_t>{0, 1, 2}));
  for (unsigned n = 0; n < 4; ++n) EXPECT_FALSE(bench.core.runOf(n));
}

}  // namespace
}  // namespace rtvp::sl::unit::test
