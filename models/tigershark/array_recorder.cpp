// See array_recorder.hpp.
#include "models/tigershark/array_recorder.hpp"

#include <algorithm>
#include <bit>
#include <boost/crc.hpp>
#include <utility>

#include "models/c32/cpu.hpp"
#include "models/common/core/state.hpp"
#include "models/tigershark/array_events.hpp"

namespace rtvp::tigershark {

using array_events::Event;

namespace {

constexpr std::size_t kPiece = 1 << 16;  ///< bytes that are handed on together

unsigned code(Event event) {
  return static_cast<unsigned>(event);
}

}  // namespace

array_events::LaneEnd array_events::endOf(ArrayEngine& engine, int lane) {
  const LaneView view = engine.lane(lane);
  const c32::Cpu& cpu = engine.processor(lane);
  boost::crc_32_type sum;
  const auto add = [&sum](std::uint32_t word) {
    for (unsigned shift = 0; shift < 32; shift += 8)
      sum.process_byte(static_cast<unsigned char>(word >> shift));
  };
  for (unsigned n = 0; n < c32::reg::kCount; ++n) {
    // A sleeping lane may have looked ahead at flags that nobody has seen.
    if (n != c32::reg::IF) add(cpu.registerValue(n));
  }
  for (unsigned n = 0; n < 8; ++n) add(static_cast<std::uint32_t>(cpu.extended(n).exponent));
  for (std::uint32_t n = 0; n < c32::kRamWords; ++n) add(cpu.peek(c32::kRamBase + n).value_or(0));
  return {view.cycle, view.pc, view.statistics.instructions, sum.checksum()};
}

ArrayRecorder::ArrayRecorder(ArrayEngine& engine, int lanes, Cycle from, Cycle to, Sink sink,
                             std::size_t mostKept)
    : engine_(engine),
      lanes_(lanes),
      from_(from),
      to_(to),
      sink_(std::move(sink)),
      mostKept_(mostKept) {}

void ArrayRecorder::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) byte(static_cast<unsigned>(value & 0x7F) | 0x80U);
  byte(static_cast<unsigned>(value));
}

void ArrayRecorder::cycle(Cycle value) {
  const Cycle later = value - std::exchange(last_, value);
  const bool back = (later >> 63) != 0;
  number(back ? (~later << 1 | 1) : later << 1);
}

void ArrayRecorder::flush() {
  if (events_.empty()) return;
  sink_(events_);
  events_.clear();
}

Cycle ArrayRecorder::proceed(Cycle now) {
  if (now >= to_) finish();
  if (phase_ == Phase::Over) return c32::kNever;
  if (now < from_) return from_;
  if (phase_ == Phase::Before) {
    byte(code(Event::Window));
    phase_ = Phase::Inside;
  }
  return to_;
}

void ArrayRecorder::reset(Cycle at) {
  if (phase_ == Phase::Over) return;
  byte(code(Event::Reset));
  cycle(at);
  failed_ = advancing_ = false;
}

void ArrayRecorder::chainInput(std::uint32_t word, Cycle arrival) {
  if (phase_ == Phase::Over) return;
  byte(code(Event::Word));
  number(word);
  cycle(arrival);
}

void ArrayRecorder::advance(Cycle horizon) {
  if (phase_ == Phase::Over) return;
  advancing_ = true;
  byte(code(Event::Advance));
  cycle(horizon);
}

void ArrayRecorder::access(const c32::BusRequest& request, const ArrayBoard::SharedReply& reply) {
  if (phase_ == Phase::Over) return;
  const bool write = request.op == c32::BusOp::Write;
  unsigned flags = array_events::kAccess;
  if (request.address != address_ + 1) flags |= array_events::kElsewhere;
  if (write) flags |= array_events::kWrite;
  if (reply.error) flags |= array_events::kError;
  if (reply.waitStates != waitStates_) flags |= array_events::kWaitStates;
  byte(flags);
  if ((flags & array_events::kElsewhere) != 0) number(request.address);
  if ((flags & array_events::kWaitStates) != 0) number(reply.waitStates);
  address_ = request.address;
  waitStates_ = reply.waitStates;
  if (write) return;
  char word[4];
  for (unsigned n = 0; n < 4; ++n) word[n] = static_cast<char>(reply.data >> (8 * n));
  events_.append(word, sizeof word);
}

void ArrayRecorder::outcome(const ArrayOutcome& outcome) {
  if (phase_ == Phase::Over) return;
  advancing_ = false;
  failed_ = outcome.kind == ArrayOutcome::Kind::Error;
  byte(code(Event::Outcome));
  byte(static_cast<unsigned>(outcome.kind));
  if (outcome.kind != ArrayOutcome::Kind::Quiescent) cycle(outcome.cycle);
  if (phase_ == Phase::Inside) {
    if (events_.size() >= kPiece) flush();
    return;
  }
  if (events_.size() > mostKept_) flush();
  // A state is not made more often than its size is worth.
  if (outcome.kind == ArrayOutcome::Kind::Quiescent && events_.size() > 2 * stateBytes_ &&
      engine_.asleep())
    beginAnew();
}

/// With the state of the lanes, who sleep: what was before is of no interest.
void ArrayRecorder::beginAnew() {
  common::StateArchive archive;
  engine_.state(archive);
  stateBytes_ = archive.bytes().size();
  events_.clear();
  last_ = 0;
  address_ = waitStates_ = 0;
  byte(code(Event::State));
  number(stateBytes_);
  events_.append(reinterpret_cast<const char*>(archive.bytes().data()), stateBytes_);
}

void ArrayRecorder::release(Cycle edge) {
  if (phase_ == Phase::Over) return;
  byte(code(Event::Release));
  cycle(edge);
}

void ArrayRecorder::setRegister(int lane, unsigned number, std::uint64_t raw) {
  if (phase_ == Phase::Over) return;
  byte(code(Event::Register));
  this->number(static_cast<std::uint64_t>(lane));
  this->number(number);
  this->number(raw);
}

void ArrayRecorder::poke(int lane, std::uint32_t address, std::uint32_t word) {
  if (phase_ == Phase::Over) return;
  byte(code(Event::Poke));
  number(static_cast<std::uint64_t>(lane));
  number(address);
  number(word);
}

void ArrayRecorder::finish() {
  if (phase_ == Phase::Over) return;
  phase_ = Phase::Over;
  byte(code(Event::End));
  // In the middle of an advance, or behind an error, engines may stand in different places.
  const bool comparable = !advancing_ && !failed_;
  number(comparable ? static_cast<std::uint64_t>(lanes_) : 0);
  for (int lane = 0; comparable && lane < lanes_; ++lane) {
    const array_events::LaneEnd end = array_events::endOf(engine_, lane);
    cycle(end.cycle);
    number(end.pc);
    number(end.instructions);
    number(end.sum);
  }
  flush();
}

}  // namespace rtvp::tigershark
