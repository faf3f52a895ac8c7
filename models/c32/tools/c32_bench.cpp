// Speed of the scalar C32 engine: a division-free triangle test in internal RAM, the shape of the
// board's inner loop. Reports simulated instructions per second of CPU time.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "models/c32/cpu.hpp"

namespace {

using rtvp::c32::BusReply;
using rtvp::c32::BusRequest;
using rtvp::c32::Cpu;
using rtvp::c32::Cycle;

class NoBoard final : public rtvp::c32::CpuPort {
 public:
  BusReply busAccess(const BusRequest& request) override {
    BusReply reply;
    reply.start = request.cycle;
    return reply;
  }
  void pinsDriven(rtvp::c32::Drive /*xf0*/, rtvp::c32::Drive /*xf1*/, Cycle /*cycle*/) override {}
  rtvp::c32::PinReply pinsSampled(Cycle /*cycle*/) override { return {}; }
  void serialTransmitted(std::uint32_t /*word*/, int /*bits*/, Cycle /*arrival*/) override {}
};

/// One pass: 3 loads, 6 multiply/add pairs, compares, branches and stores.
void loadKernel(Cpu& cpu) {
  using rtvp::c32::kRamBase;
  std::uint32_t at = kRamBase;
  const auto emit = [&](std::uint32_t word) { cpu.poke(at++, word); };
  const std::uint32_t loop = at;
  emit(0x0740C000);  // LDF  *AR0,R0
  emit(0x24A1C000);  // MPYF3 R0,*AR0,R1
  emit(0x80102120);  // MPYF3 *AR0++,*AR1++,R0 || ADDF3 R0,R2,R2
  emit(0x80102928);  // MPYF3 *AR0--,*AR1--,R0 || ADDF3
  emit(0x01830001);  // ADDF R1,R3
  emit(0x17840003);  // SUBF R3,R4
  emit(0x0A050004);  // MPYF R4,R5
  emit(0x1446C100);  // STF R6,*AR1
  emit(0x0746C100);  // LDF *AR1,R6
  emit(0x04050006);  // CMPF R6,R5
  emit(0x02670001);  // ADDI 1,R7
  emit(0x04E70000);  // CMPI 0,R7
  emit(0x80102120);  // MPYF3 || ADDF3
  emit(0x80102928);  // MPYF3 || ADDF3
  emit(0x0F270000);  // PUSH R7
  emit(0x0E270000);  // POP R7
  const auto back = static_cast<std::uint32_t>(loop - (at + 1)) & 0xFFFFu;
  emit(0x6A000000 | back);  // BU loop
  cpu.setRegister(rtvp::c32::reg::AR0, 0x87FF20);
  cpu.setRegister(rtvp::c32::reg::AR1, 0x87FF40);
  cpu.setRegister(rtvp::c32::reg::SP, 0x87FF80);
  for (std::uint32_t i = 0; i < 64; ++i) cpu.poke(0x87FF10 + i, 0x00400000u + i);
  cpu.setPc(loop);
}

void scalarEngine(benchmark::State& state) {
  NoBoard board;
  Cpu cpu(rtvp::c32::CpuConfig{}, board);
  loadKernel(cpu);
  std::uint64_t total = 0;
  for (auto iteration : state) {
    (void)iteration;
    const auto before = cpu.statistics().instructions;
    cpu.run(cpu.cycle() + 100'000);
    total += cpu.statistics().instructions - before;
  }
  if (cpu.fault().kind != rtvp::c32::Fault::Kind::None) {
    state.SkipWithError(cpu.fault().text.c_str());
    return;
  }
  state.counters["MIPS"] =
      benchmark::Counter(static_cast<double>(total) * 1e-6, benchmark::Counter::kIsRate);
}
BENCHMARK(scalarEngine);

/// 512 processors with the same program, a slice each: what the array does.
void manyProcessors(benchmark::State& state) {
  NoBoard board;
  rtvp::c32::CpuConfig config;
  config.decodePool = std::make_shared<rtvp::c32::DecodePool>();
  std::vector<std::unique_ptr<Cpu>> lanes;
  for (int i = 0; i < 512; ++i) {
    lanes.push_back(std::make_unique<Cpu>(config, board));
    loadKernel(*lanes.back());
  }
  std::uint64_t total = 0;
  for (auto iteration : state) {
    (void)iteration;
    for (auto& lane : lanes) {
      const auto before = lane->statistics().instructions;
      lane->run(lane->cycle() + 150);
      total += lane->statistics().instructions - before;
    }
  }
  state.counters["MIPS"] =
      benchmark::Counter(static_cast<double>(total) * 1e-6, benchmark::Counter::kIsRate);
}
BENCHMARK(manyProcessors);

}  // namespace

BENCHMARK_MAIN();
