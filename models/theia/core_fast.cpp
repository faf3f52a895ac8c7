// The core's pre-decoded executor. Invariants: see the head of core.hpp.
#include "models/theia/core.hpp"

namespace rtvp::theia {

using fast::Code;

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

// Rows that the loop leaves to step() are what decode() begins with.
fast::Row Core::decode(std::uint16_t address, unsigned active) const {
  fast::Row out;
  out.code = halts(address) ? Code::Halt : Code::Step;
  const Instruction in = instruction(address);
  const OpInfo* const info = loaded(address) ? in.info() : nullptr;
  if (info == nullptr || info->hangs()) return out;
  using enum Op;
  static constexpr auto kCodes = [] {
    std::array<Code, kOpcodes> codes{};
    codes.fill(Code::Step);
    const auto set = [&codes](Op op, Code code) { codes[static_cast<unsigned>(op)] = code; };
    set(NOP, Code::Nop), set(ADD, Code::Add), set(SUB, Code::Sub), set(DIV, Code::Div);
    set(MUL, Code::Mul), set(MAG, Code::Rare), set(COPY, Code::Copy), set(INC, Code::Inc);
    set(DEC, Code::Dec), set(INCX, Code::IncX), set(INCY, Code::IncY), set(INCZ, Code::IncZ);
    set(ZERO, Code::Zero), set(CROSS, Code::Cross), set(DOT, Code::Dot), set(MULP, Code::Rare);
    set(MOD, Code::Mod), set(FRAC, Code::Frac), set(NEG, Code::Neg);
    set(XCHANGEX, Code::ExchangeX), set(XCHANGEY, Code::ExchangeY);
    set(XCHANGEZ, Code::ExchangeZ), set(IMUL, Code::Rare), set(UNSCALE, Code::Unscale);
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

  out.code = halts(address) ? Code::Halt : kCodes[info->code()];
  out.opcode = static_cast<std::uint8_t>(info->code());
  out.period = info->period;
  const std::uint16_t d = in.destination();
  const unsigned lane = info->conditional() ? ((info->code() >> 3) & 3U) - 1 : 0;
  const auto offset = [lane](unsigned place) {
    return static_cast<std::uint16_t>(sizeof(Lanes) * place + sizeof(Word) * lane);
  };
  out.d = offset(bankOf(d) == Bank::Configuration ? kSink : place(d, active));
  out.a = offset(place(in.source1(), active));
  out.b = offset(place(in.typeTwo() ? d : in.source2(), active));
  out.immediate = info->op == LEA ? (address + 1U) & 0xFFFFU : in.immediate();
  if (info->op == RETURN) out.jump = d;
  if (out.code == Code::Halt) return out;
  if (info->op == SWIZZLE3D) {
    const Word which = in.immediate();
    out.code = which == 0    ? Code::SwizzleX
               : which == 1  ? Code::SwizzleY
               : which == 2  ? Code::SwizzleZ
               : which == 21 ? Code::SwizzleYXZ
                             : Code::Zero;
  }
  if (info->jumps()) {
    const int slot = slotOf(info->op == CALL ? callTarget(d) : d);
    if (slot < 0) out.code = Code::Step;
    out.jump = slot - slotOf(address);
  }
  const bool readings_differ = info->conditional() || info->op == SWIZZLE3D || info->op == MULP;
  if ((config_.alu.exactMath && (info->op == DIV || info->op == MAG)) ||
      (config_.alu.strictIsa && readings_differ) || mayForward(address, *info, in))
    out.code = Code::Step;
  return out;
}

// From the end, so that a jump into the middle of a run finds the rest of it.
void Core::findRuns(Table& table) {
  fast::Row none;  // behind the last row: a guard, which is no instruction
  const fast::Row* after = &none;
  for (auto in = table.rbegin(); in != table.rend(); after = &*in, ++in) {
    if (in->code >= Code::Step) continue;
    const bool joins = in->code < Code::JumpG;
    in->run = static_cast<std::uint16_t>(1 + (joins ? after->run : 0));
    in->runClocks = in->period + (joins ? after->runClocks : 0);
  }
}

template <typename Add>
void Core::eachRun(const Add& add) const {
  for (const Table& table : decoded_) {
    for (std::size_t slot = 0; slot < table.size(); ++slot) {
      for (std::size_t i = slot; table[slot].count != 0 && i < slot + table[slot].run; ++i)
        add(i, table[i], table[slot].count);
    }
  }
  for (const auto& routines : routines_) {
    for (unsigned active = 0; active < 2; ++active) {
      const Table& table = decoded_[active];
      const Routine& routine = routines[active];
      for (std::size_t e = 0; e < routine.exits.size(); ++e) {
        const std::uint64_t count = routine.exits[e].count;
        if (count == 0) continue;
        const fast::Ending& ending = routine.code->endings()[e];
        for (const std::size_t slot : routine.code->runsTo(ending)) {
          for (std::size_t i = slot; i < slot + table[slot].run; ++i) add(i, table[i], count);
        }
        if (routine.exits[e].returned) add(ending.slot, table[ending.slot], count);
      }
    }
  }
}

void Core::addRuns(CoreStatistics& statistics) const {
  eachRun([&statistics](std::size_t, const fast::Row& row, std::uint64_t count) {
    statistics.opcodes[row.opcode] += count;
  });
}

void Core::addRuns(std::vector<std::uint64_t>& visits) const {
  if (visits.empty()) return;
  eachRun([&visits](std::size_t slot, const fast::Row&, std::uint64_t count) {
    visits[slot] += count;
  });
}

CoreStatistics Core::statistics() const {
  CoreStatistics all = statistics_;
  addRuns(all);
  return all;
}

namespace {

/// Arithmetic that the kernels leave out.
void computeRare(const fast::Row& row, fast::Lanes* places) {
  const auto at = [places](std::uint16_t offset) -> fast::Lanes& {
    return places[offset / sizeof(fast::Lanes)];
  };
  const auto read = [&at](std::uint16_t offset) {
    const fast::Lanes& from = at(offset);
    return Vec{from.lane[0], from.lane[1], from.lane[2]};
  };
  const Vec result = compute(static_cast<Op>(row.opcode), read(row.a), read(row.b), {});
  at(row.d) = {{result.x, result.y, result.z, 0}};
}

}  // namespace

void Core::decodeAll() {
  const std::size_t slots = rom_->size() + 1 + ram_.size() + 1;
  addRuns(statistics_);  // of the rows as they were
  addRuns(visits_);
  forgetRoutines();
  for (unsigned active = 0; active < 2; ++active) {
    Table& table = decoded_[active];
    table.resize(slots);
    for (std::size_t slot = 0; slot < slots; ++slot) table[slot] = decode(addressOf(slot), active);
    findRuns(table);
  }
  const bool loops = config_.fast && slots <= config_.instructionLimit;
  for (unsigned e = 0; loops && e < kEntries; ++e)
    entries_[e] = ram_loaded_[e] ? slotOf(static_cast<std::uint16_t>(ram_[e].word)) : -1;
  return_slot_ = slotOf(return_address_);
  loop_.limit = config_.instructionLimit - slots;  // where it is less, mayLoop() is false
  loop_.rare = computeRare;
  begins_ = {};
  stale_ = false;
}

/// Whether the next instruction sees what the previous routine's RETURN, a TMREAD or a step() left
/// behind.
bool Core::forwards() {
  if (previous_destination_ < 0) return false;
  if (begins_.pc != pc_ || begins_.destination != previous_destination_) {
    begins_ = {pc_, previous_destination_,
               reads(pc_, static_cast<std::uint16_t>(previous_destination_))};
  }
  return begins_.forwards;
}

inline Stop Core::fastLoop(std::size_t slot, bool inside) {
  fast::Row* const rows = decoded_[active_].data();
  fast::Row* const back = rows + return_slot_;
  loop_.places = places_.data();
  loop_.row = rows + slot;
  loop_.back = back;
  loop_.inside = inside;
  loop_.dividerClocks = statistics_.dividerClocks;
  previous_destination_ = -1;
  kernels_->run(loop_);
  const fast::Row& row = *loop_.row;
  const auto stopped = static_cast<std::size_t>(loop_.row - rows);
  pc_ = addressOf(stopped);
  if (loop_.back != back) returnTo(addressOf(static_cast<std::size_t>(loop_.back - rows)));
  statistics_.dividerClocks = loop_.dividerClocks;
  if (loop_.executed > loop_.limit) return Stop::None;
  if (row.code == Code::Halt) return Stop::Place;
  if (row.code != Code::Return) return step();
  ++loop_.executed;
  ++statistics_.opcodes[row.opcode];
  if (accounting_) ++visits_[stopped];
  flag_ = (row.immediate & 1U) != 0;
  remember(static_cast<std::uint16_t>(row.jump), {row.immediate, 0, 0});
  return Stop::Returned;
}

// ---- host code of routines ----

void Core::forgetRoutines() {
  for (auto& routines : routines_) routines.fill({});
}

std::uint64_t Core::routinesInHostCode() const {
  std::uint64_t count = 0;
  for (const auto& routines : routines_) {
    for (const Routine& routine : routines) {
      count += routine.settled;
      for (const Routine::Exit& exit : routine.exits) count += exit.count;
    }
  }
  return count;
}

void Core::makeStale() {
  stale_ = true;
  entries_.fill(-1);
  for (auto& routines : routines_) {
    for (Routine& routine : routines) routine.function = nullptr;
  }
}

/// Of the routine that begins there.
void Core::makeRoutine(Routine& routine, std::uint16_t address) {
  if (!halts_.empty()) return;
  if (!shelf_) shelf_ = std::make_shared<fast::RoutineShelf>(config_.isa);
  const fast::RoutinePlan::Entered entered = [this](std::uint32_t at) {
    return decoded_[0][at].count + decoded_[1][at].count;
  };
  routine.strays = 0;
  routine.patience = routine.code ? 2 * routine.patience : config_.hostCodeAfter;
  routine.code = shelf_->get(
      {decoded_[active_], static_cast<std::uint32_t>(slotOf(address)), loop_.limit, entered},
      routine.code.get());
  if (!routine.code) return;
  for (const fast::Ending& ending : routine.code->endings()) {
    const fast::Row& row = decoded_[active_][ending.slot];
    Routine::Exit& exit = routine.exits.emplace_back();
    exit.returned = ending.kind == fast::Ending::Kind::Returned;
    exit.inside = ending.kind == fast::Ending::Kind::Inside;
    exit.clocks = kTriggerClocks + ending.clocks;
    exit.dividerClocks = ending.dividerClocks;
    exit.executed = ending.executed + (exit.returned ? 1 : 0);
    exit.pc = addressOf(ending.slot);
    exit.returnSlot = ending.back;
    if (ending.back >= 0) exit.returnAddress = addressOf(static_cast<std::size_t>(ending.back));
    exit.destination = static_cast<std::uint16_t>(row.jump);
    exit.immediate = row.immediate;
  }
  const Instruction first = instruction(address);
  routine.reads = {Routine::kNothing, Routine::kNothing};
  const std::array sources{first.typeTwo() ? first.destination() : first.source1(),
                           first.typeTwo() ? first.destination() : first.source2()};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (reads(address, sources[i])) routine.reads[i] = sources[i];
  }
  routine.begin = address;
  routine.function = routine.code->function();
}

/// Its counts become the rows' own.
void Core::settle(Routine& routine, Table& table) {
  for (std::size_t e = 0; e < routine.exits.size(); ++e) {
    const std::uint64_t count = routine.exits[e].count;
    const fast::Ending& ending = routine.code->endings()[e];
    routine.settled += count;
    for (const std::uint32_t slot : routine.code->runsTo(ending)) table[slot].count += count;
    if (!routine.exits[e].returned) continue;
    statistics_.opcodes[table[ending.slot].opcode] += count;
    if (accounting_) visits_[ending.slot] += count;
  }
  routine.exits.clear();
}

/// The loop goes on. What is gone more often than it was when the code was made belongs to it: it
/// is made again, by twice as many strays each time, as some will always be.
Stop Core::leaveRoutine(Routine& routine, const Routine::Exit& exit) {
  const bool inside = exit.inside;
  if (++routine.strays == routine.patience) {
    settle(routine, decoded_[active_]);
    routine.function = nullptr;
    makeRoutine(routine, routine.begin);
  }
  const Stop stop = fastLoop(static_cast<std::size_t>(slotOf(pc_)), inside);
  return stop != Stop::None ? stop : run();
}

Stop Core::beginEntry(Entry entry) {
  const auto number = static_cast<unsigned>(entry);
  const int slot = entries_[number];
  if (slot < 0) {
    startEntry(entry);
    return run();
  }
  startAt(static_cast<std::uint16_t>(ram_[number].word));
  if (fault_ || forwards()) return run();
  Routine& routine = routines_[number][active_];
  if (routine.begun < config_.hostCodeAfter && ++routine.begun == config_.hostCodeAfter) {
    makeRoutine(routine, pc_);
    if (mayRun(routine)) return runRoutine(routine);
  }
  const Stop stop = fastLoop(static_cast<std::size_t>(slot));
  return stop != Stop::None ? stop : run();
}

Stop Core::runFast() {
  if (stale_) decodeAll();
  for (;;) {
    if (mayLoop() && !forwards() && slotOf(pc_) >= 0) {
      const Stop stop = fastLoop(static_cast<std::size_t>(slotOf(pc_)));
      if (stop != Stop::None) return stop;
      continue;  // the loop left at an instruction for step()
    }
    if (!fault_ && halts(pc_)) return Stop::Place;
    const Stop stop = step();
    if (stop != Stop::None) return stop;
  }
}

}  // namespace rtvp::theia
