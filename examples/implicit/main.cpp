// The implicit-surface unit: a sphere as a tape, a job that builds its hull, a job of three rays.
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <cstdio>
#include <rtvp/models/common/interconnect.hpp>
#include <rtvp/models/common/memory.hpp>
#include <rtvp/models/common/tlm_payload.hpp>
#include <rtvp/models/implicit/assembler.hpp>
#include <rtvp/models/implicit/codec.hpp>
#include <rtvp/models/implicit/unit/implicit_unit.hpp>
#include <rtvp/models/implicit/unit/layout.hpp>
#include <rtvp/models/implicit/unit/words.hpp>
#include <systemc>

using namespace rtvp;
using namespace rtvp::implicit;
using namespace rtvp::implicit::unit;

/// Where things lie in memory, which begins at kMemory on the bus; the unit's registers are at 0.
constexpr std::uint64_t kMemory = 0x80000000, kRing = 0x1000, kObjects = 0x2000,
                        kDescriptions = 0x3000, kTapes = 0x4000, kLeaves = 0x40000,
                        kLeafPrograms = 0x100000, kRays = 0x200000, kHits = 0x201000;

struct Host : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Host, 32> bus{"bus"};
  sc_core::sc_in<bool> irq{"irq"};
  std::span<std::uint8_t> memory;
  std::uint32_t jobs = 0;

  Host(sc_core::sc_module_name name, std::span<std::uint8_t> bytes)
      : sc_module(name), memory(bytes) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  std::uint32_t access(bool write, Reg reg, std::uint32_t word, unsigned offset = 0) {
    tlm::tlm_generic_payload payload;
    common::prepare(payload, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                    reg.offset() - offset, reinterpret_cast<std::uint8_t*>(&word), 4);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bus->b_transport(payload, delay);
    if (payload.is_response_error())
      SC_REPORT_ERROR("/example/host", payload.get_response_string().c_str());
    wait(delay);
    return word;
  }
  /// Tells the unit of an array: address in two registers, and how many elements in the third.
  void array(Reg count, std::uint64_t place, std::size_t elements) {
    access(true, count, static_cast<std::uint32_t>(kMemory + place), 8);
    access(true, count, 0, 4);
    access(true, count, static_cast<std::uint32_t>(elements));
  }
  void loadSphere() {
    AssemblyResult result =
        assemble("sphere", "OPSDFSphere f(0.5) var\nOPStop var\n", Limits::seed());
    Tape tape = std::move(*result.tape);
    tape.bounds = Bounds{{-0.6F, -0.6F, -0.6F}, {0.6F, 0.6F, 0.6F}};
    const EncodedTapes encoded = encode(std::span(&tape, 1));
    const auto put = [this](std::uint64_t at, const std::vector<std::uint8_t>& data) {
      std::copy(data.begin(), data.end(), memory.begin() + static_cast<std::ptrdiff_t>(at));
    };
    put(kDescriptions, encoded.descriptions);
    array("DESCRIPTIONS", kDescriptions, encoded.descriptions.size() / kDescriptionBytes);
    constexpr std::array<Reg, kTapeKinds> kinds{"OPCODES", "FLOATS",    "VEC2S",
                                                "VEC4S",   "MAT2S",     "MAT3S",
                                                "MAT4S",   "MATERIALS", "DEPENDENCIES"};
    for (unsigned n = 0; n < kTapeKinds; ++n) {
      put(kTapes + n * 0x1000, encoded.tapes[n]);
      array(kinds[n], kTapes + n * 0x1000,
            encoded.tapes[n].size() / elementBytes(static_cast<TapeKind>(n), encoded.wide));
    }
    std::uint8_t* const record = memory.data() + kObjects;
    putWord(record, object::kKind, object::kTape);
    putWord(record, object::kId, 7);
    putFloat(record, object::kLipschitz, 1);
    for (const unsigned diagonal : {0U, 5U, 10U})
      putFloat(record, object::kWorld + 4 * diagonal, 1);
    array("OBJECTS", kObjects, 1);
    array("LEAVES", kLeaves, 0xC0000);
    array("LEAF_PROGRAMS", kLeafPrograms, 0x10000);
    array("RING_ENTRIES", kRing, 8);
  }
  std::uint8_t* describe(std::uint32_t kind) {
    std::uint8_t* const job = memory.data() + kRing + jobs * job::kBytes;
    putWord(job, job::kKind, kind);
    putWord(job, job::kObjects, 1);
    return job;
  }
  std::uint32_t finish(const std::uint8_t* job) {
    access(true, "RING_TAIL", ++jobs);
    while ((access(false, "STATUS", 0) & 1U) != 0) wait(sc_core::sc_time(1, sc_core::SC_US));
    return wordAt(job, job::kState);
  }
  void run() {
    loadSphere();
    std::printf("hull: state %u\n", static_cast<unsigned>(finish(describe(job::kHull))));
    std::uint8_t* const job = describe(job::kRays);
    constexpr float kX[] = {0, 0.3F, 0.7F};
    for (unsigned n = 0; n < 3; ++n) {
      std::uint8_t* const ray = memory.data() + kRays + n * ray::kBytes;
      putFloat(ray, ray::kOrigin, kX[n]);
      putFloat(ray, ray::kOrigin + 8, -2);
      putFloat(ray, ray::kDirection + 8, 1);
      putFloat(ray, ray::kTmax, 100);
    }
    putWide(job, job::kHits, kMemory + kHits);
    putWide(job, job::kRayList, kMemory + kRays);
    putWord(job, job::kRayCount, 3);
    std::printf("rays: state %u\n", static_cast<unsigned>(finish(job)));
    const unsigned pitch =
        (access(false, "MODE", 0) & 0x80U) != 0 ? hit::kMaterialBytes : hit::kBytes;
    for (unsigned n = 0; n < 3; ++n) {
      const std::uint8_t* const record = memory.data() + kHits + n * pitch;
      const std::uint32_t id = wordAt(record, hit::kObject);
      if (id == kNone) {
        std::printf("x = %.1f: miss\n", static_cast<double>(kX[n]));
      } else {
        std::printf("x = %.1f: object %u at t = %.2f, normal z = %.2f\n",
                    static_cast<double>(kX[n]), static_cast<unsigned>(id),
                    static_cast<double>(floatAt(record, hit::kT)),
                    static_cast<double>(floatAt(record, hit::kNormal + 8)));
      }
    }
    sc_core::sc_stop();
  }
};

int sc_main(int, char**) {
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC",
                                          sc_core::SC_DO_NOTHING);  // "stopped by user"
  common::Interconnect bus("interconnect");
  common::Memory memory("memory", {.size = 0x400000});
  ImplicitUnit unit("implicit", {});
  sc_core::sc_signal<bool> irq("irq_line");
  Host host("host", memory.bytes());
  bus.attach(unit.host_tsock, "implicit", 0, kSize);
  bus.attach(memory.bus_tsock, "memory", kMemory, 0x400000);
  host.bus.bind(bus.bus_tsock);
  unit.memory_isock.bind(bus.bus_tsock);
  unit.irq_o.bind(irq);
  host.irq.bind(irq);
  sc_core::sc_start();
  return 0;
}
