#include "models/c32/simt/runs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace rtvp::c32::simt {
namespace {

/// One vector in so many that is not done by the code makes it do zeros as well.
constexpr std::uint64_t kZeroShare = 32;
/// One in so many then, and the plain form of the rest costs more than the code saves.
constexpr std::uint64_t kLostShare = 6;
constexpr std::uint64_t kZeroVectors = 4;  ///< so many at least, times MachineConfig::runPatience

void fill(double* block, double value) {
  for (unsigned i = 0; i < kBlock; ++i) block[i] = value;
}

/// Of one vector of a kernel that was given the first lanes, at the lanes where it belongs.
void addAt(Faults& to, const Faults& from, std::uint64_t lane) {
  if (!from.any) return;
  to.overflow.w[lane / 64] |= from.overflow.w[0] << (lane % 64);
  to.underflow.w[lane / 64] |= from.underflow.w[0] << (lane % 64);
  to.any = true;
}

}  // namespace

Machine::Runs::Runs(Machine& machine)
    : m_(machine),
      code_(machine.k_.width, machine.policy_ != 0),
      places_(machine.config_.runPatience) {}

Machine::Runs::~Runs() = default;

void Machine::Runs::forget() {
  if (places_.forget()) code_.forget();
}

bool Machine::Runs::execute(Group& g, FastOp& op) {
  auto* const place = places_.at(op.straight);
  if (place == nullptr) return false;
  Run* const run = places_.find(
      *place, g.lastReady <= g.cycle, [&](const Run& r) { return matches(r.plan, g); },
      [&] { return make(g); });
  if (run == nullptr) return false;
  const RunPlan& plan = run->plan;
  for (const RunPlan::Input& in : plan.inputs) {
    if (in.uniform) fill(run->frame.slots[in.index], in.row->readF(g.active).p[0]);
    if (in.words) run->frame.rows[in.index] = reinterpret_cast<double*>(in.row->words());
  }
  run->frame.plainVectors = 0;
  const Cycle late = readBus(*run, g);
  run->code(&run->frame);
  finish(*run, g, late);
  return true;
}

/// Null: it is not worth it.
std::unique_ptr<Machine::Runs::Run> Machine::Runs::make(Group& g) {
  auto run = std::make_unique<Run>();
  if (!Planner(m_, g).make(run->plan)) return nullptr;
  prepare(*run);
  run->code = code_.make(run->plan, false);
  return run->code != nullptr ? std::move(run) : nullptr;
}

/// What of the frame never changes.
void Machine::Runs::prepare(Run& run) {
  RunFrame& f = run.frame;
  f = {};
  f.bytes = std::uint64_t{m_.shape_.lanes} * sizeof(double);
  f.plain = doPlain;
  f.plainShared = doPlainShared;
  f.machine = &m_;
  f.plan = &run.plan;
  for (unsigned r = 0; r < 8; ++r) f.registers[r] = m_.registers_[r]->floats();
  f.registers[RunPlan::kFlags] = m_.flags_;
  for (const RunPlan::Input& in : run.plan.inputs) {
    if (in.ram && !in.uniform) f.rows[in.index] = in.row->floats();
  }
  for (std::size_t i = 0; i < run.plan.stored.size(); ++i) {
    f.words[i] = run.plan.stored[i]->floats();
  }
  for (const auto& [slot, value] : run.plan.values) {
    fill(f.slots[slot], value);
  }
}

// ---- may it happen?

bool Machine::Runs::matches(const RunPlan& plan, const Group& g) const {
  if (((g.rest.dual | g.rest.opaque) & plan.needs) != 0 || (plan.readsFlags && g.flagsUniform) ||
      g.lastReady > g.cycle || !branchesFit(plan, g) || !addressesFit(plan, g)) {
    return false;
  }
  for (const RunPlan::Input& in : plan.inputs) {
    if (in.words) {
      if (in.row->readM(g.active).stride == 0) return false;
      continue;
    }
    if (in.ram && m_.loaded_[in.offset] == nullptr) m_.ramRow(in.offset);
    const Source s = in.row->readF(g.active);
    if (s.p == nullptr || (s.stride == 0) != in.uniform || (in.isShort && !in.row->shortF())) {
      return false;
    }
  }
  for (const RunPlan::Output& out : plan.words) {
    if (!Fast::mayFill(m_, g, out.offset)) return false;
  }
  return timeFits(plan, g) && wordsFit(plan, g);
}

bool Machine::Runs::branchesFit(const RunPlan& plan, const Group& g) const {
  if (g.delaySlots != plan.before.slots) return false;
  if (g.delaySlots != 0 &&
      ((g.taken == Taken::All) != plan.before.taken || g.delayTarget != plan.before.target)) {
    return false;
  }
  if (plan.carry == RunPlan::Carry::Any) return true;
  const LaneMask set = m_.c_ & g.active.mask;
  return plan.carry == RunPlan::Carry::Set ? set == g.active.mask : !set.any();
}

bool Machine::Runs::addressesFit(const RunPlan& plan, const Group& g) const {
  for (const RunPlan::Address& a : plan.addresses) {
    const std::uint32_t x = g.rest.x[a.reg];
    if (a.fixed && ((x ^ a.value) & kAddressMask) != 0) return false;
    if (a.page && ((x ^ a.value) & 0xFFu) != 0) return false;
    if (!a.bus) continue;
    // Between two places that lie in both pieces everything does.
    for (const std::int32_t change : {a.least, a.most}) {
      const std::uint32_t address = (x + static_cast<std::uint32_t>(change)) & kAddressMask;
      if (!Fast::onBus(m_, address) || address - m_.window_.first >= m_.window_.count) {
        return false;
      }
    }
  }
  return true;
}

/// The last instruction begins before anybody wants to look.
bool Machine::Runs::timeFits(const RunPlan& plan, const Group& g) const {
  Cycle latest = g.cycle + plan.length + plan.conflicts;
  if (!plan.reads.empty()) {
    const Cycle held = std::max(m_.busFree_, m_.heldUntil_);
    const Cycle a_read =
        1 + m_.busControl_.waits(m_.window_.waitStates) + m_.config_.cpu.bankSwitchCycles;
    latest = std::max(latest, held + plan.length + plan.conflicts) + plan.reads.size() * a_read;
  }
  return latest < m_.rowEnd_;
}

std::uint32_t Machine::Runs::wordAt(std::uint32_t address) const {
  std::uint32_t word = 0;
  std::memcpy(&word, m_.window_.bytes + std::size_t{address - m_.window_.first} * 4, 4);
  return word;
}

/// A zero with a mantissa, which a register would keep.
bool Machine::Runs::wordsFit(const RunPlan& plan, const Group& g) const {
  if (!plan.readsExactly) return true;
  for (const RunPlan::Read& s : plan.reads) {
    if (!s.exact) continue;
    const std::uint32_t x = g.rest.x[s.reg];
    const std::uint32_t word = wordAt((x + static_cast<std::uint32_t>(s.change)) & kAddressMask);
    if (!fitsDouble(extendedFromSingle(word))) return false;
  }
  return true;
}

// ---- the run

/// The words from the bus, as Fast::read: matches() has seen to it that the window answers. Returns
/// the cycles that were waited for it.
Cycle Machine::Runs::readBus(Run& run, const Group& g) {
  if (run.plan.reads.empty()) return 0;
  Cycle late = 0;
  const Cycle plain = 1 + m_.busControl_.waits(m_.window_.waitStates);
  bool follows = m_.lastWasRead_ && m_.lastStrobe_ == Strobe::Strb0;
  for (const RunPlan::Read& r : run.plan.reads) {
    const std::uint32_t address =
        (g.rest.x[r.reg] + static_cast<std::uint32_t>(r.change)) & kAddressMask;
    const Cycle exec = g.cycle + r.cycle + late;
    const Cycle wanted = std::max(exec, m_.busFree_);
    const Cycle start = std::max(wanted, m_.heldUntil_);
    Cycle end = exec + 1;
    m_.busFree_ = start + plain;
    if (follows && m_.busControl_.crossesBank(m_.lastRead_, address)) {
      m_.busFree_ += m_.config_.cpu.bankSwitchCycles;
    }
    follows = true;
    m_.lastRead_ = address;
    m_.windowLast_ = start;
    if (m_.busFree_ > end) m_.account(exec, wanted, start, end);
    late += end - (exec + 1);
    fill(run.frame.slots[r.slot], singleToDouble(wordAt(address)));
  }
  m_.lastWasRead_ = true;
  m_.lastStrobe_ = Strobe::Strb0;
  m_.windowReads_ += run.plan.reads.size();
  m_.reads_ += run.plan.reads.size();
  return late;
}

/// Registers, words, flags, time.
void Machine::Runs::finish(Run& run, Group& g, Cycle late) {
  const RunPlan& plan = run.plan;
  RunFrame& f = run.frame;
  const auto put = [&](const RunPlan::Output& out) {
    if (out.uniform) {
      const double x = f.slots[out.index][0];
      out.row->fillF(x, out.isShort || isShortValue(x));
    } else {
      out.row->writeF(g.active, out.isShort);
    }
  };
  for (const RunPlan::Output& out : plan.registers) put(out);
  for (const RunPlan::Output& out : plan.words) {
    m_.loaded_[out.offset] = out.row;
    put(out);
    m_.noteStore(out.offset);
  }
  if (plan.flagsAfter == RunPlan::FlagsAfter::Row) g.flagsUniform = false;
  if (plan.flagsAfter == RunPlan::FlagsAfter::Slot) {
    m_.setFlags(g, f.slots[plan.flagsSlot][0]);
  }
  if (plan.replacesFaults) finishFaults(run, g);
  for (const RunPlan::Address& a : plan.addresses) {
    if (a.step != 0) g.rest.x[a.reg] = Fast::stepped(g.rest.x[a.reg], a.step);
  }
  for (const RunPlan::Constant& c : plan.constants) {
    g.rest.x[c.reg] = c.value;
    g.rest.dual &= ~(1u << c.reg);
    g.rest.opaque &= ~(1u << c.reg);
  }
  g.cycle += plan.length + plan.conflicts + late;
  g.ramConflict += plan.conflicts;
  g.instructions += plan.length;
  g.pc = plan.end;
  if (plan.branches) {
    g.delaySlots = plan.after.slots;
    g.taken = plan.after.taken ? Taken::All : Taken::None;
    g.delayTarget = plan.after.target;
  }
  m_.counters_.compiled += std::uint64_t{plan.length} * g.active.lanes;
  if (!isInside(plan.end - 1)) {
    m_.counters_.compiledOutside += std::uint64_t{plan.length} * g.active.lanes;
  }
  m_.counters_.plainVectors += f.plainVectors;
  judge(run, g);
}

/// Whether the code does enough of the vectors: if not, it is made again with zeros as usual
/// results, and given up if that does not help (RND of a zero is never usual).
void Machine::Runs::judge(Run& run, const Group& g) {
  run.vectors += std::uint64_t{g.active.vectors} * run.plan.parts.size();
  run.plainVectors += run.frame.plainVectors;
  const std::uint64_t share = run.zeros ? kLostShare : kZeroShare;
  if (run.plainVectors * share <= run.vectors ||
      run.vectors < std::uint64_t{kZeroVectors} * m_.config_.runPatience) {
    return;
  }
  if (run.zeros) {
    run.code = nullptr;
    return;
  }
  run.zeros = true;
  run.vectors = run.plainVectors = 0;
  const RunCode::Entry again = code_.make(run.plan, true);
  if (again != nullptr) run.code = again;
}

/// V and UF are those of the last instruction that replaces them, LV and LUF remember all.
void Machine::Runs::finishFaults(Run& run, const Group& g) {
  if (m_.anyVuf_) m_.clearFaultFlags(g);
  RunFrame& f = run.frame;
  if (!f.faults.any) return;
  m_.lv_ |= f.faults.overflow & g.active.mask;
  m_.luf_ |= f.faults.underflow & g.active.mask;
  if (f.last.any) {
    m_.v_ |= f.last.overflow & g.active.mask;
    m_.uf_ |= f.last.underflow & g.active.mask;
    m_.anyVuf_ = true;
  }
  f.faults = f.last = {};
}

// ---- the plain twin of the code

namespace {

/// The C32's exponent of a value as a double's: of a negative power of two one less.
double alignedTo(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>((bits - (bits >> 63)) & 0x7FF0000000000000u);
}

/// One operation on one vector.
struct PlainOperation {
  RunPlan::Do what;
  const RunPlan::Value& b;
  const RunPlan::Value& a;
  NzCond cond;
};
void apply(const Kernels& k, unsigned policy, const PlainOperation& o, double* d, const double* b,
           const double* a, double* flags, Faults& faults) {
  const LaneSet one{1, nullptr, nullptr};
  const unsigned isShort = (o.a.isShort ? 1u : 0u) | (o.b.isShort ? 2u : 0u);
  switch (o.what) {
    case RunPlan::Do::Multiply:
      return k.mpyf[isShort](one, d, {b, 1}, {a, 1}, flags, faults);
    case RunPlan::Do::Add:
      return k.addf[policy](one, d, {b, 1}, {a, 1}, flags, faults);
    case RunPlan::Do::Subtract:
      return k.subf[policy](one, d, {b, 1}, {a, 1}, flags, faults);
    case RunPlan::Do::Compare:
      return k.cmpf[policy](one, nullptr, {b, 1}, {a, 1}, flags, faults);
    case RunPlan::Do::Negate:
      return k.negf(one, d, {a, 1}, flags, faults);
    case RunPlan::Do::Absolute:
      return k.absf(one, d, {a, 1}, flags, faults);
    case RunPlan::Do::Round:
      return k.rnd(one, d, {a, 1}, flags, faults);
    case RunPlan::Do::Test:
      return;  // testPlainly
    case RunPlan::Do::Move:
      return k.ldf(one, d, {a, 1}, flags, faults);
    case RunPlan::Do::Select:
      return k.select[static_cast<unsigned>(o.cond)](one, d, {a, 1}, flags);
    case RunPlan::Do::Store:
      return (o.a.isShort ? k.ldf : k.cut)(one, d, {a, 1}, nullptr, faults);
    case RunPlan::Do::Exponent:
      return fill(d, alignedTo(a[0]));
  }
}

/// Flags of words, as many as a vector has lanes.
void testPlainly(unsigned width, double* flags, const std::uint32_t* words, const double* mask) {
  const auto bits = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(mask[0]));
  for (unsigned i = 0; i < width; ++i) {
    const std::uint32_t word = words[i] & bits;
    flags[i] = word == 0 ? 0.0 : (word >> 31) != 0 ? -1.0 : 1.0;
  }
}

/// One vector of lanes under way in a part.
struct Plain {
  Plain(const RunFrame& frame, std::uint64_t bytes) : f(frame), at(bytes) {}  // NOLINT: filled
  alignas(64) double registers[RunPlan::kFlags + 1][kBlock];
  const RunFrame& f;
  std::uint64_t at;

  [[nodiscard]] const std::uint32_t* words(const RunPlan::Value& v) const {
    return reinterpret_cast<const std::uint32_t*>(f.rows[v.index]) + at / sizeof(double);
  }
  [[nodiscard]] const double* where(const RunPlan::Value& v) const {
    switch (v.place) {
      case RunPlan::Place::None:
      case RunPlan::Place::Words:
        return nullptr;
      case RunPlan::Place::Register:
        return registers[v.index];
      case RunPlan::Place::Row:
        return f.rows[v.index] + at / sizeof(double);
      case RunPlan::Place::Store:
        return f.words[v.index] + at / sizeof(double);
      default:
        return f.slots[v.index];
    }
  }
};

}  // namespace

void Machine::Runs::doPlain(RunFrame* frame, std::uint64_t at, std::uint32_t part) {
  RunFrame& f = *frame;
  const Machine& m = *static_cast<const Machine*>(f.machine);
  const RunPlan& plan = *f.plan;
  const std::size_t bytes = m.k_.width * sizeof(double);
  const std::uint64_t lane = at / sizeof(double);
  ++f.plainVectors;
  Plain p(f, at);
  for (unsigned r = 0; r <= RunPlan::kFlags; ++r) {
    std::memcpy(p.registers[r], f.registers[r] + lane, bytes);
  }
  for (std::size_t i = part == 0 ? 0 : plan.parts[part - 1]; i < plan.parts[part]; ++i) {
    const RunPlan::Step& s = plan.steps[i];
    Faults faults;
    alignas(64) double nowhere[kBlock];
    double* const d = s.what == RunPlan::Do::Store ? f.words[s.d] + lane
                      : s.d == RunPlan::kFlags     ? nowhere
                                                   : p.registers[s.d];
    if (s.what == RunPlan::Do::Test) {
      testPlainly(m.k_.width, p.registers[RunPlan::kFlags], p.words(s.b), p.where(s.a));
      continue;
    }
    const bool looks = s.flags || s.looksAtFlags();
    apply(m.k_, m.policy_, {s.what, s.b, s.a, s.cond}, d, p.where(s.b), p.where(s.a),
          looks           ? p.registers[RunPlan::kFlags]
          : s.isCompare() ? nowhere
                          : nullptr,
          faults);
    addAt(f.faults, faults, lane);
    if (s.last) addAt(f.last, faults, lane);
  }
  for (unsigned r = 0; r <= RunPlan::kFlags; ++r) {
    std::memcpy(f.registers[r] + lane, p.registers[r], bytes);
  }
}

void Machine::Runs::doPlainShared(RunFrame* frame) {
  RunFrame& f = *frame;
  const Machine& m = *static_cast<const Machine*>(f.machine);
  alignas(64) double flags[kBlock];
  ++f.plainVectors;
  for (const RunPlan::Shared& s : f.plan->shared) {
    double* const d = f.slots[s.slot];
    Faults faults;
    apply(m.k_, m.policy_, {s.what, s.b, s.a, NzCond::Eq}, d, f.slots[s.b.index],
          f.slots[s.a.index], s.what == RunPlan::Do::Round ? nullptr : flags, faults);
    if (s.what == RunPlan::Do::Compare) std::memcpy(d, flags, sizeof flags);
    if (!faults.any) continue;
    for (Faults* const to : {&f.faults, s.last ? &f.last : &f.faults}) {
      if (faults.overflow.any()) to->overflow |= m.shape_.all;
      if (faults.underflow.any()) to->underflow |= m.shape_.all;
      to->any = true;
    }
  }
}

}  // namespace rtvp::c32::simt
