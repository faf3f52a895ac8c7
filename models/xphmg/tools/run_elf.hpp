// xphmg-run FILE.elf: a bare-metal RISC-V program on a hart with RT units beside it, in SystemC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rtvp::xphmg {

struct RunElfOptions {
  std::string file;
  std::uint64_t max_instructions = ~std::uint64_t{0};
  std::uint64_t ram_mib = 128;
  std::uint64_t timer_divider = 100;
  unsigned units = 1;
  unsigned queue_depth = 16;
  unsigned lmem_kib = 64;
  unsigned mask_banks = 4;
  bool replication = true;
  std::string trace;  ///< file for the instruction trace; "-" is standard error; empty: none
  std::string stats;  ///< likewise for the statistics
  std::string profile, coverage, instructions;  ///< likewise
  bool quiet = false;
  bool interactive = false;          ///< commands from whoever types
  std::vector<std::string> execute;  ///< commands in front of them
  std::string commands;              ///< a file of commands, in front of those
  std::string dap, gdb;              ///< where a debugger's client is expected; empty: nowhere
  [[nodiscard]] bool debugged() const {
    return interactive || !execute.empty() || !commands.empty() || !dap.empty() || !gdb.empty();
  }
};

/// Runs the program and reports; returns the exit status (xphmg.md 16.2): the program's exit code
/// (above 255: 255), 2 for a file that cannot be run, 3 for a trap nobody handles or a wait that
/// nothing can end, 4 at the limit of instructions.
int runElf(const RunElfOptions& options);

}  // namespace rtvp::xphmg
