// The seam: driver, options, statistics and words of the machine `brute`, and a program with it.
#include <array>
#include <bit>

#include "models/common/param_time.hpp"
#include "platform/app.hpp"
#include "platform/drivers/device.hpp"
#include "platform/machines/computer.hpp"
#include "unit.hpp"

namespace brute {
using namespace rtvp;
using namespace rtvp::platform;
using Words = std::vector<std::uint32_t>;
// Rays given to the device at once, and what lies behind them in its memory.
constexpr std::uint64_t kBatch = 4096;
constexpr std::uint64_t kHits = kBatch * sizeof(Ray), kTriangles = kHits + kBatch * sizeof(Hit);

void put(Words& words, double number) {
  words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(number)));
}
void put(Words& words, const scene::Vec3& v) {
  for (int i = 0; i < 3; ++i) put(words, v[i]);
}

struct DriverConfig {
  std::uint64_t registers = 0, memory = 0;  ///< addresses
  std::size_t line = 0;                     ///< of the processor, the device's interrupt
  std::string instance;                     ///< for reports
  Words triangles;
};

/// Reaches the device by registers, main memory and its interrupt only.
class Driver final : public host::HitFinder, private host::Device {
 public:
  Driver(host::HostBus& bus, const DriverConfig& config)
      : Device(bus, config.instance, "brute"), config_(config) {
    if (bus.read32(config.registers) != kId) fail("another device answers");
    bus.writeBlock(config.memory + kTriangles, config.triangles);
    set(Rays, config.memory);
    set(Hits, config.memory + kHits);
    set(Triangles, config.memory + kTriangles);
    set(Count, config.triangles.size() * 4 / sizeof(Triangle));
  }

  void trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) override {
    for (std::uint64_t i = 0; i < rays.size(); i += kBatch) {
      const std::size_t count = std::min(kBatch, rays.size() - i);
      batch(rays.subspan(i, count), hits.subspan(i, count));
    }
  }

 private:
  void batch(std::span<const host::Ray> rays, std::span<host::Hit> hits) {
    Words words;
    for (const host::Ray& ray : rays) {
      put(words, ray.origin);
      put(words, ray.direction);
      put(words, ray.tmax);
    }
    bus_.writeBlock(config_.memory, words);
    set(RayCount, rays.size());
    set(Control, 1);
    await({&config_.line, 1}, sc_core::sc_time(1000, sc_core::SC_SEC), "a batch of rays");
    set(Status, 0);
    words.resize(hits.size() * sizeof(Hit) / 4);
    bus_.readBlock(config_.memory + kHits, words);
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const auto real = [&](auto n) { return double{std::bit_cast<float>(words[4 * i + n])}; };
      hits[i] = {
          .element = words[4 * i], .t = real(1U), .hasUv = true, .u = real(2U), .v = real(3U)};
    }
  }
  void set(Register r, std::uint64_t value) {
    bus_.write32(config_.registers + 4U * r, static_cast<std::uint32_t>(value));
  }

  const DriverConfig& config_;
};

struct Options {  // what a user may set, and the defaults
  sc_core::sc_time period{10, sc_core::SC_NS};
  std::int64_t breakAt = 0;
};
constexpr std::array kOptions{
    common::clockParam<&Options::period>("brute.clock_hz", {1e3, 1e10}, "clock of the unit"),
    common::param<&Options::breakAt>("brute.break_at", {}, {0, 1e9},
                                     "fault switch: this transfer goes to address 0; 0 = none")};
constexpr std::string_view kFaults[] = {kBusFault};
constexpr MachineInfo kInfo{.name = "brute",
                            .help = "brute force over triangles, an example",
                            .primitives = {.triangles = true},
                            .options = kOptions,
                            .faults = kFaults};

class Brute final : public Machine {
 public:
  using Machine::Machine;
  void prepare(const Job& job) override {
    if (job.scene.elements.size() > 100'000) throw InputError("brute: found over 100000 triangles");
    for (const scene::Element& e : job.scene.elements)
      for (const scene::Vec3& v : job.scene.triangles[e.index].v) put(config_.triangles, v);
  }
  [[nodiscard]] Needs needs() const override {
    return {.lines = 1, .dramBytes = kTriangles + 4 * config_.triangles.size()};
  }
  void build(Computer& computer) override {
    const auto options = settings_.read<Options>(kOptions);
    unit_.emplace("brute", options.period, options.breakAt);
    computer.addMaster(*this, unit_->bus_isock, "brute", 32);
    config_.registers =
        computer.attach(*this, unit_->host_tsock, {"brute", 4096, Region::Registers, 0x3000'0000});
    config_.line = computer.connectPort(*this, unit_->irq_o, "brute_irq");
    config_.memory = computer.arena(*this);
    config_.instance = computer.instance(*this);
  }
  void declare(const common::TraceScope& scope) override { unit_->declare(scope.module("brute")); }
  void start(host::HostBus& bus) override { driver_.emplace(bus, config_); }
  [[nodiscard]] host::HitFinder* finder() override { return &*driver_; }
  static std::vector<report::SummaryLine> summary(const report::RunFigures& run) {
    const auto sum = [&](const char* figure) { return run.sum("brute", figure); };
    static constexpr report::Part kParts[] = {
        {"cycles_test", "testing"}, {"cycles_memory", "memory"}, {"cycles_idle", "idle"}};
    return {{"brute", report::shares(sum, kParts, sum("cycles")) + " clocks"}};
  }
  void report(common::StatGroup& stats) override {
    unit_->report(stats.group("brute", "the device"));
  }

 private:
  DriverConfig config_;
  std::optional<Unit> unit_;
  std::optional<Driver> driver_;
};

}  // namespace brute

int main(int argc, char** argv) {
  const rtvp::platform::KindOf<brute::Brute, brute::kInfo> brute;
  rtvp::platform::Registry machines = rtvp::platform::builtinMachines();
  machines.add(brute);
  return rtvp::platform::main(argc, argv, machines);
}
