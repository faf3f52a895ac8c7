// See unit.hpp.
#include "models/xphmg/unit.hpp"

#include <algorithm>
#include <stdexcept>

namespace rtvp::xphmg {
namespace {

constexpr unsigned kMostJobs = 65535;
constexpr unsigned kAccessBytes = 8;  // of the page (16.1)

UnitPort::Config portConfig(const UnitConfig& c) {
  return {c.timing, c.lds, c.lmemKib, c.dmi, c.number, c.period};
}

}  // namespace

RtUnit::RtUnit(sc_core::sc_module_name name, const UnitConfig& config)
    : sc_module(name),
      host_tsock("host_tsock"),
      bus_isock("bus_isock"),
      irq_o("irq_o"),
      config_(config),
      clock_(config.period, "xphmg"),
      csrs_(config.features),
      page_({csrTable(), page::kSize, kAccessBytes, kAccessBytes}, *this),
      queue_(config.queueDepth),
      port_(portConfig(config), common::BusMaster::through(bus_isock)) {
  if (config.queueDepth == 0 || config.queueDepth > kMostJobs)
    throw std::invalid_argument("xphmg: the queue depth must be 1 to 65535");
  host_tsock.register_b_transport(this, &RtUnit::transport);
  host_tsock.register_transport_dbg(this, &RtUnit::debug);
  bus_isock.register_invalidate_direct_mem_ptr(this, &RtUnit::invalidate);
  SC_HAS_PROCESS(RtUnit);
  SC_THREAD(work);
  SC_METHOD(drive);
  sensitive << irq_event_;
  dont_initialize();
  updatePage();
}

void RtUnit::invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
  port_.invalidate(first, last);
}

// ---- jobs

void RtUnit::work() {
  for (;;) {
    const Cycle now = clock_.now();
    release(now);
    Cycle next = 0;
    if (!completions_.empty()) {
      next = completions_.front().at;
    } else if (running_) {
      next = port_.now();
    } else if (queue_.ready()) {
      next = queue_.front().at;
    } else {
      wait(work_event_);
      continue;
    }
    if (next > now) {
      wait(clock_.of(next) - sc_core::sc_time_stamp(), work_event_);
    } else {
      workOn(now);
    }
  }
}

/// Up to the quantum; where others are in the way, to the end of the job, as they let it.
void RtUnit::workOn(Cycle now) {
  working_ = true;
  try {
    advance(port_.contended() ? ~Cycle{0} : now + clock_.at(config_.quantum));
  } catch (const common::BusMaster::Withdrawn&) {
    running_.reset();
    abandoned_ = false;
  }
  working_ = false;
}

void RtUnit::advance(Cycle limit) {
  if (!running_ && !startJob()) return;
  do {
    if (stretch(limit) && port_.now() >= limit) return;
    if (!nextRay()) return endJob();
  } while (port_.now() < limit);
}

/// Rays at once while nobody watches them. False: none.
bool RtUnit::stretch(Cycle limit) {
  if (ray_observer_) return false;
  const Stretch done = running_->job.stretch(port_, limit);
  maxDepth_ = std::max<std::uint64_t>(maxDepth_, done.maxDepth);
  return done.rays != 0;
}

/// Descriptor, policy and rings. False: there was no job, or it failed and has ended.
bool RtUnit::startJob() {
  if (!queue_.ready()) return false;
  const SubmittedJob submitted = queue_.take();
  port_.beginJob(submitted.ticket, submitted.at);
  const Job job(submitted.snapshot.state, submitted.descriptor);
  running_.emplace(Running{submitted, job});
  Running& r = *running_;
  r.started = port_.now();
  if (job_probe_ != nullptr) job_probe_->begins(r.submitted);
  const JobSnapshot& snapshot = r.submitted.snapshot;
  // The fetch itself is tagged with the defaults: the job's policy is not known yet.
  port_.setTags(resolveXmem(snapshot.xmem, MemCtl{}).tags);
  port_.setNode8(false);
  r.fetched = r.job.fetch(port_);
  bool ok = r.fetched;
  if (ok) {
    const RtDesc& desc = r.job.descriptor();
    const XmemPolicy policy = resolveXmem(snapshot.xmem, desc.memctl);
    r.policyEvents = policy.events;
    r.node8 = (desc.opts & opts::kNode8) != 0;
    port_.setTags(policy.tags);
    port_.setNode8(r.node8);
    if (policy.strictDomain) {
      ok = r.job.fail(kEcIllegal, event::kDmaErr, r.submitted.descriptor);
    } else {
      ok = r.job.open(port_);
    }
  }
  if (!ok) endJob();
  return ok;
}

bool RtUnit::nextRay() {
  const Cycle start = port_.now();
  const std::uint64_t bytes = ray_observer_ ? port_.busBytes() : 0;
  const std::uint64_t rays = running_->job.result().rays;
  const bool more = running_->job.next(port_);
  // The call that finds the ring empty has traced nothing.
  if (running_->job.result().rays == rays) return more;
  const TraversalResult& last = running_->job.lastRay();
  maxDepth_ = std::max<std::uint64_t>(maxDepth_, last.maxDepth);
  if (ray_observer_) {
    ray_observer_({port_.rayTag(), last.hit, last.tiles / (running_->node8 ? 2U : 1U),
                   last.triangles, port_.now() - start, port_.busBytes() - bytes});
  }
  return more;
}

void RtUnit::endJob() {
  if (abandoned_) throw common::BusMaster::Withdrawn{};
  const Running& r = *running_;
  completions_.push_back(
      {r.started, port_.now(),
       outcomeOf(r.submitted, r.job.result(), r.node8, r.policyEvents, port_.unmapped()),
       port_.lmemHits(), port_.cycles().sum()});
  if (job_probe_ != nullptr)
    job_probe_->ends(completions_.back().outcome, r.started, completions_.back().at);
  residence_ += port_.now() - r.submitted.at;
  running_.reset();
}

/// Makes visible what has completed by `now`.
void RtUnit::release(Cycle now) {
  while (!completions_.empty() && completions_.front().at <= now) {
    apply(completions_.front());
    completions_.pop_front();
    done_event_.notify(sc_core::SC_ZERO_TIME);
  }
  csrs_.setBusy(queue_.occupied() != 0);
}

void RtUnit::apply(const Completion& completion) {
  const JobOutcome& o = completion.outcome;
  retire(csrs_, o);
  queue_.complete(o.ticket);
  tokens_.completed(o.ticket);
  show(signals_.job, completion.started, o.ticket);
  show(signals_.job, completion.at, common::kNoValue);
  show(signals_.head, completion.at, o.ticket);
  std::uint64_t pending = csrs_.peek(Csr::IRQ_PEND) | irq::kJobEnd;
  if (o.errorCode != 0) {
    pending |= irq::kJobFailed;
    csrs_.poke(Csr::ERR_TICKET, o.ticket);
    ++failed_;
  }
  if (o.enabledFlag) pending |= irq::kFpFlag;
  csrs_.poke(Csr::IRQ_PEND, pending);
  ++jobs_;
  const auto add = [&](Csr csr, std::uint64_t n) { csrs_.poke(csr, csrs_.peek(csr) + n); };
  add(Csr::COUNT_JOBS, 1);
  add(Csr::COUNT_RAYS, o.rays);
  add(Csr::COUNT_HITS, o.hits);
  add(Csr::COUNT_MISSES, o.misses);
  add(Csr::COUNT_TILES, o.tiles);
  add(Csr::COUNT_TRIANGLES, o.triangles);
  csrs_.poke(Csr::COUNT_LMEM_HITS, completion.lmemHits - lmemBase_);
  csrs_.poke(Csr::COUNT_BUSY, completion.busy - busyBase_);
  totals_.rays += o.rays;
  totals_.hits += o.hits;
  totals_.misses += o.misses;
  totals_.nodes += o.nodes;
  totals_.tiles += o.tiles;
  totals_.leaves += o.leaves;
  totals_.triangles += o.triangles;
  show(signals_.rays, completion.at, totals_.rays);
  updatePage();
}

void RtUnit::updatePage() {
  csrs_.poke(Csr::TICKET_LAST, queue_.lastTicket());
  csrs_.poke(Csr::TICKET_DONE, queue_.doneTicket());
  csrs_.poke(Csr::QUEUE, queue_.depth() | std::uint64_t{queue_.occupied()} << 16U);
  irq_event_.notify(sc_core::SC_ZERO_TIME);
}

bool RtUnit::irq() const {
  return (csrs_.peek(Csr::IRQ_EN) & csrs_.peek(Csr::IRQ_PEND)) != 0;
}

void RtUnit::drive() {
  for (int i = 0; i < irq_o.size(); ++i) irq_o[i]->write(irq());
  signals_.irq.set(sc_core::sc_time_stamp().value(), irq() ? 1 : 0);
}

// ---- submission

unsigned RtUnit::refusal() const {
  const UnitFeatures& f = config_.features;
  if (!f.cap) return kEcIllegal;
  if ((f.rtcap & rtcap::kDescq) == 0) return kEcUnsupported;
  return f.enStrict && (csrs_.peek(Csr::RTCFG) & 1U) == 0 ? kEcIllegal : kEcNone;
}

/// Cycle at which the queue has a place for one more job: the unit runs on until enough of what is
/// before it has ended.
Cycle RtUnit::placeFree() {
  if (!queue_.full()) return 0;
  if (port_.contended()) {  // the unit cannot run on before others have had their turn
    while (queue_.full()) wait(done_event_);
    return clock_.now();
  }
  const std::size_t ends = queue_.occupied() - queue_.depth() + 1;
  while (completions_.size() < ends) advance(~Cycle{0});
  return completions_[ends - 1].at;
}

Ticket RtUnit::submit(std::uint64_t descriptor, sc_core::sc_time& delay) {
  sc_core::sc_time now = sc_core::sc_time_stamp();
  release(clock_.at(now + delay));
  if (const unsigned code = refusal(); code != kEcNone) {
    csrs_.setLastEc(code);
    return 0;
  }
  const Cycle arrival = clock_.at(now + delay) + config_.timing.doorbell;
  const Cycle at = std::max(arrival, placeFree());
  heldCycles_ += at - arrival;
  const Ticket ticket = queue_.submit(descriptor, csrs_.snapshot(), at);
  if (job_probe_ != nullptr) job_probe_->submitted(ticket, descriptor, csrs_);
  show(signals_.tail, at, ticket);
  most_ = std::max(most_, std::min(queue_.occupied(), queue_.depth()));
  now = sc_core::sc_time_stamp();
  delay = clock_.of(at) - now;
  csrs_.setBusy(true);
  updatePage();
  work_event_.notify(delay);
  return ticket;
}

void RtUnit::signal(unsigned token) {
  tokens_.signal(token, queue_.lastTicket(), queue_.doneTicket());
}

Ticket RtUnit::ticketDone(const sc_core::sc_time& ahead) {
  release(clock_.at(sc_core::sc_time_stamp() + ahead));
  return queue_.doneTicket();
}

CsrFile& RtUnit::csrs(const sc_core::sc_time& ahead) {
  release(clock_.at(sc_core::sc_time_stamp() + ahead));
  return csrs_;
}

void RtUnit::reset() {
  const Cycle now = clock_.now();
  showUnfinished(now);
  show(signals_.job, now, common::kNoValue);
  show(signals_.head, now, 0);
  show(signals_.tail, now, 0);
  if (working_) {
    abandoned_ = true;
    abandon_event_.notify();
  } else {
    running_.reset();
  }
  if (port_.contended()) done_event_.notify(sc_core::SC_ZERO_TIME);  // for held doorbells
  completions_.clear();
  queue_.reset();
  tokens_.reset();
  csrs_.reset();
  lmemBase_ = port_.lmemHits();
  busyBase_ = port_.cycles().sum();
  updatePage();
  work_event_.notify(sc_core::SC_ZERO_TIME);
}

// ---- the page

void RtUnit::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++registerAccesses_;
  ahead_ = delay + config_.period;
  const tlm::tlm_response_status status = page_.access(payload);
  payload.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE) {
    ++registerErrors_;
  } else if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
    delay = ahead_;
  }
}

std::optional<std::uint64_t> RtUnit::readRegister(std::size_t row, std::uint64_t /*bytes*/) {
  return csrs(ahead_).read(static_cast<Csr>(row));
}

bool RtUnit::writeRegister(std::size_t row, std::uint64_t value, std::uint64_t /*bytes*/) {
  release(clock_.at(sc_core::sc_time_stamp() + ahead_));
  const Csr csr = static_cast<Csr>(row);
  switch (csr) {
    case Csr::DOORBELL:
      submit(value, ahead_);
      break;
    case Csr::CONTROL:
      if ((value & 1U) != 0) reset();
      break;
    default:
      csrs_.write(csr, value);
      if (csr == Csr::IRQ_EN || csr == Csr::IRQ_PEND) irq_event_.notify(sc_core::SC_ZERO_TIME);
  }
  return true;
}

unsigned RtUnit::debug(tlm::tlm_generic_payload& payload) {
  return page_.debug(payload);
}

// ---- traces

void RtUnit::trace(const common::TraceScope& scope) {
  if (!scope) return;
  signals_.job = scope.word("job", 32, "ticket of the job that is worked off");
  signals_.tail = scope.count("tail", "ticket submitted last");
  signals_.head = scope.count("head", "ticket completed last; tail - head jobs are in the queue");
  signals_.rays = scope.count("rays", "rays of completed jobs");
  signals_.irq = scope.wire("irq", "interrupt");
  scope.atEnd([this] { showUnfinished(~Cycle{0}); });
}

void RtUnit::show(const common::TraceSignal& signal, Cycle cycle, std::uint64_t value) const {
  if (signal) signal.set(clock_.of(cycle).value(), value);
}

/// Jobs that have begun by `end` and are not known to be over.
void RtUnit::showUnfinished(Cycle end) const {
  for (const Completion& c : completions_) {
    if (c.started > end) return;
    show(signals_.job, c.started, c.outcome.ticket);
    show(signals_.job, std::min(c.at, end), common::kNoValue);
  }
  if (running_ && running_->started <= end) {
    show(signals_.job, running_->started, running_->submitted.ticket);
  }
}

// ---- statistics

void RtUnit::report(common::StatGroup& group) const {
  group.count("jobs", "jobs", "jobs completed", jobs_);
  group.count("failed_jobs", "jobs", "of these, with an error", failed_);
  group.count("rays", "rays", "rays traced", totals_.rays);
  group.count("hits", "rays", "of these, with a hit", totals_.hits);
  group.count("misses", "rays", "of these, without", totals_.misses);
  group.count("nodes", "nodes", "BVH nodes tested", totals_.nodes);
  group.count("leaves", "leaves", "triangle ranges read", totals_.leaves);
  group.count("triangles", "triangles", "triangles tested", totals_.triangles);
  const auto perRay = [&](std::uint64_t n) {
    return totals_.rays == 0 ? 0 : static_cast<double>(n) / static_cast<double>(totals_.rays);
  };
  group.ratio("nodes_per_ray", "1", "BVH nodes tested a ray", perRay(totals_.nodes));
  group.ratio("leaves_per_ray", "1", "triangle ranges read a ray", perRay(totals_.leaves));
  group.ratio("triangles_per_ray", "1", "triangles tested a ray", perRay(totals_.triangles));
  group.count("max_stack", "entries", "deepest traversal stack", maxDepth_);
  reportCycles(group);
  reportTraffic(group);
  group.count("register_accesses", "1", "accesses to the page of registers", registerAccesses_);
  group.count("register_errors", "1", "of these, refused", registerErrors_);
  common::StatGroup& host = group.group("host_side", "how bytes moved; never changes a result");
  host.count("dmi_accesses", "1", "bus accesses whose bytes came by DMI", port_.dmiAccesses());
  host.count("transport_accesses", "1", "bus accesses as b_transport", port_.transportAccesses());
}

void RtUnit::reportCycles(common::StatGroup& group) const {
  const UnitCycles& c = port_.cycles();
  const Cycle now = std::max(clock_.now(), port_.now());
  group.count("cycles", "cycles", "clock cycles of the run", now);
  group.count("cycles_box", "cycles", "busy: nodes in the box pipeline", c.box);
  group.count("cycles_triangle", "cycles", "busy: triangles in the triangle pipeline", c.triangle);
  group.count("cycles_stall_lmem", "cycles", "stalled: geometry from LMEM", c.lmem);
  group.count("cycles_stall_memory", "cycles", "stalled: geometry from memory", c.memory);
  group.count("cycles_stall_queue", "cycles", "stalled: rays, results, ring headers and indices",
              c.queue);
  group.count("cycles_stall_descriptor", "cycles", "stalled: descriptors", c.descriptor);
  group.count("cycles_idle", "cycles", "no job", now - c.sum());
  const auto share = [&](Cycle n) {
    return now == 0 ? 0 : static_cast<double>(n) / static_cast<double>(now);
  };
  group.ratio("utilisation", "1", "share of cycles with a job", share(c.sum()));
  group.ratio("box_utilisation", "1", "share of cycles in which a node enters the box pipeline",
              share(totals_.tiles * config_.timing.bboxIssue));
  group.ratio("triangle_utilisation", "1", "share in which a triangle enters its pipeline",
              share(totals_.triangles * config_.timing.triIssue));
  const double seconds = clock_.of(c.sum()).to_seconds();
  group.ratio("rays_per_second", "rays/s", "rays over time with a job",
              seconds > 0 ? static_cast<double>(totals_.rays) / seconds : 0);
  group.count("queue_most", "jobs", "most jobs waiting or running", most_);
  group.ratio("queue_occupancy", "jobs", "jobs waiting or running, mean over time",
              share(residence_));
  group.count("doorbell_held", "cycles", "masters held because the queue was full", heldCycles_);
}

void RtUnit::reportTraffic(common::StatGroup& group) const {
  static constexpr std::array<const char*, kAccessKinds> kNames = {
      "tile",       "tri_range",    "triangle", "ray",  "lane_table",
      "descriptor", "queue_header", "hit",      "miss", "queue_index"};
  group.count("lmem_hits", "lines", "64-byte lines found in LMEM", port_.lmemHits());
  group.count("lmem_misses", "lines", "lines read from memory", port_.lmemMisses());
  const double lines = static_cast<double>(port_.lmemHits() + port_.lmemMisses());
  group.ratio("lmem_hit_rate", "1", "hits over both",
              lines > 0 ? static_cast<double>(port_.lmemHits()) / lines : 0);
  common::StatGroup& kinds = group.group("accesses", "memory accesses by what they are for");
  for (unsigned i = 0; i < kAccessKinds; ++i) {
    if (static_cast<AccessKind>(i) == AccessKind::LaneTable) continue;  // inline only
    const KindTotals& t = port_.totals(static_cast<AccessKind>(i));
    common::StatGroup& kind = kinds.group(kNames[i], "one kind of access");
    kind.count("accesses", "1", "made by the unit", t.accesses);
    kind.count("bytes", "bytes", "asked for", t.bytes);
    kind.count("transactions", "1", "on the bus, line fills included", t.transactions);
    kind.count("bus_bytes", "bytes", "in these transactions", t.busBytes);
  }
  common::StatGroup& classes = group.group("classes", "bytes on the bus by XMEM class");
  for (unsigned i = 0; i < 4; ++i) {
    classes.count("cl" + std::to_string(i) + "_bytes", "bytes", "tagged with this class",
                  port_.classBytes()[i]);
  }
}

}  // namespace rtvp::xphmg
