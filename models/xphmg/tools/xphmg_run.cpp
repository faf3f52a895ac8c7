// xphmg-run: XPHMG_RT for programmers: RISC-V programs with RT units, and single operations and
// jobs in batch mode.
#include <boost/program_options.hpp>
#include <iostream>
#include <systemc>

#include "models/xphmg/tools/run_elf.hpp"
#include "models/xphmg/tools/runner.hpp"

namespace {

namespace po = boost::program_options;

constexpr int kDone = 0, kUsage = 2, kInternal = 70;

constexpr const char* kHelp =
    R"(usage: xphmg-run FILE.elf [options]   runs a bare-metal RISC-V program
       xphmg-run --batch             answers JSON requests, one a line

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

struct Parsed {
  rtvp::xphmg::RunElfOptions run;
  bool help = false, batch = false;
};

template <typename T>
T bounded(const po::variables_map& given, const char* name, T low, T high) {
  const T value = given[name].as<T>();
  if (value < low || value > high) {
    throw po::error("--" + std::string(name) + " " + std::to_string(value) + "; expected " +
                    std::to_string(low) + " to " + std::to_string(high));
  }
  return value;
}

Parsed parse(int argc, char** argv, po::options_description& options) {
  Parsed out;
  rtvp::xphmg::RunElfOptions& run = out.run;
  using U = std::uint64_t;
  options.add_options()("batch", "one JSON object a line on stdin, one a line on stdout")(
      "max-instructions", po::value<U>()->default_value(~U{0}, "none"), "stop after so many")(
      "trace", po::value(&run.trace)->value_name("FILE"),
      "each instruction: cycle, pc, word, text, registers it changed ('-': standard error)")(
      "stats", po::value(&run.stats)->value_name("FILE"),
      "figures at the end ('-': standard error)")(
      "ram", po::value<U>()->default_value(128)->value_name("MiB"), "RAM, 1 to 4096")(
      "units", po::value<unsigned>()->default_value(1), "RT units, 1 to 64")(
      "queue-depth", po::value<unsigned>()->default_value(16), "jobs a unit's queue holds")(
      "lmem", po::value<unsigned>()->default_value(64)->value_name("KiB"),
      "LMEM of a unit; 0: none")("timer-divider", po::value<U>()->default_value(100),
                                 "cycles a tick of mtime")(
      "mask-banks", po::value<unsigned>()->default_value(4), "PMASK banks, 1 to 4")(
      "no-rsv", "lane replication is not built: its prefixes trap")("help,h", "this text")(
      "file", po::value(&run.file), "");
  po::positional_options_description position;
  position.add("file", 1);
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(options).positional(position).run(), given);
  po::notify(given);
  run.max_instructions = given["max-instructions"].as<U>();
  run.ram_mib = bounded<U>(given, "ram", 1, 4096);
  run.timer_divider = bounded<U>(given, "timer-divider", 1, U{1} << 32U);
  run.units = bounded<unsigned>(given, "units", 1, 64);
  run.queue_depth = bounded<unsigned>(given, "queue-depth", 1, 65535);
  run.lmem_kib = bounded<unsigned>(given, "lmem", 0, 65536);
  run.mask_banks = bounded<unsigned>(given, "mask-banks", 1, 4);
  run.replication = given.count("no-rsv") == 0;
  out.help = given.count("help") != 0;
  out.batch = given.count("batch") != 0;
  return out;
}

int run(int argc, char** argv) {
  po::options_description options("options");
  const Parsed parsed = parse(argc, argv, options);
  if (parsed.help) {
    po::options_description shown("options");
    for (const auto& option : options.options()) {
      if (option->long_name() != "file") shown.add(option);
    }
    std::cout << kHelp << shown;
    return kDone;
  }
  if (parsed.batch == parsed.run.file.empty()) {
    if (!parsed.batch) return rtvp::xphmg::runElf(parsed.run);
    rtvp::xphmg::runBatch(std::cin, std::cout);
    return kDone;
  }
  std::cerr << "xphmg-run: error: expected FILE.elf or --batch, and not both (--help)\n";
  return kUsage;
}

int guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const po::error& e) {
    std::cerr << "xphmg-run: error: " << e.what() << " (--help)\n";
    return kUsage;
  } catch (const std::exception& e) {
    std::cerr << "xphmg-run: internal error: " << e.what() << '\n';
    return kInternal;
  }
}

}  // namespace

int main(int argc, char** argv) {
  return guarded(argc, argv);
}

// The SystemC library refers to it; only its own main(), which this program replaces, would call
// it.
extern "C" int sc_main(int argc, char** argv) {
  return guarded(argc, argv);
}
