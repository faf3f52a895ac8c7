// Both engines of the SL machine on one program: what fuzz targets compare.
#pragma once

#include <bit>
#include <cmath>

#include "models/sl/batch_vm.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace rtvp::fuzz {

class EchoWorld final : public sl::Environment {
 public:
  sl::Vec3 trace(std::size_t point, const sl::Vec3& o, const sl::Vec3& d) override {
    return {o.x, d.y, static_cast<float>(point)};
  }
  sl::Vec3 lookup(std::size_t /*point*/, unsigned slot, float s, float t) override {
    return {s, t, static_cast<float>(slot)};
  }
};

/// Three points that differ; results must not.
inline void compareEngines(const sl::Program& program) {
  constexpr std::size_t kPoints = 3;
  sl::Registers inputs = sl::Registers::sceneDefaults();
  sl::Batch batch(kPoints);
  EchoWorld world;
  const auto vary = [&inputs](std::size_t p) {
    for (unsigned id = 0; id < sl::reg::v0; ++id)
      inputs.vector(id) = {static_cast<float>(p) - 1, static_cast<float>(id) * .37F, .5F};
    inputs.scalar(sl::reg::s0) = static_cast<float>(p);
  };
  for (std::size_t p = 0; p < kPoints; ++p) {
    vary(p);
    batch.setRegisters(p, inputs);
  }
  sl::Counters counters;
  sl::BatchVm(program).run(batch, world, counters);
  sl::Vm vm(program);
  const auto same = [](float a, float b) {
    return (std::isnan(a) && std::isnan(b)) ||
           std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  };
  for (std::size_t p = 0; p < kPoints; ++p) {
    vary(p);
    vm.start(inputs, 1);
    require(vm.run(world, p) == batch.state(p), "engines end alike");
    require(vm.instructions() == batch.instructions(p), "engines count alike");
    require(vm.instructions() <= sl::kBudget, "no run is beyond the budget");
    const sl::Registers got = batch.registers(p);
    for (std::size_t n = 0; n < sl::kVectors; ++n) {
      for (unsigned lane = 0; lane < 3; ++lane)
        require(same(got.vectors[n][lane], vm.registers().vectors[n][lane]), "equal vectors");
    }
    for (std::size_t n = 0; n < sl::kScalars; ++n)
      require(same(got.scalars[n], vm.registers().scalars[n]), "equal scalars");
  }
}

}  // namespace rtvp::fuzz
