// A board without SystemC: memory, the barrier's release and both ends of the chain around an array
// engine, with the real firmware, a real scene's database and the platform's own ray order. For
// benchmarks and for tests that compare engines word by word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "firmware/tigershark_firmware.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/float40.hpp"
#include "models/tigershark/array_engine.hpp"
#include "models/tigershark/protocol.hpp"
#include "platform/drivers/tigershark/database.hpp"
#include "platform/raytree/coherence.hpp"
#include "platform/scene/load.hpp"

namespace rtvp::tigershark::test {

/// Words of one ray as they cross the chain: P, D, tmax.
struct ChainRay {
  std::array<std::uint32_t, 7> words{};
  bool shadow = false;
};

/// Consecutive eye rays of a picture in the platform's order, each followed by a shadow ray's worth
/// of nothing: eye rays only. `first` counts from the start of the order.
inline std::vector<ChainRay> eyeRays(const scene::Scene& scene, int side, std::size_t first,
                                     std::size_t count) {
  const auto order = host::pixelSequence(host::PixelOrder::Hilbert, side, side);
  std::vector<ChainRay> rays;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t pixel = order[(first + i) % order.size()];
    const int x = static_cast<int>(pixel) % side;
    const int y = static_cast<int>(pixel) / side;
    const scene::Vec3 d = scene.camera.direction(x + 0.5, y + 0.5, side, side);
    ChainRay ray;
    const double values[7] = {
        scene.camera.eye.x, scene.camera.eye.y, scene.camera.eye.z, d.x, d.y, d.z, 1e30};
    for (std::size_t k = 0; k < 7; ++k) ray.words[k] = c32::singleFromDouble(values[k]);
    rays.push_back(ray);
  }
  return rays;
}

/// Shadow rays from where the eye rays' results say they hit, towards a point.
inline std::vector<ChainRay> shadowRays(const std::vector<ChainRay>& eye,
                                        const std::vector<std::uint32_t>& t,
                                        const scene::Vec3& light) {
  std::vector<ChainRay> rays;
  for (std::size_t i = 0; i < eye.size(); ++i) {
    double p[3];
    double d[3];
    const double hit = 0.999 * c32::doubleFromSingle(t[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      p[k] =
          c32::doubleFromSingle(eye[i].words[k]) + hit * c32::doubleFromSingle(eye[i].words[3 + k]);
    }
    const double target[3] = {light.x, light.y, light.z};
    double squared = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      d[k] = target[k] - p[k];
      squared += d[k] * d[k];
    }
    const double distance = std::sqrt(squared);
    ChainRay ray;
    ray.shadow = true;
    for (std::size_t k = 0; k < 3; ++k) {
      ray.words[k] = c32::singleFromDouble(p[k]);
      ray.words[3 + k] = c32::singleFromDouble(d[k] / distance);
    }
    ray.words[6] = c32::singleFromDouble(distance);
    rays.push_back(ray);
  }
  return rays;
}

/// Words of the shared memory: firmware, a scene's database and where the firmware finds it.
inline std::vector<std::uint32_t> sceneMemory(const scene::Scene& scene) {
  std::vector<std::uint32_t> words(512 * 1024, 0);
  const c32::Image image = c32::loadCoff(tigersharkFirmware());
  std::uint32_t base = 0;
  for (const auto& s : image.sections) {
    std::copy(s.words.begin(), s.words.end(), words.begin() + s.loadAddress);
    base = std::max(base, s.loadAddress + s.size);
  }
  host::DatabaseOptions options;
  options.baseAddress = base;
  options.pageWords = static_cast<std::uint32_t>(words.size()) - base - 1;
  const auto databases = host::buildDatabases(scene, options);
  const auto& page = databases.at(0).pages.at(0);
  std::copy(page.words.begin(), page.words.end(), words.begin() + base);
  words[kParamDatabase] = base;
  return words;
}

/// A batch as words on the chain, farthest node first, then go.
inline std::vector<std::uint32_t> batchWords(const std::vector<ChainRay>& rays) {
  std::vector<std::uint32_t> words;
  for (std::size_t i = rays.size(); i-- > 0;) {
    words.push_back(messageHeader(rays[i].shadow ? Message::ShadowRay : Message::Ray,
                                  static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)));
    words.insert(words.end(), rays[i].words.begin(), rays[i].words.end());
  }
  words.push_back(messageHeader(Message::Go, kAllNodes, 0));
  return words;
}

class SceneBench final : public ArrayBoard {
 public:
  using Make = std::function<std::unique_ptr<ArrayEngine>(const ArrayConfig&, ArrayBoard&)>;
  struct Output {
    std::uint32_t word = 0;
    Cycle arrival = 0;
    bool operator==(const Output&) const = default;
  };

  SceneBench(const scene::Scene& scene, int lanes, const Make& make, ArrayConfig config = {},
             bool accounts = false)
      : sram_(sceneMemory(scene)), lanes_(lanes) {
    config.lanes = lanes;
    engine_ = make(config, *this);
    if (accounts) engine_->keepAccounts();
    engine_->reset(0);
    runToEnd();
    send(messageHeader(Message::Token, kAllNodes, 0));
    send(0);
    runToEnd();
    output_.clear();
  }

  // ---- one batch, phase by phase
  /// Sends a batch and runs until its first barrier is complete.
  void receive(const std::vector<ChainRay>& rays) {
    output_.clear();
    for (const std::uint32_t word : batchWords(rays)) send(word);
    outcome_ = advance();
  }
  /// All barriers but the last: the walk of the database.
  void traverse(std::uint64_t barriers) {
    for (std::uint64_t i = 0; i + 1 < barriers && outcome_.kind == ArrayOutcome::Kind::Barrier;
         ++i) {
      engine_->release(outcome_.cycle);
      outcome_ = advance();
    }
  }
  /// What is left: the last record and the results' way to the end of the chain.
  void finish() {
    runToEnd();
    for (int i = 0; i < lanes_; ++i) wire_ = std::max(wire_, engine_->lane(i).cycle);
  }
  void batch(const std::vector<ChainRay>& rays) {
    receive(rays);
    runToEnd();
    for (int i = 0; i < lanes_; ++i) wire_ = std::max(wire_, engine_->lane(i).cycle);
  }

  SharedReply sharedAccess(const c32::BusRequest& r) override {
    ++accesses;
    if (r.address >= sram_.size()) return {.error = true};
    if (r.op == c32::BusOp::Write) sram_[r.address] = r.data;
    return {.data = sram_[r.address]};
  }
  SharedWindow sharedWindow() override {
    return {reinterpret_cast<const unsigned char*>(sram_.data()), 0,
            static_cast<std::uint32_t>(sram_.size()), 0};
  }
  void sharedWindowRead(std::uint64_t words, Cycle /*cycle*/) override { accesses += words; }
  void chainOutput(std::uint32_t word, Cycle arrival) override {
    output_.push_back({word, arrival});
    wire_ = std::max(wire_, arrival);
  }

  [[nodiscard]] ArrayEngine& engine() { return *engine_; }
  [[nodiscard]] const std::vector<Output>& output() const { return output_; }
  /// t of node i's result, 0 if there is none.
  [[nodiscard]] std::vector<std::uint32_t> distances() const {
    std::vector<std::uint32_t> t(static_cast<std::size_t>(lanes_), 0);
    for (std::size_t k = 1; k + 2 < output_.size(); k += 3) {
      const std::size_t node = output_[k].word >> kMessageNodeShift & 0xFFF;
      if (node < t.size()) t[node] = output_[k + 1].word;
    }
    return t;
  }
  std::uint64_t accesses = 0;

 private:
  void send(std::uint32_t word) {
    wire_ += 84;
    engine_->chainInput(word, wire_);
  }
  ArrayOutcome advance() {
    const ArrayOutcome outcome = engine_->advance(c32::kNever);
    if (outcome.kind == ArrayOutcome::Kind::Error) {
      const ArrayError& e = engine_->error();
      throw std::runtime_error("lane " + std::to_string(e.lane) + ", PC " + std::to_string(e.pc) +
                               ": " + e.what + "; " + e.others);
    }
    return outcome;
  }
  void runToEnd() {
    if (outcome_.kind != ArrayOutcome::Kind::Barrier) outcome_ = advance();
    while (outcome_.kind == ArrayOutcome::Kind::Barrier) {
      engine_->release(outcome_.cycle);
      outcome_ = advance();
    }
    wire_ += 100;
  }

  std::vector<std::uint32_t> sram_;
  int lanes_;
  std::unique_ptr<ArrayEngine> engine_;
  ArrayOutcome outcome_;
  std::vector<Output> output_;
  Cycle wire_ = 0;
};

}  // namespace rtvp::tigershark::test
