#include "models/c32/simt/word_runs.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "models/c32/simt/outside.hpp"

namespace rtvp::c32::simt {
namespace {

constexpr unsigned kTries = 3;  ///< so many plans that are not worth it, and a place has none
/// One vector in so many done lane by lane costs more than the code saves.
constexpr std::uint64_t kLostShare = 16;
constexpr std::uint64_t kEnoughVectors = 256;
constexpr std::uint32_t kLine = 16;  ///< words of a table that are looked at together

void fill(std::uint32_t* block, std::uint32_t value) {
  for (unsigned i = 0; i < WordPlan::kBlock; ++i) block[i] = value;
}

}  // namespace

void Machine::WordRuns::Free::operator()(void* p) const {
  ::operator delete (p, std::align_val_t{64});
}

Machine::WordRuns::WordRuns(Machine& machine)
    : m_(machine),
      code_(machine.k_.width, machine.policy_ != 0),
      places_(machine.config_.runPatience) {
  const std::uint64_t vector = code_.wordBytes();
  bytes_ = (m_.shape_.lanes * sizeof(std::uint32_t) + vector - 1) / vector * vector;
  // As in Row: whole cache lines, and no two a multiple of 4096 bytes apart.
  const std::size_t each = (bytes_ + 63) / 64 * 64 + 64;
  memory_.reset(::operator new (each* outputs_.size(), std::align_val_t{64}));
  std::memset(memory_.get(), 0, each * outputs_.size());
  auto* p = static_cast<unsigned char*>(memory_.get());
  for (std::uint32_t*& output : outputs_) {
    output = reinterpret_cast<std::uint32_t*>(p);
    p += each;
  }
  std::fill_n(real_, m_.shape_.lanes, 0x80000000U);
}

Machine::WordRuns::~WordRuns() = default;

void Machine::WordRuns::forget() {
  if (places_.forget()) code_.forget();
}

std::size_t Machine::WordRuns::bytes() const {
  return (bytes_ + 64) * outputs_.size();
}

std::optional<Machine::WordRuns::Fetched> Machine::WordRuns::execute(Group& g, FastOp& op) {
  if (op.straight == 0 && !mayBeLong(g.pc)) {
    op.straight = FastOp::kNoRun;
    return {};
  }
  Run* const run = find(g, op);
  if (run == nullptr || (run->plan.looksUp && !tableFits(*run)) || !computeShared(*run, g)) {
    return {};
  }
  const WordPlan& plan = run->plan;
  WordFrame& f = run->frame;
  for (const WordPlan::Input& in : plan.inputs) {
    if (!in.uniform) f.inputs[in.to] = in.row->readM(g.active).p;
  }
  std::copy_n(outputs_.begin(), plan.outputCount, f.outputs);
  const bool done = run->code(&f);
  const Fetched last{plan.last, g.cycle + plan.lastAt};
  if (done) finish(*run, g);
  judge(*run, bytes_ / code_.wordBytes());
  if (!done) return {};
  return last;
}

/// Integers stand behind it, as far as that is known already. Most places inside have none.
bool Machine::WordRuns::mayBeLong(std::uint32_t pc) const {
  if (!isInside(pc)) return true;
  const std::uint32_t first = pc - kRamBase;
  for (std::uint32_t i = first + 1; i < std::min(first + kLeastSteps, kRamWords); ++i) {
    const VectorOp* const v = m_.fast_[i].op;
    if (v == nullptr) return true;
    if ((v->kind != Kind::Integer || v->compare) && v->kind != Kind::StoreWord &&
        v->kind != Kind::Call) {
      return false;
    }
  }
  return true;
}

/// The run for the circumstances; made if it is worth it.
Machine::WordRuns::Run* Machine::WordRuns::find(Group& g, FastOp& op) {
  auto* const place = places_.at(op.straight);
  if (place == nullptr) return nullptr;
  Run* const run = places_.find(
      *place, g.lastReady <= g.cycle, [&](const Run& r) { return matches(r.plan, g); },
      [&] { return make(g); });
  if (place->inVain() == kTries) op.straight = FastOp::kNoRun;
  return run;
}

/// Null: it is not worth it.
std::unique_ptr<Machine::WordRuns::Run> Machine::WordRuns::make(Group& g) {
  auto run = std::make_unique<Run>();
  if (!Planner(m_, g).make(run->plan)) return nullptr;
  prepare(*run);
  run->code = code_.make(run->plan);
  return run->code != nullptr ? std::move(run) : nullptr;
}

/// What of the frame never changes.
void Machine::WordRuns::prepare(Run& run) {
  WordFrame& f = run.frame;
  f = {};
  f.bytes = bytes_;
  f.real = real_;
  f.table = m_.known_.data();
  f.plain = doPlain;
  f.runs = this;
  f.plan = &run.plan;
  for (const auto& [slot, value] : run.plan.values) fill(f.slots[slot], value);
}

// ---- may it happen?

bool Machine::WordRuns::matches(const WordPlan& plan, const Group& g) const {
  if (((g.rest.dual | g.rest.opaque) & plan.needs) != 0 ||
      (plan.spreads & ~(g.rest.opaque & g.rest.spread)) != 0 || g.lastReady > g.cycle ||
      g.cycle + plan.lastAt >= m_.rowEnd_) {
    return false;
  }
  for (const WordPlan::Guard& x : plan.guards) {
    if ((g.rest.x[x.reg] & x.mask) != x.value) return false;
  }
  return codeFits(plan, g) && inputsFit(plan, g);
}

bool Machine::WordRuns::codeFits(const WordPlan& plan, const Group& g) const {
  if (isInside(g.pc)) return true;
  if (plan.least - m_.busFirst_ >= m_.busCount_ || plan.most - m_.busFirst_ >= m_.busCount_) {
    return false;
  }
  return std::all_of(plan.pages.begin(), plan.pages.end(), [&](const WordPlan::Page& page) {
    return m_.outside_->version(m_, page.number) == page.version;
  });
}

bool Machine::WordRuns::inputsFit(const WordPlan& plan, const Group& g) const {
  using From = WordPlan::Input::From;
  for (const WordPlan::Input& in : plan.inputs) {
    if (in.row == nullptr) continue;
    if (in.from == From::Ram && m_.loaded_[in.index] == nullptr) m_.ramRow(in.index);
    if ((in.row->readM(g.active).stride == 0) != in.uniform) return false;
  }
  return std::all_of(plan.outputs.begin(), plan.outputs.end(), [&](const WordPlan::Output& out) {
    return out.to != From::Ram || Fast::mayFill(m_, g, out.index);
  });
}

/// What all share. False: an overflow, and nothing has happened.
bool Machine::WordRuns::computeShared(Run& run, const Group& g) {
  WordFrame& f = run.frame;
  for (const WordPlan::Input& in : run.plan.inputs) {
    if (!in.uniform) continue;
    fill(f.slots[in.to], in.row != nullptr ? in.row->readM(g.active).p[0] : g.rest.x[in.index]);
  }
  std::size_t i = 0;
  for (const WordPlan::Shared& s : run.plan.shared) {
    const IntegerResult r = s.one(f.slots[s.b][0], f.slots[s.a][0], 0);
    if (s.flags && (r.flags & kV) != 0) return false;
    fill(f.slots[s.slot], r.value);
    sharedFlags_[i++] = r.flags;
  }
  return true;
}

// ---- the table

bool Machine::WordRuns::allShared(std::uint32_t first, std::uint32_t end) const {
  std::uint32_t word = 0;
  for (std::uint32_t i = first; i < end; ++i) {
    if (!m_.shared(i, word)) return false;
  }
  return true;
}

/// The table is as it is said to be, and the run writes none of it.
bool Machine::WordRuns::tableFits(Run& run) {
  if (table_.takes != m_.takes_ || table_.lost != m_.lost_) {
    if (!allShared(table_.first, table_.end)) {
      table_.first = table_.end = 0;
      ++table_.version;
    }
    table_.takes = m_.takes_;
    table_.lost = m_.lost_;
  }
  if (run.tableVersion == table_.version) return run.tableFits;
  run.tableVersion = table_.version;
  fill(run.frame.slots[WordPlan::kTableFirst], table_.first);
  fill(run.frame.slots[WordPlan::kTableLast], table_.end - 1);
  const auto& outputs = run.plan.outputs;
  run.tableFits = std::none_of(outputs.begin(), outputs.end(), [&](const WordPlan::Output& out) {
    return out.to == WordPlan::Input::From::Ram && table_.has(out.index);
  });
  return run.tableFits;
}

/// A word that has been looked up in vain and is the same in all processors: the table reaches to
/// it from now on, if what lies between is, too.
void Machine::WordRuns::learn(std::uint32_t offset) {
  if (table_.has(offset)) return;
  const std::uint32_t line = offset / kLine * kLine;
  if (!extend(line, line + kLine)) extend(offset, offset + 1);
}

bool Machine::WordRuns::extend(std::uint32_t first, std::uint32_t end) {
  if (table_.first != table_.end) {
    first = std::min(first, table_.first);
    end = std::max(end, table_.end);
  }
  if (!allShared(first, end)) return false;
  table_.first = first;
  table_.end = end;
  ++table_.version;
  return true;
}

// ---- behind it

void Machine::WordRuns::finish(Run& run, Group& g) {
  const WordPlan& plan = run.plan;
  finishRows(run, g);
  finishFlags(plan, run.frame, g);
  finishCarry(plan, run.frame, g);
  finishTime(plan, g);
}

void Machine::WordRuns::finishRows(const Run& run, Group& g) {
  using From = WordPlan::Input::From;
  for (const WordPlan::Output& out : run.plan.outputs) {
    const std::uint32_t bit = 1u << out.index % 32;
    if (out.to == From::Ram) {
      m_.loaded_[out.index] = out.row;
      m_.noteStore(out.index);
    }
    if (!out.uniform) {
      Row& row = out.to == From::Rest ? m_.spreadRow(g, out.index + 8u) : *out.row;
      row.swapWords(g.active, outputs_[out.from]);
    } else if (out.to == From::Rest) {
      g.rest.x[out.index] = run.frame.slots[out.from][0];
      g.rest.dual &= ~bit;
      g.rest.opaque &= ~bit;
    } else {
      out.row->fillM(run.frame.slots[out.from][0]);
    }
  }
}

/// N and Z are those of the last result; V, which a result of a vector done plainly may have, too.
void Machine::WordRuns::finishFlags(const WordPlan& plan, const WordFrame& f, Group& g) {
  if (!plan.replacesFlags) return;
  if (m_.anyVuf_) m_.clearFaultFlags(g);
  if (f.overflow.any()) {
    m_.lv_ |= f.overflow & g.active.mask;
    m_.v_ |= f.lastOverflow & g.active.mask;
    m_.anyVuf_ = m_.anyVuf_ || f.lastOverflow.any();
  }
  if (plan.flagsAfter == WordPlan::After::Slot) {
    m_.setFlags(g, nzOf(sharedFlags_[plan.flagsShared]));
    return;
  }
  if (plan.flagsAfter == WordPlan::After::Same) return;
  const WordSource words = m_.registers_[plan.flagsRow]->readM(g.active);
  m_.k_.copyWords(g.active.set(), m_.wide_[1], words, m_.flags_);
  g.flagsUniform = false;
  f.lastOverflow.forEach([&](unsigned lane) {  // N is the exact result's
    const double size = words.p[lane] == 0 ? 0.0 : 1.0;
    m_.flags_[lane] = f.lastNegative.test(lane) ? -size : size;
  });
}

void Machine::WordRuns::finishCarry(const WordPlan& plan, const WordFrame& f, const Group& g) {
  if (plan.carryAfter == WordPlan::After::Slot) {
    m_.carryFor(g.active.mask, sharedFlags_[plan.carryShared], kC);
  }
  if (plan.carryAfter != WordPlan::After::Row) return;
  LaneMask carries;
  std::memcpy(carries.w, f.carries, (m_.shape_.lanes + 7) / 8);
  m_.c_ = without(m_.c_, g.active.mask) | (carries & g.active.mask);
}

void Machine::WordRuns::finishTime(const WordPlan& plan, Group& g) {
  for (unsigned i = 0; i < plan.ready.size(); ++i) {
    if (plan.ready[i] == 0) continue;
    g.ready[i] = std::max(g.ready[i], g.cycle + plan.ready[i]);
    g.lastReady = std::max(g.lastReady, g.ready[i]);
  }
  g.cycle += plan.cycles;
  g.extra += plan.extra;
  g.conflict += plan.conflict;
  g.instructions += plan.length;
  if (plan.stack != 0) g.rest.x[reg::SP - 8] += static_cast<std::uint32_t>(plan.stack);
  const std::uint64_t instructions = std::uint64_t{plan.length} * g.active.lanes;
  m_.counters_.compiled += instructions;
  m_.counters_.words += instructions;
  if (!isInside(g.pc)) {
    m_.counters_.compiledOutside += instructions;
    m_.counters_.wordsOutside += instructions;
  }
  g.pc = plan.end;
}

/// Whether the code does enough of the vectors.
void Machine::WordRuns::judge(Run& run, std::uint64_t vectors) {
  WordFrame& f = run.frame;
  run.vectors += vectors;
  if (f.plainVectors == 0) return;
  run.plainVectors += f.plainVectors;
  f.plainVectors = 0;
  f.overflow = f.lastOverflow = f.lastNegative = {};
  const bool enough = run.vectors >= kEnoughVectors;
  if (enough && run.plainVectors * kLostShare > run.vectors) run.code = nullptr;
}

// ---- the plain twin of the code

bool Machine::WordRuns::doPlain(WordFrame* frame, std::uint64_t at) {
  WordFrame& f = *frame;
  auto& runs = *static_cast<WordRuns*>(f.runs);
  ++f.plainVectors;
  ++runs.m_.counters_.plainWordVectors;
  const auto first = static_cast<std::uint32_t>(at / sizeof(std::uint32_t));
  const std::uint32_t behind = first + runs.code_.wordBytes() / 4;
  for (std::uint32_t lane = first; lane < std::min(behind, runs.m_.shape_.lanes); ++lane) {
    if (!runs.doLane(f, lane)) return false;
  }
  return true;
}

/// False: it looks a word up that is none of the RAM, or that the run writes.
bool Machine::WordRuns::lookUp(const WordFrame& f, std::uint32_t lane, std::uint32_t address,
                               std::uint32_t& word) {
  const std::uint32_t offset = (address & kAddressMask) - kRamBase;
  const auto& outputs = f.plan->outputs;
  const bool written =
      std::any_of(outputs.begin(), outputs.end(), [&](const WordPlan::Output& out) {
        return out.to == WordPlan::Input::From::Ram && out.index == offset;
      });
  if (offset >= kRamWords || written) return false;
  if (m_.shared(offset, word)) {
    learn(offset);
  } else {
    const WordSource words = m_.ramRow(offset).readM(m_.groups_.front()->active);
    word = words.p[lane * words.stride];
  }
  return true;
}

bool Machine::WordRuns::doLane(WordFrame& f, std::uint32_t lane) {
  using At = WordPlan::Place;
  std::uint32_t registers[WordPlan::kSpreadAt + WordPlan::kSpread] = {};
  const auto read = [&](const WordPlan::Value& v) {
    switch (v.place) {
      case At::Register:
        return registers[v.index];
      case At::Spread:
        return registers[WordPlan::kSpreadAt + v.index];
      case At::Input:
        return f.inputs[v.index][lane];
      case At::Output:
        return f.outputs[v.index][lane];
      default:
        return f.slots[v.index][0];
    }
  };
  for (const WordPlan::Step& s : f.plan->steps) {
    const std::uint32_t a = read(s.a);
    const std::uint32_t b = read(s.b);
    IntegerResult r{a, 0};
    if (s.what == WordPlan::Do::LookUp) {
      if (!lookUp(f, lane, a + b, r.value)) return false;
      r.flags = signAndZero(r.value);
    } else if (s.one != nullptr) {
      r = s.one(s.swapped ? a : b, s.swapped ? b : a, 0);
    }
    if (s.d.place == At::Output) {
      f.outputs[s.d.index][lane] = r.value;
    } else {
      registers[(s.d.place == At::Spread ? WordPlan::kSpreadAt : 0) + s.d.index] = r.value;
    }
    if (s.flags && (r.flags & kV) != 0) f.overflow.set(lane);
    if (s.lastFlags && (r.flags & kV) != 0) {
      f.lastOverflow.set(lane);
      if ((r.flags & kN) != 0) f.lastNegative.set(lane);
    }
    if (s.carries) {
      const auto bit = static_cast<std::uint8_t>(1u << lane % 8);
      std::uint8_t& byte = f.carries[lane / 8];
      byte = static_cast<std::uint8_t>((r.flags & kC) != 0 ? byte | bit : byte & ~bit);
    }
  }
  for (const WordPlan::Output& out : f.plan->outputs) {
    if (!out.uniform && out.held != WordPlan::kStored) {
      f.outputs[out.from][lane] = registers[out.held];
    }
  }
  return true;
}

}  // namespace rtvp::c32::simt
