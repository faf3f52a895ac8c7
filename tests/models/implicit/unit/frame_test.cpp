// Pictures and ray lists of the unit are those of the render stages, byte by byte, and its counters
// theirs, whatever timing, quantum and the way to memory are.
#include <numbers>

#include "models/implicit/unit/frame_stage.hpp"
#include "tests/models/implicit/unit/unit_bench.hpp"

namespace rtvp::implicit::unit::test {
namespace {

constexpr unsigned kWidth = 48, kHeight = 40, kPitch = 64;

render::Camera camera() {
  return render::Camera::lookAt({2.4, 2.2, 3.1}, {0, 0.6, 0}, {0, 1, 0}, 50, kWidth, kHeight);
}

/// Two placed objects of different tapes, one of them scaled and turned; with `program` a third
/// that has no tape.
Scene someObjects(bool program) {
  Scene scene = defaultScene();
  scene.tapes.push_back(
      bounded(implicit::test::kSmoothBlend, {{-1.2F, -1.2F, -1.2F}, {1.4F, 1.2F, 1.4F}}));
  scene.instances.push_back(
      {object::kTape, 1, 3, 0, {0.6F, 0, 0.2F, -0.8F, 0, 0.5F, 0, 0.4F, -0.2F, 0, 0.7F, 0.9F}});
  if (!program) return scene;
  scene.programs.emplace_back(
      registers::compile(implicit::test::assembled(implicit::test::kSelections)),
      Bounds{{-1, -1, -1}, {1, 1, 1}});
  scene.instances.push_back(
      {object::kProgram, 0, 9, 1.5F, {0.7F, 0, 0, 0.9F, 0, 0.7F, 0, -0.3F, 0, 0, 0.7F, 0.5F}});
  return scene;
}

std::vector<std::pair<std::string, render::Settings>> allSettings() {
  render::Settings masks = render::Settings::improved();
  masks.compact = false;
  render::Settings bare = render::Settings::improved();
  bare.prune = bare.materials = bare.early_depth = false;
  render::Settings corners = masks, forward = render::Settings::improved();
  corners.normals = render::Normals::Tetrahedron;
  forward.normals = render::Normals::Forward;
  return {{"improved", render::Settings::improved()},
          {"corners", corners},
          {"forward", forward},
          {"masks", masks},
          {"bare", bare},
          {"seed", render::Settings::seedReport()},
          {"source", render::Settings::seedSource()},
          {"brute", render::Settings::brute()}};
}

/// Counters that the registers show must be the core's.
void expectCounters(Bench& bench, const render::Counters& c) {
  const std::vector<std::pair<Counter, std::uint64_t>> expected{
      {Counter::TaskTested, c.task.tested},
      {Counter::TaskOutside, c.task.outside},
      {Counter::TaskInside, c.task.inside},
      {Counter::TaskKept, c.task.ambiguous},
      {Counter::TaskExecuted, c.task.executed},
      {Counter::TaskSkipped, c.task.skipped},
      {Counter::TaskDecided, c.task.decided},
      {Counter::MeshTested, c.mesh.tested},
      {Counter::MeshOutside, c.mesh.outside},
      {Counter::MeshInside, c.mesh.inside},
      {Counter::MeshKept, c.mesh.ambiguous},
      {Counter::MeshExecuted, c.mesh.executed},
      {Counter::MeshSkipped, c.mesh.skipped},
      {Counter::MeshDecided, c.mesh.decided},
      {Counter::TrimTested, c.trim.tested},
      {Counter::TrimKept, c.trim.ambiguous},
      {Counter::TrimExecuted, c.trim.executed},
      {Counter::Carried, c.carried},
      {Counter::Programs, c.programs},
      {Counter::MaskBytes, c.mask_bytes},
      {Counter::ProgramBytes, c.program_bytes},
      {Counter::Faces, c.faces},
      {Counter::Fragments, c.fragments},
      {Counter::EarlyRejects, c.early_rejects},
      {Counter::Rays, c.rays},
      {Counter::RayLeaves, c.ray_leaves},
      {Counter::Traces, c.traces},
      {Counter::Hits, c.hits},
      {Counter::Misses, c.misses},
      {Counter::Capped, c.capped},
      {Counter::NanFaults, c.undefined},
      {Counter::DepthRejects, c.depth_rejects},
      {Counter::Covered, c.covered},
      {Counter::TraceEvaluations, c.trace_evaluations},
      {Counter::NormalEvaluations, c.normal_evaluations},
      {Counter::GradientEvaluations, c.gradient_evaluations},
      {Counter::GradientFallbacks, c.gradient_fallbacks},
      {Counter::MaterialEvaluations, c.material_evaluations},
      {Counter::SideEvaluations, c.side_evaluations},
      {Counter::Executed, c.executed},
      {Counter::TraceExecuted, c.trace_executed},
      {Counter::GradientExecuted, c.gradient_executed},
      {Counter::Skipped, c.skipped},
  };
  for (const auto& [which, value] : expected)
    EXPECT_EQ(bench.counter(which), value) << kCounters[static_cast<std::size_t>(which)].low;
  for (std::uint32_t n = 0; n < render::kSteps; ++n) {
    bench.write("STEPS_INDEX", n);
    EXPECT_EQ(bench.counter(Counter::Steps), c.steps[n]) << n;
  }
}

void clearFrame(Bench& bench, float depth) {
  for (unsigned n = 0; n < kPitch * kHeight; ++n) bench.putF(at::kDepth + 4ULL * n, depth);
}

TEST(ImplicitUnitFrame, PictureAndCountersAreTheStages) {
  for (const auto& [name, settings] : allSettings()) {
    SCOPED_TRACE(name);
    onBench([&settings = settings](Bench& bench) {
      const Scene scene = someObjects(rounded(settings).compact);
      const auto objects = static_cast<std::uint32_t>(scene.instances.size());
      bench.load(scene);
      bench.settings(settings);
      bench.hullJob(objects);
      ASSERT_EQ(bench.run(), job::kDone);
      clearFrame(bench, render::kNoDepth);
      // Something that another engine found hides the left half, from the middle on.
      for (unsigned y = 0; y < kHeight; ++y)
        for (unsigned x = 0; x < kWidth / 2; ++x)
          bench.putF(at::kDepth + 4ULL * (y * kPitch + x), y % 2 == 0 ? 3.2F : 0.5F);
      const render::Rectangle area{3, 2, kWidth - 3, kHeight - 2};
      bench.frameJob(objects, camera(), area, kPitch);
      const std::uint64_t result = bench.slot();
      Core core(scene, settings);
      render::Frame frame(area);
      for (unsigned n = 0; n < frame.depth.size(); ++n)
        frame.depth[n] = floatAt(
            bench.bytes(at::kDepth + 4ULL * ((n / area.width + 2) * kPitch + 3 + n % area.width)),
            0);
      core.frame(camera(), frame);
      ASSERT_EQ(bench.run(), job::kDone);
      std::uint32_t hits = 0, wrong = 0;
      const unsigned record = settings.materials ? hit::kMaterialBytes : hit::kBytes;
      for (unsigned n = 0; n < frame.hits.size(); ++n) {
        const std::uint64_t pixel = std::uint64_t{n / area.width + 2} * kPitch + 3 + n % area.width;
        hits += frame.hits[n].hit() ? 1U : 0U;
        const bool same = sameRecord(bench.bytes(at::kHits + pixel * record), frame.hits[n],
                                     settings.materials) &&
                          floatAt(bench.bytes(at::kDepth + 4 * pixel), 0) == frame.depth[n];
        wrong += same ? 0U : 1U;
      }
      EXPECT_EQ(wrong, 0U);
      EXPECT_GT(hits, 100U);
      EXPECT_EQ(bench.word(result + job::kCount), hits);
      expectCounters(bench, core.counters);
    });
  }
}

std::vector<render::WorldRay> someRays(unsigned count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<render::WorldRay> rays;
  for (unsigned n = 0; n < count; ++n) {
    render::WorldRay ray;
    ray.origin = {3 * unit(random), 3 * unit(random), 3 * unit(random)};
    const render::Vec target{unit(random), 0.6 + unit(random), unit(random)};
    ray.direction = render::unit(render::sub(target, ray.origin));
    ray.any = n % 3 == 0;
    if (n % 5 == 0) ray.tmax = 2.5F;
    rays.push_back(ray);
  }
  return rays;
}

TEST(ImplicitUnitRays, RecordsAndCountersAreTheStages) {
  for (const auto& [name, settings] : allSettings()) {
    SCOPED_TRACE(name);
    onBench([&settings = settings](Bench& bench) {
      const Scene scene = someObjects(rounded(settings).compact);
      const auto objects = static_cast<std::uint32_t>(scene.instances.size());
      bench.load(scene);
      bench.settings(settings);
      bench.hullJob(objects);
      ASSERT_EQ(bench.run(), job::kDone);
      const std::vector<render::WorldRay> rays = someRays(300);
      const std::uint64_t d = bench.raysJob(objects, rays);
      ASSERT_EQ(bench.run(), job::kDone);
      Core core(scene, settings);
      std::uint32_t hits = 0, wrong = 0;
      const unsigned pitch = settings.materials ? hit::kMaterialBytes : hit::kBytes;
      for (std::size_t n = 0; n < rays.size(); ++n) {
        const render::HitRecord record = core.ray(rays[n]);
        hits += record.hit() ? 1U : 0U;
        wrong +=
            sameRecord(bench.bytes(at::kHits + n * pitch), record, settings.materials) ? 0U : 1U;
      }
      EXPECT_EQ(wrong, 0U);
      EXPECT_GT(hits, 50U);
      EXPECT_EQ(bench.word(d + job::kCount), hits);
      expectCounters(bench, core.counters);
    });
  }
}

/// Without materials a record is as long as a ray.
TEST(ImplicitUnitRays, RecordsMayTakeThePlaceOfTheirRays) {
  onBench([](Bench& bench) {
    render::Settings settings = render::Settings::improved();
    settings.materials = false;
    const Scene scene = someObjects(true);
    const auto objects = static_cast<std::uint32_t>(scene.instances.size());
    bench.load(scene);
    bench.settings(settings);
    bench.hullJob(objects);
    ASSERT_EQ(bench.run(), job::kDone);
    const std::vector<render::WorldRay> rays = someRays(300);
    const std::uint64_t d = bench.raysJob(objects, rays);
    putWide(bench.bytes(d), job::kHits, kMemory + at::kRays);
    ASSERT_EQ(bench.run(), job::kDone);
    Core core(scene, settings);
    for (std::size_t n = 0; n < rays.size(); ++n)
      EXPECT_TRUE(sameRecord(bench.bytes(at::kRays + n * hit::kBytes), core.ray(rays[n]), false))
          << "ray " << n;
    expectCounters(bench, core.counters);
  });
}

}  // namespace
}  // namespace rtvp::implicit::unit::test
