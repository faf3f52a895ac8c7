// One board's worth of firmware without SystemC: SRAM, and nodes that each run the real image on
// the real processor core. A node's barrier releases four cycles after its own arrival, its vote
// line carries its own vote only, and its chain output goes to the next node.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/tigershark_firmware.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/cpu.hpp"
#include "models/c32/float40.hpp"
#include "models/c32/port.hpp"
#include "models/tigershark/protocol.hpp"

namespace rtvp::tigershark::test {

using c32::Cycle;

/// One access to the shared bus, relative to the release edge that opened its epoch.
struct SharedAccess {
  std::uint32_t address = 0;
  Cycle sinceRelease = 0;
  bool operator==(const SharedAccess&) const = default;
};

/// From one release to the next arrival.
struct Epoch {
  Cycle release = 0;
  Cycle arrival = 0;  ///< 0: the walk ended in this epoch
  bool voted = false;
  std::vector<SharedAccess> accesses;
};

class Node final : public c32::CpuPort {
 public:
  static constexpr Cycle kReleaseLatency = 4;
  static constexpr Cycle kSynchroniser = 3;
  static constexpr Cycle kRise = 2;

  explicit Node(std::vector<std::uint32_t>& sram) : cpu(c32::CpuConfig{}, *this), sram_(sram) {}

  c32::BusReply busAccess(const c32::BusRequest& r) override {
    using Status = c32::BusReply::Status;
    if (r.address >= sram_.size()) return {.status = Status::Error};
    c32::BusReply reply;
    reply.start = r.cycle;
    if (arrived_) {
      if (r.cycle != arrival_ + kReleaseLatency) {
        fault = "access " + std::to_string(r.cycle - arrival_) +
                " cycles after the arrival, not pending at the release";
      }
      arrived_ = false;
      epochs.emplace_back().release = reply.start;
    }
    if (!epochs.empty())
      epochs.back().accesses.push_back({r.address, reply.start - epochs.back().release});
    if (r.op == c32::BusOp::Write) {
      sram_[r.address] = r.data;
      ++writes;
    } else if (r.op != c32::BusOp::Read) {
      ++fetches;
    }
    reply.data = sram_[r.address];
    return reply;
  }

  void pinsDriven(c32::Drive xf0, c32::Drive xf1, Cycle cycle) override {
    if (xf0 == c32::Drive::High || xf1 == c32::Drive::High) fault = "drives a shared line high";
    if (xf1 == c32::Drive::Low && xf1_ != c32::Drive::Low) {
      arrived_ = true;
      arrival_ = cycle;
      if (!epochs.empty()) {
        epochs.back().arrival = cycle;
        epochs.back().voted = xf0 == c32::Drive::Low;
      }
    }
    if (xf0 == c32::Drive::Low && xf0_ != c32::Drive::Low) lowFrom_ = cycle + 1;
    if (xf0 != c32::Drive::Low && xf0_ == c32::Drive::Low) lowTo_ = cycle + 1 + kRise;
    if (xf0 == c32::Drive::Low) lowTo_ = c32::kNever;
    xf0_ = xf0;
    xf1_ = xf1;
  }

  c32::PinReply pinsSampled(Cycle cycle) override {
    const Cycle seen = cycle - kSynchroniser;
    if (!epochs.empty() && seen <= epochs.back().release)
      fault = "reads the vote line before it has settled";
    ++readings;
    return {.ready = true, .xf0 = !othersVote && !(seen >= lowFrom_ && seen < lowTo_), .xf1 = true};
  }

  void serialTransmitted(std::uint32_t word, int, Cycle arrival) override {
    sent.push_back(word);
    sentAt.push_back(arrival);
    if (next != nullptr) next->cpu.deliverSerial(word, arrival);
  }

  c32::Cpu cpu;
  Node* next = nullptr;
  bool othersVote = false;
  std::vector<std::uint32_t> sent;
  std::vector<Cycle> sentAt;
  std::vector<Epoch> epochs;
  std::uint64_t fetches = 0;
  std::uint64_t writes = 0;
  std::uint64_t readings = 0;
  std::string fault;

 private:
  std::vector<std::uint32_t>& sram_;
  c32::Drive xf0_ = c32::Drive::Released;
  c32::Drive xf1_ = c32::Drive::Released;
  bool arrived_ = false;
  Cycle arrival_ = 0;
  Cycle lowFrom_ = c32::kNever;
  Cycle lowTo_ = 0;
};

struct TestRay {
  std::array<double, 3> p{};
  std::array<double, 3> d{};
  double tmax = 1267650600228229401496703205376.0;
  Message type = Message::Ray;
};

struct TestResult {
  std::uint32_t header = 0;
  double t = 0;
  std::uint32_t element = kNoHit;
};

/// A chain of nodes on one SRAM, booted.
class Bench {
 public:
  explicit Bench(int nodes) : sram(kDefaultSramWords, 0xDEADBEEF) {
    image = c32::loadCoff(tigersharkFirmware());
    for (const auto& section : image.sections) {
      for (std::size_t i = 0; i < section.words.size(); ++i)
        sram[section.loadAddress + i] = section.words[i];
      base = std::max(base, section.loadAddress + section.size);
    }
    sram[kMasterMark] = 0;
    sram[kParamNodes] = static_cast<std::uint32_t>(nodes);
    for (int i = 0; i < nodes; ++i) chain.push_back(std::make_unique<Node>(sram));
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) chain[i]->next = chain[i + 1].get();
    for (auto& node : chain) node->cpu.reset(0);
    run();
  }

  Node& node(std::size_t i) { return *chain[i]; }
  Node& last() { return *chain.back(); }

  /// Puts a word on the wire to node 0, words back to back.
  void send(std::uint32_t word) {
    bit_ += 32;
    chain[0]->cpu.deliverSerial(word, cycleOfBit(bit_ + 2));
  }
  /// Runs every node until it waits for a word that is not on its way, in slices short against a
  /// word time.
  void run() {
    bool busy = true;
    while (busy) {
      busy = false;
      now_ += 40;
      for (auto& node : chain) {
        const c32::StopReason stop = node->cpu.run(now_);
        if (stop == c32::StopReason::Fault) {
          node->fault = node->cpu.fault().text;
        } else if (stop != c32::StopReason::Idle) {
          busy = true;
        }
      }
      for (const auto& node : chain) {
        if (!node->fault.empty()) return;
      }
    }
    bit_ = std::max(bit_, now_ * 115 / 300 + 1);
  }
  void token(std::uint32_t id = 0) {
    send(messageHeader(Message::Token, kAllNodes, 0));
    send(id);
    run();
    clear();
  }
  void clear() {
    for (auto& node : chain) {
      node->sent.clear();
      node->sentAt.clear();
      node->epochs.clear();
    }
  }
  void database(const std::vector<std::uint32_t>& words) {
    std::copy(words.begin(), words.end(), sram.begin() + base);
    sram[kParamDatabase] = base;
  }
  void ray(const TestRay& r, std::uint32_t node, std::uint32_t sequence) {
    send(messageHeader(r.type, node, sequence));
    for (const double x : r.p) send(c32::singleFromDouble(x));
    for (const double x : r.d) send(c32::singleFromDouble(x));
    send(c32::singleFromDouble(r.tmax));
  }
  void go() {
    send(messageHeader(Message::Go, kAllNodes, 0));
    run();
  }
  /// One ray a node, farthest first, then go; results in order of arrival at the chain's end.
  std::vector<TestResult> trace(const std::vector<TestRay>& rays) {
    clear();
    for (std::size_t i = rays.size(); i-- > 0;)
      ray(rays[i], static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(100 + i));
    go();
    std::vector<TestResult> results;
    const auto& words = last().sent;
    for (std::size_t i = 1; i + 2 < words.size(); i += 3) {  // word 0 is the go
      results.push_back({words[i], c32::doubleFromSingle(words[i + 1]), words[i + 2]});
    }
    return results;
  }
  std::uint32_t symbol(const std::string& name) const { return image.find(name).value(); }
  std::uint32_t word(std::size_t node, const std::string& name) const {
    return chain[node]->cpu.peek(symbol(name)).value();
  }
  [[nodiscard]] std::string faults() const {
    std::string all;
    for (const auto& node : chain) all += node->fault;
    return all;
  }
  [[nodiscard]] std::uint64_t lostWords() const {
    std::uint64_t lost = 0;
    for (const auto& node : chain) {
      lost += node->cpu.serial().receiveLost() + node->cpu.serial().transmitLost() +
              node->cpu.statistics().lateWords;
    }
    return lost;
  }

  c32::Image image;
  std::vector<std::uint32_t> sram;
  std::uint32_t base = 0;
  std::vector<std::unique_ptr<Node>> chain;

 private:
  static Cycle cycleOfBit(std::uint64_t bit) { return (bit * 300 + 114) / 115; }

  Cycle now_ = 0;
  std::uint64_t bit_ = 0;
};

}  // namespace rtvp::tigershark::test
