// See xphmg_hart.hpp.
#include "platform/machines/xphmg_hart.hpp"

#include <cstdio>
#include <system_error>

#include "firmware/xphmg_firmware.hpp"
#include "models/common/core/shared_files.hpp"
#include "models/common/core/state.hpp"
#include "models/common/core/unreadable.hpp"
#include "models/common/report_ids.hpp"
#include "models/xphmg/debug/hart_profile.hpp"
#include "models/xphmg/hart/outcome.hpp"
#include "platform/drivers/time_text.hpp"

namespace rtvp::platform {
namespace {

xphmg::HartModuleConfig hartConfig(std::uint64_t limit, const xphmg::UnitConfig& unit, bool runs) {
  xphmg::HartModuleConfig config;
  config.timing = unit.timing;
  config.lds = unit.lds;
  config.period = unit.period;
  config.dmi = unit.dmi;
  config.max_instructions = runs ? limit : 0;
  config.stop_simulation = runs;
  return config;
}

constexpr const char* kParameter = "xphmg.driver";  // there is a hart only if it drives
constexpr std::uint64_t kMailbox = 0x200F0000;      // the programs know it

bool inside(const rv64::ElfSegment& s, std::uint64_t base, std::uint64_t size) {
  return s.address >= base && s.size <= size && s.address - base <= size - s.size;
}

}  // namespace

HartProgram::HartProgram(const std::string& file, InputFiles& files) : name_(file) {
  if (name_.empty()) {
    const auto own = xphmgQueueDriver();
    if (own.empty()) {
      throw InputError(
          "xphmg.driver=hart: this build has no driver program, because no RISC-V compiler was "
          "found (Debian package gcc-riscv64-unknown-elf); xphmg.hart_elf=FILE names one");
    }
    name_ = "queue_driver";
    bytes_.assign(own.begin(), own.end());
  } else {
    try {
      constexpr std::uint64_t kLargest = std::uint64_t{1} << 30U;
      bytes_ = files.read("xphmg.hart_elf", common::inputFile(name_, "firmware"), kLargest);
    } catch (const std::system_error&) {
      throw InputError(
          "xphmg.hart_elf: " + name_ + ": " +
          common::unreadable(common::inputFile(name_, "firmware"), "an executable for the hart"));
    }
  }
  try {
    image_ = rv64::readElf(bytes_);
  } catch (const rv64::ElfError& e) {
    throw InputError("xphmg.hart_elf: " + name_ + ": " + e.what());
  }
  for (const rv64::ElfSegment& segment : image_.segments) {
    if (!inside(segment, rv64::kRamBase, HartDevice::kHartMemory) &&
        !inside(segment, rv64::kLdsBase, rv64::kLdsSize)) {
      throw InputError("xphmg.hart_elf: " + name_ + ": a segment of " +
                       std::to_string(segment.size) + " bytes at " +
                       rv64::place({}, segment.address) +
                       " lies outside the first MiB of memory, which is the program's, and LDS");
    }
  }
}

void HartProgram::checkLines(bool needed) const {
  try {
    const std::string why = rv64::noCoverage(image_);
    if (needed && !why.empty()) throw InputError("output.coverage: " + name_ + ": " + why);
  } catch (const rv64::ElfError& e) {
    throw InputError("xphmg.hart_elf: " + name_ + ": " + e.what());
  }
}

void HartDevice::Console::write(std::span<const std::uint8_t> bytes, bool /*error_stream*/) {
  std::fwrite(bytes.data(), 1, bytes.size(), stderr);
}

HartDevice::HartDevice(std::uint64_t limit, const xphmg::UnitConfig& unit_config,
                       Computer& computer, const Machine& machine, xphmg::RtUnit& unit,
                       const HartProgram* program)
    : program_(program),
      patience_(limit),
      lds_("lds", {.size = rv64::kLdsSize}),
      mailbox_("mailbox", {.period = unit_config.period}),
      hart_("hart", hartConfig(limit, unit_config, program != nullptr),
            {computer.dram().bytes(), lds_.bytes()}, console_, unit),
      hart_line_("mailbox_to_hart"),
      host_line_("mailbox_to_host") {
  (void)computer.attach(machine, lds_.bus_tsock,
                        {"lds", rv64::kLdsSize, Region::Private, rv64::kLdsBase, kParameter});
  mailbox_base_ =
      computer.attach(machine, mailbox_.bus_tsock,
                      {"mailbox", xphmg::mailbox::kSize, Region::Private, kMailbox, kParameter});
  computer.addMaster(machine, hart_.bus_isock, "hart", 64, kParameter, &hart_);
  hart_.irq_i.bind(hart_line_);
  mailbox_.hart_irq_o.bind(hart_line_);
  mailbox_.host_irq_o.bind(host_line_);
  if (program == nullptr) return;
  hart_.load(program->image());
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&mailbox_.reportedEvent());
  options.dont_initialize();
  sc_core::sc_spawn(
      [this] { hart_.setInstructionLimit(hart_.hart().instructionsRetired() + patience_); },
      "hart_patience", &options);
}

void HartDevice::state(common::StateArchive& a) {
  a(lds_, mailbox_, hart_);
}

std::optional<Failure> HartDevice::failure() const {
  if (program_ == nullptr || !hart_.finished()) return std::nullopt;
  const rv64::Outcome& outcome = hart_.outcome();
  const std::string text = ": " + program_->name() + " at " +
                           host::timeText(sc_core::sc_time_stamp()) + ": " +
                           rv64::describe(outcome, hart_.hart(), program_->image());
  switch (outcome.kind) {
    case rv64::Outcome::Kind::Limit:
      return Failure{ExitStatus::Unfinished, report_ids::kLimit + text +
                                                 "; it has reported nothing for " +
                                                 std::to_string(patience_) + " (xphmg.hart_limit)"};
    case rv64::Outcome::Kind::Waiting:
    case rv64::Outcome::Kind::Blocked:
      return Failure{ExitStatus::Unfinished, report_ids::kDeadlock + text};
    case rv64::Outcome::Kind::Exit: {
      const std::string trap = rv64::lastTrap(hart_.hart(), program_->image());
      return Failure{ExitStatus::Fault, report_ids::kHartFault + text +
                                            (trap.empty() ? "" : "; its last trap: " + trap)};
    }
    default:
      return Failure{ExitStatus::Fault, report_ids::kHartFault + text};
  }
}

void HartDevice::logInstructions(const std::string& name, const InstructionWish& wish) {
  if (hart_.controlled())
    throw InputError(
        "output.instructions: found a debugger beside it, expected a run without (the way back "
        "would be in the log)");
  const auto cycleAt = [this](const sc_core::sc_time& time) -> std::uint64_t {
    if (time == sc_core::sc_max_time()) return ~std::uint64_t{0};
    const std::uint64_t period = hart_.period().value();
    return (time.value() + period - 1) / period;
  };
  unit_ = std::make_unique<rv64::DebugUnit>(name, hart_.hart(), [this](std::uint32_t word) {
    return hart_.extension().disassemble(word);
  });
  log_ = std::make_unique<rv64::HartLog>(program_->image(), *unit_, cycleAt(wish.from),
                                         cycleAt(wish.to), wish.sink);
  observers_.add(log_.get());
  hart_.setObserver(&observers_);
}

void HartDevice::declare(const common::TraceScope& scope) {
  if (!scope || program_ == nullptr) return;
  trace_ = std::make_unique<xphmg::HartTrace>(hart_, program_->image(), scope);
  if (!trace_->wanted()) return;
  observers_.add(trace_.get());
  hart_.setObserver(&observers_);
}

std::string HartDevice::describe() const {
  if (program_ == nullptr) return {};
  return "the hart is at " + rv64::place(program_->image(), hart_.hart().pc()) + " of " +
         program_->name() + " after " + std::to_string(hart_.hart().instructionsRetired()) +
         " instructions";
}

void HartDevice::report(common::StatGroup& stats) const {
  hart_.report(stats.group("hart", "the RV64 hart that drives the queue"));
  mailbox_.report(stats.group("mailbox", "between host and hart"));
}

}  // namespace rtvp::platform
