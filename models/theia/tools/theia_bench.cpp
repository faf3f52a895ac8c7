// theia-bench [TRIANGLES [SIDE [CORES [SET [STORE [ISA [AFTER]]]]]]]: speed of the whole SystemC
// model, statistics on, on a frame of random triangles (default: 992, as many as the teapot; 64 x
// 64; 4 cores) with the original's microcode, no triangle store, the host's longest vectors, and
// host code when a routine begins for the so-manieth time (0: never).
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <systemc>

#include "firmware/theia/firmware.hpp"
#include "models/common/statistics.hpp"
#include "models/common/tool/program.hpp"
#include "models/theia/theia_unit.hpp"
#include "models/theia/tlm_host_port.hpp"

namespace {

using namespace rtvp::theia;  // NOLINT(google-build-using-namespace): a program about this
                              // namespace

Word q17(double v) {
  return static_cast<Word>(static_cast<std::int32_t>(v * kOne));
}

Frame randomFrame(unsigned count, unsigned side, unsigned cores, const Microcode& set) {
  std::mt19937 random(1);
  const auto uniform = [&random](double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(random()) / 4294967296.0;
  };
  Frame frame;
  frame.cores = cores;
  frame.width = frame.height = side;
  for (unsigned i = 0; i < count; ++i) {
    const double x = uniform(-15, 15), y = uniform(-15, 15), z = uniform(-60, -30);
    Triangle t{};
    for (const unsigned k : {0U, 2U, 4U})
      t[k] = {q17(x + uniform(-1, 1)), q17(y + uniform(-1, 1)), q17(z + uniform(-1, 1))};
    frame.triangles.push_back(t);
  }
  frame.instructions.resize(kEntries);
  for (unsigned slot = 0; slot < kEntries; ++slot) frame.instructions[slot].word = set.table[slot];
  const double s = side;
  const auto all = [&frame](unsigned address, const Vec& v) {
    frame.registers.push_back({-1, static_cast<std::uint16_t>(address), v});
  };
  all(2, {q17(-4), q17(4), q17(-8)});
  all(3, {q17(4), q17(-4), q17(-8)});
  all(4, {q17(s), q17(s), 0});
  all(5, {q17(16), q17(16), 0});
  for (unsigned c = 0; c < cores; ++c) {
    frame.registers.push_back({static_cast<int>(c), 6, {0, q17(s * c / cores), 0}});
    frame.registers.push_back({static_cast<int>(c), 7, {q17(s), q17(s * (c + 1) / cores), 0}});
  }
  all(8, {count, 0, 0});
  return frame;
}

class Host : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Host, 32> isock{"isock"};
  Host(sc_core::sc_module_name name, const Frame& frame, const TheiaUnit& unit)
      : sc_module(name), frame_(frame), unit_(unit) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  Clock done = 0;

 private:
  void run() {
    TlmHostPort port(isock, sc_core::sc_time(10, sc_core::SC_NS));
    Clock at = port.offer(configureFrame(port, frame_, 0));
    std::span<const Triangle> list = std::span(frame_.triangles).subspan(1);
    for (std::uint64_t pixel = 0; pixel < frame_.pixelsPerCore() && !port.failed(); ++pixel) {
      at = port.offerAll(at, list);
      at = port.awaitCommit(port.streamTriangle(at, Triangle{}));
      list = frame_.triangles;
      // The platform's host synchronises once a pixel.
      wait(unit_.clock().of(at) - sc_core::sc_time_stamp());
    }
    done = at;
  }
  const Frame& frame_;
  const TheiaUnit& unit_;
};

namespace tool = rtvp::tool;

int run(const tool::po::variables_map& given) {
  const std::vector<std::string> arguments = tool::listOf(given, "argument");
  const auto argument = [&](std::size_t i, unsigned otherwise) {
    return arguments.size() > i
               ? static_cast<unsigned>(std::strtoul(arguments[i].c_str(), nullptr, 10))
               : otherwise;
  };
  const unsigned count = argument(0, 992), side = argument(1, 64), cores = argument(2, 4);
  const Microcode* const set = findMicrocode(arguments.size() > 3 ? arguments[3] : "original");
  if (set == nullptr || count == 0 || count > kMaxPrimitives || side == 0 || side > 1024 ||
      cores == 0 || side % cores != 0)
    throw tool::ShowUsage{};
  const Frame frame = randomFrame(count, side, cores, *set);
  TheiaUnitConfig config;
  config.gpu.cores = cores;
  config.gpu.storeTriangles = argument(4, 0);
  if (arguments.size() > 5) {
    const auto* const isa =
        std::ranges::find(rtvp::common::kIsas, arguments[5], rtvp::common::isaName);
    if (isa == std::end(rtvp::common::kIsas) || !rtvp::common::isaUsable(*isa))
      throw tool::ShowUsage{};
    config.gpu.core.isa = *isa;
  }
  config.gpu.core.hostCodeAfter = argument(6, config.gpu.core.hostCodeAfter);
  TheiaUnit unit("theia", config, microcodeRom());
  Host host("host", frame, unit);
  host.isock.bind(unit.host_tsock);
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  sc_core::sc_start();
  const double cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  unit.finish();
  rtvp::common::StatGroup stats("theia");
  unit.report(stats);
  const double millions = static_cast<double>(host.done) / 1e6;
  std::printf("%.1f M clocks in %.2f s: %.1f M clocks/s; in %.2f s of processor time: %.1f M/s\n",
              millions, seconds, millions / seconds, cpu, millions / cpu);
  return unit.gpu().fault() ? tool::status::kFault : tool::status::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "theia-bench",
                    .summary = "times the THEIA model",
                    .usage = "theia-bench [TRIANGLES [SIDE [CORES [SET [STORE [ISA [AFTER]]]]]]]\n",
                    .declare = [](tool::po::options_description&) {},
                    .run = run,
                    .input = "argument",
                    .inputs = 7},
                   argc, argv);
}
