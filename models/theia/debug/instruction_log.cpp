// See instruction_log.hpp.
#include "models/theia/debug/instruction_log.hpp"

#include <cstdio>
#include <utility>

namespace rtvp::theia {

std::string instructionText(const Core& core, std::uint16_t pc, Clock clock) {
  const Instruction in = core.instruction(pc);
  char head[64];
  std::snprintf(head, sizeof head, "%10llu core%u %04X  ", static_cast<unsigned long long>(clock),
                core.index(), pc);
  std::string line = head + disassemble(in);
  const OpInfo* const info = in.info();
  if (info != nullptr && info->writes() && bankOf(in.destination()) != Bank::Configuration) {
    const Vec v = core.readRegister(in.destination());
    char value[48];
    std::snprintf(value, sizeof value, "  = %08x %08x %08x", v.x, v.y, v.z);
    line += value;
  }
  return line;
}

InstructionLog::InstructionLog(debug::Program program, Wish wish)
    : program_(std::move(program)), wish_(std::move(wish)), reads_(wish_.cores.size()) {}

void InstructionLog::note(const Core& core, std::uint16_t pc, Clock clock, Clock spent) const {
  std::string line = instructionText(core, pc, clock);
  line += "  " + std::to_string(spent) + "  " + program_.symbolic(pc);
  if (const std::string source = program_.lineText(pc); !source.empty()) line += "  " + source;
  wish_.sink(line + '\n');
}

Stop InstructionLog::run(Core& core, Clock began) {
  const unsigned index = core.index();
  std::optional<Read>& read = reads_.at(index);
  if (const auto done = std::exchange(read, std::nullopt))
    note(core, done->pc, done->clock, began + core.clocks() - done->clock);
  if (!wish_.cores[index] || began < wish_.from || began >= wish_.to) return core.run();
  for (;;) {
    const std::uint16_t pc = core.pc();
    const Clock clock = began + core.clocks();
    const Stop stop = core.step();
    if (stop == Stop::TextureRead) read = Read{pc, clock};
    if (stop == Stop::None || stop == Stop::Returned)
      note(core, pc, clock, began + core.clocks() - clock);
    if (stop != Stop::None) return stop;
  }
}

}  // namespace rtvp::theia
