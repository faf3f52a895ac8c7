// An XPHMG_RT unit under any memory and any register traffic: every ticket completes or the unit is
// reset, its cycles add up, LAST_EC stays 0, 1 or 2, and nothing is written outside the memory.
// Input: a script of bytes; each step pokes memory, accesses the page, rings the doorbell or lets
// time pass. The memory starts as a small valid scene.
#include <algorithm>
#include <cstring>
#include <systemc>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/xphmg/unit.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/models/xphmg/job_scene.hpp"

using rtvp::fuzz::require;

namespace {

using namespace rtvp::xphmg;  // NOLINT(google-build-using-namespace): a program about this
                              // namespace
using rtvp::xphmg::test::JobScene;

constexpr std::uint64_t kBase = JobScene::kBase, kSize = 0x8000;

UnitConfig config() {
  UnitConfig c;
  c.lmemKib = 1;
  c.queueDepth = 3;
  c.quantum = sc_core::sc_time(1, sc_core::SC_US);
  return c;
}

/// Elaborated once: every input begins with a reset.
class Bench : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Bench, 32> host_isock;
  rtvp::common::Interconnect bus;
  rtvp::common::Memory memory;
  RtUnit unit;

  explicit Bench(sc_core::sc_module_name name)
      : sc_module(name),
        host_isock("host_isock"),
        bus("bus"),
        memory("memory", {kSize, {}, {}, true}),
        unit("unit", config()) {
    host_isock.bind(unit.host_tsock);
    bus.attach(memory.bus_tsock, "memory", kBase, kSize);
    unit.bus_isock.bind(bus.bus_tsock);
  }
  void access(bool write, std::uint64_t offset, std::uint64_t& value, unsigned size = 8) {
    std::array<std::uint8_t, 16> bytes{};
    storeU64(bytes.data(), value);
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(size);
    payload.set_streaming_width(size);
    payload.set_byte_enable_ptr(nullptr);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    host_isock->b_transport(payload, delay);
    value = loadU64(bytes.data());
    if (delay > sc_core::SC_ZERO_TIME) sc_core::sc_start(delay);
  }
  std::uint64_t read(Csr csr) {
    std::uint64_t value = 0;
    access(false, descriptor(csr).offset, value);
    return value;
  }
  void write(Csr csr, std::uint64_t value) { access(true, descriptor(csr).offset, value); }
};

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

/// One step of the script.
void step(Bench& bench, Script& script) {
  std::uint64_t value = 0;
  switch (script.number(1) % 8) {
    case 0: {  // memory, a few bytes anywhere in it
      const std::uint64_t at = script.number(2) % (kSize - 8);
      value = script.number(8);
      std::memcpy(bench.memory.bytes().data() + at, &value, 8);
      return;
    }
    case 1:
    case 2: {  // a register
      const std::uint64_t offset = script.number(2) % page::kSize / 8 * 8;
      value = script.number(8);
      if (offset == descriptor(Csr::CONTROL).offset) value &= 2;  // resets come last
      bench.access(true, offset, value);
      return;
    }
    case 3:
      bench.access(false, script.number(2) % page::kSize / 8 * 8, value);
      return;
    case 4: {  // any offset and size
      const std::uint64_t offset = script.number(2) % (2 * page::kSize);
      bench.access(false, offset, value, static_cast<unsigned>(script.number(1) % 17));
      return;
    }
    case 5:
      bench.write(Csr::DOORBELL, JobScene::kDesc);
      return;
    case 6:
      bench.write(Csr::DOORBELL, kBase + script.number(2));
      return;
    default:
      sc_core::sc_start(
          sc_core::sc_time(static_cast<double>(1 + script.number(2)), sc_core::SC_NS));
  }
}

void check(Bench& bench) {
  const std::uint64_t status = bench.read(Csr::RTSTAT);
  const unsigned code = (status >> 2U) & 0x3FU;
  require(code <= 2, "LAST_EC is 0, 1 or 2");
  require(((status >> 1U) & 1U) == (code != 0 ? 1U : 0U), "ERR says whether LAST_EC is 0");
  require(bench.read(Csr::TICKET_DONE) <= bench.read(Csr::TICKET_LAST), "tickets are in order");
  rtvp::common::StatGroup group;
  bench.unit.report(group);
  std::uint64_t cycles = 0, parts = 0;
  for (const auto& figure : group.figures()) {
    if (figure.name == "cycles") cycles = std::get<std::uint64_t>(figure.value);
    if (figure.name.starts_with("cycles_")) parts += std::get<std::uint64_t>(figure.value);
  }
  require(cycles == parts, "cycles are accounted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Bench* const bench = [] {
    // Time passes while the unit has nothing to do.
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_,
                                            sc_core::SC_DO_NOTHING);
    return new Bench("bench");
  }();
  Script script(data, std::min<std::size_t>(size, 4096));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench->write(Csr::CONTROL, 1);
  JobScene scene(script.number(1) % 2 == 0 ? Format::Fp32 : Format::Fp16);
  encodeDesc(scene.desc, scene.at(JobScene::kDesc));
  std::fill(bench->memory.bytes().begin(), bench->memory.bytes().end(), std::uint8_t{0});
  std::copy(scene.memory.bytes().begin(), scene.memory.bytes().end(),
            bench->memory.bytes().begin());
  if (scene.width == 4) bench->write(Csr::PREC_MODE, cap::kModeFp32);
  while (!script.done()) step(*bench, script);
  check(*bench);
  // Whatever was submitted ends, errors included, or is being worked on: tiles that lead back to
  // themselves cost 2^24 visits a ray before the guard ends the job.
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_MS));
  check(*bench);
  const auto now = sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_NS);
  require(bench->read(Csr::TICKET_DONE) == bench->read(Csr::TICKET_LAST) ||
              static_cast<double>(bench->unit.port().now()) >= now - 2,
          "tickets complete or the unit works");
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  const std::string job("\x05\x07\xFF\xFF", 4);
  const std::string poke("\x00\x3C\x10\x09\x00\x00\x00\x00\x00\x00\x00", 11);
  const std::string heads("\x00\x00\x30\x07\x00\x00\x00\x03\x00\x00\x00", 11);
  const std::string mode("\x01\xD0\x10\x00\x00\x92\x80\x00\x00\x00\x00", 11);
  const std::string fences("\x03\x88\x00\x04\x91\x00\x04", 7);
  std::vector<std::string> out;
  for (const char format : {'\0', '\1'}) {
    const std::string start(1, format);
    out.push_back(start + job);
    out.push_back(start + poke + job);
    out.push_back(start + heads + job + fences + job);
    out.push_back(start + mode + job + job + job + job + job);
    out.push_back(start + "\x06\x04\x40\x07\x10\x10" + job);
  }
  return out;
}

}  // namespace rtvp::fuzz
