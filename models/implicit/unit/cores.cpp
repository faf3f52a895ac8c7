// See cores.hpp.
#include "models/implicit/unit/cores.hpp"

#include <algorithm>

namespace rtvp::implicit::unit {

CoreCounters& CoreCounters::operator+=(const CoreCounters& other) {
  busy += other.busy;
  fetch += other.fetch;
  constant += other.constant;
  leaf += other.leaf;
  data += other.data;
  port += other.port;
  warps += other.warps;
  idle_lanes += other.idle_lanes;
  for (unsigned n = 0; n < kCacheKinds; ++n) {
    hits[n] += other.hits[n];
    misses[n] += other.misses[n];
  }
  return *this;
}

// ---- one core

Core::Core(const Timing& timing)
    : caches_{Cache(timing.opcodes), Cache(timing.constants), Cache(timing.leaves)} {}

inline void Core::compute(Clock cycles) {
  now_ += cycles;
  counters_.busy += cycles;
}

inline Clock& Core::stallOf(CacheKind kind) {
  constexpr std::array kStalls{&CoreCounters::fetch, &CoreCounters::constant, &CoreCounters::leaf};
  return counters_.*kStalls[static_cast<std::size_t>(kind)];
}

inline void Core::hit(CacheKind kind, std::uint64_t times) {
  const Clock cycles = times * cacheOf(kind).config().hit_cycles;
  counters_.hits[static_cast<std::size_t>(kind)] += times;
  stallOf(kind) += cycles;
  now_ += cycles;
}

void Core::take(Warp warp) {
  idleUntil(warp.ready);
  warp_ = std::move(warp);
  phase_ = Phase::Before;
  index_ = 0;
  evaluation_ = 0;
  slot_ = 0;
  line_ = 0;
  arrival_ = 0;
  ++counters_.warps;
  counters_.idle_lanes += warp_->idle_lanes;
  compute(warp_->start);
}

void Core::hold(Clock clock) {
  if (clock <= now_) return;
  counters_.data += clock - now_;
  now_ = clock;
}

void Core::flush() {
  for (Cache& cache : caches_) cache.clear();
}

void Core::cancel() {
  flush();
  warp_.reset();
  now_ = 0;
}

bool Core::advance() {
  for (;;) {
    switch (phase_) {
      case Phase::Before:
        if (moves(warp_->before, Phase::Setup)) return true;
        break;
      case Phase::Setup:
        if (setup()) return true;
        break;
      case Phase::Runs:
        if (runs()) return true;
        break;
      case Phase::After:
        if (moves(warp_->after, Phase::After)) return true;
        warp_.reset();
        return false;
    }
  }
}

bool Core::moves(const std::vector<Move>& list, Phase next) {
  if (index_ < list.size()) {
    const Move& move = list[index_++];
    pending_ = {nullptr, &move, move.address, move.bytes, CacheKind::Opcodes};
    return true;
  }
  hold(arrival_);
  phase_ = next;
  index_ = 0;
  return false;
}

/// True: a line is missing, which is now pending. The next call goes on behind it.
inline bool Core::slot(const Slot& slot) {
  Cache& cache = cacheOf(slot.cache);
  if (slot.bytes != 0) {
    const std::uint64_t first = cache.lineOf(slot.address);
    const std::uint64_t last = cache.lineOf(slot.address + slot.bytes - 1);
    while (first + line_ <= last) {
      const std::uint64_t line = first + line_++;
      if (cache.access(line)) {
        hit(slot.cache, 1);
        ++sweep_hits_[static_cast<std::size_t>(slot.cache)];
        continue;
      }
      ++counters_.misses[static_cast<std::size_t>(slot.cache)];
      sweep_missed_ = true;
      const Region& r = *slot.region;
      const std::uint64_t size = cache.config().line_bytes;
      const std::uint64_t from = std::max(line * size, r.base);
      const std::uint64_t to = std::min((line + 1) * size, r.base + r.bytes);
      pending_ = {&r, nullptr, from, static_cast<std::uint32_t>(to - from), slot.cache};
      return true;
    }
  }
  line_ = 0;
  if ((slot.again[0] | slot.again[1] | slot.again[2]) != 0) {
    for (unsigned kind = 0; kind < kCacheKinds; ++kind) {
      hit(static_cast<CacheKind>(kind), slot.again[kind]);
      sweep_hits_[kind] += slot.again[kind];
    }
  }
  compute(slot.cycles);
  return false;
}

bool Core::setup() {
  for (; index_ < warp_->setup.size(); ++index_)
    if (slot(warp_->setup[index_])) return true;
  phase_ = Phase::Runs;
  index_ = 0;
  return false;
}

bool Core::runs() {
  for (; index_ < warp_->runs.size(); ++index_) {
    const Run& run = warp_->runs[index_];
    while (evaluation_ < run.evaluations) {
      for (; slot_ < run.plan->slots.size(); ++slot_)
        if (slot(run.plan->slots[slot_])) return true;
      compute(run.extra);
      slot_ = 0;
      ++evaluation_;
      skipRepeats(run);
      sweep_missed_ = false;
      sweep_hits_ = {};
    }
    evaluation_ = 0;
  }
  phase_ = Phase::After;
  index_ = 0;
  return false;
}

/// Invariant: after a sweep in which every line was found all further ones are the same, for
/// nothing has left the caches and their order of use repeats. Nobody else uses them before the run
/// ends. As many runs of one evaluation, which skip nothing, are the plain twin.
void Core::skipRepeats(const Run& run) {
  if (sweep_missed_ || evaluation_ >= run.evaluations) return;
  const Clock times = run.evaluations - evaluation_;
  for (unsigned kind = 0; kind < kCacheKinds; ++kind)
    hit(static_cast<CacheKind>(kind), sweep_hits_[kind] * times);
  compute((run.plan->cycles + run.extra) * times);
  evaluation_ = run.evaluations;
}

void Core::transfer(Port& port) {
  const Pending& p = pending_;
  buffer_.resize(p.bytes);
  Port::Grant grant;
  if (p.region != nullptr) {
    grant = port.read(p.region->traffic, p.address, buffer_, now_);
    p.region->check(p.address, buffer_);
    stallOf(p.cache) += grant.end - grant.start;
  } else {
    const auto data = std::span<const std::uint8_t>(warp_->bytes).subspan(p.move->offset);
    if (p.move->write) {
      grant = port.write(p.move->traffic, p.address, data.first(p.bytes), now_);
    } else {
      grant = port.read(p.move->traffic, p.address, buffer_, now_);
      if (p.move->check && !std::equal(buffer_.begin(), buffer_.end(), data.begin()))
        throw JobFault(Fault::Changed, "memory changed while the unit worked on it", kNone, kNone,
                       p.address);
    }
    arrival_ = grant.end;
    counters_.data += grant.sent - grant.start;
  }
  counters_.port += grant.start - now_;
  now_ = p.region != nullptr ? grant.end : grant.sent;
}

// ---- all of them

Cores::Cores(const Timing& timing, Port& port) : port_(port), cores_(timing.cores, Core(timing)) {}

void Cores::push(Warp warp) {
  waiting_.push_back(std::move(warp));
  pump(false);
}

void Cores::pushOrdered(Warp warp) {
  if (!warp.after.empty()) warp.order = ++numbered_;
  push(std::move(warp));
}

/// Runs a core to its next transfer, or the end of its warp.
void Cores::advance(Core& core) {
  const std::uint64_t order = core.order();
  if (core.advance() || order == 0) return;
  written_ = order;
  written_at_ = core.now();
}

/// Warps go to the core that has been free longest. False: some core has nothing to do and what it
/// will get is not known yet.
bool Cores::hand(bool drain) {
  for (;;) {
    Core* free = nullptr;
    for (Core& core : cores_)
      if (!core.working() && (free == nullptr || core.now() < free->now())) free = &core;
    if (free == nullptr) return true;
    if (waiting_.empty()) return drain;
    free->take(std::move(waiting_.front()));
    waiting_.pop_front();
    // A core that has work always stands before a transfer.
    advance(*free);
  }
}

/// The core that comes first to the port, of those whose turn it is to write or that do not write.
Core* Cores::next() {
  Core* first = nullptr;
  for (Core& core : cores_) {
    if (!core.working() || core.order() > written_ + 1) continue;
    if (core.order() == written_ + 1) core.hold(written_at_);
    if (first == nullptr || core.now() < first->now()) first = &core;
  }
  return first;
}

void Cores::pump(bool drain) {
  while (hand(drain)) {
    Core* const core = next();
    if (core == nullptr) return;
    core->transfer(port_);
    advance(*core);
  }
}

Clock Cores::drain() {
  pump(true);
  Clock last = 0;
  for (const Core& core : cores_) last = std::max(last, core.now());
  return last;
}

void Cores::idleUntil(Clock clock) {
  for (Core& core : cores_) core.idleUntil(clock);
}

void Cores::flush() {
  for (Core& core : cores_) core.flush();
}

void Cores::cancel() {
  waiting_.clear();
  numbered_ = written_ = 0;
  written_at_ = 0;
  for (Core& core : cores_) core.cancel();
}

CoreCounters Cores::sum() const {
  CoreCounters out;
  for (const Core& core : cores_) out += core.counters();
  return out;
}

void Cores::clear() {
  for (Core& core : cores_) core.clear();
}

}  // namespace rtvp::implicit::unit
