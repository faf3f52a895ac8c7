// The shading core looks at the requests that come next and has their runs computed together
// (run_ahead.hpp).
#include <algorithm>
#include <array>
#include <utility>

#include "models/sl/unit/number_words.hpp"
#include "models/sl/unit/shading_core.hpp"
#include "models/sl/unit/surface.hpp"

namespace rtvp::sl::unit {
namespace {

/// Requests looked at together: four blocks of points.
constexpr std::uint32_t kWindow = 4 * batch::kPoints;

/// Fewer requests are not worth a look.
constexpr std::uint32_t kFewest = 8;

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
  forgetAhead(false);
  const std::uint32_t count = std::min(tail_ - head_, kWindow);
  if (count < kFewest) return;
  constexpr std::size_t kWords = request::kWords;
  std::array<std::uint32_t, kWords * kWindow> entries{};
  // The queue is a ring.
  const std::uint32_t place = head_ % at_.entries, first = std::min(count, at_.entries - place);
  const auto look = [&](std::uint32_t from, std::uint32_t to, std::uint32_t number) {
    return port_->look(at_.requests + std::uint64_t{4} * kWords * from,
                       std::span(entries).subspan(kWords * to, kWords * number));
  };
  if (!look(place, 0, first) || (first < count && !look(0, first, count - first))) return;
  aheadEnd_ = head_ + count;
  for (std::uint32_t n = 0; n < count; ++n)
    lookAtRequest(std::span(entries).subspan(kWords * n).first<request::kWords>());
  ahead_.compute();
}

void ShadingCore::forgetAhead(bool programs) {
  ahead_.settle(executed_);
  ahead_.clear(programs);
  aheadFirst_ = aheadEnd_ = head_;
  lookedSurfaces_.clear();
}

void ShadingCore::lookAtRequest(std::span<const std::uint32_t, request::kWords> entry) {
  const Surface* const surface =
      entry[request::kKind] <= request::kResume ? lookAtSurface(entry[request::kSurface]) : nullptr;
  if (surface == nullptr) return ahead_.add();
  const std::uint64_t address = slotAddress(entry[request::kSlot]);
  if (entry[request::kKind] == request::kStart) return lookAtRun(*surface, address);
  std::array<std::uint32_t, slot::kSavedWords> saved{};
  std::array<std::uint32_t, 3> answer{};
  Vm vm(*surface->program);
  if (!port_->look(address + std::uint64_t{4} * slot::kSaved, saved) ||
      !port_->look(address + std::uint64_t{4} * slot::kAnswer, answer) || !resumeSaved(saved, vm))
    return ahead_.add();
  vm.finishTrace(vectorAt(answer, 0));
  ahead_.add(surface->program, vm);
}

void ShadingCore::lookAtRun(const Surface& surface, std::uint64_t address) {
  std::array<std::uint32_t, slot::kRequestWords> words;
  const std::span<std::uint32_t> needed = std::span(words).first(surface.needed);
  if (!port_->look(address, needed)) return ahead_.add();
  LookPort port(*port_);
  Samples samples{};
  Clock now = 0;
  sampleTextures(surface, words, samples, lookReader_, port, now);
  if (now == kBusError) return ahead_.add();
  ahead_.add(surface, needed, samples);
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

/// The place of a request among those that were looked at; nothing if it is not among them.
std::optional<std::size_t> ShadingCore::lookedAt(std::uint32_t number) const {
  if (number - aheadFirst_ >= aheadEnd_ - aheadFirst_ || isWatched()) return std::nullopt;
  return number - aheadFirst_;
}

}  // namespace rtvp::sl::unit
