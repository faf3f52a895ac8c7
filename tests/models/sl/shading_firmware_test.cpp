// SL programs translated to C32 code on the real processor core: one node with the real shading
// firmware, points sent over its chain, colours compared with the plain machine's.
#include <algorithm>
#include <iostream>
#include <random>

#include "firmware/shading_image.hpp"
#include "models/c32/cpu.hpp"
#include "models/c32/float40.hpp"
#include "models/c32/port.hpp"
#include "models/sl/math.hpp"
#include "models/tigershark/protocol.hpp"
#include "tests/models/sl/random_program.hpp"
#include "tests/models/sl/support.hpp"

namespace rtvp::sl::test {
namespace {

using rtvp::c32::Cycle;
namespace ts = rtvp::tigershark;

/// A node whose barrier releases four cycles after its own arrival and whose vote is the only one.
class Node final : public rtvp::c32::CpuPort {
 public:
  explicit Node(const firmware::ShadingImage& image)
      : cpu(rtvp::c32::CpuConfig{}, *this),
        image_(image),
        sram_(ts::kDefaultSramWords, 0xDEADBEEF) {
    for (const auto& s : image.image.sections)
      std::copy(s.words.begin(), s.words.end(), sram_.begin() + s.loadAddress);
    sram_[ts::kParamDatabase] = image.entry;
    cpu.reset(0);
    run();
    send(ts::messageHeader(ts::Message::Token, ts::kAllNodes, 0));
    send(0);
    run();
    sent.clear();
  }

  rtvp::c32::BusReply busAccess(const rtvp::c32::BusRequest& r) override {
    if (r.address >= sram_.size()) return {.status = rtvp::c32::BusReply::Status::Error};
    rtvp::c32::BusReply reply;
    reply.start = r.cycle;
    if (arrived_ && r.cycle != arrival_ + 4) fault = "access not pending at the release";
    arrived_ = false;
    if (r.op == rtvp::c32::BusOp::Write) fault = "writes to the shared memory";
    reply.data = sram_[r.address];
    return reply;
  }
  void pinsDriven(rtvp::c32::Drive xf0, rtvp::c32::Drive xf1, Cycle cycle) override {
    if (xf1 == rtvp::c32::Drive::Low && xf1_ != rtvp::c32::Drive::Low) {
      arrived_ = true;
      arrival_ = cycle;
      ++barriers;
    }
    xf0_ = xf0;
    xf1_ = xf1;
  }
  rtvp::c32::PinReply pinsSampled(Cycle /*cycle*/) override {
    return {.ready = true, .xf0 = xf0_ != rtvp::c32::Drive::Low, .xf1 = true};
  }
  void serialTransmitted(std::uint32_t word, int /*bits*/, Cycle /*arrival*/) override {
    sent.push_back(word);
  }

  void send(std::uint32_t word) {
    at_ = std::max(at_ + 90, cpu.cycle() + 90);
    cpu.deliverSerial(word, at_);
  }
  void run() {
    for (;;) {
      const auto stop = cpu.run(cpu.cycle() + 1'000'000);
      if (stop == rtvp::c32::StopReason::Fault) fault = cpu.fault().text;
      if (stop == rtvp::c32::StopReason::Idle && cpu.cycle() > at_) return;
      if (!fault.empty()) return;
      if (stop == rtvp::c32::StopReason::Idle) at_ = std::min(at_, cpu.cycle());
    }
  }

  struct Colour {
    Vec3 v0;
    bool over_budget = false;
    std::uint32_t cycles = 0;
  };
  Colour shade(const Registers& registers, std::uint32_t seed) {
    sent.clear();
    send(ts::messageHeader(ts::Message::Point, 0, 7));
    for (const c32::Input& in : image_.inputs) {
      if (in.id == c32::kRandomState) {
        send(seed);
      } else {
        const float x =
            isVector(in.id) ? registers.vector(in.id)[in.lane] : registers.scalar(in.id);
        send(rtvp::c32::singleFromIeee(std::bit_cast<std::uint32_t>(x)));
      }
    }
    send(ts::messageHeader(ts::Message::Go, ts::kAllNodes, 0));
    run();
    EXPECT_EQ(fault, "");
    EXPECT_EQ(sent.size(), 1 + ts::kColourWords);
    if (sent.size() != 1 + ts::kColourWords) return {};
    EXPECT_EQ(sent[1], ts::messageHeader(ts::Message::Result, 0, 7));
    const auto value = [this](std::size_t n) {
      return static_cast<float>(rtvp::c32::doubleFromSingle(sent[n]));
    };
    return {{value(2), value(3), value(4)},
            (sent[5] & ts::kColourOverBudget) != 0,
            2 * (sent[5] & ~ts::kColourOverBudget)};
  }

  rtvp::c32::Cpu cpu;
  std::vector<std::uint32_t> sent;
  std::string fault;
  int barriers = 0;

 private:
  const firmware::ShadingImage& image_;
  std::vector<std::uint32_t> sram_;
  Cycle at_ = 0;
  bool arrived_ = false;
  Cycle arrival_ = 0;
  rtvp::c32::Drive xf0_ = rtvp::c32::Drive::Released;
  rtvp::c32::Drive xf1_ = rtvp::c32::Drive::Released;
};

Vec3 plainColour(const Program& program, const Registers& registers, std::uint32_t seed) {
  FixedWorld world;
  Vm vm(program);
  vm.start(registers, seed);
  vm.run(world);
  return vm.colour();
}

TEST(ShadingFirmware, ExamplesAgree) {
  RandomPrograms random(1);
  for (const char* name :
       {"toon", "checker", "marble", "wood", "constant", "cos_attenuated", "full_attenuated"}) {
    SCOPED_TRACE(name);
    const Program program = programOf(sourceOf(name));
    const firmware::ShadingImage image = firmware::buildShadingImage(program);
    Node node(image);
    std::uint64_t cycles = 0;
    constexpr int kCount = 40;
    for (int n = 0; n < kCount + 2; ++n) {
      Registers r = n % 2 == 0 ? inputsA() : inputsB();
      if (n >= 2) {
        for (const unsigned id : {reg::L, reg::V, reg::N}) {
          const auto part = [&] { return static_cast<float>(random.below(2001)) * .001F - 1; };
          r.vector(id) = norm({part(), part(), part()});
        }
        const auto place = [&] { return static_cast<float>(random.below(2001)) * .005F - 5; };
        r.vector(reg::xy) = {place(), place(), place()};
      }
      const Node::Colour got = node.shade(r, 1);
      const Vec3 expected = plainColour(program, r, 1);
      for (unsigned lane = 0; lane < 3; ++lane)
        EXPECT_NEAR(got.v0[lane], expected[lane], 2e-5) << "point " << n << " lane " << lane;
      EXPECT_FALSE(got.over_budget);
      cycles += got.cycles;
      if (HasFailure()) return;
    }
    std::cout << name << ": " << cycles / (kCount + 2) << " cycles a point, "
              << image.inputs.size() + 1 << " words\n";
  }
}

}  // namespace
}  // namespace rtvp::sl::test
