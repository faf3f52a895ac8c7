// See grant_queue.hpp.
#include "models/common/grant_queue.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rtvp::common {

GrantQueue::GrantQueue(std::vector<LinkConfig> links, Arbitration arbitration)
    : configs_(std::move(links)),
      arbitration_(arbitration),
      links_(configs_.size()),
      linkTotals_(configs_.size()) {
  if (configs_.size() > kMostLinks) throw std::invalid_argument("contention: too many links");
  for (const LinkConfig& link : configs_) {
    if (link.periodPs == 0)
      throw std::invalid_argument(link.name + ": the clock period must not be 0");
  }
}

unsigned GrantQueue::addMaster(std::string name) {
  totals_.emplace_back().name = std::move(name);
  for (MasterTotals& master : totals_) master.waitedFor.resize(totals_.size());
  pending_.emplace_back();
  return static_cast<unsigned>(totals_.size() - 1);
}

void GrantQueue::ask(const Request& request) {
  std::optional<Request>& place = pending_.at(request.master);
  if (place) throw std::logic_error(totals_[request.master].name + ": a second request at once");
  place = request;
  ++waiting_;
}

bool GrantQueue::withdraw(unsigned master) {
  if (!pending_.at(master)) return false;
  pending_[master].reset();
  --waiting_;
  return true;
}

/// When the link could begin a transfer that is asked for at `at`.
GrantQueue::Ps GrantQueue::earliest(std::size_t link, Ps at) const {
  const Link& state = links_[link];
  Ps begin = std::max(at, state.free);
  const std::size_t places = configs_[link].outstanding;
  if (places != 0 && state.granted.size() >= places)
    begin = std::max(begin, state.granted[state.granted.size() - places].leaves);
  return begin;
}

GrantQueue::Ps GrantQueue::earliest(const Request& request) const {
  Ps begin = request.at;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if ((request.links >> i & 1U) != 0) begin = std::max(begin, earliest(i, request.at));
  }
  return begin;
}

/// Is `a`, which could begin at `aAt`, granted before `b`?
bool GrantQueue::before(const Request& a, Ps aAt, const Request& b, Ps bAt) const {
  if (arbitration_ == Arbitration::Fifo) return a.at != b.at ? a.at < b.at : a.master < b.master;
  if (aAt != bAt) return aAt < bAt;
  if (arbitration_ == Arbitration::Priority) return a.master < b.master;
  // Distance from the master after the last one, in the circle of masters.
  return a.master - last_ - 1 < b.master - last_ - 1;
}

const GrantQueue::Request& GrantQueue::chosen() const {
  const Request* best = nullptr;
  Ps bestAt = 0;
  for (const std::optional<Request>& request : pending_) {
    if (!request) continue;
    const Ps at = arbitration_ == Arbitration::Fifo ? request->at : earliest(*request);
    if (best != nullptr && !before(*request, at, *best, bestAt)) continue;
    best = &*request;
    bestAt = at;
  }
  if (best == nullptr) throw std::logic_error("contention: nobody asks");
  return *best;
}

std::optional<GrantQueue::Ps> GrantQueue::due() const {
  if (waiting_ == 0) return std::nullopt;
  const Request& next = chosen();
  return arbitration_ == Arbitration::Fifo ? next.at : earliest(next);
}

GrantQueue::Grant GrantQueue::decide() {
  const Request request = chosen();
  withdraw(request.master);
  return take(request);
}

GrantQueue::Grant GrantQueue::take(const Request& request) {
  const Ps at = earliest(request);
  account(request, at);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if ((request.links >> i & 1U) != 0) occupy(i, request, at);
  }
  if (request.links != 0) last_ = request.master;
  return {request.master, request.at, at};
}

void GrantQueue::occupy(std::size_t link, const Request& request, Ps at) {
  const LinkConfig& config = configs_[link];
  const std::uint64_t clocks =
      config.widthBytes == 0 ? 0 : (request.bytes + config.widthBytes - 1) / config.widthBytes;
  const Ps length = clocks * config.periodPs;
  Link& state = links_[link];
  state.free = at + length;
  state.granted.push_back(
      {at, state.free, state.free + config.latencyClocks * config.periodPs, request.master});
  LinkTotals& totals = linkTotals_[link];
  ++totals.requests;
  totals.bytes += request.bytes;
  totals.busy += length;
}

// ---- who waited for whom

/// Adds a granted request to the totals, before it occupies its links.
void GrantQueue::account(const Request& request, Ps at) {
  if (request.links == 0) return;
  // Nobody has to wait any more for what has left. Requests may be a little out of order, so that
  // blame() may find less than there was; earliest() needs the last `outstanding` in any case.
  for (std::size_t i = 0; i < links_.size(); ++i) {
    std::deque<Transfer>& granted = links_[i].granted;
    while (granted.size() > configs_[i].outstanding && granted.front().end <= request.at)
      granted.pop_front();
  }
  MasterTotals& totals = totals_[request.master];
  ++totals.requests;
  totals.bytes += request.bytes;
  if (at == request.at) return;
  ++totals.delayed;
  totals.waited += at - request.at;
  totals.longest = std::max(totals.longest, at - request.at);
  for (Ps from = request.at; from < at;) {
    Ps end = at;
    const unsigned master = blame(request, from, at, end);
    totals.waitedFor[master] += end - from;
    from = end;
  }
}

/// Whom the request waits for at `from`, and until when at most `until`: the one whose transfer is
/// under way; else the one whose transfer comes before its own; else the one whose place it gets.
unsigned GrantQueue::blame(const Request& request, Ps from, Ps until, Ps& end) const {
  const Transfer* next = nullptr;
  const Transfer* place = nullptr;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if ((request.links >> i & 1U) == 0) continue;
    for (const Transfer& t : links_[i].granted) {
      if (t.begin <= from && from < t.end) {
        end = std::min(until, t.end);
        return t.master;
      }
      if (t.begin > from && (next == nullptr || t.begin < next->begin)) next = &t;
      if (t.leaves >= until && (place == nullptr || t.leaves < place->leaves)) place = &t;
    }
  }
  end = next != nullptr ? std::min(until, next->begin) : until;
  if (next != nullptr) return next->master;
  return place != nullptr ? place->master : request.master;
}

}  // namespace rtvp::common
