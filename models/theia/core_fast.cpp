// The core's pre-decoded executor. Invariants: see the head of core.hpp.
#include <cstring>

#include "models/theia/core.hpp"

namespace rtvp::theia {

enum class Core::Code : std::uint8_t {
  Step,  ///< whatever is rare: the plain executor does it
  Nop,
  Add,
  Sub,
  Div,
  Mul,
  Mag,
  Copy,
  Inc,
  Dec,
  IncX,
  IncY,
  IncZ,
  Zero,
  Cross,
  Dot,
  Mulp,
  Mod,
  Frac,
  Neg,
  ExchangeX,
  ExchangeY,
  ExchangeZ,
  Imul,
  Unscale,
  Rescale,
  Load,
  SetX,
  SetY,
  SetZ,
  SwizzleX,
  SwizzleY,
  SwizzleZ,
  SwizzleYXZ,
  // control and memory
  JumpG,
  JumpL,
  JumpEq,
  JumpNe,
  JumpGe,
  JumpLe,
  Jump,
  Call,
  Ret,
  Return,
  OutputWrite,
  TextureRead,
  Halt,  ///< a debugger stops in front of it
};

namespace {

/// product64() for the multiplicands that the multiplier treats exactly, nearly all of them.
inline std::int64_t product(Word a, Word b) {
  if (fixed::magnitude(a) < 0x55555556U) [[likely]] {
    const std::int64_t p = fixed::widen(a) * fixed::widen(b);
    return (p + ((p >> 63) & 0x1FFFF)) >> kFractionBits;
  }
  return fixed::product64(a, b);
}

/// divide() by way of the host's floating-point divider: both operands are exact in a double, and a
/// correctly rounded quotient is never below the true floor and at most one above it.
inline Word quotient(Word a, Word b) {
  if (b == 0 || a == 0x80000000U || b == 0x80000000U) [[unlikely]]
    return fixed::divide(a, b);
  const std::int64_t n = static_cast<std::int64_t>(fixed::magnitude(a)) << kFractionBits;
  const auto d = static_cast<std::int64_t>(fixed::magnitude(b));
  auto q = static_cast<std::int64_t>(static_cast<double>(n) / static_cast<double>(d));
  q -= q * d > n ? 1 : 0;
  const auto low = static_cast<Word>(q);
  return fixed::negative(a) != fixed::negative(b) ? 0U - low : low;
}

/// Three lanes and one that pads; GCC's and clang's vector extension.
using Four = Word __attribute__((vector_size(16)));
constexpr Four kOnes{kOne, kOne, kOne, kOne};
constexpr Four kSigns{0x80000000U, 0x80000000U, 0x80000000U, 0x80000000U};

/// fold() of 32-bit sums or differences: an overflow keeps the true sign, which is that of `a`.
inline Four add32(Four a, Four b) {
  const Four s = a + b;
  return s ^ ((s ^ a) & (s ^ b) & kSigns);
}
inline Four sub32(Four a, Four b) {
  const Four s = a - b;
  return s ^ ((a ^ b) & (a ^ s) & kSigns);
}
inline Word low(std::int64_t wide) {
  return static_cast<Word>(static_cast<std::uint64_t>(wide));
}

}  // namespace

int Core::slotOf(std::uint16_t address) const {
  const unsigned row = address & 0x7FFFU;
  if ((address & kUserCode) == 0) return row <= rom_->size() ? static_cast<int>(row) : -1;
  return row <= ram_.size() ? static_cast<int>(rom_->size() + 1 + row) : -1;
}

std::uint16_t Core::addressOf(std::size_t slot) const {
  const std::size_t rom = rom_->size() + 1;
  return static_cast<std::uint16_t>(slot < rom ? slot : kUserCode | (slot - rom));
}

bool Core::reads(std::uint16_t address, std::uint16_t destination) const {
  const Instruction in = instruction(address);
  const OpInfo* const info = loaded(address) ? in.info() : nullptr;
  if (info == nullptr) return false;
  if (info->op == Op::MULP && config_.alu.strictIsa && in.destination() == destination) return true;
  if (info->typeTwo()) return info->readsB() && in.destination() == destination;
  return (info->readsA() && in.source1() == destination) ||
         (info->readsB() && in.source2() == destination);
}

bool Core::mayForward(std::uint16_t address, const OpInfo& info, Instruction in) const {
  const std::uint16_t d = in.destination();
  if (info.writes() && bankOf(d) != Bank::Configuration) return false;
  if (info.op == Op::RET) return true;
  const bool falls_through = !info.jumps() || info.conditional();
  if (falls_through && reads(static_cast<std::uint16_t>(address + 1), d)) return true;
  return info.jumps() && reads(info.op == Op::CALL ? callTarget(d) : d, d);
}

Core::Decoded Core::decode(std::uint16_t address, unsigned active) const {
  Decoded out;
  out.code = halts(address) ? Code::Halt : Code::Step;
  const Instruction in = instruction(address);
  const OpInfo* const info = loaded(address) ? in.info() : nullptr;
  if (info == nullptr || info->hangs()) return out;
  using enum Op;
  static constexpr auto kCodes = [] {
    std::array<Code, kOpcodes> codes{};
    const auto set = [&codes](Op op, Code code) { codes[static_cast<unsigned>(op)] = code; };
    set(NOP, Code::Nop), set(ADD, Code::Add), set(SUB, Code::Sub), set(DIV, Code::Div);
    set(MUL, Code::Mul), set(MAG, Code::Mag), set(COPY, Code::Copy), set(INC, Code::Inc);
    set(DEC, Code::Dec), set(INCX, Code::IncX), set(INCY, Code::IncY), set(INCZ, Code::IncZ);
    set(ZERO, Code::Zero), set(CROSS, Code::Cross), set(DOT, Code::Dot), set(MULP, Code::Mulp);
    set(MOD, Code::Mod), set(FRAC, Code::Frac), set(NEG, Code::Neg);
    set(XCHANGEX, Code::ExchangeX), set(XCHANGEY, Code::ExchangeY);
    set(XCHANGEZ, Code::ExchangeZ), set(IMUL, Code::Imul), set(UNSCALE, Code::Unscale);
    set(RESCALE, Code::Rescale), set(LEA, Code::Load), set(SETX, Code::SetX);
    set(SETY, Code::SetY), set(SETZ, Code::SetZ), set(JMP, Code::Jump), set(CALL, Code::Call);
    set(RET, Code::Ret), set(RETURN, Code::Return), set(OMWRITE, Code::OutputWrite);
    set(TMREAD, Code::TextureRead);
    for (unsigned lane = 1; lane <= 3; ++lane) {
      for (unsigned test = 0; test < 6; ++test)
        codes[lane * 8 + test] = static_cast<Code>(static_cast<unsigned>(Code::JumpG) + test);
    }
    return codes;
  }();

  out.code = kCodes[info->code()];
  out.opcode = static_cast<std::uint8_t>(info->code());
  out.period = info->period;
  out.checkNext = mayForward(address, *info, in);
  const std::uint16_t d = in.destination();
  out.d = static_cast<std::uint8_t>(bankOf(d) == Bank::Configuration ? kSink : place(d, active));
  out.a = static_cast<std::uint8_t>(place(in.source1(), active));
  out.b = static_cast<std::uint8_t>(place(in.typeTwo() ? d : in.source2(), active));
  out.immediate = info->op == LEA ? (address + 1U) & 0xFFFFU : in.immediate();
  if (info->op == RETURN) out.target = d;  // what it leaves for forwarding
  if (info->op == SWIZZLE3D) {
    const Word which = in.immediate();
    out.code = which == 0    ? Code::SwizzleX
               : which == 1  ? Code::SwizzleY
               : which == 2  ? Code::SwizzleZ
               : which == 21 ? Code::SwizzleYXZ
                             : Code::Zero;
  }
  if (info->jumps()) {
    const std::uint16_t target = info->op == CALL ? callTarget(d) : d;
    const int slot = slotOf(target);
    if (slot < 0) {
      out.code = Code::Step;
    } else {
      out.target = static_cast<std::uint16_t>(slot);
    }
    if (info->conditional()) out.immediate = ((info->code() >> 3) & 3U) - 1;
  }
  const bool readings_differ = info->conditional() || info->op == SWIZZLE3D || info->op == MULP;
  if ((config_.alu.exactMath && (info->op == DIV || info->op == MAG)) ||
      (config_.alu.strictIsa && readings_differ))
    out.code = Code::Step;
  if (halts(address)) out.code = Code::Halt;
  return out;
}

// From the end, so that a jump into the middle of a run finds the rest of it.
void Core::findRuns(Table& table) {
  constexpr unsigned kLongest = 255;
  const Decoded* after = nullptr;
  for (auto in = table.rbegin(); in != table.rend(); ++in) {
    const bool arithmetic = in->code > Code::Step && in->code < Code::JumpG && !in->checkNext;
    if (arithmetic) {
      const bool joins = after != nullptr && after->run < kLongest;
      in->run = static_cast<std::uint8_t>(1 + (joins ? after->run : 0));
      in->runClocks = static_cast<std::uint16_t>(in->period + (joins ? after->runClocks : 0));
    }
    after = &*in;
  }
}

void Core::addRuns(CoreStatistics& statistics) const {
  const Table& table = decoded_[0];
  for (std::size_t slot = 0; slot < runs_.size(); ++slot) {
    if (runs_[slot] == 0) continue;
    for (std::size_t i = slot; i < slot + table[slot].run; ++i) {
      statistics.opcodes[table[i].opcode] += runs_[slot];
    }
  }
}

void Core::addRuns(std::vector<std::uint64_t>& visits) const {
  const Table& table = decoded_[0];
  for (std::size_t slot = 0; slot < runs_.size() && !visits.empty(); ++slot) {
    for (std::size_t i = slot; runs_[slot] != 0 && i < slot + table[slot].run; ++i)
      visits[i] += runs_[slot];
  }
}

CoreStatistics Core::statistics() const {
  CoreStatistics all = statistics_;
  addRuns(all);
  return all;
}

void Core::decodeAll() {
  const std::size_t slots = rom_->size() + 1 + ram_.size() + 1;
  addRuns(statistics_);  // of the rows as they were
  addRuns(visits_);
  runs_.assign(slots, 0);
  for (unsigned active = 0; active < 2; ++active) {
    Table& table = decoded_[active];
    table.resize(slots);
    for (std::size_t slot = 0; slot < slots; ++slot) table[slot] = decode(addressOf(slot), active);
    findRuns(table);
  }
  stale_ = false;
}

Stop Core::runFast() {
  if (stale_) decodeAll();
  // The first instruction may see what the previous routine's RETURN, or a TMREAD, left behind.
  for (;;) {
    const bool forwards =
        previous_destination_ >= 0 && reads(pc_, static_cast<std::uint16_t>(previous_destination_));
    const bool near_limit = executed_ + decoded_[0].size() > config_.instructionLimit;
    if (!fault_ && !forwards && !near_limit && slotOf(pc_) >= 0) {
      const Stop stop = accounting_ ? fastLoop<true>() : fastLoop<false>();
      if (stop != Stop::None) return stop;
      continue;  // the loop left at an instruction for step()
    }
    if (!fault_ && halts(pc_)) return Stop::Place;
    const Stop stop = step();
    if (stop != Stop::None) return stop;
  }
}

// Registers are written 16 bytes at a time: a load of 16 bytes that meets the stores of single
// lanes has to wait for them to leave the store buffer.
[[gnu::always_inline]] inline void Core::fastAlu(const Decoded& i) {
  const Lanes& a = places_[i.a];
  const Lanes& b = places_[i.b];
  Lanes& d = places_[i.d];
  const auto store = [&d](Four v) { std::memcpy(d.lane, &v, sizeof v); };
  const auto load = [](const Lanes& from) {
    Four v;
    std::memcpy(&v, from.lane, sizeof v);
    return v;
  };
  const auto pack = [&store](Word x, Word y, Word z) { store(Four{x, y, z, 0}); };
  const auto all = [&store](Word w) { store(Four{w, w, w, 0}); };
  const Word *const x = a.lane, *const y = b.lane;
  switch (i.code) {
    case Code::Add:
      store(add32(load(a), load(b)));
      break;
    case Code::Sub:
      store(sub32(load(a), load(b)));
      break;
    case Code::Div:
      statistics_.dividerClocks += i.period;
      pack(quotient(x[0], y[0]), quotient(x[1], y[1]), quotient(x[2], y[2]));
      break;
    case Code::Mul:
      pack(low(product(x[0], y[0])), low(product(x[1], y[1])), low(product(x[2], y[2])));
      break;
    case Code::Mag:
      all(fixed::length({x[0], x[1], x[2]}));
      break;
    case Code::Copy:
      store(load(a));
      break;
    case Code::Inc:
      store(add32(load(a), kOnes));
      break;
    case Code::Dec:
      store(sub32(load(a), kOnes));
      break;
    case Code::IncX:
      store(add32(load(a), Four{kOne, 0, 0, 0}));
      break;
    case Code::IncY:
      store(add32(load(a), Four{0, kOne, 0, 0}));
      break;
    case Code::IncZ:
      store(add32(load(a), Four{0, 0, kOne, 0}));
      break;
    case Code::Zero:
      store(Four{});
      break;
    case Code::Cross:
      pack(fixed::fold(product(x[1], y[2]) - product(x[2], y[1])),
           fixed::fold(product(x[2], y[0]) - product(x[0], y[2])),
           fixed::fold(product(x[0], y[1]) - product(x[1], y[0])));
      break;
    case Code::Dot:
      all(fixed::fold(product(x[0], y[0]) + product(x[1], y[1]) + product(x[2], y[2])));
      break;
    case Code::Mulp:
      pack(x[0], x[1], fixed::multiply(x[0], x[1]));
      break;
    case Code::Mod:
      store(load(a) & (load(b) - kOnes));
      break;
    case Code::Frac:
      store(load(a) & (kOnes - 1));
      break;
    case Code::Neg:
      store(-load(a));
      break;
    case Code::ExchangeX:
      pack(y[0], x[1], x[2]);
      break;
    case Code::ExchangeY:
      pack(x[0], y[1], x[2]);
      break;
    case Code::ExchangeZ:
      pack(x[0], x[1], y[2]);
      break;
    case Code::Imul:
      pack(fixed::multiplyInteger(x[0], y[0]), fixed::multiplyInteger(x[1], y[1]),
           fixed::multiplyInteger(x[2], y[2]));
      break;
    case Code::Unscale:
      store(load(a) >> kFractionBits);
      break;
    case Code::Rescale:
      store(load(a) << kFractionBits);
      break;
    case Code::Load:
      all(i.immediate);
      break;
    case Code::SetX:
      pack(i.immediate, y[1], y[2]);
      break;
    case Code::SetY:
      pack(y[0], i.immediate, y[2]);
      break;
    case Code::SetZ:
      pack(y[0], y[1], i.immediate);
      break;
    case Code::SwizzleX:
      all(y[0]);
      break;
    case Code::SwizzleY:
      all(y[1]);
      break;
    case Code::SwizzleZ:
      all(y[2]);
      break;
    case Code::SwizzleYXZ:
      pack(y[1], y[0], y[2]);
      break;
    default:
      break;  // Nop
  }
}

template <bool kAccount>
Stop Core::fastLoop() {
  const Decoded* const table = decoded_[active_].data();
  const Decoded* in = table + slotOf(pc_);
  const std::uint64_t limit = config_.instructionLimit - decoded_[0].size();
  std::uint64_t executed = executed_;
  Clock clocks = clocks_;
  previous_destination_ = -1;
  const auto leave = [&](const Decoded* at) {
    pc_ = addressOf(static_cast<std::size_t>(at - table));
    executed_ = executed;
    clocks_ = clocks;
  };
  for (;;) {
    if (const Decoded* const end = in + in->run; in != end) {
      ++runs_[static_cast<std::size_t>(in - table)];
      executed += in->run;
      clocks += in->runClocks;
      do fastAlu(*in);
      while (++in != end);
    }
    const Decoded& i = *in;
    const Decoded* next = in + 1;
    switch (i.code) {
      case Code::Step: {
        leave(in);
        const Stop stop = step();
        if (stop != Stop::None || slotOf(pc_) < 0) return stop;
        if (i.checkNext) return Stop::None;
        previous_destination_ = -1;
        executed = executed_;
        clocks = clocks_;
        in = table + slotOf(pc_);
        if (executed > limit) return Stop::None;
        continue;
      }
      case Code::JumpG:
      case Code::JumpL:
      case Code::JumpEq:
      case Code::JumpNe:
      case Code::JumpGe:
      case Code::JumpLe: {
        const Word a = places_[i.a].lane[i.immediate], b = places_[i.b].lane[i.immediate];
        const bool greater = fixed::greater(a, b), equal = fixed::equalMagnitude(a, b);
        bool taken = false;
        switch (i.code) {
          case Code::JumpG:
            taken = greater;
            break;
          case Code::JumpL:
            taken = !greater;
            break;
          case Code::JumpEq:
            taken = equal;
            break;
          case Code::JumpNe:
            taken = !equal;
            break;
          case Code::JumpGe:
            taken = greater || equal;
            break;
          default:
            taken = !greater || equal;
            break;
        }
        if (taken) next = table + i.target;
        break;
      }
      case Code::Call:
        return_address_ = addressOf(static_cast<std::size_t>(next - table));
        next = table + i.target;
        break;
      case Code::Jump:
        next = table + i.target;
        break;
      case Code::Ret:
        places_[i.d] = Lanes{{i.immediate, places_[i.b].lane[1], places_[i.b].lane[2], 0}};
        next = table + slotOf(return_address_);
        break;
      case Code::Return:
        leave(in);
        ++executed_;
        ++statistics_.opcodes[i.opcode];
        if constexpr (kAccount) ++visits_[static_cast<std::size_t>(in - table)];
        flag_ = (i.immediate & 1U) != 0;
        remember(i.target, {i.immediate, 0, 0});
        return Stop::Returned;
      case Code::TextureRead:
        leave(in);
        return step();
      case Code::Halt:
        leave(in);
        return Stop::Place;
      case Code::OutputWrite:
        if (writeOutput(at(i.a), at(i.b)) == Stop::Faulted) {
          leave(in);
          fault_.pc = pc_;
          ++statistics_.opcodes[i.opcode];
          clocks_ += i.period;
          ++executed_;
          return Stop::Faulted;
        }
        places_[i.d] = Lanes{};
        break;
      default:
        fastAlu(i);
        break;
    }
    ++statistics_.opcodes[i.opcode];
    if constexpr (kAccount) ++visits_[static_cast<std::size_t>(in - table)];
    ++executed;
    clocks += i.period;
    if (i.checkNext) {
      leave(next);
      // Only instructions that did not write their destination are marked; what they forward is the
      // (imm, old y, old z) of RET, the result in the sink, or 0.
      const Instruction word = instruction(addressOf(static_cast<std::size_t>(in - table)));
      const bool computed = i.d == kSink && word.info()->writes();
      remember(word.destination(), computed ? at(kSink) : Vec{});
      return Stop::None;
    }
    if (next <= in && executed > limit) {
      leave(next);
      return Stop::None;
    }
    in = next;
  }
}

}  // namespace rtvp::theia
