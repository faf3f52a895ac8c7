// The words of a passage: registers, RAM, flags, and the guards on them.
//
// Flags are made late: ST is what is in memory, cut and added to by constants, with the flags of
// one operation that can be executed again as long as the next one has not replaced them. An
// operation whose result overflows is a guard that fails, so V is 0 and LV stays.
#include <algorithm>
#include <bit>
#include <utility>

#include "models/c32/blocks/turn_writer.hpp"
#include "models/c32/flags.hpp"
#include "models/c32/memory_map.hpp"

namespace rtvp::c32::blocks {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers
using Code = Operation::Code;

namespace {

constexpr bool arithmetic(Code code) {
  return code == Code::Add || code == Code::Subtract;
}
constexpr bool readsFirst(Code code) {
  return (code < Code::Copy && code != Code::Not) || code == Code::Bit || code == Code::Load ||
         code == Code::Store || code == Code::Step || code == Code::Circular;
}
constexpr bool computes(Code code) {
  return code <= Code::Copy;
}
constexpr bool readsSecond(Code code) {
  return computes(code) || code == Code::Equal || code == Code::Store || code == Code::StoreAt ||
         code == Code::Write;
}

/// ST bits that decide a condition.
constexpr std::uint32_t flagsAsked(unsigned cond) {
  if (cond >= 0x01 && cond <= 0x04) return kC | kZ;
  if (cond >= 0x05 && cond <= 0x0A) return kZ | kN;
  return ~0u;
}

/// The host's condition for a condition of the C32's, after an operation without overflow.
std::optional<CondCode> hostCondition(unsigned cond, bool withCarry) {
  constexpr unsigned kFirstWithoutCarry = 5;
  if (cond < kFirstWithoutCarry && !withCarry) return {};
  switch (cond) {
    case 0x01:
      return CondCode::kB;
    case 0x02:
      return CondCode::kBE;
    case 0x03:
      return CondCode::kA;
    case 0x04:
      return CondCode::kAE;
    case 0x05:
      return CondCode::kE;
    case 0x06:
      return CondCode::kNE;
    case 0x07:
      return CondCode::kS;
    case 0x08:
      return CondCode::kLE;
    case 0x09:
      return CondCode::kG;
    case 0x0A:
      return CondCode::kNS;
    default:
      return {};
  }
}

}  // namespace

void TurnWriter::readFacts() {
  for (unsigned n = 0; n < where_.size(); ++n) where_[n] = {Where::Kind::Slot, n};
  for (unsigned r = 0; r < reg::kCount; ++r) {
    if (from_.known[r]) where_[r] = {Where::Kind::Constant, from_.value[r]};
  }
  for (const Operation& op : to_.operations) {
    if (readsFirst(op.code)) used_[op.a] = true;
    if (readsSecond(op.code)) used_[op.b] = true;
    storesInOperations_ |= op.code == Code::Store || op.code == Code::StoreAt;
  }
  for (const auto* results : {&to_.registers, &to_.ram}) {
    for (const Summary::Result& r : *results) used_[r.value] = true;
  }
  const auto& before = from_.operations;
  storesAnywhere_ = std::any_of(before.begin(), before.end(),
                                [](const Operation& op) { return op.code == Code::Store; });
}

/// Backwards: flags of an operation that another one replaces before anybody asks need not be made.
void TurnWriter::findLiveFlags() {
  live_.assign(to_.operations.size(), 0);
  std::uint32_t live = to_.statusKept;
  for (std::size_t n = to_.operations.size(); n-- > 0;) {
    const Operation& op = to_.operations[n];
    live_[n] = live;
    if (op.code == Code::Status) {
      live = ~0u;
    } else if (op.code == Code::Condition) {
      live |= flagsAsked(op.a);
    } else if (op.code == Code::MaskStatus) {
      live &= op.mask;
    } else if (computes(op.code)) {
      live &= ~op.mask;
    }
  }
}

/// ST bits that somebody asks for behind `op`.
std::uint32_t TurnWriter::liveAfter(const Operation& op) const {
  return live_[static_cast<std::size_t>(&op - to_.operations.data())];
}

bool TurnWriter::values() {
  for (const Summary::Pin& pin : to_.pins) {
    if (where_[pin.reg].constant()) {
      if (where_[pin.reg].at != pin.value) return false;
      continue;
    }
    a_.cmp(slot(pin.reg), pin.value);
    fail(CondCode::kNE);
  }
  return std::all_of(to_.operations.begin(), to_.operations.end(),
                     [this](const Operation& op) { return value(op); });
}

TurnWriter::Where TurnWriter::operand(std::uint8_t at, const Operation& op) const {
  return at == kConstant ? Where{Where::Kind::Constant, op.word} : where_[at];
}

Mem TurnWriter::memory(const Where& w) const {
  switch (w.kind) {
    case Where::Kind::Inbox:
      return word(w.at, false);
    case Where::Kind::Drr:
      return field(offsetof(TurnFrame, drr), 4);
    case Where::Kind::Rsr:
      return field(offsetof(TurnFrame, rsr), 4);
    case Where::Kind::Ram:
      return Mem(r15, static_cast<std::int32_t>(4 * w.at), 4);
    default:
      return slot(w.at);
  }
}

void TurnWriter::fetch(const Gp& to, const Where& w) {
  if (to == eax && std::exchange(inEax_, std::nullopt) == w) return;
  if (w.constant()) {
    a_.mov(to, w.at);
  } else if (w.kind == Where::Kind::Vector) {
    a_.vmovd(to, xmm(w.at));
  } else {
    a_.mov(to, memory(w));
  }
}

/// `to` is not ecx.
void TurnWriter::combine(Inst::Id instruction, const Gp& to, const Where& w) {
  if (w.constant()) {
    a_.emit(instruction, to, asmjit::Imm(static_cast<std::int32_t>(w.at)));
  } else if (w.kind == Where::Kind::Vector) {
    fetch(ecx, w);
    a_.emit(instruction, to, ecx);
  } else {
    a_.emit(instruction, to, memory(w));
  }
}

/// The result in eax, if anybody asks for it.
void TurnWriter::keep(std::uint8_t to) {
  inEax_.reset();
  if (!usedLater(to)) return;
  if (vectors_ < mostVectors_) {
    where_[to] = {Where::Kind::Vector, vectors_++};
    a_.vmovd(xmm(where_[to].at), eax);
  } else {
    a_.mov(slot(to), eax);
  }
  inEax_ = where_[to];
}

void TurnWriter::put(const Mem& to, const Where& w) {
  if (w.kind == Where::Kind::Vector) {
    a_.vmovd(to, xmm(w.at));
    return;
  }
  fetch(eax, w);
  a_.mov(to, eax);
  inEax_ = w;
}

bool TurnWriter::value(const Operation& op) {
  switch (op.code) {
    case Code::Status:
      materialise();
      a_.mov(eax, statusMemory());
      keep(op.to);
      hostFlags_ = nullptr;
      return true;
    case Code::MaskStatus:
      if (flags_ != nullptr && (flags_->mask & op.mask & liveAfter(op)) != 0) materialise();
      flags_ = nullptr;
      kept_ &= op.mask;
      set_ = (set_ & op.mask) | op.word;
      return true;
    case Code::Condition:
      condition(op);
      return true;
    case Code::Equal:
    case Code::EqualInRam:
    case Code::Bit:
      return guard(op);
    case Code::Load:
    case Code::LoadAt:
      load(op);
      return true;
    case Code::Store:
      if (stores_ == TurnFrame::kStores) return false;
      store(op);
      return true;
    case Code::StoreAt:
      if (stores_ == TurnFrame::kStores) return false;
      storeAt(op);
      return true;
    case Code::Step:
      return step(op);
    case Code::Circular:
      circular(op);
      return true;
    case Code::Arrive:
      (op.a != 0 ? rsr_ : drr_) = {Where::Kind::Inbox, arrivals_++};
      return arrivals_ <= kMostArrivals;
    case Code::ReadWord:
      where_[op.to] = drr_;
      if (op.a != 0) drr_ = rsr_;
      return true;
    case Code::Quiet:
    case Code::Empty:
    case Code::Transfer:
    case Code::Write:
    case Code::End:
      return true;
    default:
      return compute(op);
  }
}

bool TurnWriter::compute(const Operation& op) {
  const bool flagged = (op.mask & liveAfter(op)) != 0;
  if (!flagged && op.code == Code::Copy) {
    // A register's old value is gone by the time that results are put in their places.
    const Where from = operand(op.b, op);
    const bool stays = from.kind != Where::Kind::Slot || from.at >= kFirstTemporary;
    if (stays) {
      where_[op.to] = from;
      return true;
    }
  }
  if (op.code == Code::ShiftLogical || op.code == Code::ShiftArithmetic) return shift(op);
  if (flagged && flags_ != nullptr && (flags_->mask & ~op.mask & liveAfter(op)) != 0) materialise();
  if (!emitInto(op)) return false;
  if (arithmetic(op.code) && (op.mask != 0 || setting_.mode.saturate)) fail(CondCode::kO);
  if (flagged) {
    kept_ &= ~op.mask;
    set_ &= ~op.mask;
    flags_ = &op;
    hostFlags_ = &op;
  } else {
    hostFlags_ = nullptr;
  }
  keep(op.to);
  return true;
}

/// The result in eax, and its sign, zero and, of sum and difference, carry in the host's flags.
bool TurnWriter::emitInto(const Operation& op) {
  const Where a = operand(op.a, op);
  const Where b = operand(op.b, op);
  if (op.code == Code::Not || op.code == Code::Copy) {
    fetch(eax, b);
    if (op.code == Code::Not) {
      a_.xor_(eax, -1);
    } else {
      a_.test(eax, eax);
    }
    return true;
  }
  fetch(eax, a);
  switch (op.code) {
    case Code::Add:
      combine(Inst::kIdAdd, eax, b);
      return true;
    case Code::Subtract:
      combine(Inst::kIdSub, eax, b);
      return true;
    case Code::And:
      combine(Inst::kIdAnd, eax, b);
      return true;
    case Code::Or:
      combine(Inst::kIdOr, eax, b);
      return true;
    case Code::Xor:
      combine(Inst::kIdXor, eax, b);
      return true;
    case Code::AndNot:
      fetch(ecx, b);
      a_.andn(eax, ecx, eax);
      return true;
    case Code::Multiply:  // of 24 bits each
      fetch(ecx, b);
      for (const Gp& r : {eax, ecx}) {
        a_.shl(r, 8);
        a_.sar(r, 8);
      }
      a_.imul(eax, ecx);
      fail(CondCode::kO);
      a_.test(eax, eax);
      return true;
    default:
      return false;
  }
}

/// By a constant, and nobody asks for the flags: others go the wave's own way.
bool TurnWriter::shift(const Operation& op) {
  constexpr int kBits = 32;
  const Where by = operand(op.b, op);
  if (op.mask != 0 || !by.constant()) return false;
  const int count = shiftCount(by.at);
  fetch(eax, operand(op.a, op));
  if (count >= kBits || (op.code == Code::ShiftLogical && count <= -kBits)) {
    a_.xor_(eax, eax);
  } else if (count > 0) {
    a_.shl(eax, count);
  } else if (op.code == Code::ShiftLogical) {
    a_.shr(eax, -count);
  } else {
    a_.sar(eax, std::min(-count, kBits - 1));
  }
  keep(op.to);
  hostFlags_ = nullptr;
  return true;
}

bool TurnWriter::step(const Operation& op) {
  const Where from = operand(op.a, op);
  const std::uint32_t distance = op.word;
  hostFlags_ = nullptr;
  if (op.a != kConstant && from.constant()) {
    where_[op.to] = {Where::Kind::Constant, stepAddress(from.at, distance)};
    return true;
  }
  if (op.a == kConstant) return false;
  fetch(eax, from);
  a_.lea(ecx, ptr(rax, static_cast<std::int32_t>(distance)));
  a_.xor_(ecx, eax);
  a_.and_(ecx, kAddressMask);
  a_.xor_(eax, ecx);
  keep(op.to);
  return true;
}

/// As stepCircular.
void TurnWriter::circular(const Operation& op) {
  const std::uint32_t bk = op.offset;
  const std::uint32_t mask = bk == 0 ? 0 : (std::bit_floor(bk) << 1) - 1u;
  const auto distance = static_cast<std::int32_t>(op.word);
  const auto size = static_cast<std::int32_t>(bk);
  hostFlags_ = nullptr;
  fetch(eax, where_[op.a]);
  if (mask != 0) {
    a_.mov(ecx, eax);
    a_.and_(ecx, mask);
    a_.add(ecx, distance);
    a_.lea(edx, ptr(rcx, -size));
    a_.cmp(ecx, size);
    a_.cmovge(ecx, edx);
    if (distance < 0) {
      a_.lea(edx, ptr(rcx, size));
      a_.test(ecx, ecx);
      a_.cmovs(ecx, edx);
    }
    a_.and_(ecx, mask);
    a_.and_(eax, ~mask);
    a_.or_(eax, ecx);
  }
  keep(op.to);
}

// ---- guards

bool TurnWriter::guard(const Operation& op) {
  hostFlags_ = nullptr;
  if (op.code == Code::EqualInRam) {
    // The turn before has asked for it, and has not written there.
    const auto asked = [&](const Operation& x) {
      return x.code == Code::EqualInRam && x.offset == op.offset && x.word == op.word;
    };
    const bool known =
        !storesAnywhere_ && std::any_of(from_.operations.begin(), from_.operations.end(), asked) &&
        std::find(from_.stores.begin(), from_.stores.end(), op.offset) == from_.stores.end();
    if (known) return true;
    inEax_.reset();
    a_.mov(eax, memory({Where::Kind::Ram, op.offset}));
    a_.and_(eax, kAddressMask);
    a_.cmp(eax, op.word);
    fail(CondCode::kNE);
    return true;
  }
  const bool bit = op.code == Code::Bit;
  const Where w = where_[bit ? op.a : op.b];
  if (w.constant()) return (bit ? (w.at >> op.b & 1u) : w.at) == op.word;
  const bool there = inEax_ == w;
  if (w.kind == Where::Kind::Vector && !there) fetch(ecx, w);
  const auto with = [&](Inst::Id instruction, std::uint32_t word) {
    const asmjit::Imm imm(static_cast<std::int32_t>(word));
    if (there || w.kind == Where::Kind::Vector) {
      a_.emit(instruction, there ? eax : ecx, imm);
    } else {
      a_.emit(instruction, memory(w), imm);
    }
  };
  if (!bit) {
    with(Inst::kIdCmp, op.word);
    fail(CondCode::kNE);
    return true;
  }
  with(Inst::kIdTest, 1u << op.b);
  fail(op.word != 0 ? CondCode::kE : CondCode::kNE);
  return true;
}

void TurnWriter::condition(const Operation& op) {
  const bool holds = op.b != 0;
  if (flags_ != nullptr) {
    if (const auto host = hostCondition(op.a, arithmetic(flags_->code))) {
      if (hostFlags_ != flags_) emitInto(*flags_);
      hostFlags_ = flags_;
      fail(holds ? negateCond(*host) : *host);
      return;
    }
  }
  materialise();
  inEax_.reset();
  a_.mov(eax, statusMemory());
  a_.and_(eax, 127);
  a_.mov(rcx, reinterpret_cast<std::uintptr_t>(kConditionsHolding.data()));
  a_.mov(eax, Mem(rcx, rax, 2, 0, 4));
  a_.bt(eax, op.a);
  fail(holds ? CondCode::kNC : CondCode::kC);
}

// ---- memory

/// Offset into the internal RAM of address a + word, in eax; it lies there.
void TurnWriter::ramOffset(const Operation& op) {
  hostFlags_ = nullptr;
  fetch(eax, where_[op.a]);
  if (op.word != 0) a_.add(eax, op.word);
  a_.and_(eax, kAddressMask);
  a_.sub(eax, kRamBase);
  a_.cmp(eax, kRamWords);
  fail(CondCode::kAE);
}

void TurnWriter::load(const Operation& op) {
  if (op.code == Code::Load) {
    ramOffset(op);
    a_.mov(eax, Mem(r15, rax, 2, 0, 4));
    keep(op.to);
    return;
  }
  const Where here{Where::Kind::Ram, op.offset};
  if (!storesInOperations_) {
    for (const Summary::Result& r : from_.ram) {
      if (r.to != op.offset || r.value != kConstant) continue;
      where_[op.to] = {Where::Kind::Constant, r.word};
      return;
    }
    const bool moves = std::any_of(to_.ram.begin(), to_.ram.end(),
                                   [&](const Summary::Result& r) { return r.value == op.to; });
    if (!moves) {
      where_[op.to] = here;
      return;
    }
  }
  a_.mov(eax, memory(here));
  keep(op.to);
}

void TurnWriter::store(const Operation& op) {
  const std::size_t undo = offsetof(TurnFrame, undo) + stores_ * sizeof(TurnFrame::Undo);
  ramOffset(op);
  a_.mov(rcx, field(offsetof(TurnFrame, decoded)));
  static_assert(sizeof(DecodePool::Number) == 2);
  a_.cmp(Mem(rcx, rax, 1, 0, 2), DecodePool::kNone);
  fail(CondCode::kNE);
  a_.mov(field(undo + offsetof(TurnFrame::Undo, offset), 4), eax);
  a_.mov(ecx, Mem(r15, rax, 2, 0, 4));
  a_.mov(field(undo + offsetof(TurnFrame::Undo, word), 4), ecx);
  fetch(ecx, op.b == kConstant ? Where{Where::Kind::Constant, op.mask} : where_[op.b]);
  a_.mov(Mem(r15, rax, 2, 0, 4), ecx);
  undo_.emplace_back();
  ++stores_;
}

void TurnWriter::storeAt(const Operation& op) {
  const std::size_t undo = offsetof(TurnFrame, undo) + stores_ * sizeof(TurnFrame::Undo);
  const Mem there = memory({Where::Kind::Ram, op.offset});
  a_.mov(ecx, there);
  a_.mov(field(undo + offsetof(TurnFrame::Undo, word), 4), ecx);
  fetch(ecx, operand(op.b, op));
  a_.mov(there, ecx);
  undo_.emplace_back(op.offset);
  ++stores_;
}

// ---- ST

TurnWriter::Mem TurnWriter::statusMemory() const {
  return field(statusMoved_ ? offsetof(TurnFrame, statusNow) : offsetof(TurnFrame, status), 4);
}

/// ST in memory is what it is.
void TurnWriter::materialise() {
  if (flags_ == nullptr && kept_ == ~0u && set_ == 0) return;
  inEax_.reset();
  if (flags_ != nullptr) {
    if (hostFlags_ != flags_) emitInto(*flags_);
    a_.lahf();
    a_.movzx(eax, ah);
    a_.movzx(eax, Mem(rbx, rax, 0, static_cast<std::int32_t>(offsetof(TurnFrame, flagsOf)), 1));
  } else {
    a_.xor_(eax, eax);
  }
  a_.mov(ecx, statusMemory());
  a_.and_(ecx, kept_);
  a_.or_(eax, ecx);
  if (set_ != 0) a_.or_(eax, set_);
  a_.mov(field(offsetof(TurnFrame, statusNow), 4), eax);
  statusMoved_ = true;
  kept_ = ~0u;
  set_ = 0;
  flags_ = hostFlags_ = nullptr;
}

void TurnWriter::finalStatus() {
  hostFlags_ = nullptr;  // times() has used them
  inEax_.reset();        // and this too
  const bool flags = flags_ != nullptr && (flags_->mask & to_.statusKept) != 0;
  if (flags) {
    materialise();
  } else {
    flags_ = nullptr;
  }
  const std::uint32_t kept = kept_ & to_.statusKept;
  const std::uint32_t set = (set_ & to_.statusKept) | to_.statusSet;
  // The turn before has left the same.
  if (!statusMoved_ && (~kept & from_.statusKept) == 0 && (from_.statusSet & ~kept) == set) return;
  a_.mov(eax, statusMemory());
  a_.and_(eax, kept);
  if (set != 0) a_.or_(eax, set);
  a_.mov(field(offsetof(TurnFrame, status), 4), eax);
  inEax_.reset();
}

// ---- the end

/// Behind the last guard. Registers first: RAM words may be what they get.
void TurnWriter::commitValues() {
  finalStatus();
  const auto constant = [&](const Summary::Result& r) -> std::optional<std::uint32_t> {
    const Where w = r.value == kConstant ? Where{Where::Kind::Constant, r.word} : where_[r.value];
    if (!w.constant()) return {};
    return w.at;
  };
  for (const Summary::Result& r : to_.registers) {
    if (const auto word = constant(r)) {
      if (!from_.known[r.to] || from_.value[r.to] != *word) a_.mov(slot(r.to), *word);
      continue;
    }
    put(slot(r.to), where_[r.value]);
  }
  for (const Summary::Result& r : to_.ram) {
    const Mem there = memory({Where::Kind::Ram, r.to});
    if (const auto word = constant(r)) {
      const auto same = [&](const Summary::Result& x) {
        return x.to == r.to && x.value == kConstant && x.word == *word;
      };
      if (storesInOperations_ || !std::any_of(from_.ram.begin(), from_.ram.end(), same)) {
        a_.mov(there, *word);
      }
      continue;
    }
    put(there, where_[r.value]);
  }
  if (drr_.kind != Where::Kind::Drr) {
    put(memory({Where::Kind::Drr, 0}), drr_);
  }
  if (rsr_.kind != Where::Kind::Rsr) {
    put(memory({Where::Kind::Rsr, 0}), rsr_);
  }
}

}  // namespace rtvp::c32::blocks
