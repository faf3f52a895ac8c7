// c32-run: the C32 for programmers. `--batch` answers JSON requests (c32_batch.hpp); with FILE it
// runs a COFF program on one processor with plain memory, a console and an exit register, under the
// control of commands. Manual: README.md beside this file.
#include <boost/program_options.hpp>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "models/c32/asm/coff.hpp"
#include "models/c32/cpu_options.hpp"
#include "models/c32/debug/boot_image.hpp"
#include "models/c32/debug/c_io.hpp"
#include "models/c32/debug/driver.hpp"
#include "models/c32/debug/node.hpp"
#include "models/c32/debug/report.hpp"
#include "models/c32/tools/c32_batch.hpp"
#include "models/common/core/text.hpp"
#include "models/common/core/unreadable.hpp"
#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"
#include "models/debug/remote/dap.hpp"
#include "models/debug/remote/front.hpp"
#include "models/debug/terminal.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::c32;  // NOLINT(google-build-using-namespace): a program about this namespace

namespace tool = rtvp::tool;
namespace status = tool::status;

std::uint64_t number(const std::string& text, std::uint64_t most) {
  std::string digits = text;
  int base = 0;
  if (!digits.empty() && (digits.back() == 'h' || digits.back() == 'H')) {
    digits.pop_back();
    base = 16;
  }
  try {
    std::size_t used = 0;
    const unsigned long long value = std::stoull(digits, &used, base);
    if (used == digits.size() && digits[0] != '-' && value <= most) return value;
  } catch (const std::exception&) {
    // Said below.
  }
  throw tool::Failure("found '" + text + "', expected a number up to " + std::to_string(most));
}

/// `LOW:HIGH`, both included; or the name of a section.
AddressRange range(const std::string& text, const Image* image) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos && image != nullptr) {
    for (const Section& s : image->sections) {
      if (s.name == text && s.size != 0) return {s.runAddress, s.runAddress + s.size - 1};
    }
  }
  if (colon == std::string::npos) throw tool::Failure("found '" + text + "', expected LOW:HIGH");
  const AddressRange r{static_cast<std::uint32_t>(number(text.substr(0, colon), kAddressMask)),
                       static_cast<std::uint32_t>(number(text.substr(colon + 1), kAddressMask))};
  if (r.first > r.last)
    throw tool::Failure("found '" + text + "', expected LOW:HIGH with LOW below HIGH");
  return r;
}

/// All of a file that an option names.
std::string contents(const std::string& path) {
  return tool::readInput(path, "a file to read", status::kUsage);
}

Image loadImage(const std::string& path) {
  const std::string bytes = contents(path);
  try {
    return loadCoff(tool::bytesOf(bytes));
  } catch (const CoffError& error) {
    throw tool::Failure(tool::inputName(path) + ": " + error.what());
  }
}

CpuConfig cpuConfig(const po::variables_map& given) {
  CpuConfig config;
  const std::string timing = given["timing"].as<std::string>();
  if (timing != "static" && timing != "interlock" && timing != "pipeline")
    throw tool::Failure("found --timing " + timing + ", expected static, interlock or pipeline");
  config.flatMemory = given["flat"].as<bool>() || given.count("batch") != 0;
  config.timing = timing == "static"      ? Timing::Static
                  : timing == "interlock" ? Timing::Interlock
                                          : Timing::Pipeline;
  if (given.count("batch") != 0 && given["timing"].defaulted()) config.timing = Timing::Interlock;
  for (const CpuOption& option : cpuOptions()) {
    const std::string key(option.key);
    if (key == "timing") continue;
    if (const auto wrong = setCpuOption(config, key, given[key].as<std::string>()))
      throw tool::Failure("--" + key + ": " + *wrong);
  }
  // The port samples an external clock with H1 (c32.md 8.6).
  if (config.serialBitClockHz * 26 > config.h1Hz * 10)
    throw tool::Failure("found --serial-clock " + std::to_string(config.serialBitClockHz) +
                        ", expected at most " + std::to_string(config.h1Hz * 10 / 26));
  return config;
}

/// Words in hexadecimal, separated by blanks or lines; # begins a comment.
std::vector<std::uint32_t> wordsOf(const std::string& path) {
  std::istringstream file(contents(path));
  const std::string name = tool::inputName(path);
  constexpr std::size_t kMost = 1u << 20;
  std::vector<std::uint32_t> words;
  std::string line;
  for (unsigned n = 1; std::getline(file, line); ++n) {
    std::istringstream text(line.substr(0, line.find('#')));
    for (std::string word; text >> word;) {
      if (word.size() > 8 || word.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
        throw tool::Failure(name + ":" + std::to_string(n) + ": found " +
                            rtvp::common::quotedAsIs(word) + ", expected a word in hexadecimal");
      if (words.size() == kMost)
        throw tool::Failure(name + ":" + std::to_string(n) + ": found more than " +
                            std::to_string(kMost) + " words");
      words.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
    }
  }
  return words;
}

/// No wait states, 32-bit data in 32-bit memory.
constexpr std::uint32_t kBootControl = 0x000F0008;

Chip chipOf(const po::variables_map& given) {
  const std::string name = given["chip"].as<std::string>();
  if (name == "c30") return Chip::C30;
  if (name == "c31") return Chip::C31;
  if (name != "c32") throw tool::Failure("found --chip " + name + ", expected c30, c31 or c32");
  return Chip::C32;
}

const BootSource* bootSource(const po::variables_map& given) {
  if (given.count("boot") == 0) return nullptr;
  const std::string name = given["boot"].as<std::string>();
  const Chip chip = chipOf(given);
  if (chip == Chip::C30)
    throw tool::Failure(
        "found --boot with --chip c30, which has no boot loader (its ROM is the "
        "customer's)");
  const BootSource* source = rtvp::c32::bootSource(name, chip);
  if (source == nullptr)
    throw tool::Failure("found --boot " + name + ", expected boot1, boot2, boot3 or serial");
  const auto width = given["boot-width"].as<unsigned>();
  if (width != 8 && width != 16 && width != 32)
    throw tool::Failure("found --boot-width " + std::to_string(width) + ", expected 8, 16 or 32");
  return source;
}

/// Serial port of the runner: what it hears, loopback.
void serialOptions(const po::variables_map& given, const Image& image, MachineOptions& options) {
  const BootSource* boot = bootSource(given);
  if (boot != nullptr) {
    options.bootPins = boot->pins;
    if (boot->serial) options.serialWords.push_back(bootBlocks(image, kBootControl, chipOf(given)));
  }
  if (given.count("serial-in") != 0)
    options.serialWords.push_back(wordsOf(given["serial-in"].as<std::string>()));
  options.serialGap = given["serial-gap"].as<unsigned>();
  if (options.serialGap > 1'000'000) throw tool::Failure("expected --serial-gap of 0 to 1000000");
  options.serialLoopback = given["serial-loopback"].as<bool>();
  if (options.serialLoopback && !options.serialWords.empty())
    throw tool::Failure(
        "--serial-loopback leaves DR to no other device (--serial-in, --boot serial)");
}

MachineOptions machineOptions(const po::variables_map& given) {
  MachineOptions options;
  options.dsps = given["dsps"].as<unsigned>();
  if (options.dsps < 1 || options.dsps > MachineOptions::kMostDsps)
    throw tool::Failure("expected --dsps of 1 to " + std::to_string(MachineOptions::kMostDsps));
  if (options.dsps > 1 && given.count("boot") != 0)
    throw tool::Failure("--boot starts one processor, not --dsps " + std::to_string(options.dsps));
  if (given.count("ram") != 0) {
    for (const std::string& text : given["ram"].as<std::vector<std::string>>())
      options.ram.push_back(range(text, nullptr));
  }
  if (given.count("wait") != 0) {
    const auto wait = given["wait"].as<unsigned>();
    if (wait > 7) throw tool::Failure("expected --wait of 0 to 7");
    options.wait = wait;
  }
  options.translate = !given["no-translation"].as<bool>();
  options.xf1Acknowledges = !given["no-acknowledge"].as<bool>();
  if (given.count("fill") != 0)
    options.fill = static_cast<std::uint32_t>(number(given["fill"].as<std::string>(), 0xFFFFFFFFu));
  return options;
}

/// Commands of --commands and -x: all are checked before any runs.
void queueCommands(rtvp::debug::Dialogue& dialogue, const po::variables_map& given) {
  try {
    if (given.count("commands") != 0) {
      const std::string path = given["commands"].as<std::string>();
      dialogue.script(contents(path), tool::inputName(path));
    }
    for (const std::string& line : tool::listOf(given, "execute")) {
      dialogue.check(line);
      dialogue.queue(line, "-x");
    }
  } catch (const rtvp::debug::CommandError& error) {
    throw tool::Failure(error.what());
  }
}

int statusOf(const StopReport& stop, const Machine& machine) {
  switch (stop.why) {
    case Stopped::Exit:
      return machine.exitStatus().value_or(1) == 0 ? status::kDone : status::kFailed;
    case Stopped::Fault:
      return status::kFault;
    case Stopped::Limit:
    case Stopped::Deadlock:
      return status::kLimit;
    default:
      return status::kDone;
  }
}

void finalReports(const po::variables_map& given, const Session& session) {
  const Machine& machine = session.machine();
  if (given["regs"].as<bool>()) std::cout << registerText(machine.cpu());
  if (given.count("dump") != 0) {
    for (const std::string& text : given["dump"].as<std::vector<std::string>>()) {
      const AddressRange r = range(text, &session.image());
      std::cout << memoryText(machine, r.first, r.last - r.first + 1, false);
    }
  }
  if (given["profile"].as<bool>()) std::cout << profileBySymbol(session);
  if (given["profile-lines"].as<bool>()) std::cout << profileByLine(session);
  if (given["coverage"].as<bool>()) std::cout << coverageText(session);
  if (given["stats"].as<bool>()) std::cout << statisticsText(machine.cpu());
}

void printFrame(std::ostream& out, const SerialFrame& f) {
  char text[16];
  std::snprintf(text, sizeof text, "%0*x\n", f.bits / 4, f.word);
  out << text;
}

/// What went wrong on the wires: a program does not see it.
void serialReport(const SerialPort& port) {
  const std::pair<std::uint64_t, const char*> kCounts[] = {
      {port.receiveLost(), "words lost, receiver full or in reset"},
      {port.misframed(), "words not received: clock, frame sync, polarity or pins do not fit"},
      {port.transmitLost(), "words written to DXR before XRDY, lost"},
      {port.transmitUnheard(), "words sent while DX or CLKX was no serial pin"}};
  for (const auto& [count, text] : kCounts) {
    if (count != 0) std::cerr << "c32-run: serial port: " << count << " " << text << "\n";
  }
}

/// Standard input goes to one of these; the prompt and the console take what is left over.
void requireOneReader(const po::variables_map& given) {
  std::vector<std::string> readers;
  for (const char* const option : {"file", "input", "commands", "serial-in"})
    readers.push_back(tool::textOf(given, option));
  if (given["interactive"].as<bool>()) readers.emplace_back("-");
  tool::requireOneStandard(readers, "input");
}

/// To the end, with the files of TI's runtime library served where the program asks for them.
StopReport runWithFiles(Session& session, CInputOutput& files) {
  const auto place = files.place(), end = files.exitPlace();
  if (!place) return session.run();
  session.addBreakpoint(*place);
  if (end) session.addBreakpoint(*end);
  for (;;) {
    StopReport stop = session.run();
    if (stop.why != Stopped::Breakpoint) return stop;
    if (session.machine().cpu().pc() == *place) {
      files.serve();
      continue;
    }
    return {Stopped::Breakpoint, ""};
  }
}

/// Null: no program is to be served.
std::unique_ptr<rtvp::debug::Front> clientOf(const po::variables_map& given) {
  if (given.count("dap") == 0) return nullptr;
  for (const char* const other : {"interactive", "execute", "commands"}) {
    const bool flag = other == std::string_view("interactive");
    if (flag ? given[other].as<bool>() : given.count(other) != 0)
      throw tool::Failure(std::string("found --dap and --") + other +
                          ", expected one of them: the client says what to do");
  }
  try {
    return std::make_unique<rtvp::debug::Front>(
        rtvp::debug::Protocol::Dap, rtvp::debug::doorFrom(given["dap"].as<std::string>()),
        [](const std::string& where) {
          std::cerr << "c32-run: a debugger's client may connect to " << where << std::endl;
        });
  } catch (const std::invalid_argument& error) {
    throw tool::Failure(std::string("--dap: ") + error.what());
  } catch (const std::system_error& error) {
    throw tool::Failure("--dap " + given["dap"].as<std::string>() + ": " + error.what());
  }
}

/// The client gets the program's console, too.
StopReport runForClient(Session& session, rtvp::debug::Front& front,
                        rtvp::debug::Snapshots& snapshots) {
  rtvp::debug::DapHost host(front);
  session.machine().output = [&host](char c) { host.programText(c); };
  Driver driver(
      session, host, [&host] { return host.interrupted(); }, &snapshots);
  driver.run();
  return driver.last().value_or(StopReport{});
}

bool written(const po::variables_map& given) {
  return given.count("commands") != 0 || given.count("execute") != 0;
}

/// Under commands, a prompt or a client. `openLine`: the console has not ended its line.
StopReport runDebugger(const po::variables_map& given, Session& session, bool& openLine) {
  const std::unique_ptr<rtvp::debug::Front> front = clientOf(given);
  rtvp::debug::Snapshots snapshots;
  if (front) return runForClient(session, *front, snapshots);
  // After written commands only a person is asked for more.
  const bool typing =
      given["interactive"].as<bool>() && (!written(given) || rtvp::debug::Terminal::isTerminal());
  rtvp::debug::Terminal terminal("c32-run", typing);
  terminal.beforeText = [&openLine] {
    if (openLine) std::cout << "\n";
    openLine = false;
  };
  Driver driver(session, terminal, rtvp::debug::Terminal::interrupted, &snapshots);
  terminal.complete = [&driver](std::string_view line) { return driver.dialogue().complete(line); };
  queueCommands(driver.dialogue(), given);
  driver.run();
  if (!driver.dialogue().failure().empty()) throw tool::Failure(driver.dialogue().failure());
  return driver.last().value_or(StopReport{});
}

std::vector<std::string> splitWords(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// The node of --node; null: none. Its surroundings leave nothing to be chosen.
std::shared_ptr<NodeBoard> nodeOf(const po::variables_map& given) {
  if (given.count("node") == 0) return nullptr;
  for (const char* const other :
       {"chip", "flat", "wait", "ram", "fill", "dsps", "boot", "serial-in", "serial-out",
        "serial-loopback", "no-acknowledge", "args", "timing"}) {
    if (given.count(other) != 0 && !given[other].defaulted())
      throw tool::Failure(std::string("found --node and --") + other +
                          ", expected one of them: a node is as its board was");
  }
  for (const CpuOption& option : cpuOptions()) {
    const std::string key(option.key);
    if (!given[key].defaulted())
      throw tool::Failure("found --node and --" + key +
                          ", expected one of them: a node is as its board was");
  }
  return std::make_shared<NodeBoard>(readNode(tool::textOf(given, "node")));
}

std::string programOf(const po::variables_map& given) {
  if (given.count("file") != 0) return given["file"].as<std::string>();
  return nodeProgram(tool::textOf(given, "node")).string();
}

/// Puts the words of `program` that differ from the recorded program's into the node, where they
/// run and where they were loaded from. Everything else stays as it was.
void patchNode(Machine& machine, const Image& recorded, const Image& program) {
  std::map<std::uint32_t, std::uint32_t> before;
  for (const Section& s : recorded.sections) {
    for (std::size_t i = 0; i < s.words.size(); ++i)
      before[s.runAddress + static_cast<std::uint32_t>(i)] = s.words[i];
  }
  for (const Section& s : program.sections) {
    for (std::size_t i = 0; i < s.words.size(); ++i) {
      const auto offset = static_cast<std::uint32_t>(i);
      const auto known = before.find(s.runAddress + offset);
      if (known != before.end() && known->second == s.words[i]) continue;
      machine.poke(s.runAddress + offset, s.words[i]);
      if (s.loadAddress != s.runAddress) machine.poke(s.loadAddress + offset, s.words[i]);
    }
  }
}

/// The node's run is over: does it end as recorded?
int judgeNode(const NodeBoard& node, const StopReport& stop, const Machine& machine) {
  const NodePlace& place = node.record().place;
  if (stop.why != Stopped::Idle) {
    std::cerr << "c32-run: " << stop.text << "\n";
    return statusOf(stop, machine);
  }
  const std::vector<std::string> lines = node.differences(machine.cpu());
  const std::string name = place.unit + ", " + place.moment;
  if (lines.empty()) {
    std::cout << name << ": as recorded, " << node.sent().size() << " words sent, "
              << machine.cpu().statistics().instructions << " instructions and "
              << machine.cpu().cycle() << " cycles since the reset\n";
    return status::kDone;
  }
  constexpr std::size_t kShown = 20;
  std::cout << name << ": differs from the record\n";
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i)
    std::cout << "  " << lines[i] << "\n";
  if (lines.size() > kShown) std::cout << "  and " << lines.size() - kShown << " more\n";
  return status::kFailed;
}

int runFile(const po::variables_map& given) {
  requireOneReader(given);
  const std::shared_ptr<NodeBoard> node = nodeOf(given);
  const Image image = loadImage(programOf(given));
  CpuConfig config = node ? node->record().config : cpuConfig(given);
  if (!node) config.chip = chipOf(given);
  MachineOptions machineGiven = machineOptions(given);
  machineGiven.node = node;
  serialOptions(given, image, machineGiven);
  const BootSource* boot = bootSource(given);
  if (boot != nullptr) {
    if (config.flatMemory) throw tool::Failure("--flat has no boot ROM");
    config.microprocessorMode = false;
  }
  Machine machine(config, machineGiven);
  std::ifstream input;
  if (given.count("input") != 0 && !tool::isStandard(tool::textOf(given, "input"))) {
    const std::string path = tool::textOf(given, "input");
    input.open(path, std::ios::binary);
    if (!input)
      throw tool::Failure::at(path, rtvp::common::unreadable(path, "console input"),
                              status::kUsage);
    machine.input = [&] { return input.get(); };
  } else if (!given["interactive"].as<bool>()) {
    machine.input = [] { return std::cin.get(); };
  }
  bool openLine = false;  // console text without a line end
  machine.output = [&openLine](char c) {
    std::cout.put(c);
    openLine = c != '\n';
  };
  machine.load(image);
  if (node && given.count("file") != 0)
    patchNode(machine, loadImage(nodeProgram(tool::textOf(given, "node")).string()), image);
  if (given.count("args") != 0) {
    std::vector<std::string> arguments = {given["file"].as<std::string>()};
    for (const std::string& word : splitWords(given["args"].as<std::string>()))
      arguments.push_back(word);
    if (!storeArguments(machine, image, arguments))
      throw tool::Failure("found --args for a program without __c_args__");
  }
  if (boot != nullptr && !boot->serial) {
    const auto width = given["boot-width"].as<unsigned>();
    std::uint32_t address = boot->address;
    for (const std::uint32_t word :
         bootLocations(bootTable(image, width, kBootControl, config.chip), width))
      machine.poke(address++, word);
  }
  tool::OutputStream serialOut(tool::textOf(given, "serial-out"), std::cout);
  if (serialOut.wanted())
    machine.serialOutput = [&serialOut](const SerialFrame& f) {
      printFrame(serialOut.stream(), f);
    };
  SessionOptions options;
  options.maxInstructions = given["steps"].as<std::uint64_t>();
  if (node) options.maxInstructions += machine.cpu().statistics().instructions;
  options.maxCycles = given["cycles"].as<std::uint64_t>();
  options.checkNeverWritten = given["check-memory"].as<bool>();
  if (given.count("stack") != 0) options.stack = range(given["stack"].as<std::string>(), &image);
  Session session(machine, image, options);
  session.counting = given["profile"].as<bool>() || given["profile-lines"].as<bool>() ||
                     given["coverage"].as<bool>();
  tool::OutputStream trace(tool::textOf(given, "trace"), std::cout);
  if (trace.wanted()) {
    trace.stream() << Session::traceHeader() << "\n";
    session.trace = [&trace](const std::string& line) { trace.stream() << line << "\n"; };
  }
  StopReport stop;
  const bool scripted =
      written(given) || given["interactive"].as<bool>() || given.count("dap") != 0;
  if (!scripted) {
    CInputOutput files(machine, image,
                       {machine.input, machine.output, [](char c) { std::cerr.put(c); }});
    stop = runWithFiles(session, files);
  } else {
    stop = runDebugger(given, session, openLine);
    session.trace = nullptr;
  }
  std::cout << std::flush;
  if (!scripted && !node && stop.why != Stopped::Exit && !stop.text.empty())
    std::cerr << "c32-run: " << stop.text << "\n";
  if (!scripted && machine.exitStatus().value_or(0) != 0)
    std::cerr << "c32-run: " << stop.text << "\n";
  serialReport(machine.cpu().serial());
  finalReports(given, session);
  serialOut.close();
  trace.close();
  if (node && (!scripted || stop.why == Stopped::Idle)) return judgeNode(*node, stop, machine);
  return statusOf(stop, machine);
}

/// What the processor's documentation leaves open, with the defaults (cpu_options.hpp).
po::options_description describeProcessor() {
  po::options_description o("processor");
  for (const CpuOption& option : cpuOptions()) {
    const std::string key(option.key);
    if (key == "timing") continue;
    const std::string values(option.choices.empty() ? option.unit : option.choices);
    std::string help(option.help);
    help += " (c32.md " + std::string(option.section) + (values.empty() ? "" : "; " + values) + ")";
    o.add_options()(key.c_str(),
                    po::value<std::string>()
                        ->default_value(cpuOptionText(option, CpuConfig{}))
                        ->value_name(option.choices.empty() ? "N" : "CHOICE"),
                    help.c_str());
  }
  return o;
}

void declare(po::options_description& o) {
  auto add = o.add_options();
  add("batch", "JSON requests on stdin, one a line");
  add("file", po::value<std::string>()->value_name("FILE"),
      "executable COFF program, --file may be left out");
  add("node", po::value<std::string>()->value_name("DIR"),
      "a node that `platform --dump-node` has recorded: its program, or FILE's words in its place");
  add("timing", po::value<std::string>()->default_value("pipeline")->value_name("MODEL"),
      "static: fixed costs and the bus; interlock: and address conflicts; pipeline: and store and "
      "RAM port conflicts");
  add("chip", po::value<std::string>()->default_value("c32")->value_name("NAME"),
      "c30, c31 or c32: address map, internal RAM, bus control registers, boot ROM");
  add("flat", po::bool_switch(), "16M words of RAM: no bus time, no internal RAM, no peripherals");
  add("wait", po::value<unsigned>()->value_name("N"),
      "set the bus control registers to this many wait states before "
      "the start (default: as after reset, 7)");
  add("ram", po::value<std::vector<std::string>>()->value_name("LOW:HIGH"),
      "external memory that exists, may be repeated (default: all)");
  add("fill", po::value<std::string>()->value_name("WORD"),
      "what never-written memory reads as (0)");
  add("args", po::value<std::string>()->value_name("WORDS"),
      "argv[1] ... of a C program that has room for them at __c_args__");
  add("input", po::value<std::string>()->value_name("FILE"), "console input (default: stdin)");
  add("steps", po::value<std::uint64_t>()->default_value(100'000'000)->value_name("N"),
      "instruction limit");
  add("cycles", po::value<std::uint64_t>()->default_value(kNever, "none")->value_name("N"),
      "cycle limit");
  add("execute,x", po::value<std::vector<std::string>>()->value_name("COMMANDS"),
      "commands instead of running to the end: \"break main; run; regs\"");
  add("commands", po::value<std::string>()->value_name("FILE"), "commands, a line each");
  add("interactive,i", po::bool_switch(),
      "commands from a prompt with history and completion (help lists them)");
  add("dap", po::value<std::string>()->value_name("PORT"),
      "serves a client of the Debug Adapter Protocol: PORT or ADDRESS:PORT (loopback), 0 any free "
      "one, - standard input and output");
  add("trace", po::value<std::string>()->value_name("FILE"),
      "a line for each instruction: cycle, cost, stall causes, changes; - is stdout");
  add("profile", po::bool_switch(), "cycles by symbol, at the end");
  add("profile-lines", po::bool_switch(), "cycles by source line, at the end");
  add("coverage", po::bool_switch(), "instructions never reached, at the end");
  add("regs", po::bool_switch(), "registers, at the end");
  add("dump", po::value<std::vector<std::string>>()->value_name("LOW:HIGH|SECTION"),
      "memory, at the end");
  add("stats", po::bool_switch(), "instructions and cycles by cause, at the end");
  add("check-memory", po::bool_switch(), "a read of memory nobody wrote is a fault");
  add("stack", po::value<std::string>()->value_name("LOW:HIGH|SECTION"),
      "SP outside is a fault, once it has been set");
  add("dsps", po::value<unsigned>()->default_value(1)->value_name("N"),
      "processors on one memory, 1 to 8; 82FFF7h reads the number, XF0 asks for interlocked "
      "accesses and XF1 grants them; the commands show the first");
  add("boot", po::value<std::string>()->value_name("SOURCE"),
      "start in the boot ROM, which loads the program: boot1, boot2, boot3 (tables at 001000h, "
      "810000h, 900000h), serial");
  add("boot-width", po::value<unsigned>()->default_value(32)->value_name("BITS"),
      "width of the table's memory, bits");
  add("serial-in", po::value<std::string>()->value_name("FILE"),
      "hexadecimal words a device sends to DR once the receiver runs");
  add("serial-gap", po::value<unsigned>()->default_value(64)->value_name("BITS"),
      "bit times between two of them");
  add("serial-out", po::value<std::string>()->value_name("FILE"),
      "words sent on DX, one a line; - is stdout");
  add("serial-loopback", po::bool_switch(), "DX leads to DR, FSX to FSR, CLKX to CLKR");
  add("no-translation", po::bool_switch(),
      "executes one instruction after the other: slower, the same in every other respect");
  add("no-acknowledge", po::bool_switch(), "XF1 stays high: interlocked accesses wait");
  add("manual", "the processor's options, decisions and peripheral registers as Markdown");
  o.add(describeProcessor());
}

int run(const po::variables_map& given) {
  if (tool::has(given, "manual")) {
    std::cout << cpuOptionsMarkdown() << "\n" << peripheralsMarkdown();
    return status::kDone;
  }
  if (tool::has(given, "batch")) return runBatch(cpuConfig(given));
  if (!tool::has(given, "file") && !tool::has(given, "node")) throw tool::ShowUsage{};
  return tool::refusing<NodeError>(status::kUsage, [&given] {
    return tool::refusing<BootError>(status::kUsage, [&given] { return runFile(given); });
  });
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run(
      {.name = "c32-run",
       .summary = "runs and debugs a C32 program on one simulated processor",
       .usage = "c32-run --batch | c32-run [options] FILE\n",
       .declare = declare,
       .run = run,
       .input = "file",
       .notes = "exit status: 0 the program ended with 0, or sleeps for good, or the commands "
                "ended;\n1 it ended with another status; 2 wrong options, file or command; 3 "
                "fault; 4 limit\nor deadlock\n",
       .writes = {"trace", "serial-out"},
       .reads = {"input", "commands", "serial-in", "boot"}},
      argc, argv);
}
