// Everything the unit refuses, with object, position and reason; never a hang, never a hit. After
// each fault the unit goes on with the next job.
#include "models/common/report_ids.hpp"
#include "tests/models/implicit/unit/unit_bench.hpp"

namespace rtvp::implicit::unit::test {
namespace {

constexpr std::uint32_t faulted(Fault fault) {
  return job::kFaulted | static_cast<std::uint32_t>(fault) << 8U;
}

/// The bytes of tape `kind` behind its dummy element.
std::uint64_t tapeAt(TapeKind kind) {
  return at::kTapes + static_cast<std::uint64_t>(kind) * at::kTapeStep + elementBytes(kind, false);
}
constexpr std::uint64_t kRecord = at::kDescriptions + kDescriptionBytes;  ///< of object 0

/// A tape that a host has damaged, and what the HULL job must say.
struct Damage {
  const char* name;
  Fault fault;
  std::uint32_t position;  ///< kNone: none
  std::function<void(Bench&)> apply;
};

void setWord16(Bench& bench, std::uint64_t at, std::uint16_t value) {
  bench.bytes(at)[0] = static_cast<std::uint8_t>(value);
  bench.bytes(at)[1] = static_cast<std::uint8_t>(value >> 8U);
}
void instruction(Bench& bench, unsigned at, std::uint16_t word) {
  setWord16(bench, tapeAt(TapeKind::Opcodes) + 2 * at, word);
}
void dependency(Bench& bench, unsigned at, unsigned which, std::uint8_t value) {
  bench.bytes(tapeAt(TapeKind::Dependencies) + 2 * at)[which] = value;
}

// The default object of sdf.md 3.2; instruction words of its table.
const std::vector<Damage>& damages() {
  static const std::vector<Damage> all{
      {"unknown opcode", Fault::Opcode, 1, [](Bench& b) { instruction(b, 1, 0x00E5); }},
      {"OPInvalid", Fault::Opcode, 4, [](Bench& b) { instruction(b, 4, 220); }},
      {"underflow: a Dup is missing", Fault::Underflow, 4,
       [](Bench& b) { instruction(b, 1, 0x0000); }},
      {"type error: min of vectors", Fault::Underflow, 5,
       [](Bench& b) { instruction(b, 5, 0x007B); }},
      {"overflow", Fault::Overflow, 7,
       [](Bench& b) {
         for (unsigned n = 0; n < 8; ++n) instruction(b, n, 0x007D);
       }},
      {"constant flag of no input", Fault::Operand, 1, [](Bench& b) { instruction(b, 1, 0x407D); }},
      {"constant that may not be", Fault::Operand, 6, [](Bench& b) { instruction(b, 6, 0x8050); }},
      {"constant tape overrun", Fault::ConstantOverrun, 6, [](Bench& b) { b.write("FLOATS", 3); }},
      {"constants that nobody reads", Fault::ConstantOverrun, kNone,
       [](Bench& b) { b.write("FLOATS", 5); }},
      {"far too many constants", Fault::ConstantOverrun, kNone,
       [](Bench& b) { b.write("VEC2S", 5000); }},
      {"no OPStop", Fault::Stop, 8, [](Bench& b) { instruction(b, 7, 0x0036); }},
      {"something behind OPStop", Fault::Stop, 7,
       [](Bench& b) {
         instruction(b, 6, 0x0001);
         instruction(b, 7, 0x0001);
       }},
      {"over-long", Fault::Length, 232, [](Bench& b) { b.write("OPCODES", 40); }},
      {"dependency on itself", Fault::Cyclic, 4, [](Bench& b) { dependency(b, 4, 0, 4); }},
      {"dependency backwards", Fault::Cyclic, 5, [](Bench& b) { dependency(b, 5, 0, 1); }},
      {"false dependency", Fault::Dependency, 2, [](Bench& b) { dependency(b, 2, 0, 6); }},
      {"a consumer too many", Fault::Dependency, 3, [](Bench& b) { dependency(b, 3, 1, 6); }},
      {"dependency tape too short", Fault::Dependency, 7,
       [](Bench& b) { b.write("DEPENDENCIES", 8); }},
      {"constant that is no number", Fault::Number, 0,
       [](Bench& b) { b.put(tapeAt(TapeKind::Floats), 0x7FC00000); }},
      {"constant without end", Fault::Number, 2,
       [](Bench& b) { b.put(tapeAt(TapeKind::Vec4s) + 4, 0x7F800000); }},
      {"start of 0", Fault::Description, kNone, [](Bench& b) { b.put(kRecord + 4, 0); }},
      {"start beyond the tape", Fault::Description, kNone,
       [](Bench& b) { b.put(kRecord + 12, 77); }},
      {"tape beyond its size", Fault::Description, kNone, [](Bench& b) { b.write("VEC4S", 0); }},
      {"bounds missing", Fault::Bounds, kNone,
       [](Bench& b) { std::memset(b.bytes(kRecord + 36), 0, 24); }},
      {"bounds reversed", Fault::Bounds, kNone, [](Bench& b) { b.putF(kRecord + 36, -9); }},
      {"bounds without end", Fault::Bounds, kNone,
       [](Bench& b) { b.put(kRecord + 40, 0x7F800000); }},
      {"bounds that are no number", Fault::Bounds, kNone,
       [](Bench& b) { b.put(kRecord + 56, 0x7FC00000); }},
      {"material of no instruction", Fault::Materials, 8,
       [](Bench& b) { b.write("MATERIALS", 4); }},
      {"material that is no number", Fault::Materials, kNone,
       [](Bench& b) {
         b.write("MATERIALS", 2);
         b.put(tapeAt(TapeKind::Materials) + 20, 0x7FC00000);
       }},
      {"materials without number", Fault::Materials, kNone,
       [](Bench& b) { b.write("MATERIALS", 100000); }},
      {"tape where nothing answers", Fault::Bus, kNone,
       [](Bench& b) { b.write("OPCODES_HIGH", 0x55); }},
      {"tape at the end of the address space", Fault::Bus, kNone,
       [](Bench& b) {
         b.write("FLOATS_HIGH", 0xFFFFFFFF);
         b.write("FLOATS_LOW", 0xFFFFFFFC);
       }},
  };
  return all;
}

TEST(ImplicitUnitFaults, DamagedTapes) {
  for (const Damage& damage : damages()) {
    SCOPED_TRACE(damage.name);
    onBench([&](Bench& bench) {
      // Object 1 uses the same tape, so its number is what the fault must name.
      Scene scene = defaultScene();
      scene.instances.push_back(scene.instances[0]);
      bench.load(scene);
      bench.hullJob(1);
      ASSERT_EQ(bench.run(), job::kDone);
      damage.apply(bench);
      const std::uint64_t d = bench.hullJob(1);
      bench.put(d + job::kFirstObject, 1);
      EXPECT_EQ(bench.run(), faulted(damage.fault));
      EXPECT_EQ(bench.word(d + job::kFaultPosition), damage.position);
      EXPECT_EQ(bench.read("FAULT"), static_cast<std::uint32_t>(damage.fault));
      EXPECT_EQ(bench.read("FAULT_POSITION"), damage.position);
      if (damage.fault != Fault::Bus) {
        EXPECT_EQ(bench.word(d + job::kFaultObject), 1U);
        EXPECT_EQ(bench.read("FAULT_OBJECT"), 1U);
      }
      EXPECT_EQ(bench.word(d + job::kCount), 0U);
      EXPECT_EQ(bench.read("FAULT_JOB"), 1U);
      EXPECT_EQ(bench.counter(Counter::Faults), 1U);
      // The object is not there, the other still is.
      bench.raysJob(2, {});
      EXPECT_EQ(bench.run(), faulted(Fault::NoHull));
      bench.raysJob(1, {});
      EXPECT_EQ(bench.run(), job::kDone);
      // The registers hold the first fault.
      EXPECT_EQ(bench.read("FAULT"), static_cast<std::uint32_t>(damage.fault));
    });
  }
}

/// A descriptor or record that makes no sense.
struct BadJob {
  const char* name;
  Fault fault;
  std::uint32_t kind;
  std::function<void(Bench&, std::uint64_t descriptor)> apply;
};

const std::vector<BadJob>& badJobs() {
  using F = Fault;
  static const std::vector<BadJob> all{
      {"kind 0", F::Descriptor, job::kHull, [](Bench& b, auto d) { b.put(d, 0); }},
      {"kind 4", F::Descriptor, job::kHull, [](Bench& b, auto d) { b.put(d, 4); }},
      {"bits above the kind", F::Descriptor, job::kHull, [](Bench& b, auto d) { b.put(d, 0x101); }},
      {"reserved bytes", F::Descriptor, job::kRays,
       [](Bench& b, auto d) { b.put(d + job::kReserved + 4, 1); }},
      {"objects beyond the table", F::Descriptor, job::kHull,
       [](Bench& b, auto d) { b.put(d + job::kObjects, 2); }},
      {"objects that wrap", F::Descriptor, job::kHull,
       [](Bench& b, auto d) { b.put(d + job::kFirstObject, 0xFFFFFFFF); }},
      {"no columns", F::Descriptor, job::kFrame,
       [](Bench& b, auto d) { b.put(d + job::kWidth, 0); }},
      {"too many pixels", F::Descriptor, job::kFrame,
       [](Bench& b, auto d) {
         b.put(d + job::kWidth, 0x8000);
         b.put(d + job::kHeight, 0x8000);
         b.put(d + job::kPitch, 0x10000);
       }},
      {"wider than the pitch", F::Descriptor, job::kFrame,
       [](Bench& b, auto d) { b.put(d + job::kPitch, 7); }},
      {"pitch too large", F::Descriptor, job::kFrame,
       [](Bench& b, auto d) { b.put(d + job::kPitch, 0x10001); }},
      {"buffer beyond 64 bits", F::Descriptor, job::kFrame,
       [](Bench& b, auto d) { putWide(b.bytes(d), job::kHits, ~0ULL - 10); }},
      {"camera without a plane", F::Descriptor, job::kFrame,
       [](Bench& b, auto d) {
         for (unsigned n = 0; n < 12; ++n) b.put(d + job::kColumn + n, 0);
       }},
      {"camera that is no number", F::Descriptor, job::kFrame,
       [](Bench& b, auto d) { b.put(d + job::kEye, 0x7FC00000); }},
      {"cone below 0", F::Descriptor, job::kFrame,
       [](Bench& b, auto d) { b.putF(d + job::kCone, -1); }},
      {"too many rays", F::Descriptor, job::kRays,
       [](Bench& b, auto d) { b.put(d + job::kRayCount, job::kMostRays + 1); }},
      {"rays beyond 64 bits", F::Descriptor, job::kRays,
       [](Bench& b, auto d) { putWide(b.bytes(d), job::kRayList, ~0ULL - 10); }},
      {"depth where nothing answers", F::Bus, job::kFrame,
       [](Bench& b, auto d) { putWide(b.bytes(d), job::kDepth, 0x77'0000'0000); }},
      {"hit records where nothing answers", F::Bus, job::kFrame,
       [](Bench& b, auto d) { putWide(b.bytes(d), job::kHits, 0x77'0000'0000); }},
      {"rays where nothing answers", F::Bus, job::kRays,
       [](Bench& b, auto d) { putWide(b.bytes(d), job::kRayList, 0x77'0000'0000); }},
      {"records where nothing answers", F::Bus, job::kRays,
       [](Bench& b, auto d) { putWide(b.bytes(d), job::kHits, 0x77'0000'0000); }},
      {"object records where nothing answers", F::Bus, job::kHull,
       [](Bench& b, auto) { b.write("OBJECTS_HIGH", 0x77); }},
      {"descriptions where nothing answers", F::Bus, job::kHull,
       [](Bench& b, auto) { b.write("DESCRIPTIONS_HIGH", 0x77); }},
      {"leaf storage where nothing answers", F::Bus, job::kHull,
       [](Bench& b, auto) { b.write("LEAVES_HIGH", 0x77); }},
      {"unknown object kind", F::Object, job::kHull,
       [](Bench& b, auto) { b.put(at::kObjects + object::kKind, 2); }},
      {"description that is not there", F::Object, job::kHull,
       [](Bench& b, auto) { b.put(at::kObjects + object::kNumber, 1); }},
      {"id that means no object", F::Object, job::kHull,
       [](Bench& b, auto) { b.put(at::kObjects + object::kId, kNone); }},
      {"Lipschitz bound below 0", F::Object, job::kHull,
       [](Bench& b, auto) { b.putF(at::kObjects + object::kLipschitz, -1); }},
      {"Lipschitz register of 0", F::Object, job::kHull,
       [](Bench& b, auto) {
         b.putF(at::kObjects + object::kLipschitz, 0);
         b.write("MODE", mode::kResetValue & ~mode::kSlopes);
         b.write("LIPSCHITZ", 0);
       }},
      {"singular matrix", F::Object, job::kHull,
       [](Bench& b, auto) { b.putF(at::kObjects + object::kWorld, 0); }},
      {"matrix that is no number", F::Object, job::kRays,
       [](Bench& b, auto) { b.put(at::kObjects + object::kWorld + 12, 0x7FC00000); }},
      {"reserved bytes of an object", F::Object, job::kHull,
       [](Bench& b, auto) { b.put(at::kObjects + object::kReserved, 1); }},
      {"another tape than the hull's", F::NoHull, job::kRays,
       [](Bench& b, auto) { b.put(at::kObjects + object::kNumber, 3); }},
      {"other pruning than the hull's", F::NoHull, job::kFrame,
       [](Bench& b, auto) { b.write("MODE", mode::kResetValue & ~mode::kPrune); }},
      {"stepping 3", F::Mode, job::kFrame,
       [](Bench& b, auto) { b.write("MODE", mode::kResetValue | mode::kSteppingField); }},
      {"normals 3", F::Mode, job::kRays,
       [](Bench& b, auto) { b.write("MODE", mode::kResetValue | mode::kNormalsField); }},
      {"eps of 0", F::Mode, job::kRays, [](Bench& b, auto) { b.write("EPS", 0); }},
      {"eps that is no number", F::Mode, job::kRays,
       [](Bench& b, auto) { b.write("EPS", 0x7FC00000); }},
      {"relaxation of 5", F::Mode, job::kRays,
       [](Bench& b, auto) { b.write("RELAXATION", 0x40A00000); }},
      {"leaf table too small", F::Storage, job::kHull,
       [](Bench& b, auto) { b.write("LEAVES", 1000); }},
      {"leaf programs too many", F::Storage, job::kHull,
       [](Bench& b, auto) { b.write("LEAF_PROGRAMS", b.read("LEAF_PROGRAMS_USED") + 20); }},
  };
  return all;
}

render::Camera camera() {
  return render::Camera::lookAt({2.4, 2.2, 3.1}, {0, 0.6, 0}, {0, 1, 0}, 50, 8, 8);
}
std::vector<render::WorldRay> oneRay() {
  render::WorldRay ray;
  ray.origin = {0.7, 1.2, 4};
  ray.direction = {0, 0, -1};
  return {ray};
}

TEST(ImplicitUnitFaults, BadJobs) {
  for (const BadJob& bad : badJobs()) {
    SCOPED_TRACE(bad.name);
    onBench([&](Bench& bench) {
      bench.load(defaultScene());
      bench.hullJob(1);
      ASSERT_EQ(bench.run(), job::kDone);
      const std::uint64_t d = bad.kind == job::kHull ? bench.hullJob(1)
                              : bad.kind == job::kFrame
                                  ? bench.frameJob(1, camera(), {0, 0, 8, 8}, 8)
                                  : bench.raysJob(1, oneRay());
      bad.apply(bench, d);
      EXPECT_EQ(bench.run(), faulted(bad.fault));
      EXPECT_EQ(bench.read("STATUS"), status::kFault);
      EXPECT_EQ(bench.read("RING_HEAD"), 2U);
      EXPECT_EQ(bench.read("INTERRUPT"), interrupt::kDone | interrupt::kFault);
    });
  }
}

TEST(ImplicitUnitFaults, BadRaysNameTheRay) {
  const auto expect = [](const std::function<void(Bench&, std::uint64_t)>& apply) {
    onBench([&](Bench& bench) {
      bench.load(defaultScene());
      bench.hullJob(1);
      ASSERT_EQ(bench.run(), job::kDone);
      std::vector<render::WorldRay> rays(40, oneRay()[0]);
      const std::uint64_t d = bench.raysJob(1, rays);
      apply(bench, at::kRays + 37 * ray::kBytes);
      EXPECT_EQ(bench.run(), faulted(Fault::Descriptor));
      EXPECT_EQ(bench.word(d + job::kFaultPosition), 37U);
    });
  };
  expect([](Bench& b, std::uint64_t r) { b.putF(r + ray::kTmax, 0); });
  expect([](Bench& b, std::uint64_t r) { b.put(r + ray::kTmax, 0x7FC00000); });
  expect([](Bench& b, std::uint64_t r) { b.putF(r + ray::kDirection + 8, 0); });
  expect([](Bench& b, std::uint64_t r) { b.put(r + ray::kOrigin, 0x7F800000); });
  expect([](Bench& b, std::uint64_t r) { b.put(r + ray::kFlags, 2); });
}

/// A program, the extension for long models.
Scene programScene() {
  Scene scene;
  scene.programs.emplace_back(
      registers::compile(implicit::test::assembled(implicit::test::kDefaultObject)),
      kDefaultBounds);
  scene.instances.push_back({object::kProgram, 0, 4, 1, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}});
  return scene;
}

TEST(ImplicitUnitFaults, Programs) {
  const auto expect = [](Fault fault, const std::function<void(Bench&)>& apply) {
    onBench([&](Bench& bench) {
      bench.load(programScene());
      apply(bench);
      const std::uint64_t d = bench.hullJob(1);
      EXPECT_EQ(bench.run(), faulted(fault));
      EXPECT_EQ(bench.word(d + job::kFaultObject), fault == Fault::Bus ? kNone : 0U);
    });
  };
  expect(Fault::Mode, [](Bench& b) { b.settings(render::Settings::seedReport()); });
  expect(Fault::Object, [](Bench& b) { b.put(at::kObjects + object::kNumber, 1); });
  expect(Fault::Description, [](Bench& b) { b.put(at::kPrograms + program::kWords, 9999); });
  expect(Fault::Description, [](Bench& b) { b.put(at::kPrograms + program::kStart, 1); });
  expect(Fault::Description, [](Bench& b) { b.put(at::kPrograms + program::kZero, 1); });
  expect(Fault::Bounds, [](Bench& b) { b.putF(at::kPrograms + program::kBounds, -7); });
  expect(Fault::Program, [](Bench& b) { b.put(at::kClauses + 4, 0); });
  expect(Fault::Program, [](Bench& b) { b.put(at::kPrograms + program::kWords, 0); });
  expect(Fault::Program, [](Bench& b) { b.put(at::kClauses + 16, 0xFFFFFFFF); });
  expect(Fault::Bus, [](Bench& b) { b.write("CLAUSES_HIGH", 0x77); });
  expect(Fault::Bus, [](Bench& b) { b.write("PROGRAMS_HIGH", 0x77); });
}

/// What the hull was made of must still be there when rays need it.
TEST(ImplicitUnitFaults, MemoryThatChanges) {
  const auto expect = [](const render::Settings& settings, std::uint64_t first,
                         std::uint64_t bytes) {
    BenchConfig config;  // with caches nobody may look again
    config.unit.timing.opcodes.lines = config.unit.timing.constants.lines = 0;
    config.unit.timing.leaves.lines = 0;
    onBench(
        [&](Bench& bench) {
          bench.load(defaultScene());
          bench.settings(settings);
          bench.hullJob(1);
          ASSERT_EQ(bench.run(), job::kDone);
          bench.raysJob(1, oneRay());
          ASSERT_EQ(bench.run(), job::kDone);
          EXPECT_EQ(bench.word(at::kHits + hit::kStatus), hit::kHit);
          for (std::uint64_t n = 0; n < bytes; ++n) bench.bytes(first + n)[0] ^= 0x10;
          bench.raysJob(1, oneRay());
          EXPECT_EQ(bench.run(), faulted(Fault::Changed));
          EXPECT_EQ(bench.read("FAULT_OBJECT"), 0U);
          EXPECT_EQ(bench.read("FAULT_ADDRESS_HIGH"), kMemory >> 32U);
        },
        config);
  };
  render::Settings masks = render::Settings::improved();
  masks.compact = false;
  expect(masks, at::kLeaves, 2048ULL * leaf::kMaskBytes);
  expect(masks, at::kTapes, 16 * 2);
  expect(masks, at::kTapes + at::kTapeStep, 4 * 4);
  expect(render::Settings::improved(), at::kLeaves, 2048ULL * leaf::kEntryBytes);
  expect(render::Settings::improved(), at::kLeafPrograms, 8ULL * kLeafWords);
}

TEST(ImplicitUnitFaults, AreReported) {
  rtvp::test::inChild([] {
    static std::vector<std::string> reports;
    sc_core::sc_report_handler::set_handler(
        [](const sc_core::sc_report& report, const sc_core::sc_actions&) {
          if (report.get_severity() == sc_core::SC_ERROR)
            reports.emplace_back(report.get_msg_type());
        });
    Bench bench("bench", {}, [](Bench& b) {
      b.load(defaultScene());
      instruction(b, 1, 0x00E5);
      b.hullJob(1);
      b.run();
    });
    sc_core::sc_start();
    EXPECT_EQ(reports, std::vector<std::string>{report_ids::kImplicitFault});
  });
}

/// Long tapes need MODE.WIDE and programs: mode=seed and masks hold 232 instructions.
TEST(ImplicitUnitFaults, LongTapes) {
  onBench([](Bench& bench) {
    std::string text;
    for (unsigned n = 0; n < 300; ++n) text += "OPAddVec3Vec3 var v3(0.001,0,0)\n";
    text += "OPSDFSphere f(0.5) var\nOPStop var\n";
    Scene scene = defaultScene();
    scene.tapes[0] = implicit::test::assembled(text, Limits::wide());
    scene.tapes[0].bounds = Bounds{{-0.9F, -0.6F, -0.6F}, {0.3F, 0.6F, 0.6F}};
    bench.load(scene);
    bench.settings(render::Settings::improved());
    bench.hullJob(1);
    EXPECT_EQ(bench.run(), job::kDone);
    render::Settings masks = render::Settings::improved();
    masks.compact = false;
    bench.settings(masks);
    bench.hullJob(1);
    EXPECT_EQ(bench.run(), faulted(Fault::Length));
    bench.settings(render::Settings::seedReport());
    bench.hullJob(1);
    EXPECT_EQ(bench.run(), faulted(Fault::Length));
    EXPECT_EQ(bench.read("FAULT_POSITION"), 232U);
    // Without the flag the dependency entries are too short for it, and so is the limit.
    bench.settings(render::Settings::improved());
    bench.write("MODE", mode::kResetValue);
    bench.hullJob(1);
    EXPECT_EQ(bench.run(), faulted(Fault::Length));
  });
}

}  // namespace
}  // namespace rtvp::implicit::unit::test
