// Control and registers; what a row computes is in routine_arithmetic.cpp.
#include "models/theia/fast/routine_writer.hpp"

#include <algorithm>

namespace rtvp::theia::fast {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

constexpr unsigned kLaneBytes = 4;
constexpr unsigned kConstantBytes = 32;

bool isConditional(Code code) {
  return code >= Code::JumpG && code <= Code::JumpLe;
}

}  // namespace

RoutineWriter::State::State() {
  raw.fill(kNowhere);
  wide.fill(kNowhere);
  stored.set();
}

RoutineWriter::RoutineWriter(Assembler& a, const RoutinePlan& plan, bool wide)
    : a_(a), plan_(plan), wide_(wide), constants_(a.newLabel()), out_(a.newLabel()) {}

std::vector<Ending> RoutineWriter::write() {
  segment(0);
  while (!branches_.empty()) {
    Branch next = std::move(branches_.back());
    branches_.pop_back();
    a_.bind(next.label);
    state_ = std::move(next.state);
    come(next.next);
  }
  a_.bind(out_);
  a_.vzeroupper();
  a_.ret();
  constants();
  return std::move(endings_);
}

void RoutineWriter::segment(std::int32_t number) {
  segment_ = static_cast<std::uint32_t>(number);
  const Segment& s = plan_.segments()[segment_];
  for (row_ = 0; row_ < s.rows; ++row_) {
    const Row& r = plan_.rows()[s.slot + row_];
    ++now_;
    taken_.reset();
    if (isConditional(r.code)) return branch(s, r);
    row(r);
  }
  come(s.next);
}

void RoutineWriter::come(const Segment::Next& next) {
  if (next.segment == Segment::kNone) return leave(next.ending);
  segment(next.segment);
}

void RoutineWriter::leave(const Ending& ending) {
  for (unsigned place = 0; place < kPlaces; ++place) {
    if (!state_.stored[place]) store(place);
  }
  a_.mov(eax, endings_.size());
  endings_.push_back(ending);
  if (ending.kind != Ending::Kind::Returned) {
    a_.jmp(out_);
    return;
  }
  a_.vzeroupper();
  a_.ret();
}

asmjit::Label RoutineWriter::later(const Segment::Next& next) {
  branches_.push_back({a_.newLabel(), state_, next});
  return branches_.back().label;
}

// ---- jumps ----

asmjit::Operand RoutineWriter::operandOf(unsigned offset, const Gp& into) {
  const unsigned place = placeOf(offset);
  if (const auto value = known(offset)) return asmjit::Imm(static_cast<std::int32_t>(*value));
  if (state_.stored[place]) return Mem(rdi, static_cast<std::int32_t>(offset), kLaneBytes);
  return lane(offset, into);
}

/// To `there` if the magnitudes are the same, or if they are not; else on, `here` stands behind.
void RoutineWriter::branchIfSame(const Row& row, bool same, const asmjit::Label& there,
                                 const asmjit::Label& here) {
  unsigned left = row.a, right = row.b;
  if (known(left) && !known(right)) std::swap(left, right);
  const auto value = known(right);
  const bool simple = value && *value == 0;
  asmjit::Operand a = operandOf(left, eax);
  asmjit::Operand b = operandOf(right, ecx);
  if (!a.isMem() || !b.isImm()) {
    if (!a.isReg()) a_.emit(Inst::kIdMov, eax, a);
    a = eax;
  }
  const auto last = [&] { return same ? a_.je(there) : a_.jne(there); };
  a_.emit(Inst::kIdCmp, a, b);
  if (simple) {
    last();
    return;
  }
  a_.je(same ? there : here);
  if (b.isImm()) {
    b = asmjit::Imm(static_cast<std::int32_t>(0U - *value));
  } else {
    a_.neg(eax);
  }
  a_.emit(Inst::kIdCmp, a, b);
  last();
}

void RoutineWriter::branch(const Segment& s, const Row& row) {
  const asmjit::Label there = later(s.likely ? s.other : s.next);
  const asmjit::Label here = a_.newLabel();
  const bool ifTaken = !s.likely;  // it goes there if the jump is taken, or if it is not
  const Code code = row.code;
  if (code == Code::JumpEq || code == Code::JumpNe) {
    branchIfSame(row, (code == Code::JumpEq) == ifTaken, there, here);
  } else {
    const Gp a = lane(row.a, eax);
    const asmjit::Operand b = operandOf(row.b, ecx);
    const bool greater = code == Code::JumpG || code == Code::JumpGe;
    const bool both = code == Code::JumpGe || code == Code::JumpLe;
    a_.emit(Inst::kIdCmp, a, b);
    if (both) {
      const asmjit::Label taken = ifTaken ? there : here;
      if (greater) {
        a_.jge(taken);
      } else {
        a_.jle(taken);
      }
      a_.neg(eax);
      a_.emit(Inst::kIdCmp, a, b);
      if (ifTaken) {
        a_.je(there);
      } else {
        a_.jne(there);
      }
    } else if (greater == ifTaken) {
      a_.jg(there);
    } else {
      a_.jle(there);
    }
  }
  a_.bind(here);
  come(s.likely ? s.next : s.other);
}

// ---- registers ----

/// For this row: none that it uses.
unsigned RoutineWriter::take() {
  unsigned oldest = kVectors;
  for (unsigned v = 0; v < kVectors; ++v) {
    if (taken_[v]) continue;
    if (state_.holds[v] == 0) {
      oldest = v;
      break;
    }
    if (state_.used[v] == now_) continue;
    if (oldest == kVectors || state_.used[v] < state_.used[oldest]) oldest = v;
  }
  if (state_.holds[oldest] != 0) evict(oldest);
  taken_.set(oldest);
  return oldest;
}

void RoutineWriter::evict(unsigned v) {
  const auto held = static_cast<std::int8_t>(v);
  for (unsigned place = 0; place < kPlaces; ++place) {
    if (state_.raw[place] == held) {
      if (!state_.stored[place]) store(place);
      state_.raw[place] = kNowhere;
    }
    if (state_.wide[place] == held) state_.wide[place] = kNowhere;
  }
  state_.holds[v] = 0;
}

void RoutineWriter::store(unsigned place) {
  a_.vmovdqa(memory(place, 16), x(static_cast<unsigned>(state_.raw[place])));
  state_.stored.set(place);
}

unsigned RoutineWriter::rawOf(unsigned place) {
  std::int8_t& at = state_.raw[place];
  if (at == kNowhere) {
    const unsigned v = take();
    a_.vmovdqa(x(v), memory(place, 16));
    at = static_cast<std::int8_t>(v);
    state_.holds[v] = 1;
  }
  const auto v = static_cast<unsigned>(at);
  use(v);
  return v;
}

unsigned RoutineWriter::fromRaw(Inst::Id instruction, unsigned place, bool wide) {
  const std::int8_t raw = state_.raw[place];
  if (raw != kNowhere) use(static_cast<unsigned>(raw));
  const unsigned v = take();
  const Vec to = wide ? Vec(y(v)) : Vec(x(v));
  if (raw != kNowhere) {
    a_.emit(instruction, to, x(static_cast<unsigned>(raw)));
  } else {
    a_.emit(instruction, to, memory(place, 16));
  }
  return v;
}

unsigned RoutineWriter::wideOf(unsigned place) {
  if (state_.wide[place] == kNowhere) {
    const unsigned v = fromRaw(Inst::kIdVpmovsxdq, place, true);
    state_.wide[place] = static_cast<std::int8_t>(v);
    state_.holds[v] = 1;
  }
  const auto v = static_cast<unsigned>(state_.wide[place]);
  use(v);
  return v;
}

void RoutineWriter::forget(unsigned place) {
  for (std::int8_t* const at : {&state_.raw[place], &state_.wide[place]}) {
    if (*at != kNowhere) --state_.holds[static_cast<std::size_t>(*at)];
    *at = kNowhere;
  }
  state_.exact.reset(place);
  std::erase_if(state_.known,
                [place](const State::Lane& lane) { return placeOf(lane.offset) == place; });
}

void RoutineWriter::becomes(unsigned place, unsigned v) {
  if (place == kSink) return;
  forget(place);
  state_.raw[place] = static_cast<std::int8_t>(v);
  ++state_.holds[v];
  use(v);
  state_.stored.reset(place);
}

void RoutineWriter::copy(unsigned d, unsigned a) {
  if (d == kSink || d == a) return;
  becomes(d, rawOf(a));
  const std::int8_t wide = state_.wide[a];
  state_.wide[d] = wide;
  if (wide != kNowhere) ++state_.holds[static_cast<std::size_t>(wide)];
  state_.exact[d] = state_.exact[a];
  for (unsigned lane = 0; lane < 3; ++lane) {
    if (const auto value = known(offsetOf(a, lane)))
      state_.known.push_back({offsetOf(d, lane), *value});
  }
}

std::optional<std::uint32_t> RoutineWriter::known(unsigned offset) const {
  for (const State::Lane& lane : state_.known) {
    if (lane.offset == offset) return lane.value;
  }
  return std::nullopt;
}

Gp RoutineWriter::lane(unsigned offset, const Gp& into) {
  const unsigned place = placeOf(offset);
  const unsigned number = offset % sizeof(Lanes) / kLaneBytes;
  if (const auto value = known(offset)) {
    a_.mov(into, *value);
  } else if (state_.stored[place]) {
    a_.mov(into, Mem(rdi, static_cast<std::int32_t>(offset), kLaneBytes));
  } else if (number == 0) {
    a_.vmovd(into, x(static_cast<unsigned>(state_.raw[place])));
  } else {
    a_.vpextrd(into, x(static_cast<unsigned>(state_.raw[place])), number);
  }
  return into;
}

// ---- constants ----

Mem RoutineWriter::constant(Constant c, unsigned bytes) const {
  return Mem(constants_, static_cast<std::int32_t>(static_cast<unsigned>(c) * kConstantBytes),
             bytes);
}

void RoutineWriter::constants() {
  using Words = std::array<std::uint32_t, 8>;
  constexpr std::uint32_t kOne = 1U << 17, kSign = 0x80000000U, kLarge = 0xC0000000U;
  const auto all = [](std::uint32_t low, std::uint32_t high) {
    return Words{low, high, low, high, low, high, low, high};
  };
  constexpr auto kCount = static_cast<std::size_t>(Constant::Count);
  const std::array<Words, kCount> words{
      all(kOne, kOne),
      Words{kOne, 0, 0, 0},
      Words{0, kOne, 0, 0},
      Words{0, 0, kOne, 0},
      all(kOne - 1, kOne - 1),
      all(kSign, kSign),
      Words{kLarge, kLarge, kLarge, 0},
      Words{kSign, kSign, kSign, 0},
      all(0, kSign),
      all(0, 3U << 14),               // three times 2^46
      all(0, 0x41000000),             // the double 2^17
      Words{2, 4, 0, 6, 3, 5, 1, 7},  // lower halves of y, z, x, then the upper ones
  };
  a_.align(asmjit::AlignMode::kData, kConstantBytes);
  a_.bind(constants_);
  a_.embed(words.data(), sizeof words);
}

}  // namespace rtvp::theia::fast
