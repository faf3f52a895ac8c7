// See hazards.hpp.
#include "models/c32/analysis/hazards.hpp"

#include "models/c32/isa_table.hpp"

namespace rtvp::c32::analysis {
namespace {

/// Words at a block's end that hold no delayed branch.
constexpr std::uint32_t kNoDelayedBranch = 4;

bool repeats(const Instruction& i) {
  return i.op == Op::RPTB || i.op == Op::RPTS;
}

bool writes(const Instruction& i, unsigned number) {
  return info(i.op).writesRegister && i.reg == number;
}

/// The block from `first` to `last` that RPTB repeats.
class Block {
 public:
  Block(std::uint32_t rptb, std::uint32_t last, const ReadInstruction& at, const PlaceText& place)
      : rptb_(rptb), last_(last), at_(at), place_(place) {}

  std::vector<Hazard> hazards() {
    if (last_ <= rptb_) {
      return {{rptb_, "RPTB ends at " + place_(last_) +
                          ", in front of its first word: the end is never reached"}};
    }
    checkEnd();
    checkNesting();
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::string block() const { return "the block that RPTB at " + place_(rptb_); }

  void checkEnd() {
    for (std::uint32_t n = 0; n < kNoDelayedBranch && last_ - n > rptb_; ++n) {
      const std::optional<Instruction> i = at_(last_ - n);
      if (!i) continue;
      const OpInfo& row = info(i->op);
      if (row.delayed) {
        found_.push_back({last_ - n, std::string(row.mnemonic) +
                                         " is a delayed branch in the last " +
                                         std::to_string(kNoDelayedBranch) + " words of " + block() +
                                         " repeats: none may stand there"});
      } else if (n == 0 && row.control) {
        found_.push_back({last_, std::string(row.mnemonic) + " is the last word of " + block() +
                                     " repeats: it must not change the flow of the program"});
      }
    }
  }

  /// A repeat in a repeated block takes RS, RE, RC and RM: somebody must put them back.
  void checkNesting() {
    std::optional<std::uint32_t> inner;
    bool restored = false;
    for (std::uint32_t pc = rptb_ + 1; pc <= last_; ++pc) {
      const std::optional<Instruction> i = at_(pc);
      if (!i) continue;
      if (repeats(*i)) {
        inner = pc;
        restored = false;
      }
      restored = restored || writes(*i, reg::RE);
    }
    if (!inner || restored) return;
    found_.push_back({*inner, std::string(info(at_(*inner)->op).mnemonic) + " stands in " +
                                  block() +
                                  " repeats, and nothing behind it there puts RE back: the outer "
                                  "block ends with it"});
  }

  std::uint32_t rptb_, last_;
  const ReadInstruction& at_;
  const PlaceText& place_;
  std::vector<Hazard> found_;
};

}  // namespace

std::vector<Hazard> hazardsAt(std::uint32_t pc, const Instruction& i, const ReadInstruction& at,
                              const PlaceText& place) {
  if (i.op == Op::RPTB) {
    if (i.a.kind == Operand::Kind::Register) return {};  // its end is not known
    return Block(pc, i.a.value & kAddressMask, at, place).hazards();
  }
  const std::optional<Instruction> next = at((pc + 1) & kAddressMask);
  if (i.op == Op::RPTS && next && info(next->op).control) {
    return {{pc + 1, std::string(info(next->op).mnemonic) + " is repeated by RPTS at " + place(pc) +
                         ": what is repeated must not change the flow of the program"}};
  }
  if (info(i.op).format == Format::LoadLoad && i.reg == i.reg2) {
    return {{pc, "both loads go to one register: which of them remains is undefined"}};
  }
  const bool stores = i.op == Op::STFI || i.op == Op::STII;
  const bool waits = next && (next->op == Op::LDFI || next->op == Op::LDII || next->op == Op::SIGI);
  if (stores && waits) {
    return {{pc, std::string(info(i.op).mnemonic) + " stands directly in front of " +
                     std::string(info(next->op).mnemonic) +
                     ": another instruction belongs between them"}};
  }
  return {};
}

}  // namespace rtvp::c32::analysis
