// See contention.hpp.
#include "models/common/contention.hpp"

#include <algorithm>
#include <utility>

namespace rtvp::common {
namespace {

using sc_core::sc_time;

constexpr unsigned kBus = 1, kMemory = 2;

}  // namespace

Contention::Contention(sc_core::sc_module_name name, const ContentionConfig& config)
    : sc_module(name),
      queue_({config.bus, config.memory}, config.arbitration),
      limited_(config.bus.limited() || config.memory.limited()) {
  SC_HAS_PROCESS(Contention);
  SC_METHOD(work);
  sensitive << timer_;
  dont_initialize();
}

void Contention::addMemory(std::uint64_t base, std::uint64_t size) {
  memory_.push_back({base, size});
}

unsigned Contention::addMaster(std::string name) {
  masters_.push_back(std::make_unique<Master>());
  return queue_.addMaster(std::move(name));
}

unsigned Contention::linksOf(std::uint64_t address) const {
  if (!limited_) return 0;
  const bool memory = std::any_of(memory_.begin(), memory_.end(), [&](const Range& r) {
    return address >= r.base && address - r.base < r.size;
  });
  return (queue_.links()[0].limited() ? kBus : 0U) |
         (memory && queue_.links()[1].limited() ? kMemory : 0U);
}

std::optional<sc_time> Contention::request(unsigned master, const sc_time& at,
                                           std::uint64_t address, std::uint64_t bytes,
                                           const Abort* abort) {
  const unsigned links = linksOf(address);
  if (links == 0) return at;
  const sc_time begin = std::max(at, sc_core::sc_time_stamp());
  return ask({master, begin.value(), bytes, links}, abort);
}

void Contention::turn(unsigned master) {
  if (limited_) ask({master, sc_core::sc_time_stamp().value(), 0, 0}, nullptr);
}

sc_time Contention::take(unsigned master, std::uint64_t address, std::uint64_t bytes) {
  const sc_time now = sc_core::sc_time_stamp();
  const unsigned links = linksOf(address);
  if (links == 0) return now;
  return sc_time::from_value(queue_.take({master, now.value(), bytes, links}).at);
}

std::optional<sc_time> Contention::ask(const GrantQueue::Request& request, const Abort* abort) {
  Master& master = *masters_.at(request.master);
  while (master.asking) wait(master.done);
  if (abort != nullptr && abort->raised) return std::nullopt;
  master.asking = true;
  std::optional<sc_time> begin = await(master, request, abort);
  master.asking = false;
  master.done.notify();
  return begin;
}

std::optional<sc_time> Contention::await(Master& master, const GrantQueue::Request& request,
                                         const Abort* abort) {
  queue_.ask(request);
  decide(request.master);
  while (!master.grant) {
    if (abort == nullptr) {
      wait(master.granted);
      continue;
    }
    wait(master.granted | abort->event);
    if (!abort->raised) continue;
    queue_.withdraw(request.master);
    master.grant.reset();
    arm();
    return std::nullopt;
  }
  const sc_time begin = sc_time::from_value(master.grant->at);
  master.grant.reset();
  return begin;
}

void Contention::settle() {
  sc_core::sc_event mine;
  settling_.push_back(&mine);
  arm();
  wait(mine);
}

/// Nobody but the caller and those who settle, who come last, can do anything before or at this
/// time. The timer must not be armed.
bool Contention::quietThrough(std::uint64_t ps) const {
  if (sc_core::sc_pending_activity_at_current_time()) return false;
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  if (ps <= now) return true;
  const sc_time pending = sc_core::sc_time_to_pending_activity(sc_core::sc_get_curr_simcontext());
  return settling_.empty() && pending.value() > ps - now;
}

/// Takes the decisions that nobody can upset any more. `self` is asking and goes on by itself.
void Contention::decide(std::optional<unsigned> self) {
  timer_.cancel();
  while (const auto due = queue_.due()) {
    if (!quietThrough(*due)) break;
    const GrantQueue::Grant grant = queue_.decide();
    Master& master = *masters_[grant.master];
    master.grant = grant;
    if (grant.master == self) break;
    // Its process is pending activity from here on: no further decision before it has run.
    master.granted.notify(sc_core::SC_ZERO_TIME);
  }
  arm();
}

/// The next look at what is due, not before its time.
void Contention::arm() {
  if (!settling_.empty()) return timer_.notify(sc_core::SC_ZERO_TIME);
  const auto due = queue_.due();
  if (!due) return;
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  timer_.notify(sc_time::from_value(*due > now ? *due - now : 0));
}

/// At the time of a decision, when everything else that happens at this time has happened.
void Contention::work() {
  if (sc_core::sc_pending_activity_at_current_time()) return timer_.notify(sc_core::SC_ZERO_TIME);
  const auto due = queue_.due();
  if (settling_.empty() || (due && *due <= sc_core::sc_time_stamp().value()))
    return decide(std::nullopt);
  settling_.front()->notify(sc_core::SC_ZERO_TIME);
  settling_.pop_front();
  arm();
}

void Contention::report(StatGroup& group) const {
  const double elapsed = static_cast<double>(sc_core::sc_time_stamp().value());
  for (std::size_t i = 0; i < queue_.links().size(); ++i) {
    const LinkConfig& link = queue_.links()[i];
    if (!link.limited()) continue;
    const GrantQueue::LinkTotals& totals = queue_.linkTotals()[i];
    StatGroup& sub = group.group(link.name, "one shared link");
    sub.count("requests", "1", "accesses granted", totals.requests);
    sub.count("bytes", "bytes", "bytes in those", totals.bytes);
    sub.count("busy_ps", "ps", "time with a transfer under way", totals.busy);
    sub.ratio("utilisation", "1", "busy time over simulated time",
              elapsed > 0 ? static_cast<double>(totals.busy) / elapsed : 0);
  }
  StatGroup& masters = group.group("masters", "who used the links and who waited for whom");
  for (const GrantQueue::MasterTotals& m : queue_.masters()) {
    StatGroup& sub = masters.group(m.name, "one master");
    sub.count("requests", "1", "accesses granted", m.requests);
    sub.count("bytes", "bytes", "bytes in those", m.bytes);
    sub.count("delayed", "1", "of these, accesses that had to wait", m.delayed);
    sub.count("waited_ps", "ps", "waiting time of all accesses", m.waited);
    sub.count("longest_wait_ps", "ps", "of one access", m.longest);
    StatGroup& whom = sub.group("waited_for_ps", "waiting time by the master waited for");
    for (std::size_t i = 0; i < m.waitedFor.size(); ++i)
      whom.count(queue_.masters()[i].name, "ps", "for its accesses", m.waitedFor[i]);
  }
}

}  // namespace rtvp::common
