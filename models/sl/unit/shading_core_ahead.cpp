// The shading core looks at the requests that come next and has their runs computed together
// (run_ahead.hpp).
#include <algorithm>
#include <utility>

#include "models/sl/unit/number_words.hpp"
#include "models/sl/unit/shading_core.hpp"
#include "models/sl/unit/surface.hpp"

namespace rtvp::sl::unit {
namespace {

/// Requests looked at together: four blocks of points.
constexpr std::uint32_t kWindow = 4 * batch::kPoints;

/// Whether computing a run ahead costs the host less than the run: it is to be looked at, compared
/// and brought back, about as much as forty instructions of the plain machine. Loops go on for
/// long.
bool isWorthIt(const Program& program, std::uint32_t from) {
  bool loops = false;
  for (std::uint32_t pc = 0; pc < program.size() && !loops; ++pc)
    loops = program[pc].info().branches() && program.target(pc) <= pc;
  return loops || program.size() >= from;
}

/// A port that only looks.
class LookPort : public MemoryPort {
 public:
  explicit LookPort(MemoryPort& port) : port_(port) {}
  Clock read(std::uint64_t address, std::span<std::uint32_t> words, Clock at) override {
    return port_.look(address, words) ? at : kBusError;
  }
  Clock write(std::uint64_t /*address*/, std::span<const std::uint32_t> /*words*/,
              Clock /*at*/) override {
    return kBusError;
  }

 private:
  MemoryPort& port_;
};

}  // namespace

void ShadingCore::lookAhead() {
  if (head_ != aheadEnd_ || !config_.ahead || isWatched()) return;
  keepTaken();
  aheadFirst_ = head_;
  aheadEnd_ = head_ + std::min(tail_ - head_, kWindow);
  ahead_.clear(false);
  lookedSurfaces_.clear();
  for (std::uint32_t number = aheadFirst_; number != aheadEnd_; ++number) lookAtRequest(number);
  ahead_.compute();
}

void ShadingCore::lookAtRequest(std::uint32_t number) {
  std::array<std::uint32_t, request::kWords> entry{};
  const std::uint64_t address =
      at_.requests + std::uint64_t{4} * request::kWords * (number % at_.entries);
  if (!port_->look(address, entry) || entry[request::kKind] > request::kResume) return ahead_.add();
  const Surface* const surface = lookAtSurface(entry[request::kSurface]);
  if (surface == nullptr || !isWorthIt(*surface->program, config_.aheadFrom)) return ahead_.add();
  Vm vm(*surface->program);
  bool live = true;  // a run that was set aside asked, so it was
  const bool begins = entry[request::kKind] == request::kStart;
  if (!lookAtRun(*surface, entry[request::kSlot], begins, vm, live)) return ahead_.add();
  ahead_.add(surface->program, live, vm);
}

/// Null if it is none.
const Surface* ShadingCore::lookAtSurface(std::uint32_t number) {
  for (const auto& surface : lookedSurfaces_) {
    if (surface->number == number) return surface.get();
  }
  std::array<std::uint32_t, surface::kWords> words{};
  auto looked = std::make_unique<Surface>();
  looked->number = number;
  if (number >= at_.surfaceCount ||
      !port_->look(at_.surfaces + std::uint64_t{4} * surface::kWords * number, words) ||
      decodeSurface(words, programs(), *looked) != Fault::None)
    return nullptr;
  lookedSurfaces_.push_back(std::move(looked));
  return lookedSurfaces_.back().get();
}

/// Brings `vm` where loadRun() or loadSaved() will bring the pipeline's.
bool ShadingCore::lookAtRun(const Surface& surface, std::uint32_t slot, bool begins, Vm& vm,
                            bool& traceLive) {
  const std::uint64_t address = slotAddress(slot);
  if (!begins) {
    std::array<std::uint32_t, slot::kSavedWords> saved{};
    std::array<std::uint32_t, 3> answer{};
    if (!port_->look(address + std::uint64_t{4} * slot::kSaved, saved) ||
        !port_->look(address + std::uint64_t{4} * slot::kAnswer, answer) || !resumeSaved(saved, vm))
      return false;
    vm.finishTrace(vectorAt(answer, 0));
    return true;
  }
  std::array<std::uint32_t, slot::kRequestWords> words{};
  const unsigned needed = slot::wordsNeeded(surface.program->reads(), surface.cubes);
  if (!port_->look(address, std::span(words).first(needed))) return false;
  Registers registers = startOf(surface, words);
  LookPort port(*port_);
  Clock now = 0;
  sampleTextures(surface, words, registers, lookReader_, port, now);
  if (now == kBusError) return false;
  vm.start(registers, words[slot::kSeed]);
  traceLive = (words[slot::kFlags] & slot::kTraceLive) != 0;
  return true;
}

const RunAhead::Outcome* ShadingCore::takeAhead(std::uint32_t number, bool traceLive,
                                                const Vm& vm) {
  if (number - aheadFirst_ >= aheadEnd_ - aheadFirst_ || isWatched()) return nullptr;
  const RunAhead::Outcome* const found = ahead_.find(number - aheadFirst_, traceLive, vm);
  runsAhead_ += found != nullptr ? 1U : 0U;
  return found;
}

}  // namespace rtvp::sl::unit
