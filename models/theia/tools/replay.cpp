// theia-run --frame: a frame folder through the SystemC unit, driven over its TLM socket.
#include <tlm_utils/simple_initiator_socket.h>

#include <boost/json.hpp>
#include <cstdio>
#include <sstream>
#include <systemc>

#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"
#include "models/theia/frame.hpp"
#include "models/theia/theia_unit.hpp"
#include "models/theia/tlm_host_port.hpp"
#include "models/theia/tools/runner.hpp"

namespace rtvp::theia {
namespace {

namespace status = tool::status;

Frame readFrame(const std::string& folder) {
  const auto file = [&folder](const char* name) {
    const std::string path = folder + "/" + name;
    return tool::readInput(path, "a file of the frame", status::kUsage);
  };
  return parseFrame(file("config.tsv"), file("triangles.tsv"), file("texture.tsv"),
                    file("instructions.tsv"));
}

/// The host: replays the frame at time 0 and notes the clock of "done".
class Host : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Host, 32> isock{"isock"};

  Host(sc_core::sc_module_name name, const Frame& frame, const sc_core::sc_time& period)
      : sc_module(name), frame_(frame), period_(period) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  [[nodiscard]] Clock done() const { return done_; }

 private:
  void run() {
    TlmHostPort port(isock, period_);
    port.loadTexture(frame_.texture);
    done_ = playFrame(port, frame_, 0);
    wait(sc_core::sc_time::from_value(done_ * period_.value()));
  }
  const Frame& frame_;
  sc_core::sc_time period_;
  Clock done_ = 0;
};

struct Tracer : GpuObserver {
  void onInstruction(const Core& core, std::uint16_t pc, Clock clock) override {
    std::fputs(traceLine(core, pc, clock).c_str(), stderr);
  }
};

void write(const std::string& path, const std::string& text) {
  tool::writeOutput(path, text, tool::Failure(path + ": cannot write the file"));
}

boost::json::object toJson(const common::StatGroup& group) {
  boost::json::object out;
  for (const common::Figure& f : group.figures())
    std::visit([&](const auto& v) { out[f.name] = v; }, f.value);
  for (const common::StatGroup& g : group.groups()) out[g.name()] = toJson(g);
  return out;
}

int play(const ReplayOptions& options, const Rom& rom) {
  const Frame frame = readFrame(options.folder);
  TheiaUnitConfig config;
  config.gpu = options.gpu;
  config.gpu.cores = frame.cores;
  config.gpu.core.instructionWords =
      std::max(config.gpu.core.instructionWords, static_cast<unsigned>(frame.instructions.size()));
  if (options.trace) config.gpu.core.fast = false;
  config.report_faults = false;
  if (frame.texture.size() > config.gpu.textureWords)
    throw FrameError("texture.tsv: more texels than the texture memory holds");
  TheiaUnit unit("theia", config, rom);
  Host host("host", frame, config.period);
  host.isock.bind(unit.host_tsock);
  Tracer tracer;
  if (options.trace) unit.gpu().observe(&tracer);
  sc_core::sc_start();
  unit.finish();
  if (const Fault& fault = unit.gpu().fault()) {
    std::fprintf(stderr, "theia-run: fault: %s\n", fault.describe().c_str());
    return status::kFault;
  }
  if (!options.output.empty()) {
    write(options.output, outputText(unit.gpu(), frame));
  }
  if (!options.stats.empty()) {
    common::StatGroup group("theia", "THEIA");
    unit.report(group);
    std::ostringstream out;
    out << toJson(group) << '\n';
    write(options.stats, out.str());
  }
  if (options.cycles) std::printf("%llu\n", static_cast<unsigned long long>(host.done()));
  return status::kDone;
}

}  // namespace

std::string traceLine(const Core& core, std::uint16_t pc, Clock clock) {
  const Instruction in = core.instruction(pc);
  char head[64];
  std::snprintf(head, sizeof head, "%10llu core%u %04X  ", static_cast<unsigned long long>(clock),
                core.index(), pc);
  std::string line = head + disassemble(in);
  const OpInfo* const info = in.info();
  if (info != nullptr && info->writes() && bankOf(in.destination()) != Bank::Configuration) {
    const Vec v = core.readRegister(in.destination());
    char value[48];
    std::snprintf(value, sizeof value, "  = %08x %08x %08x", v.x, v.y, v.z);
    line += value;
  }
  return line + '\n';
}

int replayFrame(const ReplayOptions& options, const Rom& rom) {
  return tool::refusing<FrameError>(status::kUsage, [&] {
    return tool::refusing<std::invalid_argument>(status::kUsage,
                                                 [&] { return play(options, rom); });
  });
}

}  // namespace rtvp::theia
