// The shading core against the virtual machine: same results, cycles that add up, textures, rays,
// faults.
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

#include "models/sl/math.hpp"
#include "models/sl/texture.hpp"
#include "tests/models/sl/unit/core_bench.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::sl::unit::test {
namespace {

constexpr std::uint64_t kSeed = 380;

Registers randomRegisters(std::mt19937_64& random) {
  std::uniform_real_distribution<float> number(-2, 2);
  Registers r;
  for (Vec3& v : r.vectors) v = {number(random), number(random), number(random)};
  for (float& s : r.scalars) s = number(random);
  r.scalar(reg::v1) = 0;
  r.vector(reg::v0) = {};
  for (unsigned n = 0; n < kTextureSlots; ++n) r.vector(reg::t0 + n) = {};
  return r;
}

std::string shipped(const std::string& name) {
  std::ifstream in(std::string(RTVP_SOURCE_DIR) + "/scenes/shaders/" + name + ".sl");
  return {std::istreambuf_iterator<char>(in), {}};
}

class NoWorld : public Environment {
 public:
  Vec3 trace(std::size_t, const Vec3&, const Vec3&) override { return {.25F, .5F, .75F}; }
  Vec3 lookup(std::size_t, unsigned, float, float) override { return {}; }
};

void expectSame(const Vec3& a, const Vec3& b) {
  for (unsigned lane = 0; lane < 3; ++lane) {
    if (std::isnan(a[lane]) && std::isnan(b[lane])) continue;
    EXPECT_EQ(word(a[lane]), word(b[lane])) << a[lane] << ' ' << b[lane];
  }
}

TEST(ShadingCore, EveryShaderOfTheLibraryGivesTheVirtualMachinesResult) {
  std::mt19937_64 random(kSeed);
  for (const std::string name : {"constant", "cosine", "phong", "toon", "checker", "marble", "wood",
                                 "brick", "bump", "textured", "mirror", "glass", "environment"}) {
    const AssemblyResult source = assemble(name, shipped(name));
    ASSERT_TRUE(source.program) << name << source.report();
    CoreBench bench;
    bench.surface(3, *source.program);
    for (int round = 0; round < 20; ++round) {
      const Registers r = randomRegisters(random);
      bench.fill(5, 3, r);
      bench.core.flush();
      Vm vm(*source.program);
      vm.start(r, 7);
      NoWorld world;
      vm.run(world);
      bench.queue(5);
      auto results = bench.run();
      while (results.at(5).kind == result::kTrace) {
        std::uint32_t* const answer = bench.slotWords(5) + slot::kAnswer;
        answer[0] = word(.25F);
        answer[1] = word(.5F);
        answer[2] = word(.75F);
        bench.queue(5, request::kResume);
        results = bench.run();
      }
      EXPECT_EQ(results.at(5).kind, result::kDone) << name;
      expectSame(results.at(5).vector, vm.colour());
    }
    EXPECT_EQ(bench.core.fault(), Fault::None);
  }
}

TEST(ShadingCore, CyclesAreThoseOfTheTableAndStallsThoseOfTheBus) {
  CoreConfig config;
  config.pipelines = 1;
  CoreBench bench(config);
  bench.surface(0, assembled("li s0, 2.0\nmul s1, s0, s0\npow s2, s0, s1\nmul v0, C0, s2\n"));
  Registers r;
  r.vector(reg::C0) = {1, 2, 3};
  bench.fill(0, 0, r);
  bench.queue(0);
  EXPECT_EQ(bench.run().at(0).vector, (Vec3{16, 32, 48}));
  const PipelineCounters& p = bench.core.pipelines()[0];
  const auto cycles = [](Form f) { return std::uint64_t{infoOf(f).cycles}; };
  EXPECT_EQ(p.busy,
            cycles(Form::Li) + cycles(Form::MulS) + cycles(Form::Pow) + cycles(Form::Scale));
  EXPECT_EQ(p.instructions, 4U);
  constexpr Clock kLatency = FakeMemory::kLatency;
  // The program reads no vector of the slot.
  EXPECT_EQ(p.stallRequest, 3 * kLatency + request::kWords + slot::kVectors + surface::kWords);
  EXPECT_EQ(p.stallResult, kLatency + result::kWords);
  EXPECT_EQ(p.stallTexture, 0U);
  EXPECT_EQ(p.stallPort, 0U);
  EXPECT_EQ(bench.now, p.worked());
  // The surface is in the register bank now.
  bench.queue(0);
  bench.run();
  EXPECT_EQ(bench.core.pipelines()[0].stallRequest,
            5 * kLatency + 2 * (request::kWords + slot::kVectors) + surface::kWords);
}

TEST(ShadingCore, ASlotIsReadAsFarAsItsProgramNeedsIt) {
  EXPECT_EQ(slot::wordsNeeded(0, false), 5U);
  EXPECT_EQ(slot::wordsNeeded(1ULL << reg::L | 1ULL << reg::dE, false), 17U);
  EXPECT_EQ(slot::wordsNeeded(1ULL << reg::dv, false), 38U);
  EXPECT_EQ(slot::wordsNeeded(0, true), 47U);
}

TEST(ShadingCore, CyclesOfAnInstructionAreParameters) {
  CoreConfig config;
  config.pipelines = 1;
  config.cycles.fill(0);
  config.cycles[static_cast<unsigned>(Form::Turb3)] = 1000;
  CoreBench bench(config);
  bench.surface(0, assembled("turb s0, xy\nli s1, 1.0\nturb s2, uv\n"));
  bench.fill(0, 0, {});
  bench.queue(0);
  bench.run();
  EXPECT_EQ(bench.core.pipelines()[0].busy, 2000U);
  EXPECT_EQ(bench.core.executed()[static_cast<unsigned>(Form::Turb3)], 2U);
}

TEST(ShadingCore, PipelinesShareOnePortAndSaveTime) {
  Clock alone = 0;
  for (const unsigned pipelines : {1U, 2U, 8U}) {
    CoreConfig config;
    config.pipelines = pipelines;
    CoreBench bench(config);
    bench.surface(0, assembled("li s0, 300.0\nli s1, 0.0\nli s2, 1.0\nadd s1, s1, s2\n"
                               "blt s1, s0, -2\nmovc x s3, xy\nlc x v0, s3\n"));
    for (std::uint32_t slot = 0; slot < 32; ++slot) {
      Registers r;
      r.vector(reg::xy).x = static_cast<float>(slot);
      bench.fill(slot, 0, r);
      bench.queue(slot);
    }
    const auto results = bench.run();
    ASSERT_EQ(results.size(), 32U);
    for (const auto& [slot, value] : results) EXPECT_EQ(value.vector.x, static_cast<float>(slot));
    EXPECT_FALSE(bench.memory.overlapped);
    std::uint64_t runs = 0;
    for (const PipelineCounters& p : bench.core.pipelines()) {
      EXPECT_LE(p.worked(), bench.now);
      runs += p.runs;
    }
    EXPECT_EQ(runs, 32U);
    if (pipelines == 1) alone = bench.now;
    if (pipelines == 2) {
      EXPECT_LT(bench.now, alone * 6 / 10);
    }
    if (pipelines == 8) {
      EXPECT_LT(bench.now, alone / 5);
    }
  }
}

TEST(ShadingCore, TextureRegistersAndLookupsReadTheBox) {
  // 3 x 2 texels of sl_batch.md's worked example, as bytes.
  CoreBench bench;
  bench.surface(1, assembled("lookup r0, t0, uv\nadd v0, r0, t0\n"));
  bench.texture(1, 0, Format::Rgba8, 3, 2);
  const std::uint32_t texels[] = {0xFF0000FF, 0xFF00FF00, 0xFFFF0000,
                                  0xFF204080, 0xFF996633, 0xFFFFFFFF};
  std::copy(std::begin(texels), std::end(texels), &bench.memory.words[CoreBench::kTexels]);
  Registers r;
  r.vector(reg::uv) = {0.1F, 0.3F, 0};
  bench.fill(0, 1, r);
  bench.slotWords(0)[slot::kS] = word(0.1F);
  bench.slotWords(0)[slot::kT] = word(0.3F);
  bench.queue(0);
  const Vec3 v = bench.run().at(0).vector;
  // Columns 2 and 0, rows 0 and 1: blue, red, white, and 80h 40h 20h.
  EXPECT_NEAR(v.x, 2 * (0 + 1 + 1 + 0x80 / 255.0) / 4, 1e-6);
  EXPECT_NEAR(v.y, 2 * (0 + 0 + 1 + 0x40 / 255.0) / 4, 1e-6);
  EXPECT_NEAR(v.z, 2 * (1 + 0 + 1 + 0x20 / 255.0) / 4, 1e-6);
  EXPECT_EQ(bench.core.textures().samples, 2U);
  EXPECT_EQ(bench.core.textures().texels, 8U);
  EXPECT_EQ(bench.core.textures().hits, 7U);  // six texels share a line of eight
}

TEST(ShadingCore, TheCacheChangesTimeButNoColour) {
  std::mt19937_64 random(kSeed);
  std::vector<Vec3> first;
  std::uint64_t before = ~0ULL;
  for (const unsigned lines : {0U, 1U, 4U, 256U}) {
    CoreConfig config;
    config.cacheLines = lines;
    CoreBench bench(config);
    bench.surface(0, assembled("lookup v0, t2, uv\n"));
    bench.texture(0, 2, Format::Rgba8, 16, 16);
    for (unsigned k = 0; k < 256; ++k) {
      bench.memory.words[CoreBench::kTexels + k] = k * 0x9E3779B9U;
    }
    std::vector<Vec3> colours;
    for (int k = 0; k < 50; ++k) {
      Registers r;
      r.vector(reg::uv) = {static_cast<float>(k) * 0.037F, static_cast<float>(k) * -0.21F, 0};
      bench.fill(0, 0, r);
      bench.queue(0);
      colours.push_back(bench.run().at(0).vector);
    }
    const TextureCounters& t = bench.core.textures();
    EXPECT_EQ(t.texels, 200U);
    EXPECT_EQ(t.hits + t.misses, t.texels);
    EXPECT_LE(t.misses, before) << lines;
    before = t.misses;
    if (lines == 0) {
      EXPECT_EQ(t.misses, 200U);
    }
    if (first.empty()) first = colours;
    EXPECT_EQ(colours, first);
  }
}

TEST(ShadingCore, BumpMapsGiveUnitNormals) {
  CoreBench bench;
  bench.surface(0, assembled("mov v0, t1\n"));
  bench.texture(0, 1, Format::Bump, 1, 1);
  const auto half = [](int x) { return static_cast<std::uint32_t>(static_cast<std::uint16_t>(x)); };
  bench.memory.words[CoreBench::kTexels] = half(-16384) | half(8192) << 16U;
  bench.fill(0, 0, {});
  bench.queue(0);
  const Vec3 n = bench.run().at(0).vector;
  EXPECT_NEAR(n.x, -0.5, 1e-3);
  EXPECT_NEAR(n.y, 0.25, 1e-3);
  EXPECT_NEAR(dot(n, n), 1, 1e-6);
}

void expectCubeMapOfSlot(unsigned number) {
  CoreBench bench;
  bench.surface(0, assembled("lookup v0, t" + std::to_string(number) + ", xy\n"));
  bench.texture(0, number, Format::Cube, 2, 2);
  for (std::uint32_t k = 0; k < 24; ++k) {
    bench.memory.words[CoreBench::kTexels + k] = (k / 4) * 51;  // the face's number in red
  }
  const std::pair<Vec3, float> cases[] = {
      {{1, .2F, -.3F}, 0.F}, {{-2, 1, 1}, .2F},     {{.1F, 3, 0}, .4F}, {{0, -1, 0}, .6F},
      {{.5F, .5F, 4}, .8F},  {{.1F, .1F, -9}, 1.F}, {{0, 0, 0}, 0.F}};
  for (const auto& [direction, red] : cases) {
    Registers r;
    r.vector(reg::xy) = direction;
    bench.fill(0, 0, r);
    bench.queue(0);
    EXPECT_NEAR(bench.run().at(0).vector.x, red, 1e-6) << direction.x << ' ' << direction.y;
  }
  // Object space turned by 90 degrees: its x is the world's z.
  Registers r;
  r.vector(reg::xy) = {1, 0, 0};
  bench.fill(0, 0, r);
  std::uint32_t* const axes = bench.slotWords(0) + slot::kAxes;
  for (unsigned k = 0; k < 9; ++k) axes[k] = 0;
  axes[2] = word(1);
  axes[4] = word(1);
  axes[6] = word(-1);
  bench.queue(0);
  EXPECT_NEAR(bench.run().at(0).vector.x, 0.8, 1e-6);
}

TEST(ShadingCore, CubeMapsAreReadByDirectionInTheWorld) {
  for (const unsigned number : {0U, 1U, 3U}) {
    SCOPED_TRACE(number);
    expectCubeMapOfSlot(number);
  }
}

TEST(CubeMap, FacesMeetAtTheirEdges) {
  EXPECT_EQ(cubePlace({1, 0, 0}).face, 0U);
  EXPECT_EQ(cubePlace({-1, 0, 0}).face, 1U);
  EXPECT_EQ(cubePlace({0, 2, 0}).face, 2U);
  EXPECT_EQ(cubePlace({0, -2, 0}).face, 3U);
  EXPECT_EQ(cubePlace({0, 0, 3}).face, 4U);
  EXPECT_EQ(cubePlace({0, 0, -3}).face, 5U);
  // An eye in the centre that looks along +z has -x on its right.
  EXPECT_EQ(cubePlace({-1, 0, 2}).s, 0.75F);
  EXPECT_EQ(cubePlace({0, 1, 2}).t, 0.75F);
  EXPECT_EQ(cubePlace({1, 0, 0.5F}).s, 0.75F);
  // The top face continues the +z face upwards.
  EXPECT_EQ(cubePlace({-0.5F, 1, 0.999F}).face, 2U);
  EXPECT_NEAR(cubePlace({-0.5F, 1, 0.999F}).t, 0, 0.001);
  EXPECT_NEAR(cubePlace({-0.5F, 1, 0.999F}).s, 0.75, 0.001);
  EXPECT_NEAR(cubePlace({-0.5F, 0.999F, 1}).t, 1, 0.001);
  EXPECT_NEAR(cubePlace({-0.5F, 0.999F, 1}).s, 0.75, 0.001);
  // The bottom face continues it downwards.
  EXPECT_NEAR(cubePlace({-0.5F, -1, 0.999F}).t, 1, 0.001);
  EXPECT_NEAR(cubePlace({-0.5F, -1, 0.999F}).s, 0.75, 0.001);
  for (const Vec3& odd : {Vec3{}, Vec3{std::numeric_limits<float>::quiet_NaN(), 1, 0},
                          Vec3{std::numeric_limits<float>::infinity(), 1, 0}}) {
    const CubePlace place = cubePlace(odd);
    EXPECT_TRUE(place.face < 6);
    EXPECT_TRUE(place.s >= 0 && place.s <= 1 && place.t >= 0 && place.t <= 1);
  }
}

TEST(ShadingCore, ARunIsSetAsideForItsRayAndGoesOn) {
  CoreBench bench;
  bench.surface(0, assembled("li s0, 3.0\nrnd s1\ntrace r0, Pw, N\nrnd s2\ntrace r1, N, Pw\n"
                             "add v0, r0, r1\nlc z v0, s2\n"));
  Registers r;
  r.vector(reg::Pw) = {1, 2, 3};
  r.vector(reg::N) = {0, 0, 4};
  bench.fill(9, 0, r);
  bench.queue(9);
  Result got = bench.run().at(9);
  EXPECT_EQ(got.kind, result::kTrace);
  EXPECT_EQ(got.vector, (Vec3{1, 2, 3}));
  EXPECT_EQ(got.direction, (Vec3{0, 0, 4}));
  // Another run of another program uses the pipelines meanwhile.
  bench.surface(1, assembled("mov v0, C0\n"));
  bench.fill(2, 1, {});
  bench.queue(2);
  EXPECT_EQ(bench.run().at(2).kind, result::kDone);
  std::uint32_t* const answer = bench.slotWords(9) + slot::kAnswer;
  answer[0] = word(5);
  bench.queue(9, request::kResume);
  got = bench.run().at(9);
  EXPECT_EQ(got.kind, result::kTrace);
  EXPECT_EQ(got.vector, (Vec3{0, 0, 4}));
  answer[0] = word(7);
  bench.queue(9, request::kResume);
  got = bench.run().at(9);
  EXPECT_EQ(got.kind, result::kDone);
  EXPECT_EQ(got.vector.x, 12);
  EXPECT_EQ(got.vector.z, randomValue(stepRandom(stepRandom(7))));
  EXPECT_EQ(bench.core.counters().traces, 2U);
  EXPECT_EQ(bench.core.resumes(), 2U);
  EXPECT_EQ(bench.core.counters().instructions, 8U);
}

TEST(ShadingCore, ADeadTraceGivesBlackWithoutAskingTheHost) {
  CoreBench bench;
  bench.surface(0, assembled("liv x r0, 1.0\ntrace r0, Pw, N\nmov v0, r0\n"));
  Registers r;
  r.vector(reg::N) = {0, 0, 1};
  bench.fill(0, 0, r);
  bench.slotWords(0)[slot::kFlags] = 0;
  bench.queue(0);
  const Result got = bench.run().at(0);
  EXPECT_EQ(got.kind, result::kDone);
  EXPECT_EQ(got.vector, Vec3{});
  EXPECT_EQ(bench.core.counters().instructions, 3U);
}

TEST(ShadingCore, RunawaysStopAtTheBudgetAndAreCounted) {
  CoreBench bench;
  bench.surface(0, assembled("liv x v0, 1.0\njmp -1\n"));
  bench.surface(1, assembled("liv x v0, 1.0\n"));
  bench.fill(0, 0, {});
  bench.fill(1, 1, {});
  bench.queue(0);
  bench.queue(1);
  const auto results = bench.run();
  EXPECT_EQ(results.at(0).kind, result::kBudget);
  EXPECT_EQ(results.at(0).vector, Vec3{});
  EXPECT_EQ(results.at(1).vector.x, 1);
  EXPECT_EQ(bench.core.counters().over_budget, 1U);
  EXPECT_EQ(bench.core.counters().instructions, kBudget + 1);
}

struct BadRequest {
  const char* what;
  Fault fault;
  void (*spoil)(CoreBench&);
};

TEST(ShadingCore, WhatCannotRunIsAFaultAndTheRestGoesOn) {
  const BadRequest cases[] = {
      {"surface number", Fault::Surface,
       [](CoreBench& b) { b.memory.words[CoreBench::kRequests + request::kSurface] = 16; }},
      {"program beyond the store", Fault::Program,
       [](CoreBench& b) { b.surfaceWords(0)[surface::kProgramStart] = 4096; }},
      {"program too long", Fault::Program,
       [](CoreBench& b) { b.surfaceWords(0)[surface::kProgramCount] = ~0U; }},
      {"program without an instruction", Fault::Program,
       [](CoreBench& b) { b.surfaceWords(0)[surface::kProgramCount] = 0; }},
      {"bad instruction", Fault::Program,
       [](CoreBench& b) {
         const std::uint64_t bad = ~0ULL;
         ASSERT_TRUE(b.core.store(0, {&bad, 1}));
       }},
      {"texture format", Fault::Texture,
       [](CoreBench& b) { b.texture(0, 4, static_cast<Format>(9), 4, 4); }},
      {"texture without texels", Fault::Texture,
       [](CoreBench& b) { b.texture(0, 4, Format::Rgba8, 0, 4); }},
      {"cube that is no cube", Fault::Texture,
       [](CoreBench& b) { b.texture(0, 4, Format::Cube, 2, 4); }},
      {"texture outside memory", Fault::Bus,
       [](CoreBench& b) { b.texture(0, 0, Format::Rgba8, 4, 4, 1U << 24U); }},
      {"request kind", Fault::Request,
       [](CoreBench& b) { b.memory.words[CoreBench::kRequests + 1] = 2; }},
      {"resume of a run that never was", Fault::Request,
       [](CoreBench& b) { b.memory.words[CoreBench::kRequests + 1] = request::kResume; }},
      {"slot outside memory", Fault::Bus,
       [](CoreBench& b) { b.memory.words[CoreBench::kRequests] = 1U << 20U; }},
  };
  for (const BadRequest& bad : cases) {
    CoreBench bench;
    bench.surface(0, assembled("lookup v0, t0, uv\nadd v0, v0, t0\n"));
    bench.surface(1, assembled("liv x v0, 1.0\n"));
    bench.fill(0, 0, {});
    bench.fill(1, 1, {});
    bench.queue(0);
    bench.queue(1);
    bad.spoil(bench);
    const auto results = bench.run();
    EXPECT_EQ(bench.core.fault(), bad.fault) << bad.what;
    ASSERT_EQ(results.size(), 2U) << bad.what;
    EXPECT_EQ(results.at(1).kind, result::kDone) << bad.what;
    EXPECT_EQ(results.at(1).vector.x, 1) << bad.what;
    bench.core.reset();
    EXPECT_EQ(bench.core.fault(), Fault::None);
  }
}

TEST(ShadingCore, MoreRequestsThanEntriesAreAFault) {
  CoreBench bench;
  bench.surface(0, assembled("nop\n"));
  bench.core.run(bench.at, CoreBench::kEntries + 1, bench.memory, 0);
  EXPECT_EQ(bench.core.fault(), Fault::Queue);
  bench.core.reset();
  bench.at.entries = 0;
  bench.core.run(bench.at, 1, bench.memory, 0);
  EXPECT_EQ(bench.core.fault(), Fault::Queue);
}

TEST(ShadingCore, AResultThatCannotBeWrittenIsABusError) {
  CoreBench bench;
  bench.surface(0, assembled("nop\n"));
  bench.fill(0, 0, {});
  bench.queue(0);
  bench.at.results = 1U << 30U;
  bench.core.run(bench.at, 1, bench.memory, 0);
  EXPECT_EQ(bench.core.fault(), Fault::Bus);
}

// Whatever lies in memory and in the store, every request is answered and nothing else is touched.
TEST(ShadingCore, RandomMemoryNeverCrashesOrHangs) {
  std::mt19937_64 random(kSeed);
  const auto pick = [&](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 400; ++round) {
    CoreConfig config;
    config.pipelines = static_cast<unsigned>(1 + pick(5));
    config.cacheLines = static_cast<unsigned>(pick(3) * 7);
    CoreBench bench(config);
    // Half of the words look like programs, sizes, formats; the others like anything.
    for (std::size_t i = 0; i < CoreBench::kRequests; ++i) {
      const std::uint64_t bits = random();
      bench.memory.words[i] = (bits & 3U) != 0 ? static_cast<std::uint32_t>(bits >> 8U) % 24
                                               : static_cast<std::uint32_t>(bits >> 32U);
    }
    std::vector<std::uint64_t> store(64);
    for (std::uint64_t& w : store) {
      w = random();
      if (pick(8) == 0) continue;
      Instruction in;
      in.form = static_cast<Form>(pick(kForms));
      const FormInfo& info = in.info();
      in.lane = info.has(Operand::Lane) ? static_cast<std::uint8_t>(pick(3)) : 0;
      if (info.writes()) {
        in.destination = static_cast<std::uint8_t>(
            info.has(Operand::VectorDestination) ? reg::r0 + pick(5) : reg::s0 + pick(5));
      }
      const auto source = [&](Operand kind) {
        return static_cast<std::uint8_t>(kind == Operand::Slot           ? reg::t0 + pick(8)
                                         : kind == Operand::VectorSource ? pick(26)
                                                                         : 32 + pick(12));
      };
      if (info.sources() > 0) in.a = source(info.source(0));
      if (info.sources() > 1) in.b = source(info.source(1));
      if (info.branches()) in.immediate = static_cast<std::uint32_t>(pick(5)) - 2U;
      if (info.has(Operand::Literal)) in.immediate = static_cast<std::uint32_t>(random());
      w = encode(in);
    }
    ASSERT_TRUE(bench.core.store(0, store));
    for (std::uint32_t n = 0; n < 16; ++n) {
      std::uint32_t* const s = bench.surfaceWords(n);
      s[surface::kProgramStart] = static_cast<std::uint32_t>(pick(64));
      s[surface::kProgramCount] = static_cast<std::uint32_t>(pick(8));
      if (pick(3) != 0) std::fill(s + surface::kTextures, s + surface::kC0, 0);
    }
    const std::uint32_t count = static_cast<std::uint32_t>(1 + pick(40));
    for (std::uint32_t n = 0; n < count; ++n) {
      bench.queue(static_cast<std::uint32_t>(pick(300)), static_cast<std::uint32_t>(pick(3)));
      bench.memory.words[CoreBench::kRequests + n * request::kWords + request::kSurface] =
          static_cast<std::uint32_t>(pick(17));
    }
    bench.now = bench.core.run(bench.at, bench.core.head() + count, bench.memory, bench.now);
    EXPECT_EQ(bench.core.resultTail(), count) << "round " << round;
    EXPECT_EQ(bench.core.head(), count);
    EXPECT_FALSE(bench.memory.overlapped) << "round " << round;
    for (const PipelineCounters& p : bench.core.pipelines()) EXPECT_LE(p.worked(), bench.now);
  }
}

TEST(ShadingCore, QueuesGoRound) {
  CoreBench bench;
  bench.surface(0, assembled("movc x s0, xy\nlc x v0, s0\n"));
  for (std::uint32_t n = 0; n < 1000; ++n) {
    Registers r;
    r.vector(reg::xy).x = static_cast<float>(n);
    bench.fill(n % 50, 0, r);
    bench.queue(n % 50);
    if (n % 50 == 49) {
      const auto results = bench.run();
      ASSERT_EQ(results.size(), 50U);
      for (const auto& [slot, value] : results) {
        EXPECT_EQ(value.vector.x, static_cast<float>(n - 49 + slot));
      }
    }
  }
  EXPECT_EQ(bench.core.counters().runs, 1000U);
}

TEST(ShadingCore, RefusesImpossibleConfigurations) {
  CoreConfig none;
  none.pipelines = 0;
  EXPECT_THROW(ShadingCore{none}, std::invalid_argument);
  CoreConfig large;
  large.programWords = 8193;
  EXPECT_THROW(ShadingCore{large}, std::invalid_argument);
  CoreBench bench;
  const std::vector<std::uint64_t> words(4097);
  EXPECT_FALSE(bench.core.store(0, words));
  EXPECT_FALSE(bench.core.store(4096, std::span(words).first(1)));
}

}  // namespace
}  // namespace rtvp::sl::unit::test
