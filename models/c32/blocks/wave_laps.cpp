// The wave's laps (lap.hpp): where they begin, when one is looked for, and what is kept of it.
#include <algorithm>
#include <utility>

#include "models/c32/blocks/wave_parts.hpp"

namespace rtvp::c32::blocks {
namespace {

constexpr std::uint64_t kShortestMessage = 4;  ///< words
constexpr unsigned kReturns = 4;               ///< to a place, until laps begin there
/// Words that passages take from a place to the same: there is no message, but a loop.
constexpr std::size_t kLongLoop = 4 * kMostLapWords;
constexpr std::size_t kMostLaps = 128;
constexpr std::size_t kMostVersions = 8;  ///< of a lap
/// Looks at turns that come one by one may be so many without a use of what they have found.
constexpr unsigned kFirstCredit = 256;
constexpr unsigned kMostCredit = 1024;
/// Runs of laps that are worth another look.
constexpr unsigned kRunsForALook = 16;

}  // namespace

void Wave::forgetLaps() {
  if (!laps_) return;
  laps_->laps.clear();
  laps_->laps.reserve(kMostLaps);
  laps_->used.clear();
  laps_->timings.clear(passages_->setting.cycles, passages_->setting.edges);
  laps_->credit = kFirstCredit;
}

// ---- where laps begin

/// A turn has ended like r.last. Laps begin where turns end again and again after the words of a
/// message, and never after fewer.
void Wave::noteReturn(Run& r) {
  Known& k = *r.last;
  if (k.message != 0 || k.inside) return;
  const std::uint64_t words = r.wire.received;
  const std::uint64_t since = words - k.seenAt;
  const bool again = k.seenIn == laps_->run;
  if (again && since == 0) return;
  k.seenIn = laps_->run;
  k.seenAt = words;
  if (!again || since > kMostLapWords) return;
  k.returns = since < kShortestMessage ? 0 : k.returns + 1;
  if (k.returns == kReturns) beginLapsAt(k, static_cast<unsigned>(since));
}

/// Passages have taken it from a place to the same, so many words on.
void Wave::noteLoop(std::size_t words) {
  Known& k = *passages_->places[passages_->code.frame().place];
  if (words < kLongLoop || k.message != 0 || k.inside) return;
  k.loop = true;
  beginLapsAt(k, kMostLapWords);
}

bool Wave::beginLapsAt(Known& k, unsigned message) {
  if (k.inside || !placeOf(k)) return false;
  if (k.message == 0) {
    k.message = message;
    passages_->code.stopAt(*k.place);
  }
  return true;
}

void Wave::endLapsAt(Known& k) {
  k.inside = true;
  if (k.message != 0) passages_->code.passOn(*k.place);
  k.message = 0;
}

// ---- laps taken

/// All laps that fit, from the frame on. False: none has.
bool Wave::takeLaps() {
  TurnFrame& f = passages_->code.frame();
  bool any = false;
  if (!passages_->clean) return false;  // a lap might write into the program
  while (f.out <= f.outLimit &&
         laps_->timings.take(f, [&](const LapTiming& t) { return takeLap(f, t); })) {
    any = true;
  }
  if (any && ++laps_->runs % kRunsForALook == 0) {
    laps_->credit = std::min(laps_->credit + 1, kMostCredit);
  }
  return any;
}

/// The version that followed the latest one the time before is tried first.
inline bool Wave::takeLap(TurnFrame& f, const LapTiming& timing) {
  Lap& lap = laps_->laps[timing.lap];
  LapVersion* version = lap.latest->next;
  if (!version->code(&f, &timing)) [[unlikely]] {
    version = takeOther(f, lap, timing);
    if (version == nullptr) return false;
    lap.latest->next = version;
  }
  lap.latest = version;
  if (lap.uses++ == 0) laps_->used.push_back(&lap);
  return true;
}

Wave::LapVersion* Wave::takeOther(TurnFrame& f, Lap& lap, const LapTiming& timing) {
  const LapVersion* const failed = lap.latest->next;
  for (LapVersion& version : lap.versions) {
    if (&version != failed && version.code(&f, &timing)) return &version;
  }
  return nullptr;
}

/// What the laps of this run have done, by summary.
void Wave::storeLaps(Run& r) {
  for (Lap* lap : laps_->used) {
    const std::uint64_t times = std::exchange(lap->uses, 0);
    for (const auto& [known, n] : lap->parts) {
      if (known->uses == 0) used_.push_back(known);
      known->uses += times * n;
      r.flagsKept &= known->summary->flagsKept;
    }
    translated_ += times * lap->steps;
    inLaps_ += times * lap->steps;
    r.idle -= times * lap->busy;
  }
  laps_->used.clear();
}

// ---- laps found

/// No lap fits here: whether to look at the turns that come.
bool Wave::wantsLap() {
  const TurnFrame& f = passages_->code.frame();
  const unsigned message = passages_->places[f.place]->message;
  if (f.out > f.outLimit || f.in[message - 1].arrival >= f.horizon) return false;
  // Where some are program takeLaps() takes none: a look would only use up credit.
  if (!passages_->clean || laps_->credit == 0 || laps_->laps.size() == kMostLaps) return false;
  --laps_->credit;
  return true;
}

void Wave::beginLap(Run& r) {
  LapTaken& t = laps_->taken;
  r.inLap = true;
  t.turns.clear();
  t.origin = r.cycle;
  t.received = r.wire.received;
  t.sent = 0;
  t.edge = r.wire.last.number;
  t.timing = {};
  t.timing.place = *r.last->place;
  t.timing.phase = laps_->timings.phaseOf(t.edge, r.cycle);
  t.timing.transfer = r.wire.transfer - r.cycle;
  t.timing.empty = r.wire.empty - r.cycle;
  t.begin = {};
  t.begin.key = {r.pc, r.enable, r.wire.flags, portState(r.wire)};
  t.begin.wire = r.wire;
  t.begin.arrivals = r.inbox.ahead(kMostLapWords + 1);
  t.begin.moreArrivals = r.inbox.size() > t.begin.arrivals.size();
  t.begin.base = r.cycle;
  t.begin.global = global_;
  t.begin.mode = mode_;
  t.begin.entry = entry_;
  std::copy_n(r.value.begin(), reg::kCount, t.registers.begin());
  t.registers[reg::ST] = r.status;
  t.registers[reg::IF] = r.wire.flags;
  t.registers[reg::IE] = r.enable;
  t.ram.assign(r.cpu.ram_.begin(), r.cpu.ram_.end());
}

/// A turn of the lap that is looked at sends a word.
void Wave::noteSent(Cycle arrival) {
  LapTaken& t = laps_->taken;
  if (t.sent < kMostLapWords) t.timing.departures[t.sent].when = arrival - t.origin;
  ++t.sent;
}

/// A turn of the lap that is looked at has ended.
void Wave::noteTurn(Run& r) {
  LapTaken& t = laps_->taken;
  const auto words = static_cast<unsigned>(r.wire.received - t.received);
  for (const LapTaken::Turn& before : t.turns) {
    const bool close = before.to == r.last && words - before.words < kShortestMessage;
    if (close && !(r.last->loop && r.last->place == t.timing.place)) endLapsAt(*r.last);
  }
  t.turns.push_back({r.slept, r.last, words});
  t.timing.most = std::max(t.timing.most, r.base + r.last->summary->most - t.origin);
  const unsigned message = passages_->places[t.timing.place]->message;
  r.inLap = words < message && t.turns.size() < kMostInLap && t.sent <= kMostLapWords;
  if (words == message && t.sent <= kMostLapWords) endLap(r);
}

/// The turns looked at are those of a message.
void Wave::endLap(Run& r) {
  LapTaken& t = laps_->taken;
  LapTiming& timing = t.timing;
  const unsigned words = t.turns.back().words;
  if (r.inbox.next() <= r.cycle || !beginLapsAt(*r.last, words)) return;
  for (unsigned n = 0; n < words; ++n) {
    timing.arrivals[n].when = t.begin.arrivals[n].arrival - t.origin;
  }
  timing.placeAfter = *r.last->place;
  timing.cycles = r.cycle - t.origin;
  timing.transferAfter = r.wire.transfer - t.origin;
  timing.emptyAfter = r.wire.empty - t.origin;
  timing.edges = r.wire.last.number - t.edge;
  auto& laps = laps_->laps;
  const auto known = std::find_if(laps.begin(), laps.end(), [&](const Lap& lap) {
    return lap.place == timing.place && lap.turns == t.turns;
  });
  timing.lap = static_cast<unsigned>(known - laps.begin());
  const bool timed = laps_->timings.has(timing);
  const bool anew = known == laps.end();
  if (anew) makeLap();
  Lap& lap = laps[timing.lap];
  // One that is known and has not been taken has failed by a guard.
  if (anew || timed) makeVersion(r, lap);
  if (!timed && !lap.versions.empty()) laps_->timings.add(timing);
}

/// The lap that has been looked at, without code.
void Wave::makeLap() {
  const LapTaken& t = laps_->taken;
  Lap& lap = laps_->laps.emplace_back();
  lap.versions.reserve(kMostVersions);
  lap.turns = t.turns;
  lap.place = t.timing.place;
  for (const LapTaken::Turn& turn : t.turns) {
    const Summary& s = *turn.to->summary;
    lap.steps += s.steps;
    lap.busy += entry_ + s.exit.cycles;
    const auto same = std::find_if(lap.parts.begin(), lap.parts.end(),
                                   [&](const auto& p) { return p.known == turn.to; });
    if (same != lap.parts.end()) {
      ++same->times;
    } else {
      lap.parts.push_back({turn.to, 1});
    }
  }
}

/// Code for the lap that has been looked at, if it can have any.
void Wave::makeVersion(Run& r, Lap& lap) {
  if (lap.versions.size() == kMostVersions) return;
  LapTaken& t = laps_->taken;
  t.begin.reg = t.registers.data();
  t.begin.ram = t.ram.data();
  t.begin.turns = static_cast<unsigned>(t.turns.size());
  LapVersion version;
  // No more of the program is known afterwards: each of its turns has a summary, so has its blocks.
  version.summary = summarise(t.begin, {clock_, r.find});
  if (!version.summary) return;
  const Summary& from = *passages_->places[lap.place]->summary;
  version.code = passages_->code.addLap(from, *version.summary, passages_->setting);
  if (version.code == nullptr) return;
  passages_->addStores(*version.summary);
  lap.versions.push_back(std::move(version));
  LapVersion& added = lap.versions.back();
  added.next = &added;
  if (lap.latest == nullptr) lap.latest = &added;
}

}  // namespace rtvp::c32::blocks
