// The RV64 hart as driver of the offload queue (`--set xphmg.driver=hart`): hart beside RT unit 0,
// its LDS, the mailbox to the host, and the program it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/common/statistics.hpp"
#include "models/debug/profile.hpp"
#include "models/xphmg/debug/hart_log.hpp"
#include "models/xphmg/debug/hart_trace.hpp"
#include "models/xphmg/hart/account.hpp"
#include "models/xphmg/hart/observers.hpp"
#include "models/xphmg/hart_module.hpp"
#include "models/xphmg/mailbox.hpp"
#include "models/xphmg/unit.hpp"
#include "platform/exit_status.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/instruction_source.hpp"

namespace rtvp::platform {

/// The hart's program: an executable (ELF) that lies in the first kHartMemory bytes of memory.
class HartProgram {
 public:
  /// An ELF file (xphmg.hart_elf), or the platform's own if the name is empty. Throws InputError:
  /// the file cannot be read, is no such executable, or there is no program because the build had
  /// no RISC-V compiler.
  HartProgram(const std::string& file, InputFiles& files);
  [[nodiscard]] const rv64::ElfImage& image() const { return image_; }
  /// For whoever is to show source lines, and, if they are `needed`, cannot do without. Throws
  /// InputError: the line tables are wrong, or there are none.
  void checkLines(bool needed) const;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::vector<std::uint8_t> bytes_;  ///< what the image's segments refer to
  rv64::ElfImage image_;
};

class HartDevice {
 public:
  /// Program, its data and stack, at the start of memory; the scene follows.
  static constexpr std::uint64_t kHartMemory = std::uint64_t{1} << 20U;

  /// Attaches LDS and mailbox to `computer` as parts of `machine`, and the hart to `unit`.
  /// `program` may be null: nothing runs then (`--stats-help`). It may execute `limit` instructions
  /// between two reports to the host. Build it while elaborating.
  HartDevice(std::uint64_t limit, const xphmg::UnitConfig& unitConfig, Computer& computer,
             const Machine& machine, xphmg::RtUnit& unit, const HartProgram* program);

  /// Where the mailbox lies.
  [[nodiscard]] std::uint64_t mailbox() const { return mailbox_base_; }

  /// The mailbox's line to the host.
  [[nodiscard]] sc_core::sc_signal<bool>& hostLine() { return host_line_; }
  /// How the program ended, if it did: it never should.
  [[nodiscard]] std::optional<Failure> failure() const;
  [[nodiscard]] xphmg::HartModule& module() { return hart_; }
  /// Where it is; for deadlock reports.
  [[nodiscard]] std::string describe() const;
  /// Every cycle from the reset on is accounted for; before the simulation.
  void keepAccount() { hart_.hart().setAccount(&account_); }
  [[nodiscard]] const rv64::Account& account() const { return account_; }
  /// The hart's signals; before the simulation.
  void declare(const common::TraceScope& scope);
  /// Who watches the hart, or null.
  [[nodiscard]] rv64::Observer* observer() { return observers_.empty() ? nullptr : &observers_; }
  /// Of the hart under this name, as wished; before the simulation, and behind it. Throws
  /// InputError beside a debugger.
  void logInstructions(const std::string& name, const InstructionWish& wish);
  void finishInstructions() { log_->finish(hart_.hart().cycle()); }
  void report(common::StatGroup& stats) const;
  /// The program waits for posts, and there are none.
  [[nodiscard]] bool quiescent() const { return hart_.quiescent() && mailbox_.quiescent(); }
  /// For checkpoints, while quiescent() holds. Its part of main memory is the computer's.
  void state(common::StateArchive& a);

 private:
  /// What the program prints goes to standard error.
  class Console : public rv64::Console {
   public:
    void write(std::span<const std::uint8_t> bytes, bool error_stream) override;
    int read() override { return -1; }
  };

  const HartProgram* program_;
  std::uint64_t patience_;  ///< instructions between two reports
  Console console_;
  common::Memory lds_;
  xphmg::Mailbox mailbox_;
  std::uint64_t mailbox_base_ = 0;
  xphmg::HartModule hart_;
  rv64::Account account_;
  std::unique_ptr<rv64::DebugUnit> unit_;  ///< with log_
  std::unique_ptr<rv64::HartLog> log_;
  std::unique_ptr<xphmg::HartTrace> trace_;
  rv64::Observers observers_;
  sc_core::sc_signal<bool> hart_line_, host_line_;
};

}  // namespace rtvp::platform
