// theia-run PROGRAM.tasm: one routine on one core, alone.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "firmware/theia/firmware.hpp"
#include "models/common/core/text.hpp"
#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"
#include "models/theia/debug/program.hpp"
#include "models/theia/tools/debugged_run.hpp"
#include "models/theia/tools/runner.hpp"

namespace rtvp::theia {
namespace {

namespace status = tool::status;

constexpr std::size_t kTextureWords = std::size_t{1} << 16;
constexpr double kHertz = 1e8;

Program assembled(const ProgramOptions& options) {
  const std::string name = tool::inputName(options.file);
  AssemblerOptions assembler;
  assembler.instructionWords = options.core.instructionWords;
  for (const CodeSource& source : microcodeCode(options.fixedBilinear)) {
    for (const auto& [label, row] : source.labels) assembler.symbols.emplace(label, row);
  }
  AssemblyResult result =
      assemble(name, tool::readInput(options.file, "a THEIA source", status::kUsage), assembler);
  std::cerr << result.report();
  if (!result.program) throw tool::Failure(name + ": found errors, expected a program");
  if (result.program->rom || result.program->rows.empty())
    throw tool::Failure(name + ": expected a user program (no .rom) with at least one instruction");
  return std::move(*result.program);
}

/// Code address of what `--entry` names; without a name MAIN, or the first row of a program that
/// has none.
std::uint16_t entryOf(const ProgramOptions& options, const Program& program) {
  if (options.entry.empty()) {
    const auto main = static_cast<std::size_t>(Entry::Main);
    if (program.defined[main]) return program.table[main];
    return static_cast<std::uint16_t>(kUserCode | program.rows.begin()->first);
  }
  if (const auto label = program.labels.find(options.entry); label != program.labels.end())
    return label->second;
  for (std::size_t slot = 0; slot < kEntries; ++slot) {
    if (kEntryTable[slot].name == options.entry) return program.table[slot];
  }
  throw tool::Failure("--entry: found " + common::quoted(options.entry) +
                      ", expected a label of the program or an entry point (MAIN, RGU, ...)");
}

/// The routine from its first instruction to RETURN or a fault; texture memory is empty.
void play(Core& core, std::uint16_t entry, std::span<const Word> texture, CoreControl* control) {
  core.startAt(entry);
  core.charge(Spent::Control, kTriggerClocks);
  while (!core.fault()) {
    const Stop stop = control != nullptr ? control->run(core, 0) : core.run();
    if (stop != Stop::TextureRead) return;
    const Vec& a = core.textureAddress();
    if (a.x >= texture.size() || a.y >= texture.size() || a.z >= texture.size()) {
      core.raise(Fault::Kind::TextureAddress,
                 "TMREAD past the texture memory of " + std::to_string(texture.size()) + " words");
    } else {
      core.finishTextureRead({texture[a.x], texture[a.y], texture[a.z]}, kTextureReadPeriod);
    }
  }
}

std::string outcome(const Core& core) {
  if (core.fault()) return "fault: " + core.fault().describe();
  return std::string("returned ") + (core.flag() ? "TRUE" : "FALSE") + " after " +
         std::to_string(core.clocks()) + " clocks, " + std::to_string(core.instructions() - 1) +
         " instructions before the RETURN";
}

}  // namespace

int runProgram(const ProgramOptions& options, const Rom& rom) {
  const Program program = assembled(options);
  const std::uint16_t entry = entryOf(options, program);
  std::unique_ptr<DebuggedRun> debugged;
  if (options.debug.any()) debugged = std::make_unique<DebuggedRun>(options.debug);
  Core core(options.core, rom, 0);
  const std::vector<Instruction> image = program.image();
  for (unsigned row = 0; row < image.size(); ++row) core.hostWriteInstruction(row, image[row]);
  std::vector<Word> texture(kTextureWords);
  CoreControl* control = nullptr;
  std::vector<CodeSource> code = microcodeCode(options.fixedBilinear);
  code.insert(code.begin(), sourceOf(tool::inputName(options.file), program));
  const debug::Program places = debugProgram(code, program.table);
  std::unique_ptr<InstructionFile> instructions;
  if (!options.seeing.instructions.empty()) {
    instructions = std::make_unique<InstructionFile>(places, 1);
    control = &instructions->control();
  }
  if (options.seeing.accounts()) core.keepAccount();
  if (debugged) {
    std::vector<std::unique_ptr<DebugUnit>> units;
    units.push_back(std::make_unique<DebugUnit>("theia.core0", core, texture));
    control = &debugged->attach(std::move(units), places, nullptr, kHertz);
  }
  try {
    play(core, entry, texture, control);
  } catch (const RunLeft&) {
    debugged->left();
    return status::kDone;
  }
  if (debugged) {
    debugged->over(outcome(core), core.fault());
  } else {
    DebugUnit unit("theia.core0", core, texture);
    unit.begins(0);
    (core.fault() ? std::cerr : std::cout) << outcome(core) << '\n' << unit.registerText();
  }
  writeAccounts(options.seeing, places, {{"theia.core0", &core}}, "theia-run " + options.file);
  if (instructions) writeInstructions(options.seeing, *instructions);
  return core.fault() ? status::kFault : status::kDone;
}

}  // namespace rtvp::theia
