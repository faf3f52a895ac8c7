// Back in time under the debugger: driver.hpp. To go back is to wake a snapshot in front of the
// goal and to run from there, which does the same again. What is to be done, and all that the user
// has said, goes along as a message.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <utility>

#include "models/c32/debug/driver.hpp"

namespace rtvp::c32 {

namespace json = boost::json;

std::uint64_t Driver::position() const {
  const CpuStatistics& s = session_.machine().cpu().statistics();
  return s.instructions + s.interruptsTaken;
}

/// True: this is that state again, and has done what it was woken for.
bool Driver::keep(bool pinned) {
  if (snapshots_ == nullptr) return false;
  kept_ = position();
  const auto message = snapshots_->take(kept_, pinned);
  if (message) wakeUp(*message);
  return message.has_value();
}

void Driver::reverse(const debug::Reverse& how) {
  if (snapshots_ == nullptr) return World::reverse(how);
  const std::uint64_t now = position(), first = snapshots_->positions().front();
  if (now <= first) throw debug::CommandError("this is the beginning, nothing lies before it");
  json::object said = dialogue_.save();
  if (how.kind == debug::Reverse::Kind::Continue) search(now - 1, std::move(said));
  goTo(now - first < how.count ? first : now - how.count, false, "", std::move(said));
}

void Driver::goBack(std::uint64_t from, const json::object& goal) const {
  snapshots_->goBack(from, json::serialize(goal));
}

/// `hits`: what the watcher finds there is the reason for the stop, `why` otherwise.
void Driver::goTo(std::uint64_t target, bool hits, const std::string& why, json::object said) {
  // The last step is made under observation, so the snapshot must lie in front of it.
  const auto from = snapshots_->before(hits ? target - 1 : target);
  goBack(*from, {{"to", target}, {"hits", hits}, {"why", why}, {"said", std::move(said)}});
}

/// For the latest stop at `end` or before it: first behind the latest snapshot, then behind the one
/// before.
void Driver::search(std::uint64_t end, json::object said) {
  const std::uint64_t first = snapshots_->positions().front();
  if (end <= first) goTo(first, false, "no stop before: the beginning, ", std::move(said));
  goBack(*snapshots_->before(end - 1), {{"until", end}, {"said", std::move(said)}});
}

/// In the process of the snapshot that was woken.
void Driver::wakeUp(const std::string& message) {
  const json::value value = json::parse(message);
  const json::object& goal = value.as_object();
  const json::object& said = goal.at("said").as_object();
  const std::uint64_t from = position();
  dialogue_.restore(said);
  (void)dialogue_.takeTouched();
  last_ = StopReport{Stopped::Breakpoint, ""};
  if (const json::value* const end = goal.if_contains("until")) {
    const auto found = latestHit(end->to_number<std::uint64_t>());
    if (!found) search(from, said);
    goTo(*found, true, "", said);
  }
  const auto target = goal.at("to").to_number<std::uint64_t>();
  if (goal.at("hits").as_bool()) {
    findHits(target);
    dialogue_.pause();
  } else {
    runTo(target);
    dialogue_.watcher().go({});
    dialogue_.pause({debug::Standing::Reason::Back, json::value_to<std::string>(goal.at("why")) +
                                                        "at " + dialogue_.place(unit_.pc()) + "\n" +
                                                        dialogue_.standing()});
  }
}

/// Unseen. False: the program has come to its end before.
bool Driver::runTo(std::uint64_t target) {
  constexpr std::uint64_t kNear = 64;
  const debug::Silence silence;
  auto trace = std::exchange(session_.trace, nullptr);
  bool went = true;
  while (went && position() < target) {
    const std::uint64_t left = target - position();
    if (left < kNear) {
      went = !session_.step();
    } else {
      // Entries of interrupts count, too; there are never more of them than instructions.
      went = session_.run(left / 3).why == Stopped::Steps;
    }
  }
  session_.trace = std::move(trace);
  return went;
}

/// Comes to `target` again with a look at the last step. What was let pass on the way there
/// (counts) stops here.
void Driver::findHits(std::uint64_t target) {
  runTo(target - 1);
  const debug::Silence silence;
  debug::Watcher& watcher = dialogue_.watcher();
  const std::vector<debug::Stop> before = watcher.stops().all();
  watcher.go({});
  for (debug::Stop& s : watcher.stops().all()) s.skip = 0;
  (void)stepWatched();
  (void)watcher.due();
  for (debug::Stop& s : watcher.stops().all()) {
    for (const debug::Stop& b : before) {
      if (b.id == s.id) s.hits = b.hits, s.skip = b.skip;
    }
  }
}

/// Position of the latest stop from here to `end`.
std::optional<std::uint64_t> Driver::latestHit(std::uint64_t end) {
  const debug::Silence silence;
  debug::Watcher& watcher = dialogue_.watcher();
  auto trace = std::exchange(session_.trace, nullptr);
  for (debug::Stop& s : watcher.stops().all()) s.skip = 0, s.once = false;
  std::optional<std::uint64_t> latest;
  watcher.go({});
  while (position() < end && !stepWatched()) {
    if (!watcher.due()) continue;
    latest = position();
    (void)watcher.take();
  }
  session_.trace = std::move(trace);
  return latest;
}

}  // namespace rtvp::c32
