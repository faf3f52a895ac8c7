// The THEIA unit with any host traffic on its socket: every transaction is answered, time never
// runs backwards, the clocks of every core have a cause, and after a reset the unit works again.
// Input: a sequence of operations, most of them on the unit's windows.
#include <tlm_utils/simple_initiator_socket.h>

#include <cstring>
#include <systemc>

#include "firmware/theia/firmware.hpp"
#include "models/theia/theia_unit.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

int sc_main(int /*argc*/, char* /*argv*/[]) {
  return 0;
}

namespace {

using namespace rtvp::theia;  // NOLINT(google-build-using-namespace): a program about this
                              // namespace

constexpr unsigned kCores = 4;
constexpr std::uint64_t kWindows[] = {0,
                                      unit::kInstructions,
                                      unit::kRegistersWindow,
                                      unit::kStream,
                                      unit::kTriangles,
                                      unit::kTexture,
                                      unit::kOutput,
                                      unit::kSize - 64};
constexpr unsigned kLengths[] = {4, 8, 12, 16, 84, 96, 168, 3};
constexpr std::size_t kMostOperations = 200;

struct Bench : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Bench, 32> isock{"isock"};
  TheiaUnit unit;

  explicit Bench(const sc_core::sc_module_name& name)
      : sc_module(name), unit("theia", config(), microcodeRom()) {
    isock.bind(unit.host_tsock);
  }
  static TheiaUnitConfig config() {
    TheiaUnitConfig c;
    c.gpu.cores = kCores;
    c.gpu.textureWords = 256;
    c.gpu.core.outputWords = 128;
    c.gpu.core.instructionLimit = 1000;
    c.report_faults = false;
    return c;
  }
};

Bench& bench() {
  static Bench* const one = [] {
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    auto* const made = new Bench("bench");  // SystemC keeps references until the process ends
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return made;
  }();
  return *one;
}

class Host {
 public:
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                  std::vector<unsigned char>& data, unsigned streaming) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(streaming);
    const sc_core::sc_time before = delay_;
    bench().isock->b_transport(payload, delay_);
    require(delay_ >= before, "time does not run backwards");
    require(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "an answer");
    return payload.get_response_status();
  }
  void write(std::uint64_t address, const std::vector<std::uint32_t>& words) {
    std::vector<unsigned char> data(4 * words.size());
    std::memcpy(data.data(), words.data(), data.size());
    require(access(tlm::TLM_WRITE_COMMAND, address, data, static_cast<unsigned>(data.size())) ==
                tlm::TLM_OK_RESPONSE,
            "a proper write is accepted");
  }

 private:
  sc_core::sc_time delay_;
};

constexpr std::uint64_t offsetOf(unit::Reg reg) {
  return reg.offset();
}

/// Every input starts from the same state.
void prepare(Host& host) {
  host.write(offsetOf("CONTROL"), {1});
  host.write(offsetOf("SELECT"), {0xFFFF});
  host.write(unit::kTexture, std::vector<std::uint32_t>(256));
  for (unsigned core = 0; core < kCores; ++core) {
    host.write(offsetOf("OUTPUT_BANK"), {core});
    host.write(unit::kOutput, std::vector<std::uint32_t>(128));
    for (unsigned r = 0; r < kRegisterRows; ++r) bench().unit.gpu().core(core).pokeRegister(r, {});
  }
  std::vector<std::uint32_t> rows;
  for (const std::uint16_t entry : findMicrocode("hits")->table) {
    rows.insert(rows.end(), {0, entry});
  }
  rows.resize(2 * 128);
  host.write(unit::kInstructions, rows);
  const std::uint32_t one = kOne;
  host.write(unit::kRegistersWindow,
             {0, 0,       0,       0, 0,       0,       0, 0, 0 - one, one, 8 * one, 0,
              0, 0 - one, 0 - one, 0, 2 * one, 4 * one, 0, 0, one,     one, 0,       0});
  for (unsigned core = 0; core < kCores; ++core) {
    host.write(offsetOf("SELECT"), {1U << core});
    host.write(unit::kRegistersWindow + 16 * 6,
               {0, core * one, 0, 0, 2 * one, (core + 1) * one, 0, 0});
  }
  host.write(offsetOf("SELECT"), {0xFFFF});
  host.write(unit::kRegistersWindow + 16 * 8, {2, 0, 0, 0});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  Host host;
  prepare(host);
  std::size_t at = 0;
  const auto next = [&]() -> unsigned { return at < size ? data[at++] : 0U; };
  for (std::size_t n = 0; n < kMostOperations && at < size; ++n) {
    const unsigned what = next();
    const std::uint64_t window = kWindows[what % 8];
    std::vector<unsigned char> bytes(kLengths[next() % 8]);
    const std::uint64_t address = window + next() * ((what & 8) != 0 ? 8U : 4U);
    for (std::size_t i = 0; i < bytes.size() && i < 24; ++i) {
      bytes[i] = static_cast<unsigned char>(next());
    }
    const auto command = static_cast<tlm::tlm_command>((what >> 4) % 3);
    const auto length = static_cast<unsigned>(bytes.size());
    (void)host.access(command, address, bytes, (what & 128) != 0 ? length / 2 : length);
  }
  host.write(offsetOf("CONTROL"), {1});  // cores may be ahead of the host until then
  const Gpu& gpu = bench().unit.gpu();
  for (unsigned core = 0; core < kCores; ++core) {
    require(gpu.controlClocks(core).sum() == gpu.portFree(), "every clock has a cause");
  }
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  const auto operation = [](unsigned what, unsigned length, unsigned offset,
                            std::vector<unsigned> bytes) {
    std::string s{static_cast<char>(what), static_cast<char>(length), static_cast<char>(offset)};
    bytes.resize(kLengths[length] < 24 ? kLengths[length] : 24);
    for (const unsigned b : bytes) s += static_cast<char>(b);
    return s;
  };
  constexpr unsigned kWrite = 1 << 4;
  const std::string control = operation(kWrite, 0, 1, {2});
  const std::string offer = operation(kWrite, 0, 1, {4});
  const std::string commit = operation(kWrite, 0, 1, {8});
  const std::string stream = operation(kWrite | 3, 4, 0, {0, 0, 2, 0, 0, 0, 4, 0});
  const std::string both = operation(kWrite | 4, 6, 0, {0, 0, 2, 0, 0, 0, 4, 0});
  const std::string one = operation(kWrite | 4, 4, 0, {0, 0, 2, 0, 0, 0, 4, 0});
  std::string frame = stream + control + offer + one + stream + commit;
  frame += both + stream + commit;
  return {
      frame,
      stream + control + offer + both,                                  // one too many
      operation(kWrite | 1, 1, 12, {0x06, 0, 0, 0}) + frame,            // an odd instruction
      operation(kWrite | 2, 2, 4, {1, 2, 3}) + operation(5, 0, 3, {}),  // register; texture read
      operation(6, 3, 2, {}) + operation(kWrite | 5, 1, 9, {9, 9}) + frame,
      frame + operation(kWrite, 0, 1, {1}) + frame,  // a reset between
  };
}

}  // namespace rtvp::fuzz
