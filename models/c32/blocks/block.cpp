#include "models/c32/blocks/block.hpp"

#include <algorithm>

#include "models/c32/decode.hpp"
#include "models/c32/flags.hpp"
#include "models/c32/isa_table.hpp"
#include "models/c32/memory_map.hpp"

namespace rtvp::c32::blocks {
namespace {

struct Row {
  Op op;
  Kind kind;
  std::uint32_t flagMask;
};
constexpr Row kRows[] = {
    {Op::LDI, Kind::Load, kMaskNoCarry},
    {Op::ADDI, Kind::Add, kMaskArithmetic},
    {Op::SUBI, Kind::Subtract, kMaskArithmetic},
    {Op::SUBRI, Kind::SubtractReverse, kMaskArithmetic},
    {Op::MPYI, Kind::Multiply, kMaskNoCarry},
    {Op::AND, Kind::And, kMaskNoCarry},
    {Op::ANDN, Kind::AndNot, kMaskNoCarry},
    {Op::OR, Kind::Or, kMaskNoCarry},
    {Op::XOR, Kind::Xor, kMaskNoCarry},
    {Op::NOT, Kind::Not, kMaskNoCarry},
    {Op::LSH, Kind::ShiftLogical, kMaskArithmetic},
    {Op::ASH, Kind::ShiftArithmetic, kMaskArithmetic},
    {Op::CMPI, Kind::Compare, kMaskArithmetic},
    {Op::TSTB, Kind::Test, kMaskNoCarry},
    {Op::LDIcond, Kind::LoadIf, 0},
    {Op::STI, Kind::Store, 0},
    {Op::NOP, Kind::Nop, 0},
    {Op::PUSH, Kind::Push, 0},
    {Op::POP, Kind::Pop, kMaskNoCarry},
    {Op::BR, Kind::Branch, 0},
    {Op::Bcond, Kind::Branch, 0},
    {Op::DBcond, Kind::Decrement, 0},
    {Op::CALL, Kind::Call, 0},
    {Op::RETScond, Kind::Return, 0},
    {Op::IDLE, Kind::Idle, 0},
};

/// Registers whose writing does more than store, IE and IF apart.
constexpr std::uint32_t kBeyond = 1u << reg::ST | 1u << reg::IOF | 1u << reg::RE;

constexpr bool isBranch(Kind kind) {
  return kind == Kind::Branch || kind == Kind::Decrement || kind == Kind::Call;
}
constexpr bool isEnd(Kind kind) {
  return kind >= Kind::Branch;
}
constexpr bool writesDestination(Kind kind) {
  return kind <= Kind::ShiftArithmetic || kind == Kind::LoadIf || kind == Kind::Pop;
}

/// Condition codes that never fail.
constexpr bool always(std::uint8_t cond) {
  return cond == 0;
}

Cycle costOf(const Step& step, bool taken, const CpuConfig& config) {
  switch (step.kind) {
    case Kind::Branch:
    case Kind::Decrement:
      return taken ? kBranchCycles : std::max(1u, config.bcondUntakenCycles);
    case Kind::Call:
    case Kind::Return:
      return kBranchCycles;
    default:
      return 1;
  }
}

/// Works out times while a block is built.
class Account {
 public:
  Account(const Residue& residue, const CpuConfig& config) : config_(config) {
    for (unsigned g = 0; g < 3; ++g) ready_[g] = static_cast<std::uint16_t>(residue.of(g));
  }

  void begin(Step& step, const MicroOp& op) {
    step.start = now_;
    step.extra = extra_;
    step.conflict = conflict_;
    for (unsigned g = 0; g < 3; ++g) step.ready[g] = marked_[g] ? ready_[g] : std::uint16_t{0};
    std::uint16_t exec = now_;
    for (unsigned g = 0; g < 3; ++g) {
      if ((op.uses >> g & 1u) != 0) exec = std::max(exec, ready_[g]);
    }
    step.exec = exec;
  }
  void end(const Step& step, const MicroOp& op, Cycle cost) {
    conflict_ = static_cast<std::uint16_t>(conflict_ + (step.exec - now_));
    extra_ = static_cast<std::uint16_t>(extra_ + (cost - 1));
    now_ = static_cast<std::uint16_t>(step.exec + cost);
    for (unsigned g = 0; g < 3; ++g) {
      Cycle until = 0;
      if ((op.writes >> g & 1u) != 0) {
        until = step.exec + kAddressWriteLatency;
      } else if ((op.reads >> g & 1u) != 0) {
        until = step.exec + 1 + config_.arReadStall;
      } else {
        continue;
      }
      ready_[g] = std::max(ready_[g], static_cast<std::uint16_t>(until));
      marked_[g] = true;
    }
  }
  [[nodiscard]] Exit exit(std::uint32_t pc) const {
    Exit e;
    e.cycles = now_;
    e.extra = extra_;
    e.conflict = conflict_;
    e.pc = pc;
    for (unsigned g = 0; g < 3; ++g) {
      e.ready[g] = marked_[g] ? ready_[g] : std::uint16_t{0};
      if (ready_[g] > now_) e.residue.set(g, ready_[g] - now_);
    }
    return e;
  }

 private:
  const CpuConfig& config_;
  std::uint16_t now_ = 0;
  std::uint16_t extra_ = 0;
  std::uint16_t conflict_ = 0;
  std::array<std::uint16_t, 3> ready_{};
  std::array<bool, 3> marked_{};
};

std::uint32_t targetOf(const Step& step) {
  const std::uint32_t base = step.source.access == Access::Relative ? step.pc : 0;
  return (base + static_cast<std::uint32_t>(step.source.value)) & kAddressMask;
}

/// A register loaded, tested and branched on, as one step: polling, most of all. What the load says
/// about flags nobody can see.
void fuse(std::vector<Step>& steps) {
  for (std::size_t n = 0; n + 2 < steps.size(); ++n) {
    Step& load = steps[n];
    const Step& test = steps[n + 1];
    if (load.kind == Kind::Load && isMemory(load.source.access) && load.destination < 8 &&
        (test.kind == Kind::Test || test.kind == Kind::Compare) &&
        test.source.access == Access::Constant && test.destination == load.destination &&
        steps[n + 2].kind == Kind::Branch) {
      load.kind = Kind::LoadTestBranch;
    }
  }
}

}  // namespace

Step stepOf(const MicroOp& op) {
  Step step;
  const std::optional<Instruction> i = decode(op.word);
  if (!i || (op.special & kReadsIof) != 0) return step;
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.op == i->op; });
  if (row == std::end(kRows)) return step;
  step.source = op.low;
  step.destination = op.reg;
  step.cond = op.cond;
  const bool compares = row->kind == Kind::Compare || row->kind == Kind::Test;
  if (op.reg < 8 || compares) step.flagMask = row->flagMask;
  const bool writes = writesDestination(row->kind);
  if (writes && (kBeyond >> op.reg & 1u) != 0) return step;
  if (isBranch(row->kind) && op.low.access == Access::Register) return step;
  if (row->kind == Kind::Return && !always(op.cond)) return step;
  if (!conditionDefined(op.cond)) return step;
  const bool names = (op.low.access == Access::Register && op.low.reg == reg::IF) ||
                     (op.reg == reg::IF && !isEnd(row->kind) && row->kind != Kind::Nop);
  step.looksAtFlags = names;
  step.kind = row->kind;
  return step;
}

Block buildBlock(std::uint32_t offset, const Residue& residue, const CpuConfig& config,
                 const Fetch& fetch) {
  Block block;
  Account account(residue, config);
  for (;; ++offset) {
    const MicroOp* op = block.steps.size() < kMostSteps ? fetch(offset) : nullptr;
    Step step = op != nullptr ? stepOf(*op) : Step{};
    step.pc = kRamBase + offset;
    if (step.kind == Kind::Cut) {
      block.exits.push_back(account.exit(step.pc));
      block.most = block.exits.front().cycles;
      block.steps.push_back(step);
      return block;
    }
    account.begin(step, *op);
    if (!isEnd(step.kind)) {
      account.end(step, *op, 1);
      block.steps.push_back(step);
      continue;
    }
    Account untaken = account;
    account.end(step, *op, costOf(step, true, config));
    untaken.end(step, *op, costOf(step, false, config));
    const std::uint32_t behind = (step.pc + 1) & kAddressMask;
    block.exits.push_back(account.exit(isBranch(step.kind) ? targetOf(step) : behind));
    if (step.kind == Kind::Branch || step.kind == Kind::Decrement) {
      step.fallen = 1;
      block.exits.push_back(untaken.exit(behind));
    }
    for (const Exit& e : block.exits) block.most = std::max(block.most, e.cycles);
    block.steps.push_back(step);
    return block;
  }
}

Block joinBlocks(const std::vector<Leg>& legs) {
  Block path;
  path.path = true;
  Exit sum;  // of the legs so far
  const auto add = [&sum](auto& to, const auto& ready) {
    to.extra = static_cast<std::uint16_t>(to.extra + sum.extra);
    to.conflict = static_cast<std::uint16_t>(to.conflict + sum.conflict);
    for (unsigned g = 0; g < 3; ++g) {
      to.ready[g] =
          ready[g] != 0 ? static_cast<std::uint16_t>(ready[g] + sum.cycles) : sum.ready[g];
    }
  };
  for (std::size_t n = 0; n < legs.size(); ++n) {
    const Leg& leg = legs[n];
    const bool last = n + 1 == legs.size();
    const auto firstExit = static_cast<std::uint8_t>(path.exits.size());
    for (const Exit& own : leg.block->exits) {
      Exit e = own;
      e.next = nullptr;
      e.nextPc = ~0u;
      e.cycles = static_cast<std::uint16_t>(e.cycles + sum.cycles);
      add(e, own.ready);
      path.most = std::max(path.most, e.cycles);
      path.exits.push_back(e);
    }
    for (const Step& own : leg.block->steps) {
      Step s = own;
      s.start = static_cast<std::uint16_t>(s.start + sum.cycles);
      s.exec = static_cast<std::uint16_t>(s.exec + sum.cycles);
      add(s, own.ready);
      if (isEnd(s.kind)) {
        s.taken = static_cast<std::uint8_t>(s.taken + firstExit);
        s.fallen = static_cast<std::uint8_t>(s.fallen + firstExit);
        if (!last) s.on = leg.exit == own.taken ? Step::On::Taken : Step::On::Fallen;
        s.expected = leg.pc;
      }
      path.steps.push_back(s);
    }
    sum = path.exits[firstExit + leg.exit];
  }
  fuse(path.steps);
  return path;
}

}  // namespace rtvp::c32::blocks
