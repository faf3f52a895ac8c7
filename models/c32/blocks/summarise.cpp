// Makes summaries (summary.hpp): executes the blocks of one turn with concrete values, and notes
// beside each value whether it is known - the same in every turn that the key and the pins admit -
// or the result of an operation.
#include <algorithm>
#include <bit>
#include <utility>

#include "models/c32/blocks/summariser.hpp"
#include "models/c32/flags.hpp"
#include "models/c32/memory_map.hpp"

namespace rtvp::c32::blocks {

namespace {

using Code = Operation::Code;

constexpr std::size_t kMostWalked = 256;        ///< instructions of a turn
constexpr std::size_t kMostWalkedInLap = 1024;  ///< of several
constexpr std::size_t kMostOperations = 250;    ///< their results are numbered in a byte

/// ST bits that decide a condition.
constexpr auto kDeciding = [] {
  std::array<std::uint32_t, 32> bits{};
  for (std::uint32_t st = 0; st < 128; ++st) {
    for (std::uint32_t bit = 1; bit < 128; bit <<= 1) {
      const std::uint32_t decided = kConditionsHolding[st] ^ kConditionsHolding[st ^ bit];
      for (unsigned cond = 0; cond < 32; ++cond) {
        if ((decided >> cond & 1U) != 0) bits[cond] |= bit;
      }
    }
  }
  return bits;
}();

constexpr bool mayOverflow(Kind kind) {
  return kind == Kind::Add || kind == Kind::Subtract || kind == Kind::SubtractReverse ||
         kind == Kind::Multiply || kind == Kind::Compare || kind == Kind::ShiftArithmetic;
}
constexpr bool isCompare(Kind kind) {
  return kind == Kind::Compare || kind == Kind::Test;
}
constexpr bool isComputed(Kind kind) {
  return kind <= Kind::ShiftArithmetic || isCompare(kind) || kind == Kind::Pop;
}
/// ST bits that a step replaces.
std::uint32_t flagsOf(const Step& step) {
  if (step.kind == Kind::Compare) return kMaskArithmetic;
  if (step.kind == Kind::Test) return kMaskNoCarry;
  return isComputed(step.kind) ? step.flagMask : 0;
}
bool looksAtStatus(const Step& step) {
  const bool source = step.source.access == Access::Register && step.source.reg == reg::ST;
  return source || step.destination == reg::ST;
}

}  // namespace

void Summariser::begin() {
  s_ = std::make_unique<Summary>();
  s_->key = woken_.key;
  for (unsigned r = 0; r < reg::kCount; ++r) {
    reg_[r] = {woken_.reg[r], static_cast<std::uint8_t>(r)};
  }
  reg_[reg::IE].at = reg_[reg::IF].at = kConstant;  // of the key
  st_ = woken_.reg[reg::ST];
  kept_ = ~0u;
  set_ = 0;
  std::copy_n(woken_.ram, kRamWords, ram_.begin());
  slots_.clear();
  temporaries_ = kFirstTemporary;
  wire_ = woken_.wire;
  arrived_ = 0;
  looked_ = kNever;
  mustBeQuiet_ = tooLong_ = false;
  sum_ = {};
  sum_.pc = woken_.key.pc;
  vectors_.clear();
  walked_.clear();
  costs_.clear();
}

bool Summariser::pass(const std::vector<bool>& live) {
  live_ = &live;
  begin();
  if (woken_.turns == 0) return turn();
  for (unsigned n = 0; n < woken_.turns; ++n) {
    if (!sleep() || !turn()) return false;
  }
  return true;
}

/// As Wave::sleep, from the cycle that the blocks so far have come to; that no address generation
/// is under way then, the wave has seen when it went the same way.
bool Summariser::sleep() {
  const Cycle asleep = woken_.base + sum_.cycles;
  Cycle now = asleep;
  for (;;) {
    if (!happenings(now)) return false;
    if ((wire_.flags & reg_[reg::IE].now & 0xFFFu) != 0) break;
    now = wire_.next(nextArrival());
    if (now == kNever) return false;
  }
  const Cycle entered = now + woken_.entry - woken_.base;
  if (entered >= 0x4000) return false;
  sum_.cycles = static_cast<std::uint16_t>(entered);
  looked_ = kNever;
  mustBeQuiet_ = false;
  return true;
}

/// From a wake-up to the next IDLE.
bool Summariser::turn() {
  if (!interrupt()) return false;
  std::uint32_t pc = sum_.pc;
  Residue residue{};
  for (bool idle = false; !idle;) {
    const Block* b = around_.find(pc, residue);
    if (b == nullptr || !block(*b, pc, residue, idle)) return false;
  }
  return !tooLong_;
}

/// As Engine::interrupt.
bool Summariser::interrupt() {
  const std::uint32_t pending = wire_.flags & reg_[reg::IE].now & 0xFFFu;
  if (pending == 0) return false;
  const auto n = static_cast<unsigned>(std::countr_zero(pending));
  const std::uint32_t vector = (((wire_.flags >> 16 << 8) + n + 1u) & kAddressMask) - kRamBase;
  pin(reg_[reg::SP]);
  if (vector >= kRamWords || !push({sum_.pc})) return false;
  s_->interruptSlot = static_cast<std::uint16_t>((reg_[reg::SP].now & kAddressMask) - kRamBase);
  wire_.flags &= ~(1u << n);
  setKnownFlags(0, kGIE);
  st_ &= ~kGIE;
  Value handler = loadKnown(vector);
  if (!handler.known() && slots_[vector].written) return false;
  if (!handler.known() && std::find(vectors_.begin(), vectors_.end(), vector) == vectors_.end()) {
    vectors_.push_back(vector);
    emit({.code = Code::EqualInRam,
          .offset = static_cast<std::uint16_t>(vector),
          .word = handler.now & kAddressMask});
  }
  sum_.pc = handler.now & kAddressMask;
  return true;
}

bool Summariser::block(const Block& b, std::uint32_t& pc, Residue& residue, bool& idle) {
  s_->most = static_cast<std::uint16_t>(std::max<unsigned>(s_->most, sum_.cycles + b.most));
  std::uint8_t number = 0;
  std::vector<Summary::Cost> starts;
  for (const Step& own : b.steps) {
    if (own.kind == Kind::Cut) {
      if (&own == b.steps.data()) return false;  // the processor's
      number = own.taken;
      pc = b.exits[number].pc;
      break;
    }
    if (walked_.size() == (woken_.turns == 0 ? kMostWalked : kMostWalkedInLap) || tooLong_)
      return false;
    Step step = own;
    step.start = static_cast<std::uint16_t>(own.start + sum_.cycles);
    step.exec = static_cast<std::uint16_t>(own.exec + sum_.cycles);
    walked_.push_back(step);
    starts.push_back({own.pc, own.start, own.conflict});
    if (own.kind < Kind::Branch ? !data(step) : !end(step, number, pc, idle)) return false;
    if (own.kind >= Kind::Branch && own.kind != Kind::Return) pc = b.exits[number].pc;
  }
  const Exit& e = b.exits[number];
  for (std::size_t n = 0; n < starts.size(); ++n) {
    const bool last = n + 1 == starts.size();
    const auto until = last ? e.cycles : starts[n + 1].cycles;
    const auto conflicts = last ? e.conflict : starts[n + 1].conflict;
    costs_.push_back({starts[n].pc, static_cast<std::uint16_t>(until - starts[n].cycles),
                      static_cast<std::uint16_t>(conflicts - starts[n].conflict)});
  }
  for (unsigned g = 0; g < 3; ++g) {
    if (e.ready[g] != 0) sum_.ready[g] = static_cast<std::uint16_t>(e.ready[g] + sum_.cycles);
  }
  sum_.extra = static_cast<std::uint16_t>(sum_.extra + e.extra);
  sum_.conflict = static_cast<std::uint16_t>(sum_.conflict + e.conflict);
  sum_.cycles = static_cast<std::uint16_t>(sum_.cycles + e.cycles);
  sum_.pc = pc;
  residue = e.residue;
  return sum_.cycles < 0x4000;
}

/// The end of a block: which exit.
bool Summariser::end(const Step& step, std::uint8_t& exit, std::uint32_t& pc, bool& idle) {
  exit = step.taken;
  switch (step.kind) {
    case Kind::Branch:
    case Kind::Decrement: {
      bool taken = false;
      if (!decide(step.cond, taken)) return false;
      if (step.kind == Kind::Decrement) {
        Value& ar = reg_[step.destination];
        const std::uint32_t counted = stepAddress(ar.now, ~0u);
        if (ar.known()) {
          ar.now = counted;
        } else {
          Operation op{.code = Code::Step, .word = ~0u};
          operand(&Operation::a, op, ar);
          ar = result(op, counted);
        }
        const bool below = (counted >> 23 & 1u) != 0;
        if (taken && !ar.known()) {
          emit({.code = Code::Bit, .a = ar.at, .b = 23, .word = below ? 1u : 0u});
        }
        taken = taken && !below;
      }
      if (!taken) exit = step.fallen;
      return true;
    }
    case Kind::Call:
      return push({(step.pc + 1) & kAddressMask});
    case Kind::Return: {
      Value target;
      if (!pop(target)) return false;
      pin(target);
      pc = target.now & kAddressMask;
      return true;
    }
    case Kind::Idle:
      st_ |= kGIE;
      kept_ &= ~kGIE;
      set_ |= kGIE;
      idle = true;
      return true;
    default:
      return false;
  }
}

// ---- values

std::uint8_t Summariser::emit(Operation op) {
  const bool gives = op.code <= Code::Status || op.code == Code::Load || op.code == Code::LoadAt ||
                     op.code == Code::Step || op.code == Code::Circular ||
                     op.code == Code::ReadWord;
  if (s_->operations.size() >= kMostOperations || temporaries_ >= kConstant - 1) tooLong_ = true;
  if (tooLong_) return kFirstTemporary;
  if (gives) op.to = static_cast<std::uint8_t>(temporaries_++);
  s_->operations.push_back(op);
  return op.to;
}

void Summariser::operand(std::uint8_t Operation::*field, Operation& op, const Value& v) const {
  op.*field = v.at;
  if (v.known()) op.word = v.now;
}

/// From here on `value` is known: a pin of its register, or a guard.
void Summariser::pin(Value& value) {
  if (value.known()) return;
  const std::uint8_t at = value.at;
  if (at < kFirstTemporary) {
    s_->pins.push_back({at, value.now});
  } else {
    emit({.code = Code::Equal, .b = at, .word = value.now});
  }
  for (Value& r : reg_) {
    if (r.at == at) r.at = kConstant;
  }
  for (auto& [offset, slot] : slots_) {
    if (slot.value.at == at) slot.value.at = kConstant;
  }
  value.at = kConstant;
}

Value Summariser::registerAt(unsigned number) {
  if (number == reg::IF) return {wire_.flags};
  if (number != reg::ST) return reg_[number];
  settleStatus();
  return result({.code = Code::Status}, st_);
}

/// ST as the operations know it.
void Summariser::settleStatus() {
  if (kept_ == ~0u) return;
  emit({.code = Code::MaskStatus, .word = set_, .mask = kept_});
  kept_ = ~0u;
  set_ = 0;
}

void Summariser::setKnownFlags(std::uint32_t flags, std::uint32_t mask) {
  const std::uint32_t all = applyFlags(0, flags, 0);
  kept_ &= ~(mask | all);
  set_ = (set_ & ~mask) | all;
}

bool Summariser::decide(unsigned cond, bool& holds) {
  holds = conditionHolds(cond, st_);
  if ((kDeciding[cond & 31u] & kept_) == 0) return true;
  settleStatus();
  emit({.code = Code::Condition,
        .a = static_cast<std::uint8_t>(cond),
        .b = static_cast<std::uint8_t>(holds ? 1 : 0)});
  return true;
}

// ---- instructions

bool Summariser::data(const Step& step) {
  if (step.looksAtFlags && !attend(step.start)) return false;
  Value a;
  if (step.kind < Kind::Store && !source(step, a)) return false;
  switch (step.kind) {
    case Kind::LoadIf:
      return loadIf(step, a);
    case Kind::Store:
      return store(step);
    case Kind::Nop:
      return !isMemory(step.source.access) || source(step, a);
    case Kind::Push:
      if (step.destination != reg::SP) return push(registerAt(step.destination));
      return push({reg_[reg::SP].now + 1});
    case Kind::Pop:
      return pop(a) && compute(step, a);
    default:
      return compute(step, a);
  }
}

bool Summariser::loadIf(const Step& step, const Value& a) {
  bool holds = false;
  return decide(step.cond, holds) && (!holds || place(step, a));
}

namespace {

/// What a step computes, and the operation for it.
IntegerResult resultOf(Kind kind, std::uint32_t b, std::uint32_t a, IntegerMode mode) {
  switch (kind) {
    case Kind::Add:
      return addi(b, a, 0, mode);
    case Kind::Subtract:
    case Kind::Compare:
      return subi(b, a, 0, mode);
    case Kind::SubtractReverse:
      return subi(a, b, 0, mode);
    case Kind::Multiply:
      return mpyi(b, a, mode);
    case Kind::And:
    case Kind::Test:
      return logical(b & a);
    case Kind::AndNot:
      return logical(b & ~a);
    case Kind::Or:
      return logical(b | a);
    case Kind::Xor:
      return logical(b ^ a);
    case Kind::Not:
      return logical(~a);
    case Kind::ShiftLogical:
      return lsh(b, a);
    case Kind::ShiftArithmetic:
      return ash(b, a);
    default:
      return logical(a);  // Load, Pop
  }
}

Code codeOf(Kind kind) {
  switch (kind) {
    case Kind::Add:
      return Code::Add;
    case Kind::Subtract:
    case Kind::SubtractReverse:
    case Kind::Compare:
      return Code::Subtract;
    case Kind::Multiply:
      return Code::Multiply;
    case Kind::And:
    case Kind::Test:
      return Code::And;
    case Kind::AndNot:
      return Code::AndNot;
    case Kind::Or:
      return Code::Or;
    case Kind::Xor:
      return Code::Xor;
    case Kind::Not:
      return Code::Not;
    case Kind::ShiftLogical:
      return Code::ShiftLogical;
    case Kind::ShiftArithmetic:
      return Code::ShiftArithmetic;
    default:
      return Code::Copy;
  }
}

constexpr bool unary(Kind kind) {
  return kind == Kind::Load || kind == Kind::Not || kind == Kind::Pop;
}

}  // namespace

bool Summariser::compute(const Step& step, const Value& a) {
  const Value b = unary(step.kind) ? Value{} : registerAt(step.destination);
  const IntegerResult r = resultOf(step.kind, b.now, a.now, woken_.mode);
  const std::uint32_t mask = flagsOf(step);
  const bool copy = codeOf(step.kind) == Code::Copy;
  const bool known = a.known() && b.known();
  const std::size_t index = walked_.size() - 1;
  const bool flagged = mask != 0 && !known && (index >= live_->size() || (*live_)[index]);
  if (mask != 0) {
    st_ = applyFlags(st_, r.flags, mask);
    if (known) setKnownFlags(r.flags, mask);
    // Flags that nobody asks for: those of the next one hide them.
    if (!known && !flagged) {
      kept_ &= ~mask;
      set_ &= ~mask;
    }
  }
  if (known) return isCompare(step.kind) || place(step, {r.value});
  if (copy && !flagged) return place(step, a);
  if (isCompare(step.kind) && !flagged) return true;
  if (flagged) settleStatus();
  Operation op{.code = codeOf(step.kind), .mask = flagged ? mask : 0};
  const bool reversed = step.kind == Kind::SubtractReverse;
  operand(&Operation::a, op, reversed ? a : b);
  operand(&Operation::b, op, reversed ? b : a);
  if (unary(step.kind)) op.a = 0;
  const Value value = result(op, r.value);
  return isCompare(step.kind) || place(step, value);
}

bool Summariser::place(const Step& step, const Value& value) {
  if (step.destination == reg::IE || step.destination == reg::IF) {
    Value v = value;
    pin(v);
    if (step.destination == reg::IE) {
      reg_[reg::IE] = {v.now & kIeWritable};
    } else {
      wire_.flags = v.now & kIfWritable;
      s_->flagsKept &= wire_.flags;
    }
    return true;
  }
  reg_[step.destination] = value;
  return true;
}

// ---- the whole

/// For each instruction, whether somebody asks for its flags before others replace them.
std::vector<bool> Summariser::liveFlags() const {
  std::vector<bool> live(walked_.size());
  std::uint32_t asked = ~0u;
  for (std::size_t n = walked_.size(); n-- > 0;) {
    const Step& step = walked_[n];
    const std::uint32_t mask = flagsOf(step);
    live[n] = (asked & (mask | (mayOverflow(step.kind) && mask != 0 ? kLV : 0u))) != 0;
    asked &= ~mask;
    const bool conditional =
        step.kind == Kind::Branch || step.kind == Kind::Decrement || step.kind == Kind::LoadIf;
    if (conditional) asked |= kDeciding[step.cond & 31u];
    if (looksAtStatus(step)) asked = ~0u;
  }
  return live;
}

/// Operations whose result nobody uses and that guard nothing.
void Summariser::dropUnused() {
  std::array<bool, 256> used{};
  for (const auto* results : {&s_->registers, &s_->ram}) {
    for (const Summary::Result& r : *results) used[r.value] = true;
  }
  auto& ops = s_->operations;
  for (std::size_t n = ops.size(); n-- > 0;) {
    const Operation& op = ops[n];
    const bool pure = op.code <= Code::Status || op.code == Code::LoadAt || op.code == Code::Step ||
                      op.code == Code::Circular || (op.code == Code::ReadWord && op.a == 0);
    if (pure && op.mask == 0 && !used[op.to]) {
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(n));
      continue;
    }
    if (op.code != Code::Condition) used[op.a] = true;
    if (op.code != Code::Condition && op.code != Code::Bit) used[op.b] = true;
  }
}

std::unique_ptr<Summary> Summariser::finish() {
  quiet();
  Summary& s = *s_;
  for (auto* w : {&s.empty, &s.transfer, &s.arrival}) {
    if (w->by == kNever) w->after = looked_;
  }
  for (unsigned r = 0; r < reg::kCount; ++r) {
    if (r == reg::ST || r == reg::IF || r == reg::IE) continue;
    Value& v = reg_[r];
    s.known[r] = v.known();
    s.value[r] = v.now;
    if (v.at == r || (v.known() && v.now == woken_.reg[r] &&
                      std::any_of(s.pins.begin(), s.pins.end(),
                                  [&](const Summary::Pin& p) { return p.reg == r; }))) {
      continue;
    }
    // Another register's old value would be gone.
    if (v.at < kFirstTemporary) v = result({.code = Code::Copy, .b = v.at}, v.now);
    s.registers.push_back({static_cast<std::uint16_t>(r), v.at, v.now});
  }
  for (auto& [offset, slot] : slots_) {
    if (!slot.written) continue;
    if (slot.value.at < kFirstTemporary) {
      slot.value = result({.code = Code::Copy, .b = slot.value.at}, slot.value.now);
    }
    s.ram.push_back({static_cast<std::uint16_t>(offset), slot.value.at, slot.value.now});
  }
  if (tooLong_) return nullptr;
  dropUnused();
  s.operations.push_back({});
  s.statusKept = kept_;
  s.statusSet = set_;
  s.flags = wire_.flags;
  s.enable = reg_[reg::IE].now;
  s.drrFull = wire_.drrFull;
  s.rsrFull = wire_.rsrFull;
  s.transferring = wire_.transfer != kNever;
  s.emptying = wire_.empty != kNever;
  s.exit = sum_;
  s.steps = static_cast<unsigned>(walked_.size());
  s.costs = costs_;
  for (const std::uint16_t ready : sum_.ready) s.readyMost = std::max(s.readyMost, ready);
  return std::move(s_);
}

std::unique_ptr<Summary> summarise(const Woken& woken, const Surroundings& around) {
  Summariser summariser(woken, around);
  if (!summariser.pass({})) return nullptr;
  const std::vector<bool> live = summariser.liveFlags();
  if (!summariser.pass(live)) return nullptr;
  return summariser.finish();
}

}  // namespace rtvp::c32::blocks
