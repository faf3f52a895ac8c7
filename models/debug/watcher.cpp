// See watcher.hpp.
#include "models/debug/watcher.hpp"

#include <algorithm>
#include <utility>

#include "models/common/core/text.hpp"

namespace rtvp::debug {
namespace {

/// What an access moves, the lowest address in the lowest bits.
std::uint64_t wordAt(const Unit& unit, const Access& access) {
  std::uint64_t word = 0;
  unsigned at = 0;  // bit
  for (std::uint64_t n = 0; n < access.size && at < 64; ++n, at += unit.wordBits())
    word |= unit.peek(access.address + n).value_or(0) << at;
  return word;
}

std::int64_t extended(std::uint64_t raw, unsigned bits) {
  if (bits == 0 || bits >= 64) return static_cast<std::int64_t>(raw);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((raw ^ sign) - sign);
}

}  // namespace

void Watcher::changed() {
  places_.reset();
  armed_ = watching_ = valuing_ = false;
  for (const Stop& s : stops_.all()) {
    if (!s.enabled) continue;
    if (s.kind == Stop::Kind::Place) places_.set(s.first % kFilter);
    watching_ |= s.kind == Stop::Kind::Access;
    valuing_ |= s.kind == Stop::Kind::Value || s.kind == Stop::Kind::Condition;
    armed_ = true;
  }
}

std::vector<std::uint64_t> Watcher::plainPlaces() const {
  std::vector<std::uint64_t> places;
  if (slowMove_ || move_.instructions != Move::kNone) return places;
  for (const Stop& s : stops_.all()) {
    if (!s.enabled) continue;
    const bool counts = s.skip != 0 || s.every != 0;
    if (s.kind != Stop::Kind::Place || s.condition || counts || !s.message.empty()) return {};
    places.push_back(s.first);
  }
  return places;
}

bool Watcher::stopsAt(std::size_t unit, std::uint64_t address) const {
  if (units_.at(unit).ignored) return false;
  const std::vector<Stop>& all = stops_.all();
  return std::any_of(all.begin(), all.end(), [&](const Stop& s) {
    return s.enabled && s.kind == Stop::Kind::Place && s.first == address &&
           s.unit.value_or(unit) == unit;
  });
}

void Watcher::go(const Move& move) {
  move_ = move;
  over_ = inCall_ = false;
  hits_.clear();
  slowMove_ = move.kind != Move::Kind::Run;
  frame_ = scope_.units.at(move.unit)->stackPointer();
  line_ = scope_.program->lineAt(scope_.units.at(move.unit)->pc());
  refreshSeen();
}

/// A change that the user made by hand is none of the program's.
void Watcher::refreshSeen() {
  for (Stop& s : stops_.all()) {
    if (!s.expression) continue;
    s.seen.assign(scope_.units.size(), std::nullopt);
    for (std::size_t u = 0; u < scope_.units.size(); ++u) {
      try {
        s.seen[u] = s.expression->evaluate(momentOf(u));
      } catch (const CommandError&) {
        s.seen[u].reset();
      }
    }
  }
}

void Watcher::begins(std::size_t unit) {
  for (Stop& s : stops_.all()) {
    if (s.kind == Stop::Kind::Value && unit < s.seen.size()) s.seen[unit].reset();
  }
}

std::string Watcher::placeOf(std::size_t unit, std::uint64_t pc) const {
  (void)unit;
  return scope_.program->place(pc);
}

void Watcher::before(std::size_t unit) {
  PerUnit& u = units_[unit];
  const Unit& look = *scope_.units[unit];
  u.pc = look.pc();
  const bool moving = slowMove_ && unit == move_.unit;
  if (!watching_ && !moving) return;
  u.effects = look.next();
  u.stack = look.stackPointer();
  if (!watching_) return;
  for (unsigned n = 0; n < u.effects.count; ++n) u.words[n] = wordAt(look, u.effects.accesses[n]);
}

void Watcher::after(std::size_t unit, const Effects* instead) {
  const bool moving = slowMove_ && unit == move_.unit;
  const Effects none;
  const Effects& effects = instead != nullptr    ? *instead
                           : watching_ || moving ? units_[unit].effects
                                                 : none;
  if (moving && !over_) moveAfter(unit, effects);
  if (!armed_ || units_[unit].ignored) return;
  if (watching_) checkAccesses(unit, effects);
  if (valuing_) checkValues(unit);
  checkPlaces(unit);
}

/// Step, next, finish and until.
void Watcher::moveAfter(std::size_t unit, const Effects& effects) {
  const Unit& look = *scope_.units[unit];
  PerUnit& u = units_[unit];
  switch (move_.kind) {
    case Move::Kind::Run:
      return;
    case Move::Kind::Step:
      over_ = stepped(look.pc());
      return;
    case Move::Kind::Next:
      if (!inCall_ && effects.call) {
        inCall_ = true;
        behind_ = u.pc + look.length(u.pc);
        frame_ = u.stack;
      }
      // A recursive call passes the same place deeper in the stack.
      if (inCall_ && (look.pc() != behind_ || !look.outside(look.stackPointer(), frame_))) return;
      inCall_ = false;
      over_ = stepped(look.pc());
      return;
    case Move::Kind::Finish:
      if (!effects.returns || !look.outside(u.stack, frame_)) return;
      frame_ = look.stackPointer();
      over_ = --move_.count == 0;
      return;
    case Move::Kind::Until:
      over_ = look.pc() == move_.address;
      return;
  }
}

/// An instruction of Step or Next is over: whether the move is.
bool Watcher::stepped(std::uint64_t pc) {
  if (move_.byLine) {
    const Line* const now = scope_.program->lineAt(pc);
    const bool same = line_ != nullptr && now != nullptr && now->file == line_->file &&
                      now->number == line_->number;
    // Code that no source is known of is stepped by instruction from there, and through to there.
    if (line_ != nullptr && (now == nullptr || same)) return false;
    line_ = now;
  }
  return --move_.count == 0;
}

void Watcher::hit(Stop& stop, std::size_t unit, std::string text) {
  hits_.push_back({stop.id, unit, std::move(text)});
}

/// Condition and count of a stop whose place, access or event has come.
bool Watcher::passes(Stop& stop, Moment moment) {
  if (stop.unit && *stop.unit != moment.unit) return false;
  if (units_[moment.unit].ignored) return false;
  moment.hits = static_cast<std::int64_t>(stop.hits) + 1;
  if (stop.condition) {
    try {
      if (!stop.condition->evaluate(moment).truth()) return false;
    } catch (const CommandError& error) {
      hit(stop, moment.unit,
          std::string(stop.noun()) + " " + std::to_string(stop.id) + ": its condition " +
              stop.condition->text() + ": " + error.what());
      return false;
    }
  }
  ++stop.hits;
  if (stop.skip != 0) {
    --stop.skip;
    return false;
  }
  if (stop.every != 0 && stop.hits % stop.every != 0) return false;
  if (stop.message.empty()) return true;
  if (say) say(moment.unit, messageText(stop.message, moment));
  if (stop.once) stop.enabled = false;
  return false;
}

void Watcher::checkPlaces(std::size_t unit) {
  const std::uint64_t pc = scope_.units[unit]->pc();
  if (!places_.test(pc % kFilter)) return;
  for (Stop& s : stops_.all()) {
    if (s.kind != Stop::Kind::Place || !s.enabled || s.first != pc) continue;
    if (!passes(s, momentOf(unit))) continue;
    const std::string noun =
        s.once ? std::string() : std::string(s.noun()) + " " + std::to_string(s.id) + " ";
    hit(s, unit, noun + "at " + placeOf(unit, pc));
  }
}

void Watcher::checkAccesses(std::size_t unit, const Effects& effects) {
  const Unit& look = *scope_.units[unit];
  for (unsigned n = 0; n < effects.count; ++n) {
    const Access& access = effects.accesses[n];
    const unsigned bits = look.wordBits() * static_cast<unsigned>(access.size);
    const unsigned digits = bits / 4;
    for (Stop& s : stops_.all()) {
      if (s.kind != Stop::Kind::Access || !s.enabled) continue;
      if (access.address + (access.size - 1) < s.first || access.address > s.last) continue;
      if (access.write ? !s.onWrite : !s.onRead) continue;
      const std::uint64_t was = units_[unit].words[n];
      const std::uint64_t now = wordAt(look, access);
      if (s.onChange && was == now) continue;
      Moment moment = momentOf(unit);
      moment.before = Value::of(extended(was, bits));
      moment.after = Value::of(extended(now, bits));
      if (!passes(s, moment)) continue;
      hit(s, unit,
          "watchpoint " + std::to_string(s.id) + ": " + (access.write ? "write of " : "read of ") +
              common::hex(access.address, look.addressDigits()) + ", " +
              (access.write ? "was " + common::hex(was, digits) + ", " : "") + "now " +
              common::hex(now, digits) + ", by " + placeOf(unit, units_[unit].pc));
    }
  }
}

void Watcher::checkValues(std::size_t unit) {
  const unsigned bits = scope_.units[unit]->wordBits();
  for (Stop& s : stops_.all()) {
    const bool value = s.kind == Stop::Kind::Value;
    if ((!value && s.kind != Stop::Kind::Condition) || !s.enabled) continue;
    if (s.unit && *s.unit != unit) continue;
    if (s.seen.size() != scope_.units.size()) s.seen.resize(scope_.units.size());
    std::optional<Value> now;
    try {
      now = s.expression->evaluate(momentOf(unit));
    } catch (const CommandError&) {
      now.reset();
    }
    const std::optional<Value> was = std::exchange(s.seen[unit], now);
    if (!now || (value && (!was || *was == *now))) continue;
    if (!value && (!now->truth() || (was && was->truth()))) continue;
    Moment moment = momentOf(unit);
    moment.before = was.value_or(Value{});
    moment.after = *now;
    if (!passes(s, moment)) continue;
    const std::string head =
        std::string(s.noun()) + " " + std::to_string(s.id) + ": " + s.expression->text();
    hit(s, unit,
        value ? head + " was " + valueText(*was, bits) + ", now " + valueText(*now, bits) +
                    ", by " + placeOf(unit, units_[unit].pc)
              : head + " is true, behind " + placeOf(unit, units_[unit].pc));
  }
}

bool Watcher::wants(std::string_view event) const {
  const std::vector<Stop>& all = stops_.all();
  return std::any_of(all.begin(), all.end(), [event](const Stop& s) {
    return s.kind == Stop::Kind::Event && s.enabled && s.event == event;
  });
}

void Watcher::event(std::size_t unit, std::string_view name, std::int64_t value,
                    const std::string& text) {
  for (Stop& s : stops_.all()) {
    if (s.kind != Stop::Kind::Event || !s.enabled || s.event != name) continue;
    if (s.threshold && value < *s.threshold) continue;
    Moment moment = momentOf(unit);
    moment.after = Value::of(value);
    if (passes(s, moment)) hit(s, unit, "stop " + std::to_string(s.id) + ": " + text);
  }
}

bool Watcher::due() {
  const Unit& look = *scope_.units[move_.unit];
  over_ |= look.cycle() >= move_.cycle || look.instructions() >= move_.instructions;
  return over_ || !hits_.empty();
}

std::vector<Hit> Watcher::take() {
  std::vector<Hit> hits = std::move(hits_);
  hits_.clear();
  std::stable_sort(hits.begin(), hits.end(),
                   [](const Hit& a, const Hit& b) { return a.unit < b.unit; });
  if (hits.empty() && over_)
    hits.push_back({0, move_.unit, "at " + placeOf(move_.unit, scope_.units[move_.unit]->pc())});
  over_ = slowMove_ = false;
  move_.cycle = move_.instructions = Move::kNone;
  for (const Hit& h : hits) {
    const Stop* const stop = h.id != 0 ? stops_.find(h.id) : nullptr;
    if (stop != nullptr && stop->once) stops_.remove(h.id);
  }
  changed();
  return hits;
}

}  // namespace rtvp::debug
