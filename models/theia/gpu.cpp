#include "models/theia/gpu.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace rtvp::theia {
namespace {

// From issue to the first word's request, and from the last word's data to the next issue: with
// three undisturbed words (2 clocks each) TMREAD takes 9 clocks.
constexpr Clock kTextureLead = 2;
constexpr Clock kTextureTail = kTextureReadPeriod - kTextureLead - 3 * ArbiterTiming{}.service;

// Clocks that the control unit adds to its routines (section 7): start of INITIAL, then after
// INITIAL, CPPU, USERCONSTANTS and MAIN.
constexpr Clock kStartClocks = 1;
constexpr Clock kAfterInitial = 2, kAfterCppu = 1, kAfterUserConstants = 3, kAfterMain = 2;

}  // namespace

Gpu::Gpu(const GpuConfig& config, Rom rom)
    : config_(config), rom_(std::move(rom)), kernels_(&fast::kernels(config.core.isa)) {
  if (config.cores == 0 || config.cores > kMaxCores || !std::has_single_bit(config.cores))
    throw std::invalid_argument("theia: the number of cores is 1, 2, 4, 8 or 16");
  if (config.textureWords > (1U << 26) || config.core.outputWords > (1U << 26))
    throw std::invalid_argument("theia: texture and output memories have at most 2^26 words");
  if (config.storeTriangles > kMaxPrimitives)
    throw std::invalid_argument("theia: the triangle store holds at most 16383 triangles");
  const auto shelf = std::make_shared<fast::RoutineShelf>(config.core.isa);
  for (unsigned i = 0; i < config.cores; ++i) {
    lanes_.push_back(std::make_unique<Lane>(config.core, rom_, i));
    lanes_.back()->core.shareCode(shelf);
    arbiters_.emplace_back(config.cores, config.arbiterOrder, config.arbiterTiming);
  }
  bank_statistics_.resize(config.cores);
  texture_.resize(config.textureWords);
}

void Gpu::reset(Clock at) {
  port_free_ = std::max(port_free_, at);
  rendering_ = false;
  fault_ = {};
  next_triangle_ = 0;
  store_.clear();
  for (auto& lane : lanes_) {
    const Clock idle = port_free_ - std::min(port_free_, lane->accounted);
    lane->clocks.idle += idle;
    lane->core.charge(Spent::Idle, idle);
    lane->clocks.takeBack(lane->accounted - std::min(port_free_, lane->accounted));
    lane->accounted = port_free_;
    lane->phase = Phase::Configuring;
    lane->committed = lane->flipped = lane->inMain = false;
    lane->core.clearFault();
  }
}

Clock Gpu::start(Clock at) {
  port_free_ = std::max(port_free_, at);
  return port_free_;
}

Clock Gpu::writeInstruction(Clock at, std::uint32_t select, unsigned row, Instruction instruction) {
  start(at);
  for (unsigned i = 0; i < cores(); ++i) {
    if (((select >> i) & 1U) != 0 && !core(i).hostWriteInstruction(row, instruction)) {
      protocolFault(i, port_free_,
                    "instruction row " + std::to_string(row) + " of " +
                        std::to_string(config_.core.instructionWords));
      break;
    }
  }
  host_.instructions += config_.instructionClocks;
  host_.words += 2;
  return port_free_ += config_.instructionClocks;
}

Clock Gpu::writeRegister(Clock at, std::uint32_t select, unsigned address, const Vec& value) {
  start(at);
  for (unsigned i = 0; i < cores(); ++i) {
    if (((select >> i) & 1U) != 0) core(i).hostWriteRegister(address, value);
  }
  host_.registers += config_.registerClocks;
  host_.words += 3;
  return port_free_ += config_.registerClocks;
}

bool Gpu::checkShares() {
  const auto size = core(0).readRegister(reg("CREG_TEXTURE_SIZE"));
  for (const Word side : {size.x, size.y}) {
    if (side != 0 && (side < kOne || !std::has_single_bit(side))) {
      protocolFault(0, port_free_, "the texture's size is not a power of two");
      return false;
    }
  }
  const auto triangles = core(0).readRegister(reg("CREG_MAX_PRIMITIVES")).x;
  if (triangles > kMaxPrimitives) {
    protocolFault(0, port_free_,
                  std::to_string(triangles) + " triangles: the machine counts to " +
                      std::to_string(kMaxPrimitives));
    return false;
  }
  std::int64_t share = 0;
  for (unsigned i = 0; i < cores(); ++i) {
    const Vec first = core(i).readRegister(reg("CREG_PIXEL_2D_INITIAL_POSITION"));
    const Vec end = core(i).readRegister(reg("CREG_PIXEL_2D_FINAL_POSITION"));
    const auto whole = [](Word a, Word b) {
      return (fixed::widen(a) - fixed::widen(b)) >> kFractionBits;
    };
    const std::int64_t pixels = whole(end.x, first.x) * whole(end.y, first.y);
    if (i == 0) share = pixels;
    if (pixels != share || pixels <= 0 || fixed::widen(end.x) <= fixed::widen(first.x)) {
      protocolFault(i, port_free_,
                    "owns " + std::to_string(pixels) + " pixels, core 0 " + std::to_string(share) +
                        ": all cores must own the same number, at least one");
      return false;
    }
  }
  return true;
}

Clock Gpu::runRoutine(Lane& lane, Entry e) {
  lane.core.startEntry(e);
  runLane(lane);
  while (!fault_ && lane.phase == Phase::Texture) serveTexture();
  return lane.core.clocks();
}

Clock Gpu::beginRendering(Clock at) {
  start(at);
  if (fault_ || rendering_ || !checkShares()) return port_free_;
  rendering_ = true;
  for (auto& lane : lanes_) {
    const Clock configuration = port_free_ - std::min(port_free_, lane->accounted);
    lane->clocks.configuration += configuration;
    lane->flip = port_free_ + kStartClocks;
    lane->clocks.initial += kStartClocks;
    const auto routine = [&](Entry e, Clock after, Clock& account) {
      if (fault_) return;
      lane->phase = Phase::Running;
      const Clock spent = runRoutine(*lane, e) + after;
      account += spent;
      lane->flip += spent;
      lane->core.charge(Spent::Control, kTriggerClocks + after);
    };
    routine(Entry::Initial, kAfterInitial, lane->clocks.initial);
    lane->core.charge(Spent::Configuration, configuration);
    lane->core.charge(Spent::Control, kStartClocks);
    routine(Entry::Cppu, kAfterCppu, lane->clocks.cppu);
    routine(Entry::UserConstants, kAfterUserConstants, lane->clocks.userConstants);
    lane->phase = Phase::Ready;
    lane->ready = lane->accounted = lane->flip;
    lane->core.setPixel(0);
  }
  return port_free_;
}

Clock Gpu::streamTriangle(Clock at, const Triangle& triangle) {
  start(at);
  std::array<fast::Lanes*, std::size_t{2} * kMaxCores> rows;  // NOLINT: what is used is written
  unsigned count = 0;
  for (auto& lane : lanes_) {
    for (fast::Lanes* const row : lane->core.hostRows(reg("CREG_V0"))) rows[count++] = row;
  }
  static_assert(sizeof(Triangle) == sizeof(Word) * 3 * kTriangleRegisters);
  kernels_->spread(&triangle[0].x, rows.data(), count);
  Clock cost = Clock{kTriangleRegisters} * config_.registerClocks;
  const unsigned index = next_triangle_++;
  if (index < store_.size() && store_[index] == triangle) {
    cost = config_.storeClocks;
    ++host_.storeHits;
  } else {
    host_.words += 3ULL * kTriangleRegisters;
    if (index < config_.storeTriangles) {
      if (index >= store_.size()) store_.resize(index + 1U);
      store_[index] = triangle;
    }
  }
  ++host_.triangleCount;
  host_.triangles += cost;
  return port_free_ += cost;
}

// ---- cores ----

inline void Gpu::endPhase(Lane& lane) {
  lane.inMain = false;
  const Clock main = lane.core.clocks() + kAfterMain;
  const Clock divider = lane.core.dividerClocks() - lane.divider_before;
  lane.clocks.mainDivider += divider;
  lane.clocks.mainTexture += lane.texture_wait;
  lane.clocks.mainBusy += main - divider - lane.texture_wait;
  lane.core.charge(Spent::Control, kTriggerClocks + kAfterMain);
  lane.ready = lane.accounted = lane.flip + main;
  if (lane.core.flag()) commit(lane);
  if (observer_ != nullptr) observer_->onPhaseEnd(lane.core.index(), lane.ready, lane.core.flag());
}

void Gpu::ranLane(Lane& lane, Stop stop) {
  switch (stop) {
    case Stop::TextureRead:
      beginTextureRead(lane);
      break;
    case Stop::Faulted:
      raise(lane.core.fault(), lane.flip + lane.core.clocks());
      break;
    default:
      lane.phase = Phase::Ready;
      if (lane.inMain) endPhase(lane);
      break;
  }
}

Stop Gpu::advance(Lane& lane) {
  if (control_ != nullptr) return control_->run(lane.core, lane.flip);
  if (runsAtOnce()) return lane.core.run();
  for (;;) {
    const std::uint16_t pc = lane.core.pc();
    const Clock clock = lane.flip + lane.core.clocks();
    const Stop stop = lane.core.step();
    if (stop != Stop::Faulted) observer_->onInstruction(lane.core, pc, clock);
    if (stop != Stop::None) return stop;
  }
}

Word Gpu::texelAddress(const Lane& lane) const {
  const Vec& a = lane.core.textureAddress();
  return lane.word == 0 ? a.x : lane.word == 1 ? a.y : a.z;
}

void Gpu::beginTextureRead(Lane& lane) {
  const Vec& a = lane.core.textureAddress();
  const std::size_t size = texture_.size();
  lane.issued = lane.flip + lane.core.clocks();
  if (a.x >= size || a.y >= size || a.z >= size) {
    lane.core.raise(Fault::Kind::TextureAddress,
                    "TMREAD of words " + std::to_string(a.x) + ", " + std::to_string(a.y) + ", " +
                        std::to_string(a.z) + " of " + std::to_string(size));
    raise(lane.core.fault(), lane.issued);
    return;
  }
  lane.word = 0;
  lane.asked = lane.issued + kTextureLead;
  lane.phase = Phase::Texture;
}

/// Grants the earliest of the requests that are up. All cores that could still ask are waiting for
/// a grant or for a flip that follows one, so no earlier request can come.
void Gpu::serveTexture() {
  Lane* first = nullptr;
  Clock when = 0;
  unsigned winner = 0;
  for (unsigned i = 0; i < cores(); ++i) {
    Lane& lane = *lanes_[i];
    if (lane.phase != Phase::Texture) continue;
    const Clock grant = arbiters_[texelAddress(lane) % cores()].grantTime(i, lane.asked);
    if (first == nullptr || grant < when) {
      first = &lane;
      when = grant;
      winner = i;
    }
  }
  if (first == nullptr) return;
  const Word address = texelAddress(*first);
  const unsigned bank = address % cores();
  first->texels[first->word] = texture_[address];
  ++bank_statistics_[bank].words;
  bank_statistics_[bank].waitClocks += when - first->asked;
  first->texture_wait += when - first->asked;
  finishWord(*first, arbiters_[bank].serve(winner, when));
}

void Gpu::finishWord(Lane& lane, Clock done) {
  if (++lane.word < 3) {
    lane.asked = done;
    return;
  }
  const Clock period = done + kTextureTail - lane.issued;
  lane.core.finishTextureRead({lane.texels[0], lane.texels[1], lane.texels[2]},
                              static_cast<unsigned>(period));
  lane.phase = Phase::Running;
  runLane(lane);
}

void Gpu::commit(Lane& lane) {
  if (lane.committed) {
    protocolFault(lane.core.index(), lane.ready,
                  "finished a pixel before the other cores finished theirs");
  }
  lane.committed = true;
  lane.core.setPixel(lane.core.pixel() + 1);
}

/// A lane that is ready takes the triangle on offer.
///
/// Invariants of the short way: nobody sees the flip, controls the core or keeps accounts (quiet_),
/// and MAIN has returned without waiting for texture memory; then clocks, counters and faults are
/// those of beginPhase() and what follows it, the plain twin, which runs with an observer.
inline void Gpu::flip(Lane& lane, Clock hda) {
  lane.flip = std::max(lane.ready, hda + 1);
  const Clock waited = lane.flip - lane.accounted;
  lane.clocks.waitHost += waited;
  lane.flipped = true;
  const Clock divider = lane.core.dividerClocks();
  lane.core.flip();
  Stop stop = Stop::None;
  if (quiet_) {  // MAIN mostly ends at once: endPhase() with what is 0 left out
    stop = lane.core.runEntry(Entry::Main);
    if (stop == Stop::Returned) [[likely]] {
      const Clock main = lane.core.clocks() + kAfterMain;
      const Clock divided = lane.core.dividerClocks() - divider;
      lane.clocks.mainDivider += divided;
      lane.clocks.mainBusy += main - divided;
      lane.ready = lane.accounted = lane.flip + main;
      if (lane.core.flag()) commit(lane);
      return;
    }
  }
  beginPhase(lane, divider, waited, stop);
}

/// What flip() does not do at once; with Stop::None it has not run yet.
[[gnu::noinline]] void Gpu::beginPhase(Lane& lane, Clock divider, Clock waited, Stop stop) {
  lane.accounted = lane.flip;
  lane.texture_wait = 0;
  lane.divider_before = divider;
  lane.phase = Phase::Running;
  lane.inMain = true;
  if (stop == Stop::None) {
    if (observer_ != nullptr) observer_->onFlip(lane.core.index(), lane.flip);
    if (runsAtOnce()) {
      stop = lane.core.runEntry(Entry::Main);
    } else {
      lane.core.startEntry(Entry::Main);
    }
    lane.core.charge(Spent::Host, waited);
    if (!runsAtOnce()) stop = advance(lane);
  }
  ranLane(lane, stop);
}

/// All that are ready and have not taken it yet; true if now all have. `last`: when the last did.
inline bool Gpu::flipReady(Clock hda, Clock& last, Clock& soonest) {
  bool all = true;
  for (auto& owned : lanes_) {
    Lane& lane = *owned;
    if (!lane.flipped && lane.phase == Phase::Ready && !fault_) flip(lane, hda);
    all = all && lane.flipped;
    last = std::max(last, lane.flip);
    soonest = std::min(soonest, lane.ready);
  }
  return all;
}

Clock Gpu::offer(Clock at) {
  const Clock hda = start(at);
  if (fault_) return port_free_;
  if (!rendering_) {
    protocolFault(0, hda, "a triangle was offered before rendering was enabled");
    return port_free_;
  }
  quiet_ = observer_ == nullptr && control_ == nullptr && !accounts_;
  for (auto& lane : lanes_) lane->flipped = false;
  Clock last = 0, soonest = ~Clock{0};
  while (!flipReady(hda, last, soonest) && !fault_) {
    last = 0;
    serveTexture();
  }
  if (fault_) return port_free_;
  if (soonest <= last) {
    for (const auto& lane : lanes_)
      host_.repeatedOffers += lane->phase == Phase::Ready && lane->ready <= last ? 1U : 0U;
  }
  host_.handshake += last + config_.handshakeClocks - port_free_;
  return port_free_ = last + config_.handshakeClocks;
}

Clock Gpu::awaitCommit(Clock at) {
  start(at);
  while (!fault_ && std::any_of(lanes_.begin(), lanes_.end(),
                                [](const auto& lane) { return lane->phase == Phase::Texture; }))
    serveTexture();
  if (fault_) return port_free_;
  Clock committed = port_free_;
  for (unsigned i = 0; i < cores(); ++i) {
    Lane& lane = *lanes_[i];
    if (!lane.committed) {
      protocolFault(i, port_free_, "did not finish its pixel after the last triangle");
      return port_free_;
    }
    lane.committed = false;
    committed = std::max(committed, lane.ready);
  }
  ++commits_;
  next_triangle_ = 0;
  if (observer_ != nullptr) observer_->onAllCommitted(committed);
  host_.commit += committed + config_.commitClocks - port_free_;
  return port_free_ = committed + config_.commitClocks;
}

void Gpu::finish(Clock at) {
  start(at);
  for (auto& lane : lanes_) {
    if (lane->accounted >= port_free_) continue;
    (rendering_ ? lane->clocks.idle : lane->clocks.configuration) += port_free_ - lane->accounted;
    lane->core.charge(rendering_ ? Spent::Idle : Spent::Configuration,
                      port_free_ - lane->accounted);
    lane->accounted = port_free_;
  }
}

void Gpu::raise(const Fault& fault, Clock clock) {
  if (fault_) return;
  fault_ = fault;
  fault_.clock = clock;
}

void Gpu::protocolFault(unsigned index, Clock clock, std::string text) {
  Fault fault;
  fault.kind = Fault::Kind::Protocol;
  fault.core = index;
  fault.pc = core(index).pc();
  fault.pixel = core(index).pixel();
  fault.text = std::move(text);
  raise(fault, clock);
}

bool Gpu::writeTexture(std::uint32_t address, Word value) {
  if (address >= texture_.size()) return false;
  texture_[address] = value;
  return true;
}
std::span<const Word> Gpu::output(unsigned index) const {
  return core(index).output();
}
std::span<Word> Gpu::outputStorage(unsigned index) {
  return core(index).output();
}
ControlClocks Gpu::controlClocks(unsigned index) const {
  return lanes_.at(index)->clocks;
}

}  // namespace rtvp::theia
