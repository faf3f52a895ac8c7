// Where compiled runs begin: for each such place of a program the runs that were made for it.
// Internal to the machine; the same for runs of floats (runs.hpp) and of words (word_runs.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rtvp::c32::simt {

/// Run has a member `code`, null if the run has been given up: the handlers do it.
template <class Run>
class RunPlaces {
 public:
  class Place {
   public:
    /// Tries to make a run that were in vain.
    [[nodiscard]] unsigned inVain() const { return in_vain_; }

   private:
    friend class RunPlaces;
    std::uint64_t visits_ = 0;  ///< since a run was made or tried to
    std::uint64_t patience_ = 0;
    unsigned in_vain_ = 0;
    std::vector<std::unique_ptr<Run>> runs_;
  };

  /// `patience`: visits of a place before its first run is made.
  explicit RunPlaces(std::uint64_t patience) : patience_(patience) {}

  /// The place of this number; a new one with a number of its own for 0. Null: there are too many.
  Place* at(std::uint16_t& number) {
    if (number == 0) {
      if (places_.size() == kMostPlaces) return nullptr;
      number = static_cast<std::uint16_t>(places_.size());
      places_.emplace_back().patience_ = patience_;
    }
    return &places_[number];
  }
  /// The run that fits the circumstances; made if they occur often and it may be. Null: the
  /// handlers follow one by one.
  template <class Fits, class Make>
  Run* find(Place& place, bool may, const Fits& fits, const Make& make) {
    for (const auto& run : place.runs_) {
      if (fits(*run)) return run->code != nullptr ? run.get() : nullptr;
    }
    if (++place.visits_ < place.patience_ || place.runs_.size() == kRunsAPlace) return nullptr;
    // The more often that was in vain, the rarer.
    place.visits_ = 0;
    place.patience_ *= 2;
    if (made_ == kMostRuns || !may) return nullptr;
    std::unique_ptr<Run> run = make();
    if (run == nullptr) {
      ++place.in_vain_;
      return nullptr;
    }
    ++made_;
    Run& made = *place.runs_.emplace_back(std::move(run));
    return fits(made) ? &made : nullptr;
  }
  /// No more are made: some may be of programs that are gone.
  [[nodiscard]] bool full() const { return made_ == kMostRuns || places_.size() == kMostPlaces; }
  /// False: there was nothing to forget.
  bool forget() {
    if (places_.size() == 1) return false;
    places_.resize(1);
    made_ = 0;
    return true;
  }

 private:
  static constexpr std::size_t kRunsAPlace = 4;
  static constexpr std::size_t kMostRuns = 512;
  static constexpr std::size_t kMostPlaces = 0x8000;

  std::uint64_t patience_;
  std::vector<Place> places_ = std::vector<Place>(1);  ///< by number; the first one is none
  std::size_t made_ = 0;
};

}  // namespace rtvp::c32::simt
