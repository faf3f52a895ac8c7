// Shading points per second: the plain machine, the batched one under each instruction set, and the
// same shaders written by hand in C++. Figures belong to the machine they were measured on; ratios
// travel better.
//   bench_sl [--benchmark_filter=...]
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/sl/assembler.hpp"
#include "models/sl/batch_vm.hpp"
#include "models/sl/math.hpp"

namespace {

using namespace rtvp::sl;  // NOLINT(google-build-using-namespace): a program about this namespace

constexpr std::size_t kCount = 1024;

Program load(const std::string& name) {
  const std::string path = std::string(RTVP_SOURCE_DIR) + "/tests/data/sl/" + name + ".sl";
  std::ifstream in(path, std::ios::binary);
  const std::string source{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  AssemblyResult result = assemble(path, source);
  if (!result.program) throw std::runtime_error(result.report());
  return std::move(*result.program);
}

/// Points as a picture has them: near each other, directions of unit length.
const std::vector<Registers>& points() {
  static const std::vector<Registers> all = [] {
    std::mt19937 random(1996);
    const auto number = [&random](float low, float high) {
      return low + (high - low) * static_cast<float>(random() >> 8U) / 16777216.0F;
    };
    const auto direction = [&number] {
      return norm({number(-1, 1), number(-1, 1), number(.1F, 1)});
    };
    std::vector<Registers> out(kCount, Registers::sceneDefaults());
    for (std::size_t p = 0; p < out.size(); ++p) {
      Registers& r = out[p];
      r.vector(reg::C0) = {.8F, .6F, .2F};
      r.vector(reg::C1) = {.1F, .2F, .4F};
      for (const unsigned id : {reg::L, reg::V, reg::N, reg::t1}) r.vector(id) = direction();
      const auto place = static_cast<float>(p);
      r.vector(reg::xy) = {place * .003F, std::sin(place * .01F), number(-2, 2)};
      r.vector(reg::uv) = {number(0, 1), number(0, 1), 0};
      r.vector(reg::ds) = {1, 0, 0};
      r.vector(reg::dt) = {0, 1, 0};
      r.vector(reg::dE) = {1, 1, 1};
    }
    return out;
  }();
  return all;
}

class NoWorld final : public Environment {
 public:
  Vec3 trace(std::size_t /*p*/, const Vec3& /*o*/, const Vec3& /*d*/) override { return {}; }
  Vec3 lookup(std::size_t /*p*/, unsigned /*slot*/, float /*s*/, float /*t*/) override {
    return {};
  }
};

void plain(benchmark::State& state, const std::string& shader) {
  const Program program = load(shader);
  NoWorld world;
  Vm vm(program);
  std::vector<Vec3> colours(kCount);
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t p = 0; p < kCount; ++p) {
      vm.start(points()[p], 1);
      vm.run(world, p);
      colours[p] = vm.colour();
    }
    benchmark::DoNotOptimize(colours.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount));
}

/// Filling the batch from the same records and reading the colours back is part of the time.
void batched(benchmark::State& state, const std::string& shader, batch::Isa isa) {
  const Program program = load(shader);
  NoWorld world;
  Counters counters;
  const BatchVm vm(program, isa);
  Batch batch(kCount);
  std::vector<Vec3> colours(kCount);
  for ([[maybe_unused]] auto _ : state) {
    vm.load(batch, points());
    vm.run(batch, world, counters);
    for (std::size_t p = 0; p < kCount; ++p) colours[p] = batch.vector(p, reg::v0);
    benchmark::DoNotOptimize(colours.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount));
}

// ---- by hand: what a programmer would write with the same noise and power ----

float lambert(const Registers& r) {
  return std::clamp(dot(r.vector(reg::N), r.vector(reg::L)), 0.0F, 1.0F) * r.scalar(reg::Kd);
}
Vec3 scaled(const Vec3& v, float k) {
  return {v.x * k, v.y * k, v.z * k};
}
Vec3 added(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vec3 mixed(const Vec3& a, const Vec3& b, float w) {
  return {a.x + (b.x - a.x) * w, a.y + (b.y - a.y) * w, a.z + (b.z - a.z) * w};
}

Vec3 marbleByHand(const Registers& r) {
  const float frequency = r.scalar(reg::s0) > 0 ? r.scalar(reg::s0) : 2;
  Vec3 p = r.vector(reg::xy);
  float sum = 0;
  float amplitude = 1;
  while (amplitude > .2F) {
    sum += turb(p) * amplitude;
    p = scaled(p, 2);
    amplitude *= .5F;
  }
  const float phase = r.vector(reg::xy).x * frequency + sum + sum;
  const float w = std::fabs(2 * (phase - std::floor(phase)) - 1);
  return scaled(mixed(r.vector(reg::C1), r.vector(reg::C0), w), lambert(r));
}
Vec3 bumpByHand(const Registers& r) {
  const auto tangent = [&r](const Vec3& d) {
    return norm({dot(d, r.vector(reg::ds)), dot(d, r.vector(reg::dt)), dot(d, r.vector(reg::N))});
  };
  const Vec3 l = tangent(r.vector(reg::L));
  const Vec3 h = norm(added(tangent(r.vector(reg::V)), l));
  const float diffuse = std::clamp(dot(l, r.vector(reg::t1)), 0.0F, 1.0F);
  const float shine = power(std::clamp(dot(h, r.vector(reg::t1)), 0.0F, 1.0F), r.scalar(reg::S));
  return added(scaled(r.vector(reg::C0), diffuse * r.scalar(reg::Kd)),
               scaled(r.vector(reg::C1), shine * r.scalar(reg::Ks)));
}
Vec3 checkerByHand(const Registers& r) {
  const Vec3& uv = r.vector(reg::uv);
  const float cell = std::floor(uv.x * 8) + std::floor(uv.y * 8);
  const float odd = cell - 2 * std::floor(cell * .5F);
  return scaled(odd < .5F ? r.vector(reg::C0) : r.vector(reg::C1), lambert(r));
}

void byHand(benchmark::State& state, Vec3 (*shader)(const Registers&)) {
  std::vector<Vec3> colours(kCount);
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t p = 0; p < kCount; ++p) colours[p] = shader(points()[p]);
    benchmark::DoNotOptimize(colours.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount));
}

void add(const std::string& shader, Vec3 (*hand)(const Registers&)) {
  benchmark::RegisterBenchmark((shader + "/plain").c_str(),
                               [shader](benchmark::State& s) { plain(s, shader); });
  for (const batch::Isa isa : batch::kIsas) {
    if (!batch::isaUsable(isa)) continue;
    benchmark::RegisterBenchmark((shader + "/" + std::string(batch::isaName(isa))).c_str(),
                                 [shader, isa](benchmark::State& s) { batched(s, shader, isa); });
  }
  if (hand != nullptr)
    benchmark::RegisterBenchmark((shader + "/by_hand").c_str(),
                                 [hand](benchmark::State& s) { byHand(s, hand); });
}

}  // namespace

int main(int argc, char** argv) {
  add("marble", marbleByHand);
  add("bump", bumpByHand);
  add("checker", checkerByHand);
  add("wood", nullptr);
  add("toon", nullptr);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
