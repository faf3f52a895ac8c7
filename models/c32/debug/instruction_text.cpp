// Instructions as text. See instruction_stream.hpp.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "models/c32/debug/instruction_stream.hpp"
#include "models/c32/disasm.hpp"
#include "models/common/core/text.hpp"
#include "models/debug/instruction_lines.hpp"

namespace rtvp::c32 {
namespace {

constexpr unsigned kAddressDigits = 6;

void pad(std::string& text, std::size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
}

std::string stallText(const StallCycles& stalls) {
  std::string text;
  for (unsigned c = 0; c < kStallCauses; ++c) {
    if (stalls[c] == 0) continue;
    text += (text.empty() ? "" : ",") + std::string(stallName(static_cast<StallCause>(c))) + ":" +
            std::to_string(stalls[c]);
  }
  return text;
}

std::string changeText(const LoggedInstruction& i) {
  std::string text;
  for (const RegisterWrite& w : i.registers) {
    text += " " + std::string(registerName(w.number)) + "=";
    if (w.number < 8) text += common::hex(static_cast<std::uint8_t>(w.exponent), 2);
    text += common::hex(w.value, 8);
  }
  for (const MemoryAccess& a : i.accesses) {
    text += (a.write ? " [" : " <") + common::hex(a.address, 6) + (a.write ? "]=" : ">") +
            common::hex(a.word, 8);
  }
  return text;
}

/// All of a line but cycle and processor.
std::string textOf(const LoggedInstruction& i, const debug::Program& program) {
  char head[96];
  std::string text;
  if (i.interrupt) {
    std::snprintf(head, sizeof head, "%06x          %3llu  interrupt %llu, from %06x", i.pc,
                  static_cast<unsigned long long>(i.end - i.start),
                  static_cast<unsigned long long>(i.flag), i.from);
    text = head;
  } else {
    std::snprintf(head, sizeof head, "%06x %08x %3llu  ", i.pc, i.word,
                  static_cast<unsigned long long>(i.end - i.start));
    text = head + stallText(i.stalls);
    pad(text, 44);
    text += disassemble(i.word, i.pc);
    pad(text, 80);
    text += changeText(i);
  }
  pad(text, 112);
  text += "; " + program.symbolic(i.pc);
  if (const std::string line = program.lineText(i.pc); !line.empty()) text += " " + line;
  return text;
}

}  // namespace

void writeInstructions(InstructionStream& from, const InstructionText& how,
                       const std::function<void(std::string_view)>& out) {
  std::vector<debug::NextInstruction> units;
  for (std::size_t n = 0; n < from.names().size(); ++n) {
    units.emplace_back([&from, n](debug::InstructionLine& line) {
      LoggedInstruction i;
      if (!from.next(n, i)) return false;
      line = {i.pc, i.start, i.end, textOf(i, from.program())};
      return true;
    });
  }
  debug::writeInstructionLines(from.names(), std::move(units), kAddressDigits, how.collapse, out);
}

}  // namespace rtvp::c32
