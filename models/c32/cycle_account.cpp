#include "models/c32/cycle_account.hpp"

#include "models/c32/cpu_sequence.hpp"

namespace rtvp::c32 {

std::uint64_t PlaceCost::cycles() const {
  std::uint64_t sum = executing;
  for (const std::uint64_t s : stalls) sum += s;
  return sum;
}

void PlaceCost::add(const PlaceCost& other, std::uint64_t times) {
  instructions += times * other.instructions;
  executing += times * other.executing;
  for (unsigned c = 0; c < kStallCauses; ++c) stalls[c] += times * other.stalls[c];
}

void addCosts(PlaceCosts& to, const PlaceCosts& more) {
  for (const auto& [address, cost] : more) to[address].add(cost);
}

/// How often parts of a sequence were executed: the number of times that one begins at a step, less
/// the times that one ends there. Steps are added up only when somebody asks.
struct CycleAccount::Visits {
  explicit Visits(const Sequence& s) : sequence(s), changes(std::size_t{s.count} + 1) {}
  const Sequence& sequence;
  std::vector<std::int64_t> changes;
};

CycleAccount::CycleAccount() : internal_(kRamWords) {}
CycleAccount::~CycleAccount() = default;

void CycleAccount::restart() {
  internal_.assign(kRamWords, {});
  outside_.clear();
  seen_ = {};
  visits_.clear();
}

void CycleAccount::sequence(const Sequence& s, std::uint32_t from, std::uint32_t to,
                            Cycle conflict) {
  if (from == to) return;
  if (s.number >= visits_.size()) visits_.resize(std::size_t{s.number} + 1);
  std::unique_ptr<Visits>& visits = visits_[s.number];
  if (!visits) visits = std::make_unique<Visits>(s);
  ++visits->changes[from];
  --visits->changes[to];
  if (conflict != 0) stall(at(s.ops[from].pc), StallCause::RegisterConflict) += conflict;
}

PlaceCosts CycleAccount::costs() const {
  std::vector<PlaceCost> internal = internal_;
  PlaceCosts all = outside_;
  for (const auto& v : visits_) {
    if (!v) continue;
    const Sequence& s = v->sequence;
    std::int64_t times = 0;
    for (std::size_t n = 0; n < s.count; ++n) {
      times += v->changes[n];
      PlaceCost once;
      once.instructions = s.marks[n + 1].instructions - s.marks[n].instructions;
      const std::uint64_t conflict = s.marks[n + 1].conflict - s.marks[n].conflict;
      stall(once, StallCause::RegisterConflict) = conflict;
      once.executing =
          static_cast<std::uint64_t>(s.marks[n + 1].start - s.marks[n].start) - conflict;
      internal[s.ops[n].pc - kRamBase].add(once, static_cast<std::uint64_t>(times));
    }
  }
  std::erase_if(all, [](const auto& place) { return place.second == PlaceCost{}; });
  for (std::uint32_t n = 0; n < kRamWords; ++n) {
    if (internal[n] != PlaceCost{}) all.emplace_hint(all.end(), kRamBase + n, internal[n]);
  }
  return all;
}

}  // namespace rtvp::c32
