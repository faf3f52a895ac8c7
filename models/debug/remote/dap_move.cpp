// Requests of dap.hpp that set the machine in motion.
#include "models/debug/remote/dap_arguments.hpp"

namespace rtvp::debug {

namespace json = boost::json;
using Body = json::object;

std::size_t DapHost::threadUnit(const Arguments& a) const {
  const std::int64_t thread = arguments::needInteger(a, "threadId");
  const auto units = static_cast<std::int64_t>(dialogue_->scope().units.size());
  if (thread < 1 || thread > units)
    throw DapRefusal("found the thread " + std::to_string(thread) + ", expected 1 to " +
                     std::to_string(units));
  return static_cast<std::size_t>(thread - 1);
}

/// When the response is sent, the unit moves.
void DapHost::move(const Arguments& a, int kind) {
  const std::size_t unit = threadUnit(a);
  const std::string granularity = arguments::text(a, "granularity");
  if (!configured_) throw DapRefusal("the machine has not begun: configurationDone comes first");
  after_ = [this, unit, kind, byLine = granularity != "instruction"] {
    if (standing_->reason == Standing::Reason::Over ||
        standing_->reason == Standing::Reason::Failed)
      return finish();
    dialogue_->setFocus(unit);
    Move move;
    move.kind = static_cast<Move::Kind>(kind);
    move.byLine = byLine;
    running_ = true;
    held_ = false;
    dialogue_->move(move);
  };
}

Body DapHost::goOn(const Arguments& a) {
  move(a, static_cast<int>(Move::Kind::Run));
  return {{"allThreadsContinued", true}};
}

Body DapHost::next(const Arguments& a) {
  move(a, static_cast<int>(Move::Kind::Next));
  return {};
}

Body DapHost::stepIn(const Arguments& a) {
  move(a, static_cast<int>(Move::Kind::Step));
  return {};
}

Body DapHost::stepOut(const Arguments& a) {
  move(a, static_cast<int>(Move::Kind::Finish));
  return {};
}

/// Does not return if it is possible: an earlier state answers (stands()).
Body DapHost::back(const Arguments& a, int kind) {
  Reverse how;
  how.kind = static_cast<Reverse::Kind>(kind);
  dialogue_->setFocus(threadUnit(a));
  const bool was = std::exchange(running_, true);
  try {
    dialogue_->reverse(how);
  } catch (...) {
    running_ = was;
    throw;
  }
  return {};
}

Body DapHost::stepBack(const Arguments& a) {
  return back(a, static_cast<int>(Reverse::Kind::Step));
}

Body DapHost::reverseContinue(const Arguments& a) {
  return back(a, static_cast<int>(Reverse::Kind::Continue));
}

Body DapHost::pause(const Arguments& a) {
  const std::size_t unit = threadUnit(a);
  if (!running_) throw DapRefusal("the machine stands");
  after_ = [this, unit] {
    dialogue_->setFocus(unit);
    stopped("pause", dialogue_->place(unitAt(unit).pc()), {});
  };
  return {};
}

}  // namespace rtvp::debug
