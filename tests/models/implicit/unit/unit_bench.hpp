// A host with the unit and its memory on one interconnect, and the memory image of a scene as a
// driver writes it.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/implicit/codec.hpp"
#include "models/implicit/registers/program.hpp"
#include "models/implicit/render/frame.hpp"
#include "models/implicit/unit/implicit_unit.hpp"
#include "models/implicit/unit/layout.hpp"
#include "models/implicit/unit/words.hpp"
#include "tests/models/implicit/support.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::implicit::unit::test {

using sc_core::sc_time;

inline constexpr std::uint64_t kUnit = 0;
inline constexpr std::uint64_t kMemory = 0x1'0000'0000;

/// Addresses of everything, relative to the memory.
namespace at {
inline constexpr std::uint64_t kRing = 0x1000, kObjects = 0x3000, kDescriptions = 0x4000;
inline constexpr std::uint64_t kTapes = 0x5000, kTapeStep = 0x2000;  ///< a tape each step
inline constexpr std::uint64_t kPrograms = 0x18000, kClauses = 0x19000;
inline constexpr std::uint64_t kLeaves = 0x40000, kLeafPrograms = 0x100000;
inline constexpr std::uint64_t kRays = 0x300000, kHits = 0x400000, kDepth = 0x800000;
inline constexpr std::uint64_t kMemorySize = 0x1000000;
}  // namespace at
inline constexpr std::uint32_t kLeafBytes = 0xC0000, kLeafWords = 0x40000;
inline constexpr std::uint32_t kRingEntries = 8;

/// One object of a test scene.
struct Instance {
  std::uint32_t kind = object::kTape;
  std::uint32_t number = 0;
  std::uint32_t id = 0;
  float lipschitz = 0;
  std::array<float, 12> world{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
};

struct Scene {
  std::vector<Tape> tapes;
  std::vector<std::pair<registers::Program, Bounds>> programs;
  std::vector<Instance> instances;
};

/// A tape with bounds, from text.
inline Tape bounded(const std::string& text, const Bounds& bounds) {
  Tape tape = implicit::test::assembled(text);
  tape.bounds = bounds;
  return tape;
}

inline constexpr Bounds kDefaultBounds{{-1.22224F, -0.44445F, -1.22224F},
                                       {1.33334F, 1.88891F, 1.33334F}};

inline Scene defaultScene() {
  Scene scene;
  scene.tapes.push_back(bounded(implicit::test::kDefaultObject, kDefaultBounds));
  scene.instances.push_back({object::kTape, 0, 7, 1, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}});
  return scene;
}

struct BenchConfig {
  ImplicitUnitConfig unit;
  bool memory_dmi = true;
};

struct Bench : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Bench, 32> isock{"isock"};
  common::Interconnect interconnect{"interconnect"};
  common::Memory memory;
  ImplicitUnit unit;
  sc_core::sc_signal<bool> irq{"irq"};
  std::function<void(Bench&)> body;
  std::uint32_t queued = 0;

  Bench(sc_core::sc_module_name name, const BenchConfig& config, std::function<void(Bench&)> run)
      : sc_module(name),
        memory("memory", memoryConfig(config.memory_dmi)),
        unit("implicit", config.unit),
        body(std::move(run)) {
    isock.bind(interconnect.bus_tsock);
    interconnect.attach(unit.host_tsock, "implicit", kUnit, kSize);
    interconnect.attach(memory.bus_tsock, "memory", kMemory, memory.config().size);
    unit.memory_isock.bind(interconnect.bus_tsock);
    unit.irq_o.bind(irq);
    SC_HAS_PROCESS(Bench);
    SC_THREAD(thread);
  }
  static common::MemoryConfig memoryConfig(bool dmi) {
    common::MemoryConfig config;
    config.size = at::kMemorySize;
    config.read_latency = config.write_latency = sc_time(60, sc_core::SC_NS);
    config.dmi = dmi;
    return config;
  }
  void thread() {
    body(*this);
    sc_core::sc_stop();
  }

  // ---- registers
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                  unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_byte_enable_ptr(nullptr);
    sc_time delay = sc_core::SC_ZERO_TIME;
    isock->b_transport(payload, delay);
    if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    return payload.get_response_status();
  }
  std::uint32_t read(std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, kUnit + offset, &value, 4), tlm::TLM_OK_RESPONSE);
    return value;
  }
  std::uint32_t read(Reg reg) { return read(reg.offset()); }
  void write(std::uint32_t offset, std::uint32_t value) {
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, kUnit + offset, &value, 4), tlm::TLM_OK_RESPONSE);
  }
  void write(Reg reg, std::uint32_t value) { write(reg.offset(), value); }
  std::uint64_t counter(Counter which) {
    const std::uint64_t low = read(offsetOf(which));
    return low | std::uint64_t{read(offsetOf(which) + 4)} << 32U;
  }
  void area(Reg count, std::uint64_t offset, std::uint32_t elements) {
    const std::uint32_t at = count.offset() - 8;
    write(at, static_cast<std::uint32_t>(kMemory + offset));
    write(at + 4, static_cast<std::uint32_t>((kMemory + offset) >> 32U));
    write(at + 8, elements);
  }

  // ---- memory
  std::uint8_t* bytes(std::uint64_t offset) { return memory.bytes().data() + offset; }
  void poke(std::uint64_t offset, const std::vector<std::uint8_t>& data) {
    std::copy(data.begin(), data.end(), bytes(offset));
  }
  void put(std::uint64_t offset, std::uint32_t value) { putWord(bytes(offset), 0, value); }
  void putF(std::uint64_t offset, float value) { putFloat(bytes(offset), 0, value); }
  std::uint32_t word(std::uint64_t offset) { return wordAt(bytes(offset), 0); }

  /// Records, tapes, programs and the registers that say where they are.
  void load(const Scene& scene) {
    bool wide = false;
    if (!scene.tapes.empty()) wide = loadTapes(scene);
    loadPrograms(scene);
    for (std::size_t n = 0; n < scene.instances.size(); ++n) place(n, scene.instances[n]);
    area("OBJECTS", at::kObjects, static_cast<std::uint32_t>(scene.instances.size()));
    area("LEAVES", at::kLeaves, kLeafBytes);
    area("LEAF_PROGRAMS", at::kLeafPrograms, kLeafWords);
    area("RING_ENTRIES", at::kRing, kRingEntries);
    wide_ = wide;
  }
  void place(std::size_t n, const Instance& i) {
    const std::uint64_t record = at::kObjects + n * object::kBytes;
    std::memset(bytes(record), 0, object::kBytes);
    put(record + object::kKind, i.kind);
    put(record + object::kNumber, i.number);
    put(record + object::kId, i.id);
    putF(record + object::kLipschitz, i.lipschitz);
    for (unsigned k = 0; k < 12; ++k) putF(record + object::kWorld + 4 * k, i.world[k]);
  }
  void settings(const render::Settings& s) {
    for (const RegisterValue& r : registersOf(s, wide_)) write(r.offset, r.value);
  }

  // ---- jobs
  /// Where the descriptor of the next job lies.
  [[nodiscard]] std::uint64_t slot() const {
    return at::kRing + std::uint64_t{queued % kRingEntries} * job::kBytes;
  }
  std::uint64_t describe(std::uint32_t kind, std::uint32_t objects) {
    const std::uint64_t d = slot();
    std::memset(bytes(d), 0, job::kBytes);
    put(d + job::kKind, kind);
    put(d + job::kObjects, objects);
    return d;
  }
  std::uint64_t hullJob(std::uint32_t objects) { return describe(job::kHull, objects); }
  std::uint64_t frameJob(std::uint32_t objects, const render::Camera& camera,
                         const render::Rectangle& area, std::uint32_t pitch) {
    const std::uint64_t d = describe(job::kFrame, objects);
    putWide(bytes(d), job::kHits, kMemory + at::kHits);
    putWide(bytes(d), job::kDepth, kMemory + at::kDepth);
    put(d + job::kLeft, area.left);
    put(d + job::kTop, area.top);
    put(d + job::kWidth, area.width);
    put(d + job::kHeight, area.height);
    put(d + job::kPitch, pitch);
    putF(d + job::kCone, static_cast<float>(camera.cone));
    const auto vector = [&](unsigned offset, const render::Vec& v) {
      for (unsigned n = 0; n < 3; ++n) putF(d + offset + 4 * n, static_cast<float>(v[n]));
    };
    vector(job::kEye, camera.eye);
    vector(job::kCorner, camera.corner);
    vector(job::kColumn, camera.column);
    vector(job::kRow, camera.row);
    return d;
  }
  std::uint64_t raysJob(std::uint32_t objects, const std::vector<render::WorldRay>& rays) {
    const std::uint64_t d = describe(job::kRays, objects);
    putWide(bytes(d), job::kHits, kMemory + at::kHits);
    putWide(bytes(d), job::kRayList, kMemory + at::kRays);
    put(d + job::kRayCount, static_cast<std::uint32_t>(rays.size()));
    for (std::size_t n = 0; n < rays.size(); ++n) {
      const std::uint64_t r = at::kRays + n * ray::kBytes;
      for (unsigned k = 0; k < 3; ++k) {
        putF(r + ray::kOrigin + 4 * k, static_cast<float>(rays[n].origin[k]));
        putF(r + ray::kDirection + 4 * k, static_cast<float>(rays[n].direction[k]));
      }
      putF(r + ray::kTmax, rays[n].tmax);
      put(r + ray::kFlags, rays[n].any ? ray::kAny : 0U);
    }
    return d;
  }
  void ring() { write("RING_TAIL", ++queued); }
  /// Rings the doorbell and waits for the job's end, or a halt. Returns its state word.
  std::uint32_t run() {
    const std::uint64_t d = slot();
    ring();
    waitIdle();
    return word(d + job::kState);
  }
  void waitIdle() {
    for (int n = 0; n < 1'000'000; ++n) {
      sc_core::wait(sc_time(1, sc_core::SC_US));
      if ((read("STATUS") & status::kBusy) == 0) return;
    }
    FAIL() << "the unit never ends";
  }

 private:
  bool loadTapes(const Scene& scene) {
    const EncodedTapes encoded = encode(scene.tapes);
    poke(at::kDescriptions, encoded.descriptions);
    area("DESCRIPTIONS", at::kDescriptions,
         static_cast<std::uint32_t>(encoded.descriptions.size() / kDescriptionBytes));
    constexpr std::array<Reg, kTapeKinds> names{"OPCODES", "FLOATS",    "VEC2S",
                                                "VEC4S",   "MAT2S",     "MAT3S",
                                                "MAT4S",   "MATERIALS", "DEPENDENCIES"};
    for (unsigned n = 0; n < kTapeKinds; ++n) {
      const std::uint64_t address = at::kTapes + n * at::kTapeStep;
      requireRoom(encoded.tapes[n].size() <= at::kTapeStep);
      poke(address, encoded.tapes[n]);
      area(names[n], address,
           static_cast<std::uint32_t>(encoded.tapes[n].size() /
                                      elementBytes(static_cast<TapeKind>(n), encoded.wide)));
    }
    return encoded.wide;
  }
  static void requireRoom(bool ok) {
    if (!ok) throw std::runtime_error("the scene does not fit the test's memory");
  }
  void loadPrograms(const Scene& scene) {
    std::uint32_t words = 0;
    for (std::size_t n = 0; n < scene.programs.size(); ++n) {
      const auto& [program, box] = scene.programs[n];
      const std::vector<std::uint64_t> stream = registers::encode(program);
      const std::uint64_t record = at::kPrograms + n * program::kBytes;
      put(record + program::kStart, words);
      put(record + program::kWords, static_cast<std::uint32_t>(stream.size()));
      for (unsigned k = 0; k < 3; ++k) {
        putF(record + program::kBounds + 4 * k, box.max[k]);
        putF(record + program::kBounds + 12 + 4 * k, box.min[k]);
      }
      for (const std::uint64_t w : stream) putWide(bytes(at::kClauses + 8ULL * words++), 0, w);
    }
    area("PROGRAMS", at::kPrograms, static_cast<std::uint32_t>(scene.programs.size()));
    area("CLAUSES", at::kClauses, words);
  }

  bool wide_ = false;
};

/// Runs `body` on a bench in a forked child.
inline void onBench(const std::function<void(Bench&)>& body, const BenchConfig& config = {}) {
  rtvp::test::inChild([&] {
    sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_DO_NOTHING);
    Bench bench("bench", config, body);
    sc_core::sc_start();
  });
}

/// What a driver's numbers become on their way through memory.
/// Volatile, because g++ 12 at -O2 leaves out the narrowing of neighbouring array elements when it
/// vectorises a cast to float and back.
inline render::Vec narrow(const render::Vec& v) {
  render::Vec out{};
  for (unsigned n = 0; n < 3; ++n) {
    const volatile float narrowed = static_cast<float>(v[n]);
    out[n] = static_cast<double>(narrowed);
  }
  return out;
}
inline render::Camera narrow(const render::Camera& c) {
  return {narrow(c.eye), narrow(c.corner), narrow(c.column), narrow(c.row),
          static_cast<double>(static_cast<float>(c.cone))};
}

/// The same scene on the render stages alone.
class Core {
 public:
  Core(const Scene& scene, const render::Settings& settings) : settings_(rounded(settings)) {
    for (const Instance& i : scene.instances) {
      render::Affine world;
      for (unsigned n = 0; n < 12; ++n) world.row[n] = static_cast<double>(i.world[n]);
      const double lipschitz = i.lipschitz;
      if (i.kind == object::kTape) {
        const Tape& tape = scene.tapes[i.number];
        objects_.push_back(
            std::make_unique<render::Object>(tape, tape.bounds.value(), world, lipschitz, i.id));
      } else {
        const auto& [program, box] = scene.programs[i.number];
        objects_.push_back(std::make_unique<render::Object>(
            registers::decode(registers::encode(program)), box, world, lipschitz, i.id));
      }
      hulls_.push_back(settings_.mode == render::Mode::Brute
                           ? render::wholeBox(*objects_.back(), settings_)
                           : render::buildHull(*objects_.back(), settings_, counters));
    }
  }
  std::vector<render::Placed> placed() const {
    std::vector<render::Placed> out;
    for (std::size_t n = 0; n < objects_.size(); ++n)
      out.push_back({objects_[n].get(), &hulls_[n]});
    return out;
  }
  void frame(const render::Camera& camera, render::Frame& frame) {
    render::renderFrame(placed(), narrow(camera), settings_, frame, counters);
  }
  render::HitRecord ray(render::WorldRay ray) {
    ray.origin = narrow(ray.origin);
    ray.direction = render::unit(narrow(ray.direction));
    return render::traceRay(placed(), ray, settings_, counters);
  }

  render::Counters counters;

 private:
  render::Settings settings_;
  std::vector<std::unique_ptr<render::Object>> objects_;
  std::vector<render::Hull> hulls_;
};

/// A hit record of memory equals the core's.
inline bool sameRecord(const std::uint8_t* bytes, const render::HitRecord& record, bool materials) {
  const RecordBytes record_bytes = recordOf(record, materials);
  const std::span<const std::uint8_t> expected = record_bytes;
  return std::equal(expected.begin(), expected.end(), bytes);
}

/// All figures of a report, one a line.
inline void dump(const common::StatGroup& group, const std::string& prefix, std::ostream& out) {
  for (const common::Figure& f : group.figures())
    out << prefix << f.name << ' ' << std::get<std::uint64_t>(f.value) << '\n';
  for (const common::StatGroup& sub : group.groups()) dump(sub, prefix + sub.name() + '.', out);
}

inline std::string digest(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const std::uint8_t b : bytes) hash = (hash ^ b) * 1099511628211ULL;
  return std::to_string(hash);
}

}  // namespace rtvp::implicit::unit::test
