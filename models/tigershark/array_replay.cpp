// See array_replay.hpp.
#include "models/tigershark/array_replay.hpp"

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/c32/cpu.hpp"
#include "models/common/core/state.hpp"
#include "models/common/core/text.hpp"
#include "models/tigershark/array_events.hpp"
#include "models/tigershark/array_recorder.hpp"

namespace rtvp::tigershark {
namespace {

using array_events::Event;

/// The recording ends in the middle of an advance: the simulation was over there.
struct Over {};

[[noreturn]] void damaged(const std::string& found) {
  throw std::runtime_error("the log is damaged: found " + found);
}

std::string outcomeText(const ArrayOutcome& outcome) {
  static constexpr const char* kNames[] = {"a barrier", "all lanes waiting", "the horizon",
                                           "an error"};
  const auto kind = static_cast<unsigned>(outcome.kind);
  return kNames[kind] + (outcome.kind == ArrayOutcome::Kind::Quiescent
                             ? std::string()
                             : " in cycle " + std::to_string(outcome.cycle));
}

}  // namespace

ArrayReplay::ArrayReplay(const ArrayConfig& config, std::vector<c32::CpuObserver*> observers,
                         std::string writer)
    : lanes_(config.lanes),
      engine_(makeScalarArray(config, *this)),
      observers_(std::move(observers)),
      writer_(std::move(writer)) {}

ArrayReplay::~ArrayReplay() = default;

/// The engine does something else than the one that was recorded.
void ArrayReplay::differs(const std::string& found, const std::string& expected) const {
  throw std::runtime_error("executed again, the DSPs do something else than in the run: found " +
                           found + ", expected " + expected + "; version " + writer_ +
                           " has written the log");
}

/// There is something to read, in the next piece where this one is over.
bool ArrayReplay::refill() {
  while (from_.empty()) {
    if (pieces_.empty()) return false;
    from_ = debug::LogReader(pieces_.front());
    pieces_.pop_front();
  }
  return true;
}

unsigned ArrayReplay::nextByte() {
  if (!refill()) throw std::runtime_error("the log ends before its last event");
  return from_.byte();
}

Cycle ArrayReplay::cycle() {
  const std::uint64_t number = from_.number();
  last_ += (number & 1) != 0 ? ~(number >> 1) : number >> 1;
  return last_;
}

bool ArrayReplay::step() {
  if (over_) return false;
  try {
    return handle();
  } catch (const Over&) {
    return false;
  }
}

bool ArrayReplay::handle() {
  const unsigned event = nextByte();
  switch (static_cast<Event>(event)) {
    case Event::State:
      restore();
      return true;
    case Event::Reset:
      engine_->reset(cycle());
      return true;
    case Event::Word: {
      const std::uint32_t word = from_.word();
      engine_->chainInput(word, cycle());
      return true;
    }
    case Event::Advance:
      expectOutcome(engine_->advance(cycle()));
      return true;
    case Event::Release:
      engine_->release(cycle());
      return true;
    case Event::Window:
      for (std::size_t lane = 0; lane < observers_.size(); ++lane)
        engine_->processor(static_cast<int>(lane)).setObserver(observers_[lane]);
      return true;
    case Event::Register:
      setRegister();
      return true;
    case Event::Poke:
      poke();
      return true;
    case Event::End:
      over_ = true;
      expectEnds();
      return false;
    case Event::Outcome:
      break;
  }
  damaged("an event of kind " + std::to_string(event) + " between two advances");
}

void ArrayReplay::restore() {
  const std::string_view bytes = from_.take(from_.number());
  common::StateArchive archive(
      std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  engine_->state(archive);
  if (!archive.atEnd()) damaged("a state of too many bytes");
  last_ = 0;
  address_ = waitStates_ = 0;
}

/// Of the lane whose number comes next.
c32::Cpu& ArrayReplay::processor() {
  const std::uint64_t lane = from_.number();
  if (lane >= static_cast<std::uint64_t>(lanes_)) damaged("no such lane");
  return engine_->processor(static_cast<int>(lane));
}

void ArrayReplay::setRegister() {
  c32::Cpu& cpu = processor();
  const std::uint64_t number = from_.number();
  const std::uint64_t raw = from_.number();
  const auto low = static_cast<std::uint32_t>(raw);
  if (number > ArrayRecorder::kPc) damaged("no such register");
  if (number == ArrayRecorder::kPc) {
    cpu.setPc(low & c32::kAddressMask);
  } else if (number >= 8) {
    cpu.setRegister(static_cast<unsigned>(number), low);
  } else {
    const auto exponent = static_cast<std::int8_t>(static_cast<std::uint8_t>(raw >> 32U));
    cpu.setExtended(static_cast<unsigned>(number), {exponent, low});
  }
}

void ArrayReplay::poke() {
  c32::Cpu& cpu = processor();
  const std::uint32_t address = from_.word();
  (void)cpu.poke(address, from_.word());
}

/// The answer that the recorded engine got.
ArrayBoard::SharedReply ArrayReplay::sharedAccess(const c32::BusRequest& request) {
  const unsigned flags = nextByte();
  if (flags == static_cast<unsigned>(Event::End)) {
    over_ = true;
    throw Over{};
  }
  const bool write = request.op == c32::BusOp::Write;
  if ((flags & array_events::kAccess) == 0)
    differs("an access to " + common::hexLowerH(request.address) + " in cycle " +
                std::to_string(request.cycle),
            "none");
  address_ = (flags & array_events::kElsewhere) != 0 ? from_.word() : address_ + 1;
  if ((flags & array_events::kWaitStates) != 0) waitStates_ = from_.word();
  const bool wrote = (flags & array_events::kWrite) != 0;
  if (request.address != address_ || write != wrote) {
    const auto text = [](bool isWrite, std::uint32_t address) {
      return (isWrite ? "a write of " : "a read of ") + common::hexLowerH(address);
    };
    differs(text(write, request.address) + " in cycle " + std::to_string(request.cycle),
            text(wrote, address_));
  }
  SharedReply reply;
  reply.error = (flags & array_events::kError) != 0;
  reply.waitStates = waitStates_;
  reply.data = request.data;
  if (write) return reply;
  reply.data = 0;
  for (unsigned n = 0; n < 4; ++n) reply.data |= std::uint32_t{from_.byte()} << (8 * n);
  return reply;
}

void ArrayReplay::expectOutcome(const ArrayOutcome& outcome) {
  const unsigned event = nextByte();
  if (event == static_cast<unsigned>(Event::End)) {
    // The simulation ended while the engine waited for the board, behind its last access.
    over_ = true;
    throw Over{};
  }
  if (event != static_cast<unsigned>(Event::Outcome)) differs(outcomeText(outcome), "an access");
  ArrayOutcome expected;
  const unsigned kind = from_.byte();
  if (kind > static_cast<unsigned>(ArrayOutcome::Kind::Error))
    damaged("an outcome of kind " + std::to_string(kind));
  expected.kind = static_cast<ArrayOutcome::Kind>(kind);
  if (expected.kind != ArrayOutcome::Kind::Quiescent) expected.cycle = cycle();
  const bool same =
      outcome.kind == expected.kind &&
      (outcome.kind == ArrayOutcome::Kind::Quiescent || outcome.cycle == expected.cycle);
  if (!same) differs(outcomeText(outcome), outcomeText(expected));
}

void ArrayReplay::expectEnds() {
  const std::uint64_t lanes = from_.number();
  if (lanes == 0) return;
  if (lanes != static_cast<std::uint64_t>(lanes_))
    damaged("the ends of " + std::to_string(lanes) + " lanes, expected " + std::to_string(lanes_));
  for (int lane = 0; lane < lanes_; ++lane) {
    array_events::LaneEnd expected;
    expected.cycle = cycle();
    expected.pc = from_.word();
    expected.instructions = from_.number();
    expected.sum = from_.word();
    const array_events::LaneEnd found = array_events::endOf(*engine_, lane);
    if (found == expected) continue;
    const auto text = [](const array_events::LaneEnd& end) {
      return common::hexLowerH(end.pc) + " in cycle " + std::to_string(end.cycle) + " after " +
             std::to_string(end.instructions) + " instructions (registers and RAM " +
             common::hexLowerH(end.sum) + ")";
    };
    differs("lane " + std::to_string(lane) + " at " + text(found), text(expected));
  }
}

}  // namespace rtvp::tigershark
