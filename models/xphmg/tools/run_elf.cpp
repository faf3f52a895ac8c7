#include "models/xphmg/tools/run_elf.hpp"

#include <array>
#include <iomanip>
#include <iostream>
#include <memory>
#include <systemc>
#include <vector>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/common/tool/files.hpp"
#include "models/xphmg/hart/outcome.hpp"
#include "models/xphmg/hart_module.hpp"
#include "models/xphmg/tools/debugged_run.hpp"
#include "models/xphmg/tools/run_seeing.hpp"

namespace rtvp::xphmg {
namespace {

using rv64::Outcome;

namespace status = tool::status;

class StandardStreams : public rv64::Console {
 public:
  /// `taken`: somebody else reads standard input. `editor`: gets the text instead, or null.
  StandardStreams(bool taken, debug::DapHost* editor) : taken_(taken), editor_(editor) {}

  void write(std::span<const std::uint8_t> bytes, bool error_stream) override {
    if (editor_ != nullptr) {
      for (const std::uint8_t byte : bytes) editor_->programText(static_cast<char>(byte));
      return;
    }
    std::ostream& out = error_stream ? std::cerr : std::cout;
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }
  int read() override {
    if (taken_) return -1;
    std::cout.flush();
    const int byte = std::cin.get();
    return std::cin ? byte : -1;
  }

 private:
  bool taken_;
  debug::DapHost* editor_;
};

/// One line an instruction: cycle, pc, symbol, word, instruction, and the registers it changed.
class Tracer : public rv64::Observer {
 public:
  Tracer(std::ostream& out, const rv64::ElfImage& image, const HartExtension& extension)
      : out_(out), image_(image), extension_(extension) {}

  bool before(const rv64::Hart& hart, const rv64::Decoded& /*instruction*/) override {
    pc_ = hart.pc();
    cycle_ = hart.cycle();
    for (unsigned n = 0; n < 32; ++n) {
      x_[n] = hart.x(n);
      f_[n] = hart.f(n);
    }
    return true;
  }
  void after(const rv64::Hart& hart, const rv64::Decoded& d, bool retired) override {
    out_ << std::dec << std::setfill(' ') << std::setw(10) << cycle_ << "  " << std::hex
         << std::setfill('0') << std::setw(8) << pc_ << "  " << std::setw(d.length * 2) << d.word
         << (d.length == 2 ? "    " : "") << "  " << std::left << std::setfill(' ') << std::setw(32)
         << text(d) << std::right;
    for (unsigned n = 0; n < 32; ++n) {
      if (hart.x(n) != x_[n]) out_ << ' ' << rv64::integerRegisterName(n) << '=' << hart.x(n);
      if (hart.f(n) != f_[n]) out_ << ' ' << rv64::floatRegisterName(n) << '=' << hart.f(n);
    }
    if (!retired) out_ << " (did not retire)";
    if (const rv64::ElfSymbol* symbol = image_.covering(pc_)) {
      out_ << "  ; " << symbol->name << '+' << pc_ - symbol->value;
    }
    out_ << '\n';
  }

 private:
  [[nodiscard]] std::string text(const rv64::Decoded& d) const {
    const bool vendor = d.op == rv64::Op::CUSTOM_0 || d.op == rv64::Op::CUSTOM_3;
    const std::string name = vendor ? extension_.disassemble(d.word) : std::string();
    return name.empty() ? rv64::disassemble(d, pc_) : name;
  }

  std::ostream& out_;
  const rv64::ElfImage& image_;
  const HartExtension& extension_;
  std::uint64_t pc_ = 0, cycle_ = 0;
  std::array<std::uint64_t, 32> x_{}, f_{};
};

/// Hart, RT units, RAM and LDS on one interconnect.
struct System {
  System(const RunElfOptions& options, rv64::Console& console)
      : bus("bus"),
        ram("ram", {.size = options.ram_mib << 20U}),
        lds("lds", {.size = rv64::kLdsSize}) {
    bus.attach(ram.bus_tsock, "ram", rv64::kRamBase, options.ram_mib << 20U);
    bus.attach(lds.bus_tsock, "lds", rv64::kLdsBase, rv64::kLdsSize);
    for (unsigned i = 0; i < options.units; ++i) {
      UnitConfig config;
      config.number = i;
      config.queueDepth = options.queue_depth;
      config.lmemKib = options.lmem_kib;
      const std::string name = "rt" + std::to_string(i);
      units.push_back(std::make_unique<RtUnit>(name.c_str(), config));
      lines.push_back(std::make_unique<sc_core::sc_signal<bool>>((name + "_irq").c_str()));
      bus.attach(units[i]->host_tsock, name, rv64::kDeviceBase + page::kSize * i, page::kSize);
      units[i]->bus_isock.bind(bus.bus_tsock);
      units[i]->irq_o.bind(*lines[i]);
    }
    HartModuleConfig config;
    config.machine.hart.timer_divider = options.timer_divider;
    config.extension = {options.mask_banks, options.replication};
    config.max_instructions = options.max_instructions;
    config.stop_simulation = true;
    hart = std::make_unique<HartModule>(
        "hart", config, rv64::MachineMemory{ram.bytes(), lds.bytes()}, console, *units[0]);
    hart->bus_isock.bind(bus.bus_tsock);
    for (const auto& line : lines) hart->irq_i.bind(*line);
  }

  void report(common::StatGroup& root) const {
    hart->report(root.group("hart", "The RV64 hart."));
    for (std::size_t i = 0; i < units.size(); ++i) {
      units[i]->report(root.group("rt" + std::to_string(i), "An RT unit."));
    }
    bus.report(root.group("bus", "The interconnect."));
  }

  common::Interconnect bus;
  common::Memory ram, lds;
  std::vector<std::unique_ptr<RtUnit>> units;
  std::vector<std::unique_ptr<sc_core::sc_signal<bool>>> lines;
  std::unique_ptr<HartModule> hart;
};

void print(std::ostream& out, const common::StatGroup& group, const std::string& path) {
  for (const common::Figure& figure : group.figures()) {
    out << path << figure.name << ' ';
    std::visit([&](const auto& value) { out << value; }, figure.value);
    out << (figure.unit == "1" || figure.unit.empty() ? "" : " " + figure.unit) << '\n';
  }
  for (const common::StatGroup& sub : group.groups()) print(out, sub, path + sub.name() + ".");
}

int conclude(const RunElfOptions& options, const System& system, const rv64::ElfImage& image) {
  const Outcome& outcome = system.hart->outcome();
  if (outcome.kind == Outcome::Kind::Exit) return statusOf(outcome);
  const bool limit = outcome.kind == Outcome::Kind::Limit;
  std::cerr << "xphmg-run: " << tool::inputName(options.file) << ": "
            << rv64::describe(outcome, system.hart->hart(), image)
            << (limit ? " (--max-instructions)" : "") << '\n';
  return statusOf(outcome);
}

}  // namespace

int runElf(const RunElfOptions& options) {
  const std::string name = tool::inputName(options.file);
  const std::string file =
      tool::readInput(options.file, "an executable for the hart", status::kUsage);
  tool::OutputStream trace = openDiagnostics(options.trace), stats = openDiagnostics(options.stats);
  try {
    const rv64::ElfImage image = rv64::readElf(tool::bytesOf(file));
    RunSeeing seeing(options, image);
    std::unique_ptr<DebuggedRun> debugged;
    if (options.debugged()) debugged = std::make_unique<DebuggedRun>(options);
    StandardStreams console(options.interactive, debugged ? debugged->editor() : nullptr);
    System system(options, console);
    system.hart->load(image);
    const double hertz = sc_core::sc_time(1, sc_core::SC_SEC) / HartModuleConfig{}.period;
    Tracer tracer(trace.wanted() ? trace.stream() : std::cerr, image, system.hart->extension());
    rv64::Observer* const watcher = seeing.attach(*system.hart, trace.wanted() ? &tracer : nullptr);
    system.hart->setObserver(watcher);
    // How a run ends is said below, not by the kernel.
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO,
                                            sc_core::SC_DO_NOTHING);
    if (debugged) {
      if (!debugged->simulate(*system.hart, image, hertz, watcher)) return status::kDone;
    } else {
      sc_core::sc_start();
    }
    std::cout.flush();
    if (stats.wanted()) {
      common::StatGroup root;
      system.report(root);
      print(stats.stream(), root, "");
    }
    trace.close();
    stats.close();
    seeing.write(*system.hart);
    return conclude(options, system, image);
  } catch (const rv64::ElfError& error) {
    throw tool::Failure::report("xphmg-run: " + name + ": " + error.what() + "\n", status::kUsage);
  }
}

}  // namespace rtvp::xphmg
