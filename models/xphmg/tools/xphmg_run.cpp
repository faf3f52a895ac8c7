// xphmg-run: XPHMG_RT for programmers: RISC-V programs with RT units, and single operations and
// jobs in batch mode.
#include <boost/program_options.hpp>
#include <iostream>

#include "models/common/core/record_file.hpp"
#include "models/common/tool/program.hpp"
#include "models/xphmg/tools/run_elf.hpp"
#include "models/xphmg/tools/runner.hpp"

namespace {

namespace po = boost::program_options;

namespace tool = rtvp::tool;
namespace status = tool::status;

constexpr const char* kUsage =
    R"(usage: xphmg-run FILE.elf [options]   runs a bare-metal RISC-V program
       xphmg-run --batch             answers JSON requests, one a line
       xphmg-run --job DIR           replays an offload job that platform --dump-node has recorded

FILE.elf is a static 64-bit executable: RV64IMAFDC, machine mode, RAM at 0x80000000. Build one with
  riscv64-unknown-elf-gcc -march=rv64gc -mabi=lp64d -mcmodel=medany -nostdlib -ffreestanding \
      -T link.ld start.S main.c -lgcc
(firmware/xphmg has link.ld, start.S and an example driver). The program's console is the terminal;
its exit code is the exit status (255 for larger ones). A program with the symbol `tohost` may use
that convention instead. Other exit statuses: 2 the file or an option is wrong, 3 a trap without a
handler or a wait without end, 4 --max-instructions reached.

Memory map: CLINT 0x02000000, LDS 0x10000000 (256 KiB), RT units 0x20000000 + 0x2000 x i, console
0x20100000 (+0 data, +8 exit), RAM 0x80000000.

)";

template <typename T>
T bounded(const po::variables_map& given, const char* name, T low, T high) {
  const T value = given[name].as<T>();
  if (value < low || value > high) {
    throw tool::Failure("--" + std::string(name) + " " + std::to_string(value) + "; expected " +
                        std::to_string(low) + " to " + std::to_string(high) + " (--help)");
  }
  return value;
}

rtvp::xphmg::RunElfOptions optionsOf(const po::variables_map& given) {
  using U = std::uint64_t;
  rtvp::xphmg::RunElfOptions run;
  run.file = tool::textOf(given, "file");
  run.trace = tool::textOf(given, "trace");
  run.stats = tool::textOf(given, "stats");
  run.profile = tool::textOf(given, "profile");
  run.coverage = tool::textOf(given, "coverage");
  run.instructions = tool::textOf(given, "instructions");
  run.max_instructions = given["max-instructions"].as<U>();
  run.ram_mib = bounded<U>(given, "ram", 1, 4096);
  run.timer_divider = bounded<U>(given, "timer-divider", 1, U{1} << 32U);
  run.units = bounded<unsigned>(given, "units", 1, 64);
  run.queue_depth = bounded<unsigned>(given, "queue-depth", 1, 65535);
  run.lmem_kib = bounded<unsigned>(given, "lmem", 0, 65536);
  run.mask_banks = bounded<unsigned>(given, "mask-banks", 1, 4);
  run.replication = !tool::has(given, "no-rsv");
  run.interactive = tool::has(given, "interactive");
  run.execute = tool::listOf(given, "execute");
  run.commands = tool::textOf(given, "commands");
  run.dap = tool::textOf(given, "dap");
  run.gdb = tool::textOf(given, "gdb");
  return run;
}

int run(const po::variables_map& given) {
  const rtvp::xphmg::RunElfOptions options = optionsOf(given);
  const bool batch = tool::has(given, "batch"), job = tool::has(given, "job");
  if (!options.file.empty() + batch + job != 1)
    throw tool::Failure("expected FILE.elf, --batch or --job DIR, and not several (--help)");
  if (batch) {
    rtvp::xphmg::runBatch(std::cin, std::cout);
    return status::kDone;
  }
  if (!job) return rtvp::xphmg::runElf(options);
  return tool::refusing<rtvp::common::RecordError>(
      status::kUsage, [&] { return rtvp::xphmg::replayJob(tool::textOf(given, "job")); });
}

void declare(po::options_description& options) {
  using U = std::uint64_t;
  auto add = options.add_options();
  add("batch", "one JSON object a line on stdin, one a line on stdout");
  add("job", po::value<std::string>()->value_name("DIR"),
      "an offload job that platform --dump-node has recorded: the same results, figures and "
      "cycles, or exit status 1 and what differs");
  add("max-instructions", po::value<U>()->default_value(~U{0}, "none"), "stop after so many");
  add("trace", po::value<std::string>()->value_name("FILE"),
      "each instruction: cycle, pc, word, text, registers it changed ('-': standard error)");
  add("stats", po::value<std::string>()->value_name("FILE"),
      "figures at the end ('-': standard error)");
  add("profile", po::value<std::string>()->value_name("FILE"),
      "where the cycles went, by symbol and source line: FILE.txt a table, FILE.callgrind for "
      "callgrind_annotate, FILE.svg a flame graph ('-': a table on standard error)");
  add("coverage", po::value<std::string>()->value_name("FILE"),
      "which source lines were executed, how often, as genhtml reads it; needs -g");
  add("instructions", po::value<std::string>()->value_name("FILE"),
      "each instruction with cycles, stalls, registers, memory, source line: FILE.txt, or FILE.bin "
      "for `platform instructions` ('-': text on standard error)");
  add("execute,x", po::value<std::vector<std::string>>()->value_name("COMMANDS"),
      "commands instead of running to the end: \"break main; run; regs\"");
  add("commands", po::value<std::string>()->value_name("FILE"), "commands, a line each");
  add("interactive,i",
      "commands from a prompt with history and completion (help lists them); the program reads "
      "no input");
  add("gdb", po::value<std::string>()->value_name("PORT"),
      "serves GDB's remote protocol: PORT or ADDRESS:PORT (loopback), 0 any free one, - standard "
      "input and output");
  add("dap", po::value<std::string>()->value_name("PORT"),
      "the same for the Debug Adapter Protocol of editors");
  add("ram", po::value<U>()->default_value(128)->value_name("MiB"), "RAM, 1 to 4096");
  add("units", po::value<unsigned>()->default_value(1), "RT units, 1 to 64");
  add("queue-depth", po::value<unsigned>()->default_value(16), "jobs a unit's queue holds");
  add("lmem", po::value<unsigned>()->default_value(64)->value_name("KiB"),
      "LMEM of a unit; 0: none");
  add("timer-divider", po::value<U>()->default_value(100), "cycles a tick of mtime");
  add("mask-banks", po::value<unsigned>()->default_value(4), "PMASK banks, 1 to 4");
  add("no-rsv", "lane replication is not built: its prefixes trap");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "xphmg-run",
                    .summary = "runs programs on the XPHMG_RT hart, or batches on its unit",
                    .usage = kUsage,
                    .declare = declare,
                    .run = run,
                    .input = "file",
                    .hint = " (--help)",
                    .writes = {"trace", "stats", "profile", "coverage", "instructions"},
                    .reads = {"commands"}},
                   argc, argv);
}
