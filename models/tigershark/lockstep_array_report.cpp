// What a lockstep array says of itself: who waits for what, totals over resets, statistics.
#include <algorithm>
#include <sstream>
#include <string_view>

#include "models/tigershark/lockstep_array.hpp"

namespace rtvp::tigershark {
namespace {

void reportHost(const ArrayEngine::HostCounters& host, int lanes, common::StatGroup& stats) {
  stats.text("engine", "engine that simulated the DSPs", host.engine);
  stats.count("takeovers", "times", "times the vector engine took the DSPs over", host.takeovers);
  stats.count("vector_issues", "instructions", "instructions it issued, each to a group of DSPs",
              host.issues);
  stats.count("vector_instructions", "instructions",
              "instructions executed that way, all DSPs; the rest went one by one",
              host.instructions);
  stats.count("service_instructions", "instructions",
              "of the rest: executed in blocks whose time was worked out beforehand",
              host.serviceInstructions);
  stats.count(
      "bytes_a_dsp", "bytes",
      "host memory of a DSP: its state and what the engines keep of it; code that all share "
      "is not counted",
      host.bytes / static_cast<std::uint64_t>(lanes));
}

}  // namespace

std::string LockstepArray::describe() const {
  land();
  std::ostringstream text;
  text << name() << ": ";
  if (inReset_) {
    text << "all DSPs in reset";
  } else {
    text << "in cycle " << now() << ", " << located(engine_->describe());
    const ArrayCounters c = engine_->counters(now());
    if (c.lostWords > 0)
      text << "; " << c.lostWords << " words lost in a receiver that was not read in time";
    if (c.lateWords > 0) text << "; " << c.lateWords << " words came behind a node's own time";
  }
  if (holdRequested_)
    text << (holdGranted_ ? "; the host has the bus" : "; the host waits for the bus");
  return text.str();
}

/// The place behind each "PC 87fe13h" of a report by the engine, which knows no program.
std::string LockstepArray::located(const std::string& text) const {
  constexpr std::string_view kPc = "PC ";
  if (!config_.locate) return text;
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = text.find(kPc); at != std::string::npos; at = text.find(kPc, at)) {
    at += kPc.size();
    const std::size_t end = text.find_first_not_of("0123456789abcdefABCDEF", at);
    if (end == std::string::npos || end == at || end - at > 8 || text[end] != 'h') continue;
    const std::string place = config_.locate(
        static_cast<std::uint32_t>(std::stoul(text.substr(at, end - at), nullptr, 16)));
    out += text.substr(from, end + 1 - from) + (place.empty() ? "" : " = " + place);
    from = end + 1;
  }
  return out + text.substr(from);
}

/// A reset restarts the engine's counters; a run's totals go on (a driver that changes firmware
/// resets the board).
void LockstepArray::keepTotals() {
  past_.add(engine_->counters(resetAt_));
  pastLanes_.resize(static_cast<std::size_t>(config_.array.lanes));
  for (int lane = 0; lane < config_.array.lanes; ++lane) {
    pastLanes_[static_cast<std::size_t>(lane)].add(engine_->laneStatistics(lane, resetAt_));
  }
  if (!accounts_) return;
  pastCosts_.resize(static_cast<std::size_t>(config_.array.lanes));
  for (int lane = 0; lane < config_.array.lanes; ++lane) {
    c32::addCosts(pastCosts_[static_cast<std::size_t>(lane)], engine_->laneCosts(lane, resetAt_));
  }
}

/// A reset ends what the engine counts, also while nobody has started it anew.
Cycle LockstepArray::countedUntil() const {
  return started_ && !inReset_ && running_ == resets_ ? now() : resetAt_;
}

ArrayCounters LockstepArray::totals() const {
  land();
  ArrayCounters sum = past_;
  sum.add(engine_->counters(countedUntil()));
  return sum;
}

c32::CpuStatistics LockstepArray::laneTotals(int lane) const {
  land();
  c32::CpuStatistics sum;
  if (!pastLanes_.empty()) sum = pastLanes_[static_cast<std::size_t>(lane)];
  sum.add(engine_->laneStatistics(lane, countedUntil()));
  return sum;
}

void LockstepArray::keepAccounts() {
  accounts_ = true;
  engine_->keepAccounts();
}

c32::PlaceCosts LockstepArray::laneCosts(int lane) const {
  land();
  c32::PlaceCosts sum;
  if (!pastCosts_.empty()) sum = pastCosts_[static_cast<std::size_t>(lane)];
  c32::addCosts(sum, engine_->laneCosts(lane, countedUntil()));
  return sum;
}

void LockstepArray::report(common::StatGroup& stats) const {
  land();
  reportHost(engine_->hostCounters(), config_.array.lanes,
             stats.group("host_side", "how the host simulated it"));
  const ArrayCounters c = totals();
  stats.count("lanes", "DSPs", "processors on the board",
              static_cast<std::uint64_t>(config_.array.lanes));
  stats.count("instructions", "instructions",
              "instructions executed by all DSPs; none while idle or held", c.instructions);
  stats.count("cycles", "lane cycles", "H1 cycles out of reset times DSPs", c.total);
  stats.count("cycles_busy", "lane cycles", "executing instructions", c.executing);
  stats.count("cycles_bus_wait", "lane cycles", "waiting for the shared memory", c.busWait);
  stats.count("cycles_barrier", "lane cycles",
              "held at a barrier, waiting for the slowest lane or for the host", c.held);
  stats.count("cycles_conflict", "lane cycles", "lost to pipeline conflicts", c.conflict);
  stats.count("cycles_interrupt", "lane cycles", "entering interrupt routines", c.interrupt);
  stats.count("cycles_other", "lane cycles", "reset release, interlocks, low-power mode", c.other);
  stats.count("cycles_idle", "lane cycles", "in IDLE, waiting for the chain", c.idle);
  stats.count("barriers", "barriers", "barrier releases", c.barriers);
  stats.count("votes", "votes", "readings of the vote line, once for all lanes", c.votes);
  stats.count("skips", "votes", "votes that nobody answered: the box's contents were skipped",
              c.skips);
  stats.count("voters", "lanes", "lanes that pulled the vote line low, summed over the votes",
              c.voters);
  if (config_.walk) {
    stats.count("tests", "tests",
                "one triangle or sphere against one ray that was open (tmax above 0); no fillers, "
                "blocked rays or terminators",
                tests_);
    stats.count("box_tests", "tests", "likewise, one box against one ray", boxTests_);
  }
  stats.count("broadcast_data_words", "words", "data words read by all lanes together",
              c.sharedReads);
  stats.count("broadcast_fetch_words", "words",
              "instruction words and vectors read by all lanes together", c.sharedFetches);
  stats.count("master_writes", "words", "words written by the master", c.sharedWrites);
  const double busCycles =
      static_cast<double>((c.sharedReads + c.sharedFetches) * (1 + config_.waitStates) +
                          c.sharedWrites * (2 + config_.waitStates));
  const double elapsed =
      static_cast<double>(c.total) / static_cast<double>(std::max(1, config_.array.lanes));
  stats.ratio("bus_utilisation", "1",
              "H1 cycles in which the shared bus moves a word, the memory's wait states included, "
              "over cycles out of reset",
              elapsed > 0 ? busCycles / elapsed : 0);
  stats.count("arrival_skew", "lane cycles",
              "cycles between each lane's arrival at a barrier and the last one's", c.epochSkew);
  stats.count(
      "walk_cycles", "cycles",
      "H1 cycles from each barrier release to the next while the DSPs walk the database; the "
      "rest of the time is the chain's and the host's",
      walkCycles_);
  stats.count("held_for_host", "cycles",
              "cycles in which nodes wanted the bus while the host had it", heldForHost_);
  stats.count("link_words", "words",
              "words sent over the serial links between nodes and to the PLD", c.chainWords);
  stats.count("link_words_lost", "words", "words lost in a receiver that was not read in time",
              c.lostWords);
  stats.count("link_words_late", "words", "words that reached a node behind its own time",
              c.lateWords);
}

}  // namespace rtvp::tigershark
