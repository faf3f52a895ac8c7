#include "models/c32/cpu_sequence.hpp"

#include <algorithm>

#include "models/c32/cpu_execute.hpp"

namespace rtvp::c32 {
namespace {

/// A delayed branch that is always taken, to where the word says.
bool isJump(const MicroOp& op) {
  return (op.special & kDelayed) != 0 && op.cond == 0 && op.uses == 0 &&
         op.low.access == Access::Constant;
}

bool leadsForward(const MicroOp& branch) {
  return branch.low.access == Access::Constant &&
         static_cast<std::uint32_t>(branch.low.value) > branch.pc;
}

/// Builds a sequence, instruction by instruction.
class Builder {
 public:
  explicit Builder(const SequencePool::Key& key) : key_(key) {
    sequence_.limit = key.limit;
    sequence_.arReadStall = key.arReadStall;
    mark_.slots = static_cast<std::uint8_t>(key.slots);
  }

  Sequence build(std::span<const std::uint32_t, kRamWords> ram, DecodePool& pool) {
    MicroOp scratch;
    std::uint32_t o = key_.offset;
    while (o < kRamWords && sequence_.ops.size() < key_.limit) {
      const MicroOp& op = *pool.lookup(ram[o], scratch);
      if ((op.special & kRare) != 0) break;
      if ((op.special & kControl) != 0 && mark_.slots != 0) break;  // the run loop's fault
      const bool lastSlot = mark_.slots == 1;
      add(op, kRamBase + o);
      if ((op.special & kLeaves) != 0) break;
      if (!lastSlot) {
        ++o;
      } else if (!goOn(o)) {
        break;
      }
    }
    sequence_.count = static_cast<std::uint32_t>(sequence_.marks.size());
    sequence_.instructions = mark_.instructions;
    sequence_.marks.push_back(mark_);
    sequence_.ops.emplace_back().execute = Execute::end;
    return std::move(sequence_);
  }

 private:
  void add(const MicroOp& op, std::uint32_t pc) {
    sequence_.marks.push_back(mark_);
    sequence_.lastStart = mark_.start;
    std::uint16_t exec = mark_.start;
    for (unsigned g = 0; g < 3; ++g) {
      if ((op.uses >> g & 1u) != 0) exec = std::max(exec, mark_.ready[g]);
    }
    for (unsigned g = 0; g < 3; ++g) {
      const std::uint16_t first = sequence_.firstUse[g];
      if ((op.uses >> g & 1u) != 0) sequence_.firstUse[g] = std::min(first, exec);
      write(op, g, exec);
    }
    MicroOp& own = sequence_.ops.emplace_back(op);
    own.pc = pc;
    own.exec = exec;
    if (own.low.access == Access::Relative) {
      own.low.access = Access::Constant;
      own.low.value =
          static_cast<std::int32_t>((pc + static_cast<std::uint32_t>(op.low.value)) & kAddressMask);
    }
    if ((op.special & kStop) != 0) {
      own.inner = op.execute;
      own.execute = (op.special & kLeaves) != 0 ? Execute::atEnd : Execute::inPlace;
    }
    mark_.conflict = static_cast<std::uint16_t>(mark_.conflict + exec - mark_.start);
    mark_.start = static_cast<std::uint16_t>(exec + 1);
    mark_.clean = *std::max_element(mark_.ready.begin(), mark_.ready.end()) <= mark_.start;
    ++mark_.instructions;
    if (mark_.slots != 0) --mark_.slots;
    if ((op.special & kDelayed) != 0) mark_.slots = 3;
  }

  /// Behind the last slot of a delayed branch, at RAM offset `o`. False: the sequence ends.
  bool goOn(std::uint32_t& o) {
    const std::size_t size = sequence_.ops.size();
    if (size < 4 || size + 1 >= key_.limit || key_.limit < Sequence::kMost) return false;
    const MicroOp branch = sequence_.ops[size - 4];
    if ((branch.special & kDelayed) == 0) return false;
    if (isJump(branch)) {
      o = static_cast<std::uint32_t>(branch.low.value) - kRamBase;
      return true;
    }
    if (!leadsForward(branch)) return false;
    sequence_.marks.push_back(mark_);
    MicroOp& fork = sequence_.ops.emplace_back();
    fork.execute = Execute::fork;
    fork.special = kLeaves;
    fork.pc = kRamBase + o;
    fork.word = sequence_.ops[size - 1].word;
    fork.exec = mark_.start;
    ++o;
    return true;
  }

  /// As Cpu::markGroup().
  void write(const MicroOp& op, unsigned group, std::uint16_t exec) {
    unsigned latency = 0;
    if ((op.writes >> group & 1u) != 0) {
      latency = kAddressWriteLatency;
    } else if ((op.reads >> group & 1u) != 0) {
      latency = 1 + key_.arReadStall;
    } else {
      return;
    }
    const auto ready = static_cast<std::uint16_t>(exec + latency);
    mark_.ready[group] = std::max(mark_.ready[group], ready);
  }

  SequencePool::Key key_;
  Sequence sequence_;
  Sequence::Mark mark_;
};

bool fits(const Sequence& s, const SequencePool::Key& key,
          std::span<const std::uint32_t, kRamWords> ram) {
  return s.serves(key.limit) && s.arReadStall == key.arReadStall &&
         s.firstWord == ram[key.offset] &&
         std::all_of(s.ops.begin(), s.ops.end() - 1,
                     [ram](const MicroOp& op) { return ram[op.pc - kRamBase] == op.word; });
}

}  // namespace

const Sequence* SequencePool::find(const Key& key, std::span<const std::uint32_t, kRamWords> ram,
                                   DecodePool& pool) {
  const Sequence** place = &first_[key.offset * 4 + key.slots];
  std::size_t alike = 0;
  for (; *place != nullptr; ++alike) {
    if (fits(**place, key, ram)) return *place;
    // The pool's own: nobody else changes it.
    place = &sequences_[(*place)->number]->alike;
  }
  // Parts of sequences are a convenience.
  const std::size_t most = key.limit == Sequence::kMost ? kMostSequences : kMostSequences / 2;
  if (sequences_.size() >= most || alike >= kMostAlike) return nullptr;
  auto built = std::make_unique<Sequence>(Builder(key).build(ram, pool));
  built->number = static_cast<std::uint32_t>(sequences_.size());
  built->firstWord = ram[key.offset];
  sequences_.push_back(std::move(built));
  *place = sequences_.back().get();
  return *place;
}

}  // namespace rtvp::c32
