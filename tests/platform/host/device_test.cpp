// The base of the drivers, on a bus whose memory and interrupt are a few variables.
#include "platform/drivers/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "models/common/report_ids.hpp"

namespace rtvp::host {
namespace {

using sc_core::sc_time;

/// Its line rises at the given times; the clock runs in await() only.
class FakeBus : public HostBus {
 public:
  std::uint32_t read32(std::uint64_t address) override { return words[address]; }
  void write32(std::uint64_t address, std::uint32_t value) override {
    words[address] = value;
    ++accesses;
  }
  void readBlock(std::uint64_t address, std::span<std::uint32_t> into) override {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = words[address + 4 * i];
  }
  void writeBlock(std::uint64_t address, std::span<const std::uint32_t> from) override {
    for (std::size_t i = 0; i < from.size(); ++i) words[address + 4 * i] = from[i];
    ++accesses;
  }
  [[nodiscard]] bool interrupt(std::size_t /*line*/) const override { return false; }
  bool await(std::span<const std::size_t> /*lines*/, const sc_time& deadline,
             const std::string& /*why*/) override {
    if (rises.empty() || rises.front() > deadline) {
      clock = deadline;
      return false;
    }
    clock = std::max(clock, rises.front());
    rises.pop_front();
    return true;
  }
  void waitFor(const sc_time& duration, const std::string& /*why*/) override { clock += duration; }
  [[nodiscard]] sc_time now() const override { return clock; }
  void spawn(const std::string&, int, std::function<void()>) override {}
  void awaitTask(const std::function<bool()>&, const std::string&) override {}
  void wake() override {}
  void yield() override {}

  std::map<std::uint64_t, std::uint32_t> words;
  int accesses = 0;
  std::deque<sc_time> rises;
  sc_time clock;
};

sc_time ns(double count) {
  return {count, sc_core::SC_NS};
}

class Driver : public Device {
 public:
  Driver(HostBus& bus, const std::string& instance = {}) : Device(bus, instance, "toaster") {}
  using Device::await;
  using Device::end;
  using Device::fail;
  using Device::readBytes;
  using Device::writeBytes;
  static constexpr std::size_t kLine = 3;
  [[nodiscard]] std::string condition() override { return "toaster: cold"; }
};

/// What a call reports: id and text.
template <typename Call>
std::pair<std::string, std::string> reported(Call call) {
  try {
    call();
  } catch (const sc_core::sc_report& report) {
    return {report.get_msg_type(), report.get_msg()};
  }
  return {};
}

TEST(Device, ReportsNameTheDeviceAndTheInstance) {
  FakeBus bus;
  bus.clock = ns(5);
  const Driver alone(bus), second(bus, "toaster1");
  using Report = std::pair<std::string, std::string>;
  EXPECT_EQ(reported([&] { alone.fail("burnt"); }),
            Report(report_ids::kDriver, "toaster at 0.005000 us: burnt"));
  EXPECT_EQ(reported([&] { second.fail("slot 2", "burnt"); }),
            Report(report_ids::kDriver, "toaster1: slot 2 at 0.005000 us: burnt"));
  EXPECT_EQ(reported([&] { second.end(report_ids::kLockstep, "crumbs"); }),
            Report(report_ids::kLockstep, "toaster1: crumbs"));
}

TEST(Device, WaitsUntilWhatItWaitsForHasCome) {
  FakeBus bus;
  bus.rises = {ns(10), ns(20), ns(30)};
  Driver driver(bus);
  int served = 0;
  driver.await(
      {&Driver::kLine, 1}, ns(100), "toast", [&] { return served == 2; }, [&] { ++served; });
  EXPECT_EQ(bus.clock, ns(20));
  driver.await({&Driver::kLine, 1}, ns(100), "toast");
  EXPECT_EQ(bus.clock, ns(30));
  // Nothing is waited for where it holds already.
  driver.await(
      {&Driver::kLine, 1}, ns(100), "toast", [] { return true; }, [&] { ++served; });
  EXPECT_EQ(served, 2);
}

TEST(Device, SaysWhatItWaitedForInVain) {
  FakeBus bus;
  bus.clock = ns(5);
  Driver driver(bus);
  const auto [id, text] = reported([&] { driver.await({&Driver::kLine, 1}, ns(100), "toast"); });
  EXPECT_EQ(id, report_ids::kDeadlock);
  EXPECT_EQ(text, "the host waits for toast since 0.005000 us, now 0.105000 us; toaster: cold");
}

TEST(Device, AnInterruptThatNobodyCanClearDoesNotKeepItForEver) {
  FakeBus bus;
  bus.rises.assign(100, ns(100));
  Driver driver(bus);
  int served = 0;
  EXPECT_EQ(reported([&] {
              driver.await(
                  {&Driver::kLine, 1}, ns(100), "toast", [] { return false; }, [&] { ++served; });
            }).first,
            report_ids::kDeadlock);
  EXPECT_EQ(served, 1);
}

TEST(Device, BytesAreWordsOnTheBus) {
  FakeBus bus;
  Driver driver(bus);
  const std::array<std::uint8_t, 6> bytes{1, 2, 3, 4, 5, 6};
  driver.writeBytes(0x100, bytes);
  EXPECT_EQ(bus.words[0x100], 0x04030201U);
  EXPECT_EQ(bus.words[0x104], 0x00000605U);
  std::array<std::uint8_t, 6> back{};
  driver.readBytes(0x100, back);
  EXPECT_EQ(back, bytes);
  driver.writeBytes(0x200, {});
  EXPECT_EQ(bus.accesses, 1);
}

struct Reg {
  std::uint64_t at;
  [[nodiscard]] std::uint64_t offset() const { return at; }
};

TEST(RegisterBlock, WideRegistersAndPairs) {
  FakeBus bus;
  const RegisterBlock<Reg> block(bus, 0x1000);
  block.write({8}, 7);
  EXPECT_EQ(bus.words[0x1008], 7U);
  EXPECT_EQ(block.read({8}), 7U);
  bus.accesses = 0;
  block.writeWide({16}, 0x1122334455667788);
  EXPECT_EQ(bus.accesses, 1);
  EXPECT_EQ(block.readWide({16}), 0x1122334455667788U);
  block.writePair({24}, 0x1122334455667788);
  EXPECT_EQ(bus.accesses, 3);
  EXPECT_EQ(bus.words[0x1018], 0x55667788U);
  EXPECT_EQ(bus.words[0x101C], 0x11223344U);
}

TEST(Arena, AreasBeginAtMultiples) {
  Arena arena(0x1010, 64);
  EXPECT_EQ(arena.take(1), 0x1010U);
  EXPECT_EQ(arena.take(64), 0x1050U);
  EXPECT_EQ(arena.take(0), 0x1090U);
  EXPECT_EQ(arena.next(), 0x1090U);
  EXPECT_EQ(arena.used(), 128U);
}

}  // namespace
}  // namespace rtvp::host
