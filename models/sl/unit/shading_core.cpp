// See shading_core.hpp.
#include "models/sl/unit/shading_core.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/common/core/state.hpp"
#include "models/sl/math.hpp"
#include "models/sl/unit/number_words.hpp"
#include "models/sl/unit/surface.hpp"
#include "models/sl/unit/unit_registers.hpp"

namespace rtvp::sl::unit {
struct ShadingCore::Pipeline {
  enum class Step : std::uint8_t { Request, Compute, Lookup, Aside, Result };

  unsigned index = 0;
  Clock now = 0;  ///< up to where its work is known
  Clock phaseBegin = 0;
  Step step = Step::Request;
  bool working = false;       ///< has a request
  bool known = false;         ///< and `slot` is its
  PipelineCounters before;    ///< when it took the request
  std::uint32_t request = 0;  ///< its number
  std::uint32_t slot = 0;
  std::uint32_t kind = 0;  ///< of the result to write
  Vec3 colour;             ///< and its colour
  std::array<std::uint32_t, slot::kRequestWords> words{};
  std::optional<Surface> surface;
  std::optional<RunAhead::Outcome> ahead;  ///< how the run goes on, if that is known
  std::uint32_t executed = 0;              ///< instructions of the run that were counted
  std::optional<Vm> vm;                    ///< none if all of the run is known
  std::shared_ptr<const Program> running;  ///< the program vm refers to
};

ShadingCore::~ShadingCore() = default;

ShadingCore::ShadingCore(const CoreConfig& config)
    : config_(config),
      counters_(config.pipelines),
      reader_(config.cacheLines),
      lookReader_(kLookLines),
      ahead_(config.cycles) {
  if (config.pipelines == 0 || config.programWords == 0 || config.programWords > kMaxProgramWords) {
    throw std::invalid_argument("shading unit: needs a pipeline and 1 to " +
                                std::to_string(kMaxProgramWords) + " program words");
  }
  programStore_.resize(config.programWords);
  for (unsigned i = 0; i < config.pipelines; ++i) {
    pipelines_.push_back(std::make_unique<Pipeline>());
    pipelines_.back()->index = i;
  }
}

bool ShadingCore::store(std::uint32_t first, std::span<const std::uint64_t> words) {
  if (first > programStore_.size() || words.size() > programStore_.size() - first) return false;
  std::copy(words.begin(), words.end(), programStore_.begin() + first);
  flush();
  return true;
}

void ShadingCore::flush() {
  ++generation_;
  programs_.clear();
  reader_.flush();
  lookReader_.flush();
  forgetAhead(true);
}

void ShadingCore::reset() {
  flush();
  head_ = tail_ = results_ = 0;
  fault_ = Fault::None;
  faultSlot_ = 0;
  portFree_ = 0;
}

Clock ShadingCore::run(const CoreAddresses& at, std::uint32_t tail, MemoryPort& port, Clock now) {
  at_ = at;
  port_ = &port;
  tail_ = tail;
  forgetAhead(false);
  if (tail_ - head_ > at_.entries) {
    fault_ = fault_ == Fault::None ? Fault::Queue : fault_;
    head_ = tail_;
    return now;
  }
  Clock end = now;
  for (const auto& p : pipelines_) {
    p->now = now;
    p->working = false;
    p->step = Pipeline::Step::Request;
  }
  unsigned unasked = 0;  // pieces that the control lets pass
  while (true) {
    // The pipeline whose next piece of work begins first.
    Pipeline* next = nullptr;
    for (const auto& p : pipelines_) {
      if (!p->working && head_ == tail_) continue;
      if (next == nullptr || p->now < next->now) next = p.get();
    }
    if (next == nullptr) break;
    if (control_ != nullptr && unasked-- == 0) {
      unasked = control_->permit(next->now);
      looked_ = control_->stepping();
      armed_ = !looked_ && control_->armed();
    }
    begin(*next);
    end = std::max(end, next->now);
  }
  port_ = nullptr;
  forgetAhead(false);
  return end;
}

void ShadingCore::begin(Pipeline& p) {
  switch (p.step) {
    case Pipeline::Step::Request:
      return takeRequest(p);
    case Pipeline::Step::Compute:
      return compute(p);
    case Pipeline::Step::Lookup:
      return lookup(p);
    case Pipeline::Step::Aside:
      return setAside(p);
    case Pipeline::Step::Result:
      return finish(p, p.kind);
  }
}

// ---- bus

CoreAccount* ShadingCore::accountOf(const Pipeline& p) {
  return accounts_.empty() ? nullptr : &accounts_[p.index];
}

void ShadingCore::enterPort(Pipeline& p) {
  const Clock start = std::max(p.now, portFree_);
  counters_[p.index].stallPort += start - p.now;
  if (CoreAccount* const account = accountOf(p)) account->charge(SlSpent::Port, start - p.now);
  p.now = p.phaseBegin = start;
}

void ShadingCore::leavePort(Pipeline& p, Clock PipelineCounters::*cause, SlSpent spent) {
  counters_[p.index].*cause += p.now - p.phaseBegin;
  if (CoreAccount* const account = accountOf(p)) account->charge(spent, p.now - p.phaseBegin);
  portFree_ = p.now;
}

bool ShadingCore::read(Pipeline& p, std::uint64_t address, std::span<std::uint32_t> words) {
  const Clock after = port_->read(address, words, p.now);
  if (after == kBusError) return false;
  if (probe_ != nullptr && p.known) probe_->moved(p.slot, false, address, words, after - p.now);
  p.now = after;
  return true;
}

bool ShadingCore::write(Pipeline& p, std::uint64_t address, std::span<const std::uint32_t> words) {
  const Clock after = port_->write(address, words, p.now);
  if (after == kBusError) return false;
  if (probe_ != nullptr) probe_->moved(p.slot, true, address, words, after - p.now);
  p.now = after;
  return true;
}

// ---- requests

void ShadingCore::takeRequest(Pipeline& p) {
  const Clock began = p.now;
  p.before = counters_[p.index];
  p.vm.reset();
  p.ahead.reset();
  if (CoreAccount* const account = accountOf(p)) account->begin();
  enterPort(p);
  p.working = true;
  std::array<std::uint32_t, request::kWords> entry{};
  const std::uint64_t address =
      at_.requests + std::uint64_t{4} * request::kWords * (head_ % at_.entries);
  lookAhead();
  p.request = head_++;
  p.slot = 0;
  p.known = false;
  p.step = Pipeline::Step::Compute;
  if (!read(p, address, entry)) {
    fail(p, Fault::Bus);
  } else {
    p.slot = entry[request::kSlot];
    p.known = true;
    if (control_ != nullptr) control_->taken(p.slot, entry[request::kKind] == request::kStart);
    if (probe_ != nullptr) {
      probe_->begins(
          {p.slot, entry[request::kKind], entry[request::kSurface], p.now - p.phaseBegin});
    }
    if (entry[request::kKind] > request::kResume) {
      fail(p, Fault::Request);
    } else if (loadSurface(p, entry[request::kSurface])) {
      const bool begins = entry[request::kKind] == request::kStart;
      if ((begins ? loadRun(p) : loadSaved(p)) && begins) ++counters_[p.index].runs;
    }
  }
  leavePort(p, &PipelineCounters::stallRequest, SlSpent::Request);
  if (isLooked() && runOf(p.index)) control_->arrived(p.index, began);
}

bool ShadingCore::loadSurface(Pipeline& p, std::uint32_t number) {
  if (p.surface && p.surface->generation == generation_ && p.surface->number == number) return true;
  p.surface.reset();
  if (number >= at_.surfaceCount) {
    fail(p, Fault::Surface);
    return false;
  }
  std::array<std::uint32_t, surface::kWords> words{};
  if (!read(p, at_.surfaces + std::uint64_t{4} * surface::kWords * number, words)) {
    fail(p, Fault::Bus);
    return false;
  }
  Surface s;
  s.generation = generation_;
  s.number = number;
  if (const Fault wrong = decodeSurface(words, programs(), s); wrong != Fault::None) {
    fail(p, wrong);
    return false;
  }
  p.surface = std::move(s);
  return true;
}

std::shared_ptr<const Program> ShadingCore::program(std::uint32_t start, std::uint32_t count,
                                                    OffsetBase base) {
  for (const CachedProgram& c : programs_) {
    if (c.start == start && c.count == count && c.base == base) return c.program;
  }
  std::shared_ptr<const Program> found;
  if (start <= programStore_.size() && count <= programStore_.size() - start) {
    try {
      found = std::make_shared<const Program>(std::span(programStore_).subspan(start, count), base);
    } catch (const LoadError&) {
      found = nullptr;  // the caller reports a fault
    }
  }
  programs_.push_back({start, count, base, found});
  return found;
}

bool ShadingCore::loadRun(Pipeline& p) {
  const Surface& s = *p.surface;
  p.words = {};
  if (!read(p, slotAddress(p.slot), std::span(p.words).first(s.needed))) {
    fail(p, Fault::Bus);
    return false;
  }
  p.running = p.surface->program;
  leavePort(p, &PipelineCounters::stallRequest, SlSpent::Request);
  p.phaseBegin = p.now;
  sampling_ = p.slot;
  Samples samples{};
  sampleTextures(s, p.words, samples, reader_, *port_, p.now);
  const bool sampled = p.now != kBusError;
  if (!sampled) {
    p.now = p.phaseBegin;
    fail(p, Fault::Bus);
  }
  leavePort(p, &PipelineCounters::stallTexture, SlSpent::Texture);
  p.phaseBegin = p.now;
  if (!sampled) return false;
  ++totals_.runs;
  beginRun(p, samples);
  if (CoreAccount* const account = accountOf(p)) account->stand(p.surface->start);
  return true;
}

/// A run stands at its first instruction, or at the end of what is known of it.
void ShadingCore::beginRun(Pipeline& p, const Samples& samples) {
  const Surface& s = *p.surface;
  const std::optional<std::size_t> looked = lookedAt(p.request);
  if (looked) p.ahead = ahead_.find(*looked, s, std::span(p.words).first(s.needed), samples);
  p.executed = 0;
  runsAhead_ += p.ahead ? 1U : 0U;
  if (p.ahead && p.ahead->stop != Stop::Trace && p.ahead->stop != Stop::Lookup) return;
  p.vm.emplace(*p.running);
  p.vm->start(startOf(s, p.words, samples), p.words[slot::kSeed]);
  if (p.ahead) ahead_.carry(*looked, *p.vm);
}

bool ShadingCore::loadSaved(Pipeline& p) {
  std::array<std::uint32_t, slot::kSavedWords> saved{};
  std::array<std::uint32_t, 3> answer{};
  const std::uint64_t address = slotAddress(p.slot);
  p.words = {};
  p.words[slot::kFlags] = slot::kTraceLive;  // it asked, so it was
  const std::span<std::uint32_t> axes = std::span(p.words).subspan(slot::kAxes, 9);
  if (!read(p, address + std::uint64_t{4} * slot::kSaved, saved) ||
      !read(p, address + std::uint64_t{4} * slot::kAnswer, answer) ||
      (p.surface->cubes && !read(p, address + std::uint64_t{4} * slot::kAxes, axes))) {
    fail(p, Fault::Bus);
    return false;
  }
  p.running = p.surface->program;
  p.vm.emplace(*p.running);
  if (!resumeSaved(saved, *p.vm)) {
    fail(p, Fault::Request);
    return false;
  }
  ++resumes_;
  if (CoreAccount* const account = accountOf(p)) account->stand(p.surface->start + p.vm->pc());
  p.vm->finishTrace(vectorAt(answer, 0));
  p.executed = p.vm->instructions();
  const std::optional<std::size_t> looked = lookedAt(p.request);
  if (looked) p.ahead = ahead_.find(*looked, *p.vm);
  if (p.ahead) ahead_.carry(*looked, *p.vm);
  runsAhead_ += p.ahead ? 1U : 0U;
  return true;
}

// ---- runs

/// Instructions until something else is to be done, or as many as a debugger lets pass.
RunAhead::Outcome ShadingCore::execute(Pipeline& p) {
  Vm& vm = *p.vm;
  Clock cycles = 0;
  CoreAccount* const account = accountOf(p);
  const bool one = control_ != nullptr && isLooked();
  const bool armed = control_ != nullptr && armed_;
  while (vm.state() == Stop::None) {
    if (armed && control_->halts(p.index, p.surface->start + vm.pc(), p.now + cycles)) break;
    if (one) control_->before(p.index);
    const std::uint32_t word = p.surface->start + vm.pc();
    const auto form = static_cast<std::size_t>((*p.running)[vm.pc()].form);
    ++executed_[form];
    cycles += config_.cycles[form];
    if (account != nullptr) account->execute(word, config_.cycles[form]);
    vm.step();
    if (vm.state() == Stop::Trace && (p.words[slot::kFlags] & slot::kTraceLive) == 0) {
      vm.finishTrace({});
    }
    if (one) break;
  }
  return {vm.state(), vm.instructions(), cycles, vm.colour()};
}

void ShadingCore::compute(Pipeline& p) {
  const Clock began = p.now;
  const RunAhead::Outcome ran = p.ahead ? *p.ahead : execute(p);
  p.ahead.reset();
  const std::uint32_t done = ran.instructions - std::exchange(p.executed, ran.instructions);
  counters_[p.index].instructions += done;
  totals_.instructions += done;
  counters_[p.index].busy += ran.clocks;
  p.now += ran.clocks;
  p.colour = ran.colour;
  if (done != 0 && isLooked()) control_->after(p.index, began);
  switch (ran.stop) {
    case Stop::None:
      break;
    case Stop::Lookup:
      p.step = Pipeline::Step::Lookup;
      break;
    case Stop::Trace:
      p.step = Pipeline::Step::Aside;
      break;
    default:
      p.kind = ran.stop == Stop::Budget ? result::kBudget : result::kDone;
      totals_.over_budget += ran.stop == Stop::Budget ? 1U : 0U;
      p.step = Pipeline::Step::Result;
      break;
  }
}

void ShadingCore::lookup(Pipeline& p) {
  Vm& vm = *p.vm;
  const Clock began = p.now;
  const TextureSlot& slot = p.surface->textures[vm.lookupSlot()];
  Vec3 at{vm.lookupS(), vm.lookupT(), 0};
  if (slot.format == Format::Cube) {
    at = toWorld(vm.registers().vector((*p.running)[vm.pc()].b), p.words);
  }
  enterPort(p);
  sampling_ = p.slot;
  const Vec3 texel = reader_.sample(slot, at, *port_, p.now);
  p.step = Pipeline::Step::Compute;
  if (p.now == kBusError) {
    p.now = p.phaseBegin;
    fail(p, Fault::Bus);
  } else {
    ++totals_.lookups;
    vm.finishLookup(texel);
    p.executed = vm.instructions();
    // The instruction ends here, after its texels have come.
    ++counters_[p.index].instructions;
    ++totals_.instructions;
  }
  leavePort(p, &PipelineCounters::stallTexture, SlSpent::Texture);
  if (p.step == Pipeline::Step::Compute && isLooked()) control_->after(p.index, began);
}

void ShadingCore::setAside(Pipeline& p) {
  const Vm& vm = *p.vm;
  const Clock began = p.now;
  std::array<std::uint32_t, slot::kSavedWords> saved{};
  saved[0] = vm.pc();
  saved[1] = vm.instructions();
  saved[2] = vm.randomState();
  constexpr unsigned kFirst = slot::kSavedRegisters - slot::kSaved;
  for (unsigned n = 0; n < kVectors; ++n) {
    storeVector(saved, kFirst + 3 * n, vm.registers().vectors[n]);
  }
  for (unsigned n = 0; n < kScalars; ++n) {
    saved[kFirst + 3 * kVectors + n] = asWord(vm.registers().scalars[n]);
  }
  enterPort(p);
  const bool written = write(p, slotAddress(p.slot) + std::uint64_t{4} * slot::kSaved, saved);
  leavePort(p, &PipelineCounters::stallResult, SlSpent::Result);
  if (!written) return fail(p, Fault::Bus);
  ++totals_.traces;
  // The instruction counts when its answer has come, for the VM too.
  ++counters_[p.index].instructions;
  ++totals_.instructions;
  finish(p, result::kTrace);
  if (isLooked()) control_->after(p.index, began);
}

void ShadingCore::finish(Pipeline& p, std::uint32_t kind) {
  std::array<std::uint32_t, result::kWords> words{};
  words[result::kSlot] = p.slot;
  words[result::kKind] = kind;
  if (kind == result::kTrace) {
    storeVector(words, result::kVector, p.vm->traceOrigin());
    storeVector(words, result::kDirection, p.vm->traceDirection());
  } else if (kind != result::kFault) {
    storeVector(words, result::kVector, p.colour);
  }
  enterPort(p);
  const std::uint64_t address =
      at_.results + std::uint64_t{4} * result::kWords * (results_ % at_.entries);
  const bool written = write(p, address, words);
  leavePort(p, &PipelineCounters::stallResult, SlSpent::Result);
  ++results_;
  if (probe_ != nullptr && p.known) tellEnd(p, words);
  if (CoreAccount* const account = accountOf(p)) account->end();
  if (observer_) {
    const PipelineCounters& now = counters_[p.index];
    observer_({p.slot, now.instructions - p.before.instructions, now.worked() - p.before.worked()});
  }
  p.working = false;
  p.step = Pipeline::Step::Request;
  if (!written && fault_ == Fault::None) {
    fault_ = Fault::Bus;
    faultSlot_ = p.slot;
  }
}

void ShadingCore::tellEnd(const Pipeline& p, std::span<const std::uint32_t> result) const {
  const PipelineCounters &now = counters_[p.index], &then = p.before;
  RunProbe::End end{p.slot, result, {}, nullptr};
  end.spent.busy = now.busy - then.busy;
  end.spent.stallRequest = now.stallRequest - then.stallRequest;
  end.spent.stallTexture = now.stallTexture - then.stallTexture;
  end.spent.stallResult = now.stallResult - then.stallResult;
  end.spent.stallPort = now.stallPort - then.stallPort;
  end.spent.runs = now.runs - then.runs;
  end.spent.instructions = now.instructions - then.instructions;
  if (result[result::kKind] != result::kFault && p.vm) end.vm = &*p.vm;
  probe_->ends(end);
}

void ShadingCore::setRunProbe(RunProbe* probe) {
  probe_ = probe;
  if (probe == nullptr) return reader_.setProbe({});
  reader_.setProbe(
      [this](std::uint64_t address, Clock took) { probe_->texel(sampling_, address, took); });
}

void ShadingCore::fail(Pipeline& p, Fault fault) {
  if (fault_ == Fault::None) {
    fault_ = fault;
    faultSlot_ = p.slot;
  }
  p.kind = result::kFault;
  p.step = Pipeline::Step::Result;
}

// ---- debuggers

std::optional<ShadingCore::Run> ShadingCore::runOf(unsigned pipeline) const {
  Pipeline& p = *pipelines_.at(pipeline);
  using Step = Pipeline::Step;
  const bool runs = p.step == Step::Compute || p.step == Step::Lookup || p.step == Step::Aside;
  if (!p.working || !runs || !p.vm || p.vm->ended()) return std::nullopt;
  return Run{&*p.vm, p.surface->start, p.slot, p.surface->number};
}

Clock ShadingCore::furthest() const {
  Clock most = 0;
  for (const auto& p : pipelines_) most = std::max(most, p->now);
  return most;
}

// ---- checkpoints

// Found by its argument, which no unnamed namespace is looked through for.
static void stateOf(common::StateArchive& a, TextureSlot& slot) {
  a(slot.address, slot.width, slot.height, slot.format);
}

void TextureReader::state(common::StateArchive& a) {
  for (Line& line : lines_) a(line.address, line.words);
  a(counters_);
}

void ShadingCore::state(common::StateArchive& a) {
  a.mark("shading core");
  a.sized(programStore_);
  if (a.reading()) programs_.clear();
  for (const auto& p : pipelines_) cachedSurface(a, *p);
  a.sized(counters_);
  a(reader_, head_, tail_, results_, fault_, faultSlot_, totals_, resumes_, executed_, portFree_);
}

/// The surface that a pipeline need not read again: its program by where it lies in the store.
void ShadingCore::cachedSurface(common::StateArchive& a, Pipeline& p) {
  bool valid = p.surface && p.surface->generation == generation_ && p.surface->program;
  a(valid);
  if (a.reading()) p.surface.reset();
  if (!valid) return;
  CachedProgram key{0, 0, OffsetBase::Next, nullptr};
  for (const CachedProgram& c : programs_) {
    if (!a.reading() && c.program == p.surface->program) key = c;
  }
  a(key.start, key.count, key.base);
  if (a.reading()) p.surface.emplace();
  Surface& s = *p.surface;
  a(s.number, s.textures, s.cubes);
  for (Vec3& v : s.registers.vectors) a(v.x, v.y, v.z);
  a(s.registers.scalars);
  if (!a.reading()) return;
  s.generation = generation_;
  s.start = key.start;
  s.program = program(key.start, key.count, key.base);
  if (!s.program) throw common::StateError("the state has a program that is none");
  s.needed = slot::wordsNeeded(s.program->reads(), s.cubes);
}

}  // namespace rtvp::sl::unit
