// Warnings about code that assembles but cannot be meant (c32.md 4.4.2, 4.4.4, 4.4.6, 4.6, 10.4).
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "models/c32/address_groups.hpp"
#include "models/c32/asm/program.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {
namespace {

using Cycle = std::uint64_t;

bool usesCarry(const Instruction& i, const OpInfo& row) {
  return row.conditional &&
         (i.cond == Cond::LO || i.cond == Cond::LS || i.cond == Cond::HI || i.cond == Cond::HS);
}

}  // namespace

bool WarningOptions::set(const std::string& name, bool on) {
  if (name == "all" || name == "none") {
    dataPage = interlock = carry = repeat = pipeline = unused = (name == "all") == on;
    return true;
  }
  bool* const flag = name == "dp"          ? &dataPage
                     : name == "interlock" ? &interlock
                     : name == "carry"     ? &carry
                     : name == "repeat"    ? &repeat
                     : name == "pipeline"  ? &pipeline
                     : name == "unused"    ? &unused
                                           : nullptr;
  if (flag != nullptr) *flag = on;
  return flag != nullptr;
}

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
  checkSequence();
  checkUnused();
}

/// What one instruction does to the next, in the order of addresses: conflicts, interlocks, carry.
void Program::checkSequence() {
  struct Flow {
    std::uint32_t next = ~0u;  ///< offset of the word that would follow
    Cycle now = 0;
    std::array<Cycle, 3> ready{};
    std::array<std::string, 3> by;
    Op last = Op::kCount;
    bool lastFlags = false;
  };
  std::map<int, Flow> flows;
  bool pageKnown = false;
  stalls_.assign(statements_.size(), 0);
  for (std::size_t n = 0; n < statements_.size(); ++n) {
    const Statement& s = statements_[n];
    if (s.kind != Statement::Kind::Instruction || !s.valid) continue;
    const std::optional<Instruction> i = decode(s.word);
    if (!i) continue;
    const OpInfo& row = info(i->op);
    Flow& flow = flows[s.section];
    if (s.offset != flow.next) flow = Flow{};
    const GroupUse use = groupsOf(*i, row);
    Cycle start = flow.now;
    std::string cause;
    for (unsigned g = 0; g < 3; ++g) {
      if ((use.addresses >> g & 1u) == 0 || flow.ready[g] <= start) continue;
      start = flow.ready[g];
      cause = flow.by[g];
    }
    const Cycle stall = start - flow.now;
    stalls_[n] = static_cast<std::uint8_t>(stall);
    if (stall != 0 && options_.warnings.pipeline) {
      reportFor(s, 0, Severity::Warning, s.first.mnemonicAt,
                s.first.mnemonic + " waits " + std::to_string(stall) +
                    (stall == 1 ? " cycle for " : " cycles for ") + cause);
    }
    const bool stores = flow.last == Op::STFI || flow.last == Op::STII;
    if (options_.warnings.interlock && stores &&
        (i->op == Op::LDFI || i->op == Op::LDII || i->op == Op::SIGI)) {
      reportFor(s, 0, Severity::Warning, s.first.mnemonicAt,
                s.first.mnemonic + " directly behind an interlocked store is not allowed");
    }
    const bool product = flow.last == Op::MPYI || flow.last == Op::MPYI3;
    if (options_.warnings.carry && product && flow.lastFlags && usesCarry(*i, row)) {
      reportFor(s, 0, Severity::Warning, s.first.mnemonicAt,
                "the condition looks at C, which MPYI leaves unchanged");
    }
    checkDataPage(s, *i, pageKnown);
    const std::string self = s.first.mnemonic + " in line " + std::to_string(s.where.line);
    for (unsigned g = 0; g < 3; ++g) {
      const bool writes = (use.writes >> g & 1u) != 0, reads = (use.reads >> g & 1u) != 0;
      if (!writes && !reads) continue;
      flow.ready[g] = start + (writes ? kWriteLatency : kReadLatency);
      flow.by[g] = self;
    }
    flow.now = start + row.cycles;
    flow.next = s.offset + 1;
    flow.last = i->op;
    flow.lastFlags = i->reg < 8;
  }
}

/// The first direct operand, in the order of the text, before anything has set DP.
void Program::checkDataPage(const Statement& s, const Instruction& i, bool& known) {
  if (known || !options_.warnings.dataPage) return;
  const bool direct = i.a.kind == Operand::Kind::Direct;
  if (direct) {
    reportFor(s, 0, Severity::Warning, s.first.operandsAt,
              "@ uses DP, which nothing above has set (LDP)");
  }
  const OpInfo& row = info(i.op);
  known = direct || (row.writesRegister && row.first == Op::kCount && i.reg == reg::DP);
}

void Program::checkUnused() {
  if (!options_.warnings.unused) return;
  for (const auto& [name, known] : symbols_) {
    const bool local = name.find('#') != std::string::npos;
    if (!known.defined || known.used || known.external || local || known.line.where.line == 0 ||
        known.line.where.file != 0 ||  // headers define more than one program needs

        name == "_start" || name == "_c_int00")
      continue;
    report(Severity::Warning, known.line, known.order, known.position,
           "symbol '" + name + "' is never used");
  }
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

/// Offset in its own section of the last word of the block an RPTB opens; empty for a block
/// elsewhere.
std::optional<std::uint32_t> Program::repeatEnd(const Statement& s) const {
  const std::uint32_t base = sections_[static_cast<std::size_t>(s.section)].runBase;
  if (!relocatable_) return (s.word & kAddressMask) - base;
  const auto it = ownTargets_.find({s.section, s.offset});
  if (it != ownTargets_.end()) return it->second;
  return std::nullopt;
}

/// Last word of a repeat block: no control operation; last four: no delayed branch.
void Program::checkRepeats() {
  std::map<std::pair<int, std::uint32_t>, const Statement*> at;  // by section and offset
  for (const Statement& s : statements_) {
    if (s.kind == Statement::Kind::Instruction && s.valid)
      at.emplace(std::pair(s.section, s.offset), &s);
  }
  for (const Statement& s : statements_) {
    if (s.kind != Statement::Kind::Instruction || !s.valid ||
        s.word >> 24 != info(Op::RPTB).base >> 24)
      continue;
    const std::optional<std::uint32_t> found = repeatEnd(s);
    if (!found) continue;
    const std::uint32_t end = *found, begin = s.offset + 1;
    if (static_cast<std::int32_t>(end) < static_cast<std::int32_t>(begin)) {
      reportFor(s, 0, Severity::Warning, s.first.operandsAt,
                "the repeat block ends before it begins");
      continue;
    }
    if (end == begin && options_.warnings.repeat) {
      reportFor(s, 0, Severity::Warning, s.first.mnemonicAt,
                "the repeat block has one word; RPTS repeats it without fetching it again");
    }
    checkRepeatEnd(s, begin, end, at);
  }
}

void Program::checkRepeatEnd(const Statement& s, std::uint32_t begin, std::uint32_t end,
                             const std::map<std::pair<int, std::uint32_t>, const Statement*>& at) {
  for (std::uint32_t back = 0; back < 4 && end - back >= begin; ++back) {
    const auto it = at.find({s.section, end - back});
    if (it == at.end()) continue;
    const std::optional<Instruction> i = decode(it->second->word);
    if (!i || !info(i->op).control || (back != 0 && !info(i->op).delayed)) continue;
    reportFor(*it->second, 0, Severity::Warning, it->second->first.mnemonicAt,
              it->second->first.mnemonic + (back == 0 ? " ends" : " is too near the end of") +
                  " the repeat block of line " + std::to_string(s.where.line));
  }
}

}  // namespace rtvp::c32
