// What a turn does to memory and port while it is summarised: RAM words whose address is known stay
// at hand until somebody might look; the port's events are put between the looks at it.
#include <algorithm>
#include <bit>

#include "models/c32/blocks/summariser.hpp"

namespace rtvp::c32::blocks {

using Code = Operation::Code;

namespace {

constexpr std::uint32_t kXInt = 1u << 4;  // IF bits
constexpr std::uint32_t kRInt = 1u << 5;
constexpr std::uint64_t kWordBits = 32;

}  // namespace

std::uint32_t stepCircular(std::uint32_t ar, std::int32_t distance, std::uint32_t bk) {
  const std::uint32_t mask = bk == 0 ? 0 : (std::bit_floor(bk) << 1) - 1u;
  std::int64_t t = static_cast<std::int64_t>(ar & mask) + distance;
  if (t >= bk) {
    t -= bk;
  } else if (t < 0) {
    t += bk;
  }
  const std::uint32_t index = static_cast<std::uint32_t>(t) & mask;
  return (ar & ~kAddressMask) | (((ar & ~mask) | index) & kAddressMask);
}

// ---- memory

bool Summariser::indexed(const OperandSpec& spec, Place& place) {
  const IndirectMode mode = indirectMode(spec.mode);
  if (mode.bitReversed) return false;
  std::uint32_t step = static_cast<std::uint32_t>(spec.value);
  const bool ir0 = mode.index == IndirectMode::Index::Ir0;
  if (ir0 || mode.index == IndirectMode::Index::Ir1) {
    Value& index = reg_[ir0 ? reg::IR0 : reg::IR1];
    pin(index);
    step = index.now;
  }
  Value& ar = reg_[spec.reg];
  Operation op;
  std::uint32_t updated = 0;
  if (mode.circular) {
    pin(reg_[reg::BK]);
    // A ring has few places: with them known a lap's words go past the memory.
    if (woken_.turns != 0) pin(ar);
    const std::uint32_t bk = reg_[reg::BK].now & 0xFFFFu;
    const std::int32_t far = static_cast<std::int32_t>(step << 8) >> 8;
    const std::int32_t distance = mode.subtract ? -far : far;
    updated = stepCircular(ar.now, distance, bk);
    op = {.code = Code::Circular,
          .offset = static_cast<std::uint16_t>(bk),
          .word = static_cast<std::uint32_t>(distance)};
    place.modifies = true;
  } else {
    const std::uint32_t moved = mode.subtract ? 0 - step : step;
    if (mode.useModified) place.displacement = moved;
    updated = stepAddress(ar.now, moved);
    op = {.code = Code::Step, .word = moved};
    place.modifies = mode.update;
  }
  if (place.modifies && !ar.known()) {
    op.a = ar.at;
    place.updated = result(op, updated);
  } else {
    place.updated = {updated};
  }
  return true;
}

bool Summariser::address(const OperandSpec& spec, Place& place) {
  place.reg = spec.reg;
  if (spec.access == Access::Direct) {
    pin(reg_[reg::DP]);
    place.base = {(reg_[reg::DP].now & 0xFFu) << 16};
    place.displacement = static_cast<std::uint32_t>(spec.value);
  } else {
    if (spec.access == Access::Indexed) {
      if (!indexed(spec, place)) return false;
      place.base = reg_[spec.reg];
    } else {
      place.base = reg_[spec.reg];
      const auto step = static_cast<std::uint32_t>(spec.step);
      place.displacement = static_cast<std::uint32_t>(spec.value);
      place.modifies = spec.step != 0;
      place.updated = {stepAddress(place.base.now, step)};
      if (place.modifies && !place.base.known()) {
        place.updated =
            result({.code = Code::Step, .a = place.base.at, .word = step}, place.updated.now);
      }
    }
  }
  place.address = (place.base.now + place.displacement) & kAddressMask;
  // Outside the RAM it matters which address it is.
  if (place.address - kRamBase >= kRamWords && !place.base.known()) {
    if (place.modifies) return false;
    pin(place.base);
  }
  return true;
}

bool Summariser::source(const Step& step, Value& word) {
  const OperandSpec& spec = step.source;
  if (spec.access == Access::Constant) {
    word = {static_cast<std::uint32_t>(spec.value)};
    return true;
  }
  if (spec.access == Access::Register) {
    word = registerAt(spec.reg);
    return true;
  }
  Place place;
  if (!address(spec, place)) return false;
  if (place.address - kRamBase < kRamWords) {
    word = loadRam(place);
  } else if (place.address == serial::kGlobal) {
    if (!attend(step.exec)) return false;
    word = {status()};
  } else if (place.address == serial::kDRR) {
    if (!attend(step.exec)) return false;
    word = readWord();
  } else {
    return false;
  }
  if (place.modifies) reg_[place.reg] = place.updated;
  return true;
}

bool Summariser::store(const Step& step) {
  Place place;
  if (!address(step.source, place)) return false;
  const bool internal = place.address - kRamBase < kRamWords;
  if (!internal && place.address != serial::kDXR) return false;
  if (place.modifies) reg_[place.reg] = place.updated;
  const Value word = registerAt(step.destination);
  if (internal) {
    storeRam(place, word);
    return true;
  }
  return attend(step.exec) && write(word, step.exec);
}

Value Summariser::loadRam(Place& place) {
  const std::uint32_t offset = place.address - kRamBase;
  if (place.base.known()) return loadKnown(offset);
  writeBack();
  return result({.code = Code::Load, .a = place.base.at, .word = place.displacement}, ram_[offset]);
}

void Summariser::storeRam(Place& place, const Value& word) {
  const std::uint32_t offset = place.address - kRamBase;
  if (place.base.known()) return storeKnown(offset, word);
  writeBack();
  slots_.clear();  // any of them may have changed
  vectors_.clear();
  Operation op{.code = Code::Store, .a = place.base.at, .b = word.at};
  op.word = place.displacement;
  op.mask = word.now;  // the word stored if it is known
  emit(op);
  ram_[offset] = word.now;
}

Value Summariser::loadKnown(std::uint32_t offset) {
  const auto found = slots_.find(offset);
  if (found != slots_.end()) return found->second.value;
  const Value v =
      result({.code = Code::LoadAt, .offset = static_cast<std::uint16_t>(offset)}, ram_[offset]);
  slots_[offset] = {v, false};
  return v;
}

void Summariser::storeKnown(std::uint32_t offset, const Value& word) {
  ram_[offset] = word.now;
  slots_[offset] = {word, true};
  std::erase(vectors_, offset);
  const auto o = static_cast<std::uint16_t>(offset);
  if (std::find(s_->stores.begin(), s_->stores.end(), o) == s_->stores.end()) {
    s_->stores.push_back(o);
  }
}

/// Words at hand go to the RAM: an access follows whose address is not known.
void Summariser::writeBack() {
  for (auto& [offset, slot] : slots_) {
    if (!slot.written) continue;
    Operation op{.code = Code::StoreAt, .offset = static_cast<std::uint16_t>(offset)};
    operand(&Operation::b, op, slot.value);
    emit(op);
    slot.written = false;
  }
}

bool Summariser::push(const Value& word) {
  Value& sp = reg_[reg::SP];
  pin(sp);
  const std::uint32_t offset = ((sp.now + 1) & kAddressMask) - kRamBase;
  if (offset >= kRamWords) return false;
  ++sp.now;
  storeKnown(offset, word);
  return true;
}

bool Summariser::pop(Value& word) {
  Value& sp = reg_[reg::SP];
  pin(sp);
  const std::uint32_t offset = (sp.now & kAddressMask) - kRamBase;
  if (offset >= kRamWords) return false;
  word = loadKnown(offset);
  --sp.now;
  return true;
}

// ---- the port

/// As QuickSerial::status.
std::uint32_t Summariser::status() const {
  return woken_.global | (wire_.drrFull ? serial::kRRDY : 0) |
         (wire_.transfer == kNever ? serial::kXRDY : 0) |
         (wire_.empty != kNever ? serial::kXSREMPTY : 0) | (wire_.rsrFull ? serial::kRSRFULL : 0);
}

void Summariser::quiet() {
  if (mustBeQuiet_) {
    emit({.code = Code::Quiet, .at = static_cast<std::uint16_t>(looked_)});
  }
  mustBeQuiet_ = false;
}

/// As QuickSerial::advanceTo. False if that is none of a summary's.
bool Summariser::attend(Cycle at) {
  if (at > 0xFFFF || !happenings(woken_.base + at)) return false;
  looked_ = at;
  mustBeQuiet_ = true;
  return arrived_ < woken_.arrivals.size() || !woken_.moreArrivals;
}

/// What happens to the port up to `now`.
bool Summariser::happenings(Cycle now) {
  const Cycle at = now - woken_.base;
  const auto when = static_cast<std::uint16_t>(at);
  for (;;) {
    if (wire_.empty <= now && wire_.empty <= wire_.transfer) {
      quiet();
      emit({.code = Code::Empty, .at = when});
      if (wire_.empty == woken_.wire.empty) happened(s_->empty, at);
      wire_.empty = kNever;
    } else if (wire_.transfer <= now) {
      if (wire_.empty != kNever) return false;  // a transmitter that was set up in mid word
      quiet();
      emit({.code = Code::Transfer, .at = when});
      if (wire_.transfer == woken_.wire.transfer) happened(s_->transfer, at);
      wire_.transfer = kNever;
      wire_.empty = wire_.last.cycle();
      if ((woken_.global & serial::kXINT) != 0) wire_.flags |= kXInt;
    } else if (nextArrival() <= now) {
      if (wire_.rsrFull) return false;  // a word is lost
      quiet();
      const bool behind = wire_.drrFull;
      if (arrived_ == 0) happened(s_->arrival, at);
      emit({.code = Code::Arrive, .a = static_cast<std::uint8_t>(behind ? 1 : 0), .at = when});
      (behind ? wire_.rsr : wire_.drr) = woken_.arrivals[arrived_++].word;
      (behind ? wire_.rsrFull : wire_.drrFull) = true;
      if (!behind && (woken_.global & serial::kRINT) != 0) wire_.flags |= kRInt;
    } else {
      return true;
    }
  }
}

Value Summariser::readWord() {
  Operation op{.code = Code::ReadWord, .a = static_cast<std::uint8_t>(wire_.rsrFull ? 1 : 0)};
  const Value word = result(op, wire_.drr);
  wire_.drrFull = wire_.rsrFull;
  if (wire_.rsrFull) {
    wire_.rsrFull = false;
    wire_.drr = wire_.rsr;
    if ((woken_.global & serial::kRINT) != 0) wire_.flags |= kRInt;
  }
  return word;
}

bool Summariser::write(const Value& word, Cycle at) {
  if (wire_.transfer != kNever) return false;  // the word is lost
  Operation op{.code = Code::Write, .at = static_cast<std::uint16_t>(at)};
  operand(&Operation::b, op, word);
  emit(op);
  const Edge first = around_.clock.from(wire_.last, woken_.base + at + 1);
  wire_.transfer = first.cycle();
  wire_.last = around_.clock.after(first, kWordBits);
  wire_.dxr = word.now;
  return true;
}

}  // namespace rtvp::c32::blocks
