#include "models/c32/simt/run_writer.hpp"

#include <algorithm>

#include "models/hostcode/convention.hpp"

namespace rtvp::c32::simt {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

constexpr std::size_t kPointer = sizeof(double*);
constexpr std::int64_t kSignBit = -0x7FFFFFFFFFFFFFFF - 1;

/// As in kernels_binary.hpp: twice the bits, without the sign, so much up that the least good one
/// is the smallest number.
constexpr std::int64_t up(int least) {
  return static_cast<std::int64_t>((std::uint64_t{1} << 63) - (std::uint64_t(1023 + least) << 53));
}
constexpr std::int64_t limit(int least) {
  return kSignBit + (std::int64_t{127 - least} << 53);
}

Mem frame(std::size_t offset, unsigned size) {
  return Mem(rbx, static_cast<std::int32_t>(offset), size);
}

}  // namespace

struct RunWriter::Table {
  alignas(64) std::int64_t rows[kConstants][kWidest];
};

const RunWriter::Table& RunWriter::table() {
  static const Table made = [] {
    Table t{};
    const auto set = [&](Constant c, std::int64_t value) {
      for (std::int64_t& x : t.rows[c]) x = value;
    };
    set(kExponentField, 0x7FF0000000000000);
    set(kGrid, (std::int64_t{21} << 52) + (std::int64_t{1} << 51));
    set(kUnit, 1);
    set(kLift21, (std::int64_t{1} << 21) - 1);
    set(kMask21, -(std::int64_t{1} << 21));
    set(kLift29, (std::int64_t{1} << 29) - 1);
    set(kMask29, -(std::int64_t{1} << 29));
    set(kUp126, up(-126));
    set(kSpan126, limit(-126));
    set(kUp120, up(-120));
    set(kSpan120, limit(-120));
    set(kSign, kSignBit);
    set(kNoSign, ~kSignBit);
    set(kSumLeast, std::int64_t{1023 - 90} << 52);
    set(kSumSpan, std::int64_t{90 + 126} << 52);
    set(kApart, (std::int64_t{32} << 52) - 1);
    set(kOver126, limit(-126) - 1);
    set(kOver120, limit(-120) - 1);
    set(kHalf, std::int64_t{24} << 52);
    set(kOne, std::int64_t{1023} << 52);
    return t;
  }();
  return made;
}

// ---- the frame of the code

void RunWriter::write() {
  const Gp registers[] = {rbx, rbp, r12, r13};
  const hostcode::Saved saved(registers, hostcode::Saved::Inside::Calls);
  saved.enter(a_);
  a_.mov(rbx, rdi);
  a_.mov(rbp, reinterpret_cast<std::uintptr_t>(&table()));
  a_.mov(r13, frame(offsetof(RunFrame, bytes), 8));
  loadConstants();
  if (!plan_.shared.empty()) shared();
  for (std::uint32_t i = 0; i < plan_.parts.size(); ++i) part(i);
  a_.vzeroupper();
  saved.leave(a_);
  a_.ret();
}

/// What is computed once for all, a vector of equal lanes.
void RunWriter::shared() {
  const asmjit::Label plain = a_.newLabel();
  const asmjit::Label done = a_.newLabel();
  beginVector();
  for (const RunPlan::Shared& s : plan_.shared) {
    if (s.what == RunPlan::Do::Store) {
      cut(v(0), inRegister(s.a, kTemp));
    } else if (s.what == RunPlan::Do::Exponent) {
      exponentOf(v(0), inRegister(s.a, kTemp));
    } else {
      operation(v(0), {.what = s.what, .b = s.b, .a = s.a});
    }
    a_.vmovapd(slot(s.slot), v(0));
  }
  branchIfBad(plain);
  a_.jmp(done);
  a_.bind(plain);
  a_.vzeroupper();
  a_.mov(rdi, rbx);
  a_.call(frame(offsetof(RunFrame, plainShared), 8));
  loadConstants();
  a_.bind(done);
}

void RunWriter::part(std::uint32_t number) {
  const asmjit::Label loop = a_.newLabel();
  const asmjit::Label next = a_.newLabel();
  const asmjit::Label plain = a_.newLabel();
  const asmjit::Label done = a_.newLabel();
  begin_ = number == 0 ? 0 : plan_.parts[number - 1];
  end_ = plan_.parts[number];
  std::fill(std::begin(loaded_), std::end(loaded_), false);
  std::fill(std::begin(written_), std::end(written_), false);
  flagsAt_ = kFlagsAt;
  chosen_ = false;
  a_.xor_(r12d, r12d);
  a_.align(asmjit::AlignMode::kCode, 16);
  a_.bind(loop);
  beginVector();
  for (now_ = begin_; now_ < end_; ++now_) step(now_);
  branchIfBad(plain);
  commit();
  a_.bind(next);
  a_.add(r12, bytes());
  a_.cmp(r12, r13);
  a_.jb(loop);
  a_.jmp(done);
  a_.bind(plain);
  a_.vzeroupper();
  a_.mov(rdi, rbx);
  a_.mov(rsi, r12);
  a_.mov(edx, number);
  a_.call(frame(offsetof(RunFrame, plain), 8));
  loadConstants();
  a_.jmp(next);
  a_.bind(done);
}

/// Somebody behind this part looks at what it leaves in a register.
bool RunWriter::needed(unsigned r) const {
  for (std::size_t i = end_; i < plan_.steps.size(); ++i) {
    if (plan_.steps[i].reads(r)) return true;
    if (plan_.steps[i].writes() == r && r != RunPlan::kFlags) return false;
    if (plan_.steps[i].flags && r == RunPlan::kFlags) return false;
  }
  if (r == RunPlan::kFlags) return plan_.flagsAfter == RunPlan::FlagsAfter::Row;
  return std::any_of(plan_.registers.begin(), plan_.registers.end(),
                     [r](const RunPlan::Output& o) { return !o.uniform && o.index == r; });
}

void RunWriter::commit() {
  for (unsigned r = 0; r < RunPlan::kFlags; ++r) {
    if (!written_[r] || !needed(r)) continue;
    a_.vmovapd(row(offsetof(RunFrame, registers) + r * kPointer), v(r));
  }
  for (unsigned n = 0; n < plan_.stored.size(); ++n) {
    const auto isIt = [n](const Step& s) { return s.what == RunPlan::Do::Store && s.d == n; };
    if (std::none_of(plan_.steps.begin() + static_cast<std::ptrdiff_t>(begin_),
                     plan_.steps.begin() + static_cast<std::ptrdiff_t>(end_), isIt)) {
      continue;
    }
    a_.vmovapd(v(kTemp), storeSlot(n));
    a_.vmovapd(row(offsetof(RunFrame, words) + n * kPointer), v(kTemp));
  }
  if (written_[RunPlan::kFlags] && needed(RunPlan::kFlags)) {
    a_.vmovapd(row(offsetof(RunFrame, registers) + RunPlan::kFlags * kPointer), v(flagsAt_));
  }
}

// ---- values

Mem RunWriter::row(std::size_t pointerAt) {
  a_.mov(rax, frame(pointerAt, 8));
  return Mem(rax, r12, 0, 0, bytes());
}

void RunWriter::load(unsigned r) {
  if (loaded_[r]) return;
  loaded_[r] = true;
  a_.vmovapd(v(r), row(offsetof(RunFrame, registers) + r * kPointer));
}

Mem RunWriter::storeSlot(unsigned number) const {
  return frame(offsetof(RunFrame, stores) + number * sizeof(double) * kBlock, bytes());
}

RunWriter::Vec RunWriter::inRegister(const Value& value, unsigned temp) {
  if (isRegister(value)) {
    load(value.index);
    return v(value.index);
  }
  a_.vmovapd(v(temp), memory(value));
  return v(temp);
}

Mem RunWriter::slot(unsigned number) const {
  return frame(offsetof(RunFrame, slots) + number * sizeof(double) * kBlock, bytes());
}

void RunWriter::loadWords(const Vec& d, const Value& value) {
  a_.mov(rax, frame(offsetof(RunFrame, rows) + value.index * kPointer, 8));
  a_.mov(rcx, r12);
  a_.shr(rcx, 1);
  a_.vpmovzxdq(d, Mem(rax, rcx, 0, 0, bytes() / 2));
}

RunWriter::Mem RunWriter::memory(const Value& value) {
  switch (value.place) {
    case RunPlan::Place::Row:
      return row(offsetof(RunFrame, rows) + value.index * kPointer);
    case RunPlan::Place::Store: {
      // Stored in this part already, or in one before.
      const auto isIt = [&](const Step& s) {
        return s.what == RunPlan::Do::Store && s.d == value.index;
      };
      const auto from = plan_.steps.begin() + static_cast<std::ptrdiff_t>(begin_);
      const auto to = plan_.steps.begin() + static_cast<std::ptrdiff_t>(now_);
      if (std::none_of(from, to, isIt))
        return row(offsetof(RunFrame, words) + value.index * kPointer);
      return storeSlot(value.index);
    }
    default:
      return slot(value.index);
  }
}

// ---- steps

/// The last step of this part that looks at the flags of step i; i: none. The end of the part:
/// whoever comes behind it.
std::size_t RunWriter::lastLook(std::size_t i) const {
  std::size_t last = i;
  for (std::size_t k = i + 1; k < end_; ++k) {
    if (plan_.steps[k].looksAtFlags()) last = k;
    if (plan_.steps[k].flags) return last;
  }
  return needed(RunPlan::kFlags) ? end_ : last;
}

/// The result of step i is in its register: are the flags safe there?
void RunWriter::flagsFrom(std::size_t i) {
  const Step& s = plan_.steps[i];
  if (!s.flags) return;
  chosen_ = false;
  loaded_[RunPlan::kFlags] = written_[RunPlan::kFlags] = true;
  flagsAt_ = kFlagsAt;
  if (s.isCompare() || s.what == RunPlan::Do::Round) return;
  const std::size_t last = lastLook(i);
  if (last == i) return;
  for (std::size_t k = i + 1; k < last; ++k) {
    if (plan_.steps[k].writes() != s.d) continue;
    a_.vmovapd(v(kFlagsAt), v(s.d));
    return;
  }
  flagsAt_ = s.d;
}

void RunWriter::operation(const Vec& d, const Step& s) {
  switch (s.what) {
    case RunPlan::Do::Multiply:
      return multiply(d, s.b, s.a);
    case RunPlan::Do::Add:
    case RunPlan::Do::Subtract:
      return sum(d, s.b, s.a, s.what == RunPlan::Do::Subtract);
    case RunPlan::Do::Compare:
      return compare(d, s.b, s.a);
    case RunPlan::Do::Round:
      return round(d, s.a);
    case RunPlan::Do::Test:
      return test(d, s.b, s.a);
    case RunPlan::Do::Negate:
    case RunPlan::Do::Absolute:
      return changeSign(d, s.a, s.what == RunPlan::Do::Negate);
    default:
      break;
  }
  if (isRegister(s.a)) {
    a_.vmovapd(d, inRegister(s.a, kTemp));
  } else {
    a_.vmovapd(d, memory(s.a));
  }
}

void RunWriter::step(std::size_t i) {
  const Step& s = plan_.steps[i];
  if (s.what == RunPlan::Do::Store) {
    Vec x = inRegister(s.a, kTemp);
    if (!s.a.isShort) {
      cut(v(kTemp), x);
      x = v(kTemp);
    }
    a_.vmovapd(storeSlot(s.d), x);
    return;
  }
  if (s.what == RunPlan::Do::Select) {
    load(s.d);
    if (flagsAt_ == kFlagsAt) load(RunPlan::kFlags);
    select(v(s.d), s.a, v(flagsAt_), s.cond, chosen_ && chosenCond_ == s.cond);
    chosen_ = true;
    chosenCond_ = s.cond;
  } else if (s.isCompare()) {
    operation(v(s.flags ? kFlagsAt : kTemp), s);
  } else if (s.what == RunPlan::Do::Round && s.flags) {
    if (flagsAt_ == kFlagsAt) load(RunPlan::kFlags);
    keepZeros(v(flagsAt_));
    operation(v(s.d), s);
    roundFlags(v(kFlagsAt), v(s.d));
  } else {
    operation(v(s.d), s);
  }
  if (s.d < RunPlan::kFlags) loaded_[s.d] = written_[s.d] = true;
  flagsFrom(i);
}

}  // namespace rtvp::c32::simt
