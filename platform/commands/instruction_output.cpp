// See instruction_output.hpp.
#include "platform/commands/instruction_output.hpp"

#include <unistd.h>

#include <boost/program_options.hpp>
#include <cerrno>
#include <iostream>
#include <system_error>

#include "models/c32/debug/divergence.hpp"
#include "models/c32/debug/instruction_stream.hpp"
#include "models/common/core/output_set.hpp"
#include "models/common/core/unreadable.hpp"
#include "models/tigershark/instruction_log.hpp"
#include "models/xphmg/debug/hart_log.hpp"
#include "platform/exit_status.hpp"
#include "platform/report/trace_recorder.hpp"

namespace rtvp::platform {
namespace {

namespace po = boost::program_options;

sc_core::sc_time microseconds(double us) {
  return {us, sc_core::SC_US};
}

constexpr const char* kHelp =
    "platform instructions FILE [--collapse | --divergence] [-o TEXT]\n"
    "\n"
    "FILE: what `platform SCENE --instructions FILE.bin` wrote. A line an instruction, in the\n"
    "order of time: cycle, processor, address, word, cycles, what they were lost to,\n"
    "instruction, registers that changed, words read <address> and written [address], symbol\n"
    "and source line.\n"
    "\n"
    "  --collapse       passes of a loop that go the same way as the one before are counted\n"
    "  --divergence     instead: where the DSPs of a board leave their common path between two\n"
    "                   barriers, how often, and the cycles that they then wait for each other\n"
    "  -o, --output F   where the text goes (default -, standard output)\n";

/// Of whichever processor the log is.
void writeText(std::string_view log, bool collapse,
               const std::function<void(std::string_view)>& out) {
  if (rv64::isHartLog(log)) return rv64::writeHartLog(log, collapse, out);
  tigershark::InstructionLogReader reader(log);
  c32::writeInstructions(reader, {collapse}, out);
}

std::string textOf(std::string_view log, bool collapse) {
  std::string text;
  writeText(log, collapse, [&text](std::string_view piece) { text += piece; });
  return text;
}

std::string divergenceOf(std::string_view log) {
  if (rv64::isHartLog(log))
    throw std::runtime_error("found the log of one hart, expected one of DSPs that can part");
  tigershark::InstructionLogReader reader(log);
  return c32::divergenceText(reader);
}

}  // namespace

void InstructionOutput::check(const OutputOptions& output, const InstructionOptions& wanted,
                              int hosts) {
  const std::string& file = wanted.file;
  if (file.empty()) return;
  for (const std::string& other :
       {output.image, output.stats, output.hits, output.costMap, output.disagreements, output.trace,
        output.profile, output.coverage}) {
    if (other.empty() || !common::sameFile(file, other)) continue;
    throw InputError("output.instructions: found '" + file + "', which is another output, too: " +
                     "one file for two outputs, expected a file for each");
  }
  if (file != "-" && !file.ends_with(".txt") && !file.ends_with(".bin")) {
    throw InputError("output.instructions: found '" + file +
                     "', expected a name that ends in .txt or .bin, or - for text on standard "
                     "output");
  }
  if (hosts > 1) {
    throw InputError("output.instructions: found " + std::to_string(hosts) +
                     " --hosts, expected 1");
  }
  if (output.traceToUs > 0 && output.traceToUs <= output.traceFromUs) {
    throw InputError(
        "trace.to_us: found " + std::to_string(output.traceToUs) +
        ", expected a time after trace.from_us = " + std::to_string(output.traceFromUs));
  }
}

InstructionOutput::InstructionOutput(const OutputOptions& output, std::string file)
    : output_(output), name_(std::move(file)) {
  if (name_.empty()) return;
  try {
    target_ = std::make_unique<common::FileReplacement>(name_);
    file_ = common::openTemporary();
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
}

InstructionOutput::~InstructionOutput() {
  if (file_ >= 0) ::close(file_);
}

bool InstructionOutput::binary() const {
  return name_.ends_with(".bin");
}

void InstructionOutput::begin(std::span<const std::unique_ptr<Machine>> machines) {
  if (!wanted()) return;
  report::TraceSelection selection(output_.traceModules);
  InstructionWish wish;
  wish.from = microseconds(output_.traceFromUs);
  wish.to = output_.traceToUs > 0 ? microseconds(output_.traceToUs) : sc_core::sc_max_time();
  wish.wants = [&selection](const std::string& unit) { return selection.wants("pc0." + unit); };
  wish.sink = [this](std::string_view bytes) { keep(bytes); };
  bool able = false;
  for (const auto& machine : machines) {
    auto* const source = dynamic_cast<InstructionSource*>(machine.get());
    if (source == nullptr || !source->watchable()) continue;
    able = true;
    if (!source->logInstructions(wish)) continue;
    if (!sources_.empty()) {
      throw InputError(
          "output.instructions: several machines have processors that it could be of, expected "
          "those of one: --set trace.modules=tigershark0.*");
    }
    if (source->logsText() && binary()) {
      throw InputError("output.instructions: found '" + name_ + "', the log of " + machine->name() +
                       " is text alone, expected a name that ends in .txt, or -");
    }
    sources_.push_back(source);
    text_ = source->logsText();
  }
  if (!able) {
    throw InputError(
        "output.instructions: no machine of this run has processors that can be watched "
        "(--engine tigershark and --engine theia have, and --engine xphmg with xphmg.driver=hart)");
  }
  if (sources_.empty()) {
    throw InputError("trace.modules: found '" + output_.traceModules +
                     "', which names none of the processors that output.instructions is to be of");
  }
}

void InstructionOutput::keep(std::string_view bytes) {
  while (problem_.empty() && !bytes.empty()) {
    const ssize_t n = ::write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      problem_ = std::system_error(errno, std::generic_category(), "cannot keep it").what();
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void InstructionOutput::finish(std::span<const std::unique_ptr<Machine>> /*machines*/) {
  for (InstructionSource* const source : sources_) source->finishInstructions();
}

void InstructionOutput::write() {
  if (!wanted() || sources_.empty()) return;
  if (!problem_.empty()) throw std::runtime_error(problem_);
  std::string log(static_cast<std::size_t>(::lseek(file_, 0, SEEK_END)), '\0');
  std::size_t have = 0;
  while (have < log.size()) {
    const ssize_t n =
        ::pread(file_, log.data() + have, log.size() - have, static_cast<off_t>(have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::system_error(errno, std::generic_category(), "cannot read it back");
    have += static_cast<std::size_t>(n);
  }
  if (binary() || text_) {
    target_->write(std::string_view(log));
  } else {
    writeText(log, false, [this](std::string_view piece) { target_->write(piece); });
  }
  target_->commit();
}

ExitStatus instructionsCommand(const std::vector<std::string>& arguments) {
  po::options_description own;
  auto add = own.add_options();
  add("collapse", "");
  add("divergence", "");
  add("output,o", po::value<std::string>()->default_value("-"), "");
  add("help,h", "");
  add("file", po::value<std::vector<std::string>>(), "");
  po::positional_options_description words;
  words.add("file", -1);
  po::variables_map given;
  try {
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(own).positional(words).style(style).run(),
              given);
  } catch (const po::error& e) {
    throw InputError(std::string(e.what()) + " (`platform instructions --help`)");
  }
  if (given.count("help") != 0) {
    std::cout << kHelp;
    return ExitStatus::Done;
  }
  const auto files = given.count("file") == 0 ? std::vector<std::string>()
                                              : given["file"].as<std::vector<std::string>>();
  if (files.size() != 1) {
    throw InputError("instructions: found " + std::to_string(files.size()) +
                     " files, expected one (`platform instructions --help`)");
  }
  const auto log = common::readFile(files.front());
  if (!log)
    throw InputError(files.front() + ": " +
                     common::unreadable(files.front(), "a log of instructions"));
  std::string text;
  try {
    text = given.count("divergence") != 0 ? divergenceOf(*log)
                                          : textOf(*log, given.count("collapse") != 0);
  } catch (const std::runtime_error& e) {
    throw InputError(files.front() + ": " + e.what());
  }
  const std::string file = given["output"].as<std::string>();
  if (file == "-") {
    std::cout << text;
    return ExitStatus::Done;
  }
  common::OutputSet outputs;
  outputs.open(file).write(text);
  outputs.commit();
  return ExitStatus::Done;
}

}  // namespace rtvp::platform
