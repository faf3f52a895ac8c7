// theia-run --frame: a frame folder through the SystemC unit, driven over its TLM socket.
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <systemc>
#include <utility>

#include "firmware/theia/firmware.hpp"
#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"
#include "models/theia/assembler.hpp"
#include "models/theia/debug/program.hpp"
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
    // The debugger's conversation is held on it.
    constexpr unsigned kStackBytes = 1U << 20U;
    set_stack_size(kStackBytes);
  }
  [[nodiscard]] Clock done() const { return done_; }
  /// The user of the debugger did not want the rest.
  [[nodiscard]] bool left() const { return left_; }

 private:
  void run() {
    TlmHostPort port(isock, period_);
    port.loadTexture(frame_.texture);
    try {
      done_ = playFrame(port, frame_, 0);
    } catch (const RunLeft&) {
      left_ = true;
      return;
    }
    wait(sc_core::sc_time::from_value(done_ * period_.value()));
  }
  const Frame& frame_;
  sc_core::sc_time period_;
  Clock done_ = 0;
  bool left_ = false;
};

struct Tracer : GpuObserver {
  void onInstruction(const Core& core, std::uint16_t pc, Clock clock) override {
    std::fputs((instructionText(core, pc, clock) + '\n').c_str(), stderr);
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

/// The source of the frame's own instructions, if the user named one.
std::optional<CodeSource> userSource(const ReplayOptions& options, const Frame& frame) {
  if (options.source.empty()) return std::nullopt;
  const std::string name = tool::inputName(options.source);
  AssemblerOptions assembler;
  assembler.instructionWords =
      std::max(assembler.instructionWords, static_cast<unsigned>(frame.instructions.size()));
  const AssemblyResult result =
      assemble(name, tool::readInput(options.source, "a THEIA source", status::kUsage), assembler);
  if (!result.program) throw tool::Failure(result.report());
  for (const auto& [row, instruction] : result.program->rows) {
    if (row < frame.instructions.size() && frame.instructions[row].word == instruction.word)
      continue;
    throw tool::Failure(name + ":" + std::to_string(result.program->lines.at(row)) +
                        ": found another instruction in row " + std::to_string(row) +
                        " of the frame, expected the source of its instructions.tsv");
  }
  return sourceOf(name, *result.program);
}

debug::Program programOf(const ReplayOptions& options, const Frame& frame) {
  std::vector<CodeSource> code = microcodeCode(options.fixedBilinear);
  if (auto user = userSource(options, frame)) code.insert(code.begin(), std::move(*user));
  std::vector<std::uint16_t> table;
  for (std::size_t slot = 0; slot < kEntries && slot < frame.instructions.size(); ++slot)
    table.push_back(static_cast<std::uint16_t>(frame.instructions[slot].word));
  return debugProgram(code, table);
}

std::vector<std::pair<std::string, const Core*>> coresOf(const Gpu& gpu) {
  std::vector<std::pair<std::string, const Core*>> all;
  for (unsigned core = 0; core < gpu.cores(); ++core)
    all.emplace_back("theia.core" + std::to_string(core), &gpu.core(core));
  return all;
}

void attach(DebuggedRun& run, TheiaUnit& unit, debug::Program program, GpuObserver* chained) {
  Gpu& gpu = unit.gpu();
  std::vector<std::unique_ptr<DebugUnit>> units;
  for (unsigned core = 0; core < gpu.cores(); ++core)
    units.push_back(std::make_unique<DebugUnit>("theia.core" + std::to_string(core), gpu.core(core),
                                                gpu.textureStorage()));
  gpu.control(&run.attach(std::move(units), std::move(program), chained,
                          1 / unit.clock().of(1).to_seconds()));
}

int play(const ReplayOptions& options, const Rom& rom) {
  std::unique_ptr<DebuggedRun> debugged;
  if (options.debug.any()) debugged = std::make_unique<DebuggedRun>(options.debug);
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
  const SeeingWishes& seeing = options.seeing;
  const debug::Program program = programOf(options, frame);
  std::unique_ptr<InstructionFile> instructions;
  if (debugged) attach(*debugged, unit, program, options.trace ? &tracer : nullptr);
  if (!seeing.instructions.empty()) {
    instructions = std::make_unique<InstructionFile>(program, frame.cores);
    unit.gpu().control(&instructions->control());
  }
  if (seeing.accounts()) unit.gpu().keepAccount();
  sc_core::sc_start();
  if (host.left()) {
    debugged->left();
    return status::kDone;
  }
  unit.finish();
  if (debugged) {
    const Fault& fault = unit.gpu().fault();
    debugged->over(fault ? "fault: " + fault.describe()
                         : "the frame is done after " + std::to_string(host.done()) + " clocks",
                   fault);
  }
  writeAccounts(seeing, program, coresOf(unit.gpu()), "theia-run --frame " + options.folder);
  if (instructions) writeInstructions(seeing, *instructions);
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

int replayFrame(const ReplayOptions& options, const Rom& rom) {
  return tool::refusing<FrameError>(status::kUsage, [&] {
    return tool::refusing<std::invalid_argument>(status::kUsage,
                                                 [&] { return play(options, rom); });
  });
}

}  // namespace rtvp::theia
