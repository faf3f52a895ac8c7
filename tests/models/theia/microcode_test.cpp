// The microcode sets on the multi-core model: pictures do not depend on the cores, hits are those
// of double precision, and it is the microcode that draws.
#include "tests/models/theia/scene_support.hpp"

namespace rtvp::theia {
namespace {

using namespace test;

const std::string kLights =
    "SETX C1 32'h00008000\nSETY C1 32'h00010000\nSETZ C1 32'h0001C000\n"  // background
    "SETX C2 32'h00004000\nSWIZZLE3D C2 SWIZZLE_XXX\n"                    // ambient 0.125
    "ZERO C3 VOID VOID\nSETY C3 32'h00190000\n"                           // light 1 at (0, 12.5, 0)
    "SETX C4 32'h00020000\nSWIZZLE3D C4 SWIZZLE_XXX\n"
    "ZERO C5 VOID VOID\nSETX C5 32'hFFE70000\n"  // light 2 at (-12.5, 0, 0)
    "SETX C6 32'h00008000\nSWIZZLE3D C6 SWIZZLE_XXX\nRETURN RT_TRUE\n";

TEST(TheiaMicrocode, DefaultPictureDoesNotDependOnTheNumberOfCores) {
  const Scene scene = randomScene(1, 12);
  const Picture one = render(makeFrame(scene, 1, "original"));
  ASSERT_FALSE(one.fault) << one.fault.describe();
  for (const unsigned cores : {2U, 4U, 8U, 16U}) {
    const Picture other = render(makeFrame(scene, cores, "original"));
    ASSERT_FALSE(other.fault) << other.fault.describe();
    for (std::size_t p = 0; p < one.colours.size(); ++p) {
      const bool first_of_core = p % (one.colours.size() / cores) == 0;
      const Vec miss{3 * kOne, 0, 0};
      if (first_of_core && (one.colours[p] == miss || one.colours[p] == Vec{})) continue;
      EXPECT_EQ(other.colours[p], one.colours[p]) << cores << " cores, pixel " << p;
    }
    EXPECT_LT(other.clocks, one.clocks);
  }
}

struct HitCount {
  unsigned checked = 0, wrong = 0, aside = 0, hit = 0;
  double worst_t = 0;
};

HitCount checkHits(const Scene& scene, const Picture& picture) {
  HitCount n;
  for (unsigned row = 0; row < scene.height; ++row) {
    for (unsigned column = 0; column < scene.width; ++column) {
      double length = 0;
      const Reference expected = nearest(scene, column, row, &length);
      const auto& got = picture.hits[row * scene.width + column];
      if (expected.nearEdge) {
        ++n.aside;
        continue;
      }
      ++n.checked;
      if (static_cast<int>(got[0]) - 1 != expected.index) {
        ++n.wrong;
        continue;
      }
      if (expected.index < 0) continue;
      ++n.hit;
      // LAST_t is in units of RAY, about the direction over its length.
      const double t = real(got[1]), wanted = expected.t * length;
      n.worst_t = std::max(n.worst_t, std::abs(t / wanted - 1));
      EXPECT_NEAR(real(got[2]), expected.u, 4e-3);
      EXPECT_NEAR(real(got[3]), expected.v, 4e-3);
    }
  }
  return n;
}

TEST(TheiaMicrocode, HitPlanesAgreeWithDoublePrecision) {
  for (const char* const set : {"hits", "flat", "textured"}) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
      Scene scene = randomScene(seed, 30);
      scene.width = scene.height = 32;
      const Picture picture = render(makeFrame(scene, 4, set, kLights), {}, true);
      ASSERT_FALSE(picture.fault) << picture.fault.describe();
      const HitCount n = checkHits(scene, picture);
      EXPECT_EQ(n.wrong, 0U) << set << " seed " << seed;
      EXPECT_GT(n.hit, 150U);
      EXPECT_LT(n.worst_t, 0.02);  // |RAY| is within 1 % of 1 (theia.md 8)
    }
  }
}

TEST(TheiaMicrocode, DefaultAndHitsSetsDrawTheSameColours) {
  const Scene scene = randomScene(7, 12);
  EXPECT_EQ(render(makeFrame(scene, 4, "original")).colours,
            render(makeFrame(scene, 4, "hits")).colours);
}

TEST(TheiaMicrocode, ImprovedSetKnowsWhatLiesBehindTheEyeAndWhatHasNoArea) {
  Scene scene = randomScene(3, 4);
  for (unsigned i = 0; i < scene.triangles.size(); ++i) {
    for (const unsigned k : {0U, 2U, 4U}) scene.triangles[i][k].z = 0U - scene.triangles[i][k].z;
  }
  scene.triangles[3] = {};  // every vertex at the eye
  const Picture picture = render(makeFrame(scene, 4, "flat", kLights), {}, true);
  for (const auto& hit : picture.hits) EXPECT_EQ(hit[0], 0U);
  for (const Vec& colour : picture.colours) EXPECT_EQ(colour, (Vec{0x8000, 0x10000, 0x1C000}));
}

TEST(TheiaMicrocode, ImprovedSetShadesWithTwoLights) {
  // A wall at z = -10 that covers the picture.
  Scene scene;
  scene.width = scene.height = 8;
  Triangle wall{};
  wall[0] = q17(-5, -5, -10);
  wall[2] = q17(16, -5, -10);
  wall[4] = q17(-5, 16, -10);
  wall[6] = q17(1, 0.5, 0.25);
  scene.triangles = {wall};
  const Picture picture = render(makeFrame(scene, 4, "flat", kLights), {}, true);
  ASSERT_FALSE(picture.fault) << picture.fault.describe();
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      const double x = 1.25 * (column + 0.5 - 4), y = 1.25 * (3.5 - row);
      const auto lambert = [&](double lx, double ly) {
        const double dx = lx - x, dy = ly - y, dz = 10;
        return dz / std::sqrt(dx * dx + dy * dy + dz * dz);
      };
      const double light = 0.125 + lambert(0, 12.5) + 0.25 * lambert(-12.5, 0);
      const Vec got = picture.colours[row * 8 + column];
      EXPECT_NEAR(real(got.x), light, 0.01);
      EXPECT_NEAR(real(got.y), light / 2, 0.01);
      EXPECT_NEAR(real(got.z), light / 4, 0.01);
    }
  }
}

TEST(TheiaMicrocode, TexturedSetReadsItsTextureOnlyWhereAsked) {
  Scene scene = randomScene(5, 10);
  const Frame frame = makeFrame(scene, 4, "textured", kLights);
  const Picture plain = render(makeFrame(scene, 4, "flat", kLights));
  const Picture textured = render(frame);
  EXPECT_NE(plain.colours, textured.colours);
  for (Triangle& t : scene.triangles) t[1].z = 0;
  EXPECT_EQ(render(makeFrame(scene, 4, "textured", kLights)).colours,
            render(makeFrame(scene, 4, "flat", kLights)).colours);
}

// z of UV2 = 1 - 1/2: the registers hold a triangle of twice the size, of which the corner at V0 is
// the one that is there; u and v count in the larger one.
TEST(TheiaMicrocode, APartOfAnEnlargedTriangleIsHitWhereItIs) {
  Scene enlarged = randomScene(7, 10);
  Scene small = enlarged;
  for (Triangle& t : enlarged.triangles) t[5] = q17(0, 1, 0.5);
  for (Triangle& t : small.triangles) {
    for (const unsigned corner : {2U, 4U}) {
      const auto half = [&](Word Vec::*lane) {
        t[corner].*lane = q17((real(t[0].*lane) + real(t[corner].*lane)) / 2, 0, 0).x;
      };
      half(&Vec::x);
      half(&Vec::y);
      half(&Vec::z);
    }
  }
  const Picture part = render(makeFrame(enlarged, 4, "flat", kLights), {}, true);
  const Picture whole = render(makeFrame(small, 4, "flat", kLights), {}, true);
  ASSERT_EQ(part.hits.size(), whole.hits.size());
  unsigned hit = 0, other = 0;
  for (std::size_t p = 0; p < part.hits.size(); ++p) {
    if (part.hits[p][0] != whole.hits[p][0]) {
      ++other;  // at an edge
      continue;
    }
    if (part.hits[p][0] == 0) continue;
    ++hit;
    EXPECT_NEAR(real(part.hits[p][1]), real(whole.hits[p][1]), 2e-3 * real(whole.hits[p][1]));
    EXPECT_NEAR(2 * real(part.hits[p][2]), real(whole.hits[p][2]), 4e-3);
    EXPECT_NEAR(2 * real(part.hits[p][3]), real(whole.hits[p][3]), 4e-3);
  }
  EXPECT_GT(hit, 5U);
  EXPECT_LE(other, part.hits.size() / 100);
}

TEST(TheiaMicrocode, FixedBilinearChangesTheDefaultFilterOnly) {
  const Scene scene = randomScene(6, 10);
  const Picture original = render(makeFrame(scene, 4, "original"));
  const Picture corrected = render(makeFrame(scene, 4, "original"), {}, false, true);
  EXPECT_NE(original.colours, corrected.colours);
  EXPECT_EQ(original.clocks, corrected.clocks);
}

TEST(TheiaMicrocode, EarlyRejectAndBoxTestSaveClocks) {
  Scene scene = randomScene(8, 40);
  const Clock original = render(makeFrame(scene, 4, "hits")).clocks;
  const Picture flat = render(makeFrame(scene, 4, "flat", kLights), {}, true);
  EXPECT_LT(flat.clocks, original);
  // A scene in one corner, with and without its box.
  for (Triangle& t : scene.triangles) {
    for (const unsigned k : {0U, 2U, 4U})
      t[k] = q17(12 + real(t[k].x) / 8, 12 + real(t[k].y) / 8, -40 + real(t[k].z) / 16);
  }
  Frame frame = makeFrame(scene, 4, "flat", kLights);
  GpuConfig store;
  store.storeTriangles = 64;  // without it, streaming hides what the box test saves
  const Picture without = render(frame, store, true);
  double lo[3] = {1e9, 1e9, 1e9}, hi[3] = {-1e9, -1e9, -1e9};
  for (const Triangle& t : scene.triangles) {
    for (const unsigned k : {0U, 2U, 4U}) {
      const double c[3] = {real(t[k].x), real(t[k].y), real(t[k].z)};
      for (int i = 0; i < 3; ++i) lo[i] = std::min(lo[i], c[i]), hi[i] = std::max(hi[i], c[i]);
    }
  }
  double h[3];
  for (int i = 0; i < 3; ++i) h[i] = (hi[i] - lo[i]) / 2 + 0.05;
  const auto row = [&frame](std::uint16_t address, const Vec& v) {
    frame.registers.insert(frame.registers.begin(), {-1, address, v});
  };
  row(9, q17((lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2, (lo[2] + hi[2]) / 2));
  row(10, q17(0, h[2], h[1]));
  row(11, q17(h[2], 0, h[0]));
  row(19, q17(h[1], h[0], 0));
  row(20, q17(1, 0, 0));
  const Picture with = render(frame, store, true);
  EXPECT_EQ(with.hits, without.hits);
  EXPECT_EQ(with.colours, without.colours);
  EXPECT_LT(with.clocks, without.clocks);
}

// ---- it is the microcode, the triangles and the arbiters that decide ----

TEST(TheiaMicrocode, OneMicrocodeWordChangesThePicture) {
  const Frame frame = loadFrame("frame_tiny_4c");
  const auto draw = [&frame](Rom rom) {
    Gpu gpu = makeGpu(frame, std::move(rom));
    GpuPort port(gpu);
    playFrame(port, frame, 0);
    return storedText(gpu, frame);
  };
  const std::string original = draw(microcodeRom());
  Rom changed = microcodeRom();
  for (unsigned row = 185; row < 226; ++row) {
    if (changed.words[row].info()->op == Op::CROSS) {
      changed.words[row].word =
          Instruction::typeOne(Op::CROSS, changed.words[row].destination(),
                               changed.words[row].source2(), changed.words[row].source1())
              .word;
      break;
    }
  }
  EXPECT_NE(draw(changed), original);
  // An intersection that always misses gives a picture without a hit.
  Rom blind = microcodeRom();
  blind.words[185] = Instruction::typeTwoOf(Op::RET, reg("R99"), 0);
  Gpu gpu = makeGpu(frame, blind);
  GpuPort port(gpu);
  playFrame(port, frame, 0);
  for (unsigned c = 0; c < 4; ++c) {
    for (std::size_t p = 1; p < frame.pixelsPerCore(); ++p)
      EXPECT_EQ(gpu.output(c)[3 * p], 3 * kOne);
  }
}

TEST(TheiaMicrocode, OneTriangleWordChangesThePicture) {
  const Scene scene = randomScene(9, 6);
  Scene moved = scene;
  moved.triangles[2][0].y += 8 * kOne;
  EXPECT_NE(render(makeFrame(scene, 4, "hits"), {}, true).hits,
            render(makeFrame(moved, 4, "hits"), {}, true).hits);
}

TEST(TheiaMicrocode, TheArbitersOrderChangesClocksAndNothingElse) {
  const Frame frame = loadFrame("frame_tiny_4c");
  GpuConfig descending;
  descending.arbiterOrder = ArbiterOrder::Descending;
  const Picture up = render(frame), down = render(frame, descending);
  EXPECT_EQ(up.colours, down.colours);
  EXPECT_NE(up.clocks, down.clocks);
}

TEST(TheiaMicrocode, ATriangleStoreSavesStreamingOnly) {
  const Scene scene = randomScene(10, 8);
  GpuConfig store;
  store.storeTriangles = 8;
  const Picture without = render(makeFrame(scene, 4, "hits"), {}, true);
  const Picture with = render(makeFrame(scene, 4, "hits"), store, true);
  EXPECT_EQ(with.hits, without.hits);
  EXPECT_LT(with.clocks, without.clocks);
}

TEST(TheiaMicrocode, FaultsOfTheHostAreReported) {
  const Scene scene = randomScene(11, 3);
  Frame unequal = makeFrame(scene, 4, "original");
  for (RegisterWrite& w : unequal.registers) {
    if (w.core == 2 && w.address == 7) w.value.y += kOne;
  }
  EXPECT_EQ(render(unequal).fault.kind, Fault::Kind::Protocol);
  EXPECT_EQ(render(unequal).fault.core, 2U);
  Frame texture = makeFrame(scene, 4, "original");
  for (RegisterWrite& w : texture.registers) {
    if (w.address == reg("CREG_TEXTURE_SIZE")) w.value.x = 12 * kOne;
  }
  EXPECT_EQ(render(texture).fault.kind, Fault::Kind::Protocol);
  Frame many = makeFrame(scene, 4, "original");
  for (RegisterWrite& w : many.registers) {
    if (w.address == reg("CREG_MAX_PRIMITIVES")) w.value.x = 16384;
  }
  EXPECT_EQ(render(many).fault.kind, Fault::Kind::Protocol);
  Frame few = makeFrame(scene, 4, "original");
  few.triangles.pop_back();  // the cores wait for one more
  EXPECT_EQ(render(few).fault.kind, Fault::Kind::Protocol);
}

TEST(TheiaMicrocode, ClocksOfEveryCoreAddUp) {
  const Frame frame = loadFrame("frame_tiny_4c");
  Gpu gpu = makeGpu(frame, microcodeRom());
  GpuPort port(gpu);
  const Clock done = playFrame(port, frame, 0);
  gpu.finish(done);
  for (unsigned c = 0; c < 4; ++c) {
    EXPECT_EQ(gpu.controlClocks(c).sum(), done);
    EXPECT_GT(gpu.controlClocks(c).mainDivider, 0U);
  }
  const HostClocks& h = gpu.hostClocks();
  EXPECT_EQ(h.repeatedOffers, 0U);
  EXPECT_LE(h.instructions + h.registers + h.triangles + h.handshake + h.commit, done);
  // theia.md 3.3: after RCOMMIT of all cores three clocks each of the 16 pixels, and the wait for
  // them before.
  EXPECT_GT(h.commit, 16U * GpuConfig{}.commitClocks);
  // Words on the host's bus: three a register, the seven of a triangle alike; two an instruction.
  EXPECT_EQ(h.words, 3 * (h.registers / 11) + 21 * h.triangleCount + 2 * (h.instructions / 8));
  const std::uint64_t before = h.words;
  gpu.writeInstruction(done, 1, 20, {0});
  EXPECT_EQ(gpu.hostClocks().words - before, 2U);
}

// ---- each entry point of the default ROM by itself ----

/// One core with the default table; registers as a frame would set them.
struct RoutineBench {
  RoutineBench() : rom(microcodeRom()), core({}, rom, 0) {
    for (unsigned slot = 0; slot < kEntries; ++slot)
      core.hostWriteInstruction(slot, {findMicrocode("original")->table[slot]});
    core.hostWriteRegister(1, q17(1, 0, 3));
    core.hostWriteRegister(2, q17(-4, -4, 0));
    core.hostWriteRegister(3, q17(4, 4, 0));
    core.hostWriteRegister(4, q17(8, 8, 0));
    core.hostWriteRegister(5, q17(16, 16, 0));
    core.hostWriteRegister(6, q17(0, 2, 0));
    core.hostWriteRegister(7, q17(8, 4, 0));
    core.hostWriteRegister(8, {2, 0, 0});
    EXPECT_EQ(entryClocks(Entry::Initial), 78U);
    EXPECT_EQ(entryClocks(Entry::Cppu), 74U);
  }
  /// Texels are what their address says.
  Clock run() {
    Stop stop;
    while ((stop = core.run()) == Stop::TextureRead)
      core.finishTextureRead(core.textureAddress(), kTextureReadPeriod);
    EXPECT_EQ(stop, Stop::Returned) << core.fault().describe();
    return core.clocks();
  }
  Clock entryClocks(Entry e) {
    core.startEntry(e);
    return run();
  }
  /// Clocks of a routine that ends in RET: from its first instruction to the end of RET.
  Clock called(Entry e) {
    const auto program = assemble("call", "CALL ENTRYPOINT_ADRR_" + std::string(entry(e).name) +
                                              " VOID VOID\nNOP RT_FALSE\nNOP RT_FALSE\n"
                                              "RETURN RT_TRUE\n");
    const auto image = program.program->image();
    for (unsigned row = kUserFirstRow; row < image.size(); ++row)
      core.hostWriteInstruction(row, image[row]);
    core.startAt(kUserCode | kUserFirstRow);
    return run() - 4 - 2 - 4;
  }
  Vec operator[](std::string_view name) const { return core.readRegister(*findRegister(name)); }
  void set(std::string_view name, const Vec& v) { core.pokeRegister(*findRegister(name), v); }
  Rom rom;
  Core core;
};

TEST(TheiaRoutines, InitialAndCppuSetWhatSectionFiveSays) {
  RoutineBench b;
  EXPECT_EQ(b["CREG_LAST_t"].x, 0x01F40000U);
  EXPECT_EQ(b["CREG_PIXEL_2D_POSITION"], q17(0, 2, 0));
  EXPECT_EQ(b["CREG_PIXEL_PITCH"], (Vec{48, 48, 48}));
  EXPECT_EQ(b["CREG_3"], (Vec{3, 3, 3}));
  EXPECT_EQ(b["CREG_012"], (Vec{0, 1, 2}));
  EXPECT_EQ(b["CREG_CURRENT_OUTPUT_PIXEL"], (Vec{0, 1, 2}));
  for (const char* const zero : {"CREG_TEXTURE_COLOR", "CREG_ZERO", "R4", "R5", "R99"})
    EXPECT_EQ(b[zero], (Vec{})) << zero;
  EXPECT_EQ(b["CREG_PROJECTION_WINDOW_SCALE"], (Vec{kOne, kOne, 0xFFFFFFFF}));
  EXPECT_EQ(b["CREG_PRIMITIVE_COUNT"].x, 2U);
  EXPECT_EQ(b.entryClocks(Entry::UserConstants), 6U);
  EXPECT_TRUE(b.core.flag());
}

TEST(TheiaRoutines, RayGeneration) {
  RoutineBench b;
  EXPECT_EQ(b.called(Entry::Rgu), 87U);
  EXPECT_EQ(b["CREG_UNORMALIZED_DIRECTION"], q17(-5, -2, -3));
  // |D|^2 = 38
  EXPECT_NEAR(real(b["CREG_RAY_DIRECTION"].x), -5 / std::sqrt(38.0), 1e-4);
  EXPECT_EQ(b["CREG_LAST_COL"], q17(7, 3, -1));
}

TEST(TheiaRoutines, BoxTestIsSwitchedOff) {
  RoutineBench b;
  b.set("R3", {1, 1, 1});
  EXPECT_EQ(b.entryClocks(Entry::Aabbiu), 8U);
  EXPECT_TRUE(b.core.flag());
  EXPECT_EQ(b["R3"], (Vec{}));
}

TEST(TheiaRoutines, IntersectionTakesItsClocksOnEveryWayOut) {
  struct Case {
    double x, y;  // vertex 0 of a right triangle with sides 4 in the plane z = 0
    double last;
    Clock clocks;
    Word result;
  };
  // The ray meets the plane at (1, 0): u = (1 - x) / 4, v = (0 - y) / 4.
  for (const Case& c :
       {Case{2, -1, 250, 116, 0}, Case{0, 1, 250, 118, 0}, Case{-3, -3, 250, 126, 0},
        Case{0, -1, 2, 126, 0}, Case{0, -1, 250, 150, 1}}) {
    RoutineBench b;
    b.set("CREG_RAY_DIRECTION", q17(0, 0, -1));
    b.set("CREG_LAST_t", q17(c.last, 0, 0));
    b.set("CREG_V0", q17(c.x, c.y, 0));
    b.set("CREG_V1", q17(c.x + 4, c.y, 0));
    b.set("CREG_V2", q17(c.x, c.y + 4, 0));
    EXPECT_EQ(b.called(Entry::Biu), c.clocks);
    EXPECT_EQ(b["R99"].x, c.result);
    EXPECT_EQ(b["CREG_t"].x, q17(3, 0, 0).x);
    if (c.result == 1) {
      EXPECT_EQ(b["CREG_LAST_t"], q17(3, 3, 3));
      EXPECT_EQ(b["CREG_LAST_u"], q17(0.25, 0.25, 0.25));
      EXPECT_EQ(b["CREG_LAST_v"], q17(0.25, 0.25, 0.25));
    }
  }
}

TEST(TheiaRoutines, TextureAddressesWeightsAndFilter) {
  RoutineBench b;
  b.set("CREG_UV0_LAST", q17(0, 0, 0));
  b.set("CREG_UV1_LAST", q17(1, 0, 0));
  b.set("CREG_UV2_LAST", q17(0, 1, 0));
  b.set("CREG_LAST_u", q17(0.984375, 0.984375, 0.984375));  // f = (15.75, 4.5): u2 wraps to 0
  b.set("CREG_LAST_v", q17(0.28125, 0.28125, 0.28125));
  b.called(Entry::Tcc);
  EXPECT_EQ(b["CREG_TEX_COORD1"].x, 3U * (15 + 5 * 16));
  EXPECT_EQ(b["CREG_TEX_COORD1"].y, 3U * (0 + 4 * 16));
  EXPECT_EQ(b["CREG_TEX_COORD2"].x, 3U * (0 + 5 * 16));
  EXPECT_EQ(b["CREG_TEX_COORD2"].y, 3U * (15 + 4 * 16));
  const double weights[] = {0.125, 0.375, 0.125, 0.375};
  for (unsigned i = 0; i < 4; ++i) {
    const auto w = b["CREG_TEXWEIGHT" + std::to_string(i + 1)];
    EXPECT_EQ(w, q17(weights[i], weights[i], weights[i]));
  }
  b.called(Entry::Psu2);
  EXPECT_EQ(b["CREG_TEX_COLOR1"], (Vec{285, 286, 287}));
  EXPECT_EQ(b["CREG_TEX_COLOR4"], (Vec{237, 238, 239}));
  // w1 c3 + w2 c2 + w3 c1 + w4 c4, each product cut to an integer
  EXPECT_EQ(b["CREG_TEXTURE_COLOR"].x, 30U + 72U + 35U + 88U);
}

TEST(TheiaRoutines, DiffuseLight) {
  RoutineBench b;
  b.core.hostWriteRegister(10, q17(1, 0, 4));  // light behind the eye, in line with it
  b.core.hostWriteRegister(11, q17(1, 0.5, 0.25));
  b.set("CREG_E1_LAST", q17(4, 0, 0));
  b.set("CREG_E2_LAST", q17(0, 2, 0));
  b.set("CREG_RAY_DIRECTION", q17(0, 0, -1));
  b.set("CREG_LAST_t", q17(3, 3, 3));
  b.set("CREG_TRI_DIFFUSE_LAST", q17(0.5, 0.5, 0.5));
  b.called(Entry::Psu);
  EXPECT_EQ(b["CREG_TEXTURE_COLOR"], q17(0.5, 0.25, 0.125));
}

TEST(TheiaRoutines, PixelShaderAndNextPixel) {
  RoutineBench b;
  b.set("CREG_TEXTURE_COLOR", {7, 8, 9});
  b.set("CREG_LAST_COL", q17(7, 3, 0));
  EXPECT_EQ(b.called(Entry::PixelShader), 8U);
  EXPECT_EQ(b.core.output()[2], 9U);
  for (unsigned pixel = 1; pixel < 16; ++pixel) {
    EXPECT_EQ(b.called(Entry::Npg), pixel == 8 ? 26U : 20U);
    EXPECT_EQ(b["R99"].x, 0U);
    EXPECT_EQ(b["CREG_PIXEL_2D_POSITION"], q17(pixel % 8, 2 + pixel / 8, 0));
    EXPECT_EQ(b["CREG_CURRENT_OUTPUT_PIXEL"], (Vec{3 * pixel, 3 * pixel + 1, 3 * pixel + 2}));
    EXPECT_EQ(b["CREG_TEXTURE_COLOR"], q17(3, 0, 0));
  }
  EXPECT_EQ(b.called(Entry::Npg), 26U);
  EXPECT_EQ(b["R99"].x, 1U);  // no pixel left
}

}  // namespace
}  // namespace rtvp::theia
