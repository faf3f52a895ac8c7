// Warnings about code that assembles but cannot be meant (c32.md 4.4.2, 4.4.4, 4.4.6, 4.6, 10.4).
#include <array>
#include <map>

#include "models/c32/asm/program.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {

void Program::checkStatements() {
  struct Slots {
    std::uint32_t end = 0;  ///< offset behind the last delay slot
    std::string branch;
  };
  std::map<int, Slots> slots;  // by section: sections may be left and entered again
  for (const Statement& s : statements_) {
    if (s.kind != Statement::Kind::Instruction || !s.valid) continue;
    const std::optional<Instruction> instruction = decode(s.word);
    if (!instruction) continue;
    const OpInfo& row = info(instruction->op);
    Slots& open = slots[s.section];
    if (row.control && s.offset < open.end) {
      reportFor(s, 0, Severity::Warning, s.first.mnemonicAt,
                s.first.mnemonic + " is not allowed in a delay slot of " + open.branch);
    }
    if (row.delayed) {
      open.end = s.offset + 4;
      open.branch = s.first.mnemonic + " in line " + std::to_string(s.where.line);
    }
    checkOperands(s, *instruction);
  }
  checkRepeats();
}

void Program::checkOperands(const Statement& s, const Instruction& i) {
  std::array<int, 8> updates{};
  for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) {
    if (o->kind == Operand::Kind::Indirect && indirectMode(o->mode).update) ++updates[o->number];
  }
  for (std::size_t n = 0; n < updates.size(); ++n) {
    if (updates[n] > 1) {
      reportFor(s, 0, Severity::Warning, s.first.mnemonicAt,
                "AR" + std::to_string(n) +
                    " is modified twice in one instruction; only one change remains");
    }
  }
  if (info(i.op).format == Format::LoadLoad && i.reg == i.reg2) {
    reportFor(s, 0, Severity::Warning, s.first.mnemonicAt,
              "both loads write " + std::string(registerName(i.reg)));
  }
}

/// Last word of a repeat block: no control operation; last four: no delayed branch.
void Program::checkRepeats() {
  std::map<std::uint32_t, const Statement*> at;  // run address -> instruction
  const auto addressOf = [&](const Statement& s) {
    return sections_[static_cast<std::size_t>(s.section)].runBase + s.offset;
  };
  for (const Statement& s : statements_) {
    if (s.kind == Statement::Kind::Instruction && s.valid) at.emplace(addressOf(s), &s);
  }
  for (const Statement& s : statements_) {
    if (s.kind != Statement::Kind::Instruction || !s.valid ||
        s.word >> 24 != info(Op::RPTB).base >> 24)
      continue;
    const std::uint32_t end = s.word & kAddressMask, begin = addressOf(s) + 1;
    if (end < begin) {
      reportFor(s, 0, Severity::Warning, s.first.operandsAt,
                "the repeat block ends before it begins");
      continue;
    }
    for (std::uint32_t back = 0; back < 4 && end - back >= begin; ++back) {
      const auto it = at.find(end - back);
      if (it == at.end()) continue;
      const std::optional<Instruction> i = decode(it->second->word);
      if (!i || !info(i->op).control || (back != 0 && !info(i->op).delayed)) continue;
      reportFor(*it->second, 0, Severity::Warning, it->second->first.mnemonicAt,
                it->second->first.mnemonic + (back == 0 ? " ends" : " is too near the end of") +
                    " the repeat block of line " + std::to_string(s.where.line));
    }
  }
}

}  // namespace rtvp::c32
