// See checkpoints.hpp.
#include "platform/commands/checkpoints.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "models/common/core/state.hpp"
#include "models/common/core/version.hpp"
#include "platform/commands/ranks.hpp"
#include "platform/drivers/time_text.hpp"
#include "platform/inputs/revision.hpp"
#include "platform/options/instruction_params.hpp"
#include "platform/options/run_params.hpp"

namespace rtvp::platform {
namespace {

/// "12.5us" in picoseconds.
std::optional<std::uint64_t> picoseconds(const std::string& text) {
  struct Unit {
    std::string_view name;
    double ps;
  };
  static constexpr std::array<Unit, 5> kUnits{
      {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}};
  constexpr double kMost = 9e18;
  std::size_t used = 0;
  double number = 0;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  const std::string unit = text.substr(used);
  for (const Unit& u : kUnits) {
    if (unit != u.name || !(number >= 0) || !(number * u.ps < kMost)) continue;
    return static_cast<std::uint64_t>(std::llround(number * u.ps));
  }
  return std::nullopt;
}

/// What a run with checkpoints cannot do besides.
void refuseOthers(const std::string& option, const CommandLine& command, const LineUp& lineUp) {
  const Settings& s = lineUp.settings();
  const OutputOptions output = outputOptions(s);
  const auto refuse = [&](const std::string& what) { throw InputError(option + ": " + what); };
  if (runOptions(s).hosts > 1 || rankOfProcess(runOptions(s).hosts)) {
    refuse("found several --hosts, expected 1: each is a simulation of its own");
  }
  if (!lineUp.hardware()) {
    refuse("found no machine with simulated time, expected one (--engine reference has none)");
  }
  if (!output.costMap.empty()) {
    refuse("found output.cost_map beside it, expected none: what pixels cost is not stored");
  }
  if (!output.profile.empty() || !output.coverage.empty()) {
    refuse(
        "found output.profile or output.coverage beside it, expected neither: accounts of "
        "cycles are not stored");
  }
  if (!s.read<InstructionOptions>(kInstructionParams).file.empty()) {
    refuse("found output.instructions beside it, expected none");
  }
  if (!command.resume.empty() && !output.trace.empty()) {
    refuse(
        "found output.trace beside it, expected none: the signals' levels before the "
        "checkpoint are not stored (trace.from_us begins a trace late in a run from its begin)");
  }
}

}  // namespace

Checkpoints::Order Checkpoints::parse(const std::string& text) {
  const std::size_t at = text.rfind('@');
  const auto time = at == std::string::npos
                        ? std::nullopt
                        : picoseconds(text.substr(std::min(at + 1, text.size())));
  if (!time || at == 0) {
    throw InputError("--checkpoint: found '" + text +
                     "', expected FILE@TIME with a simulated time in ps, ns, us, ms or s, for "
                     "instance half.ckpt@1.5ms");
  }
  return {text.substr(0, at), *time, nullptr};
}

Checkpoints::Checkpoints(const CommandLine& command, const LineUp& lineUp,
                         const boost::json::object& configuration, const InputFiles& inputs)
    : identity_{.version = std::string(common::version()),
                .revision = sourceRevision(),
                .hits = !outputOptions(lineUp.settings()).hits.empty(),
                .configuration = configuration,
                .inputs = inputs.all(),
                .state = {}},
      resumed_(command.resume),
      quiet_(outputOptions(lineUp.settings()).verbosity == Verbosity::Quiet) {
  for (const std::string& text : command.checkpoints) orders_.push_back(parse(text));
  std::stable_sort(orders_.begin(), orders_.end(),
                   [](const Order& a, const Order& b) { return a.atPs < b.atPs; });
  if (orders_.empty() && resumed_.empty()) return;
  refuseOthers(resumed_.empty() ? "--checkpoint" : "--resume", command, lineUp);
  if (!resumed_.empty()) {
    try {
      resume_ = readStateFile(resumed_);
    } catch (const StateFileError& e) {
      throw InputError("--resume: " + std::string(e.what()));
    }
    const std::string difference =
        differenceOf(*resume_, identity_.version, identity_.revision, configuration, inputs.all());
    if (!difference.empty()) {
      throw InputError("--resume: " + resumed_ + " is of another run: " + difference);
    }
    if (resume_->hits != identity_.hits) {
      throw InputError("--resume: " + resumed_ + " was written by a run " +
                       (resume_->hits ? "with --hits, expected it here too"
                                      : "without --hits, expected none here"));
    }
    if (!orders_.empty() && orders_.front().atPs < resume_->timePs) {
      throw InputError("--checkpoint: " + orders_.front().name +
                       " is to be written before the time that " + resumed_ +
                       " begins at, expected a later time");
    }
  }
  open(inputs);
}

void Checkpoints::open(const InputFiles& inputs) {
  for (auto order = orders_.begin(); order != orders_.end(); ++order) {
    for (const InputFile& input : inputs.all()) {
      if (common::sameFile(order->name, input.path)) {
        throw InputError("--checkpoint: found '" + order->name + "', which is the " + input.role +
                         " that the run reads, expected another name");
      }
    }
    for (auto other = orders_.begin(); other != order; ++other) {
      if (common::sameFile(order->name, other->name)) {
        throw InputError("--checkpoint: found '" + order->name +
                         "' twice, expected a file for each");
      }
    }
    try {
      order->file = std::make_unique<common::FileReplacement>(order->name);
    } catch (const std::system_error& e) {
      throw InputError("--checkpoint: " + std::string(e.what()));
    }
  }
}

void Checkpoints::check(const Crew& crew, const LineUp& lineUp) const {
  if (none()) return;
  const std::string option = resumed_.empty() ? "--checkpoint: " : "--resume: ";
  if (crew.strands() > 1) {
    throw InputError(
        option + "found several machines that find hits and " + std::to_string(crew.strands()) +
        " parts of the ray tree at a time, expected computer.strands=1: they are never "
        "all idle between two batches otherwise");
  }
  for (std::size_t i = 0; i < crew.machines().size(); ++i) {
    const Machine& machine = *crew.machines()[i];
    if (lineUp.members()[i].idle) {
      throw InputError(option + "found " + machine.name() +
                       ", which gets no rays, expected machines that have work");
    }
    if (machine.noCheckpoint().empty()) continue;
    throw InputError(option + "found " + machine.name() + ", " + machine.noCheckpoint() +
                     ", expected machines that can");
  }
}

void Checkpoints::begin(Computer& computer, Crew& crew, host::HostBus& bus) {
  computer_ = &computer;
  crew_ = &crew;
  bus_ = &bus;
}

void Checkpoints::between(const State& tree) {
  if (resume_) putBack(tree);
  while (next_ < orders_.size() && bus_->now().value() >= orders_[next_].atPs &&
         crew_->quiescent() && computer_->quiescent()) {
    store(tree);
  }
}

void Checkpoints::store(const State& tree) {
  Order& order = orders_[next_++];
  common::StateArchive archive;
  crew_->atWork(archive, *bus_);
  tree(archive);
  computer_->state(archive);
  crew_->state(archive);
  StateFile file = identity_;
  file.timePs = bus_->now().value();
  file.state = archive.bytes();
  try {
    order.file->write(encodeStateFile(file));
    order.file->commit();
  } catch (const std::system_error& e) {
    throw RunError(ExitStatus::Internal, "--checkpoint: " + std::string(e.what()));
  }
  order.file.reset();
  if (quiet_) return;
  std::fprintf(stderr, "platform: checkpoint %s at %s\n", order.name.c_str(),
               host::timeText(bus_->now()).c_str());
}

void Checkpoints::putBack(const State& tree) {
  const auto time = sc_core::sc_time::from_value(resume_->timePs);
  const auto refuse = [&](const std::string& what) {
    throw InputError("--resume: " + resumed_ + ": " + what);
  };
  try {
    common::StateArchive archive(resume_->state);
    crew_->atWork(archive, *bus_);
    if (time < bus_->now()) {
      refuse("found a state at " + host::timeText(time) +
             ", expected a later one: the machines are ready at " + host::timeText(bus_->now()));
    }
    bus_->waitFor(time - bus_->now(), "the time of the checkpoint");
    if (!crew_->quiescent() || !computer_->quiescent()) {
      throw RunError(ExitStatus::Internal,
                     "--resume: the machines are not idle at the time of the checkpoint");
    }
    tree(archive);
    computer_->state(archive);
    crew_->state(archive);
    if (!archive.atEnd()) refuse("found more than a state, expected the end of the file");
  } catch (const common::StateError& e) {
    refuse(std::string(e.what()) + "; expected the state of this run");
  }
  resume_.reset();
  // Lines and events take their levels.
  bus_->waitFor(sc_core::SC_ZERO_TIME, "the checkpoint");
  if (quiet_) return;
  std::fprintf(stderr, "platform: resumed %s at %s\n", resumed_.c_str(),
               host::timeText(time).c_str());
}

std::string Checkpoints::missed(std::uint64_t endPs) const {
  if (next_ == orders_.size()) return {};
  return "--checkpoint: no '" + orders_[next_].name + "': the run was over at " +
         host::timeText(sc_core::sc_time::from_value(endPs)) +
         ", and nothing was idle between the time asked for and then; expected an earlier time";
}

}  // namespace rtvp::platform
