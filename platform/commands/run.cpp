#include "platform/commands/run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>

#include "platform/commands/checkpoints.hpp"
#include "platform/commands/cost_map.hpp"
#include "platform/commands/instruction_output.hpp"
#include "platform/commands/load_scene.hpp"
#include "platform/commands/part.hpp"
#include "platform/commands/profile_output.hpp"
#include "platform/commands/progress.hpp"
#include "platform/commands/race.hpp"
#include "platform/commands/ranks.hpp"
#include "platform/commands/render.hpp"
#include "platform/commands/run_outputs.hpp"
#include "platform/commands/run_statistics.hpp"
#include "platform/commands/trace_output.hpp"
#include "platform/debug/autopsy.hpp"
#include "platform/debug/session.hpp"
#include "platform/inputs/revision.hpp"
#include "platform/machines/crew.hpp"
#include "platform/options/run_params.hpp"
#include "platform/report/hits.hpp"
#include "platform/report/image.hpp"
#include "platform/report/statistics.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

host::RenderOptions renderOptionsFor(const scene::Scene& scene, const Settings& s) {
  host::RenderOptions options = renderOptions(s);
  const CropBox crop = runOptions(s).crop;
  if (crop.width > scene.width || crop.height > scene.height || crop.x > scene.width - crop.width ||
      crop.y > scene.height - crop.height) {
    throw InputError("render.crop: found " + std::to_string(crop.x) + "," + std::to_string(crop.y) +
                     "," + std::to_string(crop.width) + "," + std::to_string(crop.height) +
                     ", expected a part of the picture, " + std::to_string(scene.width) + "x" +
                     std::to_string(scene.height));
  }
  options.crop = {crop.x, crop.y, crop.width, crop.height};
  if (crop == CropBox{}) options.crop = {0, 0, scene.width, scene.height};
  options.recordHits = !outputOptions(s).hits.empty();
  return options;
}

/// Takes the sums out of the parts.
host::Framebuffer assemble(std::vector<PartResult>& parts, const host::RenderOptions& options) {
  const auto band = [&](PartResult& part) {
    return host::Framebuffer(part.crop.width, part.crop.height, options.samples,
                             std::move(part.sums));
  };
  if (parts.size() == 1) return band(parts.front());
  host::Framebuffer picture(options.crop.width, options.crop.height, options.samples);
  for (PartResult& part : parts) {
    picture.merge(band(part), part.crop.x - options.crop.x, part.crop.y - options.crop.y);
  }
  return picture;
}

void warnIfEmpty(const std::vector<PartResult>& parts, const scene::Scene& scene) {
  if (std::any_of(parts.begin(), parts.end(), [](const auto& p) { return p.eyeHits != 0; })) return;
  const auto text = [](const scene::Vec3& v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) +
           ")";
  };
  const scene::Bounds bounds = scene.bounds();
  warn("no eye ray hit anything: the camera at " + text(scene.camera.eye) + " looks at " +
       text(scene.camera.lookAt) + ", the scene lies between " + text(bounds.lo) + " and " +
       text(bounds.hi));
}

report::HitDump joinHits(const std::vector<PartResult>& parts) {
  report::HitDump all;
  for (const PartResult& p : parts) all.insert(all.end(), p.hits.begin(), p.hits.end());
  return all;
}

/// Who watches a run, PartWatch of each of its parts.
struct RunWatch {
  const TraceOutput& traces;
  const ProfileOutput& profiles;
  InstructionOutput& instructions;
  DebugSession* debugger;
  const NodeOrder* dump;
  Checkpoints* checkpoints;
};

PartRenderer makeRenderer(const scene::Scene& scene, const LineUp& lineUp,
                          const host::RenderOptions& options, const RunWatch& watch,
                          std::span<const std::string_view> faults) {
  return [&, options, faults, watch](const host::Crop& crop, std::size_t number) {
    const OutputOptions output = outputOptions(lineUp.settings());
    installReportHandler(output.verbosity == Verbosity::Verbose);
    Progress progress(number == 0 && output.progress && output.verbosity != Verbosity::Quiet &&
                      watch.debugger == nullptr);
    const auto update = [&](std::uint64_t done, std::uint64_t total) {
      progress.update(done, total);
    };
    host::RenderOptions mine = options;
    mine.crop = crop;
    PartTrace trace = watch.traces.part(number);
    PartProfile profile = watch.profiles.part(number);
    return render(
        lineUp, scene, mine, update,
        {trace, profile, watch.instructions, watch.debugger, watch.dump, watch.checkpoints},
        faults);
  };
}

/// Host computers read their files each for itself: one run has one content of each.
void checkInputs(const std::vector<PartResult>& parts) {
  for (const PartResult& part : parts) {
    const auto changed = differences(parts.front().inputs, part.inputs);
    if (!changed.empty()) throw InputError("while the run went on, the " + changed.front());
  }
}

void warnOfUnused(const LineUp& lineUp) {
  if (outputOptions(lineUp.settings()).verbosity == Verbosity::Quiet) return;
  std::string machines;
  for (const LineUp::Member& member : lineUp.members()) {
    machines += (machines.empty() ? "" : ", ") + member.name;
  }
  for (const std::string& setting : lineUp.unusedSettings()) {
    warn(setting + ": no such machine is in this run (" + machines + "), the setting does nothing");
  }
}

/// Every file that the run reads, also those that its machines will.
InputFiles allInputs(const LineUp& lineUp) {
  InputFiles inputs = lineUp.files();
  readMachineFiles(lineUp, inputs);
  return inputs;
}

/// Refuses to call it the same run when its files are others.
void checkAgain(const RecordedRun& again, const InputFiles& inputs) {
  again.checkInputs(inputs.all());
  if (again.revision != sourceRevision()) {
    warn(again.file + ": written by revision " + again.revision + ", this is " + sourceRevision() +
         ": figures may differ");
  }
}

RunOutputs openOutputs(const CommandLine& command, const OutputOptions& output,
                       const InputFiles& inputs) {
  std::vector<InputFile> read = inputs.all();
  for (const std::string& file : command.configs) read.push_back({"configuration", file, {}, 0});
  return {output, read};
}

void checkSums(const std::vector<PartResult>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const std::string& p : parts[i].problems) text += "\n  pc" + std::to_string(i) + ": " + p;
  }
  if (!text.empty()) throw RunError(ExitStatus::Internal, "statistics do not add up:" + text);
}

/// A run that failed has no picture, but what its machines did until then is what one wants to see:
/// the failure's report says where that is.
std::string traceOfFailure(TraceOutput& traces, const std::string& file, ExitStatus status) {
  if (file.empty() || status == ExitStatus::BadInput) return {};
  try {
    traces.write();
    return "\n  the trace until then: " + file;
  } catch (const std::exception& e) {
    return std::string("\n  no trace: ") + e.what();
  }
}

/// Likewise, where their processors' cycles went until then.
std::string profileOfFailure(ProfileOutput& profiles, ExitStatus status) {
  if (!profiles.wanted() || status == ExitStatus::BadInput) return {};
  try {
    profiles.write();
    return "\n  the profile until then: " + profiles.names();
  } catch (const std::exception& e) {
    return std::string("\n  no profile: ") + e.what();
  }
}

/// Likewise, what they did.
std::string instructionsOfFailure(InstructionOutput& instructions, ExitStatus status) {
  if (!instructions.wanted() || status == ExitStatus::BadInput) return {};
  try {
    instructions.write();
    return "\n  the instructions until then: " + instructions.name();
  } catch (const std::exception& e) {
    return std::string("\n  no log of instructions: ") + e.what();
  }
}

/// After the results. Returns why there is none.
std::string commitInstructions(InstructionOutput& instructions) {
  try {
    instructions.write();
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

/// After the results. Returns why there is no profile.
std::string commitProfile(ProfileOutput& profiles, const std::vector<PartResult>& parts) {
  for (const PartResult& part : parts) {
    if (!part.profileProblem.empty()) return part.profileProblem;
  }
  try {
    profiles.write();
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

/// Puts all results in place, then the trace, which must not cost the results their room on the
/// disk. Returns why there is no trace.
std::string commit(RunOutputs& outputs, TraceOutput& traces, const std::vector<PartResult>& parts) {
  std::string lost;
  for (const PartResult& part : parts) {
    if (lost.empty()) lost = part.traceProblem;
  }
  if (!lost.empty()) traces.drop();
  try {
    outputs.commit();
  } catch (const std::system_error& e) {
    if (!lost.empty() || !traces.drop()) throw;
    lost = e.what();
    outputs.commit();
  }
  if (!lost.empty()) return lost;
  try {
    traces.write();
  } catch (const std::exception& e) {
    lost = e.what();
  }
  return lost;
}

/// Each was to be there, beside the results. Throws RunError for those that are not.
void checkDiagnostics(std::vector<DiagnosticFile> files) {
  constexpr const char* kOthers = "all other outputs are there";
  std::erase_if(files, [](const DiagnosticFile& file) { return file.problem.empty(); });
  if (files.empty()) return;
  const auto no = [](const DiagnosticFile& file) { return file.key + ": no '" + file.name + "'"; };
  if (files.size() == 1) {
    throw RunError(ExitStatus::Internal,
                   no(files.front()) + ", " + kOthers + ": " + files.front().problem);
  }
  std::string text;
  for (const DiagnosticFile& file : files) text += no(file) + ": " + file.problem + "\n  ";
  throw RunError(ExitStatus::Internal, text + kOthers);
}

/// What each machine has to say, those that find hits first.
std::vector<report::SummaryLine> machineSummary(const LineUp& lineUp, const json::object& stats) {
  std::vector<report::SummaryLine> lines;
  const auto say = [&](bool finders) {
    for (const LineUp::Member& member : lineUp.members()) {
      if (member.kind->info().primitives.any() != finders || member.idle) continue;
      if (lineUp.grouped()) lines.push_back({member.name, std::string(member.kind->info().help)});
      const report::RunFigures figures = figuresOf(member.name, lineUp.grouped(), stats);
      for (report::SummaryLine& line : member.kind->summary(figures)) {
        lines.push_back(std::move(line));
      }
    }
  };
  say(true);
  const report::RunFigures all(stats.at("modules").as_object(), 0, 0);
  for (report::SummaryLine& line : report::shaderSummary(all)) lines.push_back(std::move(line));
  say(false);
  return lines;
}

void warnOfMachines(const LineUp& lineUp, const json::object& stats) {
  for (const LineUp::Member& member : lineUp.members()) {
    if (member.idle) continue;
    const report::RunFigures figures = figuresOf(member.name, lineUp.grouped(), stats);
    for (const std::string& text : member.kind->warnings(figures)) warn(text);
  }
}

/// The simulator's speed, where the machines' processors execute instructions.
void addSpeed(const LineUp& lineUp, json::object& stats, double wallSeconds) {
  double instructions = 0;
  for (const LineUp::Member& member : lineUp.members()) {
    instructions += member.kind->instructions(figuresOf(member.name, lineUp.grouped(), stats));
  }
  if (instructions > 0) {
    stats["host"].as_object()["simulated_mips"] = instructions / 1e6 / wallSeconds;
  }
}

/// Of a failure on boards: what the debugger says of it, in a second run of at most half a
/// minute and twenty times the first one's processor time. Where that is too long, the command
/// that says it.
std::string autopsyOf(const Failure& failure, const LineUp& lineUp) {
  constexpr double kLongest = 30;
  const bool boards = std::any_of(
      lineUp.members().begin(), lineUp.members().end(),
      [](const LineUp::Member& m) { return m.kind->info().name == "tigershark" && !m.idle; });
  const bool told = failure.status == ExitStatus::Fault || failure.status == ExitStatus::Unfinished;
  if (!boards || !told || runOptions(lineUp.settings()).hosts > 1 ||
      !outputOptions(lineUp.settings()).autopsy) {
    return {};
  }
  std::string hint = "\n  --debug -x run -x autopsy says more of the DSPs";
  const double used = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  if (used > kLongest) return hint;
  const auto patience =
      std::chrono::milliseconds(static_cast<std::int64_t>(1000 * (kLongest + 20 * used)));
  const std::string text = autopsy(patience);
  return text.empty() ? hint : "\n" + text.substr(0, text.find_last_not_of('\n') + 1);
}

/// The simulated processes stand in the middle of their work and nothing can unwind their stacks:
/// leaves at once.
[[noreturn]] void endProcess(ExitStatus status) {
  std::cout << std::flush;
  std::fflush(nullptr);
  std::_Exit(toInt(status));
}

/// Null unless asked for. Its user may leave the run at any time.
std::unique_ptr<DebugSession> debuggerFor(const CommandLine& command, int hosts,
                                          RunOutputs& outputs, TraceOutput& traces,
                                          ProfileOutput& profiles,
                                          InstructionOutput& instructions) {
  const DebugOptions& wanted = command.debug;
  if (!wanted.wanted && wanted.dap.empty() && wanted.gdb.empty()) return nullptr;
  if (hosts > 1)
    throw InputError(std::string(wanted.wanted        ? "--debug"
                                 : wanted.gdb.empty() ? "--dap"
                                                      : "--gdb") +
                     ": found " + std::to_string(hosts) + " --hosts, expected 1");
  return std::make_unique<DebugSession>(command.debug, [&](ExitStatus status) {
    outputs.discard();
    traces.discard();
    profiles.discard();
    instructions.discard();
    endProcess(status);
  });
}

/// What --dump-node wants; `output` then has no outputs of a run.
std::optional<NodeOrder> dumpOrder(const CommandLine& command, OutputOptions& output) {
  if (command.dumpNode.empty()) return std::nullopt;
  NodeOrder order = nodeOrder(command.dumpNode);
  if (output.image.empty() || output.image == "-") {
    throw InputError("--dump-node: found no folder, expected -o DIR for what is recorded");
  }
  if (runOptions(command.settings).hosts > 1) {
    throw InputError("--dump-node: found several --hosts, expected 1");
  }
  if (!output.stats.empty() || !output.hits.empty() || !output.trace.empty() ||
      !output.costMap.empty()) {
    throw InputError(
        "--dump-node: the run ends behind what is recorded, expected no --stats, --hits, --trace "
        "or cost map");
  }
  order.folder = output.image;
  std::error_code failed;
  std::filesystem::create_directories(order.folder, failed);
  if (failed) {
    throw InputError("--dump-node: " + order.folder.string() +
                     ": the folder cannot be made: " + failed.message());
  }
  output.image = (order.folder / "picture.png").string();  // never written
  return order;
}

/// Which host computer this process is, if a launcher started one for each.
std::optional<Rank> rankOfRun(const Settings& settings, const OutputOptions& output) {
  std::optional<Rank> rank = rankOfProcess(runOptions(settings).hosts);
  if (rank && !(output.profile.empty() && output.coverage.empty())) {
    throw InputError(
        "output.profile: found it with ranks of mpirun, expected host computers of one process "
        "(--hosts without mpirun)");
  }
  if (rank && !output.trace.empty()) {
    throw InputError(
        "output.trace: found it with ranks of mpirun, expected host computers of one "
        "process (--hosts without mpirun)");
  }
  return rank;
}

}  // namespace

ExitStatus runCommand(const CommandLine& command, const Registry& registry) {
  const auto begin = Clock::now();
  InputFiles inputs;
  LineUp lineUp(command.settings, registry, inputs);
  const Settings& s = lineUp.settings();
  const scene::Scene scene = loadScene(s, command.files.front(), lineUp.trianglesOnly(), inputs);
  OutputOptions output = outputOptions(s);
  std::optional<NodeOrder> dump = dumpOrder(command, output);
  if (output.image.empty()) output.image = scene.name + ".png";
  RunOutputs::check(output, s);
  const auto wanted = s.read<InstructionOptions>(kInstructionParams);
  InstructionOutput::check(output, wanted, runOptions(s).hosts);
  lineUp.complete(scene);
  warnOfUnused(lineUp);
  const host::RenderOptions options = renderOptionsFor(scene, s);
  const InputFiles all = allInputs(lineUp);
  if (command.again) checkAgain(*command.again, all);
  RunOutputs outputs = openOutputs(command, output, all);
  Checkpoints checkpoints(command, lineUp, lineUp.configuration(), all);

  const int hosts = runOptions(s).hosts;
  const std::optional<Rank> rank = rankOfRun(s, output);
  TraceOutput traces(output, divide(options.crop, hosts).size());
  const std::vector<std::string_view> faults = registry.faults();
  InstructionOutput instructions(output, wanted.file);
  ProfileOutput profiles(output, divide(options.crop, hosts).size(), scene.name);
  const std::unique_ptr<DebugSession> debugger =
      debuggerFor(command, hosts, outputs, traces, profiles, instructions);
  if (dump) {
    dump->done = [&](const std::string& text) {
      outputs.discard();
      traces.discard();
      profiles.discard();
      instructions.discard();
      std::cout << text;
      endProcess(ExitStatus::Done);
    };
    dump->refuse = [&](const std::string& why) {
      outputs.discard();
      traces.discard();
      profiles.discard();
      instructions.discard();
      print({ExitStatus::BadInput, "--dump-node: " + why});
      endProcess(ExitStatus::BadInput);
    };
  }
  std::vector<PartResult> parts;
  try {
    const PartRenderer renderer =
        makeRenderer(scene, lineUp, options,
                     {traces, profiles, instructions, debugger.get(), dump ? &*dump : nullptr,
                      checkpoints.none() ? nullptr : &checkpoints},
                     faults);
    parts = rank ? renderRank(options.crop, *rank, renderer, folderOfRanks(output.image, *rank))
                 : renderParts(options.crop, hosts, renderer);
  } catch (const RunError& e) {
    throw RunError(e.status(), e.what() + traceOfFailure(traces, output.trace, e.status()) +
                                   profileOfFailure(profiles, e.status()) +
                                   instructionsOfFailure(instructions, e.status()));
  }
  if (rank && rank->number != 0 && (parts.empty() || !parts.front().failure)) {
    outputs.discard();
    traces.discard();
    profiles.discard();
    instructions.discard();
    return ExitStatus::Done;  // what it has is with the first rank
  }
  if (std::optional<Failure>& failure = parts.front().failure) {
    failure->message += traceOfFailure(traces, output.trace, failure->status);
    failure->message += profileOfFailure(profiles, failure->status);
    failure->message += instructionsOfFailure(instructions, failure->status);
    if (!debugger && output.verbosity != Verbosity::Quiet && checkpoints.none()) {
      failure->message += autopsyOf(*failure, lineUp);
    }
    print(*failure);
    outputs.discard();
    traces.discard();
    profiles.discard();
    instructions.discard();
    endProcess(failure->status);
  }
  checkInputs(parts);
  checkSums(parts);
  warnIfEmpty(parts, scene);

  const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
  json::object stats =
      runStatistics(command, lineUp.configuration(), scene, options, output.image, wall, parts);
  addSpeed(lineUp, stats, wall);
  const RaceReport race = judgeRace(lineUp, parts, scene);
  if (!race.racers.empty()) stats["race"] = race.json();
  std::optional<CostSheet> costs;
  if (!output.costMap.empty()) {
    costs.emplace(lineUp, parts, options.crop);
    stats["costs"] = costs->statistics();
  }
  const host::Framebuffer framebuffer = assemble(parts, options);
  const report::Image picture = framebuffer.image(runOptions(s).tone);
  if (report::isLightName(output.image)) {
    outputs.put("output.image", report::encodeLight(output.image, framebuffer.light()));
  } else {
    outputs.put("output.image", picture);
  }
  if (outputs.wants("output.disagreements")) {
    outputs.put("output.disagreements", race.csv());
    outputs.put(RunOutputs::kDisagreementsPicture, race.draw(picture, options.crop));
  }
  if (options.recordHits) outputs.put("output.hits", report::formatHits(joinHits(parts)));
  if (costs) outputs.put("output.cost_map", costs->contents(output.costMap));
  outputs.put("output.stats", report::prettyJson(stats));
  std::string lost;
  try {
    lost = commit(outputs, traces, parts);
  } catch (const std::system_error& e) {
    throw RunError(ExitStatus::Internal,
                   e.what() + traceOfFailure(traces, output.trace, ExitStatus::Internal));
  }
  if (output.verbosity != Verbosity::Quiet) {
    warnOfMachines(lineUp, stats);
    std::vector<report::SummaryLine> lines = machineSummary(lineUp, stats);
    for (report::SummaryLine& line : race.summary()) lines.push_back(std::move(line));
    if (costs) std::ranges::move(costs->summary(), std::back_inserter(lines));
    report::printSummary(outputs.onStandardOutput() ? std::cerr : std::cout, stats, lines);
  }
  std::vector<DiagnosticFile> diagnostics = {
      {"output.profile", profiles.names(), commitProfile(profiles, parts)},
      {"output.instructions", instructions.name(), commitInstructions(instructions)},
      {"output.trace", output.trace, lost}};
  for (const PartResult& part : parts)
    std::ranges::copy(part.diagnostics, std::back_inserter(diagnostics));
  checkDiagnostics(std::move(diagnostics));
  if (const std::string missed = checkpoints.missed(parts.front().simulatedPs); !missed.empty()) {
    throw InputError(missed);
  }
  return ExitStatus::Done;
}

}  // namespace rtvp::platform
