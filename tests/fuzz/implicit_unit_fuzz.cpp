// The implicit-surface unit under any memory and any register traffic: every job ends with a result
// or a fault, the unit never hangs, its clocks add up, nothing is written outside the memory, and
// what did not fault is what the render stages give.
// Input: a script of bytes; each step pokes memory, accesses a register, queues a job or lets time
// pass. The memory starts as a small valid scene.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <systemc>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/implicit/assembler.hpp"
#include "models/implicit/codec.hpp"
#include "models/implicit/registers/program.hpp"
#include "models/implicit/unit/implicit_unit.hpp"
#include "models/implicit/unit/layout.hpp"
#include "models/implicit/unit/words.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

namespace {

using namespace rtvp::implicit;        // NOLINT(google-build-using-namespace): a program about
using namespace rtvp::implicit::unit;  // NOLINT(google-build-using-namespace): these namespaces

constexpr std::uint64_t kBase = 0x1'0000'0000, kMemorySize = 0x20000;
constexpr std::uint64_t kRing = 0, kObjects = 0x400, kDescriptions = 0x600, kTapes = 0x800,
                        kTapeStep = 0x80, kPrograms = 0xE00, kClauses = 0xF00, kRays = 0x1400,
                        kHits = 0x1800, kDepth = 0x3800, kLeaves = 0x4000, kLeafPrograms = 0x14000;
constexpr std::uint32_t kEntries = 4, kSide = 8;

constexpr const char* kTape =
    ".bounds -2 -2 -2 2 2 2\nOPDupVec3 var\nOPSDFBox v3(0.3,0.4,0.3) var\n"
    "OPAddVec3Vec3 var v3(-0.2,0,0)\nOPSDFSphere f(0.4) var\nOPSmoothMinFloat f(0.1) var var\n"
    "OPMulFloatFloat var f(0.5)\nOPStop var\n";

ImplicitUnitConfig config() {
  ImplicitUnitConfig c;
  c.quantum = sc_core::sc_time(1, sc_core::SC_US);
  c.report_faults = false;
  c.timing.cores = 2;
  c.timing.opcodes = {4, 2, 16, 0};
  c.timing.leaves = {8, 2, 32, 1};
  return c;
}

/// Elaborated once: every input begins with a reset.
class Bench : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Bench, 32> host_isock;
  rtvp::common::Interconnect bus;
  rtvp::common::Memory memory;
  ImplicitUnit unit;
  Tape tape;

  explicit Bench(sc_core::sc_module_name name)
      : sc_module(name),
        host_isock("host_isock"),
        bus("bus"),
        memory("memory", {kMemorySize, {}, {}, true}),
        unit("unit", config()),
        tape(*assemble("t.sdf", kTape).tape) {
    host_isock.bind(unit.host_tsock);
    bus.attach(memory.bus_tsock, "memory", kBase, kMemorySize);
    unit.memory_isock.bind(bus.bus_tsock);
  }
  std::uint32_t access(bool write, std::uint64_t offset, std::uint32_t value, unsigned size = 4) {
    std::array<std::uint8_t, 32> bytes{};
    putWord(bytes.data(), 0, value);
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(size);
    payload.set_streaming_width(size);
    payload.set_byte_enable_ptr(nullptr);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    host_isock->b_transport(payload, delay);
    return wordAt(bytes.data(), 0);
  }
  std::uint32_t read(Reg reg) { return access(false, reg.offset(), 0); }
  void write(Reg reg, std::uint32_t value) { access(true, reg.offset(), value); }
  std::uint8_t* bytes(std::uint64_t at) { return memory.bytes().data() + at; }

  void area(Reg count, std::uint64_t at, std::size_t elements) {
    const std::uint32_t offset = count.offset();
    access(true, offset - 8, static_cast<std::uint32_t>(kBase + at));
    access(true, offset - 4, static_cast<std::uint32_t>((kBase + at) >> 32U));
    access(true, offset, static_cast<std::uint32_t>(elements));
  }
  void load();
  void job(std::uint32_t kind, std::uint64_t at);

 private:
  void loadTapes();
  void loadProgram();
};

void Bench::loadTapes() {
  const std::array<Tape, 1> tapes{tape};
  const EncodedTapes encoded = encode(tapes);
  constexpr std::array<Reg, kTapeKinds> names{"OPCODES", "FLOATS",    "VEC2S",
                                              "VEC4S",   "MAT2S",     "MAT3S",
                                              "MAT4S",   "MATERIALS", "DEPENDENCIES"};
  std::copy(encoded.descriptions.begin(), encoded.descriptions.end(), bytes(kDescriptions));
  area("DESCRIPTIONS", kDescriptions, encoded.descriptions.size() / kDescriptionBytes);
  for (unsigned n = 0; n < kTapeKinds; ++n) {
    const std::uint64_t at = kTapes + n * kTapeStep;
    require(encoded.tapes[n].size() <= kTapeStep, "the seed scene fits");
    std::copy(encoded.tapes[n].begin(), encoded.tapes[n].end(), bytes(at));
    area(names[n], at, encoded.tapes[n].size() / elementBytes(static_cast<TapeKind>(n), false));
  }
}

void Bench::loadProgram() {
  const std::vector<std::uint64_t> words = registers::encode(registers::compile(tape));
  putWord(bytes(kPrograms), program::kWords, static_cast<std::uint32_t>(words.size()));
  for (unsigned n = 0; n < 3; ++n) {
    putFloat(bytes(kPrograms), program::kBounds + 4 * n, 2);
    putFloat(bytes(kPrograms), program::kBounds + 12 + 4 * n, -2);
  }
  for (std::size_t n = 0; n < words.size(); ++n) putWide(bytes(kClauses + 8 * n), 0, words[n]);
  area("PROGRAMS", kPrograms, 1);
  area("CLAUSES", kClauses, words.size());
}

void Bench::load() {
  std::fill(memory.bytes().begin(), memory.bytes().end(), std::uint8_t{0});
  loadTapes();
  loadProgram();
  for (unsigned n = 0; n < 2; ++n) {
    std::uint8_t* const record = bytes(kObjects + n * object::kBytes);
    putWord(record, object::kKind, n);
    putWord(record, object::kId, n);
    for (unsigned k = 0; k < 3; ++k) putFloat(record, object::kWorld + 20 * k, 1);
    putFloat(record, object::kWorld + 12, static_cast<float>(n));
  }
  area("OBJECTS", kObjects, 2);
  area("LEAVES", kLeaves, kLeafPrograms - kLeaves);
  area("LEAF_PROGRAMS", kLeafPrograms, (kMemorySize - kLeafPrograms) / 8);
  area("RING_ENTRIES", kRing, kEntries);
  for (unsigned n = 0; n < kSide * kSide; ++n) putFloat(bytes(kDepth), 4 * n, INFINITY);
  for (unsigned n = 0; n < 8; ++n) {
    std::uint8_t* const r = bytes(kRays + n * ray::kBytes);
    putFloat(r, ray::kOrigin, 0.2F * static_cast<float>(n) - 0.6F);
    putFloat(r, ray::kOrigin + 8, 3);
    putFloat(r, ray::kDirection + 8, -1);
    putFloat(r, ray::kTmax, INFINITY);
    putWord(r, ray::kFlags, n % 2);
  }
}

void Bench::job(std::uint32_t kind, std::uint64_t at) {
  std::uint8_t* const d = bytes(at);
  std::memset(d, 0, job::kBytes);
  putWord(d, job::kKind, kind);
  putWord(d, job::kObjects, 2);
  putWide(d, job::kHits, kBase + kHits);
  putWide(d, job::kDepth, kBase + (kind == job::kRays ? kRays : kDepth));
  if (kind == job::kRays) return putWord(d, job::kRayCount, 8);
  for (const unsigned field : {job::kWidth, job::kHeight, job::kPitch}) putWord(d, field, kSide);
  if (kind == job::kHull) putWide(d, job::kHits, 0);
  putFloat(d, job::kEye + 8, 3);
  putFloat(d, job::kCorner, -0.4F);
  putFloat(d, job::kCorner + 4, 0.4F);
  putFloat(d, job::kCorner + 8, -1);
  putFloat(d, job::kColumn, 0.1F);
  putFloat(d, job::kRow + 4, -0.1F);
}

class Script {
 public:
  Script(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  [[nodiscard]] bool done() const { return at_ == end_; }
  std::uint64_t number(unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes && at_ != end_; ++i) value |= std::uint64_t{*at_++} << 8U * i;
    return value;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

/// Values that a mutation seldom finds.
std::uint32_t edge(std::uint64_t choice) {
  constexpr std::array<std::uint32_t, 8> kEdges{0,          1,          0xFFFFFFFF, 0x7F800000,
                                                0x7FC00000, 0xFF800000, 0x80000000, 0x00800000};
  return kEdges[choice % kEdges.size()];
}

void step(Bench& bench, Script& script) {
  switch (script.number(1) % 8) {
    case 0: {  // memory, below the storage of leaves: records, tapes, descriptors
      const std::uint64_t at = script.number(2) % (kHits - 4);
      putWord(bench.bytes(at), 0, static_cast<std::uint32_t>(script.number(4)));
      return;
    }
    case 1: {  // the same with an edge
      const std::uint64_t at = script.number(2) % (kHits - 4);
      putWord(bench.bytes(at), 0, edge(script.number(1)));
      return;
    }
    case 2: {  // a register; resets and sizes that only cost time stay out
      const std::uint64_t offset = script.number(2) % kRegisterBlockEnd / 4 * 4;
      const auto value = static_cast<std::uint32_t>(script.number(4));
      if (offset == offsetOf("STEP_LIMIT")) return;
      bench.access(true, offset, value);
      return;
    }
    case 3:  // any offset and size
      bench.access(script.number(1) % 2 != 0, script.number(2), 0,
                   static_cast<unsigned>(script.number(1) % 17));
      return;
    case 4: {  // a job, as it should be
      const std::uint32_t tail = bench.read("RING_TAIL");
      bench.job(static_cast<std::uint32_t>(1 + script.number(1) % 3),
                kRing + tail % kEntries * job::kBytes);
      bench.write("RING_TAIL", tail + 1);
      return;
    }
    case 5:  // the doorbell alone
      bench.write("RING_TAIL", bench.read("RING_TAIL") + 1);
      return;
    case 6:  // a small change of a descriptor or record
      bench.bytes(script.number(2) % kTapes)[0] ^=
          static_cast<std::uint8_t>(1U << script.number(1) % 8);
      return;
    default:
      sc_core::sc_start(
          sc_core::sc_time(static_cast<double>(1 + script.number(2)), sc_core::SC_NS));
  }
}

void checkClocks(Bench& bench) {
  std::uint64_t parts = 0;
  for (auto c = Counter::CyclesBusy; c <= Counter::CyclesIdle;
       c = static_cast<Counter>(static_cast<int>(c) + 1))
    parts += bench.unit.counter(c);
  require(parts == bench.unit.counter(Counter::Cycles), "all clocks have a cause");
  const std::uint32_t code = bench.read("FAULT") & 0xFFU;
  require(code < kFaults, "faults are those of the list");
  require(((bench.read("STATUS") & status::kFault) != 0) == (code != 0), "STATUS shows the fault");
}

/// Whatever is queued ends, is halted, or the unit is still at it after a long time only because a
/// frame is large.
void finish(Bench& bench) {
  for (unsigned n = 0; n < 200; ++n) {
    if ((bench.read("STATUS") & status::kBusy) == 0) return;
    sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_MS));
  }
  require(false, "jobs end");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Bench* const bench = [] {
    // Time passes while the unit has nothing to do.
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_,
                                            sc_core::SC_DO_NOTHING);
    return new Bench("bench");
  }();
  Script script(data, std::min<std::size_t>(size, 512));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench->write("CONTROL", control::kReset);
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_NS));
  bench->load();
  while (!script.done()) step(*bench, script);
  checkClocks(*bench);
  finish(*bench);
  checkClocks(*bench);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  const auto job = [](char kind) { return std::string("\x04") + kind; };
  const std::string wait("\x07\xFF\xFF", 3), hull = job('\0'), frame = job('\1'), rays = job('\2');
  const auto poke = [](unsigned at, std::uint32_t value) {
    std::string s(1, '\0');
    for (unsigned n = 0; n < 2; ++n) s += static_cast<char>(at >> 8 * n);
    for (unsigned n = 0; n < 4; ++n) s += static_cast<char>(value >> 8 * n);
    return s;
  };
  const auto reg = [](Reg name, std::uint32_t value) {
    const std::uint32_t at = name.offset();
    std::string s(1, '\2');
    for (unsigned n = 0; n < 2; ++n) s += static_cast<char>(at >> 8 * n);
    for (unsigned n = 0; n < 4; ++n) s += static_cast<char>(value >> 8 * n);
    return s;
  };
  const std::uint32_t seed = mode::kSeed | mode::kPrune | mode::kMaterials;
  const std::uint32_t brute = mode::kBrute | mode::kMaterials | mode::kExactExit | mode::kSmooth;
  const std::uint32_t masks = mode::kResetValue & ~mode::kCompact;
  return {
      hull + wait + frame + wait + rays + wait,
      hull + frame + rays,
      reg("MODE", seed) + hull + wait,
      reg("MODE", brute) + hull + frame + rays + wait,
      reg("MODE", masks) + hull + frame + rays + wait,
      poke(static_cast<unsigned>(kTapes) + 16, 0x00E5007D) + hull + wait,
      poke(static_cast<unsigned>(kObjects) + 12, 0x40000000) + hull + wait + frame,
      hull + wait + poke(static_cast<unsigned>(kRays) + 12, 0x3F800000) + rays + wait,
      hull + wait + reg("CONTROL", control::kReset) + hull + wait,
      hull + wait + poke(kDepth - 0x2400, 0) + frame + wait + frame + rays + wait,
  };
}

}  // namespace rtvp::fuzz
