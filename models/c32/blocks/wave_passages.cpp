// The wave's turns in host code: when they are made, and the way in and out. The invariants are at
// the head of turn_code.hpp.
#include <algorithm>

#include "models/c32/blocks/wave_parts.hpp"

namespace rtvp::c32::blocks {
namespace {

/// Turns that follow each other so often are translated.
constexpr unsigned kOften = 8;
constexpr std::size_t kMostWays = 12;       ///< from one place
constexpr std::size_t kRoomForSent = 2048;  ///< words

/// A word that arrives behind all times stands for none.
constexpr SerialWord kNone{Cycle{1} << 62, 0};

}  // namespace

void Wave::makePassages(std::uint64_t cycles, std::uint64_t edges) {
  if (!TurnCode::possible(cycles, edges)) return;
  passages_ = std::make_unique<Passages>();
  passages_->setting.cycles = cycles;
  passages_->setting.edges = edges;
  passages_->setting.entry = entry_;
  passages_->latest = TurnCode::latest(passages_->setting);
  passages_->sent.resize(kRoomForSent + std::max<std::size_t>(kMostSent, kMostLapWords));
  laps_ = std::make_unique<Laps>();
  forgetPassages();
  forgetLaps();
}

void Wave::forgetPassages() {
  if (!passages_) return;
  passages_->ends.clear();
  passages_->places.clear();
  passages_->stores.clear();
  passages_->usable = 0;
  passages_->code.forget(passages_->setting);
}

/// From the end of the last turn through all that have been translated.
void Wave::takePassages(Run& r) {
  if (!r.last->place || r.cpu.account_ != nullptr) return;
  if (r.last->message == 0 && !passages_->code.has(*r.last->place)) return;
  if (passages_->armed != round_) armPassages(r.cpu);
  TurnFrame& f = passages_->code.frame();
  for (;;) {
    enterPassages(r);
    const bool look = runPassages();
    leavePassages(r);
    // It may have come back for room only.
    if (f.out <= f.outLimit) {
      if (look) beginLap(r);
      return;
    }
  }
}

/// Laps and passages until none fits or there is no more room. True: what follows may be a lap that
/// is not known yet.
bool Wave::runPassages() {
  TurnFrame& f = passages_->code.frame();
  for (;;) {
    const bool begins = passages_->places[f.place]->message != 0;
    if (begins && !takeLaps() && wantsLap()) return true;
    const Cycle before = f.cycle;
    const unsigned place = f.place;
    const SerialWord* const in = f.in;
    passages_->code.run();
    if (f.place == place) noteLoop(static_cast<std::size_t>(f.in - in));
    if (f.cycle == before || passages_->places[f.place]->message == 0) return false;
  }
}

void Wave::enterPassages(Run& r) const {
  TurnFrame& f = passages_->code.frame();
  const Wire& w = r.wire;
  f.in = r.inbox.open(kSentinels, kNone);
  f.out = passages_->sent.data();
  f.outLimit = f.out + kRoomForSent;
  f.cycle = r.cycle;
  f.transfer = w.transfer;
  f.empty = w.empty;
  f.last = w.last.number;
  f.ram = r.cpu.ram_.data();
  f.horizon = std::min(r.horizon, passages_->latest);
  f.decoded = r.cpu.decoded_.data();
  f.drr = w.drr;
  f.rsr = w.rsr;
  f.status = r.status;
  f.place = *r.last->place;
  std::copy_n(r.value.begin(), reg::kCount, f.value.begin());
}

void Wave::leavePassages(Run& r) const {
  const TurnFrame& f = passages_->code.frame();
  Wire& w = r.wire;
  const SerialWord* const first = passages_->sent.data();
  const auto sent = static_cast<std::size_t>(f.out - first);
  const std::size_t words = r.inbox.size();
  r.inbox.close(kSentinels, f.in);
  w.received += words - kSentinels - r.inbox.size();
  w.written += sent;
  w.transfer = f.transfer;
  w.empty = f.empty;
  w.last = clock_.at(f.last);
  w.drr = f.drr;
  w.rsr = f.rsr;
  if (sent != 0) w.dxr = first[sent - 1].word;
  r.status = f.status;
  std::copy_n(f.value.begin(), reg::kCount, r.value.begin());
  r.inPassages += f.cycle - r.cycle;
  r.cycle = f.cycle;
  r.last = passages_->places[f.place];
  const Summary& last = *r.last->summary;
  r.lastBase = r.cycle - last.exit.cycles;
  r.readyAt = r.lastBase + last.readyMost;
  r.pc = last.exit.pc;
  r.enable = last.enable;
  w.flags = last.flags;
  w.drrFull = last.drrFull;
  w.rsrFull = last.rsrFull;
  r.cpu.port_.serialTransmittedAll({first, sent});
}

/// Which passages' stores hit no program: mostly all do.
void Wave::armPassages(const Cpu& cpu) {
  Passages& p = *passages_;
  const auto free = [&](const std::vector<std::uint16_t>& stores) {
    return std::all_of(stores.begin(), stores.end(), [&](std::uint16_t offset) {
      return cpu.decoded_[offset] == DecodePool::kNone;
    });
  };
  p.armed = round_;
  p.clean = free(p.stores);
  if (p.clean && p.usable == p.ends.size()) return;
  TurnFrame& f = p.code.frame();
  for (std::size_t n = 0; n < p.ends.size(); ++n) {
    f.usable[n] = p.clean || free(p.ends[n]->summary->stores);
  }
  p.usable = p.clean ? p.ends.size() : 0;
}

/// A turn has followed `from`.
void Wave::notePassage(const Run& r, Known& from) {
  const auto known = std::find_if(from.ways.begin(), from.ways.end(), [&](const Known::Way& w) {
    return w.to == r.last && w.slept == r.slept;
  });
  if (known == from.ways.end()) {
    if (from.ways.size() < kMostWays) from.ways.push_back({r.slept, r.last, 1});
    return;
  }
  if (++known->taken != kOften) return;
  if (translate(from, known->slept, *known->to)) passages_->addStores(*known->to->summary);
}

/// A number for the end of a summary.
bool Wave::placeOf(Known& k) {
  if (k.place) return true;
  if (passages_->places.size() == TurnFrame::kPlaces) return false;
  k.place = static_cast<unsigned>(passages_->places.size());
  passages_->places.push_back(&k);
  return true;
}

bool Wave::translate(Known& from, const Slept& slept, Known& to) {
  const std::size_t number = passages_->ends.size();
  if (number == TurnFrame::kPassages || !placeOf(from) || !placeOf(to)) return false;
  const Passage passage{from.summary.get(), slept,     to.summary.get(),
                        *from.place,        *to.place, static_cast<unsigned>(number)};
  if (!passages_->code.add(passage, passages_->setting)) return false;
  passages_->ends.push_back(&to);
  return true;
}

/// What the passages of this run have done, by summary.
void Wave::storePassages(Run& r) {
  if (r.inPassages == 0) return;
  TurnFrame& f = passages_->code.frame();
  r.idle += r.inPassages;
  for (std::size_t n = 0; n < passages_->ends.size(); ++n) {
    const std::uint64_t times = f.uses[n];
    if (times == 0) continue;
    f.uses[n] = 0;
    Known& k = *passages_->ends[n];
    const Summary& s = *k.summary;
    if (k.uses == 0) used_.push_back(&k);
    k.uses += times;
    translated_ += times * s.steps;
    r.flagsKept &= s.flagsKept;
    r.idle -= times * (entry_ + s.exit.cycles);
  }
  r.inPassages = 0;
}

}  // namespace rtvp::c32::blocks
