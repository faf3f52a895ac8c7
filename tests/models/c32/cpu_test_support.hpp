// What the C32 processor tests share: a machine whose whole address space is sparse RAM, and a
// board-like machine with real internal RAM and a scripted outside.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/c32/cpu.hpp"

namespace rtvp::c32::testing {

/// Sparse external memory, pins with a pull-up, a record of everything the processor did.
class FakeBoard : public CpuPort {
 public:
  BusReply busAccess(const BusRequest& request) override {
    if (onAccess) {
      const BusReply reply = onAccess(request);
      if (reply.status != BusReply::Status::Done) return reply;
    }
    log.push_back(request);
    BusReply reply;
    reply.start = std::max(request.cycle, notBefore);
    reply.externalWait = externalWait;
    if (request.op == BusOp::Write && merge) return reply;
    if (request.op == BusOp::Write) {
      memory[request.address] = request.data;
      written[request.address] = request.data;
    } else {
      const auto found = memory.find(request.address);
      reply.data = found == memory.end() ? fill : found->second;
    }
    return reply;
  }
  void pinsDriven(Drive a, Drive b, Cycle cycle) override {
    xf0 = a;
    xf1 = b;
    drives.push_back({a, b, cycle});
  }
  PinReply pinsSampled(Cycle cycle) override {
    samples.push_back(cycle);
    if (onSample) return onSample(cycle);
    return {true, xf0 != Drive::Low, xf1 != Drive::Low};
  }
  void serialTransmitted(std::uint32_t word, int bits, Cycle arrival) override {
    sent.push_back({word, bits, arrival});
  }

  void serialAcknowledged(Cycle arrival) override { acknowledged.push_back(arrival); }
  void holdAcknowledged(bool active, Cycle cycle) override { holds.emplace_back(active, cycle); }

  struct DriveChange {
    Drive xf0, xf1;
    Cycle cycle;
  };
  struct Sent {
    std::uint32_t word;
    int bits;
    Cycle arrival;
  };
  std::function<BusReply(const BusRequest&)> onAccess;  ///< may refuse
  std::function<PinReply(Cycle)> onSample;
  std::map<std::uint32_t, std::uint32_t> memory;
  std::map<std::uint32_t, std::uint32_t> written;
  std::vector<BusRequest> log;
  std::vector<DriveChange> drives;
  std::vector<Cycle> samples;
  std::vector<Sent> sent;
  std::vector<Cycle> acknowledged;
  std::vector<std::pair<bool, Cycle>> holds;
  bool merge = false;  ///< onAccess has stored what is written
  std::uint32_t fill = 0;
  std::uint32_t externalWait = 0;
  Cycle notBefore = 0;
  Drive xf0 = Drive::Released;
  Drive xf1 = Drive::Released;
};

/// A processor after reset with `code` at the start of RAM block 0 and zero-wait STRB0.
struct Machine {
  explicit Machine(std::initializer_list<std::uint32_t> code = {}, CpuConfig config = {})
      : cpu(config, board) {
    cpu.poke(0x808064, 0x000F0008);
    load(kRamBase, code);
    cpu.setPc(kRamBase);
  }
  void load(std::uint32_t address, std::initializer_list<std::uint32_t> words) {
    for (const std::uint32_t w : words) {
      if (!cpu.poke(address, w)) board.memory[address] = w;
      ++address;
    }
  }
  StopReason steps(std::uint64_t n) { return cpu.run(kNever, n); }
  [[nodiscard]] std::uint32_t r(unsigned n) const { return cpu.registerValue(n); }
  [[nodiscard]] std::uint32_t ram(std::uint32_t offset) const {
    return *cpu.peek(kRamBase + offset);
  }

  FakeBoard board;
  Cpu cpu;
};

constexpr std::uint32_t kNop = 0x0C800000;

/// 32 random bits at a time, from a printed seed.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

}  // namespace rtvp::c32::testing
