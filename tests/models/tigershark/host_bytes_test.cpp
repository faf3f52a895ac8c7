// What a board says of its host memory, against a count of everything that this program allocates.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <new>

#include "models/tigershark/simt_array.hpp"
#include "tests/models/tigershark/scene_bench.hpp"
#include "tests/support/paths.hpp"

namespace {

std::size_t live = 0;  // bytes

void* counted(void* p) {
  if (p == nullptr) throw std::bad_alloc();
  live += malloc_usable_size(p);
  return p;
}
void release(void* p) {
  if (p != nullptr) live -= malloc_usable_size(p);
  std::free(p);
}

}  // namespace

void* operator new(std::size_t n) {
  return counted(std::malloc(n));
}
void* operator new(std::size_t n, std::align_val_t a) {
  const auto align = static_cast<std::size_t>(a);
  return counted(std::aligned_alloc(align, (n + align - 1) / align * align));
}
void operator delete(void* p) noexcept {
  release(p);
}
void operator delete(void* p, std::size_t /*n*/) noexcept {
  release(p);
}
void operator delete(void* p, std::align_val_t /*a*/) noexcept {
  release(p);
}
void operator delete(void* p, std::size_t /*n*/, std::align_val_t /*a*/) noexcept {
  release(p);
}

namespace rtvp::tigershark::test {
namespace {

struct Bytes {
  double counted;
  double said;
};

Bytes afterABatch(bool simt, int lanes) {
  const scene::Scene scene = scene::load(std::string(RTVP_SOURCE_DIR) + "/scenes/bunny.shk");
  const auto rays = eyeRays(scene, 256, 30'000, static_cast<std::size_t>(lanes));
  const std::size_t before = live;
  SceneBench bench(scene, lanes, [simt](const ArrayConfig& config, ArrayBoard& board) {
    return simt ? makeArray(config, board, EngineChoice{.kind = EngineChoice::Kind::Simt})
                : makeScalarArray(config, board);
  });
  bench.batch(rays);
  return {static_cast<double>(live - before),
          static_cast<double>(bench.engine().hostCounters().bytes)};
}

TEST(HostBytes, OfADspAreWhatIsAllocatedForOneMore) {
  for (const bool simt : {false, true}) {
    SCOPED_TRACE(simt ? "vectors" : "scalar");
    const Bytes few = afterABatch(simt, 64);
    const Bytes many = afterABatch(simt, 256);
    const double counted = (many.counted - few.counted) / 192;
    const double said = (many.said - few.said) / 192;
    RecordProperty(simt ? "vectors" : "scalar", static_cast<int>(counted));
    // What this program keeps of a DSP's rays and words, and what malloc rounds up, is counted. The
    // scalar engine's receivers have had long queues, whose tables stay and cannot be seen.
    EXPECT_LE(said, counted);
    EXPECT_GT(said, (simt ? 0.95 : 0.75) * counted);
  }
}

}  // namespace
}  // namespace rtvp::tigershark::test
