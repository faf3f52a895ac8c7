// SL programs translated to C32 code on the real processor core: one node with the real shading
// firmware, points sent over its chain, colours compared with the plain machine's.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <random>

#include "firmware/shading_image.hpp"
#include "models/c32/asm/assembler.hpp"
#include "models/c32/cpu.hpp"
#include "models/c32/float40.hpp"
#include "models/c32/link/reassemble.hpp"
#include "models/c32/port.hpp"
#include "models/sl/math.hpp"
#include "models/tigershark/protocol.hpp"
#include "tests/models/sl/random_program.hpp"
#include "tests/models/sl/support.hpp"

namespace rtvp::sl::test {
namespace {

using rtvp::c32::Cycle;
namespace ts = rtvp::tigershark;
namespace dsp = rtvp::c32;

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

/// Ordinary numbers, none of them near the ends of a format's range.
Registers ordinary(RandomPrograms& random) {
  const auto number = [&random] {
    return (static_cast<float>(random.below(16001)) - 8000) * .001F;
  };
  Registers r;
  for (Vec3& v : r.vectors) v = {number(), number(), number()};
  for (float& s : r.scalars) s = number();
  return r;
}

/// Lines that do one form and bring its result, and only it, to v0.
struct FormLines {
  Form form;
  const char* lines;
  float tolerance;  ///< relative to 1 + the result's size
};

constexpr FormLines kForms24[] = {
    {Form::Rnd, "rnd s0\nrnd s1\nlc x v0, s0\nlc y v0, s1\n", 0},
    {Form::Turb1, "turb s1, Kd\nlc x v0, s1\n", 2e-6F},
    {Form::Turb3, "turb s1, xy\nlc x v0, s1\n", 2e-6F},
    {Form::MovV, "mov v0, N\n", 0},
    {Form::MovS, "mov s2, Kd\nlc x v0, s2\n", 0},
    {Form::Movc, "movc y s2, N\nlc x v0, s2\n", 0},
    {Form::Lc, "lc z v0, Kd\n", 0},
    {Form::Li, "li s2, -0.1\nlc x v0, s2\n", 0},
    {Form::Liv, "liv y v0, 12345.678\n", 0},
    {Form::AddV, "add v0, N, L\n", 1e-6F},
    {Form::AddS, "add s0, Kd, Ks\nlc x v0, s0\n", 1e-6F},
    {Form::SubV, "sub v0, N, L\n", 1e-6F},
    {Form::SubS, "sub s0, Kd, Ks\nlc x v0, s0\n", 1e-6F},
    {Form::Cross, "mul v0, N, L\n", 3e-6F},
    {Form::Scale, "mul v0, N, Ks\n", 1e-6F},
    {Form::MulS, "mul s0, Kd, Ks\nlc x v0, s0\n", 1e-6F},
    {Form::Dp3, "dp3 s0, N, L\nlc x v0, s0\n", 3e-6F},
    {Form::DivV, "div v0, N, S\n", 1e-6F},
    {Form::DivS, "div s0, Kd, S\nlc x v0, s0\n", 1e-6F},
    {Form::Clamp, "mov s0, Kd\nclamp s0, Ks, S\nlc x v0, s0\n", 0},
    {Form::Floor, "floor s0, Kd\nlc x v0, s0\n", 0},
    {Form::Ceil, "ceil s0, Kd\nlc x v0, s0\n", 0},
    {Form::Norm, "norm v0, N\n", 1e-6F},
    {Form::Pow, "dp3 s0, N, N\npow s0, s0, Kr\nlc x v0, s0\n", 1e-5F},
    {Form::Exp, "exp s0, Kd\nlc x v0, s0\n", 5e-6F},
};

// Each form alone, and behind a branch that some points take: those must keep what they had.
TEST(ShadingFirmware, EachFormAgrees) {
  RandomPrograms random(2);
  for (const FormLines& f : kForms24) {
    SCOPED_TRACE(f.lines);
    const auto lines = static_cast<int>(std::count(f.lines, f.lines + std::strlen(f.lines), '\n'));
    const std::string skip = "liv x v0, 0.5\nli s1, 3\nblt I, Ka, " + std::to_string(lines) + "\n";
    for (const std::string& source : {std::string(f.lines), skip + f.lines + "lc y v0, s1\n"}) {
      const Program program = codeOf(source);
      const firmware::ShadingImage image = firmware::buildShadingImage(program);
      Node node(image);
      for (int n = 0; n < 25; ++n) {
        Registers r = ordinary(random);
        r.scalar(reg::S) += r.scalar(reg::S) < 0 ? -.5F : .5F;
        const auto seed = static_cast<std::uint32_t>(n + 1);
        const Vec3 got = node.shade(r, seed).v0, expected = plainColour(program, r, seed);
        for (unsigned lane = 0; lane < 3; ++lane) {
          ASSERT_NEAR(got[lane], expected[lane], f.tolerance * (1 + std::fabs(expected[lane])))
              << source << "point " << n << " lane " << lane;
        }
      }
    }
  }
}

/// `c32-objdump --asm` of the firmware of each example assembles to the same words.
TEST(ShadingFirmware, AssemblesAgain) {
  for (const char* name :
       {"toon", "checker", "marble", "wood", "constant", "cos_attenuated", "full_attenuated"}) {
    const dsp::Image image = firmware::buildShadingImage(programOf(sourceOf(name))).image;
    dsp::AssemblerOptions options;
    options.enhanced = true;
    options.warnings.set("none");
    const dsp::AssemblyResult again =
        dsp::assemble("again.asm", dsp::reassemblable(image), options);
    ASSERT_TRUE(again.image) << name << "\n" << again.report().substr(0, 2000);
    ASSERT_EQ(again.image->sections.size(), image.sections.size()) << name;
    EXPECT_EQ(again.image->entry, image.entry) << name;
    for (const dsp::Section& s : image.sections) {
      const auto& sections = again.image->sections;
      const auto same = std::find_if(sections.begin(), sections.end(), [&](const dsp::Section& a) {
        return a.name == s.name && a.loadAddress == s.loadAddress && a.runAddress == s.runAddress;
      });
      ASSERT_NE(same, sections.end()) << name << " " << s.name;
      EXPECT_TRUE(same->words == s.words) << name << " " << s.name;
    }
  }
}

// What IEEE leaves the range for: the largest number, or 0 where the result would be no number.
TEST(ShadingFirmware, BeyondTheRange) {
  const auto one = [](const std::string& lines, float a, float b) {
    const Program program = codeOf(lines + "lc x v0, s0\n");
    const firmware::ShadingImage image = firmware::buildShadingImage(program);
    Node node(image);
    Registers r;
    r.scalar(reg::Kd) = a;
    r.scalar(reg::Ks) = b;
    return node.shade(r, 1).v0.x;
  };
  EXPECT_GT(one("div s0, Kd, Ks\n", 1, 0), 3e38F);
  EXPECT_GT(one("exp s0, Kd\n", 1000, 0), 3e38F);
  EXPECT_EQ(one("exp s0, Kd\n", -1000, 0), 0);
  EXPECT_EQ(one("pow s0, Kd, Ks\n", 0, 2), 0);
  EXPECT_GT(one("pow s0, Kd, Ks\n", 0, -2), 3e38F);
  EXPECT_EQ(one("pow s0, Kd, Ks\n", 0, 0), 1);
  EXPECT_EQ(one("pow s0, Kd, Ks\n", -2, .5F), 0);
  EXPECT_NEAR(one("pow s0, Kd, Ks\n", -2, 3), -8, 1e-4);
  EXPECT_NEAR(one("pow s0, Kd, Ks\n", -2, 4), 16, 1e-4);
  EXPECT_EQ(one("floor s0, Kd\n", 3e30F, 0), static_cast<float>(3e30F));
  EXPECT_EQ(one("turb s0, Kd\n", 3e30F, 0), 0);
}

// Random jumps over arithmetic on small whole numbers, which both machines do without rounding.
TEST(ShadingFirmware, RandomControlFlowAgreesExactly) {
  constexpr std::uint32_t kSeed = 77;
  constexpr int kPrograms = 40;
  std::cout << "seed " << kSeed << ", " << kPrograms << " programs\n";
  RandomPrograms random(kSeed);
  int looped = 0, over = 0;
  for (int n = 0; n < kPrograms; ++n) {
    const std::uint32_t count = 4 + random.below(20);
    std::string lines;
    for (std::uint32_t pc = 0; pc < count; ++pc) {
      const auto s = [&random] { return "s" + std::to_string(random.below(4)); };
      const auto k = [&random] {
        constexpr const char* kNames[] = {"Kd", "Ks", "Kr", "Kt", "Ka"};
        return std::string(kNames[random.below(5)]);
      };
      const unsigned to = random.below(5) == 0 ? random.below(count + 1)
                                               : std::min(count, pc + 1 + random.below(5));
      const std::string offset = std::to_string(static_cast<int>(to) - static_cast<int>(pc) - 1);
      switch (random.below(9)) {
        case 0:
          lines += "jmp " + offset + "\n";
          break;
        case 1:
        case 2:
        case 3:
          lines += "blt " + s() + ", " + (random.below(2) == 0 ? s() : k()) + ", " + offset + "\n";
          break;
        case 4:
          lines += random.below(3) == 0 ? "ret\n" : "nop\n";
          break;
        case 5: {
          const std::string target = s();
          lines += "sub " + target + ", " + target + ", " + k() + "\n";
          break;
        }
        case 6:
          lines += "lc " + std::string(1, "xyz"[random.below(3)]) + " v0, " + s() + "\n";
          break;
        default: {
          const std::string target = s();
          lines += "add " + target + ", " + target + ", " + k() + "\n";
        }
      }
    }
    const Program program = codeOf(lines);
    const firmware::ShadingImage image = firmware::buildShadingImage(program);
    Node node(image);
    for (int point = 0; point < 4; ++point) {
      Registers r;
      for (float& x : r.scalars) x = static_cast<float>(static_cast<int>(random.below(41)) - 8);
      FixedWorld world;
      Vm vm(program);
      vm.start(r, 1);
      const Stop stop = vm.run(world);
      const Node::Colour got = node.shade(r, 1);
      ASSERT_EQ(got.over_budget, stop == Stop::Budget) << lines;
      for (unsigned lane = 0; lane < 3; ++lane)
        ASSERT_EQ(got.v0[lane], vm.colour()[lane]) << lines << "lane " << lane;
      looped += vm.instructions() > program.size() ? 1 : 0;
      over += stop == Stop::Budget ? 1 : 0;
    }
  }
  EXPECT_GT(looped, 10);
  EXPECT_GT(over, 2);
}

TEST(ShadingFirmware, BudgetIsExact) {
  const auto over = [](const std::string& lines) {
    const Program program = codeOf(lines);
    const firmware::ShadingImage image = firmware::buildShadingImage(program);
    Node node(image);
    return node.shade({}, 1).over_budget;
  };
  const std::string loop = "li s1, 1\nli s2, 32766\nliv x v0, 1\nadd s0, s0, s1\nblt s0, s2, -2\n";
  EXPECT_FALSE(over(loop + "ret\n"));
  EXPECT_TRUE(over(loop + "nop\nret\n"));
}

TEST(ShadingFirmware, RefusesWhatABoardCannotRun) {
  const auto refusal = [](const std::string& lines) -> std::string {
    try {
      c32::translate(codeOf(lines));
    } catch (const c32::Untranslatable& e) {
      return e.what();
    }
    return "translated";
  };
  EXPECT_NE(refusal("nop\ntrace v0, Pw, N\n").find("instruction 1 (trace v0, Pw, N)"),
            std::string::npos);
  EXPECT_NE(refusal("lookup v0, t0, uv\n").find("lookup"), std::string::npos);
  EXPECT_NE(refusal("mov v0, t3\n").find("textures"), std::string::npos);
  std::string longest;
  for (std::uint32_t n = 0; n <= c32::kMostInstructions; ++n) longest += "nop\n";
  EXPECT_NE(refusal(longest).find("at most"), std::string::npos);
  // Many different literals need more words than internal RAM has.
  std::string literals;
  for (int n = 0; n < 300; ++n) literals += "li s0, " + std::to_string(n) + ".5\n";
  EXPECT_THROW(firmware::buildShadingImage(codeOf(literals)), firmware::ShadingImageError);
}

}  // namespace
}  // namespace rtvp::sl::test
