// The shading unit behind its driver against the virtual machine in plain C++: the same ray tree,
// the same hits, the same picture.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <systemc>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/sl/math.hpp"
#include "models/sl/unit/sl_unit.hpp"
#include "models/sl/vm.hpp"
#include "platform/drivers/sl/driver.hpp"
#include "platform/raytree/ray_tree.hpp"
#include "platform/raytree/shader_programs.hpp"
#include "platform/reference/reference_finder.hpp"
#include "platform/scene/load.hpp"
#include "tests/platform/scene/support.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::host {
namespace {

namespace reg = sl::reg;
using scene::Vec3;

Vec3 wide(const sl::Vec3& v) {
  return {double{v.x}, double{v.y}, double{v.z}};
}
sl::Vec3 narrow(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// Runs programs on the plain machine, with textures straight from the scene.
class PlainShading : public SurfaceShading {
 public:
  explicit PlainShading(const scene::Scene& scene)
      : scene_(scene), programs_(loadPrograms(scene)) {}

  void shade(std::span<const ShadingPoint> points, const ShaderRays& rays,
             std::span<sl::Vec3> colours) override {
    for (std::size_t i = 0; i < points.size(); ++i) colours[i] = run(points, i, rays);
  }

 private:
  sl::Vec3 run(std::span<const ShadingPoint> points, std::size_t index, const ShaderRays& rays) {
    const ShadingPoint& point = points[index];
    const scene::SurfaceShader& surface = scene_.surfaces[point.surface];
    sl::Registers r = point.registers;
    const sl::Vec3 n = r.vector(reg::N);
    const sl::Vec3 v = r.vector(reg::V);
    const float twice = 2 * sl::dot(n, v);
    const sl::Vec3 mirrored{n.x * twice - v.x, n.y * twice - v.y, n.z * twice - v.z};
    for (unsigned slot = 0; slot < sl::kTextureSlots; ++slot) {
      r.vector(reg::t0 + slot) = sample(point, surface.textures[slot], point.s, point.t, mirrored);
    }
    sl::Vm vm(*programs_[point.surface]);
    vm.start(r, point.seed);
    while (true) {
      const sl::Stop stop = vm.run();
      if (stop == sl::Stop::Trace) {
        sl::Vec3 answer;
        const ShaderRay ray{index, vm.traceOrigin(), vm.traceDirection()};
        if (point.traceLive) rays({&ray, 1}, {&answer, 1});
        vm.finishTrace(answer);
      } else if (stop == sl::Stop::Lookup) {
        const sl::Vec3& at = vm.registers().vector(vm.program()[vm.pc()].b);
        vm.finishLookup(sample(point, surface.textures[vm.lookupSlot()], at.x, at.y, at));
      } else {
        return vm.colour();
      }
    }
  }
  [[nodiscard]] sl::Vec3 sample(const ShadingPoint& point, std::uint32_t texture, float s, float t,
                                const sl::Vec3& direction) const {
    if (texture == scene::kNoIndex) return {};
    const scene::Texture& picture = scene_.textures[texture];
    if (picture.kind != scene::Texture::Kind::Cube) return narrow(scene::sample(picture, s, t));
    return narrow(scene::sampleCube(picture, point.space.directionToWorld(wide(direction))));
  }

  const scene::Scene& scene_;
  std::vector<std::shared_ptr<const sl::Program>> programs_;
};

/// A host with a shading unit and its memory.
struct Computer {
  static constexpr std::uint64_t kUnit = 0x1'0000'0000, kMemory = 0x2'0000'0000;

  Computer(const scene::Scene& scene, std::function<void(HostBus&)> program)
      : memory("memory", config(SlDriver::memoryBytes(scene))),
        unit("sl", {}),
        host("host", {.interruptLines = 1, .program = std::move(program)}) {
    host.bus_isock.bind(interconnect.bus_tsock);
    interconnect.attach(unit.host_tsock, "sl", kUnit, sl::unit::kSize);
    interconnect.attach(memory.bus_tsock, "memory", kMemory, memory.config().size);
    unit.memory_isock.bind(interconnect.bus_tsock);
    unit.irq_o.bind(irq);
    host.inta_i[0].bind(irq);
  }
  static common::MemoryConfig config(std::uint64_t bytes) {
    common::MemoryConfig c;
    c.size = bytes;
    return c;
  }
  common::Interconnect interconnect{"interconnect"};
  common::Memory memory;
  sl::unit::SlUnit unit;
  HostProcess host;
  sc_core::sc_signal<bool> irq{"irq"};
};

SlDriverConfig driverConfig(const scene::Scene& scene) {
  SlDriverConfig config;
  config.unitBase = Computer::kUnit;
  config.memoryBase = Computer::kMemory;
  config.programWords = 4096;
  config.programs = loadPrograms(scene);
  return config;
}

report::Image rendered(const scene::Scene& scene, const RenderOptions& options,
                       SurfaceShading& shading, ShaderCounts& counts) {
  reference::ReferenceFinder finder(scene);
  RayTree tree(scene, options);
  Framebuffer picture = tree.makeFramebuffer();
  tree.render(finder, picture, {}, &shading);
  counts = tree.shaderCounts();
  return picture.image();
}

void expectSamePicture(const scene::Scene& scene, const RenderOptions& options, int tolerance) {
  rtvp::test::inChild([&] {
    PlainShading plain(scene);
    ShaderCounts plainCounts;
    const report::Image right = rendered(scene, options, plain, plainCounts);
    report::Image image;
    ShaderCounts counts;
    std::unique_ptr<SlDriver> driver;
    Computer computer(scene, [&](HostBus& bus) {
      driver = std::make_unique<SlDriver>(bus, scene, driverConfig(scene));
      driver->start();
      image = rendered(scene, options, *driver, counts);
    });
    sc_core::sc_start();
    if (computer.host.error()) std::rethrow_exception(computer.host.error());
    ASSERT_EQ(image.rgb.size(), right.rgb.size());
    for (std::size_t i = 0; i < image.rgb.size(); ++i) {
      ASSERT_NEAR(image.rgb[i], right.rgb[i], tolerance) << "sample " << i;
    }
    EXPECT_EQ(counts.runs, plainCounts.runs);
    EXPECT_EQ(counts.rays, plainCounts.rays);
    EXPECT_EQ(computer.unit.core().counters().runs, counts.runs);
    EXPECT_EQ(driver->counters().answers, counts.rays);
  });
}

TEST(SlDriver, TheShaderBallsAreThoseOfTheVirtualMachine) {
  scene::Scene balls = scene::load(std::string(RTVP_SOURCE_DIR) + "/scenes/shaderball.shk");
  balls.width = balls.height = 40;
  // The unit keeps bump normals in 2 x 16 bits.
  expectSamePicture(balls, {}, 1);
}

TEST(SlDriver, ManySamplesAndBatchesGoRoundTheQueues) {
  scene::Scene balls = scene::load(std::string(RTVP_SOURCE_DIR) + "/scenes/shaderball.shk");
  balls.width = balls.height = 48;
  RenderOptions options;
  options.samples = 16;
  options.depth = 2;
  expectSamePicture(balls, options, 1);
}

/// While nothing is under way all slots are free: an eighth of them, 4096, is one batch.
TEST(SlDriver, AnEighthOfTheSlotsIsABatch) {
  rtvp::test::inChild([] {
    const scene::test::Folder folder;
    folder.write("red.sl", "sl 1.0\nmov v0, C0\n");
    const scene::Scene wall = scene::load(folder.write(
        "wall.shk",
        "w 64\nh 64\nb 0 0 1\ne 0 0 1\nlo 0 0 0\nsurface red\nt -99 -99 0 99 -99 0 0 99 0\n"));
    std::uint64_t batches = 0;
    Computer computer(wall, [&](HostBus& bus) {
      SlDriver driver(bus, wall, driverConfig(wall));
      driver.start();
      std::vector<ShadingPoint> points(4096);
      std::vector<sl::Vec3> colours(points.size());
      driver.shade(points, {}, colours);
      batches = driver.counters().batches;
    });
    sc_core::sc_start();
    if (computer.host.error()) std::rethrow_exception(computer.host.error());
    EXPECT_EQ(batches, 1U);
  });
}

TEST(SlDriver, RecursionAsDeepAsItMayBe) {
  const scene::test::Folder folder;
  folder.write("hall.sl", "sl 1.0\ntrace r0, Pw, N\nliv r v0, 0.01\nadd v0, v0, r0\n");
  scene::Scene hall = scene::load(
      folder.write("hall.shk",
                   "w 40\nh 40\nb 0 0 1\ne 0 0 1\nlo 0 0 0\nsurface hall\nt -9 -9 0 9 -9 0 0 9 0\n"
                   "t -9 -9 5 0 9 5 9 -9 5\n"));
  RenderOptions options;
  options.depth = 32;
  expectSamePicture(hall, options, 0);
}

}  // namespace
}  // namespace rtvp::host
