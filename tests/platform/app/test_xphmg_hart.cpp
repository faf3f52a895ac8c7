// Scenes whose jobs a program on the RV64 hart works off (`xphmg.driver=hart`), through the
// executable as a user does. What needs Debian's RISC-V compiler at build time is skipped with a
// message where the programs were not built.
#include <algorithm>

#include "models/xphmg/hart/elf.hpp"
#include "models/xphmg/hart/machine.hpp"
#include "tests/models/xphmg/hart/program.hpp"
#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

std::string sceneFile(const std::string& name) {
  return RTVP_SOURCE_DIR "/scenes/" + name;
}
std::string programFile(const std::string& name) {
  return std::string(RTVP_BINARY_DIR) + "/firmware/xphmg/" + name + ".elf";
}

#define REQUIRE_PROGRAMS()                                                   \
  if (!std::filesystem::exists(programFile("queue_driver")))                 \
  FAIL() << "the programs of firmware/xphmg were not built (Debian package " \
            "gcc-riscv64-unknown-elf)"

class XphmgHart : public PlatformTest {
 protected:
  /// Leaves NAME.png, NAME.csv, NAME.json.
  void render(const std::string& name, const std::string& arguments) const {
    const Outcome r = run(arguments + " --engine xphmg -q -o " + name + ".png --hits " + name +
                          ".csv --stats " + name + ".json");
    ASSERT_EQ(r.status, 0) << arguments << "\n" << r.err;
  }
  void expectSamePicture(const std::string& a, const std::string& b) const {
    EXPECT_TRUE(slurp(path(a + ".csv")) == slurp(path(b + ".csv"))) << a << " " << b;
    EXPECT_TRUE(slurp(path(a + ".png")) == slurp(path(b + ".png"))) << a << " " << b;
  }
  [[nodiscard]] std::uint64_t figure(const std::string& name, const char* group,
                                     const char* what) const {
    return json(name + ".json")
        .at("modules")
        .at("pc0")
        .at(group)
        .at(what)
        .to_number<std::uint64_t>();
  }
  /// An executable of these words at `address`.
  [[nodiscard]] std::string program(const std::vector<std::uint32_t>& words,
                                    std::uint64_t address = rv64::kRamBase) const {
    std::vector<std::uint8_t> bytes(words.size() * 4);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    const auto file = rv64::test::elfAround(address, bytes, address);
    return write("program.elf", std::string(file.begin(), file.end()));
  }
  /// A small scene with a driver program of its own.
  [[nodiscard]] Outcome runWith(const std::string& elf, const std::string& more = "") const {
    write("a.shk", kSmallScene);
    return run("a.shk --engine xphmg -q -o a.png --set xphmg.driver=hart --set xphmg.hart_elf='" +
               elf + "' " + more);
  }
};

// Done-when 4: inline instructions on the hart, the queue driven by the hart, the queue driven by
// the host.
TEST_F(XphmgHart, SameHitsInlineByTheHartsQueueAndByTheHosts) {
  REQUIRE_PROGRAMS();
  for (const char* scene : {"cornell.shk --size 32x32", "bunny.shk --size 24x24"}) {
    const std::string common = sceneFile(scene);
    render("host", common);
    render("hart", common + " --set xphmg.driver=hart");
    render("inline", common + " --set xphmg.driver=hart --set xphmg.hart_elf='" +
                         programFile("inline_trace") + "'");
    expectSamePicture("host", "hart");
    expectSamePicture("host", "inline");
    const std::uint64_t rays = figure("host", "driver", "rays");
    EXPECT_GT(rays, 900U);
    EXPECT_EQ(figure("hart", "unit0", "rays"), rays);
    EXPECT_EQ(figure("inline", "unit0", "rays"), 0U) << "the queue was not used";
    EXPECT_GT(figure("inline", "hart", "cycles_inline_rt"), rays);
    EXPECT_EQ(figure("hart", "hart", "cycles_inline_rt"), 0U) << "no inline instruction";
    EXPECT_GT(figure("host", "driver", "hits"), 0U);
    for (const char* what : {"rays", "any_hit_rays", "hits", "misses"}) {
      EXPECT_EQ(figure("hart", "driver", what), figure("host", "driver", what)) << what;
      EXPECT_EQ(figure("inline", "driver", what), figure("host", "driver", what)) << what;
    }
  }
}

TEST_F(XphmgHart, NarrowFormatsToo) {
  REQUIRE_PROGRAMS();
  for (const char* format : {"fp16", "bf16"}) {
    const std::string common =
        sceneFile("cornell.shk") + " --size 32x32 --set xphmg.format=" + format;
    render("host", common);
    render("hart", common + " --set xphmg.driver=hart");
    expectSamePicture("host", "hart");
  }
}

TEST_F(XphmgHart, SeveralJobsInFlightAndNoOrderChangesAByte) {
  REQUIRE_PROGRAMS();
  const std::string common = sceneFile("cornell.shk") + " --size 32x32 --set xphmg.job_rays=16 ";
  render("host", common);
  for (const char* depth : {"1", "3", "16", "256"}) {
    render("hart", common +
                       "--set xphmg.driver=hart --set xphmg.jobs_in_flight=256 "
                       "--set xphmg.queue_depth=" +
                       depth);
    expectSamePicture("host", "hart");
    EXPECT_EQ(figure("hart", "mailbox", "posts"), figure("hart", "driver", "jobs") + 1);
    EXPECT_EQ(figure("hart", "mailbox", "reports"), figure("hart", "driver", "jobs") + 1);
    EXPECT_EQ(figure("hart", "mailbox", "lost"), 0U);
    // The program never gives the unit more than its queue holds, and 64 at most; the others wait
    // in the mailbox.
    EXPECT_EQ(figure("hart", "unit0", "doorbell_held"), 0U);
    const std::uint64_t most = figure("hart", "unit0", "queue_most");
    EXPECT_LE(most, std::min(std::stoul(depth), 64UL));
    EXPECT_GE(most, std::min(std::stoul(depth), 32UL));
  }
}

TEST_F(XphmgHart, SpeedSettingsNeverChangeAByte) {
  REQUIRE_PROGRAMS();
  const std::string common = sceneFile("cornell.shk") + " --size 24x24 --set xphmg.driver=hart ";
  render("a", common + "--trace a.vcd");
  for (const char* setting :
       {"xphmg.dmi=off", "xphmg.quantum_us=0", "xphmg.quantum_us=5000", "xphmg.datapath=plain"}) {
    render("b", common + "--trace b.vcd --set " + setting);
    expectSamePicture("a", "b");
    EXPECT_EQ(comparableStats("a.json"), comparableStats("b.json")) << setting;
    EXPECT_TRUE(slurp(path("a.vcd")) == slurp(path("b.vcd"))) << setting;
  }
}

TEST_F(XphmgHart, TheUnitAloneFindsHits) {
  REQUIRE_PROGRAMS();
  const Outcome r = run(sceneFile("cornell.shk") +
                        " --size 24x24 --engine xphmg --set xphmg.driver=hart "
                        "--set xphmg.fault=tri -o f.png");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "0.0 % of the eye rays hit")) << r.out;
}

TEST_F(XphmgHart, ProgramsThatNeverAnswerEndWithStatus4) {
  const Outcome spins = runWith(program({0x0000006F}), "--set xphmg.hart_limit=100000");
  EXPECT_EQ(spins.status, 4);
  EXPECT_TRUE(contains(spins.err, "/rtvp/platform/limit")) << spins.err;
  EXPECT_TRUE(contains(spins.err, "100000 instructions at 0x80000000")) << spins.err;
  // WFI again and again with no interrupt enabled.
  const Outcome sleeps = runWith(program({0x10500073, 0xFFDFF06F}));
  EXPECT_EQ(sleeps.status, 4);
  EXPECT_TRUE(contains(sleeps.err, "/rtvp/platform/deadlock")) << sleeps.err;
  EXPECT_TRUE(contains(sleeps.err, "the hart is at 0x80000004")) << sleeps.err;
  // XFENCE.WAIT for a ticket that was never issued.
  const Outcome waits = runWith(program({0x06300293, 0x0002907B, 0x0000006F}));
  EXPECT_EQ(waits.status, 4);
  EXPECT_TRUE(contains(waits.err, "the hart is at 0x80000004")) << waits.err;
}

TEST_F(XphmgHart, ProgramsThatTrapEndWithStatus3) {
  const Outcome r = runWith(program({0x00000013, 0x00000000}));
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(contains(r.err, "/rtvp/xphmg/hart")) << r.err;
  EXPECT_TRUE(contains(r.err, "illegal instruction 0x0 (mcause 0x2, mtval 0x0) at 0x80000004"))
      << r.err;
}

TEST_F(XphmgHart, TrapsNameTheSymbol) {
  REQUIRE_PROGRAMS();
  std::string file = slurp(programFile("queue_driver"));
  const rv64::ElfImage image =
      rv64::readElf({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
  const rv64::ElfSymbol* const main = image.find("main");
  ASSERT_NE(main, nullptr);
  for (const rv64::ElfSegment& s : image.segments) {
    if (main->value - s.address >= s.bytes.size()) continue;
    const auto offset = static_cast<std::size_t>(
        s.bytes.data() - reinterpret_cast<const std::uint8_t*>(file.data()));
    std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(offset + main->value - s.address), 4,
                '\0');
  }
  const Outcome r = runWith(write("damaged.elf", file));
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(contains(r.err, "exit code 130")) << r.err;
  EXPECT_TRUE(contains(r.err, "mcause 0x2")) << r.err;
  EXPECT_TRUE(contains(r.err, "(main+0x0)")) << r.err;
}

TEST_F(XphmgHart, ProgramsThatEndOrReportNonsenseEndWithStatus3) {
  const Outcome ends = runWith(program({0x201002B7, 0x0002B423, 0x0000006F}));  // EXIT := 0
  EXPECT_EQ(ends.status, 3);
  EXPECT_TRUE(contains(ends.err, "ended with exit code 0")) << ends.err;
  const Outcome lies = runWith(program({0x200F02B7, 0x00100313, 0x0062BC23, 0x0000006F}));
  EXPECT_EQ(lies.status, 3);
  EXPECT_TRUE(contains(lies.err, "/rtvp/host/driver")) << lies.err;
}

TEST_F(XphmgHart, ReportedErrorsAndLostReportsEndWithStatus3) {
  using rv64::Op;
  using rv64::test::encode;
  const std::uint32_t mailbox = encode(Op::LUI, {.rd = 5, .imm = 0x200F0000});
  const std::vector<std::uint32_t> take = {encode(Op::LD, {.rd = 6, .rs1 = 5, .imm = 0x08}),
                                           encode(Op::BEQ, {.rs1 = 6, .rs2 = 0, .imm = -4})};
  const std::uint32_t report = encode(Op::SD, {.rs1 = 5, .rs2 = 6, .imm = 0x18});
  const std::uint32_t stop = encode(Op::JAL, {.imm = 0});
  const Outcome fails =
      runWith(program({mailbox, take[0], take[1], encode(Op::ADDI, {.rd = 7, .imm = 2}),
                       encode(Op::SD, {.rs1 = 5, .rs2 = 7, .imm = 0x10}), report, stop}));
  EXPECT_EQ(fails.status, 3);
  EXPECT_TRUE(contains(fails.err, "failed, LAST_EC 2")) << fails.err;
  const Outcome loses =
      runWith(program({mailbox, take[0], take[1], encode(Op::SD, {.rs1 = 5, .rs2 = 0, .imm = 0x18}),
                       report, stop}));
  EXPECT_EQ(loses.status, 3);
  EXPECT_TRUE(contains(loses.err, "the mailbox has lost")) << loses.err;
}

TEST_F(XphmgHart, RefusesWhatCannotWorkWithStatus2) {
  const auto refused = [&](const Outcome& r, const char* text) {
    EXPECT_EQ(r.status, 2) << text;
    EXPECT_TRUE(contains(r.err, text)) << r.err;
  };
  refused(runWith(program({0x0000006F}), "--set xphmg.units=2"), "drives unit 0 only");
  refused(runWith("/nowhere/none.elf"), "found no such file, expected an executable");
  refused(runWith(sceneFile("cornell.shk")), "not an ELF file");
  refused(runWith(program({0x0000006F}, 0x80100000)), "lies outside the first MiB");
  refused(runWith(program({0x0000006F}), "--set xphmg.driver=nobody"), "one of host, hart");
  if (!std::filesystem::exists(programFile("queue_driver"))) {
    refused(runWith(""), "gcc-riscv64-unknown-elf");
  }
}

TEST_F(XphmgHart, SeveralHostsHaveAHartEach) {
  REQUIRE_PROGRAMS();
  const std::string common = sceneFile("cornell.shk") + " --size 24x24 --hosts 2 ";
  render("host", common);
  render("hart", common + "--set xphmg.driver=hart");
  expectSamePicture("host", "hart");
}

TEST_F(XphmgHart, MemoryIsTheScenesBesideTheProgram) {
  REQUIRE_PROGRAMS();
  const Outcome r = run(sceneFile("bunny.shk") +
                        " --size 8x8 --engine xphmg -q -o a.png --set xphmg.driver=hart "
                        "--set xphmg.memory_mib=1");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "the scene and its rings need 3 MiB")) << r.err;
}

TEST_F(XphmgHart, StatisticsAreDescribed) {
  const Outcome r = run("--stats-help --engine xphmg --set xphmg.driver=hart");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "cycles_inline_rt")) << r.out;
}

}  // namespace
}  // namespace rtvp::test
