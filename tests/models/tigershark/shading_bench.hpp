// A board without SystemC that shades: memory, the barrier's release and both ends of the chain
// around an array engine, with the real shading firmware of a program of tests/data/sl and points
// all over the place. For benchmarks and for tests that compare engines word by word.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "firmware/shading_image.hpp"
#include "models/c32/float40.hpp"
#include "models/sl/assembler.hpp"
#include "models/sl/math.hpp"
#include "models/sl/registers.hpp"
#include "models/tigershark/array_engine.hpp"
#include "models/tigershark/protocol.hpp"

namespace rtvp::tigershark::test {

/// Of the program in a file.
inline firmware::ShadingImage shadingImage(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  const std::string source{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const sl::AssemblyResult result = sl::assemble(file, source, {});
  if (!result.program) throw std::runtime_error(result.report());
  return firmware::buildShadingImage(*result.program);
}

class ShadingBench final : public ArrayBoard {
 public:
  using Make = std::function<std::unique_ptr<ArrayEngine>(const ArrayConfig&, ArrayBoard&)>;
  struct Output {
    std::uint32_t word = 0;
    Cycle arrival = 0;
    bool operator==(const Output&) const = default;
  };

  ShadingBench(const std::string& file, int lanes, const Make& make, ArrayConfig config = {},
               bool accounts = false)
      : image_(shadingImage(file)), sram_(kDefaultSramWords), lanes_(lanes) {
    for (const auto& s : image_.image.sections)
      std::copy(s.words.begin(), s.words.end(), sram_.begin() + s.loadAddress);
    sram_[kParamDatabase] = image_.entry;
    config.lanes = lanes;
    engine_ = make(config, *this);
    if (accounts) engine_->keepAccounts();
    engine_->reset(0);
    finish();
    send(messageHeader(Message::Token, kAllNodes, 0));
    send(0);
    finish();
  }

  // ---- one batch, phase by phase
  /// Sends a point to every node and runs until all stand at the program's begin.
  void receive(std::uint32_t seed) {
    output_.clear();
    std::mt19937 random(seed);
    for (std::uint32_t node = static_cast<std::uint32_t>(lanes_); node-- > 0;) {
      send(messageHeader(Message::Point, node, node));
      for (const sl::c32::Input& in : image_.inputs) send(wordOf(in, random));
    }
    send(messageHeader(Message::Go, kAllNodes, 0));
    advance(c32::kNever);
    begin_ = outcome_.cycle;
  }
  /// The program, up to so many cycles behind its begin.
  void shade(Cycle cycles) {
    while (outcome_.kind == ArrayOutcome::Kind::Barrier) {
      engine_->release(outcome_.cycle);
      advance(begin_ + cycles);
    }
  }
  /// What is left: the results' way to the end of the chain.
  void finish() {
    if (outcome_.kind != ArrayOutcome::Kind::Barrier) advance(c32::kNever);
    while (outcome_.kind == ArrayOutcome::Kind::Barrier) {
      engine_->release(outcome_.cycle);
      advance(c32::kNever);
    }
    wire_ += 100;
    for (int i = 0; i < lanes_; ++i) wire_ = std::max(wire_, engine_->lane(i).cycle);
  }
  void batch(std::uint32_t seed) {
    receive(seed);
    finish();
  }
  /// What the first node's own clock says its latest run has taken.
  [[nodiscard]] Cycle programCycles() const {
    if (output_.size() < 1 + kColourWords) throw std::runtime_error("no result came back");
    return 2 * Cycle{output_.back().word & ~kColourOverBudget};
  }

  SharedReply sharedAccess(const c32::BusRequest& r) override {
    ++accesses;
    if (r.address >= sram_.size()) return {.error = true};
    if (r.op == c32::BusOp::Write) sram_[r.address] = r.data;
    return {.data = sram_[r.address], .waitStates = waitStates};
  }
  SharedWindow sharedWindow() override {
    if (!offersWindow) return {};
    return {reinterpret_cast<const unsigned char*>(sram_.data()), 0,
            static_cast<std::uint32_t>(sram_.size()), waitStates};
  }
  void sharedWindowRead(std::uint64_t words, Cycle /*cycle*/) override { accesses += words; }
  void chainOutput(std::uint32_t word, Cycle arrival) override {
    output_.push_back({word, arrival});
    wire_ = std::max(wire_, arrival);
  }

  [[nodiscard]] ArrayEngine& engine() { return *engine_; }
  [[nodiscard]] const std::vector<Output>& output() const { return output_; }
  std::uint64_t accesses = 0;
  std::uint32_t waitStates = 0;
  bool offersWindow = true;

 private:
  static std::uint32_t wordOf(const sl::c32::Input& in, std::mt19937& random) {
    if (in.id == sl::c32::kRandomState) return static_cast<std::uint32_t>(random()) | 1U;
    const float x = static_cast<float>(random() % 4001) * .0025F - 5;
    return c32::singleFromIeee(std::bit_cast<std::uint32_t>(x));
  }
  void send(std::uint32_t word) {
    wire_ += 84;
    engine_->chainInput(word, wire_);
  }
  void advance(Cycle horizon) {
    outcome_ = engine_->advance(horizon);
    if (outcome_.kind != ArrayOutcome::Kind::Error) return;
    const ArrayError& e = engine_->error();
    throw std::runtime_error("lane " + std::to_string(e.lane) + ", PC " + std::to_string(e.pc) +
                             ": " + e.what + "; " + e.others);
  }

  firmware::ShadingImage image_;
  std::vector<std::uint32_t> sram_;
  int lanes_;
  std::unique_ptr<ArrayEngine> engine_;
  ArrayOutcome outcome_;
  std::vector<Output> output_;
  Cycle wire_ = 0;
  Cycle begin_ = 0;
};

}  // namespace rtvp::tigershark::test
